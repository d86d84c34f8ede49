/* SPDX-License-Identifier: Apache-2.0 */
/* Dates, datetimes and times of day as a column writes them. */
#ifndef SBL_SCHEMA_MOMENT_H
#define SBL_SCHEMA_MOMENT_H

#include "base/json.h"
#include "public/schema/field_fail.h"
#include "public/schema/schema_type.h"

/* The most formats of a column. */
#define SBL_MOST_FORMATS 8

/* Does the column hold dates, datetimes or times of day? */
bool sbl_column_is_moment(const sbl_column *column);

/* A cell as days, seconds since 1970-01-01 or seconds since midnight. The column's formats are tried in the order in
 * which they are declared: a cell is read by the first that fits, whatever other cells hold. */
bool sbl_moment_read(double *value, const sbl_column *column, const char *text, size_t length);
/* The same, or by ISO 8601, which a column with other formats does not read.
 * Out: zoned, when not NULL: ISO 8601 with a zone was read */
bool sbl_moment_read_any(double *value, bool *zoned, const sbl_column *column, const char *text,
                         size_t length);

/* The first format; returns the length. whole: on the grid of the column. */
size_t sbl_moment_write(char *text, const sbl_column *column, int64_t whole);
/* A bound by ISO 8601, whatever its formats. No final NUL. */
size_t sbl_moment_write_iso(char *text, const sbl_column *column, int64_t whole);

/* column->format and also_formats from a field: a text or a list. The column's type is known. */
sbl_status sbl_formats_parse(sbl_column *column, const json_t *field, const sbl_field_place *at);
/* The member `format`: a text, a list, or NULL if the column has none or there is no memory. */
json_t *sbl_formats_to_json(const sbl_column *column);

#endif
