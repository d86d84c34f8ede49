/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the rows of a table together by persons and each person's in order, by counting and sorting;
 * rows of the same time stay as they stand. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "owner/fidelity/person_events.h"

static const char what[] = "the histories of a table";

sbl_status sbl_history_columns_init(sbl_history_columns *columns, const sbl_view *view,
                                    const sbl_schema *schema, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *columns = (sbl_history_columns){.view = view};
    SBL_ALLOC(columns->person, view->count, what);
    SBL_ALLOC(columns->event, view->count, what);
    for (size_t c = 0; c < view->count; c++) {
        const sbl_column *column = view->columns[c].column;
        if (schema->order != SBL_NO_COLUMN && column == &schema->columns[schema->order])
            columns->order = &view->columns[c];
        else if (column->per_unit)
            columns->person[columns->person_count++] = (uint32_t)c;
        else
            columns->event[columns->event_count++] = (uint32_t)c;
    }
done:
    if (status != SBL_OK) sbl_history_columns_clear(columns);
    return status;
}

void sbl_history_columns_clear(sbl_history_columns *columns)
{
    sbl_free(columns->person);
    sbl_free(columns->event);
    *columns = (sbl_history_columns){0};
}

double sbl_history_number(const sbl_view_column *column, const sbl_frame *frame, size_t row)
{
    const double unit = frame->numeric[row * frame->codec->heads.numeric_count + column->index];
    const double value = sbl_column_from_unit(column->column, unit);
    return column->column->decimals >= 0 ? sbl_column_grid_whole(column->column, value) : value;
}

/* ---- by persons ---- */

/* starts (person_count + 2) of persons, also of those without rows, by a counting sort of the rows. */
static void group_rows(uint32_t *rows, uint32_t *starts, const sbl_frame *frame)
{
    for (size_t row = 0; row < frame->rows; row++) starts[frame->persons[row] + 2]++;
    for (size_t p = 2; p <= frame->person_count; p++) starts[p] += starts[p - 1];
    for (size_t row = 0; row < frame->rows; row++) rows[starts[frame->persons[row] + 1]++] = (uint32_t)row;
}

/* Persons without rows go. */
static size_t drop_empty(uint32_t *starts, size_t count)
{
    size_t kept = 0;
    for (size_t p = 0; p < count; p++)
        if (starts[p + 1] != starts[p]) starts[++kept] = starts[p + 1];
    return kept;
}

/* ---- in order ---- */

typedef struct timed_row {
    double time;
    uint32_t row;
} timed_row;

static int by_time(const void *a, const void *b)
{
    const timed_row *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static bool is_in_order(const timed_row *events, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (events[i].time < events[i - 1].time) return false;
    return true;
}

static sbl_status order_events(sbl_history_table *table, const sbl_view_column *order, sbl_error *err)
{
    timed_row *events = NULL;
    const size_t rows = table->frame->rows;
    sbl_status status = SBL_OK;
    SBL_ALLOC(table->times, rows, what);
    SBL_ALLOC(events, rows, what);
    for (size_t i = 0; i < rows; i++)
        events[i] = (timed_row){.time = sbl_history_number(order, table->frame, table->rows[i]),
                                .row = table->rows[i]};
    for (size_t p = 0; p < table->persons; p++) {
        const size_t first = table->starts[p], count = table->starts[p + 1] - first;
        if (is_in_order(events + first, count))
            table->in_order++;
        else
            qsort(events + first, count, sizeof *events, by_time);
    }
    for (size_t i = 0; i < rows; i++) {
        table->times[i] = events[i].time;
        table->rows[i] = events[i].row;
    }
done:
    sbl_free_wiped(events, rows * sizeof *events);
    return status;
}

static sbl_status find_later(sbl_history_table *table, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(table->later, table->frame->rows - table->persons, what);
    for (size_t p = 0; p < table->persons; p++)
        for (uint32_t i = table->starts[p] + 1; i < table->starts[p + 1]; i++)
            table->later[table->later_count++] = i;
done:
    return status;
}

sbl_status sbl_history_table_init(sbl_history_table *table, const sbl_frame *frame,
                                  const sbl_history_columns *columns, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *table = (sbl_history_table){.frame = frame};
    SBL_ALLOC(table->starts, frame->person_count + 2, what);
    SBL_ALLOC(table->rows, frame->rows, what);
    group_rows(table->rows, table->starts, frame);
    table->persons = drop_empty(table->starts, frame->person_count);
    if (columns->order != NULL) SBL_TRY(order_events(table, columns->order, err));
    SBL_TRY(find_later(table, err));
done:
    if (status != SBL_OK) sbl_history_table_clear(table);
    return status;
}

void sbl_history_table_clear(sbl_history_table *table)
{
    if (table->frame != NULL) {
        const size_t rows = table->frame->rows;
        sbl_free_wiped(table->starts, (table->frame->person_count + 2) * sizeof *table->starts);
        sbl_free_wiped(table->rows, rows * sizeof *table->rows);
        sbl_free_wiped(table->times, rows * sizeof *table->times);
        sbl_free_wiped(table->later, table->later_count * sizeof *table->later);
    }
    *table = (sbl_history_table){0};
}
