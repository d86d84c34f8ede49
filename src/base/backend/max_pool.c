/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of kernel^2 pixels, stride apart, that lie inside the image; those of a padded maximum
 * are cut where they leave it. The gradient of a maximum goes to the first pixel that has it, found
 * once more on the way back. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/backend/backend_internal.h"
#include "base/compute/threads.h"

#define LANES 64 /* channels that are looked at together */

/* Where a window starts in its image, its pixels, and the steps inside it. */
typedef struct window {
    size_t start, height, width, line, channels;
} window;

SBL_CLONES static void take_most(float *restrict y, const float *restrict x, window w)
{
    for (size_t c = 0; c < w.channels; c++) y[c] = x[c];
    for (size_t k = 1; k < w.height * w.width; k++) {
        const float *pixel = x + k / w.width * w.line + k % w.width * w.channels;
        for (size_t c = 0; c < w.channels; c++) y[c] = pixel[c] > y[c] ? pixel[c] : y[c];
    }
}

/* Some channels of a window, LANES at most. */
SBL_CLONES static void give_some_to_most(float *restrict dx, const float *restrict dy,
                                         const float *restrict x, window w, size_t count)
{
    float most[LANES];
    int32_t where[LANES];
    for (size_t c = 0; c < count; c++) most[c] = x[c];
    for (size_t c = 0; c < count; c++) where[c] = 0;
    for (size_t k = 1; k < w.height * w.width; k++) {
        const float *pixel = x + k / w.width * w.line + k % w.width * w.channels;
        for (size_t c = 0; c < count; c++) {
            const bool more = pixel[c] > most[c];
            most[c] = more ? pixel[c] : most[c];
            where[c] = more ? (int32_t)k : where[c];
        }
    }
    for (size_t k = 0; k < w.height * w.width; k++) {
        float *pixel = dx + k / w.width * w.line + k % w.width * w.channels;
        for (size_t c = 0; c < count; c++) pixel[c] += where[c] == (int32_t)k ? dy[c] : 0.0f;
    }
}

static void give_to_most(float *dx, const float *dy, const float *x, window w)
{
    for (size_t c = 0; c < w.channels; c += LANES)
        give_some_to_most(dx + c, dy + c, x + c, w, w.channels - c < LANES ? w.channels - c : LANES);
}

/* One side of a window: where it starts, and how many of its pixels are in the image. */
static size_t cut(size_t *count, size_t place, size_t side, const sbl_pooling *by)
{
    const size_t at = place * by->stride, end = at + by->kernel;
    const size_t first = at > by->padding ? at - by->padding : 0;
    const size_t last = end - by->padding < side ? end - by->padding : side;
    *count = last - first;
    return first;
}

static window window_of(const sbl_pooling *by, size_t pixel)
{
    window w = {.line = by->in.width * by->in.channels, .channels = by->in.channels};
    const size_t y = cut(&w.height, pixel / by->out.width, by->in.height, by);
    const size_t x = cut(&w.width, pixel % by->out.width, by->in.width, by);
    w.start = y * w.line + x * w.channels;
    return w;
}

void sbl_max_pool_forward(float *y, const float *x, size_t rows, const sbl_pooling *by)
{
    size_t in = sbl_volume_size(by->in), n = by->in.channels;
    size_t pixels = by->out.height * by->out.width;
    SBL_OMP(omp parallel for schedule(static) if (rows * in > 16384))
    for (size_t r = 0; r < rows; r++)
        for (size_t p = 0; p < pixels; p++) {
            const window w = window_of(by, p);
            take_most(y + (r * pixels + p) * n, x + r * in + w.start, w);
        }
}

void sbl_max_pool_backward(float *dx, const float *dy, const float *x, size_t rows, const sbl_pooling *by)
{
    size_t in = sbl_volume_size(by->in), n = by->in.channels;
    size_t pixels = by->out.height * by->out.width;
    SBL_OMP(omp parallel for schedule(static) if (rows * in > 16384))
    for (size_t r = 0; r < rows; r++) {
        memset(dx + r * in, 0, in * sizeof *dx);
        for (size_t p = 0; p < pixels; p++) {
            const window w = window_of(by, p);
            const size_t at = r * in + w.start;
            give_to_most(dx + at, dy + (r * pixels + p) * n, x + at, w);
        }
    }
}
