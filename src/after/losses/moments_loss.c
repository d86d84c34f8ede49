/* loss = sum over classes of w_c |v_c sum_r phi(x_r) - target_c|^2 for phi1 and, if it is there, for
 * phi2, v_c = share / (rows - 1). A part of each class's rows goes through the network, of as many classes
 * at a time as SBL_MOMENTS_GROUP_PART allows; the loss of such a group and its gradient are a backend's
 * (base/backend/shapes.h), which gives the same for any groups. A class that is too large for the network at once
 * goes through in parts: all of them to have its mean, then, the last one first, once more to go back. */
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
    size_t classes, group_count;
    class_group *groups;
    sbl_row_run *runs;                     /* (C): the rows that are seen */
    float *row_weights;                    /* (3, C): of rows, of means, of classes */
    size_t sizes[SBL_ENCODED_MOST_LAYERS]; /* of the activations that are taken */
    float *target;                         /* tensor (C, count D) */
    float *front;                          /* tensor (classes of a group, count D): g1, g2 */
    float *factors;                        /* tensor (rows of a group, 2) or (rows, 2, layers) */
    double *losses;                        /* of pieces */
} moments_loss;

static void loss_clear(void *loss) { sbl_encoder_workspace_free(((moments_loss *)loss)->pass.encoder); }

/* The rows of each class that are seen, and what they weigh. */
static sbl_status weigh_classes(moments_loss *l, const sbl_target *target, const sbl_generated *generated,
                                sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_POOL(&l->common.pool, l->runs, l->classes, 1, "training");
    SBL_POOL(&l->common.pool, l->row_weights, 3, l->classes, "training");
    for (size_t c = 0; c < l->classes; c++) {
        /* phi has norm 1: over rows - 1 the squared distance is one of means without the variance of the
         * batch, but for a constant. A batch has at least two rows of a class (after/train/train_batch.h). */
        const size_t rows = sbl_generated_seen(generated, target->part, c);
        if (rows < 2) continue;
        l->runs[c] = (sbl_row_run){generated->starts[c], rows};
        l->row_weights[c] = (float)(generated->shares[c] / (double)(rows - 1));
        l->row_weights[l->classes + c] = (float)(generated->shares[c] / (double)rows);
        l->row_weights[2 * l->classes + c] = (float)(target->weight * generated->weights[c]);
    }
done:
    return status;
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
        class_group *at = l->group_count > 0 ? &l->groups[l->group_count - 1] : NULL;
        if (at == NULL || (double)(at->rows + l->runs[c].count) > most) {
            at = &l->groups[l->group_count++];
            *at = (class_group){.first = c, .starts = starts};
            *starts++ = 0;
        }
        at->count++;
        at->rows += l->runs[c].count;
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
    l->classes = generated->facts->classes;
    SBL_CHECK(weigh_classes(l, target, generated, err));
    SBL_CHECK(group_classes(l, generated->network_bytes, err));
    SBL_CHECK(allocate(l, target->memory, err));
    generated->on->write(generated->on->device, l->target, target->means,
                         l->classes * l->made->count * l->made->width);
    return SBL_OK;
}

/* Rows of a group there, and back where this part has a gradient. runs, starts: of its classes. */
static double rows_step(moments_loss *l, sbl_generated *generated, const class_group *group,
                        const sbl_row_run *runs, const size_t *starts, sbl_moments_part part)
{
    const sbl_encoded *e = &l->made->encoded;
    const size_t numbers = l->made->count * l->made->width, at = group->first * numbers;
    const float *weights = l->row_weights + group->first;
    const float *values[SBL_ENCODED_MOST_LAYERS];
    sbl_encoder_forward_runs(l->pass.encoder, generated->pixels, runs, group->count);
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

/* Part p of the rows of a class. */
static double part_step(moments_loss *l, sbl_generated *generated, const class_group *group, size_t p,
                        sbl_moments_part part)
{
    const size_t first = p * group->at_once, left = group->rows - first;
    const size_t rows = left < group->at_once ? left : group->at_once, starts[] = {0, rows};
    const sbl_row_run run = {l->runs[group->first].first + first, rows};
    return rows_step(l, generated, group, &run, starts, part);
}

static double group_step(moments_loss *l, sbl_generated *generated, const class_group *group)
{
    double loss = 0;
    if (group->rows == 0) return 0;
    if (group->at_once == group->rows)
        return rows_step(l, generated, group, l->runs + group->first, group->starts, SBL_MOMENTS_ALL);
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
