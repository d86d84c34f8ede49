/* SPDX-License-Identifier: Apache-2.0 */
/* A declared step: every value that a column takes, draws or writes is a whole multiple of it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "public/rows/cell_format.h"
#include "public/schema/bins.h"
#include "support/cmocka_all.h"

FREES(sbl_schema_free);

#define LENGTH(list) (sizeof(list) / sizeof(list)[0])

static sbl_status parse(sbl_schema **schema, const char *type, const char *bounds, const char *options,
                        sbl_error *err)
{
    char text[500];
    (void)snprintf(text, sizeof text,
                   "{\"fields\":[{\"name\":\"x\",\"type\":\"%s\",\"constraints\":{%s,"
                   "\"required\":true},\"semblance\":{%s}}]}",
                   type, bounds, options);
    return sbl_schema_parse(schema, text, strlen(text), "s.json", err);
}

static sbl_schema *one(const char *type, const char *bounds, const char *options)
{
    sbl_schema *schema;
    sbl_error err = {0};
    assert_ok_or_say(parse(&schema, type, bounds, options, &err));
    return schema;
}

typedef struct example {
    const char *type, *bounds, *options;
    double first, second; /* values of the grid */
    size_t count;
    const char *text; /* of the second */
} example;

static const example examples[] = {
    {"integer", "\"minimum\":0,\"maximum\":100", "\"step\":10", 0, 10, 11, "10"},
    {"integer", "\"minimum\":1,\"maximum\":99", "\"step\":10.0", 10, 20, 9, "20"},
    {"integer", "\"minimum\":-7,\"maximum\":9", "\"step\":5", -5, 0, 3, "0"},
    {"number", "\"minimum\":0,\"maximum\":10", "\"step\":0.25", 0, 0.25, 41, "0.25"},
    {"number", "\"minimum\":0.3,\"maximum\":1", "\"step\":0.1", 0.3, 0.4, 8, "0.4"},
    {"number", "\"minimum\":0,\"maximum\":10", "\"step\":0.5,\"decimals\":2", 0, 0.5, 21, "0.50"},
    {"number", "\"minimum\":-20,\"maximum\":1e6", "\"step\":12.5,\"transform\":\"log\"", -12.5, 0, 80002,
     "0"},
    {"number", "\"minimum\":0,\"maximum\":1e6", "\"step\":100", 0, 100, 10001, "100"},
};

TEST(every_value_is_a_multiple_and_is_written_without_dust)
{
    for (size_t e = 0; e < LENGTH(examples); e++) {
        const example *is = &examples[e];
        FREED(sbl_schema_free) sbl_schema *schema = one(is->type, is->bounds, is->options);
        const sbl_column *x = &schema->columns[0];
        char text[SBL_CELL_TEXT_SIZE + 1] = {0};
        assert_true(x->grid_maximum - x->grid_minimum + 1 == (double)is->count);
        assert_true(sbl_column_grid_value(x, x->grid_minimum) == is->first);
        assert_true(sbl_column_grid_value(x, x->grid_minimum + 1) == is->second);
        text[sbl_cell_format(text, x, is->second)] = '\0';
        assert_string_equal(text, is->text);
        for (int i = 0; i <= 5000; i++) { /* whatever is drawn */
            const double value = sbl_column_from_unit(x, i / 5000.0);
            const double whole = value / (is->second - is->first);
            assert_true(fabs(whole - nearbyint(whole)) < 1e-9);
            assert_true(value >= x->minimum && value <= x->maximum);
            const size_t length = sbl_cell_format(text, x, value);
            assert_true(length <= 9); /* 12 digits and more where a double shows through */
        }
    }
}

TEST(canonical_text_carries_the_step_and_only_where_there_is_one)
{
    static const char *const same[][2] = {{"\"step\":10", "\"step\":10.0"},
                                          {"\"step\":1", "\"origin\":[\"step\"]"}};
    for (size_t i = 0; i < LENGTH(same); i++) {
        sbl_schema *a = one("integer", "\"minimum\":0,\"maximum\":100", same[i][0]);
        FREED(sbl_schema_free) sbl_schema *b = one("integer", "\"minimum\":0,\"maximum\":100", same[i][1]);
        char *first = sbl_schema_json(a);
        char *second = sbl_schema_json(b);
        assert_string_equal(first, second);
        assert_int_equal(strstr(first, "\"step\":10") != NULL, i == 0);
        sbl_free(first);
        sbl_free(second);
        sbl_schema_free(a);
    }
    for (size_t e = 0; e < LENGTH(examples); e++) {
        sbl_schema *schema = one(examples[e].type, examples[e].bounds, examples[e].options);
        char *json = sbl_schema_json(schema);
        FREED(sbl_schema_free) sbl_schema *again;
        assert_ok(sbl_schema_parse(&again, json, strlen(json), "s", NULL));
        char *twice = sbl_schema_json(again);
        assert_string_equal(json, twice);
        assert_true(again->columns[0].multiple == schema->columns[0].multiple);
        sbl_free(json);
        sbl_free(twice);
        sbl_schema_free(schema);
    }
}

static void refuse(const char *type, const char *options, const char *because)
{
    sbl_schema *schema;
    sbl_error err = {0};
    assert_int_equal(parse(&schema, type, "\"minimum\":1,\"maximum\":9", options, &err), SBL_EINPUT);
    if (strstr(err.message, because) == NULL) fail_msg("'%s' is not '%s'", err.message, because);
}

TEST(steps_that_cannot_be_kept_are_refused)
{
    refuse("integer", "\"step\":0", "not a number above 0");
    refuse("integer", "\"step\":-1", "not a number above 0");
    refuse("number", "\"step\":\"10\"", "not a number above 0");
    refuse("integer", "\"step\":0.5", "not whole");
    refuse("integer", "\"step\":10", "no multiple of its semblance.step within its bounds");
    refuse("number", "\"step\":10", "no multiple of its semblance.step within its bounds");
    refuse("number", "\"step\":0.25,\"decimals\":1", "more digits after the point");
    refuse("number", "\"step\":0.3333333333333333", "more than 9 digits");
    refuse("number", "\"step\":1e-12", "more than 9 digits");
    refuse("string", "\"step\":1", "which is for numbers");
    sbl_schema *schema;
    sbl_error err = {0};
    assert_int_equal(parse(&schema, "number", "\"minimum\":0,\"maximum\":1e12", "\"step\":0.000001", &err),
                     SBL_EINPUT);
    assert_non_null(strstr(err.message, "too large to be counted"));
    assert_int_equal(parse(&schema, "integer", "\"enum\":[10,20]", "\"step\":10", &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "semblance.step, which is for bounded numbers"));
}

/* A stepped number has the cells of a number with as many values, and each gives its value back. */
TEST(cells_of_a_step_are_one_a_value)
{
    for (size_t e = 0; e < LENGTH(examples); e++) {
        FREED(sbl_schema_free)
        sbl_schema *schema = one(examples[e].type, examples[e].bounds, examples[e].options);
        const sbl_column *x = &schema->columns[0];
        CLEARED(sbl_heads_clear) sbl_heads heads;
        CLEARED(sbl_bins_clear) sbl_bins cells;
        assert_ok(sbl_heads_init(&heads, schema, NULL));
        assert_ok(sbl_bins_init(&cells, schema, &heads, 16, 64, NULL));
        const sbl_bins_column *column = &cells.columns[0];
        assert_int_equal(column->single, examples[e].count <= 64);
        size_t before = 0;
        for (double k = x->grid_minimum; k <= x->grid_maximum; k++) {
            const double value = sbl_column_grid_value(x, k);
            const double unit = sbl_column_to_unit(x, value);
            const size_t cell = sbl_bins_find(column, &unit, NULL);
            assert_true(cell == before || cell == before + 1);
            if (column->single) assert_true(sbl_column_from_unit(x, column->low[cell]) == value);
            before = cell;
        }
        assert_int_equal(before, column->count - 1);
    }
}
