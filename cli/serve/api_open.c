/* Open: which tables, ledgers and certificates the folder holds; a file that is dropped on the page; the demo. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../output.h"
#include "demo.h"
#include "runs.h"
#include "semblance/files.h"
#include "semblance/version.h"
#include "server.h"

#define PART ".part"

static const char *const table_endings[] = {".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", NULL};

static bool is_table(const char *path)
{
    for (size_t i = 0; table_endings[i] != NULL; i++)
        if (sbl_serve_ends_with(path, table_endings[i])) return true;
    return false;
}

/* ---- what is there ---- */

typedef struct listing {
    json_t *tables;
    json_t *ledgers;
    json_t *certificates;
} listing;

static void list_entry(void *context, const sbl_serve_folder_entry *entry)
{
    listing *all = context;
    json_t *into = NULL;
    if (entry->is_folder) return;
    if (sbl_serve_ends_with(entry->path, SBL_ENDING_LEDGER)) into = all->ledgers;
    if (sbl_serve_ends_with(entry->path, SBL_ENDING_CERTIFICATE)) into = all->certificates;
    if (is_table(entry->path) && strstr(entry->path, SBL_RUNS_ENDING "/") == NULL)
        into = all->tables;
    if (into == NULL) return;
    (void)json_array_append_new(
        into, json_pack("{s:s, s:I, s:I}", "path", entry->path, "size", (json_int_t)entry->size,
                        "changed", (json_int_t)entry->changed));
}

sbl_status sbl_serve_api_files(sbl_serve_server *server, const sbl_serve_request *request,
                               sbl_serve_answer *answer, sbl_error *err)
{
    listing all = {json_array(), json_array(), json_array()};
    (void)request;
    sbl_serve_folder_walk(server->root, list_entry, &all);
    answer->json = json_pack("{s:s, s:s, s:b, s:o, s:o, s:o}", "version", sbl_version(), "folder",
                             server->folder_name, "demo", sbl_serve_demo_is_there(), "tables",
                             all.tables, "ledgers", all.ledgers, "certificates", all.certificates);
    return answer->json != NULL ? SBL_OK : sbl_cli_fail(err, SBL_EMEM, "out of memory for a list");
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

static sbl_status upload_name(const char **name, const sbl_serve_request *request, sbl_error *err)
{
    *name = sbl_serve_request_query(request, "name");
    if (*name != NULL && sbl_serve_folder_path_is_good(*name) && strchr(*name, '/') == NULL &&
        strlen(*name) <= 200 && is_table(*name))
        return SBL_OK;
    return sbl_cli_fail(err, SBL_EARG,
                        "a file must have a plain name that ends in .csv, .tsv, .csv.gz, .tsv.gz "
                        "or .parquet");
}

sbl_status sbl_serve_upload_begin(int *fd, sbl_serve_server *server,
                                  const sbl_serve_request *request, sbl_error *err)
{
    char part[SBL_FOLDER_PATH_SIZE];
    const char *name = NULL;
    struct stat found;
    *fd = -1;
    sbl_status status = upload_name(&name, request, err);
    if (status == SBL_OK) status = sbl_serve_name_beside(part, name, PART, err);
    if (status != SBL_OK) return status;
    if (fstatat(server->root, name, &found, AT_SYMLINK_NOFOLLOW) == 0)
        return sbl_cli_fail(err, SBL_EARG, "%s: is there already, and is not overwritten", name);
    *fd = sbl_serve_open_beneath(server->root, part, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (*fd >= 0) return SBL_OK;
    if (errno == EEXIST)
        return sbl_cli_fail(err, SBL_EBUSY, "%s: is being received, or was not received whole",
                            part);
    return sbl_cli_fail(err, SBL_EIO, "%s: cannot be written", part);
}

void sbl_serve_upload_drop(sbl_serve_server *server, const sbl_serve_request *request)
{
    char part[SBL_FOLDER_PATH_SIZE];
    const char *name = NULL;
    if (upload_name(&name, request, NULL) == SBL_OK &&
        sbl_serve_name_beside(part, name, PART, NULL) == SBL_OK)
        (void)unlinkat(server->root, part, 0);
}

sbl_status sbl_serve_api_upload(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err)
{
    char part[SBL_FOLDER_PATH_SIZE];
    const char *name = NULL;
    sbl_status status = upload_name(&name, request, err);
    if (status == SBL_OK) status = sbl_serve_name_beside(part, name, PART, err);
    if (status == SBL_OK) status = sbl_serve_folder_rename_new(server->root, part, name, err);
    if (status == SBL_OK) answer->json = json_pack("{s:s}", "path", name);
    return status;
}
