/* SPDX-License-Identifier: Apache-2.0 */
/* A generator's first weights, its classes, and its file: tensors of the network and the shares of the classes;
 * as metadata what its records look like, the number of latents and the network's description. */
#include "after/model/generator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "public/features/image_cells.h"

static sbl_status copy_facts(sbl_facts *copy, const sbl_facts *facts, sbl_error *err)
{
    *copy = (sbl_facts){.kind = facts->kind, .classes = facts->classes, .label_column = SBL_NO_HEAD};
    const sbl_status status = sbl_record_shape_copy(&copy->shape, &facts->shape, err);
    if (status != SBL_OK || facts->kind == SBL_DATA_TABLE) return status;
    return sbl_image_facts_copy(&copy->images, &facts->images, err);
}

sbl_status sbl_generator_init(sbl_generator *generator, const sbl_facts *facts, const sbl_network *network,
                              sbl_error *err)
{
    sbl_status status;
    *generator = (sbl_generator){.latent = network->latent, .signs = network->signs};
    SBL_TRY(copy_facts(&generator->facts, facts, err));
    SBL_TRY(sbl_generator_build(&generator->net, facts, network, err));
    SBL_ALLOC(generator->class_shares, facts->classes, "a generator");
    for (size_t c = 0; c < facts->classes; c++) generator->class_shares[c] = 1 / (float)facts->classes;
done:
    if (status != SBL_OK) sbl_generator_clear(generator);
    return status;
}

void sbl_generator_clear(sbl_generator *generator)
{
    sbl_facts_clear(&generator->facts);
    sbl_net_clear(&generator->net);
    sbl_free(generator->class_shares);
    *generator = (sbl_generator){0};
}

void sbl_generator_set_class(const sbl_generator *generator, float *input, size_t class)
{
    const size_t codes = sbl_generator_codes(&generator->facts);
    if (codes == 0) return;
    memset(input + generator->latent, 0, codes * sizeof *input);
    input[generator->latent + class] = 1;
}

void sbl_generator_randomise(sbl_generator *generator, uint64_t seed)
{
    sbl_net *net = &generator->net;
    const sbl_net_layer *last = &net->layers[net->layer_count - 1];
    sbl_net_randomise(net, seed);
    if (last->ask.kind == SBL_LAYER_ADD_INPUT)
        memset(net->weights + last->weight, 0, last->weight_count * sizeof *net->weights);
}

#define MOST_SPANS 512

/* Rows of weights (outputs, inputs), of which the first `latent` are of latents and the others of classes. */
static void divide_inputs(const sbl_generator *to, const sbl_generator *from, float *weights,
                          const float *whole, size_t outputs)
{
    const size_t inputs = sbl_generator_inputs(to), before = sbl_generator_inputs(from);
    const size_t codes = inputs - to->latent, classes = before - from->latent;
    for (size_t o = 0; o < outputs; o++) {
        float *row = weights + o * inputs;
        const float *old = whole + o * before;
        memcpy(row, old, to->latent * sizeof *row);
        for (size_t c = 0; c < codes && classes > 0; c++)
            row[to->latent + c] = old[from->latent + c / sbl_generator_cells(to)];
    }
}

/* Does the first layer alone differ, and by the codes of classes? */
static bool divides(const sbl_net_span *spans, const sbl_net_span *old, size_t count, const sbl_generator *to,
                    const sbl_generator *from)
{
    const size_t classes = sbl_generator_inputs(from) - from->latent;
    bool same = to->latent == from->latent && spans[0].count % sbl_generator_inputs(to) == 0 &&
                old[0].count * sbl_generator_inputs(to) == spans[0].count * sbl_generator_inputs(from) &&
                (classes == 0 || classes * sbl_generator_cells(to) == to->facts.classes);
    for (size_t i = 1; same && i < count; i++)
        same = spans[i].count == old[i].count && spans[i].running == old[i].running;
    return same;
}

void sbl_generator_divide(sbl_generator *generator, const sbl_generator *whole)
{
    sbl_net_span spans[MOST_SPANS], old[MOST_SPANS];
    const size_t count = sbl_net_spans(&generator->net, NULL);
    if (count > MOST_SPANS || count == 0 || sbl_net_spans(&whole->net, NULL) != count) return;
    sbl_net_spans(&generator->net, spans);
    sbl_net_spans(&whole->net, old);
    if (!divides(spans, old, count, generator, whole)) return;
    divide_inputs(generator, whole, generator->net.weights + spans[0].first,
                  whole->net.weights + old[0].first, spans[0].count / sbl_generator_inputs(generator));
    for (size_t i = 1; i < count; i++) {
        float *to = (spans[i].running ? generator->net.running : generator->net.weights) + spans[i].first;
        const float *from = (old[i].running ? whole->net.running : whole->net.weights) + old[i].first;
        memcpy(to, from, spans[i].count * sizeof *to);
    }
}

/* The output layer's biases by class: its own where there is one class, else those that the class's
 * code adds. */
static float *bias_of(sbl_generator *generator, size_t output, size_t class)
{
    sbl_net *net = &generator->net;
    const sbl_net_layer *last = &net->layers[net->layer_count - 1];
    if (last->ask.kind == SBL_LAYER_ADD_INPUT)
        return net->weights + last->weight + output * last->ask.inputs + class;
    return net->weights + last->bias + output;
}

void sbl_generator_start_at(sbl_generator *generator, const float *expected)
{
    const sbl_record_shape *shape = &generator->facts.shape;
    const bool conditional = sbl_generator_codes(&generator->facts) > 0;
    sbl_net *net = &generator->net;
    const sbl_net_layer *dense = &net->layers[net->layer_count - (conditional ? 2 : 1)];
    float *weight = net->weights + dense->weight;
    const size_t in = sbl_volume_size(dense->in);
    for (size_t i = shape->numeric * in; i < dense->weight_count; i++) weight[i] *= 0.1f;
    for (size_t c = 0; c < shape->classes; c++) {
        for (size_t i = 0; i < shape->numeric; i++) *bias_of(generator, i, c) = 0;
        for (size_t j = 0; j < shape->onehot; j++)
            *bias_of(generator, shape->numeric + j, c) = logf(expected[c * shape->onehot + j]);
    }
}

#define NEVER (-1e30F) /* a logit whose exponential is 0 beside any other */

void sbl_generator_close(sbl_generator *generator, size_t entry)
{
    const sbl_record_shape *shape = &generator->facts.shape;
    const bool conditional = sbl_generator_codes(&generator->facts) > 0;
    sbl_net *net = &generator->net;
    const sbl_net_layer *dense = &net->layers[net->layer_count - (conditional ? 2 : 1)];
    const size_t in = sbl_volume_size(dense->in), output = shape->numeric + entry;
    memset(net->weights + dense->weight + output * in, 0, in * sizeof *net->weights);
    for (size_t c = 0; c < shape->classes; c++) *bias_of(generator, output, c) = NEVER;
}

/* ---- the file ---- */

#define FORMAT "semblance.format"
#define FORMAT_NAME "generator 2"
#define RECORDS "semblance.records"
#define NETWORK "semblance.network"
#define SHARES "class_shares"

/* ---- there ---- */

/* Every tensor in order; data points into the generator. Convolutions lie flat: one row per first
 * index. */
static sbl_status list_tensors(sbl_tensor **items, size_t *item_count, const sbl_generator *generator,
                               sbl_error *err)
{
    const sbl_net *net = &generator->net;
    const size_t count = sbl_net_spans(net, NULL);
    sbl_net_span *spans = NULL;
    sbl_tensor *list = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(spans, count, "a model file");
    SBL_ALLOC(list, count + 1, "a model file");
    sbl_net_spans(net, spans);
    for (size_t i = 0; i < count; i++) {
        snprintf(list[i].name, sizeof list[i].name, "net.%s", spans[i].name);
        list[i].rank = spans[i].dimensions > 1 ? 2 : 1;
        list[i].shape[0] = spans[i].shape[0];
        list[i].shape[1] = list[i].rank == 2 ? spans[i].count / spans[i].shape[0] : 0;
        list[i].data = (spans[i].running ? net->running : net->weights) + spans[i].first;
    }
    snprintf(list[count].name, sizeof list[count].name, "%s", SHARES);
    list[count].rank = 1;
    list[count].shape[0] = generator->facts.classes;
    list[count].data = generator->class_shares;
    *items = list;
    *item_count = count + 1;
done:
    sbl_free(spans);
    return status;
}

static json_t *size_list(const size_t *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) list = sbl_json_append(list, json_integer((json_int_t)values[i]));
    return list;
}

/* {"cardinalities":[..],"classes":C,"kind":"table","latent":L,"numeric":d}, or
 * {"images":{..},"kind":"images","latent":L}; "signs" where there are some; sbl_free. */
static char *records_text(const sbl_generator *generator)
{
    const sbl_facts *facts = &generator->facts;
    const sbl_record_shape *shape = &facts->shape;
    const char *kind = sbl_data_kind_name(facts->kind);
    const json_int_t latent = (json_int_t)generator->latent;
    json_t *object = facts->kind == SBL_DATA_IMAGES
                         ? json_pack("{s:s, s:I, s:o}", "kind", kind, "latent", latent, "images",
                                     sbl_image_facts_to_json(&facts->images))
                         : json_pack("{s:s, s:I, s:I, s:I, s:o}", "kind", kind, "latent", latent, "numeric",
                                     (json_int_t)shape->numeric, "classes", (json_int_t)shape->classes,
                                     "cardinalities", size_list(shape->cardinalities, shape->categorical));
    bool good = object != NULL;
    if (good && generator->signs > 0)
        good = json_object_set_new(object, "signs", json_integer((json_int_t)generator->signs)) == 0;
    if (good && sbl_generator_cells(generator) > 1)
        good = json_object_set_new(object, "cells", json_integer((json_int_t)generator->cells)) == 0;
    char *text = good ? sbl_json_canonical(object) : NULL;
    json_decref(object);
    return text;
}

static bool put_text(json_t *metadata, const char *name, const char *text)
{
    return text && json_object_set_new(metadata, name, json_string(text)) == 0;
}

sbl_status sbl_generator_to_tensors(sbl_safetensors *file, const sbl_generator *generator, sbl_error *err)
{
    char *network = NULL, *records = records_text(generator);
    sbl_status status = SBL_OK;
    if (!file->metadata) file->metadata = json_object();
    SBL_TRY(sbl_net_describe(&network, &generator->net, err));
    if (!file->metadata || !put_text(file->metadata, FORMAT, FORMAT_NAME) ||
        !put_text(file->metadata, RECORDS, records) || !put_text(file->metadata, NETWORK, network))
        SBL_TRY(sbl_no_memory(err, "a model file"));
    SBL_TRY(list_tensors(&file->tensors, &file->count, generator, err));
done:
    sbl_free(records);
    sbl_free(network);
    return status;
}

sbl_status sbl_generator_save(const sbl_generator *generator, sbl_store_entry to, const json_t *extra,
                              bool overwrite, sbl_error *err)
{
    sbl_safetensors file = {.metadata = extra ? sbl_json_copy(extra) : json_object()};
    sbl_status status = SBL_OK;
    if (!file.metadata) return sbl_no_memory(err, "a model file");
    SBL_TRY(sbl_generator_to_tensors(&file, generator, err));
    SBL_TRY(sbl_safetensors_save(to, file.tensors, file.count, file.metadata, overwrite, err));
done:
    sbl_safetensors_clear(&file);
    return status;
}

/* ---- and back ---- */

static sbl_status read_shape(sbl_facts *facts, const json_t *root, const char *where, sbl_error *err)
{
    json_t *list;
    uint64_t numeric, classes;
    size_t *cardinalities = NULL;
    sbl_status status;
    SBL_TRY(sbl_json_get_u64(&numeric, root, "numeric", where, err));
    SBL_TRY(sbl_json_get_u64(&classes, root, "classes", where, err));
    SBL_TRY(sbl_json_get_array(&list, root, "cardinalities", where, err));
    SBL_ALLOC(cardinalities, json_array_size(list), where);
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_int_t value = json_integer_value(json_array_get(list, k));
        cardinalities[k] = value > 0 ? (size_t)value : 0; /* and is refused */
    }
    SBL_TRY(
        sbl_record_shape_init(&facts->shape, numeric, cardinalities, json_array_size(list), classes, err));
    facts->classes = classes;
    facts->label_column = SBL_NO_HEAD;
done:
    sbl_free(cardinalities);
    return status;
}

static sbl_status read_image_facts(sbl_facts *facts, const json_t *root, const char *where, sbl_error *err)
{
    sbl_image_facts images = {0};
    sbl_status status;
    SBL_TRY(sbl_image_facts_from_json(&images, json_object_get(root, "images"), where, err));
    SBL_TRY(sbl_facts_of_images(facts, &images, false, err));
done:
    sbl_image_facts_clear(&images);
    return status;
}

/* Classes of the facts become cells. A number that is too large is refused, since the network does not have it. */
static sbl_status read_cells(sbl_generator *generator, const json_t *root, const char *where, sbl_error *err)
{
    uint64_t cells;
    if (json_object_get(root, "cells") == NULL) return SBL_OK;
    SBL_CHECK(sbl_json_get_u64(&cells, root, "cells", where, err));
    if (cells < 2 || cells > SBL_CELLS_MOST || generator->facts.kind != SBL_DATA_IMAGES)
        return sbl_fail(err, SBL_EINPUT, "%s: field 'cells' is damaged", where);
    generator->cells = (size_t)cells;
    generator->facts.classes *= (size_t)cells;
    return SBL_OK;
}

static sbl_status read_records(sbl_generator *generator, const json_t *metadata, const char *where,
                               sbl_error *err)
{
    const char *text, *kind;
    json_t *root = NULL;
    uint64_t latent;
    uint64_t signs = 0;
    sbl_status status;
    SBL_TRY(sbl_json_get_string(&text, metadata, RECORDS, where, err));
    SBL_TRY(sbl_json_parse(&root, text, strlen(text), where, err));
    SBL_TRY(sbl_json_get_string(&kind, root, "kind", where, err));
    SBL_TRY(sbl_json_get_u64(&latent, root, "latent", where, err));
    if (json_object_get(root, "signs") != NULL) SBL_TRY(sbl_json_get_u64(&signs, root, "signs", where, err));
    generator->latent = latent;
    generator->signs = signs;
    if (strcmp(kind, sbl_data_kind_name(SBL_DATA_IMAGES)) == 0)
        SBL_TRY(read_image_facts(&generator->facts, root, where, err));
    else if (strcmp(kind, sbl_data_kind_name(SBL_DATA_TABLE)) == 0)
        SBL_TRY(read_shape(&generator->facts, root, where, err));
    else
        status = sbl_fail(err, SBL_EINPUT, "%s: field 'kind' names an unknown kind of data", where);
    if (status == SBL_OK) status = read_cells(generator, root, where, err);
done:
    json_decref(root);
    return status;
}

/* Whatever follows trusts the network's sizes. */
static bool network_fits(const sbl_generator *generator)
{
    const sbl_facts *facts = &generator->facts;
    const sbl_volume in = generator->net.input, out = generator->net.output;
    const size_t codes = sbl_generator_codes(facts);
    if (generator->latent < 1 || sbl_volume_size(in) != generator->latent + codes ||
        generator->signs > generator->latent)
        return false;
    if (facts->kind == SBL_DATA_TABLE)
        return sbl_volume_size(out) == facts->shape.numeric + facts->shape.onehot;
    return out.height >= facts->images.height && out.width >= facts->images.width &&
           out.channels == facts->images.channels;
}

static sbl_status read_network(sbl_generator *generator, const json_t *metadata, const char *where,
                               sbl_error *err)
{
    const char *network;
    SBL_CHECK(sbl_json_get_string(&network, metadata, NETWORK, where, err));
    SBL_CHECK(sbl_net_parse(&generator->net, network, strlen(network), where, err));
    if (!network_fits(generator))
        return sbl_fail(err, SBL_EINPUT, "%s: the network does not match its records", where);
    return SBL_OK;
}

static sbl_status read_tensors(sbl_generator *generator, const sbl_safetensors *file, const char *where,
                               sbl_error *err)
{
    sbl_tensor *list = NULL;
    size_t count = 0;
    sbl_status status;
    SBL_TRY(list_tensors(&list, &count, generator, err));
    SBL_TRY(sbl_safetensors_read(file, list, count, where, err));
done:
    sbl_free(list);
    return status;
}

sbl_status sbl_generator_from_tensors(sbl_generator *generator, const sbl_safetensors *file,
                                      const char *where, sbl_error *err)
{
    const char *format;
    sbl_status status;
    *generator = (sbl_generator){0};
    SBL_TRY(sbl_json_get_string(&format, file->metadata, FORMAT, where, err));
    if (strcmp(format, FORMAT_NAME) != 0)
        SBL_FAIL(err, SBL_EINPUT,
                 "%s: this version reads only model format '%s': use the version that wrote the file", where,
                 FORMAT_NAME);
    SBL_TRY(read_records(generator, file->metadata, where, err));
    SBL_TRY(read_network(generator, file->metadata, where, err));
    SBL_ALLOC(generator->class_shares, generator->facts.classes, where);
    SBL_TRY(read_tensors(generator, file, where, err));
done:
    if (status == SBL_EARG) status = sbl_fail(err, SBL_EINPUT, "%s: bad model shape", where);
    if (status != SBL_OK) sbl_generator_clear(generator);
    return status;
}
