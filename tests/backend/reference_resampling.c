/* SPDX-License-Identifier: Apache-2.0 */
/* The reference: volumes that grow and shrink between layers. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backend/reference_parts.h"

/* Weights (out, in) of a side that grows. */
static double blend(const sbl_upsampling *by, size_t o, size_t i, size_t side)
{
    if (by->nearest) return o / by->factor == i ? 1 : 0;
    double at = by->align_corners ? (double)o * (double)(side - 1) /
                                        (double)(side * by->factor > 1 ? side * by->factor - 1 : 1)
                                  : ((double)o + 0.5) / (double)by->factor - 0.5;
    at = at < 0 ? 0 : at > (double)(side - 1) ? (double)(side - 1) : at;
    const double away = fabs(at - (double)i);
    return away < 1 ? 1 - away : 0;
}

static void upsample_by(float *to, const float *from, size_t rows, const sbl_upsampling *by, bool back)
{
    const size_t n = by->in.channels, in = sbl_volume_size(by->in), out = sbl_volume_size(by->out);
    const size_t count = rows * (back ? in : out);
    double *sums = calloc(count, sizeof *sums);
    reference_unlock();
    for (size_t r = 0; r < rows; r++)
        for (size_t o = 0; o < by->out.height * by->out.width; o++)
            for (size_t i = 0; i < by->in.height * by->in.width; i++) {
                const double share = blend(by, o / by->out.width, i / by->in.width, by->in.height) *
                                     blend(by, o % by->out.width, i % by->in.width, by->in.width);
                for (size_t c = 0; share != 0 && c < n; c++) {
                    const size_t a = r * out + o * n + c, b = r * in + i * n + c;
                    sums[back ? b : a] += share * (double)from[back ? a : b];
                }
            }
    for (size_t i = 0; i < count; i++) to[i] = (float)sums[i];
    reference_lock();
    free(sums);
}

static void upsample(void *device, float *y, const float *x, size_t rows, const sbl_upsampling *by)
{
    (void)device;
    upsample_by(y, x, rows, by, false);
}

static void upsample_back(void *device, float *dx, const float *dy, size_t rows, const sbl_upsampling *by)
{
    (void)device;
    upsample_by(dx, dy, rows, by, true);
}

/* The place of the first largest number of a window. */
static size_t largest(const float *x, const sbl_pooling *by, size_t r, size_t o, size_t c)
{
    size_t found = SIZE_MAX;
    for (size_t k = 0; k < by->kernel * by->kernel; k++) {
        const size_t y = o / by->out.width * by->stride + k / by->kernel - by->padding;
        const size_t z = o % by->out.width * by->stride + k % by->kernel - by->padding;
        if (y >= by->in.height || z >= by->in.width) continue;
        const size_t at = ((r * by->in.height + y) * by->in.width + z) * by->in.channels + c;
        if (found == SIZE_MAX || x[at] > x[found]) found = at;
    }
    return found;
}

static void max_pool(void *device, float *y, const float *x, size_t rows, const sbl_pooling *by)
{
    const size_t pixels = by->out.height * by->out.width, n = by->in.channels;
    (void)device;
    reference_unlock();
    for (size_t i = 0; i < rows * pixels * n; i++)
        y[i] = x[largest(x, by, i / n / pixels, i / n % pixels, i % n)];
    reference_lock();
}

static void max_pool_back(void *device, float *dx, const float *dy, const float *x, size_t rows,
                          const sbl_pooling *by)
{
    const size_t pixels = by->out.height * by->out.width, n = by->in.channels;
    (void)device;
    reference_unlock();
    memset(dx, 0, rows * sbl_volume_size(by->in) * sizeof *dx);
    for (size_t i = 0; i < rows * pixels * n; i++)
        dx[largest(x, by, i / n / pixels, i / n % pixels, i % n)] += dy[i];
    reference_lock();
}

void reference_resampling(sbl_backend *table)
{
    table->upsample = upsample;
    table->upsample_back = upsample_back;
    table->max_pool = max_pool;
    table->max_pool_back = max_pool_back;
}
