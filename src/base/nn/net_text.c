/* SPDX-License-Identifier: Apache-2.0 */
/* A network as text and back, and its weights by name. What is zero is not written; what is read
 * must be what would be written, byte for byte. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_fields.h"
#include "base/nn/net.h"

static const char *const kind_names[SBL_LAYER_KINDS + 1] = {
    "dense",   "conv",     "batch_norm", "relu",      "leaky_relu", "sigmoid", "bilinear",
    "nearest", "max_pool", "add",        "add_input", "reshape",    NULL};

static json_t *volume_json(sbl_volume v)
{
    return json_pack("[I,I,I]", (json_int_t)v.height, (json_int_t)v.width, (json_int_t)v.channels);
}

static size_t whole(const json_t *value)
{
    json_int_t number = json_integer_value(value);
    return number > 0 ? (size_t)number : 0;
}

static sbl_volume volume_from(const json_t *list)
{
    return sbl_volume_of(whole(json_array_get(list, 0)), whole(json_array_get(list, 1)),
                         whole(json_array_get(list, 2)));
}

static bool is_reshape(const void *at) { return ((const sbl_layer *)at)->kind == SBL_LAYER_RESHAPE; }

static json_t *write_volume(const void *at) { return volume_json(((const sbl_layer *)at)->volume); }

static sbl_status read_volume(void *at, const json_t *object, const char *where, sbl_error *err)
{
    json_t *list;
    SBL_CHECK(sbl_json_get_array(&list, object, "volume", where, err));
    ((sbl_layer *)at)->volume = volume_from(list);
    return SBL_OK;
}

#define AT(member) SBL_JSON_AT(sbl_layer, member)
static const sbl_json_field layer_fields[] = {
    {"kind", SBL_JSON_CHOICE, AT(kind), .names = kind_names},
    {"channels", SBL_JSON_WHOLE, AT(channels), .optional = true},
    {"kernel", SBL_JSON_WHOLE, AT(kernel), .optional = true},
    {"stride", SBL_JSON_WHOLE, AT(stride), .optional = true},
    {"padding", SBL_JSON_WHOLE, AT(padding), .optional = true},
    {"factor", SBL_JSON_WHOLE, AT(factor), .optional = true},
    {"from", SBL_JSON_WHOLE, AT(from), .optional = true},
    {"inputs", SBL_JSON_WHOLE, AT(inputs), .optional = true},
    {"slope", SBL_JSON_REAL, AT(slope), .optional = true},
    {"momentum", SBL_JSON_REAL, AT(momentum), .optional = true},
    {"no_bias", SBL_JSON_BOOL, AT(no_bias), .optional = true},
    {"align_corners", SBL_JSON_BOOL, AT(align_corners), .optional = true},
    {"volume", SBL_JSON_OWN, SBL_JSON_HERE, .read = read_volume, .write = write_volume, .when = is_reshape},
    {0},
};

sbl_status sbl_net_describe(char **text, const sbl_net *net, sbl_error *err)
{
    json_t *layers = json_array();
    for (size_t l = 0; l < net->layer_count; l++)
        layers =
            sbl_json_append(layers, sbl_json_fields_write(json_object(), &net->layers[l].ask, layer_fields));
    json_t *root = json_pack("{s:o,s:o}", "input", volume_json(net->input), "layers", layers);
    *text = root ? sbl_json_canonical(root) : NULL;
    json_decref(root);
    return *text ? SBL_OK : sbl_no_memory(err, "a network's description");
}

static sbl_status same_text(const sbl_net *net, const char *text, size_t length, const char *where,
                            sbl_error *err)
{
    char *again = NULL;
    sbl_status status = sbl_net_describe(&again, net, err);
    if (status == SBL_OK && (strlen(again) != length || memcmp(again, text, length) != 0))
        status =
            sbl_fail(err, SBL_EINPUT, "%s: the description of the network is not in canonical form", where);
    sbl_free(again);
    return status;
}

sbl_status sbl_net_parse(sbl_net *net, const char *text, size_t length, const char *where, sbl_error *err)
{
    sbl_layer asks[SBL_NET_MAX_LAYERS] = {0};
    json_t *root = NULL, *input, *layers;
    sbl_status status;
    *net = (sbl_net){0};
    SBL_TRY(sbl_json_parse(&root, text, length, where, err));
    SBL_TRY(sbl_json_get_array(&input, root, "input", where, err));
    SBL_TRY(sbl_json_get_array(&layers, root, "layers", where, err));
    size_t count = json_array_size(layers);
    if (count > SBL_NET_MAX_LAYERS) SBL_FAIL(err, SBL_EINPUT, "%s: field 'layers' is too long", where);
    for (size_t l = 0; l < count; l++)
        SBL_TRY(sbl_json_fields_read(&asks[l], json_array_get(layers, l), layer_fields, where, err));
    SBL_TRY(sbl_net_init(net, volume_from(input), asks, count, err));
    SBL_TRY(same_text(net, text, length, where, err));
done:
    if (status != SBL_OK) sbl_net_clear(net);
    json_decref(root);
    return status;
}

/* Appends a part and gives the place behind it. */
static size_t put_span(sbl_net_span *spans, size_t at, size_t layer, const char *what, sbl_net_span span)
{
    if (!spans) return at + 1;
    spans[at] = span;
    (void)snprintf(spans[at].name, sizeof spans[at].name, "%zu.%s", layer, what);
    return at + 1;
}

static size_t put_weights(const sbl_net_layer *layer, sbl_net_span *spans, size_t at, size_t l)
{
    sbl_net_span span = {.first = layer->weight, .count = layer->weight_count};
    if (layer->ask.kind == SBL_LAYER_DENSE || layer->ask.kind == SBL_LAYER_ADD_INPUT) {
        span.dimensions = 2;
        span.shape[0] = layer->out.channels;
        span.shape[1] = layer->weight_count / layer->out.channels;
    } else {
        span.dimensions = 4;
        span.shape[0] = layer->ask.channels;
        span.shape[1] = span.shape[2] = layer->ask.kernel;
        span.shape[3] = layer->in.channels;
    }
    return put_span(spans, at, l, "weight", span);
}

static sbl_net_span line_span(size_t first, size_t count, bool running)
{
    return (sbl_net_span){
        .running = running, .first = first, .count = count, .shape = {count}, .dimensions = 1};
}

size_t sbl_net_spans(const sbl_net *net, sbl_net_span *spans)
{
    size_t at = 0;
    for (size_t l = 0; l < net->layer_count; l++) {
        const sbl_net_layer *layer = &net->layers[l];
        size_t n = layer->in.channels;
        if (layer->ask.kind == SBL_LAYER_BATCH_NORM) {
            at = put_span(spans, at, l, "gamma", line_span(layer->weight, n, false));
            at = put_span(spans, at, l, "beta", line_span(layer->bias, n, false));
            at = put_span(spans, at, l, "mean", line_span(layer->running, n, true));
            at = put_span(spans, at, l, "variance", line_span(layer->running + n, n, true));
            continue;
        }
        if (layer->weight_count) at = put_weights(layer, spans, at, l);
        if (layer->bias_count)
            at = put_span(spans, at, l, "bias", line_span(layer->bias, layer->bias_count, false));
    }
    return at;
}
