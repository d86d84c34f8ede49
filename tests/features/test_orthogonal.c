/* SPDX-License-Identifier: Apache-2.0 */
/* Structured orthogonal frequencies: against a dense product, the kernel they estimate, the
 * variance beside independent ones, norm, gradient, and the rule that one row is one row. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "after/losses/loss.h"
#include "base/compute/variants.h"
#include "base/random/model_rng.h"
#include "records/features/orthogonal.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

#define TWO_PI 6.283185307179586

static sbl_orthogonal make(size_t columns, size_t count, const double *scales, size_t scale_count,
                           uint64_t seed)
{
    const sbl_orthogonal_rule rule = {count, scales, scale_count, seed};
    sbl_orthogonal made;
    sbl_error err = {0};
    assert_int_equal(sbl_orthogonal_init(&made, columns, &rule, &err), SBL_OK);
    return made;
}

static void fill_uniform(float *x, size_t count, uint64_t stream)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 77, SBL_RNG_OTHER, stream);
    for (size_t i = 0; i < count; i++) x[i] = (float)sbl_model_rng_uniform(&rng);
}

/* Entry (row, column) of the Hadamard matrix: minus one to the number of common bits. */
static double hadamard_entry(size_t row, size_t column)
{
    return __builtin_popcountll(row & column) % 2 ? -1.0 : 1.0;
}

static void product_with_h(double *y, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = 0;
        for (size_t j = 0; j < n; j++) y[i] += hadamard_entry(i, j) * x[j];
    }
}

/* Phases in turns by definition, in double. */
static void phases_by_definition(double *t, const float *x, const sbl_hadamard *block)
{
    double v[256] = {0}, w[256];
    assert_true(block->size <= 256);
    for (size_t i = 0; i < block->columns; i++) v[i] = (double)x[i];
    for (size_t factor = 3; factor-- > 0;) {
        for (size_t i = 0; i < block->size; i++) v[i] *= (double)block->signs[factor * block->size + i];
        product_with_h(w, v, block->size);
        memcpy(v, w, sizeof v);
    }
    for (size_t i = 0; i < block->size; i++) t[i] = v[i] * (double)block->lengths[i];
}

static size_t all_variants(const sbl_kernels **list)
{
    size_t count = 0;
    list[count++] = &sbl_kernels_portable;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) list[count++] = &sbl_kernels_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        list[count++] = &sbl_kernels_avx512;
#endif
    return count;
}

TEST(features_match_the_dense_product_for_every_instruction_set_and_size)
{
    const size_t columns[] = {1, 20, 32, 33, 64, 100, 200, 256};
    const double scale = 0.7;
    const sbl_kernels *variants[3];
    size_t count = all_variants(variants);
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        CLEARED(sbl_orthogonal_clear) sbl_orthogonal w = make(columns[k], 300, &scale, 1, 5);
        float x[256], features[512], scratch[256], cosines[256], sines[256];
        double t[256];
        fill_uniform(x, columns[k], k);
        for (size_t b = 0; b < w.blocks; b++) {
            sbl_hadamard block = sbl_orthogonal_block(&w, b);
            phases_by_definition(t, x, &block);
            for (size_t v = 0; v < count; v++) {
                variants[v]->hadamard_pairs(features, x, &block, scratch);
                variants[v]->hadamard_phases(cosines, sines, x, &block);
                for (size_t f = 0; f < w.size; f++) {
                    assert_true(fabs((double)features[2 * f] - cos(TWO_PI * t[f])) < 3e-6);
                    assert_true(fabs((double)features[2 * f + 1] - sin(TWO_PI * t[f])) < 3e-6);
                }
                for (size_t f = 0; f < w.size; f++) {
                    assert_true(cosines[f] == features[2 * f]);
                    assert_true(sines[f] == features[2 * f + 1]);
                }
            }
        }
    }
}

TEST(rows_of_a_block_are_orthogonal_and_their_lengths_chi)
{
    enum { N = 128 };
    const double scale = 1;
    double unit = sqrt(N / 6.0) * TWO_PI, mean = 0, square = 0;
    CLEARED(sbl_orthogonal_clear) sbl_orthogonal w = make(N, 40 * N, &scale, 1, 3);
    sbl_hadamard block = sbl_orthogonal_block(&w, 7);
    static double rows[N][N]; /* row f of the block: its phases of unit vectors */
    for (size_t i = 0; i < N; i++) {
        float x[N] = {0};
        double t[256];
        x[i] = 1;
        phases_by_definition(t, x, &block);
        for (size_t f = 0; f < N; f++) rows[f][i] = t[f] * unit;
    }
    for (size_t f = 0; f < N; f++)
        for (size_t g = 0; g <= f; g++) {
            double product = 0;
            for (size_t i = 0; i < N; i++) product += rows[f][i] * rows[g][i];
            if (f != g) assert_true(fabs(product) < 1e-3);
            if (f == g) assert_true(product > 60 && product < 220); /* chi-square of 128 */
        }
    for (size_t f = 0; f < w.frequencies; f++) {
        double length = (double)w.lengths[f] * unit * N * sqrt(N);
        mean += length * length / (double)w.frequencies;
        square += pow(length * length, 2) / (double)w.frequencies;
    }
    /* Chi-square: mean N, variance 2 N; 5120 of them, five standard errors. */
    assert_true(fabs(mean - N) < 5 * sqrt(2.0 * N / 5120));
    assert_true(fabs(square - mean * mean - 2 * N) < 5 * 2 * N * sqrt(2.2 / 5120));
}

enum { D = 100, F = 128, SEEDS = 400 };

/* Estimate of the kernel of two records. */
static double orthogonal_estimate(const float *x, const float *y, double scale, uint64_t seed)
{
    sbl_orthogonal w = make(D, F, &scale, 1, seed);
    float a[2 * F], b[2 * F], scratch[F];
    double product = 0;
    sbl_orthogonal_rows(&w, a, 2 * F, x, D, 1, 0, scratch);
    sbl_orthogonal_rows(&w, b, 2 * F, y, D, 1, 0, scratch);
    for (size_t i = 0; i < 2 * F; i++) product += (double)a[i] * (double)b[i];
    sbl_orthogonal_clear(&w);
    return product / F;
}

static double independent_estimate(const float *x, const float *y, double scale, uint64_t seed)
{
    sbl_model_rng rng;
    double s = scale * sqrt(D / 6.0), total = 0;
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, 9);
    for (size_t f = 0; f < F; f++) {
        double t = 0;
        for (size_t i = 0; i < D; i++) t += sbl_model_rng_normal(&rng) * ((double)x[i] - (double)y[i]) / s;
        total += cos(t);
    }
    return total / F;
}

TEST(estimates_are_unbiased_with_less_variance_than_independent_frequencies)
{
    const double scales[] = {0.8, 1.2, 2};
    float x[D], y[D];
    for (size_t k = 0; k < 3; k++) {
        double distance = 0, mean[2] = {0}, square[2] = {0}, variance[2];
        fill_uniform(x, D, 100 + k);
        fill_uniform(y, D, 200 + k);
        for (size_t i = 0; i < D; i++) distance += pow((double)x[i] - (double)y[i], 2);
        double kernel = exp(-distance / (2 * scales[k] * scales[k] * D / 6.0));
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            double one = orthogonal_estimate(x, y, scales[k], seed);
            double other = independent_estimate(x, y, scales[k], seed);
            mean[0] += one / SEEDS, mean[1] += other / SEEDS;
            square[0] += one * one / SEEDS, square[1] += other * other / SEEDS;
        }
        for (size_t i = 0; i < 2; i++) variance[i] = square[i] - mean[i] * mean[i];
        printf(
            "    scale %.1f: kernel %.4f; orthogonal %.4f, variance %.2e; independent %.4f, "
            "variance %.2e\n",
            scales[k], kernel, mean[0], variance[0], mean[1], variance[1]);
        assert_true(fabs(mean[0] - kernel) < 5 * sqrt(variance[0] / SEEDS) + 1e-4);
        assert_true(fabs(mean[1] - kernel) < 5 * sqrt(variance[1] / SEEDS) + 1e-4);
        assert_true(variance[0] < 0.8 * variance[1]);
    }
}

TEST(every_pair_has_norm_one)
{
    const double scales[] = {0.2, 0.9};
    CLEARED(sbl_orthogonal_clear) sbl_orthogonal w = make(784, 2000, scales, 2, 1);
    static float x[784], features[2 * 1024], scratch[1024];
    assert_int_equal(w.size, 1024);
    assert_int_equal(w.blocks, 2);
    assert_int_equal(sbl_orthogonal_used(&w, 0), 1024);
    assert_int_equal(sbl_orthogonal_used(&w, 1), 976);
    fill_uniform(x, 784, 4);
    for (size_t b = 0; b < 2; b++) {
        sbl_orthogonal_rows(&w, features, 2048, x, 784, 1, b, scratch);
        for (size_t f = 0; f < 1024; f++) {
            double c = (double)features[2 * f], s = (double)features[2 * f + 1];
            assert_true(fabs(c * c + s * s - 1) < 1e-6);
        }
    }
}

/* g(x) = sum_f a_f sin(2 pi t_f(x)) - b_f cos(2 pi t_f(x)); its gradient over 2 pi is what the
 * kernel gives. */
TEST(gradients_match_finite_differences_for_every_instruction_set)
{
    enum { COLUMNS = 50, N = 64 };
    const double scale = 0.6, step = 1e-3;
    const sbl_kernels *variants[3];
    size_t count = all_variants(variants);
    CLEARED(sbl_orthogonal_clear) sbl_orthogonal w = make(COLUMNS, N, &scale, 1, 8);
    sbl_hadamard block = sbl_orthogonal_block(&w, 0);
    float x[COLUMNS], a[N], b[N], cosines[N], sines[N], scratch[N];
    fill_uniform(x, COLUMNS, 1);
    fill_uniform(a, N, 2);
    fill_uniform(b, N, 3);
    for (size_t v = 0; v < count; v++) {
        float gradient[COLUMNS];
        for (size_t i = 0; i < COLUMNS; i++) gradient[i] = 1; /* it is added to */
        variants[v]->hadamard_phases(cosines, sines, x, &block);
        variants[v]->hadamard_gradient(gradient, cosines, sines, a, b, &block, scratch);
        for (size_t i = 0; i < COLUMNS; i++) {
            double value[2], t[256];
            float kept = x[i];
            for (int side = 0; side < 2; side++) {
                x[i] = kept + (float)(side ? step : -step);
                phases_by_definition(t, x, &block);
                value[side] = 0;
                for (size_t f = 0; f < N; f++)
                    value[side] += (double)a[f] * sin(TWO_PI * t[f]) - (double)b[f] * cos(TWO_PI * t[f]);
            }
            x[i] = kept;
            double slope = (value[1] - value[0]) / (2 * step) / TWO_PI;
            assert_true(fabs((double)gradient[i] - 1 - slope) < 1e-3);
        }
    }
}

TEST(a_row_is_the_same_alone_and_among_others)
{
    enum { ROWS = 7, COLUMNS = 300, N = 512 };
    const double scale = 0.9;
    CLEARED(sbl_orthogonal_clear) sbl_orthogonal w = make(COLUMNS, N, &scale, 1, 2);
    static float x[ROWS * COLUMNS], all[ROWS * 2 * N], one[2 * N], scratch[N];
    fill_uniform(x, ROWS * COLUMNS, 6);
    sbl_orthogonal_rows(&w, all, 2 * N, x, COLUMNS, ROWS, 0, scratch);
    for (size_t r = 0; r < ROWS; r++) {
        sbl_orthogonal_rows(&w, one, 2 * N, x + r * COLUMNS, COLUMNS, 1, 0, scratch);
        assert_memory_equal(one, all + r * 2 * N, sizeof one);
    }
}

TEST(a_frequency_depends_on_seed_and_number_alone)
{
    const double scales[] = {0.5, 1};
    sbl_orthogonal small = make(60, 100, scales, 2, 4), large = make(60, 200, scales, 2, 4);
    CLEARED(sbl_orthogonal_clear) sbl_orthogonal other = make(60, 100, scales, 2, 5);
    assert_memory_equal(small.lengths, large.lengths, 100 * sizeof(float));
    assert_memory_equal(small.signs, large.signs, 2 * 3 * 64 * sizeof(float));
    assert_memory_not_equal(small.lengths, other.lengths, 100 * sizeof(float));
    assert_memory_not_equal(small.signs, other.signs, 3 * 64 * sizeof(float));
    for (size_t f = 100; f < 128; f++) assert_true(small.lengths[f] == 0);
    sbl_orthogonal_clear(&small);
    sbl_orthogonal_clear(&large);
}

TEST(length_scales_take_turns_and_blocks_have_signs_of_their_own)
{
    const double one = 1, two[] = {0.5, 2};
    sbl_orthogonal plain = make(60, 128, &one, 1, 4), mixed = make(60, 128, two, 2, 4);
    for (size_t f = 0; f < 128; f++)
        assert_true(mixed.lengths[f] == (f % 2 ? plain.lengths[f] / 2 : plain.lengths[f] * 2));
    assert_memory_not_equal(plain.signs, plain.signs + 3 * 64, 3 * 64 * sizeof(float));
    sbl_orthogonal_clear(&plain);
    sbl_orthogonal_clear(&mixed);
}

TEST(bad_rules_and_lack_of_memory_are_refused)
{
    const double good = 1, low = 0, high = 1e4;
    const sbl_orthogonal_rule rules[] = {{0, &good, 1, 0},
                                         {32, &good, 0, 0},
                                         {32, &low, 1, 0},
                                         {32, &high, 1, 0},
                                         {(size_t)1 << 31, &good, 1, 0}};
    const sbl_orthogonal_rule fine = {32, &good, 1, 0};
    sbl_orthogonal w;
    for (size_t i = 0; i < 5; i++) assert_int_equal(sbl_orthogonal_init(&w, 10, &rules[i], NULL), SBL_EARG);
    assert_int_equal(sbl_orthogonal_init(&w, 0, &fine, NULL), SBL_EARG);
    assert_int_equal(sbl_orthogonal_init(&w, (size_t)1 << 21, &fine, NULL), SBL_EARG);
    for (long n = 1; n <= 2; n++) {
        sbl_test_fail_alloc(n);
        assert_int_equal(sbl_orthogonal_init(&w, 10, &fine, NULL), SBL_EMEM);
        assert_null(w.signs);
    }
    sbl_test_fail_alloc(0);
}

/* A generated batch that stays the same: with memory, its means tend to m (1/B) + (1 - m) / (B - 1) times the
 * sum, by a decay of min(m, (1 + step) / (10 + step)). */
TEST(a_remembered_mean_tends_to_the_mean)
{
    enum { COLUMNS = 10, COUNT = 40, ROWS = 6 };
    const double scale = 0.5, memory = 0.9;
    CLEARED(sbl_orthogonal_clear) sbl_orthogonal w = make(COLUMNS, COUNT, &scale, 1, 3);
    float x[ROWS * COLUMNS], gradient[ROWS * COLUMNS] = {0}, targets[2 * COUNT] = {0};
    const size_t starts[] = {0, ROWS};
    const double one = 1.0;
    const sbl_facts facts = {.classes = 1};
    sbl_generated generated = {.on = &sbl_backend_cpu,
                               .facts = &facts,
                               .rows = ROWS,
                               .starts = starts,
                               .shares = &one,
                               .weights = &one,
                               .pixels = x,
                               .d_pixels = gradient};
    void *plain, *remembering;
    fill_uniform(x, ROWS * COLUMNS, 5);
    const sbl_target target = {.means = targets, .weight = 1.0};
    const sbl_target with_memory = {.means = targets, .weight = 1.0, .memory = memory};
    assert_int_equal(sbl_loss_new(&plain, &sbl_loss_orthogonal, &w, &target, &generated, NULL), SBL_OK);
    assert_int_equal(sbl_loss_new(&remembering, &sbl_loss_orthogonal, &w, &with_memory, &generated, NULL),
                     SBL_OK);
    /* Targets are 0, so the loss is the squared length of the means: (|S| / (B - 1))^2. */
    const double others = sqrt(sbl_loss_orthogonal.step(plain, &generated));
    const double mean = others * (ROWS - 1) / ROWS;
    double past = 0;
    for (int step = 0; step < 60; step++) {
        const double early = step == 0 ? 0 : (1 + (double)step) / (10 + (double)step);
        const double decay = early < memory ? early : memory;
        const double expected = decay * past + (1 - decay) * others;
        past = decay * past + (1 - decay) * mean;
        assert_true(fabs(sqrt(sbl_loss_orthogonal.step(remembering, &generated)) - expected) < 1e-5);
    }
    sbl_loss_free(&sbl_loss_orthogonal, plain);
    sbl_loss_free(&sbl_loss_orthogonal, remembering);
}
