/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the heads of an encoded record to columns again, and finds a row's public cell in each. */
#include "owner/fidelity/view.h"

#include "base/alloc.h"

static void add_head(sbl_view *view, const sbl_head *head, const sbl_schema *schema)
{
    const sbl_column *column = &schema->columns[head->column];
    if (head->indicator) { /* comes right after its number */
        view->columns[view->count - 1].indicator = head->index;
        view->columns[view->count - 1].cells = SBL_VIEW_BINS + head->cardinality - 1;
        return;
    }
    const bool numeric = head->kind == SBL_HEAD_NUMERIC;
    view->columns[view->count++] = (sbl_view_column){.column = column,
                                                     .numeric = numeric,
                                                     .index = head->index,
                                                     .indicator = SBL_NO_HEAD,
                                                     .cells = numeric ? SBL_VIEW_BINS : head->cardinality};
}

sbl_status sbl_view_init(sbl_view *view, const sbl_codec *codec, sbl_error *err)
{
    *view = (sbl_view){.columns = sbl_alloc_array(codec->heads.count, sizeof *view->columns)};
    if (view->columns == NULL) return sbl_no_memory(err, "a list of columns");
    for (size_t i = 0; i < codec->heads.count; i++) add_head(view, &codec->heads.items[i], codec->schema);
    return SBL_OK;
}

void sbl_view_clear(sbl_view *view)
{
    sbl_free(view->columns);
    *view = (sbl_view){0};
}

uint32_t sbl_view_apart(const sbl_view_column *column, const sbl_frame *frame, size_t row)
{
    if (column->indicator == SBL_NO_HEAD) return 0;
    return frame->codes[row * frame->codec->heads.categorical_count + column->indicator];
}

double sbl_view_linear(const sbl_view_column *column, const sbl_frame *frame, size_t row)
{
    const double unit = frame->numeric[row * frame->codec->heads.numeric_count + column->index];
    const sbl_column *facts = column->column;
    if (!facts->log_transform) return unit;
    const double range = facts->maximum - facts->minimum;
    if (!(range > 0)) return 0.0;
    return (sbl_column_from_unit(facts, unit) - facts->minimum) / range;
}

uint32_t sbl_view_code(const sbl_view_column *column, const sbl_frame *frame, size_t row)
{
    return frame->codes[row * frame->codec->heads.categorical_count + column->index];
}

static uint32_t public_cell(const sbl_view_column *column, const sbl_frame *frame, size_t row)
{
    if (!column->numeric) return sbl_view_code(column, frame, row);
    const uint32_t apart = sbl_view_apart(column, frame, row);
    if (apart != 0) return SBL_VIEW_BINS + apart - 1;
    const uint32_t bin = (uint32_t)(sbl_view_linear(column, frame, row) * SBL_VIEW_BINS);
    return bin < SBL_VIEW_BINS ? bin : SBL_VIEW_BINS - 1;
}

uint32_t *sbl_view_cells(const sbl_view *view, const sbl_frame *frame)
{
    uint32_t *cells = sbl_alloc_array(frame->rows, view->count * sizeof *cells);
    if (cells == NULL) return NULL;
    for (size_t c = 0; c < view->count; c++)
        for (size_t row = 0; row < frame->rows; row++)
            cells[c * frame->rows + row] = public_cell(&view->columns[c], frame, row);
    return cells;
}
