/* SPDX-License-Identifier: Apache-2.0 */
/* Building a network: each layer's output volume follows from its input, every size is checked
 * against the limits before anything is multiplied, and weights get their places in one array.
 * Also which layers may overwrite their input, and the first random weights. Forward and backward
 * are in net_pass.c. */
#include "base/nn/net.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random/model_rng.h"
#include "base/size.h"

static bool is_volume(sbl_volume v)
{
    return v.height >= 1 && v.width >= 1 && v.channels >= 1 && v.height <= SBL_NET_MAX_SIDE &&
           v.width <= SBL_NET_MAX_SIDE && v.channels <= SBL_NET_MAX_SIZE &&
           sbl_volume_size(v) <= SBL_NET_MAX_SIZE; /* below 2^44 before the comparison */
}

static bool is_count(size_t count, size_t most) { return count >= 1 && count <= most; }

/* Convolutions and pools: kernel, stride and padding in range. */
static sbl_status check_window(const sbl_layer *ask, size_t number, sbl_error *err)
{
    if (!is_count(ask->kernel, SBL_NET_MAX_SIDE) || !is_count(ask->stride, SBL_NET_MAX_SIDE) ||
        ask->padding > SBL_NET_MAX_SIDE)
        return sbl_fail(err, SBL_EARG, "layer %zu: kernel, stride or padding is out of range (up to %d)",
                        number, SBL_NET_MAX_SIDE);
    return SBL_OK;
}

static sbl_status place_window(sbl_net_layer *layer, size_t number, sbl_error *err)
{
    const sbl_layer *a = &layer->ask;
    bool pool = a->kind == SBL_LAYER_MAX_POOL;
    sbl_status status = check_window(a, number, err);
    if (status != SBL_OK) return status;
    if (pool && a->padding >= a->kernel)
        return sbl_fail(err, SBL_EARG,
                        "layer %zu: the padding of max pooling must be smaller than its kernel", number);
    size_t height = layer->in.height + 2 * a->padding, width = layer->in.width + 2 * a->padding;
    size_t channels = pool ? layer->in.channels : a->channels;
    if (a->kernel > height || a->kernel > width)
        return sbl_fail(err, SBL_EARG, "layer %zu: the kernel is larger than the image", number);
    layer->out =
        sbl_volume_of((height - a->kernel) / a->stride + 1, (width - a->kernel) / a->stride + 1, channels);
    return SBL_OK;
}

static sbl_status check_addition(sbl_net_layer *layers, size_t number, sbl_error *err)
{
    const sbl_net_layer *layer = &layers[number];
    const size_t from = layer->ask.from;
    if (layer->ask.kind == SBL_LAYER_ADD_INPUT) {
        if (layer->in.height != 1 || layer->in.width != 1)
            return sbl_fail(err, SBL_EARG, "layer %zu: the input can be added to vectors only", number);
        return SBL_OK;
    }
    if (from >= number || memcmp(&layers[from].out, &layer->in, sizeof layer->in) != 0)
        return sbl_fail(err, SBL_EARG, "layer %zu: 'from' must be an earlier layer of the same shape",
                        number);
    layers[from].is_source = true;
    return SBL_OK;
}

/* The output volume of a layer from its input; what the layer asks is checked. */
static sbl_status place_layer(sbl_net_layer *layers, size_t number, sbl_error *err)
{
    sbl_net_layer *layer = &layers[number];
    const sbl_layer *a = &layer->ask;
    layer->out = layer->in;
    switch (a->kind) {
    case SBL_LAYER_DENSE:
        layer->out = sbl_volume_of(1, 1, a->channels);
        break;
    case SBL_LAYER_CONV:
    case SBL_LAYER_MAX_POOL:
        return place_window(layer, number, err);
    case SBL_LAYER_BATCH_NORM:
        if (!(a->momentum > 0 && a->momentum <= 1))
            return sbl_fail(err, SBL_EARG, "layer %zu: momentum must be above 0 and at most 1", number);
        break;
    case SBL_LAYER_LEAKY_RELU:
        if (!(a->slope > 0 && a->slope < 1))
            return sbl_fail(err, SBL_EARG, "layer %zu: slope must be between 0 and 1", number);
        break;
    case SBL_LAYER_BILINEAR:
    case SBL_LAYER_NEAREST:
        if (!is_count(a->factor, SBL_NET_MAX_SIDE))
            return sbl_fail(err, SBL_EARG, "layer %zu: factor is out of range (up to %d)", number,
                            SBL_NET_MAX_SIDE);
        layer->out.height *= a->factor;
        layer->out.width *= a->factor;
        break;
    case SBL_LAYER_ADD:
    case SBL_LAYER_ADD_INPUT:
        return check_addition(layers, number, err);
    case SBL_LAYER_RESHAPE:
        if (!is_volume(a->volume) || sbl_volume_size(a->volume) != sbl_volume_size(layer->in))
            return sbl_fail(err, SBL_EARG, "layer %zu: a reshape must keep the number of values", number);
        layer->out = a->volume;
        break;
    default:
        break;
    }
    return SBL_OK;
}

/* Numbers stay below 2^24 (a volume) times 2^24 or 2^20 (a kernel): no overflow in 64 bits. */
static sbl_status place_weights(sbl_net *net, sbl_net_layer *layer, size_t number, sbl_error *err)
{
    const sbl_layer *a = &layer->ask;
    size_t bias = 0, weight = 0;
    if (a->kind == SBL_LAYER_DENSE) weight = a->channels * sbl_volume_size(layer->in);
    if (a->kind == SBL_LAYER_CONV) {
        size_t taps = a->kernel * a->kernel * layer->in.channels;
        if (taps > SBL_NET_MAX_WEIGHTS) taps = SBL_NET_MAX_WEIGHTS; /* and is refused below */
        weight = a->channels * taps;
    }
    if (weight > 0 && !a->no_bias) bias = a->channels;
    if (a->kind == SBL_LAYER_ADD_INPUT) {
        if (!is_count(a->inputs, sbl_volume_size(net->input)))
            return sbl_fail(err, SBL_EARG, "layer %zu: the network's input has fewer than %zu numbers",
                            number, a->inputs);
        weight = layer->in.channels * a->inputs;
    }
    if (a->kind == SBL_LAYER_BATCH_NORM) {
        weight = bias = layer->in.channels;
        layer->running = net->running_count;
        net->running_count += 2 * layer->in.channels;
    }
    layer->weight = net->weight_count;
    layer->weight_count = weight;
    layer->bias = layer->weight + weight;
    layer->bias_count = bias;
    net->weight_count += weight + bias;
    if (net->weight_count > SBL_NET_MAX_WEIGHTS)
        return sbl_fail(err, SBL_EARG, "layer %zu: the network has more than %u weights", number,
                        SBL_NET_MAX_WEIGHTS);
    return SBL_OK;
}

static bool is_activation(sbl_layer_kind kind) { return kind >= SBL_LAYER_RELU && kind <= SBL_LAYER_SIGMOID; }

static bool is_addition(sbl_layer_kind kind) { return kind == SBL_LAYER_ADD || kind == SBL_LAYER_ADD_INPUT; }

/* A layer may overwrite the output of the previous one if no other layer needs it: neither a later add nor
 * the previous layer itself, which an activation needs on the way back. */
static void choose_in_place(sbl_net *net)
{
    bool kept = true; /* the input of the network is the caller's */
    for (size_t l = 0; l < net->layer_count; l++) {
        sbl_net_layer *layer = &net->layers[l];
        sbl_layer_kind kind = layer->ask.kind;
        bool reshape = kind == SBL_LAYER_RESHAPE;
        layer->in_place = reshape ? l > 0 : !kept && (is_activation(kind) || is_addition(kind));
        kept = layer->is_source || is_activation(kind) || (reshape && l > 0 && kept);
    }
}

static sbl_status place_all(sbl_net *net, const sbl_layer *layers, sbl_error *err)
{
    sbl_volume in = net->input;
    for (size_t l = 0; l < net->layer_count; l++) {
        sbl_net_layer *layer = &net->layers[l];
        layer->ask = layers[l];
        layer->in = in;
        if ((unsigned)layer->ask.kind >= SBL_LAYER_KINDS)
            return sbl_fail(err, SBL_EARG, "layer %zu: its kind is unknown", l);
        sbl_status status = place_layer(net->layers, l, err);
        if (status != SBL_OK) return status;
        if (!is_volume(layer->out))
            return sbl_fail(err, SBL_EARG, "layer %zu: its output is too large or empty", l);
        if ((status = place_weights(net, layer, l, err)) != SBL_OK) return status;
        in = layer->out;
    }
    net->output = in;
    return SBL_OK;
}

static void set_norms(sbl_net *net)
{
    for (size_t l = 0; l < net->layer_count; l++) {
        const sbl_net_layer *layer = &net->layers[l];
        if (layer->ask.kind != SBL_LAYER_BATCH_NORM) continue;
        size_t n = layer->in.channels;
        for (size_t j = 0; j < n; j++) {
            net->weights[layer->weight + j] = 1;
            net->running[layer->running + n + j] = 1;
        }
    }
}

sbl_status sbl_net_init(sbl_net *net, sbl_volume input, const sbl_layer *layers, size_t layer_count,
                        sbl_error *err)
{
    sbl_status status = SBL_OK;
    *net = (sbl_net){.input = input, .layer_count = layer_count};
    if (!is_count(layer_count, SBL_NET_MAX_LAYERS))
        return sbl_fail(err, SBL_EARG, "a network needs 1 to %d layers", SBL_NET_MAX_LAYERS);
    if (!is_volume(input)) return sbl_fail(err, SBL_EARG, "a network's input is too large or empty");
    SBL_ALLOC(net->layers, layer_count, "a network");
    SBL_TRY(place_all(net, layers, err));
    choose_in_place(net);
    SBL_ALLOC(net->weights, net->weight_count, "a network");
    SBL_ALLOC(net->running, net->running_count, "a network");
    set_norms(net);
done:
    if (status != SBL_OK) sbl_net_clear(net);
    return status;
}

void sbl_net_clear(sbl_net *net)
{
    sbl_free(net->layers);
    sbl_free(net->weights);
    sbl_free(net->running);
    *net = (sbl_net){0};
}

static size_t fan_in(const sbl_net_layer *layer)
{
    size_t taps = layer->ask.kernel * layer->ask.kernel;
    if (layer->ask.kind == SBL_LAYER_DENSE) return sbl_volume_size(layer->in);
    if (layer->ask.kind == SBL_LAYER_ADD_INPUT) return layer->ask.inputs;
    return taps * layer->in.channels;
}

void sbl_net_randomise(sbl_net *net, uint64_t seed)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_WEIGHTS, 0);
    for (size_t l = 0; l < net->layer_count; l++) {
        const sbl_net_layer *layer = &net->layers[l];
        float *weights = net->weights + layer->weight;
        if (layer->ask.kind == SBL_LAYER_BATCH_NORM) {
            memset(weights + layer->weight_count, 0, layer->bias_count * sizeof *weights);
            continue;
        }
        double bound = 1 / sqrt((double)fan_in(layer));
        for (size_t i = 0; i < layer->weight_count + layer->bias_count; i++)
            weights[i] = (float)(bound * (2 * sbl_model_rng_uniform(&rng) - 1));
    }
    memset(net->running, 0, net->running_count * sizeof *net->running);
    set_norms(net);
}
