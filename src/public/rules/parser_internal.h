/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the parser of constraints: its state, and what its grammar is made of. */
#ifndef SBL_RULES_PARSER_INTERNAL_H
#define SBL_RULES_PARSER_INTERNAL_H

#include "public/rules/parser.h"

/* ---- the words of a constraint (token.c) ---- */

typedef enum sbl_token_kind {
    SBL_TOKEN_END,
    SBL_TOKEN_NUMBER,
    SBL_TOKEN_WORD, /* a keyword, a column or a category */
    SBL_TOKEN_NAME, /* a column, in double quotes or backquotes */
    SBL_TOKEN_TEXT, /* a category, date or time, in single quotes; a date or time as ISO 8601 has it */
    SBL_TOKEN_SIGN, /* + - * / ( ) , = != < <= > >= */
    SBL_TOKEN_ODD   /* nothing of this */
} sbl_token_kind;

typedef struct sbl_token {
    sbl_token_kind kind;
    const char *text; /* in the constraint, without quotes */
    size_t length;
    double number;
} sbl_token;

/* The next token of *rest, which moves behind it. */
sbl_token sbl_token_next(const char **rest);
/* Is it this word or sign? */
bool sbl_token_is(const sbl_token *token, sbl_token_kind kind, const char *text);

/* ---- what they say ---- */

typedef enum sbl_operand_type {
    SBL_OPERAND_NUMBER,
    SBL_OPERAND_DAYS,
    SBL_OPERAND_SECONDS,
    SBL_OPERAND_TRUTH,
    SBL_OPERAND_CATEGORY,
    SBL_OPERAND_TEXT
} sbl_operand_type;

/* What was read: a value on the stack, or, for the last two, a name that waits to be compared. */
typedef struct sbl_operand {
    sbl_operand_type type;
    size_t column;  /* a category, and a value that is a column as it stands; else SBL_NO_COLUMN */
    bool before;    /* that column is of the row before */
    sbl_token text; /* of a text */
} sbl_operand;

#define SBL_RULE_NOUN "the schema's constraint"

typedef struct sbl_parser {
    const char *noun; /* what messages call the text */
    const sbl_schema *schema;
    const char *table; /* whose columns need not say so; NULL: see sbl_rule_parse */
    const char *text;
    const char *rest;
    sbl_token token; /* the current one */
    sbl_program *program;
    size_t nesting;
    size_t height;    /* of the stack */
    bool *looks_back; /* set where the row before is asked for; NULL: that is refused */
    sbl_error *err;
} sbl_parser;

extern const char *const sbl_operand_names[];

void sbl_parser_advance(sbl_parser *p);
bool sbl_parser_at_word(const sbl_parser *p, const char *word);
bool sbl_parser_at_sign(const sbl_parser *p, const char *sign);
sbl_status sbl_parser_take(sbl_parser *p, const char *sign);
/* One level deeper; the level is left by p->nesting--. */
sbl_status sbl_parser_enter(sbl_parser *p);

/* takes: how many values the step takes off the stack; it leaves one. */
sbl_status sbl_parser_emit(sbl_parser *p, sbl_rule_step step, size_t takes);
sbl_status sbl_parser_emit_op(sbl_parser *p, sbl_op op, size_t takes);
sbl_status sbl_parser_emit_number(sbl_parser *p, double number);
/* A column, of this row or of the row before: its value onto the stack, or, of a category, its name alone. */
sbl_status sbl_parser_push_column(sbl_parser *p, sbl_operand *out, size_t index, bool before);
/* A text as a date or datetime of the wanted type, onto the stack. */
sbl_status sbl_parser_push_calendar(sbl_parser *p, const sbl_token *text, sbl_operand_type type);
/* What was read before and after a comparison; left becomes a condition. */
sbl_status sbl_parser_compare(sbl_parser *p, sbl_operand *left, const sbl_operand *right, sbl_op op);
/* The categories of "in (a, b, c)", of which left is the column and becomes a condition. */
sbl_status sbl_parser_categories(sbl_parser *p, sbl_operand *left);

/* "NOUN 'TEXT' ...", SBL_EINPUT. */
sbl_status sbl_parser_fail(const sbl_parser *p, const char *format, ...) SBL_PRINTF(2, 3);
/* "... has X where WHAT should stand"; "... has a date WHERE". */
sbl_status sbl_parser_expected(const sbl_parser *p, const char *what);
sbl_status sbl_parser_unexpected(const sbl_parser *p, const sbl_operand *found, const char *where);

#endif
