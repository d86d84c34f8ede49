/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Tables projected onto their margins, and ridges by empirical Bayes over all tables of a walk. */
#include "after/histories/history_edges.h"

#include <math.h>
#include <string.h>

#include "after/counts/table_math.h"

#define WHAT "a fit of histories"
#define RIDGE 0.5
#define DOUBT 0.02 /* of its error: the least energy of a table */
/* In a draw: times what was seen of a table, or its error (docs/mechanisms/inference.md). */
#define GENEROUS 50.0
#define LEAST_ENERGY 1e-14

static size_t largest_edge(const sbl_walk *walk)
{
    size_t most = 1;
    for (size_t c = 0; c < walk->column_count; c++)
        for (size_t e = 0; e < walk->columns[c].edge_count; e++) {
            const size_t rows = walk->edges[walk->columns[c].first_edge + e].codes;
            const size_t columns = walk->columns[c].codes;
            const size_t size = 3 * rows * columns + 3 * (rows + columns);
            if (size > most) most = size;
        }
    return most;
}

sbl_status sbl_history_edges_init(sbl_history_edges *w, const sbl_walk *walk, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_POOL(&w->pool, w->energy, walk->edge_count, 1, WHAT);
    SBL_POOL(&w->pool, w->error, walk->edge_count, 1, WHAT);
    SBL_POOL(&w->pool, w->noise2, walk->edge_count, 1, WHAT);
    SBL_POOL(&w->pool, w->part, walk->edge_count, 1, WHAT);
    SBL_POOL(&w->pool, w->table, largest_edge(walk), 1, WHAT);
    SBL_POOL(&w->pool, w->down, largest_edge(walk), 1, WHAT);
    SBL_POOL(&w->pool, w->across, largest_edge(walk), 1, WHAT);
    SBL_POOL(&w->pool, w->holes, largest_edge(walk), 1, WHAT);
    SBL_TRY(sbl_history_scores_init(&w->rows, &w->pool, largest_edge(walk), err));
    SBL_TRY(sbl_history_scores_init(&w->columns, &w->pool, largest_edge(walk), err));
done:
    return status;
}

static const sbl_known_table *table_of(const sbl_history_selection *selection, uint32_t first,
                                       uint32_t second)
{
    for (size_t t = 0; t < selection->table_count; t++)
        if (selection->tables[t].first == first && selection->tables[t].second == second)
            return &selection->tables[t];
    return NULL;
}

/* shares: of its groups. */
static sbl_table_side side_of(const sbl_walk *walk, size_t side, const sbl_known_side *known,
                              const double *shares)
{
    const sbl_pairs_column column =
        sbl_side_column(walk->shape, walk->codes[walk->shape->sides[side].base], side);
    const bool ordered = column.kind == SBL_PAIRS_NUMBER && column.ordered > 0;
    return (sbl_table_side){
        .shares = shares, .codes = known->groups, .ordered = ordered ? known->of[column.ordered - 1] + 1 : 0};
}

/* Energy against independence of the table, and its error. */
static void measure(sbl_history_edges *w, size_t edge, const double *table, double *rest, size_t rows,
                    size_t columns, const double *p, const double *q)
{
    const double freedom = fmax((double)((rows - 1) * (columns - 1)), 1.0);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) rest[i * columns + j] = table[i * columns + j] - p[i] * q[j];
    sbl_table_centre(rest, rows, columns);
    w->error[edge] = w->noise2[edge] * sqrt(2.0 * freedom);
    w->energy[edge] = sbl_table_energy(rest, rows, columns) - w->noise2[edge] * freedom;
}

#define CLEAR 3.0 /* noises of a context's sum: it is seen */
#define MOST_SCALE 3.0

/* A context that adds up to less than its share, because persons who have it were held to their bound,
 * is scaled to it: a margin that is put right by adding alike everywhere would fill what is rare. */
static void scale_contexts(double *table, const double *shares, size_t contexts, size_t codes,
                           size_t context_step, size_t code_step, double noise)
{
    for (size_t i = 0; i < contexts; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < codes; j++) sum += table[i * context_step + j * code_step];
        if (!(sum > CLEAR * noise * sqrt((double)codes))) continue;
        const double scale = fmin(fmax(shares[i] / sum, 1.0 / MOST_SCALE), MOST_SCALE);
        for (size_t j = 0; j < codes; j++) table[i * context_step + j * code_step] *= scale;
    }
}

static void sum_groups(double *sums, const sbl_known_side *side, const double *shares, size_t codes)
{
    memset(sums, 0, side->groups * sizeof *sums);
    for (size_t v = 0; v < codes; v++) sums[side->of[v]] += shares[v];
}

/* The table as measured becomes the nearest one that can be: of its margins, and nothing below 0. */
static void solve_table(sbl_history_edges *w, size_t edge, const sbl_known_table *known, double total,
                        const sbl_table_side *down, const sbl_table_side *across, bool context_first,
                        bool draw)
{
    const size_t rows = down->codes, columns = across->codes;
    double *table = w->table, *rest = table + rows * columns;
    const double noise = sqrt(known->variance) / total;
    w->noise2[edge] = noise * noise;
    for (size_t i = 0; i < rows * columns; i++) table[i] = known->values[i] / total;
    scale_contexts(table, context_first ? down->shares : across->shares, context_first ? rows : columns,
                   context_first ? columns : rows, context_first ? columns : 1, context_first ? 1 : columns,
                   noise);
    sbl_table_holes(w->holes, table, down, across, noise);
    sbl_table_set_margins(table, rows, columns, down->shares, across->shares);
    measure(w, edge, table, rest, rows, columns, down->shares, across->shares);
    if (draw)
        sbl_table_project_scores(table, rows, columns, down->shares, across->shares, w->holes, w->rows.groups,
                                 w->columns.groups, rest);
    else
        sbl_table_project(table, rows, columns, down->shares, across->shares, w->holes, rest);
}

/* A draw: the factor of each entry over groups that makes the sum of its entries over codes, which are spread by
 * sbl_history_scores_ratio(), what the table has. ratios, factors: (groups). */
static void spread_groups(double *ratios, double *factors, const sbl_history_edges *w,
                          const sbl_known_table *known, const double *p, const double *q, size_t rows,
                          size_t columns)
{
    const size_t high = known->rows.groups, wide = known->columns.groups;
    for (size_t i = 0; i < high * wide; i++) {
        const double whole = w->down[i / wide] * w->across[i % wide];
        ratios[i] = whole > 0 ? w->table[i] / whole : 0;
        factors[i] = 0;
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            factors[known->rows.of[i] * wide + known->columns.of[j]] +=
                p[i] * q[j] * sbl_history_scores_ratio(&w->rows, &w->columns, ratios, wide, i, j);
    for (size_t i = 0; i < high * wide; i++) factors[i] = factors[i] > 0 ? w->table[i] / factors[i] : 0;
}

/* The two sides of an edge's table, and the shares of their codes. */
typedef struct edge_sides {
    uint32_t first, second;
    size_t rows, columns;
    const double *p, *q;
} edge_sides;

/* The target of one edge, and what independence would give. Within groups of codes columns are independent in a fit; in
 * a draw a number does not jump from group to group. */
static void set_entries(sbl_history_targets *targets, sbl_history_edges *w, const sbl_known_table *known,
                        const edge_sides *sides, const sbl_walk_edge *e, size_t lanes, bool draw)
{
    const size_t high = known->rows.groups, wide = known->columns.groups;
    double *ratios = w->table + high * wide, *factors = ratios + high * wide;
    if (draw) spread_groups(ratios, factors, w, known, sides->p, sides->q, sides->rows, sides->columns);
    for (size_t i = 0; i < sides->rows; i++)
        for (size_t j = 0; j < sides->columns; j++) {
            const bool context_first = e->side == sides->first;
            const size_t context = context_first ? i : j, code = context_first ? j : i;
            const size_t I = known->rows.of[i], J = known->columns.of[j];
            const double even = sides->p[i] * sides->q[j], whole = w->down[I] * w->across[J];
            double target = whole > 0.0 ? w->table[I * wide + J] * (even / whole) : 0.0;
            if (draw)
                target = even * factors[I * wide + J] *
                         sbl_history_scores_ratio(&w->rows, &w->columns, ratios, wide, i, j);
            targets->targets[e->at + context * lanes + code] = (float)target;
            targets->even[e->at + context * lanes + code] = (float)even;
        }
}

void sbl_history_edges_set(sbl_history_targets *targets, sbl_history_edges *w,
                           const sbl_history_margins *margins, const sbl_history_selection *selection,
                           const sbl_walk *walk, const sbl_walk_column *column, size_t edge)
{
    const sbl_walk_edge *e = &walk->edges[edge];
    const bool context_first = e->side < column->base, draw = selection->setting.draw;
    edge_sides s = {.first = context_first ? e->side : column->base,
                    .second = context_first ? column->base : e->side,
                    .rows = context_first ? e->codes : column->codes,
                    .columns = context_first ? column->codes : e->codes};
    const sbl_known_table *known =
        table_of(selection, walk->shape->number[s.first], walk->shape->number[s.second]);
    const sbl_history_sort sort = sbl_history_sort_of(walk->shape, s.first, s.second);
    s.p = sbl_history_margin(margins, s.first, sort);
    s.q = sbl_history_margin(margins, s.second, sort);
    sum_groups(w->down, &known->rows, s.p, s.rows);
    sum_groups(w->across, &known->columns, s.q, s.columns);
    const sbl_table_side down = side_of(walk, s.first, &known->rows, w->down);
    const sbl_table_side across = side_of(walk, s.second, &known->columns, w->across);
    if (draw) {
        sbl_history_scores_set(&w->rows, selection, walk, s.first, &known->rows, s.p);
        sbl_history_scores_set(&w->columns, selection, walk, s.second, &known->columns, s.q);
    }
    solve_table(w, edge, known, sbl_history_total(selection, 1, walk->shape, sort), &down, &across,
                context_first, draw);
    w->part[edge] = (double)(down.codes * across.codes) / (double)(s.rows * s.columns);
    set_entries(targets, w, known, &s, e, column->lanes, draw);
}

sbl_status sbl_history_edges_ridges(sbl_history_targets *targets, sbl_history_edges *w, size_t edges,
                                    bool draw, sbl_error *err)
{
    if (edges == 0) return SBL_OK;
    SBL_CHECK(sbl_bayes_energies(w->energy, w->energy, w->error, w->noise2, edges, err));
    for (size_t e = 0; e < edges; e++) {
        double energy = fmax(w->energy[e], fmax(DOUBT * w->error[e], LEAST_ENERGY));
        if (draw) energy = GENEROUS * fmax(energy, w->error[e]);
        targets->ridges[e] = (float)(RIDGE * w->part[e] * w->noise2[e] / energy);
    }
    return SBL_OK;
}
