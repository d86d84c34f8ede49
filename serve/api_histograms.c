/* Columns and Result: a histogram of each column, of real records (NOT PRIVATE) or of the rows that a run made. */
#include <stdlib.h>
#include <string.h>

#include "../cli/output.h"
#include "dataset.h"
#include "runs.h"
#include "semblance/data.h"
#include "semblance/evaluate.h"
#include "semblance/memory.h"
#include "semblance/synthesizer.h"
#include "server.h"

/* The rows of a run and their schema. The name of a run may hold the sign of a database's table, which means nothing in it.
 * Out: schema  free() */
static sbl_status find_run(sbl_serve_dataset *set, char **schema, sbl_serve_server *server,
                           const char *folder, sbl_error *err)
{
    char file[SBL_FOLDER_PATH_SIZE];
    size_t length = 0;
    sbl_serve_run run;
    memset(set, 0, sizeof *set);
    sbl_status status = sbl_serve_run_load(&run, server->root, folder, err);
    if (status == SBL_OK && run.data.kind != SBL_KIND_TABLE)
        status = sbl_cli_fail(err, SBL_EARG, "%s: histograms exist for single tables only", folder);
    if (status == SBL_OK) status = sbl_serve_run_records(set->path, &run, "", err);
    if (status == SBL_OK) status = sbl_serve_run_schema_path(file, &run, err);
    if (status != SBL_OK) return status;
    return sbl_serve_folder_read(schema, &length, server->root, file, SBL_SERVE_MOST_SCHEMA, err);
}

/* Real records, for a request that says that it knows what they are. */
static sbl_status find_real(sbl_serve_dataset *set, char **schema, sbl_serve_server *server,
                            const sbl_serve_request *request, sbl_error *err)
{
    const char *path = NULL, *known = sbl_serve_request_text_or_null(request, "label");
    sbl_status status = sbl_serve_request_text(&path, request, "path", err);
    if (status == SBL_OK && (known == NULL || strcmp(known, "NOT PRIVATE") != 0))
        status = sbl_cli_fail(
            err, SBL_EARG, "histograms of real records are NOT PRIVATE: ask with \"label\": \"NOT PRIVATE\"");
    if (status == SBL_OK) status = sbl_serve_dataset_find(set, server->root, path, err);
    return status == SBL_OK ? sbl_serve_request_schema(schema, request, err) : status;
}

sbl_status sbl_serve_api_histograms(sbl_serve_server *server, const sbl_serve_request *request,
                                    sbl_serve_answer *answer, sbl_error *err)
{
    char *text = NULL, *found = NULL;
    const char *run = sbl_serve_request_text_or_null(request, "run");
    sbl_serve_dataset set;
    sbl_schema *schema = NULL;
    sbl_data *data = NULL;
    sbl_status status =
        run != NULL ? find_run(&set, &text, server, run, err) : find_real(&set, &text, server, request, err);
    if (status == SBL_OK) status = sbl_schema_from_json(&schema, text, strlen(text), NULL, err);
    if (status == SBL_OK) status = sbl_serve_dataset_open(&data, &set, server->root, server->engine, err);
    if (status == SBL_OK) status = sbl_data_histograms(&found, data, schema, err);
    if (status == SBL_OK) answer->json = json_loads(found, 0, NULL);
    if (status == SBL_OK && run == NULL)
        (void)json_object_set_new(answer->json, "label", json_string("NOT PRIVATE"));
    sbl_data_free(data);
    sbl_schema_free(schema);
    sbl_free(found);
    free(text);
    return status;
}
