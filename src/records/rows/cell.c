/* SPDX-License-Identifier: Apache-2.0 */
/* Cells as texts: as a CSV file has them, and as ids of persons. */
#include "records/rows/cell.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "public/schema/calendar.h"

#define SECOND INT64_C(1000000000) /* in nanoseconds */

size_t sbl_number_text(char text[SBL_VALUE_TEXT], double value)
{
    char shortest[SBL_DOUBLE_TEXT_SIZE];
    /* A NaN has no sign, and 0 has none. */
    const char *digits = isnan(value) ? "nan" : sbl_double_to_text(shortest, value + 0.0);
    const size_t length = strlen(digits);
    memcpy(text, digits, length);
    return length;
}

size_t sbl_day_text(char text[SBL_VALUE_TEXT], int64_t days)
{
    const bool fits = days >= SBL_FIRST_DAY && days <= SBL_LAST_DAY;
    /* A day outside the years 0000 to 9999 is not a date as text either. */
    return fits ? sbl_date_format(text, days) : (size_t)snprintf(text, SBL_VALUE_TEXT, "day %" PRId64, days);
}

size_t sbl_moment_text(char text[SBL_VALUE_TEXT], int64_t seconds, bool utc)
{
    const bool fits = seconds >= SBL_FIRST_DAY * SBL_DAY && seconds < (SBL_LAST_DAY + 1) * SBL_DAY;
    return fits ? sbl_datetime_format(text, seconds, utc)
                : (size_t)snprintf(text, SBL_VALUE_TEXT, "second %" PRId64, seconds);
}

size_t sbl_clock_text(char text[SBL_VALUE_TEXT], int64_t seconds)
{
    const bool fits = seconds >= 0 && seconds < SBL_DAY;
    return fits ? sbl_time_format(text, seconds)
                : (size_t)snprintf(text, SBL_VALUE_TEXT, "second %" PRId64 " of a day", seconds);
}

static const char *constant(size_t *length, const char *text)
{
    *length = strlen(text);
    return text;
}

const char *sbl_cell_text(size_t *length, char own[SBL_CELL_OWN_TEXT], const sbl_cell *cell)
{
    switch (cell->sort) {
    case SBL_CELL_IS_MISSING:
        return constant(length, "");
    case SBL_CELL_IS_TRUTH:
        return constant(length, cell->whole != 0 ? "true" : "false");
    case SBL_CELL_IS_INTEGER:
        *length = (size_t)snprintf(own, SBL_VALUE_TEXT, "%" PRId64, cell->whole);
        return own;
    case SBL_CELL_IS_UNSIGNED:
        *length = (size_t)snprintf(own, SBL_VALUE_TEXT, "%" PRIu64, cell->large);
        return own;
    case SBL_CELL_IS_NUMBER:
        *length = sbl_number_text(own, cell->number);
        return own;
    case SBL_CELL_IS_DAY:
        *length = sbl_day_text(own, cell->whole);
        return own;
    case SBL_CELL_IS_MOMENT:
        *length = sbl_moment_text(own, cell->whole, cell->zoned);
        return own;
    case SBL_CELL_IS_CLOCK:
        *length = sbl_clock_text(own, cell->whole);
        return own;
    case SBL_CELL_IS_DECIMAL:
    case SBL_CELL_IS_TEXT:
        *length = cell->length;
        return cell->text;
    default:
        *length = 0;
        return NULL;
    }
}

/* A moment or a clock to the nanosecond: columns hold seconds, and ids that differ by less are not one person. */
static size_t moment_id(char own[SBL_CELL_OWN_TEXT], const sbl_cell *cell)
{
    const bool is_day = cell->sort == SBL_CELL_IS_DAY;
    const int64_t seconds = is_day ? cell->whole * SBL_DAY + cell->nanoseconds / SECOND : cell->whole;
    const size_t length = cell->sort == SBL_CELL_IS_CLOCK ? sbl_clock_text(own, seconds)
                                                          : sbl_moment_text(own, seconds, cell->zoned);
    return length + (size_t)snprintf(own + length, SBL_CELL_OWN_TEXT - length, ".%09" PRId64,
                                     cell->nanoseconds % SECOND);
}

const char *sbl_cell_id(size_t *length, char own[SBL_CELL_OWN_TEXT], const sbl_cell *cell)
{
    const bool is_time =
        cell->sort == SBL_CELL_IS_DAY || cell->sort == SBL_CELL_IS_MOMENT || cell->sort == SBL_CELL_IS_CLOCK;
    if (cell->sort == SBL_CELL_IS_UNREADABLE) return constant(length, "(not readable)");
    if (cell->sort == SBL_CELL_IS_LONG) {
        *length = cell->length;
        return cell->text;
    }
    if (!is_time || cell->nanoseconds == 0) return sbl_cell_text(length, own, cell);
    *length = moment_id(own, cell);
    return own;
}
