/* SPDX-License-Identifier: Apache-2.0 */
/* The model: a pairwise log-linear distribution over the columns' codes,
 *     P(x) proportional to exp(sum_j bias_j(x_j) + sum_(i,j) theta_ij(x_i, x_j) + sum_t phi_t(leaf_t(x), y_t)),
 * the distribution of largest entropy with given one-way and pair tables (a Potts model), and tables of
 * leaf x target of trees, where it has any. Only the pairs that have a block take part; a block is over
 * codes, or over groups of codes. */
#ifndef SBL_PAIRS_POTTS_H
#define SBL_PAIRS_POTTS_H

#include "base/alloc.h"
#include "public/counts/pairs_plan.h"
#include "public/counts/tree_shape.h"

#define SBL_POTTS_NEVER (-1e30f) /* bias of a code that is never drawn: it stays, whatever is fitted */

/* A column as the model sees it. */
typedef struct sbl_potts_column {
    uint32_t codes;     /* 1 .. 65535 */
    uint32_t groups;    /* 1 .. codes */
    uint16_t *group_of; /* (codes) */
    size_t bias_at;     /* its first entry of bias */
} sbl_potts_column;

typedef struct sbl_potts_block {
    uint32_t first, second; /* columns, first < second */
    bool grouped;           /* over groups, not codes */
    size_t at;              /* its first entry of theta: row by row of first */
} sbl_potts_block;

typedef struct sbl_potts {
    sbl_potts_column *columns;
    size_t count;
    sbl_potts_block *blocks;
    size_t block_count, block_capacity;
    float *bias; /* (bias_count) */
    size_t bias_count;
    float *theta; /* (theta_count) */
    size_t theta_count, theta_capacity;
    sbl_trees trees; /* of no tree: pairs alone */
    float *phi;      /* (trees.entry_count) */
    sbl_pool pool;   /* of what does not grow: columns and bias */
} sbl_potts;

/* Columns with these numbers of codes and groups, no block, all parameters 0; group_of is for the
 * caller to fill. */
sbl_status sbl_potts_init(sbl_potts *potts, const uint32_t *codes, const uint32_t *groups, size_t count,
                          sbl_error *err);
void sbl_potts_clear(sbl_potts *potts);

/* Append a block with theta 0. */
sbl_status sbl_potts_add(sbl_potts *potts, uint32_t first, uint32_t second, bool grouped, sbl_error *err);

/* Append `count` trees of a list over the same columns, from `first` on, with phi 0. */
sbl_status sbl_potts_add_trees(sbl_potts *potts, const sbl_trees *more, size_t first, size_t count,
                               sbl_error *err);

/* Rows and columns of a block. */
static inline uint32_t sbl_potts_size(const sbl_potts *potts, uint32_t column, bool grouped)
{
    return grouped ? potts->columns[column].groups : potts->columns[column].codes;
}

/* A row of the state: count codes, then the count groups that follow from them. */
static inline size_t sbl_potts_row(const sbl_potts *potts) { return 2 * potts->count; }
void sbl_potts_set_groups(const sbl_potts *potts, uint16_t *rows, size_t row_count);

/* counts (theta_count), ones (bias_count): how many rows have each entry of the blocks and of the
 * columns. Threads do not change them. */
sbl_status sbl_potts_count(const sbl_potts *potts, uint32_t *counts, uint32_t *ones, const uint16_t *rows,
                           size_t row_count, sbl_error *err);

/* leaves (row_count, trees) of the rows, and counts (trees.entry_count) of them. */
void sbl_potts_find_leaves(const sbl_potts *potts, uint32_t *leaves, const uint16_t *rows, size_t row_count);
void sbl_potts_count_leaves(const sbl_potts *potts, uint32_t *counts, const uint32_t *leaves,
                            const uint16_t *rows, size_t row_count);

#endif
