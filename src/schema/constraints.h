/* The texts of constraints between columns: semblance.constraints, a list of strings. What they mean
 * is for rules/rules.h to say; here they are counted and measured. */
#ifndef SBL_SCHEMA_CONSTRAINTS_H
#define SBL_SCHEMA_CONSTRAINTS_H

#include "base/json.h"
#include "base/status.h"
#include "schema/strings.h"

#define SBL_MOST_CONSTRAINTS 100
#define SBL_CONSTRAINT_LENGTH 1000 /* bytes */

/* options: the schema's semblance object, or NULL. */
sbl_status sbl_constraints_parse(sbl_strings *constraints, const json_t *options, const char *where,
                                 sbl_error *err);

#endif
