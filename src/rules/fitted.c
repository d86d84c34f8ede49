/* What the fit sees: the schema without what is computed. */
#include <string.h>

#include "base/memory.h"
#include "rules/rules_parts.h"

size_t sbl_rules_differences(const sbl_rules *rules)
{
    size_t count = 0;
    for (size_t i = 0; rules != NULL && i < rules->computed_count; i++)
        count += rules->computed[i].rule == SBL_NO_RULE;
    return count;
}

/* Computed columns stand in the order in which they are put together; they are taken apart in the
 * other one, so that the base of a difference is still whole. */
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

sbl_status sbl_rules_fitted(sbl_schema **fitted, const sbl_rules *rules, const sbl_schema *schema,
                            sbl_error *err)
{
    size_t left = 0;
    char *text = sbl_schema_json(schema);
    *fitted = NULL;
    if (text == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for constraints");
    const sbl_status status = sbl_schema_parse(fitted, text, strlen(text), "the schema", err);
    sbl_free(text);
    if (status != SBL_OK) return status;
    sbl_schema *made = *fitted;
    sbl_strings_clear(&made->constraints);
    for (size_t i = 0; i < rules->computed_count; i++) {
        const sbl_computed *computed = &rules->computed[i];
        sbl_column *column = &made->columns[computed->column];
        if (computed->rule == SBL_NO_RULE)
            replace_domain(column, &computed->domain);
        else
            column->kind = SBL_COLUMN_IGNORED;
    }
    for (size_t i = 0; i < made->column_count; i++)
        left += made->columns[i].kind != SBL_COLUMN_IGNORED;
    if (left > 0) return SBL_OK;
    sbl_schema_free(made);
    *fitted = NULL;
    return sbl_fail(err, SBL_EINPUT, "the schema's constraints leave no column to be fitted");
}
