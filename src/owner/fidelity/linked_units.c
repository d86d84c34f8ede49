/* SPDX-License-Identifier: Apache-2.0 */
/* Describes some units of linked tables: a row of the root, and under each row its child rows. Units of synthetic
 * tables may be shown to anyone who may see those tables. */
#include "base/json.h"
#include "owner/fidelity/linked_frames.h"
#include "owner/fidelity/person_events.h"

#define MOST_UNITS 4
#define MOST_ROWS 6    /* of a table under one row */
#define MOST_COLUMNS 6 /* of a row */

/* Columns of a table's own, as its frame has them. */
static json_t *cells_json(const sbl_view *view, const sbl_frame *frame, size_t row)
{
    json_t *cells = json_array();
    for (size_t c = 0; c < view->count && c < MOST_COLUMNS; c++)
        cells = sbl_json_append(cells, json_pack("[s, o]", view->columns[c].column->name,
                                                 sbl_history_cell(&view->columns[c], frame, row)));
    return cells;
}

/* What is walked through: the own columns of each table. */
typedef struct walk {
    const sbl_linked_plan *plan;
    const sbl_linked_set *set;
    sbl_view views[SBL_MOST_TABLES];
} walk;

/* Rows of a table under a row of its parent's, one after the other. */
static bool next_row(size_t *row, const sbl_linked_frame *rows, size_t parent)
{
    while (*row < rows->frame.rows && rows->parents[*row] != parent) ++*row;
    return *row < rows->frame.rows;
}

static json_t *rows_json(const walk *w, size_t t, size_t parent);

/* A schema has at most SBL_MOST_TABLES tables, each under one before it: so deep this goes. */
static json_t *row_json(const walk *w, size_t t, size_t row)
{
    const sbl_linked_view *view = &w->plan->views[t];
    json_t *under = json_array();
    for (size_t c = 0; c < view->child_count; c++)
        under = sbl_json_append(under, rows_json(w, view->children[c], row));
    return json_pack("{s:o, s:o}", "cells", cells_json(&w->views[t], &w->set->tables[t].frame, row), "under",
                     under);
}

static json_t *rows_json(const walk *w, size_t t, size_t parent)
{
    const sbl_linked_frame *rows = &w->set->tables[t];
    json_t *list = json_array();
    size_t count = 0;
    for (size_t row = 0; next_row(&row, rows, parent); row++)
        if (count++ < MOST_ROWS) list = sbl_json_append(list, row_json(w, t, row));
    return json_pack("{s:s, s:I, s:o}", "table", w->plan->schema->tables[t].name, "rows", (json_int_t)count,
                     "shown", list);
}

/* Tables that have a row under this one of the root. */
static size_t tables_under(const walk *w, size_t root)
{
    const sbl_linked_view *view = &w->plan->views[0];
    size_t found = 0;
    for (size_t c = 0; c < view->child_count; c++) {
        size_t row = 0;
        found += next_row(&row, &w->set->tables[view->children[c]], root) ? 1 : 0;
    }
    return found;
}

/* The first units with rows in as many tables as can be, of the first few hundred. */
static json_t *units_json(const walk *w)
{
    const size_t roots = w->set->tables[0].frame.rows;
    const size_t seen = roots < 200 ? roots : 200;
    json_t *list = json_array();
    for (size_t least = w->plan->views[0].child_count + 1; least-- > 0;)
        for (size_t row = 0; row < seen && json_array_size(list) < MOST_UNITS; row++)
            if (tables_under(w, row) == least) list = sbl_json_append(list, row_json(w, 0, row));
    return list;
}

json_t *sbl_linked_units(const sbl_linked_plan *plan, const sbl_linked_set *set)
{
    walk w = {.plan = plan, .set = set};
    bool good = true;
    for (size_t t = 0; good && t < set->count; t++)
        good = sbl_view_init(&w.views[t], &plan->views[t].codec, NULL) == SBL_OK;
    json_t *units =
        good ? json_pack("{s:s, s:o}", "table", plan->schema->tables[0].name, "shown", units_json(&w)) : NULL;
    for (size_t t = 0; t < set->count; t++) sbl_view_clear(&w.views[t]);
    return units;
}
