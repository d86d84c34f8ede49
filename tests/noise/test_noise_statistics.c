/* SPDX-License-Identifier: Apache-2.0 */
/* Do the samplers have the law they claim? The text of the samplers is compiled here once more, so
 * that scales other than 2^56 can be drawn. One source, three programs (CMakeLists.txt): under the
 * test key with 1e6 draws a test, under the test key with the full sizes, and with fresh keys and
 * the full sizes, where all assertions together raise a false alarm with probability below 1e-9. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "door/noise/bit_source.h"
#include "door/noise/constant_flow.h"
#include "door/noise/exact_draw.h"
#include "statistics.h"
#include "support/cmocka_all.h"

#ifndef SBL_STAT_DRAWS
#define SBL_STAT_DRAWS 1000000u
#define SBL_STAT_LONG_DRAWS 1000000u
#endif

#define CELLS 64

typedef int64_t draw(sbl_noise *noise);

static int64_t exact_2(sbl_noise *noise) { return sbl_draw_gaussian(noise, 2); }
static int64_t exact_40(sbl_noise *noise) { return sbl_draw_gaussian(noise, 40); }
static int64_t exact_56(sbl_noise *noise) { return sbl_draw_gaussian(noise, 56); }
static int64_t constant_flow_41(sbl_noise *noise) { return sbl_draw_constant_flow(noise, 8); }
static int64_t constant_flow_56(sbl_noise *noise) { return sbl_draw_constant_flow(noise, 11); }

static int open_noise(void **state)
{
    sbl_noise *noise;
    if (sbl_keystream_open(&noise, NULL) != SBL_OK) return 1;
    *state = noise;
    return 0;
}

static int close_noise(void **state)
{
    const sbl_noise *noise = *state;
    const bool failed = noise->failed;
    sbl_keystream_close(*state);
    return failed;
}

static void check_below(const char *what, double value, double limit)
{
    print_message("    %-44s %12.4g   limit %g\n", what, value, limit);
    assert_true(fabs(value) <= limit);
}

TEST(gaussian_of_scale_4_has_the_exact_probabilities)
{
    enum { LAST = 16 };
    uint64_t observed[2 * LAST + 1] = {0};
    double expected[2 * LAST + 1] = {0};
    double total = 0;
    for (int y = -300; y <= 300; y++) total += exp(-y * y / 32.0);
    for (int y = -300; y <= 300; y++) {
        const int cell = y < -LAST ? -LAST : y > LAST ? LAST : y;
        expected[cell + LAST] += SBL_STAT_DRAWS * exp(-y * y / 32.0) / total;
    }
    for (size_t i = 0; i < SBL_STAT_DRAWS; i++) {
        const int64_t y = exact_2(*state);
        observed[(y < -LAST ? -LAST : y > LAST ? LAST : y) + LAST]++;
    }
    check_below("chi2(32)", chi_square(observed, expected, 2 * LAST + 1), LIMIT_CHI2_32);
}

/* What a sample is reduced to. */
typedef struct summary {
    uint64_t cell[CELLS]; /* of equal probability */
    uint64_t low_byte[256];
    uint64_t beyond[6]; /* [j]: |y| > j sigma */
    double mean, square, fourth;
} summary;

static void summarise(summary *result, draw *sampler, unsigned k, sbl_noise *noise)
{
    double bounds[CELLS - 1];
    for (int i = 0; i < CELLS - 1; i++) bounds[i] = normal_quantile((i + 1.0) / CELLS);
    memset(result, 0, sizeof *result);
    for (size_t i = 0; i < SBL_STAT_DRAWS; i++) {
        const int64_t y = sampler(noise);
        const double x = ldexp((double)y, -(int)k);
        result->cell[cell_of(x, bounds, CELLS - 1)]++;
        result->low_byte[(uint64_t)y % 256]++;
        for (int64_t j = 1; j <= 5; j++) result->beyond[j] += llabs(y) > j << k;
        result->mean += x / SBL_STAT_DRAWS;
        result->square += x * x;
        result->fourth += x * x * x * x / SBL_STAT_DRAWS;
    }
}

static void check_law(draw *sampler, unsigned k, bool tails, sbl_noise *noise)
{
    summary s;
    double uniform[256];
    summarise(&s, sampler, k, noise);
    for (int i = 0; i < CELLS; i++) uniform[i] = (double)SBL_STAT_DRAWS / CELLS;
    check_below("probability transform, chi2(63)", chi_square(s.cell, uniform, CELLS), LIMIT_CHI2_63);
    for (int i = 0; i < 256; i++) uniform[i] = SBL_STAT_DRAWS / 256.0;
    check_below("low byte, chi2(255)", chi_square(s.low_byte, uniform, 256), LIMIT_CHI2_255);
    check_below("mean, z", s.mean * sqrt(SBL_STAT_DRAWS), LIMIT_Z);
    check_below("variance, z", z_of_chi_square(s.square, SBL_STAT_DRAWS), LIMIT_Z);
    print_message("    kurtosis %.5f (not tested: 3)\n", s.fourth);
    for (int j = 1; tails && j <= 5; j++) {
        const double p = binomial_p_value(s.beyond[j], SBL_STAT_DRAWS, erfc(j / sqrt(2)));
        print_message("    beyond %d sigma: %llu, p = %.3g\n", j, (unsigned long long)s.beyond[j], p);
        assert_true(p >= LIMIT_P);
    }
}

TEST(gaussian_exact_of_scale_2_to_40_has_its_law) { check_law(exact_40, 40, false, *state); }

TEST(gaussian_exact_of_scale_2_to_56_has_its_law) { check_law(exact_56, 56, true, *state); }

TEST(gaussian_constant_flow_of_scale_2_to_41_has_its_law) { check_law(constant_flow_41, 41, false, *state); }

TEST(gaussian_constant_flow_of_scale_2_to_56_has_its_law) { check_law(constant_flow_56, 56, true, *state); }

TEST(gaussian_exact_and_constant_flow_are_the_same_law)
{
    double bounds[255];
    uint64_t cells[2][256] = {{0}};
    for (int i = 0; i < 255; i++) bounds[i] = normal_quantile((i + 1) / 256.0);
    for (size_t i = 0; i < SBL_STAT_LONG_DRAWS; i++) {
        cells[0][cell_of(ldexp((double)exact_56(*state), -56), bounds, 255)]++;
        cells[1][cell_of(ldexp((double)constant_flow_56(*state), -56), bounds, 255)]++;
    }
    check_below("two samples, chi2(255)", chi_square_two_samples(cells[0], cells[1], 256), LIMIT_CHI2_255);
}

TEST(laplace_of_scale_2_to_56_has_its_law)
{
    uint64_t observed[CELLS] = {0};
    double expected[CELLS];
    double bounds[CELLS - 1];
    for (int i = 0; i < CELLS; i++) expected[i] = (double)SBL_STAT_DRAWS / CELLS;
    for (int i = 0; i < CELLS - 1; i++) {
        const double p = (i + 1.0) / CELLS;
        bounds[i] = p < 0.5 ? log(2 * p) : -log(2 * (1 - p));
    }
    for (size_t i = 0; i < SBL_STAT_DRAWS; i++) {
        const double x = ldexp((double)sbl_draw_laplace(*state, 56), -56);
        observed[cell_of(x, bounds, CELLS - 1)]++;
    }
    check_below("chi2(63)", chi_square(observed, expected, CELLS), LIMIT_CHI2_63);
}

TEST(bernoulli_exp_has_its_probability)
{
    const uint64_t one = UINT64_C(1) << 56;
    const uint64_t numerators[] = {0, one / 3, one / 2, one};
    for (int i = 0; i < 4; i++) {
        uint64_t hits = 0;
        for (size_t j = 0; j < SBL_STAT_LONG_DRAWS; j++) hits += sbl_bernoulli_exp(*state, numerators[i], 56);
        if (numerators[i] == 0)
            assert_int_equal(hits, SBL_STAT_LONG_DRAWS);
        else
            check_below("z", z_of_count(hits, SBL_STAT_LONG_DRAWS, exp(-ldexp((double)numerators[i], -56))),
                        LIMIT_Z);
    }
}

static void check_signs(unsigned k, bool laplace, sbl_noise *noise)
{
    const double scale = ldexp(1, (int)k);
    double total = 1;
    for (int y = 1; y < 400; y++)
        total += 2 * (laplace ? exp(-y / scale) : exp(-0.5 * y * y / (scale * scale)));
    uint64_t zero = 0;
    uint64_t positive = 0;
    for (size_t i = 0; i < SBL_STAT_LONG_DRAWS; i++) {
        const int64_t y = laplace ? (int64_t)sbl_draw_laplace(noise, k) : sbl_draw_gaussian(noise, k);
        zero += y == 0;
        positive += y > 0;
    }
    check_below("zero, z", z_of_count(zero, SBL_STAT_LONG_DRAWS, 1 / total), LIMIT_Z);
    check_below("sign, z", z_of_count(positive, SBL_STAT_LONG_DRAWS - zero, 0.5), LIMIT_Z);
}

TEST(laplace_of_small_scale_is_symmetric_and_zero_is_not_doubled)
{
    for (unsigned k = 0; k <= 2; k++) check_signs(k, true, *state);
}

TEST(gaussian_of_small_scale_is_symmetric_and_zero_is_not_doubled)
{
    for (unsigned k = 0; k <= 2; k++) check_signs(k, false, *state);
}

/* Assertions at p <= 2e-11: 1 + 4 * 4 + 2 * 5 + 1 + 1 + 3 + 6 + 6 = 44. */

EACH_TEST(open_noise, close_noise)
