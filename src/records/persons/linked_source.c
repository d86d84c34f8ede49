/* SPDX-License-Identifier: Apache-2.0 */
/* Linked tables as a source of whole persons. Each table is read once, parents before children, and the
 * rows that count are kept (linked_rows.h). Then persons are given from memory, as often as needed. All
 * tables share one key for the tags, made for this source alone: equal keys in two tables are equal tags. */
#include "base/alloc.h"
#include "base/os_random.h"
#include "base/siphash.h"
#include "records/persons/linked_rows.h"
#include "records/source/data_handle.h"
#include "records/source/source.h"

typedef struct linked_source {
    sbl_source **tables; /* (the schema's tables), each until it is read */
    uint8_t *unit_key;
    sbl_linked_rows *rows;
    sbl_person_batch out;
    size_t table;  /* that is read */
    size_t person; /* the next to be given */
} linked_source;

/* One batch of the table at hand; its end is the beginning of the next. */
static sbl_status read_piece(sbl_source *source, sbl_error *err)
{
    linked_source *l = source->state;
    sbl_source *table = l->tables[l->table];
    const sbl_records *batch;
    SBL_CHECK(sbl_source_read(table, &batch, err));
    SBL_CHECK(sbl_linked_rows_take(l->rows, batch, err));
    if (batch->rows > 0) return SBL_OK;
    sbl_source_close(table);
    l->tables[l->table++] = NULL;
    if (l->table < source->facts->schema->table_count) sbl_linked_rows_begin(l->rows, l->table);
    return SBL_OK;
}

static sbl_status read_linked(sbl_source *source, sbl_error *err)
{
    linked_source *l = source->state;
    source->batch = (sbl_records){0};
    source->working = l->table < source->facts->schema->table_count;
    if (source->working) {
        SBL_CHECK(read_piece(source, err));
        return SBL_OK;
    }
    sbl_person_batch_empty(&l->out);
    while (!sbl_person_batch_is_full(&l->out) && l->person < sbl_linked_rows_persons(l->rows))
        sbl_linked_rows_give(l->rows, &l->out, l->person++);
    source->batch = sbl_person_batch_records(&l->out);
    return SBL_OK;
}

static sbl_status rewind_linked(sbl_source *source, sbl_error *err)
{
    linked_source *l = source->state;
    (void)err;
    l->person = 0;
    return SBL_OK;
}

static void close_linked(sbl_source *source)
{
    linked_source *l = source->state;
    if (l == NULL) return;
    for (size_t t = 0; l->tables != NULL && t < source->facts->schema->table_count; t++)
        sbl_source_close(l->tables[t]);
    sbl_free(l->tables);
    sbl_linked_rows_free(l->rows);
    sbl_person_batch_clear(&l->out);
    sbl_locked_free(l->unit_key, SBL_SIPHASH_KEY_SIZE, 1);
    sbl_free_wiped(l, sizeof *l);
}

/* Does any table refer to a table other than the root? */
static bool needs_keys(const sbl_schema *schema, size_t table)
{
    for (size_t t = table + 1; table != 0 && t < schema->table_count; t++)
        if (schema->tables[t].parent == table) return true;
    return false;
}

static sbl_status open_tables(linked_source *l, const sbl_data *data, const sbl_facts *facts,
                              void (*notice)(void *context, const char *name), void *context, sbl_error *err)
{
    const sbl_schema *schema = facts->declared;
    const sbl_data *own;
    for (size_t t = 0; t < schema->table_count; t++)
        SBL_CHECK(sbl_data_linked(&own, data, schema->tables[t].name, err));
    for (size_t t = 0; t < schema->table_count; t++) {
        const sbl_linked_table *table = &schema->tables[t];
        SBL_CHECK(sbl_data_linked(&own, data, table->name, err));
        const sbl_row_reading reading = {.notice = notice,
                                         .context = context,
                                         .unit_key = l->unit_key,
                                         .with_keys = needs_keys(schema, t),
                                         .key_column = table->key - table->first};
        SBL_CHECK(
            sbl_source_open_keyed_rows(&l->tables[t], &own->table, &facts->table_facts[t], &reading, err));
    }
    return SBL_OK;
}

sbl_status sbl_source_open_linked(sbl_source **source, const sbl_data *data, const sbl_facts *facts,
                                  void (*notice)(void *context, const char *name), void *context,
                                  sbl_error *err)
{
    static const sbl_source_kind kind = {.read = read_linked, .rewind = rewind_linked, .close = close_linked};
    linked_source *l = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_source_new(source, &kind, sizeof *l, data->name, facts, err));
    l = (*source)->state;
    (*source)->can_rewind = true;
    SBL_ALLOC(l->tables, facts->schema->table_count, data->name);
    l->unit_key = sbl_locked_alloc(SBL_SIPHASH_KEY_SIZE, 1);
    if (l->unit_key == NULL) SBL_TRY(sbl_no_memory(err, "a key"));
    SBL_TRY(sbl_os_random(l->unit_key, SBL_SIPHASH_KEY_SIZE, err));
    SBL_TRY(open_tables(l, data, facts, notice, context, err));
    SBL_TRY(sbl_linked_rows_new(&l->rows, facts, err));
    SBL_TRY(sbl_person_batch_make(&l->out, facts, err));
done:
    return sbl_source_opened(source, status);
}
