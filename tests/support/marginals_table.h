/* A small table with every kind of column, its plan of marginals, and releases made by hand. */
#ifndef SBL_TESTS_SUPPORT_MARGINALS_TABLE_H
#define SBL_TESTS_SUPPORT_MARGINALS_TABLE_H

#include "features/marginals.h"
#include "release/release.h"
#include "schema/heads.h"
#include "schema/schema.h"

/* Columns of the table, and of its cells once the label (column 1) is taken out. */
enum { AGE, INCOME, POWER, WARD, VISIT, COLUMNS };

typedef struct marginals_table {
    sbl_schema *schema;
    sbl_heads heads;
    sbl_marginals_plan plan;
} marginals_table;

/* age: integers 0..9; sick: the label, no/yes; income: integers 0..99999, log, may be missing;
 * power: any number 0..1e300, too wide for a grid; ward: a/b/c or missing; visit: days of 2020. */
void marginals_table_make(marginals_table *table, bool labelled, size_t bins);
void marginals_table_clear(marginals_table *table);

/* What the door would write for these sums (C, T), noise included, with noise of this deviation. n:
 * 0 under add-remove. */
sbl_release *marginals_release(const sbl_marginals_plan *plan, const double *sums, uint64_t n,
                               double deviation);

#endif
