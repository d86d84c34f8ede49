/* loss = sum over classes of w_c |v_c sum_r phi(x_r) - target_c|^2 for phi1 and, if it is there, for
 * phi2, v_c = share / (rows - 1). With g = 2 w_c v_c (residual), the same for all rows of a class,
 *     d loss / d e = (g1 - (g1 . phi1) phi1) / |e| + 2 e (g2 - (g2 . phi2) phi2) / |e^2|.
 * A class at a time, and a part of its rows, as in perceptual_loss.c. Rows are split over threads where each is one thread's
 * work, coordinates where rows are added up: no sum depends on the number of threads. */
#include <string.h>

#include "base/floats.h"
#include "base/memory.h"
#include "compute/threads.h"
#include "features/activation_moments.h"
#include "features/running.h"

#define LANES 16
#define PIECE 1024 /* coordinates that one thread adds up over rows */

typedef struct moments_loss {
    const sbl_moments_feature *made;
    sbl_encoder_room *workspace;
    size_t classes;
    double weight, part;          /* of the target */
    float *target;                /* (C, count D) */
    sbl_running running;          /* the same: means of the steps before */
    float *front;                 /* (count D): g1, g2 of the class at work */
    sbl_moments_factors *factors; /* (rows) */
    double *losses;               /* of pieces */
    size_t pieces;                /* of all layers that are taken, for one moment */
    float *d_taken[SBL_ENCODED_MOST_LAYERS];
    const float *d_all[SBL_ENCODED_MOST_LAYERS];
} moments_loss;

/* A class at work. */
typedef struct class_work {
    size_t rows;
    const float *target;
    size_t first;                   /* of the class among all numbers */
    float row_weight, class_weight; /* v_c, w_c */
    float plain, decay;             /* share / rows; of the running means */
} class_work;

void sbl_moments_loss_free(void *loss)
{
    moments_loss *l = loss;
    if (l == NULL) return;
    for (size_t i = 0; i < l->made->encoded.layer_count; i++) sbl_free(l->d_taken[i]);
    sbl_free(l->target);
    sbl_free(l->front);
    sbl_free(l->factors);
    sbl_free(l->losses);
    sbl_running_clear(&l->running);
    sbl_encoder_room_free(l->workspace);
    sbl_free(l);
}

static sbl_status allocate(moments_loss *l, size_t rows, double memory, sbl_error *err)
{
    const sbl_encoded *e = &l->made->encoded;
    bool failed = false;
    for (size_t i = 0; i < e->layer_count; i++) {
        const size_t size = sbl_volume_size(sbl_encoded_layer(e, i)->volume);
        l->d_taken[i] = sbl_floats(rows, size, &failed);
        l->d_all[e->layers[i]] = l->d_taken[i];
        l->pieces += (size + PIECE - 1) / PIECE;
    }
    l->target = sbl_floats(l->classes, l->made->count * l->made->width, &failed);
    l->front = sbl_floats(l->made->count, l->made->width, &failed);
    l->factors = sbl_alloc_array(rows, sizeof *l->factors);
    l->losses = sbl_alloc_array(l->pieces, sizeof *l->losses);
    failed |= !sbl_running_init(&l->running, memory, l->classes * l->made->count * l->made->width);
    return failed || l->factors == NULL || l->losses == NULL
               ? sbl_fail(err, SBL_EMEM, "out of memory for training")
               : SBL_OK;
}

sbl_status sbl_moments_loss_new(void **loss, const void *made, const sbl_target *target,
                                const sbl_generated *generated, sbl_error *err)
{
    const size_t rows = sbl_generated_most_seen(generated, target->part);
    sbl_status status = SBL_OK;
    moments_loss *l = sbl_alloc_array(1, sizeof *l);
    *loss = NULL;
    if (l == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for training");
    l->made = made;
    l->classes = generated->facts->classes;
    l->weight = target->weight;
    l->part = target->part;
    SBL_TRY(allocate(l, rows, target->memory, err));
    SBL_TRY(sbl_encoded_workspace(&l->workspace, &l->made->encoded, rows, true, err));
    memcpy(l->target, target->means,
           l->classes * l->made->count * l->made->width * sizeof *l->target);
    *loss = l;
    l = NULL;
done:
    sbl_moments_loss_free(l);
    return status;
}

/* A piece of a layer's coordinates: their sums over the rows. e: of the first row. */
SBL_CLONES static void piece_sums(float sums[PIECE], const float *restrict e, size_t stride,
                                  size_t count, const sbl_moments_factors *factors,
                                  const class_work *work, bool squared)
{
    for (size_t r = 0; r < work->rows; r++, e += stride) {
        const float factor = squared ? factors[r].second : factors[r].first;
        if (squared)
            for (size_t i = 0; i < count; i++) sums[i] += factor * e[i] * e[i];
        else
            for (size_t i = 0; i < count; i++) sums[i] += factor * e[i];
    }
}

/* The residual and the loss of those coordinates, which begin at `first` of the class. */
static double piece_residual(moments_loss *l, const float *sums, size_t first, size_t count,
                             const class_work *work)
{
    const float *target = work->target + first;
    float *front = l->front + first;
    double loss = 0;
    for (size_t i = 0; i < count; i++) {
        const float mean = sbl_running_mean(&l->running, work->first + first + i, work->decay,
                                            work->row_weight * sums[i], work->plain * sums[i]);
        const float residual = mean - target[i];
        loss += (double)work->class_weight * (double)residual * (double)residual;
        front[i] = 2 * work->class_weight * work->row_weight * residual;
    }
    return loss;
}

/* One layer, one moment; at: where the layer begins among the coordinates. */
static double layer_residual(moments_loss *l, size_t layer, size_t at, size_t moment,
                             const class_work *work)
{
    const sbl_encoded *e = &l->made->encoded;
    const size_t size = sbl_volume_size(sbl_encoded_layer(e, layer)->volume);
    const size_t pieces = (size + PIECE - 1) / PIECE, first = moment * l->made->width + at;
    const float *values = sbl_encoder_activation_values(l->workspace, e->layers[layer]);
    double sum = 0;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t p = 0; p < pieces; p++) {
        const size_t from = p * PIECE, count = size - from < PIECE ? size - from : PIECE;
        float sums[PIECE] = {0};
        piece_sums(sums, values + from, size, count, l->factors, work, moment > 0);
        l->losses[p] = piece_residual(l, sums, first + from, count, work);
    }
    for (size_t p = 0; p < pieces; p++) sum += l->losses[p];
    return sum;
}

/* sums += (g1 . e, g2 . e^2) of one row's layer; g2 may be NULL. */
SBL_CLONES static void add_products(double sums[2], const float *restrict g1,
                                    const float *restrict g2, const float *restrict e, size_t count)
{
    float first[LANES] = {0}, second[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t k = 0; k < LANES; k++) first[k] += g1[i + k] * e[i + k];
    for (; i < count; i++) first[0] += g1[i] * e[i];
    for (i = 0; g2 != NULL && i + LANES <= count; i += LANES)
        for (size_t k = 0; k < LANES; k++) second[k] += g2[i + k] * e[i + k] * e[i + k];
    for (; g2 != NULL && i < count; i++) second[0] += g2[i] * e[i] * e[i];
    for (size_t k = 0; k < LANES; k++) {
        sums[0] += (double)first[k];
        sums[1] += (double)second[k];
    }
}

/* d = f1 g1 - a1 e + e (f2 g2 - a2 e^2), with the factors of the formula above in f and a. */
SBL_CLONES static void write_gradient(float *restrict d, const float *restrict g1,
                                      const float *restrict g2, const float *restrict e,
                                      size_t count, const float f[2], const float a[2])
{
    const float f1 = f[0], f2 = f[1], a1 = a[0], a2 = a[1];
    if (g2 == NULL)
        for (size_t i = 0; i < count; i++) d[i] = f1 * g1[i] - a1 * e[i];
    else
        for (size_t i = 0; i < count; i++)
            d[i] = f1 * g1[i] - a1 * e[i] + e[i] * (f2 * g2[i] - a2 * e[i] * e[i]);
}

/* One row, all layers. */
static void row_gradient(moments_loss *l, size_t row)
{
    const sbl_encoded *e = &l->made->encoded;
    const float *g1 = l->front, *g2 = l->made->count > 1 ? l->front + l->made->width : NULL;
    const float i1 = l->factors[row].first, i2 = l->factors[row].second;
    double sums[2] = {0};
    size_t at = 0;
    for (size_t k = 0; k < e->layer_count; k++) {
        const size_t size = sbl_volume_size(sbl_encoded_layer(e, k)->volume);
        const float *values =
            sbl_encoder_activation_values(l->workspace, e->layers[k]) + row * size;
        add_products(sums, g1 + at, g2 != NULL ? g2 + at : NULL, values, size);
        at += size;
    }
    const float f[2] = {i1, 2 * i2};
    const float a[2] = {(float)sums[0] * i1 * i1 * i1, 2 * (float)sums[1] * i2 * i2 * i2};
    at = 0;
    for (size_t k = 0; k < e->layer_count; k++) {
        const size_t size = sbl_volume_size(sbl_encoded_layer(e, k)->volume);
        const float *values =
            sbl_encoder_activation_values(l->workspace, e->layers[k]) + row * size;
        write_gradient(l->d_taken[k] + row * size, g1 + at, g2 != NULL ? g2 + at : NULL, values,
                       size, f, a);
        at += size;
    }
}

static double class_step(moments_loss *l, sbl_generated *generated, size_t c)
{
    const size_t size = generated->facts->shape.numeric, first = generated->starts[c] * size;
    const size_t rows = sbl_generated_seen(generated, l->part, c);
    /* phi has norm 1: over rows - 1 the squared distance is one of means without the variance of the
     * batch, but for a constant. A batch has at least two rows of a class (train/batch.h). */
    const class_work work = {
        .rows = rows,
        .target = l->target + c * l->made->count * l->made->width,
        .first = c * l->made->count * l->made->width,
        .row_weight = (float)(generated->shares[c] / (double)(rows - 1)),
        .class_weight = (float)(l->weight * generated->weights[c]),
        .plain = (float)(generated->shares[c] / (double)rows),
        .decay = sbl_running_decay(&l->running),
    };
    double loss = 0;
    sbl_encoder_forward(l->workspace, generated->pixels + first, rows);
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < rows; r++)
        l->factors[r] = sbl_moments_norms(&l->made->encoded, l->workspace, r);
    for (size_t moment = 0; moment < l->made->count; moment++)
        for (size_t k = 0, at = 0; k < l->made->encoded.layer_count; k++) {
            loss += layer_residual(l, k, at, moment, &work);
            at += sbl_volume_size(sbl_encoded_layer(&l->made->encoded, k)->volume);
        }
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < rows; r++) row_gradient(l, r);
    sbl_encoder_backward(l->workspace, generated->d_pixels + first, l->d_all);
    return loss;
}

double sbl_moments_loss_step(void *loss, sbl_generated *generated)
{
    moments_loss *l = loss;
    double sum = 0;
    for (size_t c = 0; c < l->classes; c++)
        if (generated->starts[c + 1] > generated->starts[c] + 1) sum += class_step(l, generated, c);
    l->running.steps++;
    return sum;
}

sbl_running *sbl_moments_loss_memory(void *loss, size_t i)
{
    return i == 0 ? &((moments_loss *)loss)->running : NULL;
}
