/* SHA-256 and HMAC-SHA256 from libcrypto. */
#ifndef SBL_BASE_HASH_H
#define SBL_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define SBL_SHA256_SIZE 32
#define SBL_SHA256_TEXT_SIZE (2 * SBL_SHA256_SIZE + 1)

/* Hash of first followed by second; either may be NULL with size 0. */
sbl_status sbl_sha256(uint8_t digest[SBL_SHA256_SIZE], const void *first, size_t first_size,
                      const void *second, size_t second_size, sbl_error *err);

/* Of what a descriptor holds from its current place to its end. *bad (may be NULL) is the errno of
 * a failed read, else 0. */
sbl_status sbl_sha256_descriptor(uint8_t digest[SBL_SHA256_SIZE], int descriptor, int *bad,
                                 sbl_error *err);

sbl_status sbl_hmac_sha256(uint8_t mac[SBL_SHA256_SIZE], const uint8_t *key, size_t key_size,
                           const void *data, size_t size, sbl_error *err);

/* Equality in time that depends on size only. */
bool sbl_equal_constant_time(const void *a, const void *b, size_t size);

#endif
