/* SPDX-License-Identifier: Apache-2.0 */
/* A table that is read while somebody waits for the answer: an inspection, a check. How many rows were read so far can be asked
 * by another request (NOT PRIVATE); the reading is given up when whoever asked went away, which is how the page cancels
 * it, and when the server ends. */
#ifndef SBL_SERVE_WATCH_H
#define SBL_SERVE_WATCH_H

#include "server.h"

/* One reading. */
typedef struct sbl_serve_watch {
    sbl_serve_server *server;
    const sbl_serve_request *request;
} sbl_serve_watch;

void sbl_serve_watch_begin(sbl_serve_watch *watch, sbl_serve_server *server,
                           const sbl_serve_request *request);
void sbl_serve_watch_end(const sbl_serve_watch *watch);
/* Is there nobody left to answer? */
bool sbl_serve_watch_is_over(const sbl_serve_watch *watch);

/* An sbl_progress whose context is the watch. */
int sbl_serve_watch_rows(void *context, const char *what, uint64_t step, uint64_t steps, double loss);

#endif
