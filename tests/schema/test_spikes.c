/* SPDX-License-Identifier: Apache-2.0 */
/* Spikes and roles: what is read and refused, and that a spike has its own code and cell and comes
 * back exactly. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "public/rows/codec.h"
#include "public/schema/bins.h"
#include "public/schema/spikes.h"
#include "support/cmocka_all.h"

FREES(sbl_schema_free);
FREES(sbl_batch_free);

#define FIELD(name, type, bounds, options)                                  \
    "{\"name\":\"" name "\",\"type\":\"" type "\",\"constraints\":{" bounds \
    "}"                                                                     \
    ",\"semblance\":{" options "}}"

static const char table[] =
    "{\"fields\":["
    FIELD("hours", "integer", "\"minimum\":0,\"maximum\":90000,\"required\":true",
          "\"spikes\":[24,0],\"transform\":\"log\"") ","
    FIELD("dose", "number", "\"minimum\":-1e9,\"maximum\":1e16,\"required\":true",
          "\"spikes\":[0.1,-1000000000.0]") ","
    FIELD("cost", "number", "\"minimum\":0,\"maximum\":5000", "\"decimals\":2,\"spikes\":[12.5]") ","
    FIELD("few", "integer", "\"minimum\":0,\"maximum\":9,\"required\":true", "\"spikes\":[3]")
    "]}";

static sbl_schema *parse(const char *text)
{
    sbl_schema *schema;
    sbl_error err = {0};
    assert_ok_or_say(sbl_schema_parse(&schema, text, strlen(text), "s.json", &err));
    return schema;
}

TEST(spikes_are_ascending_and_canonical)
{
    sbl_schema *schema = parse(table);
    const sbl_column *hours = &schema->columns[0];
    assert_int_equal(hours->spike_count, 2);
    assert_true(hours->spikes[0] == 0 && hours->spikes[1] == 24);
    char *json = sbl_schema_json(schema);
    FREED(sbl_schema_free) sbl_schema *again = parse(json);
    char *same = sbl_schema_json(again);
    assert_string_equal(json, same);
    assert_int_equal(sbl_spikes_find(hours, 0.2), 0); /* a whole number: 0 */
    assert_int_equal(sbl_spikes_find(hours, 1), SBL_NO_SPIKE);
    assert_int_equal(sbl_spikes_find(&schema->columns[2], 12.501), 0);
    assert_int_equal(sbl_spikes_find(&schema->columns[2], 12.51), SBL_NO_SPIKE);
    sbl_spikes_forget(again);
    assert_int_equal(again->columns[0].spike_count, 0);
    sbl_free(json);
    sbl_free(same);
    sbl_schema_free(schema);
}

static void refuse(const char *field, const char *because)
{
    char text[1000];
    sbl_schema *schema;
    sbl_error err = {0};
    (void)snprintf(text, sizeof text,
                   "{\"fields\":[%s,{\"name\":\"y\",\"type\":\"integer\","
                   "\"constraints\":{\"minimum\":0,\"maximum\":1}}]}",
                   field);
    assert_int_equal(sbl_schema_parse(&schema, text, strlen(text), "s.json", &err), SBL_EINPUT);
    if (strstr(err.message, because) == NULL) fail_msg("'%s' is not '%s'", err.message, because);
    assert_null(strpbrk(err.message, "\r\n"));
}

TEST(bad_spikes_and_roles_are_refused)
{
#define X(options) FIELD("x", "integer", "\"minimum\":0,\"maximum\":50", options)
    refuse(X("\"spikes\":[0.5]"), "between its decimals or steps");
    refuse(X("\"spikes\":[51.5]"), "between its decimals or steps");
    refuse(X("\"spikes\":[9007199254740992]"), "between its decimals or steps");
    refuse(X("\"spikes\":[25],\"step\":10"), "between its decimals or steps");
    refuse(X("\"spikes\":[0,0]"), "twice");
    refuse(X("\"spikes\":0"), "not a list");
    refuse(X("\"spikes\":[\"0\"]"), "not a number");
    refuse(X("\"spikes\":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]"), "at most 16");
    refuse("{\"name\":\"x\",\"type\":\"boolean\",\"semblance\":{\"spikes\":[0]}}", "bounded numbers");
    refuse(X("\"role\":\"key\""), "ignore, id, fake and constant");
    refuse(X("\"id\":\"uuid\""), "but not the role 'id'");
    refuse(X("\"role\":\"id\",\"fake\":\"name\""), "but not the role 'fake'");
    refuse(X("\"role\":\"id\",\"id\":\"P-\""), "1 to 18 #");
    refuse(X("\"role\":\"id\",\"id\":\"###################\""), "1 to 18 #");
    refuse(X("\"role\":\"fake\""), "semblance.fake");
    refuse(X("\"role\":\"fake\",\"fake\":\"ssn\""), "not one of name");
    refuse(X("\"role\":\"constant\",\"constant\":5"), "a string");
    refuse(X("\"role\":\"constant\",\"constant\":\"a\\nb\""), "control character");
}

/* Values of each column, spikes and near misses among them. */
static const double values[][4] = {
    {0, 1, 24, 25}, {0.1, -1e9, 0.100001, 7}, {12.5, 12.49, 0, 12.5}, {3, 2, 4, 3}};
static const bool is_spike[][4] = {{true, false, true, false},
                                   {true, true, false, false},
                                   {true, false, false, false},
                                   {true, false, false, true}};

static void fill(sbl_batch *batch)
{
    for (size_t c = 0; c < 4; c++)
        for (size_t r = 0; r < 4; r++) batch->columns[c].values[r] = values[c][r];
    for (size_t r = 0; r < 4; r++) batch->columns[2].missing[r] = r == 3;
    batch->rows = 4;
}

TEST(spikes_go_through_the_codec)
{
    FREED(sbl_schema_free) sbl_schema *schema = parse(table);
    CLEARED(sbl_codec_clear) sbl_codec codec;
    FREED(sbl_batch_free) sbl_batch *batch;
    double numeric[4 * 4];
    uint32_t codes[4 * 4];
    assert_ok(sbl_codec_init(&codec, schema, NULL));
    assert_int_equal(codec.heads.numeric_count, 4);
    assert_int_equal(codec.heads.categorical_count, 4);
    assert_int_equal(codec.heads.items[1].cardinality, 3);
    assert_int_equal(codec.heads.items[5].cardinality, 3); /* missing and one spike */
    assert_ok(sbl_batch_new(&batch, schema, 4, NULL));
    fill(batch);
    sbl_codec_encode(&codec, numeric, codes, batch);
    for (size_t c = 0; c < 4; c++)
        for (size_t r = 0; r < 4; r++) {
            const bool missing = c == 2 && r == 3;
            assert_int_equal(codes[r * 4 + c] != 0, is_spike[c][r] || missing);
            if (missing) assert_int_equal(codes[r * 4 + c], 1);
            if (is_spike[c][r] || missing) numeric[r * 4 + c] = 0.77; /* the code decides */
        }
    assert_ok(sbl_codec_decode(&codec, batch, numeric, codes, 4, NULL));
    for (size_t c = 0; c < 4; c++)
        for (size_t r = 0; r < 4; r++)
            if (is_spike[c][r]) assert_true(batch->columns[c].values[r] == values[c][r]);
    assert_int_equal(batch->columns[2].missing[3], 1);
    assert_int_equal(batch->columns[2].missing[0], 0);
}

/* In one kind of cells: a spike's cell holds it alone, and says which it is. */
static void check_cells(const sbl_bins *cells, const sbl_schema *schema)
{
    for (size_t k = 0; k < cells->count; k++) {
        const sbl_bins_column *column = &cells->columns[k];
        const sbl_column *facts = &schema->columns[k];
        for (size_t j = 1; j < column->intervals; j++) {
            assert_true(column->low[j] >= column->low[j - 1]);
            if (j + 1 < column->intervals) assert_true(column->edges[j] > column->edges[j - 1]);
        }
        for (size_t s = 0; s < facts->spike_count; s++) {
            double numeric[4] = {0};
            const uint32_t codes[4] = {0};
            numeric[column->index] = sbl_column_to_unit(facts, facts->spikes[s]);
            const size_t cell = sbl_bins_find(column, numeric, codes);
            assert_true(column->low[cell] == column->high[cell]);
            assert_true(sbl_column_from_unit(facts, column->low[cell]) == facts->spikes[s] ||
                        facts->decimals < 0);
            assert_int_equal(sbl_bins_indicator(column, cell), sbl_spike_code(facts, s));
            for (int side = -1; side <= 1; side += 2) { /* neighbours on the grid are elsewhere */
                const double step = facts->decimals >= 0 ? 1 / facts->scale : 1e-3;
                const double near = facts->spikes[s] + side * step;
                if (near < facts->minimum || near > facts->maximum) continue;
                numeric[column->index] = sbl_column_to_unit(facts, near);
                if (numeric[column->index] == sbl_column_to_unit(facts, facts->spikes[s])) continue;
                assert_int_not_equal(sbl_bins_find(column, numeric, codes), cell);
            }
        }
    }
}

TEST(spikes_have_cells_of_their_own)
{
    FREED(sbl_schema_free) sbl_schema *schema = parse(table);
    CLEARED(sbl_heads_clear) sbl_heads heads;
    assert_ok(sbl_heads_init(&heads, schema, NULL));
    for (size_t bins = 1; bins <= 64; bins *= 4) {
        sbl_bins cells;
        sbl_bins copy;
        assert_ok(sbl_bins_init(&cells, schema, &heads, bins, bins < 10 ? 10 : bins, NULL));
        check_cells(&cells, schema);
        assert_ok(sbl_bins_copy(&copy, &cells, NULL));
        check_cells(&copy, schema);
        sbl_bins_clear(&copy);
        sbl_bins_clear(&cells);
        assert_ok(sbl_bins_init_joint(&cells, schema, &heads, bins, 64, 8, NULL));
        check_cells(&cells, schema);
        sbl_bins_clear(&cells);
    }
}

/* Sentinels on both sides, with and without missing values, a step, a log scale, any doubles. */
static const char sentinels[] =
    "{\"fields\":["
    FIELD("age", "integer", "\"minimum\":0,\"maximum\":120,\"required\":true",
          "\"spikes\":[999,-1,0]") ","
    FIELD("cost", "number", "\"minimum\":0,\"maximum\":5000",
          "\"decimals\":2,\"transform\":\"log\",\"spikes\":[-9.99]") ","
    FIELD("dose", "integer", "\"minimum\":5,\"maximum\":50,\"required\":true",
          "\"step\":10,\"spikes\":[99]") ","
    FIELD("any", "number", "\"minimum\":0,\"maximum\":1e300", "\"spikes\":[-0.125]")
    "]}";

TEST(sentinel_is_a_value_and_its_neighbours_are_clamped)
{
    sbl_schema *schema = parse(sentinels);
    const sbl_column *age = &schema->columns[0];
    assert_true(sbl_column_snap(age, 999) == 999 && sbl_column_snap(age, -1) == -1);
    assert_true(sbl_column_snap(age, 998) == 120 && sbl_column_snap(age, -2) == 0);
    assert_true(sbl_column_snap(age, NAN) == 0 && sbl_column_snap(age, INFINITY) == 120);
    assert_int_equal(sbl_spikes_find(age, 999), 2);
    assert_int_equal(sbl_spikes_find(age, 120), SBL_NO_SPIKE);
    assert_true(sbl_column_snap(&schema->columns[1], -9.99) == -9.99);
    assert_true(sbl_column_snap(&schema->columns[2], 99) == 99);
    assert_true(sbl_column_snap(&schema->columns[2], 98) == 50);
    char *json = sbl_schema_json(schema);
    FREED(sbl_schema_free) sbl_schema *again = parse(json);
    sbl_spikes_forget(again); /* sentinels stay */
    assert_int_equal(again->columns[0].spike_count, 2);
    assert_true(again->columns[0].spikes[0] == -1 && again->columns[0].spikes[1] == 999);
    sbl_free(json);
    sbl_schema_free(schema);
}

TEST(sentinels_go_through_codec_and_cells)
{
    static const double rows[][4] = {{999, -9.99, 99, -0.125}, {-1, 1, 20, 1}, {120, 0, 50, 1e300}};
    FREED(sbl_schema_free) sbl_schema *schema = parse(sentinels);
    CLEARED(sbl_codec_clear) sbl_codec codec;
    FREED(sbl_batch_free) sbl_batch *batch;
    double numeric[3 * 4];
    uint32_t codes[3 * 4];
    assert_ok(sbl_codec_init(&codec, schema, NULL));
    assert_ok(sbl_batch_new(&batch, schema, 3, NULL));
    for (size_t r = 0; r < 3; r++)
        for (size_t c = 0; c < 4; c++) batch->columns[c].values[r] = rows[r][c];
    batch->rows = 3;
    sbl_codec_encode(&codec, numeric, codes, batch);
    for (size_t c = 0; c < 4; c++) { /* no size of its own: the constant's */
        const sbl_column *facts = &schema->columns[c];
        assert_true(numeric[c] == sbl_column_to_unit(facts, facts->fallback));
    }
    for (int joint = 0; joint < 2; joint++) {
        CLEARED(sbl_bins_clear) sbl_bins cells;
        assert_ok(joint ? sbl_bins_init_joint(&cells, schema, &codec.heads, 8, 64, 4, NULL)
                        : sbl_bins_init(&cells, schema, &codec.heads, 8, 64, NULL));
        for (size_t c = 0; c < 4; c++) {
            const sbl_bins_column *column = &cells.columns[c];
            const size_t cell = sbl_bins_find(column, numeric, codes);
            assert_true(cell >= column->intervals && cell < column->count);
            assert_int_equal(sbl_bins_indicator(column, cell), codes[c]);
            assert_true(column->low[cell] == column->high[cell]);
            for (size_t r = 1; r < 3; r++)
                assert_int_not_equal(sbl_bins_find(column, numeric + r * 4, codes + r * 4), cell);
        }
    }
    assert_ok(sbl_codec_decode(&codec, batch, numeric, codes, 3, NULL));
    for (size_t r = 0; r < 3; r++)
        for (size_t c = 0; c < 4; c++)
            if (rows[r][c] != 1e300) assert_true(batch->columns[c].values[r] == rows[r][c]);
}

/* A code that no column has names no cell beyond the last. */
TEST(every_code_has_a_cell)
{
    FREED(sbl_schema_free) sbl_schema *schema = parse(sentinels);
    CLEARED(sbl_heads_clear) sbl_heads heads;
    CLEARED(sbl_bins_clear) sbl_bins cells;
    assert_ok(sbl_heads_init(&heads, schema, NULL));
    assert_ok(sbl_bins_init(&cells, schema, &heads, 8, 64, NULL));
    for (size_t c = 0; c < 4; c++)
        for (uint32_t code = 0; code < 40; code++) {
            const double numeric[4] = {0.5, 0.5, 0.5, 0.5};
            const uint32_t odd = code < 20 ? code : UINT32_MAX - (code - 20);
            const uint32_t codes[4] = {odd, odd, odd, odd};
            assert_true(sbl_bins_find(&cells.columns[c], numeric, codes) < cells.columns[c].count);
        }
}
