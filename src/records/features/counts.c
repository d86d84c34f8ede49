/* SPDX-License-Identifier: Apache-2.0 */
/* [3] Features that count or add up: bins of histograms, means, records, persons, and cells that do not fit
 * the schema. */
#include "records/features/counts.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "public/plan/parameters.h"
#include "records/accumulate/sum.h"
#include "records/features/feature.h"

/* [3] The feature `cells`: looks up each column's cell and adds a one there. Integers from the
 * start, so that the bound K holds without rounding. */

json_t *sbl_bins_parameters(size_t bins, size_t singles)
{
    return json_pack("{s:I, s:I}", "bins", (json_int_t)bins, "singles", (json_int_t)singles);
}

static sbl_status cells_make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    uint64_t bins;
    uint64_t singles;
    sbl_status status = SBL_OK;
    sbl_bins *cells;
    SBL_ALLOC(cells, 1, "a plan");
    if (facts->kind != SBL_DATA_TABLE) SBL_FAIL(err, SBL_EINPUT, "feature 'cells' is for tables only");
    SBL_TRY(sbl_parameters_are(parameters, 2, "cells", err));
    SBL_TRY(sbl_json_get_u64(&bins, parameters, "bins", "cells", err));
    SBL_TRY(sbl_json_get_u64(&singles, parameters, "singles", "cells", err));
    SBL_TRY(sbl_bins_init(cells, facts->schema, &facts->heads, bins, singles, err));
    *made = cells;
    cells = NULL;
done:
    sbl_free(cells);
    return status;
}

static void cells_free_made(void *made)
{
    sbl_bins_clear(made);
    sbl_free(made);
}

static void cells_describe(const void *made, sbl_block *block, double *weight)
{
    const sbl_bins *cells = made;
    *block = (sbl_block){.name = "cells",
                         .width = cells->total,
                         .per_class = cells->classes > 1,
                         .nonnegative = true,
                         .bound2 = cells->count,
                         .bound1 = cells->count,
                         .scale = 1.0};
    *weight = 1.0;
}

static size_t cells_workspace_bytes(const void *made)
{
    return ((const sbl_bins *)made)->count * SBL_SLICE_ROWS * sizeof(uint32_t);
}

static sbl_status cells_add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                            const sbl_records *records, sbl_error *err)
{
    const sbl_bins *cells = made;
    uint32_t *entries = workspace;
    for (size_t r = 0; r < records->rows; r++) {
        const double *numeric = records->numeric + r * cells->numeric_count;
        const uint32_t *codes = records->codes + r * cells->categorical_count;
        for (size_t k = 0; k < cells->count; k++) {
            const sbl_bins_column *column = &cells->columns[k];
            entries[r * cells->count + k] =
                (uint32_t)(column->offset + sbl_bins_find(column, numeric, codes));
        }
    }
    return sbl_sum_add_ones(sum, block, entries, cells->count, err);
}

const sbl_feature sbl_feature_cells = {
    .name = "cells",
    .make = cells_make,
    .free = cells_free_made,
    .describe = cells_describe,
    .workspace_bytes = cells_workspace_bytes,
    .add = cells_add,
};

/* `means`: the numbers of a record, each taken to [-1, 1] by its public bounds and divided by
 * sqrt(d). Tables only.
 *
 * Bound: norm at most 1, in L1 at most sqrt(d); signed. Sensitivity of the sum: 2 under replace-one
 * with the label kept, sqrt 2 with the label changed, 1 under add-remove. */

static sbl_status means_make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    if (facts->kind != SBL_DATA_TABLE || facts->shape.numeric == 0)
        return sbl_fail(err, SBL_EINPUT, "feature 'means' needs a table with a column of numbers");
    *made = (void *)(uintptr_t)facts; /* borrowed */
    return sbl_parameters_are(parameters, 0, "means", err);
}

static void means_describe(const void *made, sbl_block *block, double *weight)
{
    const size_t width = ((const sbl_facts *)made)->shape.numeric;
    *block = (sbl_block){.name = "means", .width = width, .per_class = true, .bound2 = SBL_GRID_BOUND2};
    block->bound1 = (uint64_t)ceil(sqrt((double)width)) << SBL_GRID_BITS;
    block->scale = sbl_block_scale(width, block->bound2, 1.0);
    *weight = ldexp(1.0, -SBL_GRID_BITS); /* as of one that is 1 long */
}

static size_t means_workspace_bytes(const void *made)
{
    const sbl_facts *facts = made;
    return facts->shape.numeric * sbl_slice_rows(facts) * sizeof(double);
}

static sbl_status means_add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                            const sbl_records *records, sbl_error *err)
{
    const size_t width = ((const sbl_facts *)made)->shape.numeric;
    const double root = sqrt((double)width);
    double *values = workspace;
    for (size_t i = 0; i < records->rows * width; i++) values[i] = (2 * records->numeric[i] - 1) / root;
    return sbl_sum_add_f64(sum, block, 0, width, values, width, err);
}

const sbl_feature sbl_feature_means = {
    .name = "means",
    .make = means_make,
    .describe = means_describe,
    .workspace_bytes = means_workspace_bytes,
    .add = means_add,
};

/* `total`: a 1 for every record. Of classes that are declared to be equally frequent only the number
 * of records is wanted, and it is private under add-remove.
 * Bound: norm 1, nonnegative. Sensitivity of the sum: 1 under add-remove, 0 under replace-one. */

static const uint32_t zeros[SBL_SLICE_ROWS];

static sbl_status total_make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    *made = (void *)(uintptr_t)facts;
    return sbl_parameters_are(parameters, 0, "total", err);
}

static void total_describe(const void *made, sbl_block *block, double *weight)
{
    (void)made;
    *block =
        (sbl_block){.name = "total", .width = 1, .nonnegative = true, .bound2 = 1, .bound1 = 1, .scale = 1.0};
    *weight = 1.0;
}

static sbl_status total_add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                            const sbl_records *records, sbl_error *err)
{
    (void)made;
    (void)workspace;
    (void)records;
    return sbl_sum_add_ones(sum, block, zeros, 1, err);
}

const sbl_feature sbl_feature_total = {
    .name = "total",
    .make = total_make,
    .describe = total_describe,
    .add = total_add,
    .any_units = true,
};

/* `persons`: how many persons have 1, 2, ..., k rows that count, for tables in which a person may own
 * several. The sum forms it from whose row each is; nothing of the record itself is in it.
 * Sensitivity for one person, with however many rows: 1 added or removed, 2 (one bin down, one up)
 * replaced, in the L1 norm and squared in L2 (docs/mechanisms/unit.md). */

static sbl_status persons_make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    *made = (void *)(uintptr_t)facts;
    if (sbl_facts_rows_per_unit(facts) == 0)
        return sbl_fail(err, SBL_EINPUT,
                        "the plan counts persons, but no column of the table identifies them");
    return sbl_parameters_are(parameters, 0, "persons", err);
}

static void persons_describe(const void *made, sbl_block *block, double *weight)
{
    *block = sbl_block_of_persons(sbl_facts_rows_per_unit(made));
    *weight = 1.0;
}

const sbl_feature sbl_feature_persons = {
    .name = "persons", .make = persons_make, .describe = persons_describe};

/* [3] The feature `health`: a one for each column whose cell the reader marked as a misfit, and
 * under add-remove one per record. The marks come with the records; nothing is judged again
 * here. */

typedef struct health {
    const sbl_facts *facts; /* borrowed */
    size_t width;           /* K, or K + 1 with the total */
} health;

json_t *sbl_health_parameters(bool total) { return json_pack("{s:b}", "total", total); }

static sbl_status health_make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    bool total = false;
    sbl_status status = SBL_OK;
    *made = NULL;
    SBL_TRY(sbl_parameters_are(parameters, 1, SBL_HEALTH, err));
    SBL_TRY(sbl_json_get_bool(&total, parameters, "total", SBL_HEALTH, err));
    health *h;
    SBL_ALLOC(h, 1, "a plan");
    *made = h;
    *h = (health){.facts = facts, .width = facts->columns + (total ? 1 : 0)};
done:
    return status;
}

/* Ones: both norms of a record are at most the width. */
static void health_describe(const void *made, sbl_block *block, double *weight)
{
    const health *h = made;
    *block = (sbl_block){.name = SBL_HEALTH,
                         .width = h->width,
                         .nonnegative = true,
                         .bound2 = h->width,
                         .bound1 = h->width,
                         .scale = 1.0};
    *weight = 1.0;
}

static size_t health_workspace_bytes(const void *made)
{
    const health *h = made;
    return h->width * sbl_slice_rows(h->facts) * sizeof(uint32_t);
}

static sbl_status health_add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                             const sbl_records *records, sbl_error *err)
{
    const health *h = made;
    const size_t columns = h->facts->columns;
    uint32_t *entry = workspace;
    for (size_t r = 0; r < records->rows; r++) {
        const uint8_t *misfit = records->misfits != NULL ? records->misfits + r * columns : NULL;
        for (size_t k = 0; k < columns; k++)
            *entry++ = misfit != NULL && misfit[k] != 0 ? (uint32_t)k : SBL_NO_ENTRY;
        if (h->width > columns) *entry++ = (uint32_t)columns;
    }
    return sbl_sum_add_ones(sum, block, workspace, h->width, err);
}

const sbl_feature sbl_feature_health = {
    .name = SBL_HEALTH,
    .make = health_make,
    .free = sbl_free,
    .describe = health_describe,
    .workspace_bytes = health_workspace_bytes,
    .add = health_add,
    .any_units = true,
};
