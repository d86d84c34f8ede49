/* Parses the constraints of a schema, arranges them (arrange.c) and refuses a set for which no row
 * can be found, all before anything is charged. Then the checks of a row, and the computation of
 * derived cells from a base row. */
#include "rules/rules.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "rules/rules_parts.h"
#include "schema/spikes.h"

void sbl_rules_free(sbl_rules *rules)
{
    if (rules == NULL) return;
    for (size_t i = 0; rules->items != NULL && i < rules->count; i++) {
        sbl_program_clear(&rules->items[i].parsed.program);
        sbl_program_clear(&rules->items[i].definition);
    }
    sbl_pool_clear(&rules->pool);
    sbl_free(rules);
}

static sbl_status read_rules(sbl_rules *rules, sbl_error *err)
{
    const sbl_strings *texts = &rules->schema->constraints;
    sbl_status status = SBL_OK;
    SBL_POOL(&rules->pool, rules->items, texts->count, 1, "constraints");
    for (size_t i = 0; i < texts->count; i++) {
        sbl_rule *rule = &rules->items[rules->count++];
        rule->text = texts->items[i];
        rule->defines = SBL_NO_COLUMN;
        SBL_POOL(&rules->pool, rule->columns, rules->columns, 1, "constraints");
        SBL_POOL(&rules->pool, rule->changed, rules->columns, 1, "constraints");
        SBL_TRY(sbl_rule_parse(&rule->parsed, rule->text, rules->schema, err));
    }
done:
    return status;
}

/* A set that no row holds is refused here, before anything is charged. */
static sbl_status satisfy(sbl_rules *rules, sbl_error *err)
{
    size_t fault = 0;
    double *full = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(full, rules->columns, "constraints");
    SBL_POOL(&rules->pool, rules->witness, rules->columns, 1, "constraints");
    if (sbl_rules_find_witness(rules, rules->witness, full, SBL_NO_COLUMN, 0, &fault)) goto done;
    if (fault < rules->count)
        SBL_TRY(sbl_rule_fail(err, rules->items[fault].text,
                              "contradicts the others or the bounds: no row was found that holds "
                              "every constraint"));
    const sbl_computed *computed = &rules->computed[fault - rules->count];
    status = sbl_fail(err, SBL_EINPUT,
                      "the schema's constraints leave column '%s' no value within its bounds",
                      rules->schema->columns[computed->column].name);
done:
    sbl_free(full);
    return status;
}

sbl_status sbl_rules_new(sbl_rules **rules, const sbl_schema *schema, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *rules = NULL;
    if (schema->constraints.count == 0) return SBL_OK;
    sbl_rules *made;
    SBL_ALLOC(made, 1, "constraints");
    made->schema = schema;
    made->columns = schema->column_count;
    SBL_TRY(read_rules(made, err));
    SBL_TRY(sbl_rules_arrange(made, err));
    SBL_TRY(satisfy(made, err));
    *rules = made;
    made = NULL;
done:
    sbl_rules_free(made);
    return status;
}

size_t sbl_rules_count(const sbl_rules *rules) { return rules != NULL ? rules->count : 0; }

const char *sbl_rules_text(const sbl_rules *rules, size_t rule) { return rules->items[rule].text; }

double sbl_rules_on_grid(const sbl_column *column, double value)
{
    if (column->decimals < 0) return value;
    const size_t sentinel = sbl_spikes_sentinel(column, value);
    return sentinel != SBL_NO_SPIKE
               ? column->spikes[sentinel]
               : sbl_column_grid_value(column, sbl_column_grid_whole(column, value));
}

/* A definition holds where the value is what was computed, written with the column's decimals. */
bool sbl_rules_holds(const sbl_rules *rules, size_t rule, const double *full)
{
    const sbl_rule *item = &rules->items[rule];
    if (item->defines == SBL_NO_COLUMN)
        return sbl_program_run(&item->parsed.program, 0, item->parsed.program.count, full) != 0;
    const double value = full[item->defines];
    const double computed = sbl_program_run(&item->definition, 0, item->definition.count, full);
    return isnan(value) || isnan(computed) ||
           sbl_rules_equal(value,
                           sbl_rules_on_grid(&rules->schema->columns[item->defines], computed));
}

size_t sbl_rules_faults(const sbl_rules *rules) { return rules->count + rules->computed_count; }

const bool *sbl_rules_fault_columns(const sbl_rules *rules, size_t fault)
{
    return fault < rules->count ? rules->items[fault].columns
                                : rules->computed[fault - rules->count].columns;
}

bool sbl_rules_at_fault(const sbl_rules *rules, size_t fault, const double *base,
                        const double *full)
{
    if (fault < rules->count) return !sbl_rules_holds(rules, fault, full);
    const sbl_computed *computed = &rules->computed[fault - rules->count];
    const sbl_column *column = &rules->schema->columns[computed->column];
    if (computed->rule == SBL_NO_RULE)
        return !isnan(full[computed->column]) &&
               !sbl_rules_equal(full[computed->column],
                                full[computed->base] + computed->sign * base[computed->column]);
    const sbl_program *definition = &rules->items[computed->rule].definition;
    return !column->missing_allowed &&
           isnan(sbl_program_run(definition, 0, definition->count, full));
}

bool sbl_rules_all_hold(const sbl_rules *rules, const double *base, const double *full)
{
    for (size_t i = 0; i < sbl_rules_faults(rules); i++)
        if (sbl_rules_at_fault(rules, i, base, full)) return false;
    return true;
}

static double compute(const sbl_rules *rules, const sbl_computed *computed, const double *base,
                      const double *full)
{
    if (computed->rule == SBL_NO_RULE)
        return full[computed->base] + computed->sign * base[computed->column];
    const sbl_program *definition = &rules->items[computed->rule].definition;
    return sbl_program_run(definition, 0, definition->count, full);
}

void sbl_rules_expand(const sbl_rules *rules, double *full, const double *base)
{
    memcpy(full, base, rules->columns * sizeof *full);
    for (size_t i = 0; i < rules->computed_count; i++) {
        const sbl_computed *computed = &rules->computed[i];
        const sbl_column *column = &rules->schema->columns[computed->column];
        const double value = compute(rules, computed, base, full);
        full[computed->column] = !isnan(value)             ? sbl_column_snap(column, value)
                                 : column->missing_allowed ? NAN
                                                           : column->fallback;
    }
}

void sbl_rules_describe(sbl_text *text, const sbl_rules *rules)
{
    for (size_t i = 0; i < sbl_rules_count(rules); i++)
        sbl_text_printf(text, "constraint: %s%s\n", rules->items[i].text,
                        rules->items[i].defines != SBL_NO_COLUMN
                            ? " (computed when rows are drawn, not fitted)"
                            : "");
    for (size_t i = 0; rules != NULL && i < rules->computed_count; i++) {
        const sbl_computed *computed = &rules->computed[i];
        char least[SBL_DOUBLE_TEXT_SIZE];
        char most[SBL_DOUBLE_TEXT_SIZE];
        if (computed->rule != SBL_NO_RULE) continue;
        sbl_text_printf(text, "%s is fitted as its difference from %s, %s to %s\n",
                        rules->schema->columns[computed->column].name,
                        rules->schema->columns[computed->base].name,
                        sbl_double_to_text(least, computed->domain.minimum),
                        sbl_double_to_text(most, computed->domain.maximum));
    }
}
