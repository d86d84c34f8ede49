/* SPDX-License-Identifier: Apache-2.0 */
/* [8] Repairs drawn persons that break a constraint, in two passes: first the persons' own columns, with values
 * of other persons; then row by row, with columns of other rows, in the row or in the one before, so that the
 * order of rows is kept as far as possible. A repaired row stays valid: a later change checks it and the row
 * after it again. Post-processing: public domains, a public seed and drawn rows. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "public/rules/person_repair.h"

#define SETTLE_STEPS 200
#define EXCHANGE_TRIES 64
#define TRADE_TRIES 64
#define TRADE_ROUNDS 2 /* through all rules: to mend one may break another */
#define ALL_COLUMNS_FROM (SBL_RULES_TRIES / 4 * 3)

static bool has_next(const sbl_person_repair *m, size_t row)
{
    return row + 1 < m->rows && !sbl_person_repair_is_first(m, row + 1) && !m->left_out[row + 1];
}

static size_t first_of(const sbl_person_repair *m, size_t row)
{
    while (!sbl_person_repair_is_first(m, row)) row--;
    return row;
}

/* A row that was changed, and the one that looks back at it. */
static bool both_hold(const sbl_person_repair *m, size_t row)
{
    return sbl_person_repair_holds(m, row) &&
           (m->of_persons || !has_next(m, row) || sbl_person_repair_holds(m, row + 1));
}

/* ---- which columns are to change ---- */

/* Those of the marks that may change, but for the order of rows: that is for settling. */
static bool add_marks(const sbl_person_repair *m, bool *to, const bool *marks)
{
    bool added = false;
    for (size_t c = 0; c < m->rules->columns; c++) {
        if (!marks[c] || !sbl_person_repair_may_change(m, c) || c == m->rules->schema->order) continue;
        to[c] = true;
        added = true;
    }
    return added;
}

static void mark_fault(const sbl_person_repair *m, size_t fault, bool all)
{
    const sbl_rules *rules = m->rules;
    if (fault == sbl_rules_faults(rules)) return;
    if (fault < rules->count && rules->items[fault].parsed.looks_back) {
        (void)add_marks(m, m->here, rules->items[fault].here);
        (void)add_marks(m, m->before, rules->items[fault].before);
        return;
    }
    const sbl_computed *computed = fault >= rules->count ? &rules->computed[fault - rules->count] : NULL;
    if (!all && computed != NULL && computed->rule == SBL_NO_RULE &&
        sbl_person_repair_may_change(m, computed->column)) {
        m->here[computed->column] = true; /* the difference alone, its base stays */
        return;
    }
    if (!all && computed == NULL && add_marks(m, m->here, rules->items[fault].changed)) return;
    (void)add_marks(m, m->here, sbl_rules_fault_columns(rules, fault));
}

static void mark(const sbl_person_repair *m, size_t row, bool all)
{
    memset(m->here, 0, m->rules->columns * sizeof *m->here);
    memset(m->before, 0, m->rules->columns * sizeof *m->before);
    for (size_t i = 0; i < sbl_person_repair_faults(m); i++)
        if (sbl_person_repair_at_fault(m, i, row)) mark_fault(m, i, all);
}

/* ---- from other rows ---- */

static size_t another(const sbl_person_repair *m, sbl_model_rng *rng)
{
    const size_t row = (size_t)sbl_model_rng_below(rng, m->rows);
    return m->of_persons ? first_of(m, row) : row;
}

static void swap_marked(const sbl_person_repair *m, const bool *marks, size_t one, size_t other)
{
    for (size_t c = 0; c < m->rules->columns; c++) {
        if (!marks[c]) continue;
        const double value = sbl_person_repair_base(m, one)[c];
        sbl_person_repair_base(m, one)[c] = sbl_person_repair_base(m, other)[c];
        sbl_person_repair_base(m, other)[c] = value;
    }
    sbl_person_repair_expand(m, one);
    sbl_person_repair_expand(m, other);
}

/* Marked columns of a row, the one to be mended or the one before it, change places with those of another, where
 * all then hold: every column keeps its values, and how often. */
static bool exchange(const sbl_person_repair *m, size_t row, size_t changed, const bool *marks,
                     sbl_model_rng *rng)
{
    if (!sbl_marks_any(marks, m->rules->columns)) return false;
    for (size_t i = 0; i < EXCHANGE_TRIES; i++) {
        const size_t other = another(m, rng);
        if (other == changed || m->left_out[other]) continue;
        swap_marked(m, marks, changed, other);
        if (sbl_person_repair_holds(m, changed) && sbl_person_repair_holds(m, row) && both_hold(m, other))
            return true;
        swap_marked(m, marks, changed, other);
    }
    return false;
}

/* What is wrong with a row and with the one that looks back at it. */
static size_t faults_around(const sbl_person_repair *m, size_t row)
{
    return sbl_person_repair_count(m, row) +
           (!m->of_persons && has_next(m, row) ? sbl_person_repair_count(m, row + 1) : 0);
}

static void set_marked(const sbl_person_repair *m, const bool *marks, size_t row, const double *from)
{
    for (size_t c = 0; c < m->rules->columns; c++)
        if (marks[c]) sbl_person_repair_base(m, row)[c] = from[c];
    sbl_person_repair_expand(m, row);
}

/* Marked columns change places with those of another row, where the row is then better off and the other is not
 * worse off: the other may wait for its own repair. Most tries fail in the row itself, so it is looked at first. */
static bool trade(const sbl_person_repair *m, size_t row, size_t fault, const bool *marks, sbl_model_rng *rng)
{
    const size_t columns = m->rules->columns, size = columns * sizeof *m->kept,
                 before = faults_around(m, row);
    double *own = m->kept, *others = m->kept + columns;
    if (!sbl_marks_any(marks, columns)) return false;
    memcpy(own, sbl_person_repair_base(m, row), size);
    for (size_t i = 0; i < TRADE_TRIES; i++) {
        const size_t other = another(m, rng);
        if (m->persons[other] == m->persons[row] || m->left_out[other]) continue;
        memcpy(others, sbl_person_repair_base(m, other), size);
        set_marked(m, marks, row, others);
        if (!sbl_person_repair_at_fault(m, fault, row) && faults_around(m, row) < before) {
            const size_t theirs = faults_around(m, other);
            set_marked(m, marks, other, own);
            if (faults_around(m, other) <= theirs) return true;
            set_marked(m, marks, other, others);
        }
        set_marked(m, marks, row, own);
    }
    return false;
}

static bool is_category(const sbl_person_repair *m, size_t column)
{
    return m->rules->schema->columns[column].kind == SBL_COLUMN_CATEGORY;
}

/* The marked categories, and those that rules tie to them: a code of pregnancy moves together with its ward. */
static void mark_tied(const sbl_person_repair *m)
{
    const sbl_rules *rules = m->rules;
    bool grows = true;
    for (size_t c = 0; c < rules->columns; c++) m->here[c] = m->here[c] && is_category(m, c);
    while (grows) {
        grows = false;
        for (size_t i = 0; i < rules->count; i++) {
            const bool *columns = rules->items[i].columns;
            bool tied = false;
            for (size_t c = 0; c < rules->columns; c++) tied = tied || (columns[c] && m->here[c]);
            for (size_t c = 0; tied && c < rules->columns; c++) {
                if (!columns[c] || m->here[c] || !is_category(m, c) || !sbl_person_repair_may_change(m, c))
                    continue;
                m->here[c] = grows = true;
            }
        }
    }
}

/* A number that the rule compares with others, evenly within the range that all rules leave it. Another rule may
 * break instead, as an age that fits the birth may not fit the ward: then its turn comes. */
static bool set_in_range(const sbl_person_repair *m, size_t row, size_t fault, sbl_model_rng *rng)
{
    const sbl_rules *rules = m->rules;
    const size_t faults = faults_around(m, row);
    double *base = sbl_person_repair_base(m, row), *full = sbl_person_repair_full(m, row), low, high;
    for (size_t c = 0; c < rules->columns; c++) {
        const double was = base[c];
        if (!rules->items[fault].changed[c] || is_category(m, c) || !sbl_person_repair_may_change(m, c) ||
            c == rules->schema->order || !sbl_rules_range(rules, c, full, NULL, &low, &high))
            continue;
        base[c] = sbl_column_snap(sbl_rules_domain_in(rules, c, full),
                                  low + sbl_model_rng_uniform(rng) * (high - low));
        sbl_person_repair_expand(m, row);
        if (!sbl_person_repair_at_fault(m, fault, row) && faults_around(m, row) <= faults) return true;
        base[c] = was;
        sbl_person_repair_expand(m, row);
    }
    return false;
}

/* For one broken rule: the columns that it concludes to, else those that it depends on, else the categories that are
 * tied to these, else a number alone. */
static void trade_fault(const sbl_person_repair *m, size_t row, size_t fault, sbl_model_rng *rng)
{
    const sbl_rules *rules = m->rules;
    const bool *changed = rules->items[fault].changed;
    memset(m->here, 0, rules->columns * sizeof *m->here);
    (void)add_marks(m, m->here, changed);
    if (trade(m, row, fault, m->here, rng)) return;
    memset(m->here, 0, rules->columns * sizeof *m->here);
    (void)add_marks(m, m->here, sbl_rules_fault_columns(rules, fault));
    for (size_t c = 0; c < rules->columns; c++) m->here[c] = m->here[c] && !changed[c];
    if (trade(m, row, fault, m->here, rng)) return;
    (void)add_marks(m, m->here, sbl_rules_fault_columns(rules, fault));
    mark_tied(m);
    if (!trade(m, row, fault, m->here, rng)) (void)set_in_range(m, row, fault, rng);
}

/* One broken rule after the other, so that a row that breaks several keeps what it can. True: nothing is wrong any
 * more. */
static bool trade_by_fault(const sbl_person_repair *m, size_t row, sbl_model_rng *rng)
{
    for (size_t i = 0; i < TRADE_ROUNDS * m->rules->count; i++) {
        const size_t fault = i % m->rules->count;
        if (!m->rules->items[fault].parsed.looks_back && sbl_person_repair_at_fault(m, fault, row))
            trade_fault(m, row, fault, rng);
    }
    return sbl_person_repair_holds(m, row);
}

static void keep_rows(const sbl_person_repair *m, size_t row, bool back)
{
    const size_t columns = m->rules->columns, size = columns * sizeof *m->base;
    for (size_t i = sbl_person_repair_is_first(m, row) ? 1 : 0; i < 2; i++) {
        double *kept = m->kept + i * columns, *base = sbl_person_repair_base(m, row - 1 + i);
        memcpy(back ? base : kept, back ? kept : base, size);
        if (back) sbl_person_repair_expand(m, row - 1 + i);
    }
}

static void take(const sbl_person_repair *m, const bool *marks, size_t row, size_t other)
{
    for (size_t c = 0; c < m->rules->columns; c++)
        if (marks[c]) sbl_person_repair_base(m, row)[c] = sbl_person_repair_base(m, other)[c];
    sbl_person_repair_expand(m, row);
}

/* Marked columns together from another row: of the row before, of this one in turn, then of both. */
static bool borrow(const sbl_person_repair *m, size_t row, sbl_model_rng *rng)
{
    const size_t columns = m->rules->columns;
    keep_rows(m, row, false);
    for (size_t i = 0; i < SBL_RULES_TRIES; i++) {
        const bool all = i >= ALL_COLUMNS_FROM;
        if (i == 0 || i == ALL_COLUMNS_FROM) mark(m, row, all);
        const bool back = !sbl_person_repair_is_first(m, row) && sbl_marks_any(m->before, columns);
        const bool here = sbl_marks_any(m->here, columns) && (all || !back || i % 2 == 1);
        const size_t other = another(m, rng);
        if (back && (all || !here)) take(m, m->before, row - 1, other);
        if (here) take(m, m->here, row, other);
        if (sbl_person_repair_holds(m, row) && (!back || sbl_person_repair_holds(m, row - 1))) return true;
        keep_rows(m, row, true);
    }
    return false;
}

/* ---- what can be computed ---- */

/* "c = f(previous ...)" is computed, where less is wrong then. True: nothing is. */
static bool assign(const sbl_person_repair *m, size_t row)
{
    const size_t faults = sbl_person_repair_count(m, row);
    bool some = false;
    keep_rows(m, row, false);
    for (size_t i = 0; i < m->rules->count; i++) {
        const sbl_rule *rule = &m->rules->items[i];
        sbl_alone alone;
        if (!rule->parsed.looks_back || !sbl_rule_alone(rule, &alone) || alone.op != SBL_OP_EQUAL ||
            !sbl_person_repair_may_change(m, alone.column) || !sbl_person_repair_at_fault(m, i, row))
            continue;
        const double value = sbl_person_repair_solve(m, row, rule, &alone);
        if (isnan(value)) continue;
        sbl_person_repair_base(m, row)[alone.column] = value;
        sbl_person_repair_expand(m, row);
        some = true;
    }
    if (some && sbl_person_repair_count(m, row) >= faults) keep_rows(m, row, true);
    return some && sbl_person_repair_holds(m, row);
}

/* ---- the turns ---- */

/* The columns of the person are those of its first row. */
static void spread(const sbl_person_repair *m, size_t first)
{
    for (size_t row = first; row < m->rows && (row == first || !sbl_person_repair_is_first(m, row)); row++) {
        for (size_t c = 0; c < m->rules->columns; c++)
            if (sbl_person_repair_is_own(m, c))
                sbl_person_repair_base(m, row)[c] = sbl_person_repair_base(m, first)[c];
        sbl_person_repair_expand(m, row);
    }
}

/* The last resort: of a person's first row the columns of one that is known to hold; no row is known that could
 * follow another. */
static void give_up(const sbl_person_repair *m, size_t row, bool stays)
{
    const sbl_rules *rules = m->rules;
    if (stays || sbl_person_repair_is_first(m, row)) {
        for (size_t c = 0; c < rules->own; c++)
            if (rules->spoken_of[c] && (!m->of_persons || sbl_person_repair_is_own(m, c)))
                sbl_person_repair_base(m, row)[c] = rules->witness[c];
        if (sbl_person_repair_is_first(m, row))
            spread(m, row);
        else
            sbl_person_repair_expand(m, row);
        /* Beside the rows above, even such a row may not hold. */
        m->left_out[row] =
            !sbl_rules_all_hold(rules, sbl_person_repair_base(m, row), sbl_person_repair_full(m, row)) &&
            sbl_rules_look_above(rules);
        return;
    }
    for (; row < m->rows && !sbl_person_repair_is_first(m, row); row++) m->left_out[row] = true;
}

static void mend(const sbl_person_repair *m, size_t row, bool stays, sbl_model_rng *rng)
{
    size_t fault;
    if (assign(m, row) || trade_by_fault(m, row, rng)) return;
    mark(m, row, false);
    if (!sbl_person_repair_is_first(m, row) && exchange(m, row, row - 1, m->before, rng)) return;
    if (exchange(m, row, row, m->here, rng) || borrow(m, row, rng)) return;
    if (!sbl_person_repair_settle(m, row, SETTLE_STEPS, &fault, rng)) give_up(m, row, stays);
}

static void take_turn(const sbl_person_repair *m, const sbl_repair *how)
{
    const uint64_t stream = m->of_persons ? SBL_STREAM_OF_PERSONS : 0;
    sbl_model_rng rng;
    for (size_t row = 0; row < m->rows; row++) {
        if (m->left_out[row] || (m->of_persons && !sbl_person_repair_is_first(m, row)) ||
            sbl_person_repair_holds(m, row))
            continue;
        sbl_model_rng_init(&rng, how->seed, SBL_RNG_RULES, stream | (how->first + row + 1));
        mend(m, row, how->all_stay, &rng);
    }
}

/* NOLINTNEXTLINE(readability-non-const-parameter): they are written through a copy */
sbl_status sbl_rules_repair_persons(const sbl_rules *rules, double *base, double *full, size_t rows,
                                    const uint64_t *persons, const sbl_repair *how, bool *left_out,
                                    sbl_error *err)
{
    sbl_person_repair m = {
        .base = base, .full = full, .persons = persons, .rows = rows, .left_out = left_out};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_person_repair_init(&m, rules, err));
    memset(left_out, 0, rows * sizeof *left_out);
    for (size_t row = 0; row < rows; row++) sbl_person_repair_expand(&m, row);
    m.of_persons = !sbl_rules_look_above(rules); /* else the columns of persons are those above */
    if (m.of_persons) take_turn(&m, how);
    for (size_t row = 0; row < rows; row++)
        if (sbl_person_repair_is_first(&m, row)) spread(&m, row);
    m.of_persons = false;
    take_turn(&m, how);
done:
    sbl_pool_clear(&m.pool);
    return status;
}
