/* From the outputs of a network to images. The network ends in a sigmoid s; a pixel is
 * (1 + 2 m) s - m held to [0, 1], m = SBL_PIXEL_MARGIN, so that plain black and plain white, which
 * most images are full of, are within its reach. A network whose sides are larger than the images'
 * gives their middle. Legend: R rows, outputs (R, output volume), pixels (R, height, width,
 * channels). */
#ifndef SBL_NN_PIXEL_HEAD_H
#define SBL_NN_PIXEL_HEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "nn/net.h"
#include "schema/record_shape.h"

#define SBL_PIXEL_MARGIN 0.02f
#define SBL_PIXEL_LEAK 0.01f /* slope beyond [0, 1] in training, so that no pixel is stuck */

/* training: with the leak, else within [0, 1]. output: at least as high and wide as the images, and
 * of their channels. */
void sbl_pixel_head_forward(float *pixels, const sbl_image_facts *images, const float *outputs,
                            sbl_volume output, size_t rows, bool training);
/* d_outputs from d_pixels, for the outputs that pixels came from. */
void sbl_pixel_head_backward(float *d_outputs, const sbl_image_facts *images, const float *d_pixels,
                             const float *outputs, sbl_volume output, size_t rows);

#endif
