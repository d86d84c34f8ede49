/* SPDX-License-Identifier: Apache-2.0 */
/* Members that may be missing or of any type give NULL or false: who parses the package refuses it by name. */
#include "public/schema/package.h"

#include <string.h>

#include "base/file.h"
#include "base/text.h"

json_t *sbl_json_named(const json_t *list, const char *name)
{
    for (size_t i = 0; name != NULL && i < json_array_size(list); i++) {
        const char *own = sbl_resource_name(json_array_get(list, i));
        if (own != NULL && strcmp(own, name) == 0) return json_array_get(list, i);
    }
    return NULL;
}

const char *sbl_json_only_text(const json_t *value)
{
    return json_string_value(json_array_size(value) == 1 ? json_array_get(value, 0) : value);
}

bool sbl_resource_is_public(const json_t *resource)
{
    return json_is_true(json_object_get(json_object_get(resource, "semblance"), "public"));
}

const char *sbl_resource_name(const json_t *resource)
{
    return json_string_value(json_object_get(resource, "name"));
}

const char *sbl_resource_path(const json_t *resource)
{
    return sbl_json_only_text(json_object_get(resource, "path"));
}

json_t *sbl_resource_links(const json_t *resource)
{
    return json_object_get(json_object_get(resource, "schema"), "foreignKeys");
}

bool sbl_field_has_values(const json_t *field)
{
    return json_object_get(json_object_get(field, "constraints"), "enum") != NULL ||
           json_object_get(field, "categories") != NULL ||
           json_object_get(json_object_get(field, "semblance"), "role") != NULL;
}

static sbl_status read_schema(json_t *resource, const char *package, bool outside, sbl_error *err)
{
    const char *name = json_string_value(json_object_get(resource, "schema"));
    sbl_text place = {0};
    json_t *schema = NULL;
    sbl_status status = SBL_OK;
    if (name == NULL || strstr(name, "://") != NULL) return SBL_OK;
    SBL_TRY(sbl_path_of_package(&place, package, name, outside, err));
    SBL_TRY(sbl_json_read(&schema, place.data, SBL_SCHEMA_FILE_LIMIT, err));
    if (json_object_set(resource, "schema", schema) != 0) status = sbl_no_memory(err, package);
done:
    json_decref(schema);
    sbl_text_clear(&place);
    return status;
}

sbl_status sbl_package_read(json_t **package, const char *path, bool outside, sbl_error *err)
{
    sbl_status status = sbl_json_read(package, path, SBL_SCHEMA_FILE_LIMIT, err);
    const json_t *resources = json_object_get(*package, "resources");
    for (size_t i = 0; status == SBL_OK && i < json_array_size(resources); i++)
        status = read_schema(json_array_get(resources, i), path, outside, err);
    if (status == SBL_OK) return SBL_OK;
    json_decref(*package);
    *package = NULL;
    return status;
}
