/* SPDX-License-Identifier: Apache-2.0 */
/* A schema in words and as JSON. */
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "public/schema/bounds_by.h"
#include "public/schema/calendar.h"
#include "public/schema/file_facts.h"
#include "public/schema/hierarchy.h"
#include "public/schema/moment.h"
#include "public/schema/package.h"
#include "public/schema/role.h"
#include "public/schema/schema_type.h"
#include "public/schema/spikes.h"

sbl_status sbl_schema_apply_dialect(sbl_schema *schema, const sbl_data_options *given, sbl_error *err)
{
    SBL_CHECK(sbl_dialect_apply(&schema->dialect, given, err));
    for (size_t i = 0; i < schema->column_count; i++) {
        sbl_column *column = &schema->columns[i];
        if (column->type != SBL_TYPE_INTEGER && column->type != SBL_TYPE_NUMBER) continue;
        const char declared = column->group_char;
        sbl_marks_apply(&column->decimal_char, &column->group_char, given);
        if (declared == 0 && sbl_bounds_are_years(column->type, column->minimum, column->maximum))
            column->group_char = 0;
        if (column->decimal_char == column->group_char)
            return sbl_fail(err, SBL_EARG,
                            "decimal and thousands are the same character in column '%s': give both",
                            column->name);
        for (size_t d = 0; d < column->by_count; d++) {
            column->by_domains[d].decimal_char = column->decimal_char;
            column->by_domains[d].group_char = column->group_char;
        }
    }
    return SBL_OK;
}

json_t *sbl_schema_to_json_with_origin(const sbl_schema *schema)
{
    if (schema->table_count > 0) return sbl_package_to_json(schema, true);
    json_t *object = sbl_schema_to_json(schema);
    json_t *options = json_object_get(object, "semblance"); /* always there */
    if (schema->origin == NULL && schema->person == NULL) return object;
    if (json_object_set_new(options, "origin",
                            json_pack("{s:s*, s:s*}", "how", schema->origin, "person", schema->person)) == 0)
        return object;
    json_decref(object);
    return NULL;
}

char *sbl_schema_json_with_origin(const sbl_schema *schema)
{
    json_t *object = sbl_schema_to_json_with_origin(schema);
    char *text = object != NULL ? sbl_json_canonical(object) : NULL;
    json_decref(object);
    return text;
}

sbl_status sbl_schema_copy(sbl_schema **copy, const sbl_schema *schema, sbl_error *err)
{
    char *text = sbl_schema_json_with_origin(schema);
    *copy = NULL;
    if (text == NULL) return sbl_no_memory(err, "a schema");
    const sbl_status status = sbl_schema_parse(copy, text, strlen(text), "the schema", err);
    sbl_free(text);
    return status;
}

/* A schema in words, for `schema check`. Names and numbers come from the public schema only. */

static void put_bound(sbl_text *text, const sbl_column *column, double bound)
{
    char buffer[SBL_DOUBLE_TEXT_SIZE];
    if (sbl_column_is_moment(column))
        sbl_text_append(text, buffer, sbl_moment_write_iso(buffer, column, (int64_t)bound));
    else
        sbl_text_printf(text, "%s", sbl_double_to_text(buffer, bound));
}

static void describe_numeric(sbl_text *text, const sbl_column *column)
{
    sbl_text_printf(text, "%s from ", sbl_field_type_name(column->type));
    put_bound(text, column, column->minimum);
    sbl_text_printf(text, " to ");
    put_bound(text, column, column->maximum);
    if (column->type == SBL_TYPE_NUMBER && column->decimals >= 0)
        sbl_text_printf(text, ", %d decimal%s", column->decimals, column->decimals == 1 ? "" : "s");
    if (column->step_declared) {
        sbl_text_printf(text, ", in steps of ");
        put_bound(text, column, sbl_column_grid_value(column, 1));
    }
    if (column->log_transform) sbl_text_printf(text, ", log scale");
    if (column->format != NULL) sbl_text_printf(text, ", written %s", column->format);
    for (size_t i = 0; i < column->also_formats.count; i++)
        sbl_text_printf(text, ", also read as %s", column->also_formats.items[i]);
    if (column->decimal_char == ',') sbl_text_printf(text, ", decimal comma");
    if (column->group_char != 0) sbl_text_printf(text, ", thousands apart by '%c'", column->group_char);
    if (column->prefix != NULL || column->suffix != NULL)
        sbl_text_printf(text, ", written '%s0%s'", column->prefix != NULL ? column->prefix : "",
                        column->suffix != NULL ? column->suffix : "");
    sbl_text_printf(text, " -> one number in [0,1]%s",
                    column->missing_allowed ? " and a missing indicator" : "");
    if (column->spike_count > 0)
        sbl_text_printf(text, " and %zu value%s apart", column->spike_count,
                        column->spike_count == 1 ? "" : "s");
}

static void describe_category(sbl_text *text, const sbl_column *column)
{
    sbl_text_printf(text, "%s with %zu %scategories -> one of %zu codes%s", sbl_field_type_name(column->type),
                    column->categories.count, column->ordered ? "ordered " : "",
                    column->categories.count + (column->missing_allowed ? 1 : 0),
                    column->missing_allowed ? " (the last one is missing)" : "");
    if (column->levels > 0)
        sbl_text_printf(text, ", in a hierarchy of %zu level%s", column->levels,
                        column->levels == 1 ? "" : "s");
}

void sbl_schema_describe_proposals(sbl_text *text, const sbl_schema *schema)
{
    for (size_t i = 0; i < schema->proposals.count; i++)
        sbl_text_printf(text, "proposal %zu, %s\n", i + 1, schema->proposals.items[i]);
}

void sbl_schema_describe_table(sbl_text *text, const sbl_schema *schema, size_t t)
{
    const sbl_linked_table *table = &schema->tables[t];
    if (table->parent == SBL_NO_TABLE)
        sbl_text_printf(text,
                        "table %s: the root; each row is protected together with all rows that "
                        "refer to it\n",
                        table->name);
    else
        sbl_text_printf(text, "table %s: its rows refer to those of %s\n", table->name,
                        schema->tables[table->parent].name);
}

const char *sbl_schema_keys_of(const sbl_schema *schema, size_t t)
{
    const size_t parent = schema->tables[t].parent;
    return schema->tables[parent == SBL_NO_TABLE ? t : parent].name;
}

/* The column that says whose row it is. In linked tables that is a key, which need not be a person's. */
static void describe_unit(sbl_text *text, const sbl_schema *schema, const char *keys_of)
{
    const unsigned long long most = schema->rows_per_unit;
    const char *made_as = schema->columns[schema->unit].made_as;
    if (keys_of == NULL)
        sbl_text_printf(text,
                        "says whose row it is; at most %llu row%s of a person count%s -> fresh "
                        "ids of persons, %s",
                        most, most == 1 ? "" : "s", most == 1 ? "s" : "", made_as);
    else
        sbl_text_printf(text,
                        "a key of %s; at most %llu row%s with the same key count%s -> fresh keys, "
                        "%s",
                        keys_of, most, most == 1 ? "" : "s", most == 1 ? "s" : "", made_as);
}

/* Each by itself, with the table that it refers to. */
static void describe_tables(sbl_text *text, const sbl_schema *schema)
{
    for (size_t t = 0; t < schema->table_count; t++) {
        if (t > 0) sbl_text_printf(text, "\n");
        sbl_schema_describe_table(text, schema, t);
        sbl_schema_describe(text, schema->tables[t].schema, sbl_schema_keys_of(schema, t));
    }
}

void sbl_schema_describe(sbl_text *text, const sbl_schema *schema, const char *keys_of)
{
    if (schema->table_count > 0) {
        describe_tables(text, schema);
        return;
    }
    for (size_t i = 0; i < schema->column_count; i++) {
        const sbl_column *column = &schema->columns[i];
        sbl_text_printf(text, "%s: ", column->name);
        if (schema->rows_per_unit != 0 && i == schema->unit)
            describe_unit(text, schema, keys_of);
        else if (column->kind == SBL_COLUMN_IGNORED)
            sbl_role_describe(text, column);
        else if (column->kind == SBL_COLUMN_CATEGORY)
            describe_category(text, column);
        else
            describe_numeric(text, column);
        sbl_bounds_by_describe(text, schema, column);
        if (i == schema->label) sbl_text_printf(text, "; the label (%s)", sbl_task_name(schema->task));
        if (column->per_unit) sbl_text_printf(text, "; the same in all rows of a person");
        if (i == schema->order)
            sbl_text_printf(text, "; orders the rows %s",
                            keys_of == NULL ? "of a person" : "with the same key");
        sbl_text_append(text, "\n", 1);
    }
    if (schema->proposals.count > 0)
        sbl_text_printf(text, "\nNOT PRIVATE: what is proposed was read from the records\n");
    sbl_schema_describe_proposals(text, schema);
}

/* The schema's meaning as JSON that sbl_schema_parse reads back: defaults are spelled out, titles
 * and descriptions are left out, keys are sorted. */

static json_t *list_of(const sbl_strings *strings)
{
    json_t *list = json_array();
    for (size_t i = 0; i < strings->count; i++) list = sbl_json_append(list, json_string(strings->items[i]));
    return list;
}

static json_t *bound_of(const sbl_column *column, double bound)
{
    char text[SBL_DATETIME_LENGTH];
    if (sbl_column_is_moment(column))
        return json_stringn(text, sbl_moment_write_iso(text, column, (int64_t)bound));
    if (column->type == SBL_TYPE_INTEGER) return json_integer((json_int_t)bound);
    return json_real(bound + 0.0); /* -0 is 0 */
}

static json_t *constraints_of(const sbl_column *column)
{
    json_t *constraints = json_object();
    if (sbl_column_is_numeric(column)) {
        constraints = sbl_json_put(constraints, "minimum", bound_of(column, column->minimum));
        constraints = sbl_json_put(constraints, "maximum", bound_of(column, column->maximum));
    } else if (column->type != SBL_TYPE_BOOLEAN) {
        constraints = sbl_json_put(constraints, "enum", list_of(&column->categories));
    }
    constraints = sbl_json_put(constraints, "required", json_boolean(column->required));
    return constraints;
}

static json_t *options_of(const sbl_schema *schema, const sbl_column *column)
{
    json_t *options = sbl_bounds_by_write(json_object(), schema, column);
    options = sbl_hierarchy_write(options, column);
    options = sbl_file_facts_write(options, column);
    if (column->log_transform) options = sbl_json_put(options, "transform", json_string("log"));
    if (column->decimals_declared)
        options = sbl_json_put(options, "decimals", json_integer(column->decimals));
    if (column->step_declared)
        options = sbl_json_put(options, "step", bound_of(column, sbl_column_grid_value(column, 1)));
    if (column->spike_count > 0) options = sbl_json_put(options, "spikes", sbl_spikes_to_json(column));
    if (column->other_declared)
        options =
            sbl_json_put(options, "other", json_string(column->categories.items[column->fallback_code]));
    if (column->per_unit) options = sbl_json_put(options, "per", json_string("unit"));
    if (column->prefix != NULL) options = sbl_json_put(options, "prefix", json_string(column->prefix));
    if (column->suffix != NULL) options = sbl_json_put(options, "suffix", json_string(column->suffix));
    return options;
}

static json_t *field_of(const sbl_schema *schema, const sbl_column *column)
{
    json_t *field = json_object();
    field = sbl_json_put(field, "name", json_string(column->name));
    if (column->kind == SBL_COLUMN_IGNORED) {
        json_t *role = sbl_role_to_json(column);
        if (column->per_unit) role = sbl_json_put(role, "per", json_string("unit"));
        field = sbl_json_put(field, "semblance", role);
        return field;
    }
    field = sbl_json_put(field, "type", json_string(sbl_field_type_name(column->type)));
    field = sbl_json_put(field, "constraints", constraints_of(column));
    field = sbl_json_put(field, "missingValues", list_of(&column->missing_values));
    field = sbl_json_put(field, "semblance", options_of(schema, column));
    if (column->kind == SBL_COLUMN_CATEGORY)
        field = sbl_json_put(field, "categoriesOrdered", json_boolean(column->ordered));
    if (column->format != NULL || column->also_formats.count > 0)
        field = sbl_json_put(field, "format", sbl_formats_to_json(column));
    if (column->decimal_char != '.')
        field = sbl_json_put(field, "decimalChar", json_stringn(&column->decimal_char, 1));
    if (column->group_char != 0)
        field = sbl_json_put(field, "groupChar", json_stringn(&column->group_char, 1));
    if (!column->bare) field = sbl_json_put(field, "bareNumber", json_false());
    if (column->type == SBL_TYPE_BOOLEAN) {
        field = sbl_json_put(field, "trueValues", list_of(&column->true_values));
        field = sbl_json_put(field, "falseValues", list_of(&column->false_values));
    }
    return field;
}

json_t *sbl_schema_to_json(const sbl_schema *schema)
{
    if (schema->table_count > 0) return sbl_package_to_json(schema, false);
    json_t *fields = json_array();
    json_t *options = json_pack("{s:s}", "task", sbl_task_name(schema->task));
    for (size_t i = 0; i < schema->column_count; i++)
        fields = sbl_json_append(fields, field_of(schema, &schema->columns[i]));
    if (schema->constraints.count > 0)
        options = sbl_json_put(options, "constraints", list_of(&schema->constraints));
    if (schema->label != SBL_NO_COLUMN)
        options = sbl_json_put(options, "label", json_string(schema->columns[schema->label].name));
    if (schema->rows_per_unit != 0) {
        options = sbl_json_put(options, "unit", json_string(schema->columns[schema->unit].name));
        options = sbl_json_put(options, "max_rows_per_unit", json_integer((json_int_t)schema->rows_per_unit));
    }
    if (schema->order != SBL_NO_COLUMN)
        options = sbl_json_put(options, "order", json_string(schema->columns[schema->order].name));
    json_t *whole = json_pack("{s:o,s:o}", "fields", fields, "semblance", options);
    if (whole != NULL) sbl_dialect_write(&whole, &schema->dialect);
    return whole;
}

char *sbl_schema_json(const sbl_schema *schema)
{
    json_t *object = sbl_schema_to_json(schema);
    char *text = object != NULL ? sbl_json_canonical(object) : NULL;
    json_decref(object);
    return text;
}

sbl_status sbl_schema_hash(uint8_t digest[SBL_SHA256_SIZE], const sbl_schema *schema, sbl_error *err)
{
    char *text = sbl_schema_json(schema);
    if (text == NULL) return sbl_no_memory(err, "a schema");
    const sbl_status status = sbl_sha256(digest, text, strlen(text), NULL, 0, err);
    sbl_free(text);
    return status;
}
