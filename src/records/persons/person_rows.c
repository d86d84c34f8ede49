/* SPDX-License-Identifier: Apache-2.0 */
/* Segments are never moved, so no copy of a record is left behind. A dropped segment is used again before a
 * new one is made. */
#include "records/persons/person_rows.h"

#include <string.h>

#include "base/alloc.h"

#define SEGMENT_ROWS 1024

static sbl_status add_segment(sbl_person_rows *rows, sbl_error *err)
{
    static const char what[] = "the rows of persons";
    const size_t count = rows->segment_count + 1;
    sbl_status status = SBL_OK;
    if (count > UINT32_MAX / SEGMENT_ROWS) return sbl_no_memory(err, what);
    SBL_RESIZE(rows->segments, count, what);
    SBL_RESIZE(rows->before, count * SEGMENT_ROWS, what);
    SBL_TRY(sbl_drawn_make(&rows->segments[count - 1], rows->facts, SEGMENT_ROWS, true, err));
    rows->segment_count = count;
done:
    return status;
}

static void copy_row(const sbl_drawn *to, size_t at, const sbl_records *row, const sbl_facts *facts)
{
    const size_t numbers = facts->heads.numeric_count;
    const size_t codes = facts->heads.categorical_count;
    if (numbers != 0) memcpy(to->numeric + at * numbers, row->numeric, numbers * sizeof *row->numeric);
    if (codes != 0) memcpy(to->codes + at * codes, row->codes, codes * sizeof *row->codes);
    if (to->labels != NULL) to->labels[at] = row->labels[0];
    to->units[at] = row->units[0];
    if (row->misfits != NULL)
        memcpy(to->misfits + at * facts->columns, row->misfits, facts->columns);
    else
        memset(to->misfits + at * facts->columns, 0, facts->columns);
}

sbl_status sbl_person_rows_keep(sbl_person_rows *rows, uint32_t *kept, uint32_t before,
                                const sbl_records *batch, size_t row, sbl_error *err)
{
    const sbl_records one = sbl_records_slice(batch, rows->facts, row, 1);
    uint32_t at = rows->free;
    if (at != SBL_NO_ROW) {
        rows->free = rows->before[at - 1];
    } else {
        if (rows->used == rows->segment_count * SEGMENT_ROWS) SBL_CHECK(add_segment(rows, err));
        at = ++rows->used;
    }
    rows->before[at - 1] = before;
    copy_row(&rows->segments[(at - 1) / SEGMENT_ROWS], (at - 1) % SEGMENT_ROWS, &one, rows->facts);
    *kept = at;
    return SBL_OK;
}

sbl_records sbl_person_rows_at(const sbl_person_rows *rows, uint32_t row)
{
    return sbl_drawn_records(&rows->segments[(row - 1) / SEGMENT_ROWS], rows->facts, (row - 1) % SEGMENT_ROWS,
                             1);
}

void sbl_person_rows_drop(sbl_person_rows *rows, uint32_t row)
{
    rows->before[row - 1] = rows->free;
    rows->free = row;
}

void sbl_person_rows_drop_all(sbl_person_rows *rows)
{
    rows->used = 0;
    rows->free = SBL_NO_ROW;
}

void sbl_person_rows_clear(sbl_person_rows *rows)
{
    for (size_t i = 0; i < rows->segment_count; i++) sbl_drawn_clear(&rows->segments[i], rows->facts);
    sbl_free(rows->segments);
    sbl_free(rows->before);
    *rows = (sbl_person_rows){.facts = rows->facts};
}

size_t sbl_person_rows_bytes(const sbl_facts *facts)
{
    return facts->heads.numeric_count * sizeof(double) + facts->heads.categorical_count * sizeof(uint32_t) +
           facts->columns + (facts->classes > 1 ? sizeof(uint32_t) : 0) + sizeof(sbl_unit_tag) +
           sizeof(uint32_t);
}
