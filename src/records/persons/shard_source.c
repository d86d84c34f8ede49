/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the rows of one of M shards. A person's shard is a hash of its id, so all rows of a person land in
 * the same shard, whatever file they are in. Rows without an id are in the first shard
 * (docs/mechanisms/parts.md). Kept rows are copied one after the other, in the order of reading. */
#include <string.h>

#include "base/alloc.h"
#include "records/source/source.h"

typedef struct part_source {
    sbl_source *rows; /* owned */
    uint64_t number;  /* from 0 */
    uint64_t parts;
    sbl_drawn kept;
} part_source;

static bool is_kept(const part_source *part, sbl_unit_tag tag)
{
    return sbl_part_of_unit(tag, part->parts) == part->number;
}

/* Copies row `from` of the batch to place `to`. */
static void keep_row(const sbl_drawn *kept, size_t to, const sbl_records *batch, size_t from,
                     const sbl_facts *facts)
{
    const size_t numbers = facts->heads.numeric_count;
    const size_t codes = facts->heads.categorical_count;
    memcpy(kept->numeric + to * numbers, batch->numeric + from * numbers, numbers * sizeof *kept->numeric);
    memcpy(kept->codes + to * codes, batch->codes + from * codes, codes * sizeof *kept->codes);
    if (batch->labels != NULL) kept->labels[to] = batch->labels[from];
    memcpy(kept->misfits + to * facts->columns, batch->misfits + from * facts->columns, facts->columns);
    kept->units[to] = batch->units[from];
}

static sbl_status make_room(part_source *part, size_t rows, const sbl_facts *facts, sbl_error *err)
{
    if (rows <= part->kept.rows) return SBL_OK;
    sbl_drawn_clear(&part->kept, facts);
    return sbl_drawn_make(&part->kept, facts, rows, true, err);
}

/* A batch of which nothing is kept is not the end. */
static sbl_status read_part(sbl_source *source, sbl_error *err)
{
    part_source *part = source->state;
    const sbl_records *batch;
    size_t count = 0;
    do {
        SBL_CHECK(sbl_source_read(part->rows, &batch, err));
        SBL_CHECK(make_room(part, batch->rows, source->facts, err));
        for (size_t r = 0; r < batch->rows; r++)
            if (is_kept(part, batch->units[r])) keep_row(&part->kept, count++, batch, r, source->facts);
    } while (count == 0 && batch->rows != 0);
    source->batch = sbl_drawn_records(&part->kept, source->facts, 0, count);
    return SBL_OK;
}

static sbl_status rewind_part(sbl_source *source, sbl_error *err)
{
    return sbl_source_rewind(((part_source *)source->state)->rows, err);
}

static void close_part(sbl_source *source)
{
    part_source *part = source->state;
    if (part == NULL) return;
    sbl_source_close(part->rows);
    sbl_drawn_clear(&part->kept, source->facts);
    sbl_free(part);
}

sbl_status sbl_source_open_part(sbl_source **source, sbl_source *rows, uint64_t number, uint64_t parts,
                                sbl_error *err)
{
    static const sbl_source_kind kind = {.read = read_part, .rewind = rewind_part, .close = close_part};
    part_source *part = NULL;
    sbl_status status = SBL_OK;
    *source = NULL;
    SBL_TRY(sbl_source_new(source, &kind, sizeof *part, rows->name, rows->facts, err));
    part = (*source)->state;
    part->rows = rows;
    rows = NULL;
    part->number = number;
    part->parts = parts;
    (*source)->can_rewind = part->rows->can_rewind;
    SBL_TRY(sbl_drawn_make(&part->kept, (*source)->facts, 1, true, err));
done:
    sbl_source_close(rows);
    return sbl_source_opened(source, status);
}
