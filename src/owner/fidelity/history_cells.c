/* SPDX-License-Identifier: Apache-2.0 */
/* All tables of an evaluation as histories, with the cells of their columns: numbers are cut at quantiles of
 * the real events, so that every cell has its share whatever the bounds are. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/order.h"
#include "owner/fidelity/sampling_noise.h"

#define PARTS 10

/* The quantile i / parts of sorted values, linear between two of them. */
static double quantile(const double *sorted, size_t count, size_t i, size_t parts)
{
    const double place = (double)(count - 1) * (double)i / (double)parts;
    const size_t below = (size_t)place;
    if (below + 1 >= count) return sorted[count - 1];
    return sorted[below] + (sorted[below + 1] - sorted[below]) * (place - floor(place));
}

sbl_edges sbl_edges_of(double *values, size_t count, size_t parts)
{
    sbl_edges edges = {0};
    qsort(values, count, sizeof *values, sbl_double_order);
    for (size_t i = 1; count != 0 && i < parts; i++) {
        const double at = quantile(values, count, i, parts);
        if (edges.count == 0 || at != edges.at[edges.count - 1]) edges.at[edges.count++] = at;
    }
    return edges;
}

uint32_t sbl_edges_cell(const sbl_edges *edges, double value)
{
    uint32_t cell = 0;
    while (cell < edges->count && edges->at[cell] <= value) cell++;
    return cell;
}

static sbl_status cut_column(sbl_edges *edges, const sbl_view_column *column, const sbl_frame *real,
                             sbl_error *err)
{
    double *values = NULL;
    size_t count = 0;
    sbl_status status = SBL_OK;
    SBL_ALLOC(values, real->rows, "the cells of a column");
    for (size_t row = 0; row < real->rows; row++)
        if (sbl_view_apart(column, real, row) == 0) values[count++] = sbl_history_number(column, real, row);
    *edges = sbl_edges_of(values, count, PARTS);
done:
    sbl_free_wiped(values, real->rows * sizeof *values);
    return status;
}

static uint32_t cell_of(const sbl_view_column *column, const sbl_edges *edges, const sbl_frame *frame,
                        size_t row)
{
    if (!column->numeric) return sbl_view_code(column, frame, row);
    const uint32_t apart = sbl_view_apart(column, frame, row);
    return apart != 0 ? (uint32_t)edges->count + apart
                      : sbl_edges_cell(edges, sbl_history_number(column, frame, row));
}

static sbl_status fill_column(sbl_histories *h, size_t c, sbl_error *err)
{
    const sbl_view_column *column = &h->columns.view->columns[c];
    sbl_edges edges = {0};
    if (column->numeric) SBL_CHECK(cut_column(&edges, column, h->of[SBL_ROLE_REAL].frame, err));
    h->cells.sizes[c] =
        column->numeric ? (uint32_t)edges.count + 1 + column->cells - SBL_VIEW_BINS : column->cells;
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) {
        const sbl_history_table *table = &h->of[t];
        uint32_t *cells = h->cells.codes[t] + c * h->cells.rows[t];
        for (size_t i = 0; i < h->cells.rows[t]; i++)
            cells[i] = cell_of(column, &edges, table->frame, table->rows[i]);
    }
    return SBL_OK;
}

sbl_status sbl_histories_init(sbl_histories *h, const sbl_tables *tables, const sbl_view *view,
                              const sbl_schema *schema, sbl_error *err)
{
    size_t rows[SBL_ROLE_COUNT];
    sbl_status status = SBL_OK;
    *h = (sbl_histories){.tables = tables};
    SBL_TRY(sbl_history_columns_init(&h->columns, view, schema, err));
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) {
        SBL_TRY(sbl_history_table_init(&h->of[t], &tables->frames[t], &h->columns, err));
        rows[t] = tables->frames[t].rows;
    }
    SBL_TRY(sbl_codes_init(&h->cells, view->count, rows, err));
    for (size_t c = 0; c < view->count; c++) SBL_TRY(fill_column(h, c, err));
    if (tables->relations != NULL) {
        SBL_ALLOC(h->effects, view->count, "sampling noise");
        SBL_TRY(sbl_cluster_effects(h->effects, &h->cells, &h->of[SBL_ROLE_REAL], &h->of[SBL_ROLE_SYNTHETIC],
                                    true, err));
        h->cells.effects = h->effects;
    }
done:
    if (status != SBL_OK) sbl_histories_clear(h);
    return status;
}

void sbl_histories_clear(sbl_histories *h)
{
    sbl_codes_clear(&h->cells);
    sbl_free(h->effects);
    h->effects = NULL;
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) sbl_history_table_clear(&h->of[t]);
    sbl_history_columns_clear(&h->columns);
}
