/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of an instruction set by what the processor reports. Asked at every call: the answer
 * is a read of flags that the compiler's runtime has set, so there is no state to keep. */
#include "base/compute/variants.h"

const sbl_kernels *sbl_kernels_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return &sbl_kernels_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &sbl_kernels_avx2;
#endif
    return &sbl_kernels_portable;
}

/* ---- calls passed on to the kernels in use: the arithmetic is in fourier_kernel.h and hadamard_kernel.h ---- */

void sbl_fourier_features(float *features, size_t stride, const sbl_fourier_rows *rows,
                          const sbl_fourier_panels *panels)
{
    sbl_kernels_best()->features(features, stride, rows, panels);
}

double sbl_fourier_slopes(float *slopes, float *sines, const sbl_fourier_problem *problem, const float *x,
                          const float *panel, size_t lanes, const float *target)
{
    return sbl_kernels_best()->fourier_slopes(slopes, sines, problem, x, panel, lanes, target);
}

void sbl_fourier_gradient(float *gradient, const float *slopes, const sbl_fourier_problem *problem,
                          const float *panel, size_t lanes, size_t first, size_t last)
{
    sbl_kernels_best()->fourier_gradient(gradient, slopes, problem, panel, lanes, first, last);
}

void sbl_hadamard_pairs(float *features, const float *x, const sbl_hadamard *block, float *scratch)
{
    sbl_kernels_best()->hadamard_pairs(features, x, block, scratch);
}

void sbl_hadamard_phases(float *cosines, float *sines, const float *x, const sbl_hadamard *block)
{
    sbl_kernels_best()->hadamard_phases(cosines, sines, x, block);
}

void sbl_hadamard_gradient(float *gradient, const float *cosines, const float *sines, const float *a,
                           const float *b, const sbl_hadamard *block, float *scratch)
{
    sbl_kernels_best()->hadamard_gradient(gradient, cosines, sines, a, b, block, scratch);
}
