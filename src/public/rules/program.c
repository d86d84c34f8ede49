/* SPDX-License-Identifier: Apache-2.0 */
/* The stack machine: every operator's arity and its value in three-valued logic, with NaN for
 * unknown. Comparisons allow for the rounding of a few operations, so that 0.1 + 0.2 = 0.3
 * holds. */
#include "public/rules/program.h"

#include <math.h>

#include "base/alloc.h"
#include "public/schema/calendar.h"

#define TOLERANCE 1e-9
#define FIRST_DAY (-719528.0) /* 0000-01-01 */
#define LAST_DAY 2932896.0    /* 9999-12-31 */
#define SECONDS_PER_DAY 86400.0

void sbl_program_clear(sbl_program *program)
{
    for (size_t i = 0; program->steps != NULL && i < program->count; i++) {
        sbl_free(program->steps[i].numbers);
        sbl_free(program->steps[i].set);
    }
    sbl_free(program->steps);
    *program = (sbl_program){0};
}

bool sbl_rules_equal(double a, double b)
{
    return fabs(a - b) <= TOLERANCE * fmax(1, fmax(fabs(a), fabs(b)));
}

bool sbl_op_compares(sbl_op op) { return op >= SBL_OP_EQUAL && op <= SBL_OP_AT_LEAST; }

bool sbl_op_reads(sbl_op op)
{
    return op == SBL_OP_COLUMN || op == SBL_OP_CATEGORY || op == SBL_OP_IN || op == SBL_OP_SAME ||
           op == SBL_OP_MISSING;
}

bool sbl_program_reads(const sbl_program *program, size_t column)
{
    for (size_t i = 0; i < program->count; i++) {
        const sbl_rule_step *step = &program->steps[i];
        if ((sbl_op_reads(step->op) && step->column == column) ||
            (step->op == SBL_OP_SAME && step->other == column))
            return true;
    }
    return false;
}

static size_t arguments_of(sbl_op op)
{
    switch (op) {
    case SBL_OP_NUMBER:
    case SBL_OP_COLUMN:
    case SBL_OP_CATEGORY:
    case SBL_OP_IN:
    case SBL_OP_SAME:
    case SBL_OP_MISSING:
        return 0;
    case SBL_OP_NEGATE:
    case SBL_OP_ROUND:
    case SBL_OP_YEAR:
    case SBL_OP_DAYS:
    case SBL_OP_NOT:
        return 1;
    default:
        return 2;
    }
}

size_t sbl_program_operand(const sbl_program *program, size_t end)
{
    size_t wanted = 1;
    size_t at = end;
    while (wanted > 0 && at > 0) wanted += arguments_of(program->steps[--at].op) - 1;
    return at;
}

static double year_of(double days)
{
    char text[SBL_DATE_LENGTH];
    if (!(days >= FIRST_DAY && days <= LAST_DAY)) return NAN;
    (void)sbl_date_format(text, (int64_t)floor(days));
    return (text[0] - '0') * 1000 + (text[1] - '0') * 100 + (text[2] - '0') * 10 + (text[3] - '0');
}

static double round_to(double value, double decimals)
{
    double scale = 1;
    for (int i = 0; i < (int)decimals; i++) scale *= 10;
    return nearbyint(value * scale) / scale;
}

static double compare(sbl_op op, double a, double b)
{
    if (isnan(a) || isnan(b)) return NAN;
    const bool equal = sbl_rules_equal(a, b);
    switch (op) {
    case SBL_OP_EQUAL:
        return equal;
    case SBL_OP_LESS:
        return !equal && a < b;
    case SBL_OP_AT_MOST:
        return equal || a < b;
    case SBL_OP_MORE:
        return !equal && a > b;
    default:
        return equal || a > b;
    }
}

static double both(double a, double b)
{
    if (a == 0 || b == 0) return 0;
    return isnan(a) || isnan(b) ? NAN : 1;
}

static double binary(sbl_op op, double a, double b)
{
    switch (op) {
    case SBL_OP_ADD:
        return a + b;
    case SBL_OP_SUBTRACT:
        return a - b;
    case SBL_OP_MULTIPLY:
        return a * b;
    case SBL_OP_DIVIDE:
        return b != 0 ? a / b : NAN;
    case SBL_OP_AND:
        return both(a, b);
    case SBL_OP_OR:
        return 1 - both(1 - a, 1 - b);
    default:
        return compare(op, a, b);
    }
}

static double unary(const sbl_rule_step *step, double a)
{
    switch (step->op) {
    case SBL_OP_NEGATE:
        return -a;
    case SBL_OP_ROUND:
        return round_to(a, step->number);
    case SBL_OP_YEAR:
        return year_of(a);
    case SBL_OP_DAYS:
        return floor(a / SECONDS_PER_DAY);
    default: /* not */
        return 1 - a;
    }
}

static double value_of(size_t column, bool of_before, const double *row, const double *before)
{
    if (!of_before) return row[column];
    return before != NULL ? before[column] : (double)NAN;
}

static double leaf(const sbl_rule_step *step, const double *row, const double *before)
{
    if (step->op == SBL_OP_NUMBER) return step->number;
    const double value = value_of(step->column, step->before, row, before);
    if (step->op == SBL_OP_COLUMN) return value;
    if (step->op == SBL_OP_MISSING) return isnan(value) ? 1 : 0;
    if (!(value >= 0 && value < (double)step->size)) return NAN;
    if (step->op == SBL_OP_CATEGORY) return step->numbers[(size_t)value];
    const uint32_t entry = step->set[(size_t)value];
    if (step->op == SBL_OP_IN) return entry;
    const double other = value_of(step->other, step->other_before, row, before);
    return isnan(other) ? NAN : (double)entry == other + 1;
}

double sbl_program_run(const sbl_program *program, size_t first, size_t last, const double *row)
{
    return sbl_program_run_after(program, first, last, row, NULL);
}

double sbl_program_run_after(const sbl_program *program, size_t first, size_t last, const double *row,
                             const double *before)
{
    double stack[SBL_PROGRAM_MOST_STACK];
    size_t top = 0; /* the parser has counted: never above the stack's size */
    for (size_t i = first; i < last; i++) {
        const sbl_rule_step *step = &program->steps[i];
        const size_t arguments = arguments_of(step->op);
        if (arguments == 0) {
            stack[top++] = leaf(step, row, before);
        } else if (arguments == 1) {
            stack[top - 1] = unary(step, stack[top - 1]);
        } else {
            top--;
            stack[top - 1] = binary(step->op, stack[top - 1], stack[top]);
        }
    }
    return isfinite(stack[0]) ? stack[0] : NAN;
}
