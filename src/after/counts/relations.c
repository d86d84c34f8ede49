/* SPDX-License-Identifier: Apache-2.0 */
/* With R = T - N p q' centred, p and q the margins averaged over m tables that share the map, noise of variance v
 * adds to |R|^2 in expectation v a(p, r) a(q, c), a(p, r) = r - 1 + (r |p|^2 - 1) / m, and the sampling of N
 * independent records N (1 - |p|^2) (1 - |q|^2). For m = 1 this is the oblique projection (I - p 1') E (I - 1 q'),
 * for large m the orthogonal one (docs/mechanisms/pairs.md). */
#include "after/counts/relations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "after/counts/table_math.h"
#include "base/alloc.h"

#define WHAT "relations between columns"

/* One side of the tables of a release. */
typedef struct margin {
    double *sums; /* (cells) */
    double tables;
} margin;

void sbl_pair_strengths_clear(sbl_pair_strengths *relations)
{
    sbl_free(relations->items);
    *relations = (sbl_pair_strengths){0};
}

static bool is_pair(const sbl_pairs_table *table) { return table->second != SBL_PAIRS_NO_MAP; }

static void add_margins(double *first, double *second, const double *values, size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            first[i] += values[i * columns + j];
            second[j] += values[i * columns + j];
        }
}

/* Into shares, none below 0. Returns the sum of their squares, or 0 where nothing is left. */
static double normalise(double *shares, const double *sums, size_t cells)
{
    double total = 0.0, squares = 0.0;
    for (size_t i = 0; i < cells; i++) total += fmax(sums[i], 0.0);
    if (!(total > 0.0)) return 0.0;
    for (size_t i = 0; i < cells; i++) {
        shares[i] = fmax(sums[i], 0.0) / total;
        squares += shares[i] * shares[i];
    }
    return squares;
}

/* rest: scratch for the table; p, q: shares with sums of squares p2, q2, averaged over first and second tables. */
typedef struct sides {
    const double *p, *q;
    double p2, q2;
    double first, second;
    size_t rows, columns;
} sides;

static double strength_of(double *rest, const double *values, double noise, const sides *s)
{
    const double r = (double)s->rows, c = (double)s->columns, v = noise * noise;
    double total = 0.0;
    for (size_t i = 0; i < s->rows * s->columns; i++) total += values[i];
    total = fmax(total, 0.0);
    for (size_t i = 0; i < s->rows; i++)
        for (size_t j = 0; j < s->columns; j++)
            rest[i * s->columns + j] = values[i * s->columns + j] - total * s->p[i] * s->q[j];
    sbl_table_centre(rest, s->rows, s->columns);
    const double energy = sbl_table_energy(rest, s->rows, s->columns);
    const double extra_p = (r * s->p2 - 1.0) / s->first, extra_q = (c * s->q2 - 1.0) / s->second;
    const double sampling = total * (1.0 - s->p2) * (1.0 - s->q2);
    const double expected = v * (r - 1.0 + extra_p) * (c - 1.0 + extra_q) + sampling;
    const double spread = (r - 2.0 + pow(1.0 + extra_p, 2.0)) * (c - 2.0 + pow(1.0 + extra_q, 2.0));
    const double each = v + sampling / ((r - 1.0) * (c - 1.0));
    return (energy - expected) / (each * sqrt(2.0 * spread));
}

static sbl_status append(sbl_pair_strengths *relations, sbl_pair_strength item, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (relations->count == relations->capacity) {
        SBL_RESIZE(relations->items, 2 * relations->capacity + 16, WHAT);
        relations->capacity = 2 * relations->capacity + 16;
    }
    relations->items[relations->count++] = item;
done:
    return status;
}

static sbl_status take_table(sbl_pair_strengths *relations, const sbl_pairs_plan *plan, size_t t,
                             const double *values, double noise, const margin *margins, bool one_total,
                             sbl_error *err)
{
    const sbl_pairs_table *table = &plan->tables[t];
    const sbl_pairs_map *a = &plan->maps[table->first], *b = &plan->maps[table->second];
    const size_t rows = a->cells, columns = b->cells;
    double *scratch = NULL, *own = NULL;
    sbl_status status = SBL_OK;
    if (rows < 2 || columns < 2 || !(noise > 0.0)) return SBL_OK;
    SBL_ALLOC(scratch, rows * columns + rows + columns, WHAT);
    SBL_ALLOC(own, rows + columns, WHAT);
    double *p = scratch + rows * columns, *q = p + rows;
    if (!one_total) add_margins(own, own + rows, values, rows, columns);
    const double p2 = normalise(p, one_total ? margins[table->first].sums : own, rows);
    const double q2 = normalise(q, one_total ? margins[table->second].sums : own + rows, columns);
    if (p2 > 0.0 && q2 > 0.0) {
        const sides s = {.p = p,
                         .q = q,
                         .p2 = p2,
                         .q2 = q2,
                         .rows = rows,
                         .columns = columns,
                         .first = one_total ? margins[table->first].tables : 1.0,
                         .second = one_total ? margins[table->second].tables : 1.0};
        const bool ordered = a->column < b->column;
        SBL_TRY(append(relations,
                       (sbl_pair_strength){.first = ordered ? a->column : b->column,
                                           .second = ordered ? b->column : a->column,
                                           .strength = strength_of(scratch, values, noise, &s)},
                       err));
    }
done:
    sbl_free(scratch);
    sbl_free(own);
    return status;
}

sbl_status sbl_pair_strengths_take(sbl_pair_strengths *relations, const sbl_pairs_plan *plan,
                                   const double *const *values, const double *noise, bool one_total,
                                   sbl_error *err)
{
    sbl_pool pool = {0};
    margin *margins = NULL;
    sbl_status status = SBL_OK;
    SBL_POOL(&pool, margins, plan->map_count, 1, WHAT);
    for (size_t m = 0; m < plan->map_count; m++)
        SBL_POOL(&pool, margins[m].sums, plan->maps[m].cells, 1, WHAT);
    for (size_t t = 0; t < plan->table_count; t++) {
        const sbl_pairs_table *table = &plan->tables[t];
        if (!is_pair(table)) continue;
        add_margins(margins[table->first].sums, margins[table->second].sums, values[t],
                    plan->maps[table->first].cells, plan->maps[table->second].cells);
        margins[table->first].tables += 1.0;
        margins[table->second].tables += 1.0;
    }
    for (size_t t = 0; t < plan->table_count; t++)
        if (is_pair(&plan->tables[t]))
            SBL_TRY(take_table(relations, plan, t, values[t], noise[t], margins, one_total, err));
done:
    sbl_pool_clear(&pool);
    return status;
}

double sbl_relation_hidden(double rows, double columns, double noise, double records)
{
    const double freedom = (rows - 1.0) * (columns - 1.0);
    const double sampling = records * (1.0 - 1.0 / rows) * (1.0 - 1.0 / columns);
    const double each = noise * noise + sampling / freedom;
    const double energy = SBL_RELATION_SEEN * each * sqrt(2.0 * freedom);
    return 0.5 * sqrt(rows * columns * energy) / records;
}

static int by_pair(const void *a, const void *b)
{
    const sbl_pair_strength *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->second != y->second) return x->second < y->second ? -1 : 1;
    return (x->strength < y->strength) - (x->strength > y->strength);
}

static int by_strength(const void *a, const void *b)
{
    const sbl_pair_strength *x = a, *y = b;
    if (x->strength != y->strength) return x->strength > y->strength ? -1 : 1;
    return by_pair(a, b);
}

void sbl_pair_strengths_settle(sbl_pair_strengths *relations)
{
    size_t kept = 0;
    if (relations->count == 0) return;
    qsort(relations->items, relations->count, sizeof *relations->items, by_pair);
    for (size_t i = 0; i < relations->count; i++) {
        const sbl_pair_strength *item = &relations->items[i];
        const sbl_pair_strength *last = kept > 0 ? &relations->items[kept - 1] : NULL;
        if (last == NULL || last->first != item->first || last->second != item->second)
            relations->items[kept++] = *item;
    }
    relations->count = kept;
    qsort(relations->items, kept, sizeof *relations->items, by_strength);
}
