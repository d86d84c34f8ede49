/* merf: random Fourier mean embeddings and a generator trained to match them (Harder, Adamczewski
 * and Park 2021; docs/mechanisms/merf.md). Tables: Fourier features of numbers and codes, and
 * one-hot means; images: structured orthogonal ones of the pixels.
 *
 * Beside a signed block a record that keeps its label moves the sums further than one that changes
 * it; the counts of the classes fit into the difference, and are free. */
#include "public/features/orthogonal_frequencies.h"
#include "public/features/rff_frequencies.h"
#include "public/options/option_row.h"
#include "run/methods/merf_features.h"
#include "run/methods/network_method.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const sbl_option_range even = {2, 1e6, false, "an even number from 2 to 1000000, or auto"};
static const char *const words[] = {"auto", NULL};

const sbl_option sbl_option_features = SBL_SETTING(
    "features", SBL_OPTION_WHOLE, "D", SBL_BOTH_KINDS, SBL_STEPS_PLAN,
    "number of random Fourier features; auto (of merf): the number that balances noise and random "
    "features, by the number of rows",
    .range = &even, .choices = words, SBL_STANDARD_EACH("2000", "10000"));

static const sbl_option *const own_options[] = {&sbl_option_features, SBL_GENERATOR_OPTIONS,
                                                &sbl_option_signs, &sbl_option_expect_rows, NULL};

static sbl_status plan_table(sbl_plan *next, const sbl_facts *facts, size_t features,
                             const sbl_synth_options *options, sbl_error *err)
{
    static const double scales[] = {0.05, 0.1, 0.2, 0.4, 0.8};
    static const double deviations[] = {0.15, 0.3, 0.6, 1.2};
    const sbl_rff_rule rff = {.scales = scales,
                              .scale_count = COUNT(scales),
                              .code_deviations = deviations,
                              .code_deviation_count = COUNT(deviations),
                              .seed = options->seed};
    SBL_CHECK(sbl_plan_add(next, "rff", sbl_rff_parameters(&rff, features, 0.5), 1.0, err));
    if (facts->shape.categorical > 0) SBL_CHECK(sbl_plan_add(next, "onehot", json_object(), 1.0, err));
    return SBL_OK;
}

static sbl_status plan_images(sbl_plan *next, size_t features, const sbl_synth_options *options, bool total,
                              sbl_error *err)
{
    static const double scales[] = {0.3, 0.6};
    const sbl_orthogonal_rule rule = {
        .frequencies = features / 2, .scales = scales, .scale_count = COUNT(scales), .seed = options->seed};
    SBL_CHECK(sbl_plan_add(next, "orthogonal", sbl_orthogonal_parameters(&rule), 1.0, err));
    if (total) SBL_CHECK(sbl_plan_add(next, "total", json_object(), 1.0, err));
    return SBL_OK;
}

static sbl_status plan(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                       const sbl_round *rounds, size_t count, sbl_error *err)
{
    size_t features;
    (void)rounds;
    if (count > 0) return SBL_OK;
    /* Where n is not public the counts are where it comes from, or their total where the classes are
     * declared to be equally frequent. */
    const bool private_n = !sbl_rows_are_public(options->neighbours, sbl_facts_rows_per_unit(facts));
    next->counts = !facts->balanced && (facts->classes > 1 || private_n);
    SBL_CHECK(sbl_merf_features(&features, next, facts, options, err));
    return facts->kind == SBL_DATA_TABLE
               ? plan_table(next, facts, features, options, err)
               : plan_images(next, features, options, facts->balanced && private_n, err);
}

static const char *const also_public[] = {"kernel length scales (from the size of a record)", NULL};

const sbl_method sbl_method_merf = {
    .name = "merf",
    .tables = true,
    .images = true,
    .options = own_options,
    .also_public = also_public,
    .plan = plan,
    .check = sbl_generate_check,
    .cost = sbl_generate_cost,
    .assume = sbl_merf_assume,
    .fit = sbl_generate_fit,
};
