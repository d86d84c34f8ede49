/* SPDX-License-Identifier: Apache-2.0 */
/* Reads, writes and copies domains by category. A domain is a copy of its column with other bounds and another grid;
 * it borrows the column's prefix and suffix and owns nothing. */
#include "public/schema/bounds_by.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "public/schema/schema_json.h"

#define SHOWN 8 /* categories in a line for people */
#define WHAT "bounds by category"

static size_t find_column(const sbl_schema *schema, const char *name)
{
    for (size_t i = 0; name != NULL && i < schema->column_count; i++)
        if (strcmp(schema->columns[i].name, name) == 0) return i;
    return SBL_NO_COLUMN;
}

/* ---- reading ---- */

static sbl_status check_by(const sbl_schema *schema, const sbl_column *column, const char *name,
                           const sbl_field_place *at)
{
    const size_t by = find_column(schema, name);
    if (column->kind != SBL_COLUMN_NUMBER)
        return sbl_fail_column(at, "has semblance.by, which is for numbers with bounds");
    if (name == NULL) return sbl_fail_column(at, "has a semblance.by that is not the name of a column");
    if (by == SBL_NO_COLUMN)
        return sbl_fail_column(at, "has bounds by '%s', which is not a column of the table", name);
    if (schema->columns[by].kind != SBL_COLUMN_CATEGORY)
        return sbl_fail_column(at, "has bounds by '%s', which has no categories: add constraints.enum to it",
                               name);
    if (column->per_unit && !schema->columns[by].per_unit)
        return sbl_fail_column(at,
                               "belongs to the person and has bounds by '%s', which belongs to the row: "
                               "remove one semblance.per or add the other",
                               name);
    return SBL_OK;
}

/* The scale of one entry; without a word about it, the column's. */
static sbl_status read_scale(sbl_column *domain, const json_t *entry, const sbl_field_place *at)
{
    const json_t *transform = json_object_get(entry, "transform");
    const char *text = json_string_value(transform);
    if (transform == NULL) return SBL_OK;
    if (text == NULL || (strcmp(text, "log") != 0 && strcmp(text, "none") != 0))
        return sbl_fail_column(at, "has an unknown transform: 'log' and 'none' are known");
    domain->log_transform = strcmp(text, "log") == 0;
    return SBL_OK;
}

static sbl_status check_keys(const sbl_column *column, const json_t *entry, const sbl_field_place *at)
{
    static const char *const known[] = {"minimum", "maximum", "decimals", "step", "transform"};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)entry, key, value)
    {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            found = found || strcmp(key, known[i]) == 0;
        if (!found)
            return sbl_fail_column(
                at, "has '%s' in its bounds: minimum, maximum, decimals, step and transform are known", key);
    }
    if (json_object_get(entry, "minimum") == NULL || json_object_get(entry, "maximum") == NULL)
        return sbl_fail_column(at, "needs a minimum and a maximum in semblance.bounds");
    if (column->type == SBL_TYPE_INTEGER && json_object_get(entry, "decimals") != NULL)
        return sbl_fail_column(at, "has decimals, which are for type number");
    return SBL_OK;
}

/* Can every value of the domain be one of the column? */
static sbl_status check_inside(const sbl_column *domain, const sbl_column *column, const sbl_field_place *at)
{
    if (domain->minimum < column->minimum || domain->maximum > column->maximum)
        return sbl_fail_column(at, "has bounds outside constraints.minimum and maximum: widen those");
    const double steps = sbl_column_grid_value(domain, 1) / sbl_column_grid_value(column, 1);
    if (column->step_declared && (domain->decimals < 0 || fabs(steps - nearbyint(steps)) > 1e-9))
        return sbl_fail_column(at, "has a step that is not a multiple of the column's semblance.step");
    return SBL_OK;
}

static json_t *number_of(const sbl_column *column, double number)
{
    return column->type == SBL_TYPE_INTEGER ? json_integer((json_int_t)number) : json_real(number + 0.0);
}

/* One entry. What it leaves out is as the column has it; decimals are at least those of the column's step. */
static sbl_status read_domain(sbl_column *domain, const sbl_column *column, const json_t *entry,
                              const sbl_field_place *at)
{
    json_t *decimals = json_object_get(entry, "decimals"), *step = json_object_get(entry, "step");
    if (!json_is_object(entry)) return sbl_fail_column(at, "has bounds that are not an object");
    SBL_CHECK(check_keys(column, entry, at));
    const bool own_step = step != NULL || !column->step_declared;
    const bool fewer = !own_step && decimals != NULL && json_integer_value(decimals) < column->decimals;
    json_t *digits = fewer || (decimals == NULL && column->decimals_declared) ? json_integer(column->decimals)
                                                                              : json_incref(decimals);
    step = own_step ? json_incref(step) : number_of(column, sbl_column_grid_value(column, 1));
    *domain = *column;
    domain->name = NULL;
    domain->missing_values = (sbl_strings){0};
    domain->by_domains = NULL;
    domain->by_index = NULL;
    domain->by_count = domain->by_codes = 0;
    domain->decimals = -1;
    domain->multiple = 1;
    domain->decimals_declared = domain->step_declared = false;
    sbl_status status = read_scale(domain, entry, at);
    if (status == SBL_OK) status = sbl_field_bounds(domain, entry, digits, step, at);
    json_decref(digits);
    json_decref(step);
    return status == SBL_OK ? check_inside(domain, column, at) : status;
}

static sbl_status read_entry(sbl_column *column, const sbl_column *by, const char *category,
                             const json_t *entry, const sbl_field_place *at)
{
    sbl_text name = {0};
    size_t code = 0;
    while (code < by->categories.count && strcmp(by->categories.items[code], category) != 0) code++;
    if (code == by->categories.count)
        return sbl_fail_column(at, "has semblance.bounds for '%s', which is not a category of '%s'", category,
                               by->name);
    sbl_text_printf(&name, "%s' by %s '%s", column->name, by->name, category);
    sbl_status status = sbl_text_check(&name, at->where, at->err);
    if (status == SBL_OK) {
        const sbl_field_place here = {at->where, name.data, at->err};
        status = read_domain(&column->by_domains[column->by_count], column, entry, &here);
    }
    sbl_text_clear(&name);
    if (status == SBL_OK) column->by_index[code] = (uint32_t)++column->by_count;
    return status;
}

static sbl_status read_column(sbl_schema *schema, sbl_column *column, const json_t *options,
                              const sbl_field_place *at)
{
    json_t *by = json_object_get(options, "by"), *bounds = json_object_get(options, "bounds");
    const char *category;
    json_t *entry;
    if (by == NULL && bounds == NULL) return SBL_OK;
    if (by == NULL)
        return sbl_fail_column(at,
                               "has semblance.bounds, which needs semblance.by: the column whose "
                               "categories they belong to");
    if (!json_is_object(bounds) || json_object_size(bounds) == 0)
        return sbl_fail_column(at,
                               "has semblance.by, which needs semblance.bounds: an object with a minimum "
                               "and a maximum for each category");
    SBL_CHECK(check_by(schema, column, json_string_value(by), at));
    column->by = find_column(schema, json_string_value(by));
    const sbl_column *categories = &schema->columns[column->by];
    column->by_domains = sbl_alloc_array(json_object_size(bounds), sizeof *column->by_domains);
    column->by_index = sbl_alloc_array(categories->categories.count, sizeof *column->by_index);
    if (column->by_domains == NULL || column->by_index == NULL) return sbl_fail_column_memory(at);
    column->by_codes = categories->categories.count;
    json_object_foreach(bounds, category, entry)
    {
        SBL_CHECK(read_entry(column, categories, category, entry, at));
    }
    return SBL_OK;
}

sbl_status sbl_bounds_by_read(sbl_schema *schema, const json_t *fields, const char *where, sbl_error *err)
{
    for (size_t i = 0; i < schema->column_count; i++) {
        sbl_column *column = &schema->columns[i];
        const sbl_field_place at = {where, column->name, err};
        const json_t *options = json_object_get(json_array_get(fields, i), "semblance");
        if (i == schema->unit || column->kind == SBL_COLUMN_IGNORED) continue;
        SBL_CHECK(read_column(schema, column, options, &at));
    }
    return SBL_OK;
}

/* ---- writing ---- */

static json_t *domain_to_json(const sbl_column *domain)
{
    json_t *entry = json_object();
    entry = sbl_json_put(entry, "minimum", number_of(domain, domain->minimum));
    entry = sbl_json_put(entry, "maximum", number_of(domain, domain->maximum));
    entry = sbl_json_put(entry, "transform", json_string(domain->log_transform ? "log" : "none"));
    if (domain->decimals_declared) entry = sbl_json_put(entry, "decimals", json_integer(domain->decimals));
    if (domain->step_declared)
        entry = sbl_json_put(entry, "step", number_of(domain, sbl_column_grid_value(domain, 1)));
    return entry;
}

json_t *sbl_bounds_by_write(json_t *options, const sbl_schema *schema, const sbl_column *column)
{
    if (column->by_domains == NULL) return options;
    const sbl_column *by = &schema->columns[column->by];
    json_t *bounds = json_object();
    for (size_t code = 0; code < column->by_codes; code++)
        if (column->by_index[code] != 0)
            bounds = sbl_json_put(bounds, by->categories.items[code],
                                  domain_to_json(&column->by_domains[column->by_index[code] - 1]));
    options = sbl_json_put(options, "by", json_string(by->name));
    return sbl_json_put(options, "bounds", bounds);
}

void sbl_bounds_by_describe(sbl_text *text, const sbl_schema *schema, const sbl_column *column)
{
    char low[SBL_DOUBLE_TEXT_SIZE];
    char high[SBL_DOUBLE_TEXT_SIZE];
    size_t shown = 0;
    if (column->by_domains == NULL) return;
    const sbl_column *by = &schema->columns[column->by];
    sbl_text_printf(text, "; bounds by %s:", by->name);
    for (size_t code = 0; code < column->by_codes && shown < SHOWN; code++) {
        if (column->by_index[code] == 0) continue;
        const sbl_column *domain = &column->by_domains[column->by_index[code] - 1];
        sbl_text_printf(text, "%s %s from %s to %s", shown++ > 0 ? "," : "", by->categories.items[code],
                        sbl_double_to_text(low, domain->minimum), sbl_double_to_text(high, domain->maximum));
    }
    if (shown < column->by_count) sbl_text_printf(text, " and %zu more", column->by_count - shown);
}

/* ---- copies ---- */

sbl_status sbl_bounds_by_copy(sbl_column *copy, const sbl_column *from, sbl_error *err)
{
    copy->by_domains = NULL;
    copy->by_index = NULL;
    if (from->by_domains == NULL) return SBL_OK;
    copy->by_domains = sbl_alloc_array(from->by_count, sizeof *copy->by_domains);
    copy->by_index = sbl_alloc_array(from->by_codes, sizeof *copy->by_index);
    if (copy->by_domains == NULL || copy->by_index == NULL) return sbl_no_memory(err, WHAT);
    memcpy(copy->by_domains, from->by_domains, from->by_count * sizeof *copy->by_domains);
    memcpy(copy->by_index, from->by_index, from->by_codes * sizeof *copy->by_index);
    for (size_t i = 0; i < copy->by_count; i++) {
        copy->by_domains[i].prefix = copy->prefix;
        copy->by_domains[i].suffix = copy->suffix;
    }
    return SBL_OK;
}

void sbl_bounds_by_clear(sbl_column *column)
{
    sbl_free(column->by_domains);
    sbl_free(column->by_index);
    column->by_domains = NULL;
    column->by_index = NULL;
    column->by_count = column->by_codes = 0;
}
