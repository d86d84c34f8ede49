/* SPDX-License-Identifier: Apache-2.0 */
/* Groups the rows of a table by person. The first reading counts the rows of each person. Every later
 * reading keeps a person's rows until the last one that counts has come, and then gives the person.
 *
 * When a person is given, and with which rows, follows from that person's own rows: their number and their
 * order of reading (docs/mechanisms/histories.md). Runs of equal ids would be cheaper to find, but other
 * rows would change them: without b, the a a of a b a are one run. */
#include <string.h>

#include "base/alloc.h"
#include "base/tag_table.h"
#include "records/persons/linked_rows.h"
#include "records/persons/person_batch.h"
#include "records/persons/person_rows.h"
#include "records/rows/table.h"
#include "records/source/source.h"

/* What is known of a person: a number of the table of tags. */
typedef struct person {
    uint32_t last; /* of its rows that wait, or SBL_NO_ROW */
    uint16_t rows; /* of its own that count, min(m, k) */
    uint16_t seen; /* of these, in the reading at hand */
} person;
_Static_assert(sizeof(person) == sizeof(uint64_t), "a person is a number of the table");

typedef struct person_source {
    sbl_source *rows;
    sbl_tag_table persons;
    sbl_person_rows waiting;
    uint16_t cap;      /* k */
    size_t key_head;   /* the place among the numbers of the column of order, or SBL_NO_COLUMN */
    bool counted;      /* the first reading is over */
    bool holds_all;    /* the rows are a stream, and all that count wait */
    uint32_t nobodies; /* then: the last row that is a person of its own */
    uint32_t next_nobody;
    size_t next_place; /* of the table of persons */
    sbl_records batch; /* of rows */
    size_t at;         /* the next one of them */
    bool ended;
    size_t complete;  /* persons of the table that were given in this reading */
    sbl_event *order; /* (2, k): one person's, and to sort them */
    sbl_person_batch out;
} person_source;

static person person_of(const uint64_t *number)
{
    person one;
    memcpy(&one, number, sizeof one);
    return one;
}

static void set_person(uint64_t *number, person one) { memcpy(number, &one, sizeof one); }

/* ---- a person is given ---- */

static void begin_person(person_source *p, const sbl_records *first)
{
    sbl_person_batch_begin(&p->out, first->units[0], first->labels != NULL ? first->labels[0] : 0);
}

static void give_row(person_source *p, const sbl_records *row)
{
    begin_person(p, row);
    sbl_person_batch_give(&p->out, 0, row, 0);
    sbl_person_batch_end(&p->out);
}

/* The rows of a person that wait, from the last back to the first. */
static void give_waiting(person_source *p, person one)
{
    uint32_t row = one.last;
    for (size_t i = one.seen; i-- > 0; row = sbl_person_rows_before(&p->waiting, row)) {
        const sbl_records kept = sbl_person_rows_at(&p->waiting, row);
        p->order[i] =
            (sbl_event){.row = row, .key = p->key_head != SBL_NO_COLUMN ? kept.numeric[p->key_head] : 0.0};
    }
    const sbl_event *sorted = sbl_events_sort(p->order, p->order + p->cap, one.seen);
    for (size_t i = 0; i < one.seen; i++) {
        const sbl_records kept = sbl_person_rows_at(&p->waiting, sorted[i].row);
        if (i == 0) begin_person(p, &kept);
        sbl_person_batch_give(&p->out, 0, &kept, 0);
        if (!p->holds_all) sbl_person_rows_drop(&p->waiting, sorted[i].row);
    }
    sbl_person_batch_end(&p->out);
}

/* ---- rows are read ---- */

/* The rows of the batch are counted; of a stream, those that count are kept. */
static sbl_status count_rows(person_source *p, const sbl_records *batch, sbl_error *err)
{
    for (size_t r = 0; r < batch->rows; r++) {
        const bool nobody = sbl_tag_is_nobody(batch->units[r]);
        uint64_t *number = nobody ? NULL : sbl_tag_table_at(&p->persons, batch->units[r]);
        if (!nobody && number == NULL) return sbl_no_memory(err, "a table of persons");
        person one = nobody ? (person){.last = p->nobodies} : person_of(number);
        if (one.rows == p->cap) continue;
        one.rows++;
        if (p->holds_all) SBL_CHECK(sbl_person_rows_keep(&p->waiting, &one.last, one.last, batch, r, err));
        one.seen = p->holds_all ? one.rows : 0;
        if (nobody)
            p->nobodies = one.last;
        else
            set_person(number, one);
    }
    return SBL_OK;
}

/* One batch of the first reading. */
static sbl_status count_persons(sbl_source *source, sbl_error *err)
{
    person_source *p = source->state;
    const sbl_records *batch;
    SBL_CHECK(sbl_source_read(p->rows, &batch, err));
    source->working = batch->rows != 0;
    if (source->working && batch->units == NULL)
        return sbl_fail(err, SBL_EINTERNAL, "no column of %s identifies the person", source->name);
    SBL_CHECK(count_rows(p, batch, err));
    if (source->working) return SBL_OK;
    if (!p->holds_all) SBL_CHECK(sbl_source_rewind(p->rows, err));
    p->next_nobody = p->nobodies;
    p->counted = true;
    return SBL_OK;
}

/* A row of the batch: it waits, completes its person, or is one too many. */
static sbl_status take_row(sbl_source *source, size_t row, sbl_error *err)
{
    person_source *p = source->state;
    const sbl_records one_row = sbl_records_slice(&p->batch, source->facts, row, 1);
    const bool nobody = sbl_tag_is_nobody(one_row.units[0]);
    uint64_t *number = nobody ? NULL : sbl_tag_table_at(&p->persons, one_row.units[0]);
    if (nobody) {
        give_row(p, &one_row);
        return SBL_OK;
    }
    if (number == NULL) return sbl_no_memory(err, "a table of persons");
    person one = person_of(number);
    if (one.rows == 0) return sbl_source_has_changed(source->name, err);
    if (one.seen == one.rows) return SBL_OK;
    one.seen++;
    p->complete += one.seen == one.rows;
    if (one.rows == 1) {
        give_row(p, &one_row);
    } else {
        SBL_CHECK(sbl_person_rows_keep(&p->waiting, &one.last, one.last, &p->batch, row, err));
        if (one.seen == one.rows) give_waiting(p, one);
    }
    set_person(number, one);
    return SBL_OK;
}

static sbl_status read_rows(sbl_source *source, sbl_error *err)
{
    person_source *p = source->state;
    while (!sbl_person_batch_is_full(&p->out) && !p->ended) {
        if (p->at < p->batch.rows) {
            SBL_CHECK(take_row(source, p->at++, err));
            continue;
        }
        const sbl_records *batch;
        SBL_CHECK(sbl_source_read(p->rows, &batch, err));
        p->batch = *batch;
        p->at = 0;
        p->ended = batch->rows == 0;
        if (p->ended && p->complete != p->persons.count) SBL_CHECK(sbl_source_has_changed(source->name, err));
    }
    return SBL_OK;
}

/* For a stream: from memory. */
static void give_held(sbl_source *source)
{
    person_source *p = source->state;
    for (; !sbl_person_batch_is_full(&p->out) && p->next_nobody != SBL_NO_ROW;
         p->next_nobody = sbl_person_rows_before(&p->waiting, p->next_nobody)) {
        const sbl_records kept = sbl_person_rows_at(&p->waiting, p->next_nobody);
        give_row(p, &kept);
    }
    while (!sbl_person_batch_is_full(&p->out)) {
        const uint64_t *number = sbl_tag_table_next(&p->persons, &p->next_place);
        if (number == NULL) break;
        give_waiting(p, person_of(number));
    }
}

static sbl_status read_persons(sbl_source *source, sbl_error *err)
{
    person_source *p = source->state;
    sbl_person_batch_empty(&p->out);
    source->batch = (sbl_records){0};
    if (!p->counted) SBL_CHECK(count_persons(source, err));
    if (source->working) return SBL_OK;
    if (p->holds_all)
        give_held(source);
    else
        SBL_CHECK(read_rows(source, err));
    source->batch = sbl_person_batch_records(&p->out);
    return SBL_OK;
}

/* What was counted stays: the rows are the same, or rows->kind sees that they are not. */
static sbl_status rewind_persons(sbl_source *source, sbl_error *err)
{
    person_source *p = source->state;
    p->next_nobody = p->nobodies;
    p->next_place = 0;
    if (p->holds_all || !p->counted) return SBL_OK;
    size_t at = 0;
    for (uint64_t *number; (number = sbl_tag_table_next(&p->persons, &at)) != NULL;)
        set_person(number, (person){.rows = person_of(number).rows});
    sbl_person_rows_drop_all(&p->waiting);
    p->batch = (sbl_records){0};
    p->at = 0;
    p->ended = false;
    p->complete = 0;
    return sbl_source_rewind(p->rows, err);
}

static void close_persons(sbl_source *source)
{
    person_source *p = source->state;
    if (p == NULL) return;
    sbl_source_close(p->rows);
    sbl_tag_table_clear(&p->persons);
    sbl_person_rows_clear(&p->waiting);
    sbl_free_wiped(p->order, 2 * (size_t)p->cap * sizeof *p->order);
    sbl_person_batch_clear(&p->out);
    sbl_free_wiped(p, sizeof *p);
}

/* ---- opened ---- */

sbl_status sbl_source_open_persons(sbl_source **source, sbl_source *rows, sbl_error *err)
{
    static const sbl_source_kind kind = {
        .read = read_persons, .rewind = rewind_persons, .close = close_persons};
    const sbl_facts *facts = rows->facts;
    person_source *p = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_source_new(source, &kind, sizeof *p, rows->name, facts, err));
    p = (*source)->state;
    (*source)->can_rewind = true;
    *p = (person_source){.rows = rows,
                         .waiting = {.facts = facts},
                         .cap = (uint16_t)sbl_facts_rows_per_unit(facts),
                         .key_head = sbl_events_key(facts),
                         .holds_all = !rows->can_rewind};
    rows = NULL;
    SBL_ALLOC(p->order, 2 * (size_t)p->cap, "the rows of persons");
    SBL_TRY(sbl_person_batch_make(&p->out, facts, err));
done:
    if (status != SBL_OK) sbl_source_close(rows);
    return sbl_source_opened(source, status);
}

/* For linked tables, next to the table of the code that adds persons up: each row may be a person. */
static sbl_person_bytes linked_bytes(const sbl_facts *facts, uint64_t n)
{
    const double each =
        (double)sbl_linked_person_bytes(facts) + 4.0 * (double)(sizeof(sbl_unit_tag) + sizeof(uint64_t));
    const double row = (double)sbl_linked_row_bytes(facts);
    return (sbl_person_bytes){each, row, (double)n * (each + row)};
}

/* Two tables of tags: this one, and that of the code that adds persons up. While one grows there are old
 * and new places, and just after, a quarter of the new ones is used. A row waits only if its person has at
 * least two. */
sbl_person_bytes sbl_source_person_bytes(const sbl_facts *facts, uint64_t n)
{
    if (facts->table_facts != NULL) return linked_bytes(facts, n);
    const double each = (4.0 + (4.0 + 2.0)) * (double)(sizeof(sbl_unit_tag) + sizeof(uint64_t));
    const double row = (double)sbl_person_rows_bytes(facts);
    const double together = row + each / 2.0;
    return (sbl_person_bytes){each, row, (double)n * (each > together ? each : together)};
}
