/* SPDX-License-Identifier: Apache-2.0 */
/* `semblance serve`: the whole job on a page of this machine. */
#ifndef SBL_SERVE_SERVE_H
#define SBL_SERVE_SERVE_H

#include <stdbool.h>

#include "semblance/status.h"

/* Serve a folder until SIGINT or SIGTERM; the address goes to standard output as one line.
 * In: folder  becomes the working directory;  port  0: any that is free;  open  also in the user's browser
 *     engine  DuckDB's library; NULL: found where libraries are
 *     policy  that every run keeps; NULL: none */
sbl_status sbl_serve(const char *folder, unsigned port, bool open, const char *engine, const char *policy,
                     sbl_error *err);

#endif
