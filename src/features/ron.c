/* The parameters of the feature `ball` between options, struct and JSON, with every range checked.
 * What is read must give back the same JSON: nothing in a plan may be ignored. */
#include "features/ron.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "features/parameters.h"

static const char *const geometries[] = {"clip", "normalise"};
static const char *const spaces[] = {"original", "projected"};

const char *sbl_ron_geometry_name(sbl_ron_geometry geometry) { return geometries[geometry]; }

const char *sbl_ron_space_name(sbl_ron_space space) { return spaces[space]; }

static bool is_weight(double value) { return value >= 1e-6 && value <= 1e6; }

static sbl_status check_options(const sbl_ron_plan *plan, sbl_error *err)
{
    const sbl_ron_options *options = &plan->options;
    const size_t m = plan->record.dimensions;
    if (m > SBL_RON_MAX_DIMENSIONS)
        return sbl_fail(err, SBL_EARG, "ron-gauss takes records of at most %d coordinates, not %zu",
                        SBL_RON_MAX_DIMENSIONS, m);
    if (options->dimensions < 1 || options->dimensions > m)
        return sbl_fail(err, SBL_EARG, "dimensions must be from 1 to the record's %zu", m);
    if (!is_weight(options->split.mean) || !is_weight(options->split.counts))
        return sbl_fail(err, SBL_EARG, "a weight of the split is not between 1e-6 and 1e6");
    /* Nothing left for a second release would read as no share at all: as the whole budget. */
    const double share = options->split.first_share;
    if (options->geometry == SBL_RON_CLIP ? share != 1.0 : !(share > 0.0 && share < 1.0))
        return sbl_fail(err, SBL_EARG, "the first release's share is not between 0 and 1");
    return SBL_OK;
}

static bool put_centre(json_t *root, const sbl_ron_plan *plan)
{
    const size_t classes = plan->record.shape.classes;
    const sbl_ron_centre *centre = &plan->centre;
    if (centre->means == NULL) return true;
    return json_object_set_new(root, "centre",
                               sbl_parameters_from_reals(centre->means, classes * plan->width)) ==
               0 &&
           json_object_set_new(root, "sizes", sbl_parameters_from_reals(centre->sizes, classes)) ==
               0 &&
           json_object_set_new(root, "rows", json_real(centre->rows)) == 0;
}

json_t *sbl_ron_parameters(const sbl_ron_plan *plan)
{
    const sbl_ron_options *options = &plan->options;
    json_t *record = sbl_unit_record_to_json(&plan->record);
    json_t *root =
        record == NULL
            ? NULL
            : json_pack("{s:o, s:s, s:s, s:I, s:b, s:b, s:f, s:f, s:f, s:o, s:i}", "record", record,
                        "geometry", sbl_ron_geometry_name(options->geometry), "space",
                        sbl_ron_space_name(options->space), "dimensions",
                        (json_int_t)options->dimensions, "counts", options->counts, "pure",
                        options->pure, "mean_weight", options->split.mean, "counts_weight",
                        options->split.counts, "first_share", options->split.first_share, "seed",
                        sbl_parameters_from_seed(options->seed), "grid_bits", SBL_RON_GRID_BITS);
    if (root == NULL || put_centre(root, plan)) return root;
    json_decref(root);
    return NULL;
}

static sbl_status copy_centre(sbl_ron_plan *plan, const sbl_ron_centre *centre, sbl_error *err)
{
    const size_t classes = plan->record.shape.classes;
    const size_t values = classes * plan->width; /* both below 2^24 */
    if (plan->options.geometry != SBL_RON_NORMALISE)
        return sbl_fail(err, SBL_EARG, "only the geometry 'normalise' has a centre");
    plan->centre.rows = centre->rows;
    plan->centre.means = sbl_alloc_array(values, sizeof *plan->centre.means);
    plan->centre.sizes = sbl_alloc_array(classes, sizeof *plan->centre.sizes);
    if (plan->centre.means == NULL || plan->centre.sizes == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory for a plan");
    memcpy(plan->centre.means, centre->means, values * sizeof *centre->means);
    memcpy(plan->centre.sizes, centre->sizes, classes * sizeof *centre->sizes);
    bool good = centre->rows >= 1.0 && isfinite(centre->rows);
    for (size_t c = 0; c < classes; c++)
        good = good && centre->sizes[c] >= 1.0 && isfinite(centre->sizes[c]);
    for (size_t i = 0; i < values; i++) good = good && fabs(centre->means[i]) <= 2048.0;
    return good ? SBL_OK : sbl_fail(err, SBL_EARG, "the centre is out of range");
}

sbl_status sbl_ron_plan_build(sbl_ron_plan *plan, const sbl_unit_record *record,
                              const sbl_ron_options *options, const sbl_ron_centre *centre,
                              sbl_error *err)
{
    sbl_status status = SBL_OK;
    *plan = (sbl_ron_plan){.options = *options};
    SBL_TRY(sbl_unit_record_init(&plan->record, &record->shape, record->target,
                                 record->target_radius, record->centred, err));
    SBL_TRY(check_options(plan, err));
    plan->targets = record->target != SBL_NO_TARGET ? 1 : 0;
    plan->width = record->dimensions + plan->targets;
    plan->moments = options->dimensions + plan->targets;
    plan->radius = sqrt(1.0 + record->target_radius * record->target_radius);
    if (centre != NULL) SBL_TRY(copy_centre(plan, centre, err));
done:
    if (status != SBL_OK) sbl_ron_plan_clear(plan);
    return status;
}

void sbl_ron_plan_clear(sbl_ron_plan *plan)
{
    sbl_unit_record_clear(&plan->record);
    sbl_free(plan->centre.means);
    sbl_free(plan->centre.sizes);
    *plan = (sbl_ron_plan){0};
}

/* ---- reading back ---- */

static sbl_status read_choice(int *choice, const char *const names[2], const json_t *root,
                              const char *name, const char *where, sbl_error *err)
{
    const char *text;
    const sbl_status status = sbl_json_get_string(&text, root, name, where, err);
    if (status != SBL_OK) return status;
    for (*choice = 0; *choice < 2; ++*choice)
        if (strcmp(text, names[*choice]) == 0) return SBL_OK;
    return sbl_fail(err, SBL_EINPUT, "%s: field '%s' is neither '%s' nor '%s'", where, name,
                    names[0], names[1]);
}

static sbl_status read_options(sbl_ron_options *options, const json_t *root, const char *where,
                               sbl_error *err)
{
    int geometry;
    int space;
    uint64_t dimensions;
    sbl_status status = SBL_OK;
    SBL_TRY(read_choice(&geometry, geometries, root, "geometry", where, err));
    SBL_TRY(read_choice(&space, spaces, root, "space", where, err));
    SBL_TRY(sbl_json_get_u64(&dimensions, root, "dimensions", where, err));
    SBL_TRY(sbl_json_get_bool(&options->counts, root, "counts", where, err));
    SBL_TRY(sbl_json_get_bool(&options->pure, root, "pure", where, err));
    SBL_TRY(sbl_json_get_double(&options->split.mean, root, "mean_weight", where, err));
    SBL_TRY(sbl_json_get_double(&options->split.counts, root, "counts_weight", where, err));
    SBL_TRY(sbl_json_get_double(&options->split.first_share, root, "first_share", where, err));
    SBL_TRY(sbl_parameters_seed(&options->seed, root, where, err));
    options->geometry = geometry == 0 ? SBL_RON_CLIP : SBL_RON_NORMALISE;
    options->space = space == 0 ? SBL_RON_ORIGINAL : SBL_RON_PROJECTED;
    options->dimensions = dimensions;
done:
    return status;
}

/* count numbers, owned by the caller. */
static sbl_status read_reals(double **values, size_t count, const json_t *root, const char *name,
                             const char *where, sbl_error *err)
{
    json_t *list;
    const sbl_status status = sbl_json_get_array(&list, root, name, where, err);
    if (status != SBL_OK) return status;
    if (json_array_size(list) != count)
        return sbl_fail(err, SBL_EINPUT, "%s: field '%s' is not of the plan's size", where, name);
    *values = sbl_alloc_array(count, sizeof **values);
    if (*values == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a plan");
    for (size_t i = 0; i < count; i++) (*values)[i] = json_number_value(json_array_get(list, i));
    return SBL_OK;
}

static sbl_status read_centre(sbl_ron_centre *centre, const sbl_unit_record *record,
                              const json_t *root, const char *where, sbl_error *err)
{
    const size_t width = record->dimensions + (record->target != SBL_NO_TARGET ? 1 : 0);
    const size_t classes = record->shape.classes;
    sbl_status status = SBL_OK;
    if (json_object_get(root, "centre") == NULL) return SBL_OK;
    SBL_TRY(read_reals(&centre->means, classes * width, root, "centre", where, err));
    SBL_TRY(read_reals(&centre->sizes, classes, root, "sizes", where, err));
    SBL_TRY(sbl_json_get_double(&centre->rows, root, "rows", where, err));
done:
    return status;
}

sbl_status sbl_ron_plan_parse(sbl_ron_plan *plan, const json_t *parameters, sbl_error *err)
{
    json_t *object;
    json_t *own = NULL;
    sbl_unit_record record = {0};
    sbl_ron_options options = {0};
    sbl_ron_centre centre = {0};
    sbl_status status = SBL_OK;
    *plan = (sbl_ron_plan){0};
    SBL_TRY(sbl_json_get_object(&object, parameters, "record", SBL_RON_FEATURE, err));
    SBL_TRY(sbl_unit_record_from_json(&record, object, SBL_RON_FEATURE, err));
    SBL_TRY(read_options(&options, parameters, SBL_RON_FEATURE, err));
    SBL_TRY(read_centre(&centre, &record, parameters, SBL_RON_FEATURE, err));
    SBL_TRY(
        sbl_ron_plan_build(plan, &record, &options, centre.means != NULL ? &centre : NULL, err));
    own = sbl_ron_parameters(plan);
    if (own == NULL)
        status = sbl_fail(err, SBL_EMEM, "out of memory for a plan");
    else if (!json_equal(own, parameters))
        status =
            sbl_fail(err, SBL_EINPUT, "feature '%s' has parameters that this version does not know",
                     SBL_RON_FEATURE);
done:
    if (status == SBL_EARG) status = SBL_EINPUT;
    if (status != SBL_OK) sbl_ron_plan_clear(plan);
    sbl_free(centre.means);
    sbl_free(centre.sizes);
    sbl_unit_record_clear(&record);
    json_decref(own);
    return status;
}

sbl_status sbl_ron_record(sbl_unit_record *record, const sbl_facts *facts, double target_radius,
                          bool centred, sbl_error *err)
{
    const sbl_heads *heads = &facts->heads;
    size_t target = SBL_NO_TARGET;
    if (heads->label != SBL_NO_HEAD && heads->items[heads->label].kind == SBL_HEAD_NUMERIC)
        target = heads->items[heads->label].index;
    return sbl_unit_record_init(record, &facts->shape, target, target_radius, centred, err);
}
