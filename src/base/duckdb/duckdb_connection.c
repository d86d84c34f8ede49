/* SPDX-License-Identifier: Apache-2.0 */
/* Settings at opening, the list of allowed files, then the lock. */
#include "base/duckdb/duckdb_connection.h"

#include <string.h>

void sbl_sql_quote(sbl_text *sql, const char *text, char sign)
{
    sbl_text_append(sql, &sign, 1);
    for (; *text != '\0'; text++) {
        if (*text == sign) sbl_text_append(sql, &sign, 1);
        sbl_text_append(sql, text, 1);
    }
    sbl_text_append(sql, &sign, 1);
}

sbl_status sbl_engine_refuse(const char *name, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "DuckDB cannot read %s", name);
}

void sbl_engine_append_file(sbl_text *sql, const char *path)
{
    sbl_text pattern = {0};
    for (; *path != '\0'; path++) {
        const bool special = strchr("*?[", *path) != NULL;
        sbl_text_printf(&pattern, special ? "[%c]" : "%c", *path);
    }
    sbl_sql_quote(sql, pattern.data != NULL ? pattern.data : "", '\'');
    sql->failed |= pattern.failed;
    sbl_text_clear(&pattern);
}

static bool run(const sbl_engine_connection *on, const char *sql)
{
    sbl_engine_result result = {0};
    const bool good = on->engine->query(on->connection, sql, &result) == 0;
    on->engine->destroy_result(&result);
    return good;
}

/* ---- locked down ---- */

static sbl_status open_database(sbl_engine_connection *on, const char *path, const char *name, sbl_error *err)
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
    const sbl_engine *engine = on->engine;
    void *config = NULL;
    char *message = NULL;
    sbl_status status = SBL_OK;
    bool good = engine->create_config(&config) == 0;
    if (good && path != NULL) good = engine->set_config(config, "access_mode", "READ_ONLY") == 0;
    for (size_t i = 0; good && i < sizeof settings / sizeof settings[0]; i++)
        good = engine->set_config(config, settings[i][0], settings[i][1]) == 0;
    if (!good) SBL_FAIL(err, SBL_EARG, "%s: this DuckDB library lacks a setting: install version 1.5", name);
    if (engine->open_ext(path, &on->database, config, &message) != 0) {
        on->database = NULL;
        SBL_TRY(sbl_engine_refuse(name, err));
    }
    if (engine->connect(on->database, &on->connection) != 0) {
        on->connection = NULL;
        SBL_TRY(sbl_no_memory(err, name));
    }
done:
    if (message != NULL) engine->free(message);
    if (config != NULL) engine->destroy_config(&config);
    return status;
}

/* files: all that may be opened from now on. */
static sbl_status lock(sbl_engine_connection *on, const char *const *files, size_t count, const char *name,
                       sbl_error *err)
{
    sbl_text allowed = {0};
    sbl_status status = SBL_OK;
    sbl_text_printf(&allowed, "SET allowed_paths = [");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) sbl_text_printf(&allowed, ", ");
        sbl_sql_quote(&allowed, files[i], '\'');
        if (strpbrk(files[i], "*?[") == NULL) continue;
        sbl_text_printf(&allowed, ", ");
        sbl_engine_append_file(&allowed, files[i]);
    }
    sbl_text_printf(&allowed, "]");
    SBL_TRY(sbl_text_check(&allowed, "a list of files", err));
    if (!run(on, allowed.data) || !run(on, "SET enable_external_access = false") ||
        !run(on, "SET lock_configuration = true"))
        SBL_FAIL(err, SBL_EARG, "%s: this DuckDB library cannot be locked down: install version 1.5", name);
done:
    sbl_text_clear(&allowed);
    return status;
}

sbl_status sbl_engine_open(sbl_engine_connection *connection, const sbl_engine *engine, const char *path,
                           const char *const *files, size_t count, const char *name, sbl_error *err)
{
    *connection = (sbl_engine_connection){.engine = engine};
    SBL_CHECK(open_database(connection, path, name, err));
    return lock(connection, files, count, name, err);
}

void sbl_engine_close(sbl_engine_connection *connection)
{
    const sbl_engine *engine = connection->engine;
    if (connection->connection != NULL) engine->disconnect(&connection->connection);
    if (connection->database != NULL) engine->close(&connection->database);
    *connection = (sbl_engine_connection){0};
}

sbl_status sbl_engine_run(const sbl_engine_connection *connection, const char *sql, const char *name,
                          sbl_error *err)
{
    return run(connection, sql) ? SBL_OK : sbl_fail(err, SBL_EIO, "DuckDB could not write %s", name);
}

sbl_status sbl_engine_lend_stream(const sbl_engine_connection *connection, const char *table,
                                  struct ArrowArrayStream *stream, const char *name, sbl_error *err)
{
    return connection->engine->arrow_scan(connection->connection, table, stream) == 0
               ? SBL_OK
               : sbl_fail(err, SBL_EARG,
                          "%s: this DuckDB library takes no Arrow streams: install version 1.5", name);
}
