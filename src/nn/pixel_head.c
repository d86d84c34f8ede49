/* Cuts the image out of the middle of the network's output, stretches and clamps it; in training
 * the slope beyond the bounds is small but not zero. */
#include "nn/output_heads.h"

#include "compute/threads.h"

/* Where an image stands in the network's output: rows of `run` values, the first at `first`. */
typedef struct window {
    size_t first, lines, run, stride, whole;
} window;

static window window_of(const sbl_image_facts *images, sbl_volume output)
{
    const size_t top = (output.height - images->height) / 2;
    const size_t left = (output.width - images->width) / 2;
    return (window){.first = (top * output.width + left) * output.channels,
                    .lines = images->height,
                    .run = images->width * output.channels,
                    .stride = output.width * output.channels,
                    .whole = sbl_volume_size(output)};
}

static inline float stretched(float s) { return (1 + 2 * SBL_PIXEL_MARGIN) * s - SBL_PIXEL_MARGIN; }

static inline float held(float v) { return v < 0 ? 0 : v > 1 ? 1 : v; }

void sbl_pixel_head_forward(float *pixels, const sbl_image_facts *images, const float *outputs,
                            sbl_volume output, size_t rows, bool training)
{
    const window w = window_of(images, output);
    const float leak = training ? SBL_PIXEL_LEAK : 0;
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

void sbl_pixel_head_backward(float *d_outputs, const sbl_image_facts *images, const float *d_pixels,
                             const float *outputs, sbl_volume output, size_t rows)
{
    const window w = window_of(images, output);
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
