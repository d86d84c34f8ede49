/* Dates as whole days and datetimes as whole seconds since 1970-01-01, in the proleptic Gregorian
 * calendar, years 0000 to 9999. Exact both ways. */
#ifndef SBL_SCHEMA_CALENDAR_H
#define SBL_SCHEMA_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SBL_DATE_LENGTH 10     /* YYYY-MM-DD */
#define SBL_DATETIME_LENGTH 20 /* YYYY-MM-DDThh:mm:ssZ */

/* "YYYY-MM-DD", all of text. */
bool sbl_date_parse(int64_t *days, const char *text, size_t length);

/* "YYYY-MM-DDThh:mm:ss": T or a space between, seconds optional, a fraction of a second is cut off,
 * then nothing, Z, or an offset +hh:mm that is taken to UTC; or a date alone (midnight).
 * Out: zoned, when not NULL: Z or an offset was given */
bool sbl_datetime_parse(int64_t *seconds, bool *zoned, const char *text, size_t length);

/* Write without a final NUL; return the length. In: a value that the parsers can give. */
size_t sbl_date_format(char text[SBL_DATE_LENGTH], int64_t days);
size_t sbl_datetime_format(char text[SBL_DATETIME_LENGTH], int64_t seconds, bool utc);

#endif
