/* SPDX-License-Identifier: Apache-2.0 */
/* Random Fourier features: worked numbers, norm, kernel, and the rule that one row is one row. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random/model_rng.h"
#include "records/features/rff.h"
#include "support/cmocka_all.h"

/* Worked by hand with 40 digits: w = (0.5, -1), (1.5, 0.25). */
static const double frequencies[] = {0.5, -1, 1.5, 0.25};

/* Two frequencies of two numbers, in place of those that were drawn. */
static void set_frequencies(sbl_rff *rff)
{
    static const double scale = 1.0;
    const sbl_rff_rule rule = {2, .scales = &scale, .scale_count = 1, .code_deviations = &scale,
                               .code_deviation_count = 1};
    CLEARED(sbl_record_shape_clear) sbl_record_shape shape;
    assert_ok(sbl_record_shape_init(&shape, 2, NULL, 0, 1, NULL));
    assert_ok(sbl_rff_init(rff, &shape, &rule, NULL));
    for (size_t f = 0; f < 2; f++)
        for (size_t i = 0; i < 2; i++)
            rff->panels[i * SBL_FOURIER_PANEL + f] =
                (float)(frequencies[2 * f + i] / 6.283185307179586476925);
}

static void worked_example(double phi[4], const float *x)
{
    sbl_rff rff;
    float out[2 * SBL_FOURIER_PANEL];
    set_frequencies(&rff);
    sbl_fourier_rows row = {.x = x, .x_stride = 2, .count = 1};
    sbl_rff_tile(&rff, out, 2 * SBL_FOURIER_PANEL, &row, 0, 2);
    sbl_rff_clear(&rff);
    for (size_t f = 0; f < 2; f++) { /* all cosines, then all sines, over sqrt(F) */
        phi[f] = (double)out[2 * f] / sqrt(2);
        phi[2 + f] = (double)out[2 * f + 1] / sqrt(2);
    }
}

TEST(features_match_the_worked_example)
{
    const double expected[] = {0.466678557924101, 0.680537383627730, 0.531235469047278, 0.192012680532103};
    double phi[4], other[4], norm = 0, product = 0;
    worked_example(phi, (const float[]){0.3f, -0.7f});
    worked_example(other, (const float[]){-0.2f, 0.4f});
    for (size_t i = 0; i < 4; i++) {
        assert_true(fabs(phi[i] - expected[i]) < 3e-7);
        norm += phi[i] * phi[i];
        product += phi[i] * other[i];
    }
    assert_true(fabs(norm - 1) < 5e-7);
    assert_true(fabs(product - 0.554149704358105) < 6e-7);
}

TEST(loss_and_gradient_match_the_worked_example)
{
    const double t[] = {0.1, 0.2, -0.3, 0.05};
    static const size_t starts[] = {0, 1};
    const float row_weight[] = {1}, class_weight[] = {0.5f}; /* 1 / F */
    float x[2 * 32] = {0}, gradient[2 * 32] = {0}, target[2 * SBL_FOURIER_PANEL] = {0};
    float slopes[SBL_FOURIER_SLOPES(32)], sines[SBL_FOURIER_SLOPES(32)];
    CLEARED(sbl_rff_clear) sbl_rff rff;
    set_frequencies(&rff);
    for (size_t f = 0; f < 2; f++) {
        target[2 * f] = (float)(t[f] * sqrt(2));
        target[2 * f + 1] = (float)(t[2 + f] * sqrt(2));
    }
    x[0] = 0.3f, x[32] = -0.7f;
    sbl_fourier_problem problem = {32, 2, 1, starts, row_weight, class_weight};
    double loss = sbl_fourier_slopes(slopes, sines, &problem, x, rff.panels, 2, target);
    sbl_fourier_gradient(gradient, slopes, &problem, rff.panels, 2, 0, 32);
    assert_true(fabs(loss - 1.07648934833924) < 1e-6);
    assert_true(fabs((double)gradient[0] - 0.206254115057061) < 1e-6);
    assert_true(fabs((double)gradient[32] - -0.384066395101399) < 1e-6);
}

static const size_t cardinalities[] = {3, 4};

static sbl_rff_rule rule_of(size_t count, const double *scales, size_t scale_count, const double *deviations,
                            size_t deviation_count, size_t joint)
{
    return (sbl_rff_rule){count,
                          .scales = scales,
                          .scale_count = scale_count,
                          .code_deviations = deviations,
                          .code_deviation_count = deviation_count,
                          .joint = joint,
                          .seed = 9};
}

static void make(sbl_rff *rff, size_t numeric, size_t categorical, const sbl_rff_rule *rule)
{
    CLEARED(sbl_record_shape_clear) sbl_record_shape shape;
    sbl_error err = {0};
    assert_ok(sbl_record_shape_init(&shape, numeric, cardinalities, categorical, 1, NULL));
    assert_ok(sbl_rff_init(rff, &shape, rule, &err));
}

/* Mean product over frequencies from .. to - 1 of the features of two records. */
static double kernel_estimate(const sbl_rff *rff, const float *xs, const uint32_t *entries, size_t from,
                              size_t to)
{
    static float out[2][2 * 20000];
    double product = 0;
    sbl_fourier_rows rows = {xs, rff->columns, entries, rff->codes, 2};
    sbl_rff_tile(rff, out[0], 2 * 20000, &rows, 0, rff->frequencies);
    for (size_t i = 2 * from; i < 2 * to; i++) product += (double)out[0][i] * (double)out[1][i];
    return product / (double)(to - from);
}

TEST(products_estimate_the_mean_of_gaussian_kernels)
{
    enum { D = 3, F = 20000, JOINT = 9984 };
    const double scales[] = {0.5, 2}, deviations[] = {0.4, 0.8};
    const float x[2 * D] = {0.1f, 0.5f, 0.9f, 0.4f, 0.2f, 0.6f};
    const uint32_t entries[] = {0, 5, 2, 5}; /* the first code differs */
    sbl_rff_rule rule = rule_of(F, scales, 2, deviations, 2, F / 2);
    CLEARED(sbl_rff_clear) sbl_rff rff;
    double distance = 0, numbers = 0, codes = 0;
    make(&rff, D, 2, &rule);
    assert_int_equal(rff.joint, JOINT);
    for (size_t i = 0; i < D; i++) distance += pow((double)x[i] - (double)x[D + i], 2);
    for (size_t i = 0; i < 2; i++) {
        numbers += 0.5 * exp(-distance / (2 * scales[i] * scales[i] * D / 6.0));
        codes += 0.5 * exp(-deviations[i] * deviations[i]);
    }
    assert_true(fabs(kernel_estimate(&rff, x, entries, JOINT, F) - numbers) < 0.04);
    assert_true(fabs(kernel_estimate(&rff, x, entries, 0, JOINT) - numbers * codes) < 0.04);
}

TEST(columns_have_lengths_of_their_own)
{
    enum { D = 3, F = 20000 };
    const double scales[] = {0.5, 2}, deviation = 0.3, lengths[D] = {0, 0.2, 0};
    const float x[2 * D] = {0.1f, 0.5f, 0.9f, 0.4f, 0.3f, 0.6f};
    sbl_rff_rule rule = rule_of(F, scales, 2, &deviation, 1, 0);
    sbl_rff rff;
    double others = 0;
    rule.lengths = lengths;
    make(&rff, D, 0, &rule);
    for (size_t i = 0; i < 2; i++) others += 0.5 * exp(-0.18 / (2 * scales[i] * scales[i] * D / 6.0));
    /* a length is in units of the column's range, whatever the number of columns */
    assert_true(fabs(kernel_estimate(&rff, x, NULL, 0, F) - others * exp(-0.04 / (2 * 0.04))) < 0.02);
    sbl_rff_clear(&rff);
}

TEST(metric_gives_its_mahalanobis_kernel)
{
    enum { D = 3, F = 20000 };
    const double scale = 1, deviation = 0.3;
    const float x[2 * D] = {0.1f, 0.5f, 0.9f, 0.3f, 0.4f, 0.8f};
    sbl_rff_rule rule = rule_of(F, &scale, 1, &deviation, 1, 0);
    sbl_rff rff;
    rule.metric = (sbl_metric){.count = 2, .columns = {0, 2}, .factor = {{30}, {18, 20}}};
    assert_ok(sbl_metric_factor(&rule.metric, NULL));
    make(&rff, D, 0, &rule);
    /* 30 .2^2 + 2 18 .2 (-.1) + 20 .1^2 = .68; the other column has length sqrt(d / 6) */
    const double want = exp(-0.68 / 2) * exp(-0.01 / (2 * D / 6.0));
    assert_true(fabs(kernel_estimate(&rff, x, NULL, 0, F) - want) < 0.02);
    sbl_rff_clear(&rff);
    rule.metric = (sbl_metric){.count = 2, .columns = {0, 2}, .factor = {{1}, {2, 4}}};
    assert_int_equal(sbl_metric_factor(&rule.metric, NULL), SBL_EARG);
}

TEST(codes_count_nowhere_or_everywhere_in_tables_of_one_kind)
{
    const double scale = 0.5, deviation = 0.3;
    sbl_rff_rule rule = rule_of(40, &scale, 1, &deviation, 1, 20);
    sbl_rff rff;
    make(&rff, 3, 0, &rule);
    assert_int_equal(rff.joint, 0);
    sbl_rff_clear(&rff);
    make(&rff, 0, 2, &rule);
    assert_int_equal(rff.joint, 40);
    sbl_rff_clear(&rff);
    make(&rff, 3, 2, &rule);
    assert_int_equal(rff.joint, 0); /* less than a panel */
    sbl_rff_clear(&rff);
}

TEST(tiles_of_frequencies_and_rows_give_the_same_bits)
{
    enum { D = 5, F = 100, ROWS = 19, WIDE = 2 * 128 };
    static float x[ROWS * D], whole[ROWS * WIDE], tile[ROWS * WIDE];
    static uint32_t entries[ROWS * 2];
    const double scale = 0.3, deviation = 0.5;
    sbl_rff_rule rule = rule_of(F, &scale, 1, &deviation, 1, 64);
    CLEARED(sbl_rff_clear) sbl_rff rff;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 2, SBL_RNG_OTHER, 0);
    for (size_t i = 0; i < ROWS * D; i++) x[i] = (float)sbl_model_rng_uniform(&rng);
    for (size_t i = 0; i < ROWS * 2; i++) entries[i] = (uint32_t)sbl_model_rng_below(&rng, 7);
    make(&rff, D, 2, &rule);
    sbl_fourier_rows all = {x, D, entries, 2, ROWS};
    sbl_rff_tile(&rff, whole, WIDE, &all, 0, F);
    for (size_t panels = 1; panels <= 3; panels++) {
        for (size_t first = 0; first < F; first += 32 * panels) {
            size_t count = F - first < 32 * panels ? F - first : 32 * panels;
            for (size_t r = 0; r < ROWS; r++) {
                sbl_fourier_rows one = {x + r * D, D, entries + r * 2, 2, 1};
                sbl_rff_tile(&rff, tile, 256, &one, first, count);
                assert_memory_equal(tile, whole + r * WIDE + 2 * first, 2 * count * sizeof(float));
            }
        }
    }
}

TEST(a_frequency_depends_on_seed_and_number_alone)
{
    const double scale = 1;
    sbl_rff_rule rule = rule_of(64, &scale, 1, &scale, 1, 32);
    sbl_rff small, large, other;
    make(&small, 4, 2, &rule);
    rule.frequencies = 96;
    make(&large, 4, 2, &rule);
    rule.seed = 6;
    make(&other, 4, 2, &rule);
    assert_memory_equal(small.panels, large.panels, 64 * 4 * sizeof(float));
    assert_memory_equal(small.code_panels, large.code_panels, 32 * 7 * sizeof(float));
    assert_memory_not_equal(large.panels, other.panels, 64 * 4 * sizeof(float));
    assert_memory_not_equal(large.code_panels, other.code_panels, 32 * 7 * sizeof(float));
    sbl_rff_clear(&small);
    sbl_rff_clear(&large);
    sbl_rff_clear(&other);
}

TEST(bad_arguments_are_refused)
{
    const double bad = 0, good = 1;
    CLEARED(sbl_record_shape_clear) sbl_record_shape shape;
    sbl_rff rff;
    sbl_rff_rule rules[] = {rule_of(32, &bad, 1, &good, 1, 0), rule_of(32, &good, 0, &good, 1, 0),
                            rule_of(32, &good, 1, &bad, 1, 0), rule_of(32, &good, 1, &good, 0, 0),
                            rule_of(0, &good, 1, &good, 1, 0), rule_of(32, &good, 1, &good, 1, 33)};
    assert_ok(sbl_record_shape_init(&shape, 1, NULL, 0, 1, NULL));
    for (size_t i = 0; i < 6; i++) assert_int_equal(sbl_rff_init(&rff, &shape, &rules[i], NULL), SBL_EARG);
    const sbl_record_shape empty = {0};
    const sbl_rff_rule rule = rule_of(32, &good, 1, &good, 1, 0);
    assert_int_equal(sbl_rff_init(&rff, &empty, &rule, NULL), SBL_EARG);
}
