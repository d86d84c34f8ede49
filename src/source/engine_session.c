/* A database in memory that may read the files of one table, and the table's columns. */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "source/engine.h"

static sbl_status refuse(const char *name, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "%s cannot be read by DuckDB", name);
}

/* A text as SQL has it. */
static void append_quoted(sbl_text *sql, const char *text)
{
    sbl_text_append(sql, "'", 1);
    for (; *text != '\0'; text++)
        sbl_text_append(sql, *text == '\'' ? "''" : text, *text == '\'' ? 2 : 1);
    sbl_text_append(sql, "'", 1);
}

/* A file's name as a pattern that only it matches. */
static void append_pattern(sbl_text *sql, const char *path)
{
    sbl_text pattern = {0};
    for (; *path != '\0'; path++) {
        const bool special = strchr("*?[", *path) != NULL;
        sbl_text_printf(&pattern, special ? "[%c]" : "%c", *path);
    }
    append_quoted(sql, pattern.data != NULL ? pattern.data : "");
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
    for (size_t i = 0; good && i < sizeof settings / sizeof settings[0]; i++)
        good = engine->set_config(config, settings[i][0], settings[i][1]) == 0;
    if (!good)
        SBL_FAIL(err, SBL_EARG, "%s: the library of DuckDB lacks a setting: take version 1.5",
                 name);
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
        append_quoted(&allowed, files->items[i]);
        if (strpbrk(files->items[i], "*?[") == NULL) continue;
        sbl_text_printf(&allowed, ", ");
        append_pattern(&allowed, files->items[i]);
    }
    sbl_text_printf(&allowed, "]");
    SBL_TRY(sbl_text_check(&allowed, "a list of files", err));
    if (!run(session, allowed.data) || !run(session, "SET enable_external_access = false") ||
        !run(session, "SET lock_configuration = true"))
        SBL_FAIL(err, SBL_EARG, "%s: the library of DuckDB cannot be locked: take version 1.5",
                 name);
done:
    sbl_text_clear(&allowed);
    return status;
}

/* ---- columns ---- */

/* Names and types of what stands behind FROM. */
static sbl_status describe(sbl_engine_column **columns, size_t *count,
                           const sbl_engine_session *session, const char *from, const char *name,
                           sbl_error *err)
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
        append_pattern(from, files->items[first + i]);
    }
    /* Values in the names of folders are texts, as they stand there. */
    sbl_text_printf(from, "], hive_partitioning = true, hive_types_autocast = false)");
    return sbl_text_check(from, "a list of files", err);
}

/* Of many files DuckDB takes the columns of the first and casts the others to them, which would depend on cells. */
static sbl_status check_same(const sbl_engine_session *session, const sbl_strings *files,
                             size_t file, const char *name, sbl_error *err)
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
    sbl_status status = SBL_OK;
    *session = (sbl_engine_session){.engine = engine};
    SBL_TRY(open_database(session, NULL, name, err));
    SBL_TRY(lock(session, files, name, err));
    SBL_TRY(append_files(&session->from, files, 0, files->count, err));
    SBL_TRY(describe(&session->columns, &session->count, session, session->from.data, name, err));
    for (size_t i = 0; files->count > 1 && i < files->count; i++)
        SBL_TRY(check_same(session, files, i, name, err));
done:
    return status;
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
