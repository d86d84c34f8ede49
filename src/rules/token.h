/* Inside the rules: the words of a constraint. */
#ifndef SBL_RULES_TOKEN_H
#define SBL_RULES_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

typedef enum sbl_token_kind {
    SBL_TOKEN_END,
    SBL_TOKEN_NUMBER,
    SBL_TOKEN_WORD, /* a keyword, a column or a category */
    SBL_TOKEN_NAME, /* a column, in double quotes or backquotes */
    SBL_TOKEN_TEXT, /* a category or date, in single quotes; a date as ISO 8601 has it */
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

#endif
