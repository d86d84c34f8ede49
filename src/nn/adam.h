/* Adam (Kingma and Ba 2015) with bias correction, over one flat array of weights. */
#ifndef SBL_NN_ADAM_H
#define SBL_NN_ADAM_H

#include <stddef.h>

typedef struct sbl_adam {
    float *first, *second; /* (count): running moments, zero at the start */
    size_t count;
    size_t step; /* steps done */
} sbl_adam;

#define SBL_ADAM_BETA1 0.9
#define SBL_ADAM_BETA2 0.999
#define SBL_ADAM_EPSILON 1e-8

void sbl_adam_step(sbl_adam *adam, float *weights, const float *gradient, double rate);

/* Cosine decay from rate to zero: rate (1 + cos(pi step / steps)) / 2. */
double sbl_cosine_rate(double rate, size_t step, size_t steps);

#endif
