/* Typed values go through the same functions as cells of a CSV file: the names of the columns are
 * written as a header line and opened by the CSV reader, whose fields then store each value. A
 * value becomes text only where the column or its missing values want one. Runs of numbers and
 * categories have a faster path that must give the same rows. */
#include "table/typed.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "schema/calendar.h"
#include "schema/spikes.h"
#include "table/cell_format.h"
#include "table/csv.h"

/* Days and seconds that the calendar can write: years 0000 to 9999. */
#define FIRST_DAY INT64_C(-719528)
#define LAST_DAY INT64_C(2932896)
#define DAY INT64_C(86400)

struct sbl_typed {
    sbl_schema
        schema; /* the caller's columns, with names in the first line whatever its dialect says */
    sbl_table_reader *reader;
    bool *by_text; /* (columns of the table) */
    uint8_t *row;  /* (columns of the schema): faults of the cell at hand */
};

/* Does a text that means "missing" look like a value? */
static bool misses_values(const sbl_column *column)
{
    for (size_t i = 0; i < column->missing_values.count; i++)
        if (strpbrk(column->missing_values.items[i], "0123456789") != NULL) return true;
    return false;
}

/* The names as the header of a CSV file: matched, refused and told as one. */
static sbl_status open_header(sbl_typed *typed, const char *const *names, size_t count,
                              const char *name, const sbl_table_options *options, sbl_error *err)
{
    sbl_text line = {0};
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < count; i++) {
        if (i > 0) sbl_text_append(&line, &typed->schema.dialect.delimiter, 1);
        sbl_cell_quote(&line, names[i], strlen(names[i]), count == 1, &typed->schema.dialect);
    }
    sbl_text_append(&line, "\n", 1);
    if (line.failed) SBL_FAIL(err, SBL_EMEM, "out of memory for the names of columns");
    SBL_TRY(sbl_table_open_memory(&typed->reader, line.data, line.length, name, &typed->schema,
                                  options, err));
    if (typed->reader->field_count != count)
        SBL_FAIL(err, SBL_EINPUT, "%s: the name of a column has a line end in it", name);
    typed->reader->row_faults = typed->row;
done:
    sbl_text_clear(&line);
    return status;
}

sbl_status sbl_typed_open(sbl_typed **typed, const char *const *names, size_t count,
                          const char *name, const sbl_schema *schema,
                          const sbl_table_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_typed *made = sbl_alloc_array(1, sizeof *made);
    *typed = NULL;
    if (made == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for %.80s", name);
    made->schema = *schema;
    made->schema.dialect = SBL_DIALECT_USUAL;
    made->by_text = sbl_alloc_array(count, sizeof *made->by_text);
    made->row = sbl_alloc_array(schema->column_count, 1);
    if (made->by_text == NULL || made->row == NULL)
        SBL_FAIL(err, SBL_EMEM, "out of memory for %.80s", name);
    SBL_TRY(open_header(made, names, count, name, options, err));
    for (size_t i = 0; i < count; i++)
        if (sbl_typed_column(made, i) != NULL)
            made->by_text[i] = misses_values(sbl_typed_column(made, i));
    *typed = made;
    made = NULL;
done:
    sbl_typed_close(made);
    return status;
}

void sbl_typed_close(sbl_typed *typed)
{
    if (typed == NULL) return;
    sbl_table_close(typed->reader);
    sbl_free_wiped(typed->row, typed->schema.column_count);
    sbl_free(typed->by_text);
    sbl_free(typed);
}

const sbl_column *sbl_typed_column(const sbl_typed *typed, size_t i)
{
    return typed->reader->fields[i].column;
}

size_t sbl_typed_index(const sbl_typed *typed, size_t i) { return typed->reader->fields[i].index; }

bool sbl_typed_is_unit(const sbl_typed *typed, size_t i)
{
    return typed->reader->fields[i].is_unit;
}

sbl_unit_tag sbl_typed_unit(const sbl_typed *typed, const char *text, size_t length)
{
    return sbl_unit_id_of(typed->reader->unit_key, text, length);
}

sbl_typed_target sbl_typed_in_batch(const sbl_typed *typed, size_t i, sbl_batch *batch)
{
    const size_t index = sbl_typed_index(typed, i);
    return (sbl_typed_target){
        .column = &batch->columns[index],
        .faults = batch->faults != NULL ? batch->faults + index : NULL,
        .stride = batch->schema->column_count,
    };
}

/* ---- one cell ---- */

/* The cell begins without a fault; what the store finds is kept by after(). */
static const sbl_csv_field *before(sbl_typed *typed, size_t i)
{
    const sbl_csv_field *field = &typed->reader->fields[i];
    typed->row[field->index] = SBL_CELL_GOOD;
    return field;
}

static void after(const sbl_typed *typed, const sbl_csv_field *field, const sbl_typed_target *to,
                  size_t row)
{
    if (to->faults != NULL) to->faults[row * to->stride] = typed->row[field->index];
}

static void store_fault(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                        sbl_cell_fault fault)
{
    const sbl_csv_field *field = before(typed, i);
    sbl_csv_store_fault(typed->reader, field, to->column, row, fault);
    after(typed, field, to, row);
}

void sbl_typed_missing(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row)
{
    store_fault(
        typed, i, to, row,
        sbl_typed_column(typed, i)->missing_allowed ? SBL_CELL_MISSING : SBL_CELL_MISSING_REQUIRED);
}

void sbl_typed_unreadable(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row)
{
    store_fault(typed, i, to, row, SBL_CELL_UNPARSEABLE);
}

static void store_value(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                        double value)
{
    const sbl_csv_field *field = before(typed, i);
    sbl_csv_store_number(typed->reader, field, to->column, row, value);
    after(typed, field, to, row);
}

void sbl_typed_text(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                    const char *text, size_t length)
{
    const sbl_csv_field *field = before(typed, i);
    const sbl_csv_cell cell = {.text = text, .length = length};
    sbl_csv_store(typed->reader, field, to->column, row, &cell);
    after(typed, field, to, row);
}

/* ---- values ---- */

static bool is_number(const sbl_typed *typed, size_t i)
{
    return sbl_typed_column(typed, i)->kind == SBL_COLUMN_NUMBER && !typed->by_text[i];
}

/* As the column writes numbers. text has room for the padding. */
static void store_digits(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                         char *text, size_t length)
{
    const sbl_column *column = sbl_typed_column(typed, i);
    char *point = column->kind == SBL_COLUMN_NUMBER && column->decimal_char == ','
                      ? memchr(text, '.', length)
                      : NULL;
    if (point != NULL) *point = ',';
    sbl_typed_text(typed, i, to, row, text, length);
}

size_t sbl_typed_number_text(char text[SBL_TYPED_TEXT_SIZE], double value)
{
    char shortest[SBL_DOUBLE_TEXT_SIZE];
    /* A NaN has no sign, and 0 has none. */
    const char *digits = isnan(value) ? "nan" : sbl_double_to_text(shortest, value + 0.0);
    const size_t length = strlen(digits);
    memcpy(text, digits, length);
    return length;
}

void sbl_typed_number(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                      double value)
{
    char text[SBL_TYPED_TEXT_SIZE + SBL_LOOKUP_PADDING] = {0};
    if (isfinite(value) && is_number(typed, i))
        store_value(typed, i, to, row, value);
    else
        store_digits(typed, i, to, row, text, sbl_typed_number_text(text, value));
}

void sbl_typed_integer(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                       int64_t value)
{
    char text[SBL_TYPED_TEXT_SIZE + SBL_LOOKUP_PADDING] = {0};
    if (is_number(typed, i))
        store_value(typed, i, to, row, (double)value);
    else
        sbl_typed_text(typed, i, to, row, text,
                       (size_t)snprintf(text, sizeof text, "%" PRId64, value));
}

void sbl_typed_unsigned(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                        uint64_t value)
{
    char text[SBL_TYPED_TEXT_SIZE + SBL_LOOKUP_PADDING] = {0};
    if (is_number(typed, i))
        store_value(typed, i, to, row, (double)value);
    else
        sbl_typed_text(typed, i, to, row, text,
                       (size_t)snprintf(text, sizeof text, "%" PRIu64, value));
}

void sbl_typed_decimal(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                       const char *text, size_t length)
{
    char own[SBL_TYPED_TEXT_SIZE * 2 + SBL_LOOKUP_PADDING] = {0};
    if (length > SBL_TYPED_TEXT_SIZE * 2) {
        sbl_typed_unreadable(typed, i, to, row);
        return;
    }
    memcpy(own, text, length);
    store_digits(typed, i, to, row, own, length);
}

void sbl_typed_truth(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row, bool value)
{
    static const char words[2][5 + SBL_LOOKUP_PADDING] = {"false", "true"};
    const sbl_column *column = sbl_typed_column(typed, i);
    if (column->type == SBL_TYPE_BOOLEAN && column->kind == SBL_COLUMN_CATEGORY) {
        to->column->codes[row] = value ? 1 : 0;
        if (to->faults != NULL) to->faults[row * to->stride] = SBL_CELL_GOOD;
        return;
    }
    sbl_typed_text(typed, i, to, row, words[value], value ? 4 : 5);
}

/* ---- dates ---- */

size_t sbl_typed_day_text(char text[SBL_TYPED_TEXT_SIZE], int64_t days)
{
    const bool fits = days >= FIRST_DAY && days <= LAST_DAY;
    /* A day that no calendar of four digits has is no date as a text either. */
    return fits ? sbl_date_format(text, days)
                : (size_t)snprintf(text, SBL_TYPED_TEXT_SIZE, "day %" PRId64, days);
}

size_t sbl_typed_moment_text(char text[SBL_TYPED_TEXT_SIZE], int64_t seconds, bool utc)
{
    const bool fits = seconds >= FIRST_DAY * DAY && seconds < (LAST_DAY + 1) * DAY;
    return fits ? sbl_datetime_format(text, seconds, utc)
                : (size_t)snprintf(text, SBL_TYPED_TEXT_SIZE, "second %" PRId64, seconds);
}

/* As the column writes a day or a moment, where it has a pattern for it. */
static bool pattern_text(char text[SBL_TYPED_TEXT_SIZE], size_t *length, const sbl_column *column,
                         int64_t seconds)
{
    const bool fits = seconds >= FIRST_DAY * DAY && seconds < (LAST_DAY + 1) * DAY;
    if (column->format == NULL || !fits) return false;
    *length = sbl_date_format_write(text, column->format, seconds);
    return true;
}

void sbl_typed_day(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row, int64_t days)
{
    char text[SBL_TYPED_TEXT_SIZE + SBL_LOOKUP_PADDING] = {0};
    const sbl_column *column = sbl_typed_column(typed, i);
    size_t length;
    const bool direct = !typed->by_text[i];
    if (direct && column->kind == SBL_COLUMN_DATE)
        store_value(typed, i, to, row, (double)days);
    else if (direct && column->kind == SBL_COLUMN_DATETIME)
        store_value(typed, i, to, row, (double)days * (double)DAY);
    else if (days >= FIRST_DAY && days <= LAST_DAY &&
             pattern_text(text, &length, column, days * DAY))
        sbl_typed_text(typed, i, to, row, text, length);
    else
        sbl_typed_text(typed, i, to, row, text, sbl_typed_day_text(text, days));
}

void sbl_typed_moment(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                      int64_t seconds, bool utc)
{
    char text[SBL_TYPED_TEXT_SIZE + SBL_LOOKUP_PADDING] = {0};
    const sbl_column *column = sbl_typed_column(typed, i);
    size_t length;
    if (column->kind == SBL_COLUMN_DATETIME && !typed->by_text[i])
        store_value(typed, i, to, row, (double)seconds);
    else if (column->kind == SBL_COLUMN_DATE && seconds % DAY == 0)
        sbl_typed_day(typed, i, to, row, seconds / DAY);
    else if (column->kind == SBL_COLUMN_DATE)
        sbl_typed_unreadable(typed, i, to, row);
    else if (pattern_text(text, &length, column, seconds))
        sbl_typed_text(typed, i, to, row, text, length);
    else
        sbl_typed_text(typed, i, to, row, text, sbl_typed_moment_text(text, seconds, utc));
}

/* ---- many cells ---- */

bool sbl_typed_takes_values(const sbl_typed *typed, size_t i)
{
    return sbl_column_is_numeric(sbl_typed_column(typed, i)) && !typed->by_text[i];
}

/* sbl_csv_store_number() in three passes, each of which the compiler can unroll; cell by cell where
 * more than bounds decide. */
void sbl_typed_values(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                      const double *values, size_t count, bool whole)
{
    const sbl_column *column = sbl_typed_column(typed, i);
    const double minimum = column->minimum, maximum = column->maximum;
    const bool rounds = column->type != SBL_TYPE_NUMBER &&
                        (!whole || minimum != nearbyint(minimum) || maximum != nearbyint(maximum));
    double *stored = to->column->values + row;
    if (column->step_declared || sbl_spikes_have_sentinel(column)) {
        for (size_t r = 0; r < count; r++) store_value(typed, i, to, row + r, values[r]);
        return;
    }
    for (size_t r = 0; r < count; r++)
        stored[r] = values[r] < minimum ? minimum : values[r] > maximum ? maximum : values[r];
    for (size_t r = 0; to->faults != NULL && r < count; r++)
        if (stored[r] != values[r]) to->faults[(row + r) * to->stride] = SBL_CELL_OUT_OF_RANGE;
    for (size_t r = 0; rounds && r < count; r++) stored[r] = nearbyint(stored[r]);
    if (to->column->missing != NULL) memset(to->column->missing + row, 0, count);
}

/* A declared category is found by one look; everything else takes the way of a single cell. */
void sbl_typed_texts(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                     const sbl_typed_piece *pieces, size_t count)
{
    const sbl_csv_field *field = &typed->reader->fields[i];
    const bool coded = field->column->kind == SBL_COLUMN_CATEGORY;
    for (size_t r = 0; r < count; r++) {
        if (pieces[r].text == NULL) continue;
        const uint32_t code =
            coded ? sbl_lookup_find(&field->lookup, pieces[r].text, pieces[r].length)
                  : SBL_LOOKUP_NONE;
        if (code == SBL_LOOKUP_NONE || code == field->missing_code) {
            sbl_typed_text(typed, i, to, row + r, pieces[r].text, pieces[r].length);
            continue;
        }
        to->column->codes[row + r] = code;
    }
}
