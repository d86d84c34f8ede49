/* SPDX-License-Identifier: Apache-2.0 */
/* Ed25519 against RFC 8032, section 7.1, tests 1 and 2 (keys in PEM as RFC 8410 has them), and what is no key
 * or no signature. */
#include <stdio.h>
#include <string.h>

#include "base/sign.h"
#include "base/text.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

static const struct {
    const char *secret, *shown, *message, *signature;
} vectors[] = {
    {"-----BEGIN PRIVATE "
     "KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE "
     "KEY-----\n",
     "-----BEGIN PUBLIC "
     "KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC "
     "KEY-----\n",
     "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
     "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"},
    {"-----BEGIN PRIVATE "
     "KEY-----\nMC4CAQAwBQYDK2VwBCIEIEzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7\n-----END PRIVATE "
     "KEY-----\n",
     "-----BEGIN PUBLIC "
     "KEY-----\nMCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=\n-----END PUBLIC "
     "KEY-----\n",
     "r",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
     "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"},
};

static const char *write_file(const char *name, const char *text)
{
    static char paths[4][512];
    static size_t next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

TEST(signatures_are_those_of_the_rfc)
{
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        uint8_t signature[SBL_SIGNATURE_SIZE];
        char hex[2 * SBL_SIGNATURE_SIZE + 1];
        const size_t size = strlen(vectors[i].message);
        const char *secret = write_file("secret.pem", vectors[i].secret);
        const char *shown = write_file("public.pem", vectors[i].shown);
        assert_ok(sbl_sign(signature, vectors[i].message, size, secret, NULL));
        assert_string_equal(sbl_hex_encode(hex, signature, sizeof signature), vectors[i].signature);
        assert_ok(sbl_sign_check(signature, vectors[i].message, size, shown, "m", NULL));
    }
}

TEST(another_key_message_or_signature_is_refused_in_one_line)
{
    uint8_t signature[SBL_SIGNATURE_SIZE];
    sbl_error err = {0};
    const char *secret = write_file("secret.pem", vectors[0].secret);
    const char *shown = write_file("public.pem", vectors[0].shown);
    const char *other = write_file("other.pem", vectors[1].shown);
    assert_ok(sbl_sign(signature, "words", 5, secret, NULL));
    assert_ok(sbl_sign_check(signature, "words", 5, shown, "m", NULL));
    assert_int_equal(sbl_sign_check(signature, "words", 5, other, "m", &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "m does not match the key "));
    assert_null(strchr(err.message, '\n'));
    assert_int_equal(sbl_sign_check(signature, "wordz", 5, shown, "m", NULL), SBL_EINPUT);
    assert_int_equal(sbl_sign_check(signature, "words", 4, shown, "m", NULL), SBL_EINPUT);
    for (size_t i = 0; i < SBL_SIGNATURE_SIZE; i++) {
        signature[i] ^= 1;
        assert_int_equal(sbl_sign_check(signature, "words", 5, shown, "m", NULL), SBL_EINPUT);
        signature[i] ^= 1;
    }
}

/* A key with a passphrase is refused, and nothing is asked for. */
TEST(what_is_no_key_is_refused_by_its_path)
{
    static const char locked[] =
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
        "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAg=\n-----END ENCRYPTED PRIVATE KEY-----\n";
    uint8_t signature[SBL_SIGNATURE_SIZE] = {0};
    const char *bad[] = {"", "no key", locked, vectors[0].shown};
    sbl_error err = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *path = write_file("bad.pem", bad[i]);
        assert_int_equal(sbl_sign(signature, "words", 5, path, &err), SBL_EINPUT);
        assert_non_null(
            strstr(err.message, "bad.pem does not contain an Ed25519 private key in PEM without"));
    }
    const char *path = write_file("bad.pem", vectors[0].secret);
    assert_int_equal(sbl_sign_check(signature, "words", 5, path, "m", &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "bad.pem does not contain an Ed25519 public key in PEM"));
    assert_int_equal(sbl_sign(signature, "words", 5, "/nowhere/k.pem", &err), SBL_EIO);
    assert_int_equal(sbl_sign_check(signature, "words", 5, "/nowhere/k.pem", "m", &err), SBL_EIO);
}

ALL_TESTS(make_folder, remove_folder)
