/* The one product that all convolutions are made of: outputs on a grid of pixels, each the sum of
 * runs of successive numbers of a (zero-padded) image times weights.
 *
 * With channels fastest, the k pixels of one row under a k x k kernel are one run of k * channels
 * numbers. A register tile reads its runs straight from the image: there is no unfolded copy of it
 * (the indirect convolution of Dukhan 2019, without the table of pointers). */
#ifndef SBL_COMPUTE_CORRELATE_H
#define SBL_COMPUTE_CORRELATE_H

#include <stddef.h>

/* Where the taps of a kernel stand: tap (row, column) of input channel c for output lane l is
 * first[l lane + row row_step + column column_step + c channel]. Steps may be negative. */
typedef struct sbl_taps {
    const float *first;
    ptrdiff_t lane, row_step, column_step, channel;
    size_t lanes, rows, columns, channels;
} sbl_taps;

/* Taps in the order in which the tiles read them. */
size_t sbl_packed_size(const sbl_taps *taps);
void sbl_pack_taps(float *packed, const sbl_taps *taps);

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

#endif
