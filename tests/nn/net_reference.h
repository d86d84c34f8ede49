/* SPDX-License-Identifier: Apache-2.0 */
/* A network's forward pass in double, written once more with plain loops: the oracle for values
 * and, through finite differences, for gradients. */
#ifndef SBL_TESTS_NN_NET_REFERENCE_H
#define SBL_TESTS_NN_NET_REFERENCE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nn/net.h"

/* Everything of one layer in double. */
typedef struct reference_layer {
    const sbl_net_layer *layer;
    const double *w, *b, *running, *x;
    double *y;
    size_t rows;
    bool training;
} reference_layer;

static inline void reference_dense(const reference_layer *r)
{
    size_t in = sbl_volume_size(r->layer->in), out = r->layer->out.channels;
    for (size_t i = 0; i < r->rows * out; i++) {
        double sum = r->b ? r->b[i % out] : 0;
        for (size_t k = 0; k < in; k++) sum += r->x[i / out * in + k] * r->w[i % out * in + k];
        r->y[i] = sum;
    }
}

static inline void reference_conv(const reference_layer *r)
{
    const sbl_layer *a = &r->layer->ask;
    sbl_volume in = r->layer->in, out = r->layer->out;
    size_t k = a->kernel;
    for (size_t i = 0; i < r->rows * sbl_volume_size(out); i++) r->y[i] = r->b ? r->b[i % out.channels] : 0;
    for (size_t p = 0; p < r->rows * out.height * out.width * k * k; p++) {
        size_t tap = p % (k * k), pixel = p / (k * k), x = pixel % out.width;
        size_t y = pixel / out.width % out.height, row = pixel / out.width / out.height;
        size_t my = y * a->stride + tap / k - a->padding, mx = x * a->stride + tap % k - a->padding;
        if (my >= in.height || mx >= in.width) continue;
        size_t other = (row * in.height + my) * in.width + mx;
        for (size_t f = 0; f < out.channels; f++)
            for (size_t m = 0; m < in.channels; m++)
                r->y[pixel * out.channels + f] +=
                    r->x[other * in.channels + m] * r->w[(f * k * k + tap) * in.channels + m];
    }
}

static inline void reference_norm(const reference_layer *r)
{
    size_t n = r->layer->in.channels, pixels = r->rows * sbl_volume_size(r->layer->in) / n;
    for (size_t c = 0; c < n; c++) {
        double mean = r->running[c], variance = r->running[n + c];
        if (r->training) {
            mean = variance = 0;
            for (size_t p = 0; p < pixels; p++) mean += r->x[p * n + c] / (double)pixels;
            for (size_t p = 0; p < pixels; p++) variance += pow(r->x[p * n + c] - mean, 2) / (double)pixels;
        }
        for (size_t p = 0; p < pixels; p++)
            r->y[p * n + c] = r->w[c] * (r->x[p * n + c] - mean) / sqrt(variance + 1e-5) + r->b[c];
    }
}

/* How much of input pixel i is in output pixel o, along one side. */
static inline double reference_share(size_t o, size_t i, size_t side, const sbl_layer *a)
{
    if (a->kind == SBL_LAYER_NEAREST) return o / a->factor == i;
    double at = a->align_corners ? (double)o * (double)(side - 1) / (double)(side * a->factor - 1)
                                 : ((double)o + 0.5) / (double)a->factor - 0.5;
    at = fmin(fmax(at, 0), (double)side - 1);
    return fmax(0, 1 - fabs(at - (double)i));
}

static inline void reference_upsample(const reference_layer *r)
{
    sbl_volume in = r->layer->in, out = r->layer->out;
    for (size_t i = 0; i < r->rows * sbl_volume_size(out); i++) {
        size_t c = i % out.channels, pixel = i / out.channels, row = pixel / out.width / out.height;
        r->y[i] = 0;
        for (size_t y = 0; y < in.height; y++)
            for (size_t x = 0; x < in.width; x++)
                r->y[i] += r->x[((row * in.height + y) * in.width + x) * in.channels + c] *
                           reference_share(pixel / out.width % out.height, y, in.height, &r->layer->ask) *
                           reference_share(pixel % out.width, x, in.width, &r->layer->ask);
    }
}

static inline void reference_pool(const reference_layer *r)
{
    const sbl_layer *a = &r->layer->ask;
    sbl_volume in = r->layer->in, out = r->layer->out;
    for (size_t i = 0; i < r->rows * sbl_volume_size(out); i++) {
        size_t c = i % out.channels, pixel = i / out.channels, row = pixel / out.width / out.height;
        double most = -INFINITY;
        for (size_t tap = 0; tap < a->kernel * a->kernel; tap++) {
            size_t y = pixel / out.width % out.height * a->stride + tap / a->kernel;
            size_t x = pixel % out.width * a->stride + tap % a->kernel;
            double value = r->x[((row * in.height + y) * in.width + x) * in.channels + c];
            most = fmax(most, value);
        }
        r->y[i] = most;
    }
}

static inline double reference_activation(double x, const sbl_layer *a)
{
    switch (a->kind) {
    case SBL_LAYER_RELU:
        return x > 0 ? x : 0;
    case SBL_LAYER_LEAKY_RELU:
        return x > 0 ? x : a->slope * x;
    case SBL_LAYER_SIGMOID:
        return 1 / (1 + exp(-x));
    default:
        return x; /* reshape, add */
    }
}

static inline void reference_layer_forward(const reference_layer *r)
{
    switch (r->layer->ask.kind) {
    case SBL_LAYER_DENSE:
        reference_dense(r);
        return;
    case SBL_LAYER_CONV:
        reference_conv(r);
        return;
    case SBL_LAYER_BATCH_NORM:
        reference_norm(r);
        return;
    case SBL_LAYER_BILINEAR:
    case SBL_LAYER_NEAREST:
        reference_upsample(r);
        return;
    case SBL_LAYER_MAX_POOL:
        reference_pool(r);
        return;
    default:
        break;
    }
    for (size_t i = 0; i < r->rows * sbl_volume_size(r->layer->out); i++)
        r->y[i] = reference_activation(r->x[i], &r->layer->ask);
}

static inline void reference_add_input(double *y, const sbl_net *net, const sbl_net_layer *layer,
                                       const double *w, const double *x, size_t rows)
{
    size_t whole = sbl_volume_size(net->input), in = layer->ask.inputs, out = layer->out.channels;
    for (size_t i = 0; i < rows * out; i++)
        for (size_t k = 0; k < in; k++) y[i] += x[i / out * whole + whole - in + k] * w[i % out * in + k];
}

/* y (rows, output) of x (rows, input). */
static inline void reference_net(double *y, const sbl_net *net, const double *weights, const double *running,
                                 const double *x, size_t rows, bool training)
{
    double *outputs[SBL_NET_MAX_LAYERS];
    for (size_t l = 0; l < net->layer_count; l++) {
        const sbl_net_layer *layer = &net->layers[l];
        size_t count = rows * sbl_volume_size(layer->out);
        outputs[l] = calloc(count, sizeof *y);
        reference_layer_forward(&(reference_layer){
            layer, .w = weights + layer->weight, .b = layer->bias_count ? weights + layer->bias : NULL,
            .running = running + layer->running, .x = l ? outputs[l - 1] : x, .y = outputs[l], .rows = rows,
            .training = training});
        if (layer->ask.kind == SBL_LAYER_ADD)
            for (size_t i = 0; i < count; i++) outputs[l][i] += outputs[layer->ask.from][i];
        if (layer->ask.kind == SBL_LAYER_ADD_INPUT)
            reference_add_input(outputs[l], net, layer, weights + layer->weight, x, rows);
        if (l + 1 == net->layer_count) memcpy(y, outputs[l], count * sizeof *y);
    }
    for (size_t l = 0; l < net->layer_count; l++) free(outputs[l]);
}

#endif
