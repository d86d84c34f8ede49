/* Ed25519 through libcrypto's one-shot EVP_DigestSign and EVP_DigestVerify. The passphrase
 * callback always refuses, and the text of a key file is wiped. */
#include "base/sign.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdbool.h>

#include "base/file.h"
#include "base/memory.h"

#define KEY_FILE_LIMIT ((size_t)64 << 10)

/* libcrypto would ask for a passphrase on the terminal: a library does not. */
static int no_passphrase(char *text, int size, int writing, void *context)
{
    (void)text;
    (void)size;
    (void)writing;
    (void)context;
    return -1;
}

/* The key of a PEM file; EVP_PKEY_free(). NULL: it holds no Ed25519 key of this half. */
static EVP_PKEY *parse_key(const uint8_t *text, size_t size, bool secret)
{
    EVP_PKEY *key = NULL;
    BIO *source = BIO_new_mem_buf(text, (int)size);
    if (source != NULL)
        key = secret ? PEM_read_bio_PrivateKey(source, NULL, no_passphrase, NULL)
                     : PEM_read_bio_PUBKEY(source, NULL, no_passphrase, NULL);
    BIO_free(source);
    if (key != NULL && EVP_PKEY_base_id(key) == EVP_PKEY_ED25519) return key;
    EVP_PKEY_free(key);
    ERR_clear_error();
    return NULL;
}

static sbl_status read_key(EVP_PKEY **key, const char *path, bool secret, sbl_error *err)
{
    uint8_t *text = NULL;
    size_t size = 0;
    *key = NULL;
    const sbl_status status = sbl_file_read(&text, &size, path, KEY_FILE_LIMIT, err);
    if (status != SBL_OK) return status;
    *key = parse_key(text, size, secret);
    sbl_free_wiped(text, size);
    return *key != NULL ? SBL_OK
                        : sbl_fail(err, SBL_EINPUT, "%s holds no Ed25519 %s in PEM%s", path,
                                   secret ? "private key" : "public key",
                                   secret ? " without a passphrase" : "");
}

sbl_status sbl_sign(uint8_t signature[SBL_SIGNATURE_SIZE], const void *bytes, size_t size,
                    const char *key_path, sbl_error *err)
{
    EVP_PKEY *key = NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t length = SBL_SIGNATURE_SIZE;
    sbl_status status = SBL_OK;
    if (context == NULL) return sbl_no_memory(err, "a signature");
    SBL_TRY(read_key(&key, key_path, true, err));
    if (EVP_DigestSignInit(context, NULL, NULL, NULL, key) != 1 ||
        EVP_DigestSign(context, signature, &length, bytes, size) != 1 ||
        length != SBL_SIGNATURE_SIZE)
        status = sbl_fail(err, SBL_EINTERNAL, "libcrypto could not sign with %s", key_path);
done:
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return status;
}

sbl_status sbl_sign_check(const uint8_t signature[SBL_SIGNATURE_SIZE], const void *bytes,
                          size_t size, const char *key_path, const char *where, sbl_error *err)
{
    EVP_PKEY *key = NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    sbl_status status = SBL_OK;
    if (context == NULL) return sbl_no_memory(err, "a signature");
    SBL_TRY(read_key(&key, key_path, false, err));
    if (EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) != 1)
        SBL_FAIL(err, SBL_EINTERNAL, "libcrypto could not use the key %s", key_path);
    if (EVP_DigestVerify(context, signature, SBL_SIGNATURE_SIZE, bytes, size) != 1)
        status = sbl_fail(err, SBL_EINPUT,
                          "%s is not what the key %s signed: it was changed since, or another key "
                          "signed it",
                          where, key_path);
done:
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return status;
}
