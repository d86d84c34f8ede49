/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates one array per column of the kind that its column needs. Rows are records, so all of
 * them are wiped when freed. */
#include "public/rows/row_batch.h"

#include "base/alloc.h"
#include "public/schema/spikes.h"

static const char what[] = "rows of a table";

static sbl_status make_column(sbl_batch_column *made, const sbl_column *column, size_t capacity,
                              sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (column->kind == SBL_COLUMN_IGNORED) return SBL_OK;
    if (column->kind == SBL_COLUMN_CATEGORY) {
        SBL_ALLOC(made->codes, capacity, what);
        return SBL_OK;
    }
    SBL_ALLOC(made->values, capacity, what);
    if (column->missing_allowed) SBL_ALLOC(made->missing, capacity, what);
done:
    return status;
}

sbl_status sbl_batch_new(sbl_batch **batch, const sbl_schema *schema, size_t capacity, sbl_error *err)
{
    sbl_batch *made = NULL;
    sbl_status status = SBL_OK;
    *batch = NULL;
    SBL_ALLOC(made, 1, what);
    made->schema = schema;
    made->capacity = capacity;
    SBL_ALLOC(made->columns, schema->column_count, what);
    if (schema->rows_per_unit != 0) SBL_ALLOC(made->units, capacity, what);
    for (size_t i = 0; i < schema->column_count; i++)
        SBL_TRY(make_column(&made->columns[i], &schema->columns[i], capacity, err));
    *batch = made;
    made = NULL;
done:
    sbl_batch_free(made);
    return status;
}

void sbl_batch_free(sbl_batch *batch)
{
    if (batch == NULL) return;
    for (size_t i = 0; batch->columns != NULL && i < batch->schema->column_count; i++) {
        sbl_batch_column *column = &batch->columns[i];
        sbl_free_wiped(column->values, batch->capacity * sizeof *column->values);
        sbl_free_wiped(column->missing, batch->capacity * sizeof *column->missing);
        sbl_free_wiped(column->codes, batch->capacity * sizeof *column->codes);
    }
    sbl_free_wiped(batch->units, batch->capacity * sizeof *batch->units);
    sbl_free_wiped(batch->keys, batch->capacity * sizeof *batch->keys);
    sbl_free_wiped(batch->faults, batch->capacity * batch->schema->column_count);
    sbl_free(batch->columns);
    sbl_free(batch);
}

sbl_status sbl_batch_keep_keys(sbl_batch *batch, sbl_error *err)
{
    batch->keys = sbl_alloc_array(batch->capacity, sizeof *batch->keys);
    return batch->keys != NULL ? SBL_OK : sbl_no_memory(err, what);
}

sbl_status sbl_batch_keep_faults(sbl_batch *batch, sbl_error *err)
{
    batch->faults = sbl_alloc_array(batch->capacity, batch->schema->column_count);
    return batch->faults != NULL ? SBL_OK : sbl_no_memory(err, what);
}

static void clip_cell(sbl_batch *batch, size_t c, size_t row)
{
    const sbl_column *facts = &batch->schema->columns[c];
    const sbl_column *domain = sbl_batch_domain(batch, facts, row);
    double *value = &batch->columns[c].values[row];
    const bool missing = batch->columns[c].missing != NULL && batch->columns[c].missing[row] != 0;
    const double inside = sbl_column_clamp(domain, *value);
    if (missing || inside == *value || sbl_spikes_find(facts, *value) != SBL_NO_SPIKE) return;
    uint8_t *faults = sbl_batch_faults(batch, row);
    if (faults != NULL && faults[c] == SBL_CELL_GOOD) faults[c] = SBL_CELL_OUT_OF_RANGE;
    *value = *value == facts->fallback ? domain->fallback : inside;
}

void sbl_batch_clip(sbl_batch *batch)
{
    for (size_t c = 0; c < batch->schema->column_count; c++)
        for (size_t row = 0; batch->schema->columns[c].by_domains != NULL && row < batch->rows; row++)
            clip_cell(batch, c, row);
}
