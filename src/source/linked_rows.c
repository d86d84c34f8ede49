/* Each table keeps its own rows; a person has, for each table, the last of its rows and their number. Of a table
 * that others hang on each key leads to a list of its owners: persons, each with its first row that has the key.
 * An owner leaves the list as soon as it has as many rows of the table that is read as count, so that a
 * table is read in time that grows with its rows and with the rows that are kept, however many share a key. */
#include "source/linked_rows.h"

#include <string.h>

#include "base/memory.h"
#include "source/growing.h"

static const char what[] = "the rows of persons";

/* Of a row that is kept. */
typedef struct row_info {
    uint32_t
        parent;     /* among the rows of the parent's table; SBL_NO_ROW: the root, or a blank one */
    uint32_t key;   /* its own: among the table's keys, 0: none */
    uint32_t place; /* among its person's rows, once they are given */
} row_info;

/* A person that has a row with the key. */
typedef struct owner {
    uint32_t person, row;
    uint32_t next; /* owner of the same key, 0: none */
    uint32_t left; /* the same among those who take more rows of the table that is read */
} owner;

typedef struct key {
    uint32_t first, last; /* owners from 1 on, 0: none */
    uint32_t left;
} key;

/* Of a person and a table. */
typedef struct own_rows {
    uint32_t last; /* of the rows that are kept, or SBL_NO_ROW */
    uint32_t count;
} own_rows;

typedef struct person {
    sbl_unit_tag tag; /* nobody: it is none but this person's */
    size_t blank; /* the table that has a blank row for it, with all above, where no row stands */
} person;

typedef struct table_rows {
    const sbl_facts *facts;
    size_t parent;     /* or SBL_NO_TABLE */
    bool is_deep;      /* the parent is not the root */
    bool has_children; /* and it is not the root: its rows are known by their keys */
    uint32_t cap;
    size_t key_head; /* of the column of order, or SBL_NO_COLUMN */
    sbl_person_rows rows;
    sbl_growing info; /* row_info of each */
    sbl_drawn blank;
    sbl_tag_table key_numbers;
    sbl_growing keys, owners;
} table_rows;

struct sbl_linked_rows {
    const sbl_facts *facts;
    size_t table_count;
    table_rows *tables;
    size_t reading;        /* the table that is read */
    sbl_tag_table numbers; /* of persons, from 1 on */
    sbl_growing persons;
    sbl_growing own;  /* own_rows of each person and table */
    sbl_event *order; /* (2, largest cap) */
};

static key *key_at(const table_rows *table, uint32_t number)
{
    return (key *)table->keys.items + (number - 1);
}

static owner *owner_at(const table_rows *table, uint32_t number)
{
    return (owner *)table->owners.items + (number - 1);
}

static row_info *info_at(const table_rows *table, uint32_t row)
{
    return (row_info *)table->info.items + (row - 1);
}

static person *person_at(const sbl_linked_rows *rows, uint32_t number)
{
    return (person *)rows->persons.items + number;
}

static own_rows *own_at(const sbl_linked_rows *rows, uint32_t number, size_t table)
{
    return (own_rows *)rows->own.items + ((size_t)number * rows->table_count + table);
}

/* ---- persons ---- */

static sbl_status add_person(sbl_linked_rows *rows, uint32_t *number, sbl_unit_tag tag,
                             size_t blank, sbl_error *err)
{
    if (!sbl_growing_reserve(&rows->own, rows->table_count)) return sbl_no_memory(err, what);
    const uint32_t added = sbl_growing_add(&rows->persons);
    if (added == 0) return sbl_no_memory(err, what);
    rows->own.count += rows->table_count;
    *number = added - 1;
    *person_at(rows, *number) = (person){.tag = tag, .blank = blank};
    return SBL_OK;
}

/* A key of a table that no row has is no person's id, were it the same text. */
static sbl_unit_tag tag_of_key(sbl_unit_tag tag, size_t table)
{
    return (sbl_unit_tag){.low = tag.low ^ table, .high = ~tag.high};
}

/* The person of this tag; who is nobody is new. */
static sbl_status find_person(sbl_linked_rows *rows, uint32_t *number, sbl_unit_tag tag,
                              size_t blank, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (sbl_tag_is_nobody(tag)) return add_person(rows, number, tag, blank, err);
    uint64_t *known = sbl_tag_table_at(&rows->numbers, tag);
    if (known == NULL) return sbl_no_memory(err, "a table of persons");
    if (*known == 0) {
        SBL_TRY(add_person(rows, number, tag, blank, err));
        *known = (uint64_t)*number + 1;
    }
    *number = (uint32_t)(*known - 1);
done:
    return status;
}

/* ---- keys ---- */

/* The number of a row's own key, which is known from now on; 0: it has none. */
static sbl_status find_key(table_rows *table, uint32_t *number, const sbl_records *batch,
                           size_t row, sbl_error *err)
{
    *number = 0;
    if (!table->has_children || batch->keys == NULL || sbl_tag_is_nobody(batch->keys[row]))
        return SBL_OK;
    uint64_t *known = sbl_tag_table_at(&table->key_numbers, batch->keys[row]);
    if (known != NULL && *known == 0) *known = sbl_growing_add(&table->keys);
    if (known == NULL || *known == 0) return sbl_no_memory(err, what);
    *number = (uint32_t)*known;
    return SBL_OK;
}

/* Does a row of the person, of those from this one back, have the key? */
static bool has_key(const table_rows *table, uint32_t row, uint32_t number)
{
    for (; row != SBL_NO_ROW; row = sbl_person_rows_before(&table->rows, row))
        if (info_at(table, row)->key == number) return true;
    return false;
}

/* The row is the first of its person with its key. */
static sbl_status add_owner(table_rows *table, uint32_t number, uint32_t person_number,
                            uint32_t row, sbl_error *err)
{
    const uint32_t at = sbl_growing_add(&table->owners);
    if (at == 0) return sbl_no_memory(err, what);
    key *one = key_at(table, number);
    *owner_at(table, at) = (owner){.person = person_number, .row = row};
    if (one->last != 0)
        owner_at(table, one->last)->next = at;
    else
        one->first = at;
    one->last = at;
    return SBL_OK;
}

/* Every owner may take rows again. */
static void restore_owners(table_rows *table)
{
    for (uint32_t i = 1; i <= table->owners.count; i++)
        owner_at(table, i)->left = owner_at(table, i)->next;
    for (uint32_t i = 1; i <= table->keys.count; i++)
        key_at(table, i)->left = key_at(table, i)->first;
}

/* ---- rows ---- */

static bool is_full(const sbl_linked_rows *rows, uint32_t number)
{
    return own_at(rows, number, rows->reading)->count >= rows->tables[rows->reading].cap;
}

/* A row of a person that has not as many yet as count. */
static sbl_status keep_row(sbl_linked_rows *rows, uint32_t number, row_info info,
                           const sbl_records *batch, size_t row, sbl_error *err)
{
    table_rows *table = &rows->tables[rows->reading];
    own_rows *own = own_at(rows, number, rows->reading);
    const bool owns = info.key != 0 &&
                      !(key_at(table, info.key)->first != 0 && has_key(table, own->last, info.key));
    uint32_t kept;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_person_rows_keep(&table->rows, &kept, own->last, batch, row, err));
    /* Rows are numbered one after the other, since none is dropped. */
    if (sbl_growing_add(&table->info) == 0) SBL_TRY(sbl_no_memory(err, what));
    *info_at(table, kept) = info;
    own->last = kept;
    own->count++;
    if (owns) SBL_TRY(add_owner(table, info.key, number, kept, err));
done:
    return status;
}

/* A row of one person, if it still counts. */
static sbl_status take_one(sbl_linked_rows *rows, sbl_unit_tag tag, size_t blank, row_info info,
                           const sbl_records *batch, size_t row, sbl_error *err)
{
    uint32_t number = 0;
    const sbl_status status = find_person(rows, &number, tag, blank, err);
    return status == SBL_OK && !is_full(rows, number)
               ? keep_row(rows, number, info, batch, row, err)
               : status;
}

/* A row of everybody who owns the key that it names. */
static sbl_status take_shared(sbl_linked_rows *rows, key *named, row_info info,
                              const sbl_records *batch, size_t row, sbl_error *err)
{
    const table_rows *parent = &rows->tables[rows->tables[rows->reading].parent];
    sbl_status status = SBL_OK;
    for (uint32_t *at = &named->left; *at != 0;) {
        owner *one = owner_at(parent, *at);
        if (is_full(rows, one->person)) {
            *at = one->left;
            continue;
        }
        info.parent = one->row;
        SBL_TRY(keep_row(rows, one->person, info, batch, row, err));
        at = &one->left;
    }
done:
    return status;
}

static sbl_status take_row(sbl_linked_rows *rows, const sbl_records *batch, size_t row,
                           sbl_error *err)
{
    table_rows *table = &rows->tables[rows->reading];
    const sbl_unit_tag tag = batch->units[row];
    const size_t above = table->is_deep ? table->parent : 0;
    row_info info = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(find_key(table, &info.key, batch, row, err));
    if (!table->is_deep || sbl_tag_is_nobody(tag))
        return take_one(rows, tag, above, info, batch, row, err);
    table_rows *parent = &rows->tables[table->parent];
    const uint64_t *named = sbl_tag_table_find(&parent->key_numbers, tag);
    status = named != NULL
                 ? take_shared(rows, key_at(parent, (uint32_t)*named), info, batch, row, err)
                 : take_one(rows, tag_of_key(tag, above), above, info, batch, row, err);
done:
    return status;
}

sbl_status sbl_linked_rows_begin(sbl_linked_rows *rows, size_t table, const sbl_records *blank,
                                 sbl_error *err)
{
    table_rows *own = &rows->tables[table];
    const sbl_heads *heads = &own->facts->heads;
    sbl_status status = SBL_OK;
    rows->reading = table;
    SBL_TRY(sbl_drawn_make(&own->blank, own->facts, 1, true, err));
    memcpy(own->blank.numeric, blank->numeric, heads->numeric_count * sizeof *blank->numeric);
    memcpy(own->blank.codes, blank->codes, heads->categorical_count * sizeof *blank->codes);
    memcpy(own->blank.misfits, blank->misfits, own->facts->columns);
    if (own->is_deep) restore_owners(&rows->tables[own->parent]);
done:
    return status;
}

sbl_status sbl_linked_rows_take(sbl_linked_rows *rows, const sbl_records *batch, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t row = 0; row < batch->rows; row++) SBL_TRY(take_row(rows, batch, row, err));
done:
    return status;
}

/* ---- a person is given ---- */

size_t sbl_linked_rows_persons(const sbl_linked_rows *rows) { return rows->persons.count; }

/* Is the table this one, or above it? */
static bool is_above(const sbl_linked_rows *rows, size_t table, size_t below)
{
    while (below != SBL_NO_TABLE && below != table) below = rows->tables[below].parent;
    return below == table;
}

/* The rows from the last back to the first, in the order of their parents. */
static const sbl_event *sort_rows(const sbl_linked_rows *rows, size_t t, own_rows own)
{
    const table_rows *table = &rows->tables[t];
    uint32_t row = own.last;
    for (size_t i = own.count; i-- > 0; row = sbl_person_rows_before(&table->rows, row)) {
        const sbl_records kept = sbl_person_rows_at(&table->rows, row);
        const uint32_t parent = info_at(table, row)->parent;
        rows->order[i] = (sbl_event){
            .row = row,
            .key = table->key_head != SBL_NO_COLUMN ? kept.numeric[table->key_head] : 0.0,
            .parent =
                parent != SBL_NO_ROW ? info_at(&rows->tables[table->parent], parent)->place : 0};
    }
    return sbl_events_sort(rows->order, rows->order + own.count, own.count);
}

void sbl_linked_rows_give(sbl_linked_rows *rows, sbl_person_batch *batch, size_t number)
{
    const person *one = person_at(rows, (uint32_t)number);
    sbl_person_batch_begin(batch, one->tag, 0);
    for (size_t t = 0; t < rows->table_count; t++) {
        const table_rows *table = &rows->tables[t];
        const own_rows own = *own_at(rows, (uint32_t)number, t);
        const sbl_event *sorted = sort_rows(rows, t, own);
        for (size_t i = 0; i < own.count; i++) {
            const sbl_records kept = sbl_person_rows_at(&table->rows, sorted[i].row);
            info_at(table, sorted[i].row)->place = (uint32_t)i;
            sbl_person_batch_give(batch, t, &kept, sorted[i].parent);
        }
        if (own.count != 0 || !is_above(rows, t, one->blank)) continue;
        const sbl_records blank = sbl_drawn_records(&table->blank, table->facts, 0, 1);
        sbl_person_batch_give(batch, t, &blank, 0);
    }
    sbl_person_batch_end(batch);
}

/* ---- its life ---- */

static void describe_table(table_rows *table, const sbl_facts *facts, size_t t)
{
    const sbl_linked_table *linked = &facts->schema->tables[t];
    const sbl_facts *own = &facts->table_facts[t];
    *table = (table_rows){.facts = own,
                          .parent = linked->parent,
                          .is_deep = linked->parent != SBL_NO_TABLE && linked->parent != 0,
                          .cap = (uint32_t)linked->rows_per_unit,
                          .key_head = sbl_events_key(own),
                          .rows = {.facts = own},
                          .info = {.size = sizeof(row_info)},
                          .keys = {.size = sizeof(key)},
                          .owners = {.size = sizeof(owner)}};
}

sbl_status sbl_linked_rows_new(sbl_linked_rows **rows, const sbl_facts *facts, sbl_error *err)
{
    sbl_linked_rows *made = NULL;
    sbl_status status = SBL_OK;
    *rows = NULL;
    SBL_ALLOC(made, 1, what);
    made->facts = facts;
    made->persons.size = sizeof(person);
    made->own.size = sizeof(own_rows);
    SBL_ALLOC(made->tables, facts->schema->table_count, what);
    made->table_count = facts->schema->table_count;
    for (size_t t = 0; t < made->table_count; t++) {
        describe_table(&made->tables[t], facts, t);
        const size_t parent = made->tables[t].parent;
        if (parent != SBL_NO_TABLE && parent != 0) made->tables[parent].has_children = true;
    }
    SBL_ALLOC(made->order, 2 * SBL_ROWS_PER_UNIT_MAX, what);
    *rows = made;
    made = NULL;
done:
    sbl_linked_rows_free(made);
    return status;
}

void sbl_linked_rows_free(sbl_linked_rows *rows)
{
    if (rows == NULL) return;
    for (size_t t = 0; t < rows->table_count; t++) {
        table_rows *table = &rows->tables[t];
        sbl_person_rows_clear(&table->rows);
        sbl_growing_clear(&table->info);
        sbl_drawn_clear(&table->blank, table->facts);
        sbl_tag_table_clear(&table->key_numbers);
        sbl_growing_clear(&table->keys);
        sbl_growing_clear(&table->owners);
    }
    sbl_free(rows->tables);
    sbl_tag_table_clear(&rows->numbers);
    sbl_growing_clear(&rows->persons);
    sbl_growing_clear(&rows->own);
    sbl_free_wiped(rows->order, 2 * SBL_ROWS_PER_UNIT_MAX * sizeof *rows->order);
    sbl_free(rows);
}

/* Of a table of tags, for each tag: as in person_source.c. */
#define TAG_PLACES 6

size_t sbl_linked_person_bytes(const sbl_facts *facts)
{
    return TAG_PLACES * (sizeof(sbl_unit_tag) + sizeof(uint64_t)) +
           SBL_GROWING_PLACES * (sizeof(person) + facts->schema->table_count * sizeof(own_rows));
}

size_t sbl_linked_row_bytes(const sbl_facts *facts)
{
    size_t most = 0;
    for (size_t t = 0; t < facts->schema->table_count; t++) {
        const size_t own = sbl_person_rows_bytes(&facts->table_facts[t]);
        if (own > most) most = own;
    }
    return most + SBL_GROWING_PLACES * (sizeof(row_info) + sizeof(key) + sizeof(owner)) +
           TAG_PLACES * (sizeof(sbl_unit_tag) + sizeof(uint64_t));
}
