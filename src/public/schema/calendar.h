/* SPDX-License-Identifier: Apache-2.0 */
/* Dates as whole days and datetimes as whole seconds since 1970-01-01, in the proleptic Gregorian
 * calendar, years 0000 to 9999. Exact both ways. */
#ifndef SBL_SCHEMA_CALENDAR_H
#define SBL_SCHEMA_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SBL_DATE_LENGTH 10     /* YYYY-MM-DD */
#define SBL_DATETIME_LENGTH 20 /* YYYY-MM-DDThh:mm:ssZ */
#define SBL_TIME_LENGTH 8      /* hh:mm:ss */

/* "YYYY-MM-DD", all of text. */
bool sbl_date_parse(int64_t *days, const char *text, size_t length);

/* "YYYY-MM-DDThh:mm:ss": T or a space between, seconds optional, a fraction of a second is cut off,
 * then nothing, Z, or an offset +hh:mm that is taken to UTC; or a date alone (midnight).
 * Out: zoned, when not NULL: Z or an offset was given */
bool sbl_datetime_parse(int64_t *seconds, bool *zoned, const char *text, size_t length);

/* "hh:mm", "hh:mm:ss" or "hh:mm:ss.fff", all of text: seconds since midnight, a fraction is cut off. */
bool sbl_time_parse(int64_t *seconds, const char *text, size_t length);

/* The last count digits of a value, with zeros before it. */
void sbl_put_digits(char *text, unsigned value, size_t count);

/* Write without a final NUL; return the length. In: a value that the parsers can give. */
size_t sbl_date_format(char text[SBL_DATE_LENGTH], int64_t days);
size_t sbl_datetime_format(char text[SBL_DATETIME_LENGTH], int64_t seconds, bool utc);
size_t sbl_time_format(char text[SBL_TIME_LENGTH], int64_t seconds); /* hh:mm:ss */

/* Dates and datetimes as people write them (date_format.c): patterns as of strptime, the same on every machine.
 *
 * %Y %y (69 to 99 are 1969 to 1999) %m %d %H %I %p %M %S %z (Z, +hh:mm, +hhmm) %b (Jan, in English) %%; any
 * other character stands for itself. %I, 1 to 12, and %p, AM or PM in any case, come together. Days, months, hours, minutes and seconds have one or two digits
 * on reading and two on writing. */

#define SBL_DATE_FORMAT_MOST 40 /* characters of a pattern, and of what it writes */

/* Is it a pattern of a date (year, month and day, no clock), or of a datetime (and an hour)? */
bool sbl_date_format_is_good(const char *pattern, bool with_clock);

/* Is it a pattern of a time of day: hours and minutes, perhaps seconds, and nothing else of a moment? */
bool sbl_time_format_is_good(const char *pattern);

/* Seconds since 1970-01-01; a date is its midnight. The whole of text. */
bool sbl_date_format_read(int64_t *seconds, const char *pattern, const char *text, size_t length);
/* The same for a time of day: seconds since midnight. */
bool sbl_time_format_read(int64_t *seconds, const char *pattern, const char *text, size_t length);

/* Ways to write dates, from SBL_DATE_CLOCKS on datetimes, that are known without being told: patterns;
 * NULL: ISO 8601. Each begins with a digit. */
#define SBL_DATE_WAYS 16
#define SBL_DATE_CLOCKS 9
extern const char *const sbl_date_ways[SBL_DATE_WAYS];

/* Those that differ in the order of days and months alone: a text may read in both of them. No other
 * two ways read the same text, but a moment of ISO 8601 may have no clock. */
#define SBL_DATE_TWINS 3
extern const int sbl_date_twins[SBL_DATE_TWINS][2];

/* As sbl_date_format_read(). */
bool sbl_date_way_read(int64_t *seconds, int way, const char *text, size_t length);

/* Without a final NUL; returns the length. */
size_t sbl_date_format_write(char text[SBL_DATE_FORMAT_MOST], const char *pattern, int64_t seconds);

#endif
