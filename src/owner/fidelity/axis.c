/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the cells of a picture: bins or single values of numbers, the commonest categories and
 * one cell for the others, and the words of each. */
#include "owner/fidelity/axis.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/json.h"
#include "public/rows/cell_format.h"

#define OTHERS UINT32_MAX

/* ---- numbers ---- */

static void cut_numbers(sbl_axis *axis, size_t most, size_t bins)
{
    const sbl_column *facts = axis->column->column;
    const double values = facts->grid_maximum - facts->grid_minimum + 1;
    axis->per_value = facts->decimals >= 0 && values >= 1 && values < (double)most;
    axis->bins = axis->per_value ? (size_t)values : bins;
    axis->count = axis->bins + axis->column->cells - SBL_VIEW_BINS;
}

static size_t cell_of_number(const sbl_axis *axis, const sbl_frame *frame, size_t row)
{
    const sbl_column *facts = axis->column->column;
    const uint32_t apart = sbl_view_apart(axis->column, frame, row);
    if (apart == 1 && facts->missing_allowed) return axis->count - 1;
    if (apart != 0) return axis->bins + apart - sbl_spike_code(facts, 0);
    const double unit = frame->numeric[row * frame->codec->heads.numeric_count + axis->column->index];
    const double place = axis->per_value ? sbl_column_grid_whole(facts, sbl_column_from_unit(facts, unit)) -
                                               facts->grid_minimum + 0.5
                                         : unit * (double)axis->bins;
    return place < (double)axis->bins ? (size_t)place : axis->bins - 1;
}

/* The value that a cell is of, or begins with. */
static double value_of(const sbl_axis *axis, size_t cell)
{
    const sbl_column *facts = axis->column->column;
    if (cell >= axis->bins) return facts->spikes[cell - axis->bins];
    return axis->per_value ? sbl_column_grid_value(facts, facts->grid_minimum + (double)cell)
                           : sbl_column_from_unit(facts, (double)cell / (double)axis->bins);
}

static json_t *number_label(const sbl_axis *axis, size_t cell)
{
    char text[SBL_CELL_TEXT_SIZE];
    const sbl_column *facts = axis->column->column;
    if (cell + 1 == axis->count && facts->missing_allowed) return json_string("(missing)");
    const double value = value_of(axis, cell);
    if (facts->kind == SBL_COLUMN_NUMBER && facts->decimals < 0) {
        char number[32];
        (void)snprintf(number, sizeof number, "%.4g", value);
        return json_string(number);
    }
    const size_t length = sbl_cell_format(text, facts, sbl_column_snap(facts, value));
    return json_stringn(text, length);
}

/* ---- categories ---- */

typedef struct category {
    uint32_t code;
    double share; /* summed over the tables */
} category;

/* Larger shares first, then the declared order. */
static int by_share(const void *a, const void *b)
{
    const category *x = a;
    const category *y = b;
    if (x->share != y->share) return x->share > y->share ? -1 : 1;
    return x->code < y->code ? -1 : 1;
}

static int by_code(const void *a, const void *b)
{
    return ((const category *)a)->code < ((const category *)b)->code ? -1 : 1;
}

static void rank(category *list, const sbl_view_column *column, size_t shown, const sbl_frame *const *tables,
                 size_t table_count)
{
    for (uint32_t code = 0; code < column->cells; code++) list[code].code = code;
    if (shown == column->cells) return;
    for (size_t t = 0; t < table_count; t++)
        for (size_t row = 0; row < tables[t]->rows; row++)
            list[sbl_view_code(column, tables[t], row)].share += 1.0 / (double)tables[t]->rows;
    qsort(list, column->cells, sizeof *list, by_share);
    qsort(list, shown, sizeof *list, by_code);
}

static bool choose_categories(sbl_axis *axis, size_t most, const sbl_frame *const *tables, size_t table_count)
{
    const sbl_view_column *column = axis->column;
    const size_t shown = column->cells <= most ? column->cells : most - 1;
    category *list = sbl_alloc_array(column->cells, sizeof *list);
    axis->count = shown + (shown < column->cells ? 1 : 0);
    axis->codes = sbl_alloc_array(axis->count, sizeof *axis->codes);
    axis->cells = sbl_alloc_array(column->cells, sizeof *axis->cells);
    const bool good = list != NULL && axis->codes != NULL && axis->cells != NULL;
    if (good) rank(list, column, shown, tables, table_count);
    for (size_t i = 0; good && i < column->cells; i++) {
        const size_t cell = i < shown ? i : shown;
        axis->cells[list[i].code] = (uint32_t)cell;
        axis->codes[cell] = i < shown ? list[i].code : OTHERS;
    }
    sbl_free_wiped(list, column->cells * sizeof *list);
    return good;
}

static json_t *category_label(const sbl_column *column, uint32_t code)
{
    if (code == OTHERS) return json_string("(others)");
    if (code >= column->categories.count) return json_string("(missing)");
    json_t *label = json_string(column->categories.items[code]);
    return label != NULL ? label : json_string("(not text)");
}

/* ---- both ---- */

bool sbl_axis_init(sbl_axis *axis, const sbl_view_column *column, size_t most, size_t bins,
                   const sbl_frame *const *tables, size_t table_count)
{
    *axis = (sbl_axis){.column = column};
    if (!column->numeric) return choose_categories(axis, most, tables, table_count);
    cut_numbers(axis, most, bins);
    return true;
}

void sbl_axis_clear(sbl_axis *axis)
{
    sbl_free(axis->codes);
    sbl_free(axis->cells);
    *axis = (sbl_axis){0};
}

size_t sbl_axis_cell(const sbl_axis *axis, const sbl_frame *frame, size_t row)
{
    return axis->column->numeric ? cell_of_number(axis, frame, row)
                                 : axis->cells[sbl_view_code(axis->column, frame, row)];
}

json_t *sbl_axis_labels(const sbl_axis *axis)
{
    json_t *labels = json_array();
    for (size_t cell = 0; cell < axis->count; cell++)
        labels = sbl_json_append(labels, axis->column->numeric
                                             ? number_label(axis, cell)
                                             : category_label(axis->column->column, axis->codes[cell]));
    return labels;
}
