/* SPDX-License-Identifier: Apache-2.0 */
/* Which columns are computed, and in which order: definitions first, then one of each pair of ordered
 * columns as its difference from the other. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "public/rules/rules_internal.h"
#include "public/schema/spikes.h"

#define WIDE_DIFFERENCE 365.0 /* steps: a year of days */

/* The column that a program names first. */
static size_t first_read(const sbl_program *program)
{
    for (size_t i = 0; i < program->count; i++)
        if (sbl_op_reads(program->steps[i].op)) return program->steps[i].column;
    return 0;
}

/* The columns that a program reads. */
static void mark_read(bool *marks, const sbl_program *program, size_t first)
{
    for (size_t i = first; i < program->count; i++) {
        const sbl_rule_step *step = &program->steps[i];
        if (sbl_op_reads(step->op)) marks[step->column] = true;
        if (step->op == SBL_OP_SAME) marks[step->other] = true;
    }
}

/* From columns of the table to those of the base row on which they hang: what is computed gives way
 * to what it is computed from, last to first. upto: computed columns that are in order. */
static void to_base(const sbl_rules *rules, bool *marks, size_t upto)
{
    for (size_t i = upto; i-- > 0;) {
        const sbl_computed *computed = &rules->computed[i];
        if (!marks[computed->column]) continue;
        if (computed->rule == SBL_NO_RULE) {
            marks[computed->base] = true;
        } else {
            marks[computed->column] = false;
            mark_read(marks, &rules->items[computed->rule].definition, 0);
        }
    }
}

/* ---- definitions in order ---- */

static bool is_ready(const sbl_rule *rule, const bool *waits)
{
    for (size_t i = 0; i < rule->definition.count; i++) {
        const sbl_rule_step *step = &rule->definition.steps[i];
        if ((step->op == SBL_OP_COLUMN || step->op == SBL_OP_CATEGORY) && waits[step->column]) return false;
    }
    return true;
}

static sbl_status order_definitions(sbl_rules *rules, bool *waits, sbl_error *err)
{
    const sbl_rule *stuck = NULL;
    for (size_t i = 0; i < rules->count; i++)
        if (rules->items[i].defines != SBL_NO_COLUMN) waits[rules->items[i].defines] = true;
    for (bool more = true; more;) {
        more = false;
        stuck = NULL;
        for (size_t i = 0; i < rules->count; i++) {
            const sbl_rule *rule = &rules->items[i];
            if (rule->defines == SBL_NO_COLUMN || !waits[rule->defines]) continue;
            if (!is_ready(rule, waits)) {
                stuck = rule;
                continue;
            }
            waits[rule->defines] = false;
            rules->computed[rules->computed_count++] =
                (sbl_computed){.column = rule->defines, .rule = i, .base = SBL_NO_COLUMN};
            more = true;
        }
    }
    return stuck == NULL ? SBL_OK
                         : sbl_rule_fail(err, stuck->text, "derives '%s' from itself",
                                         rules->schema->columns[stuck->defines].name);
}

/* ---- differences ---- */

static bool has_grid_of(const sbl_column *a, const sbl_column *b)
{
    return a->decimals == b->decimals && a->multiple == b->multiple;
}

/* Can the second column be the first plus a whole number of their common steps? The base must never be
 * missing, or the other could not be computed. Neither may have a sentinel, since a difference from one means
 * nothing, or bounds by category, which a difference does not have. The column that orders a person's rows is
 * fitted itself, and a person's columns depend only on the person's columns. Columns of other tables are in no
 * row that is read. */
static bool can_differ(const sbl_rules *rules, size_t column, size_t base)
{
    const sbl_column *a = &rules->schema->columns[column];
    const sbl_column *b = &rules->schema->columns[base];
    if (column >= rules->own || base >= rules->own) return false;
    return a->kind == b->kind && a->decimals >= 0 && has_grid_of(a, b) && !b->missing_allowed &&
           !sbl_spikes_have_sentinel(a) && !sbl_spikes_have_sentinel(b) && a->by_domains == NULL &&
           b->by_domains == NULL && column != rules->schema->label && column != rules->schema->order &&
           (!a->per_unit || b->per_unit) && sbl_rules_computed(rules, column) == NULL;
}

static sbl_column difference_domain(const sbl_column *column, const sbl_column *base, int sign)
{
    const double least =
        sign > 0 ? column->grid_minimum - base->grid_maximum : base->grid_minimum - column->grid_maximum;
    const double most =
        sign > 0 ? column->grid_maximum - base->grid_minimum : base->grid_maximum - column->grid_minimum;
    return (sbl_column){.kind = SBL_COLUMN_NUMBER,
                        .type = column->type == SBL_TYPE_NUMBER ? SBL_TYPE_NUMBER : SBL_TYPE_INTEGER,
                        .missing_allowed = column->missing_allowed,
                        .decimals = column->decimals,
                        .decimals_declared = column->decimals_declared,
                        .scale = column->scale,
                        .step_declared = column->step_declared,
                        .multiple = column->multiple,
                        .grid_minimum = least,
                        .grid_maximum = most};
}

/* Narrower public bounds in steps, where they leave anything. */
static void narrow(sbl_column *domain, double least, double most)
{
    const double first = fmax(domain->grid_minimum, least);
    const double last = fmin(domain->grid_maximum, most);
    if (first > last) return; /* no row will hold, and that is found out */
    domain->grid_minimum = first;
    domain->grid_maximum = last;
}

static void finish_domain(sbl_column *domain)
{
    domain->minimum = sbl_column_grid_value(domain, domain->grid_minimum);
    domain->maximum = sbl_column_grid_value(domain, domain->grid_maximum);
    domain->fallback = sbl_column_snap(domain, domain->minimum + (domain->maximum - domain->minimum) / 2);
}

/* A derived column that is this very difference says how it is distributed: its bounds, its scale. */
static void take_domain(sbl_column *domain, const sbl_column *of)
{
    if (of->kind != SBL_COLUMN_NUMBER || !has_grid_of(of, domain)) return;
    narrow(domain, of->grid_minimum, of->grid_maximum);
    domain->log_transform = of->log_transform;
    for (size_t i = 0; i < of->spike_count; i++) domain->spikes[domain->spike_count++] = of->spikes[i];
}

/* Differences pile up near nothing: where no derived column says otherwise, a wide one is cut on a
 * logarithmic scale as well. */
static void choose_scale(sbl_column *domain)
{
    domain->log_transform =
        domain->grid_minimum >= 0 && domain->grid_maximum - domain->grid_minimum >= WIDE_DIFFERENCE;
}

/* What the rules say of high - low. Does a derived column, too? */
static bool bound_difference(const sbl_rules *rules, sbl_column *domain, size_t low, size_t high)
{
    bool derived = false;
    for (size_t i = 0; i < rules->count; i++) {
        size_t l;
        size_t h;
        bool strict;
        double limit;
        const sbl_rule *rule = &rules->items[i];
        if (sbl_rule_orders(rule, &l, &h, &strict) && l == low && h == high)
            narrow(domain, strict ? 1 : 0, INFINITY);
        if (sbl_rule_limits(rule, &l, &h, &limit) && l == low && h == high)
            narrow(domain, -INFINITY, floor(limit * domain->scale / domain->multiple));
        if (!sbl_rule_subtracts(rule, &l, &h) || l != low || h != high) continue;
        take_domain(domain, &rules->schema->columns[rule->defines]);
        derived = true;
    }
    return derived;
}

static void drop_spikes_outside(sbl_column *domain)
{
    size_t kept = 0;
    for (size_t i = 0; i < domain->spike_count; i++)
        if (domain->spikes[i] >= domain->minimum && domain->spikes[i] <= domain->maximum)
            domain->spikes[kept++] = domain->spikes[i];
    domain->spike_count = kept;
}

/* Does a column depend on another? marks: (columns) of scratch. */
static bool hangs_on(const sbl_rules *rules, size_t column, size_t other, bool *marks)
{
    memset(marks, 0, rules->columns * sizeof *marks);
    marks[column] = true;
    /* Differences come after definitions in the list, and may be read by them: so more than once. */
    for (size_t i = 0; i < rules->computed_count; i++)
        for (size_t k = 0; k < rules->computed_count; k++) {
            const sbl_computed *computed = &rules->computed[k];
            if (!marks[computed->column]) continue;
            if (computed->rule == SBL_NO_RULE)
                marks[computed->base] = true;
            else
                mark_read(marks, &rules->items[computed->rule].definition, 0);
        }
    return marks[other];
}

static bool add_difference(sbl_rules *rules, size_t low, size_t high, bool of_high, bool *marks)
{
    const size_t column = of_high ? high : low;
    const size_t base = of_high ? low : high;
    const int sign = of_high ? 1 : -1;
    if (!can_differ(rules, column, base) || hangs_on(rules, base, column, marks)) return false;
    sbl_computed made = {.column = column, .rule = SBL_NO_RULE, .base = base, .sign = sign};
    made.domain = difference_domain(&rules->schema->columns[column], &rules->schema->columns[base], sign);
    if (!bound_difference(rules, &made.domain, low, high)) choose_scale(&made.domain);
    finish_domain(&made.domain);
    drop_spikes_outside(&made.domain);
    rules->computed[rules->computed_count++] = made;
    return true;
}

static bool are_linked(const sbl_rules *rules, size_t a, size_t b)
{
    for (size_t i = 0; i < rules->computed_count; i++) {
        const sbl_computed *computed = &rules->computed[i];
        if (computed->rule == SBL_NO_RULE && ((computed->column == a && computed->base == b) ||
                                              (computed->column == b && computed->base == a)))
            return true;
    }
    return false;
}

/* A definition "c = high - low" with c's bounds, then every order, in the order of the schema. */
static void find_differences(sbl_rules *rules, bool *marks)
{
    for (int orders = 0; orders < 2; orders++)
        for (size_t i = 0; i < rules->count; i++) {
            size_t low;
            size_t high;
            bool strict;
            const bool found = orders ? sbl_rule_orders(&rules->items[i], &low, &high, &strict)
                                      : sbl_rule_subtracts(&rules->items[i], &low, &high);
            if (!found || are_linked(rules, low, high)) continue;
            if (!add_difference(rules, low, high, true, marks))
                (void)add_difference(rules, low, high, false, marks);
        }
}

/* ---- all together ---- */

/* Definitions may read columns that are differences now: each comes after what it depends on. */
static void sort_computed(sbl_rules *rules, bool *waits)
{
    memset(waits, 0, rules->columns * sizeof *waits);
    for (size_t i = 0; i < rules->computed_count; i++) waits[rules->computed[i].column] = true;
    for (size_t done = 0; done < rules->computed_count;) {
        size_t next = done;
        for (; next < rules->computed_count; next++) {
            const sbl_computed *computed = &rules->computed[next];
            if (computed->rule == SBL_NO_RULE ? !waits[computed->base]
                                              : is_ready(&rules->items[computed->rule], waits))
                break;
        }
        if (next == rules->computed_count) return; /* cannot be: differences close no ring */
        const sbl_computed chosen = rules->computed[next];
        memmove(&rules->computed[done + 1], &rules->computed[done], (next - done) * sizeof *rules->computed);
        rules->computed[done++] = chosen;
        waits[chosen.column] = false;
    }
}

/* The columns on which a rule that looks back hangs, of each of its two rows. */
static void mark_rows(const sbl_rules *rules, sbl_rule *rule)
{
    for (size_t i = 0; i < rule->parsed.program.count; i++) {
        const sbl_rule_step *step = &rule->parsed.program.steps[i];
        if (sbl_op_reads(step->op)) (step->before ? rule->before : rule->here)[step->column] = true;
        if (step->op == SBL_OP_SAME) (step->other_before ? rule->before : rule->here)[step->other] = true;
    }
    to_base(rules, rule->here, rules->computed_count);
    to_base(rules, rule->before, rules->computed_count);
}

/* What a repair of a rule changes first: what comes after "then"; what a forbidden combination names
 * after its first column; else all of it. */
static void mark_changed(const sbl_rules *rules, sbl_rule *rule)
{
    const sbl_program *program = &rule->parsed.program;
    size_t columns = 0;
    size_t changed = 0;
    mark_read(rule->changed, program, rule->parsed.conclusion);
    if (rule->parsed.forbids) rule->changed[first_read(program)] = false;
    to_base(rules, rule->changed, rules->computed_count);
    for (size_t c = 0; c < rules->columns; c++) {
        columns += rule->columns[c];
        changed += rule->changed[c];
    }
    if (columns > 0 && changed == 0)
        memcpy(rule->changed, rule->columns, rules->columns * sizeof *rule->changed);
}

static sbl_status mark_all(sbl_rules *rules, sbl_error *err)
{
    const size_t columns = rules->columns;
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < rules->count; i++) {
        sbl_rule *rule = &rules->items[i];
        if (rule->parsed.looks_back) {
            mark_rows(rules, rule);
            continue;
        }
        mark_read(rule->columns, &rule->parsed.program, 0);
        to_base(rules, rule->columns, rules->computed_count);
        mark_changed(rules, rule);
    }
    for (size_t i = 0; i < rules->computed_count; i++) {
        sbl_computed *computed = &rules->computed[i];
        SBL_POOL(&rules->pool, computed->columns, columns, 1, "constraints");
        computed->columns[computed->column] = true;
        to_base(rules, computed->columns, i + 1);
    }
    for (size_t i = 0; i < sbl_rules_faults(rules); i++)
        for (size_t c = 0; c < columns; c++)
            rules->spoken_of[c] = rules->spoken_of[c] || sbl_rules_fault_columns(rules, i)[c];
done:
    return status;
}

sbl_status sbl_rules_arrange(sbl_rules *rules, sbl_error *err)
{
    sbl_status status = SBL_OK;
    bool *marks;
    SBL_ALLOC(marks, rules->columns, "constraints");
    SBL_POOL(&rules->pool, rules->computed, 2 * rules->count, 1, "constraints");
    SBL_POOL(&rules->pool, rules->spoken_of, rules->columns, 1, "constraints");
    for (size_t i = 0; i < rules->count; i++) SBL_TRY(sbl_rule_define(rules, &rules->items[i], err));
    SBL_TRY(order_definitions(rules, marks, err));
    find_differences(rules, marks);
    sort_computed(rules, marks);
    SBL_TRY(mark_all(rules, err));
done:
    sbl_free(marks);
    return status;
}
