/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Arithmetic of noisy tables of counts (table_math.h). */
#include "after/counts/table_math.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"

/* Two-way tables: centring, margins, and Gaussian conditioning on sums over groups. */

void sbl_table_centre(double *table, size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < columns; j++) sum += table[i * columns + j];
        for (size_t j = 0; j < columns; j++) table[i * columns + j] -= sum / (double)columns;
    }
    for (size_t j = 0; j < columns; j++) {
        double sum = 0;
        for (size_t i = 0; i < rows; i++) sum += table[i * columns + j];
        for (size_t i = 0; i < rows; i++) table[i * columns + j] -= sum / (double)rows;
    }
}

double sbl_table_energy(const double *table, size_t rows, size_t columns)
{
    double sum = 0;
    for (size_t i = 0; i < rows * columns; i++) sum += table[i] * table[i];
    return sum;
}

void sbl_table_set_margins(double *table, size_t rows, size_t columns, const double *p, const double *q)
{
    double total = 0;
    for (size_t i = 0; i < rows; i++) total += p[i];
    sbl_table_centre(table, rows, columns);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            table[i * columns + j] +=
                p[i] / (double)columns + q[j] / (double)rows - total / (double)(rows * columns);
}

double sbl_table_condition(double *table, size_t rows, size_t columns, double noise2,
                           const sbl_table_groups *groups, const double *sums, double group_noise2,
                           double *scratch)
{
    const size_t cells = groups->row_groups * groups->column_groups;
    double *surprise = scratch, known = 0;
    memcpy(surprise, sums, cells * sizeof *sums);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            surprise[groups->row_group[i] * groups->column_groups + groups->column_group[j]] -=
                table[i * columns + j];
    for (size_t g = 0; g < cells; g++) {
        double height = 0, width = 0;
        for (size_t i = 0; i < rows; i++) height += groups->row_group[i] == g / groups->column_groups;
        for (size_t j = 0; j < columns; j++) width += groups->column_group[j] == g % groups->column_groups;
        const double share = noise2 / (height * width * noise2 + group_noise2);
        surprise[g] *= share;
        known += share * height * width;
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            table[i * columns + j] +=
                surprise[groups->row_group[i] * groups->column_groups + groups->column_group[j]];
    return noise2 * (1 - known / (double)(rows * columns));
}

/* [6] Tiles of 1, 4 or 16 codes a side, each half a tile from the last. A tile is empty if its sum
 * is at most 1.5 deviations of its noise where independent columns would put at least 6. */

#define QUIET 1.5    /* noises of a tile: it holds no more */
#define EXPECTED 6.0 /* noises of a tile: independent columns would put more there */
#define LARGEST 16   /* codes of a side of a tile: 1, 4, 16 */

typedef struct span {
    size_t from, size;
} span;

static double mass_of(const sbl_table_side *side, span s)
{
    double mass = 0;
    for (size_t i = s.from; i < s.from + s.size; i++) mass += side->shares[i];
    return mass;
}

static void try_tile(uint8_t *holes, const double *table, const sbl_table_side *rows,
                     const sbl_table_side *columns, double noise, span down, span across)
{
    const double deviation = noise * sqrt((double)(down.size * across.size));
    if (mass_of(rows, down) * mass_of(columns, across) < EXPECTED * deviation) return;
    double sum = 0;
    for (size_t i = down.from; i < down.from + down.size; i++)
        for (size_t j = across.from; j < across.from + across.size; j++) sum += table[i * columns->codes + j];
    if (sum > QUIET * deviation) return;
    for (size_t i = down.from; i < down.from + down.size; i++)
        memset(holes + i * columns->codes + across.from, 1, across.size);
}

/* The next span of its size, half of it further; false: there is none. Single codes need no order. */
static bool next_span(span *s, const sbl_table_side *side)
{
    s->from += s->size > 1 ? s->size / 2 : 1;
    return s->from + s->size <= (s->size > 1 ? side->ordered : side->codes);
}

void sbl_table_holes(uint8_t *holes, const double *table, const sbl_table_side *rows,
                     const sbl_table_side *columns, double noise)
{
    memset(holes, 0, rows->codes * columns->codes);
    for (size_t height = 1; height <= LARGEST && (height == 1 || height <= rows->ordered); height *= 4)
        for (size_t width = 1; width <= LARGEST && (width == 1 || width <= columns->ordered); width *= 4) {
            span down = {0, height};
            do {
                span across = {0, width};
                do try_tile(holes, table, rows, columns, noise, down, across);
                while (next_span(&across, columns));
            } while (next_span(&down, rows));
        }
}

/* Water filling: each table's slope is tabulated at 49 precisions, and a bisection on the common
 * slope t gives every table its precision, scaled in the end to the budget exactly. */

#define MEAN_ABS 0.79788456080286536 /* E |N(0,1)| = sqrt(2 / pi) */
#define LOWEST 1e-6                  /* precision of the first point, of the budget */
#define STEPS 100

double sbl_allocate_point(size_t point, double budget)
{
    if (point == 0) return 0;
    const double part = (double)(point - 1) / (SBL_SLOPE_POINTS - 2);
    return budget * pow(LOWEST, 1 - part);
}

/* d/dw of .798 weight sqrt(s / (1 + s w)), without its sign. */
void sbl_slopes_add(sbl_slopes *slopes, double variance, double weight, double budget)
{
    if (!(variance > 0)) return;
    const double step = pow(LOWEST, -1.0 / (SBL_SLOPE_POINTS - 2));
    const double top = 0.5 * MEAN_ABS * weight * variance * sqrt(variance);
    double precision = budget * LOWEST;
    slopes->at[0] += top;
    for (size_t i = 1; i < SBL_SLOPE_POINTS; i++) {
        const double shrink = 1 / (1 + variance * precision);
        slopes->at[i] += top * shrink * sqrt(shrink);
        precision *= step;
    }
}

/* The precision at which the slope is t, between points by the straight line of logarithms. */
static double precision_at(const sbl_slopes *slopes, double t, double budget)
{
    size_t low = 0, high = SBL_SLOPE_POINTS - 1;
    if (!(slopes->at[0] > t)) return 0;
    if (slopes->at[high] >= t) return budget;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (slopes->at[middle] >= t)
            low = middle;
        else
            high = middle;
    }
    const double above = slopes->at[low], below = slopes->at[high];
    const double a = sbl_allocate_point(low, budget), b = sbl_allocate_point(high, budget);
    if (low == 0) return b * (above - t) / (above - below);
    return a * pow(b / a, log(above / t) / log(above / below));
}

static double give(double *precision, const sbl_slopes *tables, size_t count, double t, double budget,
                   double least)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        precision[i] = precision_at(&tables[i], t, budget);
        if (precision[i] < least * budget) precision[i] = 0;
        sum += precision[i];
    }
    return sum;
}

void sbl_allocate(double *precision, const sbl_slopes *tables, size_t count, double budget, double least)
{
    double high = 0;
    for (size_t i = 0; i < count; i++) high = fmax(high, tables[i].at[0]);
    double low = high * 1e-30;
    for (int step = 0; high > 0 && step < STEPS; step++) {
        const double t = sqrt(low) * sqrt(high);
        if (give(precision, tables, count, t, budget, least) > budget)
            low = t;
        else
            high = t;
    }
    /* At `high` too little is given or just enough, at `low` too much; `least` makes steps. */
    double sum = give(precision, tables, count, high, budget, least);
    if (!(sum > 0)) sum = give(precision, tables, count, low, budget, least);
    for (size_t i = 0; i < count; i++) precision[i] *= sum > 0 ? budget / sum : 0;
}

/* Expectation maximisation over 33 atoms, with likelihoods scaled by their largest so that none
 * underflows, and the posterior mean of each pair. */

#define ATOMS 33
#define LOWEST_ATOM 1e-4 /* first atom above 0, of the largest */
#define EM_STEPS 60
#define PRIOR 0.02 /* pairs that each atom is thought to have beforehand */

static void fill_atoms(double *atoms, const double *energies, const double *errors, size_t count)
{
    double top = 0, least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        top = fmax(top, energies[i]);
        least = fmin(least, errors[i]);
    }
    top = fmax(top, least);
    atoms[0] = 0;
    for (int a = 1; a < ATOMS; a++) atoms[a] = top * pow(LOWEST_ATOM, 1 - (a - 1.0) / (ATOMS - 2));
}

static void likelihoods(double *row, const double *atoms, double energy, double error, double v)
{
    double best = -INFINITY;
    for (int a = 0; a < ATOMS; a++) {
        const double variance = error * error + 4 * v * atoms[a], gap = energy - atoms[a];
        row[a] = -0.5 * (gap * gap / variance + log(variance));
        best = fmax(best, row[a]);
    }
    for (int a = 0; a < ATOMS; a++) row[a] = exp(row[a] - best);
}

static double total(const double *row, const double *weights)
{
    double sum = 0;
    for (int a = 0; a < ATOMS; a++) sum += row[a] * weights[a];
    return sum;
}

static void expectation_step(double *weights, const double *likelihood, size_t count)
{
    double next[ATOMS], sum = 0;
    for (int a = 0; a < ATOMS; a++) next[a] = PRIOR;
    for (size_t i = 0; i < count; i++) {
        const double *row = likelihood + i * ATOMS, all = total(row, weights);
        for (int a = 0; a < ATOMS; a++) next[a] += row[a] * weights[a] / all;
    }
    for (int a = 0; a < ATOMS; a++) sum += next[a];
    for (int a = 0; a < ATOMS; a++) weights[a] = next[a] / sum;
}

sbl_status sbl_bayes_energies(double *means, const double *energies, const double *errors,
                              const double *variances, size_t count, sbl_error *err)
{
    double atoms[ATOMS], weights[ATOMS];
    sbl_status status = SBL_OK;
    double *likelihood;
    SBL_ALLOC(likelihood, ATOMS * count, "the energies of pairs");
    fill_atoms(atoms, energies, errors, count);
    for (size_t i = 0; i < count; i++)
        likelihoods(likelihood + i * ATOMS, atoms, energies[i], errors[i], variances[i]);
    for (int a = 0; a < ATOMS; a++) weights[a] = 1.0 / ATOMS;
    for (int step = 0; step < EM_STEPS; step++) expectation_step(weights, likelihood, count);
    for (size_t i = 0; i < count; i++) {
        const double *row = likelihood + i * ATOMS;
        double sum = 0;
        for (int a = 0; a < ATOMS; a++) sum += row[a] * weights[a] * atoms[a];
        means[i] = sum / total(row, weights);
    }
done:
    sbl_free(likelihood);
    return status;
}
