/* A network as text and back, and its weights by name. What is zero is not written; what is read
 * must be what would be written, byte for byte. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/nn/net.h"

static const char *const kind_names[SBL_LAYER_KINDS] = {"dense",      "conv",    "batch_norm", "relu",
                                                        "leaky_relu", "sigmoid", "bilinear",   "nearest",
                                                        "max_pool",   "add",     "add_input",  "reshape"};

/* The numbers of a layer. */
typedef struct number_field {
    const char *name;
    size_t offset;
} number_field;

static const number_field counts[] = {
    {"channels", offsetof(sbl_layer, channels)}, {"kernel", offsetof(sbl_layer, kernel)},
    {"stride", offsetof(sbl_layer, stride)},     {"padding", offsetof(sbl_layer, padding)},
    {"factor", offsetof(sbl_layer, factor)},     {"from", offsetof(sbl_layer, from)},
    {"inputs", offsetof(sbl_layer, inputs)}};
static const number_field reals[] = {{"slope", offsetof(sbl_layer, slope)},
                                     {"momentum", offsetof(sbl_layer, momentum)}};
static const number_field flags[] = {{"no_bias", offsetof(sbl_layer, no_bias)},
                                     {"align_corners", offsetof(sbl_layer, align_corners)}};

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define FIELD(type, layer, field) (*(type *)((char *)(layer) + (field).offset))

static json_t *volume_json(sbl_volume v)
{
    return json_pack("[I,I,I]", (json_int_t)v.height, (json_int_t)v.width, (json_int_t)v.channels);
}

static json_t *layer_json(sbl_layer ask)
{
    json_t *object = json_pack("{s:s}", "kind", kind_names[ask.kind]);
    int failed = object == NULL;
    for (size_t i = 0; i < COUNT(counts); i++) {
        size_t value = FIELD(size_t, &ask, counts[i]);
        if (value) failed |= json_object_set_new(object, counts[i].name, json_integer((json_int_t)value));
    }
    for (size_t i = 0; i < COUNT(reals); i++) {
        double value = FIELD(double, &ask, reals[i]);
        if (value > 0) failed |= json_object_set_new(object, reals[i].name, json_real(value));
    }
    for (size_t i = 0; i < COUNT(flags); i++)
        if (FIELD(bool, &ask, flags[i])) failed |= json_object_set_new(object, flags[i].name, json_true());
    if (ask.kind == SBL_LAYER_RESHAPE)
        failed |= json_object_set_new(object, "volume", volume_json(ask.volume));
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

sbl_status sbl_net_describe(char **text, const sbl_net *net, sbl_error *err)
{
    json_t *layers = json_array();
    int failed = layers == NULL;
    for (size_t l = 0; l < net->layer_count; l++)
        failed |= json_array_append_new(layers, layer_json(net->layers[l].ask));
    json_t *root = json_pack("{s:o,s:o}", "input", volume_json(net->input), "layers", layers);
    *text = failed || !root ? NULL : sbl_json_canonical(root);
    json_decref(root);
    return *text ? SBL_OK : sbl_no_memory(err, "a network's description");
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

/* What is missing or of another type is zero here, and found by comparing texts. */
static sbl_status layer_from(sbl_layer *ask, const json_t *object, const char *where, sbl_error *err)
{
    const char *kind;
    sbl_status status = sbl_json_get_string(&kind, object, "kind", where, err);
    if (status != SBL_OK) return status;
    *ask = (sbl_layer){.kind = SBL_LAYER_KINDS};
    for (size_t k = 0; k < SBL_LAYER_KINDS; k++)
        if (strcmp(kind, kind_names[k]) == 0) ask->kind = (sbl_layer_kind)k;
    for (size_t i = 0; i < COUNT(counts); i++)
        FIELD(size_t, ask, counts[i]) = whole(json_object_get(object, counts[i].name));
    for (size_t i = 0; i < COUNT(reals); i++)
        FIELD(double, ask, reals[i]) = json_number_value(json_object_get(object, reals[i].name));
    for (size_t i = 0; i < COUNT(flags); i++)
        FIELD(bool, ask, flags[i]) = json_is_true(json_object_get(object, flags[i].name));
    ask->volume = volume_from(json_object_get(object, "volume"));
    return SBL_OK;
}

static sbl_status same_text(const sbl_net *net, const char *text, size_t length, const char *where,
                            sbl_error *err)
{
    char *again = NULL;
    sbl_status status = sbl_net_describe(&again, net, err);
    if (status == SBL_OK && (strlen(again) != length || memcmp(again, text, length) != 0))
        status = sbl_fail(err, SBL_EINPUT, "%s: the network is not described as this program would", where);
    sbl_free(again);
    return status;
}

sbl_status sbl_net_parse(sbl_net *net, const char *text, size_t length, const char *where, sbl_error *err)
{
    sbl_layer asks[SBL_NET_MAX_LAYERS];
    json_t *root = NULL, *input, *layers;
    sbl_status status;
    *net = (sbl_net){0};
    SBL_TRY(sbl_json_parse(&root, text, length, where, err));
    SBL_TRY(sbl_json_get_array(&input, root, "input", where, err));
    SBL_TRY(sbl_json_get_array(&layers, root, "layers", where, err));
    size_t count = json_array_size(layers);
    if (count > SBL_NET_MAX_LAYERS) SBL_FAIL(err, SBL_EINPUT, "%s: field 'layers' is too long", where);
    for (size_t l = 0; l < count; l++) SBL_TRY(layer_from(&asks[l], json_array_get(layers, l), where, err));
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
