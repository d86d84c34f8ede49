/* A package as a handle of linked tables: the files that it names are looked at, and none is read. */
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "schema/schema.h"
#include "source/data_handle.h"
#include "source/package_resources.h"

/* The tables that are private, of which handles are opened. */
typedef struct package_tables {
    sbl_data **tables;  /* (count) */
    const char **names; /* (count), of the JSON */
    size_t count;
} package_tables;

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
    SBL_TRY(sbl_path_beside(&file, package, path, err));
    if (access(file.data, R_OK) != 0)
        SBL_FAIL(err, SBL_EIO, "%s: table '%s': cannot read %s", package, name, file.data);
    SBL_TRY(sbl_data_open(&open->tables[open->count], file.data, NULL, err));
    open->names[open->count++] = name;
done:
    sbl_text_clear(&file);
    return status;
}

sbl_status sbl_data_open_package(sbl_data **data, const char *path, sbl_error *err)
{
    json_t *package = NULL, *resources = NULL;
    package_tables open = {0};
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
done:
    for (i = 0; i < open.count; i++) sbl_data_free(open.tables[i]); /* the link keeps them */
    sbl_free(open.tables);
    sbl_free(open.names);
    json_decref(package);
    return status;
}
