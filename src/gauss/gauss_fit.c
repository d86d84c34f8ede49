/* [6] From moments to means and factors, class by class, in the record's coordinates or in the
 * projection's. Directions that the projection does not see get the mean variance. */
#include "gauss/gauss_fit.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "gauss/calibrate.h"
#include "gauss/moments.h"
#include "gauss/shrink.h"

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
        for (size_t j = 0; j < size; j++)
            class->second[i * size + j] -= class->mean[i] * class->mean[j];
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
        if (k >= targets && plan->options.geometry == SBL_RON_NORMALISE &&
            f->rotation.rows != NULL) {
            value = 0.0;
            for (size_t i = 0; i < m; i++)
                value += f->rotation.rows[(k - targets) * m + i] * mean[targets + i];
        }
        means[k] = (float)value;
        for (size_t g = 0; g < size; g++)
            factors[g * size + k] =
                (float)((k < targets ? stretch : f->length) * f->root[g * size + k]);
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
    sbl_status status = SBL_OK;
    for (size_t c = 0; c < f->moments.count; c++) {
        SBL_TRY(find_covariance(f, c, err));
        if (f->plan->options.space == SBL_RON_PROJECTED) {
            write_projected(f, c);
        } else {
            write_mean(f, c);
            write_factors(f, c);
        }
    }
    write_shares(f);
    if (f->plan->options.geometry == SBL_RON_NORMALISE)
        f->model->stretch = middle_length(&f->plan->record);
done:
    return status;
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
    f.root = sbl_alloc_array(plan->moments, plan->moments * sizeof *f.root);
    if (f.root == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for a model");
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
