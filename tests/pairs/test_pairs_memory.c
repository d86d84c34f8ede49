/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of a selection, a fit and a draw may fail: an error, nothing lost, nothing left. */
#include <stdlib.h>

#include "after/pairs/pairs_sampler.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "toy_table.h"

static toy_table table;
static sbl_pairs_setting setting;
static sbl_pairs_model model;
static const uint32_t *fixed;

static sbl_status fit_it(sbl_error *err)
{
    sbl_pairs_model made;
    const sbl_status status = toy_fit(&table, &setting, &made, err);
    if (status != SBL_OK) assert_null(made.rows);
    sbl_pairs_model_clear(&made);
    return status;
}

static sbl_status draw_it(sbl_error *err)
{
    sbl_pairs_sampler *sampler;
    const sbl_pairs_request request = {.rows = 1300, .seed = 1, .fixed = fixed};
    uint32_t *cells = malloc(1300 * TOY_COLUMNS * sizeof *cells);
    sbl_status status = sbl_pairs_sampler_new(&sampler, &model, &request, err);
    if (status == SBL_OK) status = sbl_pairs_sampler_draw(sampler, cells, 0, 1300, err);
    sbl_pairs_sampler_free(sampler);
    free(cells);
    return status;
}

static long fail_each(sbl_status (*job)(sbl_error *))
{
    for (long n = 1;; n++) {
        sbl_error err = {0};
        sbl_test_fail_alloc(n);
        const sbl_status status = job(&err);
        const bool failed = sbl_test_fail_end();
        assert_int_equal(status, failed ? SBL_EMEM : SBL_OK);
        if (!failed) return n - 1;
    }
}

TEST(every_allocation_of_every_course_may_fail)
{
    toy_table_make(&table, 150);
    const double budgets[] = {1.0, 0.25, 1e-3};
    const sbl_pairs_course courses[] = {SBL_PAIRS_SKETCH, SBL_PAIRS_LABEL, SBL_PAIRS_ONE_WAY};
    for (size_t i = 0; i < 6; i++) {
        setting = toy_setting(&table, budgets[i / 2]);
        setting.one_round = i % 2 == 1;
        const sbl_pairs_course course = sbl_pairs_shape_of(&setting).course;
        assert_int_equal(course, i == 1 ? SBL_PAIRS_ALL : courses[i / 2]);
        assert_true(fail_each(fit_it) > 20);
    }
    toy_table_free(&table);
}

TEST(every_allocation_of_a_draw_may_fail)
{
    sbl_error err = {0};
    static const uint32_t rare[TOY_COLUMNS] = {0, SBL_PAIRS_FREE, 19, SBL_PAIRS_FREE, 29, 0};
    toy_table_make(&table, 500);
    setting = toy_setting(&table, 2);
    assert_ok(toy_fit(&table, &setting, &model, &err));
    fixed = NULL;
    assert_true(fail_each(draw_it) > 10);
    fixed = rare;
    assert_true(fail_each(draw_it) > 10);
    sbl_pairs_model_clear(&model);
    toy_table_free(&table);
}
