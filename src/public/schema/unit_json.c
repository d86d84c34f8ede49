/* SPDX-License-Identifier: Apache-2.0 */
/* Whose row it is and what follows from that: semblance.unit and semblance.max_rows_per_unit of the
 * table, semblance.per of a field, and semblance.order, the column that orders a person's rows. */
#include <string.h>

#include "base/kinds.h"
#include "base/text.h"
#include "public/schema/role.h"
#include "public/schema/schema_json.h"

#define ROWS_PER_UNIT_USUAL 50

bool sbl_unit_option(const char *key)
{
    return strcmp(key, "unit") == 0 || strcmp(key, "max_rows_per_unit") == 0 || strcmp(key, "order") == 0;
}

bool sbl_unit_is_field(const json_t *options, const json_t *field)
{
    const char *unit = json_string_value(json_object_get(options, "unit"));
    const char *name = json_string_value(json_object_get(field, "name"));
    return unit != NULL && name != NULL && strcmp(unit, name) == 0;
}

/* ---- a field ---- */

sbl_status sbl_per_parse(sbl_column *column, const json_t *field, const sbl_field_place *at)
{
    const json_t *per = json_object_get(json_object_get(field, "semblance"), "per");
    const char *text = json_string_value(per);
    if (per == NULL) return SBL_OK;
    if (text == NULL || strcmp(text, "unit") != 0)
        return sbl_fail_column(at, "has an unknown semblance.per: only 'unit' is known");
    column->per_unit = true;
    return SBL_OK;
}

/* The made-up ids of persons look as the role says; without one they count up. No other role gives
 * every person an id of its own. */
sbl_status sbl_unit_parse(sbl_column *column, const json_t *field, const sbl_field_place *at)
{
    const json_t *options = json_object_get(field, "semblance");
    const sbl_status status = sbl_role_parse(column, options, at);
    column->kind = SBL_COLUMN_IGNORED;
    column->type = SBL_TYPE_NONE;
    if (status == SBL_OK && column->per_unit)
        return sbl_fail_column(at, "identifies the person, so it needs no semblance.per: remove it");
    if (status != SBL_OK || column->made == SBL_SYNTHETIC_ID) return status;
    if (column->made != SBL_SYNTHETIC_NOT)
        return sbl_fail_column(at, "identifies the person: its semblance.role can only be 'id'");
    column->made = SBL_SYNTHETIC_ID;
    return sbl_copy_text(&column->made_as, "sequential", at->where, at->err);
}

/* ---- the table ---- */

static size_t find_column(const sbl_schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->column_count; i++)
        if (strcmp(schema->columns[i].name, name) == 0) return i;
    return SBL_NO_COLUMN;
}

static sbl_status read_rows(sbl_schema *schema, const json_t *options, const char *where, sbl_error *err)
{
    const json_t *rows = json_object_get(options, "max_rows_per_unit");
    const json_int_t number = /* 0 if it is not a whole number */
        rows != NULL ? json_integer_value(rows) : ROWS_PER_UNIT_USUAL;
    if (number < 1 || number > SBL_ROWS_PER_UNIT_MAX)
        return sbl_fail_schema(err, where, "semblance.max_rows_per_unit must be a whole number from 1 to %d",
                               SBL_ROWS_PER_UNIT_MAX);
    schema->rows_per_unit = (uint64_t)number;
    return SBL_OK;
}

/* What speaks of a person's rows, without a column that says whose row it is. */
static sbl_status check_no_unit(const sbl_schema *schema, const json_t *options, const char *where,
                                sbl_error *err)
{
    static const char *const needs[] = {"max_rows_per_unit", "order"};
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (json_object_get(options, needs[i]) != NULL)
            return sbl_fail_schema(err, where,
                                   "semblance.%s needs semblance.unit, the column that identifies the person",
                                   needs[i]);
    for (size_t i = 0; i < schema->column_count; i++)
        if (schema->columns[i].per_unit)
            return sbl_fail_schema(err, where,
                                   "column '%s' has semblance.per 'unit', which needs semblance.unit, the "
                                   "column that identifies the person",
                                   schema->columns[i].name);
    return SBL_OK;
}

sbl_status sbl_unit_read(sbl_schema *schema, const json_t *options, const char *where, sbl_error *err)
{
    const char *name;
    schema->unit = SBL_NO_COLUMN;
    if (json_object_get(options, "unit") == NULL) return check_no_unit(schema, options, where, err);
    SBL_CHECK(sbl_json_get_string(&name, options, "unit", where, err));
    schema->unit = find_column(schema, name);
    if (schema->unit == SBL_NO_COLUMN)
        return sbl_fail_schema(err, where, "semblance.unit '%s' is not one of the columns", name);
    return read_rows(schema, options, where, err);
}

/* What keeps a column from being the order, and what to do; NULL: nothing does. */
static const char *not_an_order(const sbl_schema *schema, size_t order)
{
    const sbl_column *column = &schema->columns[order];
    if (!sbl_column_is_numeric(column))
        return "is not a number, date or datetime with bounds: name one that is, or none for the "
               "order of rows";
    if (column->per_unit) return "is the same in all rows of a person: remove its semblance.per";
    if (order == schema->label) return "is the label: name another column";
    if (column->missing_allowed) return "may be missing: set its constraints.required to true";
    if (column->log_transform) return "has a log scale: remove its semblance.transform";
    if (column->spike_count > 0) return "has values apart: remove its semblance.spikes";
    if (column->by_domains != NULL) return "has bounds by category: remove its semblance.by";
    return NULL;
}

sbl_status sbl_order_read(sbl_schema *schema, const json_t *options, const char *where, sbl_error *err)
{
    const char *name;
    schema->order = SBL_NO_COLUMN;
    if (json_object_get(options, "order") == NULL) return SBL_OK;
    SBL_CHECK(sbl_json_get_string(&name, options, "order", where, err));
    schema->order = find_column(schema, name);
    if (schema->order == SBL_NO_COLUMN)
        return sbl_fail_schema(err, where, "semblance.order '%s' is not one of the columns", name);
    const char *why = not_an_order(schema, schema->order);
    if (why != NULL) return sbl_fail_schema(err, where, "semblance.order '%s' %s", name, why);
    return SBL_OK;
}
