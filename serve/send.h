/* SPDX-License-Identifier: Apache-2.0 */
/* Answers over HTTP. Files of the page get the page's policy; a browser sandboxes everything else. */
#ifndef SBL_SERVE_SEND_H
#define SBL_SERVE_SEND_H

#include <microhttpd.h>

#include "server.h"

/* A line of text that lives as long as the program. */
enum MHD_Result sbl_serve_send_words(struct MHD_Connection *connection, unsigned code, const char *words);
/* Why a request failed, as JSON. */
enum MHD_Result sbl_serve_send_failure(struct MHD_Connection *connection, sbl_error *err);
/* What an endpoint gave; takes what the answer holds. */
enum MHD_Result sbl_serve_send_answer(struct MHD_Connection *connection, sbl_serve_answer *answer);
/* A file of the page; 404 when there is none of this name. */
enum MHD_Result sbl_serve_send_page_file(struct MHD_Connection *connection, const char *name,
                                         const char *method);

#endif
