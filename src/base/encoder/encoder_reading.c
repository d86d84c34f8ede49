/* SPDX-License-Identifier: Apache-2.0 */
/* Plans layers from the names and shapes in a safetensors file, builds the network and fills it:
 * weights are turned from (out, in, k, k) to (out, k, k, in), and a batch norm is folded into the
 * convolution before it. Every tensor is checked for rank, size and finite values. */
#include "base/encoder/encoder_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define MAX_CHANNELS ((size_t)2048)
#define MAX_KERNEL ((size_t)7)
#define MAX_CLASSES ((size_t)100000)
#define NORM_EPSILON 1e-5 /* torch's */

#define REFUSE(...) return sbl_fail(err, SBL_EINPUT, __VA_ARGS__)

const sbl_foreign_tensor *sbl_reading_find(const sbl_reading *r, const char *name, const char *part)
{
    char full[SBL_READING_NAME_SIZE + 16];
    (void)snprintf(full, sizeof full, "%s.%s", name, part);
    return sbl_tensor_file_find(&r->file, full);
}

static bool in_range(size_t value, size_t most) { return value >= 1 && value <= most; }

/* ---- planning ---- */

static sbl_status next_layer(sbl_reading_layer **layer, sbl_reading *r, sbl_error *err)
{
    if (r->layer_count == SBL_READING_MAX_LAYERS)
        REFUSE("%s: more than %d layers in a row", r->where, SBL_READING_MAX_LAYERS);
    *layer = &r->layers[r->layer_count++];
    **layer = (sbl_reading_layer){0};
    return SBL_OK;
}

static bool is_convolution(const sbl_foreign_tensor *weight)
{
    return weight->rank == 4 && in_range(weight->shape[0], MAX_CHANNELS) &&
           in_range(weight->shape[1], MAX_CHANNELS) && in_range(weight->shape[2], MAX_KERNEL) &&
           weight->shape[2] % 2 == 1 && weight->shape[3] == weight->shape[2];
}

static bool is_vector(const sbl_foreign_tensor *tensor, size_t count)
{
    return tensor != NULL && tensor->rank == 1 && tensor->count == count;
}

sbl_status sbl_reading_convolution(sbl_reading *r, const char *tensor, const char *norm, size_t stride,
                                   size_t padding, sbl_error *err)
{
    const sbl_foreign_tensor *weight = sbl_reading_find(r, tensor, "weight");
    const sbl_foreign_tensor *bias = sbl_reading_find(r, tensor, "bias");
    sbl_reading_layer *layer = NULL;
    if (weight == NULL || (bias == NULL && norm[0] == '\0'))
        REFUSE("%s: the tensors of '%.40s' are missing", r->where, tensor);
    if (!is_convolution(weight) || (bias != NULL && !is_vector(bias, weight->shape[0])))
        REFUSE("%s: the tensors of '%.40s' are not those of a convolution", r->where, tensor);
    const sbl_status status = next_layer(&layer, r, err);
    if (status != SBL_OK) return status;
    (void)snprintf(layer->tensor, sizeof layer->tensor, "%s", tensor);
    (void)snprintf(layer->norm, sizeof layer->norm, "%s", norm);
    layer->ask = sbl_layer_conv(weight->shape[0], weight->shape[2], stride, padding);
    return SBL_OK;
}

sbl_status sbl_reading_same(sbl_reading *r, const char *tensor, const char *norm, size_t stride,
                            sbl_error *err)
{
    const sbl_foreign_tensor *weight = sbl_reading_find(r, tensor, "weight");
    const size_t kernel = weight != NULL && weight->rank == 4 ? weight->shape[2] : 1;
    return sbl_reading_convolution(r, tensor, norm, stride, kernel <= MAX_KERNEL ? kernel / 2 : 0, err);
}

sbl_status sbl_reading_relu(sbl_reading *r, const char *activation, sbl_error *err)
{
    sbl_reading_layer *layer = NULL;
    const sbl_status status = next_layer(&layer, r, err);
    if (status != SBL_OK) return status;
    layer->ask = sbl_layer_relu();
    (void)snprintf(layer->activation, sizeof layer->activation, "%s", activation);
    return SBL_OK;
}

sbl_status sbl_reading_pool(sbl_reading *r, size_t kernel, size_t stride, size_t padding, sbl_error *err)
{
    sbl_reading_layer *layer = NULL;
    const sbl_status status = next_layer(&layer, r, err);
    if (status != SBL_OK) return status;
    layer->ask = sbl_layer_max_pool(kernel, stride);
    layer->ask.padding = padding;
    return SBL_OK;
}

/* ---- filling ---- */

/* factors and biases (outputs): what batch norm makes of a convolution's outputs y,
 * gamma (y - mean) / sqrt(variance + eps) + beta, as factor y + bias. */
static bool fold_norm(float *factors, float *biases, const sbl_reading *r, const char *norm, size_t outputs)
{
    static const char *const parts[] = {"weight", "bias", "running_mean", "running_var"};
    float *values = sbl_alloc_array(4 * outputs, sizeof *values);
    bool good = values != NULL;
    for (size_t i = 0; good && i < 4; i++) {
        const sbl_foreign_tensor *tensor = sbl_reading_find(r, norm, parts[i]);
        good = is_vector(tensor, outputs) && sbl_foreign_tensor_read(values + i * outputs, tensor);
    }
    for (size_t o = 0; good && o < outputs; o++) {
        const double spread = (double)values[3 * outputs + o] + NORM_EPSILON;
        const double factor = (double)values[o] / sqrt(spread);
        good = spread > 0 && isfinite((float)factor);
        factors[o] = (float)factor;
        biases[o] = (float)((double)values[outputs + o] +
                            factor * ((double)biases[o] - (double)values[2 * outputs + o]));
        good = good && isfinite(biases[o]);
    }
    sbl_free(values);
    return good;
}

/* A file's convolution (outputs, inputs, rows, columns) into outputs `first` .. of a layer's, which
 * is (outputs, rows, columns, inputs); a 1 x 1 one lands on the centre. */
static void place_weights(float *to, const sbl_net_layer *layer, const float *values,
                          const sbl_foreign_tensor *weight, size_t first, bool reversed)
{
    const size_t inputs = layer->in.channels, kernel = layer->ask.kernel, k = weight->shape[2];
    const size_t edge = (kernel - k) / 2;
    for (size_t o = 0; o < weight->shape[0]; o++)
        for (size_t i = 0; i < inputs; i++)
            for (size_t t = 0; t < k * k; t++) {
                const size_t tap = (t / k + edge) * kernel + t % k + edge;
                const size_t at = ((first + o) * kernel * kernel + tap) * inputs;
                to[at + (reversed ? inputs - 1 - i : i)] = values[(o * inputs + i) * k * k + t];
            }
}

/* One of the tensors of a layer: its outputs begin at `first`. */
static sbl_status fill_part(sbl_net *net, size_t number, const sbl_reading *r, const char *name, size_t first,
                            sbl_error *err)
{
    const sbl_net_layer *layer = &net->layers[number];
    const sbl_foreign_tensor *weight = sbl_reading_find(r, name, "weight");
    const sbl_foreign_tensor *bias = sbl_reading_find(r, name, "bias");
    if (weight->shape[1] != layer->in.channels)
        REFUSE("%s: '%.40s' takes %zu channels and is given %zu", r->where, name, weight->shape[1],
               layer->in.channels);
    float *values = sbl_alloc_array(weight->count, sizeof *values);
    if (values == NULL) return sbl_no_memory(err, "an encoder");
    const bool finite = sbl_foreign_tensor_read(values, weight) &&
                        (bias == NULL || sbl_foreign_tensor_read(net->weights + layer->bias + first, bias));
    if (finite)
        place_weights(net->weights + layer->weight, layer, values, weight, first, r->layers[number].reversed);
    sbl_free(values);
    if (!finite) REFUSE("%s: a weight of '%.40s' is not a finite number", r->where, name);
    return SBL_OK;
}

static sbl_status fill_norm(sbl_net *net, size_t number, const sbl_reading *r, sbl_error *err)
{
    const sbl_net_layer *layer = &net->layers[number];
    const size_t outputs = layer->out.channels, each = layer->weight_count / outputs;
    const char *norm = r->layers[number].norm;
    float *factors = sbl_alloc_array(outputs, sizeof *factors);
    if (factors == NULL) return sbl_no_memory(err, "an encoder");
    const bool good = fold_norm(factors, net->weights + layer->bias, r, norm, outputs);
    for (size_t i = 0; good && i < layer->weight_count; i++)
        net->weights[layer->weight + i] *= factors[i / each];
    sbl_free(factors);
    if (!good) REFUSE("%s: the batch norm '%.40s' is missing or cannot be folded", r->where, norm);
    return SBL_OK;
}

static sbl_status fill_layer(sbl_net *net, size_t number, const sbl_reading *r, sbl_error *err)
{
    const sbl_reading_layer *from = &r->layers[number];
    size_t before = 0;
    if (from->tensor[0] == '\0') return SBL_OK;
    if (from->centre[0] != '\0') {
        before = sbl_reading_find(r, from->centre, "weight")->shape[0];
        SBL_CHECK(fill_part(net, number, r, from->centre, 0, err));
    }
    SBL_CHECK(fill_part(net, number, r, from->tensor, before, err));
    if (from->norm[0] != '\0') SBL_CHECK(fill_norm(net, number, r, err));
    return SBL_OK;
}

/* ---- stages ---- */

static sbl_status make_net(sbl_net *net, const sbl_reading *r, sbl_error *err)
{
    sbl_layer asks[SBL_READING_MAX_LAYERS];
    for (size_t i = 0; i < r->layer_count; i++) asks[i] = r->layers[i].ask;
    sbl_status status = sbl_net_init(net, r->volume, asks, r->layer_count, err);
    if (status == SBL_EMEM) return status;
    if (status != SBL_OK) REFUSE("%s: the layers do not fit together", r->where);
    for (size_t i = 0; i < r->layer_count && status == SBL_OK; i++) status = fill_layer(net, i, r, err);
    return status;
}

static sbl_status add_activation(sbl_reading *r, const char *name, sbl_volume volume, size_t layer,
                                 sbl_error *err)
{
    sbl_encoder *e = r->encoder;
    if (e->activation_count == SBL_ENCODER_MAX_ACTIVATIONS)
        REFUSE("%s: more than %d activations", r->where, SBL_ENCODER_MAX_ACTIVATIONS);
    sbl_encoder_activation *a = &e->activations[e->activation_count++];
    (void)snprintf(a->name, sizeof a->name, "%s", name);
    (void)sbl_ascii_line(a->name); /* names are shown */
    a->volume = volume;
    a->stage = e->stage_count - 1;
    a->layer = layer;
    return SBL_OK;
}

/* The planned layers as the network of the stage that was begun last. */
static sbl_status finish_stage(sbl_reading *r, sbl_error *err)
{
    sbl_net *net = &r->encoder->stages[r->encoder->stage_count - 1].net;
    SBL_CHECK(make_net(net, r, err));
    for (size_t i = 0; i < r->layer_count; i++)
        if (r->layers[i].activation[0] != '\0')
            SBL_CHECK(add_activation(r, r->layers[i].activation, net->layers[i].out, i, err));
    r->layer_count = 0;
    return SBL_OK;
}

static sbl_status begin_stage(sbl_encoder_stage **stage, sbl_reading *r, sbl_error *err)
{
    if (r->encoder->stage_count == SBL_ENCODER_MAX_STAGES)
        REFUSE("%s: more than %d blocks", r->where, SBL_ENCODER_MAX_STAGES - 1);
    *stage = &r->encoder->stages[r->encoder->stage_count++];
    return SBL_OK;
}

sbl_status sbl_reading_stage(sbl_reading *r, sbl_error *err)
{
    sbl_encoder_stage *stage = NULL;
    SBL_CHECK(begin_stage(&stage, r, err));
    SBL_CHECK(finish_stage(r, err));
    r->volume = stage->net.output;
    return SBL_OK;
}

/* The skip is planned behind the other layers, and made on its own first. */
static sbl_status make_skip(sbl_encoder_stage *stage, sbl_reading *r, const char *skip, const char *norm,
                            size_t stride, sbl_error *err)
{
    sbl_reading *alone = sbl_alloc_array(1, sizeof *alone);
    sbl_status status = SBL_OK;
    if (alone == NULL) return sbl_no_memory(err, "an encoder");
    *alone = *r;
    alone->layer_count = 0;
    SBL_TRY(sbl_reading_same(alone, skip, norm, stride, err));
    SBL_TRY(make_net(&stage->skip, alone, err));
    stage->has_skip = true;
done:
    sbl_free(alone);
    return status;
}

sbl_status sbl_reading_residual(sbl_reading *r, const char *name, const char *skip, const char *skip_norm,
                                size_t stride, sbl_error *err)
{
    sbl_encoder_stage *stage = NULL;
    SBL_CHECK(begin_stage(&stage, r, err));
    stage->residual = true;
    if (skip[0] != '\0') SBL_CHECK(make_skip(stage, r, skip, skip_norm, stride, err));
    SBL_CHECK(finish_stage(r, err));
    const sbl_volume other = stage->has_skip ? stage->skip.output : r->volume;
    if (memcmp(&stage->net.output, &other, sizeof other) != 0)
        return sbl_fail(err, SBL_EINPUT, "%s: the two branches of '%s' have different shapes", r->where,
                        name);
    r->volume = stage->net.output;
    return add_activation(r, name, r->volume, SBL_ENCODER_OF_SUM, err);
}

sbl_status sbl_reading_head(sbl_reading *r, const char *name, sbl_error *err)
{
    sbl_encoder *e = r->encoder;
    const sbl_foreign_tensor *weight = sbl_reading_find(r, name, "weight");
    const sbl_foreign_tensor *bias = sbl_reading_find(r, name, "bias");
    e->width = r->volume.channels;
    if (weight == NULL || bias == NULL) return SBL_OK;
    if (weight->rank != 2 || !in_range(weight->shape[0], MAX_CLASSES) || weight->shape[1] != e->width ||
        !is_vector(bias, weight->shape[0]))
        REFUSE("%s: the tensors of '%s' do not fit %zu features", r->where, name, e->width);
    e->classes = weight->shape[0];
    e->fc_weight = sbl_alloc_array(weight->count, sizeof *e->fc_weight);
    e->fc_bias = sbl_alloc_array(bias->count, sizeof *e->fc_bias);
    if (e->fc_weight == NULL || e->fc_bias == NULL) return sbl_no_memory(err, "an encoder");
    if (!sbl_foreign_tensor_read(e->fc_weight, weight) || !sbl_foreign_tensor_read(e->fc_bias, bias))
        REFUSE("%s: a weight of '%s' is not a finite number", r->where, name);
    return SBL_OK;
}
