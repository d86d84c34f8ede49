/* SPDX-License-Identifier: Apache-2.0 */
/* All links of a person: which columns belong to which, and how they are numbered together.
 *
 * A table with a unit has one link: its persons, whose columns are in their rows, and their events.
 * Linked tables have a row for the person itself and a link for every child table, of the root or of
 * another table (docs/mechanisms/histories.md). The number of child rows of a row, and the time of the
 * first, are columns of that row, drawn with it.
 *
 * Bases of the tree: the person's, then each link's events'. Sides: the bases, then the contexts of each
 * link. Nothing here has seen a record. */
#ifndef SBL_COUNTS_HISTORY_TREE_H
#define SBL_COUNTS_HISTORY_TREE_H

#include "public/counts/history_lag.h"
#include "public/counts/history_shape.h"
#include "public/schema/bins.h"
#include "public/schema/encoding_layout.h"

typedef struct sbl_history_tree {
    sbl_bins cells;            /* joint cells of the schema's columns */
    sbl_lag *lags;             /* (cells.count): columns encoded relative to another date (history_lag.h) */
    bool follows;              /* there is such a column */
    bool linked;               /* linked tables: the person has a row of its own; link l is table l + 1 */
    sbl_pairs_column *columns; /* (base_count) */
    size_t *cell_column;       /* (base_count): of cells; SBL_HISTORY_NONE: made here */
    size_t *link_of;           /* (base_count); SBL_HISTORY_NONE: the person's */
    size_t *by;          /* (base_count): of a number with bounds by category, the base of that category;
                                * SBL_HISTORY_NONE: none */
    size_t person_count; /* bases 0 .. person_count - 1 are the person's */
    size_t base_count;
    size_t side_count;
    sbl_history_shape *links; /* (link_count): parents come before their children */
    size_t link_count;        /* at least 1 */
    size_t *events_at;        /* (link_count): the first base of a link's events, among all */
    sbl_pool pool;            /* of all arrays */
} sbl_history_tree;

/* bins, singles, linear: of sbl_bins_init_joint. follow: dates of linked tables are encoded relative to their
 * parents (history_lag.h).
 * Returns: SBL_OK; SBL_EARG, also for a schema without a unit; SBL_EMEM */
sbl_status sbl_history_tree_init(sbl_history_tree *tree, const sbl_schema *schema, const sbl_heads *heads,
                                 size_t bins, size_t singles, size_t linear, bool follow, sbl_error *err);
void sbl_history_tree_clear(sbl_history_tree *tree);

/* Do the parameters of the feature `histories` say that dates follow others? */
#define SBL_HISTORIES_LAGS "lags"
static inline bool sbl_histories_follow(const json_t *parameters)
{
    return json_is_true(json_object_get(parameters, SBL_HISTORIES_LAGS));
}

/* As of the sides of one link; codes (base_count): of all bases. */
uint32_t sbl_tree_side_codes(const sbl_history_tree *tree, const uint32_t *codes, size_t side);
sbl_pairs_column sbl_tree_side_column(const sbl_history_tree *tree, const uint32_t *codes, size_t side);
/* The base whose codes a side has; SBL_HISTORY_NONE for a place and for what is left of the window. */
size_t sbl_tree_side_base(const sbl_history_tree *tree, size_t side);

/* Whose sums a table of one side (second SBL_HISTORY_NONE) or two of all holds: the link, its own numbers
 * of the sides, and the sort. Tables of persons count as the first link's. */
typedef struct sbl_tree_table {
    size_t link;
    uint32_t first, second; /* SBL_NO_SIDE: there is no second */
    sbl_history_sort sort;
} sbl_tree_table;
sbl_tree_table sbl_tree_table_of(const sbl_history_tree *tree, size_t first, size_t second);

/* The codes of a link's bases out of those of all. */
void sbl_link_codes(uint32_t *codes, const sbl_history_shape *link, const uint32_t *all);

#endif
