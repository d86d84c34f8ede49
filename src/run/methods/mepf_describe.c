/* SPDX-License-Identifier: Apache-2.0 */
/* From the shapes of the network, the generator and a batch: operations and bytes; then words. */
#include "run/methods/mepf_describe.h"

#include <math.h>
#include <string.h>

#include "after/losses/encoder_pass.h"
#include "after/model/model.h"
#include "after/train/train_batch.h"
#include "public/features/activation_shapes.h"
#include "public/options/option_values.h"
#include "run/methods/mepf_cells.h"
#include "run/methods/mepf_defaults.h"

/* Of either kind; NULL: none. */
static const sbl_feature_instance *moments_of(const sbl_round *round)
{
    const sbl_feature_instance *moments = sbl_features_find(&round->features, SBL_MOMENTS);
    return moments != NULL ? moments : sbl_features_find(&round->features, SBL_SIGNED_MOMENTS);
}

/* Layers that are summed over all classes. */
static size_t pooled_layers(const sbl_round *round)
{
    const sbl_feature_instance *pooled = sbl_features_find(&round->features, SBL_POOLED_MOMENTS);
    return pooled != NULL ? ((const sbl_moments_feature *)pooled->made)->encoded.layer_count : 0;
}

const sbl_encoded *sbl_mepf_encoded(const sbl_round *round)
{
    const sbl_feature_instance *perceptual = sbl_features_find(&round->features, SBL_PERCEPTUAL);
    const sbl_feature_instance *moments = moments_of(round);
    if (moments != NULL) return &((const sbl_moments_feature *)moments->made)->encoded;
    return perceptual != NULL ? &((const sbl_perceptual *)perceptual->made)->encoded : NULL;
}

typedef struct cost {
    sbl_generate_length length;
    sbl_mepf_cells_cost cells; /* what they add */
    double trained;    /* images that a training draws, all steps together, over those without cells */
    double operations; /* of training and of reading n images */
    double memory;     /* of a batch in the network, in bytes, about */
    size_t channels;   /* of a residual generator; 0: it is the small one */
    bool cpu, fewer;   /* who trains, and is it less for that? */
} cost;

/* A cell has four rows of each step at least (docs/mechanisms/mepf.md#cells). */
#define LEAST_ROWS_OF_CELL 4

/* The first fit and the second, whose batch has room for all cells, over a training of this length alone. */
static double trained_with_cells(const sbl_mepf_cells_cost *cells, const sbl_generate_length *length,
                                 size_t classes)
{
    const double usual = (double)length->steps * (double)length->batch;
    const double least = (double)(LEAST_ROWS_OF_CELL * cells->number * classes);
    if (cells->number < 2) return 1;
    return ((double)cells->steps * (double)cells->batch +
            (double)length->steps * fmax((double)length->batch, least)) /
           usual;
}

/* s: the deviation of the noise on a class's mean of norm 1 (run/methods/network_method.h). */
static double noise_of(const sbl_facts *facts, const sbl_round *first, uint64_t n,
                       const sbl_synth_options *options)
{
    const bool add_remove = options->neighbours == SBL_ADD_REMOVE;
    double mu, kept = 0, changed = !first->plan.counts ? 0 : add_remove ? 1 : 2;
    for (size_t b = 0; b < first->features.layout.block_count; b++) {
        const sbl_block *block = &first->features.layout.blocks[b];
        const bool sign = !block->nonnegative && !block->pairwise;
        kept += add_remove ? 1 : sign ? 4 : 2;
        changed += add_remove ? 1 : 2;
    }
    if (sbl_gdp_mu(&mu, options->epsilon, sbl_delta_of_options(options, n), NULL) != SBL_OK) return 0;
    return sqrt(fmax(kept, changed)) / (mu * sqrt(first->plan.share)) * (double)facts->classes / (double)n;
}

/* Operations of the generator for an image, there and back: of a residual one, whose blocks each have
 * two convolutions of 3 x 3 of half the channels at twice the side, with the gradients of images and of
 * weights; of the small one as much as one pass and a half of a network of vgg-s's size. */
static double generator_operations(const sbl_facts *facts, size_t channels, double forward)
{
    const size_t height = facts->images.height, width = facts->images.width;
    double blocks = 0;
    if (channels == 0) return 1.5 * forward;
    for (size_t side = 4; side < height || side < width; side *= 2) blocks++;
    return 3 * 2 * blocks * 2 * 9 * 16 * (double)channels * (double)channels;
}

/* The rows of a batch's largest class. */
static size_t class_rows(size_t batch, size_t classes) { return batch / classes + 1; }

/* What a batch takes in the network there and back, and the gradients of the activations that are taken: of one class or
 * a part of it, or of as many classes as go through together (after/losses/encoder_pass.h). */
static double seen_bytes(const sbl_encoded *e, size_t batch, size_t classes, double most)
{
    const double image = sbl_encoded_row_bytes(e), all = image * (double)batch;
    const size_t rows = sbl_encoded_rows_at_once(e, most, class_rows(batch, classes));
    return fmax(image * (double)rows, fmin(all, SBL_MOMENTS_GROUP_PART * most));
}

/* Ways through the network there and back: 2, and nearly one more where a class goes through in parts. */
static double passes_of(const sbl_encoded *e, size_t batch, size_t classes, double most)
{
    const size_t rows = class_rows(batch, classes);
    return 3 - (double)sbl_encoded_rows_at_once(e, most, rows) / (double)rows;
}

/* cpu: it trains. */
static cost cost_of(const sbl_facts *facts, const sbl_round *first, uint64_t n,
                    const sbl_synth_options *options, bool cpu)
{
    const sbl_encoded *encoded = sbl_mepf_encoded(first);
    const double forward = 2 * sbl_encoder_products(encoded->encoder);
    const bool perceptual = sbl_features_find(&first->features, SBL_PERCEPTUAL) != NULL;
    const bool moments = moments_of(first) != NULL;
    const bool twice = (perceptual && moments) || pooled_layers(first) > 0;
    const sbl_generate_rule rule = sbl_mepf_rule(facts, &first->features, options);
    const double part = rule.part > 0 ? rule.part : 1;
    const double most = cpu ? SBL_BATCH_HOST_BYTES : SBL_BATCH_DEVICE_BYTES;
    cost c = {
        .length = sbl_generate_length_of(&rule, SBL_IMAGES, options, noise_of(facts, first, n, options), cpu),
        .channels = sbl_generate_channels(&rule, options, cpu),
        .cpu = cpu,
        .fewer = rule.cpu_channels != 0};
    /* There and back, of a part of the batch or all of it. */
    const size_t seen = (size_t)(part * (double)c.length.batch);
    const double image = passes_of(encoded, seen, facts->classes, most) * part * (twice ? 2 : 1) * forward +
                         generator_operations(facts, c.channels, forward);
    /* With cells the second reading takes an image through the network once, as it is, and so does what is clustered. */
    c.cells = sbl_mepf_cells_add(first);
    c.trained = trained_with_cells(&c.cells, &c.length, facts->classes);
    const double ways = encoded->mirrored ? 2 : 1;
    const double read = (twice ? 2 : 1) * ways + (c.cells.number > 1 ? 1 : ways);
    c.operations = c.trained * (double)c.length.steps * (double)c.length.batch * image +
                   ((double)n * read + (double)(c.cells.images * facts->classes)) * forward;
    c.memory = seen_bytes(encoded, c.length.batch, facts->classes, most) * (twice ? 2 : 1);
    return c;
}

/* Of as many steps as the noise allows. */
sbl_status sbl_mepf_cost(sbl_fit_cost *about, const sbl_facts *facts, const sbl_round *first, uint64_t n,
                         const sbl_synth_options *options, sbl_error *err)
{
    const sbl_generate_rule rule = sbl_mepf_rule(facts, &first->features, options);
    const bool sees = sbl_mepf_encoded(first) != NULL;
    const double s = sees ? noise_of(facts, first, n, options) : 0;
    const sbl_status status = sbl_generate_cost_by(about, facts, first, s, options, &rule, err);
    if (status != SBL_OK || !sees) return status;
    const bool cpu = strcmp(about->device, SBL_DEVICE_CPU) == 0;
    const cost c = cost_of(facts, first, n, options, cpu);
    about->seconds *= c.trained;
    about->processor *= c.trained;
    if (!cpu) return SBL_OK;
    /* What a rehearsal does not allocate: a residual generator's is of few images, and it validates nothing. */
    about->bytes += c.memory * ((c.channels > 0 ? 1 : 0) + (first->plan.share < 1 ? 1 : 0));
    return SBL_OK;
}

static bool takes_otherwise(const sbl_encoded *e) { return e->resize || e->alike || e->mirrored; }

/* What is not as usual about its activations. */
static void say_how(sbl_text *words, const sbl_encoded *e)
{
    const char *before = "";
    if (e->resize) {
        sbl_text_printf(words, "of images resampled to %zu x %zu", e->side, e->side);
        before = ", ";
    }
    if (e->mirrored) {
        sbl_text_printf(words, "%sof each image and its mirror image", before);
        before = ", ";
    }
    if (e->alike) sbl_text_printf(words, "%slayers weighed alike", before);
}

void sbl_mepf_explain(sbl_text *words, json_t *object, const sbl_facts *facts, const sbl_round *first,
                      uint64_t n, const sbl_synth_options *options)
{
    const sbl_encoded *encoded = sbl_mepf_encoded(first);
    if (encoded == NULL) return;
    const cost c = cost_of(facts, first, n, options, sbl_generate_on_cpu(options));
    if (object != NULL) {
        (void)json_object_set_new(object, "encoder", json_string(sbl_encoder_name(encoded->encoder)));
        (void)json_object_set_new(object, "encoder_trained_on",
                                  json_string(sbl_encoder_origin(encoded->encoder)));
        (void)json_object_set_new(object, "steps", json_integer((json_int_t)c.length.steps));
        (void)json_object_set_new(object, "batch", json_integer((json_int_t)c.length.batch));
        (void)json_object_set_new(object, "operations", json_real(c.operations));
        (void)json_object_set_new(object, "training_bytes", json_real(c.memory));
        if (c.cells.number > 1 || sbl_mepf_cells_given(options) == 0)
            (void)json_object_set_new(
                object, "cells",
                json_pack("{s:I, s:I, s:I}", "number", (json_int_t)c.cells.number, "first_batch",
                          (json_int_t)c.cells.batch, "first_steps", (json_int_t)c.cells.steps));
        return;
    }
    sbl_text_printf(words,
                    "\nencoder    %s, trained on: %s\n"
                    "           it is taken as public: one that has seen the private images is not\n",
                    sbl_encoder_name(encoded->encoder), sbl_encoder_origin(encoded->encoder));
    const size_t pooled = pooled_layers(first), taken = pooled + encoded->layer_count;
    if (taken < sbl_encoder_activation_count(encoded->encoder))
        sbl_text_printf(words, "           %zu of its %zu activations are taken\n", taken,
                        sbl_encoder_activation_count(encoded->encoder));
    if (pooled > 0)
        sbl_text_printf(
            words, "           the last %zu of them are summed for each class, the others over all images\n",
            encoded->layer_count);
    if (takes_otherwise(encoded)) {
        sbl_text_printf(words, "           ");
        say_how(words, encoded);
        sbl_text_printf(words, "\n");
    }
    sbl_text_printf(words,
                    "training   %zu steps of %zu images; %.3g operations in all (method merf is the "
                    "quick one)\n",
                    c.length.steps, c.length.batch, c.operations);
    if (c.channels > 0)
        sbl_text_printf(words, "           of a residual generator with %zu channels%s\n", c.channels,
                        c.cpu && c.fewer ? ": where the CPU trains it is smaller, and trained less" : "");
    if (c.cells.number > 1)
        sbl_text_printf(
            words,
            "cells      a first fit of %zu steps of %zu images to the first release, then %zu cells in "
            "each class;\n"
            "           the mean of a cell has %zu times the noise on the mean of a class\n",
            c.cells.steps, c.cells.batch, c.cells.number, c.cells.number);
    else if (sbl_mepf_cells_given(options) == 0)
        sbl_text_printf(words, "cells      auto takes one in each class\n");
}

void sbl_mepf_assume(sbl_text *text, const sbl_facts *facts, const sbl_round *first)
{
    const sbl_encoded *encoded = sbl_mepf_encoded(first);
    (void)facts;
    if (encoded == NULL) return;
    sbl_text_printf(text, "the encoder of SHA-256 %s, trained on: ", sbl_encoder_hash(encoded->encoder));
    const char *origin = sbl_encoder_origin(encoded->encoder);
    const size_t left = SBL_MOST_ASSUMED - text->length;
    if (strlen(origin) <= left)
        sbl_text_printf(text, "%s", origin);
    else
        sbl_text_printf(text, "%.*s...", (int)left - 3, origin);
    if (takes_otherwise(encoded)) {
        sbl_text_printf(text, "\nwhat the encoder sees: ");
        say_how(text, encoded);
    }
    sbl_mepf_cells_assume(text, first);
}
