/* SPDX-License-Identifier: Apache-2.0 */
/* Columns: a schema that is read from the records (NOT PRIVATE), checked, accepted and kept beside its table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../cli/output.h"
#include "dataset.h"
#include "request_package.h"
#include "semblance/data.h"
#include "semblance/files.h"
#include "semblance/synthesizer.h"
#include "server.h"
#include "watch.h"

/* The records that a request names, read as was kept or as this request says. */
static sbl_status open_table(sbl_data **data, sbl_serve_watch *watch, const char *path, sbl_error *err)
{
    sbl_serve_server *server = watch->server;
    sbl_serve_dataset set;
    const json_t *reading = json_object_get(watch->request->body, "reading");
    *data = NULL;
    sbl_status status = sbl_serve_dataset_find(&set, server->root, path, err);
    if (status == SBL_OK && set.kind == SBL_KIND_IMAGES)
        status = sbl_cli_fail(err, SBL_EARG, "%s: images have no columns", path);
    if (status == SBL_OK && reading != NULL) status = sbl_serve_reading_take(&set, reading, err);
    set.person = sbl_serve_request_text_or_null(watch->request, "person");
    set.progress = sbl_serve_watch_rows;
    set.context = watch;
    return status == SBL_OK ? sbl_serve_dataset_open(data, &set, server->root, server->engine, err) : status;
}

sbl_status sbl_serve_api_inspect(sbl_serve_server *server, const sbl_serve_request *request,
                                 sbl_serve_answer *answer, sbl_error *err)
{
    sbl_data *data = NULL;
    const char *path = NULL;
    char *schema = NULL, *notes = NULL;
    sbl_serve_watch watch;
    if (json_object_get(request->body, "paths") != NULL)
        return sbl_serve_api_inspect_files(server, request, answer, err);
    sbl_status status = sbl_serve_request_text(&path, request, "path", err);
    sbl_serve_watch_begin(&watch, server, request);
    if (status == SBL_OK) status = open_table(&data, &watch, path, err);
    if (status == SBL_OK) status = sbl_schema_inspect(&schema, &notes, data, NULL, false, err);
    if (status == SBL_OK) {
        answer->json = json_pack("{s:o, s:s, s:s}", "schema", json_loads(schema, 0, NULL), "notes",
                                 notes != NULL ? notes : "", "label", "NOT PRIVATE");
        if (answer->json == NULL) status = sbl_cli_fail(err, SBL_EMEM, "out of memory for a schema");
    }
    sbl_serve_watch_end(&watch);
    sbl_data_free(data);
    sbl_free(schema);
    sbl_free(notes);
    return status;
}

/* ---- kept beside the table ---- */

/* Out: kept  what is there, NULL: nothing */
static sbl_status read_kept(json_t **kept, sbl_serve_server *server, const char *path, sbl_error *err)
{
    char *text = NULL;
    size_t length = 0;
    *kept = NULL;
    if (!sbl_serve_folder_has(server->root, path)) return SBL_OK;
    sbl_status status = sbl_serve_folder_read(&text, &length, server->root, path, SBL_SERVE_MOST_SCHEMA, err);
    if (status == SBL_OK) *kept = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    free(text);
    if (status != SBL_OK || json_is_object(*kept)) return status;
    json_decref(*kept);
    *kept = NULL;
    return sbl_cli_fail(err, SBL_EINPUT, "%s is not a schema", path);
}

/* About how many rows there are, by the size of the file and the lines at its beginning, to one digit: a first number for
 * the plan that the owner sees. 0: not known. */
static double estimate_rows(sbl_serve_server *server, const char *path)
{
    static const size_t most = (size_t)1 << 18;
    int fd = -1;
    uint64_t size = 0;
    double lines = 0.0;
    if (!(sbl_serve_ends_with(path, ".csv") || sbl_serve_ends_with(path, ".tsv")) ||
        sbl_serve_folder_file(&fd, &size, server->root, path, NULL) != SBL_OK)
        return 0.0;
    char *bytes = malloc(most);
    const ssize_t got = bytes != NULL ? read(fd, bytes, most) : 0;
    for (ssize_t i = 0; i < got; i++) lines += bytes[i] == '\n';
    free(bytes);
    (void)close(fd);
    if (got <= 0 || lines < 2.0) return 0.0;
    const double rows = lines * (double)size / (double)got;
    const double unit = pow(10.0, floor(log10(rows)));
    return unit * floor(rows / unit + 0.5);
}

/* It depends on the records, whatever neighbours are. */
static json_t *rows_about(sbl_serve_server *server, const char *path)
{
    const double rows = estimate_rows(server, path);
    return rows > 0.0 ? json_pack("{s:f, s:s}", "rows", rows, "label", "NOT PRIVATE") : json_null();
}

sbl_status sbl_serve_api_schema(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err)
{
    char file[SBL_FOLDER_PATH_SIZE];
    json_t *kept = NULL;
    sbl_serve_dataset set;
    const char *path = sbl_serve_request_query(request, "path");
    if (path == NULL) return sbl_cli_fail(err, SBL_EARG, "'path' is missing");
    sbl_status status = sbl_serve_name_beside(file, path, SBL_ENDING_SCHEMA, err);
    if (status == SBL_OK) status = sbl_serve_dataset_begin(&set, server->root, path, err);
    if (status == SBL_OK && set.kind != SBL_KIND_TABLE)
        status = sbl_cli_fail(err, SBL_EARG, "%s is not a single table", path);
    if (status == SBL_OK) status = read_kept(&kept, server, file, err);
    if (status == SBL_OK)
        answer->json =
            json_pack("{s:b, s:o, s:o?}", "inspected", kept != NULL && sbl_serve_schema_is_inspected(kept),
                      "rows_about", rows_about(server, path), "schema", kept);
    return status;
}

/* Proposals are taken or dropped by the library, which reads a file: one that has no name. */
static sbl_status decide(char **text, const char *take, sbl_error *err)
{
    char path[40], *decided = NULL, *words = NULL;
    const int file = memfd_create("schema", MFD_CLOEXEC);
    const size_t length = strlen(*text);
    sbl_status status = SBL_OK;
    if (file < 0 || write(file, *text, length) != (ssize_t)length)
        status = sbl_cli_fail(err, SBL_EMEM, "out of memory for a schema");
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (status == SBL_OK) status = sbl_schema_accept(&decided, &words, path, take, NULL, false, err);
    if (status == SBL_OK) {
        free(*text);
        *text = strdup(decided);
        if (*text == NULL) status = sbl_cli_fail(err, SBL_EMEM, "out of memory for a schema");
    }
    if (file >= 0) (void)close(file);
    sbl_free(decided);
    sbl_free(words);
    return status;
}

sbl_status sbl_serve_check_accepted(const json_t *schema, sbl_error *err)
{
    const json_t *field;
    size_t i;
    json_array_foreach(json_object_get(schema, "fields"), i, field)
    {
        const json_t *name = json_object_get(field, "name");
        if (json_object_get(json_object_get(field, "semblance"), "origin") != NULL)
            return sbl_cli_fail(err, SBL_EARG,
                                "column '%.80s' is not accepted as public yet; accept it, or change it",
                                json_is_string(name) ? json_string_value(name) : "");
    }
    return SBL_OK;
}

static sbl_status check_text(const char *text, sbl_error *err)
{
    sbl_schema *schema = NULL;
    const sbl_status status = sbl_schema_from_json(&schema, text, strlen(text), NULL, err);
    sbl_schema_free(schema);
    return status;
}

sbl_status sbl_serve_api_schema_save(sbl_serve_server *server, const sbl_serve_request *request,
                                     sbl_serve_answer *answer, sbl_error *err)
{
    char file[SBL_FOLDER_PATH_SIZE], *text = NULL;
    const char *path = NULL, *take = sbl_serve_request_text_or_null(request, "take");
    sbl_serve_dataset set;
    sbl_status status = sbl_serve_request_text(&path, request, "path", err);
    if (status == SBL_OK) status = sbl_serve_dataset_begin(&set, server->root, path, err);
    if (status == SBL_OK && set.kind != SBL_KIND_TABLE)
        status = sbl_cli_fail(err, SBL_EARG, "%s is not a single table", path);
    if (status == SBL_OK) status = sbl_serve_name_beside(file, path, SBL_ENDING_SCHEMA, err);
    if (status == SBL_OK) status = sbl_serve_request_schema(&text, request, err);
    if (status == SBL_OK) status = check_text(text, err);
    const json_t *schema = json_object_get(request->body, "schema");
    if (status == SBL_OK && sbl_serve_schema_is_inspected(schema)) {
        status = sbl_serve_check_accepted(schema, err);
        if (status == SBL_OK) status = decide(&text, take, err);
    }
    if (status == SBL_OK) status = sbl_serve_folder_keep(server->root, file, text, err);
    if (status == SBL_OK)
        answer->json = json_pack("{s:s, s:o}", "file", file, "schema", json_loads(text, 0, NULL));
    free(text);
    return status;
}

/* ---- check ---- */

/* Linked tables bring their schemas. */
static sbl_status read_package(sbl_schema **schema, sbl_serve_server *server, const char *path,
                               sbl_error *err)
{
    sbl_serve_dataset set;
    sbl_status status = sbl_serve_dataset_find(&set, server->root, path, err);
    if (status == SBL_OK && set.kind != SBL_KIND_PACKAGE)
        status = sbl_cli_fail(err, SBL_EARG, "'schema' must be a Table Schema, a JSON object");
    return status == SBL_OK ? sbl_serve_package_schema(schema, server->root, set.path, err) : status;
}

sbl_status sbl_serve_api_check(sbl_serve_server *server, const sbl_serve_request *request,
                               sbl_serve_answer *answer, sbl_error *err)
{
    char *text = NULL, *words = NULL;
    sbl_schema *schema = NULL;
    sbl_data *data = NULL;
    sbl_serve_watch watch;
    const char *path = sbl_serve_request_text_or_null(request, "path");
    sbl_status status = SBL_OK;
    if (path != NULL && json_object_get(request->body, "schema") == NULL) {
        status = read_package(&schema, server, path, err);
    } else {
        status = sbl_serve_request_schema(&text, request, err);
        if (status == SBL_OK) status = sbl_schema_from_json(&schema, text, strlen(text), NULL, err);
    }
    sbl_serve_watch_begin(&watch, server, request);
    if (status == SBL_OK && path != NULL) status = open_table(&data, &watch, path, err);
    if (status == SBL_OK) status = sbl_schema_check(&words, schema, data, err);
    sbl_serve_watch_end(&watch);
    if (status == SBL_OK)
        answer->json = json_pack("{s:s, s:s?}", "text", words, "label", path != NULL ? "NOT PRIVATE" : NULL);
    sbl_free(words);
    sbl_schema_free(schema);
    sbl_data_free(data);
    free(text);
    return status;
}
