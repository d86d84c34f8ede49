/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a schema column by column, for code that found out what the columns are. The result is the text
 * of a Table Schema file for people to read and edit, and the schema that our own parser makes of that
 * text: a schema that the parser would refuse cannot be finished.
 *
 * `semblance.origin` says where the facts came from: for the table (an object with any content) and for
 * each column (the facts that the user did not state). The parser skips both: an origin does not change
 * the meaning of a schema, and two schemas that differ only in it have the same hash. */
#ifndef SBL_SCHEMA_SCHEMA_WRITER_H
#define SBL_SCHEMA_SCHEMA_WRITER_H

#include "base/error.h"
#include "base/json.h"
#include "public/schema/schema_type.h"

/* One column. Zero-initialised, with name and type, it has no domain, which the parser
 * refuses. Texts are UTF-8 and borrowed for the call. */
typedef struct sbl_writer_column {
    const char *name;
    sbl_field_type type;               /* SBL_TYPE_NONE: role `ignore`; nothing else is looked at then */
    bool required;                     /* false: cells may be missing */
    const char *const *missing_values; /* this column's own; NULL with count 0: the table's */
    size_t missing_count;
    /* integer, number, date (days since 1970-01-01), datetime (seconds), time (seconds since
     * midnight); categories == NULL */
    double minimum;
    double maximum; /* minimum <= maximum; whole numbers but for type number */
    bool utc;       /* datetime: with a final Z */
    bool has_decimals;
    int decimals; /* number, where has_decimals: 0 .. 22 digits after the point */
    double step;  /* integer, number: values are whole multiples of it; 0: none */
    bool log_transform;
    const double *spikes; /* integer, number: values apart, at most SBL_MOST_SPIKES, also outside bounds */
    size_t spike_count;
    /* Any type but boolean: every value it may take; NULL: bounds as above. */
    const char *const *categories;
    size_t category_count;
    const char *other; /* NULL: none; else the category that stands for any other value */
    bool ordered;
    bool per_unit; /* the person's, where the table has a unit */
    /* How cells are written; zero: as usual. */
    const char *format;         /* date, datetime, time: a pattern (public/schema/calendar.h) */
    const char *const *formats; /* instead, several: "default" is ISO 8601; the first is written */
    size_t format_count;
    char decimal_char;  /* number: ',' */
    char group_char;    /* number, integer */
    bool signs;         /* number, integer: currency or percent signs around it */
    const char *prefix; /* where there are signs: written before and after it; NULL: nothing */
    const char *suffix;
    /* Which of these facts were not declared by a user: "type", "minimum", ...; NULL: all were. */
    const char *const *origin;
    size_t origin_count;
} sbl_writer_column;

typedef struct sbl_schema_writer sbl_schema_writer;

/* missing_values: the cells that mean "missing" in every column, the first is written; NULL with
 * count 0: an empty cell.   Owner: the caller; sbl_schema_writer_free() */
sbl_status sbl_schema_writer_new(sbl_schema_writer **writer, const char *const *missing_values, size_t count,
                                 sbl_error *err);
void sbl_schema_writer_free(sbl_schema_writer *writer); /* NULL is fine */

/* Returns: SBL_OK; SBL_EARG for a text that is not UTF-8 or a bound that is not finite;
 * SBL_EMEM */
sbl_status sbl_schema_writer_add(sbl_schema_writer *writer, const sbl_writer_column *column, sbl_error *err);
/* An option of the table's `semblance` object: "label", one of the columns, and the like. Takes the
 * value, also on failure; NULL (a text that is not UTF-8) is SBL_EMEM. */
sbl_status sbl_schema_writer_set(sbl_schema_writer *writer, const char *key, json_t *value, sbl_error *err);
/* How the table is written. */
void sbl_schema_writer_dialect(sbl_schema_writer *writer, const sbl_dialect *dialect);
/* What a file says of a column that was added (file_facts.h): {"name", "title", "labels", "codes", "user_missing"}. Labels become
 * the first categories, where the column has any; numbers that count as missing become values apart. */
sbl_status sbl_schema_writer_describe(sbl_schema_writer *writer, const json_t *facts, sbl_error *err);
/* One proposal (public/schema/proposals.h), which the owner will take or strike. Takes the object, as above. */
sbl_status sbl_schema_writer_propose(sbl_schema_writer *writer, json_t *proposal, sbl_error *err);

/* Out:     text    indented JSON with a final newline; sbl_free(); may be NULL: not wanted
 *          schema  what the parser makes of it; sbl_schema_free(); may be NULL
 * Returns: SBL_OK; SBL_EINPUT, what the parser says (where is for its message); SBL_EMEM */
sbl_status sbl_schema_writer_finish(char **text, sbl_schema **schema, const sbl_schema_writer *writer,
                                    const char *where, sbl_error *err);

/* A number as people write it: a whole one has no point. NULL when out of memory. */
json_t *sbl_writer_number(double value);

/* The nearest plain number that is not above (down) or not below (up) value: a whole multiple of a
 * power of ten with at most `digits` (1 .. 15) significant digits, for bounds that people read.
 * 0 stays 0; value is finite. The result is on its side of value in doubles, whatever the rounding
 * of the multiplication. */
double sbl_plain_number_down(double value, int digits);
double sbl_plain_number_up(double value, int digits);

#endif
