/* SPDX-License-Identifier: Apache-2.0 */
/* One-way tables: the plan, two levels, projections. */
#include <math.h>
#include <string.h>

#include "after/counts/one_way.h"
#include "base/random/model_rng.h"
#include "support/cmocka_all.h"
#include "support/near.h"

#define CELLS 30

static void random_values(double *y, double *v, sbl_model_rng *rng)
{
    for (size_t i = 0; i < CELLS; i++) {
        y[i] = 0.05 + 0.08 * sbl_model_rng_normal(rng);
        v[i] = 0.2 + sbl_model_rng_uniform(rng);
    }
}

/* The conditions of Kuhn and Tucker: (y - p) / v is one number where p > 0, and not above it where
 * p = 0. They hold at the nearest point only. */
TEST(the_projection_is_the_nearest_point_of_the_simplex)
{
    for (uint64_t trial = 0; trial < 200; trial++) {
        double y[CELLS], v[CELLS], p[CELLS], sum = 0, shift = NAN;
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, 1, SBL_RNG_OTHER, trial);
        random_values(y, v, &rng);
        const double total = trial % 3 == 0 ? 1 : 0.1 * (double)trial;
        sbl_pairs_project_simplex(p, y, trial % 2 ? v : NULL, CELLS, total);
        for (size_t i = 0; i < CELLS; i++) {
            assert_true(p[i] >= 0);
            sum += p[i];
            if (p[i] > 0 && isnan(shift)) shift = (y[i] - p[i]) / (trial % 2 ? v[i] : 1);
        }
        assert_near(sum, total, 1e-9 * (1 + total));
        for (size_t i = 0; total > 0 && i < CELLS; i++) {
            const double gap = (y[i] - p[i]) / (trial % 2 ? v[i] : 1);
            if (p[i] > 0)
                assert_near(gap, shift, 1e-9 * (1 + total));
            else
                assert_true(gap <= shift + 1e-9);
        }
    }
}

TEST(projecting_nothing_gives_nothing)
{
    double y[3] = {1, -2, 0.5}, p[3];
    sbl_pairs_project_simplex(p, y, NULL, 3, 0);
    for (size_t i = 0; i < 3; i++) assert_near(p[i], 0, 0);
}

static const sbl_pairs_column columns[4] = {{SBL_PAIRS_NUMBER, 26, 25, false, 0, NULL},
                                            {SBL_PAIRS_CATEGORIES, 5000, 0, false, 0, NULL},
                                            {SBL_PAIRS_RANKS, 25, 25, false, 0, NULL},
                                            {SBL_PAIRS_NUMBER, 16, 16, false, 0, NULL}};

static sbl_pairs_setting setting(void)
{
    return (sbl_pairs_setting){columns,      .count = 4, .label = SBL_PAIRS_NO_COLUMN,
                               .rows = 1000, .mu = 1,    .sensitivity2 = 1};
}

TEST(precisions_follow_the_cells_up_to_a_cap)
{
    CLEARED(sbl_pairs_plan_clear) sbl_pairs_plan plan = {0};
    sbl_error err = {0};
    const sbl_pairs_setting s = setting();
    double by_column[4] = {0}, sum = 0;
    assert_ok(sbl_pairs_plan_one_way(&plan, &s, 0.4, &err));
    assert_ok(sbl_pairs_plan_check(&plan, &s, &err));
    assert_int_equal(plan.table_count, 5); /* two levels of column 0 only */
    for (size_t t = 0; t < plan.table_count; t++) {
        by_column[plan.maps[plan.tables[t].first].column] += plan.tables[t].precision;
        sum += plan.tables[t].precision;
    }
    assert_near(sum, 0.4, 1e-12);
    assert_near(by_column[0] / by_column[3], pow(26.0 / 16, 2.0 / 3), 1e-9);
    assert_near(by_column[1] / by_column[3], pow(256.0 / 16, 2.0 / 3), 1e-9);
}

/* Exact values at both levels come back; a missing value stays apart. */
TEST(two_levels_agree_without_noise)
{
    CLEARED(sbl_pairs_plan_clear) sbl_pairs_plan plan = {0};
    sbl_error err = {0};
    const sbl_pairs_setting s = setting();
    double fine[26], runs[26] = {0}, shares[26];
    assert_ok(sbl_pairs_plan_one_way(&plan, &s, 1, &err));
    const sbl_pairs_map *upper = &plan.maps[plan.tables[1].first];
    assert_int_equal(upper->level, SBL_PAIRS_COARSE);
    assert_int_equal(upper->cells, 6);
    assert_int_equal(upper->of[25], 5);
    for (size_t c = 0; c < 26; c++) {
        fine[c] = (double)(c + 1) * 1000 / 351;
        runs[upper->of[c]] += fine[c];
    }
    const double *values[5] = {fine, runs};
    const double noise[5] = {3, 2, 1, 1, 1};
    CLEARED(sbl_pairs_histogram_clear) sbl_pairs_histogram h;
    assert_ok(sbl_pairs_histogram_init(&h, &plan, 0, 26, values, noise, &err));
    memcpy(shares, h.counts, sizeof shares);
    assert_ok(sbl_pairs_histogram_project(shares, &h, 1000, &err));
    for (size_t c = 0; c < 26; c++) {
        assert_near(h.counts[c], fine[c], 1e-9);
        assert_near(shares[c], fine[c] / 1000, 1e-12);
    }
}

/* The stated variance of sums over a map is the one that noise shows. */
TEST(variances_of_sums_are_those_of_noise)
{
    CLEARED(sbl_pairs_plan_clear) sbl_pairs_plan plan = {0};
    sbl_error err = {0};
    const sbl_pairs_setting s = setting();
    uint32_t of[26];
    for (uint32_t c = 0; c < 26; c++) of[c] = c < 3 ? 0 : c < 11 ? 1 : c < 25 ? 2 : 3;
    const sbl_pairs_map map = {SBL_PAIRS_CODES, 0, 4, of};
    assert_ok(sbl_pairs_plan_one_way(&plan, &s, 1, &err));
    double square[4] = {0}, counts[4], variances[4];
    for (uint64_t trial = 0; trial < 4000; trial++) {
        double fine[26], runs[6];
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, 2, SBL_RNG_OTHER, trial);
        for (size_t c = 0; c < 26; c++) fine[c] = 3 * sbl_model_rng_normal(&rng);
        for (size_t c = 0; c < 6; c++) runs[c] = 2 * sbl_model_rng_normal(&rng);
        const double *values[5] = {fine, runs};
        const double noise[5] = {3, 2, 1, 1, 1};
        CLEARED(sbl_pairs_histogram_clear) sbl_pairs_histogram h;
        assert_ok(sbl_pairs_histogram_init(&h, &plan, 0, 26, values, noise, &err));
        assert_ok(sbl_pairs_histogram_sums(counts, variances, &h, &map, &err));
        for (size_t m = 0; m < 4; m++) square[m] += counts[m] * counts[m] / 4000;
    }
    for (size_t m = 0; m < 4; m++) assert_near(square[m] / variances[m], 1, 0.12);
}

/* Five runs of five cells: a spike with nothing beside it, a run that is smooth, its tail, two runs
 * of noise. Cells have noise 3, runs 2. */
static void fill_quiet(double fine[26], double runs[6], const uint32_t *run_of)
{
    memset(runs, 0, 6 * sizeof *runs);
    for (size_t c = 0; c < 26; c++)
        fine[c] = c == 2 ? 500 : c < 5 ? 0.5 : c < 10 ? 10 : c < 15 ? 1.5 : c == 20 ? 4 : 0;
    fine[25] = 1; /* missing: never silent */
    for (size_t c = 0; c < 26; c++) runs[run_of[c]] += fine[c];
}

TEST(noise_far_from_what_is_there_falls_silent)
{
    CLEARED(sbl_pairs_plan_clear) sbl_pairs_plan plan = {0};
    sbl_error err = {0};
    const sbl_pairs_setting s = setting();
    double fine[26], runs[6], shares[26], counts[2], variances[2];
    uint32_t of[26];
    assert_ok(sbl_pairs_plan_one_way(&plan, &s, 1, &err));
    fill_quiet(fine, runs, plan.maps[plan.tables[1].first].of);
    const double *values[5] = {fine, runs};
    const double noise[5] = {3, 2, 1, 1, 1};
    CLEARED(sbl_pairs_histogram_clear) sbl_pairs_histogram h;
    assert_ok(sbl_pairs_histogram_init(&h, &plan, 0, 26, values, noise, &err));
    assert_ok(sbl_pairs_histogram_denoise(&h, 25, 20, &err));
    for (uint32_t c = 0; c < 26; c++) /* of so few rows a tenth could hide in it */
        assert_false(sbl_pairs_histogram_silent(&h, c));
    assert_ok(sbl_pairs_histogram_denoise(&h, 25, 567, &err));
    for (uint32_t c = 0; c < 26; c++) {
        const bool spike_only = c < 5 && c != 2, far = c >= 15 && c < 25;
        assert_int_equal(sbl_pairs_histogram_silent(&h, c), spike_only || far);
        of[c] = c >= 15; /* with the missing cell, and without silent runs */
    }
    memcpy(shares, h.counts, sizeof shares);
    assert_ok(sbl_pairs_histogram_project(shares, &h, 567, &err));
    double sum = 0;
    for (uint32_t c = 0; c < 26; c++) sum += shares[c];
    assert_near(sum, 1, 1e-12);
    assert_near(shares[20], 0, 0);
    assert_near(shares[0], 0, 0);
    assert_true(shares[12] > 0);
    const sbl_pairs_map map = {SBL_PAIRS_CODES, 0, 2, of};
    assert_ok(sbl_pairs_histogram_sums(counts, variances, &h, &map, &err));
    assert_near(counts[1], 1, 1e-9); /* the missing cell alone */
}

/* Where nothing is heard nothing is known to be empty. */
TEST(noise_alone_is_not_silenced)
{
    CLEARED(sbl_pairs_plan_clear) sbl_pairs_plan plan = {0};
    sbl_error err = {0};
    const sbl_pairs_setting s = setting();
    const double fine[26] = {1}, runs[6] = {1};
    const double *values[5] = {fine, runs};
    const double noise[5] = {3, 2, 1, 1, 1};
    CLEARED(sbl_pairs_histogram_clear) sbl_pairs_histogram h;
    assert_ok(sbl_pairs_plan_one_way(&plan, &s, 1, &err));
    assert_ok(sbl_pairs_histogram_init(&h, &plan, 0, 26, values, noise, &err));
    assert_ok(sbl_pairs_histogram_denoise(&h, 25, 1000, &err));
    for (uint32_t c = 0; c < 26; c++) assert_false(sbl_pairs_histogram_silent(&h, c));
}

TEST(a_release_without_the_column_is_refused)
{
    sbl_pairs_plan plan = {0};
    sbl_error err = {0};
    sbl_pairs_histogram h;
    assert_int_equal(sbl_pairs_histogram_init(&h, &plan, 0, 26, NULL, NULL, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "column 1"));
}

/* A column of 26 cells in two levels, and one of 3 in one level: the last cell is of missing values. */
static void expect_missing(size_t column, double count, bool silent)
{
    CLEARED(sbl_pairs_plan_clear) sbl_pairs_plan plan = {0};
    sbl_error err = {0};
    sbl_pairs_column tested[2] = {{SBL_PAIRS_NUMBER, 26, 25, true, 0, NULL},
                                  {SBL_PAIRS_CATEGORIES, 3, 0, true, 0, NULL}};
    sbl_pairs_setting s = setting();
    s.columns = tested;
    s.count = 2;
    const uint32_t cells = tested[column].cells;
    double fine[26], runs[6] = {0}, shares[26], sum = 0;
    assert_ok(sbl_pairs_plan_one_way(&plan, &s, 1, &err));
    const uint32_t *run_of = plan.maps[plan.tables[1].first].of;
    for (uint32_t c = 0; c < cells; c++) fine[c] = c + 1 < cells ? 100 : count;
    for (uint32_t c = 0; column == 0 && c < cells; c++) runs[run_of[c]] += fine[c];
    const double *values[3] = {fine, runs, fine};
    const double noise[3] = {3, 3, 3};
    CLEARED(sbl_pairs_histogram_clear) sbl_pairs_histogram h;
    assert_ok(sbl_pairs_histogram_init(&h, &plan, (uint32_t)column, cells, values, noise, &err));
    assert_ok(
        sbl_pairs_histogram_test_missing(&h, &tested[column], sbl_pairs_missing_count(tested, 2), &err));
    assert_int_equal(sbl_pairs_histogram_silent(&h, cells - 1), silent);
    memcpy(shares, h.counts, cells * sizeof *shares);
    assert_ok(sbl_pairs_histogram_project(shares, &h, 100 * (cells - 1) + count, &err));
    for (uint32_t c = 0; c < cells; c++) sum += shares[c];
    assert_near(sum, 1, 1e-9);
    assert_true(silent == (shares[cells - 1] == 0));
}

TEST(missing_values_that_noise_explains_have_no_share)
{
    expect_missing(0, 6, true);    /* noise 3 / sqrt 2 of both levels together: 2.8 of them */
    expect_missing(0, 7.5, false); /* 3.5 */
    expect_missing(1, 9, true);    /* 3 of them */
    expect_missing(1, 10.5, false);
    expect_missing(1, -4, true);
}
