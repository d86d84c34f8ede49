/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of persons that are as a history has to be: the person's columns the same in all rows, rows in
 * order. */
#include <math.h>

#include "owner/fidelity/person_events.h"

static bool same_value(const sbl_view_column *column, const sbl_frame *frame, size_t a, size_t b)
{
    const size_t numbers = frame->codec->heads.numeric_count;
    if (!column->numeric) return sbl_view_code(column, frame, a) == sbl_view_code(column, frame, b);
    const uint32_t apart = sbl_view_apart(column, frame, a);
    return apart == sbl_view_apart(column, frame, b) &&
           (apart != 0 ||
            frame->numeric[a * numbers + column->index] == frame->numeric[b * numbers + column->index]);
}

static bool is_constant(const sbl_history_columns *columns, const sbl_history_table *table, size_t person)
{
    const size_t first = table->starts[person];
    for (size_t c = 0; c < columns->person_count; c++)
        for (size_t i = first + 1; i < table->starts[person + 1]; i++)
            if (!same_value(&columns->view->columns[columns->person[c]], table->frame, table->rows[first],
                            table->rows[i]))
                return false;
    return true;
}

/* The tables of a triple that holds one number of each table. */
static const sbl_table_role shown[SBL_PAIR_COUNT] = {
    [SBL_PAIR_SYNTHETIC] = SBL_ROLE_SYNTHETIC,
    [SBL_PAIR_FLOOR] = SBL_ROLE_FLOOR,
    [SBL_PAIR_CEILING] = SBL_ROLE_REAL,
};

void sbl_history_constant(sbl_triple share, const sbl_histories *h)
{
    for (size_t p = 0; p < SBL_PAIR_COUNT; p++) {
        const sbl_history_table *table = &h->of[shown[p]];
        size_t constant = 0;
        for (size_t i = 0; i < table->persons; i++) constant += is_constant(&h->columns, table, i) ? 1 : 0;
        share[p] = h->columns.person_count != 0 ? (double)constant / (double)table->persons : NAN;
    }
}

void sbl_history_in_order(sbl_triple share, const sbl_histories *h)
{
    for (size_t p = 0; p < SBL_PAIR_COUNT; p++) {
        const sbl_history_table *table = &h->of[shown[p]];
        share[p] = h->columns.order != NULL ? (double)table->in_order / (double)table->persons : NAN;
    }
}
