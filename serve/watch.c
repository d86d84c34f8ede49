/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that were read so far, and whether to go on. One table at a time is read so (server.h, heavy). */
#include "watch.h"

bool sbl_serve_watch_is_over(const sbl_serve_watch *watch)
{
    return atomic_load(&watch->server->ending) || sbl_serve_request_is_gone(watch->request);
}

int sbl_serve_watch_rows(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    const sbl_serve_watch *watch = context;
    (void)what;
    (void)steps;
    (void)loss;
    atomic_store(&watch->server->rows_read, step);
    return sbl_serve_watch_is_over(watch) ? 1 : 0;
}

void sbl_serve_watch_begin(sbl_serve_watch *watch, sbl_serve_server *server, const sbl_serve_request *request)
{
    *watch = (sbl_serve_watch){server, request};
    atomic_store(&server->rows_read, 0);
    atomic_store(&server->reads, true);
}

void sbl_serve_watch_end(const sbl_serve_watch *watch) { atomic_store(&watch->server->reads, false); }

sbl_status sbl_serve_api_progress(sbl_serve_server *server, const sbl_serve_request *request,
                                  sbl_serve_answer *answer, sbl_error *err)
{
    const bool reads = atomic_load(&server->reads);
    (void)request;
    (void)err;
    answer->json =
        json_pack("{s:b, s:I, s:s}", "reads", reads, "rows",
                  (json_int_t)(reads ? atomic_load(&server->rows_read) : 0), "label", "NOT PRIVATE");
    return SBL_OK;
}
