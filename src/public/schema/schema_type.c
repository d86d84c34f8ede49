/* SPDX-License-Identifier: Apache-2.0 */
/* A schema's parts: lists of texts, names of kinds, types and tasks, a column's numbers, and the end
 * of its life. Reading is in schema_json.c and the files of fields beside it, writing in
 * schema_text.c. */
#include "public/schema/schema_type.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "public/schema/bounds_by.h"
#include "public/schema/file_facts.h"
#include "public/schema/hierarchy.h"

/* An array of copies. Capacity is reserved once, since every reader knows the length of its list. */

bool sbl_strings_reserve(sbl_strings *strings, size_t capacity)
{
    strings->items = sbl_alloc_array(capacity, sizeof *strings->items);
    return strings->items != NULL;
}

bool sbl_strings_add(sbl_strings *strings, const char *text)
{
    if (sbl_copy_text(&strings->items[strings->count], text, "a text", NULL) != SBL_OK) return false;
    strings->count++;
    return true;
}

bool sbl_strings_contain(const sbl_strings *strings, const char *text)
{
    for (size_t i = 0; i < strings->count; i++)
        if (strcmp(strings->items[i], text) == 0) return true;
    return false;
}

void sbl_strings_clear(sbl_strings *strings)
{
    for (size_t i = 0; i < strings->count; i++) sbl_free(strings->items[i]);
    sbl_free(strings->items);
    memset(strings, 0, sizeof *strings);
}

const char *sbl_column_kind_name(sbl_column_kind kind)
{
    static const char *const names[] = {"number", "category", "date", "datetime", "ignored"};
    return names[kind];
}

const char *sbl_field_type_name(sbl_field_type type)
{
    static const char *const names[] = {"integer", "number",   "string", "boolean",
                                        "date",    "datetime", "time",   "any"};
    return names[type];
}

const char *sbl_task_name(sbl_task task)
{
    static const char *const names[] = {"none", "classification", "regression"};
    return names[task];
}

static void column_clear(sbl_column *column)
{
    sbl_free(column->name);
    sbl_free(column->format);
    sbl_strings_clear(&column->also_formats);
    sbl_free(column->prefix);
    sbl_free(column->suffix);
    sbl_strings_clear(&column->missing_values);
    sbl_strings_clear(&column->categories);
    sbl_strings_clear(&column->true_values);
    sbl_strings_clear(&column->false_values);
    sbl_free(column->made_as);
    sbl_bounds_by_clear(column);
    sbl_free(column->made_sex);
    sbl_hierarchy_clear(column);
    sbl_file_facts_clear(column);
}

void sbl_linked_tables_free(sbl_linked_table *tables, size_t count)
{
    for (size_t t = 0; tables != NULL && t < count; t++) {
        sbl_free(tables[t].name);
        sbl_free(tables[t].path);
        sbl_schema_free(tables[t].schema);
    }
    sbl_free(tables);
}

void sbl_schema_free(sbl_schema *schema)
{
    if (schema == NULL) return;
    for (size_t i = 0; i < schema->column_count; i++) column_clear(&schema->columns[i]);
    sbl_free(schema->columns);
    sbl_strings_clear(&schema->constraints);
    sbl_free(schema->origin);
    sbl_free(schema->person);
    sbl_strings_clear(&schema->proposals);
    sbl_linked_tables_free(schema->tables, schema->table_count);
    sbl_free(schema);
}

/* Where the facts of a schema came from: no part of what it means, and not to be lost on its way. */

bool sbl_origin_is_inspected(const char *origin)
{
    return origin != NULL &&
           (strncmp(origin, "inspected", 9) == 0 || strncmp(origin, "guessed", 7) == 0); /* older versions */
}

const char *sbl_schema_likely_person(const sbl_schema *schema)
{
    return schema->rows_per_unit == 0 && schema->table_count == 0 ? schema->person : NULL;
}

/* A column's numbers: the grid of values that can be written, and the scale [0,1].
 *
 * Every allowed value is k * multiple / 10^decimals for a whole number k in [grid_minimum,
 * grid_maximum], the multiple a whole number that is 1 unless a step is declared: formatting is then
 * exact integer work and can never leave the bounds. Spikes outside the bounds stand apart. */

bool sbl_column_is_numeric(const sbl_column *column)
{
    return column->kind == SBL_COLUMN_NUMBER || column->kind == SBL_COLUMN_DATE ||
           column->kind == SBL_COLUMN_DATETIME;
}

uint32_t sbl_column_missing_code(const sbl_column *column) { return (uint32_t)column->categories.count; }

/* The nearest value within the bounds. */
static double snap_inside(const sbl_column *column, double value)
{
    const double inside = sbl_column_clamp(column, value);
    if (column->decimals < 0) return inside;
    const double whole = sbl_column_grid_whole(column, inside);
    return sbl_column_grid_value(column, whole < column->grid_minimum   ? column->grid_minimum
                                         : whole > column->grid_maximum ? column->grid_maximum
                                                                        : whole);
}

double sbl_column_snap(const sbl_column *column, double value)
{
    const size_t sentinel = sbl_spikes_sentinel(column, value);
    return sentinel != SBL_NO_SPIKE ? column->spikes[sentinel] : snap_inside(column, value);
}

double sbl_column_from_unit(const sbl_column *column, double unit)
{
    const double inside = unit >= 0 ? (unit <= 1 ? unit : 1) : 0;
    const double range = column->maximum - column->minimum;
    if (!(range > 0)) return snap_inside(column, column->minimum);
    const double distance = column->log_transform ? expm1(inside * log1p(range)) : inside * range;
    return snap_inside(column, column->minimum + distance);
}
