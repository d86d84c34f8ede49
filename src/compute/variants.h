/* The same kernels for each instruction set, and the choice between them. */
#ifndef SBL_COMPUTE_VARIANTS_H
#define SBL_COMPUTE_VARIANTS_H

#include <stdbool.h>

#include "compute/fourier.h"

typedef struct sbl_kernels {
    const char *name;
    void (*features)(float *features, size_t stride, const sbl_fourier_rows *rows,
                     const sbl_fourier_panels *panels);
    double (*loss)(float *gradient, float *scratch, const sbl_fourier_problem *problem,
                   const float *x, const float *panel, size_t lanes, const float *target);
    /* c (tile_rows, tile_columns) = or += a b; a packed (depth, tile_rows), b (depth,
     * tile_columns) */
    void (*gemm_tile)(float *c, size_t c_stride, const float *a, const float *b, size_t depth,
                      bool add);
    size_t tile_rows, tile_columns;
} sbl_kernels;

#define SBL_TILE_MOST_ROWS 8
#define SBL_TILE_MOST_COLUMNS 32

extern const sbl_kernels sbl_kernels_portable;
#if defined(__x86_64__)
extern const sbl_kernels sbl_kernels_avx2;
extern const sbl_kernels sbl_kernels_avx512;
#endif

/* The best that this machine has; the same for the life of the process. */
const sbl_kernels *sbl_kernels_best(void);

#endif
