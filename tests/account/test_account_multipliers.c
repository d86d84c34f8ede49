/* SPDX-License-Identifier: Apache-2.0 */
/* Multipliers never cost more than was asked for, and hardly less. */
#include "account/check.h"
#include "public/account/charge.h"

#define R2 (UINT64_C(1) << 56)

/* A signed block per class, a non-negative one, counts. */
static const sbl_sensitivity blocks[3] = {{4 * R2, 2 * R2, R2, 0, false, 0, false},
                                          {2 * R2, 2 * R2, R2, 0, false, 0, false},
                                          {0, 2, 1, 0, false, 0, false}};

static sbl_charge charge_of(sbl_mechanism mechanism, sbl_neighbours neighbours, const sbl_sensitivity *b,
                            const uint64_t *m, size_t count)
{
    sbl_u128 joint;
    sbl_charge charge;
    assert_ok(sbl_joint_sensitivity(&joint, mechanism, neighbours, b, m, count, NULL));
    assert_ok(sbl_charge_from_joint(&charge, mechanism, joint, 1, NULL));
    return charge;
}

TEST(gaussian_multipliers_cost_at_most_mu_and_lose_less_than_1e_6)
{
    const double weights[3] = {1.0, 1.0, 0x1p28};
    for (double mu = 0.05; mu < 20.0; mu *= 1.37)
        for (int relation = 0; relation < 2; relation++) {
            uint64_t m[3];
            const sbl_neighbours n = (sbl_neighbours)relation;
            assert_ok(sbl_choose_multipliers(m, SBL_DISCRETE_GAUSSIAN, n, blocks, weights, 3, mu, NULL));
            const sbl_charge charge = charge_of(SBL_DISCRETE_GAUSSIAN, n, blocks, m, 3);
            const long double spent = sqrtl((long double)charge.mu2) * 0x1p-48L;
            assert_at_most(spent, mu * (1.0L + 1e-18L));
            assert_at_least(spent, mu * (1.0L - 1e-6L));
        }
}

TEST(the_charge_fits_a_mu2_limit_set_to_the_same_number)
{
    /* floor(mu^2 2^96) by long multiplication of the 53-bit mantissa: 0.75^2 is exact. */
    const double weights[3] = {1.0, 1.0, 0x1p28};
    uint64_t m[3];
    assert_ok(
        sbl_choose_multipliers(m, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, blocks, weights, 3, 0.75, NULL));
    const sbl_charge charge = charge_of(SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, blocks, m, 3);
    assert_true(charge.mu2 <= (sbl_u128)9 << 92);
}

TEST(a_single_block_gets_the_largest_multiplier)
{
    const double weight = 3.7;
    for (double amount = 1e-4; amount < 30.0; amount *= 2.9)
        for (int mechanism = 0; mechanism < 2; mechanism++) {
            const sbl_sensitivity block = {.same_label = mechanism ? UINT64_C(1) << 33 : 4 * R2};
            uint64_t m;
            sbl_u128 limit;
            const sbl_mechanism kind = (sbl_mechanism)mechanism;
            assert_ok(sbl_choose_multipliers(&m, kind, SBL_REPLACE_ONE, &block, &weight, 1, amount, NULL));
            const uint64_t next = m + 1;
            const sbl_charge fits = charge_of(kind, SBL_REPLACE_ONE, &block, &m, 1);
            const sbl_charge over = charge_of(kind, SBL_REPLACE_ONE, &block, &next, 1);
            if (kind == SBL_DISCRETE_GAUSSIAN) {
                assert_ok(sbl_fixed96_from_double_up(&limit, amount * amount, NULL));
                /* amount * amount is rounded, by far less than one step of m. */
                assert_true(fits.mu2 <= limit + (limit >> 50) && over.mu2 > limit - (limit >> 50));
            } else {
                assert_ok(sbl_fixed96_from_double_down(&limit, amount, NULL));
                assert_true(fits.eps0 <= limit && over.eps0 > limit);
            }
        }
}

TEST(laplace_multipliers_cost_at_most_epsilon_exactly)
{
    const uint64_t r1 = UINT64_C(1) << 30;
    const sbl_sensitivity pure[2] = {{2 * r1, 2 * r1, r1, 0, false, 0, false}, {0, 2, 1, 0, false, 0, false}};
    const double weights[2] = {1.0, 1e7};
    for (double epsilon = 0.05; epsilon < 50.0; epsilon *= 1.7)
        for (int relation = 0; relation < 2; relation++) {
            uint64_t m[2];
            sbl_u128 limit;
            const sbl_neighbours n = (sbl_neighbours)relation;
            assert_ok(sbl_choose_multipliers(m, SBL_DISCRETE_LAPLACE, n, pure, weights, 2, epsilon, NULL));
            assert_ok(sbl_fixed96_from_double_down(&limit, epsilon, NULL));
            const sbl_charge charge = charge_of(SBL_DISCRETE_LAPLACE, n, pure, m, 2);
            assert_true(charge.eps0 <= limit);
            assert_true(charge.eps0 > limit - limit / 1000000);
        }
}

TEST(multipliers_are_proportional_to_the_weights)
{
    const double weights[3] = {1.0, 0.25, 0x1p27};
    uint64_t m[3];
    assert_ok(
        sbl_choose_multipliers(m, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, blocks, weights, 3, 1.0, NULL));
    assert_near((long double)m[1], 0.25L * (long double)m[0], 1e-6L);
    assert_near((long double)m[2], 0x1p27L * (long double)m[0], 1e-6L);
}

TEST(rounding_errors_of_large_multipliers_are_stepped_down)
{
    /* Multipliers near 2^61: the first guess lies above the limit and the integers decide. */
    const double weights[2] = {1.0 / 3.0, 1.0};
    const sbl_sensitivity counts[2] = {{0, 2, 1, 0, false, 0, false}, {0, 2, 1, 0, false, 0, false}};
    for (double mu = 10.0; mu < 30.0; mu += 1.1) {
        uint64_t m[2];
        assert_ok(
            sbl_choose_multipliers(m, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, counts, weights, 2, mu, NULL));
        const sbl_charge charge = charge_of(SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, counts, m, 2);
        assert_at_most(sqrtl((long double)charge.mu2) * 0x1p-48L, mu * (1.0L + 1e-18L));
        assert_at_least(sqrtl((long double)charge.mu2) * 0x1p-48L, mu * (1.0L - 1e-14L));
    }
}

TEST(tiny_amounts_are_refused_where_a_multiplier_would_be_zero)
{
    const double amounts[] = {1e-12, 1e-20, 1e-30, 1e-300};
    const double weight = 1.0;
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++)
        for (int mechanism = 0; mechanism < 2; mechanism++) {
            uint64_t m = 7;
            sbl_error err;
            assert_refused(sbl_choose_multipliers(&m, (sbl_mechanism)mechanism, SBL_REPLACE_ONE, blocks,
                                                  &weight, 1, amounts[i], &err),
                           SBL_EARG, err);
            assert_non_null(strstr(err.message, "zero"));
            assert_true(m == 0);
        }
}

TEST(huge_amounts_are_refused_where_a_multiplier_would_not_fit)
{
    const double amounts[] = {100.0, 200.0, 256.0, 1e6, 1e300};
    const double weight = 1.0;
    const sbl_sensitivity counts = {0, 2, 1, 0, false, 0, false};
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++) {
        uint64_t m = 7;
        sbl_error err;
        assert_refused(sbl_choose_multipliers(&m, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, &counts, &weight, 1,
                                              amounts[i], &err),
                       SBL_EARG, err);
        assert_non_null(strstr(err.message, "62 bits"));
        assert_true(m == 0);
    }
}

TEST(the_largest_amounts_are_limited_by_128_bits_not_wrapped)
{
    /* mu = 300 is a joint sensitivity beyond 2^128: what fits is spent, mu = 256. */
    const double weight = 1.0;
    const double amounts[] = {255.99999999999997, 256.0, 300.0, 1e300};
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++) {
        uint64_t m;
        assert_ok(sbl_choose_multipliers(&m, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, blocks, &weight, 1,
                                         amounts[i], NULL));
        assert_true(m == (UINT64_C(1) << 35) - 1);
    }
}

TEST(bad_amounts_are_refused)
{
    const double bad[] = {0.0, -1.0, NAN, INFINITY};
    const double weight = 1.0;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (int mechanism = 0; mechanism < 2; mechanism++) {
            uint64_t m = 7;
            sbl_error err;
            assert_refused(sbl_choose_multipliers(&m, (sbl_mechanism)mechanism, SBL_REPLACE_ONE, blocks,
                                                  &weight, 1, bad[i], &err),
                           SBL_EARG, err);
            assert_true(m == 0);
        }
    uint64_t m;
    sbl_error err;
    assert_refused(
        sbl_choose_multipliers(&m, SBL_DISCRETE_LAPLACE, SBL_REPLACE_ONE, blocks, &weight, 1, 0x1p32, &err),
        SBL_EARG, err);
}

TEST(bad_weights_and_blocks_are_refused_by_number)
{
    const double bad[] = {0.0, -1.0, NAN, INFINITY};
    sbl_error err;
    uint64_t m[2];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const double weights[2] = {1.0, bad[i]};
        assert_refused(
            sbl_choose_multipliers(m, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, blocks, weights, 2, 1.0, &err),
            SBL_EARG, err);
        assert_non_null(strstr(err.message, "block 1"));
    }
    const double ones[2] = {1.0, 1.0};
    assert_refused(
        sbl_choose_multipliers(m, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, blocks, ones, 0, 1.0, &err),
        SBL_EARG, err);
    /* Zero in every case of the relation asked for. */
    const sbl_sensitivity public_n[2] = {{1, 1, 0, 0, false, 0, false}, {0, 0, 1, 0, false, 0, false}};
    assert_refused(
        sbl_choose_multipliers(m, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, public_n, ones, 2, 1.0, &err),
        SBL_EARG, err);
    assert_non_null(strstr(err.message, "block 1"));
    assert_refused(
        sbl_choose_multipliers(m, SBL_DISCRETE_GAUSSIAN, SBL_ADD_REMOVE, public_n, ones, 2, 1.0, &err),
        SBL_EARG, err);
    assert_non_null(strstr(err.message, "block 0"));
}
