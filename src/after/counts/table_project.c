/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Dykstra's projections of a two-way table on those with given margins and no entry below 0, and on those that
 * also keep their scores (table_math.h). */
#include "after/counts/table_math.h"

#include <math.h>
#include <string.h>

#define DYKSTRA_ROUNDS 40
#define SCALING_ROUNDS 60
#define EXACT 1e-13 /* of the total: margins that agree so far are equal */

/* What is missing from the margins, spread evenly: row_gap, column_gap are scratch. */
static void restore_margins(double *table, size_t rows, size_t columns, const double *p, const double *q,
                            double *row_gap, double *column_gap)
{
    double total = 0;
    memcpy(column_gap, q, columns * sizeof *q);
    for (size_t i = 0; i < rows; i++) {
        row_gap[i] = p[i];
        for (size_t j = 0; j < columns; j++) {
            row_gap[i] -= table[i * columns + j];
            column_gap[j] -= table[i * columns + j];
        }
        total += row_gap[i];
    }
    const double all = total / (double)(rows * columns);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            table[i * columns + j] += row_gap[i] / (double)columns + column_gap[j] / (double)rows - all;
}

/* Rows, then columns, to their margins. Returns the largest gap of a row before. */
static double scale_once(double *table, size_t rows, size_t columns, const double *p, const double *q,
                         double *sums)
{
    double worst = 0;
    memset(sums, 0, columns * sizeof *sums);
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < columns; j++) sum += table[i * columns + j];
        worst = fmax(worst, fabs(sum - p[i]));
        const double factor = sum > 0 ? p[i] / sum : 0;
        for (size_t j = 0; j < columns; j++) {
            table[i * columns + j] *= factor;
            sums[j] += table[i * columns + j];
        }
    }
    for (size_t j = 0; j < columns; j++) {
        const double factor = sums[j] > 0 ? q[j] / sums[j] : 0;
        for (size_t i = 0; i < rows; i++) table[i * columns + j] *= factor;
    }
    return worst;
}

/* A trace of independence lets every margin be reached. */
static void scale_to_margins(double *table, size_t rows, size_t columns, const double *p, const double *q,
                             double *sums)
{
    double total = 0;
    for (size_t i = 0; i < rows; i++) total += p[i];
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            double *entry = &table[i * columns + j];
            *entry = fmax(*entry, 0) + (total > 0 ? 1e-9 * p[i] * q[j] / total : 0);
        }
    for (int round = 0; round < SCALING_ROUNDS; round++)
        if (scale_once(table, rows, columns, p, q, sums) <= EXACT * total) break;
}

/* One round of the alternation: no entry below 0, none in holes. memory: what was taken away before. */
static void cut_below_zero(double *table, double *memory, const uint8_t *holes, size_t entries)
{
    for (size_t i = 0; i < entries; i++) {
        const double moved = table[i] + memory[i];
        table[i] = holes && holes[i] ? 0 : fmax(moved, 0);
        memory[i] = moved - table[i];
    }
}

static void finish(double *table, size_t rows, size_t columns, const double *p, const double *q,
                   const uint8_t *holes, double *sums)
{
    for (size_t i = 0; holes && i < rows * columns; i++)
        if (holes[i]) table[i] = 0;
    scale_to_margins(table, rows, columns, p, q, sums);
}

void sbl_table_project(double *table, size_t rows, size_t columns, const double *p, const double *q,
                       const uint8_t *holes, double *scratch)
{
    const size_t entries = rows * columns;
    double *memory = scratch, *row_gap = memory + entries, *column_gap = row_gap + rows;
    memset(memory, 0, entries * sizeof *memory);
    for (int round = 0; round < DYKSTRA_ROUNDS; round++) {
        cut_below_zero(table, memory, holes, entries);
        restore_margins(table, rows, columns, p, q, row_gap, column_gap);
    }
    finish(table, rows, columns, p, q, holes, column_gap);
}

/* What one side keeps: for each code of the other side, the sum and the sum of scores. */
typedef struct kept {
    const double *sums;      /* (others): the margin of the other side */
    double *scores;          /* (codes), of mean 0; NULL: none */
    double *values;          /* (others): sums of the scores */
    double squares;          /* of the scores */
    size_t codes, others;    /* of this side, of the other */
    size_t step, other_step; /* between entries of neighbouring codes */
} kept;

static double score_of(const kept *k, const double *table, size_t other)
{
    double sum = 0;
    for (size_t i = 0; i < k->codes; i++) sum += k->scores[i] * table[i * k->step + other * k->other_step];
    return sum;
}

/* from: the scores as they were given; table: the one whose sums of scores are kept. */
static void keep(kept *k, const double *from, const double *table)
{
    double mean = 0;
    k->squares = 0;
    if (from == NULL) k->scores = NULL;
    if (from == NULL) return;
    for (size_t i = 0; i < k->codes; i++) mean += from[i] / (double)k->codes;
    for (size_t i = 0; i < k->codes; i++) {
        k->scores[i] = from[i] - mean;
        k->squares += k->scores[i] * k->scores[i];
    }
    if (!(k->squares > 0)) k->scores = NULL;
    for (size_t j = 0; k->scores != NULL && j < k->others; j++) k->values[j] = score_of(k, table, j);
}

/* The nearest table with these sums and sums of scores. Scores have mean 0, so that one does not move the other. */
static void restore(double *table, const kept *k)
{
    for (size_t j = 0; j < k->others; j++) {
        double *line = table + j * k->other_step, gap = k->sums[j];
        for (size_t i = 0; i < k->codes; i++) gap -= line[i * k->step];
        gap /= (double)k->codes;
        const double slope = k->scores != NULL ? (k->values[j] - score_of(k, table, j)) / k->squares : 0;
        for (size_t i = 0; i < k->codes; i++)
            line[i * k->step] += gap + (k->scores != NULL ? slope * k->scores[i] : 0);
    }
}

void sbl_table_project_scores(double *table, size_t rows, size_t columns, const double *p, const double *q,
                              const uint8_t *holes, const double *row_scores, const double *column_scores,
                              double *scratch)
{
    const size_t entries = rows * columns;
    double *memory = scratch, *sums = memory + entries;
    kept down = {q, sums + columns, sums + columns + rows, 0, rows, columns, columns, 1};
    kept across = {p, down.values + columns, down.values + 2 * columns, 0, columns, rows, 1, columns};
    keep(&down, row_scores, table);
    keep(&across, column_scores, table);
    memset(memory, 0, entries * sizeof *memory);
    for (int round = 0; round < DYKSTRA_ROUNDS; round++) {
        cut_below_zero(table, memory, holes, entries);
        restore(table, &down);
        restore(table, &across);
    }
    finish(table, rows, columns, p, q, holes, sums);
}
