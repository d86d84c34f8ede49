/* SPDX-License-Identifier: Apache-2.0 */
/* What training is to reach: the shares of the classes and noisy means of features, per class. All of
 * it comes from a release; this folder cannot see records. */
#ifndef SBL_TRAIN_TARGET_H
#define SBL_TRAIN_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "after/losses/loss.h"
#include "base/error.h"
#include "door/release/release.h"

/* One feature of the plan and its target; all borrowed. */
typedef struct sbl_train_term {
    const sbl_loss_kind *kind; /* the feature's */
    const void *made;
    const sbl_target *target;
    bool whole; /* the target is of the classes of the data, which the generator divides into cells */
} sbl_train_term;

/* The block that holds the number of records where classes are declared to be equally frequent and
 * the number of records is private. */
#define SBL_TOTAL_BLOCK "total"

/* Shares (C) of the classes, nonnegative with sum 1, from noisy counts; and the number of records:
 * public under replace-one, else its noisy estimate, at least 1. equal: the classes are declared to
 * be equally frequent, and so are the shares.
 * Returns: SBL_OK; SBL_EINPUT when the release does not count these classes */
sbl_status sbl_target_shares(double *shares, double *rows, const sbl_release *release, size_t classes,
                             bool equal, sbl_error *err);

/* Zeros (classes, width), weight 1.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_target_init(sbl_target *target, size_t classes, size_t width, sbl_error *err);
void sbl_target_clear(sbl_target *target);
/* The means of these blocks of the release, side by side, `width` numbers a class in all, over the
 * number of records; the deviation is the largest of theirs.
 * Returns: SBL_OK; SBL_EINPUT when a block is not there or of another shape; SBL_EMEM */
sbl_status sbl_target_read(sbl_target *target, const sbl_release *release, const char *const *blocks,
                           size_t count, size_t classes, size_t width, double rows, sbl_error *err);

/* The nearest nonnegative shares with sum 1 (Euclidean projection of counts / total on the
 * simplex; Duchi et al. 2008). Any finite counts are fine, also none that is positive; where a count
 * is -INFINITY the share is 0, and some count must be finite. */
void sbl_project_shares(double *shares, const double *counts, size_t classes, double total);

#endif
