/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: a text that gives back the plan and its facts, and of which nothing may be ignored. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "public/plan/plan.h"
#include "records/features/feature.h"
#include "support/cmocka_all.h"
#include "support/data_kit.h"
#include "support/fail_alloc.h"

static void fill_plan(sbl_plan *plan, const sbl_facts *facts)
{
    assert_ok(sbl_plan_init(plan, "mine", NULL));
    plan->round = 2;
    plan->share = 1.0 / 3.0;
    plan->counts = true;
    plan->counts_weight = 0.7;
    assert_ok(sbl_plan_set(plan, "shares", json_pack("[f, f]", 0.5, 0.25), NULL));
    assert_ok(sbl_plan_set(plan, "seed", json_string("18446744073709551615"), NULL));
    for (const sbl_feature *const *f = sbl_feature_list; *f != NULL; f++)
        if (data_fits((*f)->name, facts))
            assert_ok(sbl_plan_add(plan, (*f)->name, data_parameters((*f)->name, 0, facts), 0.1, NULL));
}

static void make_plan(sbl_plan *plan, sbl_facts *facts, data_case which)
{
    data_facts(facts, which);
    fill_plan(plan, facts);
    assert_ok(sbl_plan_finish(plan, facts, NULL));
}

TEST(text_gives_back_plan_and_facts)
{
    for (data_case c = 0; c < DATA_CASES; c++) {
        sbl_plan plan, again;
        sbl_facts facts, theirs;
        sbl_error err = {0};
        uint8_t hash[SBL_SHA256_SIZE];
        make_plan(&plan, &facts, c);
        assert_ok_or_say(sbl_plan_parse(&again, &theirs, plan.text, "here", &err));
        assert_string_equal(again.text, plan.text);
        assert_memory_equal(again.hash, plan.hash, sizeof plan.hash);
        assert_ok(sbl_sha256(hash, plan.text, strlen(plan.text), NULL, 0, NULL));
        assert_memory_equal(hash, plan.hash, sizeof hash);
        assert_string_equal(again.method, "mine");
        assert_true(again.round == 2 && again.share == plan.share);
        assert_true(again.counts && again.counts_weight == 0.7);
        assert_true(json_equal(again.settings, plan.settings));
        assert_int_equal(again.count, plan.count);
        for (size_t i = 0; i < plan.count; i++) {
            assert_string_equal(again.items[i].feature, plan.items[i].feature);
            assert_true(json_equal(again.items[i].parameters, plan.items[i].parameters));
            assert_true(again.items[i].weight == 0.1);
        }
        assert_int_equal(theirs.kind, facts.kind);
        assert_int_equal(theirs.classes, facts.classes);
        sbl_plan_clear(&again);
        sbl_facts_clear(&theirs);
        sbl_plan_clear(&plan);
        sbl_facts_clear(&facts);
    }
}

TEST(finishing_twice_gives_the_same_text)
{
    sbl_plan plan;
    sbl_facts facts;
    make_plan(&plan, &facts, DATA_LABELLED);
    char *before = strdup(plan.text);
    assert_ok(sbl_plan_finish(&plan, &facts, NULL));
    assert_string_equal(plan.text, before);
    free(before);
    sbl_plan_clear(&plan);
    assert_true(plan.text == NULL && plan.items == NULL && plan.settings == NULL);
    sbl_facts_clear(&facts);
}

static sbl_status parse(const char *text, sbl_error *err)
{
    sbl_plan plan;
    sbl_facts facts;
    const sbl_status status = sbl_plan_parse(&plan, &facts, text, "p.json", err);
    if (status != SBL_OK) {
        assert_true(plan.text == NULL && plan.items == NULL && plan.settings == NULL);
        assert_true(facts.schema == NULL && facts.code_columns == NULL);
    }
    sbl_plan_clear(&plan);
    sbl_facts_clear(&facts);
    return status;
}

/* The text with the first `from` replaced by `to`. */
static void edit(char *text, size_t size, const char *whole, const char *from, const char *to)
{
    const char *at = strstr(whole, from);
    if (at == NULL) fail_msg("the plan does not hold %s: %s", from, whole);
    (void)snprintf(text, size, "%.*s%s%s", (int)(at - whole), whole, to, at + strlen(from));
}

TEST(edited_text_is_refused)
{
    static const char *const edits[][2] = {
        {"\"version\":4", "\"version\":\"4\""},
        {"\"version\":4", "\"unknown\":0,\"version\":4"},
        {"\"version\":4", "\"version\":4,\"zzz\":0"},
        {",\"version\":4", ""},
        {"\"round\":2", "\"round\":0"},
        {"\"round\":2", "\"round\":-1"},
        {"\"round\":2", "\"round\":2.0"},
        {"\"round\":2", "\"round\": 2"},
        {"\"share\":0.33333333333333331", "\"share\":0.0"},
        {"\"share\":0.33333333333333331", "\"share\":1.5"},
        {"\"share\":0.33333333333333331", "\"share\":0.333333333333333310"},
        {"\"share\":0.33333333333333331", "\"share\":1"},
        {"\"counts\":true", "\"counts\":1"},
        {"\"counts_weight\":0.69999999999999996", "\"counts_weight\":-1.0"},
        {"\"counts_weight\":0.69999999999999996", "\"counts_weight\":0.0"},
        {"\"counts_weight\":0.69999999999999996", "\"counts_weight\":\"1\""},
        {"\"weight\":0.10000000000000001", "\"weight\":0.0"},
        {"\"weight\":0.10000000000000001", "\"weight\":-1.0"},
        {"\"weight\":0.10000000000000001", "\"weight\":1e400"},
        {"\"weight\":0.10000000000000001", "\"w\":1,\"weight\":0.10000000000000001"},
        {"\"feature\":\"rff\"", "\"feature\":7"},
        {"\"feature\":\"rff\"", "\"feature\":\"\""},
        {"\"feature\":\"rff\"", "\"feature\":\"a.name.that.is.longer.than.names.may.be\""},
        {"\"feature\":\"rff\"", "\"featur\":\"rff\""},
        {"\"features\":[", "\"features\":[3,"},
        {"\"features\":[", "\"features\":{},\"x\":["},
        {"\"parameters\":{}", "\"parameters\":[]"},
        {"\"method\":{", "\"method\":7,\"x\":{"},
        {"\"name\":\"mine\"", "\"name\":7"},
        {"\"name\":\"mine\"", "\"name\":\"\""},
        {"\"kind\":\"table\"", "\"kind\":\"images\""},
        {"\"kind\":\"table\"", "\"kind\":\"table\",\"more\":1"},
        {"\"data\":{", "\"dat\":{"},
        {"\"maximum\":9", "\"maximum\":9.5"},
        {"{", "["},
        {"{", " {"},
    };
    sbl_plan plan;
    sbl_facts facts;
    char text[16384];
    make_plan(&plan, &facts, DATA_LABELLED);
    assert_ok(parse(plan.text, NULL));
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        sbl_error err = {0};
        edit(text, sizeof text, plan.text, edits[i][0], edits[i][1]);
        if (parse(text, &err) != SBL_EINPUT) fail_msg("taken: %s", edits[i][1]);
        assert_true(err.message[0] != '\0' && strchr(err.message, '\n') == NULL);
    }
    sbl_plan_clear(&plan);
    sbl_facts_clear(&facts);
}

TEST(another_version_is_refused_by_name)
{
    static const char *const versions[] = {"\"version\":3", "\"version\":5"};
    sbl_plan plan;
    sbl_facts facts;
    char text[16384];
    make_plan(&plan, &facts, DATA_DIGITS);
    for (size_t i = 0; i < 2; i++) {
        sbl_error err = {0};
        edit(text, sizeof text, plan.text, "\"version\":4", versions[i]);
        assert_int_equal(parse(text, &err), SBL_EINPUT);
        assert_non_null(strstr(err.message, "p.json"));
        assert_non_null(strstr(err.message, "does not have version 4"));
    }
    sbl_plan_clear(&plan);
    sbl_facts_clear(&facts);
}

/* A byte more, less or other anywhere: refused, or a plan that says what its text says. */
TEST(every_byte_counts)
{
    for (data_case c = DATA_REGRESSION; c < DATA_CASES; c += 4) {
        sbl_plan plan;
        sbl_facts facts;
        make_plan(&plan, &facts, c);
        const size_t length = strlen(plan.text);
        char *text = malloc(length + 2);
        for (size_t at = 0; at <= length; at++)
            for (int how = 0; how < 3; how++) {
                memcpy(text, plan.text, length + 1);
                if (how == 0 && at < length) text[at] = (char)(text[at] ^ 1);
                if (how == 1) memmove(text + at, text + at + (at < length), length - at + 1);
                if (how == 2) {
                    memmove(text + at + 1, text + at, length - at + 1);
                    text[at] = ' ';
                }
                sbl_plan again;
                sbl_facts theirs;
                if (sbl_plan_parse(&again, &theirs, text, "p", NULL) == SBL_OK) {
                    assert_string_equal(again.text, text);
                    const bool same = strcmp(text, plan.text) == 0;
                    assert_int_equal(memcmp(again.hash, plan.hash, sizeof plan.hash) == 0, same);
                }
                sbl_plan_clear(&again);
                sbl_facts_clear(&theirs);
            }
        free(text);
        sbl_plan_clear(&plan);
        sbl_facts_clear(&facts);
    }
}

TEST(plan_of_nothing_is_refused)
{
    sbl_plan plan;
    sbl_facts facts;
    data_facts(&facts, DATA_NUMBERS);
    assert_ok(sbl_plan_init(&plan, "mine", NULL));
    assert_ok(sbl_plan_finish(&plan, &facts, NULL));
    assert_int_equal(parse(plan.text, NULL), SBL_EINPUT);
    sbl_plan_clear(&plan);
    sbl_facts_clear(&facts);
}

TEST(parameters_and_settings_that_were_not_made_are_lack_of_memory)
{
    sbl_plan plan;
    assert_ok(sbl_plan_init(&plan, "mine", NULL));
    assert_int_equal(sbl_plan_add(&plan, "rff", NULL, 1.0, NULL), SBL_EMEM);
    assert_int_equal(sbl_plan_set(&plan, "seed", NULL, NULL), SBL_EMEM);
    assert_int_equal(plan.count, 0);
    assert_int_equal(json_object_size(plan.settings), 0);
    sbl_plan_clear(&plan);
}

TEST(names_that_do_not_fit_are_refused)
{
    static const char *const names[] = {"", "a.name.that.is.longer.than.names.may.be"};
    for (size_t i = 0; i < 2; i++) {
        sbl_plan plan;
        assert_int_equal(sbl_plan_init(&plan, names[i], NULL), SBL_EINPUT);
        sbl_plan_clear(&plan);
        assert_ok(sbl_plan_init(&plan, "mine", NULL));
        assert_int_equal(sbl_plan_add(&plan, names[i], json_object(), 1.0, NULL), SBL_EINPUT);
        assert_int_equal(plan.count, 0);
        sbl_plan_clear(&plan);
    }
}

TEST(lack_of_memory_leaves_nothing)
{
    for (data_case c = 0; c < DATA_CASES; c += DATA_DIGITS) {
        sbl_plan plan, again;
        sbl_facts facts, theirs;
        make_plan(&plan, &facts, c);
        for (long n = 1;; n++) {
            sbl_test_fail_alloc(n);
            const sbl_status status = sbl_plan_parse(&again, &theirs, plan.text, "p", NULL);
            if (!sbl_test_alloc_failed()) break;
            assert_int_equal(status, SBL_EMEM);
            assert_true(again.text == NULL && theirs.shape.offsets == NULL);
        }
        sbl_test_fail_alloc(0);
        sbl_plan_clear(&again);
        sbl_facts_clear(&theirs);
        sbl_plan_clear(&plan);
        sbl_facts_clear(&facts);
    }
}

/* A plan that lacks a fact must not be made: whatever allocation fails, the text is the whole one or
 * there is none. */
TEST(plan_under_lack_of_memory_is_whole_or_not_there)
{
    for (data_case c = 0; c < DATA_CASES; c += DATA_DIGITS) {
        sbl_plan plan, again;
        sbl_facts facts, theirs;
        make_plan(&plan, &facts, c);
        char *whole = strdup(plan.text);
        bool failed = true;
        for (long n = 1; failed; n++) {
            sbl_test_fail_json(n);
            const sbl_status status = sbl_plan_finish(&plan, &facts, NULL);
            failed = sbl_test_json_failed();
            sbl_test_fail_json(0);
            assert_true(status == SBL_OK || (failed && status == SBL_EMEM));
            if (status == SBL_OK && strcmp(plan.text, whole) != 0)
                fail_msg("without allocation %ld a plan was made that lacks a fact: %s", n, plan.text);
        }
        failed = true;
        for (long n = 1; failed; n++) {
            sbl_test_fail_json(n);
            const sbl_status status = sbl_plan_parse(&again, &theirs, whole, "p", NULL);
            failed = sbl_test_json_failed();
            sbl_test_fail_json(0);
            assert_true(failed || status == SBL_OK);
            if (status == SBL_OK) {
                assert_string_equal(again.text, whole);
                assert_true(json_equal(again.settings, plan.settings));
            }
            sbl_plan_clear(&again);
            sbl_facts_clear(&theirs);
        }
        free(whole);
        sbl_plan_clear(&plan);
        sbl_facts_clear(&facts);
    }
}

ALL_TESTS(sbl_test_watch_json, NULL)
