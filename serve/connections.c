/* SPDX-License-Identifier: Apache-2.0 */
/* The table of open connections. A socket is cut by shutdown(2), so that the thread that owns it closes it: no number is
 * ever reused under that thread. */
#include "connections.h"

#include <sys/socket.h>

void sbl_serve_connections_init(sbl_serve_connections *all)
{
    (void)pthread_mutex_init(&all->lock, NULL);
    all->opened = 0;
    for (size_t i = 0; i < SBL_SERVE_MOST_CONNECTIONS; i++)
        all->list[i] = (sbl_serve_connection){.socket = -1};
}

void sbl_serve_connections_clear(sbl_serve_connections *all) { (void)pthread_mutex_destroy(&all->lock); }

/* The place of a connection; socket -1: a free one. */
static sbl_serve_connection *find(sbl_serve_connections *all, int socket)
{
    for (size_t i = 0; i < SBL_SERVE_MOST_CONNECTIONS; i++)
        if (all->list[i].socket == socket) return &all->list[i];
    return NULL;
}

/* The thread that reads from it wakes up and closes it; meanwhile it is let alone. */
static void cut(sbl_serve_connection *one)
{
    (void)shutdown(one->socket, SHUT_RDWR);
    one->working = true;
}

/* Is a to be cut rather than b? */
static bool goes_first(const sbl_serve_connection *a, const sbl_serve_connection *b)
{
    return a->admitted != b->admitted ? b->admitted : a->order < b->order;
}

static void make_room(sbl_serve_connections *all)
{
    sbl_serve_connection *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < SBL_SERVE_MOST_CONNECTIONS; i++) {
        sbl_serve_connection *one = &all->list[i];
        if (one->socket < 0) continue;
        count++;
        if (!one->working && (first == NULL || goes_first(one, first))) first = one;
    }
    if (count >= SBL_SERVE_CROWDED && first != NULL) cut(first);
}

void sbl_serve_connection_add(sbl_serve_connections *all, int socket, time_t deadline)
{
    (void)pthread_mutex_lock(&all->lock);
    make_room(all);
    sbl_serve_connection *place = find(all, -1);
    if (place != NULL)
        *place = (sbl_serve_connection){.socket = socket, .deadline = deadline, .order = ++all->opened};
    (void)pthread_mutex_unlock(&all->lock);
}

void sbl_serve_connection_remove(sbl_serve_connections *all, int socket)
{
    (void)pthread_mutex_lock(&all->lock);
    sbl_serve_connection *own = socket >= 0 ? find(all, socket) : NULL;
    if (own != NULL) own->socket = -1;
    (void)pthread_mutex_unlock(&all->lock);
}

static void set(sbl_serve_connections *all, int socket, bool working, time_t deadline)
{
    (void)pthread_mutex_lock(&all->lock);
    sbl_serve_connection *own = socket >= 0 ? find(all, socket) : NULL;
    if (own != NULL) {
        own->working = working;
        own->deadline = deadline;
        if (working) own->admitted = true;
    }
    (void)pthread_mutex_unlock(&all->lock);
}

void sbl_serve_connection_await(sbl_serve_connections *all, int socket, time_t deadline)
{
    set(all, socket, false, deadline);
}

void sbl_serve_connection_work(sbl_serve_connections *all, int socket) { set(all, socket, true, 0); }

void sbl_serve_connections_sweep(sbl_serve_connections *all, time_t now)
{
    (void)pthread_mutex_lock(&all->lock);
    for (size_t i = 0; i < SBL_SERVE_MOST_CONNECTIONS; i++) {
        sbl_serve_connection *one = &all->list[i];
        if (one->socket >= 0 && !one->working && one->deadline <= now) cut(one);
    }
    (void)pthread_mutex_unlock(&all->lock);
}
