/* SPDX-License-Identifier: Apache-2.0 */
/* The loss is the distance of generated records' Hermite means from the noisy ones:
 *     loss = pull sum_c w_c / P sum over parts |mean_c - target_c|^2,
 * the mean of a class weighed by its share, P parts of norm at most 1 each. target->means (C, width).
 * For the unbiased distance products of a row with itself are left out (loss.h). The loss and its gradient
 * are a backend's (base/backend/shapes.h): here are the lists of functions and products that it works
 * by, and the coordinates of a table's metric. Legend: R rows (padded), d numbers, T one-hot entries, C classes. */
#include <stdint.h>

#include "after/losses/loss.h"
#include "base/compute/threads.h"
#include "public/features/hermite_basis.h"

_Static_assert(SBL_HERMITE_MOST_SIZE <= SBL_HERMITE_MOST_FACTORS, "a part is one product");

typedef struct hermite_loss {
    sbl_loss common; /* its running mean: as target */
    const sbl_hermite *hermite;
    sbl_hermite_job job;
    sbl_row_piece *pieces;
    sbl_hermite_slot *slots;
    sbl_hermite_product *products;
    sbl_hermite_use *uses;
    float *row_weight;   /* (C): share over rows */
    float *mean_weight;  /* (C): the same, or share over rows - 1 */
    float *own_weight;   /* (C): what a row's own features weigh in its gradient; 0 for the plain distance */
    float *class_weight; /* (C): of a class and a part */
    float *target;       /* tensor (C, width) */
} hermite_loss;

/* ---- functions and products ---- */

/* Columns of a table: numbers, one-hot codes, and then, in z, the metric's coordinates; of images: pixels. */
static size_t column_of(const sbl_hermite *h, const sbl_hermite_factor *factor)
{
    const sbl_record_shape *shape = &h->facts->shape;
    const size_t i = factor->coordinate, first = sbl_hermite_first_metric(h);
    if (i >= first) return shape->numeric + shape->onehot + (i - first);
    return i < shape->numeric ? i : shape->numeric + shape->offsets[i - shape->numeric];
}

static sbl_hermite_slot slot_of(const sbl_hermite *h, const sbl_hermite_factor *factor, size_t at, size_t use)
{
    sbl_hermite_slot slot = {.column = (uint32_t)column_of(h, factor),
                             .at = (uint32_t)at,
                             .width = (uint32_t)factor->width,
                             .use = (uint32_t)use};
    if (factor->function != SBL_HERMITE_ONEHOT) {
        const sbl_hermite_function *function = &h->functions[factor->function];
        const double s = function->length * function->reach;
        slot.reach = function->reach;
        slot.rho = sbl_hermite_rho(s * s);
    }
    return slot;
}

/* Links a slot to the one before it of the same column. last: of each column, its last slot so far + 1. */
static void link_slot(hermite_loss *l, size_t s, uint32_t *last)
{
    sbl_hermite_slot *slot = &l->slots[s];
    uint32_t *before = &last[slot->column];
    slot->first = *before == 0;
    if (*before > 0) l->slots[*before - 1].next = (uint32_t)s;
    *before = (uint32_t)s + 1;
}

/* Every (coordinate, function) once. seen: numbers of slots + 1, by coordinate and function; of codes the first. */
static sbl_status find_slots(hermite_loss *l, sbl_error *err)
{
    const sbl_hermite *h = l->hermite;
    const sbl_record_shape *shape = &h->facts->shape;
    uint32_t *seen = NULL, *last = NULL, *latest = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(seen, sbl_hermite_coordinates(h) * h->function_count, "training");
    SBL_ALLOC(last, shape->numeric + shape->onehot + h->metric.count, "training");
    SBL_ALLOC(latest, h->factor_count, "training");
    for (size_t i = 0; i < h->factor_count; i++) {
        const sbl_hermite_factor *factor = &h->factors[i];
        const bool codes = factor->function == SBL_HERMITE_ONEHOT;
        uint32_t *at = &seen[factor->coordinate * h->function_count + (codes ? 0 : factor->function)];
        if (*at == 0) {
            if (l->job.values > UINT32_MAX - factor->width) {
                status = sbl_no_memory(err, "training");
                goto done;
            }
            l->slots[l->job.slot_count] = slot_of(h, factor, l->job.values, i);
            link_slot(l, l->job.slot_count++, last);
            *at = (uint32_t)l->job.slot_count;
            if (!codes) l->job.values += factor->width;
        } else
            l->uses[latest[*at - 1]].next = (uint32_t)i;
        l->uses[i].slot = *at - 1;
        latest[*at - 1] = (uint32_t)i;
    }
done:
    sbl_free(seen);
    sbl_free(last);
    sbl_free(latest);
    return status;
}

static void set_products(hermite_loss *l)
{
    const sbl_hermite *h = l->hermite;
    for (size_t p = 0; p < h->part_count; p++) {
        const sbl_hermite_part *part = &h->parts[p];
        l->products[p] = (sbl_hermite_product){(uint32_t)part->factor, (uint32_t)part->count,
                                               (uint32_t)part->offset, (uint32_t)part->width};
        for (size_t k = 0; k < part->count; k++) l->uses[part->factor + k].product = (uint32_t)p;
    }
}

static sbl_status make_lists(hermite_loss *l, sbl_error *err)
{
    const sbl_hermite *h = l->hermite;
    sbl_hermite_job *job = &l->job;
    sbl_tensors *tensors = &l->common.tensors;
    sbl_status status = SBL_OK;
    SBL_POOL(&l->common.pool, l->slots, h->factor_count, 1, "training");
    SBL_POOL(&l->common.pool, l->uses, h->factor_count, 1, "training");
    SBL_POOL(&l->common.pool, l->products, h->part_count, 1, "training");
    SBL_TRY(find_slots(l, err));
    set_products(l);
    job->slots = l->slots;
    job->uses = l->uses;
    job->products = l->products;
    job->product_count = h->part_count;
    SBL_TRY(sbl_tensors_place(&job->slot_bytes, tensors, l->slots,
                              job->slot_count * sizeof *l->slots / sizeof(float), err));
    SBL_TRY(sbl_tensors_place(&job->use_bytes, tensors, l->uses,
                              h->factor_count * sizeof *l->uses / sizeof(float), err));
    SBL_TRY(sbl_tensors_place(&job->product_bytes, tensors, l->products,
                              h->part_count * sizeof *l->products / sizeof(float), err));
done:
    return status;
}

/* ---- making ---- */

static sbl_status allocate(hermite_loss *l, const sbl_generated *generated, double memory, sbl_error *err)
{
    sbl_hermite_job *job = &l->job;
    sbl_pool *pool = &l->common.pool;
    sbl_tensors *tensors = &l->common.tensors;
    const size_t classes = job->classes, beside = job->by_rows ? job->columns : l->hermite->metric.count;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_row_pieces(&l->pieces, &job->piece_count, pool, generated->starts, classes, SBL_HERMITE_ROWS,
                           err));
    SBL_POOL(pool, l->row_weight, classes, 1, "training");
    SBL_POOL(pool, l->mean_weight, classes, 1, "training");
    SBL_POOL(pool, l->own_weight, classes, 1, "training");
    SBL_POOL(pool, l->class_weight, classes, 1, "training");
    SBL_POOL(pool, job->losses, job->product_count, 1, "training");
    SBL_TENSOR(tensors, l->target, classes, job->width, "training");
    SBL_TENSOR(tensors, job->residual, classes, job->width, "training");
    SBL_TENSOR(tensors, job->phi, job->values, job->padded, "training");
    SBL_TENSOR(tensors, job->d_phi, job->values, job->padded, "training");
    if (tensors->on->is_host) {
        SBL_TENSOR(tensors, job->z, beside, job->padded, "training");
        SBL_TENSOR(tensors, job->d_z, beside, job->padded, "training");
    }
    SBL_TRY(sbl_running_init(&l->common.running, tensors, memory, classes * job->width, err));
    job->target = l->target;
    job->past = l->common.running.past;
    job->pieces = l->pieces;
done:
    return status;
}

static void set_constants(hermite_loss *l, const sbl_target *target, const sbl_generated *generated)
{
    const sbl_hermite *h = l->hermite;
    for (size_t c = 0; c < l->job.classes; c++) {
        const size_t rows = generated->starts[c + 1] - generated->starts[c];
        const size_t divisor = sbl_target_divisor(target, SBL_DISTANCE_PLAIN, rows);
        if (divisor == 0) continue;
        const double share = generated->shares[c];
        const double weight = h->pull * target->weight * generated->weights[c] / (double)h->part_count;
        l->row_weight[c] = (float)(share / (double)rows);
        l->mean_weight[c] = (float)(share / (double)divisor);
        l->class_weight[c] = (float)weight;
        if (l->job.unbiased)
            l->own_weight[c] = (float)(2 * weight * share * share / ((double)rows * (double)divisor));
    }
    l->job.row_weight = l->row_weight;
    l->job.mean_weight = l->mean_weight;
    l->job.own_weight = l->own_weight;
    l->job.class_weight = l->class_weight;
}

static sbl_status loss_init(void *loss, const void *made, const sbl_target *target,
                            const sbl_generated *generated, sbl_error *err)
{
    hermite_loss *l = loss;
    sbl_hermite_job *job = &l->job;
    const sbl_hermite *h = l->hermite = made;
    *job = (sbl_hermite_job){.rows = generated->rows,
                             .padded = generated->padded_rows,
                             .columns = h->facts->shape.numeric + h->facts->shape.onehot,
                             .classes = generated->facts->classes,
                             .width = h->width,
                             .by_rows = h->facts->kind == SBL_DATA_IMAGES,
                             .unbiased = sbl_target_is_unbiased(target, SBL_DISTANCE_PLAIN),
                             .starts = generated->starts};
    SBL_CHECK(make_lists(l, err));
    SBL_CHECK(allocate(l, generated, target->memory, err));
    set_constants(l, target, generated);
    generated->on->write(generated->on->device, l->target, target->means, job->classes * job->width);
    return SBL_OK;
}

/* ---- the metric of a table ---- */

/* The metric's coordinates of all rows, moved to [0,1], and on the way back their gradients. */
static void take_metric(const hermite_loss *l)
{
    const sbl_metric *metric = &l->hermite->metric;
    const sbl_hermite_job *job = &l->job;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t p = 0; p < job->piece_count; p++) {
        const sbl_row_piece *piece = &job->pieces[p];
        for (size_t j = 0; j < metric->count; j++) {
            float *z = job->z + j * job->padded + piece->first;
            double low, range;
            sbl_metric_bounds(&low, &range, metric, j);
            for (size_t r = 0; r < piece->count; r++) z[r] = (float)(-low / range);
            for (size_t i = j; i < metric->count; i++) {
                const float *x = job->x + metric->columns[i] * job->padded + piece->first;
                const float weight = (float)(metric->factor[i][j] / range);
                for (size_t r = 0; r < piece->count; r++) z[r] += weight * x[r];
            }
            for (size_t r = 0; r < piece->count; r++) job->d_z[j * job->padded + piece->first + r] = 0;
        }
    }
}

static void give_metric(const hermite_loss *l)
{
    const sbl_metric *metric = &l->hermite->metric;
    const sbl_hermite_job *job = &l->job;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t p = 0; p < job->piece_count; p++) {
        const sbl_row_piece *piece = &job->pieces[p];
        for (size_t j = 0; j < metric->count; j++) {
            const float *d_z = job->d_z + j * job->padded + piece->first;
            double low, range;
            sbl_metric_bounds(&low, &range, metric, j);
            for (size_t i = j; i < metric->count; i++) {
                float *d_x = job->d_x + metric->columns[i] * job->padded + piece->first;
                const float weight = (float)(metric->factor[i][j] / range);
                for (size_t r = 0; r < piece->count; r++) d_x[r] += weight * d_z[r];
            }
        }
    }
}

static double loss_step(void *loss, sbl_generated *generated)
{
    hermite_loss *l = loss;
    l->job.decay = sbl_running_decay(&l->common.running);
    l->job.x = l->job.by_rows ? generated->pixels : generated->inputs;
    l->job.d_x = l->job.by_rows ? generated->d_pixels : generated->d_inputs;
    if (l->hermite->metric.count > 0) take_metric(l);
    const double sum = generated->on->hermite(generated->on->device, &l->job);
    if (l->hermite->metric.count > 0) give_metric(l);
    l->common.running.steps++;
    return sum;
}

#define LOSS(of_feature)                                                                             \
    {                                                                                                \
        .feature = (of_feature), .size = sizeof(hermite_loss), .init = loss_init, .step = loss_step, \
        .any_backend = true                                                                          \
    }

const sbl_loss_kind sbl_loss_hermite = LOSS(SBL_HERMITE);
const sbl_loss_kind sbl_loss_hermite_product = LOSS(SBL_HERMITE_PRODUCT);
