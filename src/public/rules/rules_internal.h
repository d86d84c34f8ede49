/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the rules: the facts about each constraint and each computed column. */
#ifndef SBL_RULES_RULES_INTERNAL_H
#define SBL_RULES_RULES_INTERNAL_H

#include "base/alloc.h"
#include "base/random/model_rng.h"
#include "public/rules/parser.h"
#include "public/rules/rules.h"

#define SBL_NO_RULE ((size_t)-1)

typedef struct sbl_rule {
    const char *text; /* the schema's */
    sbl_parsed parsed;
    size_t defines;         /* a column, or SBL_NO_COLUMN */
    sbl_program definition; /* its value */
    bool *columns;          /* (columns): of the base row, on which it hangs */
    bool *changed;          /* (columns): those among them that a repair changes first */
    /* For a rule that looks back, which depends on two rows and defines nothing; otherwise all false. columns
     * and changed are all false then. */
    bool *here;   /* (columns): of this base row, on which it hangs */
    bool *before; /* (columns): of the one before */
} sbl_rule;

/* A column that is computed: by a rule, or from its difference. */
typedef struct sbl_computed {
    size_t column;
    size_t rule; /* SBL_NO_RULE: by its difference */
    size_t base; /* column = base + sign * difference */
    int sign;
    sbl_column domain; /* of the difference; owns nothing */
    bool *columns;     /* (columns): of the base row, on which it hangs */
} sbl_computed;

struct sbl_rules {
    const sbl_schema *schema;
    sbl_schema *seen; /* the same, owned, where it has columns of tables above; else NULL */
    size_t columns;
    size_t own; /* the first of them are the table's own; the others are given */
    sbl_rule *items;
    size_t count;
    sbl_computed *computed; /* each after all that it depends on */
    size_t computed_count;
    bool *spoken_of; /* (columns): of the base row, on which any rule hangs */
    double *witness; /* (columns): a base row that holds everything */
    bool looks_back; /* some rule does */
    sbl_pool pool;   /* of all these arrays */
};

/* The constraints of a list, after those that are there; there is room. table: of sbl_rule_parse. */
sbl_status sbl_rules_read(sbl_rules *rules, const sbl_strings *texts, const char *table, sbl_error *err);
/* Rules of a schema. seen: the same schema, taken, also on failure, or NULL: it is borrowed; own: of sbl_rules. */
sbl_status sbl_rules_make(sbl_rules **rules, const sbl_schema *schema, sbl_schema *seen, size_t own,
                          sbl_error *err);

/* Which columns are computed, from what, in which order; fills all of rules but the witness. */
sbl_status sbl_rules_arrange(sbl_rules *rules, sbl_error *err);
/* The computed column of this number, or NULL. */
const sbl_computed *sbl_rules_computed(const sbl_rules *rules, size_t column);
/* How the base row's value of a column is bounded. */
const sbl_column *sbl_rules_domain(const sbl_rules *rules, size_t column);

/* The same in a row with these categories: a number may have bounds by one of them. */
const sbl_column *sbl_rules_domain_in(const sbl_rules *rules, size_t column, const double *row);

/* The nearest value of the column's grid, whether it is within its bounds or not. */
double sbl_rules_on_grid(const sbl_column *column, double value);

/* Faults 0 .. count - 1 are rules, the rest computed columns that left their bounds. */
size_t sbl_rules_faults(const sbl_rules *rules);
bool sbl_rules_at_fault(const sbl_rules *rules, size_t fault, const double *base, const double *full);
/* The columns of the base row on which a fault hangs. */
const bool *sbl_rules_fault_columns(const sbl_rules *rules, size_t fault);

typedef struct sbl_settling {
    sbl_model_rng *rng;
    size_t steps; /* the most changes that are tried */
    size_t fixed; /* a column that stays, or SBL_NO_COLUMN */
    size_t fault; /* on return: one of those that are left */
} sbl_settling;

/* Change single columns of a base row until nothing is at fault (a random walk: Selman, Kautz and
 * Cohen, "Noise strategies for improving local search", 1994). full: another row, expanded on
 * return. False: not within the given number of steps. */
bool sbl_rules_settle(const sbl_rules *rules, double *base, double *full, sbl_settling *how);

/* What a settling tries next in a column of the base row, for a fault. before: the row before, which a rule may
 * look at; NULL: none. */
double sbl_rules_pick_value(const sbl_rules *rules, size_t fault, size_t column, const double *full,
                            const double *before, sbl_model_rng *rng);

/* Any base row: of the schema's constants (restart 0), or of values that are drawn. */
void sbl_rules_start_row(const sbl_rules *rules, double *base, size_t restart, sbl_model_rng *rng);

/* Two rows of a person, one after the other, that hold everything: is there such a pair? fault: one of those
 * that are left where none was found.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_rules_find_pair(bool *found, const sbl_rules *rules, size_t *fault, sbl_error *err);

/* A base row that holds everything, with one column fixed or none; full: another row.
 * Returns false, with a fault that was left, when none was found. */
bool sbl_rules_find_witness(const sbl_rules *rules, double *base, double *full, size_t fixed, double code,
                            size_t *fault);

/* Refused: rules that leave a number with bounds by category no value for one of the categories, which would vanish
 * from drawn rows (category_bounds.c).   Returns: SBL_OK, SBL_EINPUT, SBL_EMEM */
sbl_status sbl_rules_check_category_bounds(const sbl_rules *rules, sbl_error *err);

/* ---- which column a constraint defines, if any (define.c) ---- */

/* "c = f(a, b)", "f(a, b) = c", or a sum such as "a + b + c = 100", which defines its last column:
 * sets rule->defines and its definition. Left alone: what defines nothing. Refused: what could only
 * define the label, a second definition of a column, one that may be missing where it may not. */
sbl_status sbl_rule_define(sbl_rules *rules, sbl_rule *rule, sbl_error *err);

/* A column of this row that stands alone on one side of a comparison, as in "c >= f(...)": with the other side,
 * steps first .. last - 1, and the comparison as it reads with the column on the left. */
typedef struct sbl_alone {
    size_t column, first, last;
    sbl_op op;
} sbl_alone;
bool sbl_rule_alone(const sbl_rule *rule, sbl_alone *alone);

/* The same where the column stands on the left, or on the right. */
bool sbl_rule_alone_at(const sbl_rule *rule, bool right, sbl_alone *alone);

/* Where constraints that compare a column with something else let it lie, between its bounds. False: they do not
 * speak of it so, or leave nothing. */
bool sbl_rules_range(const sbl_rules *rules, size_t column, const double *full, const double *before,
                     double *low, double *high);

/* The two columns of "low <= high" or "low < high", however it is written. */
bool sbl_rule_orders(const sbl_rule *rule, size_t *low, size_t *high, bool *strict);
/* "high - low <= limit", the same. */
bool sbl_rule_limits(const sbl_rule *rule, size_t *low, size_t *high, double *limit);
/* Is the definition just "high - low"? */
bool sbl_rule_subtracts(const sbl_rule *rule, size_t *low, size_t *high);

#endif
