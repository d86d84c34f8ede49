/* SPDX-License-Identifier: Apache-2.0 */
/* The range that simple comparisons leave a number: a value within it mends a row without a heap at its end. */
#include <math.h>

#include "public/rules/rules_internal.h"

static bool reads(const sbl_program *program, const sbl_alone *alone)
{
    for (size_t i = alone->first; i < alone->last; i++)
        if (sbl_op_reads(program->steps[i].op) && !program->steps[i].before &&
            program->steps[i].column == alone->column)
            return true;
    return false;
}

static void narrow(const sbl_alone *alone, double value, double step, double *low, double *high)
{
    const bool from = alone->op == SBL_OP_EQUAL || alone->op == SBL_OP_AT_LEAST || alone->op == SBL_OP_MORE;
    const bool upto = alone->op == SBL_OP_EQUAL || alone->op == SBL_OP_AT_MOST || alone->op == SBL_OP_LESS;
    if (from) *low = fmax(*low, alone->op == SBL_OP_MORE ? value + step : value);
    if (upto) *high = fmin(*high, alone->op == SBL_OP_LESS ? value - step : value);
}

bool sbl_rules_range(const sbl_rules *rules, size_t column, const double *full, const double *before,
                     double *low, double *high)
{
    const sbl_column *domain = sbl_rules_domain_in(rules, column, full);
    const double step = domain->decimals >= 0 ? sbl_column_grid_value(domain, 1) : 0;
    bool narrowed = false;
    *low = domain->minimum;
    *high = domain->maximum;
    if (!sbl_column_is_numeric(domain) || sbl_rules_computed(rules, column) != NULL) return false;
    for (size_t i = 0; i < 2 * rules->count; i++) {
        const sbl_rule *rule = &rules->items[i / 2];
        const sbl_program *program = &rule->parsed.program;
        sbl_alone alone;
        if (!sbl_rule_alone_at(rule, i % 2 == 1, &alone) || alone.column != column || reads(program, &alone))
            continue;
        const double value = sbl_program_run_after(program, alone.first, alone.last, full, before);
        if (isnan(value)) continue;
        narrow(&alone, value, step, low, high);
        narrowed = true;
    }
    return narrowed && *low <= *high;
}
