/* Constraints that an inspection found to hold in every row. Not every set of them can be kept: two may define
 * the same column, or a column may depend on itself. */
#ifndef SBL_INSPECT_PRUNE_H
#define SBL_INSPECT_PRUNE_H

#include "base/error.h"

/* Strike proposed constraints that the schema, with those before them and all proposals of other kinds,
 * would be refused for.
 * In and out: json  a schema as text, sbl_free(); the same text where nothing is struck */
sbl_status sbl_schema_prune(char **json, const char *where, sbl_error *err);

#endif
