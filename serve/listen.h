/* SPDX-License-Identifier: Apache-2.0 */
/* The place where the server listens: this machine's loopback address alone. */
#ifndef SBL_SERVE_LISTEN_H
#define SBL_SERVE_LISTEN_H

#include "semblance/status.h"

/* A socket that listens, before anybody is answered: who is answered is asked by which port.
 * In/out: port  0: any that is free, which is then told
 * Out:    fd    the caller's
 * Returns: SBL_OK; SBL_EIO: the port is taken */
sbl_status sbl_serve_listen(int *fd, unsigned *port, sbl_error *err);

#endif
