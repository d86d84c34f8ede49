/* SPDX-License-Identifier: Apache-2.0 */
/* Noisy counts of neighbouring values, freed of what noise explains. Post-processing of a release.
 *
 *   y_j = x_j + noise of variance s^2,  j = 1..T
 *
 * 1. Steps: the piecewise constant g that minimises |y - g|^2 + 2 s^2 log(T) (number of pieces).
 *    Under pure noise the best of T places for one more piece gains about 2 s^2 log T, so pieces
 *    stand for something; a spike has its own (Yao 1988; for private histograms Xu et al. 2012).
 *    Solved exactly by dynamic programming in T^2 / 2 steps.
 * 2. What many small steps hide together: x = g + factor * (y - g), where the factor
 *    1 - (T - pieces) s^2 / |y - g|^2, at least 0, is that of Efron and Morris 1973. */
#ifndef SBL_TRAIN_STEPS_H
#define SBL_TRAIN_STEPS_H

#include <stddef.h>

#include "base/alloc.h"
#include "base/error.h"

/* Room to work in. */
typedef struct sbl_steps {
    double *sums;   /* (most + 1): running sums of the values */
    double *costs;  /* (most + 1): least cost of the values before j, less their squares */
    size_t *starts; /* (most + 1): where the last piece before j begins */
    double *fitted; /* (most) */
    sbl_pool pool;  /* of these */
} sbl_steps;

/* For no more than `most` values at a time. */
sbl_status sbl_steps_init(sbl_steps *steps, size_t most, sbl_error *err);
void sbl_steps_clear(sbl_steps *steps);

/* In place. variance: s^2 > 0 */
void sbl_steps_fit(sbl_steps *steps, double *values, size_t count, double variance);

/* values = towards + factor * (values - towards), the factor 1 - noise2 / |values - towards|^2, at
 * least 0. towards: NULL for zeros. */
void sbl_shrink(double *values, const double *towards, size_t count, double noise2);

#endif
