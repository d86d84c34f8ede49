/* SPDX-License-Identifier: Apache-2.0 */
/* The loss of Hermite functions of images' numbers and of products of them. A job's room for values is (rows, values)
 * here, so that neighbours in a kernel read neighbours. */
#include <stdint.h>

#include "cuda/cuda_classes.h"

typedef unsigned long long u64;

#define MOST_BLOCKS 65535 /* of a grid's second side */

/* struct hermite_lists of the kernels */
typedef struct lists {
    const float *slots, *products, *uses;
    unsigned slot_count, product_count, values, width;
} lists;

static lists lists_of(const sbl_hermite_job *j)
{
    return (lists){j->slot_bytes,           j->product_bytes,           j->use_bytes,
                   (unsigned)j->slot_count, (unsigned)j->product_count, (unsigned)j->values,
                   (unsigned)j->width};
}

/* Parts of the loss, and squared lengths behind them, in the device's own room. */
typedef struct room {
    cuda_address parts;
    float *lengths; /* NULL: the distance is plain */
} room;

static unsigned pieces_of(size_t count) { return (unsigned)((count + CUDA_THREADS - 1) / CUDA_THREADS); }

static room room_of(cuda_device *d, const sbl_hermite_job *j)
{
    const size_t most = j->classes < CUDA_MOST_CLASSES ? j->classes : CUDA_MOST_CLASSES;
    size_t parts = pieces_of(j->width) * most;
    if (parts < j->rows) parts = j->rows;
    /* counted in doubles, two floats each */
    const size_t lengths = j->unbiased ? (j->rows * j->slot_count + 1) / 2 : 0;
    room r = {.parts = cuda_parts(d, parts + lengths)};
    if (j->unbiased) r.lengths = (float *)(uintptr_t)(r.parts + parts * sizeof(double));
    return r;
}

static void find_values(cuda_device *d, const sbl_hermite_job *j, const room *r, const lists *h)
{
    const float *x = j->x, *phi = j->phi;
    unsigned columns = (unsigned)j->columns;
    u64 rows = j->rows;
    CUDA_OVER(d, CUDA_HERMITE_VALUES, rows * j->slot_count, CUDA_OF(phi), CUDA_OF(x), CUDA_OF(rows),
              CUDA_OF(columns), CUDA_OF(*h));
    if (j->unbiased)
        CUDA_OVER(d, CUDA_HERMITE_LENGTHS, rows * j->slot_count, CUDA_OF(r->lengths), CUDA_OF(phi),
                  CUDA_OF(rows), CUDA_OF(*h));
}

static void find_residuals(cuda_device *d, const sbl_hermite_job *j, const room *r, const lists *h,
                           const cuda_classes *k)
{
    const float *target = j->target, *phi = j->phi, *residual = j->residual, *past = j->past;
    const unsigned across = pieces_of(j->width);
    int unbiased = j->unbiased;
    float decay = j->decay;
    const cuda_argument arguments[] = {CUDA_OF(residual), CUDA_OF(past), CUDA_OF(r->parts),
                                       CUDA_OF(target),   CUDA_OF(phi),  CUDA_VARYING(decay),
                                       CUDA_OF(unbiased), CUDA_OF(*h),   CUDA_OF(*k)};
    CUDA_LAUNCH(d, CUDA_HERMITE_RESIDUALS, across, (unsigned)k->count, 1, CUDA_THREADS, 1, 0, arguments);
    cuda_keep_loss(d, r->parts, across * k->count);
}

/* k: with what a row's own features weigh where the weights of means are. */
static void go_back(cuda_device *d, const sbl_hermite_job *j, const room *r, const lists *h,
                    const cuda_classes *k)
{
    const float *phi = j->phi, *d_phi = j->d_phi, *residual = j->residual;
    const unsigned rows = (unsigned)(k->starts[k->count] - k->starts[0]), pieces = pieces_of(j->values);
    int remembers = j->past != NULL;
    float decay = j->decay;
    if (rows == 0) return;
    if (j->unbiased) {
        const cuda_argument own[] = {CUDA_OF(r->parts), CUDA_OF(r->lengths), CUDA_OF(*h), CUDA_OF(*k)};
        CUDA_LAUNCH(d, CUDA_HERMITE_OWN, rows, 1, 1, CUDA_THREADS, 1, 0, own);
        cuda_keep_loss(d, r->parts, rows);
    }
    const cuda_argument arguments[] = {CUDA_OF(d_phi),      CUDA_OF(phi),        CUDA_OF(residual),
                                       CUDA_OF(r->lengths), CUDA_VARYING(decay), CUDA_OF(remembers),
                                       CUDA_OF(*h),         CUDA_OF(*k)};
    CUDA_LAUNCH(d, CUDA_HERMITE_GRADIENT, rows, pieces < MOST_BLOCKS ? pieces : MOST_BLOCKS, 1, CUDA_THREADS,
                1, 0, arguments);
}

static double hermite(void *device, const sbl_hermite_job *j)
{
    cuda_device *d = device;
    const lists h = lists_of(j);
    const room r = room_of(d, j);
    const float *x = j->x, *d_x = j->d_x, *phi = j->phi, *d_phi = j->d_phi;
    unsigned columns = (unsigned)j->columns;
    u64 rows = j->rows;
    if (d->failed != 0) return 0;
    find_values(d, j, &r, &h);
    for (size_t c = 0; c < j->classes; c += CUDA_MOST_CLASSES) {
        cuda_classes k =
            cuda_classes_from(c, j->classes, j->starts, j->row_weight, j->mean_weight, j->class_weight);
        find_residuals(d, j, &r, &h, &k);
        k = cuda_classes_from(c, j->classes, j->starts, j->row_weight, j->own_weight, j->class_weight);
        go_back(d, j, &r, &h, &k);
    }
    CUDA_OVER(d, CUDA_HERMITE_BACK, rows * j->slot_count, CUDA_OF(d_x), CUDA_OF(x), CUDA_OF(phi),
              CUDA_OF(d_phi), CUDA_OF(rows), CUDA_OF(columns), CUDA_OF(h));
    return 0;
}

void cuda_set_hermite(sbl_backend *to) { to->hermite = hermite; }
