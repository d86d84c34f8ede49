/* SPDX-License-Identifier: Apache-2.0 */
/* The files of linked tables: their names in the folder, and the package that describes them. What is copied are
 * look-up tables that the package says are public, so that the keys into them hold where the output goes. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "after/sinks/output_folder.h"
#include "after/sinks/sink.h"
#include "base/alloc.h"
#include "base/file.h"
#include "public/schema/package.h"

#define PACKAGE_NAME "datapackage.json"

/* ---- names ---- */

/* Is NAME.csv a valid file name that no other file of the package uses? */
static bool is_file_name(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL && !sbl_text_has_control(name) &&
           strlen(name) <= 200;
}

static sbl_status put_path(sbl_package_files *files, const char *name, const char *ending, sbl_error *err)
{
    sbl_text *path = &files->paths[files->count];
    if (!is_file_name(name))
        return sbl_fail(err, SBL_EARG, "'%.100s' cannot be the name of a file: rename the resource", name);
    sbl_text_printf(path, "%s/%s%s", files->folder.data, name, ending);
    files->count++;
    return sbl_text_check(path, "a file name", err);
}

static const char *ending_of(const char *path)
{
    const size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".gz") == 0 ? ".csv.gz" : ".csv";
}

/* ---- look-up tables of the package that was read ---- */

/* Those into public tables; NULL: out of memory. */
static json_t *public_keys(const json_t *resource, const json_t *resources)
{
    const json_t *keys = sbl_resource_links(resource);
    json_t *kept = json_array();
    size_t i;
    json_t *key;
    json_array_foreach(keys, i, key)
    {
        const json_t *to = json_object_get(key, "reference");
        const char *name = json_string_value(json_object_get(to, "resource"));
        if (sbl_resource_is_public(sbl_json_named(resources, name)))
            kept = sbl_json_append(kept, json_incref(key));
    }
    return kept;
}

static sbl_status add_look_up(sbl_package_files *files, const json_t *resource,
                              const sbl_package_folder *target, sbl_error *err)
{
    sbl_text name = {0};
    sbl_status status = SBL_OK;
    json_t *copy = sbl_json_copy(resource);
    const char *path = sbl_resource_path(resource);
    SBL_TRY(sbl_path_of_package(&files->originals[files->count - files->tables], target->package, path,
                                target->outside, err));
    SBL_TRY(put_path(files, sbl_resource_name(resource), ending_of(path), err));
    sbl_text_printf(&name, "%s%s", sbl_resource_name(resource), ending_of(path));
    SBL_TRY(sbl_text_check(&name, "a file name", err));
    copy = sbl_json_put(copy, "path", json_string(name.data));
    files->look_ups = sbl_json_append(files->look_ups, json_incref(copy));
    if (files->look_ups == NULL) status = sbl_no_memory(err, "a package");
done:
    json_decref(copy);
    sbl_text_clear(&name);
    return status;
}

static sbl_status add_look_ups(sbl_package_files *files, const json_t *resources,
                               const sbl_package_folder *target, const sbl_schema *schema, sbl_error *err)
{
    size_t i;
    const json_t *resource;
    json_array_foreach(resources, i, resource)
    {
        if (sbl_resource_is_public(resource) && sbl_resource_name(resource) != NULL &&
            sbl_resource_path(resource) != NULL)
            SBL_CHECK(add_look_up(files, resource, target, err));
    }
    for (size_t t = 0; t < schema->table_count; t++) {
        resource = sbl_json_named(resources, schema->tables[t].name);
        files->references = sbl_json_append(files->references, public_keys(resource, resources));
    }
    if (files->references == NULL) return sbl_no_memory(err, "a package");
    return SBL_OK;
}

/* ---- all of them ---- */

static sbl_status name_all(sbl_package_files *files, const sbl_package_folder *target,
                           const json_t *resources, const sbl_schema *schema, sbl_error *err)
{
    const size_t most = schema->table_count + json_array_size(resources) + 1;
    sbl_status status = SBL_OK;
    SBL_ALLOC(files->paths, most, "file names");
    SBL_ALLOC(files->originals, most, "file names");
    for (size_t t = 0; t < schema->table_count; t++)
        SBL_TRY(put_path(files, schema->tables[t].name, ".csv", err));
    files->tables = files->count;
    if (resources != NULL) SBL_TRY(add_look_ups(files, resources, target, schema, err));
    SBL_TRY(put_path(files, PACKAGE_NAME, "", err));
done:
    return status;
}

sbl_status sbl_package_files_name(sbl_package_files *files, const sbl_package_folder *target,
                                  const sbl_facts *facts, sbl_error *err)
{
    json_t *package = NULL, *resources = NULL;
    sbl_status status = SBL_OK;
    *files = (sbl_package_files){.look_ups = json_array(), .references = json_array()};
    if (!sbl_folder_has_name(target->folder))
        SBL_FAIL(err, SBL_EARG,
                 "linked tables are written to a folder of their own, not to '%s': choose another name",
                 target->folder);
    sbl_text_append(&files->folder, target->folder, sbl_folder_length(target->folder));
    SBL_TRY(sbl_text_check(&files->folder, "a file name", err));
    if (target->package != NULL) {
        SBL_TRY(sbl_package_read(&package, target->package, target->outside, err));
        SBL_TRY(sbl_json_get_array(&resources, package, "resources", target->package, err));
    }
    SBL_TRY(name_all(files, target, resources, facts->declared, err));
done:
    json_decref(package);
    if (status != SBL_OK) sbl_package_files_clear(files);
    return status;
}

void sbl_package_files_clear(sbl_package_files *files)
{
    for (size_t i = 0; files->paths != NULL && i < files->count; i++) sbl_text_clear(&files->paths[i]);
    for (size_t i = 0; files->originals != NULL && i + files->tables < files->count; i++)
        sbl_text_clear(&files->originals[i]);
    sbl_free(files->paths);
    sbl_free(files->originals);
    sbl_text_clear(&files->folder);
    json_decref(files->look_ups);
    json_decref(files->references);
    *files = (sbl_package_files){0};
}

/* Making the folder shows whether it can be written to; it is then removed. */
sbl_status sbl_package_files_check(const sbl_package_files *files, bool overwrite, sbl_error *err)
{
    const char *folder = files->folder.data;
    struct stat seen;
    bool made = false;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_folder_make(&made, folder, err));
    if (stat(folder, &seen) != 0 || !S_ISDIR(seen.st_mode))
        SBL_FAIL(err, SBL_EIO, "%s is not a folder: name a folder for linked tables", folder);
    for (size_t i = 0; i < files->count; i++)
        SBL_TRY(sbl_file_check_target(files->paths[i].data, overwrite, err));
    for (size_t i = 0; files->tables + i + 1 < files->count; i++)
        if (access(files->originals[i].data, R_OK) != 0)
            SBL_FAIL(err, SBL_EIO, "cannot read %s, a public table of the package", files->originals[i].data);
done:
    if (made) (void)rmdir(folder);
    return status;
}

/* ---- the package ---- */

static const char *file_of(const sbl_package_files *files, size_t table)
{
    return files->paths[table].data + files->folder.length + 1;
}

/* A resource as the schema says it, with its file and what it says of look-up tables. */
static json_t *describe_table(json_t *resource, const sbl_package_files *files, size_t table)
{
    size_t i;
    json_t *key;
    const json_t *keys = json_array_get(files->references, table);
    json_t *all =
        sbl_resource_links(resource) != NULL ? json_incref(sbl_resource_links(resource)) : json_array();
    json_t *described = sbl_json_put(json_incref(resource), "path", json_string(file_of(files, table)));
    json_array_foreach(keys, i, key) all = sbl_json_append(all, json_incref(key));
    const bool good = all != NULL && described != NULL;
    if (good && (json_array_size(all) == 0 ||
                 json_object_set(json_object_get(resource, "schema"), "foreignKeys", all) == 0)) {
        json_decref(all);
        return described;
    }
    json_decref(all);
    json_decref(described);
    return NULL;
}

sbl_status sbl_package_files_text(char **text, const sbl_package_files *files, const sbl_facts *facts,
                                  sbl_error *err)
{
    json_t *package = sbl_schema_to_json(facts->declared);
    json_t *listed = json_object_get(package, "resources");
    json_t *resources = json_array();
    json_t *resource;
    size_t i;
    json_array_foreach(listed, i, resource) resources =
        sbl_json_append(resources, describe_table(resource, files, i));
    json_array_foreach(files->look_ups, i, resource) resources =
        sbl_json_append(resources, json_incref(resource));
    package = sbl_json_put(package, "resources", resources);
    *text = package != NULL ? sbl_json_pretty(package) : NULL;
    json_decref(package);
    return *text != NULL ? SBL_OK : sbl_no_memory(err, "a package");
}
