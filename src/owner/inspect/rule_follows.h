/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to the search for what follows from a category (rule_search.h). */
#ifndef SBL_INSPECT_RULE_FOLLOWS_H
#define SBL_INSPECT_RULE_FOLLOWS_H

#include "owner/inspect/rule_search.h"

#define SBL_FOLLOWS_FEW 20 /* categories of a column of which each is looked at by itself */

/* Rows, and whose they are. */
typedef struct sbl_rule_cell {
    uint64_t rows, persons;
} sbl_rule_cell;

/* Rows by a category and the value of another column: a category, or a number that is 0 or not. */
typedef struct sbl_follows_pair {
    size_t from, to;
    size_t codes;         /* of to: its categories, or 2 of a number: 0, and all else */
    sbl_rule_cell *cells; /* (categories of from, codes) */
} sbl_follows_pair;

struct sbl_rule_follows {
    const sbl_rule_view *view;
    sbl_follows_pair *pairs;
    size_t count;
};

static inline const sbl_column *sbl_follows_facts(const sbl_rule_follows *follows, size_t c)
{
    return follows->view->columns[c].facts;
}

/* Which categories lead to a code. */
typedef struct sbl_follows_cause {
    bool *chosen;        /* (categories of from) */
    size_t count;        /* of them */
    uint64_t rows, kept; /* with one of them, and of these with the code */
    double use;          /* as in sbl_found_rule */
} sbl_follows_cause;

/* ---- which follow (follows_cause.c) ---- */

/* Categories that lead to a code, one by one; of many categories also those that begin alike, taken together.
 * Returns: SBL_OK, also where there are none; SBL_EMEM */
sbl_status sbl_follows_find_cause(sbl_follows_cause *cause, const sbl_rule_follows *follows,
                                  const sbl_follows_pair *pair, size_t code, sbl_error *err);

#endif
