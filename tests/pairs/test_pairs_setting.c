/* SPDX-License-Identifier: Apache-2.0 */
/* What is decided before any release: the course, its shares, the grid. */
#include <math.h>
#include <string.h>

#include "after/pairs/measurement_plan.h"
#include "public/counts/pairs_plan.h"
#include "support/cmocka_all.h"
#include "support/near.h"

static sbl_pairs_column fifteen[15];

static sbl_pairs_setting setting(double rows, double mu)
{
    for (size_t j = 0; j < 15; j++)
        fifteen[j] = (sbl_pairs_column){SBL_PAIRS_CATEGORIES, 10, 0, false, 0, NULL};
    return (sbl_pairs_setting){
        .columns = fifteen, .count = 15, .label = 14, .rows = rows, .mu = mu, .sensitivity2 = 1};
}

TEST(shares_of_every_course_sum_to_one)
{
    for (double rows = 10; rows < 1e8; rows *= 3)
        for (double mu = 0.01; mu < 10; mu *= 3)
            for (int kind = 0; kind < 4; kind++) {
                sbl_pairs_setting s = setting(rows, mu);
                s.one_round = kind % 2 == 1;
                if (kind >= 2) s.label = SBL_PAIRS_NO_COLUMN;
                const sbl_pairs_shape shape = sbl_pairs_shape_of(&s);
                double sum = 0;
                for (size_t i = 0; i < shape.rounds; i++) {
                    assert_true(shape.share[i] > 0);
                    sum += shape.share[i];
                }
                assert_near(sum, 1, 1e-12);
                assert_true(shape.rounds == 1 || !s.one_round);
                if (kind >= 2) assert_true(shape.course != SBL_PAIRS_LABEL);
            }
}

/* reference figures: K = 15, n mu = 32561 * 0.4 gives gn = sqrt(n mu sqrt(.2) / (1.2 sqrt 105)) */
TEST(the_course_follows_the_noise_of_a_sketch)
{
    sbl_pairs_setting s = setting(32561, 0.4);
    sbl_pairs_shape shape = sbl_pairs_shape_of(&s);
    assert_near(shape.resolution, sqrt(32561 * 0.4 * sqrt(0.2) / (1.2 * sqrt(105))), 1e-6);
    assert_int_equal(shape.course, SBL_PAIRS_SKETCH);
    assert_int_equal(shape.rounds, 3);
    assert_near(shape.share[1], 0.14, 1e-12);
    s.rows = 600; /* resolution just below 3: a coarse sketch has more of the budget */
    shape = sbl_pairs_shape_of(&s);
    assert_int_equal(shape.course, SBL_PAIRS_SKETCH);
    assert_near(shape.share[1], 0.2, 1e-12);
    s.rows = 300;
    shape = sbl_pairs_shape_of(&s);
    assert_int_equal(shape.course, SBL_PAIRS_LABEL);
    assert_int_equal(shape.rounds, 2);
    assert_near(shape.share[1], fmin(0.09 * shape.label_resolution, 0.3), 1e-12); /* the label's tables */
    assert_near(shape.share[0] + shape.share[1], 1, 1e-12);
    s.label_share = 0.1; /* the owner's choice */
    assert_near(sbl_pairs_shape_of(&s).share[1], 0.1, 1e-12);
    s.label_share = 0.5;
    assert_int_equal(sbl_pairs_setting_check(&s, &(sbl_error){0}), SBL_EARG);
    s.label_share = 0;
    s.label = SBL_PAIRS_NO_COLUMN;
    assert_int_equal(sbl_pairs_shape_of(&s).course, SBL_PAIRS_ONE_WAY);
    s = setting(20, 0.4);
    assert_int_equal(sbl_pairs_shape_of(&s).course, SBL_PAIRS_ONE_WAY);
    s = setting(32561, 0.4);
    s.one_round = true;
    assert_int_equal(sbl_pairs_shape_of(&s).course, SBL_PAIRS_ALL);
}

TEST(bins_follow_the_rule_within_their_bounds)
{
    assert_int_equal(sbl_pairs_bins(10, 15, 0.1, 1), 24);
    assert_int_equal(sbl_pairs_bins(1e7, 15, 1, 2), 128);
    const double noises = 32561 * 0.0254 / sqrt(15);
    assert_int_equal(sbl_pairs_bins(32561, 15, 0.0254, 1), 8 * (int)floor(2.6 * pow(noises, 0.63) / 8));
}

TEST(impossible_facts_are_refused)
{
    sbl_error err = {0};
    sbl_pairs_setting s = setting(100, 1);
    assert_ok(sbl_pairs_setting_check(&s, &err));
    s.rows = 0;
    assert_int_equal(sbl_pairs_setting_check(&s, &err), SBL_EARG);
    s = setting(100, NAN);
    assert_int_equal(sbl_pairs_setting_check(&s, &err), SBL_EARG);
    s = setting(100, 1);
    s.label = 15;
    assert_int_equal(sbl_pairs_setting_check(&s, &err), SBL_EARG);
    s = setting(100, 1);
    fifteen[3].cells = SBL_PAIRS_MOST_CELLS + 1;
    assert_int_equal(sbl_pairs_setting_check(&s, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "column 4"));
    s = setting(100, 1);
    fifteen[3].ordered = 2;
    assert_int_equal(sbl_pairs_setting_check(&s, &err), SBL_EARG);
}

TEST(a_study_over_the_limit_is_refused_before_it_allocates)
{
    sbl_error err = {0};
    sbl_pairs_selection *selection;
    sbl_pairs_setting s = setting(1e6, 1);
    const size_t bytes = sbl_pairs_selection_bytes(&s);
    assert_true(bytes > 1000);
    assert_int_equal(sbl_pairs_selection_new(&selection, &s, bytes - 1, &err), SBL_EARG);
    assert_null(selection);
    assert_non_null(strstr(err.message, "ignore columns"));
    assert_ok(sbl_pairs_selection_new(&selection, &s, bytes, &err));
    sbl_pairs_selection_free(selection);
}

TEST(pairs_are_numbered_without_gaps)
{
    size_t next = 0;
    for (size_t i = 0; i < 7; i++)
        for (size_t j = i + 1; j < 7; j++) assert_int_equal(sbl_pairs_index(i, j, 7), next++);
    assert_int_equal(next, 21);
}

TEST(plans_that_do_not_fit_are_refused)
{
    sbl_error err = {0};
    const sbl_pairs_setting s = setting(100, 1);
    sbl_pairs_plan plan = {0};
    uint32_t of[10] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, a, b;
    const sbl_pairs_map first = {SBL_PAIRS_CODES, 0, 2, of}, second = {SBL_PAIRS_CODES, 1, 2, of};
    assert_ok(sbl_pairs_plan_add_map(&plan, &a, &first, 10, &err));
    assert_ok(sbl_pairs_plan_add_map(&plan, &b, &second, 10, &err));
    assert_ok(sbl_pairs_plan_add_table(&plan, a, b, 0.5, &err));
    assert_int_equal(sbl_pairs_table_entries(&plan, 0), 4);
    assert_ok(sbl_pairs_plan_check(&plan, &s, &err));
    plan.maps[0].of[0] = 2; /* past the map's cells */
    assert_int_equal(sbl_pairs_plan_check(&plan, &s, &err), SBL_EINPUT);
    plan.maps[0].of[0] = 0;
    for (size_t c = 0; c < 10; c++) plan.maps[1].of[c] = 0; /* cell 1 is not taken */
    assert_int_equal(sbl_pairs_plan_check(&plan, &s, &err), SBL_EINPUT);
    memcpy(plan.maps[1].of, of, sizeof of);
    plan.tables[0].precision = 1.1;
    assert_int_equal(sbl_pairs_plan_check(&plan, &s, &err), SBL_EINPUT);
    plan.tables[0].precision = 0.5;
    plan.tables[0].second = a; /* twice the same column */
    assert_int_equal(sbl_pairs_plan_check(&plan, &s, &err), SBL_EINPUT);
    sbl_pairs_plan_clear(&plan);
}
