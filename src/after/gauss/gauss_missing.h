/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Missing values that no record has are not drawn (public/schema/missing.h). The mean of a class says how many
 * of its records have a category; a code of missing values that cannot be told from noise gets an offset with
 * which it never is the largest, and a class of records without a label the share 0. Post-processing. */
#ifndef SBL_GAUSS_GAUSS_MISSING_H
#define SBL_GAUSS_GAUSS_MISSING_H

#include "after/model/gauss_model.h"
#include "base/error.h"
#include "door/release/release.h"
#include "public/plan/facts.h"

/* The fitted model; rows: the number of records; first: the release that holds the means and the counts of
 * the classes. Where that is not at hand, and normalise's second release alone is fitted, nothing is tested.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_gauss_take_missing(sbl_gauss_model *model, const sbl_facts *facts, double rows,
                                  const sbl_release *first, sbl_error *err);

#endif
