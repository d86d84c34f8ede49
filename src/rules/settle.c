/* A row that holds every constraint, by small changes to one that does not. Public domains and a
 * public seed only. */
#include <math.h>
#include <string.h>

#include "rules/rules_parts.h"

#define RESTARTS 8
#define WITNESS_STEPS 1500
#define WORSE 0.1 /* how often a change is kept that mends nothing: out of dead ends */

static size_t count_faults(const sbl_rules *rules, const double *base, const double *full)
{
    size_t count = 0;
    for (size_t i = 0; i < sbl_rules_faults(rules); i++)
        count += sbl_rules_at_fault(rules, i, base, full);
    return count;
}

/* The chosen one of so many faults. */
static size_t fault_number(const sbl_rules *rules, const double *base, const double *full,
                           uint64_t chosen)
{
    size_t i = 0;
    for (;; i++)
        if (sbl_rules_at_fault(rules, i, base, full) && chosen-- == 0) return i;
}

/* One of the columns on which a fault hangs, or SBL_NO_COLUMN when none may change. */
static size_t pick_column(const sbl_rules *rules, size_t fault, const sbl_settling *how)
{
    const bool *columns = sbl_rules_fault_columns(rules, fault);
    size_t count = 0;
    for (size_t c = 0; c < rules->columns; c++) count += columns[c] && c != how->fixed;
    if (count == 0) return SBL_NO_COLUMN;
    uint64_t chosen = sbl_model_rng_below(how->rng, count);
    for (size_t c = 0;; c++)
        if (columns[c] && c != how->fixed && chosen-- == 0) return c;
}

/* A category that the rule speaks of, or any. */
static double pick_code(const sbl_rules *rules, size_t fault, size_t column, sbl_model_rng *rng)
{
    const size_t count = rules->schema->columns[column].categories.count;
    if (fault < rules->count && sbl_model_rng_below(rng, 2) == 0) {
        const sbl_program *program = &rules->items[fault].parsed.program;
        const sbl_rule_step *step = &program->steps[sbl_model_rng_below(rng, program->count)];
        const size_t code = (size_t)sbl_model_rng_below(rng, count);
        for (size_t i = 0; step->op == SBL_OP_IN && step->column == column && i < count; i++)
            if (step->set[(code + i) % count] != 0) return (double)((code + i) % count);
    }
    return (double)sbl_model_rng_below(rng, count);
}

/* A number that the rule speaks of, of another column, of the bounds, or any. */
static double pick_number(const sbl_rules *rules, size_t fault, const sbl_column *domain,
                          const double *full, sbl_model_rng *rng)
{
    const double step = domain->decimals >= 0 ? sbl_column_grid_value(domain, 1) : 0;
    const double shift = step * ((double)sbl_model_rng_below(rng, 3) - 1);
    const uint64_t way = sbl_model_rng_below(rng, 5);
    if (way == 0) return domain->minimum;
    if (way == 1) return domain->maximum;
    if (way <= 3 && fault < rules->count) {
        const sbl_program *program = &rules->items[fault].parsed.program;
        const sbl_rule_step *at = &program->steps[sbl_model_rng_below(rng, program->count)];
        if (at->op == SBL_OP_NUMBER) return at->number + shift;
        if (at->op == SBL_OP_COLUMN && !isnan(full[at->column])) return full[at->column] + shift;
    }
    return domain->minimum + sbl_model_rng_uniform(rng) * (domain->maximum - domain->minimum);
}

static double pick_value(const sbl_rules *rules, size_t fault, size_t column, const double *full,
                         sbl_model_rng *rng)
{
    const sbl_column *domain = sbl_rules_domain(rules, column);
    if (domain->missing_allowed && sbl_model_rng_below(rng, 16) == 0) return NAN;
    if (domain->kind == SBL_COLUMN_CATEGORY) return pick_code(rules, fault, column, rng);
    return sbl_column_snap(domain, pick_number(rules, fault, domain, full, rng));
}

bool sbl_rules_settle(const sbl_rules *rules, double *base, double *full, sbl_settling *how)
{
    sbl_rules_expand(rules, full, base);
    size_t faults = count_faults(rules, base, full);
    for (size_t i = 0; i < how->steps && faults > 0; i++) {
        how->fault = fault_number(rules, base, full, sbl_model_rng_below(how->rng, faults));
        const size_t column = pick_column(rules, how->fault, how);
        if (column == SBL_NO_COLUMN) continue;
        const double before = base[column];
        base[column] = pick_value(rules, how->fault, column, full, how->rng);
        sbl_rules_expand(rules, full, base);
        const size_t now = count_faults(rules, base, full);
        if (now <= faults || sbl_model_rng_uniform(how->rng) < WORSE) {
            faults = now;
            continue;
        }
        base[column] = before;
        sbl_rules_expand(rules, full, base);
    }
    return faults == 0;
}

/* The constants of the schema first, then any values. */
static void start_row(const sbl_rules *rules, double *base, size_t restart, sbl_model_rng *rng)
{
    for (size_t c = 0; c < rules->columns; c++) {
        const sbl_column *domain = sbl_rules_domain(rules, c);
        if (domain->kind == SBL_COLUMN_IGNORED)
            base[c] = NAN;
        else if (domain->kind == SBL_COLUMN_CATEGORY)
            base[c] = restart == 0 ? domain->fallback_code
                                   : (double)sbl_model_rng_below(rng, domain->categories.count);
        else
            base[c] = restart == 0 ? domain->fallback
                                   : sbl_column_from_unit(domain, sbl_model_rng_uniform(rng));
    }
}

bool sbl_rules_find_witness(const sbl_rules *rules, double *base, double *room, size_t fixed,
                            double code, size_t *fault)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 0, SBL_RNG_RULES, 0);
    sbl_settling how = {.rng = &rng, .steps = WITNESS_STEPS, .fixed = fixed};
    bool found = false;
    for (size_t restart = 0; !found && restart < RESTARTS; restart++) {
        start_row(rules, base, restart, &rng);
        if (fixed != SBL_NO_COLUMN) base[fixed] = code;
        found = sbl_rules_settle(rules, base, room, &how);
    }
    *fault = how.fault;
    return found;
}
