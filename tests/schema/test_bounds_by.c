/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds by category: what is read, refused and written back, and that a number is encoded by its own row's category
 * alone, in one table, side by side with others, and under constraints. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "public/rows/codec.h"
#include "public/rules/rules.h"
#include "public/schema/bins.h"
#include "public/schema/package.h"
#include "support/cmocka_all.h"

FREES(sbl_schema_free);
FREES(sbl_batch_free);

#define TEST_FIELD \
    "{\"name\":\"test\",\"type\":\"string\",\"constraints\":{\"enum\":[\"K\",\"Na\",\"CRP\"]}},"
#define VALUE_FIELD(options)                                                                 \
    "{\"name\":\"value\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":500" \
    "},\"semblance\":{" options "}}"
#define BOUNDS                                                                        \
    "\"by\":\"test\",\"bounds\":{\"K\":{\"minimum\":2,\"maximum\":8,\"decimals\":1}," \
    "\"Na\":{\"minimum\":110,\"maximum\":170,\"step\":2},"                            \
    "\"CRP\":{\"minimum\":0,\"maximum\":300,\"transform\":\"log\"}},\"spikes\":[1,999]"
#define FIELDS(value)                       \
    "{\"fields\":[" value "," TEST_FIELD    \
    "{\"name\":\"n\",\"type\":\"integer\"," \
    "\"constraints\":{\"minimum\":0,\"maximum\":9}}]}"

static const char table[] = FIELDS(VALUE_FIELD(BOUNDS));

static sbl_schema *parse(const char *text)
{
    sbl_schema *schema;
    sbl_error err = {0};
    assert_ok_or_say(sbl_schema_parse(&schema, text, strlen(text), "s.json", &err));
    return schema;
}

TEST(bounds_are_read_and_canonical)
{
    FREED(sbl_schema_free) sbl_schema *schema = parse(table);
    const sbl_column *value = &schema->columns[0];
    assert_int_equal(value->by, 1);
    const sbl_column *potassium = sbl_column_by(value, 0), *sodium = sbl_column_by(value, 1);
    assert_true(potassium->minimum == 2 && potassium->maximum == 8 && potassium->decimals == 1);
    assert_true(sodium->minimum == 110 && sbl_column_grid_value(sodium, 1) == 2);
    assert_true(sbl_column_by(value, 2)->log_transform && !sodium->log_transform);
    assert_ptr_equal(sbl_column_by(value, 3), value); /* a missing category */
    assert_ptr_equal(sbl_column_by(&schema->columns[2], 0), &schema->columns[2]);
    char *json = sbl_schema_json(schema);
    FREED(sbl_schema_free) sbl_schema *again = parse(json);
    char *same = sbl_schema_json(again);
    assert_string_equal(json, same);
    assert_non_null(strstr(json, "\"by\":\"test\""));
    sbl_free(json);
    sbl_free(same);
}

/* A category has the column's step, whatever its decimals, and may have a multiple of it. */
TEST(steps_are_those_of_the_column_or_multiples)
{
    static const char text[] = FIELDS(VALUE_FIELD(
        "\"step\":0.25,\"by\":\"test\",\"bounds\":{\"K\":{\"minimum\":2,\"maximum\":8,\"decimals\":1},"
        "\"Na\":{\"minimum\":110,\"maximum\":170,\"step\":2.5},\"CRP\":{\"minimum\":0,\"maximum\":9}}"));
    FREED(sbl_schema_free) sbl_schema *schema = parse(text);
    const sbl_column *value = &schema->columns[0];
    assert_true(sbl_column_grid_value(sbl_column_by(value, 0), 1) == 0.25);
    assert_true(sbl_column_grid_value(sbl_column_by(value, 1), 1) == 2.5);
    assert_true(sbl_column_grid_value(sbl_column_by(value, 2), 1) == 0.25);
}

static void refuse(const char *text, const char *because)
{
    sbl_schema *schema = NULL;
    sbl_error err = {0};
    assert_int_equal(sbl_schema_parse(&schema, text, strlen(text), "s.json", &err), SBL_EINPUT);
    assert_null(schema);
    if (strstr(err.message, because) == NULL) fail_msg("'%s' is not about '%s'", err.message, because);
    assert_null(strchr(err.message, '\n'));
}

TEST(bad_bounds_are_refused)
{
#define K(entry) "\"by\":\"test\",\"bounds\":{\"K\":" entry "}"
    refuse(FIELDS(VALUE_FIELD("\"by\":\"test\"")), "needs semblance.bounds");
    refuse(FIELDS(VALUE_FIELD("\"by\":\"test\",\"bounds\":{}")), "needs semblance.bounds");
    refuse(FIELDS(VALUE_FIELD("\"bounds\":{\"K\":{\"minimum\":2,\"maximum\":8}}")), "needs semblance.by");
    refuse(FIELDS(VALUE_FIELD("\"by\":3,\"bounds\":{\"K\":{\"minimum\":2,\"maximum\":8}}")), "not the name");
    refuse(FIELDS(VALUE_FIELD("\"by\":\"x\",\"bounds\":{\"K\":{\"minimum\":2,\"maximum\":8}}")),
           "not a column of the table");
    refuse(FIELDS(VALUE_FIELD("\"by\":\"n\",\"bounds\":{\"K\":{\"minimum\":2,\"maximum\":8}}")),
           "has no categories");
    refuse(FIELDS(VALUE_FIELD("\"by\":\"value\",\"bounds\":{\"K\":{\"minimum\":2,\"maximum\":8}}")),
           "has no categories");
    refuse(FIELDS(VALUE_FIELD("\"by\":\"test\",\"bounds\":{\"Ka\":{\"minimum\":2,\"maximum\":8}}")),
           "'Ka', which is not a category of 'test'");
    refuse(FIELDS(VALUE_FIELD(K("7"))), "not an object");
    refuse(FIELDS(VALUE_FIELD(K("{\"minimum\":2}"))),
           "column 'value' by test 'K' needs a minimum and a maximum");
    refuse(FIELDS(VALUE_FIELD(K("{\"minimum\":9,\"maximum\":8}"))), "minimum above its maximum");
    refuse(FIELDS(VALUE_FIELD(K("{\"minimum\":-1,\"maximum\":8}"))), "outside constraints.minimum");
    refuse(FIELDS(VALUE_FIELD(K("{\"minimum\":1,\"maximum\":8,\"unit\":1}"))), "'unit' in its bounds");
    refuse(FIELDS(VALUE_FIELD(K("{\"minimum\":1,\"maximum\":8,\"transform\":\"sqrt\"}"))),
           "unknown transform");
    refuse(FIELDS(VALUE_FIELD("\"step\":0.5," K("{\"minimum\":1,\"maximum\":8,\"step\":0.7}"))),
           "a multiple");
    refuse("{\"fields\":[{\"name\":\"u\"}," TEST_FIELD
           "{\"name\":\"v\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9},\"semblance\":"
           "{\"per\":\"unit\"," K("{\"minimum\":1,\"maximum\":8}") "}}],\"semblance\":{\"unit\":\"u\"}}",
           "belongs to the person");
    refuse("{\"fields\":[{\"name\":\"u\"}," TEST_FIELD
           "{\"name\":\"v\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9,\"required\":"
           "true},"
           "\"semblance\":{" K(
               "{\"minimum\":1,\"maximum\":8}") "}}],\"semblance\":{\"unit\":\"u\",\"order\":\"v\"}}",
           "bounds by category");
    refuse("{\"fields\":[" TEST_FIELD
           "{\"name\":\"v\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\"]},"
           "\"semblance\":{" K("{\"minimum\":1,\"maximum\":8}") "}}]}",
           "for numbers");
#undef K
}

#define ROWS 8
/* K, Na, CRP, no test; then values out of range, a spike, a sentinel and a missing one. */
static const uint32_t tests[ROWS] = {0, 1, 2, 3, 0, 1, 1, 0};
static const double given[ROWS] = {5, 140, 20, 250, 300, 1, 999, 4};
static const double expected[ROWS] = {5, 140, 20, 250, 8, 1, 999, NAN};

static void fill(sbl_batch *batch)
{
    for (size_t r = 0; r < ROWS; r++) {
        batch->columns[0].values[r] = given[r];
        batch->columns[0].missing[r] = r == ROWS - 1;
        batch->columns[1].codes[r] = tests[r];
        batch->columns[2].values[r] = 3;
        batch->columns[2].missing[r] = 0;
    }
    batch->rows = ROWS;
}

TEST(a_number_is_a_place_within_the_range_of_its_category)
{
    FREED(sbl_schema_free) sbl_schema *schema = parse(table);
    CLEARED(sbl_codec_clear) sbl_codec codec;
    FREED(sbl_batch_free) sbl_batch *batch;
    double numeric[ROWS * 2];
    uint32_t codes[ROWS * 3];
    assert_ok(sbl_codec_init(&codec, schema, NULL));
    assert_ok(sbl_batch_new(&batch, schema, ROWS, NULL));
    fill(batch);
    sbl_codec_encode(&codec, numeric, codes, batch);
    assert_true(numeric[0] == (5.0 - 2) / 6 && numeric[2] == 0.5);
    assert_true(fabs(numeric[4] - log1p(20) / log1p(300)) < 1e-12 && numeric[6] == 0.5);
    assert_true(numeric[8] == 1 && numeric[10] == SBL_PLACE_APART && numeric[14] == SBL_PLACE_APART);
    for (size_t r = 0; r < ROWS; r++)
        batch->columns[1].codes[r] = 99; /* decoding does not read what was there */
    assert_ok(sbl_codec_decode(&codec, batch, numeric, codes, ROWS, NULL));
    for (size_t r = 0; r < ROWS; r++) {
        assert_int_equal(batch->columns[0].missing[r], isnan(expected[r]));
        if (!isnan(expected[r])) assert_true(fabs(batch->columns[0].values[r] - expected[r]) < 1e-9);
    }
    sbl_codec_clear(&codec);
    fill(batch);
    assert_ok(sbl_codec_init_plain(&codec, schema, NULL));
    sbl_codec_encode(&codec, numeric, codes, batch);
    assert_true(numeric[0] == 5.0 / 500 && numeric[2] == 140.0 / 500);
}

TEST(a_row_is_clipped_by_its_own_category_and_the_clip_is_noted)
{
    FREED(sbl_schema_free) sbl_schema *schema = parse(table);
    FREED(sbl_batch_free) sbl_batch *batch;
    assert_ok(sbl_batch_new(&batch, schema, ROWS, NULL));
    assert_ok(sbl_batch_keep_faults(batch, NULL));
    fill(batch);
    batch->columns[0].values[0] = schema->columns[0].fallback; /* a cell that could not be read */
    sbl_batch_clip(batch);
    assert_true(batch->columns[0].values[0] == 5);
    for (size_t r = 1; r + 1 < ROWS; r++) {
        assert_true(batch->columns[0].values[r] == expected[r]);
        assert_int_equal(sbl_batch_faults(batch, r)[0], r == 4 ? SBL_CELL_OUT_OF_RANGE : SBL_CELL_GOOD);
    }
}

TEST(all_categories_share_the_same_bins)
{
    FREED(sbl_schema_free) sbl_schema *schema = parse(table);
    CLEARED(sbl_heads_clear) sbl_heads heads;
    CLEARED(sbl_bins_clear) sbl_bins bins;
    assert_ok(sbl_heads_init(&heads, schema, NULL));
    assert_ok(sbl_bins_init(&bins, schema, &heads, 16, 32, NULL));
    const sbl_bins_column *value = &bins.columns[0];
    assert_int_equal(value->intervals, 18);     /* both ends apart */
    assert_int_equal(value->count, 18 + 1 + 2); /* missing, and two spikes */
    for (double unit = 0; unit <= 1; unit += 0.125) {
        const double numeric[2] = {unit, 0};
        const uint32_t codes[3] = {0, 0, 0}, spike[3] = {2, 0, 0};
        const size_t cell = sbl_bins_find(value, numeric, codes);
        assert_true(value->low[cell] <= unit && unit <= value->high[cell]);
        assert_int_equal(sbl_bins_find(value, numeric, spike), 19);
    }
}

static const char package[] =
    "{\"resources\":[{\"name\":\"p\",\"path\":\"p.csv\",\"schema\":{\"primaryKey\":\"id\",\"fields\":["
    "{\"name\":\"id\",\"type\":\"string\"},{\"name\":\"sex\",\"type\":\"string\",\"constraints\":{\"enum\":"
    "[\"f\",\"m\"]}}]}},{\"name\":\"labs\",\"path\":\"l.csv\",\"schema\":{\"foreignKeys\":[{\"fields\":"
    "\"id\","
    "\"reference\":{\"resource\":\"p\",\"fields\":\"id\"}}],\"fields\":[{\"name\":\"id\",\"type\":\"string\"}"
    "," TEST_FIELD
    "{\"name\":\"value\",\"type\":\"number\",\"bareNumber\":false,\"constraints\":{\"minimum\":0,"
    "\"maximum\":500},\"semblance\":{\"prefix\":\"<\"," BOUNDS "}}]}}]}";

TEST(linked_tables_keep_bounds_by_their_own_columns)
{
    FREED(sbl_schema_free) sbl_schema *schema = parse(package);
    const sbl_column *value = &schema->columns[4];
    assert_string_equal(value->name, "labs.value");
    assert_string_equal(schema->columns[value->by].name, "labs.test");
    assert_true(sbl_column_by(value, 0)->maximum == 8);
    assert_ptr_equal(sbl_column_by(value, 0)->prefix, value->prefix);
    assert_ptr_not_equal(value->prefix, schema->tables[1].schema->columns[2].prefix);
    FREED(sbl_schema_free) sbl_schema *copy = NULL;
    assert_ok(sbl_schema_copy(&copy, schema, NULL));
    assert_true(sbl_column_by(&copy->columns[4], 1)->minimum == 110);
}

TEST(constraints_hold_on_values_within_the_bounds_of_their_category)
{
    static const char text[] =
        "{\"fields\":[" TEST_FIELD VALUE_FIELD(
            "\"by\":\"test\",\"bounds\":{\"K\":{\"minimum\":2,\"maximum\":8,\"decimals\":1},"
            "\"Na\":{\"minimum\":110,\"maximum\":170,\"decimals\":0}}") ","
        "{\"name\":\"twice\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":1000}},"
        "{\"name\":\"note\",\"type\":\"string\",\"constraints\":{\"enum\":[\"low\",\"high\"],\"required\":true}}],"
        "\"semblance\":{\"constraints\":[\"twice = value * 2\",\"if note = 'low' then value <= 4\"]}}";
    FREED(sbl_schema_free) sbl_schema *schema = parse(text);
    sbl_rules *rules;
    double base[16 * 4], full[16 * 4];
    assert_ok(sbl_rules_new(&rules, schema, NULL));
    for (size_t r = 0; r < 16; r++) {
        base[r * 4] = (double)(r % 2);
        base[r * 4 + 1] = r % 2 == 0 ? 3 + 0.5 * (double)(r % 4) : 120;
        base[r * 4 + 2] = NAN;
        base[r * 4 + 3] = (double)(r / 2 % 2);
    }
    const sbl_repair how = {.seed = 7, .column = SBL_NO_COLUMN};
    assert_ok(sbl_rules_repair(rules, base, full, 16, &how, NULL));
    for (size_t r = 0; r < 16; r++) {
        const double *row = full + r * 4;
        for (size_t i = 0; i < 2; i++) assert_true(sbl_rules_holds(rules, i, row));
        if (isnan(row[0]) || isnan(row[1])) continue;
        assert_true(row[1] >= (row[0] == 0 ? 2 : row[0] == 1 ? 110 : 0));
        assert_true(row[1] <= (row[0] == 0 ? 8 : row[0] == 1 ? 170 : 500));
        assert_true(row[2] == 2 * row[1]);
    }
    sbl_rules_free(rules);
}
