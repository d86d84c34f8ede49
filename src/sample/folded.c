/* [7] Batch norms are folded by gamma (x W + b - m) / sqrt(v + eps) + beta = x (s W) + s (b - m) +
 * beta. Products go through sbl_gemm_exact(): the same bits on every machine matter more here than
 * speed. */
#include "sample/folded.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "compute/gemm.h"

#define EPSILON 1e-5f /* of batch norm, as in nn/net_layers.h */

static sbl_status open_layer(sbl_folded_layer *to, const sbl_net *net, const sbl_net_layer *dense,
                             sbl_error *err)
{
    to->in = sbl_volume_size(dense->in);
    to->out = dense->out.channels;
    to->weight = sbl_alloc_array(dense->weight_count, sizeof *to->weight);
    to->bias = sbl_alloc_array(to->out, sizeof *to->bias);
    if (!to->weight || !to->bias) return sbl_fail(err, SBL_EMEM, "out of memory for sampling");
    for (size_t j = 0; j < to->out; j++)
        for (size_t i = 0; i < to->in; i++)
            to->weight[i * to->out + j] = net->weights[dense->weight + j * to->in + i];
    if (dense->bias_count) memcpy(to->bias, net->weights + dense->bias, to->out * sizeof *to->bias);
    return SBL_OK;
}

static sbl_status take_codes(sbl_folded_layer *to, const sbl_net *net, const sbl_net_layer *layer,
                             sbl_error *err)
{
    to->codes = layer->ask.inputs;
    to->code_weight = sbl_alloc_array(layer->weight_count, sizeof *to->code_weight);
    if (!to->code_weight) return sbl_fail(err, SBL_EMEM, "out of memory for sampling");
    for (size_t j = 0; j < to->out; j++)
        for (size_t i = 0; i < to->codes; i++)
            to->code_weight[i * to->out + j] = net->weights[layer->weight + j * to->codes + i];
    return SBL_OK;
}

/* gamma (x W + b - m) / sqrt(v + eps) + beta = x (s W) + s (b - m) + beta */
static void fold_norm(sbl_folded_layer *to, const sbl_net *net, const sbl_net_layer *norm)
{
    const float *gamma = net->weights + norm->weight, *beta = net->weights + norm->bias;
    const float *mean = net->running + norm->running, *variance = mean + to->out;
    for (size_t j = 0; j < to->out; j++) {
        const float scale = gamma[j] / sqrtf(variance[j] + EPSILON);
        for (size_t i = 0; i < to->in; i++) to->weight[i * to->out + j] *= scale;
        for (size_t i = 0; i < to->codes; i++) to->code_weight[i * to->out + j] *= scale;
        to->bias[j] = (to->bias[j] - mean[j]) * scale + beta[j];
    }
}

/* One layer of the network after the others; last: the folded layer that it belongs to. */
static sbl_status take_layer(sbl_folded *folded, const sbl_net *net, size_t l, sbl_error *err)
{
    const sbl_net_layer *layer = &net->layers[l];
    sbl_folded_layer *last = folded->count ? &folded->layers[folded->count - 1] : NULL;
    const sbl_layer_kind kind = layer->ask.kind;
    if (kind == SBL_LAYER_DENSE)
        return open_layer(&folded->layers[folded->count++], net, layer, err);
    if (last && !last->relu) {
        if (kind == SBL_LAYER_ADD_INPUT && last->codes == 0)
            return take_codes(last, net, layer, err);
        if (kind == SBL_LAYER_BATCH_NORM) {
            fold_norm(last, net, layer);
            return SBL_OK;
        }
        if (kind == SBL_LAYER_RELU) {
            last->relu = true;
            return SBL_OK;
        }
    }
    return sbl_fail(err, SBL_EINPUT, "layer %zu of the network is not one for tables", l);
}

sbl_status sbl_folded_init(sbl_folded *folded, const sbl_net *net, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *folded = (sbl_folded){.inputs = sbl_volume_size(net->input)};
    folded->widest = folded->inputs;
    folded->layers = sbl_alloc_array(net->layer_count, sizeof *folded->layers);
    if (!folded->layers) return sbl_fail(err, SBL_EMEM, "out of memory for sampling");
    for (size_t l = 0; l < net->layer_count; l++) {
        SBL_TRY(take_layer(folded, net, l, err));
        const size_t width = sbl_volume_size(net->layers[l].out);
        if (width > folded->widest) folded->widest = width;
    }
done:
    if (status != SBL_OK) sbl_folded_clear(folded);
    return status;
}

void sbl_folded_clear(sbl_folded *folded)
{
    for (size_t l = 0; folded->layers && l < folded->count; l++) {
        sbl_free(folded->layers[l].weight);
        sbl_free(folded->layers[l].code_weight);
        sbl_free(folded->layers[l].bias);
    }
    sbl_free(folded->layers);
    *folded = (sbl_folded){0};
}

/* x (rows, in), u (rows of stride inputs) -> y (rows, out). What u holds is mostly zeros. */
static void run_layer(float *y, const float *x, const float *u, size_t u_stride,
                      const sbl_folded_layer *l, size_t rows)
{
    sbl_gemm_exact(y, x, l->weight, rows, l->out, l->in);
    for (size_t r = 0; r < rows; r++) {
        float *row = y + r * l->out;
        for (size_t i = 0; i < l->codes; i++) {
            const float code = u[r * u_stride + i];
            for (size_t j = 0; code != 0 && j < l->out; j++)
                row[j] += code * l->code_weight[i * l->out + j];
        }
        for (size_t j = 0; j < l->out; j++) {
            const float value = row[j] + l->bias[j];
            row[j] = l->relu && value < 0 ? 0 : value;
        }
    }
}

const float *sbl_folded_run(const sbl_folded *folded, float *buffers, const float *inputs,
                            size_t rows)
{
    const float *x = inputs;
    float *y = buffers, *other = buffers + rows * folded->widest;
    for (size_t l = 0; l < folded->count; l++) {
        const sbl_folded_layer *layer = &folded->layers[l];
        run_layer(y, x, inputs + folded->inputs - layer->codes, folded->inputs, layer, rows);
        x = y;
        y = other;
        other = (float *)x;
    }
    return x;
}
