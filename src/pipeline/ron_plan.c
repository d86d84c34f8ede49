/* What ron-gauss chooses before any data is opened: dimension, split, what a plan says of them. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "pipeline/ron_parts.h"

#define TARGET_RADIUS 0.5              /* a: docs/mechanisms/ron-gauss.md says why */
#define EXPECTED_ROWS 10000            /* where nobody says how many to expect */
#define SMALL_NOISE 0.05               /* of what is seen of a covariance */
#define MOST_MOMENTS ((size_t)1 << 24) /* sums of all classes: 128 MB for each thread */

static sbl_status read_choice(int *choice, const char *value, const char *option,
                              const char *const names[2], sbl_error *err)
{
    *choice = 0;
    if (value == NULL || strcmp(value, names[0]) == 0) return SBL_OK;
    *choice = 1;
    if (strcmp(value, names[1]) == 0) return SBL_OK;
    return sbl_fail(err, SBL_EARG, "%s '%.40s' is neither %s nor %s", option, value, names[0],
                    names[1]);
}

/* Facts that the dimension and the split are chosen by. */
static sbl_ron_sizes sizes_of(const sbl_unit_record *record, const sbl_ron_options *options,
                              bool add_remove, bool paper)
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
    const sbl_ron_sizes sizes =
        sizes_of(record, options, wanted->neighbours == SBL_ADD_REMOVE, paper);
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
                                    const sbl_synth_options *wanted, bool paper, sbl_error *err)
{
    const size_t m = record->dimensions;
    const double n = wanted->expected_rows != 0 ? (double)wanted->expected_rows : EXPECTED_ROWS;
    double amount = wanted->epsilon;
    double best = INFINITY;
    size_t most = m;
    size_t chosen = guided_dimensions(m);
    options->dimensions = wanted->dimensions;
    if (wanted->dimensions != 0) return SBL_OK;
    options->dimensions = chosen;
    if (options->space == SBL_RON_PROJECTED) return SBL_OK;
    while (most > 1 && most * (most + 1) / 2 > MOST_MOMENTS / record->shape.classes) most--;
    if (!options->pure) {
        const sbl_status status = sbl_gdp_mu(&amount, wanted->epsilon, wanted->delta, err);
        if (status != SBL_OK) return status;
    }
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

sbl_status sbl_ron_read_record(sbl_unit_record *record, const sbl_recipe *recipe, bool centred,
                               sbl_error *err)
{
    const sbl_heads *heads = &recipe->codec.heads;
    sbl_record_shape shape = {0};
    size_t target = SBL_NO_TARGET;
    sbl_status status = sbl_recipe_shape(&shape, recipe, err);
    if (status != SBL_OK) return status;
    if (heads->label != SBL_NO_HEAD && heads->items[heads->label].kind == SBL_HEAD_NUMERIC)
        target = heads->items[heads->label].index;
    status = sbl_unit_record_init(record, &shape, target, TARGET_RADIUS, centred, err);
    sbl_record_shape_clear(&shape);
    return status;
}

static sbl_status read_options(sbl_ron_options *options, bool *paper, const sbl_recipe *recipe,
                               const sbl_synth_options *wanted, sbl_error *err)
{
    static const char *const geometries[2] = {"clip", "normalise"};
    static const char *const spaces[2] = {"original", "projected"};
    static const char *const splits[2] = {"optimal", "paper"};
    int geometry;
    int space;
    int split;
    sbl_status status = SBL_OK;
    SBL_TRY(read_choice(&geometry, wanted->geometry, "geometry", geometries, err));
    SBL_TRY(read_choice(&space, wanted->space, "space", spaces, err));
    SBL_TRY(read_choice(&split, wanted->split, "split", splits, err));
    options->geometry = geometry == 0 ? SBL_RON_CLIP : SBL_RON_NORMALISE;
    options->space = space == 0 ? SBL_RON_ORIGINAL : SBL_RON_PROJECTED;
    options->pure = wanted->pure;
    options->seed = wanted->seed;
    /* Under add-remove n is not public: the counts are where it comes from. */
    options->counts = recipe->classes > 1 || wanted->neighbours == SBL_ADD_REMOVE;
    *paper = split == 1;
done:
    return status;
}

sbl_status sbl_ron_recipe_new(sbl_ron_recipe **made, sbl_recipe *recipe, sbl_error *err)
{
    *made = recipe->plan = sbl_alloc_array(1, sizeof **made);
    return *made != NULL ? SBL_OK : sbl_fail(err, SBL_EMEM, "out of memory for a plan");
}

sbl_status sbl_ron_plan_choose(sbl_recipe *recipe, const sbl_synth_options *wanted, sbl_error *err)
{
    sbl_ron_recipe *made;
    sbl_unit_record record = {0};
    sbl_ron_options options = {0};
    bool paper;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_ron_recipe_new(&made, recipe, err));
    SBL_TRY(read_options(&options, &paper, recipe, wanted, err));
    SBL_TRY(sbl_ron_read_record(&record, recipe, options.geometry == SBL_RON_CLIP, err));
    SBL_TRY(choose_dimensions(&options, &record, wanted, paper, err));
    const sbl_ron_sizes sizes =
        sizes_of(&record, &options, wanted->neighbours == SBL_ADD_REMOVE, paper);
    options.split = sbl_ron_split_choose(&sizes);
    SBL_TRY(sbl_ron_plan_build(&made->plan, &record, &options, NULL, err));
done:
    sbl_unit_record_clear(&record);
    return status;
}

/* The noise of the covariance, relative to the covariance that evenly spread columns have: 1/3 of
 * the ball's trace (all of the sphere's), the same in every direction; both in Frobenius norm. */
void sbl_ron_explain(sbl_text *words, json_t *object, const sbl_recipe *recipe, uint64_t n,
                     const sbl_synth_options *wanted)
{
    const sbl_ron_plan *planned = &sbl_ron_of(recipe)->plan;
    const sbl_ron_options *options = &planned->options;
    const bool clip = options->geometry == SBL_RON_CLIP;
    const sbl_ron_sizes sizes =
        sizes_of(&planned->record, options, wanted->neighbours == SBL_ADD_REMOVE, false);
    const double p = (double)options->dimensions;
    const double variance = (clip ? 1.0 / 3.0 : 1.0) / (double)planned->record.dimensions;
    double amount = wanted->epsilon;
    if (!options->pure && sbl_gdp_mu(&amount, wanted->epsilon, wanted->delta, NULL) != SBL_OK)
        return;
    const double noise = planned->radius * planned->radius *
                         sbl_ron_noise(&sizes, &options->split, amount) * (double)recipe->classes /
                         (double)n;
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
    sbl_text_printf(words,
                    "\nprojection of %zu coordinates to %zu, geometry %s, rows in %s space\n",
                    planned->record.dimensions, options->dimensions,
                    sbl_ron_geometry_name(options->geometry), sbl_ron_space_name(options->space));
    sbl_text_printf(words,
                    "expected error of a class's covariance: %.3g of that of evenly spread columns "
                    "(Frobenius norm)\n",
                    frobenius);
    sbl_text_printf(words,
                    "directions of variance above %.2g stand out of the noise (all %zu columns "
                    "together have at most 1)\n",
                    spectral, planned->record.columns);
}
