/* SPDX-License-Identifier: Apache-2.0 */
/* [3] The feature `tables`: reads maps and marginals from a plan, checks them, and groups them into one
 * block per level of precision. The bins of each record are found once and looked up in every marginal.
 * After the release step, the noisy counts are read back marginal by marginal. */
#include "records/features/marginal_counts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "public/plan/parameters.h"
#include "records/accumulate/sum.h"

#define NAME "tables"

/* ---- parameters ---- */

/* The columns of joint cells, as maps are over them. */
static sbl_status columns_of(sbl_pairs_column **columns, const sbl_bins *cells, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(*columns, cells->count, "a plan");
    for (size_t k = 0; k < cells->count; k++) (*columns)[k] = sbl_pairs_column_of(&cells->columns[k]);
done:
    return status;
}

json_t *sbl_tables_parameters(const sbl_pairs_plan *plan, const sbl_bins *cells)
{
    sbl_pairs_column *columns;
    if (columns_of(&columns, cells, NULL) != SBL_OK) return NULL;
    json_t *parameters = json_pack("{s:I, s:I, s:I}", "bins", (json_int_t)cells->bins, "singles",
                                   (json_int_t)cells->singles, "linear", (json_int_t)cells->linear);
    parameters = sbl_table_list_to_json(parameters, plan, columns);
    sbl_free(columns);
    return parameters;
}

static void free_made(void *made)
{
    sbl_tables *tables = made;
    sbl_table_list_clear(&tables->list);
    sbl_bins_clear(&tables->cells);
    sbl_free(tables);
}

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    uint64_t bins;
    uint64_t singles;
    uint64_t linear;
    sbl_pairs_column *columns = NULL;
    sbl_status status = SBL_OK;
    sbl_tables *tables;
    SBL_ALLOC(tables, 1, "a plan");
    tables->facts = facts;
    if (facts->kind != SBL_DATA_TABLE) SBL_FAIL(err, SBL_EINPUT, "feature '%s' is for tables only", NAME);
    SBL_TRY(sbl_parameters_are(parameters, 5, NAME, err));
    SBL_TRY(sbl_json_get_u64(&bins, parameters, "bins", NAME, err));
    SBL_TRY(sbl_json_get_u64(&singles, parameters, "singles", NAME, err));
    SBL_TRY(sbl_json_get_u64(&linear, parameters, "linear", NAME, err));
    SBL_TRY(sbl_bins_init_joint(&tables->cells, facts->schema, &facts->heads, bins, singles, linear, err));
    SBL_TRY(columns_of(&columns, &tables->cells, err));
    SBL_TRY(sbl_table_list_read(&tables->list, parameters, columns, tables->cells.count,
                                (sbl_table_rule){.unit = 1}, NAME, err));
    *made = tables;
    tables = NULL;
done:
    sbl_free(columns);
    if (tables != NULL) free_made(tables);
    return status;
}

/* ---- blocks ---- */

static size_t count_blocks(const void *made) { return ((const sbl_tables *)made)->list.block_count; }

static void describe(const void *made, sbl_block *blocks, double *weights)
{
    sbl_table_list_describe(&((const sbl_tables *)made)->list, NAME, blocks, weights);
}

/* ---- records ---- */

/* Cells of the columns (slice, K), entries (slice, tables of the largest block). */
static size_t workspace_bytes(const void *made)
{
    const sbl_tables *tables = made;
    return sbl_slice_rows(tables->facts) * (tables->cells.count + sbl_table_list_largest(&tables->list)) *
           sizeof(uint32_t);
}

static void find_cells(uint32_t *found, const sbl_bins *cells, const sbl_records *records)
{
    for (size_t r = 0; r < records->rows; r++) {
        const double *numeric = records->numeric + r * cells->numeric_count;
        const uint32_t *codes = records->codes + r * cells->categorical_count;
        for (size_t k = 0; k < cells->count; k++)
            found[r * cells->count + k] = (uint32_t)sbl_bins_find(&cells->columns[k], numeric, codes);
    }
}

/* The entry of one record in table t. */
static uint32_t entry_of(const sbl_table_list *tables, size_t t, const uint32_t *cells)
{
    const sbl_pairs_table *table = &tables->plan.tables[t];
    const sbl_pairs_map *first = &tables->plan.maps[table->first];
    size_t entry = first->of[cells[first->column]];
    if (table->second != SBL_PAIRS_NO_MAP) {
        const sbl_pairs_map *second = &tables->plan.maps[table->second];
        entry = entry * second->cells + second->of[cells[second->column]];
    }
    return (uint32_t)(tables->offset[t] + entry);
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_tables *tables = made;
    const sbl_table_list *list = &tables->list;
    uint32_t *cells = workspace, *entries = cells + sbl_slice_rows(tables->facts) * tables->cells.count;
    find_cells(cells, &tables->cells, records);
    for (size_t b = 0; b < list->block_count; b++) {
        const size_t per_row = list->sizes[b];
        size_t place = 0;
        for (size_t t = 0; t < list->plan.table_count; t++) {
            if (list->block_of[t] != b) continue;
            for (size_t r = 0; r < records->rows; r++)
                entries[r * per_row + place] = entry_of(list, t, cells + r * tables->cells.count);
            place++;
        }
        const sbl_status status = sbl_sum_add_ones(sum, block + b, entries, per_row, err);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

const sbl_feature sbl_feature_tables = {
    .name = NAME,
    .make = make,
    .free = free_made,
    .count = count_blocks,
    .describe = describe,
    .workspace_bytes = workspace_bytes,
    .add = add,
};
