/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of normals from the public seed, orthonormalised by Gram-Schmidt: each finished row is
 * taken out of all later ones (in parallel), and once more out of the row at hand before it is
 * scaled. */
#include "public/rows/projection.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compute/gemm.h"
#include "base/compute/threads.h"
#include "base/json_fields.h"
#include "base/random/model_rng.h"
#include "public/plan/parameters.h"

#define LANES 8 /* partial sums, added in one fixed order */

static double dot(const double *a, const double *b, size_t count)
{
    double sums[LANES] = {0};
    const size_t whole = count - count % LANES;
    double total = 0;
    for (size_t i = 0; i < whole; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++) sums[lane] += a[i + lane] * b[i + lane];
    for (size_t i = whole; i < count; i++) total += a[i] * b[i];
    for (size_t lane = 0; lane < LANES; lane++) total += sums[lane];
    return total;
}

static void take_away(double *row, double factor, const double *other, size_t count)
{
    for (size_t i = 0; i < count; i++) row[i] -= factor * other[i];
}

/* Row k is finished; its part goes out of all later rows, each on its own. */
static void sweep(double *rows, size_t k, size_t count, size_t dimensions)
{
    const double *done = rows + k * dimensions;
    SBL_OMP(omp parallel for schedule(static) if (count - k > 64))
    for (size_t j = k + 1; j < count; j++) {
        double *row = rows + j * dimensions;
        take_away(row, dot(row, done, dimensions), done, dimensions);
    }
}

sbl_status sbl_orthonormalise(double *rows, size_t count, size_t dimensions, sbl_error *err)
{
    for (size_t k = 0; k < count; k++) {
        double *row = rows + k * dimensions;
        /* What rounding left along the rows before it. */
        for (size_t j = 0; j < k; j++) {
            const double *before = rows + j * dimensions;
            take_away(row, dot(row, before, dimensions), before, dimensions);
        }
        const double length = sqrt(dot(row, row, dimensions));
        if (!(length > 1e-9)) return sbl_fail(err, SBL_EARG, "row %zu depends on those before it", k);
        for (size_t i = 0; i < dimensions; i++) row[i] /= length;
        sweep(rows, k, count, dimensions);
    }
    return SBL_OK;
}

sbl_status sbl_haar_rows(double *rows, size_t count, size_t dimensions, uint64_t seed, sbl_error *err)
{
    for (size_t k = 0; k < count; k++) {
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, seed, SBL_RNG_ROTATION, k);
        for (size_t i = 0; i < dimensions; i++) rows[k * dimensions + i] = sbl_model_rng_normal(&rng);
    }
    return sbl_orthonormalise(rows, count, dimensions, err);
}

/* The parameters of the feature `ball` between options, struct and JSON, with every range checked.
 * What is read must give back the same JSON: nothing in a plan may be ignored. */

static const char *const geometries[] = {"clip", "normalise", NULL};
static const char *const spaces[] = {"original", "projected", NULL};

const char *sbl_ron_geometry_name(sbl_ron_geometry geometry) { return geometries[geometry]; }

const char *sbl_ron_space_name(sbl_ron_space space) { return spaces[space]; }

#define AT(member) SBL_JSON_AT(sbl_ron_options, member)
static const sbl_json_field option_fields[] = {
    {"geometry", SBL_JSON_CHOICE, AT(geometry), .names = geometries},
    {"space", SBL_JSON_CHOICE, AT(space), .names = spaces},
    {"dimensions", SBL_JSON_WHOLE, AT(dimensions)},
    {"counts", SBL_JSON_BOOL, AT(counts)},
    {"pure", SBL_JSON_BOOL, AT(pure)},
    {"mean_weight", SBL_JSON_REAL, AT(split.mean)},
    {"counts_weight", SBL_JSON_REAL, AT(split.counts)},
    {"first_share", SBL_JSON_REAL, AT(split.first_share)},
    {"seed", SBL_JSON_DECIMAL, AT(seed)},
    {"grid_bits", SBL_JSON_VERSION, SBL_JSON_HERE, .least = SBL_RON_GRID_BITS, .derived = true},
    {0},
};
#undef AT

static bool is_weight(double value) { return value >= 1e-6 && value <= 1e6; }

static sbl_status check_options(const sbl_ron_plan *plan, sbl_error *err)
{
    const sbl_ron_options *options = &plan->options;
    const size_t m = plan->record.dimensions;
    if (m > SBL_RON_MAX_DIMENSIONS)
        return sbl_fail(err, SBL_EARG, "ron-gauss takes records of at most %d coordinates, not %zu",
                        SBL_RON_MAX_DIMENSIONS, m);
    if (options->dimensions < 1 || options->dimensions > m)
        return sbl_fail(err, SBL_EARG,
                        "dimensions must be from 1 to %zu, the number of coordinates of a record", m);
    if (!is_weight(options->split.mean) || !is_weight(options->split.counts))
        return sbl_fail(err, SBL_EARG, "a weight of the split is not between 1e-6 and 1e6");
    /* Nothing left for a second release would read as no share at all: as the whole budget. */
    const double share = options->split.first_share;
    if (options->geometry == SBL_RON_CLIP ? share != 1.0 : !(share > 0.0 && share < 1.0))
        return sbl_fail(err, SBL_EARG, "the first release's share is not between 0 and 1");
    return SBL_OK;
}

static json_t *put_centre(json_t *root, const sbl_ron_plan *plan)
{
    const size_t classes = plan->record.shape.classes;
    const sbl_ron_centre *centre = &plan->centre;
    if (centre->means == NULL) return root;
    root = sbl_json_put(root, "centre", sbl_parameters_from_reals(centre->means, classes * plan->width));
    root = sbl_json_put(root, "sizes", sbl_parameters_from_reals(centre->sizes, classes));
    return sbl_json_put(root, "rows", json_real(centre->rows));
}

json_t *sbl_ron_parameters(const sbl_ron_plan *plan)
{
    json_t *root = sbl_json_fields_write(json_object(), &plan->options, option_fields);
    return put_centre(sbl_json_put(root, "record", sbl_unit_record_to_json(&plan->record)), plan);
}

static sbl_status copy_centre(sbl_ron_plan *plan, const sbl_ron_centre *centre, sbl_error *err)
{
    const size_t classes = plan->record.shape.classes;
    const size_t values = classes * plan->width; /* both below 2^24 */
    sbl_status status = SBL_OK;
    if (plan->options.geometry != SBL_RON_NORMALISE)
        return sbl_fail(err, SBL_EARG, "only the geometry 'normalise' has a centre");
    plan->centre.rows = centre->rows;
    SBL_ALLOC(plan->centre.means, values, "a plan");
    SBL_ALLOC(plan->centre.sizes, classes, "a plan");
    memcpy(plan->centre.means, centre->means, values * sizeof *centre->means);
    memcpy(plan->centre.sizes, centre->sizes, classes * sizeof *centre->sizes);
    bool good = centre->rows >= 1.0 && isfinite(centre->rows);
    for (size_t c = 0; c < classes; c++) good = good && centre->sizes[c] >= 1.0 && isfinite(centre->sizes[c]);
    for (size_t i = 0; i < values; i++) good = good && fabs(centre->means[i]) <= 2048.0;
    if (!good) SBL_FAIL(err, SBL_EARG, "the centre is out of range");
done:
    return status;
}

sbl_status sbl_ron_plan_build(sbl_ron_plan *plan, const sbl_unit_record *record,
                              const sbl_ron_options *options, const sbl_ron_centre *centre, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *plan = (sbl_ron_plan){.options = *options};
    SBL_TRY(sbl_unit_record_init(&plan->record, &record->shape, record->target, record->target_radius,
                                 record->centred, err));
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

/* count numbers, owned by the caller. */
static sbl_status read_reals(double **values, size_t count, const json_t *root, const char *name,
                             const char *where, sbl_error *err)
{
    json_t *list;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_array(&list, root, name, where, err));
    if (json_array_size(list) != count)
        SBL_FAIL(err, SBL_EINPUT, "%s: field '%s' is not of the plan's size", where, name);
    SBL_ALLOC(*values, count, "a plan");
    for (size_t i = 0; i < count; i++) (*values)[i] = json_number_value(json_array_get(list, i));
done:
    return status;
}

static sbl_status read_centre(sbl_ron_centre *centre, const sbl_unit_record *record, const json_t *root,
                              const char *where, sbl_error *err)
{
    const size_t width = record->dimensions + (record->target != SBL_NO_TARGET ? 1 : 0);
    const size_t classes = record->shape.classes;
    if (json_object_get(root, "centre") == NULL) return SBL_OK;
    SBL_CHECK(read_reals(&centre->means, classes * width, root, "centre", where, err));
    SBL_CHECK(read_reals(&centre->sizes, classes, root, "sizes", where, err));
    return sbl_json_get_double(&centre->rows, root, "rows", where, err);
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
    SBL_TRY(sbl_json_fields_read(&options, parameters, option_fields, SBL_RON_FEATURE, err));
    SBL_TRY(read_centre(&centre, &record, parameters, SBL_RON_FEATURE, err));
    SBL_TRY(sbl_ron_plan_build(plan, &record, &options, centre.means != NULL ? &centre : NULL, err));
    own = sbl_ron_parameters(plan);
    if (own == NULL)
        status = sbl_no_memory(err, "a plan");
    else if (!json_equal(own, parameters))
        status = sbl_fail(err, SBL_EINPUT, "feature '%s' has parameters that this version does not know",
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

sbl_status sbl_ron_record(sbl_unit_record *record, const sbl_facts *facts, double target_radius, bool centred,
                          sbl_error *err)
{
    const sbl_heads *heads = &facts->heads;
    size_t target = SBL_NO_TARGET;
    if (heads->label != SBL_NO_HEAD && heads->items[heads->label].kind == SBL_HEAD_NUMERIC)
        target = heads->items[heads->label].index;
    return sbl_unit_record_init(record, &facts->shape, target, target_radius, centred, err);
}

/* How much of a budget means, second moments and counts get. In units where the moments' precision
 * is 1, let A = (mean's precision)^2 and G = (counts')^2. A release then costs (unit ball)
 *   replace-one  same label  2 A + 2 + A^2 / 2 for A <= 2, 4 A beyond;  label changed  2 A + 2 + 2
 * G add-remove   A + 1 + G and, at a given cost, its expected squared error is in proportion to
 *   cost * (D_mean / A + D_moments + D_counts / G).
 * D_mean is m, D_moments is m/p times p(p+1)/2: each projected direction stands for m/p.
 * Laplace: the cost is a sum of sensitivity times precision, and the best precision of a part is in
 * proportion to (D / sensitivity)^(1/3). */

#define STEPS_PER_OCTAVE 8
#define OCTAVES_DOWN 10
#define OCTAVES_UP 4
#define STEPS ((OCTAVES_DOWN + OCTAVES_UP) * STEPS_PER_OCTAVE + 1)
#define COUNT_COORDINATES 0.5
#define PAPER_MEAN 0.3

static double coordinates_of_moments(const sbl_ron_sizes *sizes)
{
    return (double)sizes->width * (double)(sizes->moments + 1) / 2.0;
}

static double cost(const sbl_ron_sizes *sizes, double a, double g)
{
    if (sizes->add_remove) return a + 1.0 + g;
    const double same = a <= 2.0 ? 2.0 * a + 2.0 + a * a / 2.0 : 4.0 * a;
    return fmax(same, 2.0 * a + 2.0 + 2.0 * g);
}

static double error_of(const sbl_ron_sizes *sizes, double a, double g)
{
    double coordinates = (double)sizes->width / a + coordinates_of_moments(sizes);
    if (sizes->counts) coordinates += COUNT_COORDINATES / g;
    return coordinates * cost(sizes, a, sizes->counts ? g : 0.0);
}

/* The paper's A: means and moments as if apart, 0.3 and 0.7 of mu^2. */
static double paper_mean(const sbl_ron_sizes *sizes)
{
    const double ratio = PAPER_MEAN / (1.0 - PAPER_MEAN);
    return sizes->add_remove ? ratio : ratio / 2.0; /* mean costs 4 A or A, moments 2 or 1 */
}

static sbl_ron_split choose_gaussian(const sbl_ron_sizes *sizes)
{
    double grid[STEPS];
    double best = INFINITY;
    sbl_ron_split split = {.mean = 1.0, .counts = 1.0, .first_share = 1.0};
    grid[0] = ldexp(1.0, -OCTAVES_DOWN);
    for (size_t i = 1; i < STEPS; i++) grid[i] = grid[i - 1] * 1.0905077326652577; /* 2^(1/8) */
    for (size_t i = 0; i < STEPS; i++) {
        const double a = sizes->paper ? paper_mean(sizes) : grid[i];
        for (size_t j = 0; j < STEPS; j++) {
            const double error = error_of(sizes, a, grid[j]);
            if (!(error < best)) continue;
            best = error;
            split.mean = sqrt(a);
            split.counts = sqrt(grid[j]);
        }
    }
    return split;
}

typedef struct pure_parts {
    double mean; /* L1 sensitivities in a unit ball */
    double moments;
    double counts;
} pure_parts;

static pure_parts pure_sensitivities(const sbl_ron_sizes *sizes)
{
    const double p = (double)sizes->moments;
    const double mean = sqrt((double)sizes->width);
    if (sizes->add_remove) return (pure_parts){mean, (p + 1.0) / 2.0, 1.0};
    return (pure_parts){2.0 * mean, sizes->labelled ? p + 1.0 : sqrt(p * (p + 3.0) / 2.0), 2.0};
}

static sbl_ron_split choose_pure(const sbl_ron_sizes *sizes)
{
    const pure_parts l1 = pure_sensitivities(sizes);
    const double moments = cbrt(coordinates_of_moments(sizes) / l1.moments);
    double mean = cbrt((double)sizes->width / l1.mean);
    if (sizes->paper) mean = PAPER_MEAN / (1.0 - PAPER_MEAN) * moments * l1.moments / l1.mean;
    return (sbl_ron_split){
        .mean = mean / moments, .counts = cbrt(COUNT_COORDINATES / l1.counts) / moments, .first_share = 1.0};
}

/* Two releases. Gaussian: shares of mu^2 in proportion to sensitivity * sqrt(coordinates). Laplace:
 * shares of epsilon in proportion to (coordinates * sensitivity^2)^(1/3). */
static double first_share(const sbl_ron_sizes *sizes)
{
    const double mean_coordinates = (double)sizes->width;
    const double moment_coordinates = coordinates_of_moments(sizes);
    double mean;
    double moments;
    if (sizes->paper) return PAPER_MEAN;
    if (sizes->pure) {
        const pure_parts l1 = pure_sensitivities(sizes);
        mean = cbrt(mean_coordinates * l1.mean * l1.mean);
        moments = cbrt(moment_coordinates * l1.moments * l1.moments);
    } else {
        mean = (sizes->add_remove ? 1.0 : 2.0) * sqrt(mean_coordinates);
        moments = (sizes->add_remove ? 1.0 : sqrt(2.0)) * sqrt(moment_coordinates);
    }
    return mean / (mean + moments);
}

sbl_ron_split sbl_ron_split_choose(const sbl_ron_sizes *sizes)
{
    sbl_ron_split split = sizes->pure ? choose_pure(sizes) : choose_gaussian(sizes);
    if (sizes->geometry == SBL_RON_NORMALISE) {
        split.first_share = first_share(sizes);
        /* Mean and counts alone. Replace-one: the counts of a label change fit into what the mean
         * of a record that keeps its label costs. */
        if (!sizes->pure) split = (sbl_ron_split){1.0, sizes->add_remove ? 0.5 : 1.0, split.first_share};
    }
    return split;
}

double sbl_ron_noise(const sbl_ron_sizes *sizes, const sbl_ron_split *split, double amount)
{
    const bool two = sizes->geometry == SBL_RON_NORMALISE;
    const double rest = two ? 1.0 - split->first_share : 1.0;
    if (sizes->pure) {
        const pure_parts l1 = pure_sensitivities(sizes);
        double total = l1.moments;
        if (!two) total += split->mean * l1.mean + (sizes->counts ? split->counts * l1.counts : 0.0);
        return sqrt(2.0) * total / (rest * amount);
    }
    const double alone = sizes->add_remove ? 1.0 : 2.0;
    const double g = sizes->counts ? split->counts * split->counts : 0.0;
    const double squared = two ? alone : cost(sizes, split->mean * split->mean, g);
    return sqrt(squared / (2.0 * rest)) / amount; /* off the diagonal: over sqrt 2 */
}

/* The projection Q of a RON-Gauss plan, kept in double for the model and in single for the
 * records, and its product with points; normalisation sends what has no direction to e_1. */

#define SHORTEST 0x1p-40

sbl_status sbl_ron_rotation_init(sbl_ron_rotation *rotation, const sbl_ron_plan *plan, sbl_error *err)
{
    const size_t m = plan->record.dimensions;
    const size_t p = plan->options.dimensions;
    const bool all = plan->options.geometry == SBL_RON_CLIP || plan->options.space == SBL_RON_ORIGINAL;
    sbl_status status = SBL_OK;
    *rotation = (sbl_ron_rotation){.count = all ? m : p};
    if (p == m) return SBL_OK;
    SBL_ALLOC(rotation->rows, rotation->count * m, "a projection");
    SBL_ALLOC(rotation->packed, rotation->count * m, "a projection");
    SBL_TRY(sbl_haar_rows(rotation->rows, rotation->count, m, plan->options.seed, err));
    for (size_t i = 0; i < rotation->count * m; i++) rotation->packed[i] = (float)rotation->rows[i];
done:
    if (status != SBL_OK) sbl_ron_rotation_clear(rotation);
    return status;
}

void sbl_ron_rotation_clear(sbl_ron_rotation *rotation)
{
    sbl_free(rotation->rows);
    sbl_free(rotation->packed);
    *rotation = (sbl_ron_rotation){0};
}

void sbl_ron_normalise(float *x, size_t count)
{
    double square = 0.0;
    for (size_t i = 0; i < count; i++) square += (double)x[i] * (double)x[i];
    const double length = sqrt(square);
    if (length >= SHORTEST && length <= 0x1p60) {
        for (size_t i = 0; i < count; i++) x[i] = (float)((double)x[i] / length);
    } else { /* NaN too */
        memset(x, 0, count * sizeof *x);
        x[0] = 1.0F;
    }
}

void sbl_ron_rotate(float *features, size_t stride, const sbl_ron_plan *plan,
                    const sbl_ron_rotation *rotation, const float *points, size_t coordinates,
                    const float *targets, size_t rows, float *workspace)
{
    const size_t m = plan->record.dimensions;
    float *rotated = features + plan->targets;
    if (rotation->packed == NULL) {
        for (size_t r = 0; r < rows; r++)
            memcpy(rotated + r * stride, points + r * m, coordinates * sizeof *points);
    } else {
        const sbl_gemm_shape shape = {.m = rows,
                                      .n = coordinates,
                                      .k = m,
                                      .a_stride = m,
                                      .b_stride = m,
                                      .c_stride = stride,
                                      .b_transposed = true};
        sbl_gemm(rotated, points, rotation->packed, &shape, workspace);
    }
    for (size_t r = 0; plan->targets != 0 && r < rows; r++) features[r * stride] = targets[r];
}
