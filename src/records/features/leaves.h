/* SPDX-License-Identifier: Apache-2.0 */
/* `leaves`: for each tree a marginal of leaf x bins of the tree's target (public/counts/tree_shape.h). The
 * method `forest` measures it beside the marginals of pairs. Tables only.
 *
 * Bound: every record has one leaf of a tree and one bin of its target, so it adds a single 1 to each
 * tree's marginal. All trees are one block: T trees have squared norm and sum T, all entries nonnegative.
 * The squared sensitivity of the sum is 2 T under replace-one and T under add-remove, and the same in the
 * L1 norm, whatever the trees. The trees are in the parameters: nothing depends on growing them again.
 *
 * Parameters: {"bins", "singles", "linear" (public/schema/bins.h, joint), "codes": [[...], ...]: for each
 * column a code for each of its bins, "targets": [{"column", "cells", "of": [a cell for each code]}, ...],
 * "trees": [[target, text (sbl_trees_write)], ...]}. */
#ifndef SBL_FEATURES_LEAVES_H
#define SBL_FEATURES_LEAVES_H

#include "public/counts/pairs_plan.h"
#include "public/counts/tree_shape.h"
#include "public/schema/bins.h"
#include "records/features/feature.h"

/* The feature, made. */
typedef struct sbl_leaves {
    sbl_trees trees;
    sbl_pairs_plan codes; /* one map a column, no table */
    sbl_bins cells;
    const sbl_facts *facts; /* borrowed */
} sbl_leaves;

/* Of trees over these codes of joint cells; NULL when out of memory. */
json_t *sbl_leaves_parameters(const sbl_trees *trees, const sbl_pairs_plan *codes, const sbl_bins *cells);

extern const sbl_feature sbl_feature_leaves; /* made: sbl_leaves */

#endif
