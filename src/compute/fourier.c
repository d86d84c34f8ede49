/* Passes each call on to the kernels of the instruction set in use (variants.h). The arithmetic is
 * in fourier_kernel.h, which kernels_portable.c, kernels_avx2.c and kernels_avx512.c compile once
 * each. */
#include "compute/fourier.h"

#include "compute/variants.h"

void sbl_fourier_features(float *features, size_t stride, const sbl_fourier_rows *rows,
                          const sbl_fourier_panels *panels)
{
    sbl_kernels_best()->features(features, stride, rows, panels);
}

double sbl_fourier_slopes(float *slopes, float *sines, const sbl_fourier_problem *problem,
                          const float *x, const float *panel, size_t lanes, const float *target)
{
    return sbl_kernels_best()->fourier_slopes(slopes, sines, problem, x, panel, lanes, target);
}

void sbl_fourier_gradient(float *gradient, const float *slopes, const sbl_fourier_problem *problem,
                          const float *panel, size_t lanes, size_t first, size_t last)
{
    sbl_kernels_best()->fourier_gradient(gradient, slopes, problem, panel, lanes, first, last);
}

const char *sbl_fourier_variant(void) { return sbl_kernels_best()->name; }
