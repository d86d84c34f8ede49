/* A resource of a package that was read as JSON: what of it concerns files. */
#ifndef SBL_SCHEMA_PACKAGE_RESOURCES_H
#define SBL_SCHEMA_PACKAGE_RESOURCES_H

#include <stdbool.h>

#include "base/json.h"

/* A look-up table, which anyone may see? */
static inline bool sbl_resource_is_public(const json_t *resource)
{
    return json_is_true(json_object_get(json_object_get(resource, "semblance"), "public"));
}

/* NULL: it has none. */
static inline const char *sbl_resource_name(const json_t *resource)
{
    return json_string_value(json_object_get(resource, "name"));
}

/* Of its one file; NULL: there is none, or several. */
static inline const char *sbl_resource_path(const json_t *resource)
{
    const json_t *path = json_object_get(resource, "path");
    if (json_array_size(path) == 1) path = json_array_get(path, 0);
    return json_string_value(path);
}

#endif
