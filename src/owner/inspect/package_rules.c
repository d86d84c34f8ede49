/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the tables once more, parents first, with the schemas that were found. The rows of a table that others refer to are kept, so
 * that a row of a child has the columns of its parent, and of that one's parent, beside its own. In a large package it looks at some
 * persons only. */
#include <string.h>

#include "base/alloc.h"
#include "base/tag_table.h"
#include "owner/inspect/package_inspect.h"
#include "owner/inspect/rule_search.h"
#include "public/schema/proposals.h"
#include "records/rows/unit_id.h"
#include "records/source/schema_load.h"

#define WHAT "constraints"
#define BATCH_ROWS 1024
#define MOST_CELLS 20000000 /* that are kept, about */
#define FIRST_ROWS 4096
#define NO_ROW SIZE_MAX

/* The rows of one table. */
typedef struct table_rows {
    const sbl_linked_table *table;
    const sbl_inspected_file *file;
    bool has_children;
    size_t width;        /* of its own columns, and all of those above */
    sbl_tag_table index; /* row numbers from 1, by key */
    double *values;      /* (capacity, width): own columns, then those above */
    uint64_t *persons;   /* (capacity) */
    size_t count, capacity;
} table_rows;

typedef struct package_rows {
    const sbl_schema *schema;
    table_rows *items; /* (tables) */
    uint32_t share;    /* of persons that are looked at, as a share of 2^32 - 1 */
    double *block;     /* (BATCH_ROWS, widest) */
    uint64_t persons[BATCH_ROWS];
} package_rows;

/* ---- columns ---- */

static const table_rows *parent_of(const package_rows *p, const table_rows *rows)
{
    return rows->table->parent != SBL_NO_TABLE ? &p->items[rows->table->parent] : NULL;
}

/* The columns of a table and of those above it. */
static void fill_columns(sbl_rule_column *columns, const package_rows *p, const table_rows *rows)
{
    size_t at = 0;
    for (const table_rows *r = rows; r != NULL; r = parent_of(p, r)) {
        const sbl_schema *schema = r->table->schema;
        for (size_t c = 0; c < schema->column_count; c++)
            columns[at++] = (sbl_rule_column){&schema->columns[c], r == rows ? NULL : r->table->name,
                                              schema->columns[c].kind != SBL_COLUMN_IGNORED};
    }
}

/* ---- rows ---- */

static void free_rows(table_rows *rows)
{
    sbl_free_wiped(rows->values, rows->capacity * rows->width * sizeof *rows->values);
    sbl_free_wiped(rows->persons, rows->capacity * sizeof *rows->persons);
}

static sbl_status grow(table_rows *rows, sbl_error *err)
{
    const size_t capacity = rows->capacity != 0 ? 2 * rows->capacity : FIRST_ROWS;
    table_rows more = *rows;
    sbl_status status = SBL_OK;
    if (rows->count < rows->capacity) return SBL_OK;
    more.values = NULL;
    more.persons = NULL;
    more.capacity = capacity;
    SBL_ALLOC(more.values, capacity * rows->width, WHAT);
    SBL_ALLOC(more.persons, capacity, WHAT);
    if (rows->count > 0) {
        memcpy(more.values, rows->values, rows->count * rows->width * sizeof *rows->values);
        memcpy(more.persons, rows->persons, rows->count * sizeof *rows->persons);
    }
    free_rows(rows);
    *rows = more;
    return SBL_OK;
done:
    sbl_free(more.values);
    sbl_free(more.persons);
    return status;
}

/* Keep a row for the tables below; of two with one key the first. */
static sbl_status keep_row(table_rows *rows, sbl_unit_tag key, const double *values, uint64_t person,
                           sbl_error *err)
{
    if (!rows->has_children || sbl_tag_is_nobody(key)) return SBL_OK;
    SBL_CHECK(grow(rows, err));
    uint64_t *number = sbl_tag_table_at(&rows->index, key);
    if (number == NULL) return sbl_no_memory(err, WHAT);
    if (*number != 0) return SBL_OK;
    *number = rows->count + 1;
    memcpy(rows->values + rows->count * rows->width, values, rows->width * sizeof *values);
    rows->persons[rows->count++] = person;
    return SBL_OK;
}

/* The parent's row of a tag; NO_ROW: it has none that is looked at. */
static size_t find_parent(const table_rows *parent, sbl_unit_tag tag)
{
    const uint64_t *number = sbl_tag_is_nobody(tag) ? NULL : sbl_tag_table_find(&parent->index, tag);
    return number != NULL ? (size_t)*number - 1 : NO_ROW;
}

/* A row of a batch, with what is above it. False: it is not looked at. */
static bool join_row(double *values, uint64_t *person, const package_rows *p, const table_rows *rows,
                     const sbl_batch *batch, size_t row)
{
    const table_rows *parent = parent_of(p, rows);
    const size_t own = rows->table->schema->column_count;
    const sbl_unit_tag tag = batch->units[row];
    if (parent == NULL) {
        *person = tag.low;
        if (sbl_tag_is_nobody(tag) || (uint32_t)(tag.high >> 32) > p->share) return false;
    } else {
        const size_t above = find_parent(parent, tag);
        if (above == NO_ROW) return false;
        *person = parent->persons[above];
        memcpy(values + own, parent->values + above * parent->width, parent->width * sizeof *values);
    }
    for (size_t c = 0; c < own; c++) values[c] = sbl_rule_value(batch, c, row);
    return true;
}

static sbl_status take_batch(package_rows *p, table_rows *rows, sbl_rule_search *search,
                             const sbl_batch *batch, sbl_error *err)
{
    size_t count = 0;
    for (size_t row = 0; row < batch->rows; row++) {
        double *values = p->block + count * rows->width;
        if (!join_row(values, &p->persons[count], p, rows, batch, row)) continue;
        const sbl_unit_tag key = batch->keys != NULL ? batch->keys[row] : batch->units[row];
        SBL_CHECK(keep_row(rows, key, values, p->persons[count], err));
        count++;
    }
    const sbl_rule_block block = {p->block, p->persons, count};
    return count > 0 ? sbl_rule_search_take(search, &block, err) : SBL_OK;
}

/* Keys are distinguished by a hash whose key is public here: the same tables give the same package. */
static sbl_status read_table(package_rows *p, table_rows *rows, sbl_rule_search *search, sbl_error *err)
{
    static const uint8_t key[SBL_SIPHASH_KEY_SIZE] = {0};
    const sbl_linked_table *table = rows->table;
    const bool own_key = table->key != SBL_NO_COLUMN && table->parent != SBL_NO_TABLE;
    const sbl_table_options reading = {
        .unit_key = key, .with_keys = own_key, .key_column = own_key ? table->key - table->first : 0};
    sbl_rows *reader = NULL;
    sbl_batch *batch = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_rows_open(&reader, &rows->file->table, table->schema, &reading, err));
    SBL_TRY(sbl_batch_new(&batch, table->schema, BATCH_ROWS, err));
    SBL_TRY(sbl_batch_keep_faults(batch, err));
    if (own_key) SBL_TRY(sbl_batch_keep_keys(batch, err));
    do {
        SBL_TRY(sbl_rows_read(reader, batch, err));
        SBL_TRY(take_batch(p, rows, search, batch, err));
    } while (batch->rows > 0);
done:
    sbl_batch_free(batch);
    sbl_rows_close(reader);
    return status;
}

static sbl_status search_table(sbl_found_rules *found, package_rows *p, size_t t, sbl_error *err)
{
    table_rows *rows = &p->items[t];
    sbl_rule_column *columns = NULL;
    sbl_rule_search *search = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(columns, rows->width, WHAT);
    SBL_ALLOC(p->block, BATCH_ROWS * rows->width, WHAT);
    fill_columns(columns, p, rows);
    const sbl_rule_view view = {columns, rows->width};
    found->context = t;
    SBL_TRY(sbl_rule_search_new(&search, &view, err));
    SBL_TRY(read_table(p, rows, search, err));
    SBL_TRY(sbl_rule_search_finish(found, search, err));
done:
    sbl_rule_search_free(search);
    sbl_free_wiped(p->block, BATCH_ROWS * rows->width * sizeof *p->block);
    p->block = NULL;
    sbl_free(columns);
    return status;
}

/* ---- all tables ---- */

static const sbl_inspected_file *file_named(const sbl_inspected_files *files, const char *name)
{
    for (size_t f = 0; f < files->count; f++)
        if (strcmp(files->items[f].name, name) == 0) return &files->items[f];
    return NULL;
}

static sbl_status begin(package_rows *p, const sbl_inspected_files *files, sbl_error *err)
{
    double cells = 0;
    sbl_status status = SBL_OK;
    SBL_ALLOC(p->items, p->schema->table_count, WHAT);
    for (size_t t = 0; t < p->schema->table_count; t++) {
        table_rows *rows = &p->items[t];
        rows->table = &p->schema->tables[t];
        rows->file = file_named(files, rows->table->name);
        rows->width = rows->table->schema->column_count;
        if (rows->table->parent == SBL_NO_TABLE) continue;
        rows->width += p->items[rows->table->parent].width;
        p->items[rows->table->parent].has_children = true;
    }
    for (size_t t = 0; t < p->schema->table_count; t++)
        if (p->items[t].has_children) cells += (double)p->items[t].file->rows * (double)p->items[t].width;
    p->share = cells > MOST_CELLS ? (uint32_t)(MOST_CELLS / cells * (double)UINT32_MAX) : UINT32_MAX;
done:
    return status;
}

static sbl_status find_rules(sbl_found_rules *found, const sbl_schema *schema,
                             const sbl_inspected_files *files, sbl_error *err)
{
    package_rows p = {.schema = schema};
    sbl_status status = SBL_OK;
    SBL_TRY(begin(&p, files, err));
    for (size_t t = 0; t < schema->table_count; t++) SBL_TRY(search_table(found, &p, t, err));
done:
    for (size_t t = 0; p.items != NULL && t < schema->table_count; t++) {
        sbl_tag_table_clear(&p.items[t].index);
        free_rows(&p.items[t]);
    }
    sbl_free(p.items);
    sbl_wipe(p.persons, sizeof p.persons);
    return status;
}

static sbl_status propose(json_t *proposals, const sbl_found_rule *rule, const char *table, sbl_error *err)
{
    sbl_text words = {0};
    sbl_text_printf(&words, "%s: %s", table, rule->words);
    json_t *item = words.failed
                       ? NULL
                       : json_pack("{s:s, s:s, s:s, s:{s:O}}", "kind", "constraint", "words", words.data,
                                   "resource", table, "semblance", "constraints", rule->constraints);
    sbl_text_clear(&words);
    return json_array_append_new(proposals, item) == 0 ? SBL_OK : sbl_no_memory(err, WHAT);
}

sbl_status sbl_package_propose_rules(json_t *package, const sbl_inspected_files *files, const char *where,
                                     sbl_error *err)
{
    json_t *taken = json_deep_copy(package);
    sbl_found_rules found = {0};
    sbl_schema *schema = NULL;
    size_t counts[2];
    sbl_status status = SBL_OK;
    if (taken == NULL) SBL_TRY(sbl_no_memory(err, WHAT));
    SBL_TRY(sbl_proposals_accept(taken, "all", &counts[0], &counts[1], where, err));
    SBL_TRY(sbl_schema_load_object(&schema, taken, where, false, err));
    SBL_TRY(find_rules(&found, schema, files, err));
    sbl_found_rules_choose(&found);
    json_t *proposals = json_object_get(json_object_get(package, "semblance"), "proposals");
    for (size_t i = 0; i < found.count; i++)
        SBL_TRY(propose(proposals, &found.items[i], schema->tables[found.items[i].context].name, err));
done:
    sbl_found_rules_clear(&found);
    sbl_schema_free(schema);
    json_decref(taken);
    return status;
}
