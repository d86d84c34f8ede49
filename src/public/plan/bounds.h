/* SPDX-License-Identifier: Apache-2.0 */
/* How far a released mean embedding is from the true one, and what random features add to a distance between data sets:
 * bounds from public numbers alone (docs/mechanisms/bounds.md). The guarantee does not depend on them.
 *
 * Units: the embedding of one record has length at most 1. The noise is the discrete Gaussian of a release. */
#ifndef SBL_PLAN_BOUNDS_H
#define SBL_PLAN_BOUNDS_H

#include <stddef.h>

#define SBL_BOUND_RISK 0.05 /* with which a plan's bounds may fail */

typedef struct sbl_bound {
    double expected; /* the mean is at most this */
    double most;     /* exceeded with a probability of at most the risk */
} sbl_bound;

/* A noisy sum of `records` embeddings, divided by their number. */
typedef struct sbl_noisy_mean {
    double noise;   /* standard deviation on one value of the sum */
    double values;  /* 1 or more */
    double records; /* 1 or more */
    /* Standard deviation of the noise on the number that the sum is divided by, which is held to 1 or more. 0: the exact
     * number. Else `expected` is the mean given that the noisy number is within its own bound, which fails with at most
     * half the risk. */
    double count_noise;
} sbl_noisy_mean;

/* Of the distance between the noisy mean and the true one.   In: risk in (0, 1) */
sbl_bound sbl_bound_noise(const sbl_noisy_mean *mean, double risk);

/* Of | MMD^2 by `features` random Fourier features - MMD^2 by their kernel |, for two data sets that do not depend on the
 * frequencies, which are independent. Two features, cosine and sine, have one frequency. */
sbl_bound sbl_bound_random_features(double features, double risk);

/* The even number of features, from `least` to `most`, that makes the sum of both errors in the loss of a trained
 * generator smallest: 4 sqrt(D) noise + 4 sqrt(2 / D).
 * In: noise  standard deviation on one value of a class's mean embedding, positive */
size_t sbl_bound_balance(double noise, size_t least, size_t most);

#endif
