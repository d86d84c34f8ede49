/* Inside the search for constraints: categories that follow from another, and numbers that are 0 there. */
#ifndef SBL_TABLE_GUESS_FOLLOWS_H
#define SBL_TABLE_GUESS_FOLLOWS_H

#include "base/status.h"
#include "base/text.h"
#include "schema/schema.h"

typedef struct sbl_follows sbl_follows;

/* used: (columns) which may be spoken of.   Owner: the caller; sbl_follows_free() wipes */
sbl_status sbl_follows_new(sbl_follows **follows, const sbl_schema *schema, const bool *used,
                           sbl_error *err);
void sbl_follows_free(sbl_follows *follows); /* NULL is fine */
/* row: one value per column; NaN is missing, a category is its code. */
void sbl_follows_take(sbl_follows *follows, const double *row);

/* The next constraint that holds, as text; false: there is none any more. */
bool sbl_follows_next(sbl_follows *follows, sbl_text *rule);

/* The name of a column as the language has it, and a category; false: it cannot be written. */
bool sbl_rule_name(sbl_text *text, const char *name);
bool sbl_rule_category(sbl_text *text, const char *category);

#endif
