/* SPDX-License-Identifier: Apache-2.0 */
/* Points of activations: a block for each row and layer. */
#include "cuda/cuda_internal.h"

typedef unsigned long long u64;

#define MOST_POINT_LAYERS 32

/* struct point_layers of the kernels */
typedef struct point_layers {
    unsigned first, count, layers, unused;
    u64 width;
    unsigned height[MOST_POINT_LAYERS], across[MOST_POINT_LAYERS], channels[MOST_POINT_LAYERS];
    u64 at[MOST_POINT_LAYERS];
    const float *e[MOST_POINT_LAYERS];
    float *d[MOST_POINT_LAYERS];
} point_layers;

/* From layer `first` on, whose numbers begin at `at`, as many as a launch takes. */
static point_layers layers_from(const sbl_points_job *j, size_t first, u64 at)
{
    const size_t left = j->layers - first;
    point_layers t = {.first = (unsigned)first,
                      .count = (unsigned)(left < MOST_POINT_LAYERS ? left : MOST_POINT_LAYERS),
                      .layers = (unsigned)j->layers,
                      .width = j->width};
    for (size_t l = 0; l < t.count; l++) {
        const sbl_volume v = j->volumes[first + l];
        t.height[l] = (unsigned)v.height;
        t.across[l] = (unsigned)v.width;
        t.channels[l] = (unsigned)v.channels;
        t.at[l] = at;
        t.e[l] = j->values != NULL ? j->values[first + l] : NULL;
        t.d[l] = j->d_values != NULL ? j->d_values[first + l] : NULL;
        at += sbl_points_count(v);
    }
    return t;
}

static void run(cuda_device *d, const sbl_points_job *j, bool back)
{
    float *points = j->points, *d_points = j->d_points, *lengths = j->lengths;
    const unsigned rows = (unsigned)j->rows;
    u64 at = 0;
    for (size_t l = 0; l < j->layers && rows > 0; l += MOST_POINT_LAYERS) {
        point_layers t = layers_from(j, l, at);
        const cuda_argument there[] = {CUDA_OF(points), CUDA_OF(lengths), CUDA_OF(t)};
        const cuda_argument here[] = {CUDA_OF(d_points), CUDA_OF(points), CUDA_OF(lengths), CUDA_OF(t)};
        if (back)
            CUDA_LAUNCH(d, CUDA_POINTS_BACK, rows, t.count, 1, CUDA_THREADS, 1, 0, here);
        else
            CUDA_LAUNCH(d, CUDA_FIND_POINTS, rows, t.count, 1, CUDA_THREADS, 1, 0, there);
        at = t.at[t.count - 1] + sbl_points_count(j->volumes[l + t.count - 1]);
    }
}

static void points(void *device, const sbl_points_job *job) { run(device, job, false); }

static void points_back(void *device, const sbl_points_job *job) { run(device, job, true); }

void cuda_set_points(sbl_backend *to)
{
    to->points = points;
    to->points_back = points_back;
}
