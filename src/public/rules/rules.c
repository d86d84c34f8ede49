/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the constraints of a schema, arranges them (arrange.c) and refuses a set for which no row
 * can be found, all before anything is charged. Then what the fit sees of the schema. */
#include "public/rules/rules.h"

#include <string.h>

#include "base/alloc.h"
#include "public/rules/rules_internal.h"

void sbl_rules_free(sbl_rules *rules)
{
    if (rules == NULL) return;
    for (size_t i = 0; rules->items != NULL && i < rules->count; i++) {
        sbl_program_clear(&rules->items[i].parsed.program);
        sbl_program_clear(&rules->items[i].definition);
    }
    sbl_schema_free(rules->seen);
    sbl_pool_clear(&rules->pool);
    sbl_free(rules);
}

sbl_status sbl_rules_read(sbl_rules *rules, const sbl_strings *texts, const char *table, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < texts->count; i++) {
        sbl_rule *rule = &rules->items[rules->count++];
        rule->text = texts->items[i];
        rule->defines = SBL_NO_COLUMN;
        SBL_POOL(&rules->pool, rule->columns, rules->columns, 1, "constraints");
        SBL_POOL(&rules->pool, rule->changed, rules->columns, 1, "constraints");
        SBL_POOL(&rules->pool, rule->here, rules->columns, 1, "constraints");
        SBL_POOL(&rules->pool, rule->before, rules->columns, 1, "constraints");
        SBL_TRY(sbl_rule_parse(&rule->parsed, rule->text, rules->schema, table, err));
        rules->looks_back = rules->looks_back || rule->parsed.looks_back;
    }
done:
    return status;
}

/* A column that decides the bounds of a fitted number must be fitted itself: the number is encoded by it. */
static sbl_status check_categories(const sbl_rules *rules, sbl_error *err)
{
    const sbl_column *columns = rules->schema->columns;
    for (size_t c = 0; c < rules->columns; c++) {
        if (columns[c].by_domains == NULL || sbl_rules_derives(rules, c)) continue;
        const sbl_computed *by = sbl_rules_computed(rules, columns[c].by);
        if (by != NULL)
            return sbl_rule_fail(err, rules->items[by->rule].text,
                                 "computes '%s', which decides the bounds of '%s': remove one of them",
                                 columns[columns[c].by].name, columns[c].name);
    }
    return SBL_OK;
}

/* A set that no row holds is refused here, before anything is charged. */
static sbl_status satisfy(sbl_rules *rules, sbl_error *err)
{
    size_t fault = 0;
    double *full = NULL;
    bool pair = true;
    sbl_status status = SBL_OK;
    SBL_ALLOC(full, rules->columns, "constraints");
    SBL_POOL(&rules->pool, rules->witness, rules->columns, 1, "constraints");
    if (sbl_rules_find_witness(rules, rules->witness, full, SBL_NO_COLUMN, 0, &fault)) {
        if (rules->looks_back) SBL_TRY(sbl_rules_find_pair(&pair, rules, &fault, err));
        if (pair) goto done;
    }
    if (!pair && fault < rules->count)
        SBL_TRY(sbl_rule_fail(err, rules->items[fault].text,
                              "contradicts the others or the bounds: no two consecutive rows of a person "
                              "were found that meet every constraint"));
    if (fault < rules->count)
        SBL_TRY(sbl_rule_fail(
            err, rules->items[fault].text,
            "contradicts the others or the bounds: no row was found that meets every constraint"));
    const sbl_computed *computed = &rules->computed[fault - rules->count];
    status =
        sbl_fail(err, SBL_EINPUT, "the schema's constraints leave column '%s' no value within its bounds",
                 rules->schema->columns[computed->column].name);
done:
    sbl_free(full);
    return status;
}

sbl_status sbl_rules_make(sbl_rules **rules, const sbl_schema *schema, sbl_schema *seen, size_t own,
                          sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_rules *made;
    SBL_ALLOC(made, 1, "constraints");
    made->schema = schema;
    made->seen = seen;
    seen = NULL;
    made->columns = schema->column_count;
    made->own = own;
    SBL_POOL(&made->pool, made->items, schema->constraints.count, 1, "constraints");
    SBL_TRY(sbl_rules_read(made, &schema->constraints, NULL, err));
    SBL_TRY(sbl_rules_arrange(made, err));
    SBL_TRY(check_categories(made, err));
    SBL_TRY(satisfy(made, err));
    SBL_TRY(sbl_rules_check_category_bounds(made, err));
    *rules = made;
    made = NULL;
done:
    sbl_schema_free(seen);
    sbl_rules_free(made);
    return status;
}

sbl_status sbl_rules_new(sbl_rules **rules, const sbl_schema *schema, sbl_error *err)
{
    *rules = NULL;
    return schema->constraints.count != 0 ? sbl_rules_make(rules, schema, NULL, schema->column_count, err)
                                          : SBL_OK;
}

size_t sbl_rules_columns(const sbl_rules *rules) { return rules->columns; }

bool sbl_rules_look_above(const sbl_rules *rules) { return rules != NULL && rules->own < rules->columns; }

size_t sbl_rules_count(const sbl_rules *rules) { return rules != NULL ? rules->count : 0; }

bool sbl_rules_look_back(const sbl_rules *rules) { return rules != NULL && rules->looks_back; }

bool sbl_rule_looks_back(const sbl_rules *rules, size_t rule) { return rules->items[rule].parsed.looks_back; }

bool sbl_rules_look_back_by(const sbl_rules *rules, size_t column)
{
    for (size_t i = 0; i < rules->count; i++)
        if (sbl_rule_looks_back(rules, i) && sbl_program_reads(&rules->items[i].parsed.program, column))
            return true;
    return false;
}

const char *sbl_rules_text(const sbl_rules *rules, size_t rule) { return rules->items[rule].text; }

void sbl_rules_describe(sbl_text *text, const sbl_rules *rules)
{
    for (size_t i = 0; i < sbl_rules_count(rules); i++)
        sbl_text_printf(text, "constraint: %s%s\n", rules->items[i].text,
                        rules->items[i].defines != SBL_NO_COLUMN
                            ? " (computed when rows are drawn, not fitted)"
                        : rules->items[i].parsed.looks_back ? " (of a person's rows that follow each other)"
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

/* ---- what the fit sees: the schema without what is computed ---- */

size_t sbl_rules_differences(const sbl_rules *rules)
{
    size_t count = 0;
    for (size_t i = 0; rules != NULL && i < rules->computed_count; i++)
        count += rules->computed[i].rule == SBL_NO_RULE;
    return count;
}

/* Computed columns are in the order in which they are assembled. They are taken apart in the reverse order,
 * so that the base of a difference is still whole. */
sbl_difference sbl_rules_difference(const sbl_rules *rules, size_t i)
{
    size_t at = rules->computed_count;
    for (size_t left = i + 1; left > 0 && at > 0;)
        if (rules->computed[--at].rule == SBL_NO_RULE) left--;
    const sbl_computed *computed = &rules->computed[at];
    return (sbl_difference){computed->column, computed->base, computed->sign};
}

bool sbl_rules_derives(const sbl_rules *rules, size_t column)
{
    const sbl_computed *computed = rules != NULL ? sbl_rules_computed(rules, column) : NULL;
    return computed != NULL && computed->rule != SBL_NO_RULE;
}

/* The difference's numbers under the column's name. */
static void replace_domain(sbl_column *column, const sbl_column *domain)
{
    column->kind = SBL_COLUMN_NUMBER;
    column->type = domain->type;
    column->minimum = domain->minimum;
    column->maximum = domain->maximum;
    column->log_transform = domain->log_transform;
    column->decimals_declared = domain->decimals_declared;
    column->decimals = domain->decimals;
    column->scale = domain->scale;
    column->step_declared = domain->step_declared;
    column->multiple = domain->multiple;
    column->grid_minimum = domain->grid_minimum;
    column->grid_maximum = domain->grid_maximum;
    column->fallback = domain->fallback;
    column->spike_count = domain->spike_count;
    memcpy(column->spikes, domain->spikes, sizeof column->spikes);
}

/* Dates of the rows above that constraints put before or after a column of the table. */
static void set_frames(sbl_schema *made, const sbl_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        size_t low, high;
        bool strict;
        if (!sbl_rule_orders(&rules->items[i], &low, &high, &strict)) continue;
        if (high < rules->own && low >= rules->own) made->columns[high].begin = low - rules->own + 1;
        if (low < rules->own && high >= rules->own) made->columns[low].end = high - rules->own + 1;
    }
}

sbl_status sbl_rules_fitted(sbl_schema **fitted, const sbl_rules *rules, const sbl_schema *schema,
                            sbl_error *err)
{
    size_t left = 0;
    char *text = sbl_schema_json(schema);
    *fitted = NULL;
    if (text == NULL) return sbl_no_memory(err, "constraints");
    const sbl_status status = sbl_schema_parse(fitted, text, strlen(text), "the schema", err);
    sbl_free(text);
    if (status != SBL_OK) return status;
    sbl_schema *made = *fitted;
    sbl_strings_clear(&made->constraints);
    for (size_t i = 0; i < rules->computed_count; i++) {
        const sbl_computed *computed = &rules->computed[i];
        sbl_column *column = &made->columns[computed->column];
        if (computed->rule != SBL_NO_RULE) {
            column->kind = SBL_COLUMN_IGNORED;
            continue;
        }
        replace_domain(column, &computed->domain);
        column->difference = computed->sign;
        column->base = computed->base;
    }
    set_frames(made, rules);
    for (size_t i = 0; i < made->column_count; i++) left += made->columns[i].kind != SBL_COLUMN_IGNORED;
    if (left > 0) return SBL_OK;
    sbl_schema_free(made);
    *fitted = NULL;
    return sbl_fail(err, SBL_EINPUT, "the schema's constraints leave no column to be fitted");
}
