/* What a block of a release is of, in the words of the table's columns: "age x sex", not "tables.17".
 * It follows from the plan that stands in the release, so whoever holds the release can say it again. */
#ifndef SBL_FEATURES_NAMED_H
#define SBL_FEATURES_NAMED_H

#include "base/text.h"
#include "plan/plan.h"

/* Appends which columns the block of this name is of: several lists of counts with a plus between
 * them, long ones cut. Tables only. */
void sbl_block_words(sbl_text *text, const char *block, const sbl_plan *plan,
                     const sbl_facts *facts);

#endif
