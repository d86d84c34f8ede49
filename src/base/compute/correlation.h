/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the convolutions share (conv.h): correlation, padding, tiles of Winograd's transforms.
 *
 * The one product that all convolutions are made of is a correlation: outputs on a grid of pixels, each the sum of
 * runs of successive numbers of a (zero-padded) image times weights. With channels fastest, the k pixels of one row under a
 * k x k kernel are one run of k * channels numbers. A register tile reads its runs straight from the image: there is no
 * unfolded copy of it (the indirect convolution of Dukhan 2019, without the table of pointers). */
#ifndef SBL_COMPUTE_CORRELATION_H
#define SBL_COMPUTE_CORRELATION_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compute/window_shape.h"

/* Where the taps of a kernel stand: tap (row, column) of input channel c for output lane l is
 * first[l lane + row row_step + column column_step + c channel]. Steps may be negative. */
typedef struct sbl_taps {
    const float *first;
    ptrdiff_t lane, row_step, column_step, channel;
    size_t lanes, rows, columns, channels;
} sbl_taps;

/* Taps in the order in which the tiles read them. */
size_t sbl_packed_size(const sbl_taps *taps);
void sbl_pack_taps(float *packed, const sbl_taps *taps, size_t threads);

/* They are packed in pieces, which threads can share: of a panel of `width` lanes from `lane` on, channels first ..
 * first + count - 1 of all taps. */
typedef struct sbl_tap_piece {
    size_t lane, width, first, count;
} sbl_tap_piece;

size_t sbl_tap_pieces(const sbl_taps *taps);
sbl_tap_piece sbl_pack_piece(float *packed, const sbl_taps *taps, size_t number);

/* Distances are in floats. */
typedef struct sbl_correlation {
    size_t images, grid_height, grid_width;
    size_t in_image, in_y, in_x;    /* from one output's first number to the next one's */
    size_t out_image, out_y, out_x; /* the same of the outputs */
    size_t runs, length, run_stride;
    size_t lanes; /* outputs per pixel */
} sbl_correlation;

/* Numbers that may be read (and do not count) behind the last one of `in`. */
#define SBL_CORRELATION_SLACK 64

/* start: (lanes, rounded up to a multiple of 32), what each sum starts from. */
void sbl_correlate(float *out, const float *in, const float *packed, const float *start,
                   const sbl_correlation *c);

/* Images with a border of zeros: `before` rows above and columns to the left. */
typedef struct sbl_padded {
    size_t height, width, channels, before;
    size_t full_height, full_width;
} sbl_padded;

static inline size_t sbl_padded_size(const sbl_padded *p)
{
    return p->full_height * p->full_width * p->channels;
}

void sbl_pad_image(float *out, const float *image, const sbl_padded *p);
/* x as sbl_conv_forward and sbl_conv_backward_weights read it. */
sbl_padded sbl_pad_inputs(const sbl_conv_shape *shape);

static inline size_t sbl_larger(size_t a, size_t b) { return a > b ? a : b; }

static inline size_t sbl_whole_lines(size_t floats) { return (floats + 15) / 16 * 16; }

/* The next `count` floats of a workspace, on a line of 64 bytes once the first one was. */
static inline float *sbl_take_lines(float **next, size_t count)
{
    float *at = *next;
    *next += sbl_whole_lines(count);
    return at;
}

static inline float *sbl_first_line(float *workspace)
{
    return workspace + (64 - (uintptr_t)workspace % 64) % 64 / sizeof *workspace;
}

size_t sbl_winograd_workspace(const sbl_taps *taps, size_t threads);
/* out (rows, height, width, lanes) = 3x3 (5x5) correlation of in (rows, height, width, channels)
 * with one pixel (two) of zeros around. start as for sbl_correlate. */
void sbl_winograd(float *out, const float *in, const sbl_taps *taps, const float *start, size_t height,
                  size_t width, size_t rows, size_t threads, float *workspace);

size_t sbl_winograd_weights_workspace(const sbl_conv_shape *shape, size_t rows);
/* As sbl_conv_backward_weights; sbl_conv_is_winograd must hold. workspace on a line. */
void sbl_winograd_weights(float *dw, const float *x, const float *dy, const sbl_conv_shape *shape,
                          size_t rows, float *workspace);

size_t sbl_conv_weights_workspace(const sbl_conv_shape *shape, size_t rows);

#define SBL_WINOGRAD_COEFFICIENTS 36

/* Images cut into tiles of side x side pixels, row by row. */
typedef struct sbl_tiling {
    size_t side, height, width, down, across;
} sbl_tiling;

/* taps: 3 or 5 along each side of the kernel */
static inline sbl_tiling sbl_tiling_of(size_t taps, size_t height, size_t width)
{
    size_t side = 7 - taps;
    return (sbl_tiling){side, height, width, (height + side - 1) / side, (width + side - 1) / side};
}

/* The extent x extent pixels of one tile, from `border` pixels above and to the left of it on;
 * zeros where the image has none. */
static inline void sbl_tile_pixels(const float **at, const float *images, size_t channels,
                                   const sbl_tiling *t, size_t number, size_t extent, size_t border,
                                   const float *zeros)
{
    size_t per_image = t->down * t->across, in_image = number % per_image;
    size_t top = in_image / t->across * t->side, left = in_image % t->across * t->side;
    const float *pixels = images + number / per_image * t->height * t->width * channels;
    for (size_t y = 0; y < extent; y++)
        for (size_t x = 0; x < extent; x++) {
            size_t row = top + y - border, column = left + x - border; /* wraps outside: huge */
            at[extent * y + x] =
                row < t->height && column < t->width ? pixels + (row * t->width + column) * channels : zeros;
        }
}

#endif
