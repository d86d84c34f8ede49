/* SPDX-License-Identifier: Apache-2.0 */
/* The loss separates over classes: a class at a time goes through the encoder, into the Fourier loss
 * of its points (after/losses/orthogonal_loss.c), and back; so the activations of one class are all that
 * is in memory, and of a large class those of a part of its rows: they are found twice. */
#include "after/losses/encoder_pass.h"
#include "public/features/activation_shapes.h"

/* A class as the Fourier loss sees it: points in place of pixels, and no other class. */
typedef struct class_part {
    sbl_facts facts; /* classes = 1, and nothing else */
    size_t starts[2];
    double share, weight;
    sbl_generated generated;
    void *loss; /* NULL: the class has no rows */
} class_part;

typedef struct perceptual_loss {
    sbl_loss common;
    const sbl_perceptual *made;
    sbl_encoded_pass pass;
    float *points, *d_points; /* tensors (rows of the largest class, P) */
    float *lengths;           /* tensor (rows, activations taken) */
    double network_bytes;     /* of a class, before it goes through in parts */
    class_part *classes;
    size_t class_count;
} perceptual_loss;

static void loss_clear(void *loss)
{
    perceptual_loss *l = loss;
    for (size_t c = 0; l->classes != NULL && c < l->class_count; c++)
        sbl_loss_free(&sbl_loss_orthogonal, l->classes[c].loss);
    sbl_encoder_workspace_free(l->pass.encoder);
}

static sbl_status begin_class(perceptual_loss *l, size_t c, const sbl_target *target,
                              const sbl_generated *generated, sbl_error *err)
{
    class_part *part = &l->classes[c];
    const size_t rows = sbl_generated_seen(generated, target->part, c);
    const size_t width = 2 * l->made->frequencies.frequencies;
    const sbl_target own = {.means = target->means + c * width,
                            .deviation = target->deviation,
                            .weight = target->weight,
                            .memory = target->memory,
                            .distance = target->distance};
    part->facts.classes = 1;
    part->starts[1] = rows;
    part->share = generated->shares[c];
    part->weight = generated->weights[c];
    part->generated = (sbl_generated){.on = generated->on,
                                      .facts = &part->facts,
                                      .rows = rows,
                                      .starts = part->starts,
                                      .shares = &part->share,
                                      .weights = &part->weight,
                                      .pixels = l->points,
                                      .d_pixels = l->d_points};
    return rows > 0 ? sbl_loss_new(&part->loss, &sbl_loss_orthogonal, &l->made->frequencies, &own,
                                   &part->generated, err)
                    : SBL_OK;
}

static size_t at_once(const perceptual_loss *l, size_t rows)
{
    return sbl_encoded_rows_at_once(&l->made->encoded, l->network_bytes, rows);
}

/* Of any class: a smaller one may have the larger parts. */
static size_t most_at_once(const perceptual_loss *l, const sbl_target *target, const sbl_generated *generated)
{
    size_t most = 1;
    for (size_t c = 0; c < l->class_count; c++) {
        const size_t rows = at_once(l, sbl_generated_seen(generated, target->part, c));
        if (rows > most) most = rows;
    }
    return most;
}

static sbl_status loss_init(void *loss, const void *made, const sbl_target *target,
                            const sbl_generated *generated, sbl_error *err)
{
    const size_t rows = sbl_generated_most_seen(generated, target->part);
    sbl_status status = SBL_OK;
    perceptual_loss *l = loss;
    l->made = made;
    l->class_count = generated->facts->classes;
    SBL_TENSOR(&l->common.tensors, l->points, rows, l->made->width, "training");
    SBL_TENSOR(&l->common.tensors, l->d_points, rows, l->made->width, "training");
    SBL_TENSOR(&l->common.tensors, l->lengths, rows, l->made->encoded.layer_count, "training");
    SBL_POOL(&l->common.pool, l->classes, l->class_count, 1, "training");
    l->network_bytes = generated->network_bytes;
    SBL_TRY(sbl_encoded_pass_init(&l->pass, &l->common.tensors, &l->made->encoded,
                                  most_at_once(l, target, generated), err));
    for (size_t c = 0; c < l->class_count; c++) SBL_TRY(begin_class(l, c, target, generated, err));
done:
    return status;
}

/* Rows of a class, of which `first` is the first of these. */
static sbl_points_job job_of(const perceptual_loss *l, const float **values, size_t first, size_t rows)
{
    sbl_points_job job = sbl_perceptual_points(l->made, values, l->pass.encoder, rows);
    job.points = l->points + first * l->made->width;
    job.d_points = l->d_points + first * l->made->width;
    job.lengths = l->lengths + first * l->made->encoded.layer_count;
    job.d_values = l->pass.d_taken;
    return job;
}

/* images: of the class. */
static void rows_forward(perceptual_loss *l, const float *images, size_t first, size_t rows)
{
    const sbl_backend *on = l->common.tensors.on;
    const float *values[SBL_ENCODED_MOST_LAYERS];
    sbl_encoder_forward(l->pass.encoder, images + first * l->made->encoded.facts->shape.numeric, rows);
    const sbl_points_job job = job_of(l, values, first, rows);
    on->points(on->device, &job);
}

static void rows_back(perceptual_loss *l, float *d_images, size_t first, size_t rows)
{
    const sbl_backend *on = l->common.tensors.on;
    const float *values[SBL_ENCODED_MOST_LAYERS];
    const sbl_points_job job = job_of(l, values, first, rows);
    on->points_back(on->device, &job);
    sbl_encoder_backward(l->pass.encoder, d_images + first * l->made->encoded.facts->shape.numeric,
                         l->pass.d_all);
}

/* Parts in order, then back from the last, whose activations are still there. */
static double class_step(perceptual_loss *l, class_part *part, const float *images, float *d_images)
{
    const size_t rows = part->generated.rows, each = at_once(l, rows), last = (rows - 1) / each;
    const sbl_backend *on = l->common.tensors.on;
    for (size_t p = 0; p <= last; p++)
        rows_forward(l, images, p * each, p < last ? each : rows - last * each);
    on->zero(on->device, l->d_points, rows * l->made->width);
    const double loss = sbl_loss_orthogonal.step(part->loss, &part->generated);
    rows_back(l, d_images, last * each, rows - last * each);
    for (size_t p = last; p-- > 0;) {
        rows_forward(l, images, p * each, each);
        rows_back(l, d_images, p * each, each);
    }
    return loss;
}

static double loss_step(void *loss, sbl_generated *generated)
{
    perceptual_loss *l = loss;
    const size_t size = generated->facts->shape.numeric;
    double sum = 0;
    for (size_t c = 0; c < l->class_count; c++) {
        const size_t first = generated->starts[c] * size;
        if (l->classes[c].generated.rows > 0)
            sum += class_step(l, &l->classes[c], generated->pixels + first, generated->d_pixels + first);
    }
    return sum;
}

/* Of the i-th class that has rows. */
static sbl_running *loss_memory(void *loss, size_t i)
{
    const perceptual_loss *l = loss;
    for (size_t c = 0; c < l->class_count; c++)
        if (l->classes[c].loss != NULL && i-- == 0)
            return sbl_loss_memory(&sbl_loss_orthogonal, l->classes[c].loss, 0);
    return NULL;
}

const sbl_loss_kind sbl_loss_perceptual = {
    .feature = SBL_PERCEPTUAL,
    .size = sizeof(perceptual_loss),
    .init = loss_init,
    .step = loss_step,
    .clear = loss_clear,
    .memory = loss_memory,
    .costly = true,
    .any_backend = true,
};
