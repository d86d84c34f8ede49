/* The two losses of images: launches class by class or block by block; their value stays on the device until
 * it is collected. */
#include <stdint.h>
#include <string.h>

#include "cuda/cuda_device.h"

typedef unsigned long long u64;

static void keep_loss(cuda_device *d, cuda_address parts, u64 count)
{
    void *arguments[] = {&d->loss, &parts, &count};
    cuda_launch(d, CUDA_KEEP_LOSS, 1, 1, CUDA_THREADS, 1, 0, arguments);
}

/* ---- orthogonal Fourier features ---- */

#define MOST_CLASSES 96

/* struct classes of kernels.cu */
typedef struct classes {
    u64 first_class, count, starts[MOST_CLASSES + 1];
    float row[MOST_CLASSES], mean[MOST_CLASSES], weight[MOST_CLASSES];
} classes;

static classes classes_from(const sbl_orthogonal_job *j, size_t first)
{
    const size_t left = j->classes - first;
    classes k = {.first_class = first, .count = left < MOST_CLASSES ? left : MOST_CLASSES};
    for (size_t c = 0; c < k.count; c++) {
        k.starts[c] = j->starts[first + c];
        k.row[c] = j->row_weight[first + c];
        k.mean[c] = j->mean_weight[first + c];
        k.weight[c] = j->class_weight[first + c];
    }
    k.starts[k.count] = j->starts[first + k.count];
    return k;
}

/* A block of frequencies at work. */
typedef struct block {
    const float *signs, *lengths, *target;
    float *past;
    u64 columns, n, used;
    int in_shared;
    unsigned shared;
} block;

static block block_of(const sbl_orthogonal_job *j, size_t b)
{
    const size_t n = j->size, left = j->frequencies - b * n, all = j->classes * 2 * n;
    block at = {.signs = j->signs + 3 * b * n,
                .lengths = j->lengths + b * n,
                .target = j->target + b * all,
                .past = j->past != NULL ? j->past + b * all : NULL,
                .columns = j->columns,
                .n = n,
                .used = left < n ? left : n,
                .in_shared = n * sizeof(float) <= CUDA_SHARED};
    at.shared = at.in_shared ? (unsigned)(n * sizeof(float)) : 0;
    return at;
}

static void find_phases(cuda_device *d, const sbl_orthogonal_job *j, block *b)
{
    float *cosines = j->cosines, *sines = j->sines;
    const float *x = j->x;
    void *arguments[] = {&cosines,    &sines,      &x,    &b->signs,
                         &b->lengths, &b->columns, &b->n, &b->in_shared};
    cuda_launch(d, CUDA_PHASES, (unsigned)j->rows, 1, CUDA_THREADS, 1, b->shared, arguments);
}

static void find_residuals(cuda_device *d, const sbl_orthogonal_job *j, block *b, classes *k)
{
    float *front = j->front, *cosines = j->cosines, *sines = j->sines, decay = j->decay;
    const unsigned across = (unsigned)((b->n + CUDA_THREADS - 1) / CUDA_THREADS);
    cuda_address parts = cuda_parts(d, (size_t)(across * k->count));
    void *arguments[] = {&front, &b->past, &parts,   &b->target, &cosines,
                         &sines, &b->n,    &b->used, &decay,     k};
    cuda_launch(d, CUDA_CLASS_RESIDUALS, across, (unsigned)k->count, CUDA_THREADS, 1, 0, arguments);
    keep_loss(d, parts, across * k->count);
}

static void go_back(cuda_device *d, const sbl_orthogonal_job *j, block *b, classes *k)
{
    float *d_x = j->d_x, *cosines = j->cosines, *sines = j->sines, *front = j->front;
    const u64 rows = k->starts[k->count] - k->starts[0];
    void *arguments[] = {&d_x,        &cosines,    &sines, &front,        &b->signs,
                         &b->lengths, &b->columns, &b->n,  &b->in_shared, k};
    if (rows > 0)
        cuda_launch(d, CUDA_PHASES_BACK, (unsigned)rows, 1, CUDA_THREADS, 1, b->shared, arguments);
}

static double orthogonal(void *device, const sbl_orthogonal_job *j)
{
    cuda_device *d = device;
    for (size_t b = 0; b < j->blocks; b++) {
        block at = block_of(j, b);
        find_phases(d, j, &at);
        for (size_t c = 0; c < j->classes; c += MOST_CLASSES) {
            classes k = classes_from(j, c);
            find_residuals(d, j, &at, &k);
            go_back(d, j, &at, &k);
        }
    }
    return 0;
}

/* ---- moments of activations ---- */

#define ROW_PARTS 16 /* blocks that share a row */

/* Sums over each row, all layers: (rows, ROW_PARTS, 2) doubles; g1 NULL: of powers, else of products. */
static cuda_address sum_rows(cuda_device *d, const sbl_moments_job *j, const float *g1,
                             const float *g2)
{
    const size_t count = j->rows * ROW_PARTS * 2;
    cuda_address partial = cuda_parts(d, count);
    int products = g1 != NULL;
    if (d->failed != 0) return partial;
    cuda_check(d, d->api.memory_set(partial, 0, 2 * count, d->stream), "memory");
    for (size_t l = 0; l < j->layers; l++) {
        const float *e = j->values[l];
        u64 size = j->sizes[l];
        void *arguments[] = {&partial, &e, &g1, &g2, &size, &products};
        cuda_launch(d, CUDA_ROW_PARTS, ROW_PARTS, (unsigned)j->rows, CUDA_THREADS, 1, 0, arguments);
        if (products) g1 += size;
        if (g2 != NULL) g2 += size;
    }
    return partial;
}

static void finish_rows(cuda_device *d, const sbl_moments_job *j, float *out, cuda_address partial,
                        int along)
{
    const float *factors = j->factors;
    u64 rows = j->rows, parts = ROW_PARTS;
    void *arguments[] = {&out, &factors, &partial, &rows, &parts, &along};
    cuda_launch(d, CUDA_ROW_FINISH, cuda_blocks(rows), 1, CUDA_THREADS, 1, 0, arguments);
}

static void residuals_of(cuda_device *d, const sbl_moments_job *j, size_t layer, size_t at,
                         int squared)
{
    const size_t first = (size_t)squared * j->width + at;
    float *front = j->front + first, *past = j->past != NULL ? j->past + first : NULL;
    const float *target = j->target + first, *e = j->values[layer], *factors = j->factors;
    float row = j->row_weight, mean = j->mean_weight, weight = j->class_weight, decay = j->decay;
    u64 rows = j->rows, size = j->sizes[layer];
    const unsigned blocks = (unsigned)((size + CUDA_THREADS - 1) / CUDA_THREADS);
    cuda_address parts = cuda_parts(d, blocks);
    void *arguments[] = {&front, &past,    &parts, &target, &e,      &factors, &rows,
                         &size,  &squared, &row,   &mean,   &weight, &decay};
    cuda_launch(d, CUDA_MOMENT_RESIDUALS, blocks, 1, CUDA_THREADS, 1, 0, arguments);
    keep_loss(d, parts, blocks);
}

/* along: (rows, 2), what the rows themselves are multiplied by. */
static void write_gradient(cuda_device *d, const sbl_moments_job *j, cuda_address along)
{
    const float *g1 = j->front, *g2 = j->moments > 1 ? j->front + j->width : NULL;
    const float *factors = j->factors;
    for (size_t l = 0; l < j->layers; l++) {
        float *to = j->d_values[l];
        const float *e = j->values[l];
        u64 rows = j->rows, size = j->sizes[l];
        void *arguments[] = {&to, &e, &g1, &g2, &factors, &along, &rows, &size};
        cuda_launch(d, CUDA_MOMENT_GRADIENT, cuda_blocks(rows * size), 1, CUDA_THREADS, 1, 0,
                    arguments);
        g1 += size;
        if (g2 != NULL) g2 += size;
    }
}

static double moments(void *device, const sbl_moments_job *j)
{
    cuda_device *d = device;
    const size_t sums = j->rows * ROW_PARTS * 2;
    finish_rows(d, j, j->factors, sum_rows(d, j, NULL, NULL), 0);
    for (size_t moment = 0; moment < j->moments; moment++)
        for (size_t l = 0, at = 0; l < j->layers; at += j->sizes[l++])
            residuals_of(d, j, l, at, (int)moment);
    /* behind the sums there is room for what they become */
    (void)cuda_parts(d, sums + j->rows);
    cuda_address partial = sum_rows(d, j, j->front, j->moments > 1 ? j->front + j->width : NULL);
    cuda_address along = partial + sums * sizeof(double);
    finish_rows(d, j, (float *)(uintptr_t)along, partial, 1);
    write_gradient(d, j, along);
    return 0;
}

void cuda_set_losses(sbl_backend *to)
{
    to->orthogonal = orthogonal;
    to->moments = moments;
}
