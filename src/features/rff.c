/* [3] Draws the frequencies of tables from the public seed into the panels of compute/fourier.h,
 * and sums features 512 frequencies at a time, so that a slice's features stay in cache. */
#include "features/rff.h"

#include <math.h>

#include "accumulate/sum.h"
#include "base/memory.h"
#include "base/size.h"
#include "features/onehot.h"
#include "features/parameters.h"
#include "features/rff_loss.h"
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

/* ---- the feature ---- */

#define NAME "rff"
#define TILE_FREQUENCIES 512 /* Fourier features of a slice at a time, whole panels */

json_t *sbl_rff_parameters(const sbl_rff_options *options)
{
    return json_pack(
        "{s:I, s:o, s:o, s:f, s:o}", "features", (json_int_t)options->features, "scales",
        sbl_parameters_from_reals(options->scales, options->scale_count), "code_deviations",
        sbl_parameters_from_reals(options->code_deviations, options->code_deviation_count),
        "joint_share", options->joint_share, "seed", sbl_parameters_from_seed(options->seed));
}

static sbl_status read_rule(sbl_rff_rule *rule, double *lists[2], const json_t *parameters,
                            sbl_error *err)
{
    uint64_t features;
    double share;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_parameters_are(parameters, 5, NAME, err));
    SBL_TRY(sbl_json_get_u64(&features, parameters, "features", NAME, err));
    SBL_TRY(sbl_json_get_double(&share, parameters, "joint_share", NAME, err));
    SBL_TRY(sbl_parameters_seed(&rule->seed, parameters, NAME, err));
    if (features < 2 || features > 1000000 || features % 2 != 0)
        return sbl_fail(err, SBL_EARG, "features must be an even number from 2 to 1000000");
    if (!(share >= 0 && share <= 1))
        return sbl_fail(err, SBL_EARG, "joint_share is not between 0 and 1");
    SBL_TRY(sbl_parameters_reals(&lists[0], &rule->scale_count, parameters, "scales",
                                 SBL_RFF_MOST_SCALES, NAME, err));
    SBL_TRY(sbl_parameters_reals(&lists[1], &rule->code_deviation_count, parameters,
                                 "code_deviations", SBL_RFF_MOST_SCALES, NAME, err));
    rule->frequencies = features / 2;
    rule->joint = (size_t)(share * (double)rule->frequencies);
    rule->scales = lists[0];
    rule->code_deviations = lists[1];
done:
    return status;
}

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters,
                       sbl_error *err)
{
    sbl_rff_rule rule = {0};
    double *lists[2] = {NULL, NULL};
    sbl_status status = SBL_OK;
    sbl_rff *rff = sbl_alloc_array(1, sizeof *rff);
    if (rff == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for Fourier frequencies");
    if (facts->kind != SBL_DATA_TABLE)
        SBL_FAIL(err, SBL_EINPUT, "feature '%s' is one of tables", NAME);
    SBL_TRY(read_rule(&rule, lists, parameters, err));
    SBL_TRY(sbl_rff_init(rff, &facts->shape, &rule, err));
    rff->facts = facts;
    *made = rff;
    rff = NULL;
done:
    sbl_free(rff);
    sbl_free(lists[0]);
    sbl_free(lists[1]);
    return status;
}

static void free_made(void *made)
{
    sbl_rff_clear(made);
    sbl_free(made);
}

/* A unit of the features is `scale` grid units; divided by its norm the block weighs as much as one
 * of norm 1. Each (cos, sin) pair is held to its share of the bound. */
static void describe(const void *made, sbl_block *block, double *weight)
{
    const sbl_rff *rff = made;
    const double norm = sqrt((double)rff->frequencies);
    *block = (sbl_block){.name = NAME,
                         .width = 2 * rff->frequencies,
                         .group = 2,
                         .per_class = true,
                         .bound2 = SBL_GRID_BOUND2};
    block->scale = sbl_block_scale(block->width, block->bound2, norm);
    *weight = 1 / norm / block->scale;
}

/* Numbers (slice, d), features (slice, 2 TILE_FREQUENCIES), one-hot places (slice, K). */
static size_t workspace_bytes(const void *made)
{
    const sbl_rff *rff = made;
    return sbl_slice_rows(rff->facts) *
           ((rff->columns + 2 * TILE_FREQUENCIES) * sizeof(float) + rff->codes * sizeof(uint32_t));
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_rff *rff = made;
    const sbl_facts *facts = rff->facts;
    const size_t slice = sbl_slice_rows(facts);
    float *numbers = workspace, *features = numbers + slice * rff->columns;
    uint32_t *entries = (uint32_t *)(features + slice * 2 * TILE_FREQUENCIES);
    const sbl_fourier_rows rows = {numbers, rff->columns, entries, rff->codes, records->rows};
    for (size_t i = 0; i < records->rows * rff->columns; i++)
        numbers[i] = (float)records->numeric[i];
    sbl_onehot_entries(entries, &facts->shape, records->codes, facts->heads.categorical_count,
                       facts->code_columns, records->rows);
    for (size_t first = 0; first < rff->frequencies; first += TILE_FREQUENCIES) {
        const size_t left = rff->frequencies - first;
        const size_t count = left < TILE_FREQUENCIES ? left : TILE_FREQUENCIES;
        sbl_rff_tile(rff, features, 2 * TILE_FREQUENCIES, &rows, first, count);
        const sbl_status status =
            sbl_sum_add_f32(sum, block, 2 * first, 2 * count, features, 2 * TILE_FREQUENCIES, err);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

static sbl_status loss_new(void **loss, const void *made, const sbl_target *target,
                           const sbl_generated *generated, sbl_error *err)
{
    return sbl_rff_loss_new(loss, made, target, generated, err);
}

const sbl_feature sbl_feature_rff = {
    .name = NAME,
    .make = make,
    .free = free_made,
    .describe = describe,
    .workspace_bytes = workspace_bytes,
    .add = add,
    .loss_new = loss_new,
    .loss_step = sbl_rff_loss_step,
    .loss_free = sbl_rff_loss_free,
};
