/* SPDX-License-Identifier: Apache-2.0 */
/* Where a fit starts: rows of the maximum-information spanning tree of the measured pairs (Chow and
 * Liu 1968), drawn by quotas, and the tree's parameters. */
#ifndef SBL_PAIRS_CHOW_LIU_H
#define SBL_PAIRS_CHOW_LIU_H

#include "after/pairs/potts.h"
#include "base/random/model_rng.h"

/* Independent columns: rows (row_count, 2 potts->count) of codes and groups.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_start_independent(const sbl_potts *potts, uint16_t *rows, size_t row_count,
                                 const float *shares, uint64_t seed, sbl_error *err);

/* The tree over the blocks that are not grouped. shares (bias_count), targets (theta_count) as of a
 * goal (feedback.h); strength (block_count): c / v of a block, by which an entry q of independence
 * is believed: t = q + (target - q) c q / (c q + v). Sets theta of the tree's blocks to
 * log(t / q), all others to 0, and the rows.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_start_tree(sbl_potts *potts, uint16_t *rows, size_t row_count, const float *shares,
                          const float *targets, const double *strength, uint64_t seed, sbl_error *err);

#endif
