/* SPDX-License-Identifier: Apache-2.0 */
/* Ed25519 signatures (RFC 8032) from libcrypto: 64 bytes over any others, with keys in PEM files as
 * `openssl genpkey -algorithm ed25519` writes them. */
#ifndef SBL_BASE_SIGN_H
#define SBL_BASE_SIGN_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define SBL_SIGNATURE_SIZE 64

/* Returns: SBL_OK; SBL_EINPUT where key_path holds no such private key without a passphrase; SBL_EIO */
sbl_status sbl_sign(uint8_t signature[SBL_SIGNATURE_SIZE], const void *bytes, size_t size,
                    const char *key_path, sbl_error *err);

/* Verifies the signature of these bytes by the key whose public half is in key_path. where: the name of the
 * signed file, for messages.   Returns: SBL_OK; SBL_EINPUT if it does not match or the key is not valid; SBL_EIO */
sbl_status sbl_sign_check(const uint8_t signature[SBL_SIGNATURE_SIZE], const void *bytes, size_t size,
                          const char *key_path, const char *where, sbl_error *err);

#endif
