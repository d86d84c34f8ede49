/* SPDX-License-Identifier: Apache-2.0 */
/* [6] From release to release: one-way tables become shares and codes, codes the tables of the second
 * release. The fit is in history_fit.c. */
#include "after/histories/history_selection.h"

#include <math.h>
#include <string.h>

#include "after/counts/bin_codes.h"
#include "after/histories/history_selection_internal.h"

#define WHAT "the tables of a selection"
#define MERGE_BELOW 0.7      /* noises of a table of two: a code should hold more */
#define TABLES_A_COLUMN 3.0  /* at most this number of tables counts in that noise */
#define COUNT_CODES 16.0     /* of the number of events: each with about as many events */
#define MOST_STATE 100000.0  /* persons */
#define MOST_EVENTS 150000.0 /* of the state */

const double sbl_history_shares[SBL_HISTORY_ROUNDS] = {0.33, 0.67};

void sbl_history_selection_free(sbl_history_selection *selection)
{
    if (selection == NULL) return;
    for (size_t b = 0; selection->bases != NULL && b < selection->tree->base_count; b++)
        sbl_pairs_histogram_clear(&selection->bases[b].histogram);
    sbl_pairs_plan_clear(&selection->plan);
    sbl_pool_clear(&selection->pool);
    sbl_free(selection);
}

static sbl_status plan_one_way(sbl_history_selection *selection, sbl_error *err)
{
    const sbl_pairs_setting setting = {.columns = selection->tree->columns,
                                       .count = selection->tree->base_count,
                                       .label = SBL_PAIRS_NO_COLUMN,
                                       .rows = selection->setting.persons,
                                       .mu = selection->setting.mu,
                                       .sensitivity2 = selection->setting.sensitivity2};
    return sbl_pairs_plan_one_way(&selection->plan, &setting, sbl_history_shares[0], err);
}

sbl_status sbl_history_selection_new(sbl_history_selection **selection, const sbl_history_tree *tree,
                                     const sbl_history_setting *setting, sbl_error *err)
{
    sbl_history_selection *made = NULL;
    sbl_status status = SBL_OK;
    *selection = NULL;
    SBL_ALLOC(made, 1, WHAT);
    made->tree = tree;
    made->setting = *setting;
    made->persons = setting->persons;
    SBL_POOL(&made->pool, made->codes, tree->base_count, 1, WHAT);
    SBL_POOL(&made->pool, made->code_counts, tree->base_count, 1, WHAT);
    SBL_POOL(&made->pool, made->bases, tree->base_count, 1, WHAT);
    SBL_POOL(&made->pool, made->weights, tree->link_count, 1, WHAT);
    for (size_t r = 0; r < SBL_HISTORY_ROUNDS; r++)
        SBL_POOL(&made->pool, made->totals[r], tree->link_count, 1, WHAT);
    for (size_t b = 0; b < tree->base_count; b++) {
        made->codes[b] = (sbl_pairs_map){.level = SBL_PAIRS_CODES, .column = (uint32_t)b};
        SBL_POOL(&made->pool, made->bases[b].fine, tree->columns[b].cells, 1, WHAT);
    }
    SBL_TRY(plan_one_way(made, err));
    *selection = made;
    made = NULL;
done:
    sbl_history_selection_free(made);
    return status;
}

const sbl_pairs_plan *sbl_history_selection_plan(const sbl_history_selection *selection)
{
    return selection->round < SBL_HISTORY_ROUNDS && selection->plan.table_count > 0 ? &selection->plan : NULL;
}

const sbl_pairs_map *sbl_history_selection_codes(const sbl_history_selection *selection)
{
    return selection->codes;
}

double sbl_history_selection_persons(const sbl_history_selection *selection) { return selection->persons; }

/* ---- the first release ---- */

/* What persons add up to in tables of one link and sort: their sums, by their noise. */
static double measure_total(const sbl_history_tree *tree, size_t link, sbl_history_sort sort,
                            const sbl_pairs_plan *plan, const double *const *values, const double *noise)
{
    double weighted = 0.0, weights = 0.0;
    for (size_t t = 0; t < plan->table_count; t++) {
        const sbl_pairs_table *table = &plan->tables[t];
        const bool one = table->second == SBL_PAIRS_NO_MAP;
        const size_t entries = sbl_pairs_table_entries(plan, t);
        const double weight = 1.0 / ((double)entries * noise[t] * noise[t]);
        const sbl_tree_table of = sbl_tree_table_of(
            tree, plan->maps[table->first].column, one ? SBL_HISTORY_NONE : plan->maps[table->second].column);
        double total = 0.0;
        if (of.sort != sort || of.link != link) continue;
        for (size_t i = 0; i < entries; i++) total += values[t][i];
        weighted += weight * total;
        weights += weight;
    }
    return weights > 0.0 ? fmax(1.0, weighted / weights) : 1.0;
}

/* Never more than persons weigh: what a release lacks, it held back. */
static void measure_totals(sbl_history_selection *selection, const sbl_pairs_plan *plan,
                           const double *const *values, const double *noise)
{
    for (size_t l = 0; l < selection->tree->link_count; l++) {
        double *totals = selection->totals[selection->round][l];
        totals[SBL_OF_PERSONS] = selection->persons;
        for (size_t sort = SBL_OF_EVENTS; sort <= SBL_OF_STEPS; sort++)
            totals[sort] =
                fmin(selection->weights[l][sort],
                     measure_total(selection->tree, l, (sbl_history_sort)sort, plan, values, noise));
    }
}

/* Is it a number of events? Of which link; else SBL_HISTORY_NONE. */
static size_t counts_link(const sbl_history_tree *tree, size_t base)
{
    for (size_t l = 0; l < tree->link_count; l++)
        if (tree->links[l].number[tree->links[l].count_base] == base) return l;
    return SBL_HISTORY_NONE;
}

static sbl_status take_base(sbl_history_selection *selection, size_t base, double rows,
                            const sbl_pairs_plan *plan, const double *const *values, const double *noise,
                            sbl_error *err)
{
    const sbl_pairs_column *column = &selection->tree->columns[base];
    sbl_known_base *known = &selection->bases[base];
    sbl_pairs_histogram_clear(&known->histogram);
    SBL_CHECK(
        sbl_pairs_histogram_init(&known->histogram, plan, (uint32_t)base, column->cells, values, noise, err));
    if (counts_link(selection->tree, base) ==
        SBL_HISTORY_NONE) /* few persons have the most events: they stay */
        SBL_CHECK(sbl_pairs_histogram_denoise(&known->histogram, column->ordered, rows, err));
    SBL_CHECK(sbl_pairs_histogram_test_missing(
        &known->histogram, column,
        sbl_pairs_missing_count(selection->tree->columns, selection->tree->base_count), err));
    memcpy(known->fine, known->histogram.counts, column->cells * sizeof *known->fine);
    return sbl_pairs_histogram_project(known->fine, &known->histogram, rows, err);
}

static double middle_count(const sbl_history_shape *shape, uint32_t cell)
{
    size_t low, high;
    sbl_history_count_range(shape, cell, &low, &high);
    return round(0.5 * (double)(low + high));
}

/* The weight of persons, by their number of events. If events have several parent rows of a person, the rows'
 * numbers do not give the total: then it is the largest possible weight. */
static void weigh_persons(sbl_history_selection *selection)
{
    for (size_t l = 0; l < selection->tree->link_count; l++) {
        const sbl_history_shape *link = &selection->tree->links[l];
        const size_t base = link->number[link->count_base];
        const double *shares = selection->bases[base].fine;
        double *totals = selection->weights[l];
        totals[SBL_OF_PERSONS] = selection->persons;
        totals[SBL_OF_EVENTS] = totals[SBL_OF_STEPS] =
            link->parent != SBL_HISTORY_NONE ? selection->persons * sbl_history_share(link->most) : 0.0;
        for (uint32_t c = 0; link->parent == SBL_HISTORY_NONE && c < link->columns[link->count_base].cells;
             c++) {
            const size_t m = (size_t)middle_count(link, c);
            totals[SBL_OF_EVENTS] += selection->persons * shares[c] * sbl_history_share(m);
            totals[SBL_OF_STEPS] += selection->persons * shares[c] * sbl_history_share(m > 0 ? m - 1 : 0);
        }
        for (size_t sort = 0; sort < SBL_HISTORY_SORTS; sort++) totals[sort] = fmax(totals[sort], 1.0);
    }
}

/* For a parent row, or for a person with several parent rows. */
static double mean_events(const sbl_history_selection *selection, size_t l)
{
    const sbl_history_shape *link = &selection->tree->links[l];
    const double *shares = selection->bases[link->number[link->count_base]].fine;
    double mean = 0.0;
    for (uint32_t c = 0; c < link->columns[link->count_base].cells; c++)
        mean += shares[c] * middle_count(link, c);
    return link->parent != SBL_HISTORY_NONE ? mean * mean_events(selection, link->parent) : mean;
}

double sbl_history_mean_events(const sbl_history_selection *selection)
{
    double mean = 0.0;
    for (size_t l = 0; l < selection->tree->link_count; l++) mean += mean_events(selection, l);
    return fmax(mean, 1.0);
}

size_t sbl_history_state_persons(double persons, double events_a_person)
{
    return (size_t)fmax(1.0, round(fmin(persons, fmin(MOST_STATE, MOST_EVENTS / events_a_person))));
}

static sbl_status take_one_way(sbl_history_selection *selection, const sbl_pairs_plan *plan,
                               const double *const *values, const double *noise, sbl_error *err)
{
    const sbl_history_tree *tree = selection->tree;
    selection->persons = round(measure_total(tree, 0, SBL_OF_PERSONS, plan, values, noise));
    for (size_t b = 0; b < tree->person_count; b++)
        SBL_CHECK(take_base(selection, b, selection->persons, plan, values, noise, err));
    weigh_persons(selection);
    measure_totals(selection, plan, values, noise);
    for (size_t b = tree->person_count; b < tree->base_count; b++) {
        const sbl_tree_table of = sbl_tree_table_of(tree, b, SBL_HISTORY_NONE);
        SBL_CHECK(take_base(selection, b, selection->totals[0][of.link][of.sort], plan, values, noise, err));
    }
    return SBL_OK;
}

/* ---- codes ---- */

/* Numbers of events: one code for rows with none, one for those with one, then codes that hold about as many events each, so
 * that those who have most stand apart. */
static void merge_counts(sbl_pairs_map *map, const sbl_history_shape *shape, const double *shares,
                         double threshold)
{
    const uint32_t apart = shape->least == 0 ? 2 : 1;
    const uint32_t cells = shape->columns[shape->count_base].cells;
    double mean = 0.0, held = 0.0, events = 0.0, rest = 1.0;
    uint32_t code = 0;
    for (uint32_t c = 0; c < cells; c++) mean += shares[c] * middle_count(shape, c);
    for (uint32_t c = 0; c < cells; c++) {
        const bool full = events >= 1.0 / COUNT_CODES && rest >= threshold;
        if (c > 0 && held >= threshold && (full || c <= apart)) {
            code++;
            held = events = 0.0;
        }
        map->of[c] = code;
        held += shares[c];
        rest -= shares[c];
        events += shares[c] * middle_count(shape, c) / fmax(mean, 1e-9);
    }
    map->cells = code + 1;
}

static sbl_status make_codes(sbl_history_selection *selection, size_t tables, sbl_error *err)
{
    const sbl_history_tree *tree = selection->tree;
    const sbl_history_setting *s = &selection->setting;
    const double most = fmin((double)tables, TABLES_A_COLUMN * (double)tree->base_count);
    const double noise = sqrt(s->sensitivity2 * most / sbl_history_shares[1]) / s->mu;
    sbl_status status = SBL_OK;
    for (size_t b = 0; b < tree->base_count; b++) {
        const sbl_tree_table of = sbl_tree_table_of(tree, b, SBL_HISTORY_NONE);
        const double threshold = MERGE_BELOW * noise / selection->totals[0][of.link][of.sort];
        const size_t counted = counts_link(tree, b);
        sbl_pairs_map *map = &selection->codes[b];
        if (map->of == NULL) SBL_POOL(&selection->pool, map->of, tree->columns[b].cells, 1, WHAT);
        if (counted != SBL_HISTORY_NONE)
            merge_counts(map, &tree->links[counted], selection->bases[b].fine, threshold);
        else
            SBL_TRY(sbl_pairs_merge_column(map, &tree->columns[b], selection->bases[b].fine, threshold, err));
    }
done:
    return status;
}

/* Sums over the codes. */
sbl_status sbl_history_index_codes(sbl_history_selection *selection, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t b = 0; b < selection->tree->base_count; b++) {
        const sbl_pairs_map *map = &selection->codes[b];
        sbl_known_base *known = &selection->bases[b];
        selection->code_counts[b] = map->cells;
        SBL_POOL(&selection->pool, known->counts, map->cells, 1, WHAT);
        SBL_POOL(&selection->pool, known->variances, map->cells, 1, WHAT);
        SBL_TRY(sbl_pairs_histogram_sums(known->counts, known->variances, &known->histogram, map, err));
    }
done:
    return status;
}

/* ---- the second release ---- */

/* Every side's codes as they are: map number s is side s's. */
static sbl_status add_maps(sbl_history_selection *selection, sbl_error *err)
{
    const sbl_history_tree *tree = selection->tree;
    uint32_t *identity = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(identity, SBL_PAIRS_MOST_CELLS, WHAT);
    for (uint32_t c = 0; c < SBL_PAIRS_MOST_CELLS; c++) identity[c] = c;
    for (size_t side = 0; side < tree->side_count; side++) {
        const uint32_t codes = sbl_tree_side_codes(tree, selection->code_counts, side);
        const sbl_pairs_map map = {SBL_PAIRS_CODES, (uint32_t)side, codes, identity};
        SBL_TRY(sbl_pairs_plan_add_map(&selection->plan, NULL, &map, codes, err));
    }
done:
    sbl_free(identity);
    return status;
}

static sbl_status plan_pairs(sbl_history_selection *selection, sbl_error *err)
{
    size_t tables;
    SBL_CHECK(sbl_history_tables_count(&tables, selection->tree, err));
    SBL_CHECK(make_codes(selection, tables, err));
    for (size_t b = 0; b < selection->tree->base_count; b++)
        selection->code_counts[b] = selection->codes[b].cells;
    sbl_pairs_plan_clear(&selection->plan);
    SBL_CHECK(add_maps(selection, err));
    return sbl_history_tables_add(selection, err);
}

static sbl_status take_codes(sbl_history_selection *selection, const sbl_pairs_map *codes, sbl_error *err)
{
    for (size_t b = 0; b < selection->tree->base_count; b++) {
        if (codes[b].of == NULL) return sbl_fail(err, SBL_EINPUT, "the plan of a release lacks its codes");
        selection->codes[b].cells = codes[b].cells;
        memmove(selection->codes[b].of, codes[b].of, selection->tree->columns[b].cells * sizeof *codes[b].of);
    }
    return sbl_history_index_codes(selection, err);
}

static sbl_status take_side(sbl_known_side *side, sbl_history_selection *selection, const sbl_pairs_map *map,
                            sbl_error *err)
{
    const size_t codes = sbl_tree_side_codes(selection->tree, selection->code_counts, map->column);
    sbl_status status = SBL_OK;
    SBL_POOL(&selection->pool, side->of, codes, 1, WHAT);
    memcpy(side->of, map->of, codes * sizeof *side->of);
    side->groups = map->cells;
done:
    return status;
}

static sbl_status take_tables(sbl_history_selection *selection, const sbl_pairs_plan *plan,
                              const double *const *values, const double *noise, sbl_error *err)
{
    sbl_status status = SBL_OK;
    measure_totals(selection, plan, values, noise);
    SBL_POOL(&selection->pool, selection->tables, plan->table_count, 1, WHAT);
    for (size_t t = 0; t < plan->table_count; t++) {
        const size_t entries = sbl_pairs_table_entries(plan, t);
        sbl_known_table *table = &selection->tables[selection->table_count];
        if (plan->tables[t].second == SBL_PAIRS_NO_MAP) continue;
        const sbl_pairs_map *first = &plan->maps[plan->tables[t].first];
        const sbl_pairs_map *second = &plan->maps[plan->tables[t].second];
        table->first = first->column;
        table->second = second->column;
        SBL_TRY(take_side(&table->rows, selection, first, err));
        SBL_TRY(take_side(&table->columns, selection, second, err));
        table->variance = noise[t] * noise[t];
        SBL_POOL(&selection->pool, table->values, entries, 1, WHAT);
        memcpy(table->values, values[t], entries * sizeof *table->values);
        selection->table_count++;
    }
done:
    return status;
}

sbl_status sbl_history_selection_take(sbl_history_selection *selection, const sbl_pairs_plan *plan,
                                      const sbl_pairs_map *codes, const double *const *values,
                                      const double *noise, sbl_error *err)
{
    if (selection->round == 0) {
        SBL_CHECK(take_one_way(selection, plan, values, noise, err));
        SBL_CHECK(plan_pairs(selection, err));
    } else if (selection->round == 1) {
        SBL_CHECK(take_codes(selection, codes, err));
        SBL_CHECK(take_tables(selection, plan, values, noise, err));
    } else {
        return sbl_fail(err, SBL_EINPUT,
                        "there are more releases than the method 'histories' makes: give those of one run");
    }
    selection->round++;
    return SBL_OK;
}

/* ---- what it takes ---- */

/* events: of the state. codes: of a column at most. */
static double bytes_of(const sbl_history_tree *tree, const sbl_history_setting *setting, double events,
                       double codes)
{
    const double rows = events + fmin(setting->persons, MOST_STATE);
    double entries = 0.0, widest = 0.0;
    for (size_t b = 0; b < tree->base_count; b++)
        entries += fmin(tree->columns[b].cells, codes) * codes *
                   (double)(b < tree->person_count ? b : tree->person_count + b + 6);
    for (size_t l = 0; l < tree->link_count; l++) widest = fmax(widest, (double)tree->links[l].side_count);
    return 60.0 * entries + rows * (2.0 * widest + 32.0);
}

size_t sbl_history_selection_bytes(const sbl_history_tree *tree, const sbl_history_setting *setting)
{
    const double bytes = bytes_of(tree, setting, MOST_EVENTS, SBL_PAIRS_MOST_NUMBER_CODES);
    return bytes < 9e18 ? (size_t)bytes : SIZE_MAX;
}

#define USUAL_CODES 16.0 /* of a column, after light ones are merged */

double sbl_history_selection_usual_bytes(const sbl_history_tree *tree, const sbl_history_setting *setting,
                                         double events)
{
    return bytes_of(tree, setting, fmin(events, MOST_EVENTS), USUAL_CODES);
}
