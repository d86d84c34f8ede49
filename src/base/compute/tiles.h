/* SPDX-License-Identifier: Apache-2.0 */
/* What the register tiles of convolutions are told; the tiles are in conv_kernel.h. */
#ifndef SBL_COMPUTE_TILES_H
#define SBL_COMPUTE_TILES_H

#include <stddef.h>

#define SBL_TILE_MOST_ROWS 8
#define SBL_TILE_MOST_COLUMNS 32

/* out[m] = start (NULL: out[m] as it is) + sum over runs and k of in[m][run run_stride + k]
 * weights[run length + k]; tile_rows rows, all of which must be readable and writable. */
typedef struct sbl_run_tile {
    float *out[SBL_TILE_MOST_ROWS];
    const float *in[SBL_TILE_MOST_ROWS];
    const float *weights, *start;
    size_t runs, length, run_stride;
} sbl_run_tile;

/* out[m] += sum over images, rows y and columns x of
 * g[m][image g_image + y g_row + x g_step] in[image in_image + y in_row + x in_step ..] */
typedef struct sbl_weight_tile {
    float *out[SBL_TILE_MOST_ROWS];
    const float *g[SBL_TILE_MOST_ROWS];
    const float *in;
    size_t images, rows, columns;
    size_t g_image, g_row, g_step, in_image, in_row, in_step;
} sbl_weight_tile;

/* Winograd's transforms of `channels` channels (a multiple of 16) of one tile. */
typedef struct sbl_winograd_tile {
    const float *in[36]; /* 6x6 pixels in, side x side gradients; zeros where there is no pixel */
    size_t side;         /* of the pixels out: 4 (of a 3x3 kernel) or 2 (of 5x5) */
    float *out[16];      /* side x side; NULL where there is none */
    float *coefficients; /* 36 of them, `step` floats apart */
    const float *start;  /* (channels): added to the outputs */
    size_t step, channels;
} sbl_winograd_tile;

#endif
