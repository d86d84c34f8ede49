/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two certificates as JSON and reports the first field in which they differ. */
#include <stdio.h>

#include "door/certificate/certificate_content.h"

typedef struct comparison {
    const char *why;
    const char *where;
    sbl_error *err;
} comparison;

static sbl_status compare_values(const json_t *found, json_t *expected, const char *path,
                                 const comparison *c);

static sbl_status fail_path(const char *path, const char *what, const comparison *c)
{
    return sbl_fail(c->err, SBL_EINPUT, "%s: field '%s' %s", c->where, path, what);
}

static sbl_status compare_objects(const json_t *found, json_t *expected, const char *path,
                                  const comparison *c)
{
    char inner[256];
    for (void *at = json_object_iter(expected); at != NULL; at = json_object_iter_next(expected, at)) {
        const char *key = json_object_iter_key(at);
        (void)snprintf(inner, sizeof inner, "%s%s%s", path, path[0] == '\0' ? "" : ".", key);
        const sbl_status status =
            compare_values(json_object_get(found, key), json_object_iter_value(at), inner, c);
        if (status != SBL_OK) return status;
    }
    if (json_object_size(found) != json_object_size(expected))
        return fail_path(path[0] == '\0' ? "certificate" : path, "holds fields that are not known", c);
    return SBL_OK;
}

static sbl_status compare_lists(const json_t *found, const json_t *expected, const char *path,
                                const comparison *c)
{
    char inner[256];
    if (json_array_size(found) != json_array_size(expected)) return fail_path(path, c->why, c);
    for (size_t i = 0; i < json_array_size(expected); i++) {
        (void)snprintf(inner, sizeof inner, "%s[%zu]", path, i);
        const sbl_status status =
            compare_values(json_array_get(found, i), json_array_get(expected, i), inner, c);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

static sbl_status compare_values(const json_t *found, json_t *expected, const char *path, const comparison *c)
{
    if (found == NULL) return fail_path(path, "is missing", c);
    if (json_typeof(found) != json_typeof(expected)) return fail_path(path, c->why, c);
    if (json_typeof(expected) == JSON_OBJECT) return compare_objects(found, expected, path, c);
    if (json_typeof(expected) == JSON_ARRAY) return compare_lists(found, expected, path, c);
    return json_equal(found, expected) ? SBL_OK : fail_path(path, c->why, c);
}

sbl_status sbl_certificate_compare(const json_t *found, json_t *expected, const char *why, const char *where,
                                   sbl_error *err)
{
    const comparison c = {why, where, err};
    return compare_values(found, expected, "", &c);
}
