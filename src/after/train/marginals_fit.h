/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Independent columns from noisy one-way histograms. All of it comes from a release; this
 * folder cannot see records.
 *
 * 1. Size of a class: each of the K columns' histograms adds up to it, with noise of variance
 *    T_k s^2, and a released count has variance s_0^2; they are averaged by inverse variance, then
 *    projected on the nonnegative sizes with the right total (n where it is public).
 * 2. Pooled histogram of a column: over the classes by least squares, where it has one cell per
 *    value freed of noise along the values (after/train/steps.h), projected to sum 1.
 * 3. Histogram of a class: shrunk towards its share of the pooled one by the empirical Bayes factor
 *    1 - (T_k - 1) s^2 / |d|^2 (at least 0) of Efron and Morris 1973, d the difference; where there
 *    is one cell per value towards that share plus steps of d. Then projected to the class's size.
 *    A class without rows gets the pooled histogram.
 * Along the values a missing one comes last. */
#ifndef SBL_TRAIN_MARGINALS_FIT_H
#define SBL_TRAIN_MARGINALS_FIT_H

#include "after/model/marginals_model.h"
#include "base/error.h"
#include "door/release/release.h"

/* From a release of the feature `cells` over these cells. rows (may be NULL): the number of rows, public or estimated.
 * Returns: SBL_OK, SBL_EINPUT when it is another plan's, SBL_EMEM */
sbl_status sbl_marginals_fit(sbl_marginals_model *model, double *rows, const sbl_bins *cells,
                             const sbl_release *release, sbl_error *err);

#endif
