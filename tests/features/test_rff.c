/* Random Fourier features: worked numbers, norm, kernel, and the rule that one row is one row. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "features/rff.h"
#include "random/model_rng.h"

/* Worked by hand with 40 digits: w = (0.5, -1), (1.5, 0.25). */
static const double frequencies[] = {0.5, -1, 1.5, 0.25};

static void worked_example(double phi[4], const float *x)
{
    sbl_rff rff;
    float out[2 * SBL_FOURIER_PANEL];
    assert_int_equal(sbl_rff_from_frequencies(&rff, frequencies, 2, 2, NULL), SBL_OK);
    sbl_rff_tile(&rff, out, 2 * SBL_FOURIER_PANEL, x, 2, 1, 0, 2);
    sbl_rff_clear(&rff);
    for (size_t f = 0; f < 2; f++) { /* all cosines, then all sines, over sqrt(F) */
        phi[f] = (double)out[2 * f] / sqrt(2);
        phi[2 + f] = (double)out[2 * f + 1] / sqrt(2);
    }
}

static void features_match_the_worked_example(void **state)
{
    (void)state;
    const double expected[] = {0.466678557924101, 0.680537383627730, 0.531235469047278,
                               0.192012680532103};
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

static void loss_and_gradient_match_the_worked_example(void **state)
{
    (void)state;
    const double t[] = {0.1, 0.2, -0.3, 0.05};
    static const size_t starts[] = {0, 1};
    const float row_weight[] = {1}, class_weight[] = {0.5f}; /* 1 / F */
    float x[2 * 32] = {0}, gradient[2 * 32] = {0}, target[2 * SBL_FOURIER_PANEL] = {0};
    float scratch[SBL_FOURIER_SCRATCH(32)];
    sbl_rff rff;
    assert_int_equal(sbl_rff_from_frequencies(&rff, frequencies, 2, 2, NULL), SBL_OK);
    for (size_t f = 0; f < 2; f++) {
        target[2 * f] = (float)(t[f] * sqrt(2));
        target[2 * f + 1] = (float)(t[2 + f] * sqrt(2));
    }
    x[0] = 0.3f, x[32] = -0.7f;
    sbl_fourier_problem problem = {32, 2, 1, starts, row_weight, class_weight};
    double loss = sbl_fourier_loss(gradient, scratch, &problem, x, rff.panels, 2, target);
    assert_true(fabs(loss - 1.07648934833924) < 1e-6);
    assert_true(fabs((double)gradient[0] - 0.206254115057061) < 1e-6);
    assert_true(fabs((double)gradient[32] - -0.384066395101399) < 1e-6);
    sbl_rff_clear(&rff);
}

static void products_estimate_the_mean_of_gaussian_kernels(void **state)
{
    (void)state;
    enum { D = 3, F = 20000 };
    static float out[2][2 * F];
    const double scales[] = {0.5, 2};
    const float x[2 * D] = {0.1f, 0.5f, 0.9f, 0.4f, 0.2f, 0.6f};
    sbl_rff rff;
    double product = 0, distance = 0;
    assert_int_equal(sbl_rff_init(&rff, D, F, scales, 2, 9, NULL), SBL_OK);
    for (size_t r = 0; r < 2; r++)
        sbl_rff_tile(&rff, out[r], 2 * F, x + r * D, D, 1, 0, F);
    for (size_t i = 0; i < 2 * F; i++) product += (double)out[0][i] * (double)out[1][i];
    for (size_t i = 0; i < D; i++) distance += pow((double)x[i] - (double)x[D + i], 2);
    double unit2 = D / 6.0, kernel = 0.5 * (exp(-distance / (2 * 0.25 * unit2)) +
                                            exp(-distance / (2 * 4 * unit2)));
    assert_true(fabs(product / F - kernel) < 5 / sqrt(F));
    sbl_rff_clear(&rff);
}

static void tiles_of_frequencies_and_rows_give_the_same_bits(void **state)
{
    (void)state;
    enum { D = 5, F = 100, ROWS = 19, WIDE = 2 * 128 };
    static float x[ROWS * D], whole[ROWS * WIDE], tile[ROWS * WIDE];
    const double scale = 0.3;
    sbl_rff rff;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 2, SBL_RNG_OTHER, 0);
    for (size_t i = 0; i < ROWS * D; i++) x[i] = (float)sbl_model_rng_uniform(&rng);
    assert_int_equal(sbl_rff_init(&rff, D, F, &scale, 1, 1, NULL), SBL_OK);
    sbl_rff_tile(&rff, whole, WIDE, x, D, ROWS, 0, F);
    for (size_t first = 0; first < F; first += 32) {
        size_t count = F - first < 32 ? F - first : 32;
        for (size_t r = 0; r < ROWS; r++) {
            sbl_rff_tile(&rff, tile, 64, x + r * D, D, 1, first, count);
            assert_memory_equal(tile, whole + r * WIDE + 2 * first, 2 * count * sizeof(float));
        }
    }
    sbl_rff_clear(&rff);
}

static void a_frequency_depends_on_seed_and_number_alone(void **state)
{
    (void)state;
    const double scale = 1;
    sbl_rff small, large, other;
    assert_int_equal(sbl_rff_init(&small, 4, 32, &scale, 1, 5, NULL), SBL_OK);
    assert_int_equal(sbl_rff_init(&large, 4, 96, &scale, 1, 5, NULL), SBL_OK);
    assert_int_equal(sbl_rff_init(&other, 4, 32, &scale, 1, 6, NULL), SBL_OK);
    assert_memory_equal(small.panels, large.panels, 32 * 4 * sizeof(float));
    assert_memory_not_equal(small.panels, other.panels, 32 * 4 * sizeof(float));
    sbl_rff_clear(&small);
    sbl_rff_clear(&large);
    sbl_rff_clear(&other);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    const double bad = 0, good = 1;
    sbl_rff rff;
    assert_int_equal(sbl_rff_init(&rff, 4, 32, &bad, 1, 5, NULL), SBL_EARG);
    assert_int_equal(sbl_rff_init(&rff, 4, 32, &good, 0, 5, NULL), SBL_EARG);
    assert_int_equal(sbl_rff_init(&rff, 0, 32, &good, 1, 5, NULL), SBL_EARG);
    assert_int_equal(sbl_rff_init(&rff, 4, 0, &good, 1, 5, NULL), SBL_EARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_match_the_worked_example),
        cmocka_unit_test(loss_and_gradient_match_the_worked_example),
        cmocka_unit_test(products_estimate_the_mean_of_gaussian_kernels),
        cmocka_unit_test(tiles_of_frequencies_and_rows_give_the_same_bits),
        cmocka_unit_test(a_frequency_depends_on_seed_and_number_alone),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
