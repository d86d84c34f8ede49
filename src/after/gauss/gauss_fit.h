/* SPDX-License-Identifier: Apache-2.0 */
/* [6] A model of Gaussians from the releases of a RON-Gauss plan (Chanyaswad, Liu and Mittal 2019),
 * one per class: post-processing.
 *
 * clip: covariance = second moment - mean mean^T, shrunk (after/gauss/gauss_moments.h). What is drawn in the
 * original space gets, in the m - p directions that the projection does not see, the mean and the
 * mean variance of the p it sees: a Haar subspace holds p/m of the trace on average.
 * normalise: the second moment of the directions from the centre c is the covariance; their length
 * was taken away, but its mean square is 1 - |c|^2, as the points have norm 1 and mean c. Unseen
 * directions share what is left of the trace 1. A point on the sphere has lost its own length: it
 * gets that of the domain's middle. */
#ifndef SBL_GAUSS_GAUSS_FIT_H
#define SBL_GAUSS_GAUSS_FIT_H

#include "after/model/gauss_model.h"
#include "base/error.h"
#include "door/release/release.h"
#include "public/rows/projection.h"

/* The release: clip's only one, normalise's second. rows (may be NULL): the number of rows, public
 * or estimated. Returns: SBL_OK, SBL_EINPUT when it is another plan's, SBL_EMEM */
sbl_status sbl_gauss_fit(sbl_gauss_model *model, double *rows, const sbl_ron_plan *plan,
                         const sbl_release *release, sbl_error *err);

/* What rows look like after they were taken back to columns: numbers are clamped to their bounds,
 * and of a category the largest proportion wins. Both move means, and clamping also variances, of
 * columns that are far from Gaussian. Here the model is changed so that the columns of drawn rows
 * have the means (of categories: the frequencies) that the Gaussian had. Post-processing. */

/* For models in the original coordinates of records with centred numbers. */
sbl_status sbl_gauss_calibrate(sbl_gauss_model *model, sbl_error *err);

/* Mean and deviation of the Gaussian that, clamped to [-1, 1], has this mean and deviation, as near
 * as 200 rounds come; the deviation at most 4. */
void sbl_unclamp(double *mean, double *deviation);

#endif
