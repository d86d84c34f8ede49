/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a frozen network stage by stage (a stage is a chain of layers, with a skip around it where
 * it is residual), forward for activations and backward from gradients in them to the image. The
 * encoder is shared between threads; all that a batch writes is in its workspace. */
#include "base/encoder/encoder.h"

#include <string.h>

#include "base/alloc.h"
#include "base/encoder/encoder_internal.h"

#define CHANNELS SBL_ENCODER_CHANNELS

/* All but the first `count`. */
static void leave_stages(sbl_encoder *encoder, size_t count)
{
    for (size_t i = count; i < encoder->stage_count; i++) {
        sbl_net_clear(&encoder->stages[i].net);
        sbl_net_clear(&encoder->stages[i].skip);
    }
    encoder->stage_count = count;
}

void sbl_encoder_free(sbl_encoder *encoder)
{
    if (encoder == NULL) return;
    sbl_encoder_workspace_free(encoder->own);
    leave_stages(encoder, 0);
    sbl_free(encoder->fc_weight);
    sbl_free(encoder->fc_bias);
    sbl_free(encoder);
}

const char *sbl_encoder_name(const sbl_encoder *encoder) { return encoder->name; }
const char *sbl_encoder_hash(const sbl_encoder *encoder) { return encoder->hash; }
const char *sbl_encoder_origin(const sbl_encoder *encoder) { return encoder->origin; }
const char *sbl_encoder_family(const sbl_encoder *encoder) { return encoder->family; }
size_t sbl_encoder_width(const sbl_encoder *encoder) { return encoder->width; }

size_t sbl_encoder_activation_count(const sbl_encoder *encoder) { return encoder->activation_count; }

const sbl_encoder_activation *sbl_encoder_activation_at(const sbl_encoder *encoder, size_t i)
{
    return &encoder->activations[i];
}

/* A stage that adds what went into it is left whole. */
void sbl_encoder_end_at(sbl_encoder *encoder, size_t i)
{
    const sbl_encoder_activation *a = &encoder->activations[i];
    sbl_encoder_stage *stage = &encoder->stages[a->stage];
    leave_stages(encoder, a->stage + 1);
    if (stage->residual) return;
    stage->net.layer_count = a->layer + 1;
    stage->net.output = stage->net.layers[a->layer].out;
}

/* Is it before the end? */
static bool is_there(const sbl_encoder *encoder, const sbl_encoder_activation *a)
{
    return a->stage < encoder->stage_count &&
           (a->layer == SBL_ENCODER_OF_SUM || a->layer < encoder->stages[a->stage].net.layer_count);
}

/* A ReLU is never the first layer of a stage: its readers put it behind a convolution. */
void sbl_encoder_take_signed(sbl_encoder *encoder)
{
    if (encoder->before) return;
    encoder->before = true;
    for (size_t i = 0; i < encoder->activation_count; i++) {
        sbl_encoder_activation *a = &encoder->activations[i];
        if (!is_there(encoder, a) || a->layer == SBL_ENCODER_OF_SUM || a->layer == 0) continue;
        sbl_net_keep_input(&encoder->stages[a->stage].net, a->layer);
        a->layer--;
    }
}

static double net_products(const sbl_net *net)
{
    double products = 0;
    for (size_t l = 0; l < net->layer_count; l++)
        if (net->layers[l].ask.kind == SBL_LAYER_CONV)
            products += (double)net->layers[l].weight_count *
                        (double)(net->layers[l].out.height * net->layers[l].out.width);
    return products;
}

double sbl_encoder_products(const sbl_encoder *encoder)
{
    double products = 0;
    for (size_t i = 0; i < encoder->stage_count; i++)
        products += net_products(&encoder->stages[i].net) + net_products(&encoder->stages[i].skip);
    return products;
}

size_t sbl_encoder_weights(const sbl_encoder *encoder)
{
    size_t count = encoder->classes * (encoder->width + 1);
    for (size_t i = 0; i < encoder->stage_count; i++)
        count += encoder->stages[i].net.weight_count + encoder->stages[i].skip.weight_count;
    return count;
}

/* ---- batches ---- */

typedef struct stage_workspace {
    sbl_net_workspace net, skip;
    float *sums;      /* residual: (rows, out) */
    float *before;    /* the same before the ReLU, where that is what is taken; else NULL */
    float *d_sums;    /* and its gradient */
    const float *out; /* of the last forward */
} stage_workspace;

struct sbl_encoder_workspace {
    const sbl_encoder *encoder;
    sbl_tensors tensors; /* all that the networks' own workspaces do not have */
    sbl_encoder_input from;
    size_t rows, last_rows;
    sbl_row_run whole;       /* a batch that is one run */
    const sbl_row_run *runs; /* of the last forward */
    size_t run_count;
    float *input; /* (rows, side, side, 3) */
    stage_workspace stages[SBL_ENCODER_MAX_STAGES];
};

static size_t input_size(const sbl_encoder *e) { return e->side * e->side * CHANNELS; }

void sbl_encoder_workspace_free(sbl_encoder_workspace *workspace)
{
    if (workspace == NULL) return;
    const sbl_encoder *e = workspace->encoder;
    for (size_t i = 0; i < e->stage_count; i++) {
        sbl_net_workspace_clear(&workspace->stages[i].net);
        sbl_net_workspace_clear(&workspace->stages[i].skip);
    }
    sbl_encoder_input_clear(&workspace->from);
    sbl_tensors_clear(&workspace->tensors);
    sbl_free(workspace);
}

static sbl_status workspace_of_stage(sbl_encoder_workspace *made, size_t number, sbl_net_use use,
                                     sbl_error *err)
{
    const sbl_encoder_stage *stage = &made->encoder->stages[number];
    const sbl_backend *on = made->tensors.on;
    const size_t rows = made->rows, size = sbl_volume_size(stage->net.output);
    stage_workspace *workspace = &made->stages[number];
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_net_workspace_init_on(&workspace->net, &stage->net, rows, use, on, err));
    if (stage->has_skip)
        SBL_TRY(sbl_net_workspace_init_on(&workspace->skip, &stage->skip, rows, use, on, err));
    if (!stage->residual) return SBL_OK;
    SBL_TENSOR(&made->tensors, workspace->sums, rows, size, "an encoder of images");
    if (made->encoder->before)
        SBL_TENSOR(&made->tensors, workspace->before, rows, size, "an encoder of images");
    if (use == SBL_NET_FROZEN)
        SBL_TENSOR(&made->tensors, workspace->d_sums, rows, size, "an encoder of images");
done:
    return status;
}

sbl_status sbl_encoder_workspace_new(sbl_encoder_workspace **workspace, const sbl_encoder *encoder,
                                     sbl_volume image, sbl_encoder_fit fit, size_t rows, bool backward,
                                     sbl_error *err)
{
    return sbl_encoder_workspace_new_on(workspace, encoder, image, fit, false, rows, backward,
                                        &sbl_backend_cpu, err);
}

sbl_status sbl_encoder_workspace_new_on(sbl_encoder_workspace **workspace, const sbl_encoder *encoder,
                                        sbl_volume image, sbl_encoder_fit fit, bool mirror, size_t rows,
                                        bool backward, const sbl_backend *on, sbl_error *err)
{
    const sbl_net_use use = backward ? SBL_NET_FROZEN : SBL_NET_SAMPLE;
    sbl_status status = SBL_OK;
    sbl_encoder_workspace *made = sbl_alloc_array(1, sizeof *made);
    *workspace = NULL;
    if (made == NULL) return sbl_no_memory(err, "an encoder of images");
    made->encoder = encoder;
    made->rows = rows;
    made->tensors = sbl_tensors_on(on);
    SBL_TRY(sbl_encoder_input_init(&made->from, encoder, image, fit, mirror, on, err));
    SBL_TENSOR(&made->tensors, made->input, rows, input_size(encoder), "an encoder of images");
    for (size_t i = 0; i < encoder->stage_count; i++) SBL_TRY(workspace_of_stage(made, i, use, err));
    *workspace = made;
    made = NULL;
done:
    sbl_encoder_workspace_free(made);
    return status;
}

double sbl_encoder_workspace_bytes(const sbl_encoder *encoder, size_t rows, bool backward)
{
    const sbl_net_use use = backward ? SBL_NET_FROZEN : SBL_NET_SAMPLE;
    const size_t sums = 1 + (size_t)backward + (size_t)encoder->before; /* of a residual stage */
    size_t numbers = input_size(encoder);
    for (size_t i = 0; i < encoder->stage_count; i++) {
        const sbl_encoder_stage *stage = &encoder->stages[i];
        numbers += sbl_net_row_numbers(&stage->net, use);
        if (stage->has_skip) numbers += sbl_net_row_numbers(&stage->skip, use);
        if (stage->residual) numbers += sums * sbl_volume_size(stage->net.output);
    }
    return (double)rows * sizeof(float) * (double)numbers;
}

static const float *run_stage(const sbl_encoder_stage *stage, stage_workspace *workspace, const float *x,
                              size_t rows)
{
    const float *y = sbl_net_forward(&stage->net, &workspace->net, x, rows, false);
    if (!stage->residual) return y;
    const size_t count = rows * sbl_volume_size(stage->net.output);
    const float *other =
        stage->has_skip ? sbl_net_forward(&stage->skip, &workspace->skip, x, rows, false) : x;
    const sbl_backend *on = workspace->net.on;
    on->add_relu(on->device, workspace->sums, workspace->before, y, other, count);
    return workspace->sums;
}

void sbl_encoder_forward_runs(sbl_encoder_workspace *workspace, const float *images, const sbl_row_run *runs,
                              size_t run_count)
{
    const sbl_encoder *e = workspace->encoder;
    const sbl_backend *on = workspace->tensors.on;
    const float *x = workspace->input;
    size_t rows = 0;
    for (size_t i = 0; i < run_count; i++) rows += runs[i].count;
    workspace->last_rows = rows;
    workspace->runs = runs;
    workspace->run_count = run_count;
    on->resize(on->device, workspace->input, images, &workspace->from.by, runs, run_count);
    for (size_t i = 0; i < e->stage_count; i++)
        x = workspace->stages[i].out = run_stage(&e->stages[i], &workspace->stages[i], x, rows);
}

void sbl_encoder_forward(sbl_encoder_workspace *workspace, const float *images, size_t rows)
{
    workspace->whole = (sbl_row_run){0, rows};
    sbl_encoder_forward_runs(workspace, images, &workspace->whole, 1);
}

const float *sbl_encoder_activation_values(const sbl_encoder_workspace *workspace, size_t i)
{
    const sbl_encoder_activation *a = &workspace->encoder->activations[i];
    const stage_workspace *stage = &workspace->stages[a->stage];
    if (a->layer != SBL_ENCODER_OF_SUM) return stage->net.outputs[a->layer];
    return stage->before != NULL ? stage->before : stage->sums;
}

/* Gradients in the outputs of a stage's layers, and in its sum. */
typedef struct stage_gradients {
    const float *inner[SBL_NET_MAX_LAYERS];
    const float *sum;
} stage_gradients;

static stage_gradients gradients_of(const sbl_encoder *e, size_t stage, const float *const *d_activations)
{
    stage_gradients g = {0};
    for (size_t i = 0; i < e->activation_count; i++) {
        const sbl_encoder_activation *a = &e->activations[i];
        if (a->stage != stage || !is_there(e, a)) continue;
        if (a->layer == SBL_ENCODER_OF_SUM)
            g.sum = d_activations[i];
        else
            g.inner[a->layer] = d_activations[i];
    }
    return g;
}

/* d of relu(net + skip), in the sum before the ReLU; NULL: zeros. d_here is of what was taken: behind
 * the ReLU, or before it. */
static const float *back_to_sum(stage_workspace *workspace, const float *d_next, const float *d_here,
                                size_t count)
{
    if (d_next == NULL && d_here == NULL) return NULL;
    const sbl_backend *on = workspace->net.on;
    on->add_relu_back(on->device, workspace->d_sums, workspace->sums, d_next, d_here,
                      workspace->before != NULL, count);
    return workspace->d_sums;
}

/* From the gradient in a stage's output to that in its input; NULL: zeros. */
static const float *back_stage(const sbl_encoder_stage *stage, stage_workspace *workspace,
                               const stage_gradients *g, const float *d_next, size_t rows)
{
    if (!stage->residual)
        return sbl_net_backward_input(&stage->net, &workspace->net, d_next, g->inner) ? workspace->net.d_input
                                                                                      : NULL;
    const float *d_sum = back_to_sum(workspace, d_next, g->sum, rows * sbl_volume_size(stage->net.output));
    if (!sbl_net_backward_input(&stage->net, &workspace->net, d_sum, g->inner)) return NULL;
    if (d_sum == NULL) return workspace->net.d_input;
    const size_t count = rows * sbl_volume_size(stage->net.input);
    const float *other = d_sum;
    if (stage->has_skip) {
        (void)sbl_net_backward_input(&stage->skip, &workspace->skip, d_sum, NULL);
        other = workspace->skip.d_input;
    }
    const sbl_backend *on = workspace->net.on;
    on->add(on->device, workspace->net.d_input, other, count);
    return workspace->net.d_input;
}

void sbl_encoder_backward(sbl_encoder_workspace *workspace, float *d_images,
                          const float *const *d_activations)
{
    const sbl_encoder *e = workspace->encoder;
    const sbl_backend *on = workspace->tensors.on;
    const size_t rows = workspace->last_rows;
    const float *d = NULL;
    for (size_t i = e->stage_count; i-- > 0;) {
        const stage_gradients g = gradients_of(e, i, d_activations);
        d = back_stage(&e->stages[i], &workspace->stages[i], &g, d, rows);
    }
    if (d == NULL) return;
    on->resize_back(on->device, d_images, d, &workspace->from.by, workspace->runs, workspace->run_count);
}

/* ---- features of an evaluation ---- */

sbl_status sbl_encoder_prepare(sbl_encoder *e, sbl_volume image, size_t rows, sbl_error *err)
{
    sbl_encoder_workspace_free(e->own);
    e->own = NULL;
    if (rows == 0) return sbl_fail(err, SBL_EARG, "an encoder needs at least one image");
    return sbl_encoder_workspace_new(&e->own, e, image, SBL_ENCODER_RESIZE, rows, false, err);
}

static void pixel_means(float *features, const float *y, sbl_volume v, size_t rows)
{
    const size_t pixels = v.height * v.width;
    memset(features, 0, rows * v.channels * sizeof *features);
    for (size_t i = 0; i < rows; i++)
        for (size_t p = 0; p < pixels; p++)
            for (size_t c = 0; c < v.channels; c++)
                features[i * v.channels + c] += y[(i * pixels + p) * v.channels + c] / (float)pixels;
}

void sbl_encoder_run(sbl_encoder *e, float *features, float *logits, const float *images, size_t rows)
{
    const size_t last = e->stage_count - 1;
    sbl_encoder_forward(e->own, images, rows);
    pixel_means(features, e->own->stages[last].out, e->stages[last].net.output, rows);
    for (size_t i = 0; logits != NULL && i < rows; i++)
        for (size_t k = 0; k < e->classes; k++) {
            float sum = e->fc_bias[k];
            for (size_t c = 0; c < e->width; c++)
                sum += e->fc_weight[k * e->width + c] * features[i * e->width + c];
            logits[i * e->classes + k] = sum;
        }
}
