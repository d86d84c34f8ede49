/* SPDX-License-Identifier: Apache-2.0 */
/* Looks names up as cells are. Until every column is found, a header line may be a record (in a file
 * without a header), so messages quote the schema only. */
#include "records/rows/column_match.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/text.h"
#include "public/rows/decimal.h"
#include "public/schema/calendar.h"

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

/* Where it is asked whose row each is, one column says so: else every row would count as a person. */
static sbl_status check_unit(const sbl_match *match, const sbl_field *fields, sbl_error *err)
{
    size_t units = 0;
    for (size_t i = 0; i < match->count; i++) units += fields[i].is_unit ? 1 : 0;
    return !sbl_needs_units(match->schema, match->options) || units == 1
               ? SBL_OK
               : sbl_fail(err, SBL_EINTERNAL, "%s: no column identifies the person", match->table);
}

static sbl_status fail_twice(const sbl_match *match, const char *column, sbl_error *err)
{
    return match->delimiter != 0
               ? sbl_fail(err, SBL_EINPUT, "%s: column '%s' is in the header twice: rename one", match->table,
                          column)
               : sbl_fail(err, SBL_EINPUT, "%s has two columns named '%.100s': rename one", match->table,
                          column);
}

/* Point each field to its column; each column of the schema at most once. */
static sbl_status point_fields(sbl_field *fields, const sbl_match *match, const sbl_lookup *names, bool *seen,
                               sbl_error *err)
{
    const sbl_schema *schema = match->schema;
    const bool units = sbl_asks_for_units(schema, match->options);
    for (size_t i = 0; i < match->count; i++) {
        const uint32_t found = sbl_lookup_find(names, match->names[i].text, match->names[i].length);
        if (found == SBL_LOOKUP_NONE) continue;
        if (seen[found]) return fail_twice(match, schema->columns[found].name, err);
        seen[found] = true;
        if (!sbl_field_point(&fields[i], schema, found, units && found == schema->unit))
            return sbl_no_memory(err, match->table);
        fields[i].is_key = sbl_is_asked_key(schema, match->options, found);
    }
    return SBL_OK;
}

/* How many columns of the schema the first line would name if another sign separated them. */
static size_t named_with(const sbl_lookup *names, const sbl_match *match, char delimiter)
{
    size_t found = 0;
    for (size_t i = 0; i < match->count; i++) {
        const char *text = match->names[i].text;
        size_t left = match->names[i].length;
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
static char other_delimiter(const sbl_lookup *names, const sbl_match *match, char own)
{
    static const char signs[] = ",;\t|:";
    char best = 0;
    size_t most = 0;
    for (const char *sign = signs; *sign != '\0'; sign++) {
        const size_t found = *sign != own ? named_with(names, match, *sign) : 0;
        if (found > most) {
            most = found;
            best = *sign;
        }
    }
    return best;
}

/* A name of the header that differs from the schema's only in case and blanks around it: so it is not a
 * cell of a record, and a message may show it. */
static bool nearly_named(char seen[128], const sbl_match *match, const char *wanted)
{
    const size_t size = strlen(wanted);
    for (size_t i = 0; i < match->count; i++) {
        size_t length = match->names[i].length;
        const char *text = sbl_trim(match->names[i].text, &length);
        if (length != size || strncasecmp(text, wanted, size) != 0) continue;
        printable_name(seen, match->names[i].text, match->names[i].length);
        return true;
    }
    return false;
}

static sbl_status fail_no_header(const sbl_match *match, const sbl_lookup *names, sbl_error *err)
{
    char seen[128];
    const sbl_schema *schema = match->schema;
    const char sign = other_delimiter(names, match, match->delimiter);
    if (sign != 0)
        return sbl_fail(err, SBL_EINPUT,
                        "%s: its columns are separated by %s, not by %s: set \"dialect\": {\"delimiter\": "
                        "\"%s\"} in the schema",
                        match->table, sbl_delimiter_words(sign), sbl_delimiter_words(match->delimiter),
                        sign == '\t' ? "\\t" : (char[]){sign, '\0'});
    for (size_t i = 0; i < schema->column_count; i++)
        if (nearly_named(seen, match, schema->columns[i].name))
            return sbl_fail(err, SBL_EINPUT,
                            "%s has none of the schema's columns: it has '%s' where the schema has '%.100s'",
                            match->table, seen, schema->columns[i].name);
    return sbl_fail(err, SBL_EINPUT,
                    "%s has no header: its first line must hold the column names, separated by "
                    "%s, and names no column of the schema",
                    match->table, sbl_delimiter_words(match->delimiter));
}

/* missing: how many columns of the schema are not there, of which `wanted` is the first. */
static sbl_status fail_missing(const sbl_match *match, const char *wanted, size_t missing, sbl_error *err)
{
    char near[128];
    const bool header = match->delimiter != 0;
    if (nearly_named(near, match, wanted))
        return sbl_fail(
            err, SBL_EINPUT,
            header
                ? "%s: column '%.100s' is missing from the header, which has '%s': use the same name in both"
                : "%s has no column '%.100s', but one called '%s': use the same name in both",
            match->table, wanted, near);
    if (missing == 1)
        return sbl_fail(
            err, SBL_EINPUT,
            header ? "%s: column '%.100s' is missing from the header" : "%s has no column '%.100s'",
            match->table, wanted);
    return sbl_fail(err, SBL_EINPUT,
                    header ? "%s: column '%.100s' and %zu more are missing from the header"
                           : "%s has no column '%.100s', and %zu more of the schema's columns are missing",
                    match->table, wanted, missing - 1);
}

static sbl_status check_missing(const sbl_match *match, const sbl_lookup *names, const bool *seen,
                                sbl_error *err)
{
    const sbl_schema *schema = match->schema;
    const bool units = sbl_needs_units(schema, match->options);
    size_t missing = 0;
    size_t first = 0;
    size_t found = 0;
    for (size_t i = schema->column_count; i-- > 0;) {
        const bool needed = (units && i == schema->unit) || sbl_is_asked_key(schema, match->options, i);
        found += seen[i];
        if (seen[i] || (schema->columns[i].kind == SBL_COLUMN_IGNORED && !needed)) continue;
        missing++;
        first = i;
    }
    if (missing == 0) return SBL_OK;
    return found == 0 && match->delimiter != 0
               ? fail_no_header(match, names, err)
               : fail_missing(match, schema->columns[first].name, missing, err);
}

static int compare_names(const void *a, const void *b)
{
    const sbl_column_name *left = a;
    const sbl_column_name *right = b;
    const size_t shorter = left->length < right->length ? left->length : right->length;
    const int order = memcmp(left->text, right->text, shorter);
    if (order != 0) return order;
    return (left->length > right->length) - (left->length < right->length);
}

/* Columns beyond the schema: told, and refused when two have the same name (it would be unclear
 * which one a later schema means); a column without a name is passed over. Reorders the header. */
static sbl_status report_extra(const sbl_match *match, const sbl_lookup *names, sbl_error *err)
{
    char shown[128];
    const sbl_table_options *options = match->options;
    for (size_t i = 0; i < match->count && options->extra_column != NULL; i++) {
        const sbl_column_name *name = &match->names[i];
        if (sbl_lookup_find(names, name->text, name->length) != SBL_LOOKUP_NONE) continue;
        printable_name(shown, name->text, name->length);
        options->extra_column(options->context, shown);
    }
    qsort(match->names, match->count, sizeof *match->names, compare_names);
    for (size_t i = 1; i < match->count; i++)
        if (match->names[i].length > 0 && compare_names(&match->names[i - 1], &match->names[i]) == 0)
            return sbl_fail(err, SBL_EINPUT,
                            "%s: two columns that are not in the schema have the same name: rename one",
                            match->table);
    return SBL_OK;
}

sbl_status sbl_match_fields(sbl_field **fields, const sbl_match *match, sbl_error *err)
{
    const sbl_schema *schema = match->schema;
    sbl_lookup names = {0};
    bool *seen = NULL;
    sbl_status status = SBL_OK;
    *fields = NULL;
    SBL_ALLOC(seen, schema->column_count, match->table);
    SBL_ALLOC(*fields, match->count, match->table);
    if (!sbl_lookup_init(&names, schema->column_count)) SBL_TRY(sbl_no_memory(err, match->table));
    for (size_t i = 0; i < schema->column_count; i++)
        sbl_lookup_add(&names, schema->columns[i].name, (uint32_t)i);
    SBL_TRY(point_fields(*fields, match, &names, seen, err));
    SBL_TRY(check_missing(match, &names, seen, err));
    SBL_TRY(report_extra(match, &names, err));
    SBL_TRY(check_unit(match, *fields, err));
done:
    if (status != SBL_OK) {
        sbl_fields_free(*fields, match->count);
        *fields = NULL;
    }
    sbl_lookup_clear(&names);
    sbl_free(seen);
    return status;
}

sbl_status sbl_match_names(sbl_field **fields, const char *const *names, size_t count, const char *table,
                           const sbl_schema *schema, const sbl_table_options *options, sbl_error *err)
{
    sbl_match match = {.schema = schema, .options = options, .table = table, .count = count};
    char *bytes = NULL;
    size_t size = SBL_LOOKUP_PADDING;
    sbl_status status = SBL_OK;
    *fields = NULL;
    for (size_t i = 0; i < count; i++) size += strlen(names[i]);
    SBL_ALLOC(bytes, size, table);
    SBL_ALLOC(match.names, count, table);
    char *end = bytes;
    for (size_t i = 0; i < count; i++) {
        match.names[i] = (sbl_column_name){end, strlen(names[i])};
        memcpy(end, names[i], match.names[i].length);
        end += match.names[i].length;
    }
    SBL_TRY(sbl_match_fields(fields, &match, err));
done:
    sbl_free(match.names);
    sbl_free(bytes);
    return status;
}

/* ---- names alone ---- */

#define MOST_COLUMNS 32768 /* as of a schema */

/* A number, which may have a decimal comma, or a date. */
static bool is_a_value(const char *text, size_t length)
{
    static const sbl_column german = {.decimal_char = ',', .group_char = '.', .bare = true};
    double number;
    int64_t whole;
    return sbl_decimal_parse(&number, text, length) || sbl_number_read(&number, &german, text, length) ||
           sbl_date_parse(&whole, text, length) || sbl_datetime_parse(&whole, NULL, text, length);
}

/* Can this be the name of a column? A record's cell often cannot. */
static bool is_a_name(const char *text, bool may_be_cell)
{
    const size_t length = strlen(text);
    if (length == 0 || (may_be_cell && is_a_value(text, length))) return false;
    for (size_t i = 0; i < length;) {
        const size_t part = sbl_utf8_length(text + i, length - i);
        const unsigned char first = (unsigned char)text[i];
        if (part == 0 || first < 0x20 || first == 0x7f) return false;
        i += part;
    }
    return true;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static sbl_status check_no_name_twice(const sbl_strings *names, const sbl_table *table, sbl_error *err)
{
    const char **sorted = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(sorted, names->count, "the names of columns");
    for (size_t i = 0; i < names->count; i++) sorted[i] = names->items[i];
    qsort(sorted, names->count, sizeof *sorted, compare_texts);
    for (size_t i = 1; i < names->count; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            SBL_FAIL(err, SBL_EINPUT, "%s: two columns have the same name%s", table->name,
                     table->format->is_text && !table->format->names_in_records ? " in the header" : "");
done:
    sbl_free(sorted);
    return status;
}

sbl_status sbl_names_check(const sbl_strings *names, const sbl_table *table, sbl_error *err)
{
    const bool line = table->format->is_text && !table->format->names_in_records;
    if (names->count > MOST_COLUMNS)
        return sbl_fail(err, SBL_EINPUT, "%s has more than %d columns", table->name, MOST_COLUMNS);
    for (size_t i = 0; i < names->count; i++)
        if (!is_a_name(names->items[i], line))
            return sbl_fail(err, SBL_EINPUT,
                            line ? "%s has no header: its first line must name every column, but its cell "
                                   "%zu is empty, a number, a date or not text"
                                 : "%s: column %zu has no name, or one with a line break or "
                                   "another control character: rename it",
                            table->name, i + 1);
    return check_no_name_twice(names, table, err);
}
