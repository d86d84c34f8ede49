/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of two-way tables, and energies shrunk together. */
#include <math.h>
#include <string.h>

#include "after/counts/table_math.h"
#include "base/random/model_rng.h"
#include "support/cmocka_all.h"
#include "support/near.h"

#define ROWS 5
#define COLUMNS 7
#define SIZE (ROWS * COLUMNS)

static void random_margins(double *p, size_t count, sbl_model_rng *rng)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += p[i] = 0.02 + sbl_model_rng_uniform(rng);
    for (size_t i = 0; i < count; i++) p[i] /= sum;
}

static void check_margins(const double *t, const double *p, const double *q, double tolerance)
{
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0;
        for (size_t j = 0; j < COLUMNS; j++) sum += t[i * COLUMNS + j];
        assert_near(sum, p[i], tolerance);
    }
    for (size_t j = 0; j < COLUMNS; j++) {
        double sum = 0;
        for (size_t i = 0; i < ROWS; i++) sum += t[i * COLUMNS + j];
        assert_near(sum, q[j], tolerance);
    }
}

static double distance2(const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < SIZE; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

TEST(centring_leaves_what_margins_cannot_explain)
{
    double t[SIZE];
    const double zero[COLUMNS] = {0};
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++) t[i * COLUMNS + j] = 3.0 * (double)i - (double)(j * j);
    sbl_table_centre(t, ROWS, COLUMNS);
    assert_near(sbl_table_energy(t, ROWS, COLUMNS), 0, 1e-20);
    t[0] = 1;
    sbl_table_centre(t, ROWS, COLUMNS);
    check_margins(t, zero, zero, 1e-12);
    assert_near(sbl_table_energy(t, ROWS, COLUMNS), (1 - 1.0 / ROWS) * (1 - 1.0 / COLUMNS), 1e-12);
}

TEST(margins_are_set_and_the_interaction_kept)
{
    double t[SIZE], before[SIZE], p[ROWS], q[COLUMNS];
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 3, SBL_RNG_OTHER, 0);
    random_margins(p, ROWS, &rng);
    random_margins(q, COLUMNS, &rng);
    for (size_t i = 0; i < SIZE; i++) before[i] = t[i] = sbl_model_rng_normal(&rng);
    sbl_table_set_margins(t, ROWS, COLUMNS, p, q);
    check_margins(t, p, q, 1e-12);
    sbl_table_centre(t, ROWS, COLUMNS);
    sbl_table_centre(before, ROWS, COLUMNS);
    assert_near(distance2(t, before), 0, 1e-20);
}

/* Exact margins, no entry below 0, and no other such table nearer: moving mass around any two by
 * two square does not bring it nearer. */
TEST(the_projection_has_exact_margins_and_is_nearest)
{
    for (uint64_t trial = 0; trial < 50; trial++) {
        double noisy[SIZE], t[SIZE], p[ROWS], q[COLUMNS], scratch[SIZE + ROWS + COLUMNS];
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, 4, SBL_RNG_OTHER, trial);
        random_margins(p, ROWS, &rng);
        random_margins(q, COLUMNS, &rng);
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < COLUMNS; j++)
                noisy[i * COLUMNS + j] = p[i] * q[j] + 0.02 * sbl_model_rng_normal(&rng);
        memcpy(t, noisy, sizeof t);
        sbl_table_project(t, ROWS, COLUMNS, p, q, NULL, scratch);
        check_margins(t, p, q, 1e-9);
        const double distance = distance2(t, noisy);
        for (size_t i = 0; i < SIZE; i++) assert_true(t[i] >= 0);
        for (size_t a = 0; a < ROWS; a++)
            for (size_t b = 0; b < COLUMNS; b++) {
                const size_t c = (a + 1) % ROWS, d = (b + 2) % COLUMNS;
                double moved[SIZE];
                const double step = fmin(1e-3, fmin(t[a * COLUMNS + d], t[c * COLUMNS + b]));
                memcpy(moved, t, sizeof t);
                moved[a * COLUMNS + b] += step;
                moved[c * COLUMNS + d] += step;
                moved[a * COLUMNS + d] -= step;
                moved[c * COLUMNS + b] -= step;
                assert_true(distance2(moved, noisy) >= distance - 1e-5);
            }
    }
}

TEST(a_margin_of_zero_empties_its_row)
{
    double t[SIZE], p[ROWS] = {0.5, 0, 0.2, 0.3, 0}, q[COLUMNS], scratch[SIZE + ROWS + COLUMNS];
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 5, SBL_RNG_OTHER, 0);
    random_margins(q, COLUMNS, &rng);
    for (size_t i = 0; i < SIZE; i++) t[i] = 0.03 * sbl_model_rng_normal(&rng);
    sbl_table_project(t, ROWS, COLUMNS, p, q, NULL, scratch);
    check_margins(t, p, q, 1e-9);
    for (size_t j = 0; j < COLUMNS; j++) assert_near(t[COLUMNS + j], 0, 1e-12);
}

/* A diagonal of width two under noise of which most entries hold less than one: a tile far off it
 * is a hole, the diagonal never, and without an order single entries alone are tried. */
TEST(a_hole_is_where_nothing_was_measured_and_much_was_expected)
{
    enum { SIDE = 24 };
    double t[SIDE * SIDE], p[SIDE], scratch[SIDE * SIDE + 2 * SIDE];
    uint8_t holes[SIDE * SIDE];
    const double noise = 0.0015;
    size_t found = 0, alone = 0;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 6, SBL_RNG_OTHER, 0);
    for (size_t i = 0; i < SIDE; i++) p[i] = 1.0 / SIDE;
    for (size_t i = 0; i < SIDE; i++)
        for (size_t j = 0; j < SIDE; j++)
            t[i * SIDE + j] = (i / 2 == j / 2 ? 0.5 / SIDE : 0) + noise * sbl_model_rng_normal(&rng);
    sbl_table_side side = {p, SIDE, SIDE};
    sbl_table_holes(holes, t, &side, &side, noise);
    for (size_t i = 0; i < SIDE; i++)
        for (size_t j = 0; j < SIDE; j++) {
            found += holes[i * SIDE + j];
            if (i / 2 == j / 2) assert_int_equal(holes[i * SIDE + j], 0);
        }
    assert_true(found > SIDE * SIDE / 2);
    sbl_table_project(t, SIDE, SIDE, p, p, holes, scratch);
    for (size_t i = 0; i < SIDE * SIDE; i++)
        if (holes[i]) assert_true(t[i] < 1e-6);
    side.ordered = 0;
    sbl_table_holes(holes, t, &side, &side, noise);
    for (size_t i = 0; i < SIDE * SIDE; i++) alone += holes[i];
    assert_int_equal(alone, 0); /* 1 / 24 / 24 is little more than the noise of one entry */
}

/* The stated variance is the one that noise shows, and the sums are weighed by precision. */
TEST(conditioning_is_the_best_linear_estimate)
{
    const uint16_t row_group[ROWS] = {0, 0, 1, 1, 1}, column_group[COLUMNS] = {0, 1, 1, 2, 2, 2, 2};
    const sbl_table_groups groups = {row_group, column_group, 2, 3};
    double square = 0, stated = 0;
    for (uint64_t trial = 0; trial < 3000; trial++) {
        double t[SIZE], sums[6] = {0}, scratch[6];
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, 6, SBL_RNG_OTHER, trial);
        for (size_t i = 0; i < SIZE; i++) t[i] = 2 * sbl_model_rng_normal(&rng);
        for (size_t i = 0; i < 6; i++) sums[i] = sbl_model_rng_normal(&rng);
        stated = sbl_table_condition(t, ROWS, COLUMNS, 4, &groups, sums, 1, scratch);
        for (size_t i = 0; i < SIZE; i++) square += t[i] * t[i] / SIZE / 3000;
    }
    assert_true(stated < 4);
    assert_near(square / stated, 1, 0.03);
}

TEST(exact_sums_are_taken_over)
{
    const uint16_t row_group[ROWS] = {0, 0, 1, 1, 1}, column_group[COLUMNS] = {0, 1, 1, 2, 2, 2, 2};
    const sbl_table_groups groups = {row_group, column_group, 2, 3};
    double t[SIZE] = {0}, sums[6] = {1, 2, 3, 4, 5, 6}, scratch[6], got[6] = {0};
    sbl_table_condition(t, ROWS, COLUMNS, 1, &groups, sums, 1e-12, scratch);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++) got[row_group[i] * 3 + column_group[j]] += t[i * COLUMNS + j];
    for (size_t i = 0; i < 6; i++) assert_near(got[i], sums[i], 1e-9);
}

#define PAIRS 2000

/* 1,900 energies of 0 and 100 of 20 errors: shrinking together tells them apart. */
TEST(bayes_shrinks_noise_and_leaves_signal)
{
    static double energy[PAIRS], error[PAIRS], variance[PAIRS], mean[PAIRS];
    sbl_error err = {0};
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 7, SBL_RNG_OTHER, 0);
    for (size_t i = 0; i < PAIRS; i++) {
        error[i] = 1;
        variance[i] = 0.1;
        energy[i] = (i % 20 == 0 ? 20 : 0) + sbl_model_rng_normal(&rng);
    }
    assert_ok(sbl_bayes_energies(mean, energy, error, variance, PAIRS, &err));
    double noise = 0, signal = 0;
    for (size_t i = 0; i < PAIRS; i++) {
        assert_true(mean[i] >= 0);
        if (i % 20 == 0)
            signal += mean[i] / 100;
        else
            noise += mean[i] / 1900;
    }
    assert_true(noise < 0.1);
    assert_near(signal, 20, 1.5);
}
