/* SPDX-License-Identifier: Apache-2.0 */
/* Adam (Kingma and Ba 2015) with bias correction, over one flat array of weights, and the decay of its
 * rate. */
#ifndef SBL_NN_ADAM_H
#define SBL_NN_ADAM_H

#include <stddef.h>

#include "base/backend/backend.h"

#define SBL_ADAM_MOMENTUM 0.9 /* beta1 of the paper */

typedef struct sbl_adam {
    float *first, *second; /* (count): running moments, zero at the start; tensors */
    size_t count;
    size_t step;         /* steps done */
    double beta1, beta2; /* 0 <= beta < 1; 0: no memory */
    double epsilon;      /* > 0 */
} sbl_adam;

/* The paper's constants, which the caller may replace before the first step. */
static inline sbl_adam sbl_adam_of(float *first, float *second, size_t count)
{
    return (sbl_adam){.first = first,
                      .second = second,
                      .count = count,
                      .beta1 = SBL_ADAM_MOMENTUM,
                      .beta2 = 0.999,
                      .epsilon = 1e-8};
}

void sbl_adam_step(sbl_adam *adam, float *weights, const float *gradient, double rate);
/* The same of a backend's tensors. */
void sbl_adam_step_on(const sbl_backend *on, sbl_adam *adam, float *weights, const float *gradient,
                      double rate);

/* Cosine decay from rate to zero: rate (1 + cos(pi step / steps)) / 2. */
double sbl_cosine_rate(double rate, size_t step, size_t steps);

#endif
