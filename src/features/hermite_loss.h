/* The distance of generated records' Hermite means from the noisy ones, for training:
 *     loss = pull sum_c w_c / P sum over parts |mean_c - aim_c|^2,
 * the mean of a class weighed by its share, P parts of norm at most 1 each. */
#ifndef SBL_FEATURES_HERMITE_LOSS_H
#define SBL_FEATURES_HERMITE_LOSS_H

#include "features/hermite.h"

/* See features/feature.h. target->means (C, width). */
sbl_status sbl_hermite_loss_new(void **loss, const sbl_hermite *hermite, const sbl_target *target,
                                const sbl_generated *generated, sbl_error *err);
double sbl_hermite_loss_step(void *loss, sbl_generated *generated);
void sbl_hermite_loss_free(void *loss);
sbl_running *sbl_hermite_loss_memory(void *loss, size_t i);

#endif
