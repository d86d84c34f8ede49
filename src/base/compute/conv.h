/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions of batches of images, channels fastest, and their derivatives.
 *
 *     y[o][c] = start[c] + sum over taps (i, j) and inputs k of
 *               x[s o_y + i - p][s o_x + j - p][k] w[c][i][j][k],     zeros outside of x
 * Shapes: x (rows, height, width, inputs), w (channels, kernel, kernel, inputs), y (rows,
 * out_height, out_width, channels). Every sum is added up in an order that depends on the shape
 * only, not on the number of threads. */
#ifndef SBL_COMPUTE_CONV_H
#define SBL_COMPUTE_CONV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compute/window_shape.h"

/* Floats of workspace that one of the three below needs, the largest of them. */
size_t sbl_conv_workspace(const sbl_conv_shape *shape, size_t rows);

/* y from x; bias (channels) may be NULL. */
void sbl_conv_forward(float *y, const float *x, const float *w, const float *bias,
                      const sbl_conv_shape *shape, size_t rows, float *workspace);
/* dx from dy: the transposed convolution; bias (inputs) may be NULL and is added to every pixel. */
void sbl_conv_backward_input(float *dx, const float *dy, const float *w, const float *bias,
                             const sbl_conv_shape *shape, size_t rows, float *workspace);
/* dw from x and dy; set, not added to. */
void sbl_conv_backward_weights(float *dw, const float *x, const float *dy, const sbl_conv_shape *shape,
                               size_t rows, float *workspace);

#endif
