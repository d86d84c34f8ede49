/* SPDX-License-Identifier: Apache-2.0 */
/* Sampling: independent of chunks and threads, right against the network, conditional. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "after/sample/sampler.h"
#include "base/compute/threads.h"
#include "base/random/model_rng.h"
#include "nn/net_reference.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

FREES(sbl_sampler_free);

enum { ROWS = 333, D = 2, K = 2 };
static const size_t cardinalities[] = {4, 3};
static sbl_generator generator;
static double numbers[2][ROWS * D];
static uint32_t codes[2][ROWS * K], labels[2][ROWS];

static int make(void **state)
{
    (void)state;
    const sbl_network network = {.latent = 3, .hidden = {17, 70}, .count = 2};
    sbl_facts facts = {.kind = SBL_DATA_TABLE, .classes = 3};
    sbl_model_rng rng;
    if (sbl_record_shape_init(&facts.shape, D, cardinalities, K, 3, NULL) != SBL_OK) return 1;
    if (sbl_generator_init(&generator, &facts, &network, NULL) != SBL_OK) return 1;
    sbl_record_shape_clear(&facts.shape);
    sbl_net_randomise(&generator.net, 1);
    sbl_model_rng_init(&rng, 2, SBL_RNG_OTHER, 0);
    for (size_t i = 0; i < generator.net.running_count; i++)
        generator.net.running[i] = 0.5f + (float)sbl_model_rng_uniform(&rng);
    generator.class_shares[0] = 0.7f, generator.class_shares[1] = 0;
    generator.class_shares[2] = 0.3f;
    return 0;
}

AROUND(unmake) { sbl_generator_clear(&generator); }

static void draw(int which, uint64_t seed, size_t chunk, size_t wanted)
{
    FREED(sbl_sampler_free) sbl_sampler *sampler;
    assert_ok(sbl_sampler_new(&sampler, &generator, seed, NULL));
    for (size_t first = 0; first < ROWS; first += chunk) {
        size_t rows = ROWS - first < chunk ? ROWS - first : chunk;
        const sbl_drawn out = {numbers[which] + first * D, .codes = codes[which] + first * K,
                               .labels = labels[which] + first};
        assert_ok(sbl_sampler_draw(sampler, &out, first, rows, wanted, NULL));
    }
}

TEST(rows_do_not_depend_on_chunks_or_threads)
{
    int threads = sbl_thread_limit();
    draw(0, 5, ROWS, SBL_ANY_CLASS);
    for (size_t chunk = 1; chunk < 100; chunk = 3 * chunk + 1) {
        sbl_thread_set(1 + (int)(chunk % 3));
        draw(1, 5, chunk, SBL_ANY_CLASS);
        assert_memory_equal(numbers[0], numbers[1], sizeof numbers[0]);
        assert_memory_equal(codes[0], codes[1], sizeof codes[0]);
        assert_memory_equal(labels[0], labels[1], sizeof labels[0]);
    }
    sbl_thread_set(threads);
}

TEST(another_seed_gives_other_rows)
{
    draw(0, 5, ROWS, SBL_ANY_CLASS);
    draw(1, 6, ROWS, SBL_ANY_CLASS);
    assert_memory_not_equal(numbers[0], numbers[1], sizeof numbers[0]);
    assert_memory_not_equal(codes[0], codes[1], sizeof codes[0]);
}

TEST(rows_keep_their_bits)
{
    uint64_t hash = 0, bits;
    draw(0, 77, ROWS, SBL_ANY_CLASS);
    for (size_t i = 0; i < ROWS * D; i++) {
        memcpy(&bits, &numbers[0][i], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x100000001b3);
    }
    for (size_t i = 0; i < ROWS * K; i++) hash = (hash ^ codes[0][i]) * UINT64_C(0x100000001b3);
    assert_int_equal(hash, UINT64_C(0xee7615bd1bdc7ec6));
}

TEST(a_wanted_class_is_the_only_one)
{
    FREED(sbl_sampler_free) sbl_sampler *sampler;
    draw(0, 5, ROWS, 1);
    for (size_t r = 0; r < ROWS; r++) assert_int_equal(labels[0][r], 1);
    assert_ok(sbl_sampler_new(&sampler, &generator, 1, NULL));
    const sbl_drawn out = {.numeric = numbers[0], .codes = codes[0]};
    assert_int_equal(sbl_sampler_draw(sampler, &out, 0, 1, 3, NULL), SBL_EARG);
    assert_int_equal(sbl_sampler_draw(sampler, &out, UINT64_C(1) << 56, 1, 0, NULL), SBL_EARG);
    assert_ok(sbl_sampler_draw(sampler, &out, 0, 1, 2, NULL)); /* no labels */
}

TEST(values_are_in_their_domains_and_classes_follow_their_shares)
{
    size_t count[3] = {0};
    draw(0, 9, ROWS, SBL_ANY_CLASS);
    for (size_t r = 0; r < ROWS; r++) {
        count[labels[0][r]]++;
        for (size_t i = 0; i < D; i++) assert_true(numbers[0][r * D + i] > 0 && numbers[0][r * D + i] < 1);
        for (size_t k = 0; k < K; k++) assert_true(codes[0][r * K + k] < cardinalities[k]);
    }
    assert_int_equal(count[1], 0);
    assert_in_range(count[0], 190, 275);
}

/* The network in double with running statistics, for the inputs that row r must have. */
static void reference_logits(double *out, size_t r, uint64_t seed)
{
    const sbl_net *net = &generator.net;
    static double weights[4096], running[256];
    double input[6] = {0};
    float latents[3];
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_SAMPLE_ROW, r);
    size_t label = sbl_model_rng_categorical(&rng, generator.class_shares, 3);
    sbl_model_rng_normals(&rng, latents, 3);
    for (size_t i = 0; i < 3; i++) input[i] = (double)latents[i];
    input[3 + label] = 1;
    assert_true(net->weight_count <= 4096 && net->running_count <= 256);
    for (size_t i = 0; i < net->weight_count; i++) weights[i] = (double)net->weights[i];
    for (size_t i = 0; i < net->running_count; i++) running[i] = (double)net->running[i];
    reference_net(out, net, weights, running, input, 1, false);
}

TEST(rows_come_from_the_network_with_running_statistics)
{
    double expected[7] = {0}, seen[7] = {0};
    draw(0, 12, ROWS, SBL_ANY_CLASS);
    for (size_t r = 0; r < ROWS; r++) {
        double logits[D + 7];
        reference_logits(logits, r, 12);
        for (size_t i = 0; i < D; i++)
            assert_true(fabs(numbers[0][r * D + i] - 1 / (1 + exp(-logits[i]))) < 2e-6);
        for (size_t k = 0, at = 0; k < K; at += cardinalities[k], k++) {
            double sum = 0;
            for (size_t j = 0; j < cardinalities[k]; j++) sum += exp(logits[D + at + j]);
            for (size_t j = 0; j < cardinalities[k]; j++) expected[at + j] += exp(logits[D + at + j]) / sum;
            seen[at + codes[0][r * K + k]]++;
        }
    }
    for (size_t j = 0; j < 7; j++) assert_true(fabs(expected[j] - seen[j]) < 5 * sqrt(ROWS * 0.25));
}

/* What a file could hold. */
TEST(networks_that_are_not_for_tables_are_refused)
{
    static const sbl_layer_kind others[] = {SBL_LAYER_SIGMOID, SBL_LAYER_SIGMOID, SBL_LAYER_RELU};
    for (size_t i = 0; i < 3; i++) {
        const sbl_layer layers[] = {{.kind = others[i]}, sbl_layer_dense(D + 7), {.kind = others[i]}};
        sbl_generator odd = generator;
        sbl_sampler *sampler;
        assert_ok(sbl_net_init(&odd.net, sbl_volume_of(1, 1, 6), layers + (i > 0), 2, NULL));
        assert_int_equal(sbl_sampler_new(&sampler, &odd, 1, NULL), i < 2 ? SBL_EINPUT : SBL_OK);
        sbl_sampler_free(sampler);
        sbl_net_clear(&odd.net);
    }
}

TEST(lack_of_memory_leaves_no_sampler)
{
    FREED(sbl_sampler_free) sbl_sampler *sampler;
    const sbl_drawn out = {.numeric = numbers[0], .codes = codes[0]};
    for (long n = 0; sbl_test_fail_next(&n);)
        if (sbl_test_no_memory(sbl_sampler_new(&sampler, &generator, 1, NULL))) assert_null(sampler);
    sbl_test_fail_alloc(1);
    assert_int_equal(sbl_sampler_draw(sampler, &out, 0, 1, 2, NULL), SBL_EMEM);
    sbl_test_fail_alloc(0);
}

ALL_TESTS(make, unmake)
