/* [1] Opens a table and reads rows into batches. Records are found in csv_scan.c and csv_row.c,
 * cells become values in csv_cell.c; here are the buffers, their sizes and their wiping. */
#include "table/reader.h"

#include <string.h>

#include "base/memory.h"
#include "table/csv.h"

#define DEFAULT_CHUNK ((size_t)256 << 10)

/* Takes the source, also on failure. One of schema and names is NULL; the dialect is the schema's
 * where there is one. */
static sbl_status open_source(sbl_table_reader **reader, sbl_byte_source *source,
                              const sbl_schema *schema, const sbl_dialect *written,
                              sbl_strings *names, const sbl_table_options *options, sbl_error *err)
{
    static const sbl_table_options none = {0};
    const sbl_dialect dialect = written != NULL ? *written : SBL_DIALECT_USUAL;
    sbl_table_reader *made = sbl_alloc_array(1, sizeof *made);
    if (made == NULL) {
        sbl_byte_source_free(source);
        return sbl_fail(err, SBL_EMEM, "out of memory while opening a table");
    }
    if (options == NULL) options = &none;
    made->source = source;
    made->schema = schema;
    made->unit_key = schema != NULL && schema->rows_per_unit != 0 ? options->unit_key : NULL;
    made->delimiter = dialect.delimiter;
    made->quote = dialect.quote;
    made->comment = dialect.comment;
    made->titles = dialect.titles;
    made->surely = dialect.surely;
    made->record_limit = options->record_limit != 0 ? options->record_limit : SBL_RECORD_LIMIT;
    made->chunk = options->chunk != 0 ? options->chunk : DEFAULT_CHUNK;
    made->capacity = made->record_limit + made->chunk + 4;
    made->buffer = sbl_alloc_array(made->capacity + SBL_CSV_PADDING, 1);
    made->scratch = sbl_alloc_array(made->record_limit + SBL_CSV_PADDING, 1);
    sbl_status status = SBL_OK;
    if (made->buffer == NULL || made->scratch == NULL)
        status =
            sbl_fail(err, SBL_EMEM, "out of memory while opening %s", sbl_byte_source_name(source));
    if (status == SBL_OK) status = sbl_byte_source_decode(source, dialect.encoding, err);
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

sbl_status sbl_table_open_raw(sbl_table_reader **reader, sbl_strings *names, const char *path,
                              const sbl_dialect *dialect, sbl_error *err)
{
    sbl_byte_source *source;
    *reader = NULL;
    const sbl_status status = sbl_byte_source_open(&source, path, err);
    return status == SBL_OK ? open_source(reader, source, NULL, dialect, names, NULL, err) : status;
}

sbl_status sbl_table_open_raw_memory(sbl_table_reader **reader, sbl_strings *names,
                                     const void *bytes, size_t size, const char *name,
                                     const sbl_dialect *dialect, sbl_error *err)
{
    sbl_byte_source *source;
    *reader = NULL;
    const sbl_status status = sbl_byte_source_open_memory(&source, bytes, size, name, err);
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

sbl_status sbl_table_read_raw(sbl_table_reader *reader, size_t *rows, size_t most,
                              sbl_raw_cell cell, void *context, sbl_error *err)
{
    bool found = true;
    sbl_status status = SBL_OK;
    reader->raw = cell;
    reader->raw_context = context;
    *rows = 0;
    while (status == SBL_OK && found && *rows < most) {
        status = sbl_csv_next_row(reader, NULL, *rows, &found, err);
        *rows += status == SBL_OK && found;
    }
    if (status != SBL_OK) *rows = 0;
    return status;
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
    for (size_t i = 0; i < reader->field_count; i++) sbl_lookup_clear(&reader->fields[i].lookup);
    sbl_free(reader->fields);
    sbl_free_wiped(reader->buffer, reader->capacity);
    sbl_free_wiped(reader->scratch, reader->record_limit);
    sbl_byte_source_free(reader->source);
    sbl_free(reader);
}
