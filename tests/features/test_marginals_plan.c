/* Plans of marginals: which cells the columns have, what the block says, that the text rebuilds it,
 * and that every record is exactly one 1 per column. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/marginals_table.h"

static void columns_have_the_cells_of_their_kind(void **state)
{
    (void)state;
    marginals_table t;
    marginals_table_make(&t, true, 32);
    const sbl_cells *cells = &t.plan.cells;
    assert_int_equal(cells->count, COLUMNS);
    assert_int_equal(cells->classes, 2);
    assert_int_equal(cells->label, t.heads.items[t.heads.label].index);
    assert_int_equal(cells->numeric_count, t.heads.numeric_count);
    assert_int_equal(cells->categorical_count, t.heads.categorical_count);
    assert_int_equal(cells->columns[AGE].count, 10); /* one per value */
    assert_int_equal(cells->columns[POWER].domain.decimals, -1);
    assert_int_equal(cells->columns[POWER].count, 34); /* bins and both ends */
    assert_int_equal(cells->columns[WARD].count, 4);   /* missing is one more */
    assert_int_equal(cells->columns[VISIT].count, 34);
    /* log: the first bins hold no integer and are left out; missing is one more cell */
    assert_true(cells->columns[INCOME].count < 34 && cells->columns[INCOME].count > 26);
    assert_int_equal(cells->columns[INCOME].count, cells->columns[INCOME].intervals + 1);
    size_t total = 0;
    for (size_t k = 0; k < COLUMNS; k++) {
        assert_int_equal(cells->columns[k].offset, total);
        total += cells->columns[k].count;
    }
    assert_int_equal(cells->total, total);
    marginals_table_clear(&t);
}

/* The encoded columns are those that the heads name, so that the codec's matrices fit. */
static void encoded_columns_are_those_of_the_heads(void **state)
{
    (void)state;
    for (int labelled = 0; labelled < 2; labelled++) {
        marginals_table t;
        marginals_table_make(&t, labelled != 0, 8);
        size_t k = 0;
        for (size_t h = 0; h < t.heads.count; h++) {
            const sbl_head *head = &t.heads.items[h];
            if (labelled != 0 && h == t.heads.label) continue;
            if (head->indicator) {
                assert_int_equal(t.plan.cells.columns[k - 1].indicator, head->index);
                continue;
            }
            assert_int_equal(t.plan.cells.columns[k].kind, head->kind);
            assert_int_equal(t.plan.cells.columns[k++].index, head->index);
        }
        assert_int_equal(k, t.plan.cells.count);
        marginals_table_clear(&t);
    }
}

static void block_states_the_bounds_of_a_record(void **state)
{
    (void)state;
    marginals_table t;
    marginals_table_make(&t, true, 32);
    const sbl_marginals_block *block = &t.plan.block;
    assert_string_equal(block->name, "marginals");
    assert_int_equal(block->width, t.plan.cells.total);
    assert_true(block->per_class && block->nonnegative && block->scale == 1);
    assert_int_equal(block->bound2, COLUMNS);
    assert_int_equal(block->bound1, COLUMNS);
    marginals_table_clear(&t);
    marginals_table_make(&t, false, 32);
    assert_false(t.plan.block.per_class);
    assert_int_equal(t.plan.cells.classes, 1);
    assert_int_equal(t.plan.cells.label, SBL_NO_HEAD);
    assert_int_equal(t.plan.block.bound2, COLUMNS + 1); /* the former label is a column */
    marginals_table_clear(&t);
}

/* Bin by bin over the grid: the value's own bin of the unit interval, ends apart. */
static void every_value_of_a_grid_is_in_its_bin(void **state)
{
    (void)state;
    marginals_table t;
    marginals_table_make(&t, true, 32);
    const sbl_cells_column *visit = &t.plan.cells.columns[VISIT];
    const sbl_column *column = &t.schema->columns[5];
    uint32_t codes[3] = {0};
    assert_int_equal(t.heads.numeric_count, 4);
    double row[4] = {0};
    size_t last_bin = 0, last_cell = 0;
    for (double day = column->minimum; day <= column->maximum; day++) {
        double unit = sbl_column_to_unit(column, day);
        row[visit->index] = unit;
        size_t cell = sbl_cells_find(visit, row, codes);
        size_t bin = (size_t)fmin(floor(unit * 32), 31);
        if (day == column->minimum)
            assert_int_equal(cell, 0);
        else if (day == column->maximum)
            assert_int_equal(cell, visit->count - 1);
        else
            assert_int_equal(cell, bin + 1);
        assert_true(cell == last_cell || cell == last_cell + 1);
        last_cell = cell;
        last_bin = bin;
        /* half a step to either side rounds to the same day, hence the same cell */
        row[visit->index] = unit + 0.49 / 365;
        assert_int_equal(sbl_cells_find(visit, row, codes), cell);
        row[visit->index] = unit - 0.49 / 365;
        assert_int_equal(sbl_cells_find(visit, row, codes), cell);
    }
    assert_int_equal(last_bin, 31);
    marginals_table_clear(&t);
}

/* Every integer of a log column: cells ascend without gaps, and each holds some value. */
static void log_column_has_no_cell_without_a_value(void **state)
{
    (void)state;
    marginals_table t;
    marginals_table_make(&t, true, 32);
    const sbl_cells_column *income = &t.plan.cells.columns[INCOME];
    double row[4] = {0};
    uint32_t codes[3] = {0};
    size_t last = 0;
    for (double value = 0; value <= 99999; value++) {
        row[income->index] = sbl_column_to_unit(&t.schema->columns[2], value);
        size_t cell = sbl_cells_find(income, row, codes);
        if (value == 0) assert_int_equal(cell, 0);
        if (value == 1) assert_int_equal(cell, 1);
        assert_true(cell == last || cell == last + 1);
        last = cell;
    }
    assert_int_equal(last, income->intervals - 1);
    marginals_table_clear(&t);
}

/* The ends stand apart, a bin holds its lower edge and not its upper one. */
static void numbers_without_a_grid_are_cut_at_the_edges(void **state)
{
    (void)state;
    static const struct {
        double unit;
        size_t cell;
    } cases[] = {{-1, 0},  {0, 0},    {1e-300, 1}, {0.249, 1}, {0.25, 2}, {0.499, 2},
                 {0.5, 3}, {0.75, 4}, {0.999, 4},  {1, 5},     {2, 5},    {NAN, 0}};
    marginals_table t;
    marginals_table_make(&t, true, 4);
    const sbl_cells_column *power = &t.plan.cells.columns[POWER];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double row[4] = {0};
        row[power->index] = cases[i].unit;
        assert_int_equal(sbl_cells_find(power, row, NULL), cases[i].cell);
    }
    marginals_table_clear(&t);
}

static void any_record_is_one_per_column(void **state)
{
    (void)state;
    static const double numbers[] = {0,    0.5,      1,         -3,      7,      NAN,
                                     -0.0, INFINITY, -INFINITY, DBL_MIN, 1e-320, 0.03125};
    static const uint32_t codes_of[] = {0, 1, 2, 3, 4, UINT32_MAX};
    marginals_table t;
    marginals_table_make(&t, true, 32);
    size_t width = t.plan.cells.total, rows = 12 * 6;
    double *numeric = sbl_alloc_array(rows * 4, sizeof *numeric);
    uint32_t *codes = sbl_alloc_array(rows * 3, sizeof *codes);
    float *features = sbl_alloc_array(rows * width, sizeof *features);
    for (size_t i = 0; i < rows * width; i++) features[i] = NAN;
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < 4; i++) numeric[r * 4 + i] = numbers[(r + i) % 12];
        for (size_t i = 0; i < 3; i++) codes[r * 3 + i] = codes_of[(r / 12 + i) % 6];
    }
    sbl_marginals_rows(features, &t.plan, numeric, codes, rows);
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < COLUMNS; k++) {
            const sbl_cells_column *column = &t.plan.cells.columns[k];
            size_t ones = 0;
            for (size_t j = 0; j < column->count; j++) {
                float value = features[r * width + column->offset + j];
                assert_true(value == 0 || value == 1);
                ones += value == 1;
            }
            assert_int_equal(ones, 1);
        }
    sbl_free(numeric);
    sbl_free(codes);
    sbl_free(features);
    marginals_table_clear(&t);
}

static void rows_mark_the_cells_of_their_values(void **state)
{
    (void)state;
    marginals_table t;
    marginals_table_make(&t, true, 32);
    size_t width = t.plan.cells.total;
    const sbl_cells_column *columns = t.plan.cells.columns;
    /* age 3, power at 0.5, visit on the last day; missing income; a ward that does not exist */
    double numeric[2][4] = {{3.0 / 9, 0.2, 0.5, 1}, {1, 0, 0, 0}};
    uint32_t codes[2][3] = {{1, 1, 9}, {7, 0, 3}};
    float *features = sbl_alloc_array(2 * width, sizeof *features);
    sbl_marginals_rows(features, &t.plan, &numeric[0][0], &codes[0][0], 2);
    assert_true(features[columns[AGE].offset + 3] == 1);
    assert_true(features[columns[INCOME].offset + columns[INCOME].count - 1] == 1);
    assert_true(features[columns[POWER].offset + 17] == 1);
    assert_true(features[columns[WARD].offset] == 1);
    assert_true(features[columns[VISIT].offset + 33] == 1);
    assert_true(features[width + columns[AGE].offset + 9] == 1);
    assert_true(features[width + columns[INCOME].offset] == 1);
    assert_true(features[width + columns[POWER].offset] == 1);
    assert_true(features[width + columns[WARD].offset + 3] == 1);
    uint32_t labels[2];
    sbl_marginals_labels(labels, &t.plan, &codes[0][0], 2);
    assert_int_equal(labels[0], 1);
    assert_int_equal(labels[1], 0); /* no such class */
    sbl_free(features);
    marginals_table_clear(&t);
    marginals_table_make(&t, false, 32);
    sbl_marginals_labels(labels, &t.plan, &codes[0][0], 2);
    assert_int_equal(labels[0], 0);
    marginals_table_clear(&t);
}

static void text_rebuilds_the_plan(void **state)
{
    (void)state;
    for (int labelled = 0; labelled < 2; labelled++) {
        marginals_table t;
        sbl_marginals_plan again;
        sbl_error err = {0};
        marginals_table_make(&t, labelled != 0, 20);
        assert_int_equal(sbl_marginals_plan_parse(&again, t.plan.json, "p", &err), SBL_OK);
        assert_string_equal(again.json, t.plan.json);
        assert_memory_equal(again.hash, t.plan.hash, sizeof again.hash);
        assert_int_equal(again.cells.label, t.plan.cells.label);
        assert_int_equal(again.cells.categorical_count, t.plan.cells.categorical_count);
        for (size_t k = 0; k < again.cells.count; k++) {
            const sbl_cells_column *a = &again.cells.columns[k], *b = &t.plan.cells.columns[k];
            assert_int_equal(a->index, b->index);
            assert_int_equal(a->indicator, b->indicator);
            if (a->kind != SBL_HEAD_NUMERIC) continue;
            assert_memory_equal(a->edges, b->edges, (a->intervals - 1) * sizeof *a->edges);
            assert_memory_equal(a->low, b->low, a->count * sizeof *a->low);
            assert_memory_equal(a->high, b->high, a->count * sizeof *a->high);
        }
        sbl_marginals_plan_clear(&again);
        marginals_table_clear(&t);
    }
}

/* text with the first `from` replaced by `to`. */
static void edit(char *text, size_t size, const char *json, const char *from, const char *to)
{
    const char *at = strstr(json, from);
    if (at == NULL) fail_msg("the plan does not hold %s: %s", from, json);
    (void)snprintf(text, size, "%.*s%s%s", (int)(at - json), json, to, at + strlen(from));
}

static void edited_text_is_refused(void **state)
{
    (void)state;
    static const char *edits[][2] = {
        {"\"method\":\"marginals\"", "\"method\":\"merf\""},
        {"\"version\":2", "\"version\":1"},
        {"\"version\":2", "\"version\":3"},
        {"\"version\":2", "\"version\":\"2\""},
        {"\"version\":2", "\"unknown\":0,\"version\":2"},
        {"\"bound2\":5", "\"bound2\":4"},
        {"\"bins\":32", "\"bins\":0"},
        {"\"bins\":32", "\"bins\":5000"},
        {"\"bins\":32", "\"bins\":31"},
        {"\"bins\":32", "\"bins\":33"},
        {"\"singles\":32", "\"singles\":31"},
        {"\"singles\":32", "\"singles\":400"},
        {"\"singles\":32", "\"singles\":5000"},
        {"\"singles\":32", "\"single\":32"},
        {"\"classes\":2", "\"classes\":0"},
        {"\"classes\":2", "\"classes\":1"},
        {"\"label\":0", "\"label\":-1"},
        {"\"label\":0", "\"label\":9"},
        {"\"label\":0", "\"label\":\"0\""},
        {"\"cells\":10,", "\"cells\":11,"},
        {"\"cells\":4,\"kind\":\"category\"", "\"cells\":0,\"kind\":\"category\""},
        {"\"cells\":4,\"kind\":\"category\"", "\"cells\":99999999,\"kind\":\"category\""},
        {"\"cells\":4,\"kind\":\"category\"", "\"cells\":4,\"kind\":\"other\""},
        {"\"kind\":\"category\"", "\"kind\":3"},
        {"\"decimals\":0", "\"decimals\":-2"},
        {"\"decimals\":0", "\"decimals\":0.5"},
        {"\"decimals\":0", "\"decimals\":23"},
        {"\"grid_maximum\":9.0", "\"grid_maximum\":9.5"},
        {"\"grid_maximum\":9.0", "\"grid_maximum\":-1.0"},
        {"\"grid_maximum\":9.0", "\"grid_maximum\":1e300"},
        {"\"grid_maximum\":9.0", "\"grid_maximum\":9"},
        {"\"minimum\":0.0", "\"minimum\":10.0"},
        {"\"minimum\":0.0", "\"minimum\":\"0\""},
        {"\"maximum\":9.0", "\"maximum\":1.7e308"},
        {"\"missing\":false", "\"missing\":0"},
        {"\"columns\":[", "\"columns\":[3,"},
        {"\"columns\":[", "\"columns\":1,\"x\":["},
        {"{\"block\"", "[\"block\""},
        {"\"cells\":{", "\"cell\":{"},
    };
    marginals_table t;
    marginals_table_make(&t, true, 32);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        char text[8192];
        sbl_marginals_plan again;
        sbl_error err = {0};
        edit(text, sizeof text, t.plan.json, edits[i][0], edits[i][1]);
        if (sbl_marginals_plan_parse(&again, text, "p.json", &err) != SBL_EINPUT)
            fail_msg("accepted: %s", edits[i][1]);
        assert_null(again.json);
        assert_null(again.cells.columns);
        assert_true(strncmp(err.message, "p.json", 6) == 0 && strchr(err.message, '\n') == NULL);
    }
    marginals_table_clear(&t);
}

/* Numbers that reach 2^53 on the grid, where adding one no longer changes a double. */
static void grid_at_the_largest_whole_numbers_ends(void **state)
{
    (void)state;
    marginals_table t;
    char text[8192], half[8192];
    sbl_marginals_plan again;
    sbl_error err = {0};
    marginals_table_make(&t, true, 32);
    edit(half, sizeof half, t.plan.json, "\"grid_minimum\":0.0",
         "\"grid_minimum\":9007199254740984.0");
    edit(text, sizeof text, half, "\"grid_maximum\":9.0", "\"grid_maximum\":9007199254740992.0");
    assert_int_equal(sbl_marginals_plan_parse(&again, text, "p", &err), SBL_EINPUT);
    edit(text, sizeof text, half, "\"grid_maximum\":99999.0",
         "\"grid_maximum\":9007199254740992.0");
    assert_int_equal(sbl_marginals_plan_parse(&again, text, "p", &err), SBL_EINPUT);
    marginals_table_clear(&t);
}

static sbl_schema *parse(const char *text)
{
    sbl_schema *schema;
    sbl_error err = {0};
    if (sbl_schema_parse(&schema, text, strlen(text), "s", &err) != SBL_OK)
        fail_msg("%s", err.message);
    return schema;
}

static void bins_out_of_range_and_a_lone_label_are_refused(void **state)
{
    (void)state;
    static const size_t bad[] = {0, SBL_CELLS_MAX_BINS + 1};
    marginals_table t;
    sbl_marginals_plan plan;
    sbl_error err = {0};
    marginals_table_make(&t, true, SBL_CELLS_MAX_BINS);
    for (size_t i = 0; i < 4; i++) {
        sbl_marginals_options options = {.bins = i < 2 ? bad[i] : 32,
                                         .singles = i < 2 ? SBL_CELLS_MAX_BINS : bad[i - 2]};
        assert_int_equal(sbl_marginals_plan_build(&plan, t.schema, &t.heads, &options, &err),
                         SBL_EARG);
        assert_null(plan.json);
    }
    marginals_table_clear(&t);
    sbl_schema *schema = parse(
        "{\"fields\":[{\"name\":\"x\",\"type\":\"boolean\",\"constraints\":{\"required\":"
        "true}}],\"semblance\":{\"label\":\"x\",\"task\":\"classification\"}}");
    sbl_heads heads;
    assert_int_equal(sbl_heads_init(&heads, schema, &err), SBL_OK);
    assert_int_equal(sbl_marginals_plan_build(&plan, schema, &heads, NULL, &err), SBL_EARG);
    sbl_heads_clear(&heads);
    sbl_schema_free(schema);
}

/* Integers of 128, 129 and 99 values, 90 days, 101 tenths, and a number without a grid. */
static const char grids[] =
    "{\"fields\":["
    "{\"name\":\"a\",\"type\":\"integer\",\"constraints\":{\"minimum\":-3,\"maximum\":124,"
    "\"required\":true}},"
    "{\"name\":\"b\",\"type\":\"integer\",\"constraints\":{\"minimum\":-3,\"maximum\":125,"
    "\"required\":true}},"
    "{\"name\":\"c\",\"type\":\"integer\",\"constraints\":{\"minimum\":1,\"maximum\":99},"
    "\"semblance\":{\"transform\":\"log\"}},"
    "{\"name\":\"d\",\"type\":\"date\",\"constraints\":{\"minimum\":\"2021-01-01\",\"maximum\":"
    "\"2021-03-31\",\"required\":true}},"
    "{\"name\":\"e\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":10,"
    "\"required\":true},\"semblance\":{\"decimals\":1}},"
    "{\"name\":\"f\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":1e300,"
    "\"required\":true}}]}";

/* Every value of a grid: how many values each cell holds, and that a lone one is given back. */
static void check_cells(const sbl_cells_column *cells, const sbl_column *column, bool single)
{
    size_t held[SBL_CELLS_MAX_BINS] = {0};
    for (double whole = column->grid_minimum; whole <= column->grid_maximum; whole++) {
        double row[6] = {0};
        row[cells->index] = sbl_column_to_unit(column, whole / column->scale);
        size_t cell = sbl_cells_find(cells, row, (const uint32_t[]){0});
        assert_true(cell < cells->intervals);
        held[cell]++;
        if (single) assert_true(cell == (size_t)(whole - column->grid_minimum));
        if (cells->low[cell] == cells->high[cell])
            assert_true(sbl_column_from_unit(column, cells->low[cell]) == whole / column->scale);
    }
    assert_int_equal(cells->single, single);
    for (size_t j = 0; j < cells->intervals; j++) {
        assert_true(held[j] > 0 && (!single || held[j] == 1));
        assert_int_equal(cells->low[j] == cells->high[j], held[j] == 1);
    }
}

static void short_grid_has_one_cell_per_value_unless_bins_are_given(void **state)
{
    (void)state;
    static const size_t usual[] = {128, 34, 100, 90, 101, 34}, given[] = {22, 22, 0, 22, 22, 22};
    sbl_schema *schema = parse(grids);
    sbl_heads heads;
    sbl_error err = {0};
    assert_int_equal(sbl_heads_init(&heads, schema, &err), SBL_OK);
    for (size_t bins = 0; bins <= 20; bins += 20) {
        sbl_marginals_options options;
        sbl_marginals_plan plan;
        sbl_marginals_options_init(&options, bins);
        assert_int_equal(sbl_marginals_plan_build(&plan, schema, &heads, &options, &err), SBL_OK);
        for (size_t k = 0; k < 6; k++) {
            const sbl_cells_column *cells = &plan.cells.columns[k];
            size_t wanted = (bins ? given : usual)[k];
            if (wanted) assert_int_equal(cells->count, wanted);
            if (k < 5) check_cells(cells, &schema->columns[k], bins == 0 && k != 1);
        }
        assert_int_equal(plan.block.width, plan.cells.total);
        assert_int_equal(plan.block.bound2, 6); /* one 1 per column, however many cells it has */
        assert_int_equal(plan.block.bound1, 6);
        sbl_marginals_plan_clear(&plan);
    }
    sbl_heads_clear(&heads);
    sbl_schema_free(schema);
}

static void another_version_is_refused_by_name(void **state)
{
    (void)state;
    marginals_table t;
    char text[8192];
    sbl_marginals_plan again;
    sbl_error err = {0};
    marginals_table_make(&t, true, 32);
    edit(text, sizeof text, t.plan.json, "\"version\":2", "\"version\":1");
    assert_int_equal(sbl_marginals_plan_parse(&again, text, "p", &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "another version than 2"));
    marginals_table_clear(&t);
}

static void constant_and_narrow_columns_have_few_cells(void **state)
{
    (void)state;
    sbl_schema *schema = parse(
        "{\"fields\":[{\"name\":\"c\",\"type\":\"number\",\"constraints\":{\"minimum\":5,"
        "\"maximum\":5,\"required\":true}},{\"name\":\"d\",\"type\":\"number\",\"constraints\":{"
        "\"minimum\":0.05,\"maximum\":0.35,\"required\":true},\"semblance\":{\"decimals\":1}}]}");
    sbl_heads heads;
    sbl_marginals_plan plan;
    sbl_error err = {0};
    assert_int_equal(sbl_heads_init(&heads, schema, &err), SBL_OK);
    assert_int_equal(sbl_marginals_plan_build(&plan, schema, &heads, NULL, &err), SBL_OK);
    assert_int_equal(plan.cells.bins, 32);
    assert_int_equal(plan.cells.singles, 128);
    assert_int_equal(plan.cells.columns[0].count, 1);
    assert_int_equal(plan.cells.columns[1].count, 3); /* .1 .2 .3 */
    for (size_t j = 0; j < 3; j++)
        assert_true(sbl_column_from_unit(&schema->columns[1], plan.cells.columns[1].low[j]) ==
                    (double)(j + 1) / 10);
    sbl_marginals_plan_clear(&plan);
    sbl_heads_clear(&heads);
    sbl_schema_free(schema);
}

static void lack_of_memory_is_reported(void **state)
{
    (void)state;
    marginals_table t;
    sbl_marginals_plan plan;
    sbl_error err = {0};
    marginals_table_make(&t, true, 32);
    for (int parsing = 0; parsing < 2; parsing++) {
        for (long n = 1;; n++) {
            sbl_test_fail_alloc(n);
            sbl_status status =
                parsing ? sbl_marginals_plan_parse(&plan, t.plan.json, "p", &err)
                        : sbl_marginals_plan_build(&plan, t.schema, &t.heads, NULL, &err);
            if (!sbl_test_alloc_failed()) break;
            assert_int_equal(status, SBL_EMEM);
            assert_null(plan.json);
        }
        sbl_test_fail_alloc(0);
        sbl_marginals_plan_clear(&plan);
    }
    marginals_table_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_have_the_cells_of_their_kind),
        cmocka_unit_test(encoded_columns_are_those_of_the_heads),
        cmocka_unit_test(block_states_the_bounds_of_a_record),
        cmocka_unit_test(every_value_of_a_grid_is_in_its_bin),
        cmocka_unit_test(log_column_has_no_cell_without_a_value),
        cmocka_unit_test(numbers_without_a_grid_are_cut_at_the_edges),
        cmocka_unit_test(any_record_is_one_per_column),
        cmocka_unit_test(rows_mark_the_cells_of_their_values),
        cmocka_unit_test(text_rebuilds_the_plan),
        cmocka_unit_test(edited_text_is_refused),
        cmocka_unit_test(grid_at_the_largest_whole_numbers_ends),
        cmocka_unit_test(bins_out_of_range_and_a_lone_label_are_refused),
        cmocka_unit_test(short_grid_has_one_cell_per_value_unless_bins_are_given),
        cmocka_unit_test(another_version_is_refused_by_name),
        cmocka_unit_test(constant_and_narrow_columns_have_few_cells),
        cmocka_unit_test(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
