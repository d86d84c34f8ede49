/* SPDX-License-Identifier: Apache-2.0 */
/* The same kernels for each instruction set, and the choice between them. */
#ifndef SBL_COMPUTE_VARIANTS_H
#define SBL_COMPUTE_VARIANTS_H

#include <stdbool.h>

#include "base/compute/fourier.h"
#include "base/compute/hadamard.h"
#include "base/compute/tiles.h"

typedef struct sbl_kernels {
    const char *name;
    void (*features)(float *features, size_t stride, const sbl_fourier_rows *rows,
                     const sbl_fourier_panels *panels);
    double (*fourier_slopes)(float *slopes, float *sines, const sbl_fourier_problem *problem, const float *x,
                             const float *panel, size_t lanes, const float *target);
    void (*fourier_gradient)(float *gradient, const float *slopes, const sbl_fourier_problem *problem,
                             const float *panel, size_t lanes, size_t first, size_t last);
    /* c (tile_rows, tile_columns) = or += a b; a packed (depth, tile_rows), b (depth,
     * tile_columns) */
    void (*gemm_tile)(float *c, size_t c_stride, const float *a, const float *b, size_t depth, bool add);
    /* the same with a's rows where they are */
    void (*gemm_tile_rows)(float *c, size_t c_stride, const float *const *rows, const float *b, size_t depth,
                           bool add);
    size_t tile_rows, tile_columns;
    /* convolutions: tile_columns outputs, half as many, one (lanes along the run) */
    void (*run_tile)(const sbl_run_tile *tile);
    void (*run_tile_narrow)(const sbl_run_tile *tile);
    void (*dot_tile)(const sbl_run_tile *tile);
    void (*weight_tile)(const sbl_weight_tile *tile);
    void (*weight_tile_narrow)(const sbl_weight_tile *tile);
    void (*winograd_input)(const sbl_winograd_tile *tile);
    void (*winograd_output)(const sbl_winograd_tile *tile);
    /* 36 coefficients, out_step apart, of taps x taps (3 or 5), step apart; `lanes` of each, a
     * multiple of tile_columns / 2 */
    void (*winograd_filter)(float *out, size_t out_step, const float *in, size_t step, size_t lanes,
                            size_t taps);
    /* coefficients of side x side gradients, in tile->in */
    void (*winograd_gradient)(const sbl_winograd_tile *tile);
    /* taps x taps weights of one output channel, (taps, taps, inputs), from the sums of 36
     * coefficients, step apart, of `parts` parts, `part` floats apart */
    void (*winograd_weights)(float *out, const float *sums, size_t step, size_t part, size_t parts,
                             size_t inputs, size_t taps);
    /* tile (product_rows, product_columns) = a^T b of doubles; rows of a and b are product_columns
     * apart, a's first product_rows columns count */
    void (*products_tile)(double *tile, const double *a, const double *b, size_t depth);
    void (*products_put)(double *to, const int32_t *q, size_t columns);
    size_t product_rows, product_columns;
    void (*hadamard_pairs)(float *features, const float *x, const sbl_hadamard *block, float *scratch);
    void (*hadamard_phases)(float *cosines, float *sines, const float *x, const sbl_hadamard *block);
    void (*hadamard_gradient)(float *gradient, const float *cosines, const float *sines, const float *a,
                              const float *b, const sbl_hadamard *block, float *scratch);
} sbl_kernels;

#define SBL_PRODUCT_TILE 128 /* most entries of a tile of products */

extern const sbl_kernels sbl_kernels_portable;
#if defined(__x86_64__)
extern const sbl_kernels sbl_kernels_avx2;
extern const sbl_kernels sbl_kernels_avx512;
#endif

/* The best that this machine has; the same for the life of the process. */
const sbl_kernels *sbl_kernels_best(void);

#endif
