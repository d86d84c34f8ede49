/* SPDX-License-Identifier: Apache-2.0 */
/* Trees over the codes of columns, and tables of leaf x cells of a target column: what the method
 * `forest` measures beside tables of pairs (docs/mechanisms/forest.md), and what its model adds to theirs.
 *
 * A node asks one column whether its code is in a set; a leaf is where a row ends. Every row of codes has
 * one leaf of a tree, so that a record adds a single 1 to a single entry of its table, whatever the tree.
 * A tree never asks its target. Nothing here has ever seen a record: trees are grown on rows of a model.
 *
 * Trees are written in preorder: a split is followed by all of its left side, then by its right one. */
#ifndef SBL_COUNTS_TREE_SHAPE_H
#define SBL_COUNTS_TREE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

#define SBL_TREE_DEPTH 48u    /* splits on a path at most */
#define SBL_TREES_MOST 1024u  /* trees */
#define SBL_TREE_LEAVES 4096u /* of one tree at most */
#define SBL_TREE_NO_LEAF INT32_MIN

typedef struct sbl_tree_node {
    uint32_t column;
    uint32_t set;        /* the first word of the codes that go left: bit c of word c / 64 */
    int32_t left, right; /* a node; or -1 - leaf, a number among the leaves of all trees */
} sbl_tree_node;

/* The second side of a table of leaves: the codes of a column, merged where they are many. */
typedef struct sbl_tree_target {
    uint32_t column;
    uint32_t cells; /* 1 .. codes */
    size_t of_at;   /* its first entry of target_of: a cell for every code */
} sbl_tree_target;

typedef struct sbl_tree {
    uint32_t target;     /* number of its target */
    int32_t root;        /* as a child */
    uint32_t depth;      /* splits on the longest path */
    uint32_t first_leaf; /* its leaves follow each other, in preorder */
    uint32_t leaf_count;
    size_t at; /* its first entry of the tables: leaf by leaf, each the target's cells */
} sbl_tree;

typedef struct sbl_trees {
    size_t column_count;
    uint32_t *codes; /* (column_count) */
    sbl_tree_target *targets;
    uint16_t *target_of;
    sbl_tree *trees;
    sbl_tree_node *nodes;
    uint64_t *sets;
    size_t *leaf_at;  /* (leaf_count): the first entry of a leaf's row of its table */
    uint64_t *asks;   /* (leaf_count, ask_words): the columns that the path to a leaf asks */
    size_t ask_words; /* (column_count + 63) / 64 */
    size_t target_count, target_of_count, tree_count, node_count, set_words, leaf_count;
    size_t entry_count; /* of all tables */
    size_t capacity[7]; /* of the arrays that grow */
    int32_t *open;      /* a tree that is being written: nodes whose sides are to come, each */
    size_t open_count;  /* twice, the left one last */
} sbl_trees;

/* No tree yet, over columns with these numbers of codes. */
sbl_status sbl_trees_init(sbl_trees *trees, const uint32_t *codes, size_t column_count, sbl_error *err);
void sbl_trees_clear(sbl_trees *trees);

/* Append a target: of (codes of the column), each below cells.   Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_trees_add_target(sbl_trees *trees, uint32_t column, uint32_t cells, const uint16_t *of,
                                sbl_error *err);
/* Append a tree of a target, in preorder: begin; splits and leaves; it is whole when sbl_trees_is_whole
 * says so. set: (codes + 63) / 64 words, no bit beyond the codes.
 * Returns: SBL_OK; SBL_EARG if it is not a tree or is too large; SBL_EMEM */
sbl_status sbl_trees_begin(sbl_trees *trees, uint32_t target, sbl_error *err);
sbl_status sbl_trees_split(sbl_trees *trees, uint32_t column, const uint64_t *set, sbl_error *err);
sbl_status sbl_trees_leaf(sbl_trees *trees, sbl_error *err);
bool sbl_trees_is_whole(const sbl_trees *trees);
/* Append `count` trees of another list over the same columns, from `first` on, with their targets. */
sbl_status sbl_trees_append(sbl_trees *trees, const sbl_trees *more, size_t first, size_t count,
                            sbl_error *err);

/* A tree as text, in preorder, with blanks between: "." is a leaf, "column:set" a split, the set in
 * hexadecimal digits, code 0 being the lowest bit. And back, strictly: what is written again is the same.
 * Returns: SBL_OK, SBL_EINPUT, SBL_EMEM */
void sbl_trees_write(sbl_text *text, const sbl_trees *trees, size_t tree);
sbl_status sbl_trees_read(sbl_trees *trees, uint32_t target, const char *text, sbl_error *err);

static inline size_t sbl_tree_set_words(uint32_t codes) { return ((size_t)codes + 63) / 64; }

/* The set's bit of a code. */
static inline uint32_t sbl_tree_goes_left(const sbl_trees *trees, const sbl_tree_node *node, uint32_t code)
{
    return (uint32_t)(trees->sets[node->set + code / 64] >> (code % 64)) & 1u;
}

/* The leaf of a row of codes of the model (a number among all). */
static inline uint32_t sbl_tree_leaf(const sbl_trees *trees, size_t tree, const uint16_t *row)
{
    int32_t i = trees->trees[tree].root;
    while (i >= 0) {
        const sbl_tree_node *node = &trees->nodes[i];
        i = sbl_tree_goes_left(trees, node, row[node->column]) ? node->left : node->right;
    }
    return (uint32_t)(-1 - i);
}

/* The same of a record: as many steps as the tree is deep, whatever the record, and no branch. A tree of
 * a single leaf has no node to look at. codes: of the record, each below its column's. */
uint32_t sbl_tree_leaf_of_record(const sbl_trees *trees, size_t tree, const uint32_t *codes);

/* The entry of a row: its leaf, and the target's cell. */
static inline size_t sbl_tree_entry(const sbl_trees *trees, size_t tree, uint32_t leaf, uint32_t target_code)
{
    const sbl_tree_target *target = &trees->targets[trees->trees[tree].target];
    return trees->leaf_at[leaf] + trees->target_of[target->of_at + target_code];
}

static inline size_t sbl_tree_entries(const sbl_trees *trees, size_t tree)
{
    const sbl_tree *t = &trees->trees[tree];
    return (size_t)t->leaf_count * trees->targets[t->target].cells;
}

static inline bool sbl_tree_asks(const sbl_trees *trees, uint32_t leaf, size_t column)
{
    return trees->asks[leaf * trees->ask_words + column / 64] >> (column % 64) & 1;
}

/* leaves (row_count, tree_count) of rows that are `width` codes apart; threads change nothing. */
void sbl_trees_find(const sbl_trees *trees, uint32_t *leaves, const uint16_t *rows, size_t row_count,
                    size_t width);
/* counts (entry_count): how many rows have each entry. */
void sbl_trees_count(const sbl_trees *trees, uint32_t *counts, const uint32_t *leaves, const uint16_t *rows,
                     size_t row_count, size_t width);

#endif
