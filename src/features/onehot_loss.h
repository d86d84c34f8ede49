/* The loss of one-hot codes in training, tables: the expected codes, which are the softmax outputs
 * p, against their noisy means.
 *
 *     L = weight sum_c w_c (1/K) |E_c[p] - O_c|^2
 * E_c: share of class c times the mean over the generated batch's rows of that class; O: the target; K:
 * categorical columns, T: their one-hot entries. */
#ifndef SBL_FEATURES_ONEHOT_LOSS_H
#define SBL_FEATURES_ONEHOT_LOSS_H

#include "features/feature.h"
#include "schema/record_shape.h"

/* See features/feature.h. target->means (C, T); shape has categorical columns. */
sbl_status sbl_onehot_loss_new(void **loss, const sbl_record_shape *shape, const sbl_target *target,
                               const sbl_generated *generated, sbl_error *err);
double sbl_onehot_loss_step(void *loss, sbl_generated *generated);
void sbl_onehot_loss_free(void *loss);
/* Every column at its noisy marginal in the class, floored where noise would dominate. */
void sbl_onehot_loss_start(float *expected, const sbl_record_shape *shape, const sbl_target *target,
                           const sbl_generated *generated);

#endif
