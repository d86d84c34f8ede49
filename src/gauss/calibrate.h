/* What rows look like after they were taken back to columns: numbers are clamped to their bounds,
 * and of a category the largest proportion wins. Both move means, and clamping also variances, of
 * columns that are far from Gaussian. Here the model is changed so that the columns of drawn rows
 * have the means (of categories: the frequencies) that the Gaussian had. Post-processing. */
#ifndef SBL_GAUSS_CALIBRATE_H
#define SBL_GAUSS_CALIBRATE_H

#include "base/status.h"
#include "model/gauss_model.h"

/* For models in the original coordinates of records with centred numbers. */
sbl_status sbl_gauss_calibrate(sbl_gauss_model *model, sbl_error *err);

/* Mean and deviation of the Gaussian that, clamped to [-1, 1], has this mean and deviation, as near
 * as 200 rounds come; the deviation at most 4. */
void sbl_unclamp(double *mean, double *deviation);

#endif
