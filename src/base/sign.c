/* SPDX-License-Identifier: Apache-2.0 */
/* Ed25519 through libcrypto's one-shot EVP_DigestSign and EVP_DigestVerify. */
#include "base/sign.h"

#include <openssl/err.h>
#include <openssl/evp.h>

#include "base/alloc.h"
#include "base/pem_key.h"

sbl_status sbl_sign(uint8_t signature[SBL_SIGNATURE_SIZE], const void *bytes, size_t size,
                    const char *key_path, sbl_error *err)
{
    EVP_PKEY *key = NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t length = SBL_SIGNATURE_SIZE;
    sbl_status status = SBL_OK;
    if (context == NULL) return sbl_no_memory(err, "a signature");
    SBL_TRY(sbl_pem_key_read(&key, key_path, EVP_PKEY_ED25519, true, err));
    if (EVP_DigestSignInit(context, NULL, NULL, NULL, key) != 1 ||
        EVP_DigestSign(context, signature, &length, bytes, size) != 1 || length != SBL_SIGNATURE_SIZE)
        status = sbl_fail(err, SBL_EINTERNAL, "libcrypto could not sign with %s", key_path);
done:
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return status;
}

sbl_status sbl_sign_check(const uint8_t signature[SBL_SIGNATURE_SIZE], const void *bytes, size_t size,
                          const char *key_path, const char *where, sbl_error *err)
{
    EVP_PKEY *key = NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    sbl_status status = SBL_OK;
    if (context == NULL) return sbl_no_memory(err, "a signature");
    SBL_TRY(sbl_pem_key_read(&key, key_path, EVP_PKEY_ED25519, false, err));
    if (EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) != 1)
        SBL_FAIL(err, SBL_EINTERNAL, "libcrypto could not use the key %s", key_path);
    if (EVP_DigestVerify(context, signature, SBL_SIGNATURE_SIZE, bytes, size) != 1)
        status = sbl_fail(
            err, SBL_EINPUT,
            "the signature of %s does not match the key %s: the file was changed, or another key signed it",
            where, key_path);
done:
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return status;
}
