/* Thin wrappers around libcrypto's EVP and HMAC calls, with their failures as sbl_status. */
#include "base/hash.h"

#include <errno.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <unistd.h>

sbl_status sbl_sha256(uint8_t digest[SBL_SHA256_SIZE], const void *first, size_t first_size,
                      const void *second, size_t second_size, sbl_error *err)
{
    sbl_status status = SBL_OK;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context == NULL || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1 ||
        EVP_DigestUpdate(context, first, first_size) != 1 ||
        EVP_DigestUpdate(context, second, second_size) != 1 ||
        EVP_DigestFinal_ex(context, digest, NULL) != 1)
        status = sbl_fail(err, SBL_EINTERNAL, "libcrypto could not compute SHA-256");
    EVP_MD_CTX_free(context);
    return status;
}

sbl_status sbl_sha256_descriptor(uint8_t digest[SBL_SHA256_SIZE], int descriptor, int *bad,
                                 sbl_error *err)
{
    uint8_t bytes[16384];
    ssize_t got = 0;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;
    *bad = 0;
    while (good &&
           ((got = read(descriptor, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR)))
        if (got > 0) good = EVP_DigestUpdate(context, bytes, (size_t)got) == 1;
    if (good && got < 0) *bad = errno;
    if (good && got == 0) good = EVP_DigestFinal_ex(context, digest, NULL) == 1;
    EVP_MD_CTX_free(context);
    return good && *bad == 0 ? SBL_OK
                             : sbl_fail(err, SBL_EINTERNAL, "libcrypto could not compute SHA-256");
}

sbl_status sbl_hmac_sha256(uint8_t mac[SBL_SHA256_SIZE], const uint8_t *key, size_t key_size,
                           const void *data, size_t size, sbl_error *err)
{
    unsigned int written = 0;
    if (key_size > INT_MAX ||
        HMAC(EVP_sha256(), key, (int)key_size, data, size, mac, &written) == NULL ||
        written != SBL_SHA256_SIZE)
        return sbl_fail(err, SBL_EINTERNAL, "libcrypto could not compute HMAC-SHA256");
    return SBL_OK;
}

bool sbl_equal_constant_time(const void *a, const void *b, size_t size)
{
    return CRYPTO_memcmp(a, b, size) == 0;
}
