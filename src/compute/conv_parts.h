/* What the files of the convolutions share; see conv.h. */
#ifndef SBL_COMPUTE_CONV_PARTS_H
#define SBL_COMPUTE_CONV_PARTS_H

#include <stdint.h>
#include <string.h>

#include "compute/conv.h"
#include "compute/correlate.h"

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
void sbl_winograd(float *out, const float *in, const sbl_taps *taps, const float *start,
                  size_t height, size_t width, size_t rows, size_t threads, float *workspace);

size_t sbl_winograd_weights_workspace(const sbl_conv_shape *shape, size_t rows);
/* As sbl_conv_backward_weights; sbl_conv_is_winograd must hold. workspace on a line. */
void sbl_winograd_weights(float *dw, const float *x, const float *dy, const sbl_conv_shape *shape,
                          size_t rows, float *workspace);

size_t sbl_conv_weights_workspace(const sbl_conv_shape *shape, size_t rows);

#endif
