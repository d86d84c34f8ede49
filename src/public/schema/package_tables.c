/* SPDX-License-Identifier: Apache-2.0 */
/* A resource of a package as the schema of one table. The Table Schema is read as usual, and its keys add three
 * things: its own key is an id, its parent row is its unit, and the dialect may be next to the schema, as in a
 * Data Package. */
#include <string.h>

#include "base/text.h"
#include "public/schema/package.h"
#include "public/schema/schema_json.h"

const json_t *sbl_resource_field(const sbl_resource *resource, const char *name)
{
    return sbl_json_named(resource->fields, name);
}

/* The field with the role of an id, unless it has one. */
static json_t *key_field(const json_t *field)
{
    const json_t *options = json_object_get(field, "semblance");
    json_t *own = options != NULL ? sbl_json_copy(options) : json_object();
    if (json_object_get(own, "role") == NULL) own = sbl_json_put(own, "role", json_string("id"));
    return sbl_json_put(sbl_json_copy(field), "semblance", own);
}

static json_t *fields_of(const sbl_resource *resource)
{
    const json_t *key = resource->key != NULL ? sbl_resource_field(resource, resource->key) : NULL;
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(resource->fields); i++) {
        json_t *field = json_array_get(resource->fields, i);
        list = sbl_json_append(list, field == key ? key_field(field) : json_incref(field));
    }
    return list;
}

static bool has_one_row(const sbl_resource *resource)
{
    return resource->parent == SBL_NO_TABLE || resource->one_row;
}

static json_t *options_of(const json_t *given, const char *unit, const sbl_resource *resource)
{
    json_t *options = given != NULL ? sbl_json_copy(given) : json_object();
    options = sbl_json_put(options, "unit", json_string(unit));
    return has_one_row(resource) ? sbl_json_put(options, "max_rows_per_unit", json_integer(1)) : options;
}

/* The Table Schema with what its place in the package says. */
static json_t *table_object(const sbl_resource *resource, const char *unit)
{
    static const char *const beside[] = {"dialect", "encoding"};
    const json_t *schema = json_object_get(resource->object, "schema");
    const json_t *given = json_object_get(schema, "semblance");
    json_t *made = sbl_json_copy(schema);
    made = sbl_json_put(made, "fields", fields_of(resource));
    made = sbl_json_put(made, "semblance", options_of(given, unit, resource));
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        json_t *value = json_object_get(resource->object, beside[i]);
        if (value != NULL && json_object_get(schema, beside[i]) == NULL)
            made = sbl_json_put(made, beside[i], json_incref(value));
    }
    return made;
}

/* What a table of one's own may say, and one of several may not. */
static sbl_status check_given(const sbl_resource *resource, const char *unit, const char *where,
                              sbl_error *err)
{
    const json_t *options = json_object_get(json_object_get(resource->object, "schema"), "semblance");
    const char *own = json_string_value(json_object_get(options, "unit"));
    const json_t *rows = json_object_get(options, "max_rows_per_unit");
    if (options != NULL && !json_is_object(options))
        return sbl_fail_schema(err, where, "'semblance' is not an object");
    if (own != NULL && strcmp(own, unit) != 0)
        return sbl_fail_schema(
            err, where, "semblance.unit is '%s', but the keys make '%s' the unit: remove it", own, unit);
    if (json_object_get(options, "label") != NULL)
        return sbl_fail_schema(err, where, "semblance.label is not for linked tables: remove it");
    if (has_one_row(resource) && rows != NULL && json_integer_value(rows) != 1)
        return sbl_fail_schema(err, where,
                               "semblance.max_rows_per_unit is not 1, but by its primaryKey there "
                               "is one row for each person: remove it");
    if (resource->parent == SBL_NO_TABLE && json_object_get(options, "order") != NULL)
        return sbl_fail_schema(err, where,
                               "semblance.order is not for the table of persons, which has one "
                               "row for each: remove it");
    return SBL_OK;
}

static sbl_status check_columns(const sbl_schema *schema, const sbl_resource *resource, const char *where,
                                sbl_error *err)
{
    for (size_t i = 0; i < schema->column_count; i++) {
        const sbl_column *column = &schema->columns[i];
        const sbl_field_place at = {where, column->name, err};
        if (resource->key != NULL && strcmp(column->name, resource->key) == 0 &&
            column->made != SBL_SYNTHETIC_ID)
            return sbl_fail_column(&at, "is the primaryKey: its semblance.role can only be 'id'");
        if (column->per_unit && resource->parent != SBL_NO_TABLE)
            return sbl_fail_column(
                &at,
                "has semblance.per 'unit': move the column to the table of persons, or remove semblance.per");
    }
    return SBL_OK;
}

sbl_status sbl_resource_schema(sbl_schema **schema, const sbl_resource *resource, const char *where,
                               sbl_error *err)
{
    const char *unit = resource->parent != SBL_NO_TABLE ? resource->parent_key : resource->key;
    sbl_text place = {0};
    json_t *object = NULL;
    sbl_status status = SBL_OK;
    *schema = NULL;
    sbl_text_printf(&place, "%s: table '%s'", where, resource->name);
    SBL_TRY(sbl_text_check(&place, where, err));
    SBL_TRY(check_given(resource, unit, place.data, err));
    object = table_object(resource, unit);
    if (object == NULL) SBL_TRY(sbl_no_memory(err, where));
    SBL_TRY(sbl_schema_from_object(schema, object, place.data, err));
    SBL_TRY(check_columns(*schema, resource, place.data, err));
done:
    if (status != SBL_OK) {
        sbl_schema_free(*schema);
        *schema = NULL;
    }
    json_decref(object);
    sbl_text_clear(&place);
    return status;
}
