/* SPDX-License-Identifier: Apache-2.0 */
/* Data: which tables a database holds. */
#include <string.h>

#include "../cli/output.h"
#include "dataset.h"
#include "server.h"

/* Those that can be opened by name. */
static json_t *names_of(const char *tables)
{
    json_t *all = json_loads(tables, 0, NULL), *names = json_array();
    const json_t *one;
    size_t i;
    json_array_foreach(all, i, one) if (strcmp(json_string_value(json_object_get(one, "kind")), "table") ==
                                        0)(void) json_array_append(names, json_object_get(one, "name"));
    json_decref(all);
    return names;
}

sbl_status sbl_serve_api_tables(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err)
{
    char *tables = NULL, full[SBL_FULL_PATH_SIZE];
    sbl_data_options options;
    const char *path = sbl_serve_request_query(request, "path");
    if (path == NULL || !sbl_serve_folder_path_is_good(path) || !sbl_serve_folder_has(server->root, path))
        return sbl_cli_fail(err, SBL_EIO, "'path' must name a database in the folder");
    sbl_data_options_init(&options);
    options.duckdb = server->engine;
    sbl_status status = sbl_serve_folder_full(full, server->root, path, err);
    if (status == SBL_OK) status = sbl_data_tables(&tables, full, &options, err);
    if (status == SBL_OK) answer->json = json_pack("{s:o}", "tables", names_of(tables));
    sbl_free(tables);
    return status;
}
