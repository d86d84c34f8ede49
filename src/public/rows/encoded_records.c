/* SPDX-License-Identifier: Apache-2.0 */
/* Records in memory of one's own: one array for each part of a record (numbers, codes, pixels, labels,
 * units, misfits). A part that the data does not have stays NULL. */
#include "public/rows/encoded_records.h"

#include "base/alloc.h"

typedef struct widths {
    size_t numeric, codes, pixels; /* of one record */
    bool labels, units, misfits;   /* is there such a part? */
} widths;

static widths widths_of(const sbl_facts *facts, bool as_read)
{
    const bool table = facts->kind == SBL_DATA_TABLE;
    return (widths){
        .numeric = table ? facts->heads.numeric_count : 0,
        .codes = table ? facts->heads.categorical_count : 0,
        .pixels = table ? 0 : facts->shape.numeric,
        .labels = as_read ? facts->classes > 1 : !table,
        .units = as_read && sbl_facts_rows_per_unit(facts) != 0,
        .misfits = as_read,
    };
}

sbl_status sbl_drawn_make(sbl_drawn *drawn, const sbl_facts *facts, size_t rows, bool as_read, sbl_error *err)
{
    static const char what[] = "records";
    const widths w = widths_of(facts, as_read);
    sbl_status status = SBL_OK;
    *drawn = (sbl_drawn){.rows = rows};
    if (facts->kind == SBL_DATA_TABLE) {
        drawn->numeric = sbl_alloc_array(rows, w.numeric * sizeof *drawn->numeric);
        drawn->codes = sbl_alloc_array(rows, w.codes * sizeof *drawn->codes);
        if (drawn->numeric == NULL || drawn->codes == NULL) SBL_TRY(sbl_no_memory(err, what));
    } else {
        drawn->pixels = sbl_alloc_array(rows, w.pixels);
        if (drawn->pixels == NULL) SBL_TRY(sbl_no_memory(err, what));
    }
    if (w.labels) SBL_ALLOC(drawn->labels, rows, what);
    if (w.units) SBL_ALLOC(drawn->units, rows, what);
    if (w.misfits) {
        drawn->misfits = sbl_alloc_array(rows, facts->columns);
        if (drawn->misfits == NULL) SBL_TRY(sbl_no_memory(err, what));
    }
done:
    if (status != SBL_OK) sbl_drawn_clear(drawn, facts);
    return status;
}

sbl_status sbl_drawn_keep_persons(sbl_drawn *drawn, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(drawn->persons, drawn->rows, "records");
done:
    return status;
}

sbl_status sbl_drawn_keep_links(sbl_drawn *drawn, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(drawn->tables, drawn->rows, "records");
    SBL_ALLOC(drawn->numbers, drawn->rows, "records");
    SBL_ALLOC(drawn->parents, drawn->rows, "records");
done:
    return status;
}

void sbl_drawn_clear(sbl_drawn *drawn, const sbl_facts *facts)
{
    const size_t rows = drawn->rows;
    if (facts == NULL) return;
    const widths w = widths_of(facts, true);
    sbl_free_wiped(drawn->numeric, rows * w.numeric * sizeof *drawn->numeric);
    sbl_free_wiped(drawn->codes, rows * w.codes * sizeof *drawn->codes);
    sbl_free_wiped(drawn->pixels, rows * w.pixels);
    sbl_free_wiped(drawn->labels, rows * sizeof *drawn->labels);
    sbl_free_wiped(drawn->units, rows * sizeof *drawn->units);
    sbl_free_wiped(drawn->misfits, rows * facts->columns);
    sbl_free_wiped(drawn->persons, rows * sizeof *drawn->persons);
    sbl_free_wiped(drawn->tables, rows * sizeof *drawn->tables);
    sbl_free_wiped(drawn->numbers, rows * sizeof *drawn->numbers);
    sbl_free_wiped(drawn->parents, rows * sizeof *drawn->parents);
    *drawn = (sbl_drawn){0};
}

sbl_records sbl_records_slice(const sbl_records *records, const sbl_facts *facts, size_t first, size_t rows)
{
    sbl_records slice = {.rows = rows};
    if (records->numeric != NULL) slice.numeric = records->numeric + first * facts->heads.numeric_count;
    if (records->codes != NULL) slice.codes = records->codes + first * facts->heads.categorical_count;
    if (records->pixels != NULL) slice.pixels = records->pixels + first * facts->shape.numeric;
    if (records->labels != NULL) slice.labels = records->labels + first;
    if (records->units != NULL) slice.units = records->units + first;
    if (records->keys != NULL) slice.keys = records->keys + first;
    if (records->unit_rows != NULL) slice.unit_rows = records->unit_rows + first;
    if (records->misfits != NULL) slice.misfits = records->misfits + first * facts->columns;
    slice.events = records->events; /* whose starts count from the first event of all */
    if (records->events.starts != NULL)
        slice.events.starts = records->events.starts + first * sbl_events_tables(facts);
    return slice;
}

sbl_records sbl_drawn_records(const sbl_drawn *drawn, const sbl_facts *facts, size_t first, size_t rows)
{
    const sbl_records all = {.numeric = drawn->numeric,
                             .codes = drawn->codes,
                             .pixels = drawn->pixels,
                             .labels = drawn->labels,
                             .units = drawn->units,
                             .misfits = drawn->misfits};
    return sbl_records_slice(&all, facts, first, rows);
}

size_t sbl_whole_persons(const uint64_t *persons, size_t rows, size_t most)
{
    size_t end = most;
    if (rows <= most) return rows;
    while (end > 0 && persons[end - 1] == persons[end]) end--;
    return end > 0 ? end : most;
}
