/* [3] The feature `cells`: looks up each column's cell and adds a one there. Integers from the
 * start, so that the bound K holds without rounding. */
#include "features/cells.h"

#include "accumulate/sum.h"
#include "base/memory.h"
#include "features/parameters.h"

#define NAME "cells"

json_t *sbl_cells_parameters(size_t bins, size_t singles)
{
    return json_pack("{s:I, s:I}", "bins", (json_int_t)bins, "singles", (json_int_t)singles);
}

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters,
                       sbl_error *err)
{
    uint64_t bins;
    uint64_t singles;
    sbl_status status = SBL_OK;
    sbl_cells *cells = sbl_alloc_array(1, sizeof *cells);
    if (cells == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a plan");
    if (facts->kind != SBL_DATA_TABLE)
        SBL_FAIL(err, SBL_EINPUT, "feature '%s' is one of tables", NAME);
    SBL_TRY(sbl_parameters_are(parameters, 2, NAME, err));
    SBL_TRY(sbl_json_get_u64(&bins, parameters, "bins", NAME, err));
    SBL_TRY(sbl_json_get_u64(&singles, parameters, "singles", NAME, err));
    SBL_TRY(sbl_cells_init(cells, facts->schema, &facts->heads, bins, singles, err));
    *made = cells;
    cells = NULL;
done:
    sbl_free(cells);
    return status;
}

static void free_made(void *made)
{
    sbl_cells_clear(made);
    sbl_free(made);
}

static void describe(const void *made, sbl_block *block, double *weight)
{
    const sbl_cells *cells = made;
    *block = (sbl_block){.name = NAME,
                         .width = cells->total,
                         .per_class = cells->classes > 1,
                         .nonnegative = true,
                         .bound2 = cells->count,
                         .bound1 = cells->count,
                         .scale = 1.0};
    *weight = 1.0;
}

static size_t workspace_bytes(const void *made)
{
    return ((const sbl_cells *)made)->count * SBL_SLICE_ROWS * sizeof(uint32_t);
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_cells *cells = made;
    uint32_t *entries = workspace;
    for (size_t r = 0; r < records->rows; r++) {
        const double *numeric = records->numeric + r * cells->numeric_count;
        const uint32_t *codes = records->codes + r * cells->categorical_count;
        for (size_t k = 0; k < cells->count; k++) {
            const sbl_cells_column *column = &cells->columns[k];
            entries[r * cells->count + k] =
                (uint32_t)(column->offset + sbl_cells_find(column, numeric, codes));
        }
    }
    return sbl_sum_add_ones(sum, block, entries, cells->count, err);
}

const sbl_feature sbl_feature_cells = {
    .name = NAME,
    .make = make,
    .free = free_made,
    .describe = describe,
    .workspace_bytes = workspace_bytes,
    .add = add,
};
