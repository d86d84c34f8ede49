/* Sampling: independent of chunks and threads, right against the network, conditional. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compute/threads.h"
#include "random/model_rng.h"
#include "sample/sampler.h"

enum { ROWS = 333, D = 2, K = 2 };
static const size_t cardinalities[] = {4, 3};
static sbl_generator generator;
static double numbers[2][ROWS * D];
static uint32_t codes[2][ROWS * K], labels[2][ROWS];

static int make(void **state)
{
    (void)state;
    sbl_record_shape shape;
    sbl_mlp_shape network = {.latent = 3, .depth = 2, .hidden = {17, 70}};
    sbl_model_rng rng;
    if (sbl_record_shape_init(&shape, D, cardinalities, K, 3, NULL) != SBL_OK) return 1;
    if (sbl_generator_init(&generator, &shape, &network, NULL) != SBL_OK) return 1;
    sbl_record_shape_clear(&shape);
    sbl_mlp_randomise(&generator.mlp, 1);
    sbl_model_rng_init(&rng, 2, SBL_RNG_OTHER, 0);
    for (size_t i = 0; i < generator.mlp.running_count; i++)
        generator.mlp.running[i] = 0.5f + (float)sbl_model_rng_uniform(&rng);
    generator.class_shares[0] = 0.7f, generator.class_shares[1] = 0;
    generator.class_shares[2] = 0.3f;
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    sbl_generator_clear(&generator);
    return 0;
}

static void draw(int which, uint64_t seed, size_t chunk, size_t wanted)
{
    sbl_sampler *sampler;
    assert_int_equal(sbl_sampler_new(&sampler, &generator, seed, NULL), SBL_OK);
    for (size_t first = 0; first < ROWS; first += chunk) {
        size_t rows = ROWS - first < chunk ? ROWS - first : chunk;
        assert_int_equal(
            sbl_sampler_draw(sampler, numbers[which] + first * D, codes[which] + first * K,
                             labels[which] + first, first, rows, wanted, NULL),
            SBL_OK);
    }
    sbl_sampler_free(sampler);
}

static void rows_do_not_depend_on_chunks_or_threads(void **state)
{
    (void)state;
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

static void another_seed_gives_other_rows(void **state)
{
    (void)state;
    draw(0, 5, ROWS, SBL_ANY_CLASS);
    draw(1, 6, ROWS, SBL_ANY_CLASS);
    assert_memory_not_equal(numbers[0], numbers[1], sizeof numbers[0]);
    assert_memory_not_equal(codes[0], codes[1], sizeof codes[0]);
}

static void rows_keep_their_bits(void **state)
{
    (void)state;
    uint64_t hash = 0, bits;
    draw(0, 77, ROWS, SBL_ANY_CLASS);
    for (size_t i = 0; i < ROWS * D; i++) {
        memcpy(&bits, &numbers[0][i], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x100000001b3);
    }
    for (size_t i = 0; i < ROWS * K; i++) hash = (hash ^ codes[0][i]) * UINT64_C(0x100000001b3);
    assert_int_equal(hash, UINT64_C(0x79f85ce1c5deed6d));
}

static void a_wanted_class_is_the_only_one(void **state)
{
    (void)state;
    sbl_sampler *sampler;
    draw(0, 5, ROWS, 1);
    for (size_t r = 0; r < ROWS; r++) assert_int_equal(labels[0][r], 1);
    assert_int_equal(sbl_sampler_new(&sampler, &generator, 1, NULL), SBL_OK);
    assert_int_equal(sbl_sampler_draw(sampler, numbers[0], codes[0], labels[0], 0, 1, 3, NULL),
                     SBL_EARG);
    sbl_sampler_free(sampler);
}

static void values_are_in_their_domains_and_classes_follow_their_shares(void **state)
{
    (void)state;
    size_t count[3] = {0};
    draw(0, 9, ROWS, SBL_ANY_CLASS);
    for (size_t r = 0; r < ROWS; r++) {
        count[labels[0][r]]++;
        for (size_t i = 0; i < D; i++)
            assert_true(numbers[0][r * D + i] > 0 && numbers[0][r * D + i] < 1);
        for (size_t k = 0; k < K; k++) assert_true(codes[0][r * K + k] < cardinalities[k]);
    }
    assert_int_equal(count[1], 0);
    assert_in_range(count[0], 190, 275);
}

/* The network in double with running statistics, for the latents that row r must have. */
static void reference_logits(double *out, size_t r, uint64_t seed)
{
    const sbl_mlp *mlp = &generator.mlp;
    double x[128], y[128];
    float latents[3];
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_SAMPLE_ROW, r);
    size_t label = sbl_model_rng_categorical(&rng, generator.class_shares, 3);
    sbl_model_rng_normals(&rng, latents, 3);
    for (size_t i = 0; i < 3; i++) x[i] = (double)latents[i];
    for (size_t l = 0; l <= 2; l++) {
        const sbl_mlp_layer *layer = &mlp->layers[l];
        for (size_t j = 0; j < layer->out; j++) {
            y[j] = l == 1 ? 0 : (double)mlp->weights[layer->class_bias + label * layer->out + j];
            for (size_t i = 0; i < layer->in; i++)
                y[j] += x[i] * (double)mlp->weights[layer->weight + j * layer->in + i];
            if (l == 2) continue;
            y[j] = (double)mlp->weights[layer->gamma + j] *
                       (y[j] - (double)mlp->running[layer->running_mean + j]) /
                       sqrt((double)mlp->running[layer->running_variance + j] + 1e-5) +
                   (double)mlp->weights[layer->beta + j];
            if (y[j] < 0) y[j] = 0;
        }
        memcpy(x, y, sizeof x);
    }
    memcpy(out, x, (D + 7) * sizeof *out);
}

static void rows_come_from_the_network_with_running_statistics(void **state)
{
    (void)state;
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
            for (size_t j = 0; j < cardinalities[k]; j++)
                expected[at + j] += exp(logits[D + at + j]) / sum;
            seen[at + codes[0][r * K + k]]++;
        }
    }
    for (size_t j = 0; j < 7; j++) assert_true(fabs(expected[j] - seen[j]) < 5 * sqrt(ROWS * 0.25));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_do_not_depend_on_chunks_or_threads),
        cmocka_unit_test(another_seed_gives_other_rows),
        cmocka_unit_test(rows_keep_their_bits),
        cmocka_unit_test(a_wanted_class_is_the_only_one),
        cmocka_unit_test(values_are_in_their_domains_and_classes_follow_their_shares),
        cmocka_unit_test(rows_come_from_the_network_with_running_statistics),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
