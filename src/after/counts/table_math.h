/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Arithmetic of noisy tables of counts: interactions, empty tiles, precisions, energies. */
#ifndef SBL_COUNTS_TABLE_MATH_H
#define SBL_COUNTS_TABLE_MATH_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Keep the interaction only. */
void sbl_table_centre(double *table, size_t rows, size_t columns);

/* sum of squares */
double sbl_table_energy(const double *table, size_t rows, size_t columns);

/* The nearest table with margins p (rows) and q (columns), which have equal sums. */
void sbl_table_set_margins(double *table, size_t rows, size_t columns, const double *p, const double *q);

/* The nearest table with those margins, no entry below 0 and none but 0 in holes (may be NULL), by Dykstra's projections (Boyle and
 * Dykstra 1986), 40 rounds, then scaled until the margins are exact.
 * scratch: rows * columns + rows + columns doubles. */
void sbl_table_project(double *table, size_t rows, size_t columns, const double *p, const double *q,
                       const uint8_t *holes, double *scratch);

/* The same, and the table keeps its sums of scores: of each column those of its rows, of each row those of its columns.
 * A noisy table of a number has much noise above 0 where it should hold nothing, which the projection alone moves
 * to the middle: means by group come out too close together. row_scores (rows), column_scores (columns): NULL for a
 * side without order. The table has the margins p and q. scratch: rows * columns + 2 rows + 3 columns doubles. */
void sbl_table_project_scores(double *table, size_t rows, size_t columns, const double *p, const double *q,
                              const uint8_t *holes, const double *row_scores, const double *column_scores,
                              double *scratch);

/* Another measurement of the table's sums over groups of rows and columns, with noise variance
 * group_noise2 against noise2 of an entry: Gaussian conditioning. An entry whose cell has c entries
 * moves by the cell's surprise times noise2 / (c noise2 + group_noise2).
 * Returns the mean variance of an entry afterwards. scratch: row_groups * column_groups doubles. */
typedef struct sbl_table_groups {
    const uint16_t *row_group, *column_group; /* (rows), (columns) */
    size_t row_groups, column_groups;
} sbl_table_groups;

double sbl_table_condition(double *table, size_t rows, size_t columns, double noise2,
                           const sbl_table_groups *groups, const double *sums, double group_noise2,
                           double *scratch);

/* Entries of a noisy table that are taken to hold nothing.
 *
 * A table of columns that depend on each other is empty in most places, and what noise leaves above
 * 0 in many empty entries takes records from the few that are full: infants as tall as adults. A
 * tile of entries is a hole where it was measured as no more than noise and independent columns
 * would have put far more than noise. Tiles of several sizes are tried, over runs of codes
 * where codes have an order: a hole of many entries shows where no single entry would. The rule knows
 * the release and its noise only: post-processing. */

/* One side of a table. */
typedef struct sbl_table_side {
    const double *shares; /* (codes): the margin */
    size_t codes;
    size_t ordered; /* the first of them, which lie in order */
} sbl_table_side;

/* holes (rows, columns): 1 where an entry is in a hole. table: shares; noise: standard deviation of
 * an entry. */
void sbl_table_holes(uint8_t *holes, const double *table, const sbl_table_side *rows,
                     const sbl_table_side *columns, double noise);

/* How to divide a budget of precision among tables so that the expected L1 error is least.
 *
 * An entry with prior variance s (of what measuring could tell) that is measured with precision w
 * and shrunk accordingly has expected error .798 sqrt(s / (1 + s w)), .798 = E |N(0, 1)|. A table's
 * error is the sum over its entries times its weight; it is convex in w. So one multiplier t
 * decides all: each table gets the w at which its error falls by t per unit of precision, or
 * nothing when it never falls so fast, and t is found by bisection. */

#define SBL_SLOPE_POINTS 49

/* How fast a table's error falls, at precision 0 and at 48 precisions from 1e-6 of the budget to
 * all of it, evenly in logarithm. */
typedef struct sbl_slopes {
    double at[SBL_SLOPE_POINTS];
} sbl_slopes;

double sbl_allocate_point(size_t point, double budget);

/* Add one entry of prior variance `variance`, times `weight`. */
void sbl_slopes_add(sbl_slopes *slopes, double variance, double weight, double budget);

/* precision (count): >= 0, sum is budget unless every table's slope is 0 (then all 0). Tables that
 * would get less than `least` of the budget get nothing. */
void sbl_allocate(double *precision, const sbl_slopes *tables, size_t count, double budget, double least);

/* Empirical Bayes for energies: what is left of many noisy numbers that are mostly 0.
 *
 * An observed energy e of true energy u is about normal with mean u and variance se^2 + 4 v u. The
 * distribution of u over the pairs is estimated from all of them, on 33 atoms (0 and a logarithmic
 * grid), by 60 steps of expectation maximisation; each pair then gets its posterior mean. */

/* means (count) from energies, errors (> 0) and variances v; all (count).
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_bayes_energies(double *means, const double *energies, const double *errors,
                              const double *variances, size_t count, sbl_error *err);

#endif
