/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a database by its own catalogue (include/semblance/data.h): a query of names, read as any other query is. No table of
 * the database is read. */
#include "base/caller_struct.h"
#include "base/json.h"
#include "records/formats/database.h"
#include "records/rows/table.h"
#include "records/source/data_handle.h"

/* Each selects the name by which `table` finds it, and what it is. */
static const char *const catalogues[] = {
    [SBL_DATABASE_NONE] = "", /* sbl_data_open() refuses the file */
    [SBL_DATABASE_SQLITE] =
        "SELECT name, CASE WHEN type = 'table' AND rootpage > 0 THEN 'table' ELSE 'view' END AS kind "
        "FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite^_%' ESCAPE '^' "
        "ORDER BY name",
    [SBL_DATABASE_DUCKDB] =
        "SELECT CASE WHEN schema_name = 'main' THEN '' ELSE schema_name || '.' END || table_name AS name, "
        "'table' AS kind "
        "FROM duckdb_tables() WHERE database_name = current_database() AND NOT internal UNION ALL "
        "SELECT CASE WHEN schema_name = 'main' THEN '' ELSE schema_name || '.' END || view_name, 'view' "
        "FROM duckdb_views() WHERE database_name = current_database() AND NOT internal ORDER BY name",
    [SBL_DATABASE_SERVER] =
        "SELECT CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN '' ELSE n.nspname || '.' END || "
        "c.relname AS name, "
        "CASE WHEN c.relkind IN ('r', 'p') THEN 'table' ELSE 'view' END AS kind "
        "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        "WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'information_schema' AND n.nspname !~ "
        "'^pg_' "
        "ORDER BY name",
};

static json_t *text_of(const sbl_cell *cell)
{
    return cell->sort == SBL_CELL_IS_TEXT ? json_stringn(cell->text, cell->length) : NULL;
}

static sbl_status list_tables(json_t **list, const sbl_table *catalogue, sbl_error *err)
{
    const sbl_dialect dialect = SBL_DIALECT_USUAL;
    sbl_cell_reader cells = {0};
    bool more = false;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_cell_reader_open(&cells, catalogue, &dialect, err));
    *list = json_array();
    for (;;) {
        SBL_TRY(sbl_cell_reader_next(&cells, &more, err));
        if (!more) break;
        json_t *one = sbl_json_put(json_object(), "name", text_of(&cells.cells[0]));
        *list = sbl_json_append(*list, sbl_json_put(one, "kind", text_of(&cells.cells[1])));
        if (*list == NULL)
            SBL_FAIL(err, SBL_EINPUT, "%s: the name of a table is not text in UTF-8", catalogue->name);
    }
done:
    sbl_cell_reader_close(&cells);
    return status;
}

sbl_status sbl_data_tables(char **tables, const char *path, const sbl_data_options *options, sbl_error *err)
{
    sbl_data_options ours = {.struct_size = sizeof ours};
    sbl_database_kind kind;
    sbl_data *data = NULL;
    json_t *list = NULL;
    sbl_status status = SBL_OK;
    if (tables != NULL) *tables = NULL;
    SBL_NEED(tables);
    SBL_NEED(path);
    if (options != NULL) SBL_TRY(sbl_struct_take(&ours, sizeof ours, options, "options", err));
    if (ours.table != NULL || ours.query != NULL)
        SBL_FAIL(err, SBL_EARG, "%s: leave out table and query to list its tables", path);
    SBL_TRY(sbl_database_look(&kind, path, err));
    ours.query = catalogues[kind];
    SBL_TRY(sbl_data_open(&data, path, &ours, err));
    SBL_TRY(list_tables(&list, &data->table, err));
    *tables = sbl_json_canonical(list);
    if (*tables == NULL) SBL_TRY(sbl_no_memory(err, "the names of tables"));
done:
    json_decref(list);
    sbl_data_free(data);
    return status;
}
