/* SPDX-License-Identifier: Apache-2.0 */
/* The combining rule: numbers by hand, Student's quantiles, refusals, and how often its intervals hold the truth on
 * simulated replicates. The same simulation refuses Rubin's rule for missing data, which adds the variance within. */
#include <math.h>
#include <string.h>

#include "after/combine/student.h"
#include "base/random/model_rng.h"
#include "semblance/combine.h"
#include "support/cmocka_all.h"
#include "support/near.h"

/* mpmath, 40 digits: the root of I(degrees / 2, 1 / 2) = 1 - level. */
static const struct {
    double level, degrees, t;
} quantiles[] = {
    {0.5, 0.5, 1.5537739740300373},     {0.5, 1, 1.0},
    {0.9, 3.7, 2.182493803914602},      {0.95, 0.5, 164.55767348048853},
    {0.95, 1, 12.706204736174705},      {0.95, 2, 4.3026527297494639},
    {0.95, 5.2, 2.541127164326108},     {0.95, 19, 2.0930240544083098},
    {0.95, 99, 1.9842169515864175},     {0.95, 101, 1.9837310029556062},
    {0.95, 1234.5, 1.9618874833313456}, {0.95, 999999, 1.9599663568164793},
    {0.95, 1e6, 1.959966356814107},     {0.95, INFINITY, 1.9599639845400542},
    {0.99, 49.9, 2.6780051061466894},   {0.99, 50.1, 2.6775823120211167},
    {0.999, 0.5, 411396.46252617139},   {0.999, 19, 3.8834058525920829},
};

TEST(quantiles_of_student_are_known_values)
{
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
        assert_near(sbl_student_central(quantiles[i].level, quantiles[i].degrees) / quantiles[i].t, 1.0,
                    2e-10);
}

static sbl_combined combine(const double *estimates, const double *variances, size_t count, double ratio)
{
    sbl_combined combined = {.struct_size = sizeof combined};
    sbl_combine_options options;
    sbl_combine_options_init(&options);
    options.row_ratio = ratio;
    assert_int_equal(sbl_combine(&combined, estimates, variances, count, &options, NULL), SBL_OK);
    return combined;
}

/* q = 2.5, b = 5/3, u = .25: T = 5/4 5/3 - 1/4 = 11/6, nu = 3 (22/25)^2. */
TEST(numbers_are_those_of_the_formula)
{
    const double estimates[] = {1, 2, 3, 4}, variances[] = {0.1, 0.2, 0.3, 0.4};
    const sbl_combined c = combine(estimates, variances, 4, 1);
    assert_near(c.estimate, 2.5, 1e-15);
    assert_near(c.between, 5.0 / 3, 1e-15);
    assert_near(c.within, 0.25, 1e-15);
    assert_near(c.standard_error, sqrt(11.0 / 6), 1e-15);
    assert_near(c.degrees_of_freedom, 3 * 0.88 * 0.88, 1e-14);
    const double half = sbl_student_central(0.95, 3 * 0.88 * 0.88) * sqrt(11.0 / 6);
    assert_near(c.low, 2.5 - half, 1e-13);
    assert_near(c.high, 2.5 + half, 1e-13);
    assert_near(c.privacy_share, 1 - 1.95996398454005 * 0.5 / half, 1e-10);
}

/* The interval is not narrower than the real table's, which has n = m / r rows: T >= r u + (1 + r) u / M. */
TEST(estimates_that_agree_by_chance_keep_the_real_tables_width)
{
    const double same[] = {7, 7, 7, 7, 7}, variances[] = {4, 4, 4, 4, 4}, none[5] = {0};
    for (double r = 0.1; r < 20; r *= 3) {
        const sbl_combined c = combine(same, variances, 5, r);
        assert_near(c.standard_error, sqrt(4 * (r + (1 + r) / 5)), 1e-14);
        assert_true(isinf(c.degrees_of_freedom) && c.privacy_share > 0 && c.privacy_share < 1);
    }
    const sbl_combined point = combine(same, none, 5, 1);
    assert_true(point.low == 7 && point.high == 7 && point.privacy_share == 0);
}

TEST(width_has_no_jump_where_the_least_variance_begins)
{
    const double variances[] = {1, 1, 1, 1};
    double width[2];
    for (int side = 0; side < 2; side++) {
        /* T = 5/4 b - 1 is 3/2 at b = 2. */
        const double d = sqrt(2.0 * 3 / 4) * (side == 0 ? 1 - 1e-9 : 1 + 1e-9);
        const double estimates[] = {-d, d, -d, d};
        const sbl_combined c = combine(estimates, variances, 4, 1);
        width[side] = c.high - c.low;
    }
    assert_near(width[0] / width[1], 1.0, 1e-7);
}

TEST(what_is_not_a_result_is_refused_by_name)
{
    const double good[] = {1, 2}, bad[] = {1, NAN}, negative[] = {1, -1}, huge[] = {-1e300, 1e300};
    sbl_combined c = {.struct_size = sizeof c};
    sbl_combine_options options;
    sbl_error err;
    assert_int_equal(sbl_combine(&c, good, good, 1, NULL, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "1 replicate:"));
    assert_int_equal(sbl_combine(&c, bad, good, 2, NULL, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "estimate 2"));
    assert_int_equal(sbl_combine(&c, good, negative, 2, NULL, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "variance 2"));
    assert_int_equal(sbl_combine(&c, huge, good, 2, NULL, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "too large"));
    const double wrong[] = {-1, 1, 2, NAN, INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sbl_combine_options_init(&options);
        options.level = wrong[i];
        assert_int_equal(sbl_combine(&c, good, good, 2, &options, &err), SBL_EARG);
        sbl_combine_options_init(&options);
        options.row_ratio = wrong[i] > 0 && wrong[i] < INFINITY ? -wrong[i] : wrong[i];
        assert_int_equal(sbl_combine(&c, good, good, 2, &options, &err), SBL_EARG);
        assert_non_null(strstr(err.message, "row_ratio"));
    }
}

/* ---- coverage ---- */

#define STUDIES 2000
#define MOST 20

typedef struct study {
    size_t replicates;
    double ratio; /* rows of a replicate over those of the real table */
    double noise; /* variance of the privacy noise over the sampling variance of the real table */
} study;

/* n real rows ~ N(0, 1), their mean released with noise, a flat prior: the posterior of the true mean 0 is normal around
 * the release with variance (1 + noise) / n. A replicate is m rows around a draw of it. With n = 100. */
static void draw_study(double *estimates, double *variances, const study *s, sbl_model_rng *rng)
{
    const double n = 100, m = n * s->ratio, spread = sqrt((1 + s->noise) / n);
    const double released = spread * sbl_model_rng_normal(rng);
    for (size_t i = 0; i < s->replicates; i++) {
        const double centre = released + spread * sbl_model_rng_normal(rng);
        estimates[i] = centre + sbl_model_rng_normal(rng) / sqrt(m);
        /* The sample variance of m rows is about normal around 1. */
        variances[i] = fabs(1 + sqrt(2 / m) * sbl_model_rng_normal(rng)) / m;
    }
}

/* The shares of 95 % intervals that hold 0: ours, and with Rubin's T = u + (1 + 1/M) b. */
static void cover(double *ours, double *rubins, const study *s)
{
    double estimates[MOST], variances[MOST];
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 47, SBL_RNG_OTHER, 0);
    *ours = *rubins = 0;
    for (int i = 0; i < STUDIES; i++) {
        draw_study(estimates, variances, s, &rng);
        const sbl_combined c = combine(estimates, variances, s->replicates, s->ratio);
        const double m = (double)s->replicates, more = (1 + 1 / m) * c.between;
        const double degrees = (m - 1) * pow(1 + c.within / more, 2);
        *ours += (c.low <= 0 && 0 <= c.high) / (double)STUDIES;
        *rubins += (fabs(c.estimate) <= sbl_student_central(0.95, degrees) * sqrt(c.within + more)) /
                   (double)STUDIES;
    }
}

static int is_valid(double coverage) { return coverage >= 0.935 && coverage <= 0.985; }

TEST(intervals_cover_as_they_say)
{
    static const double noises[] = {0, 0.5, 2, 20}, ratios[] = {0.2, 1, 5};
    static const size_t counts[] = {10, 20};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < 2; k++) {
                const study s = {.replicates = counts[k], .ratio = ratios[j], .noise = noises[i]};
                double ours, rubins;
                cover(&ours, &rubins, &s);
                if (!is_valid(ours))
                    fail_msg("M %zu, ratio %g, noise %g: coverage %g", s.replicates, s.ratio, s.noise, ours);
            }
}

TEST(the_simulation_tells_rubins_rule_from_ours)
{
    const study s = {.replicates = 20, .ratio = 1, .noise = 0.5};
    double ours, rubins;
    cover(&ours, &rubins, &s);
    assert_true(is_valid(ours));
    assert_false(is_valid(rubins));
    assert_true(rubins > ours);
}
