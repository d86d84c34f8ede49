/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of persons beside the rows before them: what is wrong with one, and a walk that mends it by public
 * domains and a public seed. */
#include "public/rules/person_repair.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

#define WHAT "constraints"
#define WORSE 0.1  /* how often a change is kept that mends nothing: out of dead ends */
#define ORDER_OF 8 /* the order moves once in this number of steps */
#define PAIR_STEPS 200
#define PAIR_TURNS 8
#define PAIR_RESTARTS 8

bool sbl_person_repair_is_first(const sbl_person_repair *m, size_t row)
{
    return row == 0 || m->persons[row - 1] != m->persons[row];
}

bool sbl_person_repair_may_change(const sbl_person_repair *m, size_t column)
{
    return sbl_person_repair_is_own(m, column) == m->of_persons;
}

sbl_status sbl_person_repair_init(sbl_person_repair *m, const sbl_rules *rules, sbl_error *err)
{
    const size_t columns = rules->columns;
    sbl_status status = SBL_OK;
    m->rules = rules;
    SBL_POOL(&m->pool, m->here, columns, 1, WHAT);
    SBL_POOL(&m->pool, m->before, columns, 1, WHAT);
    SBL_POOL(&m->pool, m->kept, columns, 2, WHAT);
    SBL_POOL(&m->pool, m->person_rule, sbl_rules_faults(rules), 1, WHAT);
    for (size_t i = 0; i < sbl_rules_faults(rules); i++) {
        const bool *marks = sbl_rules_fault_columns(rules, i);
        m->person_rule[i] = sbl_marks_any(marks, columns);
        for (size_t c = 0; c < columns; c++)
            if (marks[c] && !sbl_person_repair_is_own(m, c)) m->person_rule[i] = false;
    }
done:
    return status;
}

/* ---- what is wrong ---- */

size_t sbl_person_repair_faults(const sbl_person_repair *m) { return sbl_rules_faults(m->rules) + 1; }

bool sbl_person_repair_at_fault(const sbl_person_repair *m, size_t fault, size_t row)
{
    const sbl_rules *rules = m->rules;
    const double *full = sbl_person_repair_full(m, row);
    const double *before = sbl_person_repair_is_first(m, row) ? NULL : sbl_person_repair_full(m, row - 1);
    const size_t order = rules->schema->order;
    if (m->of_persons)
        return fault < sbl_rules_faults(rules) && m->person_rule[fault] &&
               sbl_rules_at_fault(rules, fault, sbl_person_repair_base(m, row), full);
    if (fault < rules->count) return !sbl_rules_holds_after(rules, fault, full, before);
    if (fault < sbl_rules_faults(rules))
        return sbl_rules_at_fault(rules, fault, sbl_person_repair_base(m, row), full);
    return before != NULL && order != SBL_NO_COLUMN && full[order] < before[order];
}

size_t sbl_person_repair_count(const sbl_person_repair *m, size_t row)
{
    size_t count = 0;
    for (size_t i = 0; i < sbl_person_repair_faults(m); i++) count += sbl_person_repair_at_fault(m, i, row);
    return count;
}

bool sbl_person_repair_holds(const sbl_person_repair *m, size_t row)
{
    for (size_t i = 0; i < sbl_person_repair_faults(m); i++)
        if (sbl_person_repair_at_fault(m, i, row)) return false;
    return true;
}

/* ---- from public domains ---- */

double sbl_person_repair_solve(const sbl_person_repair *m, size_t row, const sbl_rule *rule,
                               const sbl_alone *alone)
{
    const sbl_rules *rules = m->rules;
    const sbl_computed *computed = sbl_rules_computed(rules, alone->column);
    const sbl_column *domain = sbl_rules_domain_in(rules, alone->column, sbl_person_repair_full(m, row));
    const double step = domain->decimals >= 0 ? sbl_column_grid_value(domain, 1) : 0;
    const double other = sbl_program_run_after(
        &rule->parsed.program, alone->first, alone->last, sbl_person_repair_full(m, row),
        sbl_person_repair_is_first(m, row) ? NULL : sbl_person_repair_full(m, row - 1));
    double value = other + (alone->op == SBL_OP_MORE ? step : alone->op == SBL_OP_LESS ? -step : 0);
    if (isnan(value) || (computed != NULL && computed->rule != SBL_NO_RULE)) return NAN;
    if (computed != NULL) value = computed->sign * (value - sbl_person_repair_full(m, row)[computed->base]);
    return sbl_column_snap(domain, value);
}

/* The chosen one of the faults of a row. */
static size_t fault_number(const sbl_person_repair *m, size_t row, uint64_t chosen)
{
    size_t i = 0;
    for (;; i++)
        if (sbl_person_repair_at_fault(m, i, row) && chosen-- == 0) return i;
}

/* Does a fault depend on this column of the row, and may it change? */
static bool is_choice(const sbl_person_repair *m, size_t fault, size_t column)
{
    const sbl_rules *rules = m->rules;
    if (!sbl_person_repair_may_change(m, column)) return false;
    if (fault == sbl_rules_faults(rules)) return column == rules->schema->order;
    if (fault < rules->count && rules->items[fault].parsed.looks_back)
        return rules->items[fault].here[column];
    return sbl_rules_fault_columns(rules, fault)[column];
}

/* What orders the rows is seldom changed where another column will do. */
static size_t pick_column(const sbl_person_repair *m, size_t fault, sbl_model_rng *rng)
{
    const size_t order = m->rules->schema->order;
    size_t count = 0;
    for (size_t c = 0; c < m->rules->columns; c++) count += is_choice(m, fault, c);
    if (count == 0) return SBL_NO_COLUMN;
    const bool moves = order != SBL_NO_COLUMN && is_choice(m, fault, order);
    const bool stays = moves && count > 1 && sbl_model_rng_below(rng, ORDER_OF) != 0;
    uint64_t chosen = sbl_model_rng_below(rng, count - (stays ? 1 : 0));
    for (size_t c = 0;; c++)
        if (is_choice(m, fault, c) && !(stays && c == order) && chosen-- == 0) return c;
}

/* A time after the row before and before the next one, as far as the constraints let it. */
static double pick_time(const sbl_person_repair *m, size_t row, double before, sbl_model_rng *rng)
{
    const sbl_rules *rules = m->rules;
    const size_t order = rules->schema->order;
    double low, high;
    if (sbl_rules_computed(rules, order) != NULL) return before;
    (void)sbl_rules_range(rules, order, sbl_person_repair_full(m, row), sbl_person_repair_full(m, row - 1),
                          &low, &high);
    if (row + 1 < m->rows && !sbl_person_repair_is_first(m, row + 1))
        high = fmin(high, sbl_person_repair_full(m, row + 1)[order]);
    low = fmax(low, before);
    if (!(low <= high)) return before;
    return sbl_column_snap(sbl_rules_domain(rules, order), low + sbl_model_rng_uniform(rng) * (high - low));
}

static double pick_value(const sbl_person_repair *m, size_t row, size_t fault, size_t column,
                         sbl_model_rng *rng)
{
    const sbl_rules *rules = m->rules;
    const double *before = sbl_person_repair_is_first(m, row) ? NULL : sbl_person_repair_full(m, row - 1);
    sbl_alone alone;
    if (fault == sbl_rules_faults(rules)) return pick_time(m, row, before[column], rng);
    if (fault < rules->count && rules->items[fault].parsed.looks_back &&
        sbl_rule_alone(&rules->items[fault], &alone) && alone.column == column &&
        sbl_model_rng_below(rng, 2) == 0) {
        const double value = sbl_person_repair_solve(m, row, &rules->items[fault], &alone);
        if (!isnan(value)) return value;
    }
    return sbl_rules_pick_value(rules, fault, column, sbl_person_repair_full(m, row), before, rng);
}

bool sbl_person_repair_settle(const sbl_person_repair *m, size_t row, size_t steps, size_t *fault,
                              sbl_model_rng *rng)
{
    double *base = sbl_person_repair_base(m, row);
    sbl_person_repair_expand(m, row);
    size_t faults = sbl_person_repair_count(m, row);
    for (size_t i = 0; i < steps && faults > 0; i++) {
        *fault = fault_number(m, row, sbl_model_rng_below(rng, faults));
        const size_t column = pick_column(m, *fault, rng);
        if (column == SBL_NO_COLUMN) continue;
        const double was = base[column];
        base[column] = pick_value(m, row, *fault, column, rng);
        sbl_person_repair_expand(m, row);
        const size_t now = sbl_person_repair_count(m, row);
        if (now <= faults || sbl_model_rng_uniform(rng) < WORSE) {
            faults = now;
            continue;
        }
        base[column] = was;
        sbl_person_repair_expand(m, row);
    }
    return faults == 0;
}

/* ---- before anything is drawn ---- */

/* The row before takes another value in one of the columns that a fault looks back at. */
static void change_before(const sbl_person_repair *m, size_t fault, sbl_model_rng *rng)
{
    const sbl_rule *rule = &m->rules->items[fault];
    const size_t columns = m->rules->columns;
    size_t count = 0;
    for (size_t c = 0; c < columns; c++) count += rule->before[c];
    uint64_t chosen = count > 0 ? sbl_model_rng_below(rng, count) : 0;
    for (size_t c = 0; c < columns; c++)
        if (rule->before[c] && chosen-- == 0)
            m->base[c] = sbl_rules_pick_value(m->rules, fault, c, m->full, NULL, rng);
}

/* Two rows from a first one: it is settled, then the next, in turn with changes to the first. */
static bool find_next(const sbl_person_repair *m, size_t *fault, sbl_model_rng *rng)
{
    const size_t columns = m->rules->columns;
    sbl_settling alone = {.rng = rng, .steps = PAIR_STEPS, .fixed = SBL_NO_COLUMN};
    size_t last = 0;
    memcpy(m->base + columns, m->base, columns * sizeof *m->base);
    for (size_t turn = 0; turn < PAIR_TURNS; turn++) {
        if (!sbl_rules_settle(m->rules, m->base, m->full, &alone)) return false;
        for (size_t c = 0; c < columns; c++)
            if (sbl_person_repair_is_own(m, c)) m->base[columns + c] = m->base[c];
        if (sbl_person_repair_settle(m, 1, PAIR_STEPS, &last, rng)) return true;
        if (last >= m->rules->count || !m->rules->items[last].parsed.looks_back) continue;
        *fault = last;
        change_before(m, last, rng);
    }
    return false;
}

sbl_status sbl_rules_find_pair(bool *found, const sbl_rules *rules, size_t *fault, sbl_error *err)
{
    const size_t columns = rules->columns;
    const uint64_t same[2] = {0, 0};
    bool left_out[2] = {false, false};
    sbl_person_repair m = {.persons = same, .rows = 2, .left_out = left_out};
    sbl_model_rng rng;
    sbl_status status = SBL_OK;
    *found = false;
    SBL_TRY(sbl_person_repair_init(&m, rules, err));
    SBL_POOL(&m.pool, m.base, columns, 2, WHAT);
    SBL_POOL(&m.pool, m.full, columns, 2, WHAT);
    sbl_model_rng_init(&rng, 0, SBL_RNG_RULES, SBL_STREAM_OF_PERSONS);
    for (size_t i = 0; i < rules->count; i++)
        if (rules->items[i].parsed.looks_back) *fault = i;
    for (size_t restart = 0; !*found && restart < PAIR_RESTARTS; restart++) {
        if (restart == 0)
            memcpy(m.base, rules->witness, columns * sizeof *m.base);
        else
            sbl_rules_start_row(rules, m.base, restart, &rng);
        *found = find_next(&m, fault, &rng);
    }
done:
    sbl_pool_clear(&m.pool);
    return status;
}
