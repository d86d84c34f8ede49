/* SPDX-License-Identifier: Apache-2.0 */
/* Result: the files that a run made; real rows (NOT PRIVATE). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cli/output.h"
#include "comparison.h"
#include "runs.h"
#include "semblance/files.h"
#include "server.h"

#define HEAD_BYTES ((size_t)64 << 10) /* of a table that is shown */

/* ---- what a run made ---- */

/* What follows "NAME-K" in a name; NULL: it does not begin so. */
static const char *behind_number(const char *name, const char *start)
{
    const size_t length = strlen(start);
    if (strncmp(name, start, length) != 0) return NULL;
    const size_t digits = strspn(name + length, "0123456789");
    return digits >= 1 && digits <= 4 ? name + length + digits : NULL;
}

/* rows-1.csv, images-1.png, ... */
static bool is_drawn(const char *name)
{
    const char *rows = behind_number(name, SBL_RUN_ROWS);
    const char *images = behind_number(name, SBL_RUN_IMAGES);
    return (rows != NULL && strcmp(rows, ".csv") == 0) || (images != NULL && strcmp(images, ".png") == 0);
}

/* A file in a folder of images or of linked tables. */
static bool is_inside(const char *name)
{
    static const char folder[] = SBL_RUN_FOLDER;
    const char *end = behind_number(name, SBL_RUN_IMAGES);
    if (end == NULL) end = behind_number(name, SBL_RUN_TABLES);
    if (end == NULL && strncmp(name, folder, sizeof folder - 1) == 0) end = name + sizeof folder - 1;
    return end != NULL && end[0] == '/' && strchr(end + 1, '/') == NULL;
}

/* Files that are shown or handed out. All are public, but for comparisons, which say NOT PRIVATE. */
static bool is_result(const char *name)
{
    static const char *const names[] = {SBL_RUN_REPORT,
                                        SBL_RUN_PICTURES,
                                        SBL_RUN_TABLE,
                                        SBL_RUN_TABLE SBL_ENDING_CERTIFICATE,
                                        SBL_RUN_TABLE SBL_ENDING_SCHEMA,
                                        SBL_RUN_PARQUET,
                                        SBL_RUN_PARQUET SBL_ENDING_CERTIFICATE,
                                        SBL_RUN_PARQUET SBL_ENDING_SCHEMA,
                                        SBL_RUN_FOLDER SBL_ENDING_CERTIFICATE,
                                        SBL_RUN_PREVIEW,
                                        SBL_RUN_SCHEMA,
                                        SBL_RUN_MODEL};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0) return true;
    return is_drawn(name) || is_inside(name) || sbl_serve_is_comparison(name);
}

static const char *type_of(const char *name)
{
    static const char *const types[][2] = {{".html", "text/html; charset=utf-8"},
                                           {".csv", "text/csv; charset=utf-8"},
                                           {".json", "application/json"},
                                           {".png", "image/png"}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (sbl_serve_ends_with(name, types[i][0])) return types[i][1];
    return "application/octet-stream";
}

sbl_status sbl_serve_answer_head(sbl_serve_answer *answer, int fd, size_t most, const char *name,
                                 sbl_error *err)
{
    answer->bytes = malloc(most);
    const ssize_t got = answer->bytes != NULL ? read(fd, answer->bytes, most) : -1;
    (void)close(fd);
    if (got < 0) {
        free(answer->bytes);
        answer->bytes = NULL;
        return sbl_cli_fail(err, SBL_EIO, "%s: cannot be read", name);
    }
    answer->length = (size_t)got;
    return SBL_OK;
}

/* The beginning of a table, to its last whole line. */
static sbl_status answer_head(sbl_serve_answer *answer, int fd, const char *name, sbl_error *err)
{
    const sbl_status status = sbl_serve_answer_head(answer, fd, HEAD_BYTES, name, err);
    const bool is_cut = answer->length == HEAD_BYTES;
    while (is_cut && answer->length > 0 && answer->bytes[answer->length - 1] != '\n') answer->length--;
    return status;
}

/* "patients-1-synthetic.csv" of "patients.csv.runs/1/synthetic.csv". */
static void name_download(sbl_serve_answer *answer, const char *folder, const char *name)
{
    const size_t input = sbl_serve_run_input_length(folder);
    size_t begin = input;
    while (begin > 0 && folder[begin - 1] != '/') begin--;
    const size_t stem = strcspn(folder + begin, "./");
    (void)snprintf(answer->file_name, sizeof answer->file_name, "%.*s-%s-%s", (int)(stem < 100 ? stem : 100),
                   folder + begin, strrchr(folder, '/') + 1, name);
}

sbl_status sbl_serve_api_result(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE];
    const char *folder = sbl_serve_request_query(request, "run");
    const char *name = sbl_serve_request_query(request, "name");
    int fd = -1;
    if (folder == NULL || !sbl_serve_folder_path_is_good(folder) || sbl_serve_run_input_length(folder) == 0 ||
        name == NULL || !is_result(name))
        return sbl_cli_fail(err, SBL_EARG, "'run' and 'name' must name a file of a run");
    sbl_status status = sbl_serve_run_file(path, folder, name, err);
    if (status == SBL_OK) status = sbl_serve_folder_file(&fd, &answer->size, server->root, path, err);
    if (status != SBL_OK) return status;
    answer->type = type_of(name);
    if (sbl_serve_request_query(request, "head") != NULL) return answer_head(answer, fd, name, err);
    answer->fd = fd;
    const bool shown = sbl_serve_ends_with(name, ".html") || sbl_serve_ends_with(name, ".png");
    if (!shown || sbl_serve_request_query(request, "save") != NULL) name_download(answer, folder, name);
    return SBL_OK;
}

typedef struct result_list {
    json_t *files;
    size_t skip; /* of a path: the run's folder and its slash */
} result_list;

static void list_result(void *context, const sbl_serve_folder_entry *entry)
{
    const result_list *list = context;
    const char *name = entry->path + list->skip;
    if (entry->is_folder || !is_result(name)) return;
    (void)json_array_append_new(list->files,
                                json_pack("{s:s, s:I}", "name", name, "size", (json_int_t)entry->size));
}

/* What there is of a run. */
sbl_status sbl_serve_api_results(sbl_serve_server *server, const sbl_serve_request *request,
                                 sbl_serve_answer *answer, sbl_error *err)
{
    char inside[SBL_FOLDER_PATH_SIZE];
    const char *folder = sbl_serve_request_query(request, "run");
    sbl_serve_run run;
    if (folder == NULL) return sbl_cli_fail(err, SBL_EARG, "'run' is missing");
    sbl_status status = sbl_serve_run_load(&run, server->root, folder, err);
    if (status == SBL_OK) status = sbl_serve_run_file(inside, folder, SBL_RUN_FOLDER, err);
    if (status != SBL_OK) return status;
    result_list list = {json_array(), strlen(folder) + 1};
    sbl_serve_folder_list(server->root, folder, list_result, &list);
    sbl_serve_folder_list(server->root, inside, list_result, &list);
    answer->json = json_pack("{s:o}", "files", list.files);
    return SBL_OK;
}

/* ---- NOT PRIVATE ---- */

sbl_status sbl_serve_api_real_rows(sbl_serve_server *server, const sbl_serve_request *request,
                                   sbl_serve_answer *answer, sbl_error *err)
{
    const char *path = NULL;
    const char *known = sbl_serve_request_text_or_null(request, "label");
    int fd = -1;
    sbl_status status = sbl_serve_request_text(&path, request, "path", err);
    if (status == SBL_OK && (known == NULL || strcmp(known, "NOT PRIVATE") != 0))
        status =
            sbl_cli_fail(err, SBL_EARG, "real rows are NOT PRIVATE: ask with \"label\": \"NOT PRIVATE\"");
    if (status == SBL_OK && !sbl_serve_ends_with(path, ".csv") && !sbl_serve_ends_with(path, ".tsv"))
        status = sbl_cli_fail(err, SBL_EARG, "only rows of uncompressed CSV files can be shown");
    if (status == SBL_OK) status = sbl_serve_folder_file(&fd, NULL, server->root, path, err);
    return status == SBL_OK ? answer_head(answer, fd, path, err) : status;
}
