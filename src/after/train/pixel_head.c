/* SPDX-License-Identifier: Apache-2.0 */
/* Where an image lies in the network's output. A backend does the computing. */
#include "after/train/output_heads.h"

static sbl_pixel_window window_of(const sbl_image_facts *images, sbl_volume output)
{
    const size_t top = (output.height - images->height) / 2;
    const size_t left = (output.width - images->width) / 2;
    return (sbl_pixel_window){.first = (top * output.width + left) * output.channels,
                              .lines = images->height,
                              .run = images->width * output.channels,
                              .stride = output.width * output.channels,
                              .whole = sbl_volume_size(output)};
}

void sbl_pixel_head_forward(const sbl_backend *on, float *pixels, const sbl_image_facts *images,
                            const float *outputs, sbl_volume output, size_t rows, bool training)
{
    const sbl_pixel_window w = window_of(images, output);
    on->pixels(on->device, pixels, outputs, &w, rows, training ? SBL_PIXEL_LEAK : 0);
}

void sbl_pixel_head_backward(const sbl_backend *on, float *d_outputs, const sbl_image_facts *images,
                             const float *d_pixels, const float *outputs, sbl_volume output, size_t rows)
{
    const sbl_pixel_window w = window_of(images, output);
    on->pixels_back(on->device, d_outputs, d_pixels, outputs, &w, rows);
}
