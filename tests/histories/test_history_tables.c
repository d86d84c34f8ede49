/* SPDX-License-Identifier: Apache-2.0 */
/* Which tables the second release measures: none that is all noise, and a number with its category always. */
#include "support/cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "after/histories/history_selection.h"
#include "public/schema/schema_type.h"

ALL_TESTS(NULL, NULL)

enum { DRUG = 1, TEST_NAME = 2, VALUE = 3 }; /* bases; 0 is the number of events */

#define PERSONS 3000.0
#define DRUGS 200
#define MU 0.4

/* Drugs have many categories, each of them above the noise: tables of two such columns are hopeless. */
static void write_schema(char *text, size_t size)
{
    size_t at = 0;
    at += (size_t)snprintf(text, size,
                           "{\"fields\":[{\"name\":\"id\"},{\"name\":\"drug\",\"type\":\"string\","
                           "\"constraints\":{\"required\":true,\"enum\":[");
    for (int i = 0; i < DRUGS; i++)
        at += (size_t)snprintf(text + at, size - at, "%s\"d%d\"", i > 0 ? "," : "", i);
    (void)snprintf(
        text + at, size - at,
        "]}},{\"name\":\"test\",\"type\":\"string\",\"constraints\":{\"required\":true,\"enum\":[\"K\","
        "\"Na\"]}},"
        "{\"name\":\"value\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":200,\"required\":"
        "true},"
        "\"semblance\":{\"decimals\":1,\"by\":\"test\",\"bounds\":{\"K\":{\"minimum\":2,\"maximum\":8},"
        "\"Na\":{\"minimum\":110,\"maximum\":170}}}}],\"semblance\":{\"unit\":\"id\",\"max_rows_per_unit\":4}"
        "}");
}

typedef struct world {
    sbl_schema *schema;
    sbl_heads heads;
    sbl_history_tree tree;
    sbl_history_selection *selection;
} world;

/* The first release, with even counts. */
static void take_first(world *w)
{
    const sbl_pairs_plan *plan = sbl_history_selection_plan(w->selection);
    const size_t tables = plan->table_count;
    double **values = test_calloc(tables, sizeof *values), *noise = test_calloc(tables, sizeof *noise);
    for (size_t t = 0; t < tables; t++) {
        const size_t entries = sbl_pairs_table_entries(plan, t);
        values[t] = test_calloc(entries, sizeof **values);
        noise[t] = 1.0;
        for (size_t i = 0; i < entries; i++) values[t][i] = PERSONS / (double)entries;
    }
    assert_ok(sbl_history_selection_take(w->selection, plan, sbl_history_selection_codes(w->selection),
                                         (const double *const *)values, noise, NULL));
    for (size_t t = 0; t < tables; t++) test_free(values[t]);
    test_free(values);
    test_free(noise);
}

static void begin(world *w)
{
    static char text[16384];
    const sbl_history_setting setting = {.persons = PERSONS, .mu = MU, .sensitivity2 = 1.0, .seed = 3};
    *w = (world){0};
    write_schema(text, sizeof text);
    assert_ok(sbl_schema_parse(&w->schema, text, strlen(text), "test", NULL));
    assert_ok(sbl_heads_init(&w->heads, w->schema, NULL));
    assert_ok(sbl_history_tree_init(&w->tree, w->schema, &w->heads, 24, 128, 8, true, NULL));
    assert_ok(sbl_history_selection_new(&w->selection, &w->tree, &setting, NULL));
    take_first(w);
}

static void end(world *w)
{
    sbl_history_selection_free(w->selection);
    sbl_history_tree_clear(&w->tree);
    sbl_heads_clear(&w->heads);
    sbl_schema_free(w->schema);
}

/* The precision of a table of two sides; 0: it is not measured. */
static double precision_of(const sbl_pairs_plan *plan, uint32_t low, uint32_t high)
{
    for (size_t t = 0; t < plan->table_count; t++) {
        const sbl_pairs_table *table = &plan->tables[t];
        if (plan->maps[table->first].column == low && plan->maps[table->second].column == high)
            return table->precision;
    }
    return 0.0;
}

/* 40,000 entries for 3,000 persons: no precision would do. It must not be taken from the others. */
TEST(a_table_that_would_be_all_noise_is_not_measured)
{
    CLEARED(end) world w;
    begin(&w);
    const sbl_pairs_plan *plan = sbl_history_selection_plan(w.selection);
    const sbl_history_shape *link = &w.tree.links[0];
    double sum = 0.0;
    assert_int_equal(sbl_history_selection_codes(w.selection)[DRUG].cells, DRUGS);
    assert_true(precision_of(plan, DRUG, link->number[link->previous]) == 0.0);
    assert_true(precision_of(plan, DRUG, link->number[link->memory]) == 0.0);
    assert_true(precision_of(plan, 0, TEST_NAME) > 0.0);
    for (size_t t = 0; t < plan->table_count; t++) sum += plan->tables[t].precision;
    assert_true(fabs(sum - sbl_history_shares[1]) < 1e-9);
}

/* The schema says that they belong together: a fifth of what all others have, however many those are. */
TEST(a_number_and_the_category_of_its_bounds_are_always_measured)
{
    CLEARED(end) world w;
    begin(&w);
    const sbl_pairs_plan *plan = sbl_history_selection_plan(w.selection);
    assert_int_equal(w.tree.by[VALUE], TEST_NAME);
    assert_true(w.tree.by[TEST_NAME] == SBL_HISTORY_NONE);
    assert_true(fabs(precision_of(plan, TEST_NAME, VALUE) - sbl_history_shares[1] * 0.2 / 1.2) < 1e-9);
}

static const sbl_pairs_table *table_of(const sbl_pairs_plan *plan, uint32_t low, uint32_t high)
{
    for (size_t t = 0; t < plan->table_count; t++)
        if (plan->maps[plan->tables[t].first].column == low &&
            plan->maps[plan->tables[t].second].column == high)
            return &plan->tables[t];
    fail_msg("no table of sides %u and %u", (unsigned)low, (unsigned)high);
    return NULL;
}

/* Values have some 40 codes: a table of values and of those before has too many entries for 3,000 persons. Neighbours are counted
 * together there, and only there: the table of values with tests has every code. */
TEST(a_table_of_numbers_that_would_be_noisy_is_measured_over_groups_of_neighbours)
{
    CLEARED(end) world w;
    begin(&w);
    const sbl_pairs_plan *plan = sbl_history_selection_plan(w.selection);
    const sbl_history_shape *link = &w.tree.links[0];
    const uint32_t codes = sbl_history_selection_codes(w.selection)[VALUE].cells;
    const uint32_t before = link->number[link->previous + VALUE - 1];
    const sbl_pairs_table *steps = table_of(plan, VALUE, before);
    const sbl_pairs_map *first = &plan->maps[steps->first], *second = &plan->maps[steps->second];
    assert_true(first->cells < codes && first->cells >= 2);
    assert_true(second->cells < codes && second->cells >= 2);
    for (uint32_t c = 1; c < codes; c++)
        assert_true(first->of[c] >= first->of[c - 1] && first->of[c] <= first->of[c - 1] + 1);
    assert_int_equal(plan->maps[table_of(plan, TEST_NAME, VALUE)->second].cells, codes);
}

/* A test and the one before count the steps alone, a test and a number of events all events: with as many entries a table of
 * fewer records has more precision. By (entries / records)^(2/3). */
TEST(a_table_of_fewer_records_has_more_precision)
{
    CLEARED(end) world w;
    begin(&w);
    const sbl_pairs_plan *plan = sbl_history_selection_plan(w.selection);
    const sbl_history_shape *link = &w.tree.links[0];
    double shares[2] = {0}, entries[2];
    for (size_t m = 1; m <= 4; m++) { /* as many persons have 1, 2, 3 and 4 events */
        shares[0] += sbl_history_share(m) / 4;
        shares[1] += sbl_history_share(m - 1) / 4;
    }
    const uint32_t sides[2] = {(uint32_t)link->number[link->position],
                               link->number[link->previous + TEST_NAME - 1]};
    double precision[2];
    for (size_t i = 0; i < 2; i++) {
        const sbl_pairs_table *table = table_of(plan, TEST_NAME, sides[i]);
        entries[i] = (double)plan->maps[table->first].cells * plan->maps[table->second].cells;
        precision[i] = table->precision;
    }
    const double ratio = pow(entries[1] / shares[1] / (entries[0] / shares[0]), 2.0 / 3.0);
    assert_true(fabs(precision[1] / precision[0] / ratio - 1.0) < 0.02);
}
