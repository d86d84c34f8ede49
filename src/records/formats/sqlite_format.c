/* SPDX-License-Identifier: Apache-2.0 */
/* A table of an SQLite file as a format of tables (records/rows/table.h), cell by cell.
 *
 * The library is opened when the first such table is read, never linked; the functions that are called are
 * declared here, as its documentation gives them. The file is opened read-only and as `immutable`: without
 * locks, and without the journal of a writing program, so a file that has a journal is refused. Extensions,
 * triggers, views and functions of the file's own schema are off.
 *
 * A cell has the type that it is stored as, whatever its column declares; nothing is converted. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/text.h"
#include "records/formats/database.h"

/* ---- the library ---- */

typedef struct sqlite_calls {
    int (*open_v2)(const char *uri, void **database, int flags, const char *vfs);
    int (*close)(void *database);
    int (*db_config)(void *database, int option, ...);
    int (*limit)(void *database, int limit, int value);
    int (*prepare_v2)(void *database, const char *sql, int size, void **statement, const char **rest);
    int (*stmt_readonly)(void *statement);
    int (*bind_text)(void *statement, int index, const char *text, int size, void (*owner)(void *));
    int (*step)(void *statement);
    int (*finalize)(void *statement);
    int (*column_count)(void *statement);
    const char *(*column_name)(void *statement, int column);
    int (*column_type)(void *statement, int column);
    int64_t (*column_int64)(void *statement, int column);
    double (*column_double)(void *statement, int column);
    const unsigned char *(*column_text)(void *statement, int column);
    int (*column_bytes)(void *statement, int column);
} sqlite_calls;

#define CALL(name)                                     \
    {                                                  \
        "sqlite3_" #name, offsetof(sqlite_calls, name) \
    }
static const sbl_library_call calls[] = {
    CALL(open_v2),      CALL(close),         CALL(db_config),   CALL(limit),
    CALL(prepare_v2),   CALL(stmt_readonly), CALL(bind_text),   CALL(step),
    CALL(finalize),     CALL(column_count),  CALL(column_name), CALL(column_type),
    CALL(column_int64), CALL(column_double), CALL(column_text), CALL(column_bytes),
};

/* Values of sqlite3.h. */
enum {
    SQLITE_ROW = 100,
    SQLITE_DONE = 101,
    SQLITE_OPEN_READONLY = 0x1,
    SQLITE_OPEN_URI = 0x40,
    SQLITE_INTEGER = 1,
    SQLITE_FLOAT = 2,
    SQLITE_TEXT = 3,
    SQLITE_NULL = 5,
    SQLITE_LIMIT_ATTACHED = 7
};
/* Settings of a connection and what they are set to. */
static const int settings[][2] = {
    {1010, 1}, /* defensive: the file cannot reach into the library */
    {1017, 0}, /* trusted_schema */
    {1005, 0}, /* load_extension */
    {1003, 0}, /* triggers */
    {1015, 0}, /* views */
};

/* ---- readings ---- */

typedef struct sqlite_reading {
    sqlite_calls calls;
    void *database, *statement;
    char *texts; /* of the row at hand */
    size_t used, capacity;
    size_t columns;
    bool ended;       /* a statement that is stepped on would begin again */
    const char *name; /* of the table, for messages; borrowed */
} sqlite_reading;

static void close_reading(void *state)
{
    sqlite_reading *reading = state;
    if (reading == NULL) return;
    if (reading->statement != NULL) (void)reading->calls.finalize(reading->statement);
    if (reading->database != NULL) (void)reading->calls.close(reading->database);
    sbl_free_wiped(reading->texts, reading->capacity);
    sbl_free(reading);
}

/* SQLite's own words may quote what it read. */
static sbl_status refuse(const sqlite_reading *reading, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "SQLite cannot read %s", reading->name);
}

/* ---- opening ---- */

/* A journal would be passed over. */
static sbl_status check_no_journal(const char *path, const char *name, sbl_error *err)
{
    static const char *const endings[] = {"-wal", "-journal"};
    sbl_text journal = {0};
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < 2; i++) {
        struct stat seen;
        sbl_text_clear(&journal);
        sbl_text_printf(&journal, "%s%s", path, endings[i]);
        SBL_TRY(sbl_text_check(&journal, "a file name", err));
        if (stat(journal.data, &seen) != 0 || seen.st_size == 0) continue;
        SBL_FAIL(err, SBL_EINPUT,
                 "%s has a journal: a program is writing to it, or did not close it; read a copy made with "
                 "sqlite3's .backup",
                 name);
    }
done:
    sbl_text_clear(&journal);
    return status;
}

static void write_uri(sbl_text *uri, const char *path)
{
    sbl_text_printf(uri, "file:");
    for (; *path != '\0'; path++) {
        const bool plain = (*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z') ||
                           (*path >= '0' && *path <= '9') || strchr("/._-", *path) != NULL;
        sbl_text_printf(uri, plain ? "%c" : "%%%02X", (unsigned char)*path);
    }
    sbl_text_printf(uri, "?mode=ro&immutable=1");
}

static sbl_status open_file(sqlite_reading *reading, const sbl_database *from, sbl_error *err)
{
    const sqlite_calls *sqlite = &reading->calls;
    sbl_text uri = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(check_no_journal(from->place, reading->name, err));
    write_uri(&uri, from->place);
    SBL_TRY(sbl_text_check(&uri, "a file name", err));
    if (sqlite->open_v2(uri.data, &reading->database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) != 0)
        SBL_FAIL(err, SBL_EIO, "cannot open %s", reading->name);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (sqlite->db_config(reading->database, settings[i][0], settings[i][1], (int *)NULL) != 0)
            SBL_FAIL(err, SBL_EARG, "%s: this SQLite library lacks a setting: install version 3.31 or newer",
                     reading->name);
    (void)sqlite->limit(reading->database, SQLITE_LIMIT_ATTACHED, 0);
done:
    sbl_text_clear(&uri);
    return status;
}

/* Is there a table of that name, of rows that are stored: no view, no virtual table? */
static sbl_status check_table(sqlite_reading *reading, const char *table, sbl_error *err)
{
    const sqlite_calls *sqlite = &reading->calls;
    void *statement = NULL;
    sbl_status status = SBL_OK;
    if (sqlite->prepare_v2(reading->database,
                           "SELECT type = 'table' AND rootpage > 0 FROM sqlite_master WHERE name = "
                           "?1 COLLATE NOCASE AND type IN ('table', 'view')",
                           -1, &statement, NULL) != 0 ||
        sqlite->bind_text(statement, 1, table, -1, NULL) != 0)
        SBL_TRY(refuse(reading, err));
    const int found = sqlite->step(statement);
    if (found != SQLITE_ROW && found != SQLITE_DONE) SBL_TRY(refuse(reading, err));
    if (found == SQLITE_DONE) SBL_TRY(sbl_database_no_table(reading->name, table, err));
    if (sqlite->column_int64(statement, 0) == 0)
        SBL_TRY(sbl_database_no_rows_of_its_own(reading->name, table, err));
done:
    if (statement != NULL) (void)sqlite->finalize(statement);
    return status;
}

/* The columns that are stored: a generated one is an expression, which may fail of a cell. */
static sbl_status write_select(sqlite_reading *reading, sbl_text *sql, const char *table, sbl_error *err)
{
    const sqlite_calls *sqlite = &reading->calls;
    void *statement = NULL;
    int found = SQLITE_DONE;
    sbl_status status = SBL_OK;
    if (sqlite->prepare_v2(reading->database,
                           "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden IN (0, 3)", -1, &statement,
                           NULL) != 0 ||
        sqlite->bind_text(statement, 1, table, -1, NULL) != 0)
        SBL_TRY(refuse(reading, err));
    while ((found = sqlite->step(statement)) == SQLITE_ROW) {
        const char *column = (const char *)sqlite->column_text(statement, 0);
        if (column == NULL) SBL_TRY(sbl_no_memory(err, "the names of columns"));
        sbl_text_printf(sql, sql->length == 0 ? "SELECT " : ", ");
        sbl_sql_quote(sql, column, '"');
    }
    SBL_TRY(sbl_text_check(sql, "the names of columns", err));
    if (found != SQLITE_DONE || sql->length == 0) SBL_TRY(refuse(reading, err));
    sbl_text_printf(sql, " FROM main.");
    sbl_sql_quote(sql, table, '"');
    sbl_text_printf(sql, " NOT INDEXED"); /* the order of the table's own tree, in every reading */
    status = sbl_text_check(sql, "the names of columns", err);
done:
    if (statement != NULL) (void)sqlite->finalize(statement);
    return status;
}

static sbl_status select_rows(sqlite_reading *reading, const sbl_database *from, sbl_error *err)
{
    const sqlite_calls *sqlite = &reading->calls;
    sbl_text sql = {0};
    const char *query = from->query, *rest = "";
    sbl_status status = SBL_OK;
    if (query == NULL) {
        SBL_TRY(check_table(reading, from->table, err));
        SBL_TRY(write_select(reading, &sql, from->table, err));
        query = sql.data;
    }
    const bool good = sqlite->prepare_v2(reading->database, query, -1, &reading->statement, &rest) == 0 &&
                      reading->statement != NULL;
    if (!good || rest[strspn(rest, " \t\r\n;")] != '\0' || sqlite->stmt_readonly(reading->statement) == 0 ||
        sqlite->column_count(reading->statement) < 1)
        SBL_TRY(from->query != NULL ? sbl_database_bad_query(reading->name, err) : refuse(reading, err));
done:
    sbl_text_clear(&sql);
    return status;
}

/* The file; *opened is to be closed, also on failure. */
static sbl_status open_database(sqlite_reading **opened, const sbl_table *table, sbl_error *err)
{
    static const char *const places[] = {"libsqlite3.so.0", "libsqlite3.so", NULL};
    const sbl_database *from = table->state;
    sqlite_reading *reading = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(reading, 1, table->name);
    *opened = reading;
    reading->name = table->name;
    SBL_TRY(sbl_library_load(&reading->calls, from->driver, places, calls, sizeof calls / sizeof calls[0],
                             "SQLite's library", table->name, err));
    SBL_TRY(open_file(reading, from, err));
done:
    return status;
}

/* Of a table by one question; of a query, whose number of rows is never public, row by row. */
static sbl_status count_rows(uint64_t *rows, const sbl_table *table, const sbl_dialect *dialect,
                             const sbl_schema *schema, sbl_error *err)
{
    const sbl_database *from = table->state;
    sqlite_reading *reading = NULL;
    sbl_text sql = {0};
    int found = SQLITE_ROW;
    sbl_status status = SBL_OK;
    (void)dialect;
    (void)schema;
    SBL_TRY(open_database(&reading, table, err));
    SBL_TRY(select_rows(reading, from, err));
    if (from->query == NULL) {
        (void)reading->calls.finalize(reading->statement);
        reading->statement = NULL;
        sbl_text_printf(&sql, "SELECT count(*) FROM main.");
        sbl_sql_quote(&sql, from->table, '"');
        sbl_text_printf(&sql, " NOT INDEXED");
        SBL_TRY(sbl_text_check(&sql, "a table", err));
        if (reading->calls.prepare_v2(reading->database, sql.data, -1, &reading->statement, NULL) != 0 ||
            reading->calls.step(reading->statement) != SQLITE_ROW)
            SBL_TRY(refuse(reading, err));
        *rows = (uint64_t)reading->calls.column_int64(reading->statement, 0);
        goto done;
    }
    while ((found = reading->calls.step(reading->statement)) == SQLITE_ROW) ++*rows;
    if (found != SQLITE_DONE) status = refuse(reading, err);
done:
    sbl_text_clear(&sql);
    close_reading(reading);
    return status;
}

static sbl_status open_cells(void **state, const sbl_table *table, const sbl_dialect *dialect,
                             sbl_strings *names, sbl_error *err)
{
    sqlite_reading *reading = NULL;
    sbl_status status = SBL_OK;
    (void)dialect;
    *state = NULL;
    SBL_TRY(open_database(&reading, table, err));
    SBL_TRY(select_rows(reading, table->state, err));
    reading->columns = (size_t)reading->calls.column_count(reading->statement);
    bool good = sbl_strings_reserve(names, reading->columns);
    for (size_t i = 0; good && i < reading->columns; i++) {
        const char *column = reading->calls.column_name(reading->statement, (int)i);
        good = column != NULL && sbl_strings_add(names, column);
    }
    if (!good) SBL_TRY(sbl_no_memory(err, "the names of columns"));
    *state = reading;
    reading = NULL;
done:
    close_reading(reading);
    return status;
}

/* ---- rows ---- */

/* A text moves when the next one is read, and no readable bytes follow it: it is copied. Its address is
 * only known after the row was read. */
static bool copy_text(sqlite_reading *reading, sbl_cell *cell, int column)
{
    const unsigned char *text = reading->calls.column_text(reading->statement, column);
    const size_t length = (size_t)reading->calls.column_bytes(reading->statement, column);
    const size_t needed = reading->used + length + SBL_CELL_PADDING;
    if (text == NULL) return false;
    if (needed > reading->capacity) {
        char *larger = sbl_alloc_array(needed, 2);
        if (larger == NULL) return false;
        if (reading->used > 0) memcpy(larger, reading->texts, reading->used);
        sbl_free_wiped(reading->texts, reading->capacity);
        reading->texts = larger;
        reading->capacity = 2 * needed;
    }
    memcpy(reading->texts + reading->used, text, length);
    cell->sort = length <= SBL_CELL_MOST_TEXT ? SBL_CELL_IS_TEXT : SBL_CELL_IS_LONG;
    cell->large = reading->used;
    cell->length = length;
    reading->used += length;
    return true;
}

static bool read_cell(sqlite_reading *reading, sbl_cell *cell, int column)
{
    const sqlite_calls *sqlite = &reading->calls;
    *cell = (sbl_cell){.sort = SBL_CELL_IS_UNREADABLE}; /* a blob */
    switch (sqlite->column_type(reading->statement, column)) {
    case SQLITE_INTEGER:
        cell->sort = SBL_CELL_IS_INTEGER;
        cell->whole = sqlite->column_int64(reading->statement, column);
        return true;
    case SQLITE_FLOAT:
        cell->sort = SBL_CELL_IS_NUMBER;
        cell->number = sqlite->column_double(reading->statement, column);
        return true;
    case SQLITE_TEXT:
        return copy_text(reading, cell, column);
    case SQLITE_NULL:
        cell->sort = SBL_CELL_IS_MISSING;
        return true;
    default:
        return true;
    }
}

static sbl_status next_cells(void *state, sbl_cell *cells, bool *more, sbl_error *err)
{
    sqlite_reading *reading = state;
    const int found = reading->ended ? SQLITE_DONE : reading->calls.step(reading->statement);
    reading->ended = found == SQLITE_DONE;
    *more = found == SQLITE_ROW;
    if (found == SQLITE_DONE) return SBL_OK;
    if (found != SQLITE_ROW) return refuse(reading, err);
    reading->used = 0;
    for (size_t i = 0; i < reading->columns; i++)
        if (!read_cell(reading, &cells[i], (int)i)) return sbl_no_memory(err, "a row");
    for (size_t i = 0; i < reading->columns; i++)
        if (cells[i].sort == SBL_CELL_IS_TEXT || cells[i].sort == SBL_CELL_IS_LONG)
            cells[i].text = reading->texts + cells[i].large;
    return SBL_OK;
}

const sbl_format sbl_sqlite_format = {.open = open_cells,
                                      .next = next_cells,
                                      .close = close_reading,
                                      .count = count_rows,
                                      .drop = sbl_database_free};
