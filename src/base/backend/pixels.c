/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts the image out of the middle of a network's output, stretches and clamps it; in training
 * the slope beyond the bounds is small but not zero. */
#include "base/backend/backend_internal.h"
#include "base/compute/threads.h"

static inline float stretched(float s) { return (1 + 2 * SBL_PIXEL_MARGIN) * s - SBL_PIXEL_MARGIN; }

static inline float held(float v) { return v < 0 ? 0 : v > 1 ? 1 : v; }

void sbl_pixels_forward(float *pixels, const float *outputs, const sbl_pixel_window *window, size_t rows,
                        float leak)
{
    const sbl_pixel_window w = *window;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < rows; r++)
        for (size_t line = 0; line < w.lines; line++) {
            const float *from = outputs + r * w.whole + w.first + line * w.stride;
            float *to = pixels + (r * w.lines + line) * w.run;
            for (size_t i = 0; i < w.run; i++) {
                const float v = stretched(from[i]), h = held(v);
                to[i] = h + leak * (v - h);
            }
        }
}

void sbl_pixels_backward(float *d_outputs, const float *d_pixels, const float *outputs,
                         const sbl_pixel_window *window, size_t rows)
{
    const sbl_pixel_window w = *window;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < rows; r++) {
        float *image = d_outputs + r * w.whole;
        for (size_t i = 0; i < w.whole; i++) image[i] = 0;
        for (size_t line = 0; line < w.lines; line++) {
            const size_t place = w.first + line * w.stride;
            const float *from = outputs + r * w.whole + place;
            const float *d = d_pixels + (r * w.lines + line) * w.run;
            for (size_t i = 0; i < w.run; i++) {
                const float v = stretched(from[i]);
                const float slope = v < 0 || v > 1 ? SBL_PIXEL_LEAK : 1;
                image[place + i] = (1 + 2 * SBL_PIXEL_MARGIN) * slope * d[i];
            }
        }
    }
}
