/* SPDX-License-Identifier: Apache-2.0 */
/* The lexer. A date is recognised before a number, so that 2024-12-31 is not a subtraction; bytes
 * above ASCII are letters, so that column names of any script need no quotes. */
#include "public/rules/parser_internal.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

#define MOST_DIGITS 40

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Letters of any script: all bytes above ASCII. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static sbl_token take_number(const char *text)
{
    char digits[MOST_DIGITS + 1] = {0};
    size_t length = 0;
    sbl_token token = {.kind = SBL_TOKEN_ODD, .text = text};
    while (is_digit(text[length]) || text[length] == '.') length++;
    if ((text[length] == 'e' || text[length] == 'E') &&
        (is_digit(text[length + 1]) ||
         ((text[length + 1] == '-' || text[length + 1] == '+') && is_digit(text[length + 2]))))
        for (length += 2; is_digit(text[length]);) length++;
    token.length = length;
    if (length > MOST_DIGITS || is_letter(text[length])) return token;
    memcpy(digits, text, length);
    if (sbl_text_to_double(&token.number, digits) && isfinite(token.number)) token.kind = SBL_TOKEN_NUMBER;
    return token;
}

/* How long a date, or a datetime, is that begins here: 2024-12-31, 2024-12-31T23:59:59; 0: none does. */
static size_t calendar_length(const char *text)
{
    static const char form[] = "0000-00-00T00:00:00";
    size_t length = 0;
    while (form[length] != '\0' &&
           (form[length] == '0' ? is_digit(text[length]) : text[length] == form[length]))
        length++;
    if (length < 10 || is_digit(text[length])) return 0;
    if (length == 16 || length == 19) return length + (text[length] == 'Z' ? 1 : 0);
    return 10;
}

/* The same for a time of day: 23:59, 23:59:59. */
static size_t clock_length(const char *text)
{
    static const char form[] = "00:00:00";
    size_t length = 0;
    while (form[length] != '\0' &&
           (form[length] == '0' ? is_digit(text[length]) : text[length] == form[length]))
        length++;
    if (length < 5 || is_digit(text[length])) return 0;
    return length == 8 ? 8 : 5;
}

static sbl_token take_quoted(const char *text)
{
    const char *end = strchr(text + 1, *text);
    if (end == NULL) return (sbl_token){.kind = SBL_TOKEN_ODD, .text = text, .length = 1};
    return (sbl_token){.kind = *text == '\'' ? SBL_TOKEN_TEXT : SBL_TOKEN_NAME,
                       .text = text + 1,
                       .length = (size_t)(end - text) - 1};
}

static sbl_token take_sign(const char *text)
{
    static const char *const signs[] = {"<=", ">=", "!=", "+", "-", "*", "/", "(", ")", ",", "=", "<", ">"};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (strncmp(text, signs[i], strlen(signs[i])) == 0)
            return (sbl_token){.kind = SBL_TOKEN_SIGN, .text = text, .length = strlen(signs[i])};
    return (sbl_token){.kind = SBL_TOKEN_ODD, .text = text, .length = 1};
}

sbl_token sbl_token_next(const char **rest)
{
    const char *text = *rest;
    sbl_token token = {.kind = SBL_TOKEN_END};
    while (*text == ' ') text++;
    token.text = text;
    if (*text == '\0') {
        *rest = text;
        return token;
    }
    if (calendar_length(text) > 0 || clock_length(text) > 0) {
        token.kind = SBL_TOKEN_TEXT;
        token.length = calendar_length(text) > 0 ? calendar_length(text) : clock_length(text);
    } else if (is_digit(*text) || (*text == '.' && is_digit(text[1]))) {
        token = take_number(text);
    } else if (is_letter(*text)) {
        token.kind = SBL_TOKEN_WORD;
        while (is_letter(text[token.length]) || is_digit(text[token.length]) ||
               (text[token.length] == '.' && is_letter(text[token.length + 1])))
            token.length++; /* "table.column" is one word */
    } else if (*text == '\'' || *text == '"' || *text == '`') {
        token = take_quoted(text);
        if (token.kind != SBL_TOKEN_ODD) {
            *rest = token.text + token.length + 1;
            return token;
        }
    } else {
        token = take_sign(text);
    }
    *rest = text + token.length;
    return token;
}

bool sbl_token_is(const sbl_token *token, sbl_token_kind kind, const char *text)
{
    return token->kind == kind && strlen(text) == token->length &&
           memcmp(token->text, text, token->length) == 0;
}
