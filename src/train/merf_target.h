/* What DP-MERF trains towards: noisy means of features, per class, and the shares of the classes.
 * All of it comes from a release; this folder cannot see records. */
#ifndef SBL_TRAIN_MERF_TARGET_H
#define SBL_TRAIN_MERF_TARGET_H

#include <stddef.h>

#include "base/status.h"
#include "features/plan.h"
#include "release/release.h"

typedef struct sbl_merf_target {
    float *rff;     /* (C, D): noisy sums of (cos, sin) pairs over n; NULL: no such block */
    float *onehot;  /* (C, T): noisy sums of one-hot codes over n; NULL: no such block */
    double *shares; /* (C): class shares, nonnegative, sum 1 */
    double onehot_deviation; /* of the noise on an entry of onehot */
    double rows;             /* n, or its noisy estimate */
} sbl_merf_target;

/* Zeros of the plan's shape, equal shares. */
sbl_status sbl_merf_target_init(sbl_merf_target *target, const sbl_merf_plan *plan, sbl_error *err);
void sbl_merf_target_clear(sbl_merf_target *target);

/* From a release made by this plan. */
sbl_status sbl_merf_target_from_release(sbl_merf_target *target, const sbl_merf_plan *plan,
                                        const sbl_release *release, sbl_error *err);

/* The nearest nonnegative shares with sum 1 (Euclidean projection of counts / total on the
 * simplex; Duchi et al. 2008). Any finite counts are fine, also none that is positive. */
void sbl_project_shares(double *shares, const double *counts, size_t classes, double total);

#endif
