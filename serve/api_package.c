/* SPDX-License-Identifier: Apache-2.0 */
/* Linked tables: several files that are inspected together (NOT PRIVATE), and the package that the owner accepts, kept beside them. */
#include <stdlib.h>
#include <string.h>

#include "../cli/output.h"
#include "dataset.h"
#include "request_package.h"
#include "semblance/data.h"
#include "semblance/synthesizer.h"
#include "server.h"
#include "watch.h"

#define MOST_TABLES 32 /* of a package */

/* ---- several files at once ---- */

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (size_t)(slash + 1 - path) : 0;
}

/* A package names files of its own folder. */
static sbl_status file_names(const char *names[MOST_TABLES], size_t *count, const json_t *paths,
                             sbl_error *err)
{
    *count = json_array_size(paths);
    if (*count < 2 || *count > MOST_TABLES)
        return sbl_cli_fail(err, SBL_EARG, "'paths' must be a list of 2 to %d files", MOST_TABLES);
    for (size_t i = 0; i < *count; i++) {
        const json_t *path = json_array_get(paths, i);
        names[i] = json_string_value(path);
        if (names[i] == NULL || strlen(names[i]) != json_string_length(path))
            return sbl_cli_fail(err, SBL_EARG, "'paths' must be a list of texts");
        if (folder_length(names[i]) != folder_length(names[0]) ||
            strncmp(names[i], names[0], folder_length(names[0])) != 0)
            return sbl_cli_fail(err, SBL_EARG,
                                "%.200s is in another folder; put the files of a package into one folder",
                                names[i]);
    }
    return SBL_OK;
}

static sbl_status open_file(sbl_data **data, sbl_serve_watch *watch, const char *name, sbl_error *err)
{
    sbl_serve_server *server = watch->server;
    sbl_serve_dataset set;
    sbl_status status = sbl_serve_dataset_find(&set, server->root, name, err);
    if (status != SBL_OK) return status;
    if (set.kind != SBL_KIND_TABLE || sbl_serve_reading(&set, "table") != NULL)
        return sbl_cli_fail(err, SBL_EARG, "%s: a package is made of files that hold one table each", name);
    set.progress = sbl_serve_watch_rows;
    set.context = watch;
    return sbl_serve_dataset_open(data, &set, server->root, server->engine, err);
}

/* The library names whole paths; the package is beside its files. */
static void name_files(json_t *resources)
{
    json_t *resource;
    size_t i;
    json_array_foreach(resources, i, resource)
    {
        const char *path = json_string_value(json_object_get(resource, "path"));
        if (path != NULL)
            (void)json_object_set_new(resource, "path", json_string(path + folder_length(path)));
    }
}

static json_t *package_of(const char *text)
{
    json_t *package = json_loads(text, 0, NULL), *proposal;
    size_t i;
    name_files(json_object_get(package, "resources"));
    json_array_foreach(json_object_get(json_object_get(package, "semblance"), "proposals"), i, proposal)
        name_files(json_object_get(proposal, "resources"));
    return package;
}

static sbl_status inspect_files(sbl_serve_answer *answer, sbl_serve_watch *watch, const json_t *paths,
                                sbl_error *err)
{
    const char *names[MOST_TABLES];
    sbl_data *tables[MOST_TABLES] = {NULL}, *data = NULL;
    char *text = NULL, *notes = NULL;
    size_t count = 0, opened = 0;
    sbl_status status = file_names(names, &count, paths, err);
    for (; status == SBL_OK && opened < count; opened++)
        status = open_file(&tables[opened], watch, names[opened], err);
    if (status == SBL_OK) status = sbl_data_link(&data, tables, NULL, count, NULL, err);
    if (status == SBL_OK) status = sbl_schema_inspect(&text, &notes, data, NULL, false, err);
    if (status == SBL_OK) {
        answer->json = json_pack("{s:o, s:s, s:s}", "package", package_of(text), "notes",
                                 notes != NULL ? notes : "", "label", "NOT PRIVATE");
        if (answer->json == NULL) status = sbl_cli_fail(err, SBL_EMEM, "out of memory for a package");
    }
    sbl_data_free(data);
    for (size_t i = 0; i < opened; i++) sbl_data_free(tables[i]);
    sbl_free(text);
    sbl_free(notes);
    return status;
}

sbl_status sbl_serve_api_inspect_files(sbl_serve_server *server, const sbl_serve_request *request,
                                       sbl_serve_answer *answer, sbl_error *err)
{
    sbl_serve_watch watch;
    sbl_serve_watch_begin(&watch, server, request);
    const sbl_status status = inspect_files(answer, &watch, json_object_get(request->body, "paths"), err);
    sbl_serve_watch_end(&watch);
    return status;
}

/* ---- the package beside its files ---- */

sbl_status sbl_serve_api_package(sbl_serve_server *server, const sbl_serve_request *request,
                                 sbl_serve_answer *answer, sbl_error *err)
{
    sbl_serve_dataset set;
    json_t *package = NULL;
    const char *path = sbl_serve_request_query(request, "path");
    if (path == NULL) return sbl_cli_fail(err, SBL_EARG, "'path' is missing");
    sbl_status status = sbl_serve_dataset_find(&set, server->root, path, err);
    if (status == SBL_OK && set.kind != SBL_KIND_PACKAGE)
        status = sbl_cli_fail(err, SBL_EARG, "%s is not a package of linked tables", path);
    if (status == SBL_OK) status = sbl_serve_package_read(&package, server->root, path, err);
    if (status == SBL_OK) answer->json = json_pack("{s:o}", "package", package);
    return status;
}

/* Every line of a table that was read from the records is accepted by itself. */
static sbl_status check_lines(const json_t *package, sbl_error *err)
{
    const json_t *resource;
    size_t i;
    json_array_foreach(json_object_get(package, "resources"), i, resource)
    {
        const json_t *schema = json_object_get(resource, "schema");
        const sbl_status status =
            sbl_serve_schema_is_inspected(schema) ? sbl_serve_check_accepted(schema, err) : SBL_OK;
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

/* Messages name the package as the owner does, not the file that is read for a moment. */
static void rename_in(sbl_error *err)
{
    for (char *at = err->message; (at = strstr(at, SBL_ENDING_UPLOAD)) != NULL;)
        memmove(at, at + sizeof SBL_ENDING_UPLOAD - 1, strlen(at + sizeof SBL_ENDING_UPLOAD - 1) + 1);
}

/* Proposals are taken or dropped by the library, which reads the package where its files are: under a name that is
 * never offered as data. */
static sbl_status decide(char **text, sbl_serve_server *server, const char *path, const char *given,
                         const char *take, sbl_error *err)
{
    char part[SBL_FOLDER_PATH_SIZE], full[SBL_FULL_PATH_SIZE], *words = NULL;
    sbl_status status = sbl_serve_name_beside(part, path, SBL_ENDING_UPLOAD, err);
    if (status == SBL_OK) status = sbl_serve_folder_full(full, server->root, part, err);
    if (status == SBL_OK) status = sbl_serve_folder_write_new(server->root, part, given, strlen(given), err);
    if (status != SBL_OK) return status;
    status = sbl_serve_package_check(server->root, part, err);
    if (status == SBL_OK) status = sbl_schema_accept(text, &words, full, take, NULL, false, err);
    sbl_serve_folder_remove(server->root, part);
    sbl_free(words);
    if (status != SBL_OK && err != NULL) rename_in(err);
    return status;
}

static sbl_status package_name(const char **path, const sbl_serve_request *request, sbl_error *err)
{
    const sbl_status status = sbl_serve_request_text(path, request, "path", err);
    if (status != SBL_OK) return status;
    if (!sbl_serve_folder_path_is_good(*path)) return sbl_serve_folder_refuse_path(err);
    if (sbl_serve_kind_by_name(*path, false) == SBL_KIND_PACKAGE) return SBL_OK;
    return sbl_cli_fail(err, SBL_EARG, "%s: the name of a package must end in datapackage.json", *path);
}

sbl_status sbl_serve_api_package_save(sbl_serve_server *server, const sbl_serve_request *request,
                                      sbl_serve_answer *answer, sbl_error *err)
{
    char *given = NULL, *text = NULL;
    const char *path = NULL, *take = sbl_serve_request_text_or_null(request, "take");
    const json_t *package = json_object_get(request->body, "package");
    sbl_status status = package_name(&path, request, err);
    if (status == SBL_OK && !json_is_array(json_object_get(package, "resources")))
        status =
            sbl_cli_fail(err, SBL_EARG, "'package' must be a Data Package with resources, a JSON object");
    if (status == SBL_OK) status = check_lines(package, err);
    if (status == SBL_OK && (given = json_dumps(package, JSON_INDENT(2))) == NULL)
        status = sbl_cli_fail(err, SBL_EMEM, "out of memory for a package");
    if (status == SBL_OK) status = decide(&text, server, path, given, take, err);
    if (status == SBL_OK) status = sbl_serve_folder_keep(server->root, path, text, err);
    if (status == SBL_OK)
        answer->json = json_pack("{s:s, s:o}", "path", path, "package", json_loads(text, 0, NULL));
    free(given);
    sbl_free(text);
    return status;
}
