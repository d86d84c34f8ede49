#include "features/rff.h"

#include <math.h>

#include "base/memory.h"
#include "base/size.h"
#include "random/model_rng.h"

#define PANEL SBL_FOURIER_PANEL

static const double two_pi = 6.283185307179586476925;

static sbl_status allocate(sbl_rff *rff, sbl_error *err)
{
    size_t numbers, codes;
    if (rff->columns + rff->onehot < 1 || rff->frequencies < 1 ||
        rff->frequencies > (size_t)1 << 30 ||
        !sbl_size_mul(&numbers, sbl_fourier_panel_count(rff->frequencies) * PANEL, rff->columns) ||
        !sbl_size_mul(&codes, sbl_fourier_panel_count(rff->joint) * PANEL, rff->onehot))
        return sbl_fail(err, SBL_EARG, "random Fourier features need columns and frequencies");
    rff->panels = sbl_alloc_array(numbers, sizeof *rff->panels);
    rff->code_panels = sbl_alloc_array(codes, sizeof *rff->code_panels);
    if (rff->panels && rff->code_panels) return SBL_OK;
    sbl_rff_clear(rff);
    return sbl_fail(err, SBL_EMEM, "out of memory for Fourier frequencies");
}

static size_t place(size_t f, size_t column, size_t columns)
{
    return (f / PANEL * columns + column) * PANEL + f % PANEL;
}

static sbl_status check_positive(const double *values, size_t count, const char *what,
                                 sbl_error *err)
{
    if (count < 1) return sbl_fail(err, SBL_EARG, "no %s is given", what);
    for (size_t i = 0; i < count; i++)
        if (!(values[i] >= 1e-3 && values[i] <= 1e3))
            return sbl_fail(err, SBL_EARG, "%s %zu is not between 0.001 and 1000", what, i);
    return SBL_OK;
}

/* Scales and deviations go round at different paces, so that all their pairs occur. */
static void draw_frequency(sbl_rff *rff, const sbl_rff_rule *rule, size_t f)
{
    sbl_model_rng rng;
    double scale = rule->scales[f % rule->scale_count] * sqrt((double)rff->columns / 6);
    sbl_model_rng_init(&rng, rule->seed, SBL_RNG_FREQUENCIES, f);
    for (size_t i = 0; i < rff->columns; i++)
        rff->panels[place(f, i, rff->columns)] =
            (float)(sbl_model_rng_normal(&rng) / (scale * two_pi));
    if (f >= rff->joint) return;
    double deviation =
        rule->code_deviations[f / rule->scale_count % rule->code_deviation_count] / two_pi;
    for (size_t j = 0; j < rff->onehot; j++)
        rff->code_panels[place(f, j, rff->onehot)] =
            (float)(sbl_model_rng_normal(&rng) * deviation);
}

sbl_status sbl_rff_init(sbl_rff *rff, const sbl_record_shape *shape, const sbl_rff_rule *rule,
                        sbl_error *err)
{
    sbl_status status;
    *rff = (sbl_rff){.columns = shape->numeric,
                     .onehot = shape->onehot,
                     .codes = shape->categorical,
                     .frequencies = rule->frequencies};
    SBL_TRY(check_positive(rule->scales, rule->scale_count, "length scale", err));
    SBL_TRY(
        check_positive(rule->code_deviations, rule->code_deviation_count, "code deviation", err));
    if (rule->joint > rule->frequencies)
        return sbl_fail(err, SBL_EARG, "more joint frequencies than frequencies");
    rff->joint = rule->joint == rule->frequencies ? rule->joint : rule->joint / PANEL * PANEL;
    if (shape->numeric == 0) rff->joint = rule->frequencies;
    if (shape->categorical == 0) rff->joint = 0;
    SBL_TRY(allocate(rff, err));
    for (size_t f = 0; f < rff->frequencies; f++) draw_frequency(rff, rule, f);
done:
    return status;
}

sbl_status sbl_rff_from_frequencies(sbl_rff *rff, const double *frequencies, size_t count,
                                    size_t columns, sbl_error *err)
{
    *rff = (sbl_rff){.columns = columns, .frequencies = count};
    sbl_status status = allocate(rff, err);
    if (status != SBL_OK) return status;
    for (size_t f = 0; f < count; f++)
        for (size_t i = 0; i < columns; i++)
            rff->panels[place(f, i, columns)] = (float)(frequencies[f * columns + i] / two_pi);
    return SBL_OK;
}

void sbl_rff_clear(sbl_rff *rff)
{
    sbl_free(rff->panels);
    sbl_free(rff->code_panels);
    *rff = (sbl_rff){0};
}

/* Panels from .. to - 1, all joint or none. */
static void run_panels(const sbl_rff *rff, float *features, size_t stride,
                       const sbl_fourier_rows *rows, size_t from, size_t to, bool joint)
{
    sbl_fourier_panels panels = {
        .numbers = rff->panels + from * rff->columns * PANEL,
        .onehot = joint ? rff->code_panels + from * rff->onehot * PANEL : NULL,
        .columns = rff->columns,
        .onehot_width = rff->onehot,
        .count = to - from};
    if (to > from) sbl_fourier_features(features, stride, rows, &panels);
}

void sbl_rff_tile(const sbl_rff *rff, float *features, size_t stride, const sbl_fourier_rows *rows,
                  size_t first, size_t count)
{
    size_t from = first / PANEL, to = from + sbl_fourier_panel_count(count);
    size_t joint = sbl_fourier_panel_count(rff->joint);
    size_t middle = joint < from ? from : joint < to ? joint : to;
    run_panels(rff, features, stride, rows, from, middle, true);
    run_panels(rff, features + 2 * PANEL * (middle - from), stride, rows, middle, to, false);
}
