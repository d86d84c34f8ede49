/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of a constraint: values (numbers, dates, functions, sums), then conditions (comparisons,
 * and, or, not, if). A condition in brackets may be used as a value. */
#include "public/rules/parser.h"

#include <math.h>

#include "base/alloc.h"
#include "public/rules/parser_internal.h"

#define SECONDS_PER_DAY 86400.0
#define MOST_ROUND_DIGITS 15

static sbl_status parse_sum(sbl_parser *p, sbl_operand *out);
static sbl_status parse_condition(sbl_parser *p, sbl_operand *out);

/* Is it "table.name"? */
static bool is_of_table(const char *column, const char *table, const sbl_token *name)
{
    const size_t length = strlen(table);
    return strncmp(column, table, length) == 0 && column[length] == '.' &&
           sbl_token_is(name, name->kind, column + length + 1);
}

static size_t find_column(const sbl_parser *p, const sbl_token *name)
{
    for (size_t i = 0; p->table != NULL && i < p->schema->column_count; i++)
        if (is_of_table(p->schema->columns[i].name, p->table, name)) return i;
    for (size_t i = 0; i < p->schema->column_count; i++)
        if (sbl_token_is(name, name->kind, p->schema->columns[i].name)) return i;
    return SBL_NO_COLUMN;
}

static sbl_status parse_function(sbl_parser *p, sbl_operand *out, const char *name)
{
    sbl_operand of;
    double digits = 0;
    sbl_parser_advance(p);
    SBL_CHECK(sbl_parser_take(p, "("));
    SBL_CHECK(sbl_parser_enter(p));
    SBL_CHECK(parse_sum(p, &of));
    p->nesting--;
    if (*name == 'r' && sbl_parser_at_sign(p, ",")) {
        sbl_parser_advance(p);
        digits = p->token.number;
        if (p->token.kind != SBL_TOKEN_NUMBER || digits != floor(digits) || digits > MOST_ROUND_DIGITS)
            return sbl_parser_expected(p, "a whole number of digits");
        sbl_parser_advance(p);
    }
    SBL_CHECK(sbl_parser_take(p, ")"));
    *out =
        (sbl_operand){.type = *name == 'd' ? SBL_OPERAND_DAYS : SBL_OPERAND_NUMBER, .column = SBL_NO_COLUMN};
    if (*name == 'r')
        return of.type == SBL_OPERAND_NUMBER
                   ? sbl_parser_emit(p, (sbl_rule_step){.op = SBL_OP_ROUND, .number = digits}, 1)
                   : sbl_parser_unexpected(p, &of, "in round()");
    if (of.type == SBL_OPERAND_TEXT) {
        SBL_CHECK(sbl_parser_push_calendar(p, &of.text, SBL_OPERAND_DAYS));
        of.type = SBL_OPERAND_DAYS;
    }
    if (of.type != SBL_OPERAND_DAYS && of.type != SBL_OPERAND_SECONDS)
        return sbl_parser_unexpected(p, &of, "where a date is read");
    if (of.type == SBL_OPERAND_SECONDS) SBL_CHECK(sbl_parser_emit_op(p, SBL_OP_DAYS, 1));
    if (*name == 'y') SBL_CHECK(sbl_parser_emit_op(p, SBL_OP_YEAR, 1));
    return SBL_OK;
}

static bool is_keyword(const sbl_token *token)
{
    static const char *const words[] = {"if", "then", "and", "or", "not", "in", "is", "forbid"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (sbl_token_is(token, SBL_TOKEN_WORD, words[i])) return true;
    return false;
}

/* Is this "previous" before the name of a column, and not a column of that name? */
static bool at_previous(const sbl_parser *p)
{
    const char *after = p->rest;
    const sbl_token next = sbl_token_next(&after);
    return sbl_parser_at_word(p, "previous") &&
           (next.kind == SBL_TOKEN_NAME || (next.kind == SBL_TOKEN_WORD && !is_keyword(&next)));
}

static sbl_status parse_previous(sbl_parser *p, sbl_operand *out)
{
    sbl_parser_advance(p);
    const sbl_token name = p->token;
    const size_t column = find_column(p, &name);
    if (p->looks_back == NULL) return sbl_parser_fail(p, "uses 'previous', which only constraints can use");
    if (p->schema->rows_per_unit == 0)
        return sbl_parser_fail(
            p, "uses 'previous', but no column identifies the person: name it as semblance.unit");
    if (column == SBL_NO_COLUMN)
        return sbl_parser_fail(p, "names '%.*s' after 'previous', which is not a column",
                               (int)(name.length < 40 ? name.length : 40), name.text);
    sbl_parser_advance(p);
    *p->looks_back = true;
    return sbl_parser_push_column(p, out, column, true);
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
    if (column != SBL_NO_COLUMN) return sbl_parser_push_column(p, out, column, false);
    if (name.kind == SBL_TOKEN_WORD && memchr(name.text, '.', name.length) != NULL)
        return sbl_parser_fail(p, "names '%.*s', which is not a column of a table above this one",
                               (int)(name.length < 40 ? name.length : 40), name.text);
    if (name.kind == SBL_TOKEN_NAME)
        return sbl_parser_fail(p, "names '%.*s', which is not a column",
                               (int)(name.length < 40 ? name.length : 40), name.text);
    *out = (sbl_operand){.type = SBL_OPERAND_TEXT, .column = SBL_NO_COLUMN, .text = name};
    return SBL_OK;
}

static sbl_status parse_primary(sbl_parser *p, sbl_operand *out)
{
    *out = (sbl_operand){.type = SBL_OPERAND_NUMBER, .column = SBL_NO_COLUMN};
    if (p->token.kind == SBL_TOKEN_NUMBER) {
        const double number = p->token.number;
        sbl_parser_advance(p);
        return sbl_parser_emit_number(p, number);
    }
    if (p->token.kind == SBL_TOKEN_TEXT) {
        *out = (sbl_operand){.type = SBL_OPERAND_TEXT, .column = SBL_NO_COLUMN, .text = p->token};
        sbl_parser_advance(p);
        return SBL_OK;
    }
    if (at_previous(p)) return parse_previous(p, out);
    if (p->token.kind == SBL_TOKEN_NAME || (p->token.kind == SBL_TOKEN_WORD && !is_keyword(&p->token)))
        return parse_name(p, out);
    if (!sbl_parser_at_sign(p, "(")) return sbl_parser_expected(p, "a value");
    sbl_parser_advance(p);
    SBL_CHECK(parse_condition(p, out));
    return sbl_parser_take(p, ")");
}

static sbl_status parse_signed(sbl_parser *p, sbl_operand *out)
{
    size_t minus = 0;
    for (; sbl_parser_at_sign(p, "-"); sbl_parser_advance(p)) minus++;
    SBL_CHECK(parse_primary(p, out));
    if (minus > 0 && out->type != SBL_OPERAND_NUMBER) return sbl_parser_unexpected(p, out, "after a minus");
    if (minus % 2 == 1) {
        out->column = SBL_NO_COLUMN;
        SBL_CHECK(sbl_parser_emit_op(p, SBL_OP_NEGATE, 1));
    }
    return SBL_OK;
}

static sbl_status parse_product(sbl_parser *p, sbl_operand *out)
{
    SBL_CHECK(parse_signed(p, out));
    while (sbl_parser_at_sign(p, "*") || sbl_parser_at_sign(p, "/")) {
        const sbl_op op = sbl_parser_at_sign(p, "*") ? SBL_OP_MULTIPLY : SBL_OP_DIVIDE;
        sbl_operand right;
        if (out->type != SBL_OPERAND_NUMBER) return sbl_parser_unexpected(p, out, "in a product");
        sbl_parser_advance(p);
        SBL_CHECK(parse_signed(p, &right));
        if (right.type != SBL_OPERAND_NUMBER) return sbl_parser_unexpected(p, &right, "in a product");
        SBL_CHECK(sbl_parser_emit_op(p, op, 2));
        out->column = SBL_NO_COLUMN;
    }
    return SBL_OK;
}

/* date - date is a number of days, and so is datetime - datetime; date + days is a date. */
static sbl_status add(sbl_parser *p, sbl_operand *left, const sbl_operand *right, bool minus)
{
    const bool calendar = left->type == SBL_OPERAND_DAYS || left->type == SBL_OPERAND_SECONDS;
    const bool known = (left->type == SBL_OPERAND_NUMBER || calendar) && right->type <= SBL_OPERAND_SECONDS;
    if (!known || (right->type != SBL_OPERAND_NUMBER && !(minus && right->type == left->type)))
        return sbl_parser_unexpected(p, left->type <= SBL_OPERAND_SECONDS ? right : left,
                                     "where it cannot be added or subtracted");
    const bool from_days = left->type == SBL_OPERAND_SECONDS && right->type == SBL_OPERAND_NUMBER;
    const bool to_days = left->type == SBL_OPERAND_SECONDS && right->type == SBL_OPERAND_SECONDS;
    if (from_days) {
        SBL_CHECK(sbl_parser_emit_number(p, SECONDS_PER_DAY));
        SBL_CHECK(sbl_parser_emit_op(p, SBL_OP_MULTIPLY, 2));
    }
    SBL_CHECK(sbl_parser_emit_op(p, minus ? SBL_OP_SUBTRACT : SBL_OP_ADD, 2));
    if (to_days) {
        SBL_CHECK(sbl_parser_emit_number(p, SECONDS_PER_DAY));
        SBL_CHECK(sbl_parser_emit_op(p, SBL_OP_DIVIDE, 2));
    }
    if (right->type != SBL_OPERAND_NUMBER) left->type = SBL_OPERAND_NUMBER;
    left->column = SBL_NO_COLUMN;
    return SBL_OK;
}

static sbl_status parse_sum(sbl_parser *p, sbl_operand *out)
{
    SBL_CHECK(parse_product(p, out));
    while (sbl_parser_at_sign(p, "+") || sbl_parser_at_sign(p, "-")) {
        const bool minus = sbl_parser_at_sign(p, "-");
        sbl_operand right;
        sbl_parser_advance(p);
        SBL_CHECK(parse_product(p, &right));
        SBL_CHECK(add(p, out, &right, minus));
    }
    return SBL_OK;
}

/* The numbers or dates of it: equal to the first, or to the second, and so on. */
static sbl_status parse_numbers(sbl_parser *p, sbl_operand *left)
{
    const sbl_operand column = *left;
    for (bool first = true;; first = false) {
        sbl_operand value;
        *left = column;
        if (!first) SBL_CHECK(sbl_parser_push_column(p, left, column.column, column.before));
        SBL_CHECK(parse_sum(p, &value));
        SBL_CHECK(sbl_parser_compare(p, left, &value, SBL_OP_EQUAL));
        if (!first) SBL_CHECK(sbl_parser_emit_op(p, SBL_OP_OR, 2));
        if (!sbl_parser_at_sign(p, ",")) break;
        sbl_parser_advance(p);
    }
    return SBL_OK;
}

/* "in (a, b, c)" after a column as it stands. */
static sbl_status parse_list(sbl_parser *p, sbl_operand *left)
{
    if (left->column == SBL_NO_COLUMN)
        return sbl_parser_unexpected(p, left, "before 'in', which is for columns");
    sbl_parser_advance(p);
    SBL_CHECK(sbl_parser_take(p, "("));
    SBL_CHECK(left->type == SBL_OPERAND_CATEGORY ? sbl_parser_categories(p, left) : parse_numbers(p, left));
    return sbl_parser_take(p, ")");
}

static sbl_status parse_missing(sbl_parser *p, sbl_operand *left)
{
    const size_t column = left->column;
    const bool before = left->before;
    sbl_parser_advance(p);
    const bool negated = sbl_parser_at_word(p, "not");
    if (negated) sbl_parser_advance(p);
    if (!sbl_parser_at_word(p, "missing")) return sbl_parser_expected(p, "'missing'");
    sbl_parser_advance(p);
    if (column == SBL_NO_COLUMN) return sbl_parser_unexpected(p, left, "before 'is missing'");
    if (left->type != SBL_OPERAND_CATEGORY) { /* the value that was pushed gives way to the question */
        sbl_rule_step *last = &p->program->steps[--p->program->count];
        sbl_free(last->numbers);
        p->height--;
    }
    SBL_CHECK(
        sbl_parser_emit(p, (sbl_rule_step){.op = SBL_OP_MISSING, .column = column, .before = before}, 0));
    if (negated) SBL_CHECK(sbl_parser_emit_op(p, SBL_OP_NOT, 1));
    *left = (sbl_operand){.type = SBL_OPERAND_TRUTH, .column = SBL_NO_COLUMN};
    return SBL_OK;
}

static sbl_status parse_comparison(sbl_parser *p, sbl_operand *out)
{
    static const char *const signs[] = {"=", "<", "<=", ">", ">="};
    SBL_CHECK(parse_sum(p, out));
    if (sbl_parser_at_word(p, "in")) return parse_list(p, out);
    if (sbl_parser_at_word(p, "is")) return parse_missing(p, out);
    const bool unequal = sbl_parser_at_sign(p, "!=");
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        sbl_operand right;
        if (!sbl_parser_at_sign(p, signs[i]) && !(i == 0 && unequal)) continue;
        sbl_parser_advance(p);
        SBL_CHECK(parse_sum(p, &right));
        SBL_CHECK(sbl_parser_compare(p, out, &right, (sbl_op)(SBL_OP_EQUAL + (int)i)));
        if (unequal) SBL_CHECK(sbl_parser_emit_op(p, SBL_OP_NOT, 1));
        break;
    }
    return SBL_OK;
}

static sbl_status need_truth(const sbl_parser *p, const sbl_operand *found)
{
    return found->type == SBL_OPERAND_TRUTH
               ? SBL_OK
               : sbl_parser_unexpected(p, found, "where a condition should stand");
}

static sbl_status parse_factor(sbl_parser *p, sbl_operand *out)
{
    size_t negations = 0;
    for (; sbl_parser_at_word(p, "not"); sbl_parser_advance(p)) negations++;
    SBL_CHECK(parse_comparison(p, out));
    if (negations > 0) SBL_CHECK(need_truth(p, out));
    if (negations % 2 == 1) SBL_CHECK(sbl_parser_emit_op(p, SBL_OP_NOT, 1));
    return SBL_OK;
}

static sbl_status parse_part(sbl_parser *p, sbl_operand *out)
{
    SBL_CHECK(parse_factor(p, out));
    while (sbl_parser_at_word(p, "and")) {
        sbl_operand right;
        SBL_CHECK(need_truth(p, out));
        sbl_parser_advance(p);
        SBL_CHECK(parse_factor(p, &right));
        SBL_CHECK(need_truth(p, &right));
        SBL_CHECK(sbl_parser_emit_op(p, SBL_OP_AND, 2));
    }
    return SBL_OK;
}

static sbl_status parse_condition(sbl_parser *p, sbl_operand *out)
{
    SBL_CHECK(sbl_parser_enter(p));
    SBL_CHECK(parse_part(p, out));
    while (sbl_parser_at_word(p, "or")) {
        sbl_operand right;
        SBL_CHECK(need_truth(p, out));
        sbl_parser_advance(p);
        SBL_CHECK(parse_part(p, &right));
        SBL_CHECK(need_truth(p, &right));
        SBL_CHECK(sbl_parser_emit_op(p, SBL_OP_OR, 2));
    }
    p->nesting--;
    return SBL_OK;
}

static sbl_status parse_truth(sbl_parser *p)
{
    sbl_operand found;
    const sbl_status status = parse_condition(p, &found);
    return status == SBL_OK ? need_truth(p, &found) : status;
}

/* "if A then B" is "not A or B"; "forbid A" is "not A". */
static sbl_status parse_rule(sbl_parser *p, sbl_parsed *parsed)
{
    const bool conditional = sbl_parser_at_word(p, "if");
    parsed->forbids = sbl_parser_at_word(p, "forbid");
    if (conditional || parsed->forbids) sbl_parser_advance(p);
    SBL_CHECK(parse_truth(p));
    if (conditional || parsed->forbids) SBL_CHECK(sbl_parser_emit_op(p, SBL_OP_NOT, 1));
    if (conditional) {
        if (!sbl_parser_at_word(p, "then")) return sbl_parser_expected(p, "'then'");
        sbl_parser_advance(p);
        parsed->conclusion = p->program->count;
        SBL_CHECK(parse_truth(p));
        SBL_CHECK(sbl_parser_emit_op(p, SBL_OP_OR, 2));
    }
    if (p->token.kind != SBL_TOKEN_END) return sbl_parser_expected(p, "its end");
    return SBL_OK;
}

static sbl_status begin(sbl_parser *p, sbl_program *program, const char *text, const sbl_schema *schema,
                        sbl_error *err)
{
    *p = (sbl_parser){
        .noun = SBL_RULE_NOUN, .schema = schema, .text = text, .rest = text, .program = program, .err = err};
    program->steps = sbl_alloc_array(SBL_PROGRAM_MOST_STEPS, sizeof(sbl_rule_step));
    if (program->steps == NULL) return sbl_no_memory(err, "constraints");
    sbl_parser_advance(p);
    return SBL_OK;
}

sbl_status sbl_rule_parse(sbl_parsed *parsed, const char *text, const sbl_schema *schema, const char *table,
                          sbl_error *err)
{
    sbl_parser p;
    *parsed = (sbl_parsed){0};
    const sbl_status status = begin(&p, &parsed->program, text, schema, err);
    p.looks_back = &parsed->looks_back;
    p.table = table;
    return status == SBL_OK ? parse_rule(&p, parsed) : status;
}

sbl_status sbl_condition_parse(sbl_program *program, const char *text, const sbl_schema *schema,
                               sbl_error *err)
{
    sbl_parser p;
    *program = (sbl_program){0};
    SBL_CHECK(begin(&p, program, text, schema, err));
    p.noun = "the condition";
    SBL_CHECK(parse_truth(&p));
    if (p.token.kind != SBL_TOKEN_END) return sbl_parser_expected(&p, "its end");
    return SBL_OK;
}
