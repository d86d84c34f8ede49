/* The first line: which column of the file is which column of the schema. Until every column was
 * found, the line may be a record (a file without a header), so that messages quote the schema
 * only. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "schema/calendar.h"
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
    field->plain_numbers = column->kind == SBL_COLUMN_NUMBER && !sbl_column_is_marked(column);
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
            return sbl_fail(err, SBL_EINPUT,
                            "%s: the header has text after a closing quote: are its columns "
                            "separated by %s?",
                            sbl_byte_source_name(reader->source),
                            sbl_delimiter_words(reader->delimiter));
    return SBL_OK;
}

/* What field i of the file is read as; false: out of memory. */
static bool point_field(const sbl_table_reader *reader, size_t i, size_t column)
{
    const sbl_schema *schema = reader->schema;
    sbl_csv_field *field = &reader->fields[i];
    field->is_unit = reader->unit_key != NULL && column == schema->unit;
    if (schema->columns[column].kind == SBL_COLUMN_IGNORED) return true;
    field->column = &schema->columns[column];
    field->index = column;
    return fill_lookup(field);
}

/* Where it is asked whose row each is, one column says so: else every row would count as a person. */
static sbl_status check_unit(const sbl_table_reader *reader, sbl_error *err)
{
    size_t units = 0;
    for (size_t i = 0; i < reader->field_count; i++) units += reader->fields[i].is_unit ? 1 : 0;
    return reader->unit_key == NULL || units == 1
               ? SBL_OK
               : sbl_fail(err, SBL_EINTERNAL, "%s: no column says whose row it is",
                          sbl_byte_source_name(reader->source));
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
        if (!point_field(reader, i, found)) return fail_memory(reader, err);
    }
    return SBL_OK;
}

/* How many columns of the schema the first line would name if another sign separated them. */
static size_t named_with(const sbl_lookup *names, const header *line, char delimiter)
{
    size_t found = 0;
    for (size_t i = 0; i < line->count; i++) {
        const char *text = line->cells[i].text;
        size_t left = line->cells[i].length;
        for (;;) {
            char name[256 + SBL_LOOKUP_PADDING] = {0};
            const char *end = memchr(text, delimiter, left);
            const size_t length = end != NULL ? (size_t)(end - text) : left;
            const bool quoted = length >= 2 && text[0] == '"' && text[length - 1] == '"';
            if (length < 256) {
                memcpy(name, text + (quoted ? 1 : 0), length - (quoted ? 2 : 0));
                found += sbl_lookup_find(names, name, strlen(name)) != SBL_LOOKUP_NONE;
            }
            if (end == NULL) break;
            left -= length + 1;
            text = end + 1;
        }
    }
    return found;
}

/* The sign that separates names that the schema knows; 0: none does. */
static char other_delimiter(const sbl_lookup *names, const header *line, char own)
{
    static const char signs[] = ",;\t|:";
    char best = 0;
    size_t most = 0;
    for (const char *sign = signs; *sign != '\0'; sign++) {
        const size_t found = *sign != own ? named_with(names, line, *sign) : 0;
        if (found > most) {
            most = found;
            best = *sign;
        }
    }
    return best;
}

/* A name of the header that is the schema's but for case and blanks around it: so it is no cell of a
 * record that a message must not show. */
static bool nearly_named(char seen[128], const header *line, const char *wanted)
{
    const size_t size = strlen(wanted);
    for (size_t i = 0; i < line->count; i++) {
        const char *text = line->cells[i].text;
        size_t length = line->cells[i].length;
        while (length > 0 && (*text == ' ' || *text == '\t')) text++, length--;
        while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t')) length--;
        if (length != size || strncasecmp(text, wanted, size) != 0) continue;
        printable_name(seen, line->cells[i].text, line->cells[i].length);
        return true;
    }
    return false;
}

static sbl_status fail_no_header(const sbl_table_reader *reader, const header *line,
                                 const sbl_lookup *names, const char *source, sbl_error *err)
{
    char seen[128];
    const char sign = other_delimiter(names, line, reader->delimiter);
    if (sign != 0)
        return sbl_fail(err, SBL_EINPUT,
                        "%s: its columns are separated by %s, not by %s: say so in the schema, "
                        "\"dialect\": {\"delimiter\": \"%s\"}",
                        source, sbl_delimiter_words(sign), sbl_delimiter_words(reader->delimiter),
                        sign == '\t' ? "\\t" : (char[]){sign, '\0'});
    for (size_t i = 0; i < reader->schema->column_count; i++)
        if (nearly_named(seen, line, reader->schema->columns[i].name))
            return sbl_fail(err, SBL_EINPUT,
                            "%s names no column as the schema does: it has '%s' where the schema "
                            "has '%.100s'",
                            source, seen, reader->schema->columns[i].name);
    return sbl_fail(err, SBL_EINPUT,
                    "%s has no header: its first line must hold the column names, separated by "
                    "%s, and names no column of the schema",
                    source, sbl_delimiter_words(reader->delimiter));
}

static sbl_status check_missing(const sbl_table_reader *reader, const header *line,
                                const sbl_lookup *names, const bool *seen, sbl_error *err)
{
    char near[128];
    const sbl_schema *schema = reader->schema;
    const char *source = sbl_byte_source_name(reader->source);
    size_t missing = 0;
    size_t first = 0;
    size_t found = 0;
    for (size_t i = schema->column_count; i-- > 0;) {
        found += seen[i];
        const bool is_unit = reader->unit_key != NULL && i == schema->unit;
        if (seen[i] || (schema->columns[i].kind == SBL_COLUMN_IGNORED && !is_unit)) continue;
        missing++;
        first = i;
    }
    if (missing == 0) return SBL_OK;
    if (found == 0) return fail_no_header(reader, line, names, source, err);
    if (nearly_named(near, line, schema->columns[first].name))
        return sbl_fail(err, SBL_EINPUT,
                        "%s: column '%.100s' is missing from the header, which has '%s': write one "
                        "as the other",
                        source, schema->columns[first].name, near);
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
    SBL_TRY(check_missing(reader, line, &names, seen, err));
    SBL_TRY(report_extra(reader, line, &names, options, err));
done:
    sbl_lookup_clear(&names);
    sbl_free(seen);
    return status;
}

/* ---- without a schema ---- */

#define MOST_COLUMNS 32768 /* as of a schema */

/* A number, which may have a decimal comma, or a date. */
static bool is_a_value(const sbl_csv_cell *cell)
{
    static const sbl_column german = {.decimal_char = ',', .group_char = '.', .bare = true};
    double number;
    int64_t whole;
    return sbl_decimal_parse(&number, cell->text, cell->length) ||
           sbl_number_read(&number, &german, cell->text, cell->length) ||
           sbl_date_parse(&whole, cell->text, cell->length) ||
           sbl_datetime_parse(&whole, NULL, cell->text, cell->length);
}

/* Can this be the name of a column? A record's cell often cannot. */
static bool is_a_name(const sbl_csv_cell *cell, bool surely)
{
    if (cell->length == 0 || (!surely && is_a_value(cell))) return false;
    for (size_t i = 0; i < cell->length;) {
        const size_t part = sbl_utf8_length(cell->text + i, cell->length - i);
        const unsigned char first = (unsigned char)cell->text[i];
        if (part == 0 || first < 0x20 || first == 0x7f) return false;
        i += part;
    }
    return true;
}

static sbl_status copy_names(sbl_strings *names, const header *line, sbl_error *err)
{
    bool good = sbl_strings_reserve(names, line->count);
    for (size_t i = 0; good && i < line->count; i++) {
        sbl_text name = {0};
        sbl_text_append(&name, line->cells[i].text, line->cells[i].length);
        good = !name.failed && sbl_strings_add(names, name.data);
        sbl_text_clear(&name);
    }
    return good ? SBL_OK : sbl_fail(err, SBL_EMEM, "out of memory for the names of columns");
}

static sbl_status check_names(const header *line, const sbl_table_reader *reader, sbl_error *err)
{
    const char *source = sbl_byte_source_name(reader->source);
    if (line->count > MOST_COLUMNS)
        return sbl_fail(err, SBL_EINPUT, "%s has more than %d columns", source, MOST_COLUMNS);
    for (size_t i = 0; i < line->count; i++) {
        if (is_a_name(&line->cells[i], reader->surely)) continue;
        if (reader->surely)
            return sbl_fail(err, SBL_EINPUT, "%s: column %zu has no name, or one that is no text",
                            source, i + 1);
        return sbl_fail(err, SBL_EINPUT,
                        "%s has no header: its first line must name every column, and cell "
                        "%zu of it is no name but empty, a number, a date or no text",
                        source, i + 1);
    }
    return SBL_OK;
}

/* Reorders the header. */
static sbl_status check_no_name_twice(header *line, const char *source, sbl_error *err)
{
    bool twice = false;
    qsort(line->cells, line->count, sizeof *line->cells, compare_cells);
    for (size_t i = 1; i < line->count; i++)
        twice = twice || compare_cells(&line->cells[i - 1], &line->cells[i]) == 0;
    return twice ? sbl_fail(err, SBL_EINPUT, "%s: two columns have the same name in the header",
                            source)
                 : SBL_OK;
}

sbl_status sbl_csv_read_names(sbl_table_reader *reader, sbl_strings *names, sbl_error *err)
{
    header line = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_csv_reach_header(reader, err));
    SBL_TRY(copy_header(&line, reader, err));
    reader->fields = sbl_alloc_array(line.count, sizeof *reader->fields);
    if (reader->fields == NULL) {
        status = fail_memory(reader, err);
        goto done;
    }
    reader->field_count = line.count;
    for (size_t i = 0; i < line.count; i++) reader->fields[i].index = i;
    SBL_TRY(check_names(&line, reader, err));
    SBL_TRY(copy_names(names, &line, err));
    SBL_TRY(check_no_name_twice(&line, sbl_byte_source_name(reader->source), err));
done:
    clear_header(&line);
    if (status != SBL_OK) sbl_strings_clear(names);
    return status;
}

/* ---- with one ---- */

/* Without a header the columns stand as the schema lists them, ignored ones among them. */
static sbl_status take_schema_order(sbl_table_reader *reader, sbl_error *err)
{
    const sbl_schema *schema = reader->schema;
    reader->fields = sbl_alloc_array(schema->column_count, sizeof *reader->fields);
    if (reader->fields == NULL) return fail_memory(reader, err);
    reader->field_count = schema->column_count;
    for (size_t i = 0; i < schema->column_count; i++)
        if (!point_field(reader, i, i)) return fail_memory(reader, err);
    return SBL_OK;
}

sbl_status sbl_csv_read_header(sbl_table_reader *reader, const sbl_table_options *options,
                               sbl_error *err)
{
    sbl_status status;
    header line = {0};
    SBL_TRY(sbl_csv_reach_header(reader, err));
    if (reader->schema->dialect.header) {
        SBL_TRY(copy_header(&line, reader, err));
        SBL_TRY(match_header(reader, &line, options, err));
    } else {
        SBL_TRY(take_schema_order(reader, err));
    }
    SBL_TRY(check_unit(reader, err));
done:
    clear_header(&line);
    return status;
}
