/* The schema's meaning as JSON that sbl_schema_parse reads back: defaults are spelled out, titles
 * and descriptions are left out, keys are sorted. */
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "schema/calendar.h"
#include "schema/role.h"
#include "schema/schema.h"
#include "schema/spikes.h"

/* The value is taken. Once a part could not be made the whole is NULL, and stays so: a schema that
 * lacks a fact is another schema. */
static void put(json_t **object, const char *name, json_t *value)
{
    if (json_object_set_new(*object, name, value) == 0) return;
    json_decref(*object);
    *object = NULL;
}

static void append(json_t **list, json_t *value)
{
    if (json_array_append_new(*list, value) == 0) return;
    json_decref(*list);
    *list = NULL;
}

static json_t *list_of(const sbl_strings *strings)
{
    json_t *list = json_array();
    for (size_t i = 0; i < strings->count; i++) append(&list, json_string(strings->items[i]));
    return list;
}

static json_t *bound_of(const sbl_column *column, double bound)
{
    char text[SBL_DATETIME_LENGTH];
    if (column->kind == SBL_COLUMN_DATE)
        return json_stringn(text, sbl_date_format(text, (int64_t)bound));
    if (column->kind == SBL_COLUMN_DATETIME)
        return json_stringn(text, sbl_datetime_format(text, (int64_t)bound, column->utc));
    if (column->type == SBL_TYPE_INTEGER) return json_integer((json_int_t)bound);
    return json_real(bound + 0.0); /* -0 is 0 */
}

static json_t *constraints_of(const sbl_column *column)
{
    json_t *constraints = json_object();
    if (sbl_column_is_numeric(column)) {
        put(&constraints, "minimum", bound_of(column, column->minimum));
        put(&constraints, "maximum", bound_of(column, column->maximum));
    } else if (column->type != SBL_TYPE_BOOLEAN) {
        put(&constraints, "enum", list_of(&column->categories));
    }
    put(&constraints, "required", json_boolean(column->required));
    return constraints;
}

static json_t *options_of(const sbl_column *column)
{
    json_t *options = json_object();
    if (column->log_transform) put(&options, "transform", json_string("log"));
    if (column->decimals_declared) put(&options, "decimals", json_integer(column->decimals));
    if (column->step_declared)
        put(&options, "step", bound_of(column, sbl_column_grid_value(column, 1)));
    if (column->spike_count > 0) put(&options, "spikes", sbl_spikes_to_json(column));
    if (column->other_declared)
        put(&options, "other", json_string(column->categories.items[column->fallback_code]));
    return options;
}

static json_t *field_of(const sbl_column *column)
{
    json_t *field = json_object();
    put(&field, "name", json_string(column->name));
    if (column->kind == SBL_COLUMN_IGNORED) {
        put(&field, "semblance", sbl_role_to_json(column));
        return field;
    }
    put(&field, "type", json_string(sbl_field_type_name(column->type)));
    put(&field, "constraints", constraints_of(column));
    put(&field, "missingValues", list_of(&column->missing_values));
    put(&field, "semblance", options_of(column));
    if (column->kind == SBL_COLUMN_CATEGORY)
        put(&field, "categoriesOrdered", json_boolean(column->ordered));
    if (column->format != NULL) put(&field, "format", json_string(column->format));
    if (column->decimal_char != '.')
        put(&field, "decimalChar", json_stringn(&column->decimal_char, 1));
    if (column->group_char != 0) put(&field, "groupChar", json_stringn(&column->group_char, 1));
    if (!column->bare) put(&field, "bareNumber", json_false());
    if (column->type == SBL_TYPE_BOOLEAN) {
        put(&field, "trueValues", list_of(&column->true_values));
        put(&field, "falseValues", list_of(&column->false_values));
    }
    return field;
}

json_t *sbl_schema_to_json(const sbl_schema *schema)
{
    json_t *fields = json_array();
    json_t *options = json_pack("{s:s}", "task", sbl_task_name(schema->task));
    for (size_t i = 0; i < schema->column_count; i++)
        append(&fields, field_of(&schema->columns[i]));
    if (schema->constraints.count > 0) put(&options, "constraints", list_of(&schema->constraints));
    if (schema->label != SBL_NO_COLUMN)
        put(&options, "label", json_string(schema->columns[schema->label].name));
    if (schema->rows_per_unit != 0) {
        put(&options, "unit", json_string(schema->columns[schema->unit].name));
        put(&options, "max_rows_per_unit", json_integer((json_int_t)schema->rows_per_unit));
    }
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

sbl_status sbl_schema_hash(uint8_t digest[SBL_SHA256_SIZE], const sbl_schema *schema,
                           sbl_error *err)
{
    char *text = sbl_schema_json(schema);
    if (text == NULL) return sbl_fail(err, SBL_EMEM, "out of memory while hashing a schema");
    const sbl_status status = sbl_sha256(digest, text, strlen(text), NULL, 0, err);
    sbl_free(text);
    return status;
}
