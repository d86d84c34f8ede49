/* Inside the rules: which column a constraint defines, if any. */
#ifndef SBL_RULES_DEFINE_H
#define SBL_RULES_DEFINE_H

#include "rules/rules_parts.h"

/* "c = f(a, b)", "f(a, b) = c", or a sum such as "a + b + c = 100", which defines its last column:
 * sets rule->defines and its definition. Left alone: what defines nothing. Refused: what could only
 * define the label, a second definition of a column, one that may be missing where it may not. */
sbl_status sbl_rule_define(sbl_rules *rules, sbl_rule *rule, sbl_error *err);

/* The two columns of "low <= high" or "low < high", however it is written. */
bool sbl_rule_orders(const sbl_rule *rule, size_t *low, size_t *high, bool *strict);
/* "high - low <= limit", the same. */
bool sbl_rule_limits(const sbl_rule *rule, size_t *low, size_t *high, double *limit);
/* Is the definition just "high - low"? */
bool sbl_rule_subtracts(const sbl_rule *rule, size_t *low, size_t *high);

#endif
