/* The model file of an image generator: tensors of the network and the shares of the classes; as
 * metadata the facts of the images, the number of latents and the network's description. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "model/image_generator.h"
#include "tensors/safetensors.h"

#define FORMAT "semblance.format"
#define FORMAT_NAME "image generator 1"
#define FACTS "semblance.images"
#define LATENT "semblance.latent"
#define NETWORK "semblance.network"
#define SHARES "class_shares"

typedef struct tensor_list {
    sbl_tensor *items;
    size_t count;
} tensor_list;

/* Every tensor in order; data points into the generator. Convolutions lie flat: one row per first
 * index. */
static sbl_status list_tensors(tensor_list *list, const sbl_image_generator *generator,
                               sbl_error *err)
{
    const sbl_net *net = &generator->net;
    const size_t count = sbl_net_spans(net, NULL);
    sbl_net_span *spans = sbl_alloc_array(count, sizeof *spans);
    list->items = sbl_alloc_array(count + 1, sizeof *list->items);
    if (!spans || !list->items) {
        sbl_free(spans);
        return sbl_fail(err, SBL_EMEM, "out of memory for a model file");
    }
    sbl_net_spans(net, spans);
    for (size_t i = 0; i < count; i++) {
        sbl_tensor *tensor = &list->items[i];
        snprintf(tensor->name, sizeof tensor->name, "net.%s", spans[i].name);
        tensor->rank = spans[i].dimensions > 1 ? 2 : 1;
        tensor->shape[0] = spans[i].shape[0];
        tensor->shape[1] = tensor->rank == 2 ? spans[i].count / spans[i].shape[0] : 0;
        tensor->data = (spans[i].running ? net->running : net->weights) + spans[i].first;
    }
    sbl_tensor *shares = &list->items[count];
    snprintf(shares->name, sizeof shares->name, "%s", SHARES);
    shares->rank = 1;
    shares->shape[0] = sbl_image_facts_groups(&generator->facts);
    shares->data = generator->class_shares;
    list->count = count + 1;
    sbl_free(spans);
    return SBL_OK;
}

static bool put_text(json_t *metadata, const char *name, const char *text)
{
    return text && json_object_set_new(metadata, name, json_string(text)) == 0;
}

/* extra and our own; NULL when out of memory. */
static json_t *make_metadata(const sbl_image_generator *generator, const json_t *extra)
{
    char latent[24], *network = NULL;
    json_t *facts = sbl_image_facts_to_json(&generator->facts);
    json_t *metadata = extra ? json_deep_copy(extra) : json_object();
    char *facts_text = facts ? sbl_json_canonical(facts) : NULL;
    snprintf(latent, sizeof latent, "%zu", generator->latent);
    bool good = metadata && sbl_net_describe(&network, &generator->net, NULL) == SBL_OK &&
                put_text(metadata, FORMAT, FORMAT_NAME) && put_text(metadata, FACTS, facts_text) &&
                put_text(metadata, LATENT, latent) && put_text(metadata, NETWORK, network);
    if (!good) {
        json_decref(metadata);
        metadata = NULL;
    }
    json_decref(facts);
    sbl_free(facts_text);
    sbl_free(network);
    return metadata;
}

sbl_status sbl_image_generator_save(const sbl_image_generator *generator, const char *path,
                                    const json_t *extra, bool overwrite, sbl_error *err)
{
    tensor_list list = {0};
    sbl_status status;
    json_t *metadata = make_metadata(generator, extra);
    if (!metadata) return sbl_fail(err, SBL_EMEM, "out of memory for a model file");
    SBL_TRY(list_tensors(&list, generator, err));
    SBL_TRY(sbl_safetensors_save(path, list.items, list.count, metadata, overwrite, err));
done:
    sbl_free(list.items);
    json_decref(metadata);
    return status;
}

bool sbl_image_generator_is(const json_t *metadata)
{
    const char *format = json_string_value(json_object_get(metadata, FORMAT));
    return format && strcmp(format, FORMAT_NAME) == 0;
}

static sbl_status read_facts(sbl_image_facts *facts, const json_t *metadata, const char *path,
                             sbl_error *err)
{
    const char *text;
    json_t *root = NULL;
    sbl_status status;
    SBL_TRY(sbl_json_get_string(&text, metadata, FACTS, path, err));
    SBL_TRY(sbl_json_parse(&root, text, strlen(text), path, err));
    SBL_TRY(sbl_image_facts_from_json(facts, root, path, err));
done:
    json_decref(root);
    return status;
}

/* The network as described, if it fits the facts: whatever follows trusts its sizes. */
static sbl_status read_network(sbl_image_generator *generator, const json_t *metadata,
                               const char *path, sbl_error *err)
{
    const char *latent, *network;
    const sbl_image_facts *facts = &generator->facts;
    const size_t codes = facts->classes > 1 ? facts->classes : 0;
    sbl_status status;
    SBL_TRY(sbl_json_get_string(&latent, metadata, LATENT, path, err));
    SBL_TRY(sbl_json_get_string(&network, metadata, NETWORK, path, err));
    SBL_TRY(sbl_net_parse(&generator->net, network, strlen(network), path, err));
    const sbl_volume in = generator->net.input, out = generator->net.output;
    char wanted[24];
    generator->latent = sbl_volume_size(in) - codes;
    snprintf(wanted, sizeof wanted, "%zu", generator->latent);
    if (sbl_volume_size(in) <= codes || strcmp(latent, wanted) != 0 || out.height < facts->height ||
        out.width < facts->width || out.channels != facts->channels)
        return sbl_fail(err, SBL_EINPUT, "%s: the network is not one for its images", path);
done:
    if (status == SBL_EARG) status = SBL_EINPUT;
    return status;
}

static sbl_status read_tensors(sbl_image_generator *generator, const sbl_safetensors *file,
                               const char *path, sbl_error *err)
{
    tensor_list list = {0};
    sbl_status status;
    SBL_TRY(list_tensors(&list, generator, err));
    for (size_t i = 0; i < list.count; i++) {
        sbl_tensor *to = &list.items[i];
        const sbl_tensor *from = sbl_safetensors_find(file, to->name, to->shape[0], to->shape[1]);
        if (!from) {
            status = sbl_fail(err, SBL_EINPUT, "%s: tensor '%s' is missing or of another shape",
                              path, to->name);
            goto done;
        }
        memcpy(to->data, from->data,
               to->shape[0] * (to->rank == 2 ? to->shape[1] : 1) * sizeof(float));
    }
done:
    sbl_free(list.items);
    return status;
}

static sbl_status read_generator(sbl_image_generator *generator, const sbl_safetensors *file,
                                 const char *path, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (!sbl_image_generator_is(file->metadata))
        return sbl_fail(err, SBL_EINPUT, "%s is not a model of format '%s'", path, FORMAT_NAME);
    SBL_TRY(read_facts(&generator->facts, file->metadata, path, err));
    SBL_TRY(read_network(generator, file->metadata, path, err));
    generator->class_shares =
        sbl_alloc_array(sbl_image_facts_groups(&generator->facts), sizeof *generator->class_shares);
    if (!generator->class_shares) return sbl_fail(err, SBL_EMEM, "out of memory for %s", path);
    SBL_TRY(read_tensors(generator, file, path, err));
done:
    return status;
}

sbl_status sbl_image_generator_load(sbl_image_generator *generator, json_t **extra,
                                    const char *path, sbl_error *err)
{
    sbl_safetensors file;
    *generator = (sbl_image_generator){0};
    if (extra) *extra = NULL;
    sbl_status status = sbl_safetensors_load(&file, path, err);
    if (status != SBL_OK) return status;
    status = read_generator(generator, &file, path, err);
    if (status != SBL_OK)
        sbl_image_generator_clear(generator);
    else if (extra)
        *extra = json_incref(file.metadata);
    sbl_safetensors_clear(&file);
    return status;
}
