/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of one drawn table, as far as questions look at them, and the statistics of each group of them. */
#ifndef SBL_ESTIMATES_QUERY_ROWS_H
#define SBL_ESTIMATES_QUERY_ROWS_H

#include "base/error.h"
#include "public/rows/row_batch.h"
#include "run/estimates/query.h"

typedef struct sbl_query_rows {
    size_t rows, capacity;
    size_t *used; /* (used_count): the columns of the schema that are kept */
    size_t used_count;
    double **columns;  /* (used_count), each (capacity): the number or code; NaN where it is missing */
    uint32_t *groups;  /* (capacity): SBL_NO_GROUP where a condition does not hold */
    uint64_t *persons; /* (capacity): whose row each is; 0 where rows do not belong to persons */
    /* Made by sbl_query_rows_sort(). */
    size_t *starts;              /* (groups + 1) */
    size_t *order;               /* (rows): rows by group, each group's in their order */
    double *influence, *scratch; /* (rows) */
    size_t clusters;             /* of all rows: persons, or rows */
} sbl_query_rows;

/* Zero-initialise. Owner: the caller, sbl_query_rows_clear() */
sbl_status sbl_query_rows_begin(sbl_query_rows *rows, const sbl_queries *queries, sbl_error *err);
void sbl_query_rows_clear(sbl_query_rows *rows);
/* Append the rows of a batch. */
sbl_status sbl_query_rows_add(sbl_query_rows *rows, const sbl_queries *queries, const sbl_batch *batch,
                              sbl_error *err);
/* All rows of a table are there. whole: the rows of a person belong together, else each row is on its own. */
sbl_status sbl_query_rows_sort(sbl_query_rows *rows, const sbl_queries *queries, bool whole, sbl_error *err);

/* A statistic, by group, and its variance between tables of the same size. NaN: there are too few rows. */
typedef struct sbl_group_answer {
    double estimate;
    double variance;
} sbl_group_answer;

/* answers (groups); differences (groups) from queries->against, or NULL. */
void sbl_query_answer(sbl_group_answer *answers, sbl_group_answer *differences, sbl_query_rows *rows,
                      const sbl_queries *queries, const sbl_query *query);

#endif
