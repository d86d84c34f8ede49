/* SPDX-License-Identifier: Apache-2.0 */
/* Data: which data sets, ledgers and certificates the folder holds; a file that is dropped on the page; the demo. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../cli/output.h"
#include "dataset.h"
#include "demo.h"
#include "runs.h"
#include "semblance/files.h"
#include "semblance/version.h"
#include "server.h"

/* What a name says that a file is. */
typedef enum file_kind {
    FILE_OTHER,
    FILE_TABLE,
    FILE_DATABASE,
    FILE_PACKAGE,
    FILE_IMAGES, /* one file of many */
    FILE_LABELS,
    FILE_PICTURE, /* one image */
    FILE_LEDGER,
    FILE_CERTIFICATE,
    FILE_OURS /* kept beside others */
} file_kind;

/* The first that fits counts. */
static const struct {
    const char *ending;
    file_kind kind;
} endings[] = {
    {SBL_ENDING_LEDGER, FILE_LEDGER},
    {SBL_ENDING_CERTIFICATE, FILE_CERTIFICATE},
    {SBL_ENDING_SCHEMA, FILE_OURS},
    {SBL_ENDING_READING, FILE_OURS},
    {"datapackage.json", FILE_PACKAGE},
    {".csv", FILE_TABLE},
    {".tsv", FILE_TABLE},
    {".csv.gz", FILE_TABLE},
    {".tsv.gz", FILE_TABLE},
    {".parquet", FILE_TABLE},
    {".pq", FILE_TABLE},
    {".parq", FILE_TABLE},
    {".sav", FILE_TABLE},
    {".zsav", FILE_TABLE},
    {".dta", FILE_TABLE},
    {".sas7bdat", FILE_TABLE},
    {".xpt", FILE_TABLE},
    {".json", FILE_TABLE},
    {".ndjson", FILE_TABLE},
    {".jsonl", FILE_TABLE},
    {".json.gz", FILE_TABLE},
    {".ndjson.gz", FILE_TABLE},
    {".jsonl.gz", FILE_TABLE},
    {".sqlite", FILE_DATABASE},
    {".sqlite3", FILE_DATABASE},
    {".db", FILE_DATABASE},
    {".duckdb", FILE_DATABASE},
    {"-idx1-ubyte", FILE_LABELS},
    {"-idx1-ubyte.gz", FILE_LABELS},
    {"-ubyte", FILE_IMAGES},
    {"-ubyte.gz", FILE_IMAGES},
    {".idx", FILE_IMAGES},
    {".idx.gz", FILE_IMAGES},
    {".bin", FILE_IMAGES},
    {".bin.gz", FILE_IMAGES},
    {".png", FILE_PICTURE},
    {".jpg", FILE_PICTURE},
    {".jpeg", FILE_PICTURE},
};

static file_kind kind_of(const char *path)
{
    if (strcmp(path, "datapackage.json") == 0) return FILE_PACKAGE;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (sbl_serve_ends_with(path, endings[i].ending)) return endings[i].kind;
    return FILE_OTHER;
}

/* ---- what is there ---- */

typedef struct listing {
    json_t *of_kind[FILE_OURS]; /* by file_kind; NULL: not listed */
    json_t *folders;            /* by path: how many images, other files and folders with images each holds */
} listing;

static json_t *folder_counts(listing *all, const char *path, size_t length)
{
    char name[SBL_FOLDER_PATH_SIZE];
    (void)snprintf(name, sizeof name, "%.*s", (int)length, path);
    json_t *counts = json_object_get(all->folders, name);
    if (counts == NULL) {
        counts = json_pack("{s:i, s:i, s:i}", "images", 0, "others", 0, "sets", 0);
        (void)json_object_set_new(all->folders, name, counts);
    }
    return counts;
}

static json_int_t count_up(json_t *counts, const char *name)
{
    json_t *count = json_object_get(counts, name);
    (void)json_integer_set(count, json_integer_value(count) + 1);
    return json_integer_value(count);
}

static size_t parent_length(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/') length--;
    return length > 0 ? length - 1 : 0;
}

static void count_file(listing *all, const char *path, bool is_image)
{
    const size_t folder = parent_length(path, strlen(path));
    if (folder == 0) return;
    const json_int_t count = count_up(folder_counts(all, path, folder), is_image ? "images" : "others");
    const size_t above = parent_length(path, folder);
    if (is_image && count == 1 && above > 0) (void)count_up(folder_counts(all, path, above), "sets");
}

static void list_entry(void *context, const sbl_serve_folder_entry *entry)
{
    listing *all = context;
    if (entry->is_folder || sbl_serve_is_partial(entry->path)) return;
    const file_kind kind = kind_of(entry->path);
    const bool of_run = strstr(entry->path, SBL_RUNS_ENDING "/") != NULL;
    if (of_run && kind != FILE_CERTIFICATE) return;
    if (!of_run) count_file(all, entry->path, kind == FILE_PICTURE);
    if (kind >= FILE_OURS || all->of_kind[kind] == NULL) return;
    (void)json_array_append_new(all->of_kind[kind], json_pack("{s:s, s:I}", "path", entry->path, "changed",
                                                              (json_int_t)entry->changed));
}

/* Is a folder one of images alone, or of such folders, one for each class? */
static bool is_set(const json_t *counts)
{
    const json_int_t images = json_integer_value(json_object_get(counts, "images"));
    const json_int_t others = json_integer_value(json_object_get(counts, "others"));
    const json_int_t sets = json_integer_value(json_object_get(counts, "sets"));
    return others == 0 && ((images > 0 && sets == 0) || (images == 0 && sets > 1));
}

/* Folders of images; one that is a class of another is not listed beside it. */
static void list_folders(const listing *all)
{
    const char *path;
    json_t *counts;
    json_object_foreach(all->folders, path, counts)
    {
        char above[SBL_FOLDER_PATH_SIZE];
        (void)snprintf(above, sizeof above, "%.*s", (int)parent_length(path, strlen(path)), path);
        if (!is_set(counts) || is_set(json_object_get(all->folders, above))) continue;
        (void)json_array_append_new(all->of_kind[FILE_IMAGES], json_pack("{s:s}", "path", path));
    }
}

sbl_status sbl_serve_api_files(sbl_serve_server *server, const sbl_serve_request *request,
                               sbl_serve_answer *answer, sbl_error *err)
{
    static const struct {
        const char *name;
        file_kind kind;
    } lists[] = {{"tables", FILE_TABLE},
                 {"databases", FILE_DATABASE},
                 {"packages", FILE_PACKAGE},
                 {"images", FILE_IMAGES},
                 {"labels", FILE_LABELS},
                 {"ledgers", FILE_LEDGER},
                 {"certificates", FILE_CERTIFICATE}};
    listing all = {.folders = json_object()};
    (void)request;
    answer->json = json_pack("{s:s, s:s, s:b}", "version", sbl_version(), "folder", server->folder_name,
                             "demo", sbl_serve_demo_is_there());
    if (answer->json == NULL) {
        json_decref(all.folders);
        return sbl_cli_fail(err, SBL_EMEM, "out of memory for a list");
    }
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        all.of_kind[lists[i].kind] = json_array();
        (void)json_object_set_new(answer->json, lists[i].name, all.of_kind[lists[i].kind]);
    }
    sbl_serve_folder_walk(server->root, list_entry, &all);
    list_folders(&all);
    json_decref(all.folders);
    return SBL_OK;
}

/* ---- the demo ---- */

sbl_status sbl_serve_api_demo(sbl_serve_server *server, const sbl_serve_request *request,
                              sbl_serve_answer *answer, sbl_error *err)
{
    (void)request;
    if (!sbl_serve_demo_is_there()) return sbl_cli_fail(err, SBL_EARG, "this build has no demo");
    const sbl_status status = sbl_serve_demo_write(server->root, err);
    if (status == SBL_OK) answer->json = json_pack("{s:s}", "path", SBL_DEMO_TABLE);
    return status;
}

/* ---- a file that is dropped on the page ---- */

/* What may be dropped on the page: data, and nothing that the program keeps beside it. */
static bool is_taken(file_kind kind)
{
    return kind == FILE_TABLE || kind == FILE_DATABASE || kind == FILE_IMAGES || kind == FILE_LABELS;
}

static sbl_status upload_name(const char **name, const sbl_serve_request *request, sbl_error *err)
{
    *name = sbl_serve_request_query(request, "name");
    if (*name != NULL && sbl_serve_folder_path_is_good(*name) && strchr(*name, '/') == NULL &&
        strlen(*name) <= 200 && is_taken(kind_of(*name)))
        return SBL_OK;
    return sbl_cli_fail(
        err, SBL_EARG,
        "a file must have a plain name that says what it is, and ends in .csv, "
        ".tsv, .json, .ndjson, .parquet, .sav, .dta, .sas7bdat, .xpt, .sqlite, .duckdb, -ubyte "
        "or .bin, or with "
        ".gz behind it");
}

sbl_status sbl_serve_upload_begin(int *fd, sbl_serve_server *server, const sbl_serve_request *request,
                                  sbl_error *err)
{
    char part[SBL_FOLDER_PATH_SIZE];
    const char *name = NULL;
    struct stat found;
    *fd = -1;
    sbl_status status = upload_name(&name, request, err);
    if (status == SBL_OK) status = sbl_serve_name_beside(part, name, SBL_ENDING_UPLOAD, err);
    if (status != SBL_OK) return status;
    if (fstatat(server->root, name, &found, AT_SYMLINK_NOFOLLOW) == 0)
        return sbl_cli_fail(
            err, SBL_EARG,
            "%s: exists already and is not overwritten; rename your file, or remove the old one", name);
    *fd = sbl_serve_open_beneath(server->root, part, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (*fd >= 0) {
        (void)flock(*fd, LOCK_EX | LOCK_NB); /* another server leaves it alone */
        return SBL_OK;
    }
    if (errno == EEXIST)
        return sbl_cli_fail(err, SBL_EBUSY,
                            "%s: is there: this file is being received by another request, or was "
                            "not received whole; wait, or remove %s and upload the file again",
                            part, part);
    return sbl_cli_fail(err, SBL_EIO, "%s: cannot be written", part);
}

void sbl_serve_upload_drop(sbl_serve_server *server, const sbl_serve_request *request)
{
    char part[SBL_FOLDER_PATH_SIZE];
    const char *name = NULL;
    if (upload_name(&name, request, NULL) == SBL_OK &&
        sbl_serve_name_beside(part, name, SBL_ENDING_UPLOAD, NULL) == SBL_OK)
        (void)unlinkat(server->root, part, 0);
}

/* A plain file of an upload that no server works on any more. */
static void sweep_entry(void *context, const sbl_serve_folder_entry *entry)
{
    const int root = *(const int *)context;
    int fd = -1;
    if (entry->is_folder || !sbl_serve_ends_with(entry->path, SBL_ENDING_UPLOAD) ||
        sbl_serve_folder_file(&fd, NULL, root, entry->path, NULL) != SBL_OK)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) sbl_serve_folder_remove(root, entry->path);
    (void)close(fd);
}

void sbl_serve_upload_sweep(int root) { sbl_serve_folder_list(root, NULL, sweep_entry, &root); }

sbl_status sbl_serve_api_upload(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err)
{
    char part[SBL_FOLDER_PATH_SIZE];
    const char *name = NULL;
    sbl_status status = upload_name(&name, request, err);
    if (status == SBL_OK) status = sbl_serve_name_beside(part, name, SBL_ENDING_UPLOAD, err);
    if (status == SBL_OK) status = sbl_serve_folder_rename_new(server->root, part, name, err);
    if (status == SBL_OK) answer->json = json_pack("{s:s}", "path", name);
    return status;
}
