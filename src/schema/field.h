/* Inside the schema reader: one field of the JSON file to one column. */
#ifndef SBL_SCHEMA_FIELD_H
#define SBL_SCHEMA_FIELD_H

#include "base/json.h"
#include "schema/schema.h"

/* Where a message points to. */
typedef struct sbl_field_place {
    const char *where; /* the file */
    const char *name;  /* the column */
    sbl_error *err;
} sbl_field_place;

/* "FILE: ..." and "FILE: column 'NAME' ...": SBL_EINPUT, one line whatever the file holds. */
sbl_status sbl_fail_schema(sbl_error *err, const char *where, const char *format, ...)
    SBL_PRINTF(3, 4);
sbl_status sbl_fail_column(const sbl_field_place *at, const char *format, ...) SBL_PRINTF(2, 3);
sbl_status sbl_fail_column_memory(const sbl_field_place *at);

/* The whole field. missing_values: the table's list or NULL. On failure the column holds what was
 * read so far, for sbl_column_clear. */
sbl_status sbl_field_parse(sbl_column *column, const json_t *field, const json_t *missing_values,
                           size_t position, const char *where, sbl_error *err);

/* Bounds, grid and fallback of a number, date or datetime. */
sbl_status sbl_field_bounds(sbl_column *column, const json_t *constraints,
                            const json_t *declared_decimals, const sbl_field_place *at);

/* Categories of a string, integer, number, date or datetime column; values is the JSON list. */
sbl_status sbl_field_categories(sbl_column *column, const json_t *values,
                                const sbl_field_place *at);
sbl_status sbl_field_boolean(sbl_column *column, const json_t *field, const sbl_field_place *at);

/* A JSON list of strings or of {"value": string} objects; what names it in messages. */
sbl_status sbl_strings_from_json(sbl_strings *strings, const json_t *list, const char *what,
                                 const sbl_field_place *at);
bool sbl_strings_reserve(sbl_strings *strings, size_t capacity);
bool sbl_strings_add(sbl_strings *strings, const char *text);
bool sbl_strings_contain(const sbl_strings *strings, const char *text);
void sbl_strings_clear(sbl_strings *strings);

void sbl_column_clear(sbl_column *column);

#endif
