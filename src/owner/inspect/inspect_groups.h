/* SPDX-License-Identifier: Apache-2.0 */
/* What rows with the same value of a column have in common. NOT PRIVATE. */
#ifndef SBL_INSPECT_INSPECT_GROUPS_H
#define SBL_INSPECT_INSPECT_GROUPS_H

#include "owner/inspect/inspect_column.h"

/* One column that may be an id: its values are groups of rows. In a large table some groups are looked at. */
typedef struct sbl_inspect_group {
    uint64_t groups, rows; /* that were looked at */
    uint64_t repeated;     /* groups of several rows */
    uint64_t most;         /* rows of the largest one */
    size_t constants;      /* other columns that are constant within a group and differ between groups */
    size_t own;            /* of them, those that make it likely that a group is a person */
    bool together;         /* the rows of a group follow each other in the file */
    bool *constant;        /* (columns): which ones */
} sbl_inspect_group;

/* One for each column, empty.   Owner: the caller; sbl_inspect_groups_free(), also after a failure */
sbl_status sbl_inspect_groups_new(sbl_inspect_group **groups, size_t count, sbl_error *err);
void sbl_inspect_groups_free(sbl_inspect_group *groups, size_t count); /* NULL is fine */

/* Reads the table once.
 * In:  may   (count): columns to look at, the first eight
 *      rows  of the table
 * Out: found (count) */
sbl_status sbl_inspect_groups_read(sbl_inspect_group *found, const sbl_inspect_column *columns, size_t count,
                                   const bool *may, uint64_t rows, const sbl_table *table,
                                   const sbl_dialect *dialect, sbl_error *err);

#endif
