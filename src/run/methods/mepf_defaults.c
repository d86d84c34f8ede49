/* SPDX-License-Identifier: Apache-2.0 */
/* Grey images, grey ones that a residual generator draws, and colour images: three rules, the last two of
 * which look at the noise. */
#include "run/methods/mepf_defaults.h"

#include <math.h>

#include "public/features/activation_shapes.h"
#include "public/options/option_defaults.h"
#include "public/options/option_values.h"
#include "semblance/account.h"

#define CANDIDATES 20 /* states of a training that early stopping looks at */

/* Grey: a fifth of the batch through the encoder, with a running mean of the embedding, trains about
 * as well as all of it and takes a fifth of the time. */
static const sbl_generate_rule grey = {.noise = 0.002, .part = 0.2, .memory = 0.9, .candidates = CANDIDATES};

/* Colour: the whole batch, in which the generator takes the time. Steps times images falls as the noise
 * rises: 3,000 of 1,000 where its deviation on a class's mean is .000306 (40,000 images in ten classes at
 * epsilon 10), 1,000 of 500 at .00187 (at epsilon 1). */
static const sbl_generate_rule colour = {.noise = 0.000306,
                                         .steps_power = 0.6,
                                         .batch_power = 0.4,
                                         .momentum = 0.5,
                                         .residual = true,
                                         .channels = 512,
                                         .latent = 128,
                                         .steps = 3000,
                                         .batch = 1000,
                                         .rate = 0.001,
                                         .average = 0.999,
                                         .cpu_channels = 256,
                                         .cpu_steps = 1000,
                                         .cpu_batch = 500,
                                         .candidates = CANDIDATES};

/* Grey, drawn by a residual generator: the whole batch as well. 1,500 steps where the noise's deviation is
 * .000236 (60,000 images in ten classes at epsilon 10, pixels and perceptual), 1,000 at .00176 (at 1). */
static const sbl_generate_rule grey_residual = {.noise = 0.000236,
                                                .steps_power = 0.2,
                                                .momentum = 0.5,
                                                .residual = true,
                                                .channels = 256,
                                                .latent = 64,
                                                .steps = 1500,
                                                .batch = 500,
                                                .rate = 0.001,
                                                .average = 0.999,
                                                .candidates = CANDIDATES};

/* The length of the noise on a cell's mean, where that of an image's features is 1, and cells of a class: fewer than the
 * least were not seen to pay for the first release. */
#define MOST_NOISE_OF_CELL 0.7
#define LEAST_CELLS 10
#define MOST_GREY_CELLS 20
#define MOST_COLOUR_CELLS 10

#define MOST_ENLARGED 64 /* pixels of a side that small colour images are enlarged to */

static bool is_colour(const sbl_facts *facts) { return facts->images.channels == 3; }

/* Twice the longer side. */
static size_t enlarged_side(const sbl_facts *facts)
{
    const size_t height = facts->images.height, width = facts->images.width;
    const size_t longer = height > width ? height : width;
    if (longer >= MOST_ENLARGED) return 0;
    if (2 * longer < SBL_ENCODER_LEAST_SIDE) return SBL_ENCODER_LEAST_SIDE;
    return 2 * longer < MOST_ENLARGED ? 2 * longer : MOST_ENLARGED;
}

/* On a class's mean of phi1: its squared sensitivity is 1, that of the counts beside it 1 where there are
 * classes, twice as much where a record is replaced (docs/mechanisms/mepf.md#sensitivity). */
static double noise_on_mean(const sbl_facts *facts, const sbl_synth_options *options)
{
    const uint64_t n = options->expected_rows != 0 ? options->expected_rows : SBL_DEFAULT_EXPECTED_ROWS;
    const double blocks = facts->classes > 1 ? 2 : 1;
    const double squared = options->neighbours == SBL_ADD_REMOVE ? blocks : 2 * blocks;
    double mu;
    if (sbl_gdp_mu(&mu, options->epsilon, sbl_delta_of_options(options, n), NULL) != SBL_OK) return 0;
    return sqrt(squared) * (double)facts->classes / ((double)n * mu);
}

/* One vector of each block is in one column, so the noise on a cell's mean is that on its class's times their number. */
size_t sbl_mepf_cells_of_noise(const sbl_facts *facts, const sbl_synth_options *options, size_t blocks,
                               size_t features, double share)
{
    const uint64_t n = options->expected_rows;
    const size_t most = is_colour(facts) ? MOST_COLOUR_CELLS : MOST_GREY_CELLS;
    const double squared = 4 * (double)blocks; /* the counts are free */
    double mu;
    if (sbl_gdp_mu(&mu, options->epsilon, sbl_delta_of_options(options, n), NULL) != SBL_OK) return 1;
    const double noise = sqrt(squared * (double)features / share) * (double)facts->classes / ((double)n * mu);
    if (noise * LEAST_CELLS > MOST_NOISE_OF_CELL) return 1;
    return noise * (double)most <= MOST_NOISE_OF_CELL ? most : (size_t)(MOST_NOISE_OF_CELL / noise);
}

sbl_mepf_defaults sbl_mepf_defaults_of(const sbl_facts *facts, const sbl_synth_options *options)
{
    if (!is_colour(facts))
        return (sbl_mepf_defaults){
            .embedding = "pixels+first-moments", .layers = SBL_ENCODED_ALL, .early_stopping = true};
    return (sbl_mepf_defaults){.embedding = "first-moments",
                               .layers = SBL_ENCODED_WIDE,
                               .enlarged = enlarged_side(facts),
                               .noise = noise_on_mean(facts, options),
                               .alike = true,
                               .mirrored = true};
}

/* Where nothing looks at the whole batch, Adam remembers less: a gradient that lags beside means that
 * lag is twice as late. Of pixels and phi1, phi1 weighs more where noise is large. */
sbl_generate_rule sbl_mepf_rule(const sbl_facts *facts, const sbl_features *features,
                                const sbl_synth_options *options)
{
    sbl_generate_rule own = is_colour(facts) ? colour : grey;
    const bool pixels = sbl_features_find(features, "orthogonal") != NULL;
    const bool hermite = sbl_features_find(features, "hermite") != NULL;
    const bool perceptual = sbl_features_find(features, SBL_PERCEPTUAL) != NULL;
    const sbl_feature_instance *moments = sbl_features_find(features, SBL_MOMENTS);
    if (is_colour(facts)) return own;
    if (sbl_setting_is(options, &sbl_option_generator, SBL_IMAGES, "residual")) return grey_residual;
    if (!pixels && !hermite) own.momentum = 0.5;
    if (pixels && !hermite && !perceptual && moments != NULL && moments->block_count == 1)
        own.heavier = SBL_MOMENTS;
    return own;
}
