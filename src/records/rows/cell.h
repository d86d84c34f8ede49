/* SPDX-License-Identifier: Apache-2.0 */
/* One cell of a table before any schema, with the type that its format gives it. */
#ifndef SBL_ROWS_CELL_H
#define SBL_ROWS_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sbl_cell_sort {
    SBL_CELL_IS_MISSING,
    SBL_CELL_IS_UNREADABLE, /* also one that its row is too short for */
    SBL_CELL_IS_TRUTH,      /* whole: 0 or 1 */
    SBL_CELL_IS_INTEGER,    /* whole */
    SBL_CELL_IS_UNSIGNED,   /* large */
    SBL_CELL_IS_NUMBER,     /* number */
    SBL_CELL_IS_DECIMAL,    /* text: digits with a point */
    SBL_CELL_IS_DAY,        /* whole: since 1970-01-01 */
    SBL_CELL_IS_MOMENT,     /* whole: seconds since then */
    SBL_CELL_IS_CLOCK,      /* a time of day; whole: seconds since midnight */
    SBL_CELL_IS_TEXT,       /* text */
    SBL_CELL_IS_LONG        /* text that is too long for a cell: only good for whose row it is */
} sbl_cell_sort;

/* Privacy: a cell of a record. */
typedef struct sbl_cell {
    sbl_cell_sort sort;
    bool zoned; /* of a moment; of a day: never */
    int64_t whole;
    int64_t nanoseconds; /* past whole: not a value of a column, but part of an id */
    uint64_t large;
    double number;
    const char *text; /* the format's, until its next row, with SBL_CELL_PADDING bytes after it */
    size_t length;
} sbl_cell;

#define SBL_CELL_PADDING 8                   /* that can be read, whatever they are */
#define SBL_CELL_MOST_TEXT ((size_t)1 << 20) /* a longer one cannot be read */

/* Where a text begins and how long it is without the blanks around it. */
static inline const char *sbl_trim(const char *text, size_t *length)
{
    for (; *length > 0 && (*text == ' ' || *text == '\t'); text++) --*length;
    while (*length > 0 && (text[*length - 1] == ' ' || text[*length - 1] == '\t')) --*length;
    return text;
}

/* The cell as a CSV file has it, without a NUL at its end: its own text, or in `own`. A missing one is empty; NULL:
 * it cannot be read. */
#define SBL_CELL_OWN_TEXT 128
const char *sbl_cell_text(size_t *length, char own[SBL_CELL_OWN_TEXT], const sbl_cell *cell);
/* The same as an id: no two values of a type have one text, and all that cannot be read have one. Not of a missing cell. */
const char *sbl_cell_id(size_t *length, char own[SBL_CELL_OWN_TEXT], const sbl_cell *cell);

/* The text of a value: the shortest of a number, ISO 8601 of days and seconds since 1970-01-01 that the calendar
 * can write. No final NUL; returns the length. */
#define SBL_VALUE_TEXT 64
size_t sbl_number_text(char text[SBL_VALUE_TEXT], double value);
size_t sbl_day_text(char text[SBL_VALUE_TEXT], int64_t days);
size_t sbl_moment_text(char text[SBL_VALUE_TEXT], int64_t seconds, bool utc);
size_t sbl_clock_text(char text[SBL_VALUE_TEXT], int64_t seconds);

/* Days and seconds that the calendar can write: years 0000 to 9999. */
#define SBL_FIRST_DAY INT64_C(-719528)
#define SBL_LAST_DAY INT64_C(2932896)
#define SBL_DAY INT64_C(86400)

#endif
