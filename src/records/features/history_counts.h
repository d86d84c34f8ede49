/* `histories`: tables of counts over persons and their events. A record is a whole person
 * (public/rows/encoded_records.h, events): it puts one unit into each table of persons, and share(m) / m of each of
 * its m events into each table of events (public/counts/history_shape.h), m being all rows of a table that hang
 * on the person, be it directly or by other rows. Tables only.
 *
 * Bound: all tables of events are one block, each with an amount a_t of its own for weight 1, and a person
 * is held to the squared norm sum a_t^2 of a single event, whatever m is; all entries are nonnegative. Where
 * events differ a person stays below; where they are alike in all columns, the sum's own clip holds it
 * (docs/mechanisms/histories.md). Tables of persons, which are just that, are a block of their own.
 *
 * Parameters: {"bins", "singles", "linear" (public/schema/bins.h, joint), "codes": [null or [...], ...]: for
 * each base its cells merged to codes, or not} and those of a list of tables over the sides' codes
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
    sbl_table_list list;    /* first: whoever reads a release back needs no more */
    const sbl_facts *facts; /* borrowed */
    sbl_history_tree tree;
    sbl_pairs_column *sides;   /* (side_count): the columns of the list */
    sbl_pairs_map *codes;      /* (base_count): of NULL where cells are not merged */
    uint32_t *code_counts;     /* (base_count) */
    sbl_histories_link *links; /* (link_count) */
    sbl_tree_table *tables;    /* (tables of the list) */
    sbl_pool pool;
} sbl_histories;

/* Of a plan over the sides of a tree whose bases have these codes (of NULL: their cells); NULL when
 * out of memory. */
json_t *sbl_histories_parameters(const sbl_pairs_plan *plan, const sbl_history_tree *tree,
                                 const sbl_pairs_map *codes);

extern const sbl_feature sbl_feature_histories; /* made: sbl_histories */

#endif
