/* The public facts of an image set and the plan of its release: texts that give back themselves,
 * and refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "features/image_plan.h"
#include "support/fail_alloc.h"

static const char *const pets[] = {"cat", "dog", "7"};

static sbl_image_facts facts_of(size_t channels, size_t classes, const char *const *names)
{
    sbl_image_facts facts;
    assert_int_equal(sbl_image_facts_init(&facts, 12, 20, channels, classes, names, NULL), SBL_OK);
    return facts;
}

static sbl_image_plan plan_of(const sbl_image_facts *facts)
{
    sbl_image_plan_options options;
    sbl_image_plan plan;
    sbl_image_plan_options_init(&options, facts);
    options.seed = UINT64_MAX;
    assert_int_equal(sbl_image_plan_build(&plan, facts, &options, NULL), SBL_OK);
    return plan;
}

static void classes_are_found_by_name_and_by_number_only_without_names(void **state)
{
    (void)state;
    size_t index = 99;
    sbl_image_facts facts = facts_of(1, 3, pets);
    assert_true(sbl_image_facts_class(&index, &facts, "dog"));
    assert_int_equal(index, 1);
    assert_true(sbl_image_facts_class(&index, &facts, "7"));
    assert_int_equal(index, 2);
    static const char *const no_names[] = {"0", "1", "2", "3", "", "Dog"};
    for (size_t i = 0; i < sizeof no_names / sizeof *no_names; i++)
        assert_false(sbl_image_facts_class(&index, &facts, no_names[i]));
    sbl_image_facts_clear(&facts);
    facts = facts_of(1, 3, NULL);
    for (size_t c = 0; c < 3; c++) {
        assert_true(sbl_image_facts_class(&index, &facts, (const char *[]){"0", "1", "2"}[c]));
        assert_int_equal(index, c);
    }
    static const char *const none[] = {"3", "-1", "", "dog", "1.0", "18446744073709551616"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(sbl_image_facts_class(&index, &facts, none[i]));
    sbl_image_facts_clear(&facts);
    facts = facts_of(1, 0, NULL);
    assert_false(sbl_image_facts_class(&index, &facts, "0"));
    sbl_image_facts_clear(&facts);
}

static void impossible_facts_are_refused(void **state)
{
    (void)state;
    sbl_image_facts facts;
    const size_t bad[][4] = {{0, 5, 1, 2},   {5, 0, 1, 2}, {129, 5, 1, 2},
                             {5, 129, 1, 2}, {5, 5, 2, 2}, {5, 5, 1, 1001}};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(
            sbl_image_facts_init(&facts, bad[i][0], bad[i][1], bad[i][2], bad[i][3], NULL, NULL),
            SBL_EARG);
}

static void plans_give_back_themselves(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        sbl_image_facts facts = facts_of(i == 1 ? 3 : 1, i == 2 ? 0 : 3, i == 0 ? pets : NULL);
        sbl_image_plan plan = plan_of(&facts), again;
        sbl_error err = {0};
        assert_true(sbl_image_plan_is(plan.json));
        assert_int_equal(sbl_image_plan_parse(&again, plan.json, "the plan", &err), SBL_OK);
        assert_string_equal(plan.json, again.json);
        assert_memory_equal(plan.hash, again.hash, sizeof plan.hash);
        assert_int_equal(again.options.counts, i != 2);
        assert_true(again.options.seed == UINT64_MAX);
        assert_int_equal(again.block.width, 10000);
        assert_int_equal(again.block.group, 2);
        /* A pair's share of the bound: (2^28)^2 over 5000 pairs; weight times norm is 1. */
        assert_true(fabs(again.block.weight * again.block.norm - 1) < 1e-12);
        assert_true(fabs(again.block.norm - sqrt(5000)) < 1e-9);
        sbl_image_plan_clear(&plan);
        sbl_image_plan_clear(&again);
        sbl_image_facts_clear(&facts);
    }
}

static void a_table_s_plan_is_not_one_of_images(void **state)
{
    (void)state;
    assert_false(sbl_image_plan_is("{\"method\":{},\"schema\":{}}"));
    assert_false(sbl_image_plan_is("not JSON"));
}

static void texts_that_say_more_less_or_other_are_refused(void **state)
{
    (void)state;
    static const char *const edits[][2] = {
        {"\"classes\":3", "\"classes\":4"},       {"\"height\":12", "\"height\":1200"},
        {"\"channels\":1", "\"channels\":2"},     {"\"cat\"", "5"},
        {"\"features\":10000", "\"features\":3"}, {"\"version\":1", "\"version\":2"},
        {"\"scales\":[", "\"scales\":[0,"},       {"\"seed\":\"", "\"seed\":\"x"},
        {"\"width\":10000", "\"width\":9000"},    {"\"balanced\":false", "\"balanced\":0"},
        {"\"images\":{", "\"images\":{\"a\":1,"}, {"\"orthogonal\"", "\"independent\""},
    };
    sbl_image_facts facts = facts_of(1, 3, pets);
    sbl_image_plan plan = plan_of(&facts), parsed;
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        char text[4096];
        const char *at = strstr(plan.json, edits[i][0]);
        assert_non_null(at);
        (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - plan.json), plan.json, edits[i][1],
                       at + strlen(edits[i][0]));
        if (sbl_image_plan_parse(&parsed, text, "the plan", NULL) != SBL_EINPUT)
            print_error("%s was taken\n", edits[i][1]);
        assert_int_equal(sbl_image_plan_parse(&parsed, text, "the plan", NULL), SBL_EINPUT);
        assert_null(parsed.json);
    }
    sbl_image_plan_clear(&plan);
    sbl_image_facts_clear(&facts);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    sbl_image_facts facts = facts_of(1, 3, NULL);
    sbl_image_plan_options good, bad[5];
    sbl_image_plan plan;
    sbl_image_plan_options_init(&good, &facts);
    for (size_t i = 0; i < 5; i++) bad[i] = good;
    bad[0].features = 7, bad[1].features = 0, bad[2].scale_count = 0;
    bad[3].scale_count = SBL_PLAN_MAX_SCALES + 1, bad[4].scales[0] = 0;
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(sbl_image_plan_build(&plan, &facts, &bad[i], NULL), SBL_EARG);
    sbl_image_facts_clear(&facts);
}

static void lack_of_memory_leaves_nothing(void **state)
{
    (void)state;
    sbl_image_facts facts = facts_of(1, 3, pets);
    sbl_image_plan plan = plan_of(&facts), parsed;
    for (long n = 1;; n++) {
        sbl_test_fail_alloc(n);
        sbl_status status = sbl_image_plan_parse(&parsed, plan.json, "the plan", NULL);
        if (!sbl_test_alloc_failed()) break;
        assert_int_equal(status, SBL_EMEM);
        assert_null(parsed.json);
    }
    sbl_test_fail_alloc(0);
    sbl_image_plan_clear(&parsed);
    sbl_image_plan_clear(&plan);
    sbl_image_facts_clear(&facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_found_by_name_and_by_number_only_without_names),
        cmocka_unit_test(impossible_facts_are_refused),
        cmocka_unit_test(plans_give_back_themselves),
        cmocka_unit_test(a_table_s_plan_is_not_one_of_images),
        cmocka_unit_test(texts_that_say_more_less_or_other_are_refused),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(lack_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
