/* SPDX-License-Identifier: Apache-2.0 */
/* Means and deviations of the training samples by Welford's rule, and rows of standardised numbers
 * and one-hot codes. */
#include "owner/learners/design.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

/* Mean and deviation by Welford's rule: no cancellation, and a constant column gives exactly 0. */
typedef struct moments {
    double count, mean, squares;
} moments;

static void moments_add(moments *m, double value)
{
    const double difference = value - m->mean;
    m->count += 1;
    m->mean += difference / m->count;
    m->squares += difference * (value - m->mean);
}

static double moments_deviation(const moments *m) { return m->count > 0 ? sqrt(m->squares / m->count) : 0; }

static void standardise_number(sbl_design *design, const sbl_samples *train, size_t number)
{
    moments m = {0};
    for (size_t i = 0; i < train->rows; i++) {
        const float value = train->numbers[i * train->number_count + number];
        if (!isnan(value)) moments_add(&m, (double)value);
    }
    const double deviation = moments_deviation(&m);
    design->mean[number] = train->one_scale ? 0 : m.mean;
    design->scale[number] = train->one_scale ? 1 : deviation > 0 ? 1 / deviation : 0;
}

static void standardise_target(sbl_design *design, const sbl_samples *train)
{
    moments m = {0};
    design->target_mean = 0;
    design->target_deviation = 1;
    if (train->class_count != 0) return;
    for (size_t i = 0; i < train->rows; i++) moments_add(&m, train->targets[i]);
    design->target_mean = m.mean;
    if (moments_deviation(&m) > 0) design->target_deviation = moments_deviation(&m);
}

sbl_status sbl_design_init(sbl_design *design, const sbl_samples *train, sbl_error *err)
{
    memset(design, 0, sizeof *design);
    design->number_count = train->number_count;
    design->category_count = train->category_count;
    design->mean = sbl_alloc_array(train->number_count, sizeof *design->mean);
    design->scale = sbl_alloc_array(train->number_count, sizeof *design->scale);
    design->offset = sbl_alloc_array(train->category_count, sizeof *design->offset);
    if (design->mean == NULL || design->scale == NULL || design->offset == NULL) {
        sbl_design_clear(design);
        return sbl_no_memory(err, "a design matrix");
    }
    design->width = train->number_count;
    for (size_t j = 0; j < train->number_count; j++) standardise_number(design, train, j);
    for (size_t k = 0; k < train->category_count; k++) {
        design->offset[k] = design->width;
        design->width += train->cardinality[k];
    }
    standardise_target(design, train);
    return SBL_OK;
}

void sbl_design_clear(sbl_design *design)
{
    sbl_free_wiped(design->mean, design->number_count * sizeof *design->mean);
    sbl_free_wiped(design->scale, design->number_count * sizeof *design->scale);
    sbl_free(design->offset);
    memset(design, 0, sizeof *design);
}

double sbl_design_number(const sbl_design *design, const sbl_samples *samples, size_t row, size_t number)
{
    const float value = samples->numbers[row * samples->number_count + number];
    return isnan(value) ? 0 : ((double)value - design->mean[number]) * design->scale[number];
}

void sbl_design_fill(const sbl_design *design, float *out, const sbl_samples *samples, const uint32_t *rows,
                     size_t first, size_t count)
{
    memset(out, 0, count * design->width * sizeof *out);
    for (size_t i = 0; i < count; i++) {
        const size_t row = rows != NULL ? rows[i] : first + i;
        float *x = out + i * design->width;
        for (size_t j = 0; j < design->number_count; j++)
            x[j] = (float)sbl_design_number(design, samples, row, j);
        for (size_t k = 0; k < design->category_count; k++)
            x[design->offset[k] + samples->codes[row * samples->category_count + k]] = 1;
    }
}
