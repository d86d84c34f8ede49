/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the rules: from the text of a constraint to its program, with types checked.
 *
 *     rule      = "if" condition "then" condition | "forbid" condition | condition
 *     condition = part {"or" part}            part = factor {"and" factor}
 *     factor    = "not" factor | comparison
 *     comparison = sum [("=" | "!=" | "<" | "<=" | ">" | ">=") sum
 *                      | "in" "(" value {"," value} ")" | "is" ["not"] "missing"]
 *     sum       = product {("+" | "-") product}
 *     product   = signed {("*" | "/") signed}  signed = "-" signed | primary
 *     primary   = number | 'text' | ["previous"] column | "(" condition ")"
 *               | "round" "(" sum ["," digits] ")" | "year" "(" sum ")" | "date" "(" sum ")"
 *
 * Nesting, length, steps and the height of the stack are limited: a constraint cannot make the
 * program recurse or run for long. */
#ifndef SBL_RULES_PARSER_H
#define SBL_RULES_PARSER_H

#include "base/error.h"
#include "public/rules/program.h"
#include "public/schema/schema_type.h"

#define SBL_RULE_MOST_NESTING 24

typedef struct sbl_parsed {
    sbl_program program;
    size_t conclusion; /* first step of what comes after "then"; 0 without */
    bool forbids;
    bool looks_back; /* it has "previous" columns: those of the person's row before */
} sbl_parsed;

/* table: whose constraint it is, where the schema has its columns as "table.column"; NULL: they have their names.
 * Returns: SBL_OK, SBL_EINPUT (one line that quotes the constraint), SBL_EMEM; parsed->program is
 * the caller's to clear in any case. */
sbl_status sbl_rule_parse(sbl_parsed *parsed, const char *text, const sbl_schema *schema, const char *table,
                          sbl_error *err);

/* The same of a condition alone, without "if", "forbid" and "previous"; its messages begin "the condition 'TEXT'". */
sbl_status sbl_condition_parse(sbl_program *program, const char *text, const sbl_schema *schema,
                               sbl_error *err);

/* "the schema's constraint 'TEXT' ...", SBL_EINPUT. */
sbl_status sbl_rule_fail(sbl_error *err, const char *text, const char *format, ...) SBL_PRINTF(3, 4);

#endif
