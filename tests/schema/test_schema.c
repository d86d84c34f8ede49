/* SPDX-License-Identifier: Apache-2.0 */
/* What a schema becomes: kinds, grids, constants, canonical text, heads. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "public/schema/encoding_layout.h"
#include "public/schema/schema_type.h"
#include "support/cmocka_all.h"

FREES(sbl_schema_free);

static sbl_schema *parse(const char *text)
{
    sbl_schema *schema;
    sbl_error err = {0};
    assert_ok_or_say(sbl_schema_parse(&schema, text, strlen(text), "s.json", &err));
    return schema;
}

/* A schema with one field, whose JSON is given without the name. */
static sbl_schema *one_field(const char *rest)
{
    char text[2048];
    (void)snprintf(text, sizeof text, "{\"fields\":[{\"name\":\"x\",%s}]}", rest);
    return parse(text);
}

static const char full[] = JSON({"title":"a clinic","missingValues":["","NA"],"fields":[{"name":"age",
    "type":"integer",
    "constraints":{"minimum":17,"maximum":90,"required":true}},{"name":"cost","type":"number",
    "constraints":{"minimum":0.005,"maximum":99.99},"semblance":{"decimals":2,"transform":"log"}},
    {"name":"ward","type":"string","constraints":{"enum":["a","b","other"]},"semblance":{"other":"other"}},
    {"name":"grade","type":"string","categories":[{"value":"low","label":"L"},"high"],
    "categoriesOrdered":true,"missingValues":["-"]},
    {"name":"smoker","type":"boolean","trueValues":["yes"],"falseValues":["no"]},
    {"name":"rooms","type":"integer","constraints":{"enum":[1,"2",3.0],"required":true}},
    {"name":"born","type":"date","constraints":{"minimum":"1900-01-01","maximum":"2024-12-31"}},
    {"name":"seen","type":"datetime","constraints":{"minimum":"2020-01-01T00:00:00Z",
    "maximum":"2024-12-31T23:59:59Z"}},{"name":"note","type":"object","semblance":{"role":"ignore"}}],
    "semblance":{"label":"ward","task":"classification"}});

TEST(every_kind_is_recognised)
{
    FREED(sbl_schema_free) sbl_schema *s = parse(full);
    assert_int_equal(s->column_count, 9);
    assert_int_equal(s->columns[0].kind, SBL_COLUMN_NUMBER);
    assert_true(s->columns[0].required);
    assert_false(s->columns[0].missing_allowed);
    assert_true(s->columns[0].fallback == 54); /* 53.5 to even */
    assert_int_equal(s->columns[1].kind, SBL_COLUMN_NUMBER);
    assert_true(s->columns[1].log_transform && s->columns[1].missing_allowed);
    assert_int_equal(s->columns[1].decimals, 2);
    assert_true(s->columns[1].grid_minimum == 1 && s->columns[1].grid_maximum == 9999);
    assert_int_equal(s->columns[1].missing_values.count, 2);
    assert_int_equal(s->columns[2].kind, SBL_COLUMN_CATEGORY);
    assert_int_equal(s->columns[2].fallback_code, 2);
    assert_true(s->columns[3].ordered);
    assert_string_equal(s->columns[3].categories.items[0], "low");
    assert_string_equal(s->columns[3].missing_values.items[0], "-");
    assert_int_equal(s->columns[4].categories.count, 2);
    assert_string_equal(s->columns[4].categories.items[1], "yes");
    assert_string_equal(s->columns[5].categories.items[1], "2");
    assert_string_equal(s->columns[5].categories.items[2], "3");
    assert_int_equal(s->columns[6].kind, SBL_COLUMN_DATE);
    assert_int_equal(s->columns[7].kind, SBL_COLUMN_DATETIME);
    assert_true(s->columns[7].utc);
    assert_int_equal(s->columns[8].kind, SBL_COLUMN_IGNORED);
    assert_int_equal(s->label, 2);
    assert_int_equal(s->task, SBL_TASK_CLASSIFICATION);
}

TEST(canonical_text_reads_back_as_itself)
{
    uint8_t first_hash[SBL_SHA256_SIZE];
    uint8_t again_hash[SBL_SHA256_SIZE];
    sbl_schema *first = parse(full);
    char *text = sbl_schema_json(first);
    assert_non_null(text);
    FREED(sbl_schema_free) sbl_schema *again = parse(text);
    char *same = sbl_schema_json(again);
    assert_string_equal(text, same);
    assert_ok(sbl_schema_hash(first_hash, first, NULL));
    assert_ok(sbl_schema_hash(again_hash, again, NULL));
    assert_memory_equal(first_hash, again_hash, sizeof first_hash);
    for (size_t i = 0; i < first->column_count; i++) {
        assert_true(first->columns[i].minimum == again->columns[i].minimum);
        assert_int_equal(first->columns[i].decimals, again->columns[i].decimals);
        assert_int_equal(first->columns[i].fallback_code, again->columns[i].fallback_code);
        assert_int_equal(first->columns[i].required, again->columns[i].required);
        assert_int_equal(first->columns[i].utc, again->columns[i].utc);
    }
    sbl_free(text);
    sbl_free(same);
    sbl_schema_free(first);
}

TEST(canonical_text_ignores_order_and_titles_but_no_fact)
{
    sbl_schema *a = one_field("\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9}");
    sbl_schema *b = one_field(
        "\"title\":\"t\",\"constraints\":{\"maximum\":9,\"minimum\":0,\"required\":false},"
        "\"type\":\"integer\"");
    FREED(sbl_schema_free)
    sbl_schema *c = one_field("\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":8}");
    char *ta = sbl_schema_json(a);
    char *tb = sbl_schema_json(b);
    char *tc = sbl_schema_json(c);
    assert_string_equal(ta, tb);
    assert_string_not_equal(ta, tc);
    sbl_free(ta);
    sbl_free(tb);
    sbl_free(tc);
    sbl_schema_free(a);
    sbl_schema_free(b);
}

static int decimals_of(const char *minimum, const char *maximum, const char *options)
{
    char rest[512];
    (void)snprintf(rest, sizeof rest, "\"type\":\"number\",\"constraints\":{\"minimum\":%s,\"maximum\":%s}%s",
                   minimum, maximum, options);
    sbl_schema *s = one_field(rest);
    const int decimals = s->columns[0].decimals;
    sbl_schema_free(s);
    return decimals;
}

TEST(undeclared_decimals_follow_the_range)
{
    assert_int_equal(decimals_of("0", "640", ""), 3);
    assert_int_equal(decimals_of("0", "1", ""), 5);
    assert_int_equal(decimals_of("-20", "20", ""), 4);
    assert_int_equal(decimals_of("0", "100000", ""), 0);
    assert_int_equal(decimals_of("0", "1e9", ""), 0);
    assert_int_equal(decimals_of("0", "25000", ",\"semblance\":{\"transform\":\"log\"}"), 2);
    /* No grid: too large, too close, or nothing between the bounds. */
    assert_int_equal(decimals_of("0", "1e300", ""), -1);
    assert_int_equal(decimals_of("0", "1e-30", ""), -1);
    assert_int_equal(decimals_of("0.12345678901234567", "0.12345678901234567", ""), -1);
}

TEST(snap_stays_within_bounds_and_on_the_grid)
{
    FREED(sbl_schema_free)
    sbl_schema *s = one_field(
        "\"type\":\"number\",\"constraints\":{\"minimum\":0.29,\"maximum\":0.574},"
        "\"semblance\":{\"decimals\":2}");
    const sbl_column *c = &s->columns[0];
    assert_true(sbl_column_snap(c, 0.29) == 0.29);
    assert_true(sbl_column_snap(c, -5) == 0.29);
    assert_true(sbl_column_snap(c, 0.574) == 0.57);
    assert_true(sbl_column_snap(c, 1e300) == 0.57);
    assert_true(sbl_column_snap(c, 0.404) == 0.40);
    assert_true(sbl_column_snap(c, (double)NAN) == 0.29);
    assert_true(sbl_column_snap(c, (double)INFINITY) == 0.57);
}

TEST(log_scale_follows_its_formula)
{
    FREED(sbl_schema_free)
    sbl_schema *s = one_field(
        "\"type\":\"integer\",\"constraints\":{\"minimum\":10,\"maximum\":1010},"
        "\"semblance\":{\"transform\":\"log\"}");
    const sbl_column *c = &s->columns[0];
    assert_true(fabs(sbl_column_to_unit(c, 110) - log(101) / log(1001)) < 1e-15);
    assert_true(sbl_column_to_unit(c, 10) == 0 && sbl_column_to_unit(c, 1010) == 1);
    assert_true(sbl_column_from_unit(c, sbl_column_to_unit(c, 111)) == 111);
}

TEST(constant_column_is_allowed)
{
    FREED(sbl_schema_free)
    sbl_schema *s = one_field("\"type\":\"integer\",\"constraints\":{\"minimum\":3,\"maximum\":3}");
    assert_true(sbl_column_to_unit(&s->columns[0], 3) == 0);
    assert_true(sbl_column_from_unit(&s->columns[0], 0.7) == 3);
}

TEST(no_missing_value_text_means_never_missing)
{
    FREED(sbl_schema_free) sbl_schema *s = one_field("\"type\":\"boolean\",\"missingValues\":[]");
    assert_false(s->columns[0].missing_allowed);
    assert_string_equal(s->columns[0].categories.items[0], "false");
}

TEST(task_follows_the_label_when_not_given)
{
    sbl_schema *s = parse(
        "{\"fields\":[{\"name\":\"x\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,"
        "\"maximum\":9}}],\"semblance\":{\"label\":\"x\"}}");
    assert_int_equal(s->task, SBL_TASK_REGRESSION);
    sbl_schema_free(s);
    s = parse("{\"fields\":[{\"name\":\"x\",\"type\":\"boolean\"}],\"semblance\":{\"label\":\"x\"}}");
    assert_int_equal(s->task, SBL_TASK_CLASSIFICATION);
    sbl_schema_free(s);
    s = parse("{\"fields\":[{\"name\":\"x\",\"type\":\"boolean\"}],\"semblance\":{\"task\":\"none\"}}");
    assert_int_equal(s->label, SBL_NO_COLUMN);
    sbl_schema_free(s);
}

TEST(heads_follow_the_columns)
{
    sbl_heads h;
    FREED(sbl_schema_free) sbl_schema *s = parse(full);
    assert_ok(sbl_heads_init(&h, s, NULL));
    /* age | cost + indicator | ward | grade | smoker | rooms | born + ind. | seen + ind. */
    assert_int_equal(h.count, 11);
    assert_int_equal(h.numeric_count, 4);
    assert_int_equal(h.categorical_count, 7);
    assert_int_equal(h.items[0].kind, SBL_HEAD_NUMERIC);
    assert_true(h.items[2].indicator && h.items[2].cardinality == 2 && h.items[2].column == 1);
    assert_int_equal(h.label, 3);
    assert_int_equal(h.class_count, 4); /* a, b, other, missing */
    assert_true(h.items[4].ordered && h.items[4].cardinality == 3);
    assert_int_equal(h.items[6].cardinality, 3); /* rooms is required */
    assert_int_equal(h.items[7].index, 2);
    sbl_heads_clear(&h);
}

TEST(regression_label_has_no_classes)
{
    sbl_heads h;
    FREED(sbl_schema_free)
    sbl_schema *s = parse(
        "{\"fields\":[{\"name\":\"b\",\"type\":\"boolean\"},{\"name\":\"x\",\"type\":\"integer\","
        "\"constraints\":{\"minimum\":0,\"maximum\":9}}],\"semblance\":{\"label\":\"x\"}}");
    assert_ok(sbl_heads_init(&h, s, NULL));
    assert_int_equal(h.label, 1);
    assert_int_equal(h.items[h.label].kind, SBL_HEAD_NUMERIC);
    assert_int_equal(h.class_count, 0);
    sbl_heads_clear(&h);
}

TEST(description_says_what_each_column_becomes)
{
    static const char expected[] =
        "age: integer from 17 to 90 -> one number in [0,1]\n"
        "cost: number from 0.005 to 99.99, 2 decimals, log scale -> one number in [0,1] and a "
        "missing indicator\n"
        "ward: string with 3 categories -> one of 4 codes (the last one is missing); the label "
        "(classification)\n"
        "grade: string with 2 ordered categories -> one of 3 codes (the last one is missing)\n"
        "smoker: boolean with 2 categories -> one of 3 codes (the last one is missing)\n"
        "rooms: integer with 3 categories -> one of 3 codes\n"
        "born: date from 1900-01-01 to 2024-12-31 -> one number in [0,1] and a missing indicator\n"
        "seen: datetime from 2020-01-01T00:00:00Z to 2024-12-31T23:59:59Z -> one number in [0,1] "
        "and a missing indicator\n"
        "note: ignored, not reproduced\n";
    CLEARED(sbl_text_clear) sbl_text text = {0};
    FREED(sbl_schema_free) sbl_schema *s = parse(full);
    sbl_schema_describe(&text, s, NULL);
    assert_string_equal(text.data, expected);
}
