/* SPDX-License-Identifier: Apache-2.0 */
/* One row under the rules: which of them it holds, and the computation of derived cells from a base
 * row. */
#include <math.h>
#include <string.h>

#include "public/rules/rules_internal.h"
#include "public/schema/spikes.h"

const sbl_computed *sbl_rules_computed(const sbl_rules *rules, size_t column)
{
    for (size_t i = 0; i < rules->computed_count; i++)
        if (rules->computed[i].column == column) return &rules->computed[i];
    return NULL;
}

const sbl_column *sbl_rules_domain(const sbl_rules *rules, size_t column)
{
    const sbl_computed *computed = sbl_rules_computed(rules, column);
    return computed != NULL && computed->rule == SBL_NO_RULE ? &computed->domain
                                                             : &rules->schema->columns[column];
}

const sbl_column *sbl_rules_domain_in(const sbl_rules *rules, size_t column, const double *row)
{
    const sbl_column *domain = sbl_rules_domain(rules, column);
    return domain->by_domains != NULL && row[domain->by] >= 0 ? sbl_column_by(domain, (size_t)row[domain->by])
                                                              : domain;
}

double sbl_rules_on_grid(const sbl_column *column, double value)
{
    if (column->decimals < 0) return value;
    const size_t sentinel = sbl_spikes_sentinel(column, value);
    return sentinel != SBL_NO_SPIKE ? column->spikes[sentinel]
                                    : sbl_column_grid_value(column, sbl_column_grid_whole(column, value));
}

/* A definition holds where the value is what was computed, written with the column's decimals. */
bool sbl_rules_holds(const sbl_rules *rules, size_t rule, const double *full)
{
    const sbl_rule *item = &rules->items[rule];
    if (item->parsed.looks_back) return true;
    if (item->defines == SBL_NO_COLUMN)
        return sbl_program_run(&item->parsed.program, 0, item->parsed.program.count, full) != 0;
    const double value = full[item->defines];
    const double computed = sbl_program_run(&item->definition, 0, item->definition.count, full);
    return isnan(value) || isnan(computed) ||
           sbl_rules_equal(value,
                           sbl_rules_on_grid(sbl_rules_domain_in(rules, item->defines, full), computed));
}

bool sbl_rules_holds_after(const sbl_rules *rules, size_t rule, const double *full, const double *before)
{
    const sbl_program *program = &rules->items[rule].parsed.program;
    if (!rules->items[rule].parsed.looks_back) return sbl_rules_holds(rules, rule, full);
    return before == NULL || sbl_program_run_after(program, 0, program->count, full, before) != 0;
}

/* Is it a fitted number with bounds by category? */
static bool has_own_bounds(const sbl_rules *rules, size_t column)
{
    return rules->schema->columns[column].by_domains != NULL && sbl_rules_computed(rules, column) == NULL;
}

size_t sbl_rules_faults(const sbl_rules *rules) { return rules->count + rules->computed_count; }

const bool *sbl_rules_fault_columns(const sbl_rules *rules, size_t fault)
{
    return fault < rules->count ? rules->items[fault].columns : rules->computed[fault - rules->count].columns;
}

bool sbl_rules_at_fault(const sbl_rules *rules, size_t fault, const double *base, const double *full)
{
    if (fault < rules->count) return !sbl_rules_holds(rules, fault, full);
    const sbl_computed *computed = &rules->computed[fault - rules->count];
    const sbl_column *column = &rules->schema->columns[computed->column];
    if (computed->rule == SBL_NO_RULE)
        return !isnan(full[computed->column]) &&
               !sbl_rules_equal(full[computed->column],
                                full[computed->base] + computed->sign * base[computed->column]);
    const sbl_program *definition = &rules->items[computed->rule].definition;
    return !column->missing_allowed && isnan(sbl_program_run(definition, 0, definition->count, full));
}

/* Is every number with bounds by category where it was, and was not moved into the bounds of its row's category? */
static bool is_inside(const sbl_rules *rules, const double *base, const double *full)
{
    for (size_t c = 0; c < rules->columns; c++)
        if (has_own_bounds(rules, c) && !isnan(base[c]) && full[c] != base[c]) return false;
    return true;
}

bool sbl_rules_all_hold(const sbl_rules *rules, const double *base, const double *full)
{
    for (size_t i = 0; i < sbl_rules_faults(rules); i++)
        if (sbl_rules_at_fault(rules, i, base, full)) return false;
    return is_inside(rules, base, full);
}

static double compute(const sbl_rules *rules, const sbl_computed *computed, const double *base,
                      const double *full)
{
    if (computed->rule == SBL_NO_RULE) return full[computed->base] + computed->sign * base[computed->column];
    const sbl_program *definition = &rules->items[computed->rule].definition;
    return sbl_program_run(definition, 0, definition->count, full);
}

void sbl_rules_expand(const sbl_rules *rules, double *full, const double *base)
{
    memcpy(full, base, rules->columns * sizeof *full);
    for (size_t c = 0; c < rules->columns; c++)
        if (has_own_bounds(rules, c) && !isnan(full[c]))
            full[c] = sbl_column_snap(sbl_rules_domain_in(rules, c, full), full[c]);
    for (size_t i = 0; i < rules->computed_count; i++) {
        const sbl_computed *computed = &rules->computed[i];
        const sbl_column *column = rules->schema->columns[computed->column].by_domains != NULL
                                       ? sbl_rules_domain_in(rules, computed->column, full)
                                       : &rules->schema->columns[computed->column];
        const double value = compute(rules, computed, base, full);
        full[computed->column] = !isnan(value)             ? sbl_column_snap(column, value)
                                 : column->missing_allowed ? NAN
                                                           : column->fallback;
    }
}
