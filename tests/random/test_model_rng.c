/* SPDX-License-Identifier: Apache-2.0 */
/* Public randomness: the generator's published vectors, streams, and the shapes of its draws. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/random/model_rng.h"
#include "support/cmocka_all.h"

/* Known answers of the Random123 distribution (kat_vectors, philox4x32 10). */
TEST(philox_gives_the_published_vectors)
{
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } vectors[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < 3; i++) {
        uint32_t out[4];
        sbl_philox4x32(out, vectors[i].counter, vectors[i].key);
        assert_memory_equal(out, vectors[i].out, sizeof out);
    }
}

/* Any number of streams, from any position: a whole line of them, a part of one and a single one. */
TEST(words_of_many_streams_are_those_of_each)
{
    const size_t numbers[] = {1, 7, 16, 17, 40};
    for (size_t i = 0; i < 5; i++) {
        uint32_t words[4 * 40];
        sbl_model_rng_words(words, numbers[i], 77, SBL_RNG_PAIRS, (UINT64_C(5) << 40) - 3, 2);
        for (size_t s = 0; s < numbers[i]; s++) {
            sbl_model_rng rng;
            sbl_model_rng_init(&rng, 77, SBL_RNG_PAIRS, (UINT64_C(5) << 40) - 3 + s);
            for (size_t w = 0; w < 8; w++) (void)sbl_model_rng_u32(&rng);
            for (size_t w = 0; w < 4; w++)
                assert_int_equal(words[w * numbers[i] + s], sbl_model_rng_u32(&rng));
        }
    }
}

TEST(streams_of_other_use_index_or_seed_differ)
{
    sbl_model_rng base, others[3];
    sbl_model_rng_init(&base, 7, SBL_RNG_WEIGHTS, 3);
    sbl_model_rng_init(&others[0], 8, SBL_RNG_WEIGHTS, 3);
    sbl_model_rng_init(&others[1], 7, SBL_RNG_FREQUENCIES, 3);
    sbl_model_rng_init(&others[2], 7, SBL_RNG_WEIGHTS, 4);
    uint64_t first = sbl_model_rng_u64(&base);
    for (size_t i = 0; i < 3; i++) assert_int_not_equal(first, sbl_model_rng_u64(&others[i]));
}

TEST(same_stream_repeats)
{
    sbl_model_rng a, b;
    sbl_model_rng_init(&a, 1, SBL_RNG_OTHER, 0);
    sbl_model_rng_init(&b, 1, SBL_RNG_OTHER, 0);
    for (int i = 0; i < 100; i++) {
        double x = sbl_model_rng_normal(&a), y = sbl_model_rng_normal(&b);
        assert_memory_equal(&x, &y, sizeof x);
    }
}

TEST(normals_keep_their_bits)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 42, SBL_RNG_SAMPLE_ROW, 5);
    uint64_t hash = 0;
    for (int i = 0; i < 1000; i++) {
        double x = sbl_model_rng_normal(&rng);
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x100000001b3);
    }
    assert_int_equal(hash, UINT64_C(0x385a35a4e8763806));
}

TEST(exact_functions_agree_with_libm)
{
    for (int i = 1; i < 20000; i++) {
        double x = i * 0.00137, s, c;
        assert_true(fabs(sbl_exact_log(x) - log(x)) <= 1e-14 * fmax(1, fabs(log(x))));
        assert_true(fabs(sbl_exact_exp(x - 14) / exp(x - 14) - 1) < 4e-15);
        double t = i / 20000.0;
        sbl_exact_sincos_turns(&s, &c, t);
        assert_true(fabs(s - sin(6.283185307179586 * t)) < 2e-15);
        assert_true(fabs(c - cos(6.283185307179586 * t)) < 2e-15);
    }
    assert_true(sbl_exact_exp(-701) == 0);
    assert_true(isfinite(sbl_exact_exp(1e9)));
    assert_true(fabs(sbl_exact_log(1e-300) - log(1e-300)) < 1e-12);
}

/* 200000 draws; each bound is six standard errors. */
TEST(normals_have_normal_moments)
{
    enum { N = 200000 };
    sbl_model_rng rng;
    double m1 = 0, m2 = 0, m4 = 0, inside = 0;
    sbl_model_rng_init(&rng, 3, SBL_RNG_OTHER, 1);
    for (int i = 0; i < N; i++) {
        double x = sbl_model_rng_normal(&rng);
        m1 += x, m2 += x * x, m4 += x * x * x * x, inside += fabs(x) < 1;
    }
    assert_true(fabs(m1 / N) < 6 / sqrt(N));
    assert_true(fabs(m2 / N - 1) < 6 * sqrt(2.0 / N));
    assert_true(fabs(m4 / N - 3) < 6 * sqrt(96.0 / N));
    assert_true(fabs(inside / N - 0.682689492137) < 6 * sqrt(0.217 / N));
}

TEST(below_is_even_and_in_range)
{
    sbl_model_rng rng;
    size_t seen[7] = {0};
    sbl_model_rng_init(&rng, 4, SBL_RNG_OTHER, 2);
    for (int i = 0; i < 70000; i++) seen[sbl_model_rng_below(&rng, 7)]++;
    for (int i = 0; i < 7; i++) assert_in_range(seen[i], 9400, 10600);
    assert_int_equal(sbl_model_rng_below(&rng, 1), 0);
}

TEST(shuffle_is_a_permutation_that_moves_things)
{
    sbl_model_rng rng;
    uint32_t items[50], seen[50] = {0}, fixed = 0;
    for (uint32_t i = 0; i < 50; i++) items[i] = i;
    sbl_model_rng_init(&rng, 5, SBL_RNG_OTHER, 3);
    sbl_model_rng_shuffle(&rng, items, 50);
    for (uint32_t i = 0; i < 50; i++) seen[items[i]]++, fixed += items[i] == i;
    for (int i = 0; i < 50; i++) assert_int_equal(seen[i], 1);
    assert_true(fixed < 10);
}

TEST(categorical_follows_its_weights_and_never_draws_a_zero)
{
    const float weights[] = {0, 1, 0, 3, 0};
    size_t seen[5] = {0};
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 6, SBL_RNG_OTHER, 4);
    for (int i = 0; i < 40000; i++) seen[sbl_model_rng_categorical(&rng, weights, 5)]++;
    assert_int_equal(seen[0] + seen[2] + seen[4], 0);
    assert_in_range(seen[1], 9500, 10500);
}
