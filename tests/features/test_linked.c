/* SPDX-License-Identifier: Apache-2.0 */
/* What a person with linked tables adds to the sums of `histories`, by hand: three persons with clients, and
 * cards that hang on the clients. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "after/histories/history_sampler.h"
#include "after/histories/history_selection.h"
#include "base/alloc.h"
#include "base/random/model_rng.h"
#include "records/accumulate/sum.h"
#include "records/features/features.h"
#include "records/features/history_counts.h"
#include "support/cmocka_all.h"

FREES(sbl_feature_workspaces_free);
FREES(sbl_free);

#define TEXT(name, values)                                             \
    "{\"name\": \"" name                                               \
    "\", \"type\": \"string\", \"constraints\": {\"required\": true, " \
    "\"enum\": [" values "]}}"
#define KEY(name) "{\"name\": \"" name "\", \"type\": \"integer\"}"
#define LINK(field, table)                                                                 \
    "\"foreignKeys\": [{\"fields\": \"" field "\", \"reference\": {\"resource\": \"" table \
    "\", \"fields\": \"id\"}}]"

static const char package[] =
    "{\"resources\": ["
    "{\"name\": \"accounts\", \"schema\": {\"primaryKey\": \"id\", \"fields\": [" KEY("id") ", "
    TEXT("region", "\"n\", \"s\"") "]}},"
    "{\"name\": \"clients\", \"schema\": {\"primaryKey\": \"id\", \"fields\": [" KEY("id") ", "
    KEY("account") ", " TEXT("sex", "\"f\", \"m\"") "], " LINK("account", "accounts")
    ", \"semblance\": {\"max_rows_per_unit\": 4}}},"
    "{\"name\": \"cards\", \"schema\": {\"fields\": [" KEY("client") ", "
    TEXT("type", "\"gold\", \"plain\"") "], " LINK("client", "clients")
    ", \"semblance\": {\"max_rows_per_unit\": 8}}}]}";

enum { TABLES = 3, CLIENTS = 0, CARDS = 1 };                                      /* links */
enum { REGION, CLIENT_COUNT, SEX, CARD_COUNT, TYPE, BASES, GOLD = 0, PLAIN = 1 }; /* bases */

typedef struct world {
    sbl_facts facts;
    sbl_plan plan;
    sbl_features features;
    const sbl_histories *made;
    size_t block;
    sbl_sum *sum;
} world;

/* n: an account with a client f, who has a gold and then a plain card, and a client m with a plain one;
 * s: one with a client f without a card; s: one without clients. Columns: region, sex, type. */
static const uint32_t codes[][3] = {{0, 0, 0},    {0, 0, 0},     {0, 1, 0},
                                    {0, 0, GOLD}, {0, 0, PLAIN}, {0, 0, PLAIN}, /* the first */
                                    {1, 0, 0},    {0, 0, 0},                    /* the second */
                                    {1, 0, 0}};
static const uint32_t starts[3 * TABLES + 1] = {0, 1, 3, 6, 7, 8, 8, 9, 9, 9};
static const uint32_t parents[] = {0, 0, 0, 0, 0, 1, 0, 0, 0};

static void begin(world *w, const sbl_pairs_plan *plan, const sbl_history_tree *tree,
                  const sbl_pairs_map *maps)
{
    sbl_schema *schema;
    sbl_error err = {0};
    *w = (world){0};
    assert_ok_or_say(sbl_schema_parse(&schema, package, strlen(package), "test", &err));
    assert_ok(sbl_facts_of_table(&w->facts, schema, NULL));
    assert_ok(sbl_plan_init(&w->plan, "test", NULL));
    assert_ok(sbl_plan_add(&w->plan, "histories", sbl_histories_parameters(plan, tree, maps), 1.0, NULL));
    assert_ok(sbl_plan_finish(&w->plan, &w->facts, NULL));
    assert_ok_or_say(sbl_features_make(&w->features, &w->plan, &w->facts, NULL, &err));
    const sbl_feature_instance *feature = sbl_features_find(&w->features, "histories");
    w->made = feature->made;
    w->block = feature->block;
}

static void end(world *w)
{
    sbl_sum_free(w->sum);
    sbl_features_clear(&w->features);
    sbl_plan_clear(&w->plan);
    sbl_facts_clear(&w->facts);
}

static void add_persons(world *w)
{
    static const sbl_unit_tag units[] = {{1, 2}, {2, 3}, {3, 4}};
    static const uint32_t unit_rows[3] = {0};
    static const uint8_t misfits[3 * 8] = {0};
    static const double numeric[1] = {0};
    FREED(sbl_feature_workspaces_free) sbl_feature_workspaces *workspaces;
    const sbl_records records = {
        .units = units,
        .unit_rows = unit_rows,
        .misfits = misfits,
        .events = {.numeric = numeric, .codes = codes[0], .starts = starts, .parents = parents},
        .rows = 3};
    sbl_error err = {0};
    assert_int_equal(w->facts.heads.numeric_count, 0);
    assert_int_equal(w->facts.heads.categorical_count, 3);
    assert_ok(sbl_sum_new(&w->sum, &w->features.layout, NULL));
    assert_ok(sbl_feature_workspaces_new(&workspaces, &w->features, NULL));
    assert_ok_or_say(sbl_features_add(w->sum, workspaces, &records, &err));
}

/* An entry of the table of two sides (of one where they are the same): in amounts of weight 1. */
static double entry(const world *w, uint32_t first, uint32_t second, size_t row, size_t column)
{
    const sbl_pairs_plan *plan = &w->made->list.plan;
    for (size_t t = 0; t < plan->table_count; t++) {
        const sbl_pairs_map *a = &plan->maps[plan->tables[t].first];
        const bool one = plan->tables[t].second == SBL_PAIRS_NO_MAP;
        const sbl_pairs_map *b = one ? a : &plan->maps[plan->tables[t].second];
        if (a->column != first || b->column != second) continue;
        const int64_t *values = sbl_sum_values(w->sum, w->block + w->made->list.block_of[t]);
        const size_t at = one ? a->of[row] : a->of[row] * b->cells + b->of[column];
        return (double)values[w->made->list.offset[t] + at] / w->made->list.amounts[t];
    }
    fail_msg("no table of %u and %u", first, second);
    return 0.0;
}

static void assert_share(double is, double wanted) { assert_true(fabs(is - wanted) < 1e-4); }

static void tree_of(sbl_history_tree *tree, sbl_facts *facts)
{
    sbl_schema *schema;
    assert_ok(sbl_schema_parse(&schema, package, strlen(package), "test", NULL));
    assert_ok(sbl_facts_of_table(facts, schema, NULL));
    assert_ok(sbl_history_tree_init(tree, facts->schema, &facts->heads, 24, 128, 8, true, NULL));
    assert_int_equal(tree->base_count, BASES);
}

TEST(how_many_rows_hang_on_a_row_is_one_of_its_columns)
{
    sbl_history_tree tree;
    CLEARED(sbl_facts_clear) sbl_facts facts;
    uint32_t sides[32];
    tree_of(&tree, &facts);
    assert_int_equal(tree.link_count, 2);
    assert_int_equal(tree.person_count, 2);
    assert_int_equal(tree.columns[CLIENT_COUNT].cells, 5); /* none to four */
    assert_int_equal(tree.columns[CARD_COUNT].cells, 9);
    const sbl_history_shape *cards = &tree.links[CARDS];
    assert_int_equal(cards->parent, CLIENTS);
    assert_int_equal(cards->person_count, 4);
    assert_int_equal(cards->number[cards->count_base], CARD_COUNT);
    /* A card by its client, its account, and how many cards the client has: not by how many clients. */
    const size_t count = sbl_history_contexts_of(cards, 4, sides);
    assert_int_equal(count, 6); /* and its place, the card before it, all before it */
    assert_int_equal(sides[0], REGION);
    assert_int_equal(sides[1], SEX);
    assert_int_equal(sides[2], CARD_COUNT);
    for (size_t s = 1; s < cards->side_count; s++) assert_true(cards->number[s] > cards->number[s - 1]);
    sbl_history_tree_clear(&tree);
}

static sbl_history_selection *selection_of(const sbl_history_tree *tree)
{
    const sbl_history_setting setting = {.persons = 3, .mu = 1e5, .sensitivity2 = 1.0};
    sbl_history_selection *selection;
    assert_ok(sbl_history_selection_new(&selection, tree, &setting, NULL));
    return selection;
}

TEST(a_person_s_rows_weigh_together_what_one_would)
{
    const double three = sbl_history_share(3) / 3.0, two = sbl_history_share(2) / 2.0;
    sbl_history_tree tree;
    CLEARED(sbl_facts_clear) sbl_facts facts;
    world w;
    tree_of(&tree, &facts);
    sbl_history_selection *selection = selection_of(&tree);
    begin(&w, sbl_history_selection_plan(selection), &tree, sbl_history_selection_codes(selection));
    add_persons(&w);
    assert_share(entry(&w, REGION, REGION, 0, 0), 1.0);
    assert_share(entry(&w, REGION, REGION, 1, 0), 2.0);
    assert_share(entry(&w, CLIENT_COUNT, CLIENT_COUNT, 0, 0), 1.0);
    assert_share(entry(&w, CLIENT_COUNT, CLIENT_COUNT, 2, 0), 1.0);
    assert_share(entry(&w, SEX, SEX, 0, 0), two + 1.0);
    assert_share(entry(&w, SEX, SEX, 1, 0), two);
    assert_share(entry(&w, CARD_COUNT, CARD_COUNT, 0, 0), 1.0);
    assert_share(entry(&w, CARD_COUNT, CARD_COUNT, 1, 0), two);
    assert_share(entry(&w, CARD_COUNT, CARD_COUNT, 2, 0), two);
    assert_share(entry(&w, TYPE, TYPE, GOLD, 0), three);
    assert_share(entry(&w, TYPE, TYPE, PLAIN, 0), 2.0 * three);
    end(&w);
    sbl_history_selection_free(selection);
    sbl_history_tree_clear(&tree);
}

/* The tables of the second release, planned by true counts of the first. */
static void take_first(sbl_history_selection *selection, const world *w)
{
    const sbl_pairs_plan *plan = sbl_history_selection_plan(selection);
    const double **values = sbl_alloc_array(plan->table_count, sizeof *values);
    FREED(sbl_free) double *noise = sbl_alloc_array(plan->table_count, sizeof *noise);
    FREED(sbl_free) double *all = sbl_alloc_array(plan->table_count * 64, sizeof *all);
    for (size_t t = 0; t < plan->table_count; t++) {
        const uint32_t side = plan->maps[plan->tables[t].first].column;
        values[t] = all + t * 64;
        noise[t] = 1e-4;
        for (size_t i = 0; i < sbl_pairs_table_entries(plan, t); i++)
            all[t * 64 + i] = entry(w, side, side, i, 0);
    }
    assert_ok(sbl_history_selection_take(selection, plan, sbl_history_selection_codes(selection), values,
                                         noise, NULL));
    sbl_free(values);
}

TEST(a_row_is_counted_with_what_it_hangs_on_and_with_the_one_before_it)
{
    const double three = sbl_history_share(3) / 3.0, two = sbl_history_share(2) / 2.0;
    sbl_history_tree tree;
    CLEARED(sbl_facts_clear) sbl_facts facts;
    world w;
    tree_of(&tree, &facts);
    sbl_history_selection *selection = selection_of(&tree);
    begin(&w, sbl_history_selection_plan(selection), &tree, sbl_history_selection_codes(selection));
    add_persons(&w);
    take_first(selection, &w);
    end(&w);
    const sbl_pairs_map *maps = sbl_history_selection_codes(selection);
    begin(&w, sbl_history_selection_plan(selection), &tree, maps);
    add_persons(&w);
    const uint32_t none = maps[CLIENT_COUNT].of[0], both = maps[CLIENT_COUNT].of[2];
    assert_true(none != both);
    assert_share(entry(&w, REGION, CLIENT_COUNT, 0, both), 1.0);
    assert_share(entry(&w, REGION, CLIENT_COUNT, 1, none), 1.0);
    assert_share(entry(&w, REGION, SEX, 0, 1), two);
    assert_share(entry(&w, REGION, SEX, 1, 0), 1.0);
    assert_share(entry(&w, SEX, CARD_COUNT, 0, maps[CARD_COUNT].of[2]), two);
    assert_share(entry(&w, SEX, CARD_COUNT, 0, maps[CARD_COUNT].of[0]), 1.0);
    assert_share(entry(&w, SEX, TYPE, 0, GOLD), three);
    assert_share(entry(&w, SEX, TYPE, 0, PLAIN), three);
    assert_share(entry(&w, SEX, TYPE, 1, PLAIN), three);
    assert_share(entry(&w, SEX, TYPE, 1, GOLD), 0.0);
    assert_share(entry(&w, REGION, TYPE, 0, PLAIN), 2.0 * three);
    const sbl_history_shape *cards = &tree.links[CARDS], *clients = &tree.links[CLIENTS];
    /* One card follows another of its client: gold before plain. The client m's is the first of its own. */
    assert_share(entry(&w, TYPE, cards->number[cards->previous], PLAIN, GOLD), 1.0);
    assert_share(entry(&w, TYPE, cards->number[cards->previous], PLAIN, PLAIN), 0.0);
    assert_share(entry(&w, TYPE, cards->number[cards->position], PLAIN, 0), three);
    assert_share(entry(&w, SEX, clients->number[clients->previous], 1, 0), 1.0);
    end(&w);
    sbl_history_selection_free(selection);
    sbl_history_tree_clear(&tree);
}

/* ---- from many persons to a model ---- */

enum { PERSONS = 4000 };

typedef struct crowd {
    uint32_t (*codes)[3];
    uint32_t *starts, *parents;
    size_t rows;
} crowd;

static void crowd_add(crowd *c, uint32_t region, uint32_t sex, uint32_t type, uint32_t parent)
{
    c->codes[c->rows][0] = region;
    c->codes[c->rows][1] = sex;
    c->codes[c->rows][2] = type;
    c->parents[c->rows++] = parent;
}

/* In n there are two clients, in s none or one. A client f has one card, m two or three; the first card is gold
 * for f, plain for m, and the next one as the one before it nine times in ten. */
static void crowd_make(crowd *c)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 5, SBL_RNG_OTHER, 0);
    c->codes = sbl_alloc_array(PERSONS * 12, sizeof *c->codes);
    c->parents = sbl_alloc_array(PERSONS * 12, sizeof *c->parents);
    c->starts = sbl_alloc_array(PERSONS * TABLES + 1, sizeof *c->starts);
    for (size_t p = 0; p < PERSONS; p++) {
        const uint32_t region = (uint32_t)sbl_model_rng_below(&rng, 2);
        const size_t clients = region == 0 ? 2 : (size_t)sbl_model_rng_below(&rng, 2);
        uint32_t sexes[2];
        c->starts[p * TABLES] = (uint32_t)c->rows;
        crowd_add(c, region, 0, 0, 0);
        c->starts[p * TABLES + 1] = (uint32_t)c->rows;
        for (size_t i = 0; i < clients; i++) {
            sexes[i] = (uint32_t)sbl_model_rng_below(&rng, 2);
            crowd_add(c, 0, sexes[i], 0, 0);
        }
        c->starts[p * TABLES + 2] = (uint32_t)c->rows;
        for (size_t i = 0; i < clients; i++) {
            const size_t cards = sexes[i] == 0 ? 1 : 2 + (size_t)sbl_model_rng_below(&rng, 2);
            uint32_t type = sexes[i] == 0 ? GOLD : PLAIN;
            for (size_t j = 0; j < cards; j++) {
                crowd_add(c, 0, 0, type, (uint32_t)i);
                if (sbl_model_rng_below(&rng, 10) == 0) type = 1 - type;
            }
        }
    }
    c->starts[PERSONS * TABLES] = (uint32_t)c->rows;
}

/* slice: so many persons at a time. */
static void crowd_sum(world *w, const crowd *c, size_t persons, size_t slice)
{
    sbl_unit_tag units[SBL_PERSON_SLICE] = {{0}};
    static const uint32_t unit_rows[SBL_PERSON_SLICE] = {0};
    static const uint8_t misfits[SBL_PERSON_SLICE * 8] = {0};
    static const double numeric[1] = {0};
    FREED(sbl_feature_workspaces_free) sbl_feature_workspaces *workspaces;
    assert_ok(sbl_sum_new(&w->sum, &w->features.layout, NULL));
    assert_ok(sbl_feature_workspaces_new(&workspaces, &w->features, NULL));
    for (size_t p = 0; p < persons; p += slice) {
        const sbl_records records = {.units = units,
                                     .unit_rows = unit_rows,
                                     .misfits = misfits,
                                     .events = {.numeric = numeric,
                                                .codes = c->codes[0],
                                                .starts = c->starts + p * TABLES,
                                                .parents = c->parents},
                                     .rows = slice};
        assert_ok(sbl_features_add(w->sum, workspaces, &records, NULL));
    }
}

/* A release of the selection's plan without noise worth speaking of. */
static void crowd_release(sbl_history_selection *selection, const sbl_history_tree *tree, const crowd *c)
{
    CLEARED(end) world w;
    const sbl_pairs_plan *plan = sbl_history_selection_plan(selection);
    begin(&w, plan, tree, sbl_history_selection_codes(selection));
    crowd_sum(&w, c, PERSONS, SBL_PERSON_SLICE);
    const double **values = sbl_alloc_array(plan->table_count, sizeof *values);
    FREED(sbl_free) double *noise = sbl_alloc_array(plan->table_count, sizeof *noise);
    FREED(sbl_free) double *all = sbl_alloc_array(plan->table_count * 1024, sizeof *all);
    for (size_t t = 0; t < plan->table_count; t++) {
        const sbl_table_list *list = &w.made->list;
        const int64_t *sums = sbl_sum_values(w.sum, w.block + list->block_of[t]);
        assert_true(sbl_pairs_table_entries(plan, t) <= 1024);
        for (size_t i = 0; i < sbl_pairs_table_entries(plan, t); i++)
            all[t * 1024 + i] = (double)sums[list->offset[t] + i] / list->amounts[t];
        values[t] = all + t * 1024;
        noise[t] = 0.5;
    }
    assert_ok(sbl_history_selection_take(selection, plan, sbl_history_selection_codes(selection), values,
                                         noise, NULL));
    sbl_free(values);
}

/* How often what is always or mostly so in the crowd is so in a pass. */
static void check_pass(const sbl_history_pass *pass)
{
    const sbl_history_part *clients = &pass->links[CLIENTS], *cards = &pass->links[CARDS];
    size_t wrong = 0, odd = 0, first_odd = 0, all = 0, kept = 0, steps = 0;
    for (size_t p = 0; p < pass->persons; p++) {
        const size_t m = clients->starts[p + 1] - clients->starts[p];
        wrong += pass->person_cells[p * 2 + REGION] == 0 ? m != 2 : m > 1;
        for (size_t q = clients->starts[p]; q < clients->starts[p + 1]; q++, all++) {
            const uint16_t sex = clients->event_cells[q * 2];
            const size_t first = cards->starts[q], count = cards->starts[q + 1] - first;
            odd += sex == 0 ? count != 1 : count != 2 && count != 3;
            first_odd += count > 0 && cards->event_cells[first] != sex; /* gold is 0, and so is f */
            for (size_t r = 1; r < count; r++, steps++)
                kept += cards->event_cells[first + r] == cards->event_cells[first + r - 1];
        }
    }
    assert_true(wrong < pass->persons / 25);
    assert_true(odd < all / 25);
    assert_true(first_odd < all / 10);
    assert_true(kept > steps * 82 / 100 && kept < steps * 97 / 100);
}

TEST(persons_are_fitted_with_all_that_hangs_on_them)
{
    const sbl_history_setting setting = {.persons = PERSONS, .mu = 2.0, .sensitivity2 = 1.0};
    sbl_history_selection *selection;
    sbl_history_model model;
    sbl_history_tree tree;
    sbl_facts facts;
    crowd c = {0};
    crowd_make(&c);
    tree_of(&tree, &facts);
    assert_ok(sbl_history_selection_new(&selection, &tree, &setting, NULL));
    for (int round = 0; round < 2; round++) crowd_release(selection, &tree, &c);
    assert_ok(sbl_history_selection_fit(selection, &model, NULL, NULL));
    assert_true(labs((long)model.persons - PERSONS) < 10);
    for (uint64_t number = 0; number < 2; number++) {
        CLEARED(sbl_history_pass_clear) sbl_history_pass pass;
        assert_ok(sbl_history_pass_draw(&pass, &model, &tree, 9, number, NULL));
        check_pass(&pass);
    }
    sbl_history_model_clear(&model);
    sbl_history_selection_free(selection);
    sbl_history_tree_clear(&tree);
    sbl_facts_clear(&facts);
    sbl_free(c.codes);
    sbl_free(c.starts);
    sbl_free(c.parents);
}

/* Anything that a person can have, up to the caps: rows of any codes, cards that hang on any client. */
static void crowd_random(crowd *c, size_t persons)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 6, SBL_RNG_OTHER, 0);
    c->rows = 0;
    for (size_t p = 0; p < persons; p++) {
        const size_t clients = (size_t)sbl_model_rng_below(&rng, 5);
        c->starts[p * TABLES] = (uint32_t)c->rows;
        crowd_add(c, (uint32_t)sbl_model_rng_below(&rng, 2), 0, 0, 0);
        c->starts[p * TABLES + 1] = (uint32_t)c->rows;
        for (size_t i = 0; i < clients; i++) crowd_add(c, 0, (uint32_t)sbl_model_rng_below(&rng, 2), 0, 0);
        c->starts[p * TABLES + 2] = (uint32_t)c->rows;
        for (size_t i = 0, cards = 0; i < clients; i++)
            for (; cards < 8 && sbl_model_rng_below(&rng, 3) > 0; cards++)
                crowd_add(c, 0, 0, (uint32_t)sbl_model_rng_below(&rng, 2), (uint32_t)i);
    }
    c->starts[persons * TABLES] = (uint32_t)c->rows;
}

TEST(what_a_person_adds_does_not_depend_on_who_stands_beside_it)
{
    enum { SOME = 8 * SBL_PERSON_SLICE };
    const sbl_history_setting setting = {.persons = PERSONS, .mu = 2.0, .sensitivity2 = 1.0};
    static const size_t slices[] = {SBL_PERSON_SLICE, 1, 4};
    sbl_history_selection *selection;
    sbl_history_tree tree;
    sbl_facts facts;
    crowd c = {0};
    world w[3];
    crowd_make(&c);
    tree_of(&tree, &facts);
    assert_ok(sbl_history_selection_new(&selection, &tree, &setting, NULL));
    crowd_release(selection, &tree, &c); /* the tables of the second release are over contexts */
    crowd_random(&c, SOME);
    for (size_t i = 0; i < 3; i++) {
        begin(&w[i], sbl_history_selection_plan(selection), &tree, sbl_history_selection_codes(selection));
        crowd_sum(&w[i], &c, SOME, slices[i]);
        for (size_t b = 0; b < w[0].features.layout.block_count; b++)
            assert_memory_equal(sbl_sum_values(w[0].sum, b), sbl_sum_values(w[i].sum, b),
                                w[0].features.layout.blocks[b].width * sizeof(int64_t));
    }
    for (size_t i = 0; i < 3; i++) end(&w[i]);
    sbl_history_selection_free(selection);
    sbl_history_tree_clear(&tree);
    sbl_facts_clear(&facts);
    sbl_free(c.codes);
    sbl_free(c.starts);
    sbl_free(c.parents);
}
