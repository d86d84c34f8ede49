/* SPDX-License-Identifier: Apache-2.0 */
/* Which columns a block is of, in words: from the plan of a release alone. */
#include <stdio.h>
#include <string.h>

#include "records/features/features.h"
#include "support/cmocka_all.h"

/* Columns age (may be missing), sex, income and ward, the label. */
static const char schema_text[] = JSON({"fields":[{"name":"age","type":"integer","constraints":{"minimum":0,
    "maximum":99}},{"name":"sex","type":"string","constraints":{"enum":["f","m"],"required":true}},
    {"name":"id","type":"string","semblance":{"role":"ignore"}},
    {"name":"income","type":"number","constraints":{"minimum":0,"maximum":9,"required":true}},
    {"name":"ward","type":"string","constraints":{"enum":["a","b"],"required":true}}],
    "semblance":{"label":"ward"}});

static void make_facts(sbl_facts *facts, const char *text)
{
    sbl_schema *schema = NULL;
    assert_ok(sbl_schema_parse(&schema, text, strlen(text), "s", NULL));
    assert_ok(sbl_facts_of_table(facts, schema, NULL));
}

static void expect(const char *words, const char *block, const sbl_plan *plan, const sbl_facts *facts)
{
    CLEARED(sbl_text_clear) sbl_text text = {0};
    sbl_block_describe(&text, block, plan, facts);
    assert_false(text.failed);
    assert_string_equal(text.data, words);
}

/* Maps 0 and 1 are of age, 2 of sex, 3 of income, 4 of ward. */
static json_t *tables(const char *list)
{
    static const int columns[] = {0, 0, 1, 2, 3};
    json_t *maps = json_array();
    for (size_t m = 0; m < 5; m++)
        assert_int_equal(json_array_append_new(maps, json_pack("{s:i}", "column", columns[m])), 0);
    return json_pack("{s:o, s:o}", "maps", maps, "tables", json_loads(list, 0, NULL));
}

TEST(blocks_are_named_after_their_columns)
{
    CLEARED(sbl_facts_clear) sbl_facts facts;
    CLEARED(sbl_plan_clear) sbl_plan plan;
    make_facts(&facts, schema_text);
    assert_ok(sbl_plan_init(&plan, "test", NULL));
    assert_ok(sbl_plan_add(&plan, "tables",
                           tables("[[0,-1,0],[1,-1,0],[2,-1,-3],[0,2,-16],[3,4,-3],[1,4,-16]]"), 1.0, NULL));
    assert_ok(sbl_plan_add(&plan, "keys", json_pack("{s:[s,s]}", "columns", "sex", "ward"), 1.0, NULL));
    expect("age", "tables.1", &plan, &facts);
    expect("sex + income x ward", "tables.2", &plan, &facts);
    expect("age x sex + age x ward", "tables.3", &plan, &facts);
    expect("no column", "tables.4", &plan, &facts);
    expect("sex + ward", "keys", &plan, &facts);
    expect("ward", "counts", &plan, &facts);
    expect("age + sex + income + ward", "rff", &plan, &facts);
    expect("age + sex + income + ward", "cells", &plan, &facts);
    expect("age + income", "means", &plan, &facts);
    expect("age + sex + ward", "onehot", &plan, &facts); /* whether age is missing is a code */
    expect("age + sex + income + ward", "hermite.2", &plan, &facts);
    expect("cells that do not fit, by column", "health", &plan, &facts);
    expect("number of rows of a person", "persons", &plan, &facts);
    expect("number of rows", "total", &plan, &facts);
}

TEST(counts_without_a_label_are_the_number_of_rows)
{
    CLEARED(sbl_facts_clear) sbl_facts facts;
    sbl_plan plan = {0};
    make_facts(&facts, "{\"fields\":[{\"name\":\"x\",\"type\":\"boolean\"}]}");
    expect("number of rows", "counts", &plan, &facts);
}

/* What a hostile release holds is named somehow, and harms nothing. */
TEST(parameters_that_are_none_are_named_without_harm)
{
    static const char *const lists[] = {
        "[]", "[7]", "[[]]", "[[99,98,5]]", "[[-1,-1,-9999]]", "[[\"a\",\"b\",\"c\"]]", "{}"};
    CLEARED(sbl_facts_clear) sbl_facts facts;
    make_facts(&facts, schema_text);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        CLEARED(sbl_plan_clear) sbl_plan plan;
        CLEARED(sbl_text_clear) sbl_text text = {0};
        assert_ok(sbl_plan_init(&plan, "test", NULL));
        assert_ok(sbl_plan_add(&plan, "tables", tables(lists[i]), 1.0, NULL));
        assert_ok(sbl_plan_add(&plan, "keys", json_pack("{s:[i]}", "columns", 1), 1.0, NULL));
        sbl_block_describe(&text, "tables.1", &plan, &facts);
        sbl_block_describe(&text, "tables", &plan, &facts);
        sbl_block_describe(&text, "tables.x", &plan, &facts);
        sbl_block_describe(&text, "keys", &plan, &facts);
        assert_false(text.failed);
    }
}

TEST(long_list_is_cut_and_counted)
{
    char text[8192] = "{\"fields\":[";
    CLEARED(sbl_facts_clear) sbl_facts facts;
    sbl_plan plan = {0};
    CLEARED(sbl_text_clear) sbl_text words = {0};
    for (int i = 0; i < 60; i++) {
        const size_t at = strlen(text);
        (void)snprintf(text + at, sizeof text - at, "%s{\"name\":\"column%02d\",\"type\":\"boolean\"}",
                       i > 0 ? "," : "", i);
    }
    (void)strcat(text, "]}");
    make_facts(&facts, text);
    sbl_block_describe(&words, "rff", &plan, &facts);
    assert_true(words.length < 260);
    assert_non_null(strstr(words.data, "column00 + column01 + "));
    assert_non_null(strstr(words.data, " and 41 more"));
}
