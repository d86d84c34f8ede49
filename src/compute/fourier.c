#include "compute/fourier.h"

#include "compute/fourier_variants.h"

static const sbl_fourier_kernels *best_kernels(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return &sbl_fourier_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &sbl_fourier_avx2;
#endif
    return &sbl_fourier_portable;
}

void sbl_fourier_features(float *features, size_t stride, const sbl_fourier_rows *rows,
                          const sbl_fourier_panels *panels)
{
    best_kernels()->features(features, stride, rows, panels);
}

double sbl_fourier_loss(float *gradient, float *scratch, const sbl_fourier_problem *problem,
                        const float *x, const float *panel, size_t lanes, const float *target)
{
    return best_kernels()->loss(gradient, scratch, problem, x, panel, lanes, target);
}

const char *sbl_fourier_variant(void) { return best_kernels()->name; }
