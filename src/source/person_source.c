/* The rows of a table put together by whose they are. A first reading counts the rows of each person;
 * every further one keeps a person's rows until the last that counts has come, and then gives the person.
 *
 * When a person is given, and with which rows, follows from that person's own rows: from their number
 * and their order of reading (docs/mechanisms/histories.md). Runs of equal ids would be cheaper to find,
 * and are no such thing: without b, the a a of a b a are one run. */
#include <string.h>

#include "base/memory.h"
#include "base/tag_table.h"
#include "source/person_rows.h"
#include "source/source.h"

#define BATCH_EVENTS 8192 /* a batch is given once it has so many, and ends with a whole person */
#define CAPACITY (BATCH_EVENTS + SBL_ROWS_PER_UNIT_MAX)

/* What is known of a person: a number of the table of tags. */
typedef struct person {
    uint32_t last; /* of its rows that wait, or SBL_NO_ROW */
    uint16_t rows; /* of its own that count, min(m, k) */
    uint16_t seen; /* of these, in the reading at hand */
} person;
_Static_assert(sizeof(person) == sizeof(uint64_t), "a person is a number of the table");

/* A row that waits, and by what it is sorted. */
typedef struct event {
    double key;
    uint32_t row;
} event;

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
    size_t complete;   /* persons of the table that were given in this reading */
    event *order;      /* (2, k): one person's, and to sort them */
    uint16_t *misfits; /* (columns): how many of its cells did not fit */
    sbl_drawn out;     /* numbers and codes of events; labels, units and misfits of persons */
    uint32_t *starts;  /* (CAPACITY + 1) */
    size_t given;      /* persons in out */
} person_source;

static person person_of(const uint64_t *number)
{
    person one;
    memcpy(&one, number, sizeof one);
    return one;
}

static void set_person(uint64_t *number, person one) { memcpy(number, &one, sizeof one); }

/* ---- a person is given ---- */

/* Stable, bottom up: runs of 1, 2, 4, ... are merged from one half of the workspace into the other. */
static event *sort_events(event *from, event *to, size_t count)
{
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t first = 0; first < count; first += 2 * run) {
            const size_t middle = first + run < count ? first + run : count;
            const size_t end = middle + run < count ? middle + run : count;
            size_t a = first, b = middle;
            for (size_t i = first; i < end; i++)
                to[i] =
                    b == end || (a < middle && from[a].key <= from[b].key) ? from[a++] : from[b++];
        }
        event *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

static void begin_person(person_source *p, const sbl_records *first, const sbl_facts *facts)
{
    if (p->out.labels != NULL) p->out.labels[p->given] = first->labels[0];
    p->out.units[p->given] = first->units[0];
    p->starts[p->given + 1] = p->starts[p->given];
    memset(p->misfits, 0, facts->columns * sizeof *p->misfits);
}

static void give_event(person_source *p, const sbl_records *row, const sbl_facts *facts)
{
    const size_t numbers = facts->heads.numeric_count;
    const size_t codes = facts->heads.categorical_count;
    const size_t at = p->starts[p->given + 1]++;
    if (numbers != 0)
        memcpy(p->out.numeric + at * numbers, row->numeric, numbers * sizeof *row->numeric);
    if (codes != 0) memcpy(p->out.codes + at * codes, row->codes, codes * sizeof *row->codes);
    for (size_t c = 0; row->misfits != NULL && c < facts->columns; c++)
        p->misfits[c] = (uint16_t)(p->misfits[c] + row->misfits[c]);
}

/* A column of which at least half of the person's cells did not fit. */
static void end_person(person_source *p, const sbl_facts *facts)
{
    const size_t events = p->starts[p->given + 1] - p->starts[p->given];
    uint8_t *misfits = p->out.misfits + p->given * facts->columns;
    for (size_t c = 0; c < facts->columns; c++) misfits[c] = 2U * p->misfits[c] >= events;
    p->given++;
}

static void give_row(person_source *p, const sbl_records *row, const sbl_facts *facts)
{
    begin_person(p, row, facts);
    give_event(p, row, facts);
    end_person(p, facts);
}

/* The rows of a person that wait, from the last back to the first. */
static void give_waiting(person_source *p, person one, const sbl_facts *facts)
{
    uint32_t row = one.last;
    for (size_t i = one.seen; i-- > 0; row = sbl_person_rows_before(&p->waiting, row)) {
        const sbl_records kept = sbl_person_rows_at(&p->waiting, row);
        p->order[i] = (event){
            .row = row, .key = p->key_head != SBL_NO_COLUMN ? kept.numeric[p->key_head] : 0.0};
    }
    const event *sorted = sort_events(p->order, p->order + p->cap, one.seen);
    for (size_t i = 0; i < one.seen; i++) {
        const sbl_records kept = sbl_person_rows_at(&p->waiting, sorted[i].row);
        if (i == 0) begin_person(p, &kept, facts);
        give_event(p, &kept, facts);
        if (!p->holds_all) sbl_person_rows_drop(&p->waiting, sorted[i].row);
    }
    end_person(p, facts);
}

/* ---- rows are read ---- */

/* The rows of the batch are counted; of a stream, those that count are kept. */
static sbl_status count_rows(person_source *p, const sbl_records *batch, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t r = 0; r < batch->rows; r++) {
        const bool nobody = sbl_tag_is_nobody(batch->units[r]);
        uint64_t *number = nobody ? NULL : sbl_tag_table_at(&p->persons, batch->units[r]);
        if (!nobody && number == NULL) SBL_TRY(sbl_no_memory(err, "a table of persons"));
        person one = nobody ? (person){.last = p->nobodies} : person_of(number);
        if (one.rows == p->cap) continue;
        one.rows++;
        if (p->holds_all)
            SBL_TRY(sbl_person_rows_keep(&p->waiting, &one.last, one.last, batch, r, err));
        one.seen = p->holds_all ? one.rows : 0;
        if (nobody)
            p->nobodies = one.last;
        else
            set_person(number, one);
    }
done:
    return status;
}

/* One batch of the first reading. */
static sbl_status count_persons(sbl_source *source, sbl_error *err)
{
    person_source *p = source->state;
    const sbl_records *batch;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_source_read(p->rows, &batch, err));
    source->working = batch->rows != 0;
    if (source->working && batch->units == NULL)
        SBL_FAIL(err, SBL_EINTERNAL, "%s does not say whose its rows are", source->name);
    SBL_TRY(count_rows(p, batch, err));
    if (source->working) goto done;
    if (!p->holds_all) SBL_TRY(sbl_source_rewind(p->rows, err));
    p->next_nobody = p->nobodies;
    p->counted = true;
done:
    return status;
}

/* A row of the batch: it waits, completes its person, or is one too many. */
static sbl_status take_row(sbl_source *source, size_t row, sbl_error *err)
{
    person_source *p = source->state;
    const sbl_facts *facts = source->facts;
    const sbl_records one_row = sbl_records_slice(&p->batch, facts, row, 1);
    const bool nobody = sbl_tag_is_nobody(one_row.units[0]);
    uint64_t *number = nobody ? NULL : sbl_tag_table_at(&p->persons, one_row.units[0]);
    sbl_status status = SBL_OK;
    if (nobody) {
        give_row(p, &one_row, facts);
        return SBL_OK;
    }
    if (number == NULL) return sbl_no_memory(err, "a table of persons");
    person one = person_of(number);
    if (one.rows == 0) return sbl_source_has_changed(source->name, err);
    if (one.seen == one.rows) return SBL_OK;
    one.seen++;
    p->complete += one.seen == one.rows;
    if (one.rows == 1) {
        give_row(p, &one_row, facts);
    } else {
        SBL_TRY(sbl_person_rows_keep(&p->waiting, &one.last, one.last, &p->batch, row, err));
        if (one.seen == one.rows) give_waiting(p, one, facts);
    }
    set_person(number, one);
done:
    return status;
}

static bool is_full(const person_source *p) { return p->starts[p->given] >= BATCH_EVENTS; }

static sbl_status read_rows(sbl_source *source, sbl_error *err)
{
    person_source *p = source->state;
    sbl_status status = SBL_OK;
    while (!is_full(p) && !p->ended) {
        if (p->at < p->batch.rows) {
            SBL_TRY(take_row(source, p->at++, err));
            continue;
        }
        const sbl_records *batch;
        SBL_TRY(sbl_source_read(p->rows, &batch, err));
        p->batch = *batch;
        p->at = 0;
        p->ended = batch->rows == 0;
        if (p->ended && p->complete != p->persons.count)
            SBL_TRY(sbl_source_has_changed(source->name, err));
    }
done:
    return status;
}

/* Of a stream: from memory. */
static void give_held(sbl_source *source)
{
    person_source *p = source->state;
    for (; !is_full(p) && p->next_nobody != SBL_NO_ROW;
         p->next_nobody = sbl_person_rows_before(&p->waiting, p->next_nobody)) {
        const sbl_records kept = sbl_person_rows_at(&p->waiting, p->next_nobody);
        give_row(p, &kept, source->facts);
    }
    while (!is_full(p)) {
        const uint64_t *number = sbl_tag_table_next(&p->persons, &p->next_place);
        if (number == NULL) break;
        give_waiting(p, person_of(number), source->facts);
    }
}

static sbl_status read_persons(sbl_source *source, sbl_error *err)
{
    person_source *p = source->state;
    sbl_status status = SBL_OK;
    p->given = 0;
    source->batch = (sbl_records){0};
    if (!p->counted) SBL_TRY(count_persons(source, err));
    if (source->working) goto done;
    if (p->holds_all)
        give_held(source);
    else
        SBL_TRY(read_rows(source, err));
    source->batch = (sbl_records){
        .labels = p->out.labels,
        .units = p->out.units,
        .misfits = p->out.misfits,
        .events = {.numeric = p->out.numeric, .codes = p->out.codes, .starts = p->starts},
        .rows = p->given};
done:
    return status;
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
    sbl_free_wiped(p->misfits, source->facts->columns * sizeof *p->misfits);
    sbl_drawn_clear(&p->out, source->facts);
    sbl_free_wiped(p->starts, (CAPACITY + 1) * sizeof *p->starts);
    sbl_free_wiped(p, sizeof *p);
}

/* ---- opened ---- */

/* Where the numbers of a row hold the column of order. */
static size_t find_key(const sbl_facts *facts)
{
    for (size_t h = 0; h < facts->heads.count; h++) {
        const sbl_head *head = &facts->heads.items[h];
        if (head->kind == SBL_HEAD_NUMERIC && head->column == facts->schema->order)
            return head->index;
    }
    return SBL_NO_COLUMN;
}

static sbl_status make_room(person_source *p, const sbl_facts *facts, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(p->order, 2 * (size_t)p->cap, "the rows of persons");
    SBL_ALLOC(p->misfits, facts->columns, "the rows of persons");
    SBL_ALLOC(p->starts, CAPACITY + 1, "the rows of persons");
    SBL_TRY(sbl_drawn_make(&p->out, facts, CAPACITY, true, err));
done:
    return status;
}

sbl_status sbl_source_open_persons(sbl_source **source, sbl_source *rows, sbl_error *err)
{
    static const sbl_source_kind kind = {read_persons, rewind_persons, close_persons};
    const sbl_facts *facts = rows->facts;
    person_source *p = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_source_new(source, &kind, sizeof *p, rows->name, facts, err));
    p = (*source)->state;
    (*source)->can_rewind = true;
    *p = (person_source){.rows = rows,
                         .waiting = {.facts = facts},
                         .cap = (uint16_t)sbl_facts_rows_per_unit(facts),
                         .key_head = find_key(facts),
                         .holds_all = !rows->can_rewind};
    rows = NULL;
    SBL_TRY(make_room(p, facts, err));
done:
    if (status != SBL_OK) sbl_source_close(rows);
    return sbl_source_opened(source, status);
}

/* Two tables of tags: this one, and that of who adds the persons up. While one grows there are old and
 * new places, and just after, a quarter of the new ones is taken. A row waits only where its person has
 * two at least. */
sbl_person_bytes sbl_source_person_bytes(const sbl_facts *facts, uint64_t n)
{
    const double each = (4.0 + (4.0 + 2.0)) * (double)(sizeof(sbl_unit_tag) + sizeof(uint64_t));
    const double row = (double)sbl_person_rows_bytes(facts);
    const double together = row + each / 2.0;
    return (sbl_person_bytes){each, row, (double)n * (each > together ? each : together)};
}
