#include "model/generator_file.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "tensors/safetensors.h"

#define FORMAT "semblance.format"
#define FORMAT_NAME "generator 1"
#define SHAPE "semblance.shape"
#define MOST_TENSORS (6 * SBL_MLP_MAX_DEPTH + 3)

/* Every tensor of a generator, in order; data points into it. */
typedef struct tensor_list {
    sbl_tensor items[MOST_TENSORS];
    size_t count;
} tensor_list;

static void add(tensor_list *list, const char *name, int layer, float *data, size_t rows,
                size_t columns)
{
    sbl_tensor *tensor = &list->items[list->count++];
    if (layer < 0)
        snprintf(tensor->name, sizeof tensor->name, "%s", name);
    else
        snprintf(tensor->name, sizeof tensor->name, "hidden.%d.%s", layer, name);
    tensor->rank = columns ? 2 : 1;
    tensor->shape[0] = rows;
    tensor->shape[1] = columns;
    tensor->data = data;
}

static void list_tensors(tensor_list *list, const sbl_generator *generator)
{
    const sbl_mlp *mlp = &generator->mlp;
    size_t classes = mlp->shape.classes;
    list->count = 0;
    for (size_t l = 0; l < mlp->shape.depth; l++) {
        const sbl_mlp_layer *layer = &mlp->layers[l];
        add(list, "weight", (int)l, mlp->weights + layer->weight, layer->out, layer->in);
        if (l == 0)
            add(list, "class_bias", 0, mlp->weights + layer->class_bias, classes, layer->out);
        add(list, "gamma", (int)l, mlp->weights + layer->gamma, layer->out, 0);
        add(list, "beta", (int)l, mlp->weights + layer->beta, layer->out, 0);
        add(list, "running_mean", (int)l, mlp->running + layer->running_mean, layer->out, 0);
        add(list, "running_variance", (int)l, mlp->running + layer->running_variance, layer->out,
            0);
    }
    const sbl_mlp_layer *last = &mlp->layers[mlp->shape.depth];
    add(list, "output.weight", -1, mlp->weights + last->weight, last->out, last->in);
    add(list, "output.class_bias", -1, mlp->weights + last->class_bias, classes, last->out);
    add(list, "class_shares", -1, generator->class_shares, classes, 0);
}

static json_t *size_list(const size_t *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < count; i++)
        json_array_append_new(list, json_integer((json_int_t)values[i]));
    return list;
}

/* {"cardinalities":[..],"classes":C,"hidden":[..],"latent":L,"numeric":d}; sbl_free. */
static char *shape_text(const sbl_generator *generator)
{
    const sbl_mlp_shape *network = &generator->mlp.shape;
    json_t *object = json_pack(
        "{s:I, s:I, s:I, s:o, s:o}", "numeric", (json_int_t)generator->shape.numeric, "classes",
        (json_int_t)generator->shape.classes, "latent", (json_int_t)network->latent,
        "cardinalities", size_list(generator->shape.cardinalities, generator->shape.categorical),
        "hidden", size_list(network->hidden, network->depth));
    char *text = object ? sbl_json_canonical(object) : NULL;
    json_decref(object);
    return text;
}

sbl_status sbl_generator_save(const sbl_generator *generator, const char *path, const json_t *extra,
                              bool overwrite, sbl_error *err)
{
    tensor_list list;
    sbl_status status;
    json_t *metadata = extra ? json_deep_copy(extra) : json_object();
    char *shape = shape_text(generator);
    if (!metadata || !shape ||
        json_object_set_new(metadata, FORMAT, json_string(FORMAT_NAME)) != 0 ||
        json_object_set_new(metadata, SHAPE, json_string(shape)) != 0) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for a model file");
        goto done;
    }
    list_tensors(&list, generator);
    SBL_TRY(sbl_safetensors_save(path, list.items, list.count, metadata, overwrite, err));
done:
    json_decref(metadata);
    sbl_free(shape);
    return status;
}

/* Up to count numbers of an array; false when it is longer. */
static bool read_sizes(size_t *values, size_t count, const json_t *list)
{
    if (json_array_size(list) > count) return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_int_t value = json_integer_value(json_array_get(list, i));
        values[i] = value > 0 ? (size_t)value : 0;
    }
    return true;
}

static sbl_status read_shape(sbl_generator *generator, const char *text, const char *path,
                             sbl_error *err)
{
    json_t *root = NULL, *cards, *hidden;
    uint64_t numeric, classes, latent;
    sbl_mlp_shape network = {0};
    sbl_record_shape shape = {0};
    size_t *cardinalities = NULL;
    sbl_status status;
    SBL_TRY(sbl_json_parse(&root, text, strlen(text), path, err));
    SBL_TRY(sbl_json_get_u64(&numeric, root, "numeric", path, err));
    SBL_TRY(sbl_json_get_u64(&classes, root, "classes", path, err));
    SBL_TRY(sbl_json_get_u64(&latent, root, "latent", path, err));
    SBL_TRY(sbl_json_get_array(&cards, root, "cardinalities", path, err));
    SBL_TRY(sbl_json_get_array(&hidden, root, "hidden", path, err));
    network.latent = latent;
    network.depth = json_array_size(hidden);
    cardinalities = sbl_alloc_array(json_array_size(cards), sizeof *cardinalities);
    if (!cardinalities) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for %s", path);
        goto done;
    }
    if (!read_sizes(network.hidden, SBL_MLP_MAX_DEPTH, hidden)) {
        status = sbl_fail(err, SBL_EINPUT, "%s: too many hidden layers", path);
        goto done;
    }
    read_sizes(cardinalities, json_array_size(cards), cards);
    SBL_TRY(sbl_record_shape_init(&shape, numeric, cardinalities, json_array_size(cards), classes,
                                  err));
    SBL_TRY(sbl_generator_init(generator, &shape, &network, err));
done:
    if (status == SBL_EARG) status = sbl_fail(err, SBL_EINPUT, "%s: bad model shape", path);
    sbl_record_shape_clear(&shape);
    sbl_free(cardinalities);
    json_decref(root);
    return status;
}

static sbl_status read_generator(sbl_generator *generator, const sbl_safetensors *file,
                                 const char *path, sbl_error *err)
{
    tensor_list list;
    const char *format, *shape;
    sbl_status status;
    SBL_TRY(sbl_json_get_string(&format, file->metadata, FORMAT, path, err));
    if (strcmp(format, FORMAT_NAME) != 0)
        return sbl_fail(err, SBL_EINPUT, "%s: this version reads model format '%s' only", path,
                        FORMAT_NAME);
    SBL_TRY(sbl_json_get_string(&shape, file->metadata, SHAPE, path, err));
    SBL_TRY(read_shape(generator, shape, path, err));
    list_tensors(&list, generator);
    for (size_t i = 0; i < list.count; i++) {
        sbl_tensor *to = &list.items[i];
        const sbl_tensor *from = sbl_safetensors_find(file, to->name, to->shape[0], to->shape[1]);
        if (!from)
            return sbl_fail(err, SBL_EINPUT, "%s: tensor '%s' is missing or of another shape", path,
                            to->name);
        memcpy(to->data, from->data,
               to->shape[0] * (to->rank == 2 ? to->shape[1] : 1) * sizeof(float));
    }
done:
    return status;
}

sbl_status sbl_generator_load(sbl_generator *generator, json_t **extra, const char *path,
                              sbl_error *err)
{
    sbl_safetensors file;
    *generator = (sbl_generator){0};
    if (extra) *extra = NULL;
    sbl_status status = sbl_safetensors_load(&file, path, err);
    if (status != SBL_OK) return status;
    status = read_generator(generator, &file, path, err);
    if (status != SBL_OK)
        sbl_generator_clear(generator);
    else if (extra)
        *extra = json_incref(file.metadata);
    sbl_safetensors_clear(&file);
    return status;
}
