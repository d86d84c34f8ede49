/* Walks the columns once and gives each its heads, numbering numeric and categorical ones apart:
 * those numbers are the columns of the encoded matrices that codec, features and models share. */
#include "schema/heads.h"

#include <string.h>

#include "base/memory.h"
#include "schema/spikes.h"

static void add(sbl_heads *heads, sbl_head head)
{
    head.index =
        head.kind == SBL_HEAD_NUMERIC ? heads->numeric_count++ : heads->categorical_count++;
    heads->items[heads->count++] = head;
}

static void add_column(sbl_heads *heads, const sbl_column *column, size_t index)
{
    if (column->kind == SBL_COLUMN_IGNORED) return;
    if (column->kind == SBL_COLUMN_CATEGORY) {
        const uint32_t count = sbl_column_missing_code(column);
        add(heads, (sbl_head){.kind = SBL_HEAD_CATEGORICAL,
                              .column = index,
                              .cardinality = count + (column->missing_allowed ? 1U : 0U),
                              .ordered = column->ordered});
        return;
    }
    add(heads, (sbl_head){.kind = SBL_HEAD_NUMERIC, .column = index, .cardinality = 1});
    if (column->missing_allowed || column->spike_count > 0)
        add(heads, (sbl_head){.kind = SBL_HEAD_CATEGORICAL,
                              .column = index,
                              .cardinality = sbl_spike_code(column, column->spike_count),
                              .indicator = true});
}

sbl_status sbl_heads_init(sbl_heads *heads, const sbl_schema *schema, sbl_error *err)
{
    memset(heads, 0, sizeof *heads);
    heads->label = SBL_NO_HEAD;
    heads->items = sbl_alloc_array(2 * schema->column_count, sizeof *heads->items);
    if (heads->items == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for the head layout");
    for (size_t i = 0; i < schema->column_count; i++) {
        if (i == schema->label) heads->label = heads->count;
        add_column(heads, &schema->columns[i], i);
    }
    if (schema->task == SBL_TASK_CLASSIFICATION)
        heads->class_count = heads->items[heads->label].cardinality;
    return SBL_OK;
}

void sbl_heads_clear(sbl_heads *heads)
{
    sbl_free(heads->items);
    memset(heads, 0, sizeof *heads);
}
