#include "compute/fourier.h"

#include "compute/variants.h"

void sbl_fourier_features(float *features, size_t stride, const sbl_fourier_rows *rows,
                          const sbl_fourier_panels *panels)
{
    sbl_kernels_best()->features(features, stride, rows, panels);
}

double sbl_fourier_loss(float *gradient, float *scratch, const sbl_fourier_problem *problem,
                        const float *x, const float *panel, size_t lanes, const float *target)
{
    return sbl_kernels_best()->loss(gradient, scratch, problem, x, panel, lanes, target);
}

const char *sbl_fourier_variant(void) { return sbl_kernels_best()->name; }
