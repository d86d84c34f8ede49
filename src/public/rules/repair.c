/* SPDX-License-Identifier: Apache-2.0 */
/* A row that holds every constraint, by small changes to one that does not (public domains and a public
 * seed only), and drawn rows that break one, mended from other drawn rows. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "public/rules/rules_internal.h"

/* ---- a row that holds ---- */

#define RESTARTS 8
#define WITNESS_STEPS 1500
#define RANGE_OF 8 /* one value in this number is picked whatever the range is */
#define WORSE 0.1  /* how often a change is kept that mends nothing: out of dead ends */

static size_t count_faults(const sbl_rules *rules, const double *base, const double *full)
{
    size_t count = 0;
    for (size_t i = 0; i < sbl_rules_faults(rules); i++) count += sbl_rules_at_fault(rules, i, base, full);
    return count;
}

/* The chosen fault among those that remain. */
static size_t fault_number(const sbl_rules *rules, const double *base, const double *full, uint64_t chosen)
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
static double pick_number(const sbl_rules *rules, size_t fault, const sbl_column *domain, const double *full,
                          const double *before, sbl_model_rng *rng)
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
        const double *from = at->before ? before : full;
        if (at->op == SBL_OP_COLUMN && from != NULL && !isnan(from[at->column]))
            return from[at->column] + shift;
    }
    return domain->minimum + sbl_model_rng_uniform(rng) * (domain->maximum - domain->minimum);
}

double sbl_rules_pick_value(const sbl_rules *rules, size_t fault, size_t column, const double *full,
                            const double *before, sbl_model_rng *rng)
{
    const sbl_column *domain = sbl_rules_domain_in(rules, column, full);
    double low, high;
    if (domain->missing_allowed && sbl_model_rng_below(rng, 16) == 0) return NAN;
    if (domain->kind == SBL_COLUMN_CATEGORY) return pick_code(rules, fault, column, rng);
    if (sbl_rules_range(rules, column, full, before, &low, &high) && sbl_model_rng_below(rng, RANGE_OF) != 0)
        return sbl_column_snap(domain, low + sbl_model_rng_uniform(rng) * (high - low));
    return sbl_column_snap(domain, pick_number(rules, fault, domain, full, before, rng));
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
        base[column] = sbl_rules_pick_value(rules, how->fault, column, full, NULL, how->rng);
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
void sbl_rules_start_row(const sbl_rules *rules, double *base, size_t restart, sbl_model_rng *rng)
{
    for (size_t c = 0; c < rules->columns; c++) {
        const sbl_column *domain = sbl_rules_domain(rules, c);
        if (domain->kind == SBL_COLUMN_IGNORED)
            base[c] = NAN;
        else if (domain->kind == SBL_COLUMN_CATEGORY)
            base[c] = restart == 0 ? domain->fallback_code
                                   : (double)sbl_model_rng_below(rng, domain->categories.count);
        else
            base[c] =
                restart == 0 ? domain->fallback : sbl_column_from_unit(domain, sbl_model_rng_uniform(rng));
    }
}

bool sbl_rules_find_witness(const sbl_rules *rules, double *base, double *full, size_t fixed, double code,
                            size_t *fault)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 0, SBL_RNG_RULES, 0);
    sbl_settling how = {.rng = &rng, .steps = WITNESS_STEPS, .fixed = fixed};
    bool found = false;
    for (size_t restart = 0; !found && restart < RESTARTS; restart++) {
        sbl_rules_start_row(rules, base, restart, &rng);
        if (fixed != SBL_NO_COLUMN) base[fixed] = code;
        found = sbl_rules_settle(rules, base, full, &how);
    }
    *fault = how.fault;
    return found;
}

/* [8] Drawn rows that break a constraint, mended from other drawn rows. Post-processing: what comes
 * in was drawn from a model, and nothing else is looked at. */

#define SETTLE_STEPS 200
#define EXCHANGE_TRIES 64
#define ALL_COLUMNS_FROM (SBL_RULES_TRIES / 4 * 3)

typedef struct mending {
    const sbl_rules *rules;
    double *base;
    double *full;
    size_t rows;
    const sbl_repair *how;
    double *kept;    /* (columns): the row as it was drawn */
    double *witness; /* (columns): a row that holds */
    bool *wanted;    /* (columns): to be changed */
} mending;

/* The columns that a repair changes: first those that a rule concludes to, then all of it. */
static void mark_columns(const mending *m, const double *base, const double *full, bool all)
{
    const sbl_rules *rules = m->rules;
    memset(m->wanted, 0, rules->columns * sizeof *m->wanted);
    for (size_t i = 0; i < sbl_rules_faults(rules); i++) {
        if (!sbl_rules_at_fault(rules, i, base, full)) continue;
        const bool difference = i >= rules->count && rules->computed[i - rules->count].rule == SBL_NO_RULE;
        if (!all && difference) { /* the difference alone, its base stays */
            m->wanted[rules->computed[i - rules->count].column] = true;
            continue;
        }
        const bool *columns =
            !all && i < rules->count ? rules->items[i].changed : sbl_rules_fault_columns(rules, i);
        for (size_t c = 0; c < rules->columns; c++) m->wanted[c] = m->wanted[c] || columns[c];
    }
}

/* Rejection: the marked columns together from another drawn row, until the row holds. */
static bool borrow(const mending *m, size_t row, sbl_model_rng *rng)
{
    const size_t columns = m->rules->columns;
    double *base = m->base + row * columns;
    double *full = m->full + row * columns;
    for (size_t i = 0; i < SBL_RULES_TRIES; i++) {
        if (i == 0 || i == ALL_COLUMNS_FROM) {
            sbl_rules_expand(m->rules, full, m->kept);
            mark_columns(m, m->kept, full, i > 0);
        }
        const double *other = m->base + sbl_model_rng_below(rng, m->rows) * columns;
        for (size_t c = 0; c < columns; c++) base[c] = m->wanted[c] ? other[c] : m->kept[c];
        sbl_rules_expand(m->rules, full, base);
        if (sbl_rules_all_hold(m->rules, base, full)) return true;
    }
    memcpy(base, m->kept, columns * sizeof *base);
    return false;
}

/* The marked columns of two rows change places. */
static void swap_marked(const mending *m, double *one, double *other)
{
    for (size_t c = 0; c < m->rules->columns; c++) {
        if (!m->wanted[c]) continue;
        const double value = one[c];
        one[c] = other[c];
        other[c] = value;
    }
}

static bool holds(const sbl_rules *rules, const double *base, double *full)
{
    sbl_rules_expand(rules, full, base);
    return sbl_rules_all_hold(rules, base, full);
}

/* The columns that a rule concludes to change places with those of another row, where both rows then
 * hold: every column keeps the values that it has, and how often. */
static bool exchange(const mending *m, size_t row, sbl_model_rng *rng)
{
    const sbl_rules *rules = m->rules;
    const size_t columns = rules->columns;
    double *base = m->base + row * columns;
    double *full = m->full + row * columns;
    sbl_rules_expand(rules, full, base);
    mark_columns(m, base, full, false);
    for (size_t i = 0; i < EXCHANGE_TRIES; i++) {
        const size_t at = (size_t)sbl_model_rng_below(rng, m->rows);
        double *other = m->base + at * columns;
        if (at == row) continue;
        swap_marked(m, base, other);
        const bool good = holds(rules, base, full);
        if (good && holds(rules, other, m->full + at * columns)) return true;
        swap_marked(m, base, other);
        if (good) sbl_rules_expand(rules, m->full + at * columns, other);
    }
    return false;
}

static void mend_row(const mending *m, size_t row)
{
    const sbl_rules *rules = m->rules;
    double *base = m->base + row * rules->columns;
    double *full = m->full + row * rules->columns;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, m->how->seed, SBL_RNG_RULES, m->how->first + row + 1);
    sbl_settling settling = {.rng = &rng, .steps = SETTLE_STEPS, .fixed = m->how->column};
    memcpy(m->kept, base, rules->columns * sizeof *base);
    if (exchange(m, row, &rng) || borrow(m, row, &rng) || sbl_rules_settle(rules, base, full, &settling))
        return;
    for (size_t c = 0; c < rules->columns; c++) base[c] = rules->spoken_of[c] ? m->witness[c] : m->kept[c];
    sbl_rules_expand(rules, full, base);
}

/* The row that is known to hold; with a fixed column one of its own. */
static sbl_status find_witness(const mending *m, sbl_error *err)
{
    const sbl_rules *rules = m->rules;
    const sbl_repair *how = m->how;
    size_t fault;
    memcpy(m->witness, rules->witness, rules->columns * sizeof *m->witness);
    if (how->column == SBL_NO_COLUMN || !rules->spoken_of[how->column]) return SBL_OK;
    return sbl_rules_find_witness(rules, m->witness, m->kept, how->column, how->code, &fault)
               ? SBL_OK
               : sbl_fail(err, SBL_EARG,
                          "no row of that class was found that meets every constraint of the schema");
}

sbl_status sbl_rules_repair(const sbl_rules *rules, double *base, double *full, size_t rows,
                            const sbl_repair *how, sbl_error *err)
{
    const size_t columns = rules->columns;
    sbl_status status = SBL_OK;
    mending m = {.rules = rules, .base = base, .full = full, .rows = rows, .how = how};
    sbl_pool pool = {0};
    SBL_POOL(&pool, m.kept, columns, 1, "constraints");
    SBL_POOL(&pool, m.witness, columns, 1, "constraints");
    SBL_POOL(&pool, m.wanted, columns, 1, "constraints");
    SBL_TRY(find_witness(&m, err));
    for (size_t r = 0; r < rows; r++) {
        sbl_rules_expand(rules, full + r * columns, base + r * columns);
        if (!sbl_rules_all_hold(rules, base + r * columns, full + r * columns)) mend_row(&m, r);
    }
done:
    sbl_pool_clear(&pool);
    return status;
}
