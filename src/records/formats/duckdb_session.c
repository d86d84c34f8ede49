/* SPDX-License-Identifier: Apache-2.0 */
/* A database in memory that may read the files of one table and nothing else, and the columns of that
 * table. */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "records/formats/database.h"
#include "records/formats/duckdb.h"

/* ---- columns ---- */

/* Names and types of the columns that FROM gives. */
static sbl_status describe(sbl_engine_column **columns, size_t *count, const sbl_engine_session *session,
                           const char *from, const char *name, sbl_error *err)
{
    const sbl_engine *engine = session->open.engine;
    sbl_engine_result result = {0};
    sbl_text sql = {0};
    sbl_status status = SBL_OK;
    sbl_text_printf(&sql, "SELECT * FROM %s LIMIT 0", from);
    SBL_TRY(sbl_text_check(&sql, name, err));
    if (engine->query(session->open.connection, sql.data, &result) != 0)
        SBL_TRY(sbl_engine_refuse(name, err));
    const uint64_t found = engine->column_count(&result);
    SBL_ALLOC(*columns, (size_t)found + 1, "the names of columns");
    for (; *count < found; ++*count)
        SBL_TRY(sbl_engine_column_read(&(*columns)[*count], engine, &result, *count, err));
done:
    engine->destroy_result(&result);
    sbl_text_clear(&sql);
    return status;
}

static void clear_columns(sbl_engine_column *columns, size_t count)
{
    for (size_t i = 0; columns != NULL && i < count; i++) sbl_engine_column_clear(&columns[i]);
    sbl_free(columns);
}

/* The columns of some files, from the first of them on. */
static sbl_status append_files(sbl_text *from, const sbl_strings *files, size_t first, size_t count,
                               sbl_error *err)
{
    sbl_text_printf(from, "read_parquet([");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) sbl_text_printf(from, ", ");
        sbl_engine_append_file(from, files->items[first + i]);
    }
    /* Values in the names of folders are texts, unchanged. */
    sbl_text_printf(from, "], hive_partitioning = true, hive_types_autocast = false)");
    return sbl_text_check(from, "a list of files", err);
}

/* Of many files DuckDB takes the columns of the first and casts the others to them, which would depend on cells. */
static sbl_status check_same(const sbl_engine_session *session, const sbl_strings *files, size_t file,
                             const char *name, sbl_error *err)
{
    sbl_engine_column *columns = NULL;
    size_t count = 0;
    sbl_text from = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(append_files(&from, files, file, 1, err));
    SBL_TRY(describe(&columns, &count, session, from.data, name, err));
    if (count != session->count)
        SBL_FAIL(err, SBL_EINPUT, "%s: its files do not have the same columns", name);
    for (size_t i = 0; i < count; i++)
        if (!sbl_engine_column_is_same(&columns[i], &session->columns[i]))
            SBL_FAIL(err, SBL_EINPUT,
                     "%s: its files do not have the same columns: '%.100s' is missing in one of them, or has "
                     "another place or type",
                     name, session->columns[i].name);
done:
    clear_columns(columns, count);
    sbl_text_clear(&from);
    return status;
}

/* ---- sessions ---- */

sbl_status sbl_engine_session_open_files(sbl_engine_session *session, const sbl_engine *engine,
                                         const sbl_strings *files, const char *name, sbl_error *err)
{
    *session = (sbl_engine_session){0};
    SBL_CHECK(sbl_engine_open(&session->open, engine, NULL, (const char *const *)files->items, files->count,
                              name, err));
    SBL_CHECK(append_files(&session->from, files, 0, files->count, err));
    SBL_CHECK(describe(&session->columns, &session->count, session, session->from.data, name, err));
    for (size_t i = 0; files->count > 1 && i < files->count; i++)
        SBL_CHECK(check_same(session, files, i, name, err));
    return SBL_OK;
}

sbl_status sbl_engine_check(const char *engine, sbl_error *err)
{
    static const char name[] = "Parquet";
    sbl_engine loaded = {0};
    sbl_engine_connection connection;
    SBL_CHECK(sbl_engine_load(&loaded, engine, name, err));
    const sbl_status status = sbl_engine_open(&connection, &loaded, NULL, NULL, 0, name, err);
    sbl_engine_close(&connection);
    return status;
}

/* ---- databases ---- */

/* The one number that a question gives; -1: it failed. */
static int64_t ask_number(const sbl_engine_session *session, const char *sql)
{
    const sbl_engine *engine = session->open.engine;
    sbl_engine_result result = {0};
    int64_t number = -1;
    if (engine->query(session->open.connection, sql, &result) == 0) {
        void *chunk = engine->fetch_chunk(result);
        if (chunk != NULL && engine->data_chunk_get_size(chunk) == 1)
            memcpy(&number, engine->vector_get_data(engine->data_chunk_get_vector(chunk, 0)), sizeof number);
        if (chunk != NULL) engine->destroy_data_chunk(&chunk);
    }
    engine->destroy_result(&result);
    return number;
}

/* Is there such a table, whose columns are all stored: no view, and none that is generated from others, which may
 * fail of a cell? schema may be NULL: the usual one. */
static sbl_status find_table(sbl_engine_session *session, const char *schema, const char *table,
                             int64_t *kind, sbl_error *err)
{
    sbl_text sql = {0};
    sbl_status status = SBL_OK;
    sbl_text_printf(&sql,
                    "SELECT coalesce(max(k), 0)::BIGINT FROM (SELECT CASE WHEN "
                    "contains(sql, ' GENERATED ALWAYS ') THEN 2 ELSE 1 END AS k, database_name AS "
                    "d, schema_name AS s, table_name AS t FROM duckdb_tables() UNION ALL SELECT "
                    "2, database_name, schema_name, view_name FROM duckdb_views()) WHERE d = "
                    "current_database() AND s = ");
    sbl_sql_quote(&sql, schema != NULL ? schema : "main", '\'');
    sbl_text_printf(&sql, " AND t = ");
    sbl_sql_quote(&sql, table, '\'');
    SBL_TRY(sbl_text_check(&sql, "a table", err));
    *kind = ask_number(session, sql.data);
done:
    sbl_text_clear(&sql);
    return status;
}

/* NAME, or SCHEMA.NAME where there is none of the whole name. */
static sbl_status name_table(sbl_engine_session *session, const char *table, const char *name, sbl_error *err)
{
    char *schema = NULL;
    const char *point = strchr(table, '.'), *inner = table;
    int64_t kind = 0;
    sbl_status status = SBL_OK;
    SBL_TRY(find_table(session, NULL, table, &kind, err));
    if (kind == 0 && point != NULL) {
        SBL_TRY(sbl_copy_text(&schema, table, "a table", err));
        schema[point - table] = '\0';
        inner = point + 1;
        SBL_TRY(find_table(session, schema, inner, &kind, err));
    }
    if (kind < 0) SBL_TRY(sbl_engine_refuse(name, err));
    if (kind == 0) SBL_TRY(sbl_database_no_table(name, table, err));
    if (kind == 2) SBL_TRY(sbl_database_no_rows_of_its_own(name, table, err));
    sbl_sql_quote(&session->from, schema != NULL ? schema : "main", '"');
    sbl_text_printf(&session->from, ".");
    sbl_sql_quote(&session->from, inner, '"');
done:
    sbl_free(schema);
    return status;
}

/* Is it one statement, by itself? In brackets it may seem to be another. */
static bool is_statement(const sbl_engine_session *session, const char *query)
{
    void *statement = NULL;
    const bool good = session->open.engine->prepare(session->open.connection, query, &statement) == 0;
    if (statement != NULL) session->open.engine->destroy_prepare(&statement);
    return good;
}

sbl_status sbl_engine_session_open_database(sbl_engine_session *session, const sbl_engine *engine,
                                            const char *path, const char *table, const char *query,
                                            const char *name, sbl_error *err)
{
    *session = (sbl_engine_session){0};
    SBL_CHECK(sbl_engine_open(&session->open, engine, path, NULL, 0, name, err));
    if (query != NULL && !is_statement(session, query)) SBL_CHECK(sbl_database_bad_query(name, err));
    if (query != NULL)
        sbl_text_printf(&session->from, "(%s\n)", query);
    else
        SBL_CHECK(name_table(session, table, name, err));
    SBL_CHECK(sbl_text_check(&session->from, "a query", err));
    const sbl_status status =
        describe(&session->columns, &session->count, session, session->from.data, name, err);
    return status == SBL_EINPUT && query != NULL ? sbl_database_bad_query(name, err) : status;
}

sbl_status sbl_engine_session_count(uint64_t *rows, const sbl_engine_session *session, const char *name,
                                    sbl_error *err)
{
    sbl_text sql = {0};
    sbl_status status = SBL_OK;
    sbl_text_printf(&sql, "SELECT count(*)::BIGINT FROM %s", session->from.data);
    SBL_TRY(sbl_text_check(&sql, name, err));
    const int64_t number = ask_number(session, sql.data);
    if (number < 0) SBL_TRY(sbl_engine_refuse(name, err));
    *rows = (uint64_t)number;
done:
    sbl_text_clear(&sql);
    return status;
}

void sbl_engine_session_close(sbl_engine_session *session)
{
    sbl_engine_close(&session->open);
    clear_columns(session->columns, session->count);
    sbl_text_clear(&session->from);
    *session = (sbl_engine_session){0};
}
