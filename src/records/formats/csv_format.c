/* SPDX-License-Identifier: Apache-2.0 */
/* [1] CSV as a format (table.h): opens a reading and gives rows in batches, or cells as they are. csv.c and
 * csv_row.c find the records, and cell_decode.c turns cells into values. This file has the buffers, their
 * sizes and their wiping. */
#include "base/alloc.h"
#include "base/compute/threads.h"
#include "records/formats/csv.h"
#include "records/rows/table.h"

#define DEFAULT_CHUNK ((size_t)256 << 10)

static void close_reader(void *reading)
{
    sbl_csv_reader *reader = reading;
    if (reader == NULL) return;
    sbl_csv_ranges_free(reader->ranges);
    sbl_fields_free(reader->fields, reader->field_count);
    sbl_free_wiped(reader->buffer, reader->capacity);
    sbl_free_wiped(reader->scratch, reader->record_limit);
    sbl_byte_source_free(reader->source);
    sbl_free(reader);
}

static sbl_status open_source(sbl_byte_source **source, const sbl_table *table, sbl_error *err)
{
    const sbl_csv_bytes *memory = table->state;
    return memory != NULL ? sbl_byte_source_open_memory(source, memory->bytes, memory->size, table->name, err)
                          : sbl_byte_source_open(source, table->path, err);
}

/* One of schema and names is NULL. */
static sbl_status open_reader(void **reading, const sbl_table *table, const sbl_schema *schema,
                              const sbl_dialect *dialect, sbl_strings *names,
                              const sbl_table_options *options, sbl_error *err)
{
    sbl_csv_reader *made = NULL;
    sbl_status status = SBL_OK;
    *reading = NULL;
    SBL_ALLOC(made, 1, table->name);
    made->schema = schema;
    made->unit_key = schema != NULL && schema->rows_per_unit != 0 ? options->unit_key : NULL;
    made->delimiter = dialect->delimiter;
    made->quote = dialect->quote;
    made->comment = dialect->comment;
    made->titles = dialect->titles;
    made->header = dialect->header;
    made->diagnosis = options->diagnosis;
    made->record_limit = options->record_limit != 0 ? options->record_limit : SBL_RECORD_LIMIT;
    made->chunk_given = options->chunk != 0;
    made->chunk = made->chunk_given ? options->chunk : DEFAULT_CHUNK;
    made->capacity = made->record_limit + made->chunk + 4;
    SBL_TRY(open_source(&made->source, table, err));
    SBL_ALLOC(made->buffer, made->capacity + SBL_CSV_PADDING, table->name);
    SBL_ALLOC(made->scratch, made->record_limit + SBL_CSV_PADDING, table->name);
    SBL_TRY(sbl_byte_source_decode(made->source, dialect->encoding, err));
    SBL_TRY(schema != NULL ? sbl_csv_read_header(made, options, err) : sbl_csv_read_names(made, names, err));
    *reading = made;
    made = NULL;
done:
    close_reader(made);
    return status;
}

static sbl_status open_cells(void **reading, const sbl_table *table, const sbl_dialect *dialect,
                             sbl_strings *names, sbl_error *err)
{
    static const sbl_table_options none = {0};
    return open_reader(reading, table, NULL, dialect, names, &none, err);
}

static bool ends_crlf(const void *reading) { return ((const sbl_csv_reader *)reading)->crlf; }

static sbl_status next_cells(void *reading, sbl_cell *cells, bool *more, sbl_error *err)
{
    sbl_csv_reader *reader = reading;
    reader->cells = cells;
    return sbl_csv_next_row(reader, NULL, 0, more, err);
}

static sbl_status count_rows(uint64_t *rows, const sbl_table *table, const sbl_dialect *dialect,
                             const sbl_schema *schema, sbl_error *err)
{
    static const sbl_table_options none = {0};
    void *reader = NULL;
    sbl_strings names = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(open_reader(&reader, table, schema, dialect, &names, &none, err));
    SBL_TRY(sbl_csv_count_many(rows, reader, (size_t)sbl_thread_limit(), table->listener, err));
done:
    close_reader(reader);
    sbl_strings_clear(&names);
    return status;
}

static sbl_status open_rows(void **reading, const sbl_table *table, const sbl_schema *schema,
                            const sbl_table_options *options, sbl_error *err)
{
    return open_reader(reading, table, schema, &schema->dialect, NULL, options, err);
}

sbl_status sbl_csv_read_rows(sbl_csv_reader *reader, sbl_batch *batch, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (batch->rows = 0; batch->rows < batch->capacity; batch->rows++) {
        bool found;
        SBL_TRY(sbl_csv_next_row(reader, batch, batch->rows, &found, err));
        if (!found) break;
    }
done:
    if (status != SBL_OK) batch->rows = 0;
    return status;
}

static sbl_status read_rows(void *reading, sbl_batch *batch, sbl_error *err)
{
    return sbl_csv_read_rows(reading, batch, err);
}

static sbl_status read_many(void *reading, sbl_batch *const *batches, size_t count,
                            void (*done)(void *context, size_t batch), void *context, sbl_error *err)
{
    return sbl_csv_read_many(reading, batches, count, done, context, err);
}

const sbl_format sbl_csv_format = {.open = open_cells,
                                   .next = next_cells,
                                   .close = close_reader,
                                   .count = count_rows,
                                   .open_rows = open_rows,
                                   .read_rows = read_rows,
                                   .read_many = read_many,
                                   .close_rows = close_reader,
                                   .ends_crlf = ends_crlf,
                                   .sniff = sbl_sniff_table,
                                   .is_text = true};
