/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the frequencies of tables from the public seed into the panels of base/compute/fourier.h. */
#include "public/features/rff_frequencies.h"

#include <math.h>

#include "base/compute/fourier.h"
#include "base/random/model_rng.h"
#include "public/plan/parameters.h"

#define PANEL SBL_FOURIER_PANEL

static const double two_pi = 6.283185307179586476925;

static size_t place(size_t f, size_t column, size_t columns)
{
    return (f / PANEL * columns + column) * PANEL + f % PANEL;
}

/* L g of the columns that the metric names: N(0, A). */
static void draw_metric(sbl_rff *rff, const sbl_rff_rule *rule, size_t f)
{
    const sbl_metric *metric = &rule->metric;
    double normal[SBL_METRIC_MOST];
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, rule->seed, SBL_RNG_METRIC, f);
    for (size_t i = 0; i < metric->count; i++) {
        double sum = 0;
        normal[i] = sbl_model_rng_normal(&rng);
        for (size_t j = 0; j <= i; j++) sum += metric->factor[i][j] * normal[j];
        rff->panels[place(f, metric->columns[i], rff->columns)] = (float)(sum / two_pi);
    }
}

/* Scales and deviations go round at different paces, so that all their pairs occur. */
static void draw_frequency(sbl_rff *rff, const sbl_rff_rule *rule, size_t f)
{
    sbl_model_rng rng;
    double scale = rule->scales[f % rule->scale_count] * sqrt((double)rff->columns / 6);
    sbl_model_rng_init(&rng, rule->seed, SBL_RNG_FREQUENCIES, f);
    for (size_t i = 0; i < rff->columns; i++) {
        const bool own = rule->lengths != NULL && rule->lengths[i] > 0;
        rff->panels[place(f, i, rff->columns)] =
            (float)(sbl_model_rng_normal(&rng) / ((own ? rule->lengths[i] : scale) * two_pi));
    }
    draw_metric(rff, rule, f);
    if (f >= rff->joint) return;
    double deviation = rule->code_deviations[f / rule->scale_count % rule->code_deviation_count] / two_pi;
    for (size_t j = 0; j < rff->onehot; j++)
        rff->code_panels[place(f, j, rff->onehot)] = (float)(sbl_model_rng_normal(&rng) * deviation);
}

sbl_status sbl_rff_init(sbl_rff *rff, const sbl_record_shape *shape, const sbl_rff_rule *rule, sbl_error *err)
{
    sbl_status status;
    *rff = (sbl_rff){.columns = shape->numeric,
                     .onehot = shape->onehot,
                     .codes = shape->categorical,
                     .frequencies = rule->frequencies};
    SBL_TRY(sbl_parameters_scales_check(rule->scales, rule->scale_count, "length scale", err));
    SBL_TRY(sbl_parameters_scales_check(rule->code_deviations, rule->code_deviation_count, "code deviation",
                                        err));
    if (rule->joint > rule->frequencies)
        SBL_FAIL(err, SBL_EARG, "there are more joint frequencies than frequencies");
    rff->joint = rule->joint == rule->frequencies ? rule->joint : rule->joint / PANEL * PANEL;
    if (shape->numeric == 0) rff->joint = rule->frequencies;
    if (shape->categorical == 0) rff->joint = 0;
    if (rff->columns + rff->onehot < 1 || rff->frequencies < 1 || rff->frequencies > (size_t)1 << 30)
        SBL_FAIL(err, SBL_EARG, "random Fourier features need columns and frequencies");
    SBL_POOL(&rff->pool, rff->panels, sbl_fourier_panel_count(rff->frequencies) * PANEL, rff->columns,
             "Fourier frequencies");
    SBL_POOL(&rff->pool, rff->code_panels, sbl_fourier_panel_count(rff->joint) * PANEL, rff->onehot,
             "Fourier frequencies");
    for (size_t f = 0; f < rff->frequencies; f++) draw_frequency(rff, rule, f);
done:
    if (status != SBL_OK) sbl_rff_clear(rff);
    return status;
}

void sbl_rff_clear(sbl_rff *rff)
{
    sbl_pool_clear(&rff->pool);
    *rff = (sbl_rff){0};
}

json_t *sbl_rff_parameters(const sbl_rff_rule *rule, size_t features, double joint_share)
{
    json_t *made = json_pack("{s:I, s:o, s:o, s:f, s:o}", "features", (json_int_t)features, "scales",
                             sbl_parameters_from_reals(rule->scales, rule->scale_count), "code_deviations",
                             sbl_parameters_from_reals(rule->code_deviations, rule->code_deviation_count),
                             "joint_share", joint_share, "seed", sbl_parameters_from_seed(rule->seed));
    if (rule->lengths != NULL)
        made = sbl_json_put(made, "lengths", sbl_parameters_from_reals(rule->lengths, rule->length_count));
    if (rule->metric.count > 0) made = sbl_json_put(made, "mahalanobis", sbl_metric_to_json(&rule->metric));
    return made;
}

/* What is there only where it was asked for. */
static sbl_status read_columns(sbl_rff_rule *rule, double **lengths, size_t columns, const json_t *parameters,
                               sbl_error *err)
{
    const json_t *metric = json_object_get(parameters, "mahalanobis");
    size_t count;
    if (metric != NULL) SBL_CHECK(sbl_metric_from_json(&rule->metric, metric, columns, SBL_RFF, err));
    if (json_object_get(parameters, "lengths") == NULL) return SBL_OK;
    SBL_CHECK(sbl_parameters_reals(lengths, &count, parameters, "lengths", columns, SBL_RFF, err));
    for (size_t i = 0; i < count; i++)
        if (!((*lengths)[i] == 0 || ((*lengths)[i] >= 1e-3 && (*lengths)[i] <= 1e3)))
            return sbl_fail(err, SBL_EARG, "a length is not between 0.001 and 1000");
    rule->lengths = *lengths;
    return count == columns ? SBL_OK
                            : sbl_fail(err, SBL_EINPUT,
                                       "feature '%s': 'lengths' must have a number for each column", SBL_RFF);
}

static sbl_status read_rule(sbl_rff_rule *rule, double *lists[3], size_t columns, const json_t *parameters,
                            sbl_error *err)
{
    double share;
    const size_t more = (json_object_get(parameters, "lengths") != NULL) +
                        (size_t)(json_object_get(parameters, "mahalanobis") != NULL);
    SBL_CHECK(sbl_parameters_are(parameters, 5 + more, SBL_RFF, err));
    SBL_CHECK(read_columns(rule, &lists[2], columns, parameters, err));
    SBL_CHECK(sbl_json_get_double(&share, parameters, "joint_share", SBL_RFF, err));
    SBL_CHECK(sbl_parameters_frequencies(&rule->frequencies, &rule->seed, parameters, SBL_RFF, err));
    if (!(share >= 0 && share <= 1)) return sbl_fail(err, SBL_EARG, "joint_share is not between 0 and 1");
    SBL_CHECK(sbl_parameters_reals(&lists[0], &rule->scale_count, parameters, "scales", SBL_MOST_SCALES,
                                   SBL_RFF, err));
    SBL_CHECK(sbl_parameters_reals(&lists[1], &rule->code_deviation_count, parameters, "code_deviations",
                                   SBL_MOST_SCALES, SBL_RFF, err));
    rule->joint = (size_t)(share * (double)rule->frequencies);
    rule->scales = lists[0];
    rule->code_deviations = lists[1];
    return SBL_OK;
}

sbl_status sbl_rff_make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    sbl_rff_rule rule = {0};
    double *lists[3] = {NULL, NULL, NULL};
    sbl_status status = SBL_OK;
    sbl_rff *rff;
    SBL_ALLOC(rff, 1, "Fourier frequencies");
    if (facts->kind != SBL_DATA_TABLE) SBL_FAIL(err, SBL_EINPUT, "feature '%s' is for tables only", SBL_RFF);
    SBL_TRY(read_rule(&rule, lists, facts->shape.numeric, parameters, err));
    SBL_TRY(sbl_rff_init(rff, &facts->shape, &rule, err));
    rff->facts = facts;
    *made = rff;
    rff = NULL;
done:
    sbl_free(rff);
    sbl_free(lists[0]);
    sbl_free(lists[1]);
    sbl_free(lists[2]);
    return status;
}

void sbl_rff_free(void *made)
{
    sbl_rff_clear(made);
    sbl_free(made);
}
