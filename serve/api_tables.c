/* Open: which tables a database holds. Their names are its catalogue's, no record's; the library hands them out as the
 * categories of a query, each many times so that they count as such, with a sign in front so that none looks like a number. */
#include <string.h>

#include "../cli/output.h"
#include "dataset.h"
#include "server.h"

#define SIGN "t:"

static const char *const catalogues[] = {
    /* SQLite: tables that are stored, and none of its own. */
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 100) SELECT '" SIGN
    "' || name AS name FROM sqlite_master, r WHERE type = 'table' AND rootpage > 0 AND name NOT "
    "LIKE 'sqlite^_%' ESCAPE '^' ORDER BY name",
    /* DuckDB. */
    "SELECT '" SIGN
    "' || CASE WHEN schema_name = 'main' THEN '' ELSE schema_name || '.' END || table_name AS name "
    "FROM duckdb_tables(), range(100) WHERE database_name = current_database() AND NOT internal "
    "ORDER BY ALL",
};

static sbl_status ask(char **schema, sbl_serve_server *server, const char *path, const char *query,
                      sbl_error *err)
{
    sbl_data *data = NULL;
    char full[SBL_FULL_PATH_SIZE];
    sbl_data_options options;
    sbl_data_options_init(&options);
    options.query = query;
    options.one_row_per_person = true; /* they are nobody's */
    options.duckdb = server->engine;
    sbl_status status = sbl_serve_folder_full(full, server->root, path, err);
    if (status == SBL_OK) status = sbl_data_open(&data, full, &options, err);
    if (status == SBL_OK) status = sbl_schema_inspect(schema, NULL, data, NULL, false, err);
    sbl_data_free(data);
    return status;
}

static json_t *names_of(const char *text)
{
    json_t *schema = json_loads(text, 0, NULL), *names = json_array();
    const json_t *field = json_array_get(json_object_get(schema, "fields"), 0), *name;
    size_t i;
    json_array_foreach(json_object_get(json_object_get(field, "constraints"), "enum"), i, name)
    {
        const char *one = json_string_value(name);
        if (one != NULL && strncmp(one, SIGN, sizeof SIGN - 1) == 0)
            (void)json_array_append_new(names, json_string(one + sizeof SIGN - 1));
    }
    json_decref(schema);
    return names;
}

sbl_status sbl_serve_api_tables(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err)
{
    char *schema = NULL;
    const char *path = sbl_serve_request_query(request, "path");
    if (path == NULL || !sbl_serve_folder_path_is_good(path) || !sbl_serve_folder_has(server->root, path))
        return sbl_cli_fail(err, SBL_EIO, "'path' must name a database in the folder");
    sbl_status status = SBL_EINPUT;
    for (size_t i = 0; status != SBL_OK && i < sizeof catalogues / sizeof catalogues[0]; i++)
        status = ask(&schema, server, path, catalogues[i], err);
    if (status == SBL_OK) answer->json = json_pack("{s:o}", "tables", names_of(schema));
    sbl_free(schema);
    return status;
}
