/* SPDX-License-Identifier: Apache-2.0 */
/* The loss of one-hot codes in training, tables: the expected codes, which are the softmax outputs
 * p, against their noisy means.
 *     L = weight sum_c w_c (1/K) |E_c[p] - O_c|^2
 * E_c: share of class c times the mean over the generated batch's rows of that class; O: the target; K:
 * categorical columns, T: their one-hot entries.
 * In the loss the block is divided by sqrt(K), so that it weighs as much as the Fourier block.
 * For the unbiased distance products of a row's p with itself are left out (loss.h); their gradient is one of each row,
 * which the output heads take off (sbl_generated.own_expected).
 *
 * Class sums of the softmax outputs in strips of 64 columns, each added row after row, so that the
 * result does not depend on the threads; then the squared residual and its gradient. */
#include <math.h>
#include <string.h>

#include "after/losses/loss.h"
#include "base/compute/threads.h"

#define STRIP 64 /* entries that one thread takes at a time */

typedef struct onehot_loss {
    sbl_loss common;
    size_t classes, width; /* C, T */
    bool unbiased;
    float *row_weight;   /* (C): share over rows */
    float *mean_weight;  /* (C): the same, or share over rows - 1 */
    float *own_weight;   /* (C): what a row's own p weighs in its gradient; 0 for the plain distance */
    float *class_weight; /* (C): of a class in the loss */
    float *target;       /* (C, T) */
    float *sums;         /* (C, T) */
} onehot_loss;

static void set_constants(onehot_loss *l, const sbl_target *target, const sbl_generated *generated,
                          size_t columns)
{
    for (size_t c = 0; c < l->classes; c++) {
        const size_t rows = generated->starts[c + 1] - generated->starts[c];
        const size_t divisor = sbl_target_divisor(target, SBL_DISTANCE_PLAIN, rows);
        if (divisor == 0) continue;
        const double share = generated->shares[c];
        const double weight = target->weight * generated->weights[c] / (double)columns;
        l->row_weight[c] = (float)(share / (double)rows);
        l->mean_weight[c] = (float)(share / (double)divisor);
        l->class_weight[c] = (float)weight;
        if (l->unbiased)
            l->own_weight[c] = (float)(2 * weight * share * share / ((double)rows * (double)divisor));
    }
    memcpy(l->target, target->means, l->classes * l->width * sizeof *l->target);
}

static sbl_status loss_init(void *loss, const void *made, const sbl_target *target,
                            const sbl_generated *generated, sbl_error *err)
{
    const sbl_record_shape *shape = &((const sbl_facts *)made)->shape;
    sbl_status status = SBL_OK;
    onehot_loss *l = loss;
    l->classes = generated->facts->classes;
    l->width = shape->onehot;
    l->unbiased = sbl_target_is_unbiased(target, SBL_DISTANCE_PLAIN);
    SBL_POOL(&l->common.pool, l->row_weight, l->classes, 1, "training");
    SBL_POOL(&l->common.pool, l->mean_weight, l->classes, 1, "training");
    SBL_POOL(&l->common.pool, l->own_weight, l->classes, 1, "training");
    SBL_POOL(&l->common.pool, l->class_weight, l->classes, 1, "training");
    SBL_POOL(&l->common.pool, l->target, l->classes, l->width, "training");
    SBL_POOL(&l->common.pool, l->sums, l->classes, l->width, "training");
    set_constants(l, target, generated, shape->categorical);
done:
    return status;
}

/* Sums over rows first .. last - 1, in their order. Whole strips have a constant length, so that
 * compilers keep the sums in registers. */
SBL_CLONES static void strip_sum(float *restrict sums, const float *restrict rows, size_t width,
                                 size_t columns, size_t first, size_t last)
{
    float sum[STRIP] = {0};
    for (size_t r = first; r < last; r++) {
        const float *row = rows + r * width;
        if (columns == STRIP) {
            for (size_t j = 0; j < STRIP; j++) sum[j] += row[j];
        } else {
            for (size_t j = 0; j < columns; j++) sum[j] += row[j];
        }
    }
    memcpy(sums, sum, columns * sizeof *sums);
}

static void class_sums(onehot_loss *l, const sbl_generated *generated)
{
    const size_t width = l->width;
    SBL_OMP(omp parallel for schedule(static) if (width * generated->rows > 65536))
    for (size_t first = 0; first < width; first += STRIP) {
        const size_t columns = width - first < STRIP ? width - first : STRIP;
        for (size_t c = 0; c < l->classes; c++)
            strip_sum(l->sums + c * width + first, generated->expected + first, width, columns,
                      generated->starts[c], generated->starts[c + 1]);
    }
}

/* The products of a class's rows with themselves: taken off the loss, and their gradient of each row's. */
static double take_own(const onehot_loss *l, sbl_generated *generated, size_t c)
{
    const float *p = generated->expected;
    double squares = 0;
    for (size_t i = generated->starts[c] * l->width; i < generated->starts[c + 1] * l->width; i++)
        squares += (double)p[i] * (double)p[i];
    generated->own_expected[c] += l->own_weight[c];
    return (double)l->own_weight[c] / 2 * squares;
}

/* As loss_step, of a class. */
static double unbiased_class(const onehot_loss *l, sbl_generated *generated, size_t c)
{
    const float weight = l->class_weight[c], row = l->row_weight[c];
    double sum = 0;
    for (size_t i = c * l->width; i < (c + 1) * l->width; i++) {
        const double mean = (double)row * (double)l->sums[i], target = (double)l->target[i];
        const double matched = (double)l->mean_weight[c] * (double)l->sums[i];
        sum += (double)weight * (mean * (matched - 2 * target) + target * target);
        generated->d_expected[i] += 2 * weight * row * (float)(matched - target);
    }
    return sum - take_own(l, generated, c);
}

static double loss_step(void *loss, sbl_generated *generated)
{
    onehot_loss *l = loss;
    double sum = 0;
    class_sums(l, generated);
    for (size_t c = 0; c < l->classes && l->unbiased; c++) sum += unbiased_class(l, generated, c);
    if (l->unbiased) return sum;
    for (size_t c = 0; c < l->classes; c++) {
        const float weight = l->class_weight[c], row = l->row_weight[c];
        for (size_t i = c * l->width; i < (c + 1) * l->width; i++) {
            const float residual = row * l->sums[i] - l->target[i];
            sum += (double)weight * (double)residual * (double)residual;
            generated->d_expected[i] += 2 * weight * row * residual;
        }
    }
    return sum;
}

/* Every column at its noisy marginal in the class, floored where noise would dominate. */
static void loss_start(float *expected, const void *made, const sbl_target *target,
                       const sbl_generated *generated)
{
    const sbl_record_shape *shape = &((const sbl_facts *)made)->shape;
    for (size_t c = 0; c < generated->facts->classes; c++) {
        const double share = generated->shares[c];
        const double least = 1e-6 + 0.5 * target->deviation / sqrt((double)shape->categorical);
        for (size_t i = c * shape->onehot; i < (c + 1) * shape->onehot; i++) {
            const double p = (double)target->means[i] > least ? (double)target->means[i] : least;
            expected[i] = share > 0 ? (float)(p / share) : 1;
        }
    }
}

const sbl_loss_kind sbl_loss_onehot = {
    .feature = "onehot",
    .size = sizeof(onehot_loss),
    .init = loss_init,
    .step = loss_step,
    .start = loss_start,
};
