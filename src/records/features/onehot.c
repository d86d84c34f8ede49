/* SPDX-License-Identifier: Apache-2.0 */
/* [3] The feature `onehot`: the places of the ones, straight into the sum as integers. */
#include "records/features/onehot.h"

#include <math.h>

#include "public/plan/parameters.h"
#include "records/accumulate/sum.h"

static size_t entry_of(const sbl_record_shape *shape, const uint32_t *row, const size_t *columns, size_t k)
{
    size_t code = row[columns ? columns[k] : k];
    return shape->offsets[k] + (code < shape->cardinalities[k] ? code : 0);
}

void sbl_onehot_entries(uint32_t *entries, const sbl_record_shape *shape, const uint32_t *codes,
                        size_t stride, const size_t *columns, size_t rows)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < shape->categorical; k++)
            entries[r * shape->categorical + k] = (uint32_t)entry_of(shape, codes + r * stride, columns, k);
}

/* ---- the feature ---- */

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    if (facts->shape.categorical == 0)
        return sbl_fail(err, SBL_EINPUT, "feature 'onehot' needs a column of categories");
    *made = (void *)(uintptr_t)facts; /* borrowed */
    return sbl_parameters_are(parameters, 0, "onehot", err);
}

/* The block weighs as much as one of norm 1. */
static void describe(const void *made, sbl_block *block, double *weight)
{
    const sbl_record_shape *shape = &((const sbl_facts *)made)->shape;
    *block = (sbl_block){.name = "onehot",
                         .width = shape->onehot,
                         .per_class = true,
                         .nonnegative = true,
                         .bound2 = shape->categorical,
                         .bound1 = shape->categorical, /* ones: both norms are K */
                         .scale = 1.0};
    *weight = 1.0 / sqrt((double)shape->categorical);
}

static size_t workspace_bytes(const void *made)
{
    const sbl_facts *facts = made;
    return facts->shape.categorical * sbl_slice_rows(facts) * sizeof(uint32_t);
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_facts *facts = made;
    sbl_onehot_entries(workspace, &facts->shape, records->codes, facts->heads.categorical_count,
                       facts->code_columns, records->rows);
    return sbl_sum_add_ones(sum, block, workspace, facts->shape.categorical, err);
}

const sbl_feature sbl_feature_onehot = {
    .name = "onehot",
    .make = make,
    .describe = describe,
    .workspace_bytes = workspace_bytes,
    .add = add,
};
