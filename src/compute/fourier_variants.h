/* The same kernels for each instruction set; fourier.c picks one. */
#ifndef SBL_COMPUTE_FOURIER_VARIANTS_H
#define SBL_COMPUTE_FOURIER_VARIANTS_H

#include "compute/fourier.h"

typedef struct sbl_fourier_kernels {
    const char *name;
    void (*features)(float *features, size_t stride, const sbl_fourier_rows *rows,
                     const sbl_fourier_panels *panels);
    double (*loss)(float *gradient, float *scratch, const sbl_fourier_problem *problem,
                   const float *x, const float *panel, size_t lanes, const float *target);
} sbl_fourier_kernels;

extern const sbl_fourier_kernels sbl_fourier_portable;
#if defined(__x86_64__)
extern const sbl_fourier_kernels sbl_fourier_avx2;
extern const sbl_fourier_kernels sbl_fourier_avx512;
#endif

#endif
