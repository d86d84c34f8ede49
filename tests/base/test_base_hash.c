/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4), HMAC-SHA256 (RFC 4231) and ChaCha20 (RFC 8439) against published vectors.
 */
#include "base/sha256.h"

#include "base/cmocka_plain.h"
#include "base/text.h"

static void assert_hex(const uint8_t *bytes, size_t size, const char *expected)
{
    char text[2 * 128 + 1];
    assert_true(size <= 128);
    assert_string_equal(sbl_hex_encode(text, bytes, size), expected);
}

TEST(sha256_meets_the_published_vectors)
{
    uint8_t digest[SBL_SHA256_SIZE];
    assert_ok(sbl_sha256(digest, NULL, 0, NULL, 0, NULL));
    assert_hex(digest, 32, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_ok(sbl_sha256(digest, "abc", 3, NULL, 0, NULL));
    assert_hex(digest, 32, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const char *long_text = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    assert_ok(sbl_sha256(digest, long_text, 56, NULL, 0, NULL));
    assert_hex(digest, 32, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(sha256_of_two_parts_is_that_of_the_whole)
{
    uint8_t whole[SBL_SHA256_SIZE];
    uint8_t parts[SBL_SHA256_SIZE];
    assert_ok(sbl_sha256(whole, "abc", 3, NULL, 0, NULL));
    for (size_t cut = 0; cut <= 3; cut++) {
        assert_ok(sbl_sha256(parts, "abc", cut, &"abc"[cut], 3 - cut, NULL));
        assert_memory_equal(parts, whole, sizeof whole);
    }
}

typedef struct keystream_vector {
    const char *name;
    const char *key;
    const char *nonce;
    uint32_t block;
    const char *keystream;
} keystream_vector;

#define ZERO_KEY "0000000000000000000000000000000000000000000000000000000000000000"
#define ZERO_NONCE "000000000000000000000000"

static const keystream_vector keystreams[] = {
    {"section 2.3.2", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
     "000000090000004a00000000", 1,
     "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
     "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"},
    {"A.1 #1", ZERO_KEY, ZERO_NONCE, 0,
     "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
     "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"},
    {"A.1 #2", ZERO_KEY, ZERO_NONCE, 1,
     "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
     "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"},
    {"A.1 #3", "0000000000000000000000000000000000000000000000000000000000000001", ZERO_NONCE, 1,
     "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"
     "8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0"},
    {"A.1 #4", "00ff000000000000000000000000000000000000000000000000000000000000", ZERO_NONCE, 2,
     "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca"
     "13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096"},
    {"A.1 #5", ZERO_KEY, "000000000000000000000002", 0,
     "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7"
     "8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d"}};

TEST(chacha20_meets_rfc_8439)
{
    for (size_t i = 0; i < sizeof keystreams / sizeof keystreams[0]; i++) {
        const keystream_vector *v = &keystreams[i];
        uint8_t key[SBL_CHACHA20_KEY_SIZE];
        uint8_t nonce[SBL_CHACHA20_NONCE_SIZE];
        uint8_t out[SBL_CHACHA20_BLOCK_SIZE];
        assert_true(sbl_hex_decode(key, sizeof key, v->key));
        assert_true(sbl_hex_decode(nonce, sizeof nonce, v->nonce));
        memset(out, 0xee, sizeof out); /* what was there must not matter */
        assert_ok(sbl_chacha20_keystream(out, sizeof out, key, nonce, v->block, NULL));
        assert_hex(out, sizeof out, v->keystream);
    }
}

TEST(chacha20_blocks_follow_each_other)
{
    const uint8_t key[SBL_CHACHA20_KEY_SIZE] = {1, 2, 3};
    const uint8_t nonce[SBL_CHACHA20_NONCE_SIZE] = {4, 5};
    uint8_t whole[300];
    uint8_t piece[64];
    assert_ok(sbl_chacha20_keystream(whole, sizeof whole, key, nonce, 0x01020304, NULL));
    for (uint32_t i = 0; i < 4; i++) {
        assert_ok(sbl_chacha20_keystream(piece, 64, key, nonce, 0x01020304 + i, NULL));
        assert_memory_equal(piece, whole + 64 * i, 64);
    }
}
