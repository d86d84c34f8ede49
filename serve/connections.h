/* SPDX-License-Identifier: Apache-2.0 */
/* Connections that are open, and when they are cut: those whose request does not come whole in time, and, when many are
 * open, the oldest that have shown no token. Whoever opens connections and says nothing on them keeps nobody out. */
#ifndef SBL_SERVE_CONNECTIONS_H
#define SBL_SERVE_CONNECTIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define SBL_SERVE_MOST_CONNECTIONS 512 /* those that were cut count until their threads have ended */
#define SBL_SERVE_CROWDED 32

typedef struct sbl_serve_connection {
    int socket;      /* -1: this place is free */
    bool working;    /* a request is being worked on: it is not cut */
    bool admitted;   /* it has sent a request that was admitted */
    time_t deadline; /* seconds of the monotonic clock */
    uint64_t order;  /* in which they were opened */
} sbl_serve_connection;

typedef struct sbl_serve_connections {
    pthread_mutex_t lock; /* of all that follows */
    uint64_t opened;
    sbl_serve_connection list[SBL_SERVE_MOST_CONNECTIONS];
} sbl_serve_connections;

void sbl_serve_connections_init(sbl_serve_connections *all);
void sbl_serve_connections_clear(sbl_serve_connections *all);

/* A connection begins; another may be cut for it. */
void sbl_serve_connection_add(sbl_serve_connections *all, int socket, time_t deadline);
/* It has ended; its socket is about to be closed. */
void sbl_serve_connection_remove(sbl_serve_connections *all, int socket);
/* Its next deadline: what comes next must be there by then. */
void sbl_serve_connection_await(sbl_serve_connections *all, int socket, time_t deadline);
/* An admitted request of it is being worked on: no deadline until the next is set. */
void sbl_serve_connection_work(sbl_serve_connections *all, int socket);
/* Cut those whose time is over. */
void sbl_serve_connections_sweep(sbl_serve_connections *all, time_t now);

#endif
