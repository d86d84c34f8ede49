/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding and decoding undo each other: exactly for codes, dates and integers, within the step of
 * the column for numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "public/rows/codec.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

FREES(sbl_schema_free);

#define ROWS 257

static uint64_t mix = 11;

static uint64_t next(void)
{
    uint64_t z = (mix += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double uniform(void) { return (double)(next() >> 11) / 9007199254740992.0; }

static sbl_schema *parse(const char *text)
{
    sbl_schema *schema;
    sbl_error err = {0};
    if (sbl_schema_parse(&schema, text, strlen(text), "s.json", &err) != SBL_OK)
        fail_msg("%s: %s", err.message, text);
    return schema;
}

/* A column of a random kind; returns the length of its JSON. */
static size_t random_field(char *text, size_t room, unsigned index)
{
    const char *required = next() % 2 ? "true" : "false";
    const char *log = next() % 2 ? ",\"semblance\":{\"transform\":\"log\"}" : "";
    const int64_t low = (int64_t)(next() % 2000000) - 1000000;
    int used = 0;
    switch (next() % 6) {
    case 0:
        used = snprintf(text, room,
                        "{\"name\":\"c%u\",\"type\":\"integer\",\"constraints\":{\"minimum\":%lld,"
                        "\"maximum\":%lld,\"required\":%s}%s}",
                        index, (long long)low, (long long)(low + (int64_t)(next() % (1u << (next() % 25)))),
                        required, log);
        break;
    case 1:
        used = snprintf(text, room,
                        "{\"name\":\"c%u\",\"type\":\"number\",\"constraints\":{\"minimum\":%.6e,"
                        "\"maximum\":%.6e,\"required\":%s}%s}",
                        index, (double)low, (double)low + uniform() * 1e6, required, log);
        break;
    case 2:
        used = snprintf(text, room,
                        "{\"name\":\"c%u\",\"type\":\"boolean\",\"constraints\":{"
                        "\"required\":%s}}",
                        index, required);
        break;
    case 3:
        used = snprintf(text, room,
                        "{\"name\":\"c%u\",\"type\":\"date\",\"constraints\":{\"minimum\":"
                        "\"%04u-01-01\",\"maximum\":\"%04u-12-31\",\"required\":%s}}",
                        index, (unsigned)(next() % 2000), (unsigned)(2000 + next() % 8000), required);
        break;
    case 4:
        used = snprintf(text, room,
                        "{\"name\":\"c%u\",\"type\":\"datetime\",\"constraints\":{\"minimum\":"
                        "\"%04u-01-01T00:00:00\",\"maximum\":\"%04u-12-31T23:59:59\","
                        "\"required\":%s}}",
                        index, (unsigned)(next() % 2000), (unsigned)(2000 + next() % 8000), required);
        break;
    default:
        used = snprintf(text, room,
                        "{\"name\":\"c%u\",\"type\":\"integer\",\"constraints\":{\"enum\":[1,2,3,5,"
                        "8],\"required\":%s}}",
                        index, required);
        break;
    }
    return (size_t)used;
}

static sbl_schema *random_schema(void)
{
    char text[8192] = "{\"fields\":[";
    size_t used = strlen(text);
    const unsigned count = 1 + (unsigned)(next() % 12);
    for (unsigned i = 0; i < count; i++) {
        if (i > 0) text[used++] = ',';
        used += random_field(text + used, sizeof text - used, i);
    }
    (void)strcpy(text + used, "]}");
    return parse(text);
}

static void fill(sbl_batch *batch)
{
    batch->rows = ROWS;
    for (size_t i = 0; i < batch->schema->column_count; i++) {
        const sbl_column *facts = &batch->schema->columns[i];
        sbl_batch_column *column = &batch->columns[i];
        for (size_t row = 0; row < ROWS; row++) {
            if (column->codes != NULL) {
                column->codes[row] = (uint32_t)(next() % (facts->categories.count + facts->missing_allowed));
                continue;
            }
            const double u = row == 0 ? 0 : row == 1 ? 1 : uniform();
            column->values[row] =
                sbl_column_snap(facts, facts->minimum + u * (facts->maximum - facts->minimum));
            if (column->missing == NULL || next() % 5 != 0) continue;
            column->missing[row] = 1;
            column->values[row] = facts->fallback;
        }
    }
}

static void expect_equal(const sbl_batch *a, const sbl_batch *b)
{
    assert_int_equal(a->rows, b->rows);
    for (size_t i = 0; i < a->schema->column_count; i++) {
        const sbl_column *facts = &a->schema->columns[i];
        const sbl_batch_column *left = &a->columns[i];
        const sbl_batch_column *right = &b->columns[i];
        for (size_t row = 0; row < a->rows; row++) {
            if (left->codes != NULL) {
                assert_int_equal(left->codes[row], right->codes[row]);
                continue;
            }
            if (left->missing != NULL) assert_int_equal(left->missing[row], right->missing[row]);
            const double step = facts->type == SBL_TYPE_NUMBER ? 1 / facts->scale : 0;
            assert_true(fabs(left->values[row] - right->values[row]) <= step);
        }
    }
}

TEST(random_tables_come_back)
{
    for (int round = 0; round < 300; round++) {
        sbl_codec codec;
        sbl_batch *batch;
        sbl_batch *again;
        FREED(sbl_schema_free) sbl_schema *schema = random_schema();
        assert_ok(sbl_codec_init(&codec, schema, NULL));
        assert_ok(sbl_batch_new(&batch, schema, ROWS, NULL));
        assert_ok(sbl_batch_new(&again, schema, ROWS, NULL));
        fill(batch);
        double *numeric = malloc((codec.heads.numeric_count + 1) * ROWS * sizeof *numeric);
        uint32_t *codes = malloc((codec.heads.categorical_count + 1) * ROWS * sizeof *codes);
        sbl_codec_encode(&codec, numeric, codes, batch);
        for (size_t i = 0; i < codec.heads.numeric_count * ROWS; i++)
            assert_true(numeric[i] >= 0 && numeric[i] <= 1);
        for (size_t i = 0; i < codec.heads.count; i++) {
            const sbl_head *head = &codec.heads.items[i];
            if (head->kind == SBL_HEAD_CATEGORICAL)
                for (size_t row = 0; row < ROWS; row++)
                    assert_true(codes[row * codec.heads.categorical_count + head->index] < head->cardinality);
        }
        assert_ok(sbl_codec_decode(&codec, again, numeric, codes, ROWS, NULL));
        expect_equal(batch, again);
        free(numeric);
        free(codes);
        sbl_batch_free(batch);
        sbl_batch_free(again);
        sbl_codec_clear(&codec);
    }
}

/* Every value of a column of whole numbers, through [0,1] and back. */
static void expect_exact(const char *field, double step)
{
    char text[512];
    (void)snprintf(text, sizeof text, "{\"fields\":[{\"name\":\"x\",%s}]}", field);
    FREED(sbl_schema_free) sbl_schema *schema = parse(text);
    const sbl_column *column = &schema->columns[0];
    for (double x = column->minimum; x <= column->maximum; x += step)
        if (sbl_column_from_unit(column, sbl_column_to_unit(column, x)) != x)
            fail_msg("%.17g did not come back: %s", x, field);
}

TEST(integers_and_dates_come_back_exactly)
{
    expect_exact("\"type\":\"integer\",\"constraints\":{\"minimum\":-77,\"maximum\":300000}", 1);
    expect_exact(
        "\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":16777216},"
        "\"semblance\":{\"transform\":\"log\"}",
        37);
    expect_exact("\"type\":\"integer\",\"constraints\":{\"minimum\":-16777215,\"maximum\":0}", 41);
    expect_exact("\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":2000000000000000}",
                 1999999999001);
    expect_exact(
        "\"type\":\"date\",\"constraints\":{\"minimum\":\"0000-01-01\",\"maximum\":"
        "\"9999-12-31\"}",
        7);
    expect_exact(
        "\"type\":\"datetime\",\"constraints\":{\"minimum\":\"0000-01-01T00:00:00\","
        "\"maximum\":\"9999-12-31T23:59:59\"}",
        86401 * 11);
}

static const char mixed[] =
    JSON({"fields":[{"name":"n","type":"number","constraints":{"minimum":0,"maximum":10}},
    {"name":"i","semblance":{"role":"ignore"}},{"name":"y","type":"string","constraints":{"enum":["p","q",
    "r"],"required":true},"semblance":{"other":"q"}}],"semblance":{"label":"y"}});

TEST(label_and_layout_are_exposed)
{
    sbl_codec codec;
    FREED(sbl_schema_free) sbl_schema *schema = parse(mixed);
    assert_ok(sbl_codec_init(&codec, schema, NULL));
    assert_int_equal(codec.heads.numeric_count, 1);
    assert_int_equal(codec.heads.categorical_count, 2);
    assert_int_equal(codec.heads.label, 2);
    assert_int_equal(codec.heads.class_count, 3);
    assert_int_equal(codec.heads.items[2].column, 2);
    sbl_codec_clear(&codec);
}

TEST(missing_number_encodes_as_the_constant)
{
    sbl_codec codec;
    sbl_batch *batch;
    double numeric[2];
    uint32_t codes[4];
    FREED(sbl_schema_free) sbl_schema *schema = parse(mixed);
    assert_ok(sbl_codec_init(&codec, schema, NULL));
    assert_ok(sbl_batch_new(&batch, schema, 2, NULL));
    batch->rows = 2;
    batch->columns[0].values[0] = 9; /* whatever lies there */
    batch->columns[0].missing[0] = 1;
    batch->columns[0].values[1] = 2.5;
    batch->columns[2].codes[0] = 2;
    batch->columns[2].codes[1] = 77; /* no such code */
    sbl_codec_encode(&codec, numeric, codes, batch);
    assert_true(numeric[0] == 0.5 && numeric[1] == 0.25);
    assert_int_equal(codes[0], 1);
    assert_int_equal(codes[1], 2);
    assert_int_equal(codes[2], 0);
    assert_int_equal(codes[3], 1);
    sbl_batch_free(batch);
    sbl_codec_clear(&codec);
}

TEST(any_numbers_decode_to_some_record)
{
    sbl_codec codec;
    sbl_batch *batch;
    const double numeric[] = {(double)NAN, -3, 7, (double)INFINITY, 0.5};
    const uint32_t codes[] = {0, 0, 0, 1, 0, 2, 9, 3, 1, UINT32_MAX};
    FREED(sbl_schema_free) sbl_schema *schema = parse(mixed);
    assert_ok(sbl_codec_init(&codec, schema, NULL));
    assert_ok(sbl_batch_new(&batch, schema, 5, NULL));
    assert_ok(sbl_codec_decode(&codec, batch, numeric, codes, 5, NULL));
    assert_int_equal(batch->rows, 5);
    const double *values = batch->columns[0].values;
    assert_true(values[0] == 0 && values[1] == 0 && values[2] == 10 && values[3] == 10);
    assert_true(values[4] == 5 && batch->columns[0].missing[4] == 1);
    assert_int_equal(batch->columns[0].missing[3], 0); /* 9 is not "missing" */
    assert_int_equal(batch->columns[2].codes[2], 2);
    assert_int_equal(batch->columns[2].codes[3], 1); /* no such code: the declared other */
    assert_int_equal(batch->columns[2].codes[4], 1);
    assert_int_equal(sbl_codec_decode(&codec, batch, numeric, codes, 6, NULL), SBL_EARG);
    assert_int_equal(batch->rows, 0);
    sbl_batch_free(batch);
    sbl_codec_clear(&codec);
}

TEST(lack_of_memory_is_reported)
{
    sbl_codec codec;
    FREED(sbl_schema_free) sbl_schema *schema = parse(mixed);
    sbl_test_fail_alloc(1);
    assert_int_equal(sbl_codec_init(&codec, schema, NULL), SBL_EMEM);
    sbl_test_fail_alloc(0);
    sbl_codec_clear(&codec);
}
