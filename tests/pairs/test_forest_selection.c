/* SPDX-License-Identifier: Apache-2.0 */
/* The course of `forest` on made-up tables, with noise from a public seed: what is spent whatever the probe
 * says, what it says, what the rows then know, and the same again for any number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "after/forest/forest.h"
#include "after/forest/forest_internal.h"
#include "after/pairs/pairs_sampler.h"
#include "base/compute/threads.h"
#include "base/random/model_rng.h"
#include "support/cmocka_all.h"
#include "support/near.h"

#define COLUMNS 6
#define MOST_COLUMNS 22
#define ROWS 800
#define CELLS 16

/* Column 5 is the label: whether an odd number of the first three is in its upper half; or a coin. */
typedef struct made_table {
    sbl_pairs_column columns[MOST_COLUMNS];
    uint32_t cells[ROWS][MOST_COLUMNS];
    size_t count;
    uint64_t releases;
    size_t label;
    size_t targets[2]; /* that are named */
    size_t target_count;
} made_table;

static void make_table(made_table *table, bool parity)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 8, SBL_RNG_OTHER, 0);
    *table = (made_table){.count = COLUMNS, .label = COLUMNS - 1};
    for (size_t j = 0; j < COLUMNS; j++)
        table->columns[j] = (sbl_pairs_column){SBL_PAIRS_NUMBER, CELLS, CELLS, false, 0, NULL};
    table->columns[4] = (sbl_pairs_column){SBL_PAIRS_CATEGORIES, CELLS, 0, false, 0, NULL};
    table->columns[COLUMNS - 1] = (sbl_pairs_column){SBL_PAIRS_CATEGORIES, 2, 0, false, 0, NULL};
    for (size_t r = 0; r < ROWS; r++) {
        uint32_t *row = table->cells[r], odd = 0;
        for (size_t j = 0; j + 1 < COLUMNS; j++) row[j] = (uint32_t)sbl_model_rng_below(&rng, CELLS);
        for (size_t j = 0; j < 3; j++) odd ^= row[j] >= CELLS / 2;
        row[COLUMNS - 1] = parity ? odd : (uint32_t)sbl_model_rng_below(&rng, 2);
    }
}

static sbl_pairs_setting setting_of(const made_table *table, double mu, sbl_forest_use use)
{
    sbl_pairs_setting setting = {
        table->columns, .count = table->count, .label = table->label, .rows = ROWS,
        .mu = mu,       .sensitivity2 = 1,     .forest = use,         .target_count = table->target_count,
        .seed = 4};
    memcpy(setting.targets, table->targets, sizeof table->targets);
    return setting;
}

static double noise_of(sbl_model_rng *rng, double deviation) { return deviation * sbl_model_rng_normal(rng); }

static void count_table(const made_table *table, const sbl_pairs_plan *plan, size_t t, double *values)
{
    const sbl_pairs_map *first = &plan->maps[plan->tables[t].first];
    const bool two = plan->tables[t].second != SBL_PAIRS_NO_MAP;
    const sbl_pairs_map *second = two ? &plan->maps[plan->tables[t].second] : NULL;
    for (size_t r = 0; r < ROWS; r++) {
        const size_t a = first->of[table->cells[r][first->column]];
        values[two ? a * second->cells + second->of[table->cells[r][second->column]] : a] += 1;
    }
}

/* The entry of a record in each tree's table: one. */
static void count_leaves(const made_table *table, const sbl_trees *trees, const sbl_pairs_plan *codes,
                         double *values)
{
    for (size_t r = 0; r < ROWS; r++) {
        uint32_t own[MOST_COLUMNS];
        for (size_t j = 0; j < table->count; j++) own[j] = codes->maps[j].of[table->cells[r][j]];
        for (size_t t = 0; t < trees->tree_count; t++)
            values[sbl_tree_entry(trees, t, sbl_tree_leaf_of_record(trees, t, own),
                                  own[trees->targets[trees->trees[t].target].column])] += 1;
    }
}

/* The next release. Returns the share of mu^2 that it spends. */
static double release(made_table *table, sbl_forest_selection *selection, sbl_forest_plan *plan,
                      const sbl_pairs_setting *setting)
{
    sbl_pairs_plan codes;
    sbl_error err = {0};
    sbl_model_rng rng;
    sbl_forest_release out = {plan->tables, .trees = plan->trees, .codes = &codes, .expected = plan->expected,
                              .expected_rows = plan->expected_rows};
    const size_t count = plan->tables != NULL ? plan->tables->table_count : 0;
    double **values = malloc((count + 1) * sizeof *values), *noise = malloc((count + 1) * sizeof *noise);
    double *leaves = NULL, spent = 0;
    assert_ok(sbl_forest_selection_codes(selection, &codes, &err));
    sbl_model_rng_init(&rng, 12, SBL_RNG_OTHER, table->releases++);
    for (size_t t = 0; t < count; t++) {
        const size_t entries = sbl_pairs_table_entries(plan->tables, t);
        noise[t] = sbl_pairs_unit_noise(setting) / sqrt(plan->tables->tables[t].precision);
        values[t] = malloc(entries * sizeof **values);
        for (size_t i = 0; i < entries; i++) values[t][i] = noise_of(&rng, noise[t]);
        count_table(table, plan->tables, t, values[t]);
        spent += plan->tables->tables[t].precision;
    }
    if (plan->trees != NULL) {
        out.leaf_noise =
            sbl_pairs_unit_noise(setting) * sqrt((double)plan->trees->tree_count / plan->trees_share);
        leaves = malloc(plan->trees->entry_count * sizeof *leaves);
        for (size_t i = 0; i < plan->trees->entry_count; i++) leaves[i] = noise_of(&rng, out.leaf_noise);
        count_leaves(table, plan->trees, &codes, leaves);
        spent += plan->trees_share;
    }
    out.values = (const double *const *)values;
    out.noise = noise;
    out.leaf_values = leaves;
    assert_ok_or_say(sbl_forest_selection_take(selection, &out, &err));
    for (size_t t = 0; t < count; t++) free(values[t]);
    free(values);
    free(noise);
    free(leaves);
    sbl_pairs_plan_clear(&codes);
    return spent;
}

typedef struct outcome {
    size_t rounds;
    double spent;
    double gain, loss; /* of the label by forests, and of pairs */
    sbl_forest_answer answer;
    size_t asked;                      /* columns that the probe asked about */
    size_t chosen[SBL_FOREST_TARGETS]; /* that got forests */
    size_t chosen_count;
    sbl_pairs_model model;
} outcome;

static void run(outcome *o, made_table *table, double mu, sbl_forest_use use)
{
    const sbl_pairs_setting setting = setting_of(table, mu, use);
    sbl_forest_selection *selection;
    sbl_forest_plan plan;
    sbl_error err = {0};
    double shares[SBL_FOREST_MOST_ROUNDS];
    *o = (outcome){0};
    assert_ok(sbl_forest_selection_new(&selection, &setting, 0, &err));
    size_t most = sbl_forest_shares(shares, &setting);
    for (;; o->rounds++) {
        assert_ok(sbl_forest_selection_plan(selection, &plan, &err));
        if (plan.tables == NULL && plan.trees == NULL) break;
        if (plan.answer != SBL_FOREST_NOT_ASKED) {
            o->answer = plan.answer;
            o->asked = plan.found_count;
            o->loss = plan.loss;
            for (size_t i = 0; i < plan.found_count; i++)
                o->gain = fmax(o->gain, sbl_forest_gain(selection, &plan.found[i]));
            o->chosen_count = plan.chosen_count;
            memcpy(o->chosen, plan.chosen, sizeof o->chosen);
        }
        if (plan.rest_count > 0) { /* what was left is what is divided */
            double left = 0, rest = 0;
            for (size_t r = o->rounds; r < most; r++) left += shares[r];
            for (size_t r = 0; r < plan.rest_count; r++) rest += plan.rest[r];
            assert_near(left, rest, 1e-12);
            memcpy(shares + o->rounds, plan.rest, plan.rest_count * sizeof *shares);
            most = o->rounds + plan.rest_count;
        }
        const double spent = release(table, selection, &plan, &setting);
        assert_near(spent, shares[o->rounds], 1e-9);
        o->spent += spent;
    }
    assert_int_equal(o->rounds, most);
    assert_ok(sbl_forest_selection_fit(selection, &o->model, &err));
    sbl_forest_selection_free(selection);
}

/* How often the label of the model's rows is the parity of the first three columns, as far as codes know. */
static double parity_of(const sbl_pairs_model *model)
{
    sbl_pairs_sampler *sampler;
    const sbl_pairs_request request = {.rows = ROWS, .seed = 2};
    uint32_t *cells = malloc(ROWS * COLUMNS * sizeof *cells);
    size_t right = 0;
    assert_ok(sbl_pairs_sampler_new(&sampler, model, &request, NULL));
    assert_ok(sbl_pairs_sampler_draw(sampler, cells, 0, ROWS, NULL));
    for (size_t r = 0; r < ROWS; r++) {
        const uint32_t *row = cells + r * COLUMNS;
        uint32_t odd = 0;
        for (size_t j = 0; j < 3; j++) odd ^= row[j] >= CELLS / 2;
        right += odd == row[COLUMNS - 1];
    }
    sbl_pairs_sampler_free(sampler);
    free(cells);
    return (double)right / ROWS;
}

TEST(a_parity_is_found_and_learned)
{
    FREED(free) made_table *table = malloc(sizeof *table);
    outcome o, pairs;
    make_table(table, true);
    run(&o, table, 3, SBL_FOREST_PROBED);
    assert_int_equal(o.answer, SBL_FOREST_YES);
    assert_int_equal(o.rounds, 6);
    assert_near(o.spent, 1, 1e-9);
    assert_true(o.model.potts.trees.tree_count == 72);
    assert_true(parity_of(&o.model) > 0.8);
    table->releases = 0;
    run(&pairs, table, 3, SBL_FOREST_NEVER);
    assert_int_equal(pairs.rounds, 3);
    assert_true(parity_of(&pairs.model) < 0.55);
    sbl_pairs_model_clear(&o.model);
    sbl_pairs_model_clear(&pairs.model);
}

TEST(where_there_is_nothing_the_probe_says_no_and_the_same_is_spent)
{
    FREED(free) made_table *table = malloc(sizeof *table);
    outcome o;
    make_table(table, false);
    run(&o, table, 3, SBL_FOREST_PROBED);
    assert_int_equal(o.answer, SBL_FOREST_NO);
    assert_int_equal(o.rounds, 4);
    assert_near(o.spent, 1, 1e-9);
    assert_int_equal(o.model.potts.trees.tree_count, 0);
    sbl_pairs_model_clear(&o.model);
}

/* Sixteen more columns, each two of which are the same in `same` of 16 rows; the label is the parity in seven of eight. */
static void widen_table(made_table *table, uint64_t same)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 9, SBL_RNG_OTHER, 0);
    table->count = MOST_COLUMNS;
    for (size_t j = COLUMNS; j < MOST_COLUMNS; j++)
        table->columns[j] = (sbl_pairs_column){SBL_PAIRS_CATEGORIES, CELLS, 0, false, 0, NULL};
    for (size_t r = 0; r < ROWS; r++) {
        uint32_t *row = table->cells[r];
        if (sbl_model_rng_below(&rng, 8) == 0) row[COLUMNS - 1] ^= 1;
        for (size_t j = COLUMNS; j < MOST_COLUMNS; j++) {
            const bool copies = j % 2 == 1 && sbl_model_rng_below(&rng, 16) < same;
            row[j] = copies ? row[j - 1] : (uint32_t)sbl_model_rng_below(&rng, CELLS);
        }
    }
}

/* A tree asks nine columns, and its leaves tell of their pairs as well: only a wider table loses. */
TEST(pairs_of_wide_tables_lose_by_forests)
{
    FREED(free) made_table *table = malloc(sizeof *table);
    outcome narrow, wide;
    make_table(table, true);
    run(&narrow, table, 3, SBL_FOREST_PROBED);
    assert_true(narrow.gain > 0);
    assert_true(narrow.loss == 0);
    widen_table(table, 8);
    table->releases = 0;
    run(&wide, table, 3, SBL_FOREST_PROBED);
    assert_true(wide.loss > 0.005 && wide.loss < wide.gain);
    assert_int_equal(wide.answer, SBL_FOREST_YES);
    assert_near(wide.spent, 1, 1e-9);
    sbl_pairs_model_clear(&narrow.model);
    sbl_pairs_model_clear(&wide.model);
}

TEST(forests_are_bought_only_if_they_gain_more_than_pairs_lose)
{
    assert_int_equal(sbl_forest_answer_to(0, 0, false), SBL_FOREST_NO);
    assert_int_equal(sbl_forest_answer_to(0.1, 0, false), SBL_FOREST_YES);
    assert_int_equal(sbl_forest_answer_to(0.1, 0.2, false), SBL_FOREST_NO);
    assert_int_equal(sbl_forest_answer_to(0.2, 0.2, false), SBL_FOREST_NO);
    assert_int_equal(sbl_forest_answer_to(0.3, 0.2, false), SBL_FOREST_YES);
    assert_int_equal(sbl_forest_answer_to(0.1, 0.2, true), SBL_FOREST_FORCED);
    assert_int_equal(sbl_forest_answer_to(0.3, 0.2, true), SBL_FOREST_YES);
}

TEST(a_budget_without_a_sketch_leaves_the_course_of_pairs)
{
    FREED(free) made_table *table = malloc(sizeof *table);
    outcome o;
    make_table(table, true);
    run(&o, table, 1e-3, SBL_FOREST_ALWAYS);
    assert_int_equal(o.answer, SBL_FOREST_NOT_ASKED);
    assert_true(o.rounds < 3);
    assert_near(o.spent, 1, 1e-9);
    sbl_pairs_model_clear(&o.model);
    sbl_pairs_setting setting = setting_of(table, 1, SBL_FOREST_ALWAYS);
    assert_true(sbl_pairs_shape_of(&setting).forest);
    assert_true(sbl_forest_selection_bytes(&setting) > sbl_pairs_selection_bytes(&setting));
    setting.label = SBL_PAIRS_NO_COLUMN; /* columns are named by a probe */
    assert_true(sbl_pairs_shape_of(&setting).forest);
    setting.label = COLUMNS - 1;
    setting.one_round = true;
    assert_false(sbl_pairs_shape_of(&setting).forest);
}

/* Trees over other codes, or in another round, are none of this run's. */
TEST(a_release_of_another_round_is_refused)
{
    FREED(free) made_table *table = malloc(sizeof *table);
    sbl_forest_selection *selection;
    sbl_forest_plan plan;
    CLEARED(sbl_pairs_plan_clear) sbl_pairs_plan codes;
    make_table(table, true);
    const sbl_pairs_setting setting = setting_of(table, 1, SBL_FOREST_PROBED);
    assert_ok(sbl_forest_selection_new(&selection, &setting, 0, NULL));
    for (int round = 0; round < 2; round++) {
        assert_ok(sbl_forest_selection_plan(selection, &plan, NULL));
        (void)release(table, selection, &plan, &setting);
    }
    assert_ok(sbl_forest_selection_plan(selection, &plan, NULL));
    assert_non_null(plan.trees);
    assert_ok(sbl_forest_selection_codes(selection, &codes, NULL));
    FREED(free) double *leaves = calloc(plan.trees->entry_count, sizeof *leaves);
    sbl_forest_release out = {.trees = plan.trees,
                              .codes = &codes,
                              .leaf_values = leaves,
                              .expected = plan.expected,
                              .expected_rows = plan.expected_rows};
    assert_int_equal(sbl_forest_selection_take(selection, &out, NULL), SBL_EINPUT);
    out.leaf_noise = 1;
    const uint32_t kept = codes.maps[0].of[CELLS - 1];
    codes.maps[0].of[CELLS - 1] = 0;
    assert_int_equal(sbl_forest_selection_take(selection, &out, NULL), SBL_EINPUT);
    codes.maps[0].of[CELLS - 1] = kept;
    sbl_forest_release none = {0};
    assert_int_equal(sbl_forest_selection_take(selection, &none, NULL), SBL_EINPUT);
    assert_ok(sbl_forest_selection_take(selection, &out, NULL));
    assert_int_equal(sbl_forest_selection_take(selection, &out, NULL), SBL_EINPUT);
    sbl_forest_selection_free(selection);
}

TEST(the_same_for_any_number_of_threads)
{
    FREED(free) made_table *table = malloc(sizeof *table);
    outcome one, four;
    make_table(table, false);
    table->label = SBL_PAIRS_NO_COLUMN;
    sbl_thread_set(1);
    run(&one, table, 3, SBL_FOREST_ALWAYS);
    assert_int_equal(one.answer, SBL_FOREST_FORCED); /* coins, by name: for the one that has the most */
    assert_int_equal(one.chosen_count, 1);
    assert_int_equal(one.rounds, 6);
    assert_near(one.spent, 1, 1e-9);
    table->releases = 0;
    sbl_thread_set(4);
    run(&four, table, 3, SBL_FOREST_ALWAYS);
    assert_memory_equal(one.model.rows, four.model.rows,
                        one.model.row_count * 2 * COLUMNS * sizeof *one.model.rows);
    assert_memory_equal(one.model.potts.phi, four.model.potts.phi,
                        one.model.potts.trees.entry_count * sizeof *one.model.potts.phi);
    sbl_pairs_model_clear(&one.model);
    sbl_pairs_model_clear(&four.model);
}

/* Nobody named a label: the probe asks about every column, and one of the four that hang together is enough,
 * since forests for it explain the other three. */
TEST(without_a_label_the_probe_names_a_column)
{
    FREED(free) made_table *table = malloc(sizeof *table);
    outcome o;
    make_table(table, true);
    table->label = SBL_PAIRS_NO_COLUMN;
    run(&o, table, 3, SBL_FOREST_PROBED);
    assert_int_equal(o.answer, SBL_FOREST_YES);
    assert_int_equal(o.asked, COLUMNS);
    assert_int_equal(o.chosen_count, 1);
    assert_true(o.chosen[0] < 3 || o.chosen[0] == COLUMNS - 1);
    assert_int_equal(o.rounds, 6);
    assert_near(o.spent, 1, 1e-9);
    assert_int_equal(o.model.potts.trees.tree_count, 2 + 64); /* of the probe, those of its column */
    assert_true(parity_of(&o.model) > 0.75);
    sbl_pairs_model_clear(&o.model);
}

TEST(without_a_label_and_without_structure_the_probe_says_no)
{
    FREED(free) made_table *table = malloc(sizeof *table);
    outcome o;
    make_table(table, false);
    table->label = SBL_PAIRS_NO_COLUMN;
    run(&o, table, 3, SBL_FOREST_PROBED);
    assert_int_equal(o.answer, SBL_FOREST_NO);
    assert_int_equal(o.rounds, 4);
    assert_near(o.spent, 1, 1e-9);
    sbl_pairs_model_clear(&o.model);
}

TEST(named_columns_are_the_only_ones_asked_about)
{
    FREED(free) made_table *table = malloc(sizeof *table);
    outcome o;
    make_table(table, true);
    table->targets[0] = 3; /* a column of its own */
    table->targets[1] = 1; /* one of the parity's */
    table->target_count = 2;
    run(&o, table, 3, SBL_FOREST_PROBED);
    assert_int_equal(o.answer, SBL_FOREST_YES);
    assert_int_equal(o.asked, 2);
    assert_int_equal(o.chosen_count, 1);
    assert_int_equal(o.chosen[0], 1);
    assert_near(o.spent, 1, 1e-9);
    assert_true(parity_of(&o.model) > 0.75);
    sbl_pairs_setting setting = setting_of(table, 3, SBL_FOREST_PROBED);
    setting.targets[0] = COLUMNS;
    assert_int_equal(sbl_pairs_setting_check(&setting, NULL), SBL_EARG);
    sbl_pairs_model_clear(&o.model);
}

/* Both ways to compare: of noise alone the energy is 0 on average and its error the standard deviation; what
 * only the leaves' sums show is a surprise, but none of the target's. */
TEST(energies_are_0_on_average_and_a_leafs_own_surprise_is_not_its_targets)
{
    enum { LEAVES = 8, TARGET = 3, TRIALS = 600, MODEL = 4000 };
    const uint32_t codes[] = {LEAVES, TARGET};
    const uint16_t of[TARGET] = {0, 1, 2};
    CLEARED(sbl_trees_clear) sbl_trees trees;
    uint32_t counts[LEAVES * TARGET];
    double values[LEAVES * TARGET], sum[2] = {0}, square[2] = {0}, moved[2];
    const double n = 5000, noise = 40;
    const sbl_forest_family family = {.count = 1, .noise = noise};
    sbl_model_rng rng;
    assert_ok(sbl_trees_init(&trees, codes, 2, NULL));
    assert_ok(sbl_trees_add_target(&trees, 1, TARGET, of, NULL));
    assert_ok(sbl_trees_begin(&trees, 0, NULL));
    for (uint32_t leaf = 0; leaf + 1 < LEAVES; leaf++) { /* a chain: code 0, then 1, ... */
        const uint64_t set = UINT64_C(1) << leaf;
        assert_ok(sbl_trees_split(&trees, 0, &set, NULL));
        assert_ok(sbl_trees_leaf(&trees, NULL));
    }
    assert_ok(sbl_trees_leaf(&trees, NULL));
    const sbl_forest_tables tables = {.trees = &trees, .values = values, .families = &family};
    for (uint32_t i = 0; i < LEAVES * TARGET; i++)
        counts[i] = i == 23 ? MODEL - 23 * (MODEL / 40) : MODEL / 40;
    sbl_model_rng_init(&rng, 5, SBL_RNG_OTHER, 7);
    for (int trial = 0; trial < TRIALS; trial++) {
        for (uint32_t i = 0; i < LEAVES * TARGET; i++)
            values[i] = n * counts[i] / MODEL + noise_of(&rng, noise);
        const sbl_forest_surprise found[] = {sbl_forest_compare(&tables, 0, counts, MODEL, n),
                                             sbl_forest_compare_target(&tables, 0, counts, MODEL, n)};
        for (int way = 0; way < 2; way++) {
            sum[way] += found[way].energy / found[way].error / TRIALS;
            square[way] += pow(found[way].energy / found[way].error, 2) / TRIALS;
        }
    }
    for (int way = 0; way < 2; way++) {
        assert_true(fabs(sum[way]) < 0.15);
        assert_true(fabs(square[way] - 1) < 0.25);
    }
    for (uint32_t i = 0; i < LEAVES * TARGET; i++) /* half the leaves have more rows, half fewer */
        values[i] = n * counts[i] / MODEL * (i / TARGET % 2 == 0 ? 1.8 : 0.2);
    moved[0] = sbl_forest_compare(&tables, 0, counts, MODEL, n).energy;
    moved[1] = sbl_forest_compare_target(&tables, 0, counts, MODEL, n).energy;
    assert_true(moved[0] > 0);
    assert_true(moved[1] < 0); /* exactly 0 less the noise that is not there */
}

TEST(a_probe_has_no_more_rows_than_it_can_use)
{
    assert_int_equal(sbl_forest_probe_rows(500), 500);
    assert_int_equal(sbl_forest_probe_rows(16384), 16384);
    assert_int_equal(sbl_forest_probe_rows(100000), 16384);
}
