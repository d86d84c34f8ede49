/* SPDX-License-Identifier: Apache-2.0 */
/* A budget of precision goes where it lowers the error most. */
#include <math.h>

#include "after/counts/table_math.h"
#include "base/random/model_rng.h"
#include "support/cmocka_all.h"
#include "support/near.h"

#define TABLES 12
#define ENTRIES 20

typedef struct problem {
    double variance[TABLES][ENTRIES], weight[TABLES], budget;
    sbl_slopes slopes[TABLES];
} problem;

static void make(problem *p, uint64_t trial)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 8, SBL_RNG_OTHER, trial);
    *p = (problem){.budget = 100 * exp(3 * sbl_model_rng_normal(&rng))};
    for (size_t t = 0; t < TABLES; t++) {
        p->weight[t] = t % 4 == 0 ? 4 : 1;
        for (size_t i = 0; i < ENTRIES; i++) {
            p->variance[t][i] = exp(3 * sbl_model_rng_normal(&rng) - 4);
            sbl_slopes_add(&p->slopes[t], p->variance[t][i], p->weight[t], p->budget);
        }
    }
}

static double error_of(const problem *p, const double *precision)
{
    double sum = 0;
    for (size_t t = 0; t < TABLES; t++)
        for (size_t i = 0; i < ENTRIES; i++)
            sum += p->weight[t] * sqrt(2 / 3.14159265358979) *
                   sqrt(p->variance[t][i] / (1 + p->variance[t][i] * precision[t]));
    return sum;
}

TEST(the_budget_is_met_and_no_shift_is_better)
{
    for (uint64_t trial = 0; trial < 40; trial++) {
        problem p;
        double precision[TABLES], sum = 0;
        make(&p, trial);
        sbl_allocate(precision, p.slopes, TABLES, p.budget, 0);
        for (size_t t = 0; t < TABLES; t++) {
            assert_true(precision[t] >= 0);
            sum += precision[t];
        }
        assert_near(sum / p.budget, 1, 1e-12);
        const double error = error_of(&p, precision);
        for (size_t a = 0; a < TABLES; a++)
            for (size_t b = 0; b < TABLES; b++) {
                double moved[TABLES];
                const double step = fmin(0.02 * p.budget, precision[a]);
                for (size_t t = 0; t < TABLES; t++) moved[t] = precision[t];
                moved[a] -= step;
                moved[b] += step;
                assert_true(error_of(&p, moved) >= error * (1 - 1e-5));
            }
    }
}

TEST(slopes_are_the_derivative_of_the_error)
{
    sbl_slopes slopes = {0};
    const double budget = 50, s = 0.3, h = 1e-5;
    sbl_slopes_add(&slopes, s, 2, budget);
    for (size_t point = 0; point < SBL_SLOPE_POINTS; point++) {
        const double w = sbl_allocate_point(point, budget);
        const double up = sqrt(s / (1 + s * (w + h))), down = sqrt(s / (1 + s * w));
        assert_near(slopes.at[point], 2 * sqrt(2 / 3.14159265358979) * (down - up) / h, 1e-5);
    }
}

TEST(a_table_too_small_to_matter_gets_nothing)
{
    sbl_slopes slopes[2] = {{{0}}, {{0}}};
    double precision[2];
    for (size_t i = 0; i < 50; i++) sbl_slopes_add(&slopes[0], 0.1, 1, 100);
    sbl_slopes_add(&slopes[1], 1, 0.02, 100);
    sbl_allocate(precision, slopes, 2, 100, 0.1);
    assert_near(precision[0], 100, 1e-9);
    assert_near(precision[1], 0, 0);
}

TEST(without_any_use_nothing_is_bought)
{
    const sbl_slopes slopes[2] = {{{0}}, {{0}}};
    double precision[2];
    sbl_allocate(precision, slopes, 2, 100, 0.1);
    assert_near(precision[0] + precision[1], 0, 0);
}
