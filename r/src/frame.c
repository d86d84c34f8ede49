/* SPDX-License-Identifier: Apache-2.0 */
/* A data.frame as records.
 *
 * Each cell is converted by its own value and the class of its column: no cell changes how another is read. R/frame.R hands
 * over a list of columns that are logical, integer, double or character, each with attribute "kind". */
#include "semblance.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const char *kind_of(SEXP column) { return r_string(Rf_getAttrib(column, Rf_install("kind"))); }

/* One byte per row, not 0 where the value is missing. */
static uint8_t *missing_of(size_t rows) { return (uint8_t *)R_alloc(rows > 0 ? rows : 1, 1); }

static void take_logical(sbl_values *to, SEXP column, size_t rows)
{
    uint8_t *values = missing_of(rows), *missing = missing_of(rows);
    const int *from = LOGICAL(column);
    for (size_t i = 0; i < rows; i++) {
        missing[i] = from[i] == NA_LOGICAL;
        values[i] = from[i] != 0 && !missing[i];
    }
    to->type = SBL_VALUES_BOOL;
    to->values = values;
    to->missing = missing;
}

static void take_integer(sbl_values *to, SEXP column, size_t rows)
{
    uint8_t *missing = missing_of(rows);
    const int *from = INTEGER(column);
    for (size_t i = 0; i < rows; i++) missing[i] = from[i] == NA_INTEGER;
    to->type = SBL_VALUES_INT32;
    to->values = from;
    to->missing = missing;
}

/* bit64's integers: the bits of an int64 in a double. */
static void take_integer64(sbl_values *to, SEXP column, size_t rows)
{
    uint8_t *missing = missing_of(rows);
    const double *from = REAL(column);
    for (size_t i = 0; i < rows; i++) {
        int64_t value;
        memcpy(&value, &from[i], sizeof value);
        missing[i] = value == INT64_MIN;
    }
    to->type = SBL_VALUES_INT64;
    to->values = from;
    to->missing = missing;
}

/* NA is missing; NaN is the cell "nan". */
static void take_double(sbl_values *to, SEXP column, size_t rows)
{
    uint8_t *missing = missing_of(rows);
    const double *from = REAL(column);
    for (size_t i = 0; i < rows; i++) missing[i] = R_IsNA(from[i]) != 0;
    to->type = SBL_VALUES_DOUBLE;
    to->values = from;
    to->missing = missing;
}

/* Days since 1970, whole or not. */
static void take_date(sbl_values *to, SEXP column, size_t rows)
{
    uint8_t *missing = missing_of(rows);
    int32_t *values = (int32_t *)R_alloc(rows > 0 ? rows : 1, sizeof *values);
    for (size_t i = 0; i < rows; i++) {
        const double day = floor(REAL(column)[i]);
        missing[i] = isnan(day);
        values[i] = isnan(day)         ? 0
                    : day >= INT32_MAX ? INT32_MAX
                    : day <= INT32_MIN ? INT32_MIN
                                       : (int32_t)day;
    }
    to->type = SBL_VALUES_DATE;
    to->values = values;
    to->missing = missing;
}

/* Seconds since 1970; a fraction is cut off towards the past. */
static void take_moment(sbl_values *to, SEXP column, size_t rows)
{
    uint8_t *missing = missing_of(rows);
    int64_t *values = (int64_t *)R_alloc(rows > 0 ? rows : 1, sizeof *values);
    for (size_t i = 0; i < rows; i++) {
        const double second = floor(REAL(column)[i]);
        missing[i] = isnan(second);
        values[i] = isnan(second)     ? 0
                    : second >= 1e18  ? INT64_MAX
                    : second <= -1e18 ? INT64_MIN
                                      : (int64_t)second;
    }
    to->type = SBL_VALUES_DATETIME;
    to->values = values;
    to->missing = missing;
}

/* The codes of a factor choose among its levels. */
static void take_factor(sbl_values *to, SEXP column, size_t rows)
{
    SEXP levels = Rf_getAttrib(column, R_LevelsSymbol);
    const R_xlen_t count = XLENGTH(levels);
    const char **texts = (const char **)R_alloc((size_t)count + 1, sizeof *texts);
    const char **values = (const char **)R_alloc(rows > 0 ? rows : 1, sizeof *values);
    const int *codes = INTEGER(column);
    for (R_xlen_t i = 0; i < count; i++)
        texts[i] = STRING_ELT(levels, i) == NA_STRING ? NULL : Rf_translateCharUTF8(STRING_ELT(levels, i));
    for (size_t i = 0; i < rows; i++)
        values[i] = codes[i] == NA_INTEGER || codes[i] < 1 || codes[i] > count ? NULL : texts[codes[i] - 1];
    to->type = SBL_VALUES_TEXT;
    to->values = values;
}

static void take_text(sbl_values *to, SEXP column, size_t rows)
{
    const char **values = (const char **)R_alloc(rows > 0 ? rows : 1, sizeof *values);
    for (size_t i = 0; i < rows; i++) {
        SEXP cell = STRING_ELT(column, (R_xlen_t)i);
        values[i] = cell == NA_STRING ? NULL : Rf_translateCharUTF8(cell);
    }
    to->type = SBL_VALUES_TEXT;
    to->values = values;
}

static void take_column(sbl_values *to, SEXP column, size_t rows)
{
    static const struct {
        const char *kind;
        void (*take)(sbl_values *to, SEXP column, size_t rows);
    } kinds[] = {{"logical", take_logical}, {"integer", take_integer}, {"integer64", take_integer64},
                 {"double", take_double},   {"date", take_date},       {"moment", take_moment},
                 {"factor", take_factor},   {"text", take_text}};
    const char *kind = kind_of(column);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kind != NULL && strcmp(kinds[i].kind, kind) == 0) kinds[i].take(to, column, rows);
}

sbl_status r_data_of(sbl_data **data, SEXP frame, r_call *call, sbl_error *err)
{
    SEXP names = Rf_getAttrib(frame, R_NamesSymbol);
    *data = NULL;
    if (TYPEOF(frame) == STRSXP) return sbl_data_open(data, r_string(frame), &call->reading, err);
    const size_t count = (size_t)XLENGTH(frame);
    const size_t rows = (size_t)Rf_asReal(Rf_getAttrib(frame, Rf_install("rows")));
    sbl_values *columns = (sbl_values *)R_alloc(count > 0 ? count : 1, sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        columns[i] = (sbl_values){.struct_size = sizeof *columns,
                                  .name = Rf_translateCharUTF8(STRING_ELT(names, (R_xlen_t)i))};
        take_column(&columns[i], VECTOR_ELT(frame, (R_xlen_t)i), rows);
    }
    sbl_status status = sbl_data_new(data, "the data frame", err);
    if (status == SBL_OK) status = sbl_data_append(*data, columns, count, rows, err);
    if (status != SBL_OK) {
        sbl_data_free(*data);
        *data = NULL;
    }
    return status;
}
