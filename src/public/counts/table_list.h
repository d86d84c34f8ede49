/* SPDX-License-Identifier: Apache-2.0 */
/* Any number of tables of counts over maps of cells, one-way and two-way, as a plan lists them
 * (public/counts/pairs_plan.h): their JSON and the blocks that they are in. after/counts/release_counts.h reads
 * what a release says of them. What a record adds to them is defined by a feature: `tables`
 * (records/features/marginal_counts.h) or `histories`.
 *
 * In JSON: "maps": [{"level", "column", "cells", "of": [...]}, ...], "tables": [[first, second or -1,
 * level], ...]; a table of level l has precision 2^(l / 16). Where a record is ones, tables of one level are
 * one block. Else tables of all levels are one, each with an amount of its own for a record of weight 1,
 * which its noise is to be compared with: so a bound on the block holds what a record adds to all of them
 * together. */
#ifndef SBL_COUNTS_TABLE_LIST_H
#define SBL_COUNTS_TABLE_LIST_H

#include "base/json.h"
#include "public/counts/pairs_plan.h"
#include "public/plan/block.h"

typedef struct sbl_table_list {
    sbl_pairs_plan plan; /* precisions rounded down to a level */
    int *levels;         /* (tables) */
    uint32_t *amounts;   /* (tables): of a record of weight 1, in units of the grid */
    uint32_t unit;       /* the largest of them that there can be */
    size_t *block_of;    /* (tables) */
    size_t *offset;      /* (tables): of its first entry in the block */
    size_t *widths;      /* (blocks): entries */
    size_t *sizes;       /* (blocks): tables */
    uint64_t *bounds;    /* (blocks): squared amounts, added up */
    size_t block_count;
    sbl_pool pool; /* of the arrays */
} sbl_table_list;

/* Maps and tables of a plan into an object, which it takes, also on failure: then NULL. columns: that
 * the maps are of. */
json_t *sbl_table_list_to_json(json_t *parameters, const sbl_pairs_plan *plan,
                               const sbl_pairs_column *columns);
/* How tables become blocks: of one level together, a record being ones (unit 1); or all together, with
 * amounts up to `unit`, but for tables of columns below `apart` alone, which are a block of their own. */
typedef struct sbl_table_rule {
    uint32_t unit;
    uint32_t apart;
} sbl_table_rule;

/* Back again, checked against the columns. name: of the feature, for messages.
 * Returns: SBL_OK; SBL_EINPUT for what this version does not know; SBL_EARG, SBL_EMEM
 * Owner: the caller, sbl_table_list_clear(), also on failure */
sbl_status sbl_table_list_read(sbl_table_list *list, const json_t *parameters,
                               const sbl_pairs_column *columns, size_t count, sbl_table_rule rule,
                               const char *name, sbl_error *err);
void sbl_table_list_clear(sbl_table_list *list);

/* The blocks: nonnegative, of the squared norm and the sum of a record of weight 1 in each table. And
 * their weights. */
void sbl_table_list_describe(const sbl_table_list *list, const char *name, sbl_block *blocks,
                             double *weights);
/* Tables of the block that has most. */
size_t sbl_table_list_largest(const sbl_table_list *list);

#endif
