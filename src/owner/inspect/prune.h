/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints that an inspection found to hold. Not every set of them can be kept: two may define the same column, or a
 * column may depend on itself. */
#ifndef SBL_INSPECT_PRUNE_H
#define SBL_INSPECT_PRUNE_H

#include "base/error.h"
#include "base/json.h"

/* Strike proposed constraints that the schema or package, with those before them and all proposals of other kinds,
 * would be refused for.
 * In and out: schema
 * Out:        struck  a list to which they are added; may be NULL
 * Returns:    SBL_OK; SBL_EINPUT if it would be refused without them; SBL_EMEM */
sbl_status sbl_schema_prune(json_t *schema, json_t *struck, const char *where, sbl_error *err);

/* Is it a schema or a package, with constraints that can be kept? where: its path; tables that it names are next to it. */
sbl_status sbl_schema_judge(const json_t *object, const char *where, sbl_error *err);

#endif
