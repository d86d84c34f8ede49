/* SPDX-License-Identifier: Apache-2.0 */
/* The reference: points of a frozen network's activations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/reference_parts.h"

/* The cell of a pixel: the last one that begins at or before it. */
static size_t cell_of(size_t pixel, size_t side)
{
    size_t cell = 0;
    while (cell + 1 < sbl_points_cells(side) && (cell + 1) * side / sbl_points_cells(side) <= pixel) cell++;
    return cell;
}

/* Which number of a layer's part of a point an activation is in. */
static size_t number_of(sbl_volume v, size_t activation)
{
    const size_t pixel = activation / v.channels;
    return (cell_of(pixel / v.width, v.height) * sbl_points_cells(v.width) +
            cell_of(pixel % v.width, v.width)) *
               v.channels +
           activation % v.channels;
}

/* sizes (numbers of the layer): how many activations are in each. */
static void count_numbers(double *sizes, sbl_volume v)
{
    memset(sizes, 0, sbl_points_count(v) * sizeof *sizes);
    for (size_t i = 0; i < sbl_volume_size(v); i++) sizes[number_of(v, i)]++;
}

/* One row, one layer, whose numbers are those of the points from `at` on. */
static void find_point(const sbl_points_job *j, size_t r, size_t l, size_t at, double *sizes)
{
    const sbl_volume v = j->volumes[l];
    const size_t count = sbl_points_count(v), size = sbl_volume_size(v);
    double *means = calloc(count, sizeof *means), length = 0;
    for (size_t i = 0; i < size; i++)
        means[number_of(v, i)] += (double)j->values[l][r * size + i] / sizes[number_of(v, i)];
    for (size_t i = 0; i < count; i++) length += means[i] * means[i];
    length = sqrt(length);
    for (size_t i = 0; i < count; i++)
        j->points[at + i] = (float)(means[i] / (length + 1e-6) / sqrt((double)j->layers));
    if (j->lengths != NULL) j->lengths[r * j->layers + l] = (float)length;
    free(means);
}

static void find_point_back(const sbl_points_job *j, size_t r, size_t l, size_t at, double *sizes)
{
    const sbl_volume v = j->volumes[l];
    const size_t count = sbl_points_count(v), size = sbl_volume_size(v);
    const double n = (double)j->lengths[r * j->layers + l];
    const double scale = (n + 1e-6) * sqrt((double)j->layers);
    float *d = j->d_points + at;
    double along = 0;
    /* m = scale q: d m = d q / scale - (d q . m) m / (n (n + least) scale) */
    for (size_t i = 0; i < count; i++) along += (double)d[i] * scale * (double)j->points[at + i];
    for (size_t i = 0; i < count; i++) {
        const double mean = scale * (double)j->points[at + i];
        d[i] = n > 0 ? (float)((double)d[i] / scale - along * mean / (n * (n + 1e-6) * scale)) : 0;
    }
    for (size_t i = 0; i < size; i++)
        j->d_values[l][r * size + i] = (float)((double)d[number_of(v, i)] / sizes[number_of(v, i)]);
}

static void all_points(const sbl_points_job *j,
                       void (*find)(const sbl_points_job *, size_t, size_t, size_t, double *))
{
    double *sizes = calloc(j->width, sizeof *sizes);
    reference_unlock();
    for (size_t l = 0, at = 0; l < j->layers; at += sbl_points_count(j->volumes[l++])) {
        count_numbers(sizes, j->volumes[l]);
        for (size_t r = 0; r < j->rows; r++) find(j, r, l, r * j->width + at, sizes);
    }
    reference_lock();
    free(sizes);
}

static void points(void *device, const sbl_points_job *j)
{
    (void)device;
    all_points(j, find_point);
}

static void points_back(void *device, const sbl_points_job *j)
{
    (void)device;
    all_points(j, find_point_back);
}

void reference_points(sbl_backend *table)
{
    table->points = points;
    table->points_back = points_back;
}
