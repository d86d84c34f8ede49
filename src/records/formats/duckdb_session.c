/* A database in memory that may read the files of one table, and the table's columns. */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "records/formats/database.h"
#include "records/formats/duckdb.h"
#include "semblance/data.h"

static sbl_status refuse(const char *name, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "%s cannot be read by DuckDB", name);
}

void sbl_engine_append_file(sbl_text *sql, const char *path)
{
    sbl_text pattern = {0};
    for (; *path != '\0'; path++) {
        const bool special = strchr("*?[", *path) != NULL;
        sbl_text_printf(&pattern, special ? "[%c]" : "%c", *path);
    }
    sbl_database_quote(sql, pattern.data != NULL ? pattern.data : "", '\'');
    sql->failed |= pattern.failed;
    sbl_text_clear(&pattern);
}

static bool run(const sbl_engine_session *session, const char *sql)
{
    sbl_engine_result result = {0};
    const bool good = session->engine->query(session->connection, sql, &result) == 0;
    session->engine->destroy_result(&result);
    return good;
}

/* ---- locked down ---- */

static sbl_status open_database(sbl_engine_session *session, const char *path, const char *name,
                                sbl_error *err)
{
    /* No copies in memory of what was read, none on disk of what does not fit there. */
    static const char *const settings[][2] = {
        {"threads", "1"},
        {"temp_directory", ""},
        {"enable_external_file_cache", "false"},
        {"autoinstall_known_extensions", "false"},
        {"autoload_known_extensions", "false"},
        {"allow_community_extensions", "false"},
        {"allow_persistent_secrets", "false"},
    };
    const sbl_engine *engine = session->engine;
    void *config = NULL;
    char *message = NULL;
    sbl_status status = SBL_OK;
    bool good = engine->create_config(&config) == 0;
    if (good && path != NULL) good = engine->set_config(config, "access_mode", "READ_ONLY") == 0;
    for (size_t i = 0; good && i < sizeof settings / sizeof settings[0]; i++)
        good = engine->set_config(config, settings[i][0], settings[i][1]) == 0;
    if (!good) SBL_FAIL(err, SBL_EARG, "%s: the library of DuckDB lacks a setting: take version 1.5", name);
    if (engine->open_ext(path, &session->database, config, &message) != 0) {
        session->database = NULL;
        SBL_TRY(refuse(name, err));
    }
    if (engine->connect(session->database, &session->connection) != 0) {
        session->connection = NULL;
        SBL_TRY(sbl_no_memory(err, name));
    }
done:
    if (message != NULL) engine->free(message);
    if (config != NULL) engine->destroy_config(&config);
    return status;
}

/* files: all that may be opened from now on. */
static sbl_status lock(sbl_engine_session *session, const sbl_strings *files, const char *name,
                       sbl_error *err)
{
    sbl_text allowed = {0};
    sbl_status status = SBL_OK;
    sbl_text_printf(&allowed, "SET allowed_paths = [");
    for (size_t i = 0; i < files->count; i++) {
        if (i > 0) sbl_text_printf(&allowed, ", ");
        sbl_database_quote(&allowed, files->items[i], '\'');
        if (strpbrk(files->items[i], "*?[") == NULL) continue;
        sbl_text_printf(&allowed, ", ");
        sbl_engine_append_file(&allowed, files->items[i]);
    }
    sbl_text_printf(&allowed, "]");
    SBL_TRY(sbl_text_check(&allowed, "a list of files", err));
    if (!run(session, allowed.data) || !run(session, "SET enable_external_access = false") ||
        !run(session, "SET lock_configuration = true"))
        SBL_FAIL(err, SBL_EARG, "%s: the library of DuckDB cannot be locked: take version 1.5", name);
done:
    sbl_text_clear(&allowed);
    return status;
}

/* ---- columns ---- */

/* Names and types of what stands behind FROM. */
static sbl_status describe(sbl_engine_column **columns, size_t *count, const sbl_engine_session *session,
                           const char *from, const char *name, sbl_error *err)
{
    const sbl_engine *engine = session->engine;
    sbl_engine_result result = {0};
    sbl_text sql = {0};
    sbl_status status = SBL_OK;
    sbl_text_printf(&sql, "SELECT * FROM %s LIMIT 0", from);
    SBL_TRY(sbl_text_check(&sql, name, err));
    if (engine->query(session->connection, sql.data, &result) != 0) SBL_TRY(refuse(name, err));
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
    /* Values in the names of folders are texts, as they stand there. */
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
                     "%s: its files do not have the same columns: '%.100s' is not everywhere, in "
                     "another place or of another type",
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
    *session = (sbl_engine_session){.engine = engine};
    SBL_CHECK(open_database(session, NULL, name, err));
    SBL_CHECK(lock(session, files, name, err));
    SBL_CHECK(append_files(&session->from, files, 0, files->count, err));
    SBL_CHECK(describe(&session->columns, &session->count, session, session->from.data, name, err));
    for (size_t i = 0; files->count > 1 && i < files->count; i++)
        SBL_CHECK(check_same(session, files, i, name, err));
    return SBL_OK;
}

sbl_status sbl_engine_run_alone(const sbl_engine *engine, const sbl_strings *files, const char *sql,
                                const char *name, sbl_error *err)
{
    sbl_engine_session session = {.engine = engine};
    sbl_status status = SBL_OK;
    SBL_TRY(open_database(&session, NULL, name, err));
    SBL_TRY(lock(&session, files, name, err));
    if (!run(&session, sql)) SBL_FAIL(err, SBL_EIO, "%s could not be written by DuckDB", name);
done:
    sbl_engine_session_close(&session);
    return status;
}

sbl_status sbl_data_check_duckdb(const char *engine, sbl_error *err)
{
    static const char name[] = "Parquet";
    static const sbl_strings no_files = {0};
    sbl_engine loaded = {0};
    sbl_engine_session session = {.engine = &loaded};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_engine_load(&loaded, engine, name, err));
    SBL_TRY(open_database(&session, NULL, name, err));
    SBL_TRY(lock(&session, &no_files, name, err));
done:
    if (loaded.library != NULL) sbl_engine_session_close(&session);
    return status;
}

/* ---- databases ---- */

/* One number that a question about the catalogue gives; -1: it failed. */
static int64_t ask_number(const sbl_engine_session *session, const char *sql)
{
    const sbl_engine *engine = session->engine;
    sbl_engine_result result = {0};
    int64_t number = -1;
    if (engine->query(session->connection, sql, &result) == 0) {
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
    sbl_database_quote(&sql, schema != NULL ? schema : "main", '\'');
    sbl_text_printf(&sql, " AND t = ");
    sbl_database_quote(&sql, table, '\'');
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
    if (kind < 0) SBL_TRY(refuse(name, err));
    if (kind == 0) SBL_TRY(sbl_database_no_table(name, table, err));
    if (kind == 2) SBL_TRY(sbl_database_no_rows_of_its_own(name, table, err));
    sbl_database_quote(&session->from, schema != NULL ? schema : "main", '"');
    sbl_text_printf(&session->from, ".");
    sbl_database_quote(&session->from, inner, '"');
done:
    sbl_free(schema);
    return status;
}

/* Is it one statement, by itself? In brackets it may seem to be another. */
static bool is_statement(const sbl_engine_session *session, const char *query)
{
    void *statement = NULL;
    const bool good = session->engine->prepare(session->connection, query, &statement) == 0;
    if (statement != NULL) session->engine->destroy_prepare(&statement);
    return good;
}

sbl_status sbl_engine_session_open_database(sbl_engine_session *session, const sbl_engine *engine,
                                            const char *path, const char *table, const char *query,
                                            const char *name, sbl_error *err)
{
    static const sbl_strings no_files = {0};
    sbl_status status = SBL_OK;
    *session = (sbl_engine_session){.engine = engine};
    SBL_CHECK(open_database(session, path, name, err));
    SBL_CHECK(lock(session, &no_files, name, err));
    if (query != NULL && !is_statement(session, query)) SBL_CHECK(sbl_database_bad_query(name, err));
    if (query != NULL)
        sbl_text_printf(&session->from, "(%s\n)", query);
    else
        SBL_CHECK(name_table(session, table, name, err));
    SBL_CHECK(sbl_text_check(&session->from, "a query", err));
    status = describe(&session->columns, &session->count, session, session->from.data, name, err);
    if (status == SBL_EINPUT && query != NULL) return sbl_database_bad_query(name, err);
    return SBL_OK;
}

void sbl_engine_session_close(sbl_engine_session *session)
{
    const sbl_engine *engine = session->engine;
    if (session->connection != NULL) engine->disconnect(&session->connection);
    if (session->database != NULL) engine->close(&session->database);
    clear_columns(session->columns, session->count);
    sbl_text_clear(&session->from);
    *session = (sbl_engine_session){0};
}
