/* SPDX-License-Identifier: Apache-2.0 */
/* Thin wrappers around libcrypto's EVP calls, with their failures as sbl_status. */
#include "base/sha256.h"

#include <errno.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

sbl_status sbl_sha256(uint8_t digest[SBL_SHA256_SIZE], const void *first, size_t first_size,
                      const void *second, size_t second_size, sbl_error *err)
{
    sbl_status status = SBL_OK;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context == NULL || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1 ||
        EVP_DigestUpdate(context, first, first_size) != 1 ||
        EVP_DigestUpdate(context, second, second_size) != 1 || EVP_DigestFinal_ex(context, digest, NULL) != 1)
        status = sbl_fail(err, SBL_EINTERNAL, "libcrypto could not compute SHA-256");
    EVP_MD_CTX_free(context);
    return status;
}

sbl_status sbl_sha256_descriptor(uint8_t digest[SBL_SHA256_SIZE], int descriptor, int *bad, sbl_error *err)
{
    uint8_t bytes[16384];
    ssize_t got = 0;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;
    *bad = 0;
    while (good && ((got = read(descriptor, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR)))
        if (got > 0) good = EVP_DigestUpdate(context, bytes, (size_t)got) == 1;
    if (good && got < 0) *bad = errno;
    if (good && got == 0) good = EVP_DigestFinal_ex(context, digest, NULL) == 1;
    EVP_MD_CTX_free(context);
    return good && *bad == 0 ? SBL_OK : sbl_fail(err, SBL_EINTERNAL, "libcrypto could not compute SHA-256");
}

/* One call to libcrypto's ChaCha20 over a buffer of zeros, which gives the keystream itself. The
 * cipher context lives for the call only. */

sbl_status sbl_chacha20_keystream(uint8_t *out, size_t size, const uint8_t key[SBL_CHACHA20_KEY_SIZE],
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
