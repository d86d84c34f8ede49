/* SPDX-License-Identifier: Apache-2.0 */
/* A key in a PEM file, for libcrypto: Ed25519 to sign with, X25519 to agree with. */
#ifndef SBL_BASE_PEM_KEY_H
#define SBL_BASE_PEM_KEY_H

#include <openssl/evp.h>
#include <stdbool.h>

#include "base/error.h"

/* In:      type  EVP_PKEY_ED25519 or EVP_PKEY_X25519
 *          secret  the private half, else the public one
 * Returns: SBL_OK; SBL_EINPUT where path holds no such key, or one with a passphrase; SBL_EIO
 * Owner:   the caller; EVP_PKEY_free() */
sbl_status sbl_pem_key_read(EVP_PKEY **key, const char *path, int type, bool secret, sbl_error *err);

#endif
