/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of linked tables by their keys, so that constraints that name columns of tables above can be counted.
 * NOT PRIVATE: for the owner's eyes, before a release. */
#ifndef SBL_INSPECT_ROWS_ABOVE_H
#define SBL_INSPECT_ROWS_ABOVE_H

#include "base/siphash.h"
#include "base/tag_table.h"
#include "public/rows/row_batch.h"

/* Those of one table. A row is the table's own columns, then those of its parent row, and so on. */
typedef struct sbl_rows_above {
    sbl_tag_table keys; /* the number of the first row with a key, plus one */
    double *rows;       /* (capacity, width) */
    size_t width, count, capacity;
} sbl_rows_above;

void sbl_rows_above_clear(sbl_rows_above *above); /* wipes */
/* The first row with this key; NULL: there is none. */
const double *sbl_rows_above_find(const sbl_rows_above *above, sbl_unit_tag key);
/* Keeps a row: `own` columns, and those of its parent row; NULL: it has none, and they are missing. False: out of
 * memory. */
bool sbl_rows_above_keep(sbl_rows_above *above, sbl_unit_tag key, const double *row, size_t own,
                         const double *parent);

#endif
