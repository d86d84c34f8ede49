/* The first line: which column of the file is which column of the schema. Until every column was
 * found, the line may be a record (a file without a header), so that messages quote the schema
 * only. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "table/csv.h"
#include "table/decimal.h"

/* A name fit for a message: one line of valid text, not too long. */
static void printable_name(char shown[128], const char *name, size_t length)
{
    size_t used = 0;
    while (length > 0 && used + 8 < 128) {
        size_t part = sbl_utf8_length(name, length);
        const bool control = part == 1 && ((unsigned char)*name < 0x20 || *name == 0x7f);
        if (part == 0 || control) {
            part = 1;
            shown[used++] = '?';
        } else {
            memcpy(shown + used, name, part);
            used += part;
        }
        name += part;
        length -= part;
    }
    if (length > 0) {
        memcpy(shown + used, "...", 3);
        used += 3;
    }
    shown[used] = '\0';
}

/* Texts that a cell of this column may hold, with their codes. */
static bool fill_lookup(sbl_csv_field *field)
{
    const sbl_column *column = field->column;
    const sbl_strings *lists[] = {&column->false_values, &column->true_values};
    const size_t truths = column->false_values.count + column->true_values.count;
    field->missing_code = sbl_column_missing_code(column);
    if (!sbl_lookup_init(&field->lookup,
                         column->categories.count + column->missing_values.count + truths))
        return false;
    for (size_t i = 0; i < column->categories.count; i++)
        sbl_lookup_add(&field->lookup, column->categories.items[i], (uint32_t)i);
    for (uint32_t code = 0; code < 2; code++)
        for (size_t i = 0; i < lists[code]->count; i++)
            sbl_lookup_add(&field->lookup, lists[code]->items[i], code);
    field->plain_numbers = column->kind == SBL_COLUMN_NUMBER;
    for (size_t i = 0; i < column->missing_values.count; i++) {
        double number;
        const char *text = column->missing_values.items[i];
        sbl_lookup_add(&field->lookup, text, field->missing_code);
        if (sbl_decimal_parse(&number, text, strlen(text))) field->plain_numbers = false;
    }
    return true;
}

static sbl_status fail_memory(const sbl_table_reader *reader, sbl_error *err)
{
    return sbl_fail(err, SBL_EMEM, "out of memory while reading %s",
                    sbl_byte_source_name(reader->source));
}

/* The header's cells, copied out of the buffer. */
typedef struct header {
    sbl_csv_cell *cells; /* text points into names */
    size_t count;
    char *names;
} header;

static void clear_header(header *line)
{
    sbl_free(line->cells);
    sbl_free(line->names);
}

/* Walk over the header line; with line, fill it in. Returns the final line feed, NULL when a quote
 * stays open; *count the number of cells. */
static const char *walk_header(const sbl_table_reader *reader, header *line, size_t *count)
{
    sbl_csv_cell cell;
    const char *p = reader->buffer + reader->start;
    char *name = line != NULL ? line->names : NULL;
    *count = 0;
    for (;; p++) {
        p = sbl_csv_cell_at(&cell, p, reader);
        if (p == NULL) return NULL;
        if (line != NULL) {
            line->cells[*count] = (sbl_csv_cell){name, cell.length, cell.malformed};
            memcpy(name, cell.text, cell.length);
            name += cell.length;
        }
        (*count)++;
        if (*p == '\n') return p;
    }
}

/* Have the whole first line in the buffer; its length without the line feed. */
static sbl_status find_header(sbl_table_reader *reader, size_t *length, size_t *count,
                              sbl_error *err)
{
    for (;;) {
        const char *from = reader->buffer + reader->start;
        const char *feed = walk_header(reader, NULL, count);
        const size_t left = reader->end - reader->start;
        if (feed != NULL && (reader->exhausted || feed < reader->buffer + reader->end)) {
            *length = (size_t)(feed - from);
            /* A quote that stays open on the first line would take records for a column's name. */
            if (memchr(from, '\n', *length) != NULL)
                return sbl_fail(err, SBL_EINPUT,
                                "%s: the header has a quote that is not closed on its line",
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

static sbl_status copy_header(header *line, sbl_table_reader *reader, sbl_error *err)
{
    size_t length = 0;
    size_t count;
    const sbl_status status = find_header(reader, &length, &count, err);
    if (status != SBL_OK) return status;
    if (memchr(reader->buffer + reader->start, '\0', length) != NULL)
        return sbl_fail(err, SBL_EINPUT, "%s is a binary file, not CSV",
                        sbl_byte_source_name(reader->source));
    line->cells = sbl_alloc_array(count, sizeof *line->cells);
    line->names = sbl_alloc_array(length + SBL_CSV_PADDING, 1);
    if (line->cells == NULL || line->names == NULL) return fail_memory(reader, err);
    const char *feed = walk_header(reader, line, &line->count);
    const size_t after = (size_t)(feed - reader->buffer) + 1;
    reader->start = after < reader->end ? after : reader->end;
    for (size_t i = 0; i < line->count; i++)
        if (line->cells[i].malformed)
            return sbl_fail(err, SBL_EINPUT, "%s: the header has text after a closing quote",
                            sbl_byte_source_name(reader->source));
    return SBL_OK;
}

/* Formats that people hand in by mistake, by their first bytes. */
static sbl_status check_magic(sbl_table_reader *reader, sbl_error *err)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *name;
    } formats[] = {{"PK\3\4", 4, "a zip or spreadsheet file"},
                   {"PAR1", 4, "a Parquet file"},
                   {"\xff\xfe", 2, "UTF-16 text"},
                   {"\xfe\xff", 2, "UTF-16 text"},
                   {"\x28\xb5\x2f\xfd", 4, "a zstd file"}};
    const char *name = sbl_byte_source_name(reader->source);
    if (reader->end >= 3 && memcmp(reader->buffer, "\xef\xbb\xbf", 3) == 0) reader->start = 3;
    if (reader->start == reader->end) return sbl_fail(err, SBL_EINPUT, "%s is empty", name);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (reader->end >= formats[i].length &&
            memcmp(reader->buffer, formats[i].bytes, formats[i].length) == 0)
            return sbl_fail(err, SBL_EINPUT, "%s is %s: save it as CSV in UTF-8", name,
                            formats[i].name);
    return SBL_OK;
}

/* Point each field to its column; each column of the schema at most once. */
static sbl_status match_columns(sbl_table_reader *reader, const header *line,
                                const sbl_lookup *names, bool *seen, sbl_error *err)
{
    const sbl_schema *schema = reader->schema;
    for (size_t i = 0; i < line->count; i++) {
        const uint32_t found = sbl_lookup_find(names, line->cells[i].text, line->cells[i].length);
        if (found == SBL_LOOKUP_NONE) continue;
        if (seen[found])
            return sbl_fail(err, SBL_EINPUT, "%s: column '%s' is in the header twice",
                            sbl_byte_source_name(reader->source), schema->columns[found].name);
        seen[found] = true;
        if (schema->columns[found].kind == SBL_COLUMN_IGNORED) continue;
        reader->fields[i].column = &schema->columns[found];
        reader->fields[i].index = found;
        if (!fill_lookup(&reader->fields[i])) return fail_memory(reader, err);
    }
    return SBL_OK;
}

static sbl_status check_missing(const sbl_table_reader *reader, const bool *seen, sbl_error *err)
{
    const sbl_schema *schema = reader->schema;
    const char *source = sbl_byte_source_name(reader->source);
    size_t missing = 0;
    size_t first = 0;
    size_t found = 0;
    for (size_t i = schema->column_count; i-- > 0;) {
        found += seen[i];
        if (seen[i] || schema->columns[i].kind == SBL_COLUMN_IGNORED) continue;
        missing++;
        first = i;
    }
    if (missing == 0) return SBL_OK;
    if (found == 0)
        return sbl_fail(err, SBL_EINPUT,
                        "%s has no header: its first line must hold the column names, separated by "
                        "commas, and names no column of the schema",
                        source);
    if (missing == 1)
        return sbl_fail(err, SBL_EINPUT, "%s: column '%s' is missing from the header", source,
                        schema->columns[first].name);
    return sbl_fail(err, SBL_EINPUT, "%s: column '%s' and %zu more are missing from the header",
                    source, schema->columns[first].name, missing - 1);
}

static int compare_cells(const void *a, const void *b)
{
    const sbl_csv_cell *left = a;
    const sbl_csv_cell *right = b;
    const size_t shorter = left->length < right->length ? left->length : right->length;
    const int order = memcmp(left->text, right->text, shorter);
    if (order != 0) return order;
    return (left->length > right->length) - (left->length < right->length);
}

/* Columns beyond the schema: told, and refused when two have the same name (it would be unclear
 * which one a later schema means); a column without a name is passed over. Reorders the header. */
static sbl_status report_extra(const sbl_table_reader *reader, header *line,
                               const sbl_lookup *names, const sbl_table_options *options,
                               sbl_error *err)
{
    char shown[128];
    for (size_t i = 0; i < line->count && options->extra_column != NULL; i++) {
        const sbl_csv_cell *cell = &line->cells[i];
        if (sbl_lookup_find(names, cell->text, cell->length) != SBL_LOOKUP_NONE) continue;
        printable_name(shown, cell->text, cell->length);
        options->extra_column(options->context, shown);
    }
    qsort(line->cells, line->count, sizeof *line->cells, compare_cells);
    for (size_t i = 1; i < line->count; i++)
        if (line->cells[i].length > 0 && compare_cells(&line->cells[i - 1], &line->cells[i]) == 0)
            return sbl_fail(err, SBL_EINPUT, "%s: two columns beyond the schema have the same name",
                            sbl_byte_source_name(reader->source));
    return SBL_OK;
}

static sbl_status match_header(sbl_table_reader *reader, header *line,
                               const sbl_table_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const sbl_schema *schema = reader->schema;
    sbl_lookup names = {0};
    bool *seen = sbl_alloc_array(schema->column_count, sizeof *seen);
    reader->fields = sbl_alloc_array(line->count, sizeof *reader->fields);
    reader->field_count = reader->fields != NULL ? line->count : 0;
    if (seen == NULL || reader->fields == NULL || !sbl_lookup_init(&names, schema->column_count)) {
        status = fail_memory(reader, err);
        goto done;
    }
    for (size_t i = 0; i < schema->column_count; i++)
        sbl_lookup_add(&names, schema->columns[i].name, (uint32_t)i);
    SBL_TRY(match_columns(reader, line, &names, seen, err));
    SBL_TRY(check_missing(reader, seen, err));
    SBL_TRY(report_extra(reader, line, &names, options, err));
done:
    sbl_lookup_clear(&names);
    sbl_free(seen);
    return status;
}

sbl_status sbl_csv_read_header(sbl_table_reader *reader, const sbl_table_options *options,
                               sbl_error *err)
{
    sbl_status status;
    header line = {0};
    do { /* four bytes tell what kind of file it is */
        SBL_TRY(sbl_csv_refill(reader, err));
    } while (reader->end < 4 && !reader->exhausted);
    SBL_TRY(check_magic(reader, err));
    SBL_TRY(copy_header(&line, reader, err));
    SBL_TRY(match_header(reader, &line, options, err));
done:
    clear_header(&line);
    return status;
}
