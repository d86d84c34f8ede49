/* SPDX-License-Identifier: Apache-2.0 */
/* The loss separates over classes: some classes at a time go through the encoder, into the Fourier loss of their points
 * (after/losses/orthogonal_loss.c), and back, as many as SBL_MOMENTS_GROUP_PART allows; so only their activations are in
 * memory. A class that is too large goes through by itself in parts, whose activations are found twice. */
#include <math.h>

#include "after/losses/encoder_pass.h"
#include "public/features/activation_shapes.h"

/* Classes that go through the network together, as the Fourier loss sees them: points instead of pixels, and no other
 * class. */
typedef struct class_group {
    size_t first, count, rows;
    size_t at_once;  /* rows of a part; `rows`: it has none */
    sbl_facts facts; /* classes = count, and nothing else */
    size_t *starts;  /* (count + 1): rows of its classes, within the group */
    sbl_generated generated;
    void *loss; /* NULL: none of the classes has rows */
} class_group;

typedef struct perceptual_loss {
    sbl_loss common;
    const sbl_perceptual *made;
    sbl_encoded_pass pass;
    float *points, *d_points; /* tensors (rows of the largest group, P) */
    float *lengths;           /* tensor (rows, activations taken) */
    size_t classes, group_count;
    class_group *groups;
    sbl_row_run *runs; /* (classes): the rows that are seen */
    sbl_row_run part;  /* those of a part of a class */
} perceptual_loss;

static void loss_clear(void *loss)
{
    perceptual_loss *l = loss;
    for (size_t g = 0; l->groups != NULL && g < l->group_count; g++)
        sbl_loss_free(&sbl_loss_orthogonal, l->groups[g].loss);
    sbl_encoder_workspace_free(l->pass.encoder);
}

/* Groups by shapes alone, one class each at least. */
static sbl_status group_classes(perceptual_loss *l, const sbl_target *target, const sbl_generated *generated,
                                sbl_error *err)
{
    const sbl_encoded *encoded = &l->made->encoded;
    const double bytes = generated->network_bytes;
    const double most =
        bytes > 0 ? SBL_MOMENTS_GROUP_PART * bytes / sbl_encoded_row_bytes(encoded) : INFINITY;
    size_t *starts;
    sbl_status status = SBL_OK;
    SBL_POOL(&l->common.pool, l->groups, l->classes, 1, "training");
    SBL_POOL(&l->common.pool, l->runs, l->classes, 1, "training");
    SBL_POOL(&l->common.pool, starts, l->classes, 2, "training");
    for (size_t c = 0; c < l->classes; c++) {
        const size_t rows = sbl_generated_seen(generated, target->part, c);
        class_group *at = l->group_count > 0 ? &l->groups[l->group_count - 1] : NULL;
        if (at == NULL || (double)(at->rows + rows) > most) {
            at = &l->groups[l->group_count++];
            *at = (class_group){.first = c, .starts = starts};
            *starts++ = 0;
        }
        l->runs[c] = (sbl_row_run){generated->starts[c], rows};
        at->count++;
        at->rows += rows;
        *starts++ = at->rows;
    }
    for (size_t g = 0; g < l->group_count; g++) {
        class_group *at = &l->groups[g];
        at->at_once = at->count > 1 ? at->rows : sbl_encoded_rows_at_once(encoded, bytes, at->rows);
    }
done:
    return status;
}

static sbl_status begin_group(perceptual_loss *l, class_group *group, const sbl_target *target,
                              const sbl_generated *generated, sbl_error *err)
{
    const size_t width = 2 * l->made->frequencies.frequencies;
    const sbl_target own = {.means = target->means + group->first * width,
                            .deviation = target->deviation,
                            .weight = target->weight,
                            .memory = target->memory,
                            .distance = target->distance};
    group->facts.classes = group->count;
    group->generated = (sbl_generated){.on = generated->on,
                                       .facts = &group->facts,
                                       .rows = group->rows,
                                       .starts = group->starts,
                                       .shares = generated->shares + group->first,
                                       .weights = generated->weights + group->first,
                                       .pixels = l->points,
                                       .d_pixels = l->d_points};
    return group->rows > 0 ? sbl_loss_new(&group->loss, &sbl_loss_orthogonal, &l->made->frequencies, &own,
                                          &group->generated, err)
                           : SBL_OK;
}

static sbl_status loss_init(void *loss, const void *made, const sbl_target *target,
                            const sbl_generated *generated, sbl_error *err)
{
    size_t rows = 1, at_once = 1;
    sbl_status status = SBL_OK;
    perceptual_loss *l = loss;
    l->made = made;
    l->classes = generated->facts->classes;
    SBL_TRY(group_classes(l, target, generated, err));
    for (size_t g = 0; g < l->group_count; g++) {
        if (l->groups[g].rows > rows) rows = l->groups[g].rows;
        if (l->groups[g].at_once > at_once) at_once = l->groups[g].at_once;
    }
    SBL_TENSOR(&l->common.tensors, l->points, rows, l->made->width, "training");
    SBL_TENSOR(&l->common.tensors, l->d_points, rows, l->made->width, "training");
    SBL_TENSOR(&l->common.tensors, l->lengths, rows, l->made->encoded.layer_count, "training");
    SBL_TRY(sbl_encoded_pass_init(&l->pass, &l->common.tensors, &l->made->encoded, at_once, err));
    for (size_t g = 0; g < l->group_count; g++)
        SBL_TRY(begin_group(l, &l->groups[g], target, generated, err));
done:
    return status;
}

/* Rows of a group, of which `first` is the first of these. */
static sbl_points_job job_of(const perceptual_loss *l, const float **values, size_t first, size_t rows)
{
    sbl_points_job job = sbl_perceptual_points(l->made, values, l->pass.encoder, rows);
    job.points = l->points + first * l->made->width;
    job.d_points = l->d_points + first * l->made->width;
    job.lengths = l->lengths + first * l->made->encoded.layer_count;
    job.d_values = l->pass.d_taken;
    return job;
}

/* The runs of these rows of a group: of all of them, or of some of its only class. */
static size_t runs_of(perceptual_loss *l, const class_group *group, const sbl_row_run **runs, size_t first,
                      size_t rows)
{
    *runs = l->runs + group->first;
    if (rows == group->rows) return group->count;
    l->part = (sbl_row_run){l->runs[group->first].first + first, rows};
    *runs = &l->part;
    return 1;
}

static void rows_forward(perceptual_loss *l, const class_group *group, const float *images, size_t first,
                         size_t rows)
{
    const sbl_backend *on = l->common.tensors.on;
    const float *values[SBL_ENCODED_MOST_LAYERS];
    const sbl_row_run *runs;
    const size_t count = runs_of(l, group, &runs, first, rows);
    sbl_encoder_forward_runs(l->pass.encoder, images, runs, count);
    const sbl_points_job job = job_of(l, values, first, rows);
    on->points(on->device, &job);
}

static void rows_back(perceptual_loss *l, float *d_images, size_t first, size_t rows)
{
    const sbl_backend *on = l->common.tensors.on;
    const float *values[SBL_ENCODED_MOST_LAYERS];
    const sbl_points_job job = job_of(l, values, first, rows);
    on->points_back(on->device, &job);
    sbl_encoder_backward(l->pass.encoder, d_images, l->pass.d_all);
}

/* Parts in order, then back from the last, whose activations are still there. */
static double group_step(perceptual_loss *l, class_group *group, const float *images, float *d_images)
{
    const size_t rows = group->rows, each = group->at_once, last = (rows - 1) / each;
    const sbl_backend *on = l->common.tensors.on;
    for (size_t p = 0; p <= last; p++)
        rows_forward(l, group, images, p * each, p < last ? each : rows - last * each);
    on->zero(on->device, l->d_points, rows * l->made->width);
    const double loss = sbl_loss_orthogonal.step(group->loss, &group->generated);
    rows_back(l, d_images, last * each, rows - last * each);
    for (size_t p = last; p-- > 0;) {
        rows_forward(l, group, images, p * each, each);
        rows_back(l, d_images, p * each, each);
    }
    return loss;
}

static double loss_step(void *loss, sbl_generated *generated)
{
    perceptual_loss *l = loss;
    double sum = 0;
    for (size_t g = 0; g < l->group_count; g++)
        if (l->groups[g].rows > 0)
            sum += group_step(l, &l->groups[g], generated->pixels, generated->d_pixels);
    return sum;
}

/* Of the i-th group that has rows. */
static sbl_running *loss_memory(void *loss, size_t i)
{
    const perceptual_loss *l = loss;
    for (size_t g = 0; g < l->group_count; g++)
        if (l->groups[g].loss != NULL && i-- == 0)
            return sbl_loss_memory(&sbl_loss_orthogonal, l->groups[g].loss, 0);
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
