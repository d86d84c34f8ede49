/* SPDX-License-Identifier: Apache-2.0 */
/* [6] The options of a generator, and what they and a method's rule make of it: which network, how many
 * steps of how many images. */
#include "run/methods/network_method_sizes.h"

#include <math.h>
#include <string.h>

#include "after/train/train_defaults.h"
#include "public/options/option_defaults.h"
#include "public/options/option_row.h"

#define TRAINING (SBL_STEPS_PLAN | SBL_STEP_TRAIN)
#define FLAT_COLUMNS 2 /* of numbers, in a table without categories */
#define FLAT_SIGNS 8

static const sbl_option_range sizes = {1, 65536, false, "1 to 8 sizes of 1 to 65536, e.g. 256,256"};
static const sbl_option_range any_signs = {0, 65536, false, "a whole number from 0 to 65536"};
static const sbl_option_range any_steps = {1, 1e8, false, "a whole number from 1 to 100000000"};
static const sbl_option_range any_batch = {2, 1e6, false, "a whole number from 2 to 1000000"};
static const sbl_option_range any_rate = {0x1p-1074, 1.0, false, "a number above 0 and at most 1"};
static const char *const objectives[] = {"plain", "moving-average", NULL};
static const char *const class_weights[] = {"share", "equal", NULL};
static const char *const distances[] = {"unbiased", "plain", NULL};
static const char *const generators[] = {"small", "residual", "dense", NULL};

/* Defaults of tables and images, and what mepf has in their place (run/methods/mepf_defaults.c). */
#define STANDARD(tables, images, mepf) \
    .of_tables = (tables), .of_images = (images), .standard = tables "; images " images "; of mepf " mepf

const sbl_option sbl_option_generator = SBL_SETTING(
    "generator", SBL_OPTION_CHOICE, "G", SBL_IMAGES, TRAINING,
    "of images: small; residual, which takes hidden channels at 4 x 4 (default " SBL_SHOW(
        SBL_DEFAULT_RESIDUAL_CHANNELS) ") and is for RGB and larger images; or dense, without convolutions, "
    "which takes sizes of hidden layers (default " SBL_SHOW(SBL_DEFAULT_DENSE_HIDDEN) ")",
    .choices = generators, .standard = "small; of mepf residual for colour images", .of_images = "small");
const sbl_option sbl_option_hidden = SBL_SETTING(
    "hidden", SBL_OPTION_WHOLES, "LIST", SBL_BOTH_KINDS, TRAINING,
    "sizes of the generator's hidden layers, e.g. 256,256; for images the width of the "
    "dense layer and, if wanted, two numbers of channels",
    .range = &sizes, .most = SBL_NETWORK_MOST_HIDDEN,
    STANDARD(SBL_SHOW(SBL_DEFAULT_HIDDEN), SBL_SHOW(SBL_DEFAULT_IMAGE_HIDDEN, SBL_DEFAULT_IMAGE_CHANNELS),
             "for colour images 512, on a CPU 256, for grey ones of a residual one 256"));
const sbl_option sbl_option_latent =
    SBL_SETTING("latent", SBL_OPTION_WHOLE, "L", SBL_BOTH_KINDS, TRAINING,
                "size of the generator's random input", .range = &sbl_range_count,
                STANDARD(SBL_SHOW(SBL_DEFAULT_LATENT), SBL_SHOW(SBL_DEFAULT_IMAGE_LATENT),
                         "for colour images 128, for grey ones of a residual one 64"));
const sbl_option sbl_option_signs = SBL_SETTING(
    "signs", SBL_OPTION_WHOLE, "S", SBL_TABLES, TRAINING,
    "numbers of a table's random input that are -1 or 1, the others being normal: for records that "
    "lie in clusters apart, between which normal ones would put some; at most latent",
    .range = &any_signs,
    SBL_STANDARD_WORDS(
        "8 for one or two columns of numbers without categories, at most half of latent; else none"));
const sbl_option sbl_option_steps = SBL_SETTING(
    "steps", SBL_OPTION_WHOLE, "S", SBL_BOTH_KINDS, TRAINING, "training steps", .range = &any_steps,
    STANDARD(SBL_SHOW(SBL_DEFAULT_STEPS), SBL_SHOW(SBL_DEFAULT_IMAGE_STEPS),
             "fewer where noise is large, for colour images at most 3000, on a CPU 1000, for "
             "grey ones of a residual generator 1500"));
const sbl_option sbl_option_batch =
    SBL_SETTING("batch", SBL_OPTION_WHOLE, "B", SBL_BOTH_KINDS, TRAINING, "generated rows per training step",
                .range = &any_batch,
                STANDARD(SBL_SHOW(SBL_DEFAULT_BATCH), SBL_SHOW(SBL_DEFAULT_IMAGE_BATCH),
                         "for colour images 1000, fewer where noise is large, on a CPU at most 500"));
const sbl_option sbl_option_rate = SBL_SETTING(
    "learning-rate", SBL_OPTION_NUMBER, "R", SBL_BOTH_KINDS, TRAINING,
    "of training; decays to zero as a cosine", .range = &any_rate, .of_tables = SBL_SHOW(SBL_DEFAULT_RATE),
    .of_images = SBL_SHOW(SBL_DEFAULT_RATE),
    .standard = SBL_SHOW(SBL_DEFAULT_RATE) "; of mepf for colour images and residual generators 0.001");
const sbl_option sbl_option_class_weights = SBL_SETTING(
    "class-weights", SBL_OPTION_CHOICE, "W", SBL_BOTH_KINDS, TRAINING,
    "of the classes in the loss: share (a class counts by its released share) or equal (all classes "
    "count the same, as in DP-MERF)",
    .choices = class_weights, SBL_STANDARD("share"));
const sbl_option sbl_option_distance =
    SBL_SETTING("distance", SBL_OPTION_CHOICE, "D", SBL_BOTH_KINDS, TRAINING,
                "of the generated rows' means from the released ones: unbiased (without the variance of a "
                "step's own rows) or plain",
                .choices = distances, .standard = "unbiased for images but in Hermite features; else plain");
const sbl_option sbl_option_objective =
    SBL_SETTING("objective", SBL_OPTION_CHOICE, "O", SBL_IMAGES, TRAINING,
                "of training: plain (each step's own means are matched, but for what looks at a part of a "
                "batch) or moving-average (running means are, as in the paper)",
                .choices = objectives, SBL_STANDARD_IMAGES("plain"));

static bool is_given(const sbl_synth_options *options, const sbl_option *option)
{
    return sbl_setting_given(options, option->name) != NULL;
}

/* By how much noise of deviation s is above the rule's: from 1, which is none, down to 0. */
static double clearness(const sbl_generate_rule *rule, double s)
{
    return rule->noise > 0 && s > rule->noise ? rule->noise / s : 1.0;
}

size_t sbl_generate_steps(const sbl_generate_rule *rule, size_t steps, double s)
{
    const double ratio = clearness(rule, s);
    const double part = rule->steps_power > 0 ? pow(ratio, rule->steps_power) : cbrt(ratio);
    const size_t fewer = (size_t)(part * (double)steps);
    return fewer > 1 ? fewer : 1;
}

static size_t fewer_images(const sbl_generate_rule *rule, size_t batch, double s)
{
    const size_t fewer = (size_t)(pow(clearness(rule, s), rule->batch_power) * (double)batch);
    return fewer > 2 ? fewer : 2;
}

static size_t at_most(size_t value, size_t most) { return most > 0 && value > most ? most : value; }

sbl_generate_length sbl_generate_length_of(const sbl_generate_rule *rule, sbl_data_kinds kind,
                                           const sbl_synth_options *options, double s, bool cpu)
{
    if (rule->exact_steps > 0) return (sbl_generate_length){rule->exact_steps, rule->exact_batch};
    sbl_generate_length length = {(size_t)sbl_setting_whole(options, &sbl_option_steps, kind),
                                  (size_t)sbl_setting_whole(options, &sbl_option_batch, kind)};
    if (!is_given(options, &sbl_option_steps))
        length.steps = at_most(sbl_generate_steps(rule, rule->steps != 0 ? rule->steps : length.steps, s),
                               cpu ? rule->cpu_steps : 0);
    if (!is_given(options, &sbl_option_batch))
        length.batch = at_most(fewer_images(rule, rule->batch != 0 ? rule->batch : length.batch, s),
                               cpu ? rule->cpu_batch : 0);
    return length;
}

size_t sbl_generate_channels(const sbl_generate_rule *rule, const sbl_synth_options *options, bool cpu)
{
    uint64_t hidden[SBL_MAX_WHOLES];
    const bool residual = is_given(options, &sbl_option_generator)
                              ? sbl_setting_is(options, &sbl_option_generator, SBL_IMAGES, "residual")
                              : rule->residual;
    if (!residual) return 0;
    if (is_given(options, &sbl_option_hidden) &&
        sbl_setting_wholes(hidden, options, &sbl_option_hidden, SBL_IMAGES) > 0)
        return (size_t)hidden[0];
    if (rule->channels == 0) return SBL_DEFAULT_RESIDUAL_CHANNELS;
    return cpu && rule->cpu_channels != 0 ? rule->cpu_channels : rule->channels;
}

double sbl_generate_weight(const sbl_generate_rule *rule, double s)
{
    return rule->noise > 0 ? fmin(fmax(sqrt(s / rule->noise), 1.0), 2.0) : 1.0;
}

/* One or two columns of numbers may lie in clusters apart, which normal latents bridge; chosen on generated grids
 * (bench/utility/grid.py). */
static size_t usual_signs(const sbl_facts *facts, size_t latent)
{
    const bool flat = facts->kind == SBL_DATA_TABLE && facts->shape.categorical == 0 &&
                      facts->shape.numeric <= FLAT_COLUMNS;
    if (!flat) return 0;
    return latent / 2 < FLAT_SIGNS ? latent / 2 : FLAT_SIGNS;
}

sbl_distance sbl_generate_distance(const sbl_synth_options *options)
{
    const char *given = sbl_setting_given(options, sbl_option_distance.name);
    if (given == NULL) return SBL_DISTANCE_USUAL;
    return strcmp(given, "plain") == 0 ? SBL_DISTANCE_PLAIN : SBL_DISTANCE_UNBIASED;
}

/* The network that is asked for, or that the rule has. */
sbl_status sbl_generate_network(sbl_network *network, const sbl_facts *facts,
                                const sbl_synth_options *options, const sbl_generate_rule *rule, bool cpu,
                                sbl_error *err)
{
    const sbl_data_kinds kind = sbl_kinds_of(facts);
    uint64_t wholes[SBL_MAX_WHOLES];
    size_t hidden[SBL_MAX_WHOLES];
    const size_t channels = facts->kind == SBL_DATA_IMAGES ? sbl_generate_channels(rule, options, cpu) : 0;
    const size_t count = is_given(options, &sbl_option_hidden)
                             ? sbl_setting_wholes(wholes, options, &sbl_option_hidden, kind)
                             : 0;
    for (size_t i = 0; i < count; i++) hidden[i] = (size_t)wholes[i];
    const bool dense =
        facts->kind == SBL_DATA_IMAGES && sbl_setting_is(options, &sbl_option_generator, SBL_IMAGES, "dense");
    const sbl_status status = channels > 0 ? sbl_network_choose_residual(network, hidden, count, err)
                              : dense      ? sbl_network_choose_dense(network, hidden, count, err)
                                           : sbl_network_choose(network, facts->kind, hidden, count, err);
    if (status != SBL_OK) return status;
    if (channels > 0) network->hidden[0] = channels;
    network->latent = rule->latent != 0 && !is_given(options, &sbl_option_latent)
                          ? rule->latent
                          : (size_t)sbl_setting_whole(options, &sbl_option_latent, kind);
    network->signs = is_given(options, &sbl_option_signs)
                         ? (size_t)sbl_setting_whole(options, &sbl_option_signs, kind)
                         : usual_signs(facts, network->latent);
    return SBL_OK;
}
