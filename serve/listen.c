/* SPDX-License-Identifier: Apache-2.0 */
/* Bound before a thread is there that would ask for the port. */
#include "listen.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../cli/output.h"

sbl_status sbl_serve_listen(int *fd, unsigned *port, sbl_error *err)
{
    const int yes = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)*port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    *fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*fd >= 0 && setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(*fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(*fd, SOMAXCONN) == 0 &&
        getsockname(*fd, (struct sockaddr *)&address, &length) == 0) {
        *port = ntohs(address.sin_port);
        return SBL_OK;
    }
    if (*fd >= 0) (void)close(*fd);
    *fd = -1;
    return sbl_cli_fail(
        err, SBL_EIO,
        "cannot listen on 127.0.0.1, port %u; another program may use it: choose another with --port", *port);
}
