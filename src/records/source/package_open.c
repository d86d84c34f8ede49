/* SPDX-License-Identifier: Apache-2.0 */
/* A package as a handle of linked tables. It looks for the files that the package names, and reads none of
 * them. */
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "public/schema/package.h"
#include "records/formats/duckdb.h"
#include "records/source/data_handle.h"

/* The tables that are private, of which handles are opened. */
typedef struct package_tables {
    sbl_data **tables;  /* (count) */
    const char **names; /* (count), of the JSON */
    size_t count;
    bool outside; /* files need not be in the folder of the package */
    sbl_data_opener open_one;
} package_tables;

/* The files of a folder or a pattern, which may be links. What cannot be listed is reported when it is read. */
static sbl_status check_parts(const char *file, const char *package, const char *path, sbl_error *err)
{
    sbl_strings files = {0};
    uint64_t seen;
    sbl_status status = SBL_OK;
    if (sbl_path_is_parquet_file(file) || !sbl_path_is_parquet(file)) return SBL_OK;
    const bool listed = sbl_engine_list_files(&files, &seen, file, file, NULL) == SBL_OK;
    for (size_t i = 0; listed && status == SBL_OK && i < files.count; i++)
        if (!sbl_path_is_inside(package, files.items[i])) status = sbl_fail_outside(package, path, err);
    sbl_strings_clear(&files);
    return status;
}

/* One table, whose file is named relative to the package. */
static sbl_status open_table(package_tables *open, const json_t *resource, const char *package,
                             sbl_error *err)
{
    const char *name = sbl_resource_name(resource);
    const char *path = sbl_resource_path(resource);
    sbl_text file = {0};
    sbl_status status = SBL_OK;
    if (name == NULL) SBL_FAIL(err, SBL_EINPUT, "%s: a resource has no name", package);
    if (path == NULL)
        SBL_FAIL(err, SBL_EINPUT, "%s: table '%s' has no path of one file: add it", package, name);
    SBL_TRY(sbl_path_of_package(&file, package, path, open->outside, err));
    if (sbl_path_is_list(file.data))
        SBL_FAIL(err, SBL_EINPUT, "%s: table '%s' has several files in its path: name one file", package,
                 name);
    if (!open->outside) SBL_TRY(check_parts(file.data, package, path, err));
    if (!sbl_path_is_pattern(file.data) && access(file.data, R_OK) != 0)
        SBL_FAIL(err, SBL_EIO, "%s: table '%s': cannot read %s", package, name, file.data);
    SBL_TRY(open->open_one(&open->tables[open->count], file.data, NULL, err));
    open->names[open->count++] = name;
done:
    sbl_text_clear(&file);
    return status;
}

sbl_status sbl_data_open_package(sbl_data **data, const char *path, bool outside, sbl_data_opener open_one,
                                 sbl_error *err)
{
    json_t *package = NULL, *resources = NULL;
    package_tables open = {.outside = outside, .open_one = open_one};
    size_t i;
    const json_t *resource;
    sbl_status status = SBL_OK;
    *data = NULL;
    SBL_TRY(sbl_json_read(&package, path, SBL_SCHEMA_FILE_LIMIT, err));
    SBL_TRY(sbl_json_get_array(&resources, package, "resources", path, err));
    SBL_ALLOC(open.tables, json_array_size(resources), "a package");
    SBL_ALLOC(open.names, json_array_size(resources), "a package");
    json_array_foreach(resources, i, resource)
    {
        if (!sbl_resource_is_public(resource)) SBL_TRY(open_table(&open, resource, path, err));
    }
    SBL_TRY(sbl_data_link(data, open.tables, open.names, open.count, path, err));
    (*data)->outside = outside;
done:
    for (i = 0; i < open.count; i++) sbl_data_free(open.tables[i]); /* the link keeps them */
    sbl_free(open.tables);
    sbl_free(open.names);
    json_decref(package);
    return status;
}
