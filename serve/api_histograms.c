/* SPDX-License-Identifier: Apache-2.0 */
/* Columns: a histogram of each column of real records, NOT PRIVATE. */
#include <stdlib.h>
#include <string.h>

#include "../cli/output.h"
#include "dataset.h"
#include "semblance/data.h"
#include "semblance/evaluate.h"
#include "semblance/memory.h"
#include "server.h"

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
    sbl_serve_dataset set;
    sbl_schema *schema = NULL;
    sbl_data *data = NULL;
    sbl_status status = find_real(&set, &text, server, request, err);
    if (status == SBL_OK) status = sbl_schema_from_json(&schema, text, strlen(text), NULL, err);
    if (status == SBL_OK) status = sbl_serve_dataset_open(&data, &set, server->root, server->engine, err);
    if (status == SBL_OK) status = sbl_data_histograms(&found, data, schema, err);
    if (status == SBL_OK) answer->json = json_loads(found, 0, NULL);
    if (status == SBL_OK) (void)json_object_set_new(answer->json, "label", json_string("NOT PRIVATE"));
    sbl_data_free(data);
    sbl_schema_free(schema);
    sbl_free(found);
    free(text);
    return status;
}
