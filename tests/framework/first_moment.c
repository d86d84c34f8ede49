/* SPDX-License-Identifier: Apache-2.0 */
/* `first_moment`: the d numbers of a record in [0,1] (an image's values over 255), divided by
 * sqrt(d); a sum for each class. Tables and images.
 *
 * Bound: norm at most 1, nonnegative. Sensitivity of the sum: sqrt 2 under replace-one, label kept or
 * changed, and 1 under add-remove. Loss: sum_c w_c |share_c mean_c(x) - aim_c|^2. */
#include "first_moment.h"

#include <math.h>

#include "base/alloc.h"
#include "public/plan/parameters.h"
#include "records/accumulate/sum.h"

#define NAME "first_moment"

static size_t width_of(const void *made) { return ((const sbl_facts *)made)->shape.numeric; }

static sbl_status make(void **made, const sbl_facts *facts, const json_t *given, sbl_error *err)
{
    if (facts->shape.numeric == 0)
        return sbl_fail(err, SBL_EINPUT, "feature '%s' needs a column of numbers", NAME);
    *made = (void *)(uintptr_t)facts; /* borrowed */
    return sbl_parameters_are(given, 0, NAME, err);
}

static void describe(const void *made, sbl_block *block, double *weight)
{
    *block = (sbl_block){.name = NAME, .width = width_of(made), .bound2 = SBL_GRID_BOUND2};
    block->per_class = true;
    block->nonnegative = true;
    block->scale = sbl_block_scale(block->width, block->bound2, 1.0);
    *weight = ldexp(1.0, -SBL_GRID_BITS); /* as of one that is 1 long */
}

static size_t workspace_bytes(const void *made)
{
    return width_of(made) * sbl_slice_rows(made) * sizeof(double);
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const size_t width = width_of(made);
    const uint8_t *pixels = records->pixels;
    const double factor = 1.0 / ((pixels != NULL ? 255.0 : 1.0) * sqrt((double)width));
    double *values = workspace;
    for (size_t i = 0; i < records->rows * width; i++)
        values[i] = factor * (pixels != NULL ? pixels[i] : records->numeric[i]);
    return sbl_sum_add_f64(sum, block, 0, width, values, width, err);
}

/* ---- training ---- */

typedef struct mean_loss {
    sbl_loss common;
    float *means; /* (C, d) */
} mean_loss;

static sbl_status loss_init(void *loss, const void *made, const sbl_target *target,
                            const sbl_generated *generated, sbl_error *err)
{
    const size_t count = width_of(made) * generated->facts->classes;
    mean_loss *l = loss;
    sbl_status status = SBL_OK;
    SBL_POOL(&l->common.pool, l->means, count, 1, "training");
    for (size_t i = 0; i < count; i++) l->means[i] = target->means[i];
done:
    return status;
}

/* One coordinate of the rows of one class, `step` floats apart. */
static double match(float *gradient, const float *values, size_t step, size_t rows, double factor,
                    double weight, double target)
{
    double sum = 0.0;
    for (size_t r = 0; r < rows; r++) sum += (double)values[r * step];
    const double residual = factor * sum - target;
    for (size_t r = 0; r < rows; r++) gradient[r * step] += (float)(2.0 * weight * factor * residual);
    return weight * residual * residual;
}

static double loss_step(void *loss, sbl_generated *generated)
{
    const float *target = ((const mean_loss *)loss)->means;
    const bool images = generated->pixels != NULL;
    const size_t width = generated->facts->shape.numeric;
    const size_t step = images ? width : 1;
    double total = 0.0;
    for (size_t c = 0; c < generated->facts->classes; c++) {
        const size_t first = generated->starts[c], rows = generated->starts[c + 1] - first;
        const double factor = generated->shares[c] / ((double)rows * sqrt((double)width));
        for (size_t j = 0; rows > 0 && j < width; j++) {
            const size_t at = images ? first * width + j : j * generated->padded_rows + first;
            total += match((images ? generated->d_pixels : generated->d_inputs) + at,
                           (images ? generated->pixels : generated->inputs) + at, step, rows, factor,
                           generated->weights[c], (double)target[c * width + j]);
        }
    }
    return total;
}

const sbl_feature feature_first_moment = {
    .name = NAME,
    .make = make,
    .describe = describe,
    .workspace_bytes = workspace_bytes,
    .add = add,
};

const sbl_loss_kind loss_first_moment = {
    .feature = NAME,
    .size = sizeof(mean_loss),
    .init = loss_init,
    .step = loss_step,
};
