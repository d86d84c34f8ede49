/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses constraints that leave a number with bounds by category no value for one of these categories. A row that
 * holds them can exist all the same, so the set alone looks fine, but no drawn row would have that category. */
#include <string.h>

#include "base/alloc.h"
#include "public/rules/rules_internal.h"

#define FAR 1e15 /* a bound that no constraint reaches */

typedef struct trial {
    sbl_rules rules; /* borrows everything but the schema's columns */
    sbl_schema schema;
    size_t column; /* the number */
    double *base, *full;
    size_t fault;  /* where no row was found: one that is left */
    sbl_pool pool; /* of all these arrays */
} trial;

static sbl_status trial_init(trial *t, const sbl_rules *rules, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *t = (trial){.rules = *rules, .schema = *rules->schema};
    t->schema.columns = NULL;
    SBL_POOL(&t->pool, t->schema.columns, rules->columns, 1, "constraints");
    SBL_POOL(&t->pool, t->base, rules->columns, 1, "constraints");
    SBL_POOL(&t->pool, t->full, rules->columns, 1, "constraints");
    memcpy(t->schema.columns, rules->schema->columns, rules->columns * sizeof *t->schema.columns);
    t->rules.schema = &t->schema;
done:
    return status;
}

/* Is there a row of this category whose number is not missing and lies within the domain? */
static bool finds_row(trial *t, const sbl_column *domain, size_t by, size_t code)
{
    sbl_column *number = &t->schema.columns[t->column];
    const sbl_column kept = *number;
    *number = *domain;
    number->by_domains = NULL;
    number->missing_allowed = false;
    const bool found = sbl_rules_find_witness(&t->rules, t->base, t->full, by, (double)code, &t->fault);
    *number = kept;
    return found;
}

static sbl_column without_bounds(const sbl_column *column)
{
    sbl_column wide = *column;
    wide.decimals = -1;
    wide.minimum = -FAR;
    wide.maximum = FAR;
    wide.spike_count = 0;
    return wide;
}

static bool reads(const sbl_rules *rules, size_t rule, size_t column)
{
    return sbl_program_reads(&rules->items[rule].parsed.program, column);
}

/* The constraint to name: what is left where it reads the number, else the first that does. */
static const char *text_of(const sbl_rules *rules, size_t fault, size_t column)
{
    size_t rule = 0;
    if (fault < rules->count && reads(rules, fault, column)) return rules->items[fault].text;
    while (!reads(rules, rule, column)) rule++;
    return rules->items[rule].text;
}

/* A constraint that forbids the category whatever the number is, contradicts no bounds. */
static sbl_status check_number(trial *t, const sbl_rules *rules, sbl_error *err)
{
    const sbl_column *number = &rules->schema->columns[t->column], *by = &rules->schema->columns[number->by];
    const sbl_column wide = without_bounds(number);
    for (size_t code = 0; code < number->by_codes; code++) {
        if (finds_row(t, sbl_column_by(number, code), number->by, code)) continue;
        const size_t fault = t->fault;
        if (finds_row(t, &wide, number->by, code))
            return sbl_rule_fail(
                err, text_of(rules, fault, t->column),
                "leaves '%s' no value within its bounds by %s '%s': change the constraint or "
                "these bounds",
                number->name, by->name, by->categories.items[code]);
    }
    return SBL_OK;
}

sbl_status sbl_rules_check_category_bounds(const sbl_rules *rules, sbl_error *err)
{
    trial t;
    sbl_status status = SBL_OK;
    SBL_TRY(trial_init(&t, rules, err));
    for (t.column = 0; t.column < rules->columns; t.column++) {
        const sbl_column *number = &rules->schema->columns[t.column];
        size_t rule = 0;
        if (number->by_domains == NULL || sbl_rules_computed(rules, number->by) != NULL) continue;
        while (rule < rules->count && !reads(rules, rule, t.column)) rule++;
        if (rule < rules->count) SBL_TRY(check_number(&t, rules, err));
    }
done:
    sbl_pool_clear(&t.pool);
    return status;
}
