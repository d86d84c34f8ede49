/* One cell: its text, and its value or its column's public constant. */
#include <math.h>
#include <string.h>

#include "schema/calendar.h"
#include "table/csv.h"
#include "table/decimal.h"

/* The rest of a quoted cell after its first doubled quote: copied without the doubling. */
static const char *unescape(sbl_csv_cell *cell, const char *text, const char *quote,
                            const sbl_table_reader *reader)
{
    const char *end = reader->buffer + reader->end;
    const size_t most = reader->record_limit;
    size_t length = 0;
    while (quote != NULL) {
        const bool doubled = quote[1] == '"' && quote + 1 < end;
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
        quote = memchr(text, '"', (size_t)(end - text));
    }
    return NULL;
}

const char *sbl_csv_quoted_cell(sbl_csv_cell *cell, const char *p, const sbl_table_reader *reader)
{
    const char *end = reader->buffer + reader->end;
    const char *text = p + 1;
    const char *quote = text < end ? memchr(text, '"', (size_t)(end - text)) : NULL;
    if (quote == NULL) return NULL;
    if (quote[1] == '"' && quote + 1 < end) {
        p = unescape(cell, text, quote, reader);
        if (p == NULL) return NULL;
    } else {
        cell->text = text;
        cell->length = (size_t)(quote - text);
        p = quote + 1;
    }
    if (*p == '\r' && p[1] == '\n') p++;
    cell->malformed = *p != ',' && *p != '\n';
    return cell->malformed ? sbl_csv_delimiter(p) : p;
}

static void note(const sbl_table_reader *reader, const sbl_csv_field *field, sbl_cell_fault fault)
{
    if (reader->row_faults != NULL) reader->row_faults[field->index] = (uint8_t)fault;
}

void sbl_csv_store_constant(sbl_table_reader *reader, const sbl_csv_field *field,
                            sbl_batch_column *column, size_t row, sbl_cell_fault fault)
{
    note(reader, field, fault);
    if (column->codes != NULL) {
        column->codes[row] = field->column->fallback_code;
        return;
    }
    column->values[row] = field->column->fallback;
    if (column->missing != NULL) column->missing[row] = 0;
}

void sbl_csv_store_number(sbl_table_reader *reader, const sbl_csv_field *field,
                          sbl_batch_column *column, size_t row, double value)
{
    const sbl_column *facts = field->column;
    const double inside = sbl_column_clamp(facts, value);
    if (inside != value) note(reader, field, SBL_CELL_OUT_OF_RANGE);
    column->values[row] = facts->type == SBL_TYPE_NUMBER ? inside : nearbyint(inside);
    if (column->missing != NULL) column->missing[row] = 0;
}

static void store_missing(sbl_table_reader *reader, const sbl_csv_field *field,
                          sbl_batch_column *column, size_t row)
{
    if (!field->column->missing_allowed) {
        sbl_csv_store_constant(reader, field, column, row, SBL_CELL_MISSING_REQUIRED);
        return;
    }
    note(reader, field, SBL_CELL_MISSING);
    if (column->codes != NULL) {
        column->codes[row] = field->missing_code;
        return;
    }
    column->values[row] = field->column->fallback;
    column->missing[row] = 1;
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

/* The code of an integer or number column with categories: "7.0" and "07" are "7". */
static uint32_t find_number(const sbl_csv_field *field, const sbl_csv_cell *cell)
{
    double value;
    char text[SBL_DOUBLE_TEXT_SIZE + SBL_LOOKUP_PADDING] = {0};
    if (field->column->type != SBL_TYPE_INTEGER && field->column->type != SBL_TYPE_NUMBER)
        return SBL_LOOKUP_NONE;
    if (!sbl_decimal_parse(&value, cell->text, cell->length) || !isfinite(value))
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
        sbl_csv_store_constant(reader, field, column, row, SBL_CELL_UNKNOWN);
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
        good = sbl_date_parse(&whole, cell->text, cell->length);
        break;
    case SBL_COLUMN_DATETIME:
        good = sbl_datetime_parse(&whole, NULL, cell->text, cell->length);
        break;
    default:
        return sbl_decimal_parse(value, cell->text, cell->length);
    }
    *value = (double)whole;
    return good;
}

void sbl_csv_store(sbl_table_reader *reader, const sbl_csv_field *field, sbl_batch_column *column,
                   size_t row, const sbl_csv_cell *cell)
{
    double value;
    if (cell->malformed) {
        sbl_csv_store_constant(reader, field, column, row, SBL_CELL_UNPARSEABLE);
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
        sbl_csv_store_constant(reader, field, column, row, SBL_CELL_UNPARSEABLE);
}
