/* SPDX-License-Identifier: Apache-2.0 */
/* Pure parts beside a Gaussian part, and the optimal split. */
#include "account/check.h"
#include "semblance/account.h"

static double mixed_epsilon(double mu, double epsilon0, unsigned parts, double delta)
{
    double epsilon;
    assert_ok(sbl_mixed_epsilon(&epsilon, mu, epsilon0, parts, delta, NULL));
    return epsilon;
}

TEST(without_pure_parts_it_is_gaussian)
{
    assert_near(sbl_mixed_delta(0.4, 0.7, 0, 1.5), sbl_mixed_delta(0.4, 0, 0, 1.5), 1e-15L);
    assert_near(sbl_mixed_delta(0.4, 0.0, 9, 1.5), sbl_mixed_delta(0.4, 0, 0, 1.5), 1e-15L);
    double epsilon;
    assert_ok(sbl_mixed_epsilon(&epsilon, 0.4, 0, 0, 1e-6, NULL));
    assert_near(mixed_epsilon(0.4, 0.0, 3, 1e-6), epsilon, 1e-12L);
}

TEST(one_pure_part_alone_has_delta_zero_from_its_epsilon_on)
{
    assert_true(sbl_mixed_delta(0.0, 0.3, 1, 0.3) == 0.0);
    assert_true(sbl_mixed_delta(0.0, 0.3, 1, 5.0) == 0.0);
    /* Randomised response below it: q - (1-q) e^eps. */
    const long double q = 1.0L / (1.0L + expl(-0.3L));
    assert_near(sbl_mixed_delta(0.0, 0.3, 1, 0.1), q - (1.0L - q) * expl(0.1L), 1e-13L);
    assert_near(sbl_mixed_delta(0.0, 0.3, 1, 0.0), 2.0L * q - 1.0L, 1e-13L);
}

TEST(pure_composition_at_delta_zero_is_the_sum_rounded_up)
{
    assert_true(mixed_epsilon(0.0, 0.5, 1, 0.0) == 0.5);
    assert_true(mixed_epsilon(0.0, 0.25, 8, 0.0) == 2.0);
    assert_at_least(mixed_epsilon(0.0, 0.1, 3, 0.0), 3.0L * 0.1);
    assert_near(mixed_epsilon(0.0, 0.1, 3, 0.0), 3.0L * 0.1, 1e-15L);
    assert_true(mixed_epsilon(0.0, 0.0, 5, 0.0) == 0.0);
    assert_true(mixed_epsilon(0.0, 1.0, 0, 0.0) == 0.0);
}

TEST(pure_composition_never_exceeds_the_sum)
{
    /* A delta of 1e-300 buys nothing: the search lands on the sum, not above it. */
    assert_true(mixed_epsilon(0.0, 0.5, 1, 1e-300) <= 0.5);
    assert_near(mixed_epsilon(0.0, 0.5, 1, 1e-300), 0.5L, 1e-15L);
    /* A real delta does better than the sum for many parts. */
    assert_true(mixed_epsilon(0.0, 0.1, 100, 1e-5) < 5.0);
}

TEST(one_part_of_the_summed_epsilon_is_never_less_than_the_parts)
{
    for (unsigned k = 2; k <= 40; k *= 2)
        for (double epsilon = 0.0; epsilon < 4.0; epsilon += 0.4)
            assert_at_most(sbl_mixed_delta(0.3, 0.05, k, epsilon),
                           sbl_mixed_delta(0.3, 0.05 * k, 1, epsilon) * (1.0L + 1e-13L));
}

TEST(mixture_lies_between_gaussian_and_naive_sum)
{
    for (double epsilon = 0.2; epsilon < 6.0; epsilon += 0.3) {
        const double mixed = sbl_mixed_delta(0.5, 0.2, 1, epsilon);
        assert_true(mixed > sbl_mixed_delta(0.5, 0, 0, epsilon));
        assert_true(mixed < sbl_mixed_delta(0.5, 0, 0, epsilon - 0.2));
        assert_true(mixed > sbl_mixed_delta(0.5, 0.2, 1, epsilon + 0.01));
    }
}

TEST(mixed_epsilon_round_trips)
{
    for (unsigned parts = 0; parts <= 16; parts += 4) {
        const double epsilon = mixed_epsilon(0.7, 0.05, parts, 1e-6);
        assert_at_most(sbl_mixed_delta(0.7, 0.05, parts, epsilon), 1e-6L);
        assert_near(sbl_mixed_delta(0.7, 0.05, parts, epsilon), 1e-6L, 1e-11L);
    }
    assert_true(mixed_epsilon(0.1, 0.01, 1, 0.5) == 0.0);
}

TEST(a_thousand_parts_are_the_most)
{
    assert_true(sbl_mixed_delta(0.1, 0.001, 1000, 1.0) > 0.0);
    assert_true(isnan(sbl_mixed_delta(0.1, 0.001, 1001, 1.0)));
}

TEST(invalid_mixtures_are_nan_or_refused)
{
    sbl_error err;
    double epsilon = 7.0;
    const double bad[] = {-0.1, NAN, INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_true(isnan(sbl_mixed_delta(0.1, bad[i], 1, 1.0)));
        assert_refused(sbl_mixed_epsilon(&epsilon, 0.1, bad[i], 1, 1e-5, &err), SBL_EARG, err);
        assert_refused(sbl_mixed_epsilon(&epsilon, bad[i], 0.1, 1, 1e-5, &err), SBL_EARG, err);
        assert_true(epsilon == 0.0);
    }
    assert_true(isnan(sbl_mixed_delta(-1.0, 0.1, 1, 1.0)));
    assert_true(isnan(sbl_mixed_delta(0.1, 0.1, 1, NAN)));
    assert_refused(sbl_mixed_epsilon(&epsilon, 0.1, 0.1, 1001, 1e-5, &err), SBL_EARG, err);
}

TEST(invalid_delta_is_refused_and_zero_needs_pure_parts)
{
    sbl_error err;
    double epsilon = 7.0;
    const double bad[] = {-1e-9, 1.0, NAN, INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_refused(sbl_mixed_epsilon(&epsilon, 0.0, 0.1, 1, bad[i], &err), SBL_EARG, err);
    assert_refused(sbl_mixed_epsilon(&epsilon, 0.1, 0.1, 1, 0.0, &err), SBL_EARG, err);
    assert_refused(sbl_mixed_epsilon(&epsilon, 0.1, 0.1, 1, -1e-9, &err), SBL_EARG, err);
}
