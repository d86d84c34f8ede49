/* SPDX-License-Identifier: Apache-2.0 */
/* `histories`: marginals over persons and their events. A record is a whole person
 * (public/rows/encoded_records.h, events). It adds one unit to each marginal of persons, and share(m) / m
 * of each of its m events to each marginal of events (public/counts/history_shape.h). m counts all rows of
 * a table that refer to the person, directly or through other rows. Tables only.
 *
 * Bound: all marginals of events are one block, each with its own amount a_t for weight 1. A person is held
 * to the squared norm sum a_t^2 of a single event, whatever m is; all entries are nonnegative. If events
 * differ, a person stays below; if they agree in all columns, the sum's own clip holds it
 * (docs/mechanisms/histories.md). Marginals of persons only are a block of their own.
 *
 * Parameters: {"bins", "singles", "linear" (public/schema/bins.h, joint), "codes": [null or [...], ...]: for
 * each base its cells merged to codes, or not, "lags": true if dates are encoded relative to other dates
 * (public/counts/history_lag.h)} and those of a list of tables over the sides' codes
 * (public/counts/table_list.h). */
#ifndef SBL_FEATURES_HISTORY_COUNTS_H
#define SBL_FEATURES_HISTORY_COUNTS_H

#include "public/counts/history_tree.h"
#include "public/counts/table_list.h"
#include "records/features/feature.h"

/* A table as one link sees it (public/counts/history_tree.h), and whose maps it has. */
typedef struct sbl_histories_link {
    uint32_t *codes;   /* (its bases) */
    uint32_t *weights; /* (k + 1, SBL_HISTORY_SORTS): what one event of m adds */
    bool contexts;     /* a table looks at an event before, or at its place */
} sbl_histories_link;

/* The feature, made. */
typedef struct sbl_histories {
    sbl_table_list list;    /* first: code that reads a release back needs only this */
    const sbl_facts *facts; /* borrowed */
    sbl_history_tree tree;
    sbl_pairs_column *sides;   /* (side_count): the columns of the list */
    sbl_pairs_map *codes;      /* (base_count): of NULL where cells are not merged */
    uint32_t *code_counts;     /* (base_count) */
    sbl_histories_link *links; /* (link_count) */
    sbl_tree_table *tables;    /* (tables of the list) */
    sbl_pool pool;
} sbl_histories;

/* For a plan over the sides of a tree whose bases have these codes (NULL: their bins); NULL when
 * out of memory. */
json_t *sbl_histories_parameters(const sbl_pairs_plan *plan, const sbl_history_tree *tree,
                                 const sbl_pairs_map *codes);

extern const sbl_feature sbl_feature_histories; /* made: sbl_histories */

#endif
