/* [1] Opens a table and reads rows into batches. Records are found in csv_scan.c and csv_row.c,
 * cells become values in csv_cell.c; here are the buffers, their sizes and their wiping. */
#include "table/reader.h"

#include <string.h>

#include "base/memory.h"
#include "table/csv.h"
#include "table/sniff.h"

#define DEFAULT_CHUNK ((size_t)256 << 10)

/* Takes the source, also on failure. One of schema and names is NULL. */
static sbl_status open_source(sbl_table_reader **reader, sbl_byte_source *source,
                              const sbl_schema *schema, const sbl_dialect *dialect,
                              sbl_strings *names, const sbl_table_options *options, sbl_error *err)
{
    static const sbl_table_options none = {0};
    sbl_table_reader *made = sbl_alloc_array(1, sizeof *made);
    if (made == NULL) {
        sbl_byte_source_free(source);
        return sbl_fail(err, SBL_EMEM, "out of memory while opening a table");
    }
    if (options == NULL) options = &none;
    made->source = source;
    made->schema = schema;
    made->unit_key = schema != NULL && schema->rows_per_unit != 0 ? options->unit_key : NULL;
    made->delimiter = dialect->delimiter;
    made->quote = dialect->quote;
    made->comment = dialect->comment;
    made->titles = dialect->titles;
    made->header = dialect->header;
    made->diagnosis = options->diagnosis;
    made->record_limit = options->record_limit != 0 ? options->record_limit : SBL_RECORD_LIMIT;
    made->chunk = options->chunk != 0 ? options->chunk : DEFAULT_CHUNK;
    made->capacity = made->record_limit + made->chunk + 4;
    made->buffer = sbl_alloc_array(made->capacity + SBL_CSV_PADDING, 1);
    made->scratch = sbl_alloc_array(made->record_limit + SBL_CSV_PADDING, 1);
    sbl_status status = SBL_OK;
    if (made->buffer == NULL || made->scratch == NULL)
        status =
            sbl_fail(err, SBL_EMEM, "out of memory while opening %s", sbl_byte_source_name(source));
    if (status == SBL_OK) status = sbl_byte_source_decode(source, dialect->encoding, err);
    if (status == SBL_OK)
        status = schema != NULL ? sbl_csv_read_header(made, options, err)
                                : sbl_csv_read_names(made, names, err);
    if (status == SBL_OK)
        *reader = made;
    else
        sbl_table_close(made);
    return status;
}

sbl_status sbl_table_open(sbl_table_reader **reader, const char *path, const sbl_schema *schema,
                          const sbl_table_options *options, sbl_error *err)
{
    sbl_byte_source *source;
    *reader = NULL;
    const sbl_status status = sbl_byte_source_open(&source, path, err);
    return status == SBL_OK
               ? open_source(reader, source, schema, &schema->dialect, NULL, options, err)
               : status;
}

sbl_status sbl_table_open_cells(sbl_table_reader **reader, sbl_strings *names, const char *path,
                                const sbl_dialect *dialect, sbl_error *err)
{
    sbl_byte_source *source;
    *reader = NULL;
    const sbl_status status = sbl_byte_source_open(&source, path, err);
    return status == SBL_OK ? open_source(reader, source, NULL, dialect, names, NULL, err) : status;
}

sbl_status sbl_table_open_memory(sbl_table_reader **reader, const void *bytes, size_t size,
                                 const char *name, const sbl_schema *schema,
                                 const sbl_table_options *options, sbl_error *err)
{
    sbl_byte_source *source;
    *reader = NULL;
    const sbl_status status = sbl_byte_source_open_memory(&source, bytes, size, name, err);
    return status == SBL_OK
               ? open_source(reader, source, schema, &schema->dialect, NULL, options, err)
               : status;
}

sbl_status sbl_table_read_cells(sbl_table_reader *reader, sbl_cell *cells, bool *more,
                                sbl_error *err)
{
    reader->cells = cells;
    return sbl_csv_next_row(reader, NULL, 0, more, err);
}

sbl_status sbl_table_read(sbl_table_reader *reader, sbl_batch *batch, sbl_error *err)
{
    batch->rows = 0;
    while (batch->rows < batch->capacity) {
        bool found;
        const sbl_status status = sbl_csv_next_row(reader, batch, batch->rows, &found, err);
        if (status != SBL_OK) {
            batch->rows = 0;
            return status;
        }
        if (!found) break;
        batch->rows++;
    }
    return SBL_OK;
}

void sbl_table_close(sbl_table_reader *reader)
{
    if (reader == NULL) return;
    sbl_fields_free(reader->fields, reader->field_count);
    sbl_free_wiped(reader->buffer, reader->capacity);
    sbl_free_wiped(reader->scratch, reader->record_limit);
    sbl_byte_source_free(reader->source);
    sbl_free(reader);
}

/* ---- as a format ---- */

static sbl_status open_cells(void **reading, const sbl_table *table, const sbl_dialect *dialect,
                             sbl_strings *names, sbl_error *err)
{
    sbl_table_reader *reader;
    const sbl_status status = sbl_table_open_cells(&reader, names, table->path, dialect, err);
    *reading = reader;
    return status;
}

static sbl_status next_cells(void *reading, sbl_cell *cells, bool *more, sbl_error *err)
{
    return sbl_table_read_cells(reading, cells, more, err);
}

static sbl_status open_rows(void **reading, const sbl_table *table, const sbl_schema *schema,
                            const sbl_table_options *options, sbl_error *err)
{
    sbl_table_reader *reader;
    const sbl_status status = sbl_table_open(&reader, table->path, schema, options, err);
    *reading = reader;
    return status;
}

static sbl_status read_rows(void *reading, sbl_batch *batch, sbl_error *err)
{
    return sbl_table_read(reading, batch, err);
}

static void close_reading(void *reading) { sbl_table_close(reading); }

const sbl_format sbl_csv_format = {.open = open_cells,
                                   .next = next_cells,
                                   .close = close_reading,
                                   .open_rows = open_rows,
                                   .read_rows = read_rows,
                                   .close_rows = close_reading,
                                   .sniff = sbl_sniff_table,
                                   .is_text = true};
