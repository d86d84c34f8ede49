/* SPDX-License-Identifier: Apache-2.0 */
/* Days that people write where there is no date: 9999-12-31 for "until further notice", 1900-01-01 for "not known". As
 * dates they would stretch the bounds of a column over centuries. NOT PRIVATE. */
#include "owner/inspect/inspect_column.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "public/schema/calendar.h"

#define DAY INT64_C(86400)
#define YEAR (365.0 * (double)DAY)
#define LEAST_ROWS 5       /* with the day */
#define MORE_FREQUENT 10.0 /* than other dates are on average */

/* Ends of calendars, and zeros of programs: SQL Server, spreadsheets, SAS, Unix, nanoseconds. */
static const char *const days[] = {"0001-01-01", "1111-11-11", "1753-01-01", "1800-01-01", "1899-12-30",
                                   "1899-12-31", "1900-01-01", "1901-01-01", "1960-01-01", "1970-01-01",
                                   "2099-12-31", "2100-01-01", "2199-12-31", "2262-04-11", "2999-12-31",
                                   "3000-01-01", "9999-01-01", "9999-12-30", "9999-12-31"};

bool sbl_inspect_is_placeholder(int64_t seconds)
{
    char text[SBL_DATETIME_LENGTH];
    (void)sbl_datetime_format(text, seconds, false);
    for (size_t i = 0; i < sizeof days / sizeof days[0]; i++)
        if (memcmp(days[i], text, SBL_DATE_LENGTH) == 0) return true;
    return false;
}

static void join(sbl_inspect_range *range, const sbl_inspect_range *other)
{
    if (other->count == 0) return;
    if (range->count == 0 || other->low < range->low) range->low = other->low;
    if (range->count == 0 || other->high > range->high) range->high = other->high;
    range->count += other->count;
}

/* Of all formats, with or without placeholders. */
static sbl_inspect_range range_of(const sbl_inspect_column *column, bool all)
{
    sbl_inspect_range range = {0};
    for (size_t i = 0; i < column->format_count; i++)
        join(&range, (all ? column->moments : column->dated) + column->formats[i]);
    return range;
}

/* Of the values that are kept. */
typedef struct kept_values {
    double usual;          /* rows per different date that is not a placeholder */
    uint64_t placeholders; /* rows with one */
} kept_values;

static kept_values kept_of(const sbl_inspect_column *column)
{
    kept_values found = {0};
    uint64_t rows = 0;
    uint64_t different = 0;
    for (size_t i = 0; i < SBL_INSPECT_SLOTS; i++) {
        const sbl_inspect_value *value = &column->values[i];
        int64_t at;
        size_t format;
        if (value->text == NULL || !sbl_inspect_moment_read(&at, &format, column, value->text)) continue;
        const bool none = sbl_inspect_is_placeholder(at);
        found.placeholders += none ? value->count : 0;
        rows += none ? 0 : value->count;
        different += !none;
    }
    found.usual = different > 0 ? (double)rows / (double)different : HUGE_VAL;
    return found;
}

static void take_mark(sbl_inspect_column *column, const sbl_inspect_value *value, size_t format)
{
    const size_t size = strlen(value->text) + 1;
    char *copy = sbl_alloc_array(size, 1);
    column->failed = column->failed || copy == NULL;
    if (copy == NULL) return;
    memcpy(copy, value->text, size);
    column->marks[column->mark_count++] = (sbl_inspect_value){copy, value->count};
    column->missing += value->count;
    column->moment_cells -= value->count;
    column->format_cells[format] -= value->count;
}

/* Formats that only placeholders were written in. */
static void drop_formats(sbl_inspect_column *column)
{
    size_t kept = 0;
    for (size_t i = 0; i < column->format_count; i++) {
        if (column->format_cells[i] == 0) continue;
        column->formats[kept] = column->formats[i];
        column->format_cells[kept++] = column->format_cells[i];
    }
    column->format_count = kept;
    column->way = column->formats[0];
}

void sbl_inspect_placeholders_take(sbl_inspect_column *column)
{
    const sbl_inspect_range dated = range_of(column, false);
    sbl_inspect_range span = dated;
    column->span = range_of(column, true);
    if (dated.count == 0 || column->placeholders == 0) return;
    const kept_values found = kept_of(column);
    if (found.placeholders != column->placeholders) return; /* they may lie anywhere */
    for (size_t i = 0; i < SBL_INSPECT_SLOTS; i++) {
        const sbl_inspect_value *value = &column->values[i];
        int64_t at;
        size_t format;
        if (value->text == NULL || !sbl_inspect_moment_read(&at, &format, column, value->text) ||
            !sbl_inspect_is_placeholder(at))
            continue;
        const bool apart = (double)at < dated.low - YEAR || (double)at > dated.high + YEAR;
        const bool often = value->count >= LEAST_ROWS && (double)value->count >= MORE_FREQUENT * found.usual;
        if (apart && often && column->mark_count < SBL_INSPECT_MARKS)
            take_mark(column, value, format);
        else
            sbl_inspect_widen(&span, (double)at);
    }
    drop_formats(column);
    column->span = span;
}
