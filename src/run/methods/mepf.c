/* SPDX-License-Identifier: Apache-2.0 */
/* mepf: mean embeddings of what a frozen public network sees in images, and a generator trained to
 * match them (Harder, Jalali, Sutherland and Park 2023; corrected in docs/mechanisms/mepf.md).
 *
 * Round 1: blocks of one joint release, which of them the option `embedding` says:
 *     pixels      random Fourier features of the pixels, as merf
 *     perceptual  random Fourier features of pooled activations
 *     hermite     Hermite features of the pixels, as hp
 *     moments     phi1 and phi2 of the activations themselves, as in the paper, behind the ReLUs or
 *                 before them; or phi1 alone; of an image, or of it and its mirror image
 * Round 2, unless early stopping is off: moments of the last activation, with ten times the noise
 * for the same sensitivity. The weights of training that agree with them best are kept. */
#include <string.h>

#include "base/alloc.h"
#include "public/features/activation_shapes.h"
#include "public/options/option_row.h"
#include "public/options/option_values.h"
#include "run/methods/hermite_sum.h"
#include "run/methods/mepf_cells.h"
#include "run/methods/mepf_defaults.h"
#include "run/methods/mepf_describe.h"
#include "run/methods/network_method.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define STOPPING_SHARE 0.01 /* of mu^2, beside 1 for what is trained against */

/* ---- options ---- */

static const sbl_option_range rising = {1, 151, false, "rising numbers from 1 to 151, e.g. 2,4,6"};
static const sbl_option_range sides = {(double)SBL_ENCODER_LEAST_SIDE, (double)SBL_ENCODER_MOST_SIDE, false,
                                       "a whole number from 16 to 256"};
static const sbl_option_range class_layers = {1, 150, false, "a whole number from 1 to 150"};
static const char *const yes_or_no[] = {"yes", "no", NULL};
static const char *const layer_weights[] = {"alike", "as-is", NULL};

static const sbl_option encoder_option =
    SBL_SETTING(SBL_SETTING_ENCODER, SBL_OPTION_TEXT, "FILE", SBL_IMAGES, SBL_STEPS_PLAN | SBL_STEP_TRAIN,
                "a frozen network in safetensors that was trained on public data",
                SBL_STANDARD_WORDS("vgg-s, which is built in"));
static const sbl_option embedding_option = SBL_SETTING(
    "embedding", SBL_OPTION_TEXT, "E", SBL_IMAGES, SBL_STEPS_PLAN,
    "what is released, joined by +: pixels and perceptual (Fourier features of pixels and of what "
    "the network sees), hermite (of pixels, as hp), and one of moments (of its activations, as in "
    "the paper), first-moments, signed-moments (before the ReLUs), signed-first-moments; best: "
    "pixels+first-moments, of colour images first-moments; all: pixels+perceptual+moments",
    SBL_STANDARD_IMAGES("best"));
static const sbl_option layers_option = SBL_SETTING(
    "layers", SBL_OPTION_WHOLES, "LIST", SBL_IMAGES, SBL_STEPS_PLAN,
    "activations of the network that are taken, as 'encoder show' numbers them", .range = &rising,
    .most = SBL_MAX_WHOLES,
    SBL_STANDARD_WORDS("moments all, of colour images all but bottlenecks and those that drown in "
                       "noise, perceptual the last of each of the three largest sizes"));
static const sbl_option side_option = SBL_SETTING(
    "encoder-side", SBL_OPTION_WHOLE, "S", SBL_IMAGES, SBL_STEPS_PLAN,
    "images are resampled to S x S pixels before the network sees them: it was trained on larger "
    "ones",
    .range = &sides,
    SBL_STANDARD_WORDS("none, they are put in the middle of black; of colour images below 64 x 64 "
                       "and a network whose first layer shrinks them twice their side, at most 64"));
static const sbl_option mirror_option = SBL_SETTING(
    "mirror", SBL_OPTION_CHOICE, "M", SBL_IMAGES, SBL_STEPS_PLAN,
    "yes: moments are the mean of those of an image and of its mirror image, left to right; no: of "
    "the image, as is right for letters, digits and whatever is another thing in a mirror",
    .choices = yes_or_no, SBL_STANDARD_WORDS("yes of colour images, no of grey ones"));
static const sbl_option weights_option =
    SBL_SETTING("layer-weights", SBL_OPTION_CHOICE, "W", SBL_IMAGES, SBL_STEPS_PLAN,
                "of moments: alike (the activations of each layer have length 1 by themselves) or as-is (all "
                "together have)",
                .choices = layer_weights, SBL_STANDARD_WORDS("alike of colour images, as-is of grey ones"));
static const sbl_option class_layers_option =
    SBL_SETTING("class-layers", SBL_OPTION_WHOLE, "N", SBL_IMAGES, SBL_STEPS_PLAN,
                "of moments, with labels: only the last N of the layers that are taken are summed for each "
                "class, the others "
                "over all images, where noise is less beside more images",
                .range = &class_layers, SBL_STANDARD_WORDS("all"));
static const sbl_option stopping_option =
    SBL_SETTING("early-stopping", SBL_OPTION_CHOICE, "S", SBL_IMAGES, SBL_STEPS_PLAN,
                "yes: a second, small release chooses among the weights of training; no: its share of the "
                "budget goes to the first",
                .choices = yes_or_no, SBL_STANDARD_WORDS("yes of grey images, no of colour ones"));
static const sbl_option *const own_options[] = {&sbl_option_features,
                                                &encoder_option,
                                                &embedding_option,
                                                &layers_option,
                                                &side_option,
                                                &mirror_option,
                                                &weights_option,
                                                &class_layers_option,
                                                &stopping_option,
                                                &sbl_option_cells,
                                                &sbl_option_first_share,
                                                &sbl_option_objective,
                                                SBL_GENERATOR_OPTIONS,
                                                SBL_HERMITE_SUM_OPTIONS,
                                                NULL};

/* ---- what is released ---- */

/* An option that is a choice of two, the first of which means yes. */
static bool is_yes(const sbl_synth_options *options, const sbl_option *option, bool standard)
{
    const char *given = sbl_setting_given(options, option->name);
    return given != NULL ? strcmp(given, option->choices[0]) == 0 : standard;
}

static sbl_status read_embedding(sbl_mepf_embedding *chosen, const sbl_mepf_defaults *by,
                                 const sbl_synth_options *options, sbl_error *err)
{
    const char *text = sbl_setting_text(options, &embedding_option, SBL_IMAGES);
    const sbl_status status = sbl_mepf_embedding_read(chosen, text, by->embedding, err);
    if (status != SBL_OK) return status;
    if (!chosen->hermite && (sbl_setting_given(options, sbl_option_lengths.name) != NULL ||
                             sbl_setting_given(options, sbl_option_order.name) != NULL ||
                             sbl_setting_given(options, sbl_option_sensitivity.name) != NULL))
        return sbl_fail(err, SBL_EARG,
                        "lengths, order and sensitivity are for the block hermite: add it to embedding, or "
                        "leave them out");
    if (chosen->moments == 0 &&
        (is_yes(options, &mirror_option, false) || is_yes(options, &weights_option, false)))
        return sbl_fail(
            err, SBL_EARG,
            "mirror and layer-weights are for moments: add moments to embedding, or leave them out");
    if ((chosen->moments == 0 || chosen->signs) &&
        sbl_setting_given(options, class_layers_option.name) != NULL)
        return sbl_fail(
            err, SBL_EARG,
            "class-layers is for moments and first-moments: add one of them to embedding, or leave it out");
    return SBL_OK;
}

/* The number of cells in a class; 1: classes stay whole. auto: by public facts, and 1 with early stopping. */
static size_t cells_of(const sbl_facts *facts, const sbl_synth_options *options)
{
    const size_t given = sbl_mepf_cells_given(options);
    const sbl_mepf_defaults by = sbl_mepf_defaults_of(facts, options);
    sbl_mepf_embedding chosen;
    if (given != 0) return given;
    if (is_yes(options, &stopping_option, false)) return 1;
    if (read_embedding(&chosen, &by, options, NULL) != SBL_OK) return 1; /* the plan says why */
    return sbl_mepf_cells_of_noise(facts, options, chosen.pixels ? 2 : 1,
                                   (size_t)sbl_setting_whole(options, &sbl_option_features, SBL_IMAGES),
                                   1 - sbl_mepf_first_share(options));
}

static bool stops_early(const sbl_facts *facts, const sbl_synth_options *options)
{
    if (cells_of(facts, options) > 1) return false;
    return is_yes(options, &stopping_option, sbl_mepf_defaults_of(facts, options).early_stopping);
}

static sbl_status rounds(double shares[SBL_MOST_ROUNDS], size_t *count, const sbl_facts *facts,
                         const sbl_synth_options *options, sbl_error *err)
{
    if (sbl_mepf_cells_given(options) == 0 &&
        (options->neighbours == SBL_ADD_REMOVE || options->expected_rows == 0))
        return sbl_fail(err, SBL_EARG,
                        "cells auto needs a number of images, which is private under add-remove: give cells "
                        "as a number");
    const bool cells = cells_of(facts, options) > 1;
    if (cells && is_yes(options, &stopping_option, false))
        return sbl_fail(err, SBL_EARG,
                        "early-stopping is for one cell a class: leave out early-stopping or cells");
    if (sbl_mepf_cells_given(options) == 1 && sbl_setting_given(options, sbl_option_first_share.name) != NULL)
        return sbl_fail(err, SBL_EARG, "first-share is for cells: give cells, too, or leave it out");
    if (cells) {
        *count = 2;
        shares[0] = sbl_mepf_first_share(options);
        shares[1] = 1 - shares[0];
        return SBL_OK;
    }
    *count = stops_early(facts, options) ? 2 : 1;
    shares[0] = *count == 2 ? 1 / (1 + STOPPING_SHARE) : 1.0;
    shares[1] = STOPPING_SHARE / (1 + STOPPING_SHARE);
    return SBL_OK;
}

/* 0: not given. */
static size_t side_of(const sbl_synth_options *options)
{
    return sbl_setting_given(options, side_option.name) != NULL
               ? (size_t)sbl_setting_whole(options, &side_option, SBL_IMAGES)
               : 0;
}

static sbl_status add_pixels(sbl_plan *next, size_t features, uint64_t seed, sbl_error *err)
{
    static const double scales[] = {0.3, 0.6};
    const sbl_orthogonal_rule pixels = {
        .frequencies = features / 2, .scales = scales, .scale_count = COUNT(scales), .seed = seed};
    return sbl_plan_add(next, "orthogonal", sbl_orthogonal_parameters(&pixels), 1.0, err);
}

static const double perceptual_scales[] = {0.2, 0.4, 0.8};

static sbl_status add_perceptual(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                                 const sbl_mepf_defaults *by, size_t features, sbl_error *err)
{
    uint64_t layers[SBL_MAX_WHOLES];
    sbl_encoded encoded;
    const sbl_encoded_ask ask = {
        .layers = layers,
        .layer_count = sbl_setting_wholes(layers, options, &layers_option, SBL_IMAGES),
        .rule = SBL_ENCODED_SCALES,
        .side = side_of(options),
        .enlarged = by->enlarged};
    const sbl_status status = sbl_encoded_choose(&encoded, facts, &ask, err);
    if (status != SBL_OK) return status;
    json_t *parameters = sbl_perceptual_parameters(&encoded, features, perceptual_scales,
                                                   COUNT(perceptual_scales), options->seed);
    sbl_encoded_clear(&encoded);
    return sbl_plan_add(next, SBL_PERCEPTUAL, parameters, 1.0, err);
}

static sbl_status add_hermite(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                              sbl_error *err)
{
    json_t *parameters;
    const sbl_status status = sbl_hermite_sum_parameters(&parameters, facts, options, err);
    return status == SBL_OK ? sbl_plan_add(next, "hermite", parameters, 1.0, err) : status;
}

/* 0: all layers are summed for each class. */
static size_t class_layers_of(const sbl_synth_options *options)
{
    return sbl_setting_given(options, class_layers_option.name) != NULL
               ? (size_t)sbl_setting_whole(options, &class_layers_option, SBL_IMAGES)
               : 0;
}

/* The last `last` layers for each class, those before over all images. */
static sbl_status add_split(sbl_plan *next, const sbl_encoded *all, size_t last, size_t moments,
                            sbl_error *err)
{
    sbl_encoded pooled = *all, own = *all; /* both borrow the network */
    if (all->facts->classes < 2)
        return sbl_fail(err, SBL_EARG, "class-layers needs labels, and the images have none: leave it out");
    if (last >= all->layer_count)
        return sbl_fail(err, SBL_EARG, "class-layers must be below the number of layers, %zu",
                        all->layer_count);
    pooled.layer_count = all->layer_count - last;
    own.layer_count = last;
    for (size_t l = 0; l < last; l++) own.layers[l] = all->layers[pooled.layer_count + l];
    SBL_CHECK(sbl_plan_add(next, SBL_POOLED_MOMENTS, sbl_moments_parameters(&pooled, moments), 1.0, err));
    return sbl_plan_add(next, SBL_MOMENTS, sbl_moments_parameters(&own, moments), 1.0, err);
}

static sbl_status add_moments(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                              const sbl_mepf_defaults *by, const sbl_mepf_embedding *chosen, sbl_error *err)
{
    const size_t last = class_layers_of(options);
    uint64_t layers[SBL_MAX_WHOLES];
    sbl_encoded encoded;
    const sbl_encoded_ask ask = {
        .layers = layers,
        .layer_count = sbl_setting_wholes(layers, options, &layers_option, SBL_IMAGES),
        .rule = by->layers,
        .side = side_of(options),
        .enlarged = by->enlarged,
        .noise = last > 0 ? by->noise / (double)facts->classes : by->noise, /* most are not by class */
        .alike = is_yes(options, &weights_option, by->alike),
        .mirrored = is_yes(options, &mirror_option, by->mirrored)};
    const sbl_status status = sbl_encoded_choose(&encoded, facts, &ask, err);
    if (status != SBL_OK) return status;
    const sbl_status added = last > 0
                                 ? add_split(next, &encoded, last, chosen->moments, err)
                                 : sbl_plan_add(next, chosen->signs ? SBL_SIGNED_MOMENTS : SBL_MOMENTS,
                                                sbl_moments_parameters(&encoded, chosen->moments), 1.0, err);
    sbl_encoded_clear(&encoded);
    return added;
}

static sbl_status plan_first(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                             sbl_error *err)
{
    sbl_mepf_embedding chosen;
    const sbl_mepf_defaults by = sbl_mepf_defaults_of(facts, options);
    const size_t features = (size_t)sbl_setting_whole(options, &sbl_option_features, SBL_IMAGES);
    const bool add_remove = options->neighbours == SBL_ADD_REMOVE;
    SBL_CHECK(read_embedding(&chosen, &by, options, err));
    if (features == 0) return sbl_fail(err, SBL_EARG, "features auto is for the method merf: give a number");
    if (features % 2 != 0)
        return sbl_fail(err, SBL_EARG, "features must be an even number from 2 to 1000000");
    /* As for merf: under add-remove the counts, or their total, are where n comes from. */
    next->counts = !facts->balanced && (facts->classes > 1 || add_remove);
    if (chosen.pixels) SBL_CHECK(add_pixels(next, features, options->seed, err));
    if (chosen.hermite) SBL_CHECK(add_hermite(next, facts, options, err));
    if (chosen.perceptual) SBL_CHECK(add_perceptual(next, facts, options, &by, features, err));
    if (chosen.moments > 0) SBL_CHECK(add_moments(next, facts, options, &by, &chosen, err));
    const size_t cells = cells_of(facts, options);
    if (cells > 1) {
        const sbl_encoded_ask ask = {
            .rule = SBL_ENCODED_SCALES, .side = side_of(options), .enlarged = by.enlarged};
        SBL_CHECK(sbl_mepf_cells_announce(next, facts, options, &ask, cells, features, err));
    }
    if (facts->balanced && add_remove) SBL_CHECK(sbl_plan_add(next, "total", json_object(), 1.0, err));
    return sbl_plan_set(next, "early_stopping", json_boolean(stops_early(facts, options)), err);
}

/* Statistics that choose among weights: of the same network, its last activation alone. */
static sbl_status plan_second(sbl_plan *next, const sbl_round *first, sbl_error *err)
{
    const sbl_encoded *encoded = sbl_mepf_encoded(first);
    if (encoded == NULL) return sbl_fail(err, SBL_EINPUT, "the plan has no feature of an encoder");
    sbl_encoded last = *encoded; /* borrows the network */
    last.layers[0] = sbl_encoder_activation_count(encoded->encoder) - 1;
    last.layer_count = 1;
    last.alike = false; /* of one layer it says nothing */
    return sbl_plan_add(next, SBL_MOMENTS, sbl_moments_parameters(&last, 2), 1.0, err);
}

/* Means of each cell: small blocks. What the first release has beside them stays with the classes. */
static sbl_status plan_cells(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                             const sbl_round *first, sbl_error *err)
{
    size_t features;
    sbl_image_cells *cells = NULL;
    SBL_CHECK(sbl_mepf_cells_plan(next, &features, facts, options, first, err));
    if (sbl_features_find(&first->features, "orthogonal") != NULL)
        SBL_CHECK(add_pixels(next, features, options->seed, err));
    SBL_CHECK(sbl_image_cells_read(&cells, facts, next->settings, err));
    json_t *parameters = sbl_perceptual_parameters(&cells->space.encoded, features, perceptual_scales,
                                                   COUNT(perceptual_scales), options->seed);
    sbl_image_cells_free(cells);
    return sbl_plan_add(next, SBL_PERCEPTUAL, parameters, 1.0, err);
}

static bool follows(const sbl_round *before, size_t count)
{
    const json_t *stopping = json_object_get(before[0].plan.settings, "early_stopping");
    return count == 1 && (sbl_mepf_cells_follow(&before[0]) || json_is_true(stopping));
}

static sbl_status plan(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                       const sbl_round *before, size_t count, sbl_error *err)
{
    bool stopping;
    if (count == 0) return plan_first(next, facts, options, err);
    if (sbl_mepf_cells_follow(&before[0]))
        return count == 1 ? plan_cells(next, facts, options, &before[0], err) : SBL_OK;
    const sbl_status status =
        sbl_json_get_bool(&stopping, before[0].plan.settings, "early_stopping", "the plan", err);
    if (status != SBL_OK || !stopping || count > 1) return status;
    return plan_second(next, &before[0], err);
}

/* ---- the model ---- */

static sbl_status check(const sbl_facts *facts, const sbl_round *first, const sbl_synth_options *options,
                        sbl_error *err)
{
    const sbl_generate_rule own = sbl_mepf_rule(facts, &first->features, options);
    return sbl_generate_check_by(facts, first, options, &own, err);
}

static sbl_status fit(sbl_model **model, const sbl_facts *facts, const sbl_round *made, size_t count,
                      const sbl_synth_options *options, sbl_store_entry checkpoint, sbl_error *err)
{
    sbl_generate_rule own = sbl_mepf_rule(facts, &made[0].features, options);
    if (made[count - 1].features.cells != NULL) {
        SBL_CHECK(sbl_mepf_first_fit(&own.start, facts, options, &made[0], err));
        own.part = own.memory = 0; /* a part of a cell's rows would be too few */
    }
    return sbl_generate_fit_by(model, facts, made, count, options, checkpoint, &own, err);
}

static const char *const also_public[] = {
    "kernel length scales (from the size of a record)",
    "which activations of the encoder are taken",
    NULL,
};

const sbl_method sbl_method_mepf = {
    .name = "mepf",
    .images = true,
    .wants_rows = true,
    .options = own_options,
    .also_public = also_public,
    .rounds = rounds,
    .plan = plan,
    .follows = follows,
    .check = check,
    .cost = sbl_mepf_cost,
    .explain = sbl_mepf_explain,
    .assume = sbl_mepf_assume,
    .fit = fit,
};
