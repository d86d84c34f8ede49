/* SPDX-License-Identifier: Apache-2.0 */
/* Properties, edges and refusals of the Gaussian arithmetic; numbers are in test_account_vectors.
 */
#include <float.h>
#include <stdbool.h>

#include "account/check.h"
#include "public/account/gaussian.h"
#include "semblance/account.h"

TEST(erfcx_meets_known_values_on_both_branches)
{
    assert_near(sbl_erfcx(0.0), 1.0L, 1e-15L);
    assert_near(sbl_erfcx(1.0), 0.427583576155807004410750344491L, 1e-15L);
    assert_near(sbl_erfcx(10.0), 0.0561409927438225858575173872205L, 1e-15L);
    assert_near(sbl_erfcx(20.0), 0.0281743487410513193186491545345L, 1e-15L);
    assert_near(sbl_erfcx(1e6), 5.64189583547474192156e-7L, 1e-15L);
    /* The two branches meet. */
    assert_near(sbl_erfcx(nextafter(20.0, 0.0)), sbl_erfcx(20.0), 1e-15L);
}

TEST(erfcx_drop_is_the_difference_and_stays_accurate_for_tiny_widths)
{
    for (double x = 0.0; x < 30.0; x += 0.37)
        assert_near(sbl_erfcx_drop(x, 1.0L), (long double)sbl_erfcx(x) - sbl_erfcx(x + 1.0),
                    1e-13L * (1.0L + x));
    /* erfcx'(0) = -2/sqrt(pi), also for widths whose terms would be denormal. */
    assert_near(sbl_erfcx_drop(0.0, 1e-20L), 1.128379167095512573896e-20L, 5e-15L);
    assert_near(sbl_erfcx_drop(0.0, 1e-300L), 1.128379167095512573896e-300L, 5e-15L);
    /* A width beyond everything leaves erfcx itself. */
    assert_near(sbl_erfcx_drop(0.0, 1e300L), 1.0L, 5e-15L);
}

typedef struct edge_case {
    double edge;
    double last;
} edge_case;

static bool reached(double x, const void *context)
{
    const edge_case *c = context;
    return x >= c->edge && x <= c->last;
}

TEST(search_ends_on_the_safe_side_of_the_edge)
{
    const double edges[] = {1.0, 0.3, 1e-200, 7.7, 1e200};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        const edge_case c = {edges[i], INFINITY};
        const double found = sbl_search_edge(reached, &c);
        assert_at_least(found, edges[i]);
        assert_near(found, edges[i], 1e-15L);
    }
    const edge_case always = {0.0, INFINITY};
    assert_at_most(sbl_search_edge(reached, &always), 2.0L * DBL_MIN);
    const edge_case never = {2.0, 1.0};
    assert_true(isinf(sbl_search_edge(reached, &never)));
}

TEST(delta_at_mu_zero_is_zero_from_epsilon_zero_on)
{
    assert_true(sbl_mixed_delta(0.0, 0, 0, 0.0) == 0.0);
    assert_true(sbl_mixed_delta(0.0, 0, 0, 1.0) == 0.0);
    assert_near(sbl_mixed_delta(0.0, 0, 0, -1.0), 0.632120558828557678404L, 1e-15L);
}

TEST(delta_handles_extreme_arguments_without_nan)
{
    assert_true(sbl_mixed_delta(1e-300, 0, 0, 1e300) == 0.0);
    assert_true(sbl_mixed_delta(1e-3, 0, 0, 1.0) == 0.0);
    assert_true(sbl_mixed_delta(1e300, 0, 0, 1.0) == 1.0);
    assert_true(sbl_mixed_delta(INFINITY, 0, 0, 1.0) == 1.0);
    assert_true(sbl_mixed_delta(1.0, 0, 0, -1e300) == 1.0);
    assert_near(sbl_mixed_delta(1e-12, 0, 0, 0.0), 3.98942280401432677940e-13L, 1e-14L);
}

TEST(delta_of_invalid_arguments_is_nan)
{
    assert_true(isnan(sbl_mixed_delta(-1.0, 0, 0, 1.0)));
    assert_true(isnan(sbl_mixed_delta(NAN, 0, 0, 1.0)));
    assert_true(isnan(sbl_mixed_delta(1.0, 0, 0, NAN)));
    assert_true(isnan(sbl_mixed_delta(1.0, 0, 0, INFINITY)));
}

TEST(delta_falls_with_epsilon_and_grows_with_mu)
{
    for (double mu = 1e-3; mu < 50.0; mu *= 1.7)
        for (double epsilon = 1e-3; epsilon < 30.0 * mu; epsilon *= 1.6) {
            const double here = sbl_mixed_delta(mu, 0, 0, epsilon);
            /* Close to 1, doubles are too coarse to show the difference. */
            assert_true(here > sbl_mixed_delta(mu, 0, 0, epsilon * 1.001) || here > 0.99);
            assert_true(here < sbl_mixed_delta(mu * 1.001, 0, 0, epsilon) || here > 0.99);
            assert_true(here >= sbl_mixed_delta(mu, 0, 0, epsilon * 1.001));
            assert_true(here <= sbl_mixed_delta(mu * 1.001, 0, 0, epsilon));
            assert_true(here >= 0.0 && here <= 1.0);
        }
}

TEST(calibration_round_trips_and_never_overspends)
{
    const double epsilons[] = {1e-6, 0.01, 0.1, 0.5, 1.0, 3.0, 10.0, 40.0, 300.0};
    const double deltas[] = {1e-300, 1e-30, 1e-9, 1e-5, 0.01, 0.5, 0.99, 1.0 - 1e-9};
    for (size_t i = 0; i < sizeof epsilons / sizeof epsilons[0]; i++)
        for (size_t j = 0; j < sizeof deltas / sizeof deltas[0]; j++) {
            double mu;
            double back;
            assert_ok(sbl_gdp_mu(&mu, epsilons[i], deltas[j], NULL));
            assert_true(mu > 0.0);
            assert_at_most(sbl_mixed_delta(mu, 0, 0, epsilons[i]), deltas[j]);
            assert_ok(sbl_mixed_epsilon(&back, mu, 0, 0, deltas[j], NULL));
            assert_at_most(back, epsilons[i]);
            /* A calibrated mu is not wasteful: a little more would be too much. */
            assert_true(sbl_mixed_delta(mu * (1.0 + 1e-9), 0, 0, epsilons[i]) > deltas[j] * (1.0 - 1e-12));
        }
}

TEST(epsilon_is_zero_where_delta_covers_it)
{
    double epsilon = 7.0;
    assert_ok(sbl_mixed_epsilon(&epsilon, 0.0, 0, 0, 1e-9, NULL));
    assert_true(epsilon == 0.0);
    assert_ok(sbl_mixed_epsilon(&epsilon, 0.1, 0, 0, 0.1, NULL));
    assert_true(epsilon == 0.0);
}

TEST(epsilon_beyond_doubles_is_infinite)
{
    double epsilon;
    assert_ok(sbl_mixed_epsilon(&epsilon, 1e300, 0, 0, 1e-5, NULL));
    assert_true(isinf(epsilon));
}

TEST(group_multiplies_mu_rounded_up)
{
    assert_true(sbl_gdp_group(0.25, 5) == 1.25);
    assert_true(sbl_gdp_group(0.3, 1) == 0.3);
    assert_true(sbl_gdp_group(0.3, 0) == 0.0);
    assert_at_least(sbl_gdp_group(0.1, 3), 3.0L * 0.1);
    assert_near(sbl_gdp_group(0.1, 3), 3.0L * 0.1, 5e-16L);
    const uint64_t many = (UINT64_C(1) << 60) + 1; /* is not a double */
    assert_at_least(sbl_gdp_group(1.0, many), (long double)many);
}

TEST(replace_one_is_at_most_twice_add_remove) { assert_true(sbl_gdp_group(0.7, 2) == 1.4); }

TEST(bad_epsilon_is_refused_by_calibration)
{
    const double bad[] = {0.0, -1.0, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sbl_error err;
        double mu = 7.0;
        assert_refused(sbl_gdp_mu(&mu, bad[i], 1e-5, &err), SBL_EARG, err);
        assert_true(mu == 0.0);
        assert_non_null(strstr(err.message, "epsilon"));
    }
}

TEST(bad_delta_is_refused_in_both_directions)
{
    const double bad[] = {0.0, -1e-5, 1.0, 2.0, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sbl_error err;
        double value = 7.0;
        assert_refused(sbl_gdp_mu(&value, 1.0, bad[i], &err), SBL_EARG, err);
        assert_true(value == 0.0);
        assert_non_null(strstr(err.message, "delta"));
        value = 7.0;
        assert_refused(sbl_mixed_epsilon(&value, 1.0, 0, 0, bad[i], &err), SBL_EARG, err);
        assert_true(value == 0.0);
        assert_non_null(strstr(err.message, "delta"));
    }
}

TEST(bad_mu_is_refused)
{
    const double bad[] = {-1.0, NAN, INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sbl_error err;
        double epsilon = 7.0;
        assert_refused(sbl_mixed_epsilon(&epsilon, bad[i], 0, 0, 1e-5, &err), SBL_EARG, err);
        assert_true(epsilon == 0.0);
    }
}
