/* SPDX-License-Identifier: Apache-2.0 */
/* A column of dates, datetimes or times of day has one format or several. ISO 8601 is NULL as a pattern and "default" in a
 * file. Each cell is read by itself. */
#include "public/schema/moment.h"

#include <string.h>

#include "public/schema/calendar.h"

#define DEFAULT "default"
#define SECONDS_PER_DAY 86400

bool sbl_column_is_moment(const sbl_column *column)
{
    return column->type == SBL_TYPE_TIME || column->kind == SBL_COLUMN_DATE ||
           column->kind == SBL_COLUMN_DATETIME;
}

/* ---- cells ---- */

static bool read_iso(int64_t *whole, bool *zoned, const sbl_column *column, const char *text, size_t length)
{
    if (column->type == SBL_TYPE_TIME) return sbl_time_parse(whole, text, length);
    return column->kind == SBL_COLUMN_DATE ? sbl_date_parse(whole, text, length)
                                           : sbl_datetime_parse(whole, zoned, text, length);
}

/* pattern: NULL is ISO 8601 */
static bool read_as(int64_t *whole, const char *pattern, const sbl_column *column, const char *text,
                    size_t length)
{
    if (pattern == NULL || strcmp(pattern, DEFAULT) == 0) return read_iso(whole, NULL, column, text, length);
    if (column->type == SBL_TYPE_TIME) return sbl_time_format_read(whole, pattern, text, length);
    const bool good = sbl_date_format_read(whole, pattern, text, length);
    if (good && column->kind == SBL_COLUMN_DATE) *whole /= SECONDS_PER_DAY;
    return good;
}

bool sbl_moment_read(double *value, const sbl_column *column, const char *text, size_t length)
{
    int64_t whole = 0;
    bool good = read_as(&whole, column->format, column, text, length);
    for (size_t i = 0; !good && i < column->also_formats.count; i++)
        good = read_as(&whole, column->also_formats.items[i], column, text, length);
    *value = (double)whole;
    return good;
}

bool sbl_moment_read_any(double *value, bool *zoned, const sbl_column *column, const char *text,
                         size_t length)
{
    int64_t whole = 0;
    if (column->format != NULL && sbl_moment_read(value, column, text, length)) return true;
    if (!read_iso(&whole, zoned, column, text, length)) return sbl_moment_read(value, column, text, length);
    *value = (double)whole;
    return true;
}

size_t sbl_moment_write_iso(char *text, const sbl_column *column, int64_t whole)
{
    if (column->type == SBL_TYPE_TIME) return sbl_time_format(text, whole);
    return column->kind == SBL_COLUMN_DATE ? sbl_date_format(text, whole)
                                           : sbl_datetime_format(text, whole, column->utc);
}

size_t sbl_moment_write(char *text, const sbl_column *column, int64_t whole)
{
    if (column->format == NULL) return sbl_moment_write_iso(text, column, whole);
    return sbl_date_format_write(text, column->format,
                                 column->kind == SBL_COLUMN_DATE ? whole * SECONDS_PER_DAY : whole);
}

/* ---- from and to JSON ---- */

/* The first format of a datetime has a clock; one that is only read may be that of a date, which is its midnight. */
static bool is_good(const sbl_column *column, const char *format, bool first)
{
    if (strcmp(format, DEFAULT) == 0) return true;
    if (column->type == SBL_TYPE_TIME) return sbl_time_format_is_good(format);
    const bool clock = column->type == SBL_TYPE_DATETIME;
    return sbl_date_format_is_good(format, clock) ||
           (clock && !first && sbl_date_format_is_good(format, false));
}

static sbl_status fail_format(const sbl_column *column, const sbl_field_place *at)
{
    return sbl_fail_column(at,
                           "has a format that is not a pattern of a %s like %s; %%Y %%y %%m %%b "
                           "%%d %%H %%M %%S %%z are known",
                           sbl_field_type_name(column->type),
                           column->type == SBL_TYPE_TIME   ? "%H:%M"
                           : column->type == SBL_TYPE_DATE ? "%d.%m.%Y"
                                                           : "%d.%m.%Y %H:%M");
}

static sbl_status parse_list(sbl_column *column, const json_t *list, const sbl_field_place *at)
{
    const size_t count = json_array_size(list);
    if (count < 1 || count > SBL_MOST_FORMATS)
        return sbl_fail_column(at, "has a list of formats with %zu entries: 1 to %d are possible", count,
                               SBL_MOST_FORMATS);
    if (count > 1 && !sbl_strings_reserve(&column->also_formats, count - 1))
        return sbl_fail_column_memory(at);
    for (size_t i = 0; i < count; i++) {
        const char *format = json_string_value(json_array_get(list, i));
        if (format == NULL || !is_good(column, format, i == 0)) return fail_format(column, at);
        if (i > 0 && !sbl_strings_add(&column->also_formats, format)) return sbl_fail_column_memory(at);
    }
    return SBL_OK;
}

sbl_status sbl_formats_parse(sbl_column *column, const json_t *field, const sbl_field_place *at)
{
    const json_t *format = json_object_get(field, "format");
    const bool moment =
        column->type == SBL_TYPE_DATE || column->type == SBL_TYPE_DATETIME || column->type == SBL_TYPE_TIME;
    const char *text = json_string_value(format);
    if (!moment || format == NULL) return SBL_OK;
    if (json_is_array(format)) {
        SBL_CHECK(parse_list(column, format, at));
        text = json_string_value(json_array_get(format, 0));
    }
    if (text == NULL || !is_good(column, text, true)) return fail_format(column, at);
    return strcmp(text, DEFAULT) != 0 ? sbl_copy_text(&column->format, text, at->where, at->err) : SBL_OK;
}

json_t *sbl_formats_to_json(const sbl_column *column)
{
    const char *first = column->format != NULL ? column->format : DEFAULT;
    if (column->also_formats.count == 0) return json_string(first);
    json_t *list = json_pack("[s]", first);
    for (size_t i = 0; i < column->also_formats.count; i++)
        list = sbl_json_append(list, json_string(column->also_formats.items[i]));
    return list;
}
