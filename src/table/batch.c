/* Allocates one array per column of the kind that its column needs. Rows are records, so all of
 * them are wiped when freed. */
#include "table/batch.h"

#include "base/memory.h"

static bool make_column(sbl_batch_column *made, const sbl_column *column, size_t capacity)
{
    if (column->kind == SBL_COLUMN_IGNORED) return true;
    if (column->kind == SBL_COLUMN_CATEGORY) {
        made->codes = sbl_alloc_array(capacity, sizeof *made->codes);
        return made->codes != NULL;
    }
    made->values = sbl_alloc_array(capacity, sizeof *made->values);
    if (made->values == NULL) return false;
    if (!column->missing_allowed) return true;
    made->missing = sbl_alloc_array(capacity, sizeof *made->missing);
    return made->missing != NULL;
}

sbl_status sbl_batch_new(sbl_batch **batch, const sbl_schema *schema, size_t capacity,
                         sbl_error *err)
{
    sbl_batch *made = sbl_alloc_array(1, sizeof *made);
    bool complete = made != NULL;
    *batch = NULL;
    if (complete) {
        made->schema = schema;
        made->capacity = capacity;
        made->columns = sbl_alloc_array(schema->column_count, sizeof *made->columns);
        complete = made->columns != NULL;
    }
    if (complete && schema->rows_per_unit != 0) {
        made->units = sbl_alloc_array(capacity, sizeof *made->units);
        complete = made->units != NULL;
    }
    for (size_t i = 0; complete && i < schema->column_count; i++)
        complete = make_column(&made->columns[i], &schema->columns[i], capacity);
    if (!complete) {
        sbl_batch_free(made);
        return sbl_fail(err, SBL_EMEM, "out of memory for %zu rows of a table", capacity);
    }
    *batch = made;
    return SBL_OK;
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
    sbl_free_wiped(batch->faults, batch->capacity * batch->schema->column_count);
    sbl_free(batch->columns);
    sbl_free(batch);
}

sbl_status sbl_batch_keep_faults(sbl_batch *batch, sbl_error *err)
{
    batch->faults = sbl_alloc_array(batch->capacity, batch->schema->column_count);
    return batch->faults != NULL
               ? SBL_OK
               : sbl_fail(err, SBL_EMEM, "out of memory for %zu rows of a table", batch->capacity);
}
