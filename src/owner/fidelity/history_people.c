/* SPDX-License-Identifier: Apache-2.0 */
/* Describes some persons of a table: their columns and their first events, for time lines. Persons of a
 * synthetic table may be shown to anyone who may see that table. */
#include "base/json.h"
#include "owner/fidelity/person_events.h"
#include "public/rows/cell_format.h"
#include "public/schema/spikes.h"

#define MOST_PEOPLE 6
#define MOST_EVENTS 8   /* of each */
#define MOST_COLUMNS 6  /* of a person, and of an event */
#define ENOUGH_EVENTS 3 /* to be worth a line, where there are such persons */

json_t *sbl_history_cell(const sbl_view_column *column, const sbl_frame *frame, size_t row)
{
    char text[SBL_CELL_TEXT_SIZE];
    const sbl_column *facts = column->column;
    if (!column->numeric) {
        const uint32_t code = sbl_view_code(column, frame, row);
        json_t *name = code < facts->categories.count ? json_string(facts->categories.items[code])
                                                      : json_string("(missing)");
        return name != NULL ? name : json_string("(not text)");
    }
    const uint32_t apart = sbl_view_apart(column, frame, row);
    if (apart == 1 && facts->missing_allowed) return json_string("(missing)");
    const double unit = frame->numeric[row * frame->codec->heads.numeric_count + column->index];
    const double value = apart != 0 ? facts->spikes[apart - sbl_spike_code(facts, 0)]
                                    : sbl_column_snap(facts, sbl_column_from_unit(facts, unit));
    const size_t length = sbl_cell_format(text, facts, value);
    return json_stringn(text, length);
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static json_t *names_json(const sbl_view *view, const uint32_t *list, size_t count)
{
    json_t *names = json_array();
    for (size_t c = 0; c < least(count, MOST_COLUMNS); c++)
        names = sbl_json_append(names, json_string(view->columns[list[c]].column->name));
    return names;
}

static json_t *cells_json(const sbl_view *view, const uint32_t *list, size_t count, const sbl_frame *frame,
                          size_t row)
{
    json_t *cells = json_array();
    for (size_t c = 0; c < least(count, MOST_COLUMNS); c++)
        cells = sbl_json_append(cells, sbl_history_cell(&view->columns[list[c]], frame, row));
    return cells;
}

/* place: within the declared bounds of the order column, or among the events. */
static json_t *event_json(const sbl_history_table *table, const sbl_history_columns *columns, size_t person,
                          size_t i)
{
    const size_t first = table->starts[person], count = table->starts[person + 1] - first;
    const size_t row = table->rows[first + i];
    const double place = columns->order != NULL ? sbl_view_linear(columns->order, table->frame, row)
                                                : (double)i / (double)(count > 1 ? count - 1 : 1);
    return json_pack(
        "{s:f, s:o, s:o}", "place", place, "at",
        columns->order != NULL ? sbl_history_cell(columns->order, table->frame, row) : json_null(), "cells",
        cells_json(columns->view, columns->event, columns->event_count, table->frame, row));
}

static json_t *person_json(const sbl_history_table *table, const sbl_history_columns *columns, size_t person)
{
    const size_t first = table->starts[person], count = table->starts[person + 1] - first;
    json_t *events = json_array();
    for (size_t i = 0; i < least(count, MOST_EVENTS); i++)
        events = sbl_json_append(events, event_json(table, columns, person, i));
    return json_pack(
        "{s:I, s:o, s:o}", "events", (json_int_t)count, "cells",
        cells_json(columns->view, columns->person, columns->person_count, table->frame, table->rows[first]),
        "shown", events);
}

/* The first persons with enough events, or as many as any has where that is less. */
static json_t *list_json(const sbl_history_table *table, const sbl_history_columns *columns)
{
    json_t *list = json_array();
    size_t most = 0;
    for (size_t p = 0; p < table->persons; p++) {
        const size_t count = table->starts[p + 1] - table->starts[p];
        if (count > most) most = count;
    }
    const size_t enough = least(most, ENOUGH_EVENTS);
    for (size_t p = 0; p < table->persons && json_array_size(list) < MOST_PEOPLE; p++)
        if (table->starts[p + 1] - table->starts[p] >= enough)
            list = sbl_json_append(list, person_json(table, columns, p));
    return list;
}

/* Where the axis begins or ends. */
static json_t *bound_json(const sbl_view_column *order, double bound)
{
    char text[SBL_CELL_TEXT_SIZE];
    if (order == NULL) return json_null();
    const size_t length = sbl_cell_format(text, order->column, sbl_column_snap(order->column, bound));
    return json_stringn(text, length);
}

json_t *sbl_history_people(const sbl_history_table *table, const sbl_history_columns *columns)
{
    const sbl_view_column *order = columns->order;
    return json_pack("{s:s?, s:o, s:o, s:o, s:o, s:o}", "order", order != NULL ? order->column->name : NULL,
                     "from", bound_json(order, order != NULL ? order->column->minimum : 0.0), "to",
                     bound_json(order, order != NULL ? order->column->maximum : 0.0), "person_columns",
                     names_json(columns->view, columns->person, columns->person_count), "event_columns",
                     names_json(columns->view, columns->event, columns->event_count), "persons",
                     list_json(table, columns));
}
