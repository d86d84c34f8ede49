/* SPDX-License-Identifier: Apache-2.0 */
/* Dates that are encoded relative to other dates of the same person: which columns, their codes, and that what a person adds
 * follows from its own rows alone. */
#include "support/cmocka_all.h"

#include <math.h>
#include <string.h>

#include "after/histories/history_selection.h"
#include "base/alloc.h"
#include "records/accumulate/sum.h"
#include "records/features/features.h"
#include "records/features/history_counts.h"

FREES(sbl_feature_workspaces_free);

#define WHEN(name, type, low, high)                                                          \
    "{\"name\": \"" name "\", \"type\": \"" type "\", \"constraints\": {\"minimum\": \"" low \
    "\", \"maximum\": \"" high "\", \"required\": true}}"
#define KEY(name) "{\"name\": \"" name "\", \"type\": \"integer\"}"
#define LINK(field, table)                                                                 \
    "\"foreignKeys\": [{\"fields\": \"" field "\", \"reference\": {\"resource\": \"" table \
    "\", \"fields\": \"id\"}}]"

/* %s: constraints of the stays, and the order of the labs. */
static const char package[] =
    "{\"resources\": ["
    "{\"name\": \"patients\", \"schema\": {\"primaryKey\": \"id\", \"fields\": [" KEY("id") ", "
    WHEN("born", "date", "1920-01-01", "2023-12-31") "]}},"
    "{\"name\": \"stays\", \"schema\": {\"primaryKey\": \"id\", \"fields\": [" KEY("id") ", " KEY("patient") ", "
    WHEN("arrived", "datetime", "2019-01-01T00:00:00", "2023-12-31T23:59:59") ", "
    WHEN("left", "datetime", "2019-01-01T00:00:00", "2024-03-31T23:59:59") "], " LINK("patient", "patients")
    ", \"semblance\": {\"max_rows_per_unit\": 4, \"order\": \"arrived\", \"constraints\": [%s]}}},"
    "{\"name\": \"labs\", \"schema\": {\"fields\": [" KEY("stay") ", "
    WHEN("time", "datetime", "2019-01-01T00:00:00", "2024-03-31T23:59:59") "], " LINK("stay", "stays")
    ", \"semblance\": {\"max_rows_per_unit\": 8%s}}},"
    "{\"name\": \"bills\", \"schema\": {\"fields\": [" KEY("stay") ", "
    WHEN("day", "date", "2019-01-01", "2024-06-30") "], " LINK("stay", "stays")
    ", \"semblance\": {\"max_rows_per_unit\": 4}}}]}";

enum { BORN, ARRIVED, LEFT, TIME, DAY, NUMBERS }; /* columns of cells, and of the numbers */
enum { TABLES = 4, LABS = 1 };

typedef struct world {
    sbl_facts facts;
    sbl_history_tree tree;
} world;

static void begin(world *w, const char *constraints, const char *order)
{
    char text[4096];
    sbl_schema *schema;
    sbl_error err = {0};
    (void)snprintf(text, sizeof text, package, constraints, order);
    assert_ok_or_say(sbl_schema_parse(&schema, text, strlen(text), "test", &err));
    assert_ok_or_say(sbl_facts_of_table(&w->facts, schema, &err));
    assert_ok(sbl_history_tree_init(&w->tree, w->facts.schema, &w->facts.heads, 24, 128, 8, true, NULL));
}

static void end(world *w)
{
    sbl_history_tree_clear(&w->tree);
    sbl_facts_clear(&w->facts);
}

static double unit_of(const world *w, size_t cell, double value)
{
    return sbl_column_to_unit(&w->tree.cells.columns[cell].domain, value);
}

static double value_of(const world *w, size_t cell, double unit)
{
    const sbl_column *domain = &w->tree.cells.columns[cell].domain;
    return sbl_column_snap(domain, sbl_column_from_unit(domain, unit));
}

#define DAY_2021 18628.0 /* 2021-01-01 */
#define DAY_LENGTH 86400.0

TEST(dates_follow_the_dates_of_their_parents_where_the_windows_are_alike)
{
    CLEARED(end) world w;
    begin(&w, "", ", \"order\": \"time\"");
    assert_int_equal(w.tree.cells.count, NUMBERS);
    const sbl_lag *lags = w.tree.lags;
    assert_int_equal(lags[BORN].codes, 0);
    assert_int_equal(lags[ARRIVED].codes, 0); /* a century of births says little of five years of stays */
    assert_true(lags[LEFT].codes > 0 && lags[LEFT].own_row && lags[LEFT].begin.cell == ARRIVED);
    assert_true(lags[TIME].codes > 0 && !lags[TIME].own_row && lags[TIME].begin.cell == ARRIVED);
    assert_int_equal(lags[TIME].end.cell, LEFT);
    assert_true(lags[DAY].codes > 0 && lags[DAY].end.cell == LEFT);
    assert_true(lags[LEFT].codes < 128);
    /* What orders the labs is a column of theirs like any other. */
    const sbl_history_shape *labs = &w.tree.links[LABS];
    assert_int_equal(labs->span, 0);
    assert_int_equal(labs->order, SBL_HISTORY_NONE);
    assert_int_equal(w.tree.cell_column[labs->number[labs->sorted]], TIME);
    assert_true(w.tree.links[0].span > 0);
}

TEST(a_frame_ends_where_a_fitted_difference_says)
{
    CLEARED(end) world w;
    begin(&w, "\"arrived <= left\"", "");
    const sbl_lag *lag = &w.tree.lags[TIME];
    assert_int_equal(w.tree.lags[LEFT].codes, 0); /* it is fitted as a difference already */
    assert_int_equal(lag->begin.cell, ARRIVED);
    assert_int_equal(lag->end.cell, LEFT);
    assert_int_equal(lag->end.base, ARRIVED);
    double stay[NUMBERS] = {0}, lab[NUMBERS] = {0};
    stay[ARRIVED] = unit_of(&w, ARRIVED, DAY_2021 * DAY_LENGTH);
    stay[LEFT] = unit_of(&w, LEFT, 2 * DAY_LENGTH);
    for (uint32_t code = lag->far; code < lag->far + lag->inside; code++) {
        lab[TIME] = sbl_lag_place(lag, &w.tree.cells, lab, stay, code, 0.5);
        const double since = value_of(&w, TIME, lab[TIME]) - DAY_2021 * DAY_LENGTH;
        assert_true(since >= 0.0 && since <= 2 * DAY_LENGTH);
        assert_int_equal(sbl_lag_code(lag, &w.tree.cells, lab, NULL, stay), code);
    }
}

/* A constraint says which of the parent's dates counts. */
TEST(a_constraint_chooses_the_frame)
{
    CLEARED(end) world w;
    begin(&w, "", ", \"constraints\": [\"time >= stays.left\"]");
    assert_int_equal(w.tree.lags[TIME].begin.cell, LEFT);
    assert_int_equal(w.tree.lags[TIME].end.cell, ARRIVED);
    assert_int_equal(w.tree.lags[DAY].begin.cell, ARRIVED);
}

/* Every code gives dates that have it, in the order of the codes, wherever the frame is in the window. */
TEST(a_date_of_a_code_has_that_code_and_is_within_its_bounds)
{
    static const double arrivals[] = {17897.0, 17930.5, 18628.25,
                                      19722.9}; /* first and last days among them */
    static const double stays[] = {0.0, 0.3, 12.7, 60.0};
    CLEARED(end) world w;
    begin(&w, "", "");
    for (size_t i = 0; i < 16; i++)
        for (size_t cell = TIME; cell <= DAY; cell++) {
            const sbl_lag *lag = &w.tree.lags[cell];
            double stay[NUMBERS] = {0}, row[NUMBERS] = {0}, before = -1.0;
            size_t exact = 0;
            stay[ARRIVED] = unit_of(&w, ARRIVED, floor(arrivals[i / 4] * DAY_LENGTH));
            stay[LEFT] = unit_of(&w, LEFT, floor((arrivals[i / 4] + stays[i % 4]) * DAY_LENGTH));
            for (uint32_t code = 0; code < lag->codes; code++) {
                row[cell] = sbl_lag_place(lag, &w.tree.cells, row, stay, code, 0.99);
                assert_true(row[cell] >= 0.0 && row[cell] <= 1.0);
                if (sbl_lag_code(lag, &w.tree.cells, row, NULL, stay) != code)
                    continue; /* beyond the window */
                assert_true(row[cell] > before);
                before = row[cell];
                exact++;
            }
            assert_true(exact > 16);
        }
}

/* ---- sums ---- */

/* Persons of one stay with two labs and a bill: when they arrived, how long they stayed, in days. */
typedef struct person {
    double arrived, stay, labs[2], bill;
} person;

enum { ROWS = 5 };

static void encode(const world *w, double *rows, const person *p)
{
    memset(rows, 0, ROWS * NUMBERS * sizeof *rows);
    rows[BORN] = 0.5;
    rows[NUMBERS + ARRIVED] = unit_of(w, ARRIVED, p->arrived * DAY_LENGTH);
    rows[NUMBERS + LEFT] = unit_of(w, LEFT, (p->arrived + p->stay) * DAY_LENGTH);
    for (size_t i = 0; i < 2; i++)
        rows[(2 + i) * NUMBERS + TIME] = unit_of(w, TIME, (p->arrived + p->labs[i]) * DAY_LENGTH);
    rows[4 * NUMBERS + DAY] = unit_of(w, DAY, floor(p->arrived + p->bill));
}

/* The sum of the one-way tables over some persons, of one block after the other; a new copy. */
static int64_t *sum_of(const world *w, const person *persons, size_t count, size_t *size)
{
    const sbl_history_setting setting = {.persons = 3, .mu = 1e5, .sensitivity2 = 1.0};
    const sbl_unit_tag units[] = {{1, 2}, {2, 3}, {3, 4}};
    const uint32_t unit_rows[3] = {0}, parents[3 * ROWS] = {0}, codes[1] = {0};
    const uint8_t misfits[3 * 16] = {0};
    uint32_t starts[3 * TABLES + 1];
    double numeric[3 * ROWS * NUMBERS];
    CLEARED(sbl_plan_clear) sbl_plan plan;
    CLEARED(sbl_features_clear) sbl_features features;
    FREED(sbl_feature_workspaces_free) sbl_feature_workspaces *workspaces; /* freed before them */
    sbl_history_selection *selection;
    sbl_sum *sum;
    for (size_t p = 0; p < count; p++) {
        encode(w, numeric + p * ROWS * NUMBERS, &persons[p]);
        memcpy(starts + p * TABLES,
               (const uint32_t[]){(uint32_t)p * ROWS, (uint32_t)p * ROWS + 1, (uint32_t)p * ROWS + 2,
                                  (uint32_t)p * ROWS + 4},
               TABLES * sizeof *starts);
    }
    starts[count * TABLES] = (uint32_t)count * ROWS;
    const sbl_records records = {
        .units = units,
        .unit_rows = unit_rows,
        .misfits = misfits,
        .events = {.numeric = numeric, .codes = codes, .starts = starts, .parents = parents},
        .rows = count};
    assert_ok(sbl_history_selection_new(&selection, &w->tree, &setting, NULL));
    assert_ok(sbl_plan_init(&plan, "test", NULL));
    assert_ok(sbl_plan_add(&plan, "histories",
                           sbl_histories_parameters(sbl_history_selection_plan(selection), &w->tree,
                                                    sbl_history_selection_codes(selection)),
                           1.0, NULL));
    assert_ok(sbl_plan_finish(&plan, &w->facts, NULL));
    assert_ok(sbl_features_make(&features, &plan, &w->facts, NULL, NULL));
    assert_ok(sbl_sum_new(&sum, &features.layout, NULL));
    assert_ok(sbl_feature_workspaces_new(&workspaces, &features, NULL));
    assert_ok(sbl_features_add(sum, workspaces, &records, NULL));
    *size = 0;
    for (size_t b = 0; b < features.layout.block_count; b++) *size += features.layout.blocks[b].width;
    int64_t *copy = sbl_alloc_array(*size, sizeof *copy);
    for (size_t b = 0, at = 0; b < features.layout.block_count; at += features.layout.blocks[b++].width)
        memcpy(copy + at, sbl_sum_values(sum, b), features.layout.blocks[b].width * sizeof *copy);
    sbl_sum_free(sum);
    sbl_history_selection_free(selection);
    return copy;
}

/* A sum of two persons less that of the first is the second's own, whatever the first one is: also if its stay is
 * elsewhere, which moves the frame that its own rows are encoded in. */
TEST(one_person_s_dates_do_not_move_another_s_codes)
{
    static const person second = {18700.5, 4.0, {0.5, 3.25}, 20.0};
    static const person firsts[] = {{18628.0, 2.0, {0.1, 1.9}, 9.0},
                                    {19700.0, 40.0, {-30.0, 39.0}, 100.0},
                                    {17900.0, 0.0, {0.0, 500.0}, 0.0}};
    CLEARED(end) world w;
    size_t size;
    begin(&w, "", ", \"order\": \"time\"");
    int64_t *own = sum_of(&w, &second, 1, &size);
    int64_t *before = NULL;
    for (size_t i = 0; i < 3; i++) {
        const person both[] = {firsts[i], second}, turned[] = {second, firsts[i]};
        int64_t *first = sum_of(&w, &firsts[i], 1, &size);
        int64_t *sum = sum_of(&w, both, 2, &size), *other = sum_of(&w, turned, 2, &size);
        for (size_t j = 0; j < size; j++) assert_int_equal(sum[j] - first[j], own[j]);
        assert_memory_equal(sum, other, size * sizeof *sum);
        /* The codes do say where the labs are. */
        if (before != NULL) assert_memory_not_equal(first, before, size * sizeof *first);
        sbl_free(before);
        before = first;
        sbl_free(sum);
        sbl_free(other);
    }
    sbl_free(before);
    sbl_free(own);
}

/* The code knows the distance, and not the date: a person who came a year later adds the same labs. */
TEST(labs_are_counted_from_their_stay)
{
    CLEARED(end) world w;
    begin(&w, "", "");
    const sbl_lag *lag = &w.tree.lags[TIME];
    for (double lab = -2.0; lab < 6.0; lab += 0.125) {
        double rows[2][ROWS * NUMBERS];
        encode(&w, rows[0], &(person){18628.0, 4.0, {lab, lab}, 0.0});
        encode(&w, rows[1], &(person){18993.0, 4.0, {lab, lab}, 0.0});
        const uint32_t code =
            sbl_lag_code(lag, &w.tree.cells, rows[0] + 2 * NUMBERS, NULL, rows[0] + NUMBERS);
        assert_int_equal(sbl_lag_code(lag, &w.tree.cells, rows[1] + 2 * NUMBERS, NULL, rows[1] + NUMBERS),
                         code);
        assert_int_equal(code >= lag->far && code < lag->far + lag->inside, lab >= 0.0 && lab <= 4.0);
    }
}
