/* SPDX-License-Identifier: Apache-2.0 */
/* Public cells: which ones the columns have, that every value is in exactly one, and what is refused. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/marginals_table.h"

TEST(columns_have_the_cells_of_their_kind)
{
    CLEARED(marginals_table_clear) marginals_table t;
    marginals_table_make(&t, true, 32);
    const sbl_bins *cells = &t.cells;
    assert_int_equal(cells->count, COLUMNS);
    assert_int_equal(cells->classes, 2);
    assert_int_equal(cells->label, t.facts.heads.items[t.facts.heads.label].index);
    assert_int_equal(cells->numeric_count, t.facts.heads.numeric_count);
    assert_int_equal(cells->categorical_count, t.facts.heads.categorical_count);
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
}

/* The encoded columns are those that the heads name, so that the codec's matrices fit. */
TEST(encoded_columns_are_those_of_the_heads)
{
    for (int labelled = 0; labelled < 2; labelled++) {
        marginals_table t;
        marginals_table_make(&t, labelled != 0, 8);
        size_t k = 0;
        for (size_t h = 0; h < t.facts.heads.count; h++) {
            const sbl_head *head = &t.facts.heads.items[h];
            if (labelled != 0 && h == t.facts.heads.label) continue;
            if (head->indicator) {
                assert_int_equal(t.cells.columns[k - 1].indicator, head->index);
                continue;
            }
            assert_int_equal(t.cells.columns[k].kind, head->kind);
            assert_int_equal(t.cells.columns[k++].index, head->index);
        }
        assert_int_equal(k, t.cells.count);
        marginals_table_clear(&t);
    }
}

/* Bin by bin over the grid: the value's own bin of the unit interval, ends apart. */
TEST(every_value_of_a_grid_is_in_its_bin)
{
    CLEARED(marginals_table_clear) marginals_table t;
    marginals_table_make(&t, true, 32);
    const sbl_bins_column *visit = &t.cells.columns[VISIT];
    const sbl_column *column = &t.facts.schema->columns[5];
    uint32_t codes[3] = {0};
    assert_int_equal(t.facts.heads.numeric_count, 4);
    double row[4] = {0};
    size_t last_bin = 0, last_cell = 0;
    for (double day = column->minimum; day <= column->maximum; day++) {
        double unit = sbl_column_to_unit(column, day);
        row[visit->index] = unit;
        size_t cell = sbl_bins_find(visit, row, codes);
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
        assert_int_equal(sbl_bins_find(visit, row, codes), cell);
        row[visit->index] = unit - 0.49 / 365;
        assert_int_equal(sbl_bins_find(visit, row, codes), cell);
    }
    assert_int_equal(last_bin, 31);
}

/* Every integer of a log column: cells ascend without gaps, and each holds some value. */
TEST(log_column_has_no_cell_without_a_value)
{
    CLEARED(marginals_table_clear) marginals_table t;
    marginals_table_make(&t, true, 32);
    const sbl_bins_column *income = &t.cells.columns[INCOME];
    double row[4] = {0};
    uint32_t codes[3] = {0};
    size_t last = 0;
    for (double value = 0; value <= 99999; value++) {
        row[income->index] = sbl_column_to_unit(&t.facts.schema->columns[2], value);
        size_t cell = sbl_bins_find(income, row, codes);
        if (value == 0) assert_int_equal(cell, 0);
        if (value == 1) assert_int_equal(cell, 1);
        assert_true(cell == last || cell == last + 1);
        last = cell;
    }
    assert_int_equal(last, income->intervals - 1);
}

/* The ends stand apart, a bin holds its lower edge and not its upper one. */
TEST(numbers_without_a_grid_are_cut_at_the_edges)
{
    static const struct {
        double unit;
        size_t cell;
    } cases[] = {{-1, 0},  {0, 0},    {1e-300, 1}, {0.249, 1}, {0.25, 2}, {0.499, 2},
                 {0.5, 3}, {0.75, 4}, {0.999, 4},  {1, 5},     {2, 5},    {NAN, 0}};
    CLEARED(marginals_table_clear) marginals_table t;
    marginals_table_make(&t, true, 4);
    const sbl_bins_column *power = &t.cells.columns[POWER];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double row[4] = {0};
        row[power->index] = cases[i].unit;
        assert_int_equal(sbl_bins_find(power, row, NULL), cases[i].cell);
    }
}

TEST(any_record_has_one_cell_per_column)
{
    static const double numbers[] = {0,    0.5,      1,         -3,      7,      NAN,
                                     -0.0, INFINITY, -INFINITY, DBL_MIN, 1e-320, 0.03125};
    static const uint32_t codes_of[] = {0, 1, 2, 3, 4, UINT32_MAX};
    CLEARED(marginals_table_clear) marginals_table t;
    marginals_table_make(&t, true, 32);
    for (size_t r = 0; r < 12 * 6; r++) {
        double numeric[4];
        uint32_t codes[3];
        for (size_t i = 0; i < 4; i++) numeric[i] = numbers[(r + i) % 12];
        for (size_t i = 0; i < 3; i++) codes[i] = codes_of[(r / 12 + i) % 6];
        for (size_t k = 0; k < COLUMNS; k++)
            assert_true(sbl_bins_find(&t.cells.columns[k], numeric, codes) < t.cells.columns[k].count);
    }
}

TEST(values_are_in_the_cells_that_are_counted_by_hand)
{
    CLEARED(marginals_table_clear) marginals_table t;
    marginals_table_make(&t, true, 32);
    const sbl_bins_column *columns = t.cells.columns;
    /* age 3, power at 0.5, visit on the last day; missing income; a ward that does not exist */
    static const double numeric[2][4] = {{3.0 / 9, 0.2, 0.5, 1}, {1, 0, 0, 0}};
    static const uint32_t codes[2][3] = {{1, 1, 9}, {7, 0, 3}};
    const size_t expected[2][COLUMNS] = {{3, columns[INCOME].count - 1, 17, 0, 33}, {9, 0, 0, 3, 0}};
    for (size_t r = 0; r < 2; r++)
        for (size_t k = 0; k < COLUMNS; k++)
            assert_int_equal(sbl_bins_find(&columns[k], numeric[r], codes[r]), expected[r][k]);
}

static void assert_same_cells(const sbl_bins *a, const sbl_bins *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->total, b->total);
    assert_int_equal(a->label, b->label);
    assert_int_equal(a->classes, b->classes);
    assert_int_equal(a->numeric_count, b->numeric_count);
    assert_int_equal(a->categorical_count, b->categorical_count);
    for (size_t k = 0; k < a->count; k++) {
        const sbl_bins_column *x = &a->columns[k], *y = &b->columns[k];
        assert_int_equal(x->index, y->index);
        assert_int_equal(x->indicator, y->indicator);
        assert_int_equal(x->count, y->count);
        if (x->kind != SBL_HEAD_NUMERIC) continue;
        assert_int_equal(x->single, y->single);
        assert_memory_equal(x->edges, y->edges, (x->intervals - 1) * sizeof *x->edges);
        assert_memory_equal(x->low, y->low, x->count * sizeof *x->low);
        assert_memory_equal(x->high, y->high, x->count * sizeof *x->high);
    }
}

TEST(copy_is_the_same_cells)
{
    for (int labelled = 0; labelled < 2; labelled++) {
        CLEARED(marginals_table_clear) marginals_table t;
        CLEARED(sbl_bins_clear) sbl_bins copy;
        sbl_error err = {0};
        marginals_table_make(&t, labelled != 0, 20);
        assert_ok(sbl_bins_copy(&copy, &t.cells, &err));
        assert_same_cells(&copy, &t.cells);
    }
}

TEST(bins_out_of_range_and_a_lone_label_are_refused)
{
    static const char lone[] =
        "{\"fields\":[{\"name\":\"x\",\"type\":\"boolean\",\"constraints\":{\"required\":"
        "true}}],\"semblance\":{\"label\":\"x\",\"task\":\"classification\"}}";
    static const size_t bad[] = {0, SBL_CELLS_MAX_BINS + 1};
    marginals_table t;
    sbl_bins cells;
    sbl_error err = {0};
    marginals_table_make(&t, true, SBL_CELLS_MAX_BINS);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(sbl_bins_init(&cells, t.facts.schema, &t.facts.heads, i < 2 ? bad[i] : 32,
                                       i < 2 ? SBL_CELLS_MAX_BINS : bad[i - 2], &err),
                         SBL_EARG);
        assert_null(cells.columns);
    }
    marginals_table_clear(&t);
    sbl_schema *schema;
    CLEARED(sbl_heads_clear) sbl_heads heads;
    assert_ok(sbl_schema_parse(&schema, lone, strlen(lone), "s", &err));
    assert_ok(sbl_heads_init(&heads, schema, &err));
    assert_int_equal(sbl_bins_init(&cells, schema, &heads, 32, 128, &err), SBL_EARG);
    sbl_schema_free(schema);
}

/* Integers of 128, 129 and 99 values, 90 days, 101 tenths, and a number without a grid. */
static const char grids[] = JSON({"fields":[{"name":"a","type":"integer","constraints":{"minimum":-3,
    "maximum":124,"required":true}},
    {"name":"b","type":"integer","constraints":{"minimum":-3,"maximum":125,"required":true}},
    {"name":"c","type":"integer","constraints":{"minimum":1,"maximum":99},"semblance":{"transform":"log"}},
    {"name":"d","type":"date","constraints":{"minimum":"2021-01-01","maximum":"2021-03-31","required":true}},
    {"name":"e","type":"number","constraints":{"minimum":0,"maximum":10,"required":true},
    "semblance":{"decimals":1}},
    {"name":"f","type":"number","constraints":{"minimum":0,"maximum":1e300,"required":true}}]});

/* Every value of a grid: how many values each cell holds, and that a lone one is given back. */
static void check_cells(const sbl_bins_column *cells, const sbl_column *column, bool single)
{
    size_t held[SBL_CELLS_MAX_BINS] = {0};
    for (double whole = column->grid_minimum; whole <= column->grid_maximum; whole++) {
        double row[6] = {0};
        row[cells->index] = sbl_column_to_unit(column, whole / column->scale);
        size_t cell = sbl_bins_find(cells, row, (const uint32_t[]){0});
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

TEST(short_grid_has_one_cell_per_value_unless_bins_are_given)
{
    static const size_t usual[] = {128, 34, 100, 90, 101, 34}, given[] = {22, 22, 0, 22, 22, 22};
    for (size_t bins = 0; bins <= 20; bins += 20) {
        CLEARED(marginals_table_clear) marginals_table t;
        marginals_table_of(&t, grids, bins);
        for (size_t k = 0; k < 6; k++) {
            const sbl_bins_column *cells = &t.cells.columns[k];
            size_t wanted = (bins ? given : usual)[k];
            if (wanted) assert_int_equal(cells->count, wanted);
            if (k < 5) check_cells(cells, &t.facts.schema->columns[k], bins == 0 && k != 1);
        }
    }
}

TEST(constant_and_narrow_columns_have_few_cells)
{
    CLEARED(marginals_table_clear) marginals_table t;
    marginals_table_of(
        &t,
        "{\"fields\":[{\"name\":\"c\",\"type\":\"number\",\"constraints\":{\"minimum\":5,"
        "\"maximum\":5,\"required\":true}},{\"name\":\"d\",\"type\":\"number\",\"constraints\":{"
        "\"minimum\":0.05,\"maximum\":0.35,\"required\":true},\"semblance\":{\"decimals\":1}}]}",
        0);
    assert_int_equal(t.cells.columns[0].count, 1);
    assert_int_equal(t.cells.columns[1].count, 3); /* .1 .2 .3 */
    for (size_t j = 0; j < 3; j++)
        assert_true(sbl_column_from_unit(&t.facts.schema->columns[1], t.cells.columns[1].low[j]) ==
                    (double)(j + 1) / 10);
}

TEST(lack_of_memory_is_reported)
{
    marginals_table t;
    sbl_bins cells;
    sbl_error err = {0};
    marginals_table_make(&t, true, 32);
    for (int how = 0; how < 2; how++) {
        for (long n = 1;; n++) {
            cells = (sbl_bins){0};
            sbl_test_fail_alloc(n);
            const sbl_status status =
                how == 0 ? sbl_bins_init(&cells, t.facts.schema, &t.facts.heads, 32, 128, &err)
                         : sbl_bins_copy(&cells, &t.cells, &err);
            if (!sbl_test_alloc_failed()) break;
            assert_int_equal(status, SBL_EMEM);
            assert_null(cells.columns);
        }
        sbl_test_fail_alloc(0);
        sbl_bins_clear(&cells);
    }
    marginals_table_clear(&t);
}

/* Past 2^52 the middle of two neighbours rounds to one of them: halving must end all the same. */
TEST(whole_numbers_of_sixteen_digits_are_cut)
{
    CLEARED(marginals_table_clear) marginals_table t;
    marginals_table_of(&t,
                       "{\"fields\":[{\"name\":\"card\",\"type\":\"integer\",\"constraints\":{\"minimum\":"
                       "2800000000000000,\"maximum\":5000000000000000,\"required\":true}},{\"name\":\"id\","
                       "\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9007199254740990,"
                       "\"required\":true}}]}",
                       32);
    for (size_t k = 0; k < 2; k++) {
        const sbl_bins_column *column = &t.cells.columns[k];
        assert_int_equal(column->count, 34); /* 32 bins, both ends apart */
        for (size_t j = 1; j < column->count; j++)
            assert_true(column->low[j] >= column->high[j - 1] && column->low[j] < 1.0 + 1e-9);
    }
}
