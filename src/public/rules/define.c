/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for patterns at the end of a parsed constraint: "c = f(...)", a linear sum that can be
 * solved for its last column, "low <= high", "high - low <= limit". A definition is again a
 * program, made of the steps of the other side. */
#include "public/rules/rules_internal.h"

#include <string.h>

#include "base/alloc.h"

/* ---- patterns: a comparison of two operands, as at the end of a program ---- */

typedef struct comparison {
    sbl_op op;
    size_t middle, end; /* left: 0 .. middle - 1, right: middle .. end - 1 */
} comparison;

static bool split(comparison *c, const sbl_program *program)
{
    if (program->count < 3 || !sbl_op_compares(program->steps[program->count - 1].op)) return false;
    c->end = program->count - 1;
    c->op = program->steps[c->end].op;
    c->middle = sbl_program_operand(program, c->end);
    return sbl_program_operand(program, c->middle) == 0;
}

static bool is_column(const sbl_program *program, size_t first, size_t last)
{
    return last == first + 1 && program->steps[first].op == SBL_OP_COLUMN;
}

static bool is_difference(const sbl_program *program, size_t first, size_t last)
{
    return last == first + 3 && is_column(program, first, first + 1) &&
           is_column(program, first + 1, first + 2) && program->steps[first + 2].op == SBL_OP_SUBTRACT;
}

bool sbl_rule_orders(const sbl_rule *rule, size_t *low, size_t *high, bool *strict)
{
    const sbl_program *program = &rule->parsed.program;
    comparison c;
    if (rule->parsed.looks_back || !split(&c, program) || c.op == SBL_OP_EQUAL ||
        !is_column(program, 0, c.middle) || !is_column(program, c.middle, c.end))
        return false;
    const bool rising = c.op == SBL_OP_LESS || c.op == SBL_OP_AT_MOST;
    *low = program->steps[rising ? 0 : c.middle].column;
    *high = program->steps[rising ? c.middle : 0].column;
    *strict = c.op == SBL_OP_LESS || c.op == SBL_OP_MORE;
    return *low != *high;
}

bool sbl_rule_alone_at(const sbl_rule *rule, bool right, sbl_alone *alone)
{
    static const sbl_op mirrored[] = {SBL_OP_EQUAL, SBL_OP_MORE, SBL_OP_AT_LEAST, SBL_OP_LESS,
                                      SBL_OP_AT_MOST};
    const sbl_program *program = &rule->parsed.program;
    comparison c;
    if (!split(&c, program)) return false;
    const size_t first = right ? c.middle : 0, last = right ? c.end : c.middle;
    if (!is_column(program, first, last) || program->steps[first].before) return false;
    *alone = right ? (sbl_alone){program->steps[first].column, 0, c.middle, mirrored[c.op - SBL_OP_EQUAL]}
                   : (sbl_alone){program->steps[first].column, c.middle, c.end, c.op};
    return true;
}

bool sbl_rule_alone(const sbl_rule *rule, sbl_alone *alone)
{
    return sbl_rule_alone_at(rule, false, alone) || sbl_rule_alone_at(rule, true, alone);
}

bool sbl_rule_limits(const sbl_rule *rule, size_t *low, size_t *high, double *limit)
{
    const sbl_program *program = &rule->parsed.program;
    comparison c;
    if (rule->parsed.looks_back || !split(&c, program) || c.op != SBL_OP_AT_MOST ||
        !is_difference(program, 0, c.middle) || c.end != c.middle + 1 ||
        program->steps[c.middle].op != SBL_OP_NUMBER)
        return false;
    *high = program->steps[0].column;
    *low = program->steps[1].column;
    *limit = program->steps[c.middle].number;
    return true;
}

bool sbl_rule_subtracts(const sbl_rule *rule, size_t *low, size_t *high)
{
    if (rule->defines == SBL_NO_COLUMN || !is_difference(&rule->definition, 0, rule->definition.count))
        return false;
    *high = rule->definition.steps[0].column;
    *low = rule->definition.steps[1].column;
    return *low != *high;
}

/* ---- definitions ---- */

static sbl_status copy_steps(sbl_program *to, const sbl_program *from, size_t first, size_t last,
                             sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (to->steps == NULL) SBL_ALLOC(to->steps, SBL_PROGRAM_MOST_STEPS, "constraints");
    for (size_t i = first; i < last; i++) {
        sbl_rule_step step = from->steps[i];
        if (step.numbers != NULL) {
            SBL_ALLOC(step.numbers, step.size, "constraints");
            memcpy(step.numbers, from->steps[i].numbers, step.size * sizeof *step.numbers);
        }
        step.set = NULL; /* sums hold no sets */
        to->steps[to->count++] = step;
    }
done:
    return status;
}

/* By what factor the expression grows with a column: 1, -1, 0, or anything else for "not so". */
static double slope_of(const sbl_program *program, size_t first, size_t last, size_t column)
{
    double stack[SBL_PROGRAM_MOST_STACK];
    size_t top = 0;
    for (size_t i = first; i < last; i++) {
        const sbl_rule_step *step = &program->steps[i];
        switch (step->op) {
        case SBL_OP_NUMBER:
        case SBL_OP_COLUMN:
        case SBL_OP_CATEGORY:
            stack[top++] = step->op == SBL_OP_COLUMN && step->column == column ? 1 : 0;
            break;
        case SBL_OP_ADD:
        case SBL_OP_SUBTRACT:
            top--;
            stack[top - 1] += step->op == SBL_OP_ADD ? stack[top] : -stack[top];
            break;
        case SBL_OP_NEGATE:
            stack[top - 1] = -stack[top - 1];
            break;
        case SBL_OP_MULTIPLY:
        case SBL_OP_DIVIDE:
            top--;
            stack[top - 1] = stack[top] == 0 && stack[top - 1] == 0 ? 0 : 1e9;
            break;
        default: /* round and the like */
            if (stack[top - 1] != 0) stack[top - 1] = 1e9;
            break;
        }
    }
    return stack[0];
}

/* A column that a rule reads and that differs between the rows of a person, where the defined one
 * may not; SBL_NO_COLUMN: there is none. */
static size_t find_varying(const sbl_rules *rules, const sbl_rule *rule, size_t defined)
{
    const sbl_column *columns = rules->schema->columns;
    const sbl_program *program = &rule->parsed.program;
    for (size_t i = 0; columns[defined].per_unit && i < program->count; i++) {
        const sbl_rule_step *step = &program->steps[i];
        if ((step->op == SBL_OP_COLUMN || step->op == SBL_OP_CATEGORY) && !columns[step->column].per_unit)
            return step->column;
    }
    return SBL_NO_COLUMN;
}

static bool can_be_derived(const sbl_rules *rules, const sbl_rule *rule, size_t column)
{
    return column < rules->own && column != rules->schema->label && column != rules->schema->order &&
           sbl_column_is_numeric(&rules->schema->columns[column]) &&
           find_varying(rules, rule, column) == SBL_NO_COLUMN;
}

/* Why the column that stands alone on one side cannot be derived. */
static sbl_status refuse(const sbl_rules *rules, const sbl_rule *rule, size_t column, sbl_error *err)
{
    const sbl_column *columns = rules->schema->columns;
    const size_t varying = find_varying(rules, rule, column);
    if (column >= rules->own)
        return sbl_rule_fail(err, rule->text,
                             "defines '%s' of another table: write it with a column of its own table alone "
                             "on one side",
                             columns[column].name);
    if (column == rules->schema->order)
        return sbl_rule_fail(err, rule->text,
                             "defines '%s', which orders the rows of a person and must be fitted: "
                             "name another semblance.order",
                             columns[column].name);
    if (varying != SBL_NO_COLUMN)
        return sbl_rule_fail(err, rule->text,
                             "defines '%s', which is constant for a person, by '%s', which is not: remove "
                             "semblance.per of the first or add it to the second",
                             columns[column].name, columns[varying].name);
    return sbl_rule_fail(err, rule->text, "defines the label, which must be fitted");
}

static bool is_defined(const sbl_rules *rules, size_t column)
{
    for (size_t i = 0; i < rules->count; i++)
        if (rules->items[i].defines == column) return true;
    return false;
}

typedef struct side {
    size_t first, last;
} side;

/* own + column = other: column = other - own, where own is taken with 0 in the column's place; of
 * several columns the last. */
static sbl_status solve_sum(sbl_rules *rules, sbl_rule *rule, side own, side other, sbl_error *err)
{
    const sbl_program *program = &rule->parsed.program;
    sbl_program *to = &rule->definition;
    for (size_t i = own.last; rule->defines == SBL_NO_COLUMN && i-- > own.first;) {
        const size_t column = program->steps[i].column;
        if (program->steps[i].op != SBL_OP_COLUMN || !can_be_derived(rules, rule, column) ||
            rules->schema->columns[column].kind != SBL_COLUMN_NUMBER || is_defined(rules, column))
            continue;
        const double slope = slope_of(program, own.first, own.last, column);
        if ((slope != 1 && slope != -1) || slope_of(program, other.first, other.last, column) != 0) continue;
        const side plus = slope > 0 ? other : own;
        const side minus = slope > 0 ? own : other;
        rule->defines = column;
        SBL_CHECK(copy_steps(to, program, plus.first, plus.last, err));
        SBL_CHECK(copy_steps(to, program, minus.first, minus.last, err));
        for (size_t s = 0; s < to->count; s++)
            if (to->steps[s].op == SBL_OP_COLUMN && to->steps[s].column == column)
                to->steps[s] = (sbl_rule_step){.op = SBL_OP_NUMBER};
        to->steps[to->count++] = (sbl_rule_step){.op = SBL_OP_SUBTRACT}; /* replaces the equality */
    }
    return SBL_OK;
}

static sbl_status check_missing(const sbl_rules *rules, const sbl_rule *rule, sbl_error *err)
{
    const sbl_column *columns = rules->schema->columns;
    const sbl_column *defined = &columns[rule->defines];
    for (size_t i = 0; !defined->missing_allowed && i < rule->definition.count; i++) {
        const sbl_rule_step *step = &rule->definition.steps[i];
        if ((step->op == SBL_OP_COLUMN || step->op == SBL_OP_CATEGORY) &&
            columns[step->column].missing_allowed)
            return sbl_rule_fail(err, rule->text,
                                 "would leave '%s' empty where '%s' is missing: make both required, "
                                 "or neither",
                                 defined->name, columns[step->column].name);
    }
    return SBL_OK;
}

/* What the equality of two sides defines, if anything. */
static sbl_status find_definition(sbl_rules *rules, sbl_rule *rule, const comparison *c, sbl_error *err)
{
    const sbl_program *program = &rule->parsed.program;
    const side left = {0, c->middle};
    const side right = {c->middle, c->end};
    for (int i = 0; i < 2; i++) {
        const side own = i == 0 ? left : right;
        const side other = i == 0 ? right : left;
        if (!is_column(program, own.first, own.last) ||
            !can_be_derived(rules, rule, program->steps[own.first].column))
            continue;
        rule->defines = program->steps[own.first].column;
        return copy_steps(&rule->definition, program, other.first, other.last, err);
    }
    SBL_CHECK(solve_sum(rules, rule, left, right, err));
    SBL_CHECK(solve_sum(rules, rule, right, left, err));
    const bool alone = is_column(program, left.first, left.last);
    if (rule->defines == SBL_NO_COLUMN && (alone || is_column(program, right.first, right.last)))
        return refuse(rules, rule, program->steps[alone ? left.first : right.first].column, err);
    return SBL_OK;
}

sbl_status sbl_rule_define(sbl_rules *rules, sbl_rule *rule, sbl_error *err)
{
    comparison c;
    /* A first row has none before it to be computed from. */
    if (rule->parsed.looks_back) return SBL_OK;
    if (!split(&c, &rule->parsed.program) || c.op != SBL_OP_EQUAL) return SBL_OK;
    const sbl_status status = find_definition(rules, rule, &c, err);
    if (status != SBL_OK || rule->defines == SBL_NO_COLUMN) return status;
    for (const sbl_rule *other = rules->items; other < rule; other++)
        if (other->defines == rule->defines)
            return sbl_rule_fail(err, rule->text,
                                 "defines '%s', as another constraint does: remove one of them",
                                 rules->schema->columns[rule->defines].name);
    return check_missing(rules, rule, err);
}
