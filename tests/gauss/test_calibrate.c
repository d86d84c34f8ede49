/* SPDX-License-Identifier: Apache-2.0 */
/* Rows taken back to columns have the means and frequencies that the Gaussian had. */
#include <math.h>
#include <stdlib.h>

#include "after/gauss/gauss_fit.h"
#include "after/sample/gauss_sampler.h"
#include "base/random/model_rng.h"
#include "support/cmocka_all.h"
#include "support/near.h"
#include "support/ron_release.h"

static double clamp(double value) { return value < -1 ? -1 : value > 1 ? 1 : value; }

TEST(clamped_gaussian_has_the_wanted_mean_and_deviation)
{
    static const double cases[][2] = {{0, 0.1},    {0, 0.5},    {0.7, 0.3}, {-0.9, 0.2},
                                      {0.95, 0.1}, {-0.5, 0.6}, {0.2, 0.7}};
    enum { DRAWS = 200000 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double mean = cases[i][0], deviation = cases[i][1], sum = 0, square = 0;
        sbl_model_rng rng;
        sbl_unclamp(&mean, &deviation);
        sbl_model_rng_init(&rng, 1, SBL_RNG_OTHER, i);
        for (size_t d = 0; d < DRAWS; d++) {
            const double x = clamp(mean + deviation * sbl_model_rng_normal(&rng));
            sum += x / DRAWS;
            square += x * x / DRAWS;
        }
        assert_near(sum, cases[i][0], 0.01);
        assert_near(sqrt(square - sum * sum), cases[i][1], 0.01);
    }
}

/* What no clamped Gaussian has is approached, not followed for ever. */
TEST(impossible_moments_stay_finite)
{
    static const double cases[][2] = {{1, 0.5}, {-5, 3}, {0, 2}, {0.999, 0}, {0, 0}};
    for (size_t i = 0; i < 5; i++) {
        double mean = cases[i][0], deviation = cases[i][1];
        sbl_unclamp(&mean, &deviation);
        assert_true(fabs(mean) <= 8 && deviation > 0 && deviation <= 4);
    }
}

/* A skewed number, and categories of which one is rare. */
TEST(drawn_columns_have_the_means_of_the_model)
{
    enum { ROWS = 40000, WIDTH = 5 };
    sbl_unit_record record;
    sbl_gauss_model model;
    sbl_error err = {0};
    double *numbers = malloc(ROWS * 2 * sizeof *numbers), mean = 0, first = 0;
    uint32_t *codes = malloc(ROWS * 2 * sizeof *codes), *labels = malloc(ROWS * sizeof *labels);
    float point[WIDTH] = {0};
    ron_record(&record, 2, true, 1, false, true);
    assert_ok(sbl_gauss_model_init(&model, &record, false, WIDTH, WIDTH, &err));
    model.shares[0] = 1;
    /* The mean of 5 % of code 0, 25 % of code 1, 70 % of code 2; its own covariance p - p p^T. */
    static const double shares[3] = {0.05, 0.25, 0.7};
    const double numeric[2] = {0.05, 0.5};
    for (uint32_t code = 0; code < 3; code++) {
        const uint32_t row[2] = {code, 1};
        (void)sbl_unit_record_encode(&record, point, numeric, row, NULL);
        for (size_t i = 0; i < WIDTH; i++) model.means[i] += (float)shares[code] * point[i];
        for (size_t i = 0; i < WIDTH; i++)
            model.factors[code * WIDTH + i] = (float)sqrt(shares[code]) * point[i];
    }
    for (size_t g = 0; g < 3; g++) /* less the mean: rank 2, the covariance of the one-hot vector */
        for (size_t i = 2; i < 4; i++)
            model.factors[g * WIDTH + i] -= (float)sqrt(shares[g]) * model.means[i];
    for (size_t g = 0; g < 3; g++) model.factors[g * WIDTH] = model.factors[g * WIDTH + 1] = 0;
    for (size_t g = 0; g < 3; g++) model.factors[g * WIDTH + 4] = 0;
    model.factors[3 * WIDTH] = 0.1F; /* of a number whose bounds are 1/2 */
    model.factors[4 * WIDTH + 1] = 0.02F;
    assert_ok(sbl_gauss_calibrate(&model, &err));
    assert_ok(sbl_gauss_draw(&model, numbers, codes, labels, 3, 0, ROWS, 0, &err));
    double drawn[3] = {0};
    for (size_t r = 0; r < ROWS; r++) {
        mean += numbers[2 * r + 1] / ROWS;
        first += numbers[2 * r] / ROWS;
        drawn[codes[2 * r]] += 1.0 / ROWS;
    }
    assert_near(first, 0.05, 0.003);
    assert_near(mean, 0.5, 0.003);
    for (size_t j = 0; j < 3; j++) assert_near(drawn[j], shares[j], 0.02);
    free(numbers), free(codes), free(labels);
    sbl_gauss_model_clear(&model);
    sbl_unit_record_clear(&record);
}
