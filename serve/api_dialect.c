/* SPDX-License-Identifier: Apache-2.0 */
/* Columns: how a file is written, found in its first lines, so that a reading can be kept before anything is charged. NOT
 * PRIVATE: the lines are records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../cli/output.h"
#include "dataset.h"
#include "semblance/data.h"
#include "semblance/memory.h"
#include "server.h"

#define HEAD_BYTES ((size_t)256 << 10)

/* The first whole lines of a file, in one that has no name.   Out: fd  the caller's */
static sbl_status take_head(int *fd, sbl_serve_server *server, const char *path, sbl_error *err)
{
    int file = -1;
    char *bytes = malloc(HEAD_BYTES);
    sbl_status status = sbl_serve_folder_file(&file, NULL, server->root, path, err);
    const ssize_t got = status == SBL_OK && bytes != NULL ? read(file, bytes, HEAD_BYTES) : 0;
    size_t length = got > 0 ? (size_t)got : 0;
    while (length == HEAD_BYTES && length > 0 && bytes[length - 1] != '\n') length--;
    *fd = status == SBL_OK ? memfd_create("head", MFD_CLOEXEC) : -1;
    if (status == SBL_OK && (bytes == NULL || *fd < 0 || write(*fd, bytes, length) != (ssize_t)length))
        status = sbl_cli_fail(err, SBL_EMEM, "out of memory for the first lines of %s", path);
    if (file >= 0) (void)close(file);
    free(bytes);
    return status;
}

/* A plain text file is opened by its first lines alone; any other file as a whole. */
static sbl_status open_head(sbl_data **data, int *fd, sbl_serve_server *server, const char *path,
                            sbl_error *err)
{
    char name[40];
    sbl_serve_dataset set;
    sbl_data_options options;
    *data = NULL;
    sbl_status status = sbl_serve_dataset_find(&set, server->root, path, err);
    if (status == SBL_OK && set.kind != SBL_KIND_TABLE)
        status = sbl_cli_fail(err, SBL_EARG, "%s is not a single table", path);
    if (status != SBL_OK) return status;
    if (!sbl_serve_ends_with(path, ".csv") && !sbl_serve_ends_with(path, ".tsv"))
        return sbl_serve_dataset_open(data, &set, server->root, server->engine, err);
    sbl_data_options_init(&options);
    status = sbl_serve_reading_give(&options, &set, SBL_FORM_CSV, err);
    if (status == SBL_OK) status = take_head(fd, server, set.path, err);
    options.name = set.path;
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", *fd);
    return status == SBL_OK ? sbl_data_open(data, name, &options, err) : status;
}

sbl_status sbl_serve_api_dialect(sbl_serve_server *server, const sbl_serve_request *request,
                                 sbl_serve_answer *answer, sbl_error *err)
{
    const char *path = NULL;
    char *text = NULL;
    sbl_data *data = NULL;
    int fd = -1;
    sbl_status status = sbl_serve_request_text(&path, request, "path", err);
    if (status == SBL_OK) status = open_head(&data, &fd, server, path, err);
    if (status == SBL_OK) status = sbl_schema_inspect(&text, NULL, data, NULL, false, err);
    if (status == SBL_OK) {
        answer->json = json_pack("{s:o, s:s}", "schema", json_loads(text, 0, NULL), "label", "NOT PRIVATE");
        if (answer->json == NULL) status = sbl_cli_fail(err, SBL_EMEM, "out of memory for a schema");
    }
    sbl_data_free(data);
    if (fd >= 0) (void)close(fd);
    sbl_free(text);
    return status;
}
