/* SPDX-License-Identifier: Apache-2.0 */
/* Columns that are not statistics: what a field's semblance.role says of them.
 *
 * "ignore": left out. "id", "fake" and "constant": made anew for the synthetic table, from the
 * schema and a public seed (after/synthetic_ids/synthetic_ids.h). None of them is read, has a place in the encoded record or
 * costs anything. An option with the role's own name says how: "id": "P-######". */
#ifndef SBL_SCHEMA_ROLE_H
#define SBL_SCHEMA_ROLE_H

#include "base/json.h"
#include "public/schema/field_fail.h"
#include "public/schema/schema_type.h"

#define SBL_ROLE_MOST_TEXT 200  /* bytes of a pattern or constant */
#define SBL_ROLE_MOST_DIGITS 18 /* digits of a pattern: 10^18 < 2^63 */

/* Is this the name of a role? NULL is not. */
bool sbl_role_known(const char *name);

/* column->made and made_as from a field's semblance object, which may be NULL. */
sbl_status sbl_role_parse(sbl_column *column, const json_t *options, const sbl_field_place *at);

/* Do roles that refer to other columns name such? Of a schema whose columns are read. */
sbl_status sbl_roles_check(const sbl_schema *schema, const char *where, sbl_error *err);

/* The semblance object of an ignored column, owned by the caller; NULL when out of memory. */
json_t *sbl_role_to_json(const sbl_column *column);
/* What becomes of it, in words. */
void sbl_role_describe(sbl_text *text, const sbl_column *column);

#endif
