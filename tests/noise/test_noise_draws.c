/* SPDX-License-Identifier: Apache-2.0 */
/* The three samplers as privatise/ calls them, against a second implementation
 * (tests/vectors/gen/noise_draws.py), and what every batch promises. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/int128.h"
#include "base/sha256.h"
#include "base/text.h"
#include "door/noise/bit_source.h"
#include "door/noise/constant_flow.h"
#include "door/noise/noise.h"
#include "fake_token.h"
#include "support/cmocka_all.h"
#include "support/key_test.h"

FREES(sbl_noise_close);

#define LONGEST 5000

static sbl_i128 drawn[LONGEST];
static int64_t narrow[LONGEST];

static sbl_noise *open_with_key(uint64_t number)
{
    fake_token token = {.is_test = true};
    sbl_noise *noise;
    sbl_test_key_set(number);
    assert_ok(sbl_noise_open(&noise, (sbl_reserve_token *)&token, NULL));
    return noise;
}

/* count draws into drawn[]; sampler as the vectors name it. */
static void draw(sbl_noise *noise, const char *sampler, size_t count)
{
    if (strcmp(sampler, "laplace") == 0) {
        assert_ok(sbl_noise_laplace(noise, drawn, count, NULL));
        return;
    }
    assert_ok(sbl_noise_gaussian(noise, narrow, count, NULL));
    for (size_t i = 0; i < count; i++) drawn[i] = narrow[i];
}

/* The text of one item of a sampler in the vectors. */
static void expected(char value[128], const char *sampler, const char *item)
{
    FILE *file = fopen(SBL_TEST_SOURCE_DIR "/vectors/noise_draws.csv", "r");
    assert_non_null(file);
    char line[256];
    char found_sampler[64];
    char found_item[64];
    bool found = false;
    while (!found && fgets(line, sizeof line, file) != NULL)
        found = sscanf(line, "%63[^,],%63[^,],%127s", found_sampler, found_item, value) == 3 &&
                strcmp(found_sampler, sampler) == 0 && strcmp(found_item, item) == 0;
    fclose(file);
    assert_true(found);
}

static void check_against_vectors(const char *sampler)
{
    char value[128];
    uint64_t count;
    uint64_t words;
    expected(value, sampler, "count");
    assert_true(sbl_text_to_u64(&count, value));
    expected(value, sampler, "words");
    assert_true(sbl_text_to_u64(&words, value));

    sbl_noise *noise = open_with_key(0);
    draw(noise, sampler, count);
    for (unsigned i = 0; i < 20; i++) {
        char item[16];
        char text[SBL_INT128_TEXT_SIZE + 1] = "-";
        const bool below = drawn[i] < 0;
        snprintf(item, sizeof item, "%u", i);
        expected(value, sampler, item);
        (void)sbl_u128_to_text(text + below, (sbl_u128)(below ? -drawn[i] : drawn[i]));
        assert_string_equal(text, value);
    }
    assert_int_equal(sbl_noise_words(noise), words);
    sbl_noise_close(noise);

    static uint8_t bytes[LONGEST][sizeof *drawn];
    for (size_t i = 0; i < count; i++)
        sbl_store_u64(sbl_store_u64(bytes[i], (uint64_t)drawn[i]), (uint64_t)((sbl_u128)drawn[i] >> 64));
    uint8_t digest[SBL_SHA256_SIZE];
    char digest_text[SBL_SHA256_TEXT_SIZE];
    assert_ok(sbl_sha256(digest, bytes, count * sizeof *bytes, NULL, 0, NULL));
    expected(value, sampler, "sha256");
    assert_string_equal(sbl_hex_encode(digest_text, digest, sizeof digest), value);
}

TEST(gaussian_short_batch_equals_second_implementation) { check_against_vectors("constant-flow"); }

TEST(gaussian_long_batch_equals_second_implementation) { check_against_vectors("gaussian"); }

TEST(laplace_equals_second_implementation) { check_against_vectors("laplace"); }

TEST(gaussian_below_4096_takes_the_same_words_for_every_draw)
{
    FREED(sbl_noise_close) sbl_noise *noise = open_with_key(1);
    for (uint64_t i = 1; i <= 2000; i++) {
        draw(noise, "gaussian", 1);
        assert_int_equal(sbl_noise_words(noise), i * SBL_CONSTANT_FLOW_WORDS);
    }
    draw(noise, "gaussian", SBL_NOISE_CONSTANT_FLOW_BELOW - 1);
    assert_int_equal(sbl_noise_words(noise),
                     (2000 + SBL_NOISE_CONSTANT_FLOW_BELOW - 1) * SBL_CONSTANT_FLOW_WORDS);
}

TEST(gaussian_from_4096_uses_the_exact_sampler)
{
    FREED(sbl_noise_close) sbl_noise *noise = open_with_key(1);
    draw(noise, "gaussian", SBL_NOISE_CONSTANT_FLOW_BELOW);
    assert_in_range(sbl_noise_words(noise), 12 * SBL_NOISE_CONSTANT_FLOW_BELOW,
                    15 * SBL_NOISE_CONSTANT_FLOW_BELOW);
}

TEST(batches_do_not_repeat_each_other)
{
    FREED(sbl_noise_close) sbl_noise *noise = open_with_key(2);
    static int64_t first[LONGEST];
    for (size_t count = 4095; count <= 4096; count++) {
        assert_ok(sbl_noise_gaussian(noise, first, count, NULL));
        assert_ok(sbl_noise_gaussian(noise, narrow, count, NULL));
        for (size_t i = 0; i < count; i++) assert_int_not_equal(first[i], narrow[i]);
    }
}

TEST(batch_of_none_takes_nothing)
{
    FREED(sbl_noise_close) sbl_noise *noise = open_with_key(2);
    assert_ok(sbl_noise_gaussian(noise, narrow, 0, NULL));
    assert_ok(sbl_noise_laplace(noise, drawn, 0, NULL));
    assert_int_equal(sbl_noise_words(noise), 0);
}

TEST(same_test_key_gives_the_same_noise_and_another_key_other_noise)
{
    int64_t of_key[3][8];
    const uint64_t numbers[3] = {7, 7, 8};
    for (int i = 0; i < 3; i++) {
        FREED(sbl_noise_close) sbl_noise *noise = open_with_key(numbers[i]);
        assert_int_equal(sbl_test_key_next(), numbers[i] + 1);
        assert_ok(sbl_noise_gaussian(noise, of_key[i], 8, NULL));
    }
    assert_memory_equal(of_key[0], of_key[1], sizeof of_key[0]);
    for (int i = 0; i < 8; i++) assert_int_not_equal(of_key[0][i], of_key[2][i]);
}
