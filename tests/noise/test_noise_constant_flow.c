/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the constant-flow sampler and the search in it. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/int128.h"
#include "base/sha256.h"
#include "base/text.h"
#include "door/noise/bit_source.h"
#include "door/noise/constant_flow.h"
#include "support/cmocka_all.h"

static sbl_u128 entry(size_t i) { return ((sbl_u128)sbl_cdt_table[i].high << 64) | sbl_cdt_table[i].low; }

TEST(table_has_the_sha256_it_was_generated_with)
{
    static uint8_t bytes[SBL_CDT_ENTRIES][16];
    for (size_t i = 0; i < SBL_CDT_ENTRIES; i++)
        for (int byte = 0; byte < 16; byte++) bytes[i][byte] = (uint8_t)(entry(i) >> (8 * (15 - byte)));
    uint8_t digest[SBL_SHA256_SIZE];
    char text[SBL_SHA256_TEXT_SIZE];
    assert_ok(sbl_sha256(digest, bytes, sizeof bytes, NULL, 0, NULL));
    assert_string_equal(sbl_hex_encode(text, digest, sizeof digest),
                        "c292c429637c0935d4d5850a4fec1afbd5e6a256237cd9c28d025dc35e3fc910");
}

/* Upper tails, from the far end, so that small ones keep their relative precision. */
TEST(table_equals_sums_of_the_probability_function)
{
    double variance = 1;
    for (int i = 0; i < 10; i++) variance = 1 + 1024 * variance;
    variance = ldexp(1, 112) / variance;
    assert_true(fabs(sqrt(variance) - 63.968742366877903) < 1e-13);
    double total = 1;
    for (int j = 1; j < 2000; j++) total += 2 * exp(-0.5 * j * j / variance);
    double tail = 0;
    for (int j = 2000; j > SBL_CDT_ENTRIES; j--) tail += 2 * exp(-0.5 * j * j / variance);
    for (int i = SBL_CDT_ENTRIES - 1; i >= 0; i--) {
        const double in_table = (double)(SBL_U128_MAX - entry((size_t)i));
        assert_true(fabs(in_table - ldexp(tail / total, 128)) <= 0.5 + 1e-11 * ldexp(tail / total, 128));
        tail += 2 * exp(-0.5 * i * (double)i / variance);
    }
}

static uint64_t lookup(sbl_u128 value) { return sbl_cdt_lookup((uint64_t)(value >> 64), (uint64_t)value); }

static uint64_t count_entries_below(sbl_u128 value)
{
    uint64_t count = 0;
    for (size_t i = 0; i < SBL_CDT_ENTRIES; i++) count += entry(i) < value;
    return count;
}

TEST(lookup_around_every_entry_counts_the_entries_below)
{
    for (size_t i = 0; i < SBL_CDT_ENTRIES; i++)
        for (unsigned step = 0; step < 3; step++) {
            const sbl_u128 value = entry(i) - 1 + step; /* the last may wrap to 0 */
            assert_int_equal(lookup(value), count_entries_below(value));
        }
    assert_int_equal(lookup(0), 0);
    assert_int_equal(lookup(entry(0) + 1), 1);
    assert_int_equal(lookup(SBL_U128_MAX), count_entries_below(SBL_U128_MAX));
}

TEST(borrow_equals_128_bit_comparison)
{
    static const uint64_t values[] = {0,
                                      1,
                                      2,
                                      INT64_MAX - 1,
                                      INT64_MAX,
                                      (uint64_t)INT64_MAX + 1,
                                      (uint64_t)INT64_MAX + 2,
                                      UINT64_MAX - 1,
                                      UINT64_MAX};
    const size_t count = sizeof values / sizeof *values;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            for (uint64_t borrow = 0; borrow < 2; borrow++)
                assert_int_equal(sbl_borrow(values[i], values[j], borrow),
                                 values[i] < (sbl_u128)values[j] + borrow);
}

/* A keystream of chosen words: signs first, then high and low word of each level. */
static int64_t draw_of_words(uint64_t signs, uint64_t high, uint64_t low)
{
    static sbl_noise noise;
    noise.left = SBL_CONSTANT_FLOW_WORDS;
    uint8_t *words = noise.buffer[SBL_KEYSTREAM_WORDS - SBL_CONSTANT_FLOW_WORDS];
    words = sbl_store_u64(words, signs);
    for (size_t i = 1; i < SBL_CONSTANT_FLOW_WORDS; i += 2) {
        words = sbl_store_u64(words, high);
        words = sbl_store_u64(words, low);
    }
    const int64_t value = sbl_draw_constant_flow(&noise, SBL_CONSTANT_FLOW_LEVELS);
    assert_int_equal(noise.left, 0);
    return value;
}

TEST(draw_adds_levels_in_powers_of_32_with_their_signs)
{
    int64_t powers = 0;
    for (int i = 0; i < SBL_CONSTANT_FLOW_LEVELS; i++) powers = 32 * powers + 1;
    const sbl_u128 seven = entry(6) + 1;
    const uint64_t high = (uint64_t)(seven >> 64);
    const uint64_t low = (uint64_t)seven;
    assert_int_equal(draw_of_words(0, high, low), 7 * powers);
    assert_int_equal(draw_of_words(UINT64_MAX, high, low), -7 * powers);
    /* level 0 is drawn first and has the highest power */
    assert_int_equal(draw_of_words(1, high, low), 7 * (powers - 2 * (INT64_C(1) << 50)));
    assert_int_equal(draw_of_words(1 << 10, high, low), 7 * (powers - 2));
    assert_int_equal(draw_of_words(UINT64_MAX, 0, 0), 0);
}

TEST(draw_largest_stays_below_2_to_60)
{
    assert_true(draw_of_words(0, UINT64_MAX, UINT64_MAX) < INT64_C(1) << 60);
    assert_true(draw_of_words(UINT64_MAX, UINT64_MAX, UINT64_MAX) > -(INT64_C(1) << 60));
}
