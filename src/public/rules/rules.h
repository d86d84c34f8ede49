/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints between the columns of one row, as the schema declares them under
 * semblance.constraints: "discharge >= admission", "los = discharge - admission",
 * "if ward = maternity then sex = female"; and, where the schema has a unit, of two rows of a person that
 * follow each other: "admission >= previous discharge". docs/CONSTRAINTS.md has the language.
 *
 * They are public and concern one person, so keeping them costs nothing. Three things follow:
 * - A *derived* column (los above) is left out of the fit and computed when rows are drawn.
 * - Of two *ordered* columns one is fitted as its difference from the other, a number with public
 *   bounds, so drawn rows keep the order automatically. The difference is a function of one
 *   record, so no sensitivity changes.
 * - Anything else that does not hold in a drawn row is *repaired*, from other drawn rows and public domains.
 *
 * A row is one double per column of the schema: a number, days, seconds, or the code of a category;
 * NaN is missing. A *base* row holds the fitted columns, with differences instead of their columns;
 * a *full* row is a row of the table. Nothing here knows where rows come from. */
#ifndef SBL_RULES_RULES_H
#define SBL_RULES_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "public/schema/schema_type.h"

typedef struct sbl_rules sbl_rules;

/* The rules of a schema, which is borrowed; NULL where it has none. Refused, with one line that
 * names the constraint: what cannot be read, unknown columns, types that do not fit, a column that
 * is derived twice or from itself, the label or the order of a person's rows that would be derived,
 * what is the person's that would be derived from what is not, and a set for which no row was found that holds all of it.
 * Returns: SBL_OK, SBL_EINPUT, SBL_EMEM */
sbl_status sbl_rules_new(sbl_rules **rules, const sbl_schema *schema, sbl_error *err);
/* The same of one of linked tables, whose constraints may name columns of the tables above it: "stays.admitted".
 * schema: the table's own, borrowed, equal to package->tables[table].schema. Rows have then the columns of those
 * tables after their own, the parent's first (sbl_rules_columns). They are given: nothing computes or repairs
 * them. Where no constraint names such a column, it is sbl_rules_new(). */
sbl_status sbl_rules_new_linked(sbl_rules **rules, const sbl_schema *schema, const sbl_schema *package,
                                size_t table, sbl_error *err);
void sbl_rules_free(sbl_rules *rules); /* NULL is fine */
/* The columns of a row; those of the table itself are the first. */
size_t sbl_rules_columns(const sbl_rules *rules);
/* Does some constraint name a column of a table above? NULL: no */
bool sbl_rules_look_above(const sbl_rules *rules);

size_t sbl_rules_count(const sbl_rules *rules); /* NULL has none */
const char *sbl_rules_text(const sbl_rules *rules, size_t rule);

/* Does a full row satisfy this rule? A rule that involves a missing value counts as satisfied. A rule that
 * looks back is checked as for the first row of a person, which satisfies it. */
bool sbl_rules_holds(const sbl_rules *rules, size_t rule, const double *full);
/* The same of a row after the row before it of the same person; NULL: it is the first. */
bool sbl_rules_holds_after(const sbl_rules *rules, size_t rule, const double *full, const double *before);
/* Does any rule look at a person's row before; does this one; does one that does look at this column, of either
 * row? */
bool sbl_rules_look_back(const sbl_rules *rules); /* NULL: no */
bool sbl_rule_looks_back(const sbl_rules *rules, size_t rule);
bool sbl_rules_look_back_by(const sbl_rules *rules, size_t column);
/* Every rule, and every computed cell within its column's bounds? full: the expanded base. */
bool sbl_rules_all_hold(const sbl_rules *rules, const double *base, const double *full);

/* The schema as the fit sees it: derived columns ignored, differences instead of their columns, no
 * constraints. Owner: the caller.   Returns: SBL_OK, SBL_EINPUT when nothing is left,
 * SBL_EMEM */
sbl_status sbl_rules_fitted(sbl_schema **fitted, const sbl_rules *rules, const sbl_schema *schema,
                            sbl_error *err);

/* A column that is fitted as its difference from another: column = base + sign * difference. */
typedef struct sbl_difference {
    size_t column, base;
    int sign; /* 1 or -1 */
} sbl_difference;

/* Differences in an order in which they can be taken in place: of a full row's values the later ones
 * are still whole when an earlier one is replaced. */
size_t sbl_rules_differences(const sbl_rules *rules); /* NULL has none */
sbl_difference sbl_rules_difference(const sbl_rules *rules, size_t i);
/* Is the column computed from others, and not fitted at all? */
bool sbl_rules_derives(const sbl_rules *rules, size_t column);

/* The full row of a base row. Computed cells are put on their column's grid and into its bounds, and
 * numbers with bounds by category into those of the row's category. */
void sbl_rules_expand(const sbl_rules *rules, double *full, const double *base);

typedef struct sbl_repair {
    uint64_t seed;  /* public */
    uint64_t first; /* number of the first row, so that every row has its own stream */
    size_t column;  /* that stays as it is, and the code it has; SBL_NO_COLUMN: none */
    uint32_t code;
    /* For persons: no row is left out, since other rows refer to it. Then no column describes the person and no rule
     * looks back; as a last resort the order is given up. */
    bool all_stay;
} sbl_repair;

/* Make `rows` rows (rows x columns each) hold every rule; full is the expanded base on return. A row
 * that does not hold exchanges the columns of what it breaks with another row of the batch, where both
 * then hold, or takes them from one, in a bounded number of tries; then single columns take values of their public domain; then those columns
 * that rules speak of take those of a row that is known to hold. So this ends, and all rows hold.
 * Returns: SBL_OK; SBL_EARG when no row with the fixed column holds; SBL_EMEM */
sbl_status sbl_rules_repair(const sbl_rules *rules, double *base, double *full, size_t rows,
                            const sbl_repair *how, sbl_error *err);
#define SBL_RULES_TRIES 256

/* The same of whole persons, whose rows stand together and in order (persons: whose each is): every row holds
 * every rule, those that look back too; columns of the person stay the same in all of its rows, and the schema's
 * order does not fall. A person's own columns are mended first, then one row after the other, by columns of the
 * row or of the one before. Where no row is found that can follow, the person's rows end with the one before.
 * Columns of tables above stay as they are given; a row that cannot hold beside them is left out.
 * Out:     left_out (rows)  rows that are no more
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_rules_repair_persons(const sbl_rules *rules, double *base, double *full, size_t rows,
                                    const uint64_t *persons, const sbl_repair *how, bool *left_out,
                                    sbl_error *err);

/* Lines for people: each constraint and what it means for the fit. */
void sbl_rules_describe(sbl_text *text, const sbl_rules *rules);

#endif
