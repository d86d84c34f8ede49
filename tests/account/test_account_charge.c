/* SPDX-License-Identifier: Apache-2.0 */
/* Joint sensitivities against brute force, charges in integers, and fixed96 conversions. */
#include <stdbool.h>
#include <stdlib.h>

#include "account/check.h"
#include "public/account/charge.h"

/* ---- brute force: every record of a tiny domain, every pair of neighbours ---- */

#define RADIUS 2 /* blocks of two coordinates with q0^2 + q1^2 <= RADIUS^2 */
#define CLASSES 3
#define VALUES (CLASSES * 2 + CLASSES * 2 + 2 + CLASSES)

typedef struct record {
    int label;
    int signed_part[2];
    int nonnegative_part[2];
} record;

/* The record's contribution: a signed block per class, a non-negative block per class, a signed
 * block over all records, and counts. */
static void contribution(int *v, const record *r)
{
    memset(v, 0, VALUES * sizeof *v);
    for (int i = 0; i < 2; i++) {
        v[2 * r->label + i] = r->signed_part[i];
        v[2 * CLASSES + 2 * r->label + i] = r->nonnegative_part[i];
        v[4 * CLASSES + i] = r->signed_part[i];
    }
    v[4 * CLASSES + 2 + r->label] = 1;
}

static int block_of(int value)
{
    if (value < 2 * CLASSES) return 0;
    if (value < 4 * CLASSES) return 1;
    return value < 4 * CLASSES + 2 ? 2 : 3;
}

static size_t all_records(record *records)
{
    size_t count = 0;
    for (int label = 0; label < CLASSES; label++)
        for (int a = -RADIUS; a <= RADIUS; a++)
            for (int b = -RADIUS; b <= RADIUS; b++)
                for (int c = 0; c <= RADIUS; c++)
                    for (int d = 0; d <= RADIUS; d++)
                        if (a * a + b * b <= RADIUS * RADIUS && c * c + d * d <= RADIUS * RADIUS)
                            records[count++] = (record){label, {a, b}, {c, d}};
    return count;
}

static uint64_t cost_of(const int *u, const int *v, const uint64_t *m, sbl_mechanism mechanism)
{
    uint64_t cost = 0;
    for (int i = 0; i < VALUES; i++) {
        const uint64_t moved = (uint64_t)abs(u[i] - v[i]) * m[block_of(i)];
        cost += mechanism == SBL_DISCRETE_GAUSSIAN ? moved * moved : moved;
    }
    return cost;
}

static uint64_t brute_force(const uint64_t *m, sbl_mechanism mechanism, sbl_neighbours neighbours)
{
    static record records[CLASSES * 25 * 9];
    const size_t count = all_records(records);
    const int nothing[VALUES] = {0};
    uint64_t worst = 0;
    for (size_t i = 0; i < count; i++) {
        int u[VALUES];
        int v[VALUES];
        contribution(u, &records[i]);
        if (neighbours == SBL_ADD_REMOVE) {
            const uint64_t cost = cost_of(u, nothing, m, mechanism);
            if (cost > worst) worst = cost;
            continue;
        }
        for (size_t j = 0; j < i; j++) {
            contribution(v, &records[j]);
            const uint64_t cost = cost_of(u, v, m, mechanism);
            if (cost > worst) worst = cost;
        }
    }
    return worst;
}

/* Squared L2 with R = 2. The signed block over all records can move by 2R whatever the label. */
static const sbl_sensitivity squared[4] = {{16, 8, 4, 0, false, 0, false},
                                           {8, 8, 4, 0, false, 0, false},
                                           {16, 16, 4, 0, false, 0, false},
                                           {0, 2, 1, 0, false, 0, false}};
/* L1: the largest |q0| + |q1| on the grid is 2. */
static const sbl_sensitivity absolute[4] = {{4, 4, 2, 0, false, 0, false},
                                            {4, 4, 2, 0, false, 0, false},
                                            {4, 4, 2, 0, false, 0, false},
                                            {0, 2, 1, 0, false, 0, false}};

static sbl_u128 joint_of(sbl_mechanism mechanism, sbl_neighbours neighbours, const uint64_t *m)
{
    sbl_u128 joint;
    const sbl_sensitivity *blocks = mechanism == SBL_DISCRETE_GAUSSIAN ? squared : absolute;
    assert_ok(sbl_joint_sensitivity(&joint, mechanism, neighbours, blocks, m, 4, NULL));
    return joint;
}

TEST(gaussian_joint_sensitivity_equals_brute_force)
{
    const uint64_t cases[][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1},
                                 {1, 0, 0, 1}, {1, 0, 0, 2}, {1, 0, 0, 3}, {0, 1, 0, 1},
                                 {3, 0, 0, 5}, {1, 2, 0, 2}, {2, 3, 0, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(joint_of(SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, cases[i]) ==
                    brute_force(cases[i], SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE));
        assert_true(joint_of(SBL_DISCRETE_GAUSSIAN, SBL_ADD_REMOVE, cases[i]) ==
                    brute_force(cases[i], SBL_DISCRETE_GAUSSIAN, SBL_ADD_REMOVE));
    }
}

TEST(laplace_joint_sensitivity_equals_brute_force)
{
    const uint64_t cases[][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 1},
                                 {1, 0, 0, 1}, {2, 3, 0, 5}, {7, 1, 2, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(joint_of(SBL_DISCRETE_LAPLACE, SBL_REPLACE_ONE, cases[i]) ==
                    brute_force(cases[i], SBL_DISCRETE_LAPLACE, SBL_REPLACE_ONE));
        assert_true(joint_of(SBL_DISCRETE_LAPLACE, SBL_ADD_REMOVE, cases[i]) ==
                    brute_force(cases[i], SBL_DISCRETE_LAPLACE, SBL_ADD_REMOVE));
    }
}

TEST(joint_sensitivity_of_correlated_blocks_is_an_upper_bound)
{
    /* The signed block appears twice here, per class and over all records: the two cannot be at
     * their worst in every combination, so the sum bounds the truth from above. */
    const uint64_t m[4] = {1, 1, 1, 1};
    for (int relation = 0; relation < 2; relation++)
        assert_true(joint_of(SBL_DISCRETE_GAUSSIAN, (sbl_neighbours)relation, m) >=
                    brute_force(m, SBL_DISCRETE_GAUSSIAN, (sbl_neighbours)relation));
}

TEST(counts_are_free_beside_a_signed_block_of_equal_scale)
{
    const uint64_t r2 = UINT64_C(1) << 56;
    const sbl_sensitivity blocks[2] = {{4 * r2, 2 * r2, r2, 0, false, 0, false},
                                       {0, 2, 1, 0, false, 0, false}};
    const uint64_t alone[1] = {1000};
    const uint64_t with_counts[2] = {1000, UINT64_C(1000) << 28}; /* equal scale: R m = m_counts */
    const uint64_t larger[2] = {1000, (UINT64_C(1000) << 28) + 1};
    sbl_u128 one;
    sbl_u128 both;
    assert_ok(sbl_joint_sensitivity(&one, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, blocks, alone, 1, NULL));
    assert_ok(
        sbl_joint_sensitivity(&both, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, blocks, with_counts, 2, NULL));
    assert_true(one == both);
    assert_ok(sbl_joint_sensitivity(&both, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, blocks, larger, 2, NULL));
    assert_true(both > one);
    /* Not under add-remove: there they add up. */
    assert_ok(
        sbl_joint_sensitivity(&both, SBL_DISCRETE_GAUSSIAN, SBL_ADD_REMOVE, blocks, with_counts, 2, NULL));
    assert_true(both == one / 2);
}

TEST(joint_sensitivity_refuses_what_128_bits_cannot_hold)
{
    const uint64_t huge = (UINT64_C(1) << 62) - 1;
    const sbl_sensitivity product[2] = {{32, 0, 32, 0, false, 0, false}, {0, 0, 0, 0, false, 0, false}};
    const sbl_sensitivity sum[2] = {{0, 15, 15, 0, false, 0, false}, {0, 15, 15, 0, false, 0, false}};
    const uint64_t m[2] = {huge, huge};
    sbl_error err;
    sbl_u128 joint = 7;
    for (int relation = 0; relation < 2; relation++) {
        const sbl_neighbours n = (sbl_neighbours)relation;
        assert_refused(sbl_joint_sensitivity(&joint, SBL_DISCRETE_GAUSSIAN, n, product, m, 1, &err), SBL_EARG,
                       err);
        assert_true(joint == 0);
        assert_refused(sbl_joint_sensitivity(&joint, SBL_DISCRETE_GAUSSIAN, n, product, m, 2, &err), SBL_EARG,
                       err);
        assert_refused(sbl_joint_sensitivity(&joint, SBL_DISCRETE_GAUSSIAN, n, sum, m, 2, &err), SBL_EARG,
                       err);
        assert_ok(sbl_joint_sensitivity(&joint, SBL_DISCRETE_GAUSSIAN, n, sum, m, 1, &err));
    }
}

/* ---- persons with several rows ---- */

static sbl_u128 joint_of_two(sbl_mechanism mechanism, sbl_neighbours neighbours, sbl_sensitivity rows,
                             uint64_t of_person)
{
    const sbl_sensitivity blocks[2] = {rows,
                                       {2, 2, 1, .rows_per_unit = rows.rows_per_unit, .of_person = true}};
    const uint64_t m[2] = {10, of_person};
    sbl_u128 joint = 0;
    assert_ok(sbl_joint_sensitivity(&joint, mechanism, neighbours, blocks, m, 2, NULL));
    return joint;
}

/* By hand, k = 3. Gaussian: J = 200, J_1 = 100, ceil(sqrt J) = 15; even 9 J = 1800, uneven
 * 1800 - (5 J - 4 * 15 * 10 - J_1) = 1500 and twice the square of the persons' multiplier. */
TEST(persons_cost_what_their_rows_do_together)
{
    const sbl_sensitivity squares = {2, 2, 1, .rows_per_unit = 3};
    const sbl_sensitivity lengths = {4, 4, 2, .rows_per_unit = 3};
    const sbl_sensitivity all_alike = {1, 1, 1, .rows_per_unit = 3};
    const sbl_sensitivity added_costs_most = {0, 1, 2, .rows_per_unit = 3};
    assert_true(joint_of_two(SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, squares, 1) == 1800);
    assert_true(joint_of_two(SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, squares, 12) == 1800);
    assert_true(joint_of_two(SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, squares, 20) == 2300);
    assert_true(joint_of_two(SBL_DISCRETE_GAUSSIAN, SBL_ADD_REMOVE, squares, 20) == 900 + 400);
    assert_true(joint_of_two(SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, all_alike, 5) == 900 + 50);
    assert_true(joint_of_two(SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, added_costs_most, 5) == 1800 + 50);
    assert_true(joint_of_two(SBL_DISCRETE_LAPLACE, SBL_REPLACE_ONE, lengths, 20) == 140);
    assert_true(joint_of_two(SBL_DISCRETE_LAPLACE, SBL_REPLACE_ONE, lengths, 5) == 120);
    assert_true(joint_of_two(SBL_DISCRETE_LAPLACE, SBL_ADD_REMOVE, lengths, 20) == 80);
}

TEST(persons_beyond_128_bits_are_refused)
{
    const uint64_t huge = (UINT64_C(1) << 62) - 1;
    const sbl_sensitivity many[1] = {{8, 8, 8, .rows_per_unit = 1024}};
    const sbl_sensitivity beside[2] = {{15, 15, 15, .rows_per_unit = 1},
                                       {2, 2, 2, .rows_per_unit = 1, .of_person = true}};
    const sbl_sensitivity two[2] = {{15, 15, 15, .rows_per_unit = 1, .of_person = true},
                                    {15, 15, 15, .rows_per_unit = 1, .of_person = true}};
    const uint64_t m[2] = {huge, huge};
    const uint64_t beyond[2] = {1, UINT64_MAX};
    sbl_u128 joint = 7;
    for (int relation = 0; relation < 2; relation++) {
        const sbl_neighbours n = (sbl_neighbours)relation;
        sbl_error err;
        assert_refused(sbl_joint_sensitivity(&joint, SBL_DISCRETE_GAUSSIAN, n, many, m, 1, &err), SBL_EARG,
                       err);
        assert_true(joint == 0);
        assert_refused(sbl_joint_sensitivity(&joint, SBL_DISCRETE_GAUSSIAN, n, beside, m, 2, &err), SBL_EARG,
                       err);
        assert_refused(sbl_joint_sensitivity(&joint, SBL_DISCRETE_GAUSSIAN, n, two, m, 2, &err), SBL_EARG,
                       err);
        assert_refused(sbl_joint_sensitivity(&joint, SBL_DISCRETE_GAUSSIAN, n, beside, beyond, 2, &err),
                       SBL_EARG, err);
    }
}

/* ---- charges ---- */

TEST(gaussian_charge_is_joint_over_2_to_112_rounded_up)
{
    sbl_charge charge;
    const sbl_u128 one = (sbl_u128)1 << 112;
    assert_ok(sbl_charge_from_joint(&charge, SBL_DISCRETE_GAUSSIAN, one, 5, NULL));
    assert_true(charge.mu2 == SBL_FIXED96_ONE && charge.eps0 == 0 && charge.delta == 0);
    assert_int_equal(charge.draws, 5);
    assert_ok(sbl_charge_from_joint(&charge, SBL_DISCRETE_GAUSSIAN, one + 1, 5, NULL));
    assert_true(charge.mu2 == SBL_FIXED96_ONE + 1);
    assert_ok(sbl_charge_from_joint(&charge, SBL_DISCRETE_GAUSSIAN, 1, 5, NULL));
    assert_true(charge.mu2 == 1);
    assert_ok(sbl_charge_from_joint(&charge, SBL_DISCRETE_GAUSSIAN, 0, 5, NULL));
    assert_true(charge.mu2 == 0);
    assert_ok(sbl_charge_from_joint(&charge, SBL_DISCRETE_GAUSSIAN, SBL_U128_MAX, 5, NULL));
    assert_true(charge.mu2 == (sbl_u128)1 << 112);
}

TEST(laplace_charge_is_joint_over_2_to_56_exactly)
{
    sbl_charge charge;
    sbl_error err;
    assert_ok(sbl_charge_from_joint(&charge, SBL_DISCRETE_LAPLACE, (sbl_u128)3 << 54, 9, NULL));
    assert_true(charge.eps0 == (sbl_u128)3 << 94 && charge.mu2 == 0 && charge.draws == 0);
    const sbl_u128 most = ((sbl_u128)1 << 88) - 1;
    assert_ok(sbl_charge_from_joint(&charge, SBL_DISCRETE_LAPLACE, most, 9, NULL));
    assert_true(charge.eps0 == most << 40);
    assert_refused(sbl_charge_from_joint(&charge, SBL_DISCRETE_LAPLACE, most + 1, 9, &err), SBL_EARG, err);
    assert_true(charge.eps0 == 0);
}

TEST(charges_add_element_by_element)
{
    sbl_charge total = {1, 2, 3, 4};
    const sbl_charge more = {10, 20, 30, 40};
    assert_ok(sbl_charge_add(&total, &more, NULL));
    assert_true(total.mu2 == 11 && total.eps0 == 22 && total.delta == 33 && total.draws == 44);
}

TEST(a_charge_that_overflows_changes_nothing)
{
    const sbl_charge overflowing[4] = {
        {.mu2 = SBL_U128_MAX}, {.eps0 = SBL_U128_MAX}, {.delta = SBL_U128_MAX}, {.draws = UINT64_MAX}};
    for (int i = 0; i < 4; i++) {
        sbl_charge total = {1, 2, 3, 4};
        sbl_error err;
        assert_refused(sbl_charge_add(&total, &overflowing[i], &err), SBL_EARG, err);
        assert_true(total.mu2 == 1 && total.eps0 == 2 && total.delta == 3 && total.draws == 4);
    }
}

/* ---- fixed96 ---- */

TEST(fixed96_to_double_rounds_in_the_direction_named)
{
    assert_true(sbl_fixed96_to_double_up(0) == 0.0 && sbl_fixed96_to_double_down(0) == 0.0);
    assert_true(sbl_fixed96_to_double_up(SBL_FIXED96_ONE) == 1.0);
    assert_true(sbl_fixed96_to_double_down(SBL_FIXED96_ONE) == 1.0);
    assert_true(sbl_fixed96_to_double_up(SBL_FIXED96_ONE + 1) == nextafter(1.0, 2.0));
    assert_true(sbl_fixed96_to_double_down(SBL_FIXED96_ONE + 1) == 1.0);
    assert_true(sbl_fixed96_to_double_up(SBL_FIXED96_ONE - 1) == 1.0);
    assert_true(sbl_fixed96_to_double_down(SBL_FIXED96_ONE - 1) == nextafter(1.0, 0.0));
    assert_true(sbl_fixed96_to_double_up(1) == 0x1p-96 && sbl_fixed96_to_double_down(1) == 0x1p-96);
    assert_true(sbl_fixed96_to_double_up(SBL_U128_MAX) == 0x1p32);
    assert_true(sbl_fixed96_to_double_down(SBL_U128_MAX) == nextafter(0x1p32, 0.0));
}

TEST(double_to_fixed96_rounds_in_the_direction_named)
{
    sbl_u128 up;
    sbl_u128 down;
    const double numbers[] = {0.0, 1.0, 0.1, 0x1p-96, 3.5e9, 1e-9, 0x1.fffffffffffffp31};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        assert_ok(sbl_fixed96_from_double_up(&up, numbers[i], NULL));
        assert_ok(sbl_fixed96_from_double_down(&down, numbers[i], NULL));
        assert_true(sbl_fixed96_to_double_up(up) >= numbers[i]);
        assert_true(sbl_fixed96_to_double_down(down) <= numbers[i]);
        assert_true(up - down <= 1);
    }
    /* Numbers with 53 significant bits above 2^-96 are exact both ways. */
    assert_ok(sbl_fixed96_from_double_up(&up, 0.1, NULL));
    assert_true(sbl_fixed96_to_double_down(up) == 0.1);
    /* Smaller ones are not. */
    const double tiny[] = {0x1p-97, 1e-30, 0x1.8p-96, 1e-300};
    const sbl_u128 floors[] = {0, 0, 1, 0};
    for (size_t i = 0; i < 4; i++) {
        assert_ok(sbl_fixed96_from_double_up(&up, tiny[i], NULL));
        assert_ok(sbl_fixed96_from_double_down(&down, tiny[i], NULL));
        assert_true(down == floors[i] && up == floors[i] + 1);
    }
}

TEST(what_is_no_charge_has_no_fixed96)
{
    const double bad[] = {-1.0, -0x1p-1074, NAN, INFINITY, 0x1p32};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sbl_u128 value = 7;
        sbl_error err;
        assert_refused(sbl_fixed96_from_double_up(&value, bad[i], &err), SBL_EARG, err);
        assert_true(value == 0);
        assert_refused(sbl_fixed96_from_double_down(&value, bad[i], &err), SBL_EARG, err);
    }
}

TEST(names_are_those_of_the_file_formats)
{
    assert_string_equal(sbl_neighbours_name(SBL_REPLACE_ONE), "replace-one");
    assert_string_equal(sbl_neighbours_name(SBL_ADD_REMOVE), "add-remove");
    assert_string_equal(sbl_mechanism_name(SBL_DISCRETE_GAUSSIAN), "discrete-gaussian");
    assert_string_equal(sbl_mechanism_name(SBL_DISCRETE_LAPLACE), "discrete-laplace");
}
