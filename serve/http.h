/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP over loopback, by libmicrohttpd: admits requests, gathers their bodies within limits, and sends what endpoints
 * answer. A thread for each connection, so that one that reads a table holds up no other. */
#ifndef SBL_SERVE_HTTP_H
#define SBL_SERVE_HTTP_H

#include "server.h"

typedef struct sbl_serve_http sbl_serve_http;

/* Listen on 127.0.0.1; server->port 0: any free one, which is then said there.
 * Returns: SBL_OK; SBL_EIO: the port is taken; SBL_EMEM */
sbl_status sbl_serve_http_start(sbl_serve_http **http, sbl_serve_server *server, sbl_error *err);
/* Cut connections whose request has not come whole in time; to be called about once a second. */
void sbl_serve_http_sweep(sbl_serve_http *http);
/* Ends all connections; requests that are being worked on are waited for. */
void sbl_serve_http_stop(sbl_serve_http *http);

#endif
