/* The loss of random Fourier features in training (Harder, Adamczewski and Park 2021), tables:
 *
 *     L = weight sum_c w_c (1/F) |E_c[cos, sin] - T_c|^2
 * E_c: share of class c times the mean over the generated batch's rows of that class of the features of its
 * numbers and drawn codes; T: the target. The gradient of a drawn code is taken for that of its
 * probability (straight through; Bengio, Leonard and Courville 2013). */
#ifndef SBL_FEATURES_RFF_LOSS_H
#define SBL_FEATURES_RFF_LOSS_H

#include "features/feature.h"
#include "features/rff.h"

/* See features/feature.h. target->means (C, 2F); rff outlives the loss. */
sbl_status sbl_rff_loss_new(void **loss, const sbl_rff *rff, const sbl_target *target,
                            const sbl_generated *generated, sbl_error *err);
double sbl_rff_loss_step(void *loss, sbl_generated *generated);
void sbl_rff_loss_free(void *loss);

#endif
