/* SPDX-License-Identifier: Apache-2.0 */
/* What the grammar of a constraint (parser.c) is made of: tokens, the steps of its program, names, dates
 * and comparisons. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "public/rules/parser_internal.h"
#include "public/schema/calendar.h"

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
    if (p->token.kind == SBL_TOKEN_END) return sbl_parser_fail(p, "ends where %s is expected", what);
    return sbl_parser_fail(p, "has '%.*s' where %s is expected",
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
    return ++p->nesting <= SBL_RULE_MOST_NESTING ? SBL_OK : sbl_parser_fail(p, "is nested too deeply");
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

sbl_status sbl_parser_emit_number(sbl_parser *p, double number)
{
    return sbl_parser_emit(p, (sbl_rule_step){.op = SBL_OP_NUMBER, .number = number}, 0);
}

/* A category column whose texts are numbers, as a number. */
static sbl_status emit_category_number(sbl_parser *p, size_t index, bool before)
{
    const sbl_column *column = &p->schema->columns[index];
    const size_t size = column->categories.count;
    sbl_rule_step step = {.op = SBL_OP_CATEGORY, .column = index, .before = before, .size = size};
    step.numbers = sbl_alloc_array(size, sizeof *step.numbers);
    if (step.numbers == NULL) return sbl_no_memory(p->err, "constraints");
    for (size_t i = 0; i < size; i++)
        if (!sbl_text_to_double(&step.numbers[i], column->categories.items[i])) step.numbers[i] = NAN;
    return sbl_parser_emit(p, step, 0);
}

/* ---- names ---- */

sbl_status sbl_parser_push_column(sbl_parser *p, sbl_operand *out, size_t index, bool before)
{
    const sbl_column *column = &p->schema->columns[index];
    *out = (sbl_operand){.type = SBL_OPERAND_NUMBER, .column = index, .before = before};
    switch (column->kind) {
    case SBL_COLUMN_IGNORED:
        return sbl_parser_fail(p, "names column '%s', which has a role and no values", column->name);
    case SBL_COLUMN_CATEGORY:
        if (column->type == SBL_TYPE_INTEGER || column->type == SBL_TYPE_NUMBER)
            return emit_category_number(p, index, before);
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
    return sbl_parser_emit(p, (sbl_rule_step){.op = SBL_OP_COLUMN, .column = index, .before = before}, 0);
}

/* The code of a category's text in a column; a boolean's words are true and false. */
static bool find_category(uint32_t *code, const sbl_column *column, const sbl_token *text)
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
    const bool good = type == SBL_OPERAND_DAYS ? sbl_date_parse(&whole, text->text, text->length)
                                               : sbl_datetime_parse(&whole, NULL, text->text, text->length);
    if (!good)
        return sbl_parser_fail(
            p, "has '%.*s', which is not %s", (int)(text->length < 40 ? text->length : 40), text->text,
            type == SBL_OPERAND_DAYS ? "a date like '2024-12-31'" : "a datetime like '2024-12-31T23:59:59'");
    return sbl_parser_emit_number(p, (double)whole);
}

/* Is it a column of times of day, as it stands? They are numbers of seconds. */
static bool is_time(const sbl_parser *p, const sbl_operand *operand)
{
    return operand->type == SBL_OPERAND_NUMBER && operand->column != SBL_NO_COLUMN &&
           p->schema->columns[operand->column].type == SBL_TYPE_TIME;
}

/* A text beside a column or a sum of dates, datetimes or times is one of them. */
static bool is_calendar(const sbl_parser *p, const sbl_operand *operand)
{
    return operand->type == SBL_OPERAND_DAYS || operand->type == SBL_OPERAND_SECONDS || is_time(p, operand);
}

static sbl_status push_like(sbl_parser *p, const sbl_token *text, const sbl_operand *other)
{
    int64_t seconds;
    if (!is_time(p, other)) return sbl_parser_push_calendar(p, text, other->type);
    if (!sbl_time_parse(&seconds, text->text, text->length))
        return sbl_parser_fail(p, "has '%.*s', which is not a time like '23:59'",
                               (int)(text->length < 40 ? text->length : 40), text->text);
    return sbl_parser_emit_number(p, (double)seconds);
}

sbl_status sbl_parser_unexpected(const sbl_parser *p, const sbl_operand *found, const char *where)
{
    if (found->type == SBL_OPERAND_TEXT)
        return sbl_parser_fail(p, "names '%.*s', which is not a column, %s",
                               (int)(found->text.length < 40 ? found->text.length : 40), found->text.text,
                               where);
    return sbl_parser_fail(p, "has %s %s", sbl_operand_names[found->type], where);
}

/* ---- comparisons ---- */

static sbl_status no_category(const sbl_parser *p, const sbl_token *text, const sbl_column *column)
{
    return sbl_parser_fail(p, "names '%.*s', which is neither a column nor a category of '%s'",
                           (int)(text->length < 40 ? text->length : 40), text->text, column->name);
}

/* An empty set of a category column's codes. */
static sbl_status new_set(sbl_parser *p, sbl_rule_step *step, const sbl_operand *of)
{
    const size_t size = p->schema->columns[of->column].categories.count;
    *step = (sbl_rule_step){.op = SBL_OP_IN, .column = of->column, .before = of->before, .size = size};
    step->set = sbl_alloc_array(size, sizeof *step->set);
    return step->set != NULL ? SBL_OK : sbl_no_memory(p->err, "constraints");
}

static sbl_status compare_text(sbl_parser *p, const sbl_operand *of, const sbl_token *text)
{
    sbl_rule_step step;
    uint32_t code;
    if (!find_category(&code, &p->schema->columns[of->column], text))
        return no_category(p, text, &p->schema->columns[of->column]);
    const sbl_status status = new_set(p, &step, of);
    if (status != SBL_OK) return status;
    step.set[code] = 1;
    return sbl_parser_emit(p, step, 0);
}

/* Two category columns: equal where they read the same. */
static sbl_status compare_columns(sbl_parser *p, const sbl_operand *left, const sbl_operand *right)
{
    sbl_rule_step step;
    const sbl_column *a = &p->schema->columns[left->column];
    const sbl_status status = new_set(p, &step, left);
    if (status != SBL_OK) return status;
    for (size_t i = 0; i < step.size; i++) {
        const sbl_token text = {
            .kind = SBL_TOKEN_TEXT, .text = a->categories.items[i], .length = strlen(a->categories.items[i])};
        uint32_t code;
        if (find_category(&code, &p->schema->columns[right->column], &text)) step.set[i] = code + 1;
    }
    step.op = SBL_OP_SAME;
    step.other = right->column;
    step.other_before = right->before;
    return sbl_parser_emit(p, step, 0);
}

static sbl_status compare_categories(sbl_parser *p, const sbl_operand *left, const sbl_operand *right)
{
    if (left->type == SBL_OPERAND_CATEGORY && right->type == SBL_OPERAND_CATEGORY)
        return compare_columns(p, left, right);
    if (left->type == SBL_OPERAND_CATEGORY && right->type == SBL_OPERAND_TEXT)
        return compare_text(p, left, &right->text);
    if (left->type == SBL_OPERAND_TEXT && right->type == SBL_OPERAND_CATEGORY)
        return compare_text(p, right, &left->text);
    return sbl_parser_unexpected(p, left->type >= SBL_OPERAND_TRUTH ? left : right,
                                 "where it cannot be compared");
}

static sbl_op mirrored(sbl_op op)
{
    static const sbl_op others[] = {SBL_OP_EQUAL, SBL_OP_MORE, SBL_OP_AT_LEAST, SBL_OP_LESS, SBL_OP_AT_MOST};
    return others[op - SBL_OP_EQUAL];
}

sbl_status sbl_parser_compare(sbl_parser *p, sbl_operand *left, const sbl_operand *right, sbl_op op)
{
    const bool dates_right = left->type == SBL_OPERAND_TEXT && is_calendar(p, right);
    const bool dates_left = right->type == SBL_OPERAND_TEXT && is_calendar(p, left);
    if (dates_left) SBL_CHECK(push_like(p, &right->text, left));
    if (dates_right) SBL_CHECK(push_like(p, &left->text, right));
    if (dates_left || dates_right || (left->type == right->type && left->type <= SBL_OPERAND_SECONDS)) {
        SBL_CHECK(sbl_parser_emit_op(p, dates_right ? mirrored(op) : op, 2));
    } else if (left->type <= SBL_OPERAND_SECONDS && right->type <= SBL_OPERAND_SECONDS) {
        return sbl_parser_fail(p, "compares %s with %s", sbl_operand_names[left->type],
                               sbl_operand_names[right->type]);
    } else if (op != SBL_OP_EQUAL && left->type >= SBL_OPERAND_CATEGORY &&
               right->type >= SBL_OPERAND_CATEGORY) {
        return sbl_parser_fail(p, "orders categories, which have no order");
    } else {
        SBL_CHECK(compare_categories(p, left, right));
    }
    *left = (sbl_operand){.type = SBL_OPERAND_TRUTH, .column = SBL_NO_COLUMN};
    return SBL_OK;
}

/* The categories of "in (a, b, c)". */
sbl_status sbl_parser_categories(sbl_parser *p, sbl_operand *left)
{
    sbl_rule_step step;
    SBL_CHECK(new_set(p, &step, left));
    for (bool more = true; more;) {
        uint32_t code;
        if (!find_category(&code, &p->schema->columns[left->column], &p->token)) {
            sbl_free(step.set);
            return no_category(p, &p->token, &p->schema->columns[left->column]);
        }
        step.set[code] = 1;
        sbl_parser_advance(p);
        more = sbl_parser_at_sign(p, ",");
        if (more) sbl_parser_advance(p);
    }
    SBL_CHECK(sbl_parser_emit(p, step, 0));
    *left = (sbl_operand){.type = SBL_OPERAND_TRUTH, .column = SBL_NO_COLUMN};
    return SBL_OK;
}
