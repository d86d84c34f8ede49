/* SPDX-License-Identifier: Apache-2.0 */
/* The readings of a table: cells as its format gives them, and rows of a schema, by the format's fast path
 * or from its cells. */
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "records/rows/column_binding.h"
#include "records/rows/table.h"

sbl_table sbl_csv_table(const char *path)
{
    return (sbl_table){
        .format = &sbl_csv_format, .name = path, .path = path, .can_rewind = !sbl_path_is_stream(path)};
}

bool sbl_path_is_stream(const char *path)
{
    struct stat seen;
    return strcmp(path, "-") == 0 ||
           (stat(path, &seen) == 0 && !S_ISREG(seen.st_mode) && !S_ISDIR(seen.st_mode));
}

sbl_status sbl_report_rows_read(sbl_progress_listener *listener, uint64_t rows, sbl_error *err)
{
    if (listener == NULL || listener->progress == NULL ||
        listener->progress(listener->context, "reading", rows, 0, 0.0) == 0)
        return SBL_OK;
    atomic_store(&listener->stopped, true);
    return sbl_progress_fail(err);
}

/* ---- cells ---- */

/* The names that a format without any is to look for: of the schema, or as declared. */
static sbl_status look_for(sbl_strings *names, const sbl_table *table, const sbl_schema *schema,
                           sbl_error *err)
{
    const size_t declared = table->columns != NULL ? table->columns->count : 0;
    const size_t count = schema != NULL ? schema->column_count : declared;
    bool good = true;
    if (!table->format->names_in_records || count == 0) return SBL_OK;
    good = sbl_strings_reserve(names, count);
    for (size_t i = 0; good && i < count; i++)
        good = sbl_strings_add(names, schema != NULL ? schema->columns[i].name : table->columns->items[i]);
    return good ? SBL_OK : sbl_no_memory(err, "the names of columns");
}

static sbl_status open_cells(sbl_cell_reader *cells, const sbl_table *table, const sbl_dialect *dialect,
                             const sbl_schema *schema, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *cells = (sbl_cell_reader){.format = table->format, .listener = table->listener};
    SBL_TRY(look_for(&cells->names, table, schema, err));
    SBL_TRY(table->format->open(&cells->reading, table, dialect, &cells->names, err));
    SBL_ALLOC(cells->cells, cells->names.count, table->name);
done:
    if (status != SBL_OK) sbl_cell_reader_close(cells);
    return status;
}

sbl_status sbl_cell_reader_open(sbl_cell_reader *cells, const sbl_table *table, const sbl_dialect *dialect,
                                sbl_error *err)
{
    return open_cells(cells, table, dialect, NULL, err);
}

void sbl_cell_reader_close(sbl_cell_reader *cells)
{
    if (cells->format != NULL) cells->format->close(cells->reading);
    sbl_free_wiped(cells->cells, cells->names.count * sizeof *cells->cells);
    sbl_strings_clear(&cells->names);
    *cells = (sbl_cell_reader){0};
}

static sbl_status read_all_cells(uint64_t *count, const sbl_table *table, const sbl_dialect *dialect,
                                 sbl_error *err)
{
    sbl_cell_reader cells;
    bool more = true;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_cell_reader_open(&cells, table, dialect, err));
    for (;; ++*count) {
        SBL_TRY(sbl_cell_reader_next(&cells, &more, err));
        if (!more) break;
    }
done:
    sbl_cell_reader_close(&cells);
    return status;
}

sbl_status sbl_cell_reader_count(uint64_t *count, const sbl_table *table, const sbl_dialect *dialect,
                                 sbl_error *err)
{
    *count = 0;
    return table->format->count != NULL ? table->format->count(count, table, dialect, NULL, err)
                                        : read_all_cells(count, table, dialect, err);
}

/* ---- rows ---- */

#define COUNTED_BATCH 1024

struct sbl_rows {
    const sbl_format *format;
    sbl_schema *own; /* the schema as the table is written; NULL: no such option was given */
    void *reading;   /* the format's quick way; NULL: there is none, and rows are made of cells */
    sbl_cell_reader cells;
    sbl_binding *typed;
    sbl_progress_listener *listener;
    uint64_t read; /* rows so far */
};

static sbl_status open_by_cells(sbl_rows *rows, const sbl_table *table, const sbl_schema *schema,
                                const sbl_table_options *options, sbl_error *err)
{
    SBL_CHECK(open_cells(&rows->cells, table, &schema->dialect, schema, err));
    if (table->format->match != NULL) SBL_CHECK(table->format->match(rows->cells.reading, schema, err));
    rows->cells.listener = NULL; /* the reader of rows reports once per batch */
    return sbl_binding_open(&rows->typed, (const char *const *)rows->cells.names.items,
                            rows->cells.names.count, table->name, schema, options, err);
}

sbl_status sbl_rows_open(sbl_rows **rows, const sbl_table *table, const sbl_schema *schema,
                         const sbl_table_options *options, sbl_error *err)
{
    static const sbl_table_options none = {0};
    sbl_rows *made = NULL;
    sbl_status status = SBL_OK;
    *rows = NULL;
    if (options == NULL) options = &none;
    SBL_ALLOC(made, 1, table->name);
    made->format = table->format;
    made->listener = table->listener;
    if (table->written != NULL) {
        SBL_TRY(sbl_schema_copy(&made->own, schema, err));
        SBL_TRY(sbl_schema_apply_dialect(made->own, table->written, err));
        schema = made->own;
    }
    SBL_TRY(made->format->open_rows != NULL
                ? made->format->open_rows(&made->reading, table, schema, options, err)
                : open_by_cells(made, table, schema, options, err));
    *rows = made;
    made = NULL;
done:
    sbl_rows_close(made);
    return status;
}

void sbl_rows_close(sbl_rows *rows)
{
    if (rows == NULL) return;
    if (rows->format->close_rows != NULL) rows->format->close_rows(rows->reading);
    sbl_cell_reader_close(&rows->cells);
    sbl_binding_close(rows->typed);
    sbl_schema_free(rows->own);
    sbl_free(rows);
}

static void store_row(const sbl_rows *rows, sbl_batch *batch, size_t row)
{
    if (batch->units != NULL) batch->units[row] = (sbl_unit_tag){0};
    if (batch->keys != NULL) batch->keys[row] = (sbl_unit_tag){0};
    for (size_t i = 0; i < rows->cells.names.count; i++) {
        const sbl_cell *cell = &rows->cells.cells[i];
        if (sbl_binding_column(rows->typed, i) != NULL) {
            const sbl_binding_target to = sbl_binding_in_batch(rows->typed, i, batch);
            sbl_binding_cell(rows->typed, i, &to, row, cell);
        }
        if (sbl_binding_is_unit(rows->typed, i)) batch->units[row] = sbl_binding_unit(rows->typed, cell);
        if (sbl_binding_is_key(rows->typed, i)) batch->keys[row] = sbl_binding_unit(rows->typed, cell);
    }
}

sbl_status sbl_rows_read(sbl_rows *rows, sbl_batch *batch, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_report_rows_read(rows->listener, rows->read, err));
    if (rows->format->read_rows != NULL) {
        SBL_TRY(rows->format->read_rows(rows->reading, batch, err));
        rows->read += batch->rows;
        sbl_batch_clip(batch);
        return SBL_OK;
    }
    for (batch->rows = 0; batch->rows < batch->capacity; batch->rows++, rows->read++) {
        bool more = false;
        SBL_TRY(sbl_cell_reader_next(&rows->cells, &more, err));
        if (!more) break;
        store_row(rows, batch, batch->rows);
    }
    sbl_batch_clip(batch);
done:
    if (status != SBL_OK) batch->rows = 0;
    return status;
}

/* What is done for a batch after it was filled. */
typedef struct batch_finish {
    sbl_batch *const *batches;
    void (*done)(void *context, size_t batch);
    void *context;
} batch_finish;

static void finish_batch(void *context, size_t batch)
{
    const batch_finish *finish = context;
    sbl_batch_clip(finish->batches[batch]);
    finish->done(finish->context, batch);
}

sbl_status sbl_rows_read_many(sbl_rows *rows, sbl_batch *const *batches, size_t count,
                              void (*done)(void *context, size_t batch), void *context, sbl_error *err)
{
    batch_finish finish = {batches, done, context};
    if (rows->format->read_many == NULL || count < 2) {
        for (size_t k = 1; k < count; k++) batches[k]->rows = 0;
        SBL_CHECK(sbl_rows_read(rows, batches[0], err));
        done(context, 0);
        return SBL_OK;
    }
    SBL_CHECK(sbl_report_rows_read(rows->listener, rows->read, err));
    SBL_CHECK(rows->format->read_many(rows->reading, batches, count, finish_batch, &finish, err));
    for (size_t k = 0; k < count; k++) rows->read += batches[k]->rows;
    return SBL_OK;
}

static sbl_status read_all_rows(uint64_t *count, const sbl_table *table, const sbl_schema *schema,
                                sbl_error *err)
{
    sbl_rows *rows = NULL;
    sbl_batch *batch = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_rows_open(&rows, table, schema, NULL, err));
    SBL_TRY(sbl_batch_new(&batch, schema, COUNTED_BATCH, err));
    do {
        SBL_TRY(sbl_rows_read(rows, batch, err));
        *count += batch->rows;
    } while (batch->rows != 0);
done:
    sbl_rows_close(rows);
    sbl_batch_free(batch);
    return status;
}

sbl_status sbl_rows_count(uint64_t *count, const sbl_table *table, const sbl_schema *schema, sbl_error *err)
{
    sbl_schema *own = NULL;
    sbl_status status = SBL_OK;
    *count = 0;
    if (table->format->count == NULL) return read_all_rows(count, table, schema, err);
    if (table->written != NULL) {
        SBL_TRY(sbl_schema_copy(&own, schema, err));
        SBL_TRY(sbl_schema_apply_dialect(own, table->written, err));
        schema = own;
    }
    SBL_TRY(table->format->count(count, table, &schema->dialect, schema, err));
done:
    sbl_schema_free(own);
    return status;
}

sbl_status sbl_source_has_changed(const char *name, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT,
                    "%s changed after the first reading: read it when no program writes to it", name);
}
