/* SPDX-License-Identifier: Apache-2.0 */
/* A probe asks a question about every cell of an undescribed column. The possible answers are a fixed, public
 * list, and each cell gives exactly one. So a column's answers are a histogram with one 1 per record, and
 * a schema is discovered by releasing such histograms (docs/mechanisms/discover.md).
 *
 * Probes are public; the answers of cells are records (records/rows/probe_cell.h). */
#ifndef SBL_SCHEMA_PROBE_H
#define SBL_SCHEMA_PROBE_H

#include "base/error.h"
#include "public/schema/calendar.h"
#include "public/schema/schema_type.h"

typedef enum sbl_probe_kind {
    SBL_PROBE_NONE,      /* the column is not looked at */
    SBL_PROBE_TYPE,      /* what does the cell look like? */
    SBL_PROBE_MAGNITUDE, /* sign and floor(log2 |x|) of a number */
    SBL_PROBE_YEAR,      /* of a date or datetime */
    SBL_PROBE_BINS,      /* which of equal bins, for a number, date (days) or datetime (seconds) */
    SBL_PROBE_TEXT       /* the text itself, which is not in a list of answers */
} sbl_probe_kind;

/* The texts that mean "missing" by default; ends with NULL, the first is empty. */
#define SBL_MISSING_WORDS 8
extern const char *const sbl_missing_words[SBL_MISSING_WORDS + 1];

/* Answers to SBL_PROBE_TYPE. */
enum {
    SBL_LOOKS_MISSING, /* the first of sbl_missing_words; then the others */
    SBL_LOOKS_TEXT = SBL_MISSING_WORDS,
    SBL_LOOKS_COMMA,   /* nothing else, but a number if the comma in it is a decimal mark: 1,5 */
    SBL_LOOKS_BOOLEAN, /* "true" or "false"; 0 and 1 are integers */
    SBL_LOOKS_DATE,    /* in the first of sbl_date_ways and in no other; then the others */
    SBL_LOOKS_DATETIME = SBL_LOOKS_DATE + SBL_DATE_CLOCKS,
    SBL_LOOKS_EITHER = SBL_LOOKS_DATE + SBL_DATE_WAYS,      /* in both of the first of sbl_date_twins;
                                                        * then in both of the others */
    SBL_LOOKS_ZERO_LED = SBL_LOOKS_EITHER + SBL_DATE_TWINS, /* digits that begin with a zero: 007 */
    SBL_LOOKS_INTEGER,
    SBL_LOOKS_DECIMAL,                              /* with 1 digit after the point; then 2 ... */
    SBL_LOOKS_LONG_DECIMAL = SBL_LOOKS_DECIMAL + 6, /* with more than 6, or an exponent */
    SBL_LOOKS_COUNT
};

/* Powers of two that magnitudes are told apart by: 2^-64 <= |x| < 2^64; what is less is 0, what is
 * more is in the last bin. */
#define SBL_MAGNITUDE_LEAST (-64)
#define SBL_MAGNITUDE_MOST 63
#define SBL_MAGNITUDE_BINS 257 /* negative, rising; zero; positive, rising */

/* Years that are told apart; earlier and later ones have a bin each. */
#define SBL_YEAR_FIRST 1800
#define SBL_YEAR_LAST 2199
#define SBL_YEAR_BINS (SBL_YEAR_LAST - SBL_YEAR_FIRST + 3)

typedef struct sbl_probe {
    sbl_probe_kind kind;
    sbl_field_type type; /* YEAR, BINS: what a cell is read as */
    const char *format;  /* YEAR, BINS of dates: a pattern, not owned; NULL: ISO 8601 */
    double low;          /* BINS: of the first; values beyond the bins are in the end ones */
    double width;        /* BINS: of each, > 0; whole for all but numbers */
    size_t bins;         /* BINS: 1 .. SBL_PROBE_MOST_BINS */
    char decimal_char;   /* of numbers, ','; 0: a point */
    char group_char;     /* between thousands; 0: none */
} sbl_probe;

#define SBL_PROBE_MOST_BINS 4096

/* Answers that there are: for all but TYPE the last one is "none", of a cell that is nothing of the
 * kind. 0 for NONE and TEXT. */
size_t sbl_probe_answers(const sbl_probe *probe);

/* The values of answer i, from low to below high; of a year in days since 1970-01-01. Not for TYPE,
 * and not for "none". Bins of what is beyond all others reach to the end of what can be written. */
void sbl_probe_span(double *low, double *high, const sbl_probe *probe, size_t i);

/* The schema of the answers: each column that is looked at becomes one of categories, in words and
 * without a missing value; the others are ignored. names: (count). dialect: how the table is written. */
sbl_status sbl_probe_schema(sbl_schema **schema, const sbl_probe *probes, const sbl_strings *names,
                            const sbl_dialect *dialect, sbl_error *err);

#endif
