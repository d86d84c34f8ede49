/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the schema reader: one field of the JSON file to one column. */
#ifndef SBL_SCHEMA_SCHEMA_JSON_H
#define SBL_SCHEMA_SCHEMA_JSON_H

#include "base/error.h"
#include "base/json.h"
#include "public/schema/field_fail.h"
#include "public/schema/schema_type.h"

/* A schema of one table, of an object that was parsed. */
sbl_status sbl_schema_from_object(sbl_schema **schema, const json_t *object, const char *where,
                                  sbl_error *err);

/* ---- a field ---- */

/* The whole field. missing_values: the table's list or NULL; of the unit's column nothing but the
 * name is read. On failure the column holds what was read so far, for sbl_schema_free. */
sbl_status sbl_field_parse(sbl_column *column, const json_t *field, const json_t *missing_values,
                           bool is_unit, size_t position, const char *where, sbl_error *err);

/* Bounds, grid and fallback of a number, date or datetime. */
sbl_status sbl_field_bounds(sbl_column *column, const json_t *constraints, const json_t *declared_decimals,
                            const json_t *declared_step, const sbl_field_place *at);

/* Categories of a string, integer, number, date or datetime column; values is the JSON list. */
sbl_status sbl_field_categories(sbl_column *column, const json_t *values, const sbl_field_place *at);
sbl_status sbl_field_boolean(sbl_column *column, const json_t *field, const sbl_field_place *at);

/* A JSON list of strings or of {"value": string} objects; what names it in messages. */
sbl_status sbl_strings_from_json(sbl_strings *strings, const json_t *list, const char *what,
                                 const sbl_field_place *at);

/* ---- whose row it is, and in which order (unit_json.c) ---- */

/* Is it one of the table's options that say it? */
bool sbl_unit_option(const char *key);
/* Does the field describe the column that identifies the person? It is skipped: whatever else the schema
 * says about it, it is not modelled. */
bool sbl_unit_is_field(const json_t *options, const json_t *field);
sbl_status sbl_unit_parse(sbl_column *column, const json_t *field, const sbl_field_place *at);
/* semblance.per of a field. */
sbl_status sbl_per_parse(sbl_column *column, const json_t *field, const sbl_field_place *at);
/* The unit of a schema whose columns are read. */
sbl_status sbl_unit_read(sbl_schema *schema, const json_t *options, const char *where, sbl_error *err);
/* The order of a person's rows, of a schema whose unit and label are read. */
sbl_status sbl_order_read(sbl_schema *schema, const json_t *options, const char *where, sbl_error *err);

/* ---- constraints between columns ---- */

/* The texts of constraints between columns: semblance.constraints, a list of strings. What they mean
 * is for public/rules/rules.h to say; here they are counted and measured. */

#define SBL_MOST_CONSTRAINTS 100
#define SBL_CONSTRAINT_LENGTH 1000 /* bytes */

/* options: the schema's semblance object, or NULL. */
sbl_status sbl_constraints_parse(sbl_strings *constraints, const json_t *options, const char *where,
                                 sbl_error *err);

#endif
