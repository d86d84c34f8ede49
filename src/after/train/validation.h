/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Early stopping: statistics that training does not follow choose among its states.
 *
 * A state m (class means of what it generates) is scored by L(m) = sum_c w_c |m_c - t_c|^2, where the
 * statistics t carry noise of a known deviation s. Between two states that noise moves the difference
 * L(a) - L(b) by -2 sum_c w_c <a_c - b_c, noise>, of deviation
 *     2 s sqrt(sum_c w_c^2 |a_c - b_c|^2).
 * Late states differ by less than that, and the least score among them is chance: a state is worse than
 * another only where the difference is more than SURE of those deviations. All of it is
 * post-processing of a release. */
#ifndef SBL_TRAIN_VALIDATION_H
#define SBL_TRAIN_VALIDATION_H

#include <stdbool.h>

#include "after/train/target.h"

typedef struct sbl_validation sbl_validation;

/* Keeps nothing of the terms but their features. A loss has one running mean of all classes, as that of
 * moments_loss.c, or none: then the noise of its target counts as none.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_validation_new(sbl_validation **validation, const sbl_train_term *terms, size_t count,
                              const sbl_generated *generated, sbl_error *err);
void sbl_validation_free(sbl_validation *validation);

/* Looks at batch 0, 1, ... of a state: L of the mean over them so far. Writes gradients, too. */
double sbl_validation_score(sbl_validation *validation, sbl_generated *generated, size_t batch);
/* The means that were looked at last become the kept ones. */
void sbl_validation_keep(sbl_validation *validation);
/* Is the state that was looked at last, of this score, worse than the kept one of that score? */
bool sbl_validation_is_worse(const sbl_validation *validation, const sbl_generated *generated, double score,
                             double kept);

/* The kept means, for a checkpoint. */
float *sbl_validation_kept(sbl_validation *validation, size_t *count);

#endif
