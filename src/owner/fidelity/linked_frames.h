/* SPDX-License-Identifier: Apache-2.0 */
/* Linked tables side by side: every table with the columns of its parent and the numbers of its child rows, so
 * that the measures of one table and of histories apply.
 *
 *     plan (sbl_linked_plan, of the schema)  +  rows of all tables (sbl_linked_set)  ->  a frame for each table
 *
 * NOT PRIVATE, as everything of fidelity/. */
#ifndef SBL_FIDELITY_LINKED_FRAMES_H
#define SBL_FIDELITY_LINKED_FRAMES_H

#include "base/siphash.h"
#include "owner/fidelity/compared_tables.h"
#include "owner/fidelity/row_persons.h"

/* One table of a schema of several. A joined row has the columns of its parent row, its own, and for each child
 * table the number of child rows, as a category (owner/fidelity/person_events.h, buckets; none has its own). */
typedef struct sbl_linked_view {
    const sbl_linked_table *table; /* borrowed */
    sbl_schema own;                /* its own columns, borrowed: without a label */
    sbl_codec codec;               /* of own */
    sbl_column *columns;           /* of joined */
    sbl_schema joined;             /* unit: its parent */
    sbl_codec joined_codec;
    sbl_view view;                    /* of joined_codec: parent's, own, numbers of rows */
    size_t parent_count, own_count;   /* columns of the view */
    size_t children[SBL_MOST_TABLES]; /* child tables, in order */
    size_t child_count;
} sbl_linked_view;

typedef struct sbl_linked_plan {
    const sbl_schema *schema; /* borrowed */
    sbl_linked_view *views;   /* (schema->table_count) */
} sbl_linked_plan;

/* schema: of linked tables, borrowed until sbl_linked_plan_clear() */
sbl_status sbl_linked_plan_init(sbl_linked_plan *plan, const sbl_schema *schema, sbl_error *err);
void sbl_linked_plan_clear(sbl_linked_plan *plan);

#define SBL_NO_PARENT UINT32_MAX

/* The rows of one table. */
typedef struct sbl_linked_frame {
    sbl_frame frame;       /* by its own columns */
    sbl_row_tags hangs_on; /* keys of parents, of the root its own */
    sbl_row_tags keys;     /* own keys; empty: it has none */
    uint32_t *parents;     /* (rows): the parent's row, or SBL_NO_PARENT; NULL: the root */
    size_t orphans;        /* rows without one */
    size_t repeated;       /* rows whose key is missing or occurs in an earlier row */
} sbl_linked_frame;

/* All tables of one data set. Zero-initialise. */
typedef struct sbl_linked_set {
    sbl_linked_frame *tables; /* (count) */
    size_t count;
} sbl_linked_set;

/* Reads all tables, each once, and finds the parents. tables: (schema->table_count), in the schema's order.
 * Returns: SBL_OK; SBL_EINPUT: a key's column is not there, the root has no rows, a container is broken; SBL_EIO,
 *          SBL_EMEM, SBL_ESTOPPED */
sbl_status sbl_linked_set_read(sbl_linked_set *set, const sbl_linked_plan *plan,
                               const sbl_table *const *tables, const sbl_progress_span *progress,
                               sbl_error *err);
void sbl_linked_set_clear(sbl_linked_set *set); /* wipes */

/* The joined rows of table t, without orphans; persons are the parent's rows, of the root its own. */
sbl_status sbl_linked_join(sbl_frame *frame, const sbl_linked_plan *plan, const sbl_linked_set *set, size_t t,
                           sbl_error *err);

/* One table's part of the evaluation document (docs/FORMATS.md). tables: its joined rows, completed; limit: of
 * sets and pairs of columns. */
sbl_status sbl_measure_linked(json_t **result, const sbl_linked_plan *plan, size_t t,
                              const sbl_tables *tables, size_t limit, sbl_error *err);
/* {"rows", "repeated", "orphans"} of one table; NULL when out of memory. */
json_t *sbl_linked_keys(const sbl_linked_set *set, size_t t);
/* Some units with their rows in all tables, in words; NULL when out of memory. */
json_t *sbl_linked_units(const sbl_linked_plan *plan, const sbl_linked_set *set);

#endif
