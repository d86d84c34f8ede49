/* SPDX-License-Identifier: Apache-2.0 */
/* libcrypto's EVP calls, a piece at a time, since they count bytes in an int. */
#include "base/aead.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>

#include "base/alloc.h"

#define PIECE ((size_t)1 << 20)

sbl_status sbl_derive_key(uint8_t *key, size_t size, const uint8_t *secret, size_t secret_size,
                          const uint8_t *salt, size_t salt_size, const uint8_t *info, size_t info_size,
                          sbl_error *err)
{
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, NULL);
    size_t made = size;
    const bool good = context != NULL && EVP_PKEY_derive_init(context) == 1 &&
                      EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) == 1 &&
                      EVP_PKEY_CTX_set1_hkdf_key(context, secret, (int)secret_size) == 1 &&
                      (salt_size == 0 || EVP_PKEY_CTX_set1_hkdf_salt(context, salt, (int)salt_size) == 1) &&
                      EVP_PKEY_CTX_add1_hkdf_info(context, info, (int)info_size) == 1 &&
                      EVP_PKEY_derive(context, key, &made) == 1 && made == size;
    EVP_PKEY_CTX_free(context);
    ERR_clear_error();
    return good ? SBL_OK : sbl_fail(err, SBL_EINTERNAL, "libcrypto could not derive a key");
}

/* Runs the associated data, then the message, through the cipher. */
static bool cross(EVP_CIPHER_CTX *context, const sbl_sealed *text)
{
    int written = 0;
    bool good = EVP_CipherUpdate(context, NULL, &written, text->beside, (int)text->beside_size) == 1;
    for (size_t from = 0; good && from < text->size; from += PIECE) {
        const size_t left = text->size - from;
        const int count = (int)(left < PIECE ? left : PIECE);
        uint8_t *bytes = text->bytes + from;
        good = EVP_CipherUpdate(context, bytes, &written, bytes, count) == 1 && written == count;
    }
    return good;
}

static bool begin(EVP_CIPHER_CTX *context, const uint8_t *key, const uint8_t *nonce, int sealing)
{
    return context != NULL &&
           EVP_CipherInit_ex(context, EVP_chacha20_poly1305(), NULL, key, nonce, sealing) == 1;
}

sbl_status sbl_seal(const sbl_sealed *text, uint8_t tag[SBL_SEAL_TAG_SIZE],
                    const uint8_t key[SBL_SEAL_KEY_SIZE], const uint8_t nonce[SBL_SEAL_NONCE_SIZE],
                    sbl_error *err)
{
    uint8_t none[SBL_SEAL_TAG_SIZE];
    int written = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    const bool good = begin(context, key, nonce, 1) && cross(context, text) &&
                      EVP_CipherFinal_ex(context, none, &written) == 1 &&
                      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, SBL_SEAL_TAG_SIZE, tag) == 1;
    EVP_CIPHER_CTX_free(context);
    ERR_clear_error();
    return good ? SBL_OK : sbl_fail(err, SBL_EINTERNAL, "libcrypto could not seal a text");
}

sbl_status sbl_unseal(bool *good, const sbl_sealed *text, const uint8_t tag[SBL_SEAL_TAG_SIZE],
                      const uint8_t key[SBL_SEAL_KEY_SIZE], const uint8_t nonce[SBL_SEAL_NONCE_SIZE],
                      sbl_error *err)
{
    uint8_t expected[SBL_SEAL_TAG_SIZE];
    uint8_t none[SBL_SEAL_TAG_SIZE];
    int written = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    *good = false;
    for (size_t i = 0; i < sizeof expected; i++) expected[i] = tag[i];
    const bool worked =
        begin(context, key, nonce, 0) &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, SBL_SEAL_TAG_SIZE, expected) == 1 &&
        cross(context, text);
    if (worked) *good = EVP_CipherFinal_ex(context, none, &written) == 1;
    EVP_CIPHER_CTX_free(context);
    ERR_clear_error();
    if (!*good) sbl_wipe(text->bytes, text->size);
    return worked ? SBL_OK : sbl_fail(err, SBL_EINTERNAL, "libcrypto could not open a sealed text");
}
