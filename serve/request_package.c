/* SPDX-License-Identifier: Apache-2.0 */
/* Linked tables: the package and the files that it names. */
#include "request_package.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/output.h"
#include "served_folder.h"
#include "server.h"

/* NAME in the folder of the package. */
static sbl_status beside(char path[SBL_FOLDER_PATH_SIZE], const char *package, const char *name,
                         sbl_error *err)
{
    const char *slash = strrchr(package, '/');
    const size_t folder = slash != NULL ? (size_t)(slash + 1 - package) : 0;
    const int length = snprintf(path, SBL_FOLDER_PATH_SIZE, "%.*s%s", (int)folder, package, name);
    if (length > 0 && length < SBL_FOLDER_PATH_SIZE && sbl_serve_folder_path_is_good(path)) return SBL_OK;
    return sbl_cli_fail(err, SBL_EARG,
                        "%s: names a file outside its folder; put the file next to the package", package);
}

static sbl_status check_file(int root, const char *package, const json_t *name, sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE];
    if (!json_is_string(name) || strlen(json_string_value(name)) != json_string_length(name))
        return sbl_cli_fail(err, SBL_EINPUT, "%s: a path in it is not text", package);
    sbl_status status = beside(path, package, json_string_value(name), err);
    if (status == SBL_OK && !sbl_serve_folder_has(root, path) &&
        !(sbl_serve_folder_has_folder(root, path) && sbl_serve_folder_is_plain(root, path)))
        status = sbl_cli_fail(err, SBL_EIO, "%s: names %s, which is not in the folder; put the file there",
                              package, path);
    return status;
}

/* One file, or a list of them. */
static sbl_status check_files(int root, const char *package, const json_t *names, sbl_error *err)
{
    const json_t *name;
    size_t i;
    if (!json_is_array(names)) return check_file(root, package, names, err);
    sbl_status status = SBL_OK;
    json_array_foreach(names, i, name)
    {
        if (status == SBL_OK) status = check_file(root, package, name, err);
    }
    return status;
}

/* A schema of its own file, in its place. */
static sbl_status load_schema(json_t *resource, int root, const char *package, sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE], *text = NULL;
    size_t length = 0;
    const json_t *name = json_object_get(resource, "schema");
    if (!json_is_string(name)) return SBL_OK;
    sbl_status status = check_file(root, package, name, err);
    if (status == SBL_OK) status = beside(path, package, json_string_value(name), err);
    if (status == SBL_OK)
        status = sbl_serve_folder_read(&text, &length, root, path, SBL_SERVE_MOST_SCHEMA, err);
    json_t *schema = status == SBL_OK ? json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL) : NULL;
    free(text);
    if (status == SBL_OK && (!json_is_object(schema) || json_object_set(resource, "schema", schema) != 0))
        status = sbl_cli_fail(err, SBL_EINPUT, "%s is not a schema", path);
    json_decref(schema);
    return status;
}

/* Files of parents that its columns name. */
static sbl_status check_parents(int root, const char *package, const json_t *resource, sbl_error *err)
{
    const json_t *field;
    size_t i;
    sbl_status status = SBL_OK;
    json_array_foreach(json_object_get(json_object_get(resource, "schema"), "fields"), i, field)
    {
        const json_t *hierarchy = json_object_get(json_object_get(field, "semblance"), "hierarchy");
        const json_t *parents = json_object_get(hierarchy, "parents");
        if (status == SBL_OK && json_is_string(parents)) status = check_file(root, package, parents, err);
    }
    return status;
}

sbl_status sbl_serve_package_read(json_t **package, int root, const char *path, sbl_error *err)
{
    char *text = NULL;
    size_t length = 0, i;
    json_t *resource;
    *package = NULL;
    sbl_status status = sbl_serve_folder_read(&text, &length, root, path, SBL_SERVE_MOST_SCHEMA, err);
    if (status == SBL_OK) *package = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    free(text);
    if (status == SBL_OK && !json_is_array(json_object_get(*package, "resources")))
        status = sbl_cli_fail(err, SBL_EINPUT, "%s is not a package of tables: it has no resources", path);
    json_array_foreach(json_object_get(*package, "resources"), i, resource)
    {
        if (status == SBL_OK && !json_is_object(resource))
            status = sbl_cli_fail(err, SBL_EINPUT, "%s: a resource is not an object", path);
        if (status == SBL_OK) status = check_files(root, path, json_object_get(resource, "path"), err);
        if (status == SBL_OK) status = load_schema(resource, root, path, err);
        if (status == SBL_OK) status = check_parents(root, path, resource, err);
    }
    if (status != SBL_OK) {
        json_decref(*package);
        *package = NULL;
    }
    return status;
}

sbl_status sbl_serve_package_check(int root, const char *path, sbl_error *err)
{
    json_t *package = NULL;
    const sbl_status status = sbl_serve_package_read(&package, root, path, err);
    json_decref(package);
    return status;
}

sbl_status sbl_serve_package_schema(sbl_schema **schema, int root, const char *path, sbl_error *err)
{
    char full[SBL_FULL_PATH_SIZE];
    sbl_status status = sbl_serve_package_check(root, path, err);
    if (status == SBL_OK) status = sbl_serve_folder_full(full, root, path, err);
    return status == SBL_OK ? sbl_schema_from_file(schema, full, false, err) : status;
}
