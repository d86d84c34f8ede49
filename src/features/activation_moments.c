/* loss = sum over classes of w_c |v_c sum_r phi(x_r) - target_c|^2 for phi1 and, if it is there, for
 * phi2, v_c = share / (rows - 1). A class at a time, and a part of its rows, as in perceptual.c; the loss
 * of a class and its gradient are a backend's (backend/shapes.h). */
#include "features/activation_moments.h"

#include <string.h>

#include "accumulate/sum.h"
#include "backend/cpu.h"
#include "base/memory.h"
#include "features/loss_parts.h"

/* [3] phi1 and phi2 of an image: the encoder runs on a slice of records, norms are summed in a
 * fixed order over 16 lanes, and each row is written out whole, because the bound is on the whole
 * of it. The signed variant differs in where activations are taken and in the block's sign. */

typedef struct row_norms {
    float first, second;
} row_norms;

/* 1 / |e| and 1 / |e^2| of row `row` of the batch that the workspace last ran; 0 where a norm is 0 or not
 * finite. */
static row_norms norms_of(const sbl_encoded *encoded, const sbl_encoder_workspace *workspace,
                          size_t row)
{
    double sums[2] = {0};
    for (size_t l = 0; l < encoded->layer_count; l++) {
        const size_t size = sbl_volume_size(sbl_encoded_layer(encoded, l)->volume);
        const float *e = sbl_encoder_activation_values(workspace, encoded->layers[l]);
        sbl_add_powers(sums, e + row * size, size);
    }
    return (row_norms){sbl_inverse_root(sums[0]), sbl_inverse_root(sums[1])};
}

/* ---- the loss ---- */

typedef struct moments_loss {
    sbl_loss common; /* its running mean: as target */
    const sbl_moments_feature *made;
    sbl_encoded_pass pass;
    size_t classes;
    double weight, part;                   /* of the target */
    size_t sizes[SBL_ENCODED_MOST_LAYERS]; /* of the activations that are taken */
    float *target;                         /* tensor (C, count D) */
    float *front;                          /* tensor (count D): g1, g2 of the class at work */
    float *factors;                        /* tensor (rows, 2) */
    double *losses;                        /* of pieces */
} moments_loss;

static void loss_clear(void *loss)
{
    sbl_encoder_workspace_free(((moments_loss *)loss)->pass.encoder);
}

static sbl_status allocate(moments_loss *l, size_t rows, double memory, sbl_error *err)
{
    const sbl_encoded *e = &l->made->encoded;
    const size_t numbers = l->made->count * l->made->width;
    size_t pieces = 0;
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < e->layer_count; i++) {
        l->sizes[i] = sbl_volume_size(sbl_encoded_layer(e, i)->volume);
        pieces += (l->sizes[i] + SBL_MOMENTS_PIECE - 1) / SBL_MOMENTS_PIECE;
    }
    SBL_TENSOR(&l->common.tensors, l->target, l->classes, numbers, "training");
    SBL_TENSOR(&l->common.tensors, l->front, numbers, 1, "training");
    SBL_TENSOR(&l->common.tensors, l->factors, rows, 2, "training");
    SBL_POOL(&l->common.pool, l->losses, pieces, 1, "training");
    SBL_TRY(sbl_running_init(&l->common.running, &l->common.tensors, memory, l->classes * numbers,
                             err));
    SBL_TRY(sbl_encoded_pass_init(&l->pass, &l->common.tensors, e, rows, err));
done:
    return status;
}

static sbl_status loss_init(void *loss, const void *made, const sbl_target *target,
                            const sbl_generated *generated, sbl_error *err)
{
    sbl_status status = SBL_OK;
    moments_loss *l = loss;
    l->made = made;
    l->classes = generated->facts->classes;
    l->weight = target->weight;
    l->part = target->part;
    SBL_TRY(allocate(l, sbl_generated_most_seen(generated, target->part), target->memory, err));
    generated->on->write(generated->on->device, l->target, target->means,
                         l->classes * l->made->count * l->made->width);
done:
    return status;
}

static double class_step(moments_loss *l, sbl_generated *generated, size_t c)
{
    const sbl_encoded *e = &l->made->encoded;
    const size_t size = generated->facts->shape.numeric, first = generated->starts[c] * size;
    const size_t rows = sbl_generated_seen(generated, l->part, c);
    const size_t numbers = l->made->count * l->made->width;
    const float *values[SBL_ENCODED_MOST_LAYERS];
    sbl_encoder_forward(l->pass.encoder, generated->pixels + first, rows);
    for (size_t i = 0; i < e->layer_count; i++)
        values[i] = sbl_encoder_activation_values(l->pass.encoder, e->layers[i]);
    /* phi has norm 1: over rows - 1 the squared distance is one of means without the variance of the
     * batch, but for a constant. A batch has at least two rows of a class (train/batch.h). */
    const sbl_moments_job job = {
        .rows = rows,
        .layers = e->layer_count,
        .moments = l->made->count,
        .width = l->made->width,
        .sizes = l->sizes,
        .values = values,
        .d_values = l->pass.d_taken,
        .row_weight = (float)(generated->shares[c] / (double)(rows - 1)),
        .mean_weight = (float)(generated->shares[c] / (double)rows),
        .class_weight = (float)(l->weight * generated->weights[c]),
        .decay = sbl_running_decay(&l->common.running),
        .losses = l->losses,
        .target = l->target + c * numbers,
        .past = l->common.running.past != NULL ? l->common.running.past + c * numbers : NULL,
        .front = l->front,
        .factors = l->factors,
    };
    const double loss = generated->on->moments(generated->on->device, &job);
    sbl_encoder_backward(l->pass.encoder, generated->d_pixels + first, l->pass.d_all);
    return loss;
}

static double loss_step(void *loss, sbl_generated *generated)
{
    moments_loss *l = loss;
    double sum = 0;
    for (size_t c = 0; c < l->classes; c++)
        if (generated->starts[c + 1] > generated->starts[c] + 1) sum += class_step(l, generated, c);
    l->common.running.steps++;
    return sum;
}

/* ---- the feature ---- */

json_t *sbl_moments_parameters(const sbl_encoded *encoded, size_t count)
{
    return sbl_json_put(sbl_encoded_parameters(encoded), "moments",
                        json_integer((json_int_t)count));
}

static void free_made(void *made)
{
    sbl_moments_feature *m = made;
    sbl_encoded_clear(&m->encoded);
    sbl_free(m);
}

static sbl_status make_of(void **made, const sbl_facts *facts, const json_t *parameters, bool signs,
                          sbl_error *err)
{
    const char *name = signs ? SBL_SIGNED_MOMENTS : SBL_MOMENTS;
    uint64_t count;
    sbl_status status = SBL_OK;
    sbl_moments_feature *m;
    SBL_ALLOC(m, 1, "features of an encoder");
    SBL_TRY(sbl_encoded_read(&m->encoded, facts, parameters, 5, name, err));
    SBL_TRY(sbl_json_get_u64(&count, parameters, "moments", name, err));
    if (count < 1 || count > 2) SBL_FAIL(err, SBL_EARG, "moments must be 1 or 2");
    if (signs) sbl_encoded_take_signed(&m->encoded);
    m->count = (size_t)count;
    m->width = sbl_encoded_width(&m->encoded);
    *made = m;
    m = NULL;
done:
    if (m != NULL) free_made(m);
    return status;
}

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters,
                       sbl_error *err)
{
    return make_of(made, facts, parameters, false, err);
}

static sbl_status make_signed(void **made, const sbl_facts *facts, const json_t *parameters,
                              sbl_error *err)
{
    return make_of(made, facts, parameters, true, err);
}

static size_t count_blocks(const void *made) { return ((const sbl_moments_feature *)made)->count; }

static void describe(const void *made, sbl_block *blocks, double *weights)
{
    const sbl_moments_feature *m = made;
    for (size_t b = 0; b < m->count; b++) {
        blocks[b] = (sbl_block){.width = m->width,
                                .per_class = true,
                                .nonnegative = b > 0 || !m->encoded.signs,
                                .bound2 = SBL_GRID_BOUND2};
        memcpy(blocks[b].name, b == 0 ? "phi1" : "phi2", 5);
        blocks[b].scale = sbl_block_scale(blocks[b].width, blocks[b].bound2, 1.0);
        weights[b] = 1 / blocks[b].scale;
    }
}

static sbl_status workspace_new(void **workspace, const void *made, sbl_error *err)
{
    const sbl_moments_feature *m = made;
    return sbl_encoded_records_new(workspace, &m->encoded,
                                   sbl_slice_rows(m->encoded.facts) * m->width, err);
}

/* One row of phi1 or, where squared, of phi2. */
static void write_row(float *phi, const sbl_encoded *encoded,
                      const sbl_encoder_workspace *workspace, size_t row, float factor,
                      bool squared)
{
    for (size_t l = 0; l < encoded->layer_count; l++) {
        const size_t size = sbl_volume_size(sbl_encoded_layer(encoded, l)->volume);
        const float *e = sbl_encoder_activation_values(workspace, encoded->layers[l]) + row * size;
        for (size_t i = 0; i < size; i++) phi[i] = (squared ? e[i] * e[i] : e[i]) * factor;
        phi += size;
    }
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_moments_feature *m = made;
    sbl_encoded_records *w = workspace;
    float *features = sbl_encoded_records_run(w, &m->encoded, records);
    sbl_status status = SBL_OK;
    for (size_t b = 0; b < m->count; b++) {
        for (size_t row = 0; row < records->rows; row++) {
            const row_norms f = norms_of(&m->encoded, w->encoder, row);
            write_row(features + row * m->width, &m->encoded, w->encoder, row,
                      b == 0 ? f.first : f.second, b > 0);
        }
        SBL_TRY(sbl_sum_add_f32(sum, block + b, 0, m->width, features, m->width, err));
    }
done:
    return status;
}

#define FEATURE(of_name, of_make)                                                                  \
    {                                                                                              \
        .name = (of_name), .make = (of_make), .free = free_made, .count = count_blocks,            \
        .describe = describe, .workspace_new = workspace_new,                                      \
        .workspace_free = sbl_encoded_records_free, .add = add, .loss_size = sizeof(moments_loss), \
        .loss_init = loss_init, .loss_step = loss_step, .loss_clear = loss_clear, .costly = true,  \
        .any_backend = true                                                                        \
    }

const sbl_feature sbl_feature_moments = FEATURE(SBL_MOMENTS, make);
const sbl_feature sbl_feature_signed_moments = FEATURE(SBL_SIGNED_MOMENTS, make_signed);
