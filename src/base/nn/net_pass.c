/* SPDX-License-Identifier: Apache-2.0 */
/* The way forward and the way back through a network, as calls of a backend. */
#include "base/nn/net_layers.h"

/* A layer with everything it works on. */
typedef struct stage {
    const sbl_backend *on;
    void *device; /* of the backend */
    const sbl_net *net;
    const sbl_net_layer *layer;
    sbl_net_workspace *workspace;
    size_t number, rows;
    const float *x; /* (rows, in) */
    float *y;       /* (rows, out) */
} stage;

static stage stage_at(const sbl_net *net, sbl_net_workspace *workspace, size_t number)
{
    return (stage){.on = workspace->on,
                   .device = workspace->on->device,
                   .net = net,
                   .layer = &net->layers[number],
                   .workspace = workspace,
                   .number = number,
                   .rows = workspace->last_rows,
                   .x = number ? workspace->outputs[number - 1] : workspace->input,
                   .y = workspace->outputs[number]};
}

static size_t pixels_of(const stage *s) { return s->rows * s->layer->out.height * s->layer->out.width; }

static size_t numbers_of(const stage *s) { return s->rows * sbl_volume_size(s->layer->out); }

static const float *weights_of(const stage *s) { return s->workspace->weights + s->layer->weight; }

static const float *bias_of(const stage *s)
{
    return s->layer->bias_count ? s->workspace->weights + s->layer->bias : NULL;
}

/* Batch norm does the work of a ReLU right behind it. */
static bool relu_follows(const stage *s)
{
    size_t next = s->number + 1;
    return next < s->net->layer_count && s->net->layers[next].ask.kind == SBL_LAYER_RELU &&
           s->net->layers[next].in_place;
}

static bool is_done_before(const stage *s)
{
    return s->layer->ask.kind == SBL_LAYER_RELU && s->layer->in_place &&
           s->net->layers[s->number - 1].ask.kind == SBL_LAYER_BATCH_NORM;
}

static sbl_norm norm_of(const stage *s)
{
    float *statistics = s->workspace->statistics[s->number];
    return (sbl_norm){.pixels = pixels_of(s),
                      .channels = s->layer->in.channels,
                      .gamma = weights_of(s),
                      .beta = bias_of(s),
                      .mean = statistics,
                      .inverse = statistics + s->layer->in.channels,
                      .relu = relu_follows(s),
                      .batch = s->workspace->last_training,
                      .scratch = s->workspace->scratch};
}

static void dense_forward(const stage *s)
{
    size_t in = sbl_volume_size(s->layer->in), out = s->layer->out.channels;
    const float *bias = bias_of(s);
    if (bias) s->on->fill_rows(s->device, s->y, bias, s->rows, out);
    s->on->gemm(s->device, s->y, s->x, weights_of(s),
                &(sbl_gemm_shape){.m = s->rows,
                                  .n = out,
                                  .k = in,
                                  .a_stride = in,
                                  .b_stride = in,
                                  .c_stride = out,
                                  .b_transposed = true,
                                  .add = bias != NULL},
                s->workspace->scratch);
}

/* y += u W^T, u the last numbers of the network's input. */
static void add_input_forward(const stage *s)
{
    size_t whole = sbl_volume_size(s->net->input), in = s->layer->ask.inputs;
    size_t out = s->layer->out.channels;
    s->on->gemm(s->device, s->y, s->workspace->input + whole - in, weights_of(s),
                &(sbl_gemm_shape){.m = s->rows,
                                  .n = out,
                                  .k = in,
                                  .a_stride = whole,
                                  .b_stride = in,
                                  .c_stride = out,
                                  .b_transposed = true,
                                  .add = true},
                s->workspace->scratch);
}

static void conv_forward(const stage *s)
{
    sbl_conv_shape shape = sbl_net_conv_shape(s->layer, s->workspace->threads);
    s->on->conv_forward(s->device, s->y, s->x, weights_of(s), bias_of(s), &shape, s->rows,
                        s->workspace->scratch);
}

static void norm_forward(const stage *s)
{
    sbl_norm norm = norm_of(s);
    s->on->norm(s->device, &norm, s->y, s->x, s->workspace->running + s->layer->running,
                (float)(s->workspace->momentum > 0 ? s->workspace->momentum : s->layer->ask.momentum));
}

static void copy_input(const stage *s)
{
    if (!s->layer->in_place) s->on->copy(s->device, s->y, s->x, numbers_of(s));
}

static sbl_activation activation_of(const sbl_layer *ask)
{
    return (sbl_activation){.curve = ask->kind == SBL_LAYER_RELU         ? SBL_CURVE_RELU
                                     : ask->kind == SBL_LAYER_LEAKY_RELU ? SBL_CURVE_LEAKY_RELU
                                                                         : SBL_CURVE_SIGMOID,
                            .slope = (float)ask->slope};
}

static sbl_upsampling upsampling_of(const sbl_net_layer *layer)
{
    return (sbl_upsampling){.in = layer->in,
                            .out = layer->out,
                            .factor = layer->ask.factor,
                            .nearest = layer->ask.kind == SBL_LAYER_NEAREST,
                            .align_corners = layer->ask.align_corners};
}

static sbl_pooling pooling_of(const sbl_net_layer *layer)
{
    return (sbl_pooling){.in = layer->in,
                         .out = layer->out,
                         .kernel = layer->ask.kernel,
                         .stride = layer->ask.stride,
                         .padding = layer->ask.padding};
}

static void upsample_forward(const stage *s)
{
    const sbl_upsampling by = upsampling_of(s->layer);
    s->on->upsample(s->device, s->y, s->x, s->rows, &by);
}

static void pool_forward(const stage *s)
{
    const sbl_pooling by = pooling_of(s->layer);
    s->on->max_pool(s->device, s->y, s->x, s->rows, &by);
}

static void forward(const stage *s)
{
    const sbl_layer *ask = &s->layer->ask;
    switch (ask->kind) {
    case SBL_LAYER_DENSE:
        dense_forward(s);
        break;
    case SBL_LAYER_CONV:
        conv_forward(s);
        break;
    case SBL_LAYER_BATCH_NORM:
        norm_forward(s);
        break;
    case SBL_LAYER_BILINEAR:
    case SBL_LAYER_NEAREST:
        upsample_forward(s);
        break;
    case SBL_LAYER_MAX_POOL:
        pool_forward(s);
        break;
    case SBL_LAYER_ADD:
        copy_input(s);
        s->on->add(s->device, s->y, s->workspace->outputs[ask->from], numbers_of(s));
        break;
    case SBL_LAYER_ADD_INPUT:
        copy_input(s);
        add_input_forward(s);
        break;
    case SBL_LAYER_RESHAPE:
        copy_input(s);
        break;
    default:
        if (!is_done_before(s)) s->on->activate(s->device, s->y, s->x, numbers_of(s), activation_of(ask));
        break;
    }
}

const float *sbl_net_forward(const sbl_net *net, sbl_net_workspace *workspace, const float *input,
                             size_t rows, bool training)
{
    workspace->input = input;
    workspace->last_rows = rows;
    workspace->last_training = training;
    for (size_t l = 0; l < net->layer_count; l++) {
        stage s = stage_at(net, workspace, l);
        forward(&s);
    }
    return workspace->outputs[net->layer_count - 1];
}

/* dx may be NULL: only the weights are wanted. */
static void dense_backward(const stage *s, float *dx, const float *dy)
{
    size_t in = sbl_volume_size(s->layer->in), out = s->layer->out.channels;
    if (s->workspace->d_weights)
        s->on->gemm(s->device, s->workspace->d_weights + s->layer->weight, dy, s->x,
                    &(sbl_gemm_shape){.m = out,
                                      .n = in,
                                      .k = s->rows,
                                      .a_stride = out,
                                      .b_stride = in,
                                      .c_stride = in,
                                      .a_transposed = true},
                    s->workspace->scratch);
    if (!dx) return;
    s->on->gemm(
        s->device, dx, dy, weights_of(s),
        &(sbl_gemm_shape){.m = s->rows, .n = in, .k = out, .a_stride = out, .b_stride = in, .c_stride = in},
        s->workspace->scratch);
}

/* dW = dy^T u; where the input's gradient is asked for, its last numbers get dy W. */
static void add_input_backward(const stage *s, const float *dy)
{
    size_t whole = sbl_volume_size(s->net->input), in = s->layer->ask.inputs;
    size_t out = s->layer->out.channels;
    if (s->workspace->d_weights)
        s->on->gemm(s->device, s->workspace->d_weights + s->layer->weight, dy,
                    s->workspace->input + whole - in,
                    &(sbl_gemm_shape){.m = out,
                                      .n = in,
                                      .k = s->rows,
                                      .a_stride = out,
                                      .b_stride = whole,
                                      .c_stride = in,
                                      .a_transposed = true},
                    s->workspace->scratch);
    if (!s->workspace->d_input) return;
    s->on->gemm(
        s->device, s->workspace->d_input + whole - in, dy, weights_of(s),
        &(sbl_gemm_shape){
            .m = s->rows, .n = in, .k = out, .a_stride = out, .b_stride = in, .c_stride = whole, .add = true},
        s->workspace->scratch);
}

static void conv_backward(const stage *s, float *dx, const float *dy)
{
    sbl_conv_shape shape = sbl_net_conv_shape(s->layer, s->workspace->threads);
    float *scratch = s->workspace->scratch;
    if (s->workspace->d_weights)
        s->on->conv_to_weights(s->device, s->workspace->d_weights + s->layer->weight, s->x, dy, &shape,
                               s->rows, scratch);
    if (dx) s->on->conv_to_inputs(s->device, dx, dy, weights_of(s), &shape, s->rows, scratch);
}

static void upsample_backward(const stage *s, float *dx, const float *dy)
{
    const sbl_upsampling by = upsampling_of(s->layer);
    s->on->upsample_back(s->device, dx, dy, s->rows, &by);
}

static void pool_backward(const stage *s, float *dx, const float *dy)
{
    const sbl_pooling by = pooling_of(s->layer);
    s->on->max_pool_back(s->device, dx, dy, s->x, s->rows, &by);
}

/* dy, which may be worked on, to dx (in `other` or in place); returns dx. */
static float *backward(const stage *s, float *other, float *dy, bool wanted)
{
    const sbl_layer *ask = &s->layer->ask;
    float *dx = wanted ? other : NULL;
    switch (ask->kind) {
    case SBL_LAYER_DENSE:
    case SBL_LAYER_CONV:
        if (s->layer->bias_count && s->workspace->d_weights)
            s->on->channel_sums(s->device, s->workspace->d_weights + s->layer->bias, dy, pixels_of(s),
                                s->layer->out.channels, s->workspace->scratch);
        if (ask->kind == SBL_LAYER_DENSE)
            dense_backward(s, dx, dy);
        else
            conv_backward(s, dx, dy);
        return other;
    case SBL_LAYER_BATCH_NORM: {
        sbl_norm norm = norm_of(s);
        s->on->norm_back(s->device, &norm, dy, s->workspace->d_weights + s->layer->weight,
                         s->workspace->d_weights + s->layer->bias, s->x, s->y);
        return dy;
    }
    case SBL_LAYER_BILINEAR:
    case SBL_LAYER_NEAREST:
        upsample_backward(s, other, dy);
        return other;
    case SBL_LAYER_MAX_POOL:
        pool_backward(s, other, dy);
        return other;
    case SBL_LAYER_ADD:
        s->on->add(s->device, s->workspace->source_d[ask->from], dy, numbers_of(s));
        return dy;
    case SBL_LAYER_ADD_INPUT:
        add_input_backward(s, dy);
        return dy;
    case SBL_LAYER_RESHAPE:
        return dy;
    default:
        if (!is_done_before(s)) s->on->activate_back(s->device, dy, s->y, numbers_of(s), activation_of(ask));
        return dy;
    }
}

/* Gradients that later sums add to, and that of the input, begin at zero. */
static void clear_gradients(const sbl_net *net, sbl_net_workspace *workspace)
{
    const sbl_backend *on = workspace->on;
    const size_t rows = workspace->last_rows;
    if (workspace->d_input) on->zero(on->device, workspace->d_input, rows * sbl_volume_size(net->input));
    for (size_t l = 0; l < net->layer_count; l++)
        if (net->layers[l].is_source)
            on->zero(on->device, workspace->source_d[l], rows * sbl_volume_size(net->layers[l].out));
}

/* Nothing below the first layer with weights has to be known, unless the input is asked for. */
static size_t last_stop(const sbl_net *net, const sbl_net_workspace *workspace)
{
    size_t l = 0;
    if (workspace->use == SBL_NET_TRAIN_INPUT) return 0;
    while (l + 1 < net->layer_count && net->layers[l].weight_count == 0) l++;
    return l;
}

void sbl_net_backward(const sbl_net *net, sbl_net_workspace *workspace, const float *d_output)
{
    const sbl_backend *on = workspace->on;
    size_t rows = workspace->last_rows, stop = last_stop(net, workspace);
    float *dy = workspace->gradients[0];
    size_t inputs = rows * sbl_volume_size(net->input);
    if (d_output != dy) on->copy(on->device, dy, d_output, rows * sbl_volume_size(net->output));
    clear_gradients(net, workspace);
    for (size_t l = net->layer_count; l-- > stop;) {
        stage s = stage_at(net, workspace, l);
        float *other = workspace->gradients[dy == workspace->gradients[0]];
        if (s.layer->is_source) on->add(on->device, dy, workspace->source_d[l], numbers_of(&s));
        dy = backward(&s, other, dy, l > stop || workspace->use == SBL_NET_TRAIN_INPUT);
    }
    if (workspace->use == SBL_NET_TRAIN_INPUT) on->add(on->device, workspace->d_input, dy, inputs);
}

/* The last layer whose output has a gradient; layer_count: none has. */
static size_t first_stop(const sbl_net *net, const float *d_output, const float *const *d_inner)
{
    size_t l = net->layer_count;
    if (d_output) return l - 1;
    while (d_inner && l > 0 && !d_inner[l - 1]) l--;
    return d_inner && l > 0 ? l - 1 : net->layer_count;
}

bool sbl_net_backward_input(const sbl_net *net, sbl_net_workspace *workspace, const float *d_output,
                            const float *const *d_inner)
{
    const sbl_backend *on = workspace->on;
    size_t rows = workspace->last_rows, from = first_stop(net, d_output, d_inner);
    size_t inputs = rows * sbl_volume_size(net->input);
    float *dy = workspace->gradients[0];
    if (from == net->layer_count) return false;
    const size_t first = rows * sbl_volume_size(net->layers[from].out);
    if (d_output)
        on->copy(on->device, dy, d_output, first);
    else
        on->zero(on->device, dy, first);
    clear_gradients(net, workspace);
    for (size_t l = from + 1; l-- > 0;) {
        stage s = stage_at(net, workspace, l);
        float *other = workspace->gradients[dy == workspace->gradients[0]];
        if (s.layer->is_source) on->add(on->device, dy, workspace->source_d[l], numbers_of(&s));
        if (d_inner && d_inner[l]) on->add(on->device, dy, d_inner[l], numbers_of(&s));
        dy = backward(&s, other, dy, true);
    }
    on->add(on->device, workspace->d_input, dy, inputs);
    return true;
}
