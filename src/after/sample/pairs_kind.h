/* SPDX-License-Identifier: Apache-2.0 */
/* [7] Pairs as a kind of model: rows of public cells (after/pairs/pairs_sampler.h) back in the table's columns, a
 * number evenly within its cell. */
#ifndef SBL_SAMPLE_PAIRS_KIND_H
#define SBL_SAMPLE_PAIRS_KIND_H

#include "after/model/model.h"
#include "after/pairs/pairs_model.h"

/* The model whose state this is; takes the pairs, also on failure. Its plan has the feature
 * `tables`, from whose parameters the cells follow. */
extern const sbl_model_kind sbl_model_kind_pairs;
sbl_status sbl_model_of_pairs(sbl_model *model, sbl_pairs_model *pairs, sbl_error *err);
/* The pairs of such a model; borrowed. */
const sbl_pairs_model *sbl_model_pairs(const sbl_model *model);

#endif
