/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the encoder that a plan names by its hash, chooses or reads the layers that are taken, and
 * turns pixels into its input. Anything in the parameters that is not the encoder's own is
 * refused. */
#include "public/features/encoder_choice.h"

#include <string.h>

#include "base/alloc.h"
#include "public/plan/parameters.h"

#define RESIZE "resize"

/* Where images are padded. */
static size_t usual_side(const sbl_facts *facts)
{
    const size_t height = facts->images.height, width = facts->images.width;
    size_t side = 16;
    while (side < 128 && (side < height || side < width)) side *= 2;
    return side;
}

/* hash: which one is wanted; NULL: what facts say. side: 0: images are padded. */
static sbl_status load(sbl_encoded *e, const sbl_facts *facts, const char *hash, size_t side,
                       const char *feature, sbl_error *err)
{
    bool built_in = facts->encoder_path == NULL;
    if (facts->kind != SBL_DATA_IMAGES)
        return sbl_fail(err, SBL_EINPUT, "feature '%s' is for images only", feature);
    e->facts = facts;
    e->resize = side != 0;
    e->side = e->resize ? side : usual_side(facts);
    if (hash != NULL) SBL_CHECK(sbl_encoder_is_built_in(&built_in, hash, err));
    if (!built_in && facts->encoder_path == NULL)
        return sbl_fail(err, SBL_EINPUT,
                        "feature '%s': the plan's encoder is not the one that is built in; name its file",
                        feature);
    SBL_CHECK(built_in ? sbl_encoder_built_in(&e->encoder, e->side, err)
                       : sbl_encoder_load(&e->encoder, facts->encoder_path, e->side, err));
    if (hash != NULL && strcmp(hash, sbl_encoder_hash(e->encoder)) != 0)
        return sbl_fail(err, SBL_EINPUT, "%s is not the encoder of the plan: its SHA-256 differs",
                        facts->encoder_path);
    return SBL_OK;
}

/* ---- choosing ---- */

static bool same_size(const sbl_encoder *e, size_t i, size_t j)
{
    const sbl_volume a = sbl_encoder_activation_at(e, i)->volume;
    const sbl_volume b = sbl_encoder_activation_at(e, j)->volume;
    return a.height == b.height && a.width == b.width;
}

/* What it says is said again, and more widely, by the next one: the squeezes of a SqueezeNet. */
static bool is_bottleneck(const sbl_encoder *e, size_t i)
{
    return same_size(e, i, i + 1) && sbl_encoder_activation_at(e, i)->volume.channels <
                                         sbl_encoder_activation_at(e, i + 1)->volume.channels;
}

/* Smaller ones are hardly more than their channels. */
#define MOST_SIZES 3

static bool is_taken(const sbl_encoded *e, sbl_encoded_layers rule, size_t i)
{
    const bool last = i + 1 == sbl_encoder_activation_count(e->encoder);
    if (rule == SBL_ENCODED_ALL) return true;
    if (rule == SBL_ENCODED_WIDE) return last || !is_bottleneck(e->encoder, i);
    return e->layer_count < MOST_SIZES && (last || !same_size(e->encoder, i, i + 1));
}

static void choose_by_rule(sbl_encoded *e, sbl_encoded_layers rule)
{
    for (size_t i = 0; i < sbl_encoder_activation_count(e->encoder); i++)
        if (is_taken(e, rule, i)) e->layers[e->layer_count++] = i;
}

static size_t layer_size(const sbl_encoded *e, size_t l)
{
    return sbl_volume_size(sbl_encoded_layer(e, l)->volume);
}

/* Of L layers that weigh alike each has a squared length of 1/L at most in a class's mean, and the noise
 * on its d coordinates one of d noise^2: their ratio. */
#define DROWNED 0.65

/* The largest layers have the most noise: they go, all of one size together, as long as they drown. Each
 * one that goes leaves more of the length to the others. */
static void leave_out_drowned(sbl_encoded *e, double noise)
{
    for (;;) {
        size_t largest = 0, kept = 0;
        for (size_t l = 0; l < e->layer_count; l++)
            if (layer_size(e, l) > largest) largest = layer_size(e, l);
        if ((double)largest * noise * noise * (double)e->layer_count <= DROWNED) return;
        for (size_t l = 0; l < e->layer_count; l++)
            if (layer_size(e, l) < largest) e->layers[kept++] = e->layers[l];
        if (kept == 0) return; /* nothing was moved */
        e->layer_count = kept;
    }
}

static sbl_status add_layer(sbl_encoded *e, uint64_t number, sbl_error *err)
{
    const size_t count = sbl_encoder_activation_count(e->encoder);
    if (number < 1 || number > count || e->layer_count == SBL_ENCODED_MOST_LAYERS ||
        (e->layer_count > 0 && number - 1 <= e->layers[e->layer_count - 1]))
        return sbl_fail(err, SBL_EARG,
                        "layers must be numbers of the encoder's activations in rising order, from 1 to %zu",
                        count);
    e->layers[e->layer_count++] = (size_t)number - 1;
    return SBL_OK;
}

static bool shrinks_at_once(const sbl_encoded *e)
{
    return sbl_encoder_activation_at(e->encoder, 0)->volume.height < e->side;
}

/* It would remember records it has seen, and no noise would cover that. */
sbl_status sbl_encoded_check_name(const sbl_encoded *encoded, const char *called, sbl_error *err)
{
    const char *seen = sbl_encoder_saw(encoded->encoder, called);
    return seen == NULL ? SBL_OK
                        : sbl_fail(err, SBL_EINPUT,
                                   "the encoder %.30s was trained on %s, and by title or file name these are "
                                   "the same images: it is not public for them; choose another encoder",
                                   sbl_encoder_name(encoded->encoder), seen);
}

sbl_status sbl_encoded_choose(sbl_encoded *encoded, const sbl_facts *facts, const sbl_encoded_ask *ask,
                              sbl_error *err)
{
    sbl_status status = SBL_OK;
    *encoded = (sbl_encoded){.alike = ask->alike, .mirrored = ask->mirrored};
    SBL_TRY(load(encoded, facts, NULL, ask->side != 0 ? ask->side : ask->enlarged, "encoder", err));
    if (ask->side == 0 && ask->enlarged != 0 && !shrinks_at_once(encoded)) {
        sbl_encoder_free(encoded->encoder);
        encoded->encoder = NULL;
        SBL_TRY(load(encoded, facts, NULL, 0, "encoder", err));
    }
    SBL_TRY(sbl_encoded_check_name(encoded, facts->title, err));
    SBL_TRY(sbl_encoded_check_name(encoded, facts->files_name, err));
    if (ask->layer_count == 0) choose_by_rule(encoded, ask->rule);
    if (ask->layer_count == 0 && ask->alike) leave_out_drowned(encoded, ask->noise);
    for (size_t i = 0; i < ask->layer_count; i++) SBL_TRY(add_layer(encoded, ask->layers[i], err));
done:
    if (status != SBL_OK) sbl_encoded_clear(encoded);
    return status;
}

void sbl_encoded_take_signed(sbl_encoded *encoded)
{
    encoded->signs = true;
    sbl_encoder_take_signed(encoded->encoder);
}

/* ---- from a plan ---- */

static sbl_status read_layers(sbl_encoded *e, const json_t *parameters, const char *feature, sbl_error *err)
{
    json_t *list;
    SBL_CHECK(sbl_json_get_array(&list, parameters, "layers", feature, err));
    if (json_array_size(list) == 0) return sbl_fail(err, SBL_EINPUT, "%s: field 'layers' is empty", feature);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *number = json_array_get(list, i);
        if (!json_is_integer(number))
            return sbl_fail(err, SBL_EINPUT, "%s: field 'layers' is not a list of whole numbers", feature);
        SBL_CHECK(add_layer(e, (uint64_t)json_integer_value(number), err));
    }
    return SBL_OK;
}

/* A member that is there where it is true, and then is. */
static sbl_status read_flag(bool *flag, size_t *members, const json_t *parameters, const char *name,
                            const char *feature, sbl_error *err)
{
    const json_t *found = json_object_get(parameters, name);
    *flag = found != NULL;
    if (*flag) (*members)++;
    if (found != NULL && !json_is_true(found))
        return sbl_fail(err, SBL_EINPUT, "%s: field '%s' must be true or be left out", feature, name);
    return SBL_OK;
}

/* What is not as usual; members: how many that are is added. */
static sbl_status read_unusual(sbl_encoded *e, size_t *members, const json_t *parameters, const char *feature,
                               sbl_error *err)
{
    const char *fit = RESIZE;
    SBL_CHECK(read_flag(&e->alike, members, parameters, "layers_alike", feature, err));
    SBL_CHECK(read_flag(&e->mirrored, members, parameters, "mirrored", feature, err));
    e->resize = json_object_get(parameters, "fit") != NULL;
    if (!e->resize) return SBL_OK;
    (*members)++;
    SBL_CHECK(sbl_json_get_string(&fit, parameters, "fit", feature, err));
    if (strcmp(fit, RESIZE) != 0)
        return sbl_fail(err, SBL_EINPUT, "%s: field 'fit' must be '%s' or be left out", feature, RESIZE);
    return SBL_OK;
}

sbl_status sbl_encoded_read(sbl_encoded *encoded, const sbl_facts *facts, const json_t *parameters,
                            size_t members, const char *feature, sbl_error *err)
{
    const char *hash, *origin;
    uint64_t side;
    sbl_status status = SBL_OK;
    *encoded = (sbl_encoded){0};
    SBL_TRY(read_unusual(encoded, &members, parameters, feature, err));
    SBL_TRY(sbl_parameters_are(parameters, members, feature, err));
    SBL_TRY(sbl_json_get_string(&hash, parameters, "encoder", feature, err));
    SBL_TRY(sbl_json_get_string(&origin, parameters, "origin", feature, err));
    SBL_TRY(sbl_json_get_u64(&side, parameters, "side", feature, err));
    if (side < SBL_ENCODER_LEAST_SIDE || side > SBL_ENCODER_MOST_SIDE)
        SBL_FAIL(err, SBL_EINPUT, "%s: 'side' must be from %zu to %zu", feature, SBL_ENCODER_LEAST_SIDE,
                 SBL_ENCODER_MOST_SIDE);
    SBL_TRY(load(encoded, facts, hash, encoded->resize ? (size_t)side : 0, feature, err));
    if (side != encoded->side || strcmp(origin, sbl_encoder_origin(encoded->encoder)) != 0)
        SBL_FAIL(err, SBL_EINPUT, "%s: 'side' or 'origin' does not match the encoder", feature);
    SBL_TRY(read_layers(encoded, parameters, feature, err));
    sbl_encoder_end_at(encoded->encoder, encoded->layers[encoded->layer_count - 1]);
done:
    if (status != SBL_OK) sbl_encoded_clear(encoded);
    return status;
}

void sbl_encoded_clear(sbl_encoded *encoded)
{
    sbl_encoder_free(encoded->encoder);
    *encoded = (sbl_encoded){0};
}

json_t *sbl_encoded_parameters(const sbl_encoded *encoded)
{
    json_t *list = json_array();
    for (size_t l = 0; l < encoded->layer_count; l++)
        list = sbl_json_append(list, json_integer((json_int_t)encoded->layers[l] + 1));
    json_t *object =
        json_pack("{s:s, s:s, s:I, s:o}", "encoder", sbl_encoder_hash(encoded->encoder), "origin",
                  sbl_encoder_origin(encoded->encoder), "side", (json_int_t)encoded->side, "layers", list);
    if (encoded->resize) object = sbl_json_put(object, "fit", json_string(RESIZE));
    if (encoded->alike) object = sbl_json_put(object, "layers_alike", json_true());
    if (encoded->mirrored) object = sbl_json_put(object, "mirrored", json_true());
    return object;
}

/* ---- activations ---- */

sbl_status sbl_encoded_workspace(sbl_encoder_workspace **workspace, const sbl_encoded *encoded, size_t rows,
                                 bool backward, const sbl_backend *on, sbl_error *err)
{
    const sbl_image_facts *images = &encoded->facts->images;
    return sbl_encoder_workspace_new_on(workspace, encoded->encoder,
                                        sbl_volume_of(images->height, images->width, images->channels),
                                        encoded->resize ? SBL_ENCODER_RESIZE : SBL_ENCODER_PAD,
                                        encoded->mirrored && backward, rows, backward, on, err);
}

const sbl_encoder_activation *sbl_encoded_layer(const sbl_encoded *encoded, size_t l)
{
    return sbl_encoder_activation_at(encoded->encoder, encoded->layers[l]);
}

size_t sbl_encoded_width(const sbl_encoded *encoded)
{
    size_t width = 0;
    for (size_t l = 0; l < encoded->layer_count; l++)
        width += sbl_volume_size(sbl_encoded_layer(encoded, l)->volume);
    return width;
}
