/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the header line of a CSV file: the names of its columns, and how their cells are read. */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "records/formats/csv.h"
#include "records/rows/column_match.h"

/* The header's cells, copied out of the buffer. */
typedef struct header {
    sbl_column_name *names; /* text points into bytes */
    size_t count;
    char *bytes;
    bool malformed; /* one of them */
} header;

static void clear_header(header *line)
{
    sbl_free(line->names);
    sbl_free(line->bytes);
}

/* Walk over the header line; with line, fill it in. Returns the final line feed, NULL when a quote
 * stays open; *count the number of cells. */
static const char *walk_header(const sbl_csv_reader *reader, header *line, size_t *count)
{
    sbl_csv_cell cell;
    const char *p = reader->buffer + reader->start;
    char *name = line != NULL ? line->bytes : NULL;
    *count = 0;
    for (;; p++) {
        p = sbl_csv_cell_at(&cell, p, reader);
        if (p == NULL) return NULL;
        if (line != NULL) {
            line->names[*count] = (sbl_column_name){name, cell.length};
            line->malformed |= cell.malformed;
            memcpy(name, cell.text, cell.length);
            name += cell.length;
        }
        (*count)++;
        if (*p == '\n') return p;
    }
}

/* Have the whole first line in the buffer; its length without the line feed. */
static sbl_status find_header(sbl_csv_reader *reader, size_t *length, size_t *count, sbl_error *err)
{
    for (;;) {
        const char *from = reader->buffer + reader->start;
        const char *feed = walk_header(reader, NULL, count);
        const size_t left = reader->end - reader->start;
        if (feed != NULL && (reader->exhausted || feed < reader->buffer + reader->end)) {
            *length = (size_t)(feed - from);
            /* A quote that stays open on the first line would take records for a column's name. */
            if (reader->header && memchr(from, '\n', *length) != NULL)
                return sbl_fail(err, SBL_EINPUT, "%s: the header has a quote that is not closed on its line",
                                sbl_byte_source_name(reader->source));
            if (*length <= reader->record_limit) return SBL_OK;
        }
        if (reader->exhausted || left > reader->record_limit)
            return sbl_fail(err, SBL_EINPUT,
                            "%s: the header is longer than %zu bytes or has a quote that is not "
                            "closed",
                            sbl_byte_source_name(reader->source), reader->record_limit);
        const sbl_status status = sbl_csv_refill(reader, err);
        if (status != SBL_OK) return status;
    }
}

static sbl_status copy_header(header *line, sbl_csv_reader *reader, sbl_error *err)
{
    const char *source = sbl_byte_source_name(reader->source);
    size_t length = 0;
    size_t count = 0;
    sbl_status status = SBL_OK;
    SBL_TRY(find_header(reader, &length, &count, err));
    if (memchr(reader->buffer + reader->start, '\0', length) != NULL)
        SBL_FAIL(err, SBL_EINPUT, "%s is a binary file, not CSV", source);
    SBL_ALLOC(line->names, count, source);
    SBL_ALLOC(line->bytes, length + SBL_CSV_PADDING, source);
    const char *feed = walk_header(reader, line, &line->count);
    const size_t after = (size_t)(feed - reader->buffer) + 1;
    reader->crlf = length > 0 && feed[-1] == '\r';
    reader->start = after < reader->end ? after : reader->end;
    if (line->malformed)
        SBL_FAIL(err, SBL_EINPUT,
                 "%s: the header has text after a closing quote: are its columns separated by %s?", source,
                 sbl_delimiter_words(reader->delimiter));
done:
    return status;
}

/* ---- without a schema ---- */

static sbl_status copy_names(sbl_strings *names, const header *line, sbl_error *err)
{
    bool good = sbl_strings_reserve(names, line->count);
    for (size_t i = 0; good && i < line->count; i++) {
        sbl_text name = {0};
        sbl_text_append(&name, line->names[i].text, line->names[i].length);
        good = !name.failed && sbl_strings_add(names, name.data);
        sbl_text_clear(&name);
    }
    return good ? SBL_OK : sbl_no_memory(err, "the names of columns");
}

/* As many columns without a name as the first record has cells. */
static sbl_status count_columns(sbl_strings *names, sbl_csv_reader *reader, sbl_error *err)
{
    size_t length;
    size_t count = 0;
    const sbl_status status = find_header(reader, &length, &count, err);
    if (status != SBL_OK) return status;
    bool good = sbl_strings_reserve(names, count);
    for (size_t i = 0; good && i < count; i++) good = sbl_strings_add(names, "");
    return good ? SBL_OK : sbl_no_memory(err, "the names of columns");
}

sbl_status sbl_csv_read_names(sbl_csv_reader *reader, sbl_strings *names, sbl_error *err)
{
    header line = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_csv_reach_header(reader, err));
    if (reader->header) {
        SBL_TRY(copy_header(&line, reader, err));
        SBL_TRY(copy_names(names, &line, err));
    } else {
        SBL_TRY(count_columns(names, reader, err));
    }
    SBL_ALLOC(reader->fields, names->count, sbl_byte_source_name(reader->source));
    reader->field_count = names->count;
    for (size_t i = 0; i < names->count; i++) reader->fields[i].index = i;
done:
    clear_header(&line);
    if (status != SBL_OK) sbl_strings_clear(names);
    return status;
}

/* ---- with one ---- */

/* Without a header the columns are in the order of the schema, ignored ones included. */
static sbl_status take_schema_order(sbl_csv_reader *reader, const sbl_table_options *options, sbl_error *err)
{
    const sbl_schema *schema = reader->schema;
    const char *source = sbl_byte_source_name(reader->source);
    sbl_status status = SBL_OK;
    SBL_ALLOC(reader->fields, schema->column_count, source);
    reader->field_count = schema->column_count;
    for (size_t i = 0; i < schema->column_count; i++) {
        if (!sbl_field_point(&reader->fields[i], schema, i, reader->unit_key != NULL && i == schema->unit))
            SBL_TRY(sbl_no_memory(err, source));
        reader->fields[i].is_key = sbl_is_asked_key(schema, options, i);
    }
done:
    return status;
}

sbl_status sbl_csv_read_header(sbl_csv_reader *reader, const sbl_table_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    header line = {0};
    SBL_TRY(sbl_csv_reach_header(reader, err));
    if (!reader->header) {
        SBL_TRY(take_schema_order(reader, options, err));
        goto done;
    }
    SBL_TRY(copy_header(&line, reader, err));
    const sbl_match match = {.schema = reader->schema,
                             .options = options,
                             .table = sbl_byte_source_name(reader->source),
                             .delimiter = reader->delimiter,
                             .names = line.names,
                             .count = line.count};
    SBL_TRY(sbl_match_fields(&reader->fields, &match, err));
    reader->field_count = line.count;
done:
    clear_header(&line);
    return status;
}
