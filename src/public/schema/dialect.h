/* SPDX-License-Identifier: Apache-2.0 */
/* How a table is written: what separates its cells, what quotes them, whether names stand above
 * them, in which encoding (Table Dialect of the Data Package standard, as far as CSV files need it).
 * Public, part of the schema; what a model draws is written the same way.
 *
 *   "dialect": {"delimiter": ";", "quoteChar": "\"", "header": true, "commentChar": "#", "headerRows": [3],
 *               "lineTerminator": "\r\n"},
 *   "encoding": "windows-1252" */
#ifndef SBL_SCHEMA_DIALECT_H
#define SBL_SCHEMA_DIALECT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"
#include "semblance/options.h"

typedef struct sbl_dialect {
    char delimiter;       /* one ASCII character, but not a letter, digit, blank, quote or sign */
    char quote;           /* '"' or '\'' */
    char comment;         /* lines before the header that begin with it are passed over; 0: none */
    bool header;          /* false: the columns are in the schema's order, without their names */
    const char *encoding; /* of sbl_encoding_name(): lives as long as the program */
    unsigned titles;      /* lines above the header that are passed over, up to SBL_MOST_TITLES; where
                           * one of them begins with the name of a column, it is the header. What a
                           * model draws has none */
    bool crlf;            /* lines are written with "\r\n" at their end; both ends are read */
} sbl_dialect;

#define SBL_DIALECT_USUAL ((sbl_dialect){',', '"', 0, true, "utf-8", 0, false})
#define SBL_MOST_TITLES 100

/* From the members `dialect` and `encoding` of a schema, both optional. */
sbl_status sbl_dialect_read(sbl_dialect *dialect, const json_t *schema, const char *where, sbl_error *err);
/* And back; what is usual is left out. *schema becomes NULL when out of memory. */
void sbl_dialect_write(json_t **schema, const sbl_dialect *dialect);

/* "a comma", "semicolons", ... */
const char *sbl_delimiter_words(char delimiter);

/* How a table without described columns is written. */
typedef struct sbl_written {
    sbl_dialect dialect;
    char decimal_char; /* of numbers: '.' or ',' */
    char group_char;   /* between thousands; 0: none */
} sbl_written;

#define SBL_WRITTEN_USUALLY ((sbl_written){SBL_DIALECT_USUAL, '.', 0})

/* Options say how a table is written, beside its schema or without one: what they say replaces what the schema says, and
 * is in the plan, the certificate and the model as if the schema had said it. A text that is NULL says nothing.
 * Returns: SBL_OK; SBL_EARG naming the option: a sign that cannot be one, or one sign for two things */
sbl_status sbl_dialect_apply(sbl_dialect *dialect, const sbl_data_options *given, sbl_error *err);
sbl_status sbl_written_apply(sbl_written *written, const sbl_data_options *given, sbl_error *err);
/* The marks of numbers alone. */
void sbl_marks_apply(char *decimal, char *group, const sbl_data_options *given);

#endif
