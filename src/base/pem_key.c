/* SPDX-License-Identifier: Apache-2.0 */
/* The passphrase callback always refuses, and the text of a key file is wiped. */
#include "base/pem_key.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include "base/alloc.h"
#include "base/file.h"

#define KEY_FILE_LIMIT ((size_t)64 << 10)

/* libcrypto would ask for a passphrase on the terminal: a library does not. */
/* NOLINTNEXTLINE(readability-non-const-parameter): the type is libcrypto's */
static int no_passphrase(char *text, int size, int writing, void *context)
{
    (void)text;
    (void)size;
    (void)writing;
    (void)context;
    return -1;
}

/* NULL: it holds no key of this type and half. */
static EVP_PKEY *parse(const uint8_t *text, size_t size, int type, bool secret)
{
    EVP_PKEY *key = NULL;
    BIO *source = BIO_new_mem_buf(text, (int)size);
    if (source != NULL)
        key = secret ? PEM_read_bio_PrivateKey(source, NULL, no_passphrase, NULL)
                     : PEM_read_bio_PUBKEY(source, NULL, no_passphrase, NULL);
    BIO_free(source);
    if (key != NULL && EVP_PKEY_base_id(key) == type) return key;
    EVP_PKEY_free(key);
    ERR_clear_error();
    return NULL;
}

sbl_status sbl_pem_key_read(EVP_PKEY **key, const char *path, int type, bool secret, sbl_error *err)
{
    uint8_t *text = NULL;
    size_t size = 0;
    *key = NULL;
    const sbl_status status = sbl_file_read(&text, &size, path, KEY_FILE_LIMIT, err);
    if (status != SBL_OK) return status;
    *key = parse(text, size, type, secret);
    sbl_free_wiped(text, size);
    return *key != NULL
               ? SBL_OK
               : sbl_fail(err, SBL_EINPUT, "%s does not contain an %s %s in PEM%s", path,
                          type == EVP_PKEY_ED25519 ? "Ed25519" : "X25519",
                          secret ? "private key" : "public key", secret ? " without a passphrase" : "");
}
