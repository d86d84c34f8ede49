/* SPDX-License-Identifier: Apache-2.0 */
/* merf: random Fourier mean embeddings and a generator trained to match them (Harder, Adamczewski
 * and Park 2021; docs/mechanisms/merf.md). Tables: Fourier features of numbers and codes, and
 * one-hot means; images: structured orthogonal ones of the pixels.
 *
 * Beside a signed block a record that keeps its label moves the sums further than one that changes
 * it; the counts of the classes fit into the difference, and are free. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "public/features/orthogonal_frequencies.h"
#include "public/features/rff_frequencies.h"
#include "public/options/option_row.h"
#include "public/plan/parameters.h"
#include "run/methods/kernel_lengths.h"
#include "run/methods/kernel_matrix.h"
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

static const sbl_option length_option =
    SBL_SETTING("length", SBL_OPTION_TEXT, "LIST", SBL_BOTH_KINDS, SBL_STEPS_PLAN,
                "kernel lengths in units of a column's range, e.g. 0.1,0.4 or 0.3,age=0.05; or a rule: "
                "several, or uniform (the "
                "root mean squared distance of two uniform records)",
                SBL_STANDARD("several"));

static const sbl_option *const own_options[] = {&sbl_option_features,
                                                &length_option,
                                                &sbl_option_mahalanobis,
                                                SBL_GENERATOR_OPTIONS,
                                                &sbl_option_signs,
                                                &sbl_option_expect_rows,
                                                NULL};

/* Scales in units of sqrt(d / 6), and lengths of single columns. */
typedef struct kernel {
    double scales[SBL_MOST_SCALES];
    size_t scale_count;
    double *lengths; /* (d), owned; NULL: none */
} kernel;

/* The rule that the text begins with; *text: what follows it, or NULL. Numbers begin with no rule. */
static void take_rule(kernel *made, const double *usual, size_t count, const char **text)
{
    static const char *const rules[] = {"several", "uniform"};
    size_t rule = 0;
    const size_t size = strcspn(*text, ",");
    while (rule < COUNT(rules) && (strlen(rules[rule]) != size || memcmp(rules[rule], *text, size) != 0))
        rule++;
    if (rule < COUNT(rules)) *text = (*text)[size] == ',' ? *text + size + 1 : NULL;
    made->scale_count = rule == 1 ? 1 : count;
    made->scales[0] = 1.0;
    if (rule != 1) memcpy(made->scales, usual, count * sizeof *usual);
}

static sbl_status take_lengths(kernel *made, const sbl_kernel_lengths *lengths, const sbl_facts *facts,
                               sbl_error *err)
{
    const size_t d = facts->shape.numeric;
    const double unit = sqrt((double)d / 6);
    sbl_status status = SBL_OK;
    if (d == 0)
        SBL_FAIL(err, SBL_EARG, "length is for columns of numbers, and this table has none: leave it out");
    if (sbl_kernel_lengths_general(lengths) > SBL_MOST_SCALES)
        SBL_FAIL(err, SBL_EARG, "length takes at most %d numbers for all columns", SBL_MOST_SCALES);
    SBL_TRY(sbl_kernel_lengths_once(lengths, length_option.name, err));
    if (sbl_kernel_lengths_general(lengths) > 0) made->scale_count = 0;
    for (size_t i = 0; i < lengths->count; i++) {
        const sbl_kernel_length *item = &lengths->items[i];
        if (item->column == SBL_EVERY_COLUMN) {
            if (!(item->length / unit >= 1e-3))
                SBL_FAIL(err, SBL_EARG, "length must be at least %.2g for %zu columns of numbers",
                         1e-3 * unit, d);
            made->scales[made->scale_count++] = item->length / unit;
            continue;
        }
        if (made->lengths == NULL) SBL_ALLOC(made->lengths, d, "a plan");
        made->lengths[item->column] = item->length;
    }
done:
    return status;
}

static sbl_status read_kernel(kernel *made, const double *usual, size_t count, const sbl_facts *facts,
                              const sbl_synth_options *options, sbl_error *err)
{
    const char *text = sbl_setting_text(options, &length_option, sbl_kinds_of(facts));
    sbl_kernel_lengths lengths = {0};
    sbl_status status = SBL_OK;
    *made = (kernel){0};
    take_rule(made, usual, count, &text);
    if (text == NULL) return SBL_OK;
    SBL_TRY(sbl_kernel_lengths_read(&lengths, text, false, length_option.name, facts, err));
    SBL_TRY(take_lengths(made, &lengths, facts, err));
done:
    sbl_kernel_lengths_clear(&lengths);
    if (status != SBL_OK) sbl_free(made->lengths);
    return status;
}

static sbl_status plan_table(sbl_plan *next, const sbl_facts *facts, size_t features,
                             const sbl_synth_options *options, sbl_error *err)
{
    static const double scales[] = {0.05, 0.1, 0.2, 0.4, 0.8};
    static const double deviations[] = {0.15, 0.3, 0.6, 1.2};
    kernel own = {0};
    sbl_rff_rule rff = {.code_deviations = deviations,
                        .code_deviation_count = COUNT(deviations),
                        .length_count = facts->shape.numeric,
                        .seed = options->seed};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_kernel_matrix(&rff.metric, facts, options, err));
    SBL_TRY(read_kernel(&own, scales, COUNT(scales), facts, options, err));
    rff.scales = own.scales;
    rff.scale_count = own.scale_count;
    rff.lengths = own.lengths;
    SBL_TRY(sbl_plan_add(next, "rff", sbl_rff_parameters(&rff, features, 0.5), 1.0, err));
    if (facts->shape.categorical > 0) SBL_TRY(sbl_plan_add(next, "onehot", json_object(), 1.0, err));
done:
    sbl_free(own.lengths);
    return status;
}

static sbl_status plan_images(sbl_plan *next, const sbl_facts *facts, size_t features,
                              const sbl_synth_options *options, bool total, sbl_error *err)
{
    static const double scales[] = {0.3, 0.6};
    kernel own;
    SBL_CHECK(read_kernel(&own, scales, COUNT(scales), facts, options, err));
    const sbl_orthogonal_rule rule = {.frequencies = features / 2,
                                      .scales = own.scales,
                                      .scale_count = own.scale_count,
                                      .seed = options->seed};
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
               : plan_images(next, facts, features, options, facts->balanced && private_n, err);
}

static const char *const also_public[] = {"kernel length scales (from the size of a record, or given)", NULL};

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
