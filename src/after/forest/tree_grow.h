/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Trees grown on rows of a model, never on records: what they ask is post-processing of the releases
 * that the model was fitted to.
 *
 * Grown trees are classification trees for the target's cells: best first by the fall of Gini's impurity,
 * on rows drawn with replacement, with .4 of the columns tried at each node and at least 5 rows a leaf.
 * Numbers are cut in the order of their codes; other codes are put in the order of the node's commonest
 * cell among them, and cut there.
 * Blind trees know nothing of the target: each asks the same few columns on every path, cut nearest to
 * the middle of the rows, so that it is a table over that many halved columns. Columns take turns being
 * asked, or being left out where most are asked: of 8 columns of which 4 trees leave out 2 each, any 3
 * are asked together by one. They see what no pair shows, as a parity. A column whose half tells more than half
 * of the target's impurity is not asked: others would hide behind it. */
#ifndef SBL_FOREST_TREE_GROW_H
#define SBL_FOREST_TREE_GROW_H

#include "base/random/model_rng.h"
#include "public/counts/tree_shape.h"

/* The rows that trees are grown on. */
typedef struct sbl_grow_rows {
    const uint16_t *rows; /* (row_count, width): a row begins with the codes of the columns */
    size_t row_count, width;
    const uint32_t *ordered; /* (columns): the first codes, which lie in order */
} sbl_grow_rows;

typedef struct sbl_grow_rule {
    size_t trees;
    uint32_t leaves; /* of a tree at most, 2 .. SBL_TREE_LEAVES */
    uint64_t seed;   /* public */
    uint64_t stream; /* no two calls of one seed share one; < 2^40 */
} sbl_grow_rule;

/* Appends `count` trees for target number `target`.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_trees_grow(sbl_trees *trees, uint32_t target, const sbl_grow_rows *on,
                          const sbl_grow_rule *rule, sbl_error *err);
/* The same of blind trees, of up to `leaves` leaves (a power of 2, at most 2^7). */
sbl_status sbl_trees_grow_blind(sbl_trees *trees, uint32_t target, const sbl_grow_rows *on,
                                const sbl_grow_rule *rule, sbl_error *err);

#endif
