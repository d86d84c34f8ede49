/* SPDX-License-Identifier: Apache-2.0 */
/* A small strptime and strftime of our own, so that no locale and no C library has a say. Which
 * days exist is left to calendar.c: a date goes through its ISO text. */
#include "public/schema/calendar.h"

#include <string.h>

#define SECONDS_PER_DAY 86400
#define SHORTEST_MOMENT 6 /* 1.2.24 */

static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/* What was read, or is to be written. */
typedef struct moment {
    unsigned year, month, day, hour, minute, second;
    int offset;    /* seconds east of UTC */
    bool half, pm; /* the hour is one of twelve; it is in the second half of the day */
} moment;

/* Letters of a clock: an hour of 24 alone, or one of twelve with its half. */
typedef struct clock_parts {
    bool day, half, half_name;
} clock_parts;

static void take_clock_part(clock_parts *parts, char part)
{
    parts->day = parts->day || part == 'H';
    parts->half = parts->half || part == 'I';
    parts->half_name = parts->half_name || part == 'p';
}

static bool has_hour(const clock_parts *parts)
{
    return parts->day ? !parts->half && !parts->half_name : parts->half && parts->half_name;
}

bool sbl_date_format_is_good(const char *pattern, bool with_clock)
{
    bool year = false;
    bool month = false;
    bool day = false;
    clock_parts clock = {0};
    size_t length = 0;
    for (const char *p = pattern; *p != '\0'; p++, length += 2) {
        if ((unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e) return false;
        if (*p != '%') continue;
        p++;
        if (*p == '\0' || strchr("YymdHIMSpzb%", *p) == NULL) return false;
        if (*p == 'Y') length += 2;
        if (*p == 'z') length += 4;
        year = year || *p == 'Y' || *p == 'y';
        month = month || *p == 'm' || *p == 'b';
        day = day || *p == 'd';
        take_clock_part(&clock, *p);
        if (!with_clock && strchr("HIMSpz", *p) != NULL) return false;
    }
    return year && month && day && has_hour(&clock) == with_clock && length <= SBL_DATE_FORMAT_MOST;
}

bool sbl_time_format_is_good(const char *pattern)
{
    clock_parts clock = {0};
    bool minute = false;
    if (strlen(pattern) > SBL_DATE_FORMAT_MOST) return false;
    for (const char *p = pattern; *p != '\0'; p++) {
        if ((unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e) return false;
        if (*p != '%') continue;
        p++;
        if (*p == '\0' || strchr("HIMSp%", *p) == NULL) return false;
        take_clock_part(&clock, *p);
        minute = minute || *p == 'M';
    }
    return has_hour(&clock) && minute;
}

/* Up to `most` digits, at least `least`. */
static bool read_digits(unsigned *value, const char **at, const char *end, size_t least, size_t most)
{
    size_t count = 0;
    *value = 0;
    for (; count < most && *at < end && **at >= '0' && **at <= '9'; count++)
        *value = *value * 10 + (unsigned)(*(*at)++ - '0');
    return count >= least;
}

static bool read_month(unsigned *month, const char **at, const char *end)
{
    for (*month = 1; *month <= 12 && end - *at >= 3; (*month)++)
        if (memcmp(*at, months[*month - 1], 3) == 0) {
            *at += 3;
            return true;
        }
    return false;
}

static bool read_zone(int *offset, const char **at, const char *end)
{
    unsigned hour;
    unsigned minute;
    *offset = 0;
    if (*at < end && **at == 'Z') {
        (*at)++;
        return true;
    }
    if (*at == end || (**at != '+' && **at != '-')) return false;
    const int sign = *(*at)++ == '-' ? -1 : 1;
    if (!read_digits(&hour, at, end, 2, 2)) return false;
    if (*at < end && **at == ':') (*at)++;
    if (!read_digits(&minute, at, end, 2, 2) || hour > 23 || minute > 59) return false;
    *offset = sign * (int)(hour * 3600 + minute * 60);
    return true;
}

/* AM or PM, in any case. */
static bool read_half(moment *m, const char **at, const char *end)
{
    if (end - *at < 2 || ((*at)[1] | 0x20) != 'm') return false;
    const int first = (*at)[0] | 0x20;
    m->pm = first == 'p';
    *at += 2;
    return first == 'a' || first == 'p';
}

static bool read_part(moment *m, char part, const char **at, const char *end)
{
    switch (part) {
    case 'Y':
        return read_digits(&m->year, at, end, 4, 4);
    case 'y':
        if (!read_digits(&m->year, at, end, 2, 2)) return false;
        m->year += m->year < 69 ? 2000 : 1900;
        return true;
    case 'm':
        return read_digits(&m->month, at, end, 1, 2);
    case 'b':
        return read_month(&m->month, at, end);
    case 'd':
        return read_digits(&m->day, at, end, 1, 2);
    case 'H':
        return read_digits(&m->hour, at, end, 1, 2) && m->hour < 24;
    case 'I':
        m->half = true;
        return read_digits(&m->hour, at, end, 1, 2) && m->hour >= 1 && m->hour <= 12;
    case 'p':
        return read_half(m, at, end);
    case 'M':
        return read_digits(&m->minute, at, end, 1, 2) && m->minute < 60;
    case 'S':
        return read_digits(&m->second, at, end, 1, 2) && m->second < 60;
    case 'z':
        return read_zone(&m->offset, at, end);
    default:
        return *at < end && *(*at)++ == '%';
    }
}

/* Through the calendar's own text: one place knows which days there are. */
static bool to_days(int64_t *days, const moment *m)
{
    char text[SBL_DATE_LENGTH];
    if (m->month > 99 || m->day > 99) return false;
    sbl_put_digits(text, m->year, 4);
    text[4] = text[7] = '-';
    sbl_put_digits(text + 5, m->month, 2);
    sbl_put_digits(text + 8, m->day, 2);
    return sbl_date_parse(days, text, sizeof text);
}

static bool read_pattern(moment *m, const char *pattern, const char *text, size_t length)
{
    const char *end = text + length;
    for (const char *p = pattern; *p != '\0'; p++) {
        if (*p == '%') {
            if (!read_part(m, *++p, &text, end)) return false;
        } else if (text == end || *text++ != *p) {
            return false;
        }
    }
    return text == end;
}

static int64_t clock_of(const moment *m)
{
    const int64_t hour = m->half ? m->hour % 12 + (m->pm ? 12 : 0) : m->hour;
    return hour * 3600 + (int64_t)m->minute * 60 + m->second;
}

bool sbl_date_format_read(int64_t *seconds, const char *pattern, const char *text, size_t length)
{
    moment m = {0};
    int64_t days;
    if (!read_pattern(&m, pattern, text, length) || !to_days(&days, &m)) return false;
    *seconds = days * SECONDS_PER_DAY + clock_of(&m) - m.offset;
    return true;
}

bool sbl_time_format_read(int64_t *seconds, const char *pattern, const char *text, size_t length)
{
    moment m = {0};
    if (!read_pattern(&m, pattern, text, length)) return false;
    *seconds = clock_of(&m);
    return true;
}

const char *const sbl_date_ways[SBL_DATE_WAYS] = {NULL,
                                                  "%d.%m.%Y",
                                                  "%d/%m/%Y",
                                                  "%m/%d/%Y",
                                                  "%Y/%m/%d",
                                                  "%d-%m-%Y",
                                                  "%d.%m.%y",
                                                  "%d/%m/%y",
                                                  "%m/%d/%y",
                                                  NULL,
                                                  "%d.%m.%Y %H:%M",
                                                  "%d.%m.%Y %H:%M:%S",
                                                  "%d/%m/%Y %H:%M",
                                                  "%m/%d/%Y %H:%M",
                                                  "%m/%d/%Y %H:%M:%S",
                                                  "%d.%m.%y %H:%M"};
const int sbl_date_twins[SBL_DATE_TWINS][2] = {{2, 3}, {7, 8}, {12, 13}};

bool sbl_date_way_read(int64_t *seconds, int way, const char *text, size_t length)
{
    if (length < SHORTEST_MOMENT || text[0] < '0' || text[0] > '9') return false;
    if (sbl_date_ways[way] != NULL) return sbl_date_format_read(seconds, sbl_date_ways[way], text, length);
    if (way >= SBL_DATE_CLOCKS)
        return length > SBL_DATE_LENGTH && sbl_datetime_parse(seconds, NULL, text, length);
    const bool good = sbl_date_parse(seconds, text, length);
    *seconds *= good ? SECONDS_PER_DAY : 1;
    return good;
}

static size_t write_part(char *text, char part, const moment *m)
{
    switch (part) {
    case 'Y':
        sbl_put_digits(text, m->year, 4);
        return 4;
    case 'b':
        memcpy(text, months[m->month - 1], 3);
        return 3;
    case 'z':
        memcpy(text, "+00:00", 6);
        return 6;
    case '%':
        *text = '%';
        return 1;
    case 'p':
        memcpy(text, m->hour < 12 ? "AM" : "PM", 2);
        return 2;
    case 'I':
        sbl_put_digits(text, m->hour % 12 == 0 ? 12 : m->hour % 12, 2);
        return 2;
    default:
        sbl_put_digits(text,
                       part == 'y'   ? m->year % 100
                       : part == 'm' ? m->month
                       : part == 'd' ? m->day
                       : part == 'H' ? m->hour
                       : part == 'M' ? m->minute
                                     : m->second,
                       2);
        return 2;
    }
}

static unsigned number_at(const char *text, size_t count)
{
    unsigned value = 0;
    for (size_t i = 0; i < count; i++) value = value * 10 + (unsigned)(text[i] - '0');
    return value;
}

size_t sbl_date_format_write(char text[SBL_DATE_FORMAT_MOST], const char *pattern, int64_t seconds)
{
    char iso[SBL_DATETIME_LENGTH];
    size_t length = 0;
    (void)sbl_datetime_format(iso, seconds, false);
    const moment m = {.year = number_at(iso, 4),
                      .month = number_at(iso + 5, 2),
                      .day = number_at(iso + 8, 2),
                      .hour = number_at(iso + 11, 2),
                      .minute = number_at(iso + 14, 2),
                      .second = number_at(iso + 17, 2)};
    for (const char *p = pattern; *p != '\0'; p++)
        if (*p == '%')
            length += write_part(text + length, *++p, &m);
        else
            text[length++] = *p;
    return length;
}
