/* SPDX-License-Identifier: Apache-2.0 */
/* loss = sum over classes of w_c |v_c sum_r phi(x_r) - target_c|^2 for phi1 and, if it is there, for
 * phi2, v_c = share / (rows - 1); over rows for the plain distance. A part of each class's rows goes through the network, of as many classes
 * at a time as SBL_MOMENTS_GROUP_PART allows; the loss of such a group and its gradient are a backend's
 * (base/backend/shapes.h), which gives the same for any groups. A class that is too large for the network at once
 * goes through in parts: all of them to have its mean, then, the last one first, once more to go back.
 * Pooled moments are those of one class that has rows of every class, as many of each as its share asks for. */
#include <math.h>

#include "after/losses/encoder_pass.h"
#include "public/features/activation_shapes.h"

/* Classes that go through the network together; or one, in parts. */
typedef struct class_group {
    size_t first, count, rows;
    size_t at_once; /* rows of a part; `rows`: it has none */
    size_t *starts; /* (count + 1): rows of its classes, within the group */
} class_group;

typedef struct moments_loss {
    sbl_loss common; /* its running mean: as target */
    const sbl_moments_feature *made;
    sbl_encoded_pass pass;
    size_t classes, group_count; /* classes: 1 of pooled moments */
    size_t run_count;            /* of their rows: one for each class of the data */
    class_group *groups;
    sbl_row_run *runs;                     /* (run_count): the rows that are seen */
    sbl_row_run *some;                     /* (run_count): those of a part */
    float *row_weights;                    /* (3, C): of rows, of means, of classes */
    size_t sizes[SBL_ENCODED_MOST_LAYERS]; /* of the activations that are taken */
    float *target;                         /* tensor (C, count D) */
    float *front;                          /* tensor (classes of a group, count D): g1, g2 */
    float *factors;                        /* tensor (rows of a group, 2) or (rows, 2, layers) */
    double *losses;                        /* of pieces */
} moments_loss;

static void loss_clear(void *loss) { sbl_encoder_workspace_free(((moments_loss *)loss)->pass.encoder); }

/* Of pooled moments: even numbers of rows, so that parts begin with rows that are not mirrored, as near to the
 * classes' shares as there are rows. The class with the fewest rows for its share has all of them.
 * Returns how many all have. */
static size_t share_rows(moments_loss *l, const sbl_target *target, const sbl_generated *generated)
{
    double most = INFINITY;
    size_t rows = 0;
    for (size_t c = 0; c < l->run_count; c++)
        if (generated->shares[c] > 0)
            most = fmin(most, (double)sbl_generated_seen(generated, target->part, c) / generated->shares[c]);
    for (size_t c = 0; c < l->run_count; c++) {
        const size_t seen = sbl_generated_seen(generated, target->part, c);
        const double pairs = floor(most * generated->shares[c] / 2 + 0.5);
        const size_t wanted = pairs > 0 ? 2 * (size_t)pairs : 0;
        l->runs[c] = (sbl_row_run){generated->starts[c], wanted < seen ? wanted : seen - seen % 2};
        rows += l->runs[c].count;
    }
    return rows;
}

static void weigh_pooled(moments_loss *l, const sbl_target *target, const sbl_generated *generated)
{
    const size_t rows = share_rows(l, target, generated);
    const size_t divisor = sbl_target_divisor(target, SBL_DISTANCE_UNBIASED, rows);
    if (divisor == 0) return;
    l->row_weights[0] = (float)(1 / (double)divisor);
    l->row_weights[1] = (float)(1 / (double)rows);
    l->row_weights[2] = (float)target->weight;
}

/* The rows of each class that are seen, and what they weigh. */
static sbl_status weigh_classes(moments_loss *l, const sbl_target *target, const sbl_generated *generated,
                                sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_POOL(&l->common.pool, l->runs, l->run_count, 1, "training");
    SBL_POOL(&l->common.pool, l->some, l->run_count, 1, "training");
    SBL_POOL(&l->common.pool, l->row_weights, 3, l->classes, "training");
    if (l->made->pooled) weigh_pooled(l, target, generated);
    for (size_t c = 0; c < l->classes && !l->made->pooled; c++) {
        /* phi has norm 1: over rows - 1 the squared distance is one of means without the variance of the
         * batch, but for a constant. A batch has at least two rows of a class (after/train/train_batch.h). */
        const size_t rows = sbl_generated_seen(generated, target->part, c);
        const size_t divisor = sbl_target_divisor(target, SBL_DISTANCE_UNBIASED, rows);
        if (divisor == 0) continue;
        l->runs[c] = (sbl_row_run){generated->starts[c], rows};
        l->row_weights[c] = (float)(generated->shares[c] / (double)divisor);
        l->row_weights[l->classes + c] = (float)(generated->shares[c] / (double)rows);
        l->row_weights[2 * l->classes + c] = (float)(target->weight * generated->weights[c]);
    }
done:
    return status;
}

/* Rows of class c of those that are added up. */
static size_t rows_of_class(const moments_loss *l, size_t c)
{
    size_t rows = 0;
    if (!l->made->pooled) return l->runs[c].count;
    for (size_t r = 0; r < l->run_count; r++) rows += l->runs[r].count;
    return rows;
}

/* Groups by shapes alone, one class each at least. */
static sbl_status group_classes(moments_loss *l, double network_bytes, sbl_error *err)
{
    const double most =
        network_bytes > 0 ? SBL_MOMENTS_GROUP_PART * network_bytes / sbl_encoded_row_bytes(&l->made->encoded)
                          : INFINITY;
    sbl_status status = SBL_OK;
    size_t *starts;
    SBL_POOL(&l->common.pool, l->groups, l->classes, 1, "training");
    SBL_POOL(&l->common.pool, starts, l->classes, 2, "training");
    for (size_t c = 0; c < l->classes; c++) {
        const size_t rows = rows_of_class(l, c);
        class_group *at = l->group_count > 0 ? &l->groups[l->group_count - 1] : NULL;
        if (at == NULL || (double)(at->rows + rows) > most) {
            at = &l->groups[l->group_count++];
            *at = (class_group){.first = c, .starts = starts};
            *starts++ = 0;
        }
        at->count++;
        at->rows += rows;
        *starts++ = at->rows;
    }
    for (size_t g = 0; g < l->group_count; g++) {
        class_group *at = &l->groups[g];
        at->at_once =
            at->count > 1 ? at->rows : sbl_encoded_rows_at_once(&l->made->encoded, network_bytes, at->rows);
    }
done:
    return status;
}

static sbl_status allocate(moments_loss *l, double memory, sbl_error *err)
{
    const sbl_encoded *e = &l->made->encoded;
    const size_t numbers = l->made->count * l->made->width;
    size_t rows = 1, classes = 1;
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < e->layer_count; i++)
        l->sizes[i] = sbl_volume_size(sbl_encoded_layer(e, i)->volume);
    for (size_t g = 0; g < l->group_count; g++) {
        if (l->groups[g].at_once > rows) rows = l->groups[g].at_once;
        if (l->groups[g].count > classes) classes = l->groups[g].count;
    }
    SBL_TENSOR(&l->common.tensors, l->target, l->classes, numbers, "training");
    SBL_TENSOR(&l->common.tensors, l->front, classes, numbers, "training");
    SBL_TENSOR(&l->common.tensors, l->factors, rows, 2 * (l->made->encoded.alike ? e->layer_count : 1),
               "training");
    SBL_POOL(&l->common.pool, l->losses, classes * l->made->count,
             sbl_moments_pieces(l->sizes, e->layer_count), "training");
    SBL_TRY(sbl_running_init(&l->common.running, &l->common.tensors, memory, l->classes * numbers, err));
    SBL_TRY(sbl_encoded_pass_init(&l->pass, &l->common.tensors, e, rows, err));
done:
    return status;
}

static sbl_status loss_init(void *loss, const void *made, const sbl_target *target,
                            const sbl_generated *generated, sbl_error *err)
{
    moments_loss *l = loss;
    l->made = made;
    l->run_count = generated->facts->classes;
    l->classes = l->made->pooled ? 1 : l->run_count;
    SBL_CHECK(weigh_classes(l, target, generated, err));
    SBL_CHECK(group_classes(l, generated->network_bytes, err));
    SBL_CHECK(allocate(l, target->memory, err));
    generated->on->write(generated->on->device, l->target, target->means,
                         l->classes * l->made->count * l->made->width);
    return SBL_OK;
}

/* Rows of a group there, and back where this part has a gradient. starts: of its classes. */
static double rows_step(moments_loss *l, sbl_generated *generated, const class_group *group,
                        const sbl_row_run *runs, size_t run_count, const size_t *starts,
                        sbl_moments_part part)
{
    const sbl_encoded *e = &l->made->encoded;
    const size_t numbers = l->made->count * l->made->width, at = group->first * numbers;
    const float *weights = l->row_weights + group->first;
    const float *values[SBL_ENCODED_MOST_LAYERS];
    sbl_encoder_forward_runs(l->pass.encoder, generated->pixels, runs, run_count);
    for (size_t i = 0; i < e->layer_count; i++)
        values[i] = sbl_encoder_activation_values(l->pass.encoder, e->layers[i]);
    const sbl_moments_job job = {
        .rows = starts[group->count],
        .classes = group->count,
        .layers = e->layer_count,
        .moments = l->made->count,
        .width = l->made->width,
        .alike = l->made->encoded.alike,
        .part = part,
        .sizes = l->sizes,
        .starts = starts,
        .row_weight = weights,
        .mean_weight = weights + l->classes,
        .class_weight = weights + 2 * l->classes,
        .decay = sbl_running_decay(&l->common.running),
        .values = values,
        .d_values = l->pass.d_taken,
        .losses = l->losses,
        .target = l->target + at,
        .past = l->common.running.past != NULL ? l->common.running.past + at : NULL,
        .front = l->front,
        .factors = l->factors,
    };
    const double loss = generated->on->moments(generated->on->device, &job);
    if (sbl_moments_goes_back(part))
        sbl_encoder_backward(l->pass.encoder, generated->d_pixels, l->pass.d_all);
    return loss;
}

/* Rows first .. first + rows - 1 of those of `count` runs, as runs in l->some; returns their number. */
static size_t cut_runs(moments_loss *l, const sbl_row_run *runs, size_t count, size_t first, size_t rows)
{
    size_t found = 0;
    for (size_t r = 0; r < count && rows > 0; r++) {
        const size_t skipped = first < runs[r].count ? first : runs[r].count;
        const size_t left = runs[r].count - skipped, taken = left < rows ? left : rows;
        first -= skipped;
        rows -= taken;
        if (taken > 0) l->some[found++] = (sbl_row_run){runs[r].first + skipped, taken};
    }
    return found;
}

/* Part p of the rows of a class. */
static double part_step(moments_loss *l, sbl_generated *generated, const class_group *group, size_t p,
                        sbl_moments_part part)
{
    const size_t first = p * group->at_once, left = group->rows - first;
    const size_t rows = left < group->at_once ? left : group->at_once, starts[] = {0, rows};
    const size_t runs = cut_runs(l, l->runs + group->first, l->made->pooled ? l->run_count : 1, first, rows);
    return rows_step(l, generated, group, l->some, runs, starts, part);
}

static double group_step(moments_loss *l, sbl_generated *generated, const class_group *group)
{
    double loss = 0;
    if (group->rows == 0) return 0;
    if (group->at_once == group->rows)
        return rows_step(l, generated, group, l->runs + group->first,
                         l->made->pooled ? l->run_count : group->count, group->starts, SBL_MOMENTS_ALL);
    const size_t last = (group->rows - 1) / group->at_once;
    for (size_t p = 0; p <= last; p++)
        loss += part_step(l, generated, group, p,
                          p == 0      ? SBL_MOMENTS_FIRST
                          : p == last ? SBL_MOMENTS_LAST
                                      : SBL_MOMENTS_MIDDLE);
    for (size_t p = last; p-- > 0;) loss += part_step(l, generated, group, p, SBL_MOMENTS_AGAIN);
    return loss;
}

static double loss_step(void *loss, sbl_generated *generated)
{
    moments_loss *l = loss;
    double sum = 0;
    for (size_t g = 0; g < l->group_count; g++) sum += group_step(l, generated, &l->groups[g]);
    l->common.running.steps++;
    return sum;
}

#define LOSS(of_feature)                                                                             \
    {                                                                                                \
        .feature = (of_feature), .size = sizeof(moments_loss), .init = loss_init, .step = loss_step, \
        .clear = loss_clear, .costly = true, .any_backend = true                                     \
    }

const sbl_loss_kind sbl_loss_moments = LOSS(SBL_MOMENTS);
const sbl_loss_kind sbl_loss_signed_moments = LOSS(SBL_SIGNED_MOMENTS);
const sbl_loss_kind sbl_loss_pooled_moments = LOSS(SBL_POOLED_MOMENTS);
