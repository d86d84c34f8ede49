/* SPDX-License-Identifier: Apache-2.0 */
/* Dates of a row that are encoded relative to other dates of the same person: the parent row's, or the date that
 * orders the row's own table.
 *
 * A row of a linked table usually belongs to a moment of its parent: a lab result to a stay. Its date is then
 * counted from the parent's dates, the *frame*: from `begin` to `end`, where the parent has a second date. The
 * codes are, in the order of time: distances before the frame, places within it, distances after it. Distances
 * grow by the square root of 2 from code to code, so codes are narrow where rows are close to their parents:
 * stays take days, and windows years. Which column is counted from which follows from the schema alone. Nothing
 * here has seen a record (docs/mechanisms/histories.md). */
#ifndef SBL_COUNTS_HISTORY_LAG_H
#define SBL_COUNTS_HISTORY_LAG_H

#include "public/schema/bins.h"

#define SBL_LAG_NONE ((size_t)-1)

/* A date of an encoded row. Where the fit sees a difference, the date is that of `base` plus the difference. */
typedef struct sbl_lag_date {
    size_t cell;    /* the column of the bins; SBL_LAG_NONE: there is no such date */
    size_t base;    /* likewise; SBL_LAG_NONE: `cell` is the date itself */
    int sign;       /* of the difference */
    double seconds; /* of a unit: a day or a second */
} sbl_lag_date;

typedef struct sbl_lag {
    sbl_lag_date self, begin, end;
    bool own_row;  /* begin is in the same row; else in the parent's */
    uint64_t span; /* steps between the bounds of the column */
    double width;  /* steps of the nearest distance */
    uint32_t far;  /* codes of distances, before and after each */
    uint32_t inside;
    uint32_t codes; /* of all; a missing value comes after them. 0: the column is not counted from another */
} sbl_lag;

/* The lags of all columns of the bins of linked tables: lags (cells->count), all zero on entry. columns
 * (cells->count): the schema's column of each. Returns whether there is any. */
bool sbl_lags_find(sbl_lag *lags, const sbl_bins *cells, const size_t *columns, const sbl_schema *schema);

/* The code of a row: numeric, codes: the row's; above: the numbers of its parent row. Both are rows of one
 * person. */
uint32_t sbl_lag_code(const sbl_lag *lag, const sbl_bins *cells, const double *numeric, const uint32_t *codes,
                      const double *above);
/* The unit coordinate of a date with this code, `uniform` of the way through it; within the column's bounds. */
double sbl_lag_place(const sbl_lag *lag, const sbl_bins *cells, const double *numeric, const double *above,
                     uint32_t code, double uniform);

#endif
