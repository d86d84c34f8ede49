/* What a run drew, and the schema that it follows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/output.h"
#include "fixed_text.h"
#include "request_package.h"
#include "runs.h"
#include "semblance/files.h"
#include "server.h"

sbl_status sbl_serve_run_records(char path[SBL_FOLDER_PATH_SIZE], const sbl_serve_run *run,
                                 const char *ending, sbl_error *err)
{
    const int length = snprintf(path, SBL_FOLDER_PATH_SIZE, "%s/%s%s", run->folder, run->records, ending);
    if (length > 0 && length < SBL_FOLDER_PATH_SIZE) return SBL_OK;
    return sbl_cli_fail(err, SBL_EARG, "%s: this name is too long", run->folder);
}

bool sbl_serve_run_has_records(const sbl_serve_run *run, int root)
{
    char path[SBL_FOLDER_PATH_SIZE];
    if (sbl_serve_run_records(path, run, "", NULL) != SBL_OK) return false;
    return run->data.kind == SBL_KIND_TABLE ? sbl_serve_folder_has(root, path)
                                            : sbl_serve_folder_has_folder(root, path);
}

sbl_status sbl_serve_run_schema_path(char path[SBL_FOLDER_PATH_SIZE], const sbl_serve_run *run,
                                     sbl_error *err)
{
    path[0] = '\0';
    switch (run->data.kind) {
    case SBL_KIND_IMAGES:
        return SBL_OK;
    case SBL_KIND_PACKAGE:
        return sbl_serve_put(path, SBL_FOLDER_PATH_SIZE, run->data.path) ? SBL_OK
                                                                         : sbl_serve_folder_refuse_path(err);
    default:
        return run->has_schema ? sbl_serve_run_file(path, run->folder, SBL_RUN_SCHEMA, err)
                               : sbl_serve_run_records(path, run, SBL_ENDING_SCHEMA, err);
    }
}

static sbl_status read_schema(sbl_schema **schema, int root, const char *path, sbl_error *err)
{
    char *text = NULL;
    size_t length = 0;
    sbl_status status = sbl_serve_folder_read(&text, &length, root, path, SBL_SERVE_MOST_SCHEMA, err);
    if (status == SBL_OK) status = sbl_schema_from_json(schema, text, length, path, err);
    free(text);
    return status;
}

sbl_status sbl_serve_run_schema(sbl_schema **schema, const sbl_serve_run *run, int root, sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE];
    *schema = NULL;
    sbl_status status = sbl_serve_run_schema_path(path, run, err);
    if (status != SBL_OK || path[0] == '\0') return status;
    if (run->data.kind != SBL_KIND_PACKAGE) return read_schema(schema, root, path, err);
    return sbl_serve_package_schema(schema, root, path, err);
}

/* A table is written as its schema and what was said of reading say; Parquet by its types; images and linked tables are
 * in a folder. */
sbl_status sbl_serve_run_open(sbl_data **data, const sbl_serve_run *run, const sbl_serve_place *place,
                              sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE], full[SBL_FULL_PATH_SIZE];
    sbl_data_options options;
    sbl_data_options_init(&options);
    *data = NULL;
    const bool package = run->data.kind == SBL_KIND_PACKAGE;
    options.images = run->data.kind == SBL_KIND_IMAGES;
    options.package = package;
    if (strcmp(run->records, SBL_RUN_PARQUET) == 0) {
        options.duckdb = place->engine;
    } else {
        options.delimiter = sbl_serve_reading(&run->data, "delimiter");
        options.quote = sbl_serve_reading(&run->data, "quote");
        options.comment = sbl_serve_reading(&run->data, "comment");
        options.header = sbl_serve_reading(&run->data, "header");
        options.encoding = sbl_serve_reading(&run->data, "encoding");
        options.decimal = sbl_serve_reading(&run->data, "decimal");
        options.thousands = sbl_serve_reading(&run->data, "thousands");
    }
    sbl_status status = sbl_serve_run_records(path, run, package ? "/datapackage.json" : "", err);
    if (status == SBL_OK) status = sbl_serve_folder_full(full, place->root, path, err);
    return status == SBL_OK ? sbl_data_open(data, full, &options, err) : status;
}
