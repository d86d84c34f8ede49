/* SHA-256 from libcrypto. */
#ifndef SBL_BASE_CRYPTO_H
#define SBL_BASE_CRYPTO_H

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

/* The ChaCha20 keystream (RFC 8439) from libcrypto. No state outlives a call, so that the only
 * lasting copy of a key is the caller's. */

#define SBL_CHACHA20_KEY_SIZE 32
#define SBL_CHACHA20_NONCE_SIZE 12
#define SBL_CHACHA20_BLOCK_SIZE 64

/* Fill out with size bytes of keystream starting at 64-byte block number block. */
sbl_status sbl_chacha20_keystream(uint8_t *out, size_t size,
                                  const uint8_t key[SBL_CHACHA20_KEY_SIZE],
                                  const uint8_t nonce[SBL_CHACHA20_NONCE_SIZE], uint32_t block,
                                  sbl_error *err);

/* Ed25519 signatures (RFC 8032) from libcrypto: 64 bytes over any others, with keys in PEM files as
 * `openssl genpkey -algorithm ed25519` writes them. */

#define SBL_SIGNATURE_SIZE 64

/* Returns: SBL_OK; SBL_EINPUT where key_path holds no such private key without a passphrase; SBL_EIO */
sbl_status sbl_sign(uint8_t signature[SBL_SIGNATURE_SIZE], const void *bytes, size_t size,
                    const char *key_path, sbl_error *err);

/* Is it the signature of these bytes by the key whose public half stands in key_path? where is what was
 * signed, for messages.   Returns: SBL_OK; SBL_EINPUT for no, and for no such public key; SBL_EIO */
sbl_status sbl_sign_check(const uint8_t signature[SBL_SIGNATURE_SIZE], const void *bytes,
                          size_t size, const char *key_path, const char *where, sbl_error *err);

#endif
