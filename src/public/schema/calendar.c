/* SPDX-License-Identifier: Apache-2.0 */
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

void sbl_put_digits(char *text, unsigned value, size_t count)
{
    for (size_t i = count; i-- > 0; value /= 10) text[i] = (char)('0' + value % 10);
}

size_t sbl_date_format(char text[SBL_DATE_LENGTH], int64_t days)
{
    unsigned year;
    unsigned month;
    unsigned day;
    civil_from_days(&year, &month, &day, days);
    sbl_put_digits(text, year, 4);
    text[4] = '-';
    sbl_put_digits(text + 5, month, 2);
    text[7] = '-';
    sbl_put_digits(text + 8, day, 2);
    return SBL_DATE_LENGTH;
}

size_t sbl_time_format(char text[SBL_TIME_LENGTH], int64_t seconds)
{
    sbl_put_digits(text, (unsigned)(seconds / 3600), 2);
    text[2] = ':';
    sbl_put_digits(text + 3, (unsigned)(seconds / 60 % 60), 2);
    text[5] = ':';
    sbl_put_digits(text + 6, (unsigned)(seconds % 60), 2);
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
