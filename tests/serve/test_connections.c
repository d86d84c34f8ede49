/* SPDX-License-Identifier: Apache-2.0 */
/* Which connections are cut: those whose time is over, and when many are open the oldest that have shown no token. */
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/connections.h"
#include "support/cmocka_all.h"

static sbl_serve_connections all;
static int ours[SBL_SERVE_CROWDED + 2], theirs[SBL_SERVE_CROWDED + 2];

static int set_up(void **state)
{
    (void)state;
    sbl_serve_connections_init(&all);
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0) return -1;
        ours[i] = pair[0];
        theirs[i] = pair[1];
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        (void)close(ours[i]);
        (void)close(theirs[i]);
    }
    sbl_serve_connections_clear(&all);
    return 0;
}

EACH_TEST(set_up, tear_down)

/* The other end reads an end of file. */
static bool is_cut(size_t i)
{
    char byte;
    return recv(theirs[i], &byte, 1, 0) == 0;
}

TEST(whoever_takes_too_long_is_cut)
{
    sbl_serve_connection_add(&all, ours[0], 10);
    sbl_serve_connection_add(&all, ours[1], 20);
    sbl_serve_connections_sweep(&all, 9);
    assert_false(is_cut(0));
    sbl_serve_connections_sweep(&all, 10);
    assert_true(is_cut(0));
    assert_false(is_cut(1));
    sbl_serve_connection_await(&all, ours[1], 40);
    sbl_serve_connections_sweep(&all, 39);
    assert_false(is_cut(1));
}

TEST(work_is_not_cut)
{
    sbl_serve_connection_add(&all, ours[0], 10);
    sbl_serve_connection_work(&all, ours[0]);
    sbl_serve_connections_sweep(&all, 1000);
    assert_false(is_cut(0));
    sbl_serve_connection_await(&all, ours[0], 2000);
    sbl_serve_connections_sweep(&all, 2000);
    assert_true(is_cut(0));
}

TEST(a_socket_that_was_closed_is_forgotten)
{
    sbl_serve_connection_add(&all, ours[0], 10);
    sbl_serve_connection_remove(&all, ours[0]);
    sbl_serve_connections_sweep(&all, 1000);
    assert_false(is_cut(0));
}

TEST(a_crowd_of_strangers_gives_way)
{
    for (size_t i = 0; i < SBL_SERVE_CROWDED; i++) sbl_serve_connection_add(&all, ours[i], 100);
    sbl_serve_connection_work(&all, ours[0]); /* has shown the token, and is idle again */
    sbl_serve_connection_await(&all, ours[0], 100);
    sbl_serve_connection_work(&all, ours[1]); /* is being worked on */
    sbl_serve_connection_add(&all, ours[SBL_SERVE_CROWDED], 100);
    assert_false(is_cut(0));
    assert_false(is_cut(1));
    assert_true(is_cut(2)); /* the oldest that has shown none */
    assert_false(is_cut(SBL_SERVE_CROWDED));
    sbl_serve_connection_add(&all, ours[SBL_SERVE_CROWDED + 1], 100);
    assert_true(is_cut(3));
    assert_false(is_cut(4));
}
