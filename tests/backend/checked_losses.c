/* SPDX-License-Identifier: Apache-2.0 */
/* Losses: classes without rows, rows of zeros, means that are remembered, classes in parts. */
#include <math.h>
#include <stdlib.h>

#include "backend/checked_operation.h"
#include "support/cmocka_all.h"

static float *signs_of(checked_run *r, size_t count)
{
    float *host = calloc(count, sizeof *host), *tensor = checked_normals(r, count);
    for (size_t i = 0; i < count; i++) host[i] = sbl_model_rng_uniform(&r->rng) < 0.5 ? -1.0f : 1.0f;
    r->on->write(r->on->device, tensor, host, count);
    free(host);
    return tensor;
}

/* Uniform in [0, scale). */
static float *uniforms_of(checked_run *r, size_t count, double scale)
{
    float *host = calloc(count, sizeof *host), *tensor = checked_normals(r, count);
    for (size_t i = 0; i < count; i++) host[i] = (float)(scale * sbl_model_rng_uniform(&r->rng));
    r->on->write(r->on->device, tensor, host, count);
    free(host);
    return tensor;
}

static void on_orthogonal(checked_run *r, size_t variant)
{
    enum { CLASSES = 3 };
    const size_t rows = 47, columns = variant & 2 ? 1500 : 50;
    static const size_t starts[] = {0, 20, 20, 47};
    static const sbl_row_piece pieces[] = {{0, 15, 0}, {15, 5, 0}, {20, 25, 2}, {45, 2, 2}};
    static const float row[CLASSES] = {0.02f, 0, 0.03f}, mean[CLASSES] = {0.019f, 0, 0.029f};
    static const float weight[CLASSES] = {0.4f, 0, 0.7f};
    double losses[CLASSES];
    sbl_orthogonal_job job = {rows,
                              .columns = columns,
                              .classes = CLASSES,
                              .starts = starts,
                              .pieces = pieces,
                              .piece_count = 4,
                              .row_weight = row,
                              .mean_weight = mean,
                              .class_weight = weight,
                              .losses = losses,
                              .decay = 0.6f};
    job.size = variant & 2 ? 2048 : 64;
    job.blocks = variant & 2 ? 1 : 3;
    job.frequencies = job.blocks * job.size - 10;
    const size_t n = job.size, all = job.blocks * CLASSES * 2 * n;
    job.signs = signs_of(r, job.blocks * 3 * n);
    job.lengths = uniforms_of(r, job.blocks * n, 0.3 / (double)n / sqrt((double)n));
    job.x = uniforms_of(r, rows * columns, 1);
    job.d_x = checked_normals(r, rows * columns);
    job.target = checked_normals(r, all);
    job.past = variant & 1 ? checked_normals(r, all) : NULL;
    job.cosines = checked_scratch(r, rows * n);
    job.sines = checked_scratch(r, rows * n);
    job.residuals = checked_scratch(r, CLASSES * 2 * n);
    job.front = checked_scratch(r, CLASSES * 2 * n);
    r->loss = r->on->orthogonal(r->on->device, &job);
}

/* A row of which one layer is zero. */
static void on_points(checked_run *r, size_t variant)
{
    enum { LAYERS = 4, ROWS = 3 };
    const sbl_volume volumes[LAYERS] = {sbl_volume_of(5, 7, 3), sbl_volume_of(9, 8, 70),
                                        sbl_volume_of(2, 3, 40), sbl_volume_of(1, 1, 5)};
    const float *values[LAYERS];
    float *d_values[LAYERS];
    sbl_points_job job = {
        .rows = ROWS, .layers = LAYERS, .volumes = volumes, .values = values, .d_values = d_values};
    for (size_t l = 0; l < LAYERS; l++) {
        const size_t size = sbl_volume_size(volumes[l]);
        float *e = checked_normals(r, ROWS * size);
        if (l == 2) r->on->zero(r->on->device, e + size, size);
        values[l] = e;
        d_values[l] = checked_normals(r, ROWS * size);
        job.width += sbl_points_count(volumes[l]);
    }
    assert_int_equal(job.width, 16 * 3 + 16 * 70 + 6 * 40 + 5);
    job.points = checked_normals(r, ROWS * job.width);
    job.d_points = checked_normals(r, ROWS * job.width);
    if (variant == 0) job.lengths = checked_normals(r, ROWS * LAYERS);
    r->on->points(r->on->device, &job);
    if (variant == 0) r->on->points_back(r->on->device, &job);
}

/* Rows first .. last - 1 of a job of one class, as this part. */
static double moments_rows(checked_run *r, const sbl_moments_job *of, size_t first, size_t last,
                           sbl_moments_part part)
{
    const size_t starts[] = {0, last - first};
    const float *values[3];
    float *d_values[3];
    sbl_moments_job job = *of;
    for (size_t l = 0; l < of->layers; l++) {
        values[l] = of->values[l] + first * of->sizes[l];
        d_values[l] = of->d_values[l] + first * of->sizes[l];
    }
    job.rows = last - first;
    job.starts = starts;
    job.values = values;
    job.d_values = d_values;
    job.part = part;
    return r->on->moments(r->on->device, &job);
}

/* The whole of it as one class, in three parts. */
static double moments_in_parts(checked_run *r, const sbl_moments_job *of)
{
    sbl_moments_job job = *of;
    job.classes = 1;
    double loss = moments_rows(r, &job, 0, 6, SBL_MOMENTS_FIRST);
    loss += moments_rows(r, &job, 6, 10, SBL_MOMENTS_MIDDLE);
    loss += moments_rows(r, &job, 10, of->rows, SBL_MOMENTS_LAST);
    loss += moments_rows(r, &job, 6, 10, SBL_MOMENTS_AGAIN);
    return loss + moments_rows(r, &job, 0, 6, SBL_MOMENTS_AGAIN);
}

/* A class of the four has no rows. */
static void on_moments(checked_run *r, size_t variant)
{
    enum { LAYERS = 3, CLASSES = 4, ROWS = 14 };
    static const size_t sizes[LAYERS] = {1500, 33, 700}, starts[] = {0, 9, 9, 11, ROWS};
    static const float row[CLASSES] = {0.1f, 0, 0.3f, 0.2f}, mean[CLASSES] = {0.09f, 0, 0.2f, 0.1f};
    static const float weight[CLASSES] = {1.5f, 0, 0.7f, 1};
    const size_t width = 2233, count = 1 + (variant & 1);
    const bool alike = variant & 8, in_parts = variant & 16;
    const float *values[LAYERS];
    float *d_values[LAYERS];
    double losses[CLASSES * 2 * 4];
    assert_int_equal(sbl_moments_pieces(sizes, LAYERS), 4);
    for (size_t l = 0; l < LAYERS; l++) {
        float *e = checked_normals(r, ROWS * sizes[l]);
        /* a row of zeros, or one whose first layer is */
        if (variant & 4 && (!alike || l == 0)) r->on->zero(r->on->device, e + sizes[l], sizes[l]);
        values[l] = e;
        d_values[l] = checked_normals(r, ROWS * sizes[l]);
    }
    const sbl_moments_job job = {ROWS,
                                 .classes = CLASSES,
                                 .layers = LAYERS,
                                 .moments = count,
                                 .width = width,
                                 .alike = alike,
                                 .sizes = sizes,
                                 .starts = starts,
                                 .row_weight = row,
                                 .mean_weight = mean,
                                 .class_weight = weight,
                                 .decay = 0.3f,
                                 .values = values,
                                 .d_values = d_values,
                                 .losses = losses,
                                 .target = checked_normals(r, CLASSES * count * width),
                                 .past = variant & 2 ? checked_normals(r, CLASSES * count * width) : NULL,
                                 .front = checked_scratch(r, CLASSES * count * width),
                                 .factors = checked_scratch(r, ROWS * 2 * LAYERS)};
    r->loss = in_parts ? moments_in_parts(r, &job) : r->on->moments(r->on->device, &job);
}

const checked_operation checked_losses[] = {
    {"orthogonal", on_orthogonal, 4},
    {"points", on_points, 2},
    {"moments", on_moments, 32},
    {0},
};
