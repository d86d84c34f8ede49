/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of a number by the category of another column of its row: semblance.by and semblance.bounds of a field.
 *
 * In a long table ("Test", "Value") the range of a number depends on a category: potassium from 2 to 8, sodium from
 * 110 to 170. Each category that the schema names has a domain of its own: bounds, decimals, step and scale. All
 * other categories, and a missing one, have the column's own domain, which encloses the others. The domains are
 * public, as bounds are. */
#ifndef SBL_SCHEMA_BOUNDS_BY_H
#define SBL_SCHEMA_BOUNDS_BY_H

#include "base/json.h"
#include "base/text.h"
#include "public/schema/schema_type.h"

/* Reads semblance.by and semblance.bounds of every field of a schema whose columns and unit are read. Refused, with
 * one line that names the column: one member without the other; a column that is not a number; bounds by a column
 * that is unknown, itself, ignored or not a category, or that belongs to the row where the number belongs to the
 * person; a category that does not exist; bounds that are not within the column's own.
 * Returns: SBL_OK, SBL_EINPUT, SBL_EMEM */
sbl_status sbl_bounds_by_read(sbl_schema *schema, const json_t *fields, const char *where, sbl_error *err);

/* Both members added to the options of a column that has them. NULL when out of memory. */
json_t *sbl_bounds_by_write(json_t *options, const sbl_schema *schema, const sbl_column *column);

/* ", by Test: K from 2 to 8, ..." for people. */
void sbl_bounds_by_describe(sbl_text *text, const sbl_schema *schema, const sbl_column *column);

/* The domains of a copy, once its own texts are set; from: the original. */
sbl_status sbl_bounds_by_copy(sbl_column *copy, const sbl_column *from, sbl_error *err);
void sbl_bounds_by_clear(sbl_column *column);

#endif
