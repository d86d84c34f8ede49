/* The conditions of a constraint: comparisons, and, or, not, if. */
#include "rules/parser.h"

#include <string.h>

#include "base/memory.h"
#include "rules/parser_parts.h"

static sbl_status no_category(const sbl_parser *p, const sbl_token *text, const sbl_column *column)
{
    return sbl_parser_fail(p, "names '%.*s', which is neither a column nor a category of '%s'",
                           (int)(text->length < 40 ? text->length : 40), text->text, column->name);
}

/* An empty set of a category column's codes. */
static sbl_status new_set(sbl_parser *p, sbl_rule_step *step, size_t column)
{
    const size_t size = p->schema->columns[column].categories.count;
    *step = (sbl_rule_step){.op = SBL_OP_IN, .column = column, .size = size};
    step->set = sbl_alloc_array(size, sizeof *step->set);
    return step->set != NULL ? SBL_OK : sbl_no_memory(p->err, "constraints");
}

static sbl_status compare_text(sbl_parser *p, size_t column, const sbl_token *text)
{
    sbl_rule_step step;
    uint32_t code;
    if (!sbl_parser_find_category(&code, &p->schema->columns[column], text))
        return no_category(p, text, &p->schema->columns[column]);
    const sbl_status status = new_set(p, &step, column);
    if (status != SBL_OK) return status;
    step.set[code] = 1;
    return sbl_parser_emit(p, step, 0);
}

/* Two category columns: equal where they read the same. */
static sbl_status compare_columns(sbl_parser *p, size_t left, size_t right)
{
    sbl_rule_step step;
    const sbl_column *a = &p->schema->columns[left];
    const sbl_status status = new_set(p, &step, left);
    if (status != SBL_OK) return status;
    for (size_t i = 0; i < step.size; i++) {
        const sbl_token text = {.kind = SBL_TOKEN_TEXT,
                                .text = a->categories.items[i],
                                .length = strlen(a->categories.items[i])};
        uint32_t code;
        if (sbl_parser_find_category(&code, &p->schema->columns[right], &text))
            step.set[i] = code + 1;
    }
    step.op = SBL_OP_SAME;
    step.other = right;
    return sbl_parser_emit(p, step, 0);
}

static sbl_status compare_categories(sbl_parser *p, const sbl_operand *left,
                                     const sbl_operand *right)
{
    if (left->type == SBL_OPERAND_CATEGORY && right->type == SBL_OPERAND_CATEGORY)
        return compare_columns(p, left->column, right->column);
    if (left->type == SBL_OPERAND_CATEGORY && right->type == SBL_OPERAND_TEXT)
        return compare_text(p, left->column, &right->text);
    if (left->type == SBL_OPERAND_TEXT && right->type == SBL_OPERAND_CATEGORY)
        return compare_text(p, right->column, &left->text);
    return sbl_parser_unexpected(p, left->type >= SBL_OPERAND_TRUTH ? left : right,
                                 "where it cannot be compared");
}

static sbl_op mirrored(sbl_op op)
{
    static const sbl_op others[] = {SBL_OP_EQUAL, SBL_OP_MORE, SBL_OP_AT_LEAST, SBL_OP_LESS,
                                    SBL_OP_AT_MOST};
    return others[op - SBL_OP_EQUAL];
}

static sbl_status compare(sbl_parser *p, sbl_operand *left, const sbl_operand *right, sbl_op op)
{
    sbl_status status = SBL_OK;
    const bool dates_right = left->type == SBL_OPERAND_TEXT && (right->type == SBL_OPERAND_DAYS ||
                                                                right->type == SBL_OPERAND_SECONDS);
    const bool dates_left = right->type == SBL_OPERAND_TEXT &&
                            (left->type == SBL_OPERAND_DAYS || left->type == SBL_OPERAND_SECONDS);
    if (dates_left) SBL_TRY(sbl_parser_push_calendar(p, &right->text, left->type));
    if (dates_right) SBL_TRY(sbl_parser_push_calendar(p, &left->text, right->type));
    if (dates_left || dates_right ||
        (left->type == right->type && left->type <= SBL_OPERAND_SECONDS)) {
        SBL_TRY(sbl_parser_emit_op(p, dates_right ? mirrored(op) : op, 2));
    } else if (left->type <= SBL_OPERAND_SECONDS && right->type <= SBL_OPERAND_SECONDS) {
        return sbl_parser_fail(p, "compares %s with %s", sbl_operand_names[left->type],
                               sbl_operand_names[right->type]);
    } else if (op != SBL_OP_EQUAL && left->type >= SBL_OPERAND_CATEGORY &&
               right->type >= SBL_OPERAND_CATEGORY) {
        return sbl_parser_fail(p, "puts categories in an order, which they do not have");
    } else {
        SBL_TRY(compare_categories(p, left, right));
    }
    *left = (sbl_operand){.type = SBL_OPERAND_TRUTH, .column = SBL_NO_COLUMN};
done:
    return status;
}

/* The categories of "in (a, b, c)". */
static sbl_status parse_categories(sbl_parser *p, sbl_operand *left)
{
    sbl_rule_step step;
    sbl_status status = SBL_OK;
    SBL_TRY(new_set(p, &step, left->column));
    for (bool more = true; more;) {
        uint32_t code;
        if (!sbl_parser_find_category(&code, &p->schema->columns[left->column], &p->token)) {
            sbl_free(step.set);
            return no_category(p, &p->token, &p->schema->columns[left->column]);
        }
        step.set[code] = 1;
        sbl_parser_advance(p);
        more = sbl_parser_at_sign(p, ",");
        if (more) sbl_parser_advance(p);
    }
    SBL_TRY(sbl_parser_emit(p, step, 0));
    *left = (sbl_operand){.type = SBL_OPERAND_TRUTH, .column = SBL_NO_COLUMN};
done:
    return status;
}

/* The numbers or dates of it: equal to the first, or to the second, and so on. */
static sbl_status parse_numbers(sbl_parser *p, sbl_operand *left)
{
    const sbl_operand column = *left;
    sbl_status status = SBL_OK;
    for (bool first = true;; first = false) {
        sbl_operand value;
        *left = column;
        if (!first) SBL_TRY(sbl_parser_push_column(p, left, column.column));
        SBL_TRY(sbl_parse_sum(p, &value));
        SBL_TRY(compare(p, left, &value, SBL_OP_EQUAL));
        if (!first) SBL_TRY(sbl_parser_emit_op(p, SBL_OP_OR, 2));
        if (!sbl_parser_at_sign(p, ",")) break;
        sbl_parser_advance(p);
    }
done:
    return status;
}

/* "in (a, b, c)" after a column as it stands. */
static sbl_status parse_list(sbl_parser *p, sbl_operand *left)
{
    sbl_status status = SBL_OK;
    if (left->column == SBL_NO_COLUMN)
        return sbl_parser_unexpected(p, left, "before 'in', which is for columns");
    sbl_parser_advance(p);
    SBL_TRY(sbl_parser_take(p, "("));
    SBL_TRY(left->type == SBL_OPERAND_CATEGORY ? parse_categories(p, left)
                                               : parse_numbers(p, left));
    SBL_TRY(sbl_parser_take(p, ")"));
done:
    return status;
}

static sbl_status parse_missing(sbl_parser *p, sbl_operand *left)
{
    sbl_status status = SBL_OK;
    const size_t column = left->column;
    sbl_parser_advance(p);
    const bool negated = sbl_parser_at_word(p, "not");
    if (negated) sbl_parser_advance(p);
    if (!sbl_parser_at_word(p, "missing")) return sbl_parser_expected(p, "'missing'");
    sbl_parser_advance(p);
    if (column == SBL_NO_COLUMN) return sbl_parser_unexpected(p, left, "before 'is missing'");
    if (left->type !=
        SBL_OPERAND_CATEGORY) { /* the value that was pushed gives way to the question */
        sbl_rule_step *last = &p->program->steps[--p->program->count];
        sbl_free(last->numbers);
        p->height--;
    }
    SBL_TRY(sbl_parser_emit(p, (sbl_rule_step){.op = SBL_OP_MISSING, .column = column}, 0));
    if (negated) SBL_TRY(sbl_parser_emit_op(p, SBL_OP_NOT, 1));
    *left = (sbl_operand){.type = SBL_OPERAND_TRUTH, .column = SBL_NO_COLUMN};
done:
    return status;
}

static sbl_status parse_comparison(sbl_parser *p, sbl_operand *out)
{
    static const char *const signs[] = {"=", "<", "<=", ">", ">="};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_parse_sum(p, out));
    if (sbl_parser_at_word(p, "in")) return parse_list(p, out);
    if (sbl_parser_at_word(p, "is")) return parse_missing(p, out);
    const bool unequal = sbl_parser_at_sign(p, "!=");
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        sbl_operand right;
        if (!sbl_parser_at_sign(p, signs[i]) && !(i == 0 && unequal)) continue;
        sbl_parser_advance(p);
        SBL_TRY(sbl_parse_sum(p, &right));
        SBL_TRY(compare(p, out, &right, (sbl_op)(SBL_OP_EQUAL + (int)i)));
        if (unequal) SBL_TRY(sbl_parser_emit_op(p, SBL_OP_NOT, 1));
        break;
    }
done:
    return status;
}

static sbl_status need_truth(const sbl_parser *p, const sbl_operand *found)
{
    return found->type == SBL_OPERAND_TRUTH
               ? SBL_OK
               : sbl_parser_unexpected(p, found, "where a condition should stand");
}

static sbl_status parse_factor(sbl_parser *p, sbl_operand *out)
{
    sbl_status status = SBL_OK;
    size_t negations = 0;
    for (; sbl_parser_at_word(p, "not"); sbl_parser_advance(p)) negations++;
    SBL_TRY(parse_comparison(p, out));
    if (negations > 0) SBL_TRY(need_truth(p, out));
    if (negations % 2 == 1) SBL_TRY(sbl_parser_emit_op(p, SBL_OP_NOT, 1));
done:
    return status;
}

static sbl_status parse_part(sbl_parser *p, sbl_operand *out)
{
    sbl_status status = SBL_OK;
    SBL_TRY(parse_factor(p, out));
    while (sbl_parser_at_word(p, "and")) {
        sbl_operand right;
        SBL_TRY(need_truth(p, out));
        sbl_parser_advance(p);
        SBL_TRY(parse_factor(p, &right));
        SBL_TRY(need_truth(p, &right));
        SBL_TRY(sbl_parser_emit_op(p, SBL_OP_AND, 2));
    }
done:
    return status;
}

sbl_status sbl_parse_condition(sbl_parser *p, sbl_operand *out)
{
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_parser_enter(p));
    SBL_TRY(parse_part(p, out));
    while (sbl_parser_at_word(p, "or")) {
        sbl_operand right;
        SBL_TRY(need_truth(p, out));
        sbl_parser_advance(p);
        SBL_TRY(parse_part(p, &right));
        SBL_TRY(need_truth(p, &right));
        SBL_TRY(sbl_parser_emit_op(p, SBL_OP_OR, 2));
    }
    p->nesting--;
done:
    return status;
}

static sbl_status parse_truth(sbl_parser *p)
{
    sbl_operand found;
    const sbl_status status = sbl_parse_condition(p, &found);
    return status == SBL_OK ? need_truth(p, &found) : status;
}

/* "if A then B" is "not A or B"; "forbid A" is "not A". */
static sbl_status parse_rule(sbl_parser *p, sbl_parsed *parsed)
{
    sbl_status status = SBL_OK;
    const bool conditional = sbl_parser_at_word(p, "if");
    parsed->forbids = sbl_parser_at_word(p, "forbid");
    if (conditional || parsed->forbids) sbl_parser_advance(p);
    SBL_TRY(parse_truth(p));
    if (conditional || parsed->forbids) SBL_TRY(sbl_parser_emit_op(p, SBL_OP_NOT, 1));
    if (conditional) {
        if (!sbl_parser_at_word(p, "then")) return sbl_parser_expected(p, "'then'");
        sbl_parser_advance(p);
        parsed->conclusion = p->program->count;
        SBL_TRY(parse_truth(p));
        SBL_TRY(sbl_parser_emit_op(p, SBL_OP_OR, 2));
    }
    if (p->token.kind != SBL_TOKEN_END) return sbl_parser_expected(p, "its end");
done:
    return status;
}

static sbl_status begin(sbl_parser *p, sbl_program *program, const char *text,
                        const sbl_schema *schema, sbl_error *err)
{
    *p = (sbl_parser){.noun = SBL_RULE_NOUN,
                      .schema = schema,
                      .text = text,
                      .rest = text,
                      .program = program,
                      .err = err};
    program->steps = sbl_alloc_array(SBL_PROGRAM_MOST_STEPS, sizeof(sbl_rule_step));
    if (program->steps == NULL) return sbl_no_memory(err, "constraints");
    sbl_parser_advance(p);
    return SBL_OK;
}

sbl_status sbl_rule_parse(sbl_parsed *parsed, const char *text, const sbl_schema *schema,
                          sbl_error *err)
{
    sbl_parser p;
    *parsed = (sbl_parsed){0};
    const sbl_status status = begin(&p, &parsed->program, text, schema, err);
    return status == SBL_OK ? parse_rule(&p, parsed) : status;
}

sbl_status sbl_condition_parse(sbl_program *program, const char *text, const sbl_schema *schema,
                               sbl_error *err)
{
    sbl_parser p;
    sbl_status status = SBL_OK;
    *program = (sbl_program){0};
    SBL_TRY(begin(&p, program, text, schema, err));
    p.noun = "the condition";
    SBL_TRY(parse_truth(&p));
    if (p.token.kind != SBL_TOKEN_END) status = sbl_parser_expected(&p, "its end");
done:
    return status;
}
