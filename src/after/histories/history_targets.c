/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Margins by inverse variance, tables projected onto them, ridges by empirical Bayes over all tables
 * of a walk. */
#include "after/histories/history_targets.h"

#include <math.h>
#include <string.h>

#include "after/counts/table_math.h"
#include "public/schema/missing.h"

#define WHAT "a fit of histories"
#define RIDGE 0.5
#define DOUBT 0.02 /* of its error: the least energy of a table */
#define LEAST_ENERGY 1e-14
#define SHARE_OF_NOTHING 1e-9

/* ---- margins ---- */

sbl_status sbl_history_margins_init(sbl_history_margins *margins, const sbl_history_shape *shape,
                                    sbl_error *err)
{
    sbl_status status = SBL_OK;
    *margins = (sbl_history_margins){0};
    SBL_POOL(&margins->pool, margins->shares, shape->side_count, SBL_HISTORY_SORTS, WHAT);
    SBL_POOL(&margins->pool, margins->never, shape->base_count, 1, WHAT);
    for (size_t b = 0; b < shape->base_count; b++) margins->never[b] = SBL_PAIRS_NO_CELL;
done:
    return status;
}

void sbl_history_margins_clear(sbl_history_margins *margins) { sbl_pool_clear(&margins->pool); }

double *sbl_history_margin(const sbl_history_margins *margins, size_t side, sbl_history_sort sort)
{
    return margins->shares[side * SBL_HISTORY_SORTS + sort];
}

sbl_status sbl_history_margins_count(sbl_history_margins *margins, const sbl_walk *walk,
                                     const sbl_walk_rows *rows, sbl_error *err)
{
    const sbl_history_shape *shape = walk->shape;
    sbl_status status = SBL_OK;
    for (size_t i = 0; i <= shape->person_count; i++)
        for (size_t sort = SBL_OF_EVENTS; sort <= SBL_OF_STEPS; sort++) {
            const size_t side = i < shape->person_count ? i : shape->position;
            const uint32_t codes = sbl_side_codes(shape, walk->codes, side);
            double total = SHARE_OF_NOTHING * codes, *shares;
            SBL_POOL(&margins->pool, shares, codes, 1, WHAT);
            for (uint32_t v = 0; v < codes; v++) shares[v] = SHARE_OF_NOTHING;
            for (size_t p = 0; p < rows->persons; p++) {
                const size_t first = rows->starts[p], m = rows->starts[p + 1] - first;
                for (size_t r = 0; r < m; r++) {
                    const double weight = sbl_walk_weight(rows, p, m, r, (sbl_history_sort)sort);
                    shares[rows->rows[(first + r) * walk->width + side]] += weight;
                    total += weight;
                }
            }
            for (uint32_t v = 0; v < codes; v++) shares[v] /= total;
            margins->shares[side * SBL_HISTORY_SORTS + sort] = shares;
        }
done:
    return status;
}

/* How codes divide their groups: shares (codes) sum to 1 in each. mass (codes): nothing below 0; NULL: even. */
static sbl_status divide_groups(double *shares, const sbl_known_side *side, const double *mass, size_t codes,
                                sbl_error *err)
{
    double *sums = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(sums, side->groups, WHAT);
    for (size_t v = 0; v < codes; v++) sums[side->of[v]] += (mass != NULL ? mass[v] : 0.0) + SHARE_OF_NOTHING;
    for (size_t v = 0; v < codes; v++)
        shares[v] = ((mass != NULL ? mass[v] : 0.0) + SHARE_OF_NOTHING) / sums[side->of[v]];
done:
    sbl_free(sums);
    return status;
}

#define LEAST_PART 1e-3 /* of a group: no code's variance is less than that of such a part */

/* sums += y / v, weights += 1 / v, of the margin of one table, in shares of total. A group's sum is divided among its codes
 * by `parts`. */
static void add_table(double *sums, double *weights, const sbl_known_table *table, double total,
                      const double *parts, size_t codes, bool of_rows)
{
    const sbl_known_side *own = of_rows ? &table->rows : &table->columns;
    const sbl_known_side *other = of_rows ? &table->columns : &table->rows;
    const size_t step = of_rows ? 1 : own->groups, first = of_rows ? other->groups : 1;
    const double weight = total * total / (table->variance * (double)other->groups);
    for (size_t v = 0; v < codes; v++) {
        const double part = fmax(parts[v], LEAST_PART);
        double sum = 0.0;
        for (size_t j = 0; j < other->groups; j++) sum += table->values[own->of[v] * first + j * step];
        sums[v] += weight / (part * part) * parts[v] * sum / total;
        weights[v] += weight / (part * part);
    }
}

/* The code of a base's missing values, where it holds nothing else; else SBL_PAIRS_NO_CELL. */
static uint32_t missing_code(const sbl_history_selection *selection, size_t base)
{
    const sbl_pairs_column *column = &selection->tree->columns[base];
    const uint32_t cell = sbl_pairs_missing(column), *of = selection->codes[base].of;
    if (cell == SBL_PAIRS_NO_CELL) return SBL_PAIRS_NO_CELL;
    for (uint32_t c = 0; c < column->cells; c++)
        if (c != cell && of[c] == of[cell]) return SBL_PAIRS_NO_CELL;
    return of[cell];
}

/* From all that is known of a base itself, and before its contexts are: has any record a missing value? */
static void test_missing(const sbl_history_margins *margins, const sbl_history_selection *selection,
                         const sbl_history_shape *shape, size_t base, const double *shares,
                         const double *variances)
{
    const sbl_history_tree *tree = selection->tree;
    const uint32_t code = missing_code(selection, shape->number[base]);
    if (code == SBL_PAIRS_NO_CELL) return;
    const size_t tested = sbl_pairs_missing_count(tree->columns, tree->base_count);
    if (sbl_missing_is_noise(shares[code], sqrt(variances[code]), false, tested)) margins->never[base] = code;
}

/* A context that repeats a base's codes has none that the base never has. */
static uint32_t never_of(const sbl_history_margins *margins, const sbl_history_shape *shape, size_t side)
{
    const sbl_side_kind kind = shape->sides[side].kind;
    const bool repeats = side < shape->base_count || kind == SBL_SIDE_PREVIOUS || kind == SBL_SIDE_MEMORY;
    return repeats ? margins->never[shape->sides[side].base] : SBL_PAIRS_NO_CELL;
}

/* What the tables of one sort say of a side. */
static sbl_status add_tables(double *sums, double *weights, const sbl_history_selection *selection,
                             const sbl_walk *walk, size_t side, sbl_history_sort sort, sbl_error *err)
{
    const sbl_history_shape *shape = walk->shape;
    const uint32_t codes = sbl_side_codes(shape, walk->codes, side);
    const size_t base = sbl_tree_side_base(selection->tree, shape->number[side]);
    double *mass = NULL, *parts = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(mass, codes, WHAT);
    SBL_ALLOC(parts, codes, WHAT);
    for (size_t c = 0; base != SBL_HISTORY_NONE && c < selection->tree->columns[base].cells; c++)
        mass[selection->codes[base].of[c]] += selection->bases[base].fine[c];
    for (size_t t = 0; t < selection->table_count; t++) {
        const sbl_known_table *table = &selection->tables[t];
        const uint32_t first = shape->local[table->first], second = shape->local[table->second];
        if ((first != side && second != side) || first == SBL_NO_SIDE || second == SBL_NO_SIDE ||
            sbl_history_sort_of(shape, first, second) != sort)
            continue;
        const sbl_known_side *own = first == side ? &table->rows : &table->columns;
        SBL_TRY(divide_groups(parts, own, base != SBL_HISTORY_NONE ? mass : NULL, codes, err));
        add_table(sums, weights, table, sbl_history_total(selection, 1, shape, sort), parts, codes,
                  first == side);
    }
done:
    sbl_free(mass);
    sbl_free(parts);
    return status;
}

/* What every release says of a side in tables of one sort. */
static sbl_status estimate(sbl_history_margins *margins, const sbl_history_selection *selection,
                           const sbl_walk *walk, size_t side, sbl_history_sort sort, sbl_error *err)
{
    const sbl_history_shape *shape = walk->shape;
    const uint32_t codes = sbl_side_codes(shape, walk->codes, side);
    const double once = sbl_history_total(selection, 0, shape, sort);
    double *shares, *weights = NULL;
    sbl_status status = SBL_OK;
    if (sbl_history_margin(margins, side, sort) != NULL) return SBL_OK;
    SBL_POOL(&margins->pool, shares, codes, 1, WHAT);
    SBL_ALLOC(weights, codes, WHAT);
    if (side < shape->base_count && sbl_history_sort_of(shape, side, SBL_HISTORY_NONE) == sort)
        for (uint32_t v = 0; v < codes; v++) {
            const sbl_known_base *known = &selection->bases[shape->number[side]];
            weights[v] = once * once / known->variances[v];
            shares[v] = known->counts[v] / once * weights[v];
        }
    SBL_TRY(add_tables(shares, weights, selection, walk, side, sort, err));
    for (uint32_t v = 0; v < codes; v++) {
        shares[v] = weights[v] > 0.0 ? shares[v] / weights[v] : 1.0 / (double)codes;
        weights[v] = weights[v] > 0.0 ? 1.0 / weights[v] : 1.0;
    }
    if (side < shape->base_count && sbl_history_sort_of(shape, side, SBL_HISTORY_NONE) == sort)
        test_missing(margins, selection, shape, side, shares, weights);
    const uint32_t never = never_of(margins, shape, side);
    if (never != SBL_PAIRS_NO_CELL) shares[never] = -INFINITY; /* stays out */
    sbl_pairs_project_simplex(shares, shares, weights, codes, 1.0);
    margins->shares[side * SBL_HISTORY_SORTS + sort] = shares;
done:
    sbl_free(weights);
    return status;
}

/* ---- tables ---- */

/* One edge of the walk while its target is made: the table has the side with the lower number first. */
typedef struct working {
    double *energy, *error, *noise2; /* (edge_count): of the table as it was measured */
    double *part;                    /* (edge_count): its entries for each entry over codes */
    double *table;                   /* three times the largest table and its sides */
    double *down, *across;           /* (largest table): shares of groups */
    uint8_t *holes;
    sbl_pool pool;
} working;

static size_t largest_edge(const sbl_walk *walk)
{
    size_t most = 1;
    for (size_t c = 0; c < walk->column_count; c++)
        for (size_t e = 0; e < walk->columns[c].edge_count; e++) {
            const size_t rows = walk->edges[walk->columns[c].first_edge + e].codes;
            const size_t columns = walk->columns[c].codes;
            const size_t size = 3 * rows * columns + rows + columns;
            if (size > most) most = size;
        }
    return most;
}

static sbl_status working_init(working *w, const sbl_walk *walk, sbl_error *err)
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
static void measure(working *w, size_t edge, const double *table, double *rest, size_t rows, size_t columns,
                    const double *p, const double *q)
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
static void solve_table(working *w, size_t edge, const sbl_known_table *known, double total,
                        const sbl_table_side *down, const sbl_table_side *across, bool context_first)
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
    sbl_table_project(table, rows, columns, down->shares, across->shares, w->holes, rest);
}

/* The target of one edge, and what independence would give. Within groups of codes columns are independent. */
static void set_target(sbl_history_targets *targets, working *w, const sbl_history_margins *margins,
                       const sbl_history_selection *selection, const sbl_walk *walk,
                       const sbl_walk_column *column, size_t edge)
{
    const sbl_walk_edge *e = &walk->edges[edge];
    const bool context_first = e->side < column->base;
    const uint32_t first = context_first ? e->side : column->base;
    const uint32_t second = context_first ? column->base : e->side;
    const sbl_known_table *known =
        table_of(selection, walk->shape->number[first], walk->shape->number[second]);
    const sbl_history_sort sort = sbl_history_sort_of(walk->shape, first, second);
    const double *p = sbl_history_margin(margins, first, sort);
    const double *q = sbl_history_margin(margins, second, sort);
    const size_t rows = context_first ? e->codes : column->codes;
    const size_t columns = context_first ? column->codes : e->codes;
    sum_groups(w->down, &known->rows, p, rows);
    sum_groups(w->across, &known->columns, q, columns);
    const sbl_table_side down = side_of(walk, first, &known->rows, w->down);
    const sbl_table_side across = side_of(walk, second, &known->columns, w->across);
    solve_table(w, edge, known, sbl_history_total(selection, 1, walk->shape, sort), &down, &across,
                context_first);
    w->part[edge] = (double)(down.codes * across.codes) / (double)(rows * columns);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            const size_t context = context_first ? i : j, code = context_first ? j : i;
            const size_t at = e->at + context * column->lanes + code;
            const size_t I = known->rows.of[i], J = known->columns.of[j];
            const double even = p[i] * q[j], whole = w->down[I] * w->across[J];
            targets->targets[at] =
                (float)(whole > 0.0 ? w->table[I * across.codes + J] * (even / whole) : 0.0);
            targets->even[at] = (float)even;
        }
}

static sbl_status set_ridges(sbl_history_targets *targets, working *w, size_t edges, sbl_error *err)
{
    if (edges == 0) return SBL_OK;
    SBL_CHECK(sbl_bayes_energies(w->energy, w->energy, w->error, w->noise2, edges, err));
    for (size_t e = 0; e < edges; e++) {
        const double energy = fmax(w->energy[e], fmax(DOUBT * w->error[e], LEAST_ENERGY));
        targets->ridges[e] = (float)(RIDGE * w->part[e] * w->noise2[e] / energy);
    }
    return SBL_OK;
}

/* Margins of all sides that the walk's tables have. */
static sbl_status estimate_all(sbl_history_margins *margins, const sbl_history_selection *selection,
                               const sbl_walk *walk, sbl_error *err)
{
    const sbl_history_shape *shape = walk->shape;
    for (size_t c = 0; c < walk->column_count; c++) /* which codes never are is known by then */
        SBL_CHECK(estimate(margins, selection, walk, walk->columns[c].base,
                           sbl_history_sort_of(shape, walk->columns[c].base, SBL_HISTORY_NONE), err));
    for (size_t c = 0; c < walk->column_count; c++) {
        const sbl_walk_column *column = &walk->columns[c];
        for (size_t e = 0; e < column->edge_count; e++) {
            const uint32_t side = walk->edges[column->first_edge + e].side;
            const sbl_history_sort sort = sbl_history_sort_of(shape, side, column->base);
            SBL_CHECK(estimate(margins, selection, walk, side, sort, err));
            SBL_CHECK(estimate(margins, selection, walk, column->base, sort, err));
        }
    }
    return SBL_OK;
}

void sbl_history_targets_clear(sbl_history_targets *targets) { sbl_pool_clear(&targets->pool); }

sbl_status sbl_history_targets_init(sbl_history_targets *targets, sbl_history_margins *margins,
                                    const sbl_history_selection *selection, const sbl_walk *walk,
                                    sbl_error *err)
{
    working w = {0};
    sbl_status status = SBL_OK;
    *targets = (sbl_history_targets){0};
    SBL_POOL(&targets->pool, targets->shares, walk->bias_size, 1, WHAT);
    SBL_POOL(&targets->pool, targets->never, walk->bias_size, 1, WHAT);
    SBL_POOL(&targets->pool, targets->targets, walk->table_size, 1, WHAT);
    SBL_POOL(&targets->pool, targets->even, walk->table_size, 1, WHAT);
    SBL_POOL(&targets->pool, targets->ridges, walk->edge_count, 1, WHAT);
    SBL_TRY(working_init(&w, walk, err));
    SBL_TRY(estimate_all(margins, selection, walk, err));
    for (size_t c = 0; c < walk->column_count; c++) {
        const sbl_walk_column *column = &walk->columns[c];
        const double *shares = sbl_history_margin(
            margins, column->base, sbl_history_sort_of(walk->shape, column->base, SBL_HISTORY_NONE));
        for (uint32_t v = 0; v < column->codes; v++) targets->shares[column->bias_at + v] = (float)shares[v];
        if (margins->never[column->base] != SBL_PAIRS_NO_CELL)
            targets->never[column->bias_at + margins->never[column->base]] = 1;
        for (size_t e = 0; e < column->edge_count; e++)
            set_target(targets, &w, margins, selection, walk, column, column->first_edge + e);
    }
    SBL_TRY(set_ridges(targets, &w, walk->edge_count, err));
done:
    sbl_pool_clear(&w.pool);
    return status;
}
