/* `means`: the numbers of a record, each taken to [-1, 1] by its public bounds and divided by
 * sqrt(d). Tables only.
 *
 * Bound: norm at most 1, in L1 at most sqrt(d); signed. Sensitivity of the sum: 2 under replace-one
 * with the label kept, sqrt 2 with the label changed, 1 under add-remove. */
#include <math.h>

#include "accumulate/sum.h"
#include "features/feature.h"
#include "features/parameters.h"

#define NAME "means"

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters,
                       sbl_error *err)
{
    if (facts->kind != SBL_DATA_TABLE || facts->shape.numeric == 0)
        return sbl_fail(err, SBL_EINPUT, "feature '%s' needs a table with a column of numbers",
                        NAME);
    *made = (void *)(uintptr_t)facts; /* borrowed */
    return sbl_parameters_are(parameters, 0, NAME, err);
}

static void describe(const void *made, sbl_block *block, double *weight)
{
    const size_t width = ((const sbl_facts *)made)->shape.numeric;
    *block =
        (sbl_block){.name = NAME, .width = width, .per_class = true, .bound2 = SBL_GRID_BOUND2};
    block->bound1 = (uint64_t)ceil(sqrt((double)width)) << SBL_GRID_BITS;
    block->scale = sbl_block_scale(width, block->bound2, 1.0);
    *weight = ldexp(1.0, -SBL_GRID_BITS); /* as of one that is 1 long */
}

static size_t workspace_bytes(const void *made)
{
    const sbl_facts *facts = made;
    return facts->shape.numeric * sbl_slice_rows(facts) * sizeof(double);
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const size_t width = ((const sbl_facts *)made)->shape.numeric;
    const double root = sqrt((double)width);
    double *values = workspace;
    for (size_t i = 0; i < records->rows * width; i++)
        values[i] = (2 * records->numeric[i] - 1) / root;
    return sbl_sum_add_f64(sum, block, 0, width, values, width, err);
}

const sbl_feature sbl_feature_means = {
    .name = NAME,
    .make = make,
    .describe = describe,
    .workspace_bytes = workspace_bytes,
    .add = add,
};
