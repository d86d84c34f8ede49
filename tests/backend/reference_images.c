/* SPDX-License-Identifier: Apache-2.0 */
/* The reference: images out of a network's outputs, and into an encoder. */
#include <stdint.h>
#include <string.h>

#include "backend/reference_parts.h"

/* The number of an output that pixel i of a row is made of. */
static size_t output_of(const sbl_pixel_window *w, size_t r, size_t i)
{
    return r * w->whole + w->first + i / w->run * w->stride + i % w->run;
}

static void pixels(void *device, float *to, const float *outputs, const sbl_pixel_window *w, size_t rows,
                   float leak)
{
    const size_t size = w->lines * w->run;
    (void)device;
    reference_unlock();
    for (size_t i = 0; i < rows * size; i++) {
        const double v = 1.04 * (double)outputs[output_of(w, i / size, i % size)] - 0.02;
        const double held = v < 0 ? 0 : v > 1 ? 1 : v;
        to[i] = (float)(held + (double)leak * (v - held));
    }
    reference_lock();
}

static void pixels_back(void *device, float *d_outputs, const float *d_pixels, const float *outputs,
                        const sbl_pixel_window *w, size_t rows)
{
    const size_t size = w->lines * w->run;
    (void)device;
    reference_unlock();
    memset(d_outputs, 0, rows * w->whole * sizeof *d_outputs);
    for (size_t i = 0; i < rows * size; i++) {
        const size_t at = output_of(w, i / size, i % size);
        const double v = 1.04 * (double)outputs[at] - 0.02;
        d_outputs[at] = (float)(1.04 * (v < 0 || v > 1 ? 0.01 : 1) * (double)d_pixels[i]);
    }
    reference_lock();
}

/* out (side, side, 3) of one image, or back to it. */
static void resize_one(float *out, float *image, const sbl_resizing *by, const float *columns, bool back)
{
    const size_t h = by->image.height, w = by->image.width, n = by->image.channels, s = by->side;
    for (size_t i = 0; i < s * s * 3; i++) {
        const size_t c = i % 3, x = i / 3 % s, y = i / 3 / s;
        double sum = 0;
        for (size_t p = 0; p < h * w; p++) {
            const double share = (double)by->rows[y * h + p / w] * (double)columns[x * w + p % w];
            float *pixel = image + p * n + (n == 1 ? 0 : c);
            if (back)
                *pixel += (float)(share * (double)out[i] / (double)by->deviation[c]);
            else
                sum += share * (double)*pixel;
        }
        if (!back) out[i] = (float)((sum - (double)by->mean[c]) / (double)by->deviation[c]);
    }
}

static void resize_by(float *out, float *images, const sbl_resizing *by, const sbl_row_run *runs,
                      size_t run_count, bool back)
{
    reference_unlock();
    for (size_t k = 0; k < run_count; k++)
        for (size_t r = 0; r < runs[k].count; r++) {
            const bool mirrored = by->mirrored_columns != NULL && r % 2 == 1;
            resize_one(out, images + (runs[k].first + r) * sbl_volume_size(by->image), by,
                       mirrored ? by->mirrored_columns : by->columns, back);
            out += by->side * by->side * 3;
        }
    reference_lock();
}

static void resize(void *device, float *out, const float *images, const sbl_resizing *by,
                   const sbl_row_run *runs, size_t run_count)
{
    (void)device;
    resize_by(out, (float *)(uintptr_t)images, by, runs, run_count, false);
}

static void resize_back(void *device, float *d_images, const float *d_out, const sbl_resizing *by,
                        const sbl_row_run *runs, size_t run_count)
{
    (void)device;
    resize_by((float *)(uintptr_t)d_out, d_images, by, runs, run_count, true);
}

void reference_images(sbl_backend *table)
{
    table->pixels = pixels;
    table->pixels_back = pixels_back;
    table->resize = resize;
    table->resize_back = resize_back;
}
