/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Draws from the posterior of a model of pairs, given the releases that it was fitted to.
 *
 * A draw is a fit to moved targets (docs/mechanisms/inference.md). The caller moves the released counts by
 * noise of their own law and by the error of sampling (sbl_pairs_selection_move); here the centre of the prior
 * moves as well, and the fitted model is swept to the new targets. Two things differ from the fit:
 *  - A pair that was not chosen is uncertain, not absent. It has a block over the groups of the sketch, with the
 *    sketch's likelihood, and a prior that is wider than what the sketch's noise can hide.
 *  - What a fit decides by thresholds (bins that hold nothing, missing values, energies of pairs) stays as the
 *    unmoved releases decided it. */
#ifndef SBL_PAIRS_POSTERIOR_H
#define SBL_PAIRS_POSTERIOR_H

#include "after/pairs/measurement_plan.h"

typedef struct sbl_pairs_posterior sbl_pairs_posterior;

/* selection: all its releases were taken; it is borrowed, and moved from here on. base: its fit; borrowed.
 * Owner: the caller, sbl_pairs_posterior_free()   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_pairs_posterior_new(sbl_pairs_posterior **posterior, sbl_pairs_selection *selection,
                                   const sbl_pairs_model *base, sbl_error *err);
void sbl_pairs_posterior_free(sbl_pairs_posterior *posterior);

/* Replace the values of release `round` (from 0) by moved ones. plan, values, noise: as in
 * sbl_pairs_selection_take.   Returns: SBL_OK, SBL_EINPUT for another plan than was taken, SBL_EMEM */
sbl_status sbl_pairs_selection_move(sbl_pairs_selection *selection, size_t round, const sbl_pairs_plan *plan,
                                    const double *const *values, const double *noise, sbl_error *err);

/* Draw `number`, from 0, of a table of `rows` records. forest: tables of trees, moved; NULL: none.
 * Returns: SBL_OK, SBL_EMEM, SBL_ESTOPPED */
struct sbl_forest_tables;
sbl_status sbl_pairs_posterior_draw(sbl_pairs_posterior *posterior, sbl_pairs_model *model, uint64_t number,
                                    double rows, struct sbl_forest_tables *forest, sbl_error *err);

#endif
