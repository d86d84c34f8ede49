/* SPDX-License-Identifier: Apache-2.0 */
/* A secret shared by exactly two parties: X25519 (RFC 7748) from libcrypto. Keys are PEM files as
 * `openssl genpkey -algorithm x25519` writes them, and `openssl pkey -pubout` their public halves. */
#ifndef SBL_BASE_KEY_AGREEMENT_H
#define SBL_BASE_KEY_AGREEMENT_H

#include <stdint.h>

#include "base/error.h"

#define SBL_AGREE_SIZE 32 /* of a public key, and of a secret */

/* Returns: SBL_OK; SBL_EINPUT where path holds no such key; SBL_EIO */
sbl_status sbl_key_agreement_read_public(uint8_t key[SBL_AGREE_SIZE], const char *path, sbl_error *err);

/* A private key that was read. */
typedef struct sbl_key_agreement_key sbl_key_agreement_key;
/* Returns: SBL_OK; SBL_EINPUT where path holds no such key without a passphrase; SBL_EIO
 * Owner:   the caller; sbl_key_agreement_key_free() */
sbl_status sbl_key_agreement_read_private(sbl_key_agreement_key **key, uint8_t public_key[SBL_AGREE_SIZE],
                                          const char *path, sbl_error *err);
void sbl_key_agreement_key_free(sbl_key_agreement_key *key); /* NULL is fine */

/* The secret between this key and the other's public one. SBL_EINPUT for a public key with which every
 * secret would be the same. */
sbl_status sbl_key_agreement(uint8_t secret[SBL_AGREE_SIZE], const sbl_key_agreement_key *key,
                             const uint8_t other[SBL_AGREE_SIZE], sbl_error *err);

#endif
