/* SPDX-License-Identifier: Apache-2.0 */
/* Points in a frozen network's space: means over the cells of each layer, scaled, and the way back. With m the
 * means of a layer, n = |m| and q = m / ((n + least) sqrt(layers)) its part of the point,
 *     dm = (dq - (dq . m/n) m/n n / (n + least)) / ((n + least) sqrt(layers)), and m/n = q/|q|;
 * the zero vector moves nothing. Each row is one thread's work. */
#include <math.h>
#include <string.h>

#include "base/backend/backend_internal.h"
#include "base/compute/threads.h"

/* Lines top .. bottom - 1 and columns left .. right - 1 of a volume; share: 1 over how many pixels these are. */
typedef struct cell {
    size_t top, bottom, left, right;
    float share;
} cell;

static size_t cells_of(sbl_volume v) { return sbl_points_cells(v.height) * sbl_points_cells(v.width); }

static cell cell_of(sbl_volume v, size_t number)
{
    const size_t down = sbl_points_cells(v.height), across = sbl_points_cells(v.width);
    const size_t i = number / across, j = number % across;
    cell found = {.top = i * v.height / down,
                  .bottom = (i + 1) * v.height / down,
                  .left = j * v.width / across,
                  .right = (j + 1) * v.width / across};
    found.share = 1 / (float)((found.bottom - found.top) * (found.right - found.left));
    return found;
}

/* Means of a volume over its cells: (cells, channels). */
static void pool(float *restrict means, const float *restrict x, sbl_volume v)
{
    const size_t n = v.channels;
    for (size_t i = 0; i < cells_of(v); i++) {
        const cell in = cell_of(v, i);
        float *mean = means + i * n;
        memset(mean, 0, n * sizeof *mean);
        for (size_t p = in.top; p < in.bottom; p++)
            for (size_t q = in.left; q < in.right; q++)
                for (size_t c = 0; c < n; c++) mean[c] += x[(p * v.width + q) * n + c];
        for (size_t c = 0; c < n; c++) mean[c] *= in.share;
    }
}

/* The transpose; every pixel is in one cell. */
static void unpool(float *restrict dx, const float *restrict d_means, sbl_volume v)
{
    const size_t n = v.channels;
    for (size_t i = 0; i < cells_of(v); i++) {
        const cell in = cell_of(v, i);
        for (size_t p = in.top; p < in.bottom; p++)
            for (size_t q = in.left; q < in.right; q++)
                for (size_t c = 0; c < n; c++) dx[(p * v.width + q) * n + c] = in.share * d_means[i * n + c];
    }
}

static double dot(const float *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

/* x / (|x| + least) / sqrt(layers), in place. Returns |x|. */
static float normalise(float *x, size_t count, size_t layers)
{
    const float length = (float)sqrt(dot(x, x, count));
    const float factor = 1 / ((length + SBL_POINTS_LEAST_LENGTH) * sqrtf((float)layers));
    for (size_t i = 0; i < count; i++) x[i] *= factor;
    return length;
}

void sbl_points_forward(const sbl_points_job *j)
{
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < j->rows; r++) {
        float *at = j->points + r * j->width;
        for (size_t l = 0; l < j->layers; l++) {
            const sbl_volume v = j->volumes[l];
            const size_t count = sbl_points_count(v);
            pool(at, j->values[l] + r * sbl_volume_size(v), v);
            const float length = normalise(at, count, j->layers);
            if (j->lengths != NULL) j->lengths[r * j->layers + l] = length;
            at += count;
        }
    }
}

/* d: dq, becomes dm. */
static void normalise_back(float *d, const float *q, double n, size_t count, size_t layers)
{
    const double least = SBL_POINTS_LEAST_LENGTH, q2 = dot(q, q, count);
    if (!(n > 0 && q2 > 0)) {
        memset(d, 0, count * sizeof *d);
        return;
    }
    const float along = (float)(dot(d, q, count) / q2 * n / (n + least));
    const float factor = (float)(1 / ((n + least) * sqrt((double)layers)));
    for (size_t i = 0; i < count; i++) d[i] = factor * (d[i] - along * q[i]);
}

void sbl_points_backward(const sbl_points_job *j)
{
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < j->rows; r++) {
        size_t at = r * j->width;
        for (size_t l = 0; l < j->layers; l++) {
            const sbl_volume v = j->volumes[l];
            const size_t count = sbl_points_count(v);
            normalise_back(j->d_points + at, j->points + at, (double)j->lengths[r * j->layers + l], count,
                           j->layers);
            unpool(j->d_values[l] + r * sbl_volume_size(v), j->d_points + at, v);
            at += count;
        }
    }
}
