/* SPDX-License-Identifier: Apache-2.0 */
/* A small table with every kind of column, its cells, and releases of them made by hand. */
#ifndef SBL_TESTS_SUPPORT_MARGINALS_TABLE_H
#define SBL_TESTS_SUPPORT_MARGINALS_TABLE_H

#include "door/release/release.h"
#include "public/plan/facts.h"
#include "public/schema/bins.h"

/* Columns of the table, and of its cells once the label (column 1) is taken out. */
enum { AGE, INCOME, POWER, WARD, VISIT, COLUMNS };

typedef struct marginals_table {
    sbl_facts facts;
    sbl_bins cells;
} marginals_table;

/* age: integers 0..9; sick: the label, no/yes; income: integers 0..99999, log, may be missing;
 * power: any number 0..1e300, too wide for a grid; ward: a/b/c or missing; visit: days of 2020.
 * bins: of every number; 0: what the method takes by itself. */
void marginals_table_make(marginals_table *table, bool labelled, size_t bins);
void marginals_table_clear(marginals_table *table);
/* The schema of that table, JSON text. */
const char *marginals_table_schema(bool labelled);
/* Facts of a schema's text, and the cells of its columns. */
void marginals_table_of(marginals_table *table, const char *schema, size_t bins);

/* What the door would write for these sums (C, T), noise included, with noise of this deviation. n:
 * 0 under add-remove. */
sbl_release *marginals_release(const sbl_bins *cells, const double *sums, uint64_t n, double deviation);

#endif
