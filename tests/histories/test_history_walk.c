/* SPDX-License-Identifier: Apache-2.0 */
/* Draws, feedback and targets of histories with known answers: weights and shares by hand, the controller by its
 * formulas (history_feedback.h) written out once more, and margins by inverse variance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "after/histories/history_feedback.h"
#include "after/histories/history_targets.h"
#include "public/schema/schema_json.h"
#include "support/cmocka_all.h"

/* A person has a sex and one to three events; an event has a ward. */
static const char schema_text[] = JSON({"fields":[{"name":"id"},
    {"name":"sex","type":"string","constraints":{"enum":["f","m"],"required":true},"semblance":{"per":"unit"}},
    {"name":"ward","type":"string","constraints":{"enum":["a","b"],"required":true}}],
    "semblance":{"unit":"id","max_rows_per_unit":3}});

enum { SEX, EVENTS, WARD, BASES };
enum { CODES_OF_SEX = 2, CODES_OF_EVENTS = 3, CODES_OF_WARD = 2, PERSONS = 4000 };

typedef struct world {
    sbl_schema *schema;
    sbl_heads heads;
    sbl_history_tree tree;
    sbl_walk walk; /* of persons, with the table of sex and events; or of events */
    uint16_t *rows;
    float *bias, *theta;
} world;

static const uint32_t base_codes[BASES] = {CODES_OF_SEX, CODES_OF_EVENTS, CODES_OF_WARD};
static const uint32_t sex_by_events[1][2] = {{SEX, EVENTS}};

static void begin(world *w, bool of_events)
{
    memset(w, 0, sizeof *w);
    assert_ok(sbl_schema_parse(&w->schema, schema_text, strlen(schema_text), "test", NULL));
    assert_ok(sbl_heads_init(&w->heads, w->schema, NULL));
    assert_ok(sbl_history_tree_init(&w->tree, w->schema, &w->heads, 24, 128, 8, true, NULL));
    assert_int_equal(w->tree.base_count, BASES);
    assert_int_equal(w->tree.columns[EVENTS].cells, CODES_OF_EVENTS);
    assert_ok(sbl_walk_init(&w->walk, &w->tree.links[0], base_codes, of_events, sex_by_events,
                            of_events ? 0 : 1, NULL));
    w->rows = calloc(PERSONS * w->walk.width, sizeof *w->rows);
    w->bias = calloc(w->walk.bias_size, sizeof *w->bias);
    w->theta = calloc(w->walk.table_size + 1, sizeof *w->theta);
    for (size_t i = 0; i < w->walk.bias_size; i++) w->bias[i] = -1e30f;
    for (size_t c = 0; c < w->walk.column_count; c++)
        for (size_t v = 0; v < w->walk.columns[c].codes; v++) w->bias[w->walk.columns[c].bias_at + v] = 0;
}

static void end(world *w)
{
    free(w->rows);
    free(w->bias);
    free(w->theta);
    sbl_walk_clear(&w->walk);
    sbl_history_tree_clear(&w->tree);
    sbl_heads_clear(&w->heads);
    sbl_schema_free(w->schema);
}

static sbl_walk_rows all_rows(const world *w) { return (sbl_walk_rows){.persons = PERSONS, .rows = w->rows}; }

static size_t theta_at(const world *w, size_t sex, size_t events)
{
    return w->walk.edges[0].at + sex * w->walk.columns[EVENTS].lanes + events;
}

static size_t count_of(const world *w, size_t column, uint16_t code)
{
    size_t count = 0;
    for (size_t p = 0; p < PERSONS; p++) count += w->rows[p * w->walk.width + column] == code;
    return count;
}

/* ---- draws ---- */

TEST(columns_are_drawn_by_their_logits_and_those_of_their_context)
{
    CLEARED(end) world w;
    begin(&w, false);
    const sbl_walk_rows rows = all_rows(&w);
    const sbl_walk_field field = {.bias = w.bias, .tables = w.theta};
    w.bias[w.walk.columns[SEX].bias_at + 1] = (float)log(3.0); /* three men to a woman */
    w.theta[theta_at(&w, 0, 2)] = 50;                          /* every woman has three events */
    w.theta[theta_at(&w, 1, 2)] = -50;                         /* no man has */
    assert_ok(sbl_walk_draw(&w.walk, &field, &rows, NULL, 7, 0, true, NULL));
    const double men = (double)count_of(&w, SEX, 1);
    assert_true(fabs(men - 0.75 * PERSONS) < 4 * sqrt(PERSONS * 0.75 * 0.25));
    for (size_t p = 0; p < PERSONS; p++) assert_true((w.rows[2 * p] == 0) == (w.rows[2 * p + 1] == 2));
    assert_true(fabs((double)count_of(&w, EVENTS, 0) - men / 2) < 4 * sqrt(men / 4)); /* of men even */
}

TEST(a_sweep_is_a_function_of_seed_and_number)
{
    CLEARED(end) world w;
    begin(&w, false);
    const sbl_walk_rows rows = all_rows(&w);
    const sbl_walk_field field = {.bias = w.bias, .tables = w.theta};
    static const struct {
        uint64_t seed, sweep;
        bool same;
    } cases[] = {{7, 0, true}, {7, 1, false}, {8, 0, false}};
    FREED(free) uint16_t *first = calloc(PERSONS * w.walk.width, sizeof *first);
    const size_t size = PERSONS * w.walk.width * sizeof *first;
    assert_ok(sbl_walk_draw(&w.walk, &field, &rows, NULL, 7, 0, false, NULL));
    memcpy(first, w.rows, size);
    for (size_t i = 0; i < 3; i++) {
        assert_ok(sbl_walk_draw(&w.walk, &field, &rows, NULL, cases[i].seed, cases[i].sweep, false, NULL));
        assert_int_equal(memcmp(first, w.rows, size) == 0, cases[i].same);
    }
}

/* A gain of 50 lets nothing but the code that is behind be drawn: the two are even to a row. Of rows that were
 * counted before, each is given back first, and nothing moves. */
TEST(what_is_drawn_is_pushed_back_by_its_gain)
{
    CLEARED(end) world w;
    begin(&w, false);
    const sbl_walk_rows rows = all_rows(&w);
    FREED(free) float *gains = calloc(w.walk.bias_size, sizeof *gains);
    FREED(free) float *none = calloc(w.walk.table_size, sizeof *none);
    for (size_t i = 0; i < w.walk.bias_size; i++) gains[i] = 50;
    sbl_walk_field field = {.bias = w.bias, .tables = w.theta, .bias_gain = gains, .gains = none};
    assert_ok(sbl_walk_draw(&w.walk, &field, &rows, NULL, 7, 0, true, NULL));
    assert_int_equal(count_of(&w, SEX, 0), PERSONS / 2);
    assert_in_range(count_of(&w, EVENTS, 0), PERSONS / 3, PERSONS / 3 + 1);
    for (size_t p = 0; p < PERSONS; p++) w.rows[2 * p] = w.rows[2 * p + 1] = 0;
    field.again = true;
    assert_ok(sbl_walk_draw(&w.walk, &field, &rows, NULL, 7, 1, true, NULL));
    assert_int_equal(count_of(&w, SEX, 0), PERSONS);
    assert_int_equal(count_of(&w, EVENTS, 0), PERSONS);
}

/* Persons with one event in ward a, and with two, in a and b: share(1) = 1, share(2) / 2 = 2^(1/4) / 2 each; of
 * the one step from an event to the next share(1) = 1. */
TEST(events_weigh_less_the_more_a_person_has)
{
    CLEARED(end) world w;
    begin(&w, true);
    const size_t starts[] = {0, 1, 3}, wards[] = {0, 0, 1};
    const sbl_walk_rows rows = {.persons = 2, .starts = starts, .rows = w.rows};
    FREED(free) double *ones = calloc(w.walk.bias_size, sizeof *ones);
    FREED(free) double *tables = calloc(w.walk.table_size + 1, sizeof *tables);
    double total[SBL_HISTORY_SORTS];
    for (size_t r = 0; r < 3; r++) w.rows[r * w.walk.width + WARD] = (uint16_t)wards[r];
    sbl_walk_count(&w.walk, &rows, ones, tables, total);
    const double each = floor(pow(2, 0.25) / 2 * 65536) / 65536;
    assert_true(fabs(total[SBL_OF_EVENTS] - (1 + 2 * each)) < 1e-9);
    assert_true(fabs(total[SBL_OF_STEPS] - 1) < 1e-9);
    assert_true(fabs(ones[0] - (1 + each) / (1 + 2 * each)) < 1e-9);
    assert_true(fabs(ones[1] - each / (1 + 2 * each)) < 1e-9);
}

/* ---- feedback ---- */

/* Targets of sex and of events, and of the table that has those margins. */
typedef struct goal_of_persons {
    float shares[64], targets[64], even[64], ridge;
    sbl_history_goal goal;
} goal_of_persons;

static void make_goal(goal_of_persons *g, const world *w)
{
    static const double table[2][3] = {{0.05, 0.10, 0.25}, {0.35, 0.20, 0.05}};
    static const double sex[] = {0.4, 0.6}, events[] = {0.4, 0.3, 0.3};
    memset(g, 0, sizeof *g);
    assert_true(w->walk.bias_size <= 64 && w->walk.table_size <= 64);
    for (size_t v = 0; v < 2; v++) g->shares[w->walk.columns[SEX].bias_at + v] = (float)sex[v];
    for (size_t v = 0; v < 3; v++) g->shares[w->walk.columns[EVENTS].bias_at + v] = (float)events[v];
    for (size_t s = 0; s < 2; s++)
        for (size_t m = 0; m < 3; m++) {
            g->targets[theta_at(w, s, m)] = (float)table[s][m];
            g->even[theta_at(w, s, m)] = (float)(sex[s] * events[m]);
        }
    g->ridge = 0.001f;
    g->goal = (sbl_history_goal){g->shares, g->targets, g->even, &g->ridge};
}

static double within(double value, double most) { return fmin(fmax(value, -most), most); }

/* The controller as its header has it: gain 4, 1.5 times that of columns, rising from a quarter
 * over the first 0.3 of the sweeps, doubled in the last quarter; steps of alpha, alpha / 2, alpha / 4. */
static void reference_feedback(const world *w, float *bias, float *theta, const goal_of_persons *g,
                               size_t sweeps, double step)
{
    const sbl_walk_rows rows = all_rows(w);
    float bias_logits[64], bias_gains[64] = {0}, logits[64] = {0}, gains[64] = {0};
    double ones[64], tables[64], total[SBL_HISTORY_SORTS];
    const sbl_walk_field plain = {.bias = bias, .tables = theta};
    const sbl_walk_field field = {bias_logits, logits, bias_gains, gains, true};
    const double unit = 1.0 / PERSONS, ridge = (double)g->ridge;
    memcpy(bias_logits, bias, w->walk.bias_size * sizeof *bias);
    assert_ok(sbl_walk_draw(&w->walk, &plain, &rows, NULL, 7, 0, false, NULL));
    sbl_walk_count(&w->walk, &rows, ones, tables, total);
    for (size_t i = 0; i < sweeps; i++) {
        const double done = (double)i / (double)sweeps;
        const bool last = sweeps > 4 && done >= 0.75;
        const double k = 4.0 * (sweeps > 4 ? fmin(1.0, 0.25 + 0.75 * done / 0.3) : 1.0) * (last ? 2.0 : 1.0);
        const double alpha = step * (last ? 0.25 : done < 0.5 ? 1.0 : 0.5);
        for (int stepping = 0; stepping < 2; stepping++) {
            for (size_t b = 0; b < w->walk.bias_size; b++) {
                if (g->shares[b] == 0) continue; /* padding */
                const double gain = 1.5 * k / ((double)g->shares[b] + unit);
                const double pull = gain * ((double)g->shares[b] - ones[b]);
                if (stepping) bias[b] += (float)within(alpha * pull, 1.0);
                bias_logits[b] = (float)((double)bias[b] + pull);
                bias_gains[b] = (float)(gain * unit);
            }
            for (size_t t = 0; t < w->walk.table_size; t++) {
                if (g->targets[t] == 0) continue;
                const double f = 0.5 * (tables[t] + (double)g->even[t]) + unit + ridge;
                const double pull = k / f * ((double)g->targets[t] - tables[t] - ridge * (double)theta[t]);
                if (stepping) theta[t] = (float)within((double)theta[t] + within(alpha * pull, 1.0), 12.0);
                logits[t] = (float)((double)theta[t] + pull);
                gains[t] = (float)(k * unit / f);
            }
            if (stepping) continue;
            assert_ok(sbl_walk_draw(&w->walk, &field, &rows, NULL, 7, 1 + i, i + 1 == sweeps, NULL));
            sbl_walk_count(&w->walk, &rows, ones, tables, total);
        }
    }
}

static void expect_feedback(size_t sweeps)
{
    world w, again;
    goal_of_persons g;
    begin(&w, false);
    begin(&again, false);
    make_goal(&g, &w);
    const sbl_walk_rows rows = all_rows(&w);
    const sbl_history_rule rule = {.sweeps = sweeps, .step = 0.2f, .seed = 7};
    assert_ok(sbl_history_feedback(&w.walk, &rows, NULL, w.bias, w.theta, &g.goal, &rule, NULL));
    reference_feedback(&again, again.bias, again.theta, &g, sweeps, (double)0.2f);
    assert_memory_equal(w.rows, again.rows, PERSONS * w.walk.width * sizeof *w.rows);
    for (size_t i = 0; i < w.walk.bias_size; i++)
        assert_true(g.shares[i] == 0 || fabs((double)(w.bias[i] - again.bias[i])) < 1e-5);
    for (size_t i = 0; i < w.walk.table_size; i++)
        assert_true(fabs((double)(w.theta[i] - again.theta[i])) < 1e-5);
    end(&w);
    end(&again);
}

TEST(one_sweep_takes_the_step_of_the_formula) { expect_feedback(1); }

TEST(the_gain_rises_and_the_step_falls_over_the_sweeps) { expect_feedback(12); }

/* From columns that have nothing to do with each other to a table within eight rows of its target, of 4000: independent draws are 30 off. */
TEST(rows_are_held_to_their_targets)
{
    CLEARED(end) world w;
    goal_of_persons g;
    double ones[64], tables[64], total[SBL_HISTORY_SORTS];
    begin(&w, false);
    make_goal(&g, &w);
    g.ridge = 0;
    const sbl_walk_rows rows = all_rows(&w);
    const sbl_history_rule rule = {.sweeps = 30, .step = 0.2f, .seed = 7};
    assert_ok(sbl_history_feedback(&w.walk, &rows, NULL, w.bias, w.theta, &g.goal, &rule, NULL));
    sbl_walk_count(&w.walk, &rows, ones, tables, total);
    for (size_t i = 0; i < w.walk.bias_size; i++)
        assert_true(g.shares[i] == 0 || fabs(ones[i] - (double)g.shares[i]) < 8.0 / PERSONS);
    for (size_t i = 0; i < w.walk.table_size; i++)
        assert_true(g.targets[i] == 0 || fabs(tables[i] - (double)g.targets[i]) < 8.0 / PERSONS);
}

TEST(no_step_leaves_the_parameters_as_they_were)
{
    CLEARED(end) world w;
    goal_of_persons g;
    begin(&w, false);
    make_goal(&g, &w);
    const sbl_walk_rows rows = all_rows(&w);
    const sbl_history_rule rule = {.sweeps = 3, .step = 0, .seed = 7};
    assert_ok(sbl_history_feedback(&w.walk, &rows, NULL, w.bias, w.theta, &g.goal, &rule, NULL));
    for (size_t i = 0; i < w.walk.bias_size; i++) assert_true(w.bias[i] == 0 || w.bias[i] == -1e30f);
    for (size_t i = 0; i < w.walk.table_size; i++) assert_true(w.theta[i] == 0);
}

TEST(a_bias_starts_at_the_log_of_its_share)
{
    CLEARED(end) world w;
    goal_of_persons g;
    uint8_t never[64] = {0};
    begin(&w, false);
    make_goal(&g, &w);
    never[w.walk.columns[SEX].bias_at] = 1;
    sbl_history_start_bias(&w.walk, w.bias, g.shares, never);
    const float *sex = w.bias + w.walk.columns[SEX].bias_at;
    assert_true(sex[0] == -1e30f);
    assert_true(fabs((double)sex[1] - log(0.6 + 1e-4)) < 1e-6);
    assert_true(sex[2] == -1e30f); /* padding */
}

/* ---- targets ---- */

/* A release of 1000 persons: counts of sex and of events, and their table, as if read with this noise. */
typedef struct released {
    double sex[2], events[3], table[6];
    double base_variance, table_variance;
    uint32_t group[3]; /* of numbers of events in the table */
    size_t groups;
    bool draw; /* the targets of a draw from the posterior are wanted */
} released;

static void make_targets(sbl_history_targets *targets, world *w, const released *r)
{
    double totals[1][SBL_HISTORY_SORTS] = {{1000, 1000, 1000}};
    double sex[2], events[3], table[6], variances[3] = {r->base_variance, r->base_variance, r->base_variance};
    uint32_t identity[8] = {0, 1, 2, 2, 2, 2, 2, 2}, group[3]; /* the tree's bins beyond three hold nothing */
    double fine[BASES][8] = {{r->sex[0], r->sex[1]}, {r->events[0], r->events[1], r->events[2]}};
    sbl_known_base bases[BASES] = {{.counts = sex, .variances = variances, .fine = fine[SEX]},
                                   {.counts = events, .variances = variances, .fine = fine[EVENTS]}};
    sbl_pairs_map codes[BASES] = {{.of = identity}, {.of = identity}};
    sbl_known_table known = {.first = SEX,
                             .second = EVENTS,
                             .rows = {identity, 2},
                             .columns = {group, r->groups},
                             .values = table,
                             .variance = r->table_variance};
    sbl_history_selection selection = {.tree = &w->tree,
                                       .setting = {.draw = r->draw},
                                       .bases = bases,
                                       .codes = codes,
                                       .tables = &known,
                                       .table_count = 1,
                                       .totals = {totals, totals}};
    CLEARED(sbl_history_margins_clear) sbl_history_margins margins;
    memcpy(sex, r->sex, sizeof sex);
    memcpy(events, r->events, sizeof events);
    memcpy(table, r->table, sizeof table);
    memcpy(group, r->group, sizeof group);
    begin(w, false);
    assert_true(w->tree.columns[SEX].cells <= 8 && w->tree.columns[EVENTS].cells <= 8);
    assert_ok(sbl_history_margins_init(&margins, &w->tree.links[0], NULL));
    assert_ok(sbl_history_targets_init(targets, &margins, &selection, &w->walk, NULL));
}

static void expect_near(const float *values, const double *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fabs((double)values[i] - expected[i]) > 1e-4)
            fail_msg("value %zu is %g, not %g", i, (double)values[i], expected[i]);
}

TEST(counts_that_agree_are_their_own_targets)
{
    static const released r = {
        {400, 600}, {400, 300, 300}, {50, 100, 250, 350, 200, 50}, 1e-6, 1e-6, {0, 1, 2}, 3, false};
    CLEARED(end) world w;
    CLEARED(sbl_history_targets_clear) sbl_history_targets targets;
    make_targets(&targets, &w, &r);
    expect_near(targets.shares + w.walk.columns[SEX].bias_at, (double[]){0.4, 0.6}, 2);
    expect_near(targets.shares + w.walk.columns[EVENTS].bias_at, (double[]){0.4, 0.3, 0.3}, 3);
    expect_near(targets.targets + theta_at(&w, 0, 0), (double[]){0.05, 0.10, 0.25}, 3);
    expect_near(targets.targets + theta_at(&w, 1, 0), (double[]){0.35, 0.20, 0.05}, 3);
    expect_near(targets.even + theta_at(&w, 0, 0), (double[]){0.16, 0.12, 0.12}, 3);
    expect_near(targets.even + theta_at(&w, 1, 0), (double[]){0.24, 0.18, 0.18}, 3);
}

/* The counts say 0.5, the table 0.6 with three entries to a sum: of variances 30 and 3 * 20 the share is
 * (0.5 / 30 + 0.6 / 60) / (1 / 30 + 1 / 60) = 0.5333. Of events 30 and 2 * 20: 0.3 and 0.37 at 4 : 3. */
TEST(margins_are_weighed_by_their_variances)
{
    static const released r = {
        {500, 500}, {400, 300, 300}, {180, 210, 210, 150, 160, 90}, 30, 20, {0, 1, 2}, 3, false};
    const double second = (0.3 / 30 + 0.37 / 40) / (1.0 / 30 + 1.0 / 40);
    CLEARED(end) world w;
    CLEARED(sbl_history_targets_clear) sbl_history_targets targets;
    make_targets(&targets, &w, &r);
    expect_near(targets.shares + w.walk.columns[SEX].bias_at, (double[]){0.533333, 0.466667}, 2);
    expect_near(targets.shares + w.walk.columns[EVENTS].bias_at + 1, &second, 1);
    /* The table has these margins. */
    for (size_t s = 0; s < 2; s++) {
        double sum = 0;
        for (size_t m = 0; m < 3; m++) sum += (double)targets.targets[theta_at(&w, s, m)];
        assert_true(fabs(sum - (s == 0 ? 0.533333 : 0.466667)) < 1e-4);
    }
}

/* Two numbers of events were measured as one, 300 each: each has half of what the two have with
 * a sex. */
TEST(codes_that_were_measured_as_one_share_its_count)
{
    static const released r = {{400, 600}, {400, 300, 300}, {50, 350, 350, 250}, 1e-6, 1e-6, {0, 1, 1}, 2,
                               false};
    CLEARED(end) world w;
    CLEARED(sbl_history_targets_clear) sbl_history_targets targets;
    make_targets(&targets, &w, &r);
    expect_near(targets.shares + w.walk.columns[EVENTS].bias_at, (double[]){0.4, 0.3, 0.3}, 3);
    expect_near(targets.targets + theta_at(&w, 0, 0), (double[]){0.05, 0.175, 0.175}, 3);
    expect_near(targets.targets + theta_at(&w, 1, 0), (double[]){0.35, 0.125, 0.125}, 3);
    expect_near(targets.even + theta_at(&w, 0, 0), (double[]){0.16, 0.12, 0.12}, 3);
}

/* The same in a draw: places are 0 and 1.5, ratios to independence .3125 and 1.4583 in the first row, so that 1 and 2 lie
 * two thirds and four thirds of the way, at 1.0764 and 1.8403; in the second row 1.4583 and .6944, at .9491 and .4398. */
TEST(in_a_draw_a_number_does_not_jump_between_groups)
{
    static const released r = {{400, 600}, {400, 300, 300}, {50, 350, 350, 250}, 1e-6, 1e-6, {0, 1, 1}, 2,
                               true};
    CLEARED(end) world w;
    CLEARED(sbl_history_targets_clear) sbl_history_targets targets;
    make_targets(&targets, &w, &r);
    expect_near(targets.targets + theta_at(&w, 0, 0), (double[]){0.05, 0.12917, 0.22083}, 3);
    expect_near(targets.targets + theta_at(&w, 1, 0), (double[]){0.35, 0.17083, 0.07917}, 3);
}

/* On its margins the first row is 338.3, 173.3 and -11.7, whose mean number is .30. What is below 0 would move it up. */
TEST(in_a_draw_the_means_of_a_number_stay)
{
    static const released plain = {
        {500, 500}, {400, 200, 400}, {330, 145, -30, 90, 35, 430}, 1e-6, 900, {0, 1, 2}, 3, false};
    double means[2];
    for (size_t i = 0; i < 2; i++) {
        released r = plain;
        CLEARED(end) world w;
        CLEARED(sbl_history_targets_clear) sbl_history_targets targets;
        r.draw = i == 1;
        make_targets(&targets, &w, &r);
        const float *row = targets.targets + theta_at(&w, 0, 0);
        means[i] = (double)(row[1] + 2 * row[2]) / (double)(row[0] + row[1] + row[2]);
    }
    if (!(means[0] > means[1] + 0.02 && fabs(means[1] - 0.3) < 0.015)) fail_msg("means %g, %g", means[0], means[1]);
}

/* A table far from independence is trusted, one that noise could have made is not. */
TEST(a_table_that_may_be_noise_has_the_larger_ridge)
{
    static const released strong = {
        {400, 600}, {400, 300, 300}, {50, 100, 250, 350, 200, 50}, 100, 100, {0, 1, 2}, 3, false};
    static const released noise = {
        {400, 600}, {400, 300, 300}, {162, 118, 120, 238, 182, 180}, 100, 100, {0, 1, 2}, 3, false};
    world w;
    sbl_history_targets targets;
    float ridges[2];
    for (size_t i = 0; i < 2; i++) {
        make_targets(&targets, &w, i == 0 ? &strong : &noise);
        ridges[i] = targets.ridges[0];
        sbl_history_targets_clear(&targets);
        end(&w);
    }
    assert_true(ridges[0] > 0 && ridges[1] > 20 * ridges[0]);
    released drawn = noise; /* a draw takes it at its word: the noise is in the other draws */
    drawn.draw = true;
    make_targets(&targets, &w, &drawn);
    assert_true(targets.ridges[0] > 0 && targets.ridges[0] < ridges[1] / 20);
    sbl_history_targets_clear(&targets);
    end(&w);
}
