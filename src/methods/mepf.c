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
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "features/activation_moments.h"
#include "features/orthogonal.h"
#include "features/perceptual.h"
#include "methods/generate.h"
#include "methods/hermite_sum.h"
#include "methods/mepf_defaults.h"
#include "methods/mepf_embedding.h"
#include "options/option_row.h"
#include "options/options.h"
#include "train/batch.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define STOPPING_SHARE 0.01 /* of mu^2, beside 1 for what is trained against */

/* ---- options ---- */

static const sbl_option_range rising = {1, 80, false, "rising numbers from 1 to 80, e.g. 2,4,6"};
static const sbl_option_range sides = {(double)SBL_ENCODER_LEAST_SIDE,
                                       (double)SBL_ENCODER_MOST_SIDE, false,
                                       "a whole number from 16 to 256"};
static const char *const yes_or_no[] = {"yes", "no", NULL};
static const char *const layer_weights[] = {"alike", "as-is", NULL};

static const sbl_option encoder_option = SBL_SETTING(
    SBL_SETTING_ENCODER, SBL_OPTION_TEXT, "FILE", SBL_IMAGES, SBL_STEPS_PLAN | SBL_STEP_TRAIN,
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
                       "noise, perceptual the last of each size"));
static const sbl_option side_option = SBL_SETTING(
    "encoder-side", SBL_OPTION_WHOLE, "S", SBL_IMAGES, SBL_STEPS_PLAN,
    "images are resampled to S x S pixels before the network sees them: it was trained on larger "
    "ones",
    .range = &sides,
    SBL_STANDARD_WORDS(
        "none, they are put in the middle of black; of colour images below 64 x 64 "
        "and a network whose first layer shrinks them twice their side, at most 64"));
static const sbl_option mirror_option = SBL_SETTING(
    "mirror", SBL_OPTION_CHOICE, "M", SBL_IMAGES, SBL_STEPS_PLAN,
    "yes: moments are the mean of those of an image and of its mirror image, left to right; no: of "
    "the image, as is right for letters, digits and whatever is another thing in a mirror",
    .choices = yes_or_no, SBL_STANDARD_WORDS("yes of colour images, no of grey ones"));
static const sbl_option weights_option = SBL_SETTING(
    "layer-weights", SBL_OPTION_CHOICE, "W", SBL_IMAGES, SBL_STEPS_PLAN,
    "of moments: alike (the activations of each layer have length 1 by themselves) or as-is (all "
    "together have)",
    .choices = layer_weights, SBL_STANDARD_WORDS("alike of colour images, as-is of grey ones"));
static const sbl_option stopping_option = SBL_SETTING(
    "early-stopping", SBL_OPTION_CHOICE, "S", SBL_IMAGES, SBL_STEPS_PLAN,
    "yes: a second, small release chooses among the weights of training; no: its share of the "
    "budget goes to the first",
    .choices = yes_or_no, SBL_STANDARD_WORDS("yes of grey images, no of colour ones"));
static const sbl_option *const own_options[] = {
    &sbl_option_features,  &encoder_option,       &embedding_option,       &layers_option,
    &side_option,          &mirror_option,        &weights_option,         &stopping_option,
    &sbl_option_objective, SBL_GENERATOR_OPTIONS, SBL_HERMITE_SUM_OPTIONS, NULL};

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
                        "lengths, order and sensitivity are of the block hermite, which embedding "
                        "does not name");
    if (chosen->moments == 0 &&
        (is_yes(options, &mirror_option, false) || is_yes(options, &weights_option, false)))
        return sbl_fail(err, SBL_EARG,
                        "mirror and layer-weights are of moments, which embedding does not name");
    return SBL_OK;
}

static bool stops_early(const sbl_facts *facts, const sbl_synth_options *options)
{
    return is_yes(options, &stopping_option, sbl_mepf_defaults_of(facts, options).early_stopping);
}

static sbl_status rounds(double shares[SBL_MOST_ROUNDS], size_t *count, const sbl_facts *facts,
                         const sbl_synth_options *options, sbl_error *err)
{
    (void)err;
    *count = stops_early(facts, options) ? 2 : 1;
    shares[0] = *count == 2 ? 1 / (1 + STOPPING_SHARE) : 1.0;
    shares[1] = STOPPING_SHARE / (1 + STOPPING_SHARE);
    return SBL_OK;
}

/* 0: nobody said. */
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

static sbl_status add_perceptual(sbl_plan *next, const sbl_facts *facts,
                                 const sbl_synth_options *options, const sbl_mepf_defaults *by,
                                 size_t features, sbl_error *err)
{
    static const double scales[] = {0.2, 0.4, 0.8};
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
    json_t *parameters =
        sbl_perceptual_parameters(&encoded, features, scales, COUNT(scales), options->seed);
    sbl_encoded_clear(&encoded);
    return sbl_plan_add(next, SBL_PERCEPTUAL, parameters, 1.0, err);
}

static sbl_status add_hermite(sbl_plan *next, const sbl_facts *facts,
                              const sbl_synth_options *options, sbl_error *err)
{
    json_t *parameters;
    const sbl_status status = sbl_hermite_sum_parameters(&parameters, facts, options, err);
    return status == SBL_OK ? sbl_plan_add(next, "hermite", parameters, 1.0, err) : status;
}

static sbl_status add_moments(sbl_plan *next, const sbl_facts *facts,
                              const sbl_synth_options *options, const sbl_mepf_defaults *by,
                              const sbl_mepf_embedding *chosen, sbl_error *err)
{
    uint64_t layers[SBL_MAX_WHOLES];
    sbl_encoded encoded;
    const sbl_encoded_ask ask = {
        .layers = layers,
        .layer_count = sbl_setting_wholes(layers, options, &layers_option, SBL_IMAGES),
        .rule = by->layers,
        .side = side_of(options),
        .enlarged = by->enlarged,
        .noise = by->noise,
        .alike = is_yes(options, &weights_option, by->alike),
        .mirrored = is_yes(options, &mirror_option, by->mirrored)};
    const sbl_status status = sbl_encoded_choose(&encoded, facts, &ask, err);
    if (status != SBL_OK) return status;
    json_t *parameters = sbl_moments_parameters(&encoded, chosen->moments);
    sbl_encoded_clear(&encoded);
    return sbl_plan_add(next, chosen->signs ? SBL_SIGNED_MOMENTS : SBL_MOMENTS, parameters, 1.0,
                        err);
}

static sbl_status plan_first(sbl_plan *next, const sbl_facts *facts,
                             const sbl_synth_options *options, sbl_error *err)
{
    sbl_mepf_embedding chosen;
    const sbl_mepf_defaults by = sbl_mepf_defaults_of(facts, options);
    const size_t features = (size_t)sbl_setting_whole(options, &sbl_option_features, SBL_IMAGES);
    const bool add_remove = options->neighbours == SBL_ADD_REMOVE;
    sbl_status status = SBL_OK;
    SBL_TRY(read_embedding(&chosen, &by, options, err));
    if (features % 2 != 0)
        return sbl_fail(err, SBL_EARG, "features must be an even number from 2 to 1000000");
    /* As for merf: under add-remove the counts, or their total, are where n comes from. */
    next->counts = !facts->balanced && (facts->classes > 1 || add_remove);
    if (chosen.pixels) SBL_TRY(add_pixels(next, features, options->seed, err));
    if (chosen.hermite) SBL_TRY(add_hermite(next, facts, options, err));
    if (chosen.perceptual) SBL_TRY(add_perceptual(next, facts, options, &by, features, err));
    if (chosen.moments > 0) SBL_TRY(add_moments(next, facts, options, &by, &chosen, err));
    if (facts->balanced && add_remove)
        SBL_TRY(sbl_plan_add(next, "total", json_object(), 1.0, err));
    SBL_TRY(sbl_plan_set(next, "early_stopping", json_boolean(stops_early(facts, options)), err));
done:
    return status;
}

/* Of either kind; NULL: none. */
static const sbl_feature_instance *moments_of(const sbl_round *round)
{
    const sbl_feature_instance *moments = sbl_features_find(&round->features, SBL_MOMENTS);
    return moments != NULL ? moments : sbl_features_find(&round->features, SBL_SIGNED_MOMENTS);
}

/* The encoder of a plan, whichever feature has it; NULL: none has. */
static const sbl_encoded *encoded_of(const sbl_round *round)
{
    const sbl_feature_instance *perceptual = sbl_features_find(&round->features, SBL_PERCEPTUAL);
    const sbl_feature_instance *moments = moments_of(round);
    if (moments != NULL) return &((const sbl_moments_feature *)moments->made)->encoded;
    return perceptual != NULL ? &((const sbl_perceptual *)perceptual->made)->encoded : NULL;
}

/* Statistics that choose among weights: of the same network, its last activation alone. */
static sbl_status plan_second(sbl_plan *next, const sbl_round *first, sbl_error *err)
{
    const sbl_encoded *encoded = encoded_of(first);
    if (encoded == NULL) return sbl_fail(err, SBL_EINPUT, "the plan has no feature of an encoder");
    sbl_encoded last = *encoded; /* borrows the network */
    last.layers[0] = sbl_encoder_activation_count(encoded->encoder) - 1;
    last.layer_count = 1;
    last.alike = false; /* of one layer it says nothing */
    return sbl_plan_add(next, SBL_MOMENTS, sbl_moments_parameters(&last, 2), 1.0, err);
}

static sbl_status plan(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                       const sbl_round *before, size_t count, sbl_error *err)
{
    bool stopping;
    if (count == 0) return plan_first(next, facts, options, err);
    const sbl_status status =
        sbl_json_get_bool(&stopping, before[0].plan.settings, "early_stopping", "the plan", err);
    if (status != SBL_OK || !stopping || count > 1) return status;
    return plan_second(next, &before[0], err);
}

/* ---- the model ---- */

static sbl_status check(const sbl_facts *facts, const sbl_round *first,
                        const sbl_synth_options *options, sbl_error *err)
{
    const sbl_generate_rule own = sbl_mepf_rule(facts, &first->features);
    return sbl_generate_check_by(facts, first, options, &own, err);
}

static sbl_status fit(sbl_model **model, const sbl_facts *facts, const sbl_round *made,
                      size_t count, const sbl_synth_options *options, sbl_item checkpoint,
                      sbl_error *err)
{
    const sbl_generate_rule own = sbl_mepf_rule(facts, &made[0].features);
    return sbl_generate_fit_by(model, facts, made, count, options, checkpoint, &own, err);
}

/* ---- what a plan says ---- */

typedef struct cost {
    sbl_generate_length length;
    double operations; /* of training and of reading n images */
    double memory;     /* of a batch in the network, in bytes, about */
    size_t channels;   /* of a residual generator; 0: it is the small one */
    bool cpu, fewer;   /* who trains, and is it less for that? */
} cost;

/* s: the deviation of the noise on a class's mean of norm 1 (methods/generate.h). */
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
    if (sbl_gdp_mu(&mu, options->epsilon, sbl_delta_of_options(options, n), NULL) != SBL_OK)
        return 0;
    return sqrt(fmax(kept, changed)) / (mu * sqrt(first->plan.share)) * (double)facts->classes /
           (double)n;
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
 * a part of it, or of as many classes as go through together (features/activation_moments.h). */
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

static cost cost_of(const sbl_facts *facts, const sbl_round *first, uint64_t n,
                    const sbl_synth_options *options)
{
    const sbl_encoded *encoded = encoded_of(first);
    const double forward = 2 * sbl_encoder_products(encoded->encoder);
    const bool perceptual = sbl_features_find(&first->features, SBL_PERCEPTUAL) != NULL;
    const bool moments = moments_of(first) != NULL;
    const bool twice = perceptual && moments;
    const sbl_generate_rule rule = sbl_mepf_rule(facts, &first->features);
    const bool cpu = sbl_generate_on_cpu(options);
    const double part = rule.part > 0 ? rule.part : 1;
    const double most = cpu ? SBL_BATCH_HOST_BYTES : SBL_BATCH_DEVICE_BYTES;
    cost c = {.length = sbl_generate_length_of(&rule, SBL_IMAGES, options,
                                               noise_of(facts, first, n, options), cpu),
              .channels = sbl_generate_channels(&rule, options, cpu),
              .cpu = cpu,
              .fewer = rule.cpu_channels != 0};
    /* There and back, of a part of the batch or all of it. */
    const size_t seen = (size_t)(part * (double)c.length.batch);
    const double image =
        passes_of(encoded, seen, facts->classes, most) * part * (twice ? 2 : 1) * forward +
        generator_operations(facts, c.channels, forward);
    c.operations = (double)c.length.steps * (double)c.length.batch * image +
                   (double)n * forward * ((twice ? 3 : 2) * (encoded->mirrored ? 2 : 1));
    c.memory = seen_bytes(encoded, c.length.batch, facts->classes, most) * (twice ? 2 : 1);
    return c;
}

/* Of as many steps as the noise allows. */
static sbl_status rehearse(sbl_fit_cost *about, const sbl_facts *facts, const sbl_round *first,
                           uint64_t n, const sbl_synth_options *options, sbl_error *err)
{
    const sbl_generate_rule rule = sbl_mepf_rule(facts, &first->features);
    const bool sees = encoded_of(first) != NULL;
    const double s = sees ? noise_of(facts, first, n, options) : 0;
    const sbl_status status = sbl_generate_cost_by(about, facts, first, s, options, &rule, err);
    if (status != SBL_OK || !sees || !sbl_generate_on_cpu(options)) return status;
    /* What a rehearsal does not allocate: a residual generator's is of few images, and it validates nothing. */
    const cost c = cost_of(facts, first, n, options);
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

static void explain(sbl_text *words, json_t *object, const sbl_facts *facts, const sbl_round *first,
                    uint64_t n, const sbl_synth_options *options)
{
    const sbl_encoded *encoded = encoded_of(first);
    if (encoded == NULL) return;
    const cost c = cost_of(facts, first, n, options);
    if (object != NULL) {
        (void)json_object_set_new(object, "encoder",
                                  json_string(sbl_encoder_name(encoded->encoder)));
        (void)json_object_set_new(object, "encoder_trained_on",
                                  json_string(sbl_encoder_origin(encoded->encoder)));
        (void)json_object_set_new(object, "steps", json_integer((json_int_t)c.length.steps));
        (void)json_object_set_new(object, "batch", json_integer((json_int_t)c.length.batch));
        (void)json_object_set_new(object, "operations", json_real(c.operations));
        (void)json_object_set_new(object, "training_bytes", json_real(c.memory));
        return;
    }
    sbl_text_printf(
        words,
        "\nencoder    %s, trained on: %s\n"
        "           it is taken as public: one that has seen the private images is not\n",
        sbl_encoder_name(encoded->encoder), sbl_encoder_origin(encoded->encoder));
    if (takes_otherwise(encoded)) {
        sbl_text_printf(words, "           ");
        say_how(words, encoded);
        sbl_text_printf(words, "\n");
    }
    sbl_text_printf(
        words,
        "training   %zu steps of %zu images; %.3g operations in all (method merf is the "
        "quick one)\n",
        c.length.steps, c.length.batch, c.operations);
    if (c.channels > 0)
        sbl_text_printf(
            words, "           of a residual generator with %zu channels%s\n", c.channels,
            c.cpu && c.fewer ? ": where the CPU trains it is smaller, and trained less" : "");
}

static void assume(sbl_text *text, const sbl_facts *facts, const sbl_round *first)
{
    const sbl_encoded *encoded = encoded_of(first);
    (void)facts;
    if (encoded == NULL) return;
    sbl_text_printf(text,
                    "the encoder of SHA-256 %s, trained on: ", sbl_encoder_hash(encoded->encoder));
    const char *origin = sbl_encoder_origin(encoded->encoder);
    const size_t left = SBL_MOST_ASSUMED - text->length;
    if (strlen(origin) <= left)
        sbl_text_printf(text, "%s", origin);
    else
        sbl_text_printf(text, "%.*s...", (int)left - 3, origin);
    if (!takes_otherwise(encoded)) return;
    sbl_text_printf(text, "\nwhat the encoder sees: ");
    say_how(text, encoded);
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
    .check = check,
    .cost = rehearse,
    .explain = explain,
    .assume = assume,
    .fit = fit,
};
