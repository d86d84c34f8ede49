/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of a convolution (conv.h). */
#ifndef SBL_COMPUTE_WINDOW_SHAPE_H
#define SBL_COMPUTE_WINDOW_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sbl_conv_shape {
    size_t height, width, inputs;
    size_t channels, kernel, stride, padding;
    size_t out_height, out_width; /* <= (height + 2 padding - kernel) / stride + 1 */
    size_t threads;               /* at most this number work; each needs memory */
    bool plain;                   /* never Winograd: to compare */
} sbl_conv_shape;

/* Do the convolution and its two derivatives use Winograd's F(4x4, 3x3) or F(2x2, 5x5)? */
bool sbl_conv_is_winograd(const sbl_conv_shape *shape);

#endif
