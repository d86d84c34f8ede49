/* SPDX-License-Identifier: Apache-2.0 */
/* Each table keeps its own rows. For each table, a person has the last of its rows and their number. In a
 * table that others refer to, other than the root, each key leads to a list of its owners: persons, each
 * with its first row that has the key. An owner leaves the list as soon as the person has as many rows of
 * the current table as count. So reading a table takes time that grows with its rows and the rows that are
 * kept, however many rows share a key. Only root rows make persons: a row that leads to no person is read
 * and not kept. */
#include "records/persons/linked_rows.h"

#include <string.h>

#include "base/alloc.h"
#include "records/persons/wiped_vector.h"

static const char what[] = "the rows of persons";

/* A row that is kept. */
typedef struct row_info {
    uint32_t parent; /* among the rows of the parent's table; SBL_NO_ROW: the root */
    uint32_t key;    /* its own: among the table's keys, 0: none */
    uint32_t place;  /* among its person's rows, once they are given */
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

/* For a person and a table. */
typedef struct own_rows {
    uint32_t last; /* of the rows that are kept, or SBL_NO_ROW */
    uint32_t count;
} own_rows;

typedef struct table_rows {
    const sbl_facts *facts;
    size_t parent;     /* or SBL_NO_TABLE */
    bool is_deep;      /* the parent is not the root */
    bool has_children; /* and it is not the root: its rows are known by their keys */
    uint32_t cap;
    size_t key_head; /* of the column of order, or SBL_NO_COLUMN */
    sbl_person_rows rows;
    sbl_growing info; /* row_info of each */
    sbl_tag_table key_numbers;
    sbl_growing keys, owners;
} table_rows;

struct sbl_linked_rows {
    const sbl_facts *facts;
    size_t table_count;
    table_rows *tables;
    size_t reading;        /* the table that is read */
    sbl_tag_table numbers; /* of persons, from 1 on */
    sbl_growing persons;   /* sbl_unit_tag of each; the tag of no one for a root row without a key */
    sbl_growing own;       /* own_rows of each person and table */
    sbl_event *order;      /* (2, largest cap) */
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

static sbl_unit_tag *person_at(const sbl_linked_rows *rows, uint32_t number)
{
    return (sbl_unit_tag *)rows->persons.items + number;
}

static own_rows *own_at(const sbl_linked_rows *rows, uint32_t number, size_t table)
{
    return (own_rows *)rows->own.items + ((size_t)number * rows->table_count + table);
}

/* ---- persons ---- */

static sbl_status add_person(sbl_linked_rows *rows, uint32_t *number, sbl_unit_tag tag, sbl_error *err)
{
    if (!sbl_growing_reserve(&rows->own, rows->table_count)) return sbl_no_memory(err, what);
    const uint32_t added = sbl_growing_add(&rows->persons);
    if (added == 0) return sbl_no_memory(err, what);
    rows->own.count += rows->table_count;
    *number = added - 1;
    *person_at(rows, *number) = tag;
    return SBL_OK;
}

/* The person of a root row with this key; one without a key is new. */
static sbl_status find_person(sbl_linked_rows *rows, uint32_t *number, sbl_unit_tag tag, sbl_error *err)
{
    if (sbl_tag_is_nobody(tag)) return add_person(rows, number, tag, err);
    uint64_t *known = sbl_tag_table_at(&rows->numbers, tag);
    if (known == NULL) return sbl_no_memory(err, "a table of persons");
    if (*known == 0) {
        SBL_CHECK(add_person(rows, number, tag, err));
        *known = (uint64_t)*number + 1;
    }
    *number = (uint32_t)(*known - 1);
    return SBL_OK;
}

/* ---- keys ---- */

/* The number of a row's own key, which is known from now on; 0: it has none. */
static sbl_status find_key(table_rows *table, uint32_t *number, const sbl_records *batch, size_t row,
                           sbl_error *err)
{
    *number = 0;
    if (!table->has_children || batch->keys == NULL || sbl_tag_is_nobody(batch->keys[row])) return SBL_OK;
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
static sbl_status add_owner(table_rows *table, uint32_t number, uint32_t person_number, uint32_t row,
                            sbl_error *err)
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
    for (uint32_t i = 1; i <= table->owners.count; i++) owner_at(table, i)->left = owner_at(table, i)->next;
    for (uint32_t i = 1; i <= table->keys.count; i++) key_at(table, i)->left = key_at(table, i)->first;
}

/* ---- rows ---- */

static bool is_full(const sbl_linked_rows *rows, uint32_t number)
{
    return own_at(rows, number, rows->reading)->count >= rows->tables[rows->reading].cap;
}

/* A row of the person, whose parent is that row of the table above, unless the person has as many as count. */
static sbl_status keep_row(sbl_linked_rows *rows, uint32_t number, uint32_t parent, const sbl_records *batch,
                           size_t row, sbl_error *err)
{
    table_rows *table = &rows->tables[rows->reading];
    own_rows *own = own_at(rows, number, rows->reading);
    row_info info = {.parent = parent};
    uint32_t kept;
    if (is_full(rows, number)) return SBL_OK;
    SBL_CHECK(find_key(table, &info.key, batch, row, err));
    const bool owns =
        info.key != 0 && !(key_at(table, info.key)->first != 0 && has_key(table, own->last, info.key));
    SBL_CHECK(sbl_person_rows_keep(&table->rows, &kept, own->last, batch, row, err));
    /* Rows are numbered one after the other, since none is dropped. */
    if (sbl_growing_add(&table->info) == 0) return sbl_no_memory(err, what);
    *info_at(table, kept) = info;
    own->last = kept;
    own->count++;
    if (owns) SBL_CHECK(add_owner(table, info.key, number, kept, err));
    return SBL_OK;
}

static sbl_status take_root(sbl_linked_rows *rows, const sbl_records *batch, size_t row, sbl_error *err)
{
    uint32_t number = 0;
    const sbl_status status = find_person(rows, &number, batch->units[row], err);
    return status == SBL_OK ? keep_row(rows, number, SBL_NO_ROW, batch, row, err) : status;
}

/* A row that refers to the root. It belongs to no person if no root row has the key. */
static sbl_status take_child(sbl_linked_rows *rows, const sbl_records *batch, size_t row, sbl_error *err)
{
    const uint64_t *known = sbl_tag_table_find(&rows->numbers, batch->units[row]);
    return known != NULL ? keep_row(rows, (uint32_t)(*known - 1), SBL_NO_ROW, batch, row, err) : SBL_OK;
}

/* A row further down belongs to every person who owns the key that it names. */
static sbl_status take_deep(sbl_linked_rows *rows, const sbl_records *batch, size_t row, sbl_error *err)
{
    const table_rows *parent = &rows->tables[rows->tables[rows->reading].parent];
    const uint64_t *known = sbl_tag_table_find(&parent->key_numbers, batch->units[row]);
    if (known == NULL) return SBL_OK;
    key *named = key_at(parent, (uint32_t)*known);
    for (uint32_t *at = &named->left; *at != 0;) {
        owner *one = owner_at(parent, *at);
        if (is_full(rows, one->person)) {
            *at = one->left;
            continue;
        }
        SBL_CHECK(keep_row(rows, one->person, one->row, batch, row, err));
        at = &one->left;
    }
    return SBL_OK;
}

static sbl_status take_row(sbl_linked_rows *rows, const sbl_records *batch, size_t row, sbl_error *err)
{
    const table_rows *table = &rows->tables[rows->reading];
    if (table->parent == SBL_NO_TABLE) return take_root(rows, batch, row, err);
    if (sbl_tag_is_nobody(batch->units[row])) return SBL_OK; /* it refers to nothing */
    return (table->is_deep ? take_deep : take_child)(rows, batch, row, err);
}

void sbl_linked_rows_begin(sbl_linked_rows *rows, size_t table)
{
    rows->reading = table;
    if (rows->tables[table].is_deep) restore_owners(&rows->tables[rows->tables[table].parent]);
}

sbl_status sbl_linked_rows_take(sbl_linked_rows *rows, const sbl_records *batch, sbl_error *err)
{
    for (size_t row = 0; row < batch->rows; row++) SBL_CHECK(take_row(rows, batch, row, err));
    return SBL_OK;
}

/* ---- a person is given ---- */

size_t sbl_linked_rows_persons(const sbl_linked_rows *rows) { return rows->persons.count; }

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
            .parent = parent != SBL_NO_ROW ? info_at(&rows->tables[table->parent], parent)->place : 0};
    }
    return sbl_events_sort(rows->order, rows->order + own.count, own.count);
}

void sbl_linked_rows_give(sbl_linked_rows *rows, sbl_person_batch *batch, size_t number)
{
    sbl_person_batch_begin(batch, *person_at(rows, (uint32_t)number), 0);
    for (size_t t = 0; t < rows->table_count; t++) {
        const table_rows *table = &rows->tables[t];
        const own_rows own = *own_at(rows, (uint32_t)number, t);
        const sbl_event *sorted = sort_rows(rows, t, own);
        for (size_t i = 0; i < own.count; i++) {
            const sbl_records kept = sbl_person_rows_at(&table->rows, sorted[i].row);
            info_at(table, sorted[i].row)->place = (uint32_t)i;
            sbl_person_batch_give(batch, t, &kept, sorted[i].parent);
        }
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
    made->persons.size = sizeof(sbl_unit_tag);
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

/* For each tag of a table of tags, as in person_source.c. */
#define TAG_PLACES 6

size_t sbl_linked_person_bytes(const sbl_facts *facts)
{
    return TAG_PLACES * (sizeof(sbl_unit_tag) + sizeof(uint64_t)) +
           SBL_GROWING_PLACES * (sizeof(sbl_unit_tag) + facts->schema->table_count * sizeof(own_rows));
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
