/* SPDX-License-Identifier: Apache-2.0 */
/* Sealed bytes, derived keys and agreed secrets, against the examples of their RFCs. */
#include <stdio.h>
#include <string.h>

#include "base/aead.h"
#include "base/key_agreement.h"
#include "base/text.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

static char folder[256];

/* Bytes of hex digits; returns how many. */
static size_t bytes_of(uint8_t *bytes, const char *hex)
{
    const size_t size = strlen(hex) / 2;
    assert_true(sbl_hex_decode(bytes, size, hex));
    return size;
}

/* RFC 5869, A.1 and A.3 (no salt, no info). */
TEST(derived_keys_are_those_of_rfc_5869)
{
    static const char *const cases[2][4] = {
        {"0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
         "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"},
        {"0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "", "",
         "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"}};
    for (size_t i = 0; i < 2; i++) {
        uint8_t parts[3][64];
        uint8_t expected[64], key[64];
        size_t sizes[3];
        for (size_t p = 0; p < 3; p++) sizes[p] = bytes_of(parts[p], cases[i][p]);
        const size_t size = bytes_of(expected, cases[i][3]);
        assert_ok(
            sbl_derive_key(key, size, parts[0], sizes[0], parts[1], sizes[1], parts[2], sizes[2], NULL));
        assert_memory_equal(key, expected, size);
    }
    uint8_t long_key[1];
    assert_int_equal(sbl_derive_key(long_key, 255 * 32 + 1, long_key, 1, NULL, 0, NULL, 0, NULL),
                     SBL_EINTERNAL);
}

/* RFC 8439, 2.8.2. */
static const char sentence[] =
    "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
    "sunscreen would be it.";
static const char key_text[] = "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f";
static const char nonce_text[] = "070000004041424344454647";
static const char beside_text[] = "50515253c0c1c2c3c4c5c6c7";
static const char tag_text[] = "1ae10b594f09e26a7e902ecbd0600691";

typedef struct example {
    uint8_t key[32], nonce[12], beside[12], tag[16], bytes[sizeof sentence - 1];
    sbl_sealed text;
} example;

static void begin(example *e)
{
    (void)bytes_of(e->key, key_text);
    (void)bytes_of(e->nonce, nonce_text);
    (void)bytes_of(e->beside, beside_text);
    memcpy(e->bytes, sentence, sizeof e->bytes);
    e->text = (sbl_sealed){e->bytes, sizeof e->bytes, e->beside, sizeof e->beside};
    assert_ok(sbl_seal(&e->text, e->tag, e->key, e->nonce, NULL));
}

TEST(sealed_text_is_that_of_rfc_8439_and_opens)
{
    example e;
    uint8_t expected[16];
    uint8_t first[8];
    bool good = false;
    begin(&e);
    (void)bytes_of(expected, tag_text);
    assert_memory_equal(e.tag, expected, sizeof expected);
    (void)bytes_of(first, "d31a8d34648e60db");
    assert_memory_equal(e.bytes, first, sizeof first);
    assert_ok(sbl_unseal(&good, &e.text, e.tag, e.key, e.nonce, NULL));
    assert_true(good);
    assert_memory_equal(e.bytes, sentence, sizeof e.bytes);
}

TEST(text_that_was_changed_does_not_open_and_is_wiped)
{
    static const uint8_t zeros[sizeof sentence - 1] = {0};
    for (int what = 0; what < 5; what++) {
        example e;
        bool good = true;
        begin(&e);
        uint8_t *const changed[] = {e.key, e.nonce, e.beside, e.tag, e.bytes};
        changed[what][3] ^= 4;
        assert_ok(sbl_unseal(&good, &e.text, e.tag, e.key, e.nonce, NULL));
        assert_false(good);
        assert_memory_equal(e.bytes, zeros, sizeof e.bytes);
    }
}

/* ---- RFC 7748, 6.1, its keys in PEM (RFC 8410) ---- */

static const char alice_private[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VuBCIEIHcHbQpzGKV9PBbBclGyZkXfTC+H68CZKrF3+6UduSwq\n"
    "-----END PRIVATE KEY-----\n";
static const char bob_public[] =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VuAyEA3p7bfXt9wbTTW2HC7OQ1Nz+DQ8hbeGdNrfx+FG+IK08=\n"
    "-----END PUBLIC KEY-----\n";

static const char *write_key(char path[300], const char *name, const char *text)
{
    (void)snprintf(path, 300, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
    return path;
}

TEST(agreed_secret_is_that_of_rfc_7748)
{
    static const char *const texts[] = {"8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
                                        "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
                                        "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"};
    uint8_t expected[3][32], own[32], other[32], secret[32];
    char a[300];
    sbl_key_agreement_key *key = NULL;
    temp_folder_make(folder);
    for (size_t i = 0; i < 3; i++) (void)bytes_of(expected[i], texts[i]);
    assert_ok(sbl_key_agreement_read_private(&key, own, write_key(a, "a.key", alice_private), NULL));
    assert_memory_equal(own, expected[0], 32);
    assert_ok(sbl_key_agreement(secret, key, expected[1], NULL));
    assert_memory_equal(secret, expected[2], 32);
    /* A point of small order agrees on the same secret with everybody. */
    memset(other, 0, sizeof other);
    assert_int_equal(sbl_key_agreement(secret, key, other, NULL), SBL_EINPUT);
    sbl_key_agreement_key_free(key);
    /* A half is not the other, and no key is none. */
    assert_int_equal(sbl_key_agreement_read_public(other, a, NULL), SBL_EINPUT);
    assert_int_equal(sbl_key_agreement_read_private(&key, own, write_key(a, "b.pub", bob_public), NULL),
                     SBL_EINPUT);
    assert_null(key);
    assert_ok(sbl_key_agreement_read_public(other, a, NULL));
    assert_memory_equal(other, expected[1], 32);
    assert_int_equal(sbl_key_agreement_read_public(other, write_key(a, "c", "nothing"), NULL), SBL_EINPUT);
    temp_folder_remove(folder);
}
