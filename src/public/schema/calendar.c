/* Days and civil dates by Hinnant's era arithmetic (years that begin in March, eras of 400 years),
 * and a strict reader of ISO 8601. Whole numbers only: no time zone data, no call of the C
 * library. */
#include "public/schema/calendar.h"

#include <string.h>

#define SECONDS_PER_DAY 86400

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Exactly count digits at text. */
static bool digits(unsigned *value, const char *text, size_t count)
{
    *value = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_digit(text[i])) return false;
        *value = *value * 10 + (unsigned)(text[i] - '0');
    }
    return true;
}

static bool is_leap(unsigned year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

static unsigned days_in_month(unsigned year, unsigned month)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

/* Days from 1970-01-01. The year is counted from March, so that the leap day comes last, in eras of
 * 400 years = 146097 days (Hinnant, "chrono-compatible low-level date algorithms"). */
static int64_t days_from_civil(unsigned year, unsigned month, unsigned day)
{
    const int64_t y = (int64_t)year - (month <= 2 ? 1 : 0);
    const int64_t era = (y >= 0 ? y : y - 399) / 400;
    const int64_t year_of_era = y - era * 400;
    const int64_t day_of_year = (153 * ((int64_t)month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static void civil_from_days(unsigned *year, unsigned *month, unsigned *day, int64_t days)
{
    const int64_t z = days + 719468;
    const int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    const int64_t doe = z - era * 146097;
    const int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    const int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    const int64_t march_month = (5 * doy + 2) / 153;
    *day = (unsigned)(doy - (153 * march_month + 2) / 5 + 1);
    *month = (unsigned)(march_month < 10 ? march_month + 3 : march_month - 9);
    *year = (unsigned)(yoe + era * 400 + (*month <= 2 ? 1 : 0));
}

bool sbl_date_parse(int64_t *days, const char *text, size_t length)
{
    unsigned year;
    unsigned month;
    unsigned day;
    if (length != SBL_DATE_LENGTH || text[4] != '-' || text[7] != '-') return false;
    if (!digits(&year, text, 4) || !digits(&month, text + 5, 2) || !digits(&day, text + 8, 2)) return false;
    if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) return false;
    *days = days_from_civil(year, month, day);
    return true;
}

/* "hh:mm" or "hh:mm:ss" or "hh:mm:ss.fff"; moves *text past it. */
static bool parse_clock(int64_t *seconds, const char **text, const char *end)
{
    unsigned hour;
    unsigned minute;
    unsigned second = 0;
    const char *p = *text;
    if (end - p < 5 || p[2] != ':' || !digits(&hour, p, 2) || !digits(&minute, p + 3, 2)) return false;
    p += 5;
    if (end - p >= 3 && p[0] == ':') {
        if (!digits(&second, p + 1, 2)) return false;
        p += 3;
        if (end - p >= 2 && p[0] == '.' && is_digit(p[1])) {
            p++;
            while (p < end && is_digit(*p)) p++;
        }
    }
    if (hour > 23 || minute > 59 || second > 59) return false;
    *seconds = (int64_t)hour * 3600 + (int64_t)minute * 60 + second;
    *text = p;
    return true;
}

bool sbl_time_parse(int64_t *seconds, const char *text, size_t length)
{
    const char *at = text;
    return parse_clock(seconds, &at, text + length) && at == text + length;
}

/* "", "Z", "+hh:mm", "+hhmm", "+hh": all of the rest. */
static bool parse_zone(int64_t *offset, bool *zoned, const char *text, const char *end)
{
    unsigned hour;
    unsigned minute = 0;
    *offset = 0;
    *zoned = text < end;
    if (text == end) return true;
    if (*text == 'Z') return text + 1 == end;
    if ((*text != '+' && *text != '-') || end - text < 3 || !digits(&hour, text + 1, 2)) return false;
    const char *minutes = text + 3;
    if (minutes < end && *minutes == ':') minutes++;
    if (minutes != end && (end - minutes != 2 || !digits(&minute, minutes, 2))) return false;
    if (minutes == end && minutes[-1] == ':') return false;
    if (hour > 23 || minute > 59) return false;
    *offset = ((int64_t)hour * 3600 + (int64_t)minute * 60) * (*text == '-' ? -1 : 1);
    return true;
}

bool sbl_datetime_parse(int64_t *seconds, bool *zoned, const char *text, size_t length)
{
    int64_t days;
    int64_t clock = 0;
    int64_t offset = 0;
    bool has_zone = false;
    const char *end = text + length;
    if (length < SBL_DATE_LENGTH || !sbl_date_parse(&days, text, SBL_DATE_LENGTH)) return false;
    const char *p = text + SBL_DATE_LENGTH;
    if (p < end) {
        if (*p != 'T' && *p != ' ') return false;
        p++;
        if (!parse_clock(&clock, &p, end) || !parse_zone(&offset, &has_zone, p, end)) return false;
    }
    *seconds = days * SECONDS_PER_DAY + clock - offset;
    /* An offset may not lead out of the years that can be written. */
    if (*seconds < days_from_civil(0, 1, 1) * SECONDS_PER_DAY ||
        *seconds >= days_from_civil(10000, 1, 1) * SECONDS_PER_DAY)
        return false;
    if (zoned != NULL) *zoned = has_zone;
    return true;
}

static void put_digits(char *text, unsigned value, size_t count)
{
    for (size_t i = count; i-- > 0; value /= 10) text[i] = (char)('0' + value % 10);
}

size_t sbl_date_format(char text[SBL_DATE_LENGTH], int64_t days)
{
    unsigned year;
    unsigned month;
    unsigned day;
    civil_from_days(&year, &month, &day, days);
    put_digits(text, year, 4);
    text[4] = '-';
    put_digits(text + 5, month, 2);
    text[7] = '-';
    put_digits(text + 8, day, 2);
    return SBL_DATE_LENGTH;
}

size_t sbl_time_format(char text[SBL_TIME_LENGTH], int64_t seconds)
{
    put_digits(text, (unsigned)(seconds / 3600), 2);
    text[2] = ':';
    put_digits(text + 3, (unsigned)(seconds / 60 % 60), 2);
    text[5] = ':';
    put_digits(text + 6, (unsigned)(seconds % 60), 2);
    return SBL_TIME_LENGTH;
}

size_t sbl_datetime_format(char text[SBL_DATETIME_LENGTH], int64_t seconds, bool utc)
{
    int64_t days = seconds / SECONDS_PER_DAY;
    int64_t clock = seconds % SECONDS_PER_DAY;
    if (clock < 0) {
        clock += SECONDS_PER_DAY;
        days--;
    }
    (void)sbl_date_format(text, days);
    text[10] = 'T';
    (void)sbl_time_format(text + 11, clock);
    text[19] = 'Z';
    return utc ? SBL_DATETIME_LENGTH : SBL_DATETIME_LENGTH - 1;
}

/* A small strptime and strftime of our own, so that no locale and no C library has a say. Which
 * days exist is left to calendar.c: a date goes through its ISO text. */

#define SHORTEST_MOMENT 6 /* 1.2.24 */

static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/* What was read, or is to be written. */
typedef struct moment {
    unsigned year, month, day, hour, minute, second;
    int offset; /* seconds east of UTC */
} moment;

bool sbl_date_format_is_good(const char *pattern, bool with_clock)
{
    bool year = false;
    bool month = false;
    bool day = false;
    bool hour = false;
    size_t length = 0;
    for (const char *p = pattern; *p != '\0'; p++, length += 2) {
        if ((unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e) return false;
        if (*p != '%') continue;
        p++;
        if (*p == '\0' || strchr("YymdHMSzb%", *p) == NULL) return false;
        if (*p == 'Y') length += 2;
        if (*p == 'z') length += 4;
        year = year || *p == 'Y' || *p == 'y';
        month = month || *p == 'm' || *p == 'b';
        day = day || *p == 'd';
        hour = hour || *p == 'H';
        if (!with_clock && strchr("HMSz", *p) != NULL) return false;
    }
    return year && month && day && hour == with_clock && length <= SBL_DATE_FORMAT_MOST;
}

bool sbl_time_format_is_good(const char *pattern)
{
    bool hour = false;
    bool minute = false;
    if (strlen(pattern) > SBL_DATE_FORMAT_MOST) return false;
    for (const char *p = pattern; *p != '\0'; p++) {
        if ((unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e) return false;
        if (*p != '%') continue;
        p++;
        if (*p == '\0' || strchr("HMS%", *p) == NULL) return false;
        hour = hour || *p == 'H';
        minute = minute || *p == 'M';
    }
    return hour && minute;
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
    put_digits(text, m->year, 4);
    text[4] = text[7] = '-';
    put_digits(text + 5, m->month, 2);
    put_digits(text + 8, m->day, 2);
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
    return (int64_t)m->hour * 3600 + (int64_t)m->minute * 60 + m->second;
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
        put_digits(text, m->year, 4);
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
    default:
        put_digits(text,
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
