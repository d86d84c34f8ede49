/* The loss of structured orthogonal Fourier features in training, images:
 *
 *     L = weight sum_c w_c (1/F) |E_c[cos, sin] - T_c|^2
 * E_c: share of class c times the sum over the generated batch's B_c images of that class of their features,
 * over B_c - 1; T: the target. An image's product with itself is constant, so B_c - 1 in place of B_c
 * makes the gradient that of the unbiased estimate of the squared distance (Gretton, Borgwardt,
 * Rasch, Schoelkopf and Smola 2012): small batches do not draw the images together.
 * With memory m in the target, E_c is replaced by m P_c + (1 - m) E_c, P_c the running mean of the steps
 * before (decay m, less in the first steps): its gradient has the variance of a batch about
 * (1 + m) / (1 - m) times as large, at the price of a mean that lags behind. */
#ifndef SBL_FEATURES_ORTHOGONAL_LOSS_H
#define SBL_FEATURES_ORTHOGONAL_LOSS_H

#include "features/feature.h"
#include "features/orthogonal.h"

/* See features/feature.h. target->means (C, 2F); frequencies outlive the loss. */
sbl_status sbl_orthogonal_loss_new(void **loss, const sbl_orthogonal *frequencies,
                                   const sbl_target *target, const sbl_generated *generated,
                                   sbl_error *err);
double sbl_orthogonal_loss_step(void *loss, sbl_generated *generated);
void sbl_orthogonal_loss_free(void *loss);
sbl_running *sbl_orthogonal_loss_memory(void *loss, size_t i);

#endif
