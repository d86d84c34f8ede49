/* SPDX-License-Identifier: Apache-2.0 */
/* Two losses of images: launches class by class or block by block; their value stays on the device until
 * it is collected. */
#include <stdint.h>

#include "cuda/cuda_classes.h"

typedef unsigned long long u64;

void cuda_keep_loss(cuda_device *d, cuda_address parts, unsigned long long count)
{
    const cuda_argument arguments[] = {CUDA_OF(d->loss), CUDA_OF(parts), CUDA_OF(count)};
    CUDA_LAUNCH(d, CUDA_KEEP_LOSS, 1, 1, 1, CUDA_THREADS, 1, 0, arguments);
}

/* ---- classes ---- */

cuda_classes cuda_classes_from(size_t first, size_t all, const size_t *starts, const float *row,
                               const float *mean, const float *weight)
{
    const size_t left = all - first;
    cuda_classes k = {.first_class = first, .count = left < CUDA_MOST_CLASSES ? left : CUDA_MOST_CLASSES};
    for (size_t c = 0; c < k.count; c++) {
        k.starts[c] = starts[first + c];
        k.row[c] = row[first + c];
        k.mean[c] = mean[first + c];
        k.weight[c] = weight[first + c];
    }
    k.starts[k.count] = starts[first + k.count];
    return k;
}

/* ---- orthogonal Fourier features ---- */

/* Waves of all blocks of frequencies, fronts, and the parts of the loss, in this order, in the device's own room:
 * a job's arrays hold one block's. */
typedef struct fourier {
    float *waves, *front; /* (blocks, rows, 2, n), (blocks, classes, 2, n) */
    cuda_address parts;
    unsigned rows, classes, columns, n, blocks, frequencies, across;
    int in_shared;
    unsigned shared;
} fourier;

static fourier fourier_of(cuda_device *d, const sbl_orthogonal_job *j)
{
    fourier f = {.rows = (unsigned)j->rows,
                 .classes = (unsigned)j->classes,
                 .columns = (unsigned)j->columns,
                 .n = (unsigned)j->size,
                 .blocks = (unsigned)j->blocks,
                 .frequencies = (unsigned)j->frequencies,
                 .in_shared = j->size * sizeof(float) <= CUDA_SHARED};
    f.across = (f.n + CUDA_THREADS - 1) / CUDA_THREADS;
    f.shared = f.in_shared ? (unsigned)(j->size * sizeof(float)) : 0;
    /* counted in doubles, two floats each */
    const size_t waves = j->blocks * j->rows * j->size, front = j->blocks * j->classes * j->size;
    const cuda_address at = cuda_parts(d, waves + front + j->blocks * j->classes * f.across);
    f.waves = (float *)(uintptr_t)at;
    f.front = f.waves + 2 * waves;
    f.parts = at + (waves + front) * sizeof(double);
    return f;
}

static void find_phases(cuda_device *d, const sbl_orthogonal_job *j, fourier *f)
{
    const float *x = j->x, *signs = j->signs, *lengths = j->lengths;
    const cuda_argument arguments[] = {CUDA_OF(f->waves),    CUDA_OF(x),          CUDA_OF(signs),
                                       CUDA_OF(lengths),     CUDA_OF(f->columns), CUDA_OF(f->n),
                                       CUDA_OF(f->in_shared)};
    CUDA_LAUNCH(d, CUDA_PHASES, f->rows, f->blocks, 1, CUDA_THREADS, 1, f->shared, arguments);
}

static void find_residuals(cuda_device *d, const sbl_orthogonal_job *j, fourier *f, cuda_classes *k)
{
    const float *target = j->target;
    float *past = j->past, decay = j->decay;
    const cuda_argument arguments[] = {CUDA_OF(f->front),   CUDA_OF(past),     CUDA_OF(f->parts),
                                       CUDA_OF(target),     CUDA_OF(f->waves), CUDA_OF(f->rows),
                                       CUDA_OF(f->classes), CUDA_OF(f->n),     CUDA_OF(f->frequencies),
                                       CUDA_VARYING(decay), CUDA_OF(*k)};
    CUDA_LAUNCH(d, CUDA_CLASS_RESIDUALS, f->across, (unsigned)k->count, f->blocks, CUDA_THREADS, 1, 0,
                arguments);
    cuda_keep_loss(d, f->parts, f->across * k->count * f->blocks);
}

static void go_back(cuda_device *d, const sbl_orthogonal_job *j, fourier *f, cuda_classes *k)
{
    float *d_x = j->d_x;
    const float *signs = j->signs, *lengths = j->lengths;
    const u64 rows = k->starts[k->count] - k->starts[0];
    const cuda_argument arguments[] = {CUDA_OF(d_x),        CUDA_OF(f->waves),     CUDA_OF(f->front),
                                       CUDA_OF(signs),      CUDA_OF(lengths),      CUDA_OF(f->rows),
                                       CUDA_OF(f->classes), CUDA_OF(f->columns),   CUDA_OF(f->n),
                                       CUDA_OF(f->blocks),  CUDA_OF(f->in_shared), CUDA_OF(*k)};
    if (rows > 0)
        CUDA_LAUNCH(d, CUDA_PHASES_BACK, (unsigned)rows, 1, 1, CUDA_THREADS, 1, f->shared, arguments);
}

static double orthogonal(void *device, const sbl_orthogonal_job *j)
{
    cuda_device *d = device;
    fourier f = fourier_of(d, j);
    if (d->failed != 0) return 0;
    find_phases(d, j, &f);
    for (size_t c = 0; c < j->classes; c += CUDA_MOST_CLASSES) {
        cuda_classes k =
            cuda_classes_from(c, j->classes, j->starts, j->row_weight, j->mean_weight, j->class_weight);
        find_residuals(d, j, &f, &k);
        go_back(d, j, &f, &k);
    }
    return 0;
}

/* ---- moments of activations ---- */

#define MOST_LAYERS 32
#define ROW_PARTS 4

/* struct moment_layers of the kernels */
typedef struct moment_layers {
    unsigned first, count, layers, norms, moments, unused;
    u64 width;
    unsigned sizes[MOST_LAYERS];
    u64 at[MOST_LAYERS];
    const float *e[MOST_LAYERS];
    float *d[MOST_LAYERS];
} moment_layers;

static moment_layers layers_from(const sbl_moments_job *j, size_t first)
{
    const size_t left = j->layers - first;
    moment_layers t = {.first = (unsigned)first,
                       .count = (unsigned)(left < MOST_LAYERS ? left : MOST_LAYERS),
                       .layers = (unsigned)j->layers,
                       .norms = (unsigned)(j->alike ? j->layers : 1),
                       .moments = (unsigned)j->moments,
                       .width = j->width};
    u64 at = 0;
    for (size_t l = 0; l < first + t.count; at += j->sizes[l++]) {
        if (l < first) continue;
        t.sizes[l - first] = (unsigned)j->sizes[l];
        t.at[l - first] = at;
        t.e[l - first] = j->values[l];
        t.d[l - first] = j->d_values[l];
    }
    return t;
}

/* Some layers and classes of a job, as many as a launch takes. */
typedef void (*part_launch)(cuda_device *d, const sbl_moments_job *j, moment_layers *t, cuda_classes *k,
                            cuda_address work);

static void for_parts(cuda_device *d, const sbl_moments_job *j, part_launch launch, cuda_address work)
{
    for (size_t c = 0; c < j->classes; c += CUDA_MOST_CLASSES) {
        cuda_classes k =
            cuda_classes_from(c, j->classes, j->starts, j->row_weight, j->mean_weight, j->class_weight);
        if (k.starts[k.count] == k.starts[0]) continue;
        for (size_t l = 0; l < j->layers; l += MOST_LAYERS) {
            moment_layers t = layers_from(j, l);
            launch(d, j, &t, &k, work);
        }
    }
}

static unsigned rows_of(const cuda_classes *k) { return (unsigned)(k->starts[k->count] - k->starts[0]); }

/* Sums over each row and layer, (rows, layers, ROW_PARTS, 2) doubles: of powers, or of products with the front. */
static void sum_rows(cuda_device *d, const float *front, moment_layers *t, cuda_classes *k,
                     cuda_address partial)
{
    const cuda_argument arguments[] = {CUDA_OF(partial), CUDA_OF(front), CUDA_OF(*t), CUDA_OF(*k)};
    CUDA_LAUNCH(d, CUDA_ROW_PARTS, ROW_PARTS, rows_of(k), t->count, CUDA_THREADS, 1, 0, arguments);
}

static void sum_powers(cuda_device *d, const sbl_moments_job *j, moment_layers *t, cuda_classes *k,
                       cuda_address partial)
{
    (void)j;
    sum_rows(d, NULL, t, k, partial);
}

static void sum_products(cuda_device *d, const sbl_moments_job *j, moment_layers *t, cuda_classes *k,
                         cuda_address partial)
{
    sum_rows(d, j->front, t, k, partial);
}

static void finish_rows(cuda_device *d, const sbl_moments_job *j, float *out, cuda_address partial, int along)
{
    const float *factors = j->factors;
    unsigned layers = (unsigned)j->layers, norms = j->alike ? layers : 1;
    u64 rows = j->rows;
    CUDA_OVER(d, CUDA_ROW_FINISH, rows * norms, CUDA_OF(out), CUDA_OF(factors), CUDA_OF(partial),
              CUDA_OF(rows), CUDA_OF(layers), CUDA_OF(norms), CUDA_OF(along));
}

static void find_moment_residuals(cuda_device *d, const sbl_moments_job *j, moment_layers *t, cuda_classes *k,
                                  cuda_address parts)
{
    float *front = j->front, *past = j->past, decay = j->decay;
    const float *target = j->target, *factors = j->factors;
    int goes_on = sbl_moments_goes_on(j->part), ends = sbl_moments_ends(j->part);
    unsigned pieces = 0;
    for (unsigned l = 0; l < t->count; l++) pieces += (t->sizes[l] + CUDA_THREADS - 1) / CUDA_THREADS;
    const cuda_argument arguments[] = {
        CUDA_OF(front),      CUDA_OF(past),    CUDA_OF(parts), CUDA_OF(target), CUDA_OF(factors),
        CUDA_VARYING(decay), CUDA_OF(goes_on), CUDA_OF(ends),  CUDA_OF(*t),     CUDA_OF(*k)};
    CUDA_LAUNCH(d, CUDA_MOMENT_RESIDUALS, pieces, (unsigned)k->count, 1, CUDA_THREADS, 1, 0, arguments);
    if (ends) cuda_keep_loss(d, parts, pieces * k->count);
}

/* along: (rows, 2, norms), what the rows themselves are multiplied by. */
static void write_gradient(cuda_device *d, const sbl_moments_job *j, moment_layers *t, cuda_classes *k,
                           cuda_address along)
{
    const float *front = j->front, *factors = j->factors;
    unsigned most = 0;
    for (unsigned l = 0; l < t->count; l++)
        if (t->sizes[l] > most) most = t->sizes[l];
    const cuda_argument arguments[] = {CUDA_OF(front), CUDA_OF(factors), CUDA_OF(along), CUDA_OF(*t),
                                       CUDA_OF(*k)};
    CUDA_LAUNCH(d, CUDA_MOMENT_GRADIENT, (most + 4 * CUDA_THREADS - 1) / (4 * CUDA_THREADS), rows_of(k),
                t->count, CUDA_THREADS, 1, 0, arguments);
}

static double moments(void *device, const sbl_moments_job *j)
{
    cuda_device *d = device;
    const size_t sums = j->rows * j->layers * ROW_PARTS * 2;
    const size_t pieces = (j->width / CUDA_THREADS + j->layers) * j->classes;
    /* sums of rows, behind them what they become, and the parts of the loss */
    const size_t along = j->rows * (j->alike ? j->layers : 1);
    cuda_address work = cuda_parts(d, sums + along + pieces);
    const cuda_address become = work + sums * sizeof(double);
    if (d->failed != 0) return 0;
    for_parts(d, j, sum_powers, work);
    finish_rows(d, j, j->factors, work, 0);
    if (j->part != SBL_MOMENTS_AGAIN) for_parts(d, j, find_moment_residuals, become + along * sizeof(double));
    if (!sbl_moments_goes_back(j->part)) return 0;
    for_parts(d, j, sum_products, work);
    finish_rows(d, j, (float *)(uintptr_t)become, work, 1);
    for_parts(d, j, write_gradient, become);
    return 0;
}

void cuda_set_losses(sbl_backend *to)
{
    to->orthogonal = orthogonal;
    to->moments = moments;
}
