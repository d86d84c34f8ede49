/* SPDX-License-Identifier: Apache-2.0 */
/* hp: Hermite polynomial mean embeddings and a generator trained to match them (Vinaroz, Charusaie,
 * Harder, Adamczewski and Park 2022; docs/mechanisms/hp.md). The sum kernel over numbers, one-hot
 * means of categories, and the product kernel over subsets of columns, numbers and categories alike,
 * which are drawn once from the public seed; all of it in one joint release, masked by class.
 *
 * Nothing is free beside a block whose records are sqrt 2 apart at most: one that keeps its label and
 * one that changes it move the sums alike, and the counts of the classes come on top. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "public/features/hermite_basis.h"
#include "public/options/option_row.h"
#include "run/methods/hermite_sum.h"
#include "run/methods/hp_functions.h"
#include "run/methods/hp_subsets.h"
#include "run/methods/kernel_matrix.h"
#include "run/methods/network_method.h"
#include "semblance/account.h"

#define TABLE_LEVELS 1024
#define IMAGE_LEVELS 256
static const sbl_option_range subset_size = {1, 16, false, "a whole number from 1 to 16"};
static const char *const modes[] = {"kernel", "norm", NULL};

const sbl_option sbl_option_sensitivity =
    SBL_SETTING("sensitivity", SBL_OPTION_CHOICE, "MODE", SBL_BOTH_KINDS, SBL_STEPS_PLAN,
                "of Hermite features: kernel (sqrt 2, every pair of a table compared) or norm (2, records "
                "clipped)",
                .choices = modes, SBL_STANDARD("kernel"));
static const sbl_option product_size =
    SBL_SETTING("product-size", SBL_OPTION_WHOLE, "D", SBL_BOTH_KINDS, SBL_STEPS_PLAN,
                "columns of a subset of the product kernel; 1: there is no product kernel",
                .range = &subset_size, SBL_STANDARD("2"));
static const sbl_option gamma_option =
    SBL_SETTING("gamma", SBL_OPTION_NUMBER, "G", SBL_BOTH_KINDS, SBL_STEPS_PLAN,
                "weight of the product kernel's loss beside the others'", .range = &sbl_range_positive,
                SBL_STANDARD("30"));
static const sbl_option product_share =
    SBL_SETTING("product-share", SBL_OPTION_NUMBER, "S", SBL_BOTH_KINDS, SBL_STEPS_PLAN,
                "part of mu^2 that the product kernel gets", .range = &sbl_range_fraction,
                SBL_STANDARD_WORDS("optimal by public sizes"));

static const sbl_option counts_share =
    SBL_SETTING("counts-share", SBL_OPTION_NUMBER, "S", SBL_BOTH_KINDS, SBL_STEPS_PLAN,
                "part of mu^2 that the class counts get", .range = &sbl_range_fraction, SBL_STANDARD("0.05"));

static const sbl_option *const own_options[] = {SBL_HERMITE_SUM_OPTIONS,
                                                &sbl_option_product_length,
                                                &sbl_option_product_order,
                                                &sbl_option_mahalanobis,
                                                &product_size,
                                                &sbl_option_products,
                                                &sbl_option_subsets,
                                                &gamma_option,
                                                &product_share,
                                                &counts_share,
                                                SBL_GENERATOR_OPTIONS,
                                                &sbl_option_signs,
                                                NULL};

/* What was asked for, and what is taken where nothing was. */
typedef struct wish {
    sbl_hp_functions sum, product;
    size_t size; /* columns of a subset; 1: no product kernel */
    double gamma;
    double product_share; /* of mu^2; 0: by sizes */
    double counts_share;
    bool norm;
} wish;

static sbl_status make_wish(wish *w, const sbl_facts *facts, const sbl_synth_options *options, sbl_error *err)
{
    const sbl_data_kinds kind = sbl_kinds_of(facts);
    *w = (wish){.size = (size_t)sbl_setting_whole(options, &product_size, kind),
                .gamma = sbl_setting_number(options, &gamma_option, kind),
                .product_share = sbl_setting_number(options, &product_share, kind),
                .counts_share = sbl_setting_number(options, &counts_share, kind),
                .norm = sbl_setting_is(options, &sbl_option_sensitivity, kind, "norm")};
    SBL_CHECK(sbl_hp_sum_functions(&w->sum, facts, options, err));
    const sbl_status status = sbl_hp_product_functions(&w->product, facts, options, err);
    if (status != SBL_OK) sbl_hp_functions_clear(&w->sum);
    return status;
}

static void clear_wish(wish *w)
{
    sbl_hp_functions_clear(&w->sum);
    sbl_hp_functions_clear(&w->product);
}

/* ---- the split of the budget ---- */

/* By docs/mechanisms/hp.md: shares of mu^2 in proportion to sqrt(loss weight times number of noisy
 * coordinates), Delta being the same for all; a block's weight is the root of its share. */
typedef struct split {
    double sum, onehot, product, counts;
} split;

static double root_of(double pull, double width, const sbl_facts *facts)
{
    return sqrt(pull * width * (double)facts->classes);
}

static split split_budget(const sbl_facts *facts, const wish *w, double sum_width, double product_width,
                          bool counts)
{
    split s = {.sum = root_of(1.0, sum_width, facts),
               .onehot = root_of(1.0, (double)facts->shape.onehot, facts),
               .product = root_of(w->gamma, product_width, facts)};
    const double rest = counts ? 1.0 - w->counts_share : 1.0;
    const double others = s.sum + s.onehot;
    double share = s.product / (s.product + others);
    if (w->product_share != 0.0 && product_width > 0.0 && others > 0.0) share = w->product_share;
    if (others > 0.0) {
        s.sum = sqrt(rest * (1.0 - share) * s.sum / others);
        s.onehot = sqrt(rest * (1.0 - share) * s.onehot / others);
    }
    s.product = sqrt(rest * share);
    s.counts = sqrt(w->counts_share);
    return s;
}

/* ---- the plan ---- */

static double sum_width(const wish *w, const sbl_facts *facts)
{
    double width = 0.0;
    for (size_t i = 0; i < facts->shape.numeric; i++) width += sbl_hp_number_width(&w->sum, i);
    return width;
}

static sbl_hermite_options sum_options(const wish *w, const sbl_facts *facts)
{
    return (sbl_hermite_options){.norm = w->norm,
                                 .level_count = facts->kind == SBL_DATA_IMAGES ? IMAGE_LEVELS : TABLE_LEVELS,
                                 .pull = 1.0,
                                 .functions = w->sum.list,
                                 .function_count = w->sum.count};
}

sbl_status sbl_hermite_sum_parameters(json_t **parameters, const sbl_facts *facts,
                                      const sbl_synth_options *options, sbl_error *err)
{
    wish w;
    *parameters = NULL;
    const sbl_status status = make_wish(&w, facts, options, err);
    if (status != SBL_OK) return status;
    const sbl_hermite_options sum = sum_options(&w, facts);
    *parameters = sbl_hermite_parameters(&sum, json_incref(w.sum.columns));
    clear_wish(&w);
    return *parameters != NULL ? SBL_OK : sbl_no_memory(err, "a plan");
}

static sbl_status add_blocks(sbl_plan *next, const sbl_facts *facts, const wish *w, json_t *subsets,
                             sbl_error *err)
{
    const double product_width = sbl_hp_width(subsets, facts, &w->product);
    const split s = split_budget(facts, w, sum_width(w, facts), product_width, next->counts);
    sbl_hermite_options options = sum_options(w, facts);
    if (facts->shape.numeric > 0)
        SBL_CHECK(sbl_plan_add(next, "hermite", sbl_hermite_parameters(&options, json_incref(w->sum.columns)),
                               s.sum, err));
    if (facts->shape.categorical > 0) SBL_CHECK(sbl_plan_add(next, "onehot", json_object(), s.onehot, err));
    if (product_width > 0.0) {
        options.functions = w->product.list;
        options.function_count = w->product.count;
        options.metric = &w->product.metric;
        options.pull = w->gamma;
        SBL_CHECK(sbl_plan_add(
            next, "hermite-product",
            sbl_hermite_product_parameters(&options, json_incref(w->product.columns), json_incref(subsets)),
            s.product, err));
    }
    next->counts_weight = s.counts;
    return SBL_OK;
}

static sbl_status plan(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                       const sbl_round *rounds, size_t count, sbl_error *err)
{
    wish w = {0};
    json_t *subsets = NULL;
    sbl_status status = SBL_OK;
    (void)rounds;
    if (count > 0) return SBL_OK;
    /* Where n is not public it comes from the counts, or from their total. */
    const bool private_n = !sbl_rows_are_public(options->neighbours, sbl_facts_rows_per_unit(facts));
    next->counts = !facts->balanced && (facts->classes > 1 || private_n);
    SBL_TRY(make_wish(&w, facts, options, err));
    SBL_TRY(sbl_hp_subsets(&subsets, facts, w.size, options, err));
    SBL_TRY(add_blocks(next, facts, &w, subsets, err));
    if (facts->balanced && private_n) SBL_TRY(sbl_plan_add(next, "total", json_object(), 0.25, err));
    SBL_TRY(sbl_plan_set(next, "seed", json_sprintf("%llu", (unsigned long long)options->seed), err));
done:
    clear_wish(&w);
    json_decref(subsets);
    return status;
}

/* ---- in words ---- */

static void explain(sbl_text *text, json_t *object, const sbl_facts *facts, const sbl_round *first,
                    uint64_t n, const sbl_synth_options *options)
{
    (void)facts;
    (void)n;
    (void)options;
    for (size_t i = 0; i < first->features.count; i++) {
        const sbl_feature_instance *item = &first->features.items[i];
        if (strncmp(item->kind->name, "hermite", 7) != 0) continue;
        const sbl_hermite *h = item->made;
        size_t most = 0;
        for (size_t p = 0; p < h->part_count; p++)
            if (h->parts[p].width > most) most = h->parts[p].width;
        if (text != NULL)
            sbl_text_printf(text, "%s: %zu parts of up to %zu numbers, %zu in all, mode %s\n",
                            item->kind->name, h->part_count, most, h->width, h->kernel ? "kernel" : "norm");
        else
            (void)json_object_set_new(object, item->kind->name,
                                      json_pack("{s:I, s:I, s:I}", "parts", (json_int_t)h->part_count,
                                                "widest", (json_int_t)most, "width", (json_int_t)h->width));
    }
}

static const char *const also_public[] = {
    "kernel length scales, orders and subsets of columns (from sizes, options and the seed)", NULL};

const sbl_method sbl_method_hp = {
    .name = "hp",
    .tables = true,
    .images = true,
    .options = own_options,
    .also_public = also_public,
    .plan = plan,
    .check = sbl_generate_check,
    .cost = sbl_generate_cost,
    .explain = explain,
    .fit = sbl_generate_fit,
};
