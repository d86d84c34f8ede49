/* SPDX-License-Identifier: Apache-2.0 */
/* Who may talk to the server: whoever knows the token of this start, by the name of this machine, from a page of
 * this server or from no page. All of it is decided from the request's first lines, before a byte of a body is kept. */
#ifndef SBL_SERVE_ADMIT_H
#define SBL_SERVE_ADMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "semblance/status.h"

#define SBL_TOKEN_BYTES 32
#define SBL_TOKEN_SIZE (2 * SBL_TOKEN_BYTES + 1) /* in hex digits, with the NUL */

/* A new token from the system's randomness.   Returns: SBL_OK; SBL_EENTROPY */
sbl_status sbl_serve_token_make(char token[SBL_TOKEN_SIZE], sbl_error *err);

/* Is this the token? Takes the same time wherever the two differ. */
bool sbl_serve_token_matches(const char token[SBL_TOKEN_SIZE], const char *given, size_t length);

/* What follows "/TOKEN/" in a path, "" for "/TOKEN/" itself; NULL: it does not begin so. */
const char *sbl_serve_path_behind_token(const char *path, const char token[SBL_TOKEN_SIZE]);

/* Is this Host header the loopback name of a server at this port? Another name means that some page made the
 * browser believe that we are its own server (DNS rebinding). */
bool sbl_serve_host_is_ours(const char *host, unsigned port);

/* Is this Origin header a page of ours? */
bool sbl_serve_origin_is_ours(const char *origin, unsigned port);

#endif
