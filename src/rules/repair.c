/* [8] Drawn rows that break a constraint, mended from other drawn rows. Post-processing: what comes
 * in was drawn from a model, and nothing else is looked at. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "rules/rules_parts.h"

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
        const bool difference =
            i >= rules->count && rules->computed[i - rules->count].rule == SBL_NO_RULE;
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
    if (exchange(m, row, &rng) || borrow(m, row, &rng) ||
        sbl_rules_settle(rules, base, full, &settling))
        return;
    for (size_t c = 0; c < rules->columns; c++)
        base[c] = rules->spoken_of[c] ? m->witness[c] : m->kept[c];
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
               : sbl_fail(
                     err, SBL_EARG,
                     "no row of that class was found that holds every constraint of the schema");
}

sbl_status sbl_rules_repair(const sbl_rules *rules, double *base, double *full, size_t rows,
                            const sbl_repair *how, sbl_error *err)
{
    const size_t columns = rules->columns;
    sbl_status status = SBL_OK;
    mending m = {.rules = rules, .base = base, .full = full, .rows = rows, .how = how};
    m.kept = sbl_alloc_array(columns, sizeof *m.kept);
    m.witness = sbl_alloc_array(columns, sizeof *m.witness);
    m.wanted = sbl_alloc_array(columns, sizeof *m.wanted);
    if (m.kept == NULL || m.witness == NULL || m.wanted == NULL)
        SBL_FAIL(err, SBL_EMEM, "out of memory for constraints");
    SBL_TRY(find_witness(&m, err));
    for (size_t r = 0; r < rows; r++) {
        sbl_rules_expand(rules, full + r * columns, base + r * columns);
        if (!sbl_rules_all_hold(rules, base + r * columns, full + r * columns)) mend_row(&m, r);
    }
done:
    sbl_free(m.kept);
    sbl_free(m.witness);
    sbl_free(m.wanted);
    return status;
}
