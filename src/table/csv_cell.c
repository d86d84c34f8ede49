/* One cell: its text, and its value or its column's public constant. */
#include <math.h>
#include <string.h>

#include "schema/calendar.h"
#include "schema/spikes.h"
#include "table/cell_format.h"
#include "table/csv.h"
#include "table/decimal.h"

#define STEP_SLACK 1e-6 /* of a step: 0.1 + 0.2 is a multiple of 0.1 */

/* The rest of a quoted cell after its first doubled quote: copied without the doubling. */
static const char *unescape(sbl_csv_cell *cell, const char *text, const char *quote,
                            const sbl_table_reader *reader)
{
    const char *end = reader->buffer + reader->end;
    const size_t most = reader->record_limit;
    size_t length = 0;
    while (quote != NULL) {
        const bool doubled = quote[1] == reader->quote && quote + 1 < end;
        const size_t part = (size_t)(quote - text) + (doubled ? 1 : 0);
        /* Longer than any record: the row will be refused as too long whatever the cell says. */
        if (part > most - length) return NULL;
        memcpy(reader->scratch + length, text, part);
        length += part;
        if (!doubled) {
            cell->text = reader->scratch;
            cell->length = length;
            return quote + 1;
        }
        text = quote + 2;
        quote = memchr(text, reader->quote, (size_t)(end - text));
    }
    return NULL;
}

const char *sbl_csv_quoted_cell(sbl_csv_cell *cell, const char *p, const sbl_table_reader *reader)
{
    const char *end = reader->buffer + reader->end;
    const char *text = p + 1;
    const char *quote = text < end ? memchr(text, reader->quote, (size_t)(end - text)) : NULL;
    if (quote == NULL) return NULL;
    if (quote[1] == reader->quote && quote + 1 < end) {
        p = unescape(cell, text, quote, reader);
        if (p == NULL) return NULL;
    } else {
        cell->text = text;
        cell->length = (size_t)(quote - text);
        p = quote + 1;
    }
    if (*p == '\r' && p[1] == '\n') p++;
    cell->malformed = *p != reader->delimiter && *p != '\n';
    return cell->malformed ? sbl_csv_delimiter(p, reader->delimiter) : p;
}

static void note(const sbl_table_reader *reader, const sbl_csv_field *field, sbl_cell_fault fault)
{
    if (reader->row_faults != NULL) reader->row_faults[field->index] = (uint8_t)fault;
}

/* A cell that tells nothing: missing where the column may be empty, else its public constant. */
static void store_unknown(const sbl_csv_field *field, sbl_batch_column *column, size_t row)
{
    const sbl_column *facts = field->column;
    if (column->codes != NULL) {
        column->codes[row] = facts->missing_allowed ? field->missing_code : facts->fallback_code;
        return;
    }
    column->values[row] = facts->fallback;
    if (column->missing != NULL) column->missing[row] = 1;
}

void sbl_csv_store_fault(sbl_table_reader *reader, const sbl_csv_field *field,
                         sbl_batch_column *column, size_t row, sbl_cell_fault fault)
{
    note(reader, field, fault);
    store_unknown(field, column, row);
}

void sbl_csv_store_number(sbl_table_reader *reader, const sbl_csv_field *field,
                          sbl_batch_column *column, size_t row, double value)
{
    const sbl_column *facts = field->column;
    const size_t sentinel = sbl_spikes_sentinel(facts, value);
    const double inside =
        sentinel != SBL_NO_SPIKE ? facts->spikes[sentinel] : sbl_column_clamp(facts, value);
    const double held = facts->step_declared             ? sbl_column_snap(facts, inside)
                        : facts->type == SBL_TYPE_NUMBER ? inside
                                                         : nearbyint(inside);
    if (sentinel == SBL_NO_SPIKE && inside != value)
        note(reader, field, SBL_CELL_OUT_OF_RANGE);
    else if (facts->step_declared &&
             fabs(held - inside) > STEP_SLACK * sbl_column_grid_value(facts, 1))
        note(reader, field, SBL_CELL_OFF_STEP);
    column->values[row] = held;
    if (column->missing != NULL) column->missing[row] = 0;
}

static void store_missing(sbl_table_reader *reader, const sbl_csv_field *field,
                          sbl_batch_column *column, size_t row)
{
    sbl_csv_store_fault(
        reader, field, column, row,
        field->column->missing_allowed ? SBL_CELL_MISSING : SBL_CELL_MISSING_REQUIRED);
}

/* A category that is not declared: the one declared for such cells, where there is one. */
static void store_undeclared(sbl_table_reader *reader, const sbl_csv_field *field,
                             sbl_batch_column *column, size_t row)
{
    sbl_csv_store_fault(reader, field, column, row, SBL_CELL_UNKNOWN);
    if (field->column->other_declared) column->codes[row] = field->column->fallback_code;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static sbl_csv_cell trimmed(const sbl_csv_cell *cell)
{
    sbl_csv_cell inner = *cell;
    while (inner.length > 0 && is_blank(inner.text[0])) {
        inner.text++;
        inner.length--;
    }
    while (inner.length > 0 && is_blank(inner.text[inner.length - 1])) inner.length--;
    return inner;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* May a number begin or end with it? */
static bool is_of_number(char c, const sbl_column *column)
{
    return is_digit(c) || c == '-' || c == '+' || c == column->decimal_char ||
           (c == column->group_char && c != ' ');
}

/* Where a number begins and ends among currency signs, percent signs and blanks. */
static void strip_signs(const char **from, const char **to, const sbl_column *column)
{
    while (*from < *to && !is_of_number(**from, column)) (*from)++;
    while (*to > *from && !is_of_number((*to)[-1], column)) (*to)--;
}

/* A number with a decimal comma, marks between thousands, signs around it: the plain one that it
 * means. A mark stands between digits, three of them after it; anything else is no number. */
bool sbl_number_plain(char *plain, size_t *length, const sbl_column *column, const char *text,
                      size_t size)
{
    const char *from = text;
    const char *to = text + size;
    bool whole = true; /* before the decimal sign */
    *length = 0;
    if (!column->bare) strip_signs(&from, &to, column);
    for (const char *p = from; p < to; p++) {
        if (*p == column->group_char && column->group_char != 0) {
            const bool between = p > from && is_digit(p[-1]) && to - p > 3 && is_digit(p[1]) &&
                                 is_digit(p[2]) && is_digit(p[3]) &&
                                 (to - p == 4 || !is_digit(p[4]));
            if (!whole || !between) return false;
            continue;
        }
        if (*p == column->decimal_char) whole = false;
        if (*p == '.' && column->decimal_char != '.') return false;
        if (*length == SBL_CELL_TEXT_SIZE) return false;
        plain[(*length)++] = *p == column->decimal_char ? '.' : *p;
    }
    return true;
}

bool sbl_number_read(double *value, const sbl_column *column, const char *text, size_t size)
{
    char plain[SBL_CELL_TEXT_SIZE];
    size_t length;
    if (!sbl_column_is_marked(column)) return sbl_decimal_parse(value, text, size);
    return sbl_number_plain(plain, &length, column, text, size) &&
           sbl_decimal_parse(value, plain, length);
}

/* The code of an integer or number column with categories: "7.0" and "07" are "7". */
static uint32_t find_number(const sbl_csv_field *field, const sbl_csv_cell *cell)
{
    double value;
    char text[SBL_DOUBLE_TEXT_SIZE + SBL_LOOKUP_PADDING] = {0};
    if (field->column->type != SBL_TYPE_INTEGER && field->column->type != SBL_TYPE_NUMBER)
        return SBL_LOOKUP_NONE;
    if (!sbl_number_read(&value, field->column, cell->text, cell->length) || !isfinite(value))
        return SBL_LOOKUP_NONE;
    (void)sbl_double_to_text(text, value + 0.0); /* -0 is 0 */
    return sbl_lookup_find(&field->lookup, text, strlen(text));
}

static void store_category(sbl_table_reader *reader, const sbl_csv_field *field,
                           sbl_batch_column *column, size_t row, const sbl_csv_cell *cell)
{
    uint32_t code = sbl_lookup_find(&field->lookup, cell->text, cell->length);
    if (code == SBL_LOOKUP_NONE) {
        const sbl_csv_cell inner = trimmed(cell);
        code = sbl_lookup_find(&field->lookup, inner.text, inner.length);
        if (code == SBL_LOOKUP_NONE) code = find_number(field, &inner);
    }
    if (code == SBL_LOOKUP_NONE)
        store_undeclared(reader, field, column, row);
    else if (code == field->missing_code)
        store_missing(reader, field, column, row);
    else
        column->codes[row] = code;
}

/* A trimmed cell as the number that its column holds. */
static bool read_value(double *value, const sbl_column *column, const sbl_csv_cell *cell)
{
    int64_t whole = 0;
    bool good;
    switch (column->kind) {
    case SBL_COLUMN_DATE:
        if (column->format != NULL) {
            good = sbl_date_format_read(&whole, column->format, cell->text, cell->length);
            whole /= 86400;
        } else {
            good = sbl_date_parse(&whole, cell->text, cell->length);
        }
        break;
    case SBL_COLUMN_DATETIME:
        good = column->format != NULL
                   ? sbl_date_format_read(&whole, column->format, cell->text, cell->length)
                   : sbl_datetime_parse(&whole, NULL, cell->text, cell->length);
        break;
    default:
        return sbl_number_read(value, column, cell->text, cell->length);
    }
    *value = (double)whole;
    return good;
}

void sbl_csv_store(sbl_table_reader *reader, const sbl_csv_field *field, sbl_batch_column *column,
                   size_t row, const sbl_csv_cell *cell)
{
    double value;
    if (cell->malformed) {
        sbl_csv_store_fault(reader, field, column, row, SBL_CELL_UNPARSEABLE);
        return;
    }
    if (field->column->kind == SBL_COLUMN_CATEGORY) {
        store_category(reader, field, column, row, cell);
        return;
    }
    const sbl_csv_cell inner = trimmed(cell);
    if (sbl_lookup_find(&field->lookup, inner.text, inner.length) != SBL_LOOKUP_NONE ||
        sbl_lookup_find(&field->lookup, cell->text, cell->length) != SBL_LOOKUP_NONE)
        store_missing(reader, field, column, row);
    else if (read_value(&value, field->column, &inner))
        sbl_csv_store_number(reader, field, column, row, value);
    else
        sbl_csv_store_fault(reader, field, column, row, SBL_CELL_UNPARSEABLE);
}
