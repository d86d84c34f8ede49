/* SPDX-License-Identifier: Apache-2.0 */
/* A public hierarchy over many categories (ICD codes, postcodes, products): semblance.hierarchy of a field.
 *
 * {"prefix": [1, 3]} groups categories by their first character, then by their first three; {"parents": {"I25": "I", ...}}
 * names the parent of each category, and the parents' parents. Where noise would drown single categories, methods of
 * counts merge them with those of the same parent (after/counts/bin_codes.h). Values are written as before. */
#ifndef SBL_SCHEMA_HIERARCHY_H
#define SBL_SCHEMA_HIERARCHY_H

#include "base/json.h"
#include "public/schema/field_fail.h"
#include "public/schema/schema_type.h"

#define SBL_MOST_LEVELS 8

/* Of a field whose categories are read; object NULL: it has none. Refused: a column without categories or with an
 * order among them, levels that are not ascending numbers of characters, a category without a parent, a name that
 * belongs to no category, and parents in a circle. */
sbl_status sbl_hierarchy_parse(sbl_column *column, const json_t *object, const sbl_field_place *at);
/* The member added to the options of a column that has it. NULL when out of memory. */
json_t *sbl_hierarchy_write(json_t *options, const sbl_column *column);
sbl_status sbl_hierarchy_copy(sbl_column *copy, const sbl_column *from, sbl_error *err);
void sbl_hierarchy_clear(sbl_column *column);

#endif
