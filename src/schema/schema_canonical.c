/* The schema's meaning as JSON that sbl_schema_parse reads back: defaults are spelled out, titles
 * and descriptions are left out, keys are sorted. */
#include "base/json.h"
#include "schema/calendar.h"
#include "schema/schema.h"

static json_t *list_of(const sbl_strings *strings)
{
    json_t *list = json_array();
    for (size_t i = 0; i < strings->count; i++)
        (void)json_array_append_new(list, json_string(strings->items[i]));
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
        (void)json_object_set_new(constraints, "minimum", bound_of(column, column->minimum));
        (void)json_object_set_new(constraints, "maximum", bound_of(column, column->maximum));
    } else if (column->type != SBL_TYPE_BOOLEAN) {
        (void)json_object_set_new(constraints, "enum", list_of(&column->categories));
    }
    (void)json_object_set_new(constraints, "required", json_boolean(column->required));
    return constraints;
}

static json_t *options_of(const sbl_column *column)
{
    json_t *options = json_object();
    if (column->log_transform) (void)json_object_set_new(options, "transform", json_string("log"));
    if (column->decimals_declared)
        (void)json_object_set_new(options, "decimals", json_integer(column->decimals));
    if (column->kind == SBL_COLUMN_CATEGORY)
        (void)json_object_set_new(options, "other",
                                  json_string(column->categories.items[column->fallback_code]));
    return options;
}

static json_t *field_of(const sbl_column *column)
{
    json_t *field = json_object();
    (void)json_object_set_new(field, "name", json_string(column->name));
    if (column->kind == SBL_COLUMN_IGNORED) {
        (void)json_object_set_new(field, "semblance", json_pack("{s:s}", "role", "ignore"));
        return field;
    }
    (void)json_object_set_new(field, "type", json_string(sbl_field_type_name(column->type)));
    (void)json_object_set_new(field, "constraints", constraints_of(column));
    (void)json_object_set_new(field, "missingValues", list_of(&column->missing_values));
    (void)json_object_set_new(field, "semblance", options_of(column));
    if (column->kind == SBL_COLUMN_CATEGORY)
        (void)json_object_set_new(field, "categoriesOrdered", json_boolean(column->ordered));
    if (column->type == SBL_TYPE_BOOLEAN) {
        (void)json_object_set_new(field, "trueValues", list_of(&column->true_values));
        (void)json_object_set_new(field, "falseValues", list_of(&column->false_values));
    }
    return field;
}

char *sbl_schema_json(const sbl_schema *schema)
{
    json_t *fields = json_array();
    json_t *options = json_pack("{s:s}", "task", sbl_task_name(schema->task));
    for (size_t i = 0; i < schema->column_count; i++)
        (void)json_array_append_new(fields, field_of(&schema->columns[i]));
    if (schema->label != SBL_NO_COLUMN)
        (void)json_object_set_new(options, "label",
                                  json_string(schema->columns[schema->label].name));
    json_t *object = json_pack("{s:o,s:o}", "fields", fields, "semblance", options);
    char *text = object != NULL ? sbl_json_canonical(object) : NULL;
    json_decref(object);
    return text;
}
