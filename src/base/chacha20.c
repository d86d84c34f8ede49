/* One call to libcrypto's ChaCha20 over a buffer of zeros, which gives the keystream itself. The
 * cipher context lives for the call only. */
#include "base/chacha20.h"

#include <limits.h>
#include <openssl/evp.h>
#include <string.h>

sbl_status sbl_chacha20_keystream(uint8_t *out, size_t size,
                                  const uint8_t key[SBL_CHACHA20_KEY_SIZE],
                                  const uint8_t nonce[SBL_CHACHA20_NONCE_SIZE], uint32_t block,
                                  sbl_error *err)
{
    sbl_status status = SBL_OK;
    int written = 0;
    /* libcrypto's 16-byte "iv" is the little-endian block number followed by the nonce. */
    uint8_t counter_and_nonce[16];
    for (int i = 0; i < 4; i++) counter_and_nonce[i] = (uint8_t)(block >> (8 * i));
    memcpy(counter_and_nonce + 4, nonce, SBL_CHACHA20_NONCE_SIZE);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    memset(out, 0, size);
    if (size > INT_MAX || context == NULL ||
        EVP_EncryptInit_ex(context, EVP_chacha20(), NULL, key, counter_and_nonce) != 1 ||
        EVP_EncryptUpdate(context, out, &written, out, (int)size) != 1 || (size_t)written != size)
        status = sbl_fail(err, SBL_EINTERNAL, "libcrypto could not produce a ChaCha20 keystream");
    EVP_CIPHER_CTX_free(context);
    return status;
}
