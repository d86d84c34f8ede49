/* mepf: mean embeddings of what a frozen public network sees in images, and a generator trained to
 * match them (Harder, Jalali, Sutherland and Park 2023; corrected in docs/mechanisms/mepf.md).
 *
 * Round 1: blocks of one joint release, which of them the option `embedding` says:
 *     pixels      random Fourier features of the pixels, as merf
 *     perceptual  random Fourier features of pooled activations
 *     hermite     Hermite features of the pixels, as hp
 *     moments     phi1 and phi2 of the activations themselves, as in the paper, behind the ReLUs or
 *                 before them; or phi1 alone
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
#include "options/option_row.h"
#include "options/options.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define STOPPING_SHARE 0.01 /* of mu^2, beside 1 for what is trained against */
#define CANDIDATES 20

/* A fifth of the batch through the encoder, with a running mean of the embedding, trains about as
 * well as all of it and takes a fifth of the time (docs/mechanisms/mepf.md). */
static const sbl_generate_rule rule = {
    .noise = 0.002, .part = 0.2, .memory = 0.9, .candidates = CANDIDATES};

/* ---- options ---- */

static const sbl_option_range rising = {1, 80, false, "rising numbers from 1 to 80, e.g. 2,4,6"};
static const char *const yes_or_no[] = {"yes", "no", NULL};

static const sbl_option encoder_option = SBL_SETTING(
    SBL_SETTING_ENCODER, SBL_OPTION_TEXT, "FILE", SBL_IMAGES, SBL_STEPS_PLAN | SBL_STEP_TRAIN,
    "a frozen network in safetensors that was trained on public data",
    SBL_STANDARD_WORDS("vgg-s, which is built in"));
static const sbl_option embedding_option = SBL_SETTING(
    "embedding", SBL_OPTION_TEXT, "E", SBL_IMAGES, SBL_STEPS_PLAN,
    "what is released, joined by +: pixels and perceptual (Fourier features of pixels and of what "
    "the network sees), hermite (of pixels, as hp), and one of moments (of its activations, as in "
    "the paper), first-moments, signed-moments (before the ReLUs), signed-first-moments; best: "
    "pixels+first-moments, all: pixels+perceptual+moments",
    SBL_STANDARD_IMAGES("best"));
static const sbl_option layers_option = SBL_SETTING(
    "layers", SBL_OPTION_WHOLES, "LIST", SBL_IMAGES, SBL_STEPS_PLAN,
    "activations of the network that are taken, as 'encoder show' numbers them", .range = &rising,
    .most = SBL_MAX_WHOLES, SBL_STANDARD_WORDS("moments all, perceptual the last of each size"));
static const sbl_option stopping_option = SBL_SETTING(
    "early-stopping", SBL_OPTION_CHOICE, "S", SBL_IMAGES, SBL_STEPS_PLAN,
    "yes: a second, small release chooses among the weights of training; no: its share of the "
    "budget goes to the first",
    .choices = yes_or_no, SBL_STANDARD_IMAGES("yes"));
static const sbl_option *const own_options[] = {
    &sbl_option_features,  &encoder_option,         &embedding_option,
    &layers_option,        &stopping_option,        &sbl_option_objective,
    SBL_GENERATOR_OPTIONS, SBL_HERMITE_SUM_OPTIONS, NULL};

/* ---- what is released ---- */

/* Which blocks; text is what stands in the option for one of them, or for some together. */
typedef struct embedding {
    bool pixels, perceptual, hermite;
    size_t moments; /* 0, 1, 2 */
    bool signs;     /* of the moments */
} embedding;

typedef struct named_embedding {
    const char *name;
    embedding of;
} named_embedding;

static const named_embedding embeddings[] = {
    {"best", {.pixels = true, .moments = 1}},
    {"all", {.pixels = true, .perceptual = true, .moments = 2}},
    {"pixels", {.pixels = true}},
    {"perceptual", {.perceptual = true}},
    {"hermite", {.hermite = true}},
    {"moments", {.moments = 2}},
    {"first-moments", {.moments = 1}},
    {"signed-moments", {.moments = 2, .signs = true}},
    {"signed-first-moments", {.moments = 1, .signs = true}},
};

/* Adds what a name stands for; false where it is unknown or something is there already. */
static bool join(embedding *to, const char *name, size_t length)
{
    for (size_t i = 0; i < COUNT(embeddings); i++) {
        const embedding *of = &embeddings[i].of;
        if (strlen(embeddings[i].name) != length || strncmp(embeddings[i].name, name, length) != 0)
            continue;
        if ((to->pixels && of->pixels) || (to->perceptual && of->perceptual) ||
            (to->hermite && of->hermite) || (to->moments > 0 && of->moments > 0))
            return false;
        to->pixels = to->pixels || of->pixels;
        to->perceptual = to->perceptual || of->perceptual;
        to->hermite = to->hermite || of->hermite;
        to->moments += of->moments;
        to->signs = to->signs || of->signs;
        return true;
    }
    return false;
}

/* "pixels+signed-moments" and the like. */
static sbl_status read_embedding(embedding *chosen, const sbl_synth_options *options,
                                 sbl_error *err)
{
    const char *text = sbl_setting_text(options, &embedding_option, SBL_IMAGES);
    *chosen = (embedding){0};
    for (size_t length;; text += length + 1) {
        length = strcspn(text, "+");
        if (!join(chosen, text, length))
            return sbl_fail(
                err, SBL_EARG,
                "embedding must be best, all, or blocks joined by +, each once: pixels, "
                "perceptual, hermite, and one of moments, first-moments, "
                "signed-moments and signed-first-moments");
        if (text[length] == '\0') break;
    }
    if (!chosen->perceptual && chosen->moments == 0)
        return sbl_fail(err, SBL_EARG,
                        "embedding must have perceptual or some moments: without the network there "
                        "are the methods merf and hp");
    if (!chosen->hermite && (sbl_setting_given(options, sbl_option_lengths.name) != NULL ||
                             sbl_setting_given(options, sbl_option_order.name) != NULL ||
                             sbl_setting_given(options, sbl_option_sensitivity.name) != NULL))
        return sbl_fail(err, SBL_EARG,
                        "lengths, order and sensitivity are of the block hermite, which embedding "
                        "does not name");
    return SBL_OK;
}

static bool stops_early(const sbl_synth_options *options)
{
    return sbl_setting_is(options, &stopping_option, SBL_IMAGES, "yes");
}

static sbl_status rounds(double shares[SBL_MOST_ROUNDS], size_t *count, const sbl_facts *facts,
                         const sbl_synth_options *options, sbl_error *err)
{
    (void)facts;
    (void)err;
    *count = stops_early(options) ? 2 : 1;
    shares[0] = *count == 2 ? 1 / (1 + STOPPING_SHARE) : 1.0;
    shares[1] = STOPPING_SHARE / (1 + STOPPING_SHARE);
    return SBL_OK;
}

static sbl_status add_pixels(sbl_plan *next, size_t features, uint64_t seed, sbl_error *err)
{
    static const double scales[] = {0.3, 0.6};
    const sbl_orthogonal_rule pixels = {
        .frequencies = features / 2, .scales = scales, .scale_count = COUNT(scales), .seed = seed};
    return sbl_plan_add(next, "orthogonal", sbl_orthogonal_parameters(&pixels), 1.0, err);
}

static sbl_status add_perceptual(sbl_plan *next, const sbl_facts *facts,
                                 const sbl_synth_options *options, size_t features, sbl_error *err)
{
    static const double scales[] = {0.2, 0.4, 0.8};
    uint64_t layers[SBL_MAX_WHOLES];
    sbl_encoded encoded;
    const size_t count = sbl_setting_wholes(layers, options, &layers_option, SBL_IMAGES);
    const sbl_status status =
        sbl_encoded_choose(&encoded, facts, layers, count, SBL_ENCODED_SCALES, err);
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
                              const sbl_synth_options *options, const embedding *chosen,
                              sbl_error *err)
{
    uint64_t layers[SBL_MAX_WHOLES];
    sbl_encoded encoded;
    const size_t count = sbl_setting_wholes(layers, options, &layers_option, SBL_IMAGES);
    const sbl_status status =
        sbl_encoded_choose(&encoded, facts, layers, count, SBL_ENCODED_ALL, err);
    if (status != SBL_OK) return status;
    json_t *parameters = sbl_moments_parameters(&encoded, chosen->moments);
    sbl_encoded_clear(&encoded);
    return sbl_plan_add(next, chosen->signs ? SBL_SIGNED_MOMENTS : SBL_MOMENTS, parameters, 1.0,
                        err);
}

static sbl_status plan_first(sbl_plan *next, const sbl_facts *facts,
                             const sbl_synth_options *options, sbl_error *err)
{
    embedding chosen;
    const size_t features = (size_t)sbl_setting_whole(options, &sbl_option_features, SBL_IMAGES);
    const bool add_remove = options->neighbours == SBL_ADD_REMOVE;
    sbl_status status = SBL_OK;
    SBL_TRY(read_embedding(&chosen, options, err));
    if (features % 2 != 0)
        return sbl_fail(err, SBL_EARG, "features must be an even number from 2 to 1000000");
    /* As for merf: under add-remove the counts, or their total, are where n comes from. */
    next->counts = !facts->balanced && (facts->classes > 1 || add_remove);
    if (chosen.pixels) SBL_TRY(add_pixels(next, features, options->seed, err));
    if (chosen.hermite) SBL_TRY(add_hermite(next, facts, options, err));
    if (chosen.perceptual) SBL_TRY(add_perceptual(next, facts, options, features, err));
    if (chosen.moments > 0) SBL_TRY(add_moments(next, facts, options, &chosen, err));
    if (facts->balanced && add_remove)
        SBL_TRY(sbl_plan_add(next, "total", json_object(), 1.0, err));
    SBL_TRY(sbl_plan_set(next, "early_stopping", json_boolean(stops_early(options)), err));
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
    if (perceptual != NULL) return &((const sbl_perceptual *)perceptual->made)->encoded;
    return moments != NULL ? &((const sbl_moments_feature *)moments->made)->encoded : NULL;
}

/* Statistics that choose among weights: of the same network, its last activation alone. */
static sbl_status plan_second(sbl_plan *next, const sbl_round *first, sbl_error *err)
{
    const sbl_encoded *encoded = encoded_of(first);
    if (encoded == NULL) return sbl_fail(err, SBL_EINPUT, "the plan has no feature of an encoder");
    sbl_encoded last = *encoded; /* borrows the network */
    last.layers[0] = sbl_encoder_activation_count(encoded->encoder) - 1;
    last.layer_count = 1;
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

/* Where nothing looks at the whole batch, Adam remembers less: a gradient that lags beside means that
 * lag is twice as late. Of pixels and phi1, phi1 weighs more where noise is large
 * (docs/mechanisms/mepf.md). */
static sbl_generate_rule rule_of(const sbl_round *first)
{
    sbl_generate_rule own = rule;
    const sbl_features *features = &first->features;
    const bool pixels = sbl_features_find(features, "orthogonal") != NULL;
    const bool hermite = sbl_features_find(features, "hermite") != NULL;
    const bool perceptual = sbl_features_find(features, SBL_PERCEPTUAL) != NULL;
    const sbl_feature_instance *moments = sbl_features_find(features, SBL_MOMENTS);
    if (!pixels && !hermite) own.momentum = 0.5;
    if (pixels && !hermite && !perceptual && moments != NULL && moments->block_count == 1)
        own.heavier = SBL_MOMENTS;
    return own;
}

static sbl_status check(const sbl_facts *facts, const sbl_round *first,
                        const sbl_synth_options *options, sbl_error *err)
{
    const sbl_generate_rule own = rule_of(first);
    return sbl_generate_check_by(facts, first, options, &own, err);
}

static sbl_status fit(sbl_model **model, const sbl_facts *facts, const sbl_round *made,
                      size_t count, const sbl_synth_options *options, sbl_item checkpoint,
                      sbl_error *err)
{
    const sbl_generate_rule own = rule_of(&made[0]);
    return sbl_generate_fit_by(model, facts, made, count, options, checkpoint, &own, err);
}

/* ---- what a plan says ---- */

typedef struct cost {
    size_t steps, batch;
    double operations; /* of training and of reading n images */
    double memory;     /* of training, in bytes, about */
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

static cost cost_of(const sbl_facts *facts, const sbl_round *first, uint64_t n,
                    const sbl_synth_options *options)
{
    const sbl_encoded *encoded = encoded_of(first);
    const double forward = 2 * sbl_encoder_products(encoded->encoder);
    const bool perceptual = sbl_features_find(&first->features, SBL_PERCEPTUAL) != NULL;
    const bool moments = moments_of(first) != NULL;
    const bool twice = perceptual && moments;
    /* There and back, of a part of the batch or all of it; the generator and the pixels' features
     * take about as long as a forward pass and a half. */
    const double passes = 2 * rule.part * (twice ? 2 : 1) + 1.5;
    cost c = {.steps = (size_t)sbl_setting_whole(options, &sbl_option_steps, SBL_IMAGES),
              .batch = (size_t)sbl_setting_whole(options, &sbl_option_batch, SBL_IMAGES)};
    if (sbl_setting_given(options, sbl_option_steps.name) == NULL)
        c.steps = sbl_generate_steps(&rule, c.steps, noise_of(facts, first, n, options));
    c.operations = (double)c.steps * (double)c.batch * forward * passes +
                   (double)n * forward * (twice ? 3 : 2);
    c.memory = sbl_encoder_workspace_bytes(encoded->encoder, c.batch / facts->classes + 1, true) *
               (twice ? 4 : 2);
    return c;
}

/* Of as many steps as the noise allows. */
static sbl_status rehearse(sbl_fit_cost *about, const sbl_facts *facts, const sbl_round *first,
                           uint64_t n, const sbl_synth_options *options, sbl_error *err)
{
    const size_t steps = encoded_of(first) != NULL ? cost_of(facts, first, n, options).steps : 0;
    return sbl_generate_cost_by(about, facts, first, steps, options, &rule, err);
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
        (void)json_object_set_new(object, "steps", json_integer((json_int_t)c.steps));
        (void)json_object_set_new(object, "batch", json_integer((json_int_t)c.batch));
        (void)json_object_set_new(object, "operations", json_real(c.operations));
        (void)json_object_set_new(object, "training_bytes", json_real(c.memory));
        return;
    }
    sbl_text_printf(
        words,
        "\nencoder    %s, trained on: %s\n"
        "           it is taken as public: one that has seen the private images is not\n",
        sbl_encoder_name(encoded->encoder), sbl_encoder_origin(encoded->encoder));
    sbl_text_printf(words,
                    "training   %zu steps of %zu images, about %.0f MB; %.3g operations in all "
                    "(method merf is the quick one)\n",
                    c.steps, c.batch, c.memory / 1e6, c.operations);
}

static void assume(sbl_text *text, const sbl_facts *facts, const sbl_round *first)
{
    const sbl_encoded *encoded = encoded_of(first);
    (void)facts;
    if (encoded == NULL) return;
    sbl_text_printf(text, "the encoder of SHA-256 %s, trained on: %s",
                    sbl_encoder_hash(encoded->encoder), sbl_encoder_origin(encoded->encoder));
}

static const char *const also_public[] = {
    "kernel length scales (from the size of a record)",
    "which activations of the encoder are taken",
    NULL,
};

const sbl_method sbl_method_mepf = {
    .name = "mepf",
    .images = true,
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
