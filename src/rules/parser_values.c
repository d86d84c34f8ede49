/* The values of a constraint: tokens, steps, columns, numbers, dates, functions and sums. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "rules/parser_parts.h"
#include "schema/calendar.h"

#define SECONDS_PER_DAY 86400.0
#define MOST_ROUND_DIGITS 15

const char *const sbl_operand_names[] = {"a number",    "a date",     "a datetime",
                                         "a condition", "a category", "a text"};

static sbl_status fail(sbl_error *err, const char *noun, const char *text, const char *format,
                       va_list arguments)
{
    char what[SBL_ERROR_MESSAGE_SIZE];
    (void)vsnprintf(what, sizeof what, format, arguments);
    return sbl_fail(err, SBL_EINPUT, "%s '%.100s' %s", noun, text, what);
}

sbl_status sbl_rule_fail(sbl_error *err, const char *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const sbl_status status = fail(err, SBL_RULE_NOUN, text, format, arguments);
    va_end(arguments);
    return status;
}

sbl_status sbl_parser_fail(const sbl_parser *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const sbl_status status = fail(p->err, p->noun, p->text, format, arguments);
    va_end(arguments);
    return status;
}

void sbl_parser_advance(sbl_parser *p) { p->token = sbl_token_next(&p->rest); }

bool sbl_parser_at_word(const sbl_parser *p, const char *word)
{
    return sbl_token_is(&p->token, SBL_TOKEN_WORD, word);
}

bool sbl_parser_at_sign(const sbl_parser *p, const char *sign)
{
    return sbl_token_is(&p->token, SBL_TOKEN_SIGN, sign);
}

sbl_status sbl_parser_expected(const sbl_parser *p, const char *what)
{
    if (p->token.kind == SBL_TOKEN_END)
        return sbl_parser_fail(p, "ends where %s should stand", what);
    return sbl_parser_fail(p, "has '%.*s' where %s should stand",
                           (int)(p->token.length < 40 ? p->token.length : 40), p->token.text, what);
}

sbl_status sbl_parser_take(sbl_parser *p, const char *sign)
{
    if (!sbl_parser_at_sign(p, sign)) return sbl_parser_expected(p, sign);
    sbl_parser_advance(p);
    return SBL_OK;
}

/* ---- steps ---- */

sbl_status sbl_parser_enter(sbl_parser *p)
{
    return ++p->nesting <= SBL_RULE_MOST_NESTING ? SBL_OK
                                                 : sbl_parser_fail(p, "is nested too deeply");
}

/* takes: how many values the step takes off the stack; it leaves one. */
sbl_status sbl_parser_emit(sbl_parser *p, sbl_rule_step step, size_t takes)
{
    p->height = p->height + 1 - takes;
    if (p->program->count == SBL_PROGRAM_MOST_STEPS || p->height > SBL_PROGRAM_MOST_STACK) {
        sbl_free(step.set);
        sbl_free(step.numbers);
        return sbl_parser_fail(p, "is too long");
    }
    p->program->steps[p->program->count++] = step;
    return SBL_OK;
}

sbl_status sbl_parser_emit_op(sbl_parser *p, sbl_op op, size_t takes)
{
    return sbl_parser_emit(p, (sbl_rule_step){.op = op}, takes);
}

static sbl_status emit_number(sbl_parser *p, double number)
{
    return sbl_parser_emit(p, (sbl_rule_step){.op = SBL_OP_NUMBER, .number = number}, 0);
}

/* A category column whose texts are numbers, as a number. */
static sbl_status emit_category_number(sbl_parser *p, size_t index)
{
    const sbl_column *column = &p->schema->columns[index];
    const size_t size = column->categories.count;
    sbl_rule_step step = {.op = SBL_OP_CATEGORY, .column = index, .size = size};
    step.numbers = sbl_alloc_array(size, sizeof *step.numbers);
    if (step.numbers == NULL) return sbl_no_memory(p->err, "constraints");
    for (size_t i = 0; i < size; i++)
        if (!sbl_text_to_double(&step.numbers[i], column->categories.items[i]))
            step.numbers[i] = NAN;
    return sbl_parser_emit(p, step, 0);
}

/* ---- names ---- */

static size_t find_column(const sbl_parser *p, const sbl_token *name)
{
    for (size_t i = 0; i < p->schema->column_count; i++)
        if (sbl_token_is(name, name->kind, p->schema->columns[i].name)) return i;
    return SBL_NO_COLUMN;
}

sbl_status sbl_parser_push_column(sbl_parser *p, sbl_operand *out, size_t index)
{
    const sbl_column *column = &p->schema->columns[index];
    *out = (sbl_operand){.type = SBL_OPERAND_NUMBER, .column = index};
    switch (column->kind) {
    case SBL_COLUMN_IGNORED:
        return sbl_parser_fail(p, "names column '%s', which has a role and no values",
                               column->name);
    case SBL_COLUMN_CATEGORY:
        if (column->type == SBL_TYPE_INTEGER || column->type == SBL_TYPE_NUMBER)
            return emit_category_number(p, index);
        out->type = SBL_OPERAND_CATEGORY;
        return SBL_OK;
    case SBL_COLUMN_DATE:
        out->type = SBL_OPERAND_DAYS;
        break;
    case SBL_COLUMN_DATETIME:
        out->type = SBL_OPERAND_SECONDS;
        break;
    case SBL_COLUMN_NUMBER:
        break;
    }
    return sbl_parser_emit(p, (sbl_rule_step){.op = SBL_OP_COLUMN, .column = index}, 0);
}

/* The code of a category's text in a column; a boolean's words are true and false. */
bool sbl_parser_find_category(uint32_t *code, const sbl_column *column, const sbl_token *text)
{
    for (size_t i = 0; i < column->categories.count; i++)
        if (sbl_token_is(text, text->kind, column->categories.items[i])) {
            *code = (uint32_t)i;
            return true;
        }
    if (column->type != SBL_TYPE_BOOLEAN) return false;
    *code = sbl_token_is(text, text->kind, "true");
    return *code == 1 || sbl_token_is(text, text->kind, "false");
}

/* A text as a date or datetime of the wanted type, onto the stack. */
sbl_status sbl_parser_push_calendar(sbl_parser *p, const sbl_token *text, sbl_operand_type type)
{
    int64_t whole;
    const bool good = type == SBL_OPERAND_DAYS
                          ? sbl_date_parse(&whole, text->text, text->length)
                          : sbl_datetime_parse(&whole, NULL, text->text, text->length);
    if (!good)
        return sbl_parser_fail(p, "has '%.*s', which is not %s",
                               (int)(text->length < 40 ? text->length : 40), text->text,
                               type == SBL_OPERAND_DAYS ? "a date like '2024-12-31'"
                                                        : "a datetime like '2024-12-31T23:59:59'");
    return emit_number(p, (double)whole);
}

/* ---- sums ---- */

sbl_status sbl_parser_unexpected(const sbl_parser *p, const sbl_operand *found, const char *where)
{
    if (found->type == SBL_OPERAND_TEXT)
        return sbl_parser_fail(p, "names '%.*s', which is no column, %s",
                               (int)(found->text.length < 40 ? found->text.length : 40),
                               found->text.text, where);
    return sbl_parser_fail(p, "has %s %s", sbl_operand_names[found->type], where);
}

static sbl_status parse_function(sbl_parser *p, sbl_operand *out, const char *name)
{
    sbl_operand of;
    sbl_status status = SBL_OK;
    double digits = 0;
    sbl_parser_advance(p);
    SBL_TRY(sbl_parser_take(p, "("));
    SBL_TRY(sbl_parser_enter(p));
    SBL_TRY(sbl_parse_sum(p, &of));
    p->nesting--;
    if (*name == 'r' && sbl_parser_at_sign(p, ",")) {
        sbl_parser_advance(p);
        digits = p->token.number;
        if (p->token.kind != SBL_TOKEN_NUMBER || digits != floor(digits) ||
            digits > MOST_ROUND_DIGITS)
            return sbl_parser_expected(p, "a whole number of digits");
        sbl_parser_advance(p);
    }
    SBL_TRY(sbl_parser_take(p, ")"));
    *out = (sbl_operand){.type = *name == 'd' ? SBL_OPERAND_DAYS : SBL_OPERAND_NUMBER,
                         .column = SBL_NO_COLUMN};
    if (*name == 'r')
        return of.type == SBL_OPERAND_NUMBER
                   ? sbl_parser_emit(p, (sbl_rule_step){.op = SBL_OP_ROUND, .number = digits}, 1)
                   : sbl_parser_unexpected(p, &of, "in round()");
    if (of.type == SBL_OPERAND_TEXT) {
        SBL_TRY(sbl_parser_push_calendar(p, &of.text, SBL_OPERAND_DAYS));
        of.type = SBL_OPERAND_DAYS;
    }
    if (of.type != SBL_OPERAND_DAYS && of.type != SBL_OPERAND_SECONDS)
        return sbl_parser_unexpected(p, &of, "where a date is read");
    if (of.type == SBL_OPERAND_SECONDS) SBL_TRY(sbl_parser_emit_op(p, SBL_OP_DAYS, 1));
    if (*name == 'y') SBL_TRY(sbl_parser_emit_op(p, SBL_OP_YEAR, 1));
done:
    return status;
}

static bool is_keyword(const sbl_token *token)
{
    static const char *const words[] = {"if", "then", "and", "or", "not", "in", "is", "forbid"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (sbl_token_is(token, SBL_TOKEN_WORD, words[i])) return true;
    return false;
}

static sbl_status parse_name(sbl_parser *p, sbl_operand *out)
{
    static const char *const functions[] = {"round", "year", "date"};
    const sbl_token name = p->token;
    const size_t column = find_column(p, &name);
    const char *after = p->rest;
    const sbl_token next = sbl_token_next(&after);
    if (name.kind == SBL_TOKEN_WORD && sbl_token_is(&next, SBL_TOKEN_SIGN, "("))
        for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
            if (sbl_token_is(&name, SBL_TOKEN_WORD, functions[i]))
                return parse_function(p, out, functions[i]);
    sbl_parser_advance(p);
    if (column != SBL_NO_COLUMN) return sbl_parser_push_column(p, out, column);
    if (name.kind == SBL_TOKEN_NAME)
        return sbl_parser_fail(p, "names '%.*s', which is no column",
                               (int)(name.length < 40 ? name.length : 40), name.text);
    *out = (sbl_operand){.type = SBL_OPERAND_TEXT, .column = SBL_NO_COLUMN, .text = name};
    return SBL_OK;
}

static sbl_status parse_primary(sbl_parser *p, sbl_operand *out)
{
    sbl_status status = SBL_OK;
    *out = (sbl_operand){.type = SBL_OPERAND_NUMBER, .column = SBL_NO_COLUMN};
    if (p->token.kind == SBL_TOKEN_NUMBER) {
        const double number = p->token.number;
        sbl_parser_advance(p);
        return emit_number(p, number);
    }
    if (p->token.kind == SBL_TOKEN_TEXT) {
        *out = (sbl_operand){.type = SBL_OPERAND_TEXT, .column = SBL_NO_COLUMN, .text = p->token};
        sbl_parser_advance(p);
        return SBL_OK;
    }
    if (p->token.kind == SBL_TOKEN_NAME ||
        (p->token.kind == SBL_TOKEN_WORD && !is_keyword(&p->token)))
        return parse_name(p, out);
    if (!sbl_parser_at_sign(p, "(")) return sbl_parser_expected(p, "a value");
    sbl_parser_advance(p);
    SBL_TRY(sbl_parse_condition(p, out));
    SBL_TRY(sbl_parser_take(p, ")"));
done:
    return status;
}

static sbl_status parse_signed(sbl_parser *p, sbl_operand *out)
{
    sbl_status status = SBL_OK;
    size_t minus = 0;
    for (; sbl_parser_at_sign(p, "-"); sbl_parser_advance(p)) minus++;
    SBL_TRY(parse_primary(p, out));
    if (minus > 0 && out->type != SBL_OPERAND_NUMBER)
        return sbl_parser_unexpected(p, out, "after a minus");
    if (minus % 2 == 1) {
        out->column = SBL_NO_COLUMN;
        SBL_TRY(sbl_parser_emit_op(p, SBL_OP_NEGATE, 1));
    }
done:
    return status;
}

static sbl_status parse_product(sbl_parser *p, sbl_operand *out)
{
    sbl_status status = SBL_OK;
    SBL_TRY(parse_signed(p, out));
    while (sbl_parser_at_sign(p, "*") || sbl_parser_at_sign(p, "/")) {
        const sbl_op op = sbl_parser_at_sign(p, "*") ? SBL_OP_MULTIPLY : SBL_OP_DIVIDE;
        sbl_operand right;
        if (out->type != SBL_OPERAND_NUMBER) return sbl_parser_unexpected(p, out, "in a product");
        sbl_parser_advance(p);
        SBL_TRY(parse_signed(p, &right));
        if (right.type != SBL_OPERAND_NUMBER)
            return sbl_parser_unexpected(p, &right, "in a product");
        SBL_TRY(sbl_parser_emit_op(p, op, 2));
        out->column = SBL_NO_COLUMN;
    }
done:
    return status;
}

/* date - date is a number of days, and so is datetime - datetime; date + days is a date. */
static sbl_status add(sbl_parser *p, sbl_operand *left, const sbl_operand *right, bool minus)
{
    sbl_status status = SBL_OK;
    const bool calendar = left->type == SBL_OPERAND_DAYS || left->type == SBL_OPERAND_SECONDS;
    const bool known =
        (left->type == SBL_OPERAND_NUMBER || calendar) && right->type <= SBL_OPERAND_SECONDS;
    if (!known || (right->type != SBL_OPERAND_NUMBER && !(minus && right->type == left->type)))
        return sbl_parser_unexpected(p, left->type <= SBL_OPERAND_SECONDS ? right : left,
                                     "where it cannot be added or subtracted");
    const bool from_days = left->type == SBL_OPERAND_SECONDS && right->type == SBL_OPERAND_NUMBER;
    const bool to_days = left->type == SBL_OPERAND_SECONDS && right->type == SBL_OPERAND_SECONDS;
    if (from_days) {
        SBL_TRY(emit_number(p, SECONDS_PER_DAY));
        SBL_TRY(sbl_parser_emit_op(p, SBL_OP_MULTIPLY, 2));
    }
    SBL_TRY(sbl_parser_emit_op(p, minus ? SBL_OP_SUBTRACT : SBL_OP_ADD, 2));
    if (to_days) {
        SBL_TRY(emit_number(p, SECONDS_PER_DAY));
        SBL_TRY(sbl_parser_emit_op(p, SBL_OP_DIVIDE, 2));
    }
    if (right->type != SBL_OPERAND_NUMBER) left->type = SBL_OPERAND_NUMBER;
    left->column = SBL_NO_COLUMN;
done:
    return status;
}

sbl_status sbl_parse_sum(sbl_parser *p, sbl_operand *out)
{
    sbl_status status = SBL_OK;
    SBL_TRY(parse_product(p, out));
    while (sbl_parser_at_sign(p, "+") || sbl_parser_at_sign(p, "-")) {
        const bool minus = sbl_parser_at_sign(p, "-");
        sbl_operand right;
        sbl_parser_advance(p);
        SBL_TRY(parse_product(p, &right));
        SBL_TRY(add(p, out, &right, minus));
    }
done:
    return status;
}
