/* SPDX-License-Identifier: Apache-2.0 */
/* Trees while rows are swept. To draw a column, every leaf is wanted that the row could have if this column were
 * open, with the codes that lead there.
 *
 * A code of a column leaves some leaves of a tree within reach: those on whose path no question about the column sends
 * the code elsewhere. A row's leaf is the one that all its codes leave. With one column open the leaves are those that
 * all other codes leave: sets of bits are combined, 64 leaves at a time, and no tree is walked. A row is drawn column
 * by column, so the codes of columns that are still to come are combined once, from the last to the first, and those
 * of columns that are done one by one. */
#ifndef SBL_PAIRS_GIBBS_TREES_H
#define SBL_PAIRS_GIBBS_TREES_H

#include "base/alloc.h"
#include "public/counts/tree_shape.h"

/* Trees for one column that follow each other. */
typedef struct sbl_gibbs_run {
    size_t first, end; /* of the trees */
    uint32_t column;
} sbl_gibbs_run;

/* Where the leaves of all trees lie in sets: each tree begins a new word. A leaf's place is the number of its bit. By
 * code of a column there is the set of leaves that it leaves; by leaf there are the codes that lead to it, 32 of a
 * column in a word, and none where the path to the leaf does not ask the column. */
typedef struct sbl_gibbs_trees {
    const sbl_trees *trees; /* borrowed */
    size_t words;           /* of a set; 0: without trees */
    size_t *first_word;     /* (trees + 1) */
    size_t *entry_at;       /* (words): the entries of the first leaf of a word */
    uint32_t *cells;        /* (words): entries of a leaf */
    uint32_t *tree_of;      /* (words) */
    uint32_t *leaf_at;      /* (words): number of the first leaf among all */
    uint64_t *all;          /* (words): every leaf */
    uint64_t **sets;        /* (columns): (codes, words); NULL: no tree asks the column */
    uint32_t **codes;       /* (columns): (codes / 32, 64 words) */
    sbl_gibbs_run *runs;
    size_t run_count;
} sbl_gibbs_trees;

/* Its arrays are the pool's; trees must stay.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_gibbs_trees_init(sbl_gibbs_trees *g, sbl_pool *pool, const sbl_trees *trees, sbl_error *err);

/* A row while it is drawn. later: by turn, what the codes of the columns after that one leave. */
typedef struct sbl_gibbs_row {
    uint64_t *later;  /* (columns, words) */
    uint64_t *done;   /* (words): what the codes of columns that are drawn leave */
    size_t *at;       /* (words): of phi: the first leaf of a word, at the row's cell */
    uint32_t *some;   /* (trees): where the path to the row's leaf asks a column */
    uint64_t *open;   /* (words): of these trees, not empty: the leaves with this column open, */
    uint32_t *firsts; /* (words): and the first place of the word */
    uint32_t *list;   /* (64 words): places of these leaves */
} sbl_gibbs_row;

/* Arrays of a row.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_gibbs_row_init(sbl_gibbs_row *row, sbl_pool *pool, const sbl_gibbs_trees *g, sbl_error *err);

#endif
