/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 from libcrypto. */
#ifndef SBL_BASE_SHA256_H
#define SBL_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define SBL_SHA256_SIZE 32
#define SBL_SHA256_TEXT_SIZE (2 * SBL_SHA256_SIZE + 1)

/* Hash of first followed by second; either may be NULL with size 0. */
sbl_status sbl_sha256(uint8_t digest[SBL_SHA256_SIZE], const void *first, size_t first_size,
                      const void *second, size_t second_size, sbl_error *err);

/* Hashes a descriptor from its current position to its end. *bad (may be NULL) is the errno of
 * a failed read, else 0. */
sbl_status sbl_sha256_descriptor(uint8_t digest[SBL_SHA256_SIZE], int descriptor, int *bad, sbl_error *err);

/* The ChaCha20 keystream (RFC 8439) from libcrypto. No state outlives a call, so that the only
 * lasting copy of a key is the caller's. */

#define SBL_CHACHA20_KEY_SIZE 32
#define SBL_CHACHA20_NONCE_SIZE 12
#define SBL_CHACHA20_BLOCK_SIZE 64

/* Fill out with size bytes of keystream starting at 64-byte block number block. */
sbl_status sbl_chacha20_keystream(uint8_t *out, size_t size, const uint8_t key[SBL_CHACHA20_KEY_SIZE],
                                  const uint8_t nonce[SBL_CHACHA20_NONCE_SIZE], uint32_t block,
                                  sbl_error *err);

#endif
