/* SPDX-License-Identifier: Apache-2.0 */
/* Files of SPSS, Stata and SAS as a format of tables (records/rows/table.h), in three parts: what a file says of its
 * variables, its rows as a stream, and cells of both.
 *
 * The head of a file (names, labels, formats, user-missing values) is public, as the header of a CSV file is; no value decides
 * how another is read. */
#ifndef SBL_FORMATS_STATISTICS_H
#define SBL_FORMATS_STATISTICS_H

#include "base/file.h"
#include "public/schema/file_facts.h"
#include "records/rows/table.h"

/* ---- what a file says of its variables (statistics_head.c) ---- */

/* What a number is, by the format that it is shown in. */
typedef enum sbl_statistics_sense {
    SBL_SENSE_NUMBER,
    SBL_SENSE_DAY,
    SBL_SENSE_MOMENT,
    SBL_SENSE_CLOCK
} sbl_statistics_sense;

/* A value with a label. Of a text variable the value is a text. */
typedef struct sbl_value_label {
    double number; /* NaN with a tag */
    char tag;      /* of Stata's and SAS's missing values; 0: none */
    char *key;     /* NULL: it is a number */
    char *text;    /* the label, with SBL_CELL_PADDING bytes after it */
    size_t length;
} sbl_value_label;

typedef struct sbl_label_set {
    char *name;
    sbl_value_label *labels; /* ascending by number, then by tag or key */
    size_t count;
} sbl_label_set;

typedef struct sbl_statistics_variable {
    char *name;
    char *title; /* its label; NULL: none */
    bool is_text;
    sbl_statistics_sense sense;
    double unit;   /* a day or second in units of the file: whole = floor(value / unit) - epoch */
    int64_t epoch; /* days or seconds from the file's epoch to 1970 */
    char *set;     /* the name of its labels; NULL: none */
    const sbl_label_set *labels; /* NULL: none */
    sbl_file_range missing[SBL_USER_MISSING_MOST];
    size_t missing_count;
    char *missing_texts[SBL_USER_MISSING_MOST]; /* of a text variable */
    size_t missing_text_count;
} sbl_statistics_variable;

typedef struct sbl_statistics_head {
    sbl_statistics_kind kind;
    sbl_statistics_variable *variables;
    size_t count;
    sbl_label_set *sets;
    size_t set_count;
    char encoding[64]; /* of texts in rows, as iconv calls it */
} sbl_statistics_head;

/* Returns: SBL_OK; SBL_EINPUT: not such a file, or no library that reads it; SBL_EIO, SBL_EMEM */
sbl_status sbl_statistics_head_read(sbl_statistics_head *head, const char *path, const char *name,
                                    sbl_error *err);
void sbl_statistics_head_clear(sbl_statistics_head *head);

/* By number, then tag; texts by their bytes. For qsort() and bsearch(). */
int sbl_value_label_compare(const void *a, const void *b);
/* Is the value of this label one that counts as missing in the variable? */
bool sbl_label_is_missing(const sbl_statistics_variable *variable, const sbl_value_label *label);

/* ---- rows (statistics_rows.c) ---- */

typedef enum sbl_statistics_sort {
    SBL_STATISTICS_MISSING,
    SBL_STATISTICS_NUMBER,
    SBL_STATISTICS_TEXT
} sbl_statistics_sort;

/* Privacy: a cell of a record. */
typedef struct sbl_statistics_value {
    sbl_statistics_sort sort;
    char tag; /* of a missing one; 0: none */
    double number;
    size_t place,
        length; /* of the text in `texts`, in the file's encoding, with SBL_CELL_PADDING bytes after it */
} sbl_statistics_value;

typedef struct sbl_statistics_rows sbl_statistics_rows;

/* The library hands values over by a callback, so a thread of its own calls it, at most two blocks of rows ahead.
 * columns: of the head. */
sbl_status sbl_statistics_rows_open(sbl_statistics_rows **rows, sbl_statistics_kind kind, const char *path,
                                    const char *name, size_t columns, sbl_error *err);
/* The next row: (columns) values and their texts, good until the next call. values NULL: there is none left. */
sbl_status sbl_statistics_rows_next(sbl_statistics_rows *rows, const sbl_statistics_value **values,
                                    const char **texts, sbl_error *err);
void sbl_statistics_rows_close(sbl_statistics_rows *rows); /* wipes; NULL is fine */

#endif
