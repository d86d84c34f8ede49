/* One cell of an Arrow array as text: as a CSV file has it, and as an id that says whose row it is. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "schema/calendar.h"
#include "source/arrow_value.h"
#include "table/typed.h"

#define UNREADABLE "(not readable)" /* no value of any column, unless a schema says so */

static size_t truth_text(const char **text, const sbl_column *column, bool value)
{
    const sbl_strings *own = column == NULL ? NULL
                             : value        ? &column->true_values
                                            : &column->false_values;
    const bool declared = column != NULL && column->type == SBL_TYPE_BOOLEAN;
    *text = value ? "true" : "false";
    if (declared && own->count > 0) *text = own->items[0];
    return strlen(*text);
}

/* A day or a moment, as the column writes it. */
static size_t time_text(char text[SBL_TYPED_TEXT_SIZE], const sbl_column *column,
                        const sbl_arrow_cell *cell)
{
    const bool is_day = cell->sort == SBL_CELL_IS_DAY;
    const bool midnight = is_day || cell->whole % 86400 == 0;
    const int64_t day = is_day ? cell->whole : cell->whole / 86400;
    const bool small =
        is_day ? cell->whole > -719529 && cell->whole < 2932897
               : cell->whole >= INT64_C(-719528) * 86400 && cell->whole < INT64_C(2932897) * 86400;
    if (column != NULL && column->format != NULL && small &&
        (column->kind != SBL_COLUMN_DATE || midnight))
        return sbl_date_format_write(text, column->format, is_day ? day * 86400 : cell->whole);
    if (is_day || (column != NULL && column->kind == SBL_COLUMN_DATE && midnight))
        return sbl_typed_day_text(text, day);
    return sbl_typed_moment_text(text, cell->whole, cell->zoned);
}

/* A decimal point as the column writes it. */
static void swap_point(char *text, size_t length, const sbl_column *column)
{
    char *point = column != NULL && column->kind == SBL_COLUMN_NUMBER && column->decimal_char == ','
                      ? memchr(text, '.', length)
                      : NULL;
    if (point != NULL) *point = ',';
}

static const char *constant(size_t *length, const char *text)
{
    *length = strlen(text);
    return text;
}

/* Digits of a decimal may be more than the calendar or a double has. */
static const char *decimal_text(size_t *length, char own[SBL_ARROW_TEXT_SIZE],
                                const sbl_arrow_cell *cell, const sbl_column *column)
{
    *length = cell->length < SBL_ARROW_TEXT_SIZE ? cell->length : SBL_ARROW_TEXT_SIZE;
    memcpy(own, cell->text, *length);
    swap_point(own, *length, column);
    return own;
}

const char *sbl_arrow_cell_text(size_t *length, char own[SBL_ARROW_TEXT_SIZE],
                                const sbl_arrow_cell *cell, const sbl_column *column)
{
    const char *text = own;
    switch (cell->sort) {
    case SBL_CELL_IS_MISSING:
        return constant(length, column != NULL && column->missing_values.count > 0
                                    ? column->missing_values.items[0]
                                    : "");
    case SBL_CELL_IS_TRUTH:
        *length = truth_text(&text, column, cell->whole != 0);
        return text;
    case SBL_CELL_IS_INTEGER:
        *length = (size_t)snprintf(own, SBL_TYPED_TEXT_SIZE, "%" PRId64, cell->whole);
        return own;
    case SBL_CELL_IS_UNSIGNED:
        *length = (size_t)snprintf(own, SBL_TYPED_TEXT_SIZE, "%" PRIu64, cell->large);
        return own;
    case SBL_CELL_IS_NUMBER:
        *length = sbl_typed_number_text(own, cell->number);
        swap_point(own, *length, column);
        return own;
    case SBL_CELL_IS_DECIMAL:
        return decimal_text(length, own, cell, column);
    case SBL_CELL_IS_DAY:
    case SBL_CELL_IS_MOMENT:
        *length = time_text(own, column, cell);
        return own;
    case SBL_CELL_IS_TEXT:
        *length = cell->length;
        return cell->text;
    default:
        return constant(length, UNREADABLE);
    }
}

/* A moment to the nanosecond: columns hold seconds, and ids that differ by less are not one person. */
static size_t moment_id(char own[SBL_ARROW_TEXT_SIZE], const sbl_arrow_cell *cell)
{
    const bool is_day = cell->sort == SBL_CELL_IS_DAY;
    const int64_t within = cell->nanoseconds / INT64_C(1000000000);
    const int64_t seconds = is_day ? cell->whole * SBL_ARROW_DAY + within : cell->whole;
    const size_t length = sbl_typed_moment_text(own, seconds, cell->zoned);
    return length + (size_t)snprintf(own + length, SBL_ARROW_TEXT_SIZE - length, ".%09" PRId64,
                                     cell->nanoseconds % INT64_C(1000000000));
}

const char *sbl_arrow_cell_id(size_t *length, char own[SBL_ARROW_TEXT_SIZE],
                              const sbl_arrow_cell *cell)
{
    const bool is_time = cell->sort == SBL_CELL_IS_DAY || cell->sort == SBL_CELL_IS_MOMENT;
    if (cell->sort == SBL_CELL_IS_LONG) {
        *length = cell->length;
        return cell->text;
    }
    if (!is_time || cell->nanoseconds == 0) return sbl_arrow_cell_text(length, own, cell, NULL);
    *length = moment_id(own, cell);
    return own;
}
