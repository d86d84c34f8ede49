/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Numbers: a fixed-point iteration on the moments of a clamped normal. Categories: 2000
 * draws from a fixed stream and an ascent on the offsets until each category wins as often as
 * it should. */
#include "after/gauss/gauss_fit.h"

#include <math.h>
#include <string.h>

#include "after/gauss/gauss_moments.h"
#include "base/alloc.h"
#include "base/random/model_rng.h"

#define ROUNDS 200
#define DRAWS 2000
#define CATEGORY_ROUNDS 60

/* ---- numbers ---- */

static double density(double z) { return exp(-z * z / 2.0) / sqrt(2.0 * 3.14159265358979323846); }

static double distribution(double z) { return erfc(-z / sqrt(2.0)) / 2.0; }

/* Mean and deviation of max(-1, min(1, x)), x normal. */
static void clamped_moments(double *mean, double *deviation, double m, double s)
{
    const double a = (-1.0 - m) / s;
    const double b = (1.0 - m) / s;
    const double below = distribution(a);
    const double above = distribution(-b);
    const double within = 1.0 - below - above;
    const double slope = density(a) - density(b);
    const double first = m * within + s * slope;
    const double second =
        (m * m + s * s) * within + 2.0 * m * s * slope + s * s * (a * density(a) - b * density(b));
    *mean = first - below + above;
    *deviation = sqrt(fmax(second + below + above - *mean * *mean, 0.0));
}

void sbl_unclamp(double *mean, double *deviation)
{
    const double wanted = fmax(-0.999, fmin(0.999, *mean));
    const double spread = fmax(*deviation, 1e-4);
    double m = wanted;
    double s = spread;
    for (int round = 0; round < ROUNDS; round++) {
        double reached;
        double reached_spread;
        clamped_moments(&reached, &reached_spread, m, s);
        m = fmax(-8.0, fmin(8.0, m + (wanted - reached)));
        s = fmax(1e-4, fmin(4.0, s * fmin(2.0, spread / fmax(reached_spread, spread / 2.0))));
    }
    *mean = m;
    *deviation = s;
}

/* Coordinate i of class c, whose bounds are -bound and bound. */
static void calibrate_number(sbl_gauss_model *model, size_t c, size_t i, double bound)
{
    float *factors = model->factors + c * model->latents * model->width;
    float *place = &model->means[c * model->width + i];
    double variance = 0.0;
    for (size_t g = 0; g < model->latents; g++) {
        const double factor = (double)factors[g * model->width + i];
        variance += factor * factor;
    }
    const double deviation = sqrt(variance);
    double m = (double)*place / bound;
    double s = deviation / bound;
    if (!(s > 1e-4) || fabs(m) + 4.0 * s < 1.0) return; /* hardly ever clamped */
    sbl_unclamp(&m, &s);
    *place = (float)(m * bound);
    for (size_t g = 0; g < model->latents; g++)
        factors[g * model->width + i] =
            (float)((double)factors[g * model->width + i] * s * bound / deviation);
}

/* ---- categories ---- */

/* Proportions of DRAWS points of column k in class c. */
static void draw_proportions(float *proportions, const sbl_gauss_model *model, size_t c, size_t k, size_t at,
                             float *coordinates)
{
    const size_t categories = model->record.shape.cardinalities[k];
    const float *factors = model->factors + c * model->latents * model->width;
    for (size_t d = 0; d < DRAWS; d++) {
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, c, SBL_RNG_CALIBRATION, k * DRAWS + d);
        memcpy(coordinates, model->means + c * model->width + at, (categories - 1) * sizeof *coordinates);
        for (size_t g = 0; g < model->latents; g++) {
            const float z = (float)sbl_model_rng_normal(&rng);
            const float *row = factors + g * model->width + at;
            for (size_t j = 0; j + 1 < categories; j++) coordinates[j] += z * row[j];
        }
        sbl_unit_record_proportions(&model->record, proportions + d * categories, k, coordinates);
    }
}

/* The mean's proportions, those below 0 at 0, to sum 1. */
static void wanted_shares(double *shares, const sbl_gauss_model *model, size_t c, size_t k, size_t at,
                          float *proportions)
{
    const size_t categories = model->record.shape.cardinalities[k];
    double total = 0.0;
    sbl_unit_record_proportions(&model->record, proportions, k, model->means + c * model->width + at);
    for (size_t j = 0; j < categories; j++) {
        shares[j] = fmax((double)proportions[j], 0.0);
        total += shares[j];
    }
    for (size_t j = 0; j < categories; j++) shares[j] /= total;
}

/* offset_j rises while j wins too rarely: ascent of a concave function, whose slope is the wanted
 * share less that of the draws that j wins. */
static void find_offsets(float *offsets, const float *proportions, const double *shares, double *wins,
                         size_t categories)
{
    double step = 0.5;
    for (int round = 0; round < CATEGORY_ROUNDS; round++) {
        memset(wins, 0, categories * sizeof *wins);
        for (size_t d = 0; d < DRAWS; d++) {
            const float *row = proportions + d * categories;
            size_t best = 0;
            for (size_t j = 1; j < categories; j++)
                if (row[j] + offsets[j] > row[best] + offsets[best]) best = j;
            wins[best] += 1.0 / DRAWS;
        }
        for (size_t j = 0; j < categories; j++)
            offsets[j] = (float)((double)offsets[j] + step * (shares[j] - wins[j]));
        step *= 0.95;
    }
}

typedef struct workspace {
    float *proportions; /* (DRAWS, most categories) */
    float *coordinates; /* (most categories) */
    double *shares;
    double *wins;
} workspace;

static void calibrate_class(sbl_gauss_model *model, size_t c, workspace *w)
{
    const sbl_record_shape *shape = &model->record.shape;
    const size_t numbers = shape->numeric - model->targets;
    const double bound = 1.0 / sqrt((double)model->record.columns);
    size_t at = model->targets + numbers;
    if (model->targets != 0) calibrate_number(model, c, 0, model->record.target_radius);
    for (size_t i = 0; i < numbers; i++) calibrate_number(model, c, model->targets + i, bound);
    for (size_t k = 0; k < shape->categorical; k++) {
        const size_t categories = shape->cardinalities[k];
        if (categories > 1) {
            wanted_shares(w->shares, model, c, k, at, w->coordinates);
            draw_proportions(w->proportions, model, c, k, at, w->coordinates);
            find_offsets(model->offsets + c * shape->onehot + shape->offsets[k], w->proportions, w->shares,
                         w->wins, categories);
        }
        at += categories - 1;
    }
}

sbl_status sbl_gauss_calibrate(sbl_gauss_model *model, sbl_error *err)
{
    const size_t most = sbl_record_shape_most(&model->record.shape);
    workspace w;
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    SBL_POOL(&pool, w.proportions, most, DRAWS, "a model");
    SBL_POOL(&pool, w.coordinates, most, 1, "a model");
    SBL_POOL(&pool, w.shares, most, 1, "a model");
    SBL_POOL(&pool, w.wins, most, 1, "a model");
    for (size_t c = 0; c < model->record.shape.classes; c++) calibrate_class(model, c, &w);
done:
    sbl_pool_clear(&pool);
    return status;
}

/* [6] From moments to means and factors, class by class, in the record's coordinates or in the
 * projection's. Directions that the projection does not see get the mean variance. */

typedef struct fit {
    const sbl_ron_plan *plan;
    sbl_ron_rotation rotation;
    sbl_gauss_moments moments;
    sbl_gauss_model *model;
    double *root;  /* (moments, moments) of the class at hand */
    double length; /* of a deviation from the centre; 1 for clip */
    double unseen; /* variance of each direction that the projection does not see */
} fit;

static double square_of(const double *values, size_t count)
{
    double total = 0.0;
    for (size_t i = 0; i < count; i++) total += values[i] * values[i];
    return total;
}

static double trace_of(const double *matrix, size_t size, size_t first)
{
    double total = 0.0;
    for (size_t i = first; i < size; i++) total += matrix[i * size + i];
    return total;
}

/* E[u u^T] less mean mean^T, whose own noise adds its variance to the diagonal. */
static void take_away_mean(sbl_class_moments *class, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < size; j++) class->second[i * size + j] -= class->mean[i] * class->mean[j];
        class->second[i * size + i] += class->mean_noise * class->mean_noise;
    }
}

static sbl_status find_covariance(fit *f, size_t c, sbl_error *err)
{
    const sbl_ron_plan *plan = f->plan;
    sbl_class_moments *class = &f->moments.classes[c];
    const size_t m = plan->record.dimensions;
    const size_t p = plan->options.dimensions;
    const size_t size = plan->moments;
    const size_t targets = plan->targets;
    const bool clip = plan->options.geometry == SBL_RON_CLIP;
    const double bound = plan->radius * plan->radius;
    if (clip) take_away_mean(class, size);
    const double center2 = square_of(class->mean + targets, m);
    const sbl_shrink_rule rule = {
        .diagonal_noise = class->diagonal_noise,
        .off_noise = class->off_noise,
        .most_trace = clip ? fmax(bound - square_of(class->mean, plan->width), 0.0) : bound};
    const sbl_status status = sbl_shrink_covariance(class->second, f->root, size, &rule, err);
    const double seen = trace_of(class->second, size, targets);
    f->length = clip ? 1.0 : sqrt(fmax(1.0 - center2, 0.0));
    f->unseen = 0.0;
    if (p < m) f->unseen = clip ? seen / (double)p : fmax(1.0 - seen, 0.0) / (double)(m - p);
    return status;
}

/* out += factor * (row `k` of the rotation), in the coordinates of the record. */
static void add_direction(float *out, const fit *f, size_t k, double factor)
{
    const size_t m = f->plan->record.dimensions;
    if (f->rotation.rows == NULL) {
        out[k] += (float)factor;
        return;
    }
    const double *row = f->rotation.rows + k * m;
    for (size_t i = 0; i < m; i++) out[i] = (float)((double)out[i] + factor * row[i]);
}

/* normalise sees (y - c_y) / (1 + |c_y| / a) in its second pass. */
static double target_stretch(const fit *f, const sbl_class_moments *class)
{
    const bool clip = f->plan->options.geometry == SBL_RON_CLIP;
    return clip ? 1.0 : 1.0 + fabs(class->mean[0]) / f->plan->record.target_radius;
}

/* ---- coordinates of the record ---- */

static void write_mean(const fit *f, size_t c)
{
    const sbl_ron_plan *plan = f->plan;
    const double *mean = f->moments.classes[c].mean;
    float *out = f->model->means + c * f->model->width;
    if (plan->targets != 0) out[0] = (float)mean[0];
    for (size_t i = 0; i < plan->record.dimensions; i++) {
        const double value = mean[plan->targets + i];
        if (plan->options.geometry == SBL_RON_CLIP)
            add_direction(out + plan->targets, f, i, value);
        else
            out[plan->targets + i] = (float)value; /* not rotated */
    }
}

static void write_factors(const fit *f, size_t c)
{
    const sbl_ron_plan *plan = f->plan;
    const size_t targets = plan->targets;
    const size_t size = plan->moments;
    const double stretch = targets != 0 ? target_stretch(f, &f->moments.classes[c]) : 1.0;
    float *out = f->model->factors + c * f->model->latents * f->model->width;
    for (size_t g = 0; g < size; g++, out += f->model->width) {
        if (targets != 0) out[0] = (float)(stretch * f->root[g * size]);
        for (size_t k = targets; k < size; k++)
            add_direction(out + targets, f, k - targets, f->length * f->root[g * size + k]);
    }
    for (size_t k = size; k < plan->width; k++, out += f->model->width)
        add_direction(out + targets, f, k - targets, f->length * sqrt(f->unseen));
}

/* ---- coordinates of the projection ---- */

static void write_projected(const fit *f, size_t c)
{
    const sbl_ron_plan *plan = f->plan;
    const size_t targets = plan->targets;
    const size_t size = plan->moments;
    const size_t m = plan->record.dimensions;
    const double *mean = f->moments.classes[c].mean;
    const double stretch = targets != 0 ? target_stretch(f, &f->moments.classes[c]) : 1.0;
    float *means = f->model->means + c * size;
    float *factors = f->model->factors + c * size * size;
    for (size_t k = 0; k < size; k++) {
        double value = mean[k];
        if (k >= targets && plan->options.geometry == SBL_RON_NORMALISE && f->rotation.rows != NULL) {
            value = 0.0;
            for (size_t i = 0; i < m; i++)
                value += f->rotation.rows[(k - targets) * m + i] * mean[targets + i];
        }
        means[k] = (float)value;
        for (size_t g = 0; g < size; g++)
            factors[g * size + k] = (float)((k < targets ? stretch : f->length) * f->root[g * size + k]);
    }
}

static void write_shares(const fit *f)
{
    double total = 0.0;
    for (size_t c = 0; c < f->moments.count; c++) total += f->moments.classes[c].size;
    for (size_t c = 0; c < f->moments.count; c++)
        f->model->shares[c] = (float)(f->moments.classes[c].size / total);
}

/* The length of the middle of the domain, whose points normalise put on the sphere. */
static double middle_length(const sbl_unit_record *record)
{
    const double numbers = (double)(record->shape.numeric - (record->target != SBL_NO_TARGET));
    return sqrt((numbers / 4.0 + ((double)record->columns - numbers)) / (double)record->columns);
}

static sbl_status fill(fit *f, sbl_error *err)
{
    for (size_t c = 0; c < f->moments.count; c++) {
        SBL_CHECK(find_covariance(f, c, err));
        if (f->plan->options.space == SBL_RON_PROJECTED) {
            write_projected(f, c);
        } else {
            write_mean(f, c);
            write_factors(f, c);
        }
    }
    write_shares(f);
    if (f->plan->options.geometry == SBL_RON_NORMALISE) f->model->stretch = middle_length(&f->plan->record);
    return SBL_OK;
}

sbl_status sbl_gauss_fit(sbl_gauss_model *model, double *rows, const sbl_ron_plan *plan,
                         const sbl_release *release, sbl_error *err)
{
    fit f = {.plan = plan, .model = model};
    const bool projected = plan->options.space == SBL_RON_PROJECTED;
    const size_t width = projected ? plan->moments : plan->width;
    sbl_status status = SBL_OK;
    *model = (sbl_gauss_model){0};
    SBL_TRY(sbl_gauss_moments_read(&f.moments, plan, release, err));
    SBL_TRY(sbl_ron_rotation_init(&f.rotation, plan, err));
    SBL_ALLOC(f.root, plan->moments * plan->moments, "a model");
    SBL_TRY(sbl_gauss_model_init(model, &plan->record, projected, width, width, err));
    SBL_TRY(fill(&f, err));
    if (!projected && plan->record.centred) SBL_TRY(sbl_gauss_calibrate(model, err));
    if (rows != NULL) *rows = f.moments.rows;
done:
    if (status != SBL_OK) sbl_gauss_model_clear(model);
    sbl_free(f.root);
    sbl_ron_rotation_clear(&f.rotation);
    sbl_gauss_moments_clear(&f.moments);
    return status;
}
