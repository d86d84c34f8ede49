/* SPDX-License-Identifier: Apache-2.0 */
/* X25519 through libcrypto's EVP_PKEY, which itself refuses the points of small order, whose secret is zero. */
#include "base/key_agreement.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdbool.h>

#include "base/alloc.h"
#include "base/pem_key.h"

struct sbl_key_agreement_key {
    EVP_PKEY *key;
};

/* A key file and its public half. */
static sbl_status read_key(EVP_PKEY **key, uint8_t public_key[SBL_AGREE_SIZE], const char *path, bool secret,
                           sbl_error *err)
{
    size_t length = SBL_AGREE_SIZE;
    const sbl_status status = sbl_pem_key_read(key, path, EVP_PKEY_X25519, secret, err);
    if (status != SBL_OK) return status;
    if (EVP_PKEY_get_raw_public_key(*key, public_key, &length) == 1 && length == SBL_AGREE_SIZE)
        return SBL_OK;
    EVP_PKEY_free(*key);
    *key = NULL;
    return sbl_fail(err, SBL_EINTERNAL, "libcrypto could not use the key %s", path);
}

sbl_status sbl_key_agreement_read_public(uint8_t key[SBL_AGREE_SIZE], const char *path, sbl_error *err)
{
    EVP_PKEY *parsed = NULL;
    const sbl_status status = read_key(&parsed, key, path, false, err);
    EVP_PKEY_free(parsed);
    return status;
}

sbl_status sbl_key_agreement_read_private(sbl_key_agreement_key **key, uint8_t public_key[SBL_AGREE_SIZE],
                                          const char *path, sbl_error *err)
{
    sbl_key_agreement_key *made = NULL;
    sbl_status status = SBL_OK;
    *key = NULL;
    SBL_ALLOC(made, 1, "a key");
    SBL_TRY(read_key(&made->key, public_key, path, true, err));
    *key = made;
    made = NULL;
done:
    sbl_key_agreement_key_free(made);
    return status;
}

void sbl_key_agreement_key_free(sbl_key_agreement_key *key)
{
    if (key == NULL) return;
    EVP_PKEY_free(key->key);
    sbl_free(key);
}

sbl_status sbl_key_agreement(uint8_t secret[SBL_AGREE_SIZE], const sbl_key_agreement_key *key,
                             const uint8_t other[SBL_AGREE_SIZE], sbl_error *err)
{
    size_t length = SBL_AGREE_SIZE;
    EVP_PKEY *theirs = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, other, SBL_AGREE_SIZE);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key->key, NULL);
    const bool good = theirs != NULL && context != NULL && EVP_PKEY_derive_init(context) == 1 &&
                      EVP_PKEY_derive_set_peer(context, theirs) == 1 &&
                      EVP_PKEY_derive(context, secret, &length) == 1 && length == SBL_AGREE_SIZE;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(theirs);
    ERR_clear_error();
    return good ? SBL_OK : sbl_fail(err, SBL_EINPUT, "this public key cannot be used to agree on a secret");
}
