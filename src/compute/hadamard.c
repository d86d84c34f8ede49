/* Passes each call on to the kernels of the instruction set in use (variants.h); the transforms
 * are in hadamard_kernel.h. */
#include "compute/hadamard.h"

#include "compute/variants.h"

void sbl_hadamard_pairs(float *features, const float *x, const sbl_hadamard *block, float *scratch)
{
    sbl_kernels_best()->hadamard_pairs(features, x, block, scratch);
}

void sbl_hadamard_phases(float *cosines, float *sines, const float *x, const sbl_hadamard *block)
{
    sbl_kernels_best()->hadamard_phases(cosines, sines, x, block);
}

void sbl_hadamard_gradient(float *gradient, const float *cosines, const float *sines,
                           const float *a, const float *b, const sbl_hadamard *block,
                           float *scratch)
{
    sbl_kernels_best()->hadamard_gradient(gradient, cosines, sines, a, b, block, scratch);
}
