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
#include "run/methods/hp_subsets.h"
#include "run/methods/network_method.h"
#include "semblance/account.h"

#define TABLE_LEVELS 1024
#define IMAGE_LEVELS 256
#define COUNTS_SHARE 0.05 /* of mu^2 */
#define HELD 0.9          /* of the kernel, by the least order that is taken by itself */
#define PRODUCT_LENGTH 0.1
#define IMAGE_PRODUCT_LENGTH 0.3

static const sbl_option_range any_order = {1, 500, false, "a whole number from 1 to 500"};
static const sbl_option_range subset_size = {1, 16, false, "a whole number from 1 to 16"};
static const char *const modes[] = {"kernel", "norm", NULL};

const sbl_option sbl_option_sensitivity =
    SBL_SETTING("sensitivity", SBL_OPTION_CHOICE, "MODE", SBL_BOTH_KINDS, SBL_STEPS_PLAN,
                "of Hermite features: kernel (sqrt 2, every pair of a table compared) or norm (2, records "
                "clipped)",
                .choices = modes, SBL_STANDARD("kernel"));
const sbl_option sbl_option_lengths =
    SBL_SETTING("lengths", SBL_OPTION_TEXT, "LIST", SBL_BOTH_KINDS, SBL_STEPS_PLAN,
                "length scales of the sum kernel, in units of a column's range",
                SBL_STANDARD_EACH("0.02,0.1,0.4", "0.1,0.4"));
const sbl_option sbl_option_order =
    SBL_SETTING("order", SBL_OPTION_WHOLE, "C", SBL_BOTH_KINDS, SBL_STEPS_PLAN,
                "order of the sum kernel's Hermite features", .range = &any_order,
                SBL_STANDARD_WORDS("what holds 0.9 of the kernel of each length"));
static const sbl_option product_order =
    SBL_SETTING("product-order", SBL_OPTION_WHOLE, "C", SBL_BOTH_KINDS, SBL_STEPS_PLAN,
                "order of the product kernel's Hermite features", .range = &any_order,
                SBL_STANDARD_WORDS("what holds 0.9 of its kernel"));
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

static const sbl_option *const own_options[] = {
    SBL_HERMITE_SUM_OPTIONS, &product_order, &product_size,         &sbl_option_products, &sbl_option_subsets,
    &gamma_option,           &product_share, SBL_GENERATOR_OPTIONS, &sbl_option_signs,    NULL};

/* What was asked for, and what is taken where nothing was. */
typedef struct wish {
    sbl_hermite_function sum[SBL_HERMITE_MOST_FUNCTIONS];
    size_t sum_count;
    sbl_hermite_function product;
    size_t size; /* columns of a subset; 1: no product kernel */
    double gamma;
    bool norm;
} wish;

/* The least order that holds most of the kernel of a length, at its best reach. */
static size_t order_of(double length)
{
    size_t order = 1;
    for (; order < SBL_HERMITE_MOST_ORDER; order += 1 + order / 8) {
        const sbl_hermite_function f = {length, order, sbl_hermite_reach(length, order)};
        if (sbl_hermite_held(&f) >= HELD) break;
    }
    return order;
}

static sbl_hermite_function function_of(double length, uint64_t order)
{
    const size_t taken = order != 0 ? (size_t)order : order_of(length);
    return (sbl_hermite_function){length, taken, sbl_hermite_reach(length, taken)};
}

/* "0.02,0.1": one function for each. */
static sbl_status read_lengths(wish *w, const char *text, uint64_t order, sbl_error *err)
{
    while (w->sum_count < SBL_HERMITE_MOST_FUNCTIONS) {
        char item[32];
        double length;
        const size_t size = strcspn(text, ",");
        (void)snprintf(item, sizeof item, "%.*s", (int)(size < 31 ? size : 31), text);
        if (size > 31 || !sbl_text_to_double(&length, item) || !(length >= 1e-3 && length <= 1e2)) break;
        w->sum[w->sum_count++] = function_of(length, order);
        if (text[size] == '\0') return SBL_OK;
        text += size + 1;
    }
    return sbl_fail(err, SBL_EARG, "lengths must be 1 to %d numbers from 0.001 to 100, e.g. 0.05,0.2",
                    SBL_HERMITE_MOST_FUNCTIONS);
}

static sbl_status make_wish(wish *w, const sbl_facts *facts, const sbl_synth_options *options, sbl_error *err)
{
    const sbl_data_kinds kind = sbl_kinds_of(facts);
    *w = (wish){.size = (size_t)sbl_setting_whole(options, &product_size, kind),
                .gamma = sbl_setting_number(options, &gamma_option, kind),
                .norm = sbl_setting_is(options, &sbl_option_sensitivity, kind, "norm")};
    w->product = function_of(kind == SBL_IMAGES ? IMAGE_PRODUCT_LENGTH : PRODUCT_LENGTH,
                             sbl_setting_whole(options, &product_order, kind));
    return read_lengths(w, sbl_setting_text(options, &sbl_option_lengths, kind),
                        sbl_setting_whole(options, &sbl_option_order, kind), err);
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
                          double wanted_share, bool counts)
{
    split s = {.sum = root_of(1.0, sum_width, facts),
               .onehot = root_of(1.0, (double)facts->shape.onehot, facts),
               .product = root_of(w->gamma, product_width, facts)};
    const double rest = counts ? 1.0 - COUNTS_SHARE : 1.0;
    const double others = s.sum + s.onehot;
    double share = s.product / (s.product + others);
    if (wanted_share != 0.0 && product_width > 0.0 && others > 0.0) share = wanted_share;
    if (others > 0.0) {
        s.sum = sqrt(rest * (1.0 - share) * s.sum / others);
        s.onehot = sqrt(rest * (1.0 - share) * s.onehot / others);
    }
    s.product = sqrt(rest * share);
    s.counts = sqrt(COUNTS_SHARE);
    return s;
}

/* ---- the plan ---- */

static double sum_width(const wish *w, const sbl_facts *facts)
{
    double width = 0.0;
    for (size_t f = 0; f < w->sum_count; f++) width += (double)(w->sum[f].order + 1);
    return width * (double)facts->shape.numeric;
}

static sbl_hermite_options sum_options(const wish *w, const sbl_facts *facts)
{
    return (sbl_hermite_options){.norm = w->norm,
                                 .level_count = facts->kind == SBL_DATA_IMAGES ? IMAGE_LEVELS : TABLE_LEVELS,
                                 .pull = 1.0,
                                 .functions = w->sum,
                                 .function_count = w->sum_count};
}

sbl_status sbl_hermite_sum_parameters(json_t **parameters, const sbl_facts *facts,
                                      const sbl_synth_options *options, sbl_error *err)
{
    wish w;
    *parameters = NULL;
    const sbl_status status = make_wish(&w, facts, options, err);
    if (status != SBL_OK) return status;
    const sbl_hermite_options sum = sum_options(&w, facts);
    *parameters = sbl_hermite_parameters(&sum, NULL);
    return *parameters != NULL ? SBL_OK : sbl_no_memory(err, "a plan");
}

static sbl_status add_blocks(sbl_plan *next, const sbl_facts *facts, const wish *w, json_t *subsets,
                             double wanted_share, sbl_error *err)
{
    const double product_width = sbl_hp_width(subsets, facts, w->product.order + 1);
    const split s = split_budget(facts, w, sum_width(w, facts), product_width, wanted_share, next->counts);
    sbl_hermite_options options = sum_options(w, facts);
    if (facts->shape.numeric > 0)
        SBL_CHECK(sbl_plan_add(next, "hermite", sbl_hermite_parameters(&options, NULL), s.sum, err));
    if (facts->shape.categorical > 0) SBL_CHECK(sbl_plan_add(next, "onehot", json_object(), s.onehot, err));
    if (json_array_size(subsets) > 0) {
        options.functions = &w->product;
        options.function_count = 1;
        options.pull = w->gamma;
        SBL_CHECK(sbl_plan_add(next, "hermite-product",
                               sbl_hermite_product_parameters(&options, NULL, json_incref(subsets)),
                               s.product, err));
    }
    next->counts_weight = s.counts;
    return SBL_OK;
}

static sbl_status plan(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                       const sbl_round *rounds, size_t count, sbl_error *err)
{
    wish w;
    json_t *subsets = NULL;
    sbl_status status = SBL_OK;
    (void)rounds;
    if (count > 0) return SBL_OK;
    /* Where n is not public it comes from the counts, or from their total. */
    const bool private_n = !sbl_rows_are_public(options->neighbours, sbl_facts_rows_per_unit(facts));
    next->counts = !facts->balanced && (facts->classes > 1 || private_n);
    SBL_TRY(make_wish(&w, facts, options, err));
    SBL_TRY(sbl_hp_subsets(&subsets, facts, w.size, options, err));
    SBL_TRY(add_blocks(next, facts, &w, subsets,
                       sbl_setting_number(options, &product_share, sbl_kinds_of(facts)), err));
    if (facts->balanced && private_n) SBL_TRY(sbl_plan_add(next, "total", json_object(), 0.25, err));
    SBL_TRY(sbl_plan_set(next, "seed", json_sprintf("%llu", (unsigned long long)options->seed), err));
done:
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
