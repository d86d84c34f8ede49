/* SPDX-License-Identifier: Apache-2.0 */
/* One array of events for a batch of persons. For linked tables a row is as wide as all tables together,
 * only its own part is set, and a person has one start for each table. */
#include "records/persons/person_batch.h"

#include <string.h>

#include "base/alloc.h"

#define BATCH_EVENTS 8192 /* a batch is given once it has this number, and ends with a whole person */
#define CAPACITY (BATCH_EVENTS + SBL_ROWS_PER_UNIT_MAX + 1)

/* ---- order ---- */

static bool is_in_order(const sbl_event *a, const sbl_event *b)
{
    return a->parent != b->parent ? a->parent < b->parent : a->key <= b->key;
}

/* Bottom up: runs of 1, 2, 4, ... are merged from one half of the workspace into the other. */
sbl_event *sbl_events_sort(sbl_event *from, sbl_event *to, size_t count)
{
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t first = 0; first < count; first += 2 * run) {
            const size_t middle = first + run < count ? first + run : count;
            const size_t end = middle + run < count ? middle + run : count;
            size_t a = first, b = middle;
            for (size_t i = first; i < end; i++)
                to[i] = b == end || (a < middle && is_in_order(&from[a], &from[b])) ? from[a++] : from[b++];
        }
        sbl_event *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

size_t sbl_events_key(const sbl_facts *facts)
{
    for (size_t h = 0; h < facts->heads.count; h++) {
        const sbl_head *head = &facts->heads.items[h];
        if (head->kind == SBL_HEAD_NUMERIC && head->column == facts->schema->order) return head->index;
    }
    return SBL_NO_COLUMN;
}

/* ---- persons ---- */

sbl_status sbl_person_batch_make(sbl_person_batch *batch, const sbl_facts *facts, sbl_error *err)
{
    static const char what[] = "the rows of persons";
    const bool linked = facts->table_facts != NULL;
    sbl_table_part next = {0};
    sbl_status status = SBL_OK;
    batch->facts = facts;
    batch->tables = sbl_events_tables(facts);
    SBL_ALLOC(batch->parts, batch->tables, what);
    for (size_t t = 0; t < batch->tables; t++) {
        next.facts = linked ? &facts->table_facts[t] : facts;
        batch->parts[t] = next;
        next.numeric += next.facts->heads.numeric_count;
        next.codes += next.facts->heads.categorical_count;
        next.columns += next.facts->columns;
    }
    SBL_ALLOC(batch->misfits, facts->columns, what);
    SBL_ALLOC(batch->starts, CAPACITY * batch->tables + 1, what);
    if (linked) SBL_ALLOC(batch->parents, CAPACITY, what);
    SBL_TRY(sbl_drawn_make(&batch->out, facts, CAPACITY, true, err));
done:
    return status;
}

void sbl_person_batch_clear(sbl_person_batch *batch)
{
    if (batch->facts == NULL) return;
    sbl_free(batch->parts);
    sbl_free_wiped(batch->misfits, batch->facts->columns * sizeof *batch->misfits);
    sbl_free_wiped(batch->starts, (CAPACITY * batch->tables + 1) * sizeof *batch->starts);
    sbl_free_wiped(batch->parents, CAPACITY * sizeof *batch->parents);
    sbl_drawn_clear(&batch->out, batch->facts);
    *batch = (sbl_person_batch){0};
}

bool sbl_person_batch_is_full(const sbl_person_batch *batch)
{
    return batch->starts[batch->persons * batch->tables] >= BATCH_EVENTS;
}

void sbl_person_batch_begin(sbl_person_batch *batch, sbl_unit_tag unit, uint32_t label)
{
    uint32_t *starts = batch->starts + batch->persons * batch->tables;
    if (batch->out.labels != NULL) batch->out.labels[batch->persons] = label;
    batch->out.units[batch->persons] = unit;
    starts[1] = starts[0];
    batch->table = 0;
    memset(batch->misfits, 0, batch->facts->columns * sizeof *batch->misfits);
}

/* The rows of the tables before are all given. */
static void reach_table(sbl_person_batch *batch, size_t table)
{
    uint32_t *starts = batch->starts + batch->persons * batch->tables;
    for (; batch->table < table; batch->table++) starts[batch->table + 2] = starts[batch->table + 1];
}

void sbl_person_batch_give(sbl_person_batch *batch, size_t table, const sbl_records *row, uint32_t parent)
{
    const sbl_table_part *part = &batch->parts[table];
    const sbl_heads *all = &batch->facts->heads;
    const sbl_heads *own = &part->facts->heads;
    reach_table(batch, table);
    const size_t at = batch->starts[batch->persons * batch->tables + table + 1]++;
    double *numeric = batch->out.numeric + at * all->numeric_count;
    uint32_t *codes = batch->out.codes + at * all->categorical_count;
    if (batch->parents != NULL) {
        batch->parents[at] = parent;
        memset(numeric, 0, all->numeric_count * sizeof *numeric);
        memset(codes, 0, all->categorical_count * sizeof *codes);
    }
    if (own->numeric_count != 0)
        memcpy(numeric + part->numeric, row->numeric, own->numeric_count * sizeof *numeric);
    if (own->categorical_count != 0)
        memcpy(codes + part->codes, row->codes, own->categorical_count * sizeof *codes);
    uint16_t *misfits = batch->misfits + part->columns;
    for (size_t c = 0; row->misfits != NULL && c < part->facts->columns; c++)
        misfits[c] = (uint16_t)(misfits[c] + row->misfits[c]);
}

/* A column of which at least half of the person's cells did not fit. */
void sbl_person_batch_end(sbl_person_batch *batch)
{
    const uint32_t *starts = batch->starts + batch->persons * batch->tables;
    uint8_t *misfits = batch->out.misfits + batch->persons * batch->facts->columns;
    reach_table(batch, batch->tables - 1);
    for (size_t t = 0; t < batch->tables; t++) {
        const sbl_table_part *part = &batch->parts[t];
        const size_t rows = starts[t + 1] - starts[t];
        for (size_t c = part->columns; c < part->columns + part->facts->columns; c++)
            misfits[c] = batch->misfits[c] > 0 && 2U * batch->misfits[c] >= rows;
    }
    batch->persons++;
}

sbl_records sbl_person_batch_records(const sbl_person_batch *batch)
{
    return (sbl_records){.labels = batch->out.labels,
                         .units = batch->out.units,
                         .misfits = batch->out.misfits,
                         .events = {.numeric = batch->out.numeric,
                                    .codes = batch->out.codes,
                                    .starts = batch->starts,
                                    .parents = batch->parents},
                         .rows = batch->persons};
}
