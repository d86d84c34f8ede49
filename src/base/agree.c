/* X25519 through libcrypto's EVP_PKEY. The passphrase callback always refuses, and the text of a key file
 * is wiped; libcrypto itself refuses the points of small order, whose secret is zero. */
#include "base/agree.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdbool.h>

#include "base/file.h"
#include "base/memory.h"

#define KEY_FILE_LIMIT ((size_t)64 << 10)

struct sbl_agree_key {
    EVP_PKEY *key;
};

static int no_passphrase(char *text, int size, int writing, void *context)
{
    (void)text;
    (void)size;
    (void)writing;
    (void)context;
    return -1;
}

/* EVP_PKEY_free(). NULL: it holds no X25519 key of this half. */
static EVP_PKEY *parse_key(const uint8_t *text, size_t size, bool secret)
{
    EVP_PKEY *key = NULL;
    BIO *source = BIO_new_mem_buf(text, (int)size);
    if (source != NULL)
        key = secret ? PEM_read_bio_PrivateKey(source, NULL, no_passphrase, NULL)
                     : PEM_read_bio_PUBKEY(source, NULL, no_passphrase, NULL);
    BIO_free(source);
    if (key != NULL && EVP_PKEY_base_id(key) == EVP_PKEY_X25519) return key;
    EVP_PKEY_free(key);
    ERR_clear_error();
    return NULL;
}

/* A key file and its public half. */
static sbl_status read_key(EVP_PKEY **key, uint8_t public_key[SBL_AGREE_SIZE], const char *path,
                           bool secret, sbl_error *err)
{
    uint8_t *text = NULL;
    size_t size = 0;
    size_t length = SBL_AGREE_SIZE;
    *key = NULL;
    const sbl_status status = sbl_file_read(&text, &size, path, KEY_FILE_LIMIT, err);
    if (status != SBL_OK) return status;
    *key = parse_key(text, size, secret);
    sbl_free_wiped(text, size);
    if (*key != NULL && EVP_PKEY_get_raw_public_key(*key, public_key, &length) == 1 &&
        length == SBL_AGREE_SIZE)
        return SBL_OK;
    EVP_PKEY_free(*key);
    *key = NULL;
    return sbl_fail(err, SBL_EINPUT, "%s holds no X25519 %s in PEM%s", path,
                    secret ? "private key" : "public key", secret ? " without a passphrase" : "");
}

sbl_status sbl_agree_read_public(uint8_t key[SBL_AGREE_SIZE], const char *path, sbl_error *err)
{
    EVP_PKEY *parsed = NULL;
    const sbl_status status = read_key(&parsed, key, path, false, err);
    EVP_PKEY_free(parsed);
    return status;
}

sbl_status sbl_agree_read_private(sbl_agree_key **key, uint8_t public_key[SBL_AGREE_SIZE],
                                  const char *path, sbl_error *err)
{
    sbl_agree_key *made = NULL;
    sbl_status status = SBL_OK;
    *key = NULL;
    SBL_ALLOC(made, 1, "a key");
    SBL_TRY(read_key(&made->key, public_key, path, true, err));
    *key = made;
    made = NULL;
done:
    sbl_agree_key_free(made);
    return status;
}

void sbl_agree_key_free(sbl_agree_key *key)
{
    if (key == NULL) return;
    EVP_PKEY_free(key->key);
    sbl_free(key);
}

sbl_status sbl_agree(uint8_t secret[SBL_AGREE_SIZE], const sbl_agree_key *key,
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
    return good ? SBL_OK
                : sbl_fail(err, SBL_EINPUT, "no secret can be agreed on with this public key");
}
