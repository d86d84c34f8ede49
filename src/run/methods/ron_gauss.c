/* SPDX-License-Identifier: Apache-2.0 */
/* ron-gauss: Gaussians seen through a random orthonormal projection (Chanyaswad, Liu and Mittal
 * 2019), with sensitivities that hold (docs/mechanisms/ron-gauss.md). Here: what is chosen before
 * any data is opened (dimension, split), and the rounds: one for `clip`, two for `normalise`. The
 * feature is records/features/ball_moments.c, the fit after/gauss/gauss_fit.h. */
#include <math.h>
#include <string.h>

#include "after/gauss/gauss_fit.h"
#include "after/gauss/gauss_missing.h"
#include "after/gauss/gauss_moments.h"
#include "after/sample/gauss_sampler.h"
#include "base/alloc.h"
#include "base/compute/lapack.h"
#include "public/options/option_defaults.h"
#include "public/options/option_row.h"
#include "public/options/option_values.h"
#include "public/rows/projection.h"
#include "run/methods/method.h"

#define TARGET_RADIUS 0.5              /* a: docs/mechanisms/ron-gauss.md says why */
#define SMALL_NOISE 0.05               /* of what is seen of a covariance */
#define MOST_MOMENTS ((size_t)1 << 24) /* sums of all classes: 128 MB for each thread */

static const sbl_option_range up_to_4096 = {1, 4096, false, "a whole number from 1 to 4096"};
static const char *const geometries[] = {"clip", "normalise", NULL};
static const char *const spaces[] = {"original", "projected", NULL};
static const char *const splits[] = {"optimal", "paper", NULL};

static const sbl_option geometry_option =
    SBL_SETTING("geometry", SBL_OPTION_CHOICE, "G", SBL_TABLES, SBL_STEPS_PLAN,
                "clip (records scaled by their public bounds) or normalise (records on the unit "
                "sphere; reads the table twice)",
                .choices = geometries, SBL_STANDARD_TABLES("clip"));
static const sbl_option space_option =
    SBL_SETTING("space", SBL_OPTION_CHOICE, "S", SBL_TABLES, SBL_STEPS_PLAN,
                "rows in the original columns or the projected coordinates p1, p2, ...", .choices = spaces,
                SBL_STANDARD_TABLES("original"));
static const sbl_option dimensions_option = SBL_SETTING(
    "dimensions", SBL_OPTION_WHOLE, "P", SBL_TABLES, SBL_STEPS_PLAN, "dimensions of the random projection",
    .range = &up_to_4096, SBL_STANDARD_WORDS("a rule from public sizes"));
static const sbl_option split_option =
    SBL_SETTING("split", SBL_OPTION_CHOICE, "S", SBL_TABLES, SBL_STEPS_PLAN,
                "budget of mean and moments: optimal or paper (0.3 and 0.7 of mu^2, of pure noise "
                "of epsilon)",
                .choices = splits, SBL_STANDARD_TABLES("optimal"));

static const sbl_option *const own_options[] = {
    &geometry_option,        &space_option, &dimensions_option, &split_option, &sbl_option_pure,
    &sbl_option_expect_rows, NULL};

/* Facts that the dimension and the split are chosen by. */
static sbl_ron_sizes sizes_of(const sbl_unit_record *record, const sbl_ron_options *options, bool add_remove,
                              bool paper)
{
    const size_t targets = record->target != SBL_NO_TARGET ? 1 : 0;
    return (sbl_ron_sizes){.width = record->dimensions + targets,
                           .moments = options->dimensions + targets,
                           .labelled = record->shape.classes > 1,
                           .counts = options->counts,
                           .add_remove = add_remove,
                           .pure = options->pure,
                           .paper = paper,
                           .geometry = options->geometry};
}

/* Expected largest eigenvalue of the noise on a covariance, over that of a covariance that lies in
 * one direction of the m and has a third of the ball's trace, of which p directions see p/m. */
static double relative_noise(const sbl_unit_record *record, const sbl_ron_options *options,
                             const sbl_synth_options *wanted, bool paper, double amount, double n)
{
    const sbl_ron_sizes sizes = sizes_of(record, options, wanted->neighbours == SBL_ADD_REMOVE, paper);
    const sbl_ron_split split = sbl_ron_split_choose(&sizes);
    const double radius2 = 1.0 + record->target_radius * record->target_radius;
    const double noise = radius2 * sbl_ron_noise(&sizes, &split, amount);
    const double size = n / (double)record->shape.classes;
    const double p = (double)options->dimensions;
    const double seen = p / (double)record->dimensions / 3.0;
    return 2.0 * sqrt(p) * noise / size / seen;
}

/* The guidance of the paper, p < 2 ln m / ln ln m, at least 2 where there are as many. */
static size_t guided_dimensions(size_t m)
{
    const double logarithm = log((double)m);
    const double guided = logarithm > 1.0 ? floor(2.0 * logarithm / log(logarithm)) : 2.0;
    const size_t p = guided >= 2.0 && guided <= (double)m ? (size_t)guided : 2;
    return p < m ? p : m;
}

/* The public rule for p. What is drawn in the projection gets the paper's. In the original space:
 * the largest p at which the noise stays below a twentieth of what is seen, else the p at which it
 * is smallest. Gaussian noise does not grow with p while what is seen does, so that it takes all m;
 * Laplace noise does, and takes few. */
static sbl_status choose_dimensions(sbl_ron_options *options, const sbl_unit_record *record,
                                    const sbl_facts *facts, const sbl_synth_options *wanted, bool paper,
                                    sbl_error *err)
{
    const uint64_t rows = sbl_facts_rows_per_unit(facts);
    const size_t m = record->dimensions;
    const double n = wanted->expected_rows != 0 ? (double)wanted->expected_rows : SBL_DEFAULT_EXPECTED_ROWS;
    double amount = wanted->epsilon;
    double best = INFINITY;
    size_t most = m;
    size_t chosen = guided_dimensions(m);
    options->dimensions = (size_t)sbl_setting_whole(wanted, &dimensions_option, SBL_TABLES);
    if (options->dimensions != 0) return SBL_OK;
    options->dimensions = chosen;
    if (options->space == SBL_RON_PROJECTED) return SBL_OK;
    while (most > 1 && most * (most + 1) / 2 > MOST_MOMENTS / record->shape.classes) most--;
    if (!options->pure) {
        const double delta = sbl_delta_of_options(wanted, rows == 0 ? wanted->expected_rows : 0);
        const sbl_status status = sbl_gdp_mu(&amount, wanted->epsilon, delta, err);
        if (status != SBL_OK) return status;
    }
    if (rows != 0) amount /= (double)rows; /* k rows of a person move k times as far as one */
    for (size_t p = most; p >= 1; p--) {
        options->dimensions = p;
        const double noise = relative_noise(record, options, wanted, paper, amount, n);
        if (noise < best) {
            best = noise;
            chosen = p;
        }
        if (noise <= SMALL_NOISE) break;
    }
    options->dimensions = chosen;
    return SBL_OK;
}

/* A plan that was read may name this method and hold anything: NULL without a ball. */
static const sbl_ron_plan *ron_of(const sbl_round *round)
{
    const sbl_feature_instance *ball = sbl_features_find(&round->features, SBL_RON_FEATURE);
    return ball != NULL ? &((const sbl_ball *)ball->made)->plan : NULL;
}

static sbl_status no_ball(sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "a plan of method 'ron-gauss' without a ball");
}

/* ---- the first plan ---- */

static void read_options(sbl_ron_options *options, bool *paper, const sbl_facts *facts,
                         const sbl_synth_options *wanted)
{
    options->geometry =
        sbl_setting_is(wanted, &geometry_option, SBL_TABLES, "normalise") ? SBL_RON_NORMALISE : SBL_RON_CLIP;
    options->space =
        sbl_setting_is(wanted, &space_option, SBL_TABLES, "projected") ? SBL_RON_PROJECTED : SBL_RON_ORIGINAL;
    options->pure = wanted->pure;
    options->seed = wanted->seed;
    /* Where n is not public the counts are where it comes from. */
    options->counts =
        facts->classes > 1 || !sbl_rows_are_public(wanted->neighbours, sbl_facts_rows_per_unit(facts));
    *paper = sbl_setting_is(wanted, &split_option, SBL_TABLES, "paper");
}

static sbl_status choose(sbl_ron_plan *chosen, const sbl_facts *facts, const sbl_synth_options *wanted,
                         sbl_error *err)
{
    sbl_unit_record record = {0};
    sbl_ron_options options = {0};
    bool paper;
    sbl_status status = SBL_OK;
    read_options(&options, &paper, facts, wanted);
    SBL_TRY(sbl_ron_record(&record, facts, TARGET_RADIUS, options.geometry == SBL_RON_CLIP, err));
    SBL_TRY(choose_dimensions(&options, &record, facts, wanted, paper, err));
    const sbl_ron_sizes sizes = sizes_of(&record, &options, wanted->neighbours == SBL_ADD_REMOVE, paper);
    options.split = sbl_ron_split_choose(&sizes);
    SBL_TRY(sbl_ron_plan_build(chosen, &record, &options, NULL, err));
done:
    sbl_unit_record_clear(&record);
    return status;
}

static sbl_status rounds(double shares[SBL_MOST_ROUNDS], size_t *count, const sbl_facts *facts,
                         const sbl_synth_options *options, sbl_error *err)
{
    sbl_ron_plan chosen = {0};
    const sbl_status status = choose(&chosen, facts, options, err);
    if (status != SBL_OK) return status;
    shares[0] = chosen.options.split.first_share; /* 1 for clip */
    shares[1] = 1.0 - shares[0];
    *count = chosen.options.geometry == SBL_RON_CLIP ? 1 : 2;
    sbl_ron_plan_clear(&chosen);
    return SBL_OK;
}

/* ---- between the releases of normalise ---- */

/* What the first release says of the classes' centres goes into the second plan. */
static sbl_status recentre(sbl_ron_plan *second, const sbl_round *first, sbl_error *err)
{
    const sbl_ron_plan *planned = ron_of(first);
    const size_t width = planned->width;
    sbl_gauss_moments moments = {0};
    sbl_ron_centre centre = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_gauss_moments_means(&moments, planned, first->release, err));
    centre.rows = moments.rows;
    centre.means = sbl_alloc_array(moments.count, width * sizeof *centre.means);
    if (centre.means == NULL) SBL_TRY(sbl_no_memory(err, "a plan"));
    SBL_ALLOC(centre.sizes, moments.count, "a plan");
    for (size_t c = 0; c < moments.count; c++) {
        memcpy(centre.means + c * width, moments.classes[c].mean, width * sizeof *centre.means);
        centre.sizes[c] = moments.classes[c].size;
    }
    SBL_TRY(sbl_ron_plan_build(second, &planned->record, &planned->options, &centre, err));
done:
    sbl_free(centre.means);
    sbl_free(centre.sizes);
    sbl_gauss_moments_clear(&moments);
    return status;
}

static sbl_status plan(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                       const sbl_round *before, size_t count, sbl_error *err)
{
    sbl_ron_plan chosen = {0};
    const sbl_ron_plan *first = count > 0 ? ron_of(&before[0]) : NULL;
    sbl_status status = SBL_OK;
    if (count > 0 && first == NULL) return no_ball(err);
    if (count > 0 && first->options.geometry == SBL_RON_CLIP) return SBL_OK;
    if (count > 1) return SBL_OK;
    SBL_TRY(count == 0 ? choose(&chosen, facts, options, err) : recentre(&chosen, &before[0], err));
    next->counts = chosen.options.counts && count == 0;
    next->counts_weight = chosen.options.split.counts;
    SBL_TRY(sbl_plan_add(next, SBL_RON_FEATURE, sbl_ron_parameters(&chosen), 1.0, err));
done:
    sbl_ron_plan_clear(&chosen);
    return status;
}

/* ---- the model ---- */

/* Rows of a projected model have columns p1, p2, ... beside the label (after/sample/gauss_sampler.c). */
static sbl_status check(const sbl_facts *facts, const sbl_round *first, const sbl_synth_options *options,
                        sbl_error *err)
{
    const sbl_schema *schema = facts->schema;
    const bool projected = ron_of(first)->options.space == SBL_RON_PROJECTED;
    const sbl_status status = sbl_lapack_check(err);
    (void)options;
    if (status != SBL_OK) return status;
    if (!projected || schema->label == SBL_NO_COLUMN) return SBL_OK;
    const char *name = schema->columns[schema->label].name;
    if (name[0] != 'p' || name[1] == '\0' || name[1 + strspn(name + 1, "0123456789")] != '\0') return SBL_OK;
    return sbl_fail(err, SBL_EARG,
                    "the label '%.80s' has the name of a coordinate of the projected table: draw rows in the "
                    "original space, or rename the label",
                    name);
}

static sbl_status fit(sbl_model **model, const sbl_facts *facts, const sbl_round *made_rounds, size_t count,
                      const sbl_synth_options *options, sbl_store_entry checkpoint, sbl_error *err)
{
    (void)checkpoint;
    const sbl_round *last = &made_rounds[count - 1];
    const sbl_ron_plan *planned = ron_of(last);
    sbl_gauss_model gauss = {0};
    sbl_model *made = NULL;
    sbl_status status = SBL_OK;
    (void)options;
    *model = NULL;
    if (planned == NULL) return no_ball(err);
    SBL_TRY(sbl_model_new(&made, &sbl_model_kind_gauss, &last->plan, err));
    SBL_TRY(sbl_gauss_fit(&gauss, &made->rows, planned, last->release, err));
    SBL_TRY(sbl_gauss_take_missing(&gauss, facts, made->rows, made_rounds[0].release, err));
    SBL_TRY(sbl_model_of_gauss(made, &gauss, err));
    *model = made;
    made = NULL;
done:
    sbl_model_free(made);
    return status;
}

/* ---- what a plan says ---- */

/* The noise of the covariance, relative to the covariance that evenly spread columns have: 1/3 of
 * the ball's trace (all of the sphere's), the same in every direction; both in Frobenius norm. */
static void explain(sbl_text *words, json_t *object, const sbl_facts *facts, const sbl_round *first,
                    uint64_t n, const sbl_synth_options *wanted)
{
    const sbl_ron_plan *planned = ron_of(first);
    const sbl_ron_options *options = &planned->options;
    const bool clip = options->geometry == SBL_RON_CLIP;
    const sbl_ron_sizes sizes =
        sizes_of(&planned->record, options, wanted->neighbours == SBL_ADD_REMOVE, false);
    const double p = (double)options->dimensions;
    const double variance = (clip ? 1.0 / 3.0 : 1.0) / (double)planned->record.dimensions;
    double amount = wanted->epsilon;
    const double delta = sbl_delta_of_options(wanted, n);
    if (!options->pure && sbl_gdp_mu(&amount, wanted->epsilon, delta, NULL) != SBL_OK) return;
    const double noise = planned->radius * planned->radius * sbl_ron_noise(&sizes, &options->split, amount) *
                         (double)facts->classes / (double)n;
    const double frobenius = noise * sqrt(p * (p + 1.0)) / (variance * sqrt(p));
    const double spectral = 2.0 * noise * sqrt(p);
    if (object != NULL) {
        (void)json_object_set_new(object, "dimensions", json_integer((json_int_t)p));
        (void)json_object_set_new(object, "coordinates",
                                  json_integer((json_int_t)planned->record.dimensions));
        (void)json_object_set_new(object, "covariance_error", json_real(frobenius));
        (void)json_object_set_new(object, "smallest_variance_seen", json_real(spectral));
        return;
    }
    sbl_text_printf(words, "\nprojection of %zu coordinates to %zu, geometry %s, rows in %s space\n",
                    planned->record.dimensions, options->dimensions, sbl_ron_geometry_name(options->geometry),
                    sbl_ron_space_name(options->space));
    sbl_text_printf(words,
                    "expected error of a class's covariance: %.3g of that of evenly spread columns "
                    "(Frobenius norm)\n",
                    frobenius);
    sbl_text_printf(words,
                    "directions of variance above %.2g stand out of the noise (all %zu columns "
                    "together have at most 1)\n",
                    spectral, planned->record.columns);
}

static const char *const also_public[] = {"the random projection and its dimension", NULL};

const sbl_method sbl_method_ron_gauss = {
    .name = "ron-gauss",
    .tables = true,
    .pure = true,
    .options = own_options,
    .also_public = also_public,
    .rounds = rounds,
    .plan = plan,
    .check = check,
    .explain = explain,
    .fit = fit,
};
