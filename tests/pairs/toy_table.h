/* SPDX-License-Identifier: Apache-2.0 */
/* A made-up table of six columns, and releases of it with noise from a public seed: what the door
 * would hand to a selection. Column 0 is the label, 1 a number of 40 cells that follows it, 2 a number
 * of 20 with a missing value that follows 1, 3 ranks that follow 2, 4 categories of which most are
 * rare and 5 a coin. */
#ifndef SBL_TESTS_PAIRS_TOY_TABLE_H
#define SBL_TESTS_PAIRS_TOY_TABLE_H

#include "after/pairs/measurement_plan.h"

#define TOY_COLUMNS 6
#define TOY_MOST_COLUMNS 24

typedef struct toy_table {
    sbl_pairs_column columns[TOY_MOST_COLUMNS];
    size_t count;    /* of columns: TOY_COLUMNS */
    uint32_t *cells; /* (rows, count) */
    size_t rows;
    uint64_t releases; /* so far: no two share noise */
} toy_table;

void toy_table_make(toy_table *table, size_t rows);
void toy_table_free(toy_table *table);

/* mu and add-remove neighbours; the label is column 0. */
sbl_pairs_setting toy_setting(const toy_table *table, double mu);

/* Exact counts of a table of the plan, plus noise; values has room for all entries. */
void toy_counts(const toy_table *table, const sbl_pairs_plan *plan, size_t t, double noise, double *values);

/* The next release of the selection. */
sbl_status toy_release(toy_table *table, sbl_pairs_selection *selection, const sbl_pairs_setting *setting,
                       sbl_error *err);

/* New, all releases, fit. */
sbl_status toy_fit(toy_table *table, const sbl_pairs_setting *setting, sbl_pairs_model *model,
                   sbl_error *err);

/* Mean total variation distance of all one-way or two-way tables of public cells; numbers in runs
 * of five cells. */
double toy_distance(const toy_table *table, const uint32_t *cells, size_t rows, int ways);

#endif
