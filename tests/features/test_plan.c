/* Plans: what they say of the blocks, and that their text rebuilds them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "features/onehot.h"
#include "features/plan.h"

static const size_t cardinalities[] = {3, 2, 5};

static void make_plan(sbl_merf_plan *plan, size_t numeric, size_t categorical, size_t classes)
{
    sbl_record_shape shape;
    sbl_merf_plan_options options;
    sbl_error err = {0};
    assert_int_equal(
        sbl_record_shape_init(&shape, numeric, cardinalities, categorical, classes, NULL), SBL_OK);
    sbl_merf_plan_options_init(&options, &shape);
    options.seed = UINT64_MAX;
    assert_int_equal(sbl_merf_plan_build(plan, &shape, &options, &err), SBL_OK);
    sbl_record_shape_clear(&shape);
}

static void mixed_table_has_a_fourier_and_a_onehot_block(void **state)
{
    (void)state;
    sbl_merf_plan plan;
    make_plan(&plan, 4, 3, 2);
    assert_int_equal(plan.block_count, 2);
    const sbl_feature_block *rff = sbl_merf_plan_find(&plan, SBL_FEATURE_RFF);
    const sbl_feature_block *onehot = sbl_merf_plan_find(&plan, SBL_FEATURE_ONEHOT);
    assert_int_equal(rff->width, plan.options.features);
    assert_int_equal(rff->group, 2);
    assert_true(rff->per_class && !rff->nonnegative);
    assert_true(fabs(rff->weight * rff->norm - 1) < 1e-15);
    assert_int_equal(onehot->width, 10);
    assert_int_equal(onehot->bound2, 3);
    assert_true(onehot->nonnegative && onehot->norm == 0);
    assert_true(fabs(onehot->weight * sqrt(3) - 1) < 1e-15);
    assert_true(plan.options.counts && plan.counts_weight == 1);
    sbl_merf_plan_clear(&plan);
}

static void tables_without_categories_have_no_onehot_block(void **state)
{
    (void)state;
    sbl_merf_plan plan;
    make_plan(&plan, 4, 0, 1);
    assert_int_equal(plan.block_count, 1);
    assert_null(sbl_merf_plan_find(&plan, SBL_FEATURE_ONEHOT));
    assert_false(plan.options.counts);
    sbl_merf_plan_clear(&plan);
    make_plan(&plan, 0, 2, 3);
    assert_int_equal(plan.block_count, 2);
    sbl_merf_plan_clear(&plan);
}

static void text_rebuilds_the_plan_and_its_frequencies(void **state)
{
    (void)state;
    sbl_merf_plan plan, again;
    sbl_rff a, b;
    sbl_error err = {0};
    make_plan(&plan, 4, 3, 2);
    assert_int_equal(sbl_merf_plan_parse(&again, plan.json, "p", &err), SBL_OK);
    assert_string_equal(plan.json, again.json);
    assert_memory_equal(plan.hash, again.hash, sizeof plan.hash);
    assert_int_equal(again.options.seed, UINT64_MAX);
    assert_int_equal(sbl_merf_plan_rff(&a, &plan, NULL), SBL_OK);
    assert_int_equal(sbl_merf_plan_rff(&b, &again, NULL), SBL_OK);
    assert_memory_equal(a.panels, b.panels, 4 * SBL_FOURIER_PANEL * sizeof(float));
    sbl_rff_clear(&a);
    sbl_rff_clear(&b);
    sbl_merf_plan_clear(&again);
    sbl_merf_plan_clear(&plan);
}

/* text with the first `from` replaced by `to`. */
static void edit(char *text, size_t size, const char *json, const char *from, const char *to)
{
    const char *at = strstr(json, from);
    assert_non_null(at);
    snprintf(text, size, "%.*s%s%s", (int)(at - json), json, to, at + strlen(from));
}

static void edited_text_is_refused(void **state)
{
    (void)state;
    static const char *edits[][2] = {
        {"\"method\":\"merf\"", "\"method\":\"other\""},
        {"\"version\":1", "\"version\":2"},
        {"\"numeric\":4", "\"numeric\":-4"},
        {"\"numeric\":4", "\"numeric\":4,\"unknown\":1"},
        {"\"group\":2", "\"group\":0"},
        {"\"classes\":2", "\"classes\":0"},
        {"[3,2,5]", "[3,0,5]"},
        {"[3,2,5]", "3"},
        {"\"seed\":\"18446744073709551615\"", "\"seed\":\"x\""},
        {"\"features\":2000", "\"features\":2001"},
        {"\"scales\":[", "\"scales\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"},
        {"\"joint_share\":0.5", "\"joint_share\":1.5"},
        {"\"code_deviations\":[", "\"code_deviations\":[0,"},
        {"{", "["},
    };
    sbl_merf_plan plan, again;
    make_plan(&plan, 4, 3, 2);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        char text[4096];
        sbl_error err = {0};
        edit(text, sizeof text, plan.json, edits[i][0], edits[i][1]);
        assert_int_equal(sbl_merf_plan_parse(&again, text, "p", &err), SBL_EINPUT);
        assert_null(again.json);
    }
    sbl_merf_plan_clear(&plan);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    sbl_record_shape shape;
    sbl_merf_plan plan;
    assert_int_equal(sbl_record_shape_init(&shape, 1, NULL, 0, 1, NULL), SBL_OK);
    for (int i = 0; i < 9; i++) {
        sbl_merf_plan_options options;
        sbl_merf_plan_options_init(&options, &shape);
        if (i == 0) options.features = 0;
        if (i == 1) options.features = 7;
        if (i == 2) options.scale_count = 0;
        if (i == 3) options.scales[2] = NAN;
        if (i == 4) options.onehot_weight = 0;
        if (i == 5) options.scale_count = SBL_PLAN_MAX_SCALES + 1;
        if (i == 6) options.joint_share = -0.1;
        if (i == 7) options.code_deviation_count = 0;
        if (i == 8) options.code_deviations[0] = INFINITY;
        assert_int_equal(sbl_merf_plan_build(&plan, &shape, &options, NULL), SBL_EARG);
    }
    sbl_record_shape_clear(&shape);
    assert_int_equal(sbl_record_shape_init(&shape, 0, NULL, 0, 2, NULL), SBL_EARG);
    assert_int_equal(sbl_record_shape_init(&shape, 1, NULL, 0, 0, NULL), SBL_EARG);
    assert_int_equal(sbl_record_shape_init(&shape, 0, (const size_t[]){0}, 1, 1, NULL), SBL_EARG);
}

static void onehot_marks_one_entry_per_column(void **state)
{
    (void)state;
    sbl_record_shape shape;
    float out[2 * 10];
    /* label in the middle; the second row's last code does not exist */
    const uint32_t codes[] = {2, 9, 1, 4, 0, 9, 0, 77};
    const size_t columns[] = {0, 2, 3};
    const float expected[] = {0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0};
    assert_int_equal(sbl_record_shape_init(&shape, 0, cardinalities, 3, 1, NULL), SBL_OK);
    sbl_onehot_rows(out, &shape, codes, 4, columns, 2);
    assert_memory_equal(out, expected, sizeof out);
    uint32_t entries[6];
    const uint32_t places[] = {2, 4, 9, 0, 3, 5};
    sbl_onehot_entries(entries, &shape, codes, 4, columns, 2);
    assert_memory_equal(entries, places, sizeof places);
    sbl_onehot_rows(out, &shape, (const uint32_t[]){2, 1, 4}, 3, NULL, 1);
    assert_memory_equal(out, expected, sizeof out / 2);
    sbl_record_shape_clear(&shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixed_table_has_a_fourier_and_a_onehot_block),
        cmocka_unit_test(tables_without_categories_have_no_onehot_block),
        cmocka_unit_test(text_rebuilds_the_plan_and_its_frequencies),
        cmocka_unit_test(edited_text_is_refused),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(onehot_marks_one_entry_per_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
