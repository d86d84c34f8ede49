/* SPDX-License-Identifier: Apache-2.0 */
/* The decision: what fits, what just fits, and what just does not. */
#include "public/account/budget.h"

#include <stdlib.h>

#include "account/check.h"

static sbl_budget budget_of(const char *epsilon, const char *delta)
{
    sbl_budget budget = {0};
    (void)snprintf(budget.epsilon, sizeof budget.epsilon, "%s", epsilon);
    (void)snprintf(budget.delta, sizeof budget.delta, "%s", delta);
    return budget;
}

/* Totals of one Gaussian release of mu with this many draws, charged as the door would. */
static sbl_totals gaussian_totals(double mu, uint64_t draws)
{
    const sbl_sensitivity block = {.same_label = 4};
    const double weight = 1.0;
    uint64_t m;
    sbl_u128 joint;
    sbl_totals totals = {.releases = 1, .gaussian_releases = 1};
    assert_ok(
        sbl_choose_multipliers(&m, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, &block, &weight, 1, mu, NULL));
    assert_ok(sbl_joint_sensitivity(&joint, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, &block, &m, 1, NULL));
    assert_ok(sbl_charge_from_joint(&totals.charge, SBL_DISCRETE_GAUSSIAN, joint, draws, NULL));
    return totals;
}

static sbl_totals pure_totals(double epsilon0)
{
    sbl_totals totals = {.releases = 1};
    assert_ok(sbl_fixed96_from_double_up(&totals.charge.eps0, epsilon0, NULL));
    return totals;
}

static double calibrated(double epsilon, double delta)
{
    double mu;
    assert_ok(sbl_gdp_mu(&mu, epsilon, delta, NULL));
    return mu;
}

static double calibrated_for(double epsilon, double delta, uint64_t draws)
{
    double mu;
    assert_ok(sbl_release_mu(&mu, epsilon, delta, draws, NULL));
    return mu;
}

static sbl_u128 fixed_up(double number)
{
    sbl_u128 value;
    assert_ok(sbl_fixed96_from_double_up(&value, number, NULL));
    return value;
}

TEST(well_formed_budgets_are_accepted)
{
    const char *const pairs[][2] = {
        {"1", "1e-5"}, {"0.1", "0"}, {"inf", "1e-9"}, {"inf", "0"}, {"1e-300", "0.999"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const sbl_budget budget = budget_of(pairs[i][0], pairs[i][1]);
        assert_ok(sbl_budget_validate(&budget, NULL));
    }
}

TEST(malformed_budgets_are_refused_by_field)
{
    const char *const epsilons[] = {"", "0", "-1", "nan", "abc", "1 ", "1e999", "INF", "-inf", "1,5"};
    const char *const deltas[] = {"", "1", "-1e-9", "nan", "inf", "x", "1e-5x"};
    sbl_error err;
    const sbl_totals nothing = {0};
    for (size_t i = 0; i < sizeof epsilons / sizeof epsilons[0]; i++) {
        const sbl_budget budget = budget_of(epsilons[i], "1e-5");
        assert_refused(sbl_budget_validate(&budget, &err), SBL_EARG, err);
        assert_non_null(strstr(err.message, "epsilon"));
        assert_refused(sbl_budget_check(&budget, &nothing, &err), SBL_EARG, err);
    }
    for (size_t i = 0; i < sizeof deltas / sizeof deltas[0]; i++) {
        const sbl_budget budget = budget_of("1", deltas[i]);
        assert_refused(sbl_budget_validate(&budget, &err), SBL_EARG, err);
        assert_non_null(strstr(err.message, "delta"));
    }
    sbl_budget unterminated = budget_of("1", "1e-5");
    memset(unterminated.epsilon, '1', sizeof unterminated.epsilon);
    assert_refused(sbl_budget_validate(&unterminated, &err), SBL_EARG, err);
    unterminated = budget_of("1", "1e-5");
    memset(unterminated.delta, '0', sizeof unterminated.delta);
    assert_refused(sbl_budget_validate(&unterminated, &err), SBL_EARG, err);
}

TEST(a_calibrated_release_just_fits_and_a_larger_one_does_not)
{
    const char *const epsilons[] = {"0.1", "0.3", "1", "2", "5", "10", "20", "35"};
    const char *const deltas[] = {"1e-12", "1e-9", "1e-5", "0.01", "0.5"};
    for (size_t i = 0; i < sizeof epsilons / sizeof epsilons[0]; i++)
        for (size_t j = 0; j < sizeof deltas / sizeof deltas[0]; j++) {
            const sbl_budget budget = budget_of(epsilons[i], deltas[j]);
            const double mu = calibrated_for(atof(epsilons[i]), atof(deltas[j]), 1000);
            sbl_totals totals = gaussian_totals(mu, 1000);
            sbl_error err;
            assert_ok(sbl_budget_check(&budget, &totals, NULL));
            totals.charge.mu2 += totals.charge.mu2 / 1000000000; /* 5e-10 more of mu */
            assert_refused(sbl_budget_check(&budget, &totals, &err), SBL_EBUDGET, err);
            assert_non_null(strstr(err.message, epsilons[i]));
        }
}

TEST(two_half_charges_fill_the_budget_and_a_third_does_not_fit)
{
    const sbl_budget budget = budget_of("1", "1e-5");
    const sbl_totals half = gaussian_totals(calibrated(1.0, 1e-5) / sqrt(2.0), 10);
    sbl_totals totals = half;
    assert_ok(sbl_charge_add(&totals.charge, &half.charge, NULL));
    totals.gaussian_releases = totals.releases = 2;
    assert_ok(sbl_budget_check(&budget, &totals, NULL));
    sbl_charge crumb = {.mu2 = half.charge.mu2 / 1000000};
    assert_ok(sbl_charge_add(&totals.charge, &crumb, NULL));
    assert_int_equal(sbl_budget_check(&budget, &totals, NULL), SBL_EBUDGET);
}

TEST(pure_totals_fit_up_to_epsilon_exactly)
{
    const char *const deltas[] = {"0", "1e-5"};
    for (size_t i = 0; i < 2; i++) {
        const sbl_budget budget = budget_of("0.5", deltas[i]);
        const sbl_totals fits = pure_totals(0.5);
        const sbl_totals over = pure_totals(0.51);
        assert_ok(sbl_budget_check(&budget, &fits, NULL));
        assert_int_equal(sbl_budget_check(&budget, &over, NULL), SBL_EBUDGET);
    }
    const sbl_budget pure = budget_of("0.5", "0");
    sbl_totals totals = pure_totals(0.5);
    totals.charge.eps0++; /* 2^-96 more */
    assert_int_equal(sbl_budget_check(&pure, &totals, NULL), SBL_EBUDGET);
    const sbl_totals nothing = {0};
    assert_ok(sbl_budget_check(&pure, &nothing, NULL));
}

/* At a large epsilon the allowance for the precision of the noise is more than delta. */
TEST(precision_that_uses_up_delta_is_said)
{
    const sbl_budget large = budget_of("80", "1e-5"), pure = budget_of("80", "0");
    const sbl_totals totals = gaussian_totals(8.0, 10);
    sbl_error err;
    assert_refused(sbl_budget_check(&large, &totals, &err), SBL_EBUDGET, err);
    assert_non_null(strstr(err.message, "no epsilon would hold at delta 1e-5"));
    assert_non_null(strstr(err.message, "precision of the noise"));
    assert_refused(sbl_budget_check(&pure, &totals, &err), SBL_EBUDGET, err);
    assert_non_null(strstr(err.message, "is not pure"));
}

TEST(a_pure_budget_takes_no_gaussian_and_no_extra_delta)
{
    const sbl_budget pure = budget_of("100", "0");
    sbl_totals totals = {.charge = {.mu2 = 1}};
    assert_int_equal(sbl_budget_check(&pure, &totals, NULL), SBL_EBUDGET);
    totals = (sbl_totals){.charge = {.delta = 1}};
    assert_int_equal(sbl_budget_check(&pure, &totals, NULL), SBL_EBUDGET);
}

TEST(an_infinite_budget_allows_everything_but_its_mu2_limit)
{
    sbl_budget budget = budget_of("inf", "1e-5");
    sbl_totals totals = gaussian_totals(50.0, 1000000);
    totals.charge.eps0 = SBL_U128_MAX;
    totals.charge.delta = SBL_U128_MAX;
    assert_ok(sbl_budget_check(&budget, &totals, NULL));
    budget.mu2 = totals.charge.mu2;
    assert_ok(sbl_budget_check(&budget, &totals, NULL));
    budget.mu2--;
    sbl_error err;
    assert_refused(sbl_budget_check(&budget, &totals, &err), SBL_EBUDGET, err);
    assert_non_null(strstr(err.message, "mu^2"));
}

TEST(the_mu2_limit_holds_beside_epsilon)
{
    sbl_budget budget = budget_of("10", "1e-5");
    const sbl_totals totals = gaussian_totals(0.5, 10);
    budget.mu2 = fixed_up(0.25);
    assert_ok(sbl_budget_check(&budget, &totals, NULL));
    budget.mu2 = fixed_up(0.2499);
    assert_int_equal(sbl_budget_check(&budget, &totals, NULL), SBL_EBUDGET);
    /* And epsilon beside the limit. */
    budget = budget_of("0.1", "1e-5");
    budget.mu2 = fixed_up(0.25);
    assert_int_equal(sbl_budget_check(&budget, &totals, NULL), SBL_EBUDGET);
}

TEST(mixed_totals_follow_the_randomised_response_bound)
{
    /* mu = 0.25 and eps0 = 0.1 at epsilon 1 need delta 8.22459706330607e-6. */
    sbl_totals totals = gaussian_totals(0.25, 100);
    totals.charge.eps0 = fixed_up(0.1);
    const sbl_budget enough = budget_of("1", "8.2245970634e-6");
    const sbl_budget short_of = budget_of("1", "8.2245970630e-6");
    assert_ok(sbl_budget_check(&enough, &totals, NULL));
    assert_int_equal(sbl_budget_check(&short_of, &totals, NULL), SBL_EBUDGET);
}

TEST(extra_delta_is_added)
{
    sbl_totals totals = gaussian_totals(0.25, 100); /* 2.92427210485641e-6 at epsilon 1 */
    totals.charge.delta = fixed_up(1e-6);
    const sbl_budget enough = budget_of("1", "3.9242721050e-6");
    const sbl_budget short_of = budget_of("1", "3.9242721047e-6");
    assert_ok(sbl_budget_check(&enough, &totals, NULL));
    assert_int_equal(sbl_budget_check(&short_of, &totals, NULL), SBL_EBUDGET);
    /* More extra delta than the whole budget. */
    totals.charge.delta = fixed_up(1e-5);
    assert_int_equal(sbl_budget_check(&enough, &totals, NULL), SBL_EBUDGET);
    /* Beside pure releases too. */
    sbl_totals pure = pure_totals(1.0);
    pure.charge.delta = fixed_up(1e-6);
    assert_ok(sbl_budget_check(&enough, &pure, NULL));
    pure.charge.delta = fixed_up(1e-5);
    assert_int_equal(sbl_budget_check(&enough, &pure, NULL), SBL_EBUDGET);
}

TEST(a_large_epsilon_budget_still_takes_what_a_small_one_takes)
{
    /* At epsilon 80 the samplers' distance times e^80 is worth nothing; at epsilon 1 all is well,
     * and (1, delta) private is (80, delta) private. */
    const sbl_totals totals = gaussian_totals(calibrated(1.0, 1e-5), 1000);
    const sbl_budget small = budget_of("1", "1e-5");
    const sbl_budget large = budget_of("80", "1e-5");
    assert_ok(sbl_budget_check(&small, &totals, NULL));
    assert_ok(sbl_budget_check(&large, &totals, NULL));
}

static double totals_epsilon(const sbl_totals *totals, double delta)
{
    double epsilon;
    assert_ok(sbl_totals_epsilon(&epsilon, totals, delta, NULL));
    return epsilon;
}

TEST(the_epsilon_of_calibrated_totals_is_at_most_the_budget)
{
    const double epsilons[] = {0.1, 1.0, 3.0, 10.0, 20.0};
    for (size_t i = 0; i < sizeof epsilons / sizeof epsilons[0]; i++) {
        const sbl_totals totals = gaussian_totals(calibrated(epsilons[i], 1e-5), 1000);
        assert_at_most(totals_epsilon(&totals, 1e-5), epsilons[i]);
        assert_near(totals_epsilon(&totals, 1e-5), epsilons[i], 1e-10L);
    }
}

TEST(the_epsilon_of_totals_is_rounded_up_and_passes_as_a_budget)
{
    sbl_totals totals = gaussian_totals(0.7, 1000);
    totals.charge.eps0 = fixed_up(0.2);
    totals.charge.delta = fixed_up(1e-7);
    const double epsilon = totals_epsilon(&totals, 1e-6);
    assert_at_most(sbl_mixed_delta(0.7, 0.2, 1, epsilon) + 1e-7, 1e-6L);
    char text[SBL_BUDGET_TEXT_SIZE];
    (void)snprintf(text, sizeof text, "%.17g", epsilon);
    sbl_budget budget = budget_of(text, "1e-6");
    assert_ok(sbl_budget_check(&budget, &totals, NULL));
    (void)snprintf(text, sizeof text, "%.17g", epsilon * (1.0 - 1e-10));
    budget = budget_of(text, "1e-6");
    assert_int_equal(sbl_budget_check(&budget, &totals, NULL), SBL_EBUDGET);
}

TEST(the_epsilon_of_pure_totals_is_their_sum_at_delta_zero)
{
    sbl_totals totals = pure_totals(0.75);
    assert_true(totals_epsilon(&totals, 0.0) == 0.75);
    assert_true(totals_epsilon(&totals, 1e-5) <= 0.75);
    assert_true(totals_epsilon(&totals, 1e-5) > 0.7499);
    totals.charge.eps0++;
    assert_true(totals_epsilon(&totals, 0.0) > 0.75);
    totals = pure_totals(1e9); /* far beyond one */
    assert_true(totals_epsilon(&totals, 0.0) == 1e9);
    assert_near(totals_epsilon(&totals, 1e-5), 1e9L, 1e-9L);
}

TEST(no_epsilon_covers_delta_zero_of_gaussian_totals)
{
    sbl_totals totals = gaussian_totals(0.1, 1);
    assert_true(isinf(totals_epsilon(&totals, 0.0)));
    totals = pure_totals(0.1);
    totals.charge.delta = 1;
    assert_true(isinf(totals_epsilon(&totals, 0.0)));
    totals.charge.delta = fixed_up(1e-3);
    assert_true(isinf(totals_epsilon(&totals, 1e-3)));
    assert_true(isfinite(totals_epsilon(&totals, 2e-3)));
}

TEST(no_epsilon_covers_what_the_samplers_cannot_prove)
{
    /* mu = 14 is epsilon 155 or so: e^155 times the samplers' distance is more than any delta. */
    const sbl_totals totals = gaussian_totals(14.0, 1000);
    assert_true(isinf(totals_epsilon(&totals, 1e-5)));
    const sbl_budget budget = budget_of("500", "1e-5");
    sbl_error err;
    assert_refused(sbl_budget_check(&budget, &totals, &err), SBL_EBUDGET, err);
}

TEST(bad_delta_is_refused)
{
    const double bad[] = {-1e-9, 1.0, NAN, INFINITY};
    const sbl_totals totals = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double epsilon;
        sbl_error err;
        assert_refused(sbl_totals_epsilon(&epsilon, &totals, bad[i], &err), SBL_EARG, err);
        assert_true(isinf(epsilon));
    }
}

TEST(plain_calibration_is_enough_up_to_epsilon_10)
{
    for (double epsilon = 0.01; epsilon <= 10.0; epsilon *= 1.9)
        for (double delta = 1e-9; delta < 0.1; delta *= 10.0) {
            const double mu = calibrated(epsilon, delta);
            const double after = calibrated_for(epsilon, delta, 1000000);
            assert_at_most(after, mu);
            assert_near(after, mu, 1e-12L);
        }
}

TEST(calibration_for_draws_refuses_what_precision_cannot_prove)
{
    sbl_error err;
    double mu = 7.0;
    assert_refused(sbl_release_mu(&mu, 60.0, 1e-5, 1000, &err), SBL_EARG, err);
    assert_non_null(strstr(err.message, "epsilon of 60 is too large"));
    assert_true(mu == 0.0);
    mu = 7.0;
    assert_refused(sbl_release_mu(&mu, 1e-300, 1e-5, 1000, &err), SBL_EARG, err);
    assert_non_null(strstr(err.message, "epsilon of 1e-300 is too small"));
    assert_true(mu == 0.0);
    /* Here it is delta that asks too much, and the message does not blame epsilon. */
    mu = 7.0;
    assert_refused(sbl_release_mu(&mu, 1.0, 1e-60, 1000, &err), SBL_EARG, err);
    assert_non_null(strstr(err.message, "delta is too small"));
    assert_true(mu == 0.0);
    assert_refused(sbl_release_mu(&mu, -1.0, 1e-5, 1000, &err), SBL_EARG, err);
    assert_refused(sbl_release_mu(&mu, 1.0, 0.0, 1000, &err), SBL_EARG, err);
    assert_refused(sbl_release_mu(&mu, 1e-33, 1e-5, 1000, &err), SBL_EARG, err);
}

TEST(delta_that_means_nothing_is_refused)
{
    sbl_error err = {0};
    assert_true(sbl_delta_usual(0) == 1e-5 && sbl_delta_usual(9999) == 1e-5);
    assert_true(sbl_delta_usual(1000000) == 1e-7 && sbl_delta_usual(100000) == 1e-6);
    assert_true(sbl_delta_usual(13001) == 7.6e-6 && sbl_delta_usual(30000) == 3.3e-6);
    assert_true(sbl_delta_usual(10001) == 9.9e-6 && sbl_delta_usual(UINT64_MAX) == 5.4e-21);
    for (uint64_t n = 1; n != 0; n *= 2) assert_ok(sbl_delta_check(sbl_delta_usual(n), n, NULL));
    assert_ok(sbl_delta_check(0.0, 1000000, NULL));
    assert_ok(sbl_delta_check(1e-5, 0, NULL));
    assert_ok(sbl_delta_check(1e-5, 99999, NULL));
    assert_ok(sbl_delta_check(1e-3, 0, NULL));
    assert_int_equal(sbl_delta_check(0.001953125, 512, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "1e-3"));
    assert_int_equal(sbl_delta_check(0x1p-20, 1 << 20, &err), SBL_EARG); /* 1/n exactly */
    assert_non_null(strstr(err.message, "1/n for n = 1048576"));
    assert_ok(sbl_delta_check(0x1p-20, (1 << 20) - 1, NULL));
}

static sbl_budget limit_of(const char *epsilon, const char *delta, sbl_u128 mu2)
{
    sbl_budget budget = {.mu2 = mu2};
    (void)snprintf(budget.epsilon, sizeof budget.epsilon, "%s", epsilon);
    (void)snprintf(budget.delta, sizeof budget.delta, "%s", delta);
    return budget;
}

TEST(no_limit_refuses_nothing_and_is_no_more_than_any)
{
    const sbl_budget none = limit_of("none", "1e-5", 0);
    const sbl_budget infinite = limit_of("inf", "1e-5", 0);
    const sbl_budget mu_only = limit_of("none", "1e-5", 7);
    const sbl_budget one = limit_of("1", "1e-5", 0);
    const sbl_budget bad = limit_of("one", "1e-5", 0);
    const sbl_totals huge = {.charge = {.mu2 = (sbl_u128)900 << 96}, .releases = 1};
    assert_ok(sbl_budget_check(&none, &huge, NULL));
    assert_int_equal(sbl_budget_check(&mu_only, &huge, NULL), SBL_EBUDGET);
    assert_false(sbl_budget_has_limit(&none));
    assert_false(sbl_budget_has_limit(&infinite));
    assert_false(sbl_budget_has_limit(&bad));
    assert_true(sbl_budget_has_limit(&mu_only));
    assert_true(sbl_budget_has_limit(&one));
    assert_true(sbl_budget_allows_no_more(&one, &none));
    assert_false(sbl_budget_allows_no_more(&none, &one));
    assert_false(sbl_budget_allows_no_more(&bad, &one));
    assert_false(sbl_budget_allows_no_more(&one, &bad));
    assert_false(sbl_budget_allows_no_more(&one, &mu_only));
    assert_true(sbl_budget_allows_no_more(&one, &one));
}

/* Totals in fixed96: mu^2 and eps0 as given. */
static sbl_totals totals_of(sbl_u128 mu2, sbl_u128 eps0)
{
    return (sbl_totals){{.mu2 = mu2, .eps0 = eps0, .draws = mu2 != 0 ? 10 : 0},
                        .releases = 1,
                        .gaussian_releases = mu2 != 0 ? 1 : 0};
}

/* By hand: rows of mu 1/8 and three rows a person, persons of mu 1/2: (3/8)^2 + (1/2)^2 = (5/8)^2; pure 3/16.
 * Epsilon at 1e-5 by mpmath at 40 digits: 2.559930717836 of mu 5/8, 2.665318731688 beside a pure 3/16. */
TEST(a_group_costs_its_number_times_mu_and_pure_epsilon)
{
    const sbl_u128 one = SBL_FIXED96_ONE;
    const sbl_totals rows = totals_of(one / 64, 0), persons = totals_of(one / 4, 0);
    const sbl_totals pure = totals_of(0, one / 16);
    sbl_totals sum = {0};
    double epsilon;
    assert_ok(sbl_totals_add_group(&sum, &rows, 3, NULL));
    assert_ok(sbl_totals_add_group(&sum, &persons, 1, NULL));
    assert_true(sum.charge.mu2 == one / 64 * 25 && sum.charge.eps0 == 0);
    assert_true(sum.charge.draws == 20 && sum.releases == 2 && sum.gaussian_releases == 2);
    assert_ok(sbl_totals_epsilon(&epsilon, &sum, 1e-5, NULL));
    assert_true(epsilon >= 2.55993071783607 && epsilon <= 2.55993071783607 * (1 + 1e-11));
    assert_ok(sbl_totals_add_group(&sum, &pure, 3, NULL));
    assert_true(sum.charge.eps0 == one / 16 * 3 && sum.gaussian_releases == 2 && sum.releases == 3);
    assert_ok(sbl_totals_epsilon(&epsilon, &sum, 1e-5, NULL));
    assert_true(epsilon >= 2.66531873168836 && epsilon <= 2.66531873168836 * (1 + 1e-11));
}

TEST(the_delta_of_keys_is_of_one_unit_only)
{
    sbl_totals keys = totals_of(SBL_FIXED96_ONE, 0);
    sbl_totals sum = {0};
    sbl_error err = {0};
    keys.charge.delta = 5;
    assert_ok(sbl_totals_add_group(&sum, &keys, 1, NULL));
    assert_true(sum.charge.delta == 5);
    assert_int_equal(sbl_totals_add_group(&sum, &keys, 2, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "one unit only"));
    keys.charge.delta = 0;
    assert_int_equal(sbl_totals_add_group(&sum, &keys, 0, NULL), SBL_EARG);
}

TEST(sums_of_groups_that_do_not_fit_are_refused)
{
    const sbl_totals large[] = {
        totals_of(SBL_U128_MAX / 4 + 1, 0), totals_of(0, SBL_U128_MAX / 2 + 1),
        {.charge = {.draws = UINT64_MAX}},  {.releases = UINT64_MAX},
        {.gaussian_releases = UINT64_MAX},
    };
    sbl_error err = {0};
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
        for (size_t full = 0; full < 2; full++) {
            sbl_totals sum = full ? large[i] : (sbl_totals){0};
            const uint64_t units = full ? 1 : 2;
            if (i >= 2 && !full) continue; /* numbers of draws and releases do not grow with the group */
            if (full && i < 2) sum.charge = (sbl_charge){.mu2 = SBL_U128_MAX, .eps0 = SBL_U128_MAX};
            const sbl_totals before = sum;
            assert_int_equal(sbl_totals_add_group(&sum, &large[i], units, &err), SBL_EARG);
            assert_non_null(strstr(err.message, "too large to be added up"));
            assert_true(sum.charge.mu2 == before.charge.mu2 && sum.charge.eps0 == before.charge.eps0);
            assert_true(sum.charge.draws == before.charge.draws && sum.releases == before.releases);
        }
    sbl_totals sum = {.charge = {.delta = SBL_U128_MAX}};
    const sbl_totals keys = {.charge = {.delta = 1}};
    assert_int_equal(sbl_totals_add_group(&sum, &keys, 1, &err), SBL_EARG);
}
