/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Margins by inverse variance, tables projected onto them, ridges by empirical Bayes over all tables
 * of a walk. */
#include "after/histories/history_targets.h"

#include <math.h>
#include <string.h>

#include "after/histories/history_edges.h"
#include "public/schema/missing.h"

#define WHAT "a fit of histories"
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
    sbl_history_edges w = {0};
    sbl_status status = SBL_OK;
    *targets = (sbl_history_targets){0};
    SBL_POOL(&targets->pool, targets->shares, walk->bias_size, 1, WHAT);
    SBL_POOL(&targets->pool, targets->never, walk->bias_size, 1, WHAT);
    SBL_POOL(&targets->pool, targets->targets, walk->table_size, 1, WHAT);
    SBL_POOL(&targets->pool, targets->even, walk->table_size, 1, WHAT);
    SBL_POOL(&targets->pool, targets->ridges, walk->edge_count, 1, WHAT);
    SBL_TRY(sbl_history_edges_init(&w, walk, err));
    SBL_TRY(estimate_all(margins, selection, walk, err));
    for (size_t c = 0; c < walk->column_count; c++) {
        const sbl_walk_column *column = &walk->columns[c];
        const double *shares = sbl_history_margin(
            margins, column->base, sbl_history_sort_of(walk->shape, column->base, SBL_HISTORY_NONE));
        for (uint32_t v = 0; v < column->codes; v++) targets->shares[column->bias_at + v] = (float)shares[v];
        if (margins->never[column->base] != SBL_PAIRS_NO_CELL)
            targets->never[column->bias_at + margins->never[column->base]] = 1;
        for (size_t e = 0; e < column->edge_count; e++)
            sbl_history_edges_set(targets, &w, margins, selection, walk, column, column->first_edge + e);
    }
    SBL_TRY(sbl_history_edges_ridges(targets, &w, walk->edge_count, selection->setting.draw, err));
done:
    sbl_pool_clear(&w.pool);
    return status;
}
