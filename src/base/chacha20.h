/* The ChaCha20 keystream (RFC 8439) from libcrypto. No state outlives a call, so that the only
 * lasting copy of a key is the caller's. */
#ifndef SBL_BASE_CHACHA20_H
#define SBL_BASE_CHACHA20_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define SBL_CHACHA20_KEY_SIZE 32
#define SBL_CHACHA20_NONCE_SIZE 12
#define SBL_CHACHA20_BLOCK_SIZE 64

/* Fill out with size bytes of keystream starting at 64-byte block number block. */
sbl_status sbl_chacha20_keystream(uint8_t *out, size_t size,
                                  const uint8_t key[SBL_CHACHA20_KEY_SIZE],
                                  const uint8_t nonce[SBL_CHACHA20_NONCE_SIZE], uint32_t block,
                                  sbl_error *err);

#endif
