/* SPDX-License-Identifier: Apache-2.0 */
/* The loss of orthogonal random Fourier features:
 *     L = weight sum_c w_c (1/F) |E_c[cos, sin] - T_c|^2
 * E_c: share of class c times the sum over the generated batch's B_c images of that class of their features,
 * over B_c - 1; T: the target. An image's product with itself is constant, so B_c - 1 in place of B_c
 * makes the gradient that of the unbiased estimate of the squared distance (Gretton, Borgwardt,
 * Rasch, Schoelkopf and Smola 2012) but for a constant: small batches do not draw the images together. For the plain
 * distance it is B_c.
 * With memory m in the target, E_c is replaced by m P_c + (1 - m) E_c, P_c the running mean of the steps
 * before (decay m, less in the first steps): its gradient has the variance of a batch about
 * (1 + m) / (1 - m) times as large, at the price of a mean that lags behind.
 *
 * The images of a generated batch are cut into pieces of at most PIECE images of one class; the loss and its
 * gradient are a backend's (base/backend/shapes.h).
 * Legend: R images, d values of each, C classes, F frequencies in blocks of n. */
#include "after/losses/loss.h"
#include "public/features/orthogonal_frequencies.h"

#define PIECE 25 /* images */

typedef struct orthogonal_loss {
    sbl_loss common; /* its running mean: (blocks, C, 2, n), of cosines and sines */
    sbl_orthogonal_job job;
    sbl_row_piece *pieces;
    /* (C): share / (images of the class - 1), or / images; share / images; of a class and a frequency in the loss */
    float *row_weight, *mean_weight, *class_weight;
    float *target; /* (blocks, C, 2, n): cosines, then sines; on its way to the backend */
} orthogonal_loss;

static sbl_status allocate(orthogonal_loss *l, const sbl_generated *generated, sbl_error *err)
{
    sbl_orthogonal_job *job = &l->job;
    sbl_pool *pool = &l->common.pool;
    sbl_tensors *tensors = &l->common.tensors;
    const size_t n = job->size;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_row_pieces(&l->pieces, &job->piece_count, pool, generated->starts, job->classes, PIECE, err));
    SBL_POOL(pool, l->row_weight, job->classes, 1, "training");
    SBL_POOL(pool, l->mean_weight, job->classes, 1, "training");
    SBL_POOL(pool, l->class_weight, job->classes, 1, "training");
    SBL_POOL(pool, l->target, job->blocks * job->classes, 2 * n, "training");
    SBL_POOL(pool, job->losses, job->classes, 1, "training");
    SBL_TENSOR(tensors, job->cosines, generated->rows, n, "training");
    SBL_TENSOR(tensors, job->sines, generated->rows, n, "training");
    SBL_TENSOR(tensors, job->residuals, job->classes, 2 * n, "training");
    SBL_TENSOR(tensors, job->front, job->classes, 2 * n, "training");
done:
    return status;
}

static void set_constants(orthogonal_loss *l, const sbl_target *target, const sbl_generated *generated)
{
    const size_t n = l->job.size, count = l->job.frequencies, classes = l->job.classes;
    for (size_t c = 0; c < classes; c++) {
        const size_t rows = generated->starts[c + 1] - generated->starts[c];
        const size_t divisor = sbl_target_divisor(target, SBL_DISTANCE_UNBIASED, rows);
        if (divisor > 0) {
            l->row_weight[c] = (float)(generated->shares[c] / (double)divisor);
            l->mean_weight[c] = (float)(generated->shares[c] / (double)rows);
            l->class_weight[c] = (float)(target->weight * generated->weights[c] / (double)count);
        }
        for (size_t f = 0; f < count; f++) {
            float *to = l->target + (f / n * classes + c) * 2 * n + f % n;
            to[0] = target->means[(c * count + f) * 2];
            to[n] = target->means[(c * count + f) * 2 + 1];
        }
    }
}

static sbl_status loss_init(void *loss, const void *made, const sbl_target *target,
                            const sbl_generated *generated, sbl_error *err)
{
    const sbl_orthogonal *by = made;
    orthogonal_loss *l = loss;
    sbl_orthogonal_job *job = &l->job;
    sbl_tensors *tensors = &l->common.tensors;
    *job = (sbl_orthogonal_job){.rows = generated->rows,
                                .columns = by->columns,
                                .classes = generated->facts->classes,
                                .frequencies = by->frequencies,
                                .size = by->size,
                                .blocks = by->blocks,
                                .starts = generated->starts};
    SBL_CHECK(allocate(l, generated, err));
    set_constants(l, target, generated);
    const size_t all = job->blocks * job->classes * 2 * job->size;
    SBL_CHECK(sbl_tensors_place(&job->target, tensors, l->target, all, err));
    SBL_CHECK(sbl_tensors_place(&job->signs, tensors, by->signs, 3 * job->blocks * job->size, err));
    SBL_CHECK(sbl_tensors_place(&job->lengths, tensors, by->lengths, job->blocks * job->size, err));
    SBL_CHECK(sbl_running_init(&l->common.running, tensors, target->memory, all, err));
    job->past = l->common.running.past;
    job->pieces = l->pieces;
    job->row_weight = l->row_weight;
    job->mean_weight = l->mean_weight;
    job->class_weight = l->class_weight;
    return SBL_OK;
}

static double loss_step(void *loss, sbl_generated *generated)
{
    orthogonal_loss *l = loss;
    l->job.decay = sbl_running_decay(&l->common.running);
    l->job.x = generated->pixels;
    l->job.d_x = generated->d_pixels;
    const double sum = generated->on->orthogonal(generated->on->device, &l->job);
    l->common.running.steps++;
    return sum;
}

const sbl_loss_kind sbl_loss_orthogonal = {
    .feature = SBL_ORTHOGONAL,
    .size = sizeof(orthogonal_loss),
    .init = loss_init,
    .step = loss_step,
    .any_backend = true,
};
