/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of a model as tensors of its file, and back, where it has any.
 *
 * U32: tree_targets (targets, 2: column, cells), trees (trees, 2: target, number of items), tree_items (in
 * preorder: a column, or 0xffffffff for a leaf), tree_sets (two halves of each word of the splits' sets, in
 * their order, the lower first); F32: phi (entries); U16: tree_target_of (a cell for each code of a target). */
#ifndef SBL_PAIRS_TREES_FILE_H
#define SBL_PAIRS_TREES_FILE_H

#include "after/pairs/potts.h"
#include "base/tensors/safetensors.h"

#define SBL_TREES_TENSORS 6

/* tensors: borrow from the potts and from arrays of the pool. */
sbl_status sbl_trees_pack(sbl_tensor tensors[SBL_TREES_TENSORS], sbl_pool *pool, const sbl_potts *potts,
                          sbl_error *err);
/* potts: its columns must be there.   Returns: SBL_OK; SBL_EINPUT if these are not trees of it; SBL_EMEM */
sbl_status sbl_trees_unpack(sbl_potts *potts, const sbl_safetensors *file, const char *path, sbl_error *err);

#endif
