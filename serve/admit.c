/* SPDX-License-Identifier: Apache-2.0 */
/* The token, and the names by which this machine may be called. */
#include "admit.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "../cli/output.h"

sbl_status sbl_serve_token_make(char token[SBL_TOKEN_SIZE], sbl_error *err)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[SBL_TOKEN_BYTES];
    size_t done = 0;
    while (done < sizeof bytes) {
        const ssize_t got = getrandom(bytes + done, sizeof bytes - done, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0)
            return sbl_cli_fail(err, SBL_EENTROPY, "the system supplied no randomness for the token");
        done += (size_t)got;
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        token[2 * i] = digits[bytes[i] >> 4];
        token[2 * i + 1] = digits[bytes[i] & 15];
    }
    token[SBL_TOKEN_SIZE - 1] = '\0';
    explicit_bzero(bytes, sizeof bytes);
    return SBL_OK;
}

bool sbl_serve_token_matches(const char token[SBL_TOKEN_SIZE], const char *given, size_t length)
{
    volatile unsigned differs = 0; /* volatile: the loop is not left early */
    if (length != SBL_TOKEN_SIZE - 1) return false;
    for (size_t i = 0; i < SBL_TOKEN_SIZE - 1; i++)
        differs = differs | ((unsigned)(unsigned char)token[i] ^ (unsigned char)given[i]);
    return differs == 0;
}

const char *sbl_serve_path_behind_token(const char *path, const char token[SBL_TOKEN_SIZE])
{
    if (path[0] != '/') return NULL;
    const size_t length = strcspn(path + 1, "/");
    if (!sbl_serve_token_matches(token, path + 1, length) || path[1 + length] != '/') return NULL;
    return path + 1 + length + 1;
}

bool sbl_serve_host_is_ours(const char *host, unsigned port)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    char ours[32];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(ours, sizeof ours, "%s:%u", names[i], port);
        if (strcmp(host, ours) == 0) return true;
    }
    return false;
}

bool sbl_serve_origin_is_ours(const char *origin, unsigned port)
{
    static const char scheme[] = "http://";
    return strncmp(origin, scheme, sizeof scheme - 1) == 0 &&
           sbl_serve_host_is_ours(origin + sizeof scheme - 1, port);
}
