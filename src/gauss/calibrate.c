/* [6] Numbers: a fixed-point iteration on the moments of a clamped normal. Categories: 2000
 * draws from a fixed stream and an ascent on the offsets until each category wins as often as
 * it should. */
#include "gauss/calibrate.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "random/model_rng.h"

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
static void draw_proportions(float *proportions, const sbl_gauss_model *model, size_t c, size_t k,
                             size_t at, float *coordinates)
{
    const size_t categories = model->record.shape.cardinalities[k];
    const float *factors = model->factors + c * model->latents * model->width;
    for (size_t d = 0; d < DRAWS; d++) {
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, c, SBL_RNG_CALIBRATION, k * DRAWS + d);
        memcpy(coordinates, model->means + c * model->width + at,
               (categories - 1) * sizeof *coordinates);
        for (size_t g = 0; g < model->latents; g++) {
            const float z = (float)sbl_model_rng_normal(&rng);
            const float *row = factors + g * model->width + at;
            for (size_t j = 0; j + 1 < categories; j++) coordinates[j] += z * row[j];
        }
        sbl_unit_record_proportions(&model->record, proportions + d * categories, k, coordinates);
    }
}

/* The mean's proportions, those below 0 at 0, to sum 1. */
static void wanted_shares(double *shares, const sbl_gauss_model *model, size_t c, size_t k,
                          size_t at, float *room)
{
    const size_t categories = model->record.shape.cardinalities[k];
    double total = 0.0;
    sbl_unit_record_proportions(&model->record, room, k, model->means + c * model->width + at);
    for (size_t j = 0; j < categories; j++) {
        shares[j] = fmax((double)room[j], 0.0);
        total += shares[j];
    }
    for (size_t j = 0; j < categories; j++) shares[j] /= total;
}

/* offset_j rises while j wins too rarely: ascent of a concave function, whose slope is the wanted
 * share less that of the draws that j wins. */
static void find_offsets(float *offsets, const float *proportions, const double *shares,
                         double *wins, size_t categories)
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

typedef struct room {
    float *proportions; /* (DRAWS, most categories) */
    float *coordinates; /* (most categories) */
    double *shares;
    double *wins;
} room;

static size_t most_categories(const sbl_record_shape *shape)
{
    size_t most = 1;
    for (size_t k = 0; k < shape->categorical; k++)
        if (shape->cardinalities[k] > most) most = shape->cardinalities[k];
    return most;
}

static void calibrate_class(sbl_gauss_model *model, size_t c, room *r)
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
            wanted_shares(r->shares, model, c, k, at, r->coordinates);
            draw_proportions(r->proportions, model, c, k, at, r->coordinates);
            find_offsets(model->offsets + c * shape->onehot + shape->offsets[k], r->proportions,
                         r->shares, r->wins, categories);
        }
        at += categories - 1;
    }
}

sbl_status sbl_gauss_calibrate(sbl_gauss_model *model, sbl_error *err)
{
    const size_t most = most_categories(&model->record.shape);
    room r = {.proportions = sbl_alloc_array(most, DRAWS * sizeof(float)),
              .coordinates = sbl_alloc_array(most, sizeof(float)),
              .shares = sbl_alloc_array(most, sizeof(double)),
              .wins = sbl_alloc_array(most, sizeof(double))};
    sbl_status status = SBL_OK;
    if (r.proportions == NULL || r.coordinates == NULL || r.shares == NULL || r.wins == NULL)
        status = sbl_fail(err, SBL_EMEM, "out of memory for a model");
    for (size_t c = 0; status == SBL_OK && c < model->record.shape.classes; c++)
        calibrate_class(model, c, &r);
    sbl_free(r.proportions);
    sbl_free(r.coordinates);
    sbl_free(r.shares);
    sbl_free(r.wins);
    return status;
}
