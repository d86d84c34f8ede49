/* SPDX-License-Identifier: Apache-2.0 */
/* Sealed bytes: ChaCha20-Poly1305 (RFC 8439) and the derivation of keys by HKDF-SHA256 (RFC 5869), from
 * libcrypto. What is sealed can be neither read nor changed without its key. */
#ifndef SBL_BASE_AEAD_H
#define SBL_BASE_AEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define SBL_SEAL_KEY_SIZE 32
#define SBL_SEAL_NONCE_SIZE 12
#define SBL_SEAL_TAG_SIZE 16

/* A key for one purpose out of a secret. info says what for, salt (may be NULL with size 0) whose; different ones give keys that
 * say nothing of each other. size: of the key, to 255 * 32 bytes. */
sbl_status sbl_derive_key(uint8_t *key, size_t size, const uint8_t *secret, size_t secret_size,
                          const uint8_t *salt, size_t salt_size, const uint8_t *info, size_t info_size,
                          sbl_error *err);

/* The message, sealed in place, and the associated data, which is authenticated but not encrypted. */
typedef struct sbl_sealed {
    uint8_t *bytes;
    size_t size;
    const uint8_t *beside;
    size_t beside_size;
} sbl_sealed;

/* A nonce serves one text under a key. */
sbl_status sbl_seal(const sbl_sealed *text, uint8_t tag[SBL_SEAL_TAG_SIZE],
                    const uint8_t key[SBL_SEAL_KEY_SIZE], const uint8_t nonce[SBL_SEAL_NONCE_SIZE],
                    sbl_error *err);
/* good: it is as it was sealed under this key; else bytes are all zero. */
sbl_status sbl_unseal(bool *good, const sbl_sealed *text, const uint8_t tag[SBL_SEAL_TAG_SIZE],
                      const uint8_t key[SBL_SEAL_KEY_SIZE], const uint8_t nonce[SBL_SEAL_NONCE_SIZE],
                      sbl_error *err);

#endif
