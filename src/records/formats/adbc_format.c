/* SPDX-License-Identifier: Apache-2.0 */
/* A table of a PostgreSQL server as a format of tables (records/rows/table.h), read by an ADBC driver: a
 * library with the C functions of https://arrow.apache.org/adbc/, which gives rows as an Arrow stream. The
 * driver is opened when the first such table is read, never linked; the functions that are called are
 * declared here as the standard gives them.
 *
 * All readings of a handle happen in one read-only transaction, which sees the table as it was when the
 * first reading began, so the rounds of a run cannot see different rows. Rows come in the order of the
 * table's pages. No text of the server or the driver is passed on: it may quote cells, or the address,
 * which may hold a password. */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "records/formats/arrow_table.h"
#include "records/formats/arrow_type.h"
#include "records/formats/database.h"

/* ---- the library ---- */

typedef struct adbc_error {
    char *message;
    int32_t vendor_code;
    char sqlstate[5];
    void (*release)(struct adbc_error *error);
    void *private_data, *private_driver;
} adbc_error;

/* A database, a connection, a statement. */
typedef struct adbc_handle {
    void *private_data, *private_driver;
} adbc_handle;

typedef struct adbc_calls {
    uint8_t (*DatabaseNew)(adbc_handle *database, adbc_error *error);
    uint8_t (*DatabaseSetOption)(adbc_handle *database, const char *key, const char *value,
                                 adbc_error *error);
    uint8_t (*DatabaseInit)(adbc_handle *database, adbc_error *error);
    uint8_t (*DatabaseRelease)(adbc_handle *database, adbc_error *error);
    uint8_t (*ConnectionNew)(adbc_handle *connection, adbc_error *error);
    uint8_t (*ConnectionInit)(adbc_handle *connection, adbc_handle *database, adbc_error *error);
    uint8_t (*ConnectionRelease)(adbc_handle *connection, adbc_error *error);
    uint8_t (*StatementNew)(adbc_handle *connection, adbc_handle *statement, adbc_error *error);
    uint8_t (*StatementSetSqlQuery)(adbc_handle *statement, const char *sql, adbc_error *error);
    uint8_t (*StatementExecuteQuery)(adbc_handle *statement, struct ArrowArrayStream *rows, int64_t *changed,
                                     adbc_error *error);
    uint8_t (*StatementRelease)(adbc_handle *statement, adbc_error *error);
} adbc_calls;

#define CALL(name)                               \
    {                                            \
        "Adbc" #name, offsetof(adbc_calls, name) \
    }
static const sbl_library_call calls[] = {
    CALL(DatabaseNew),          CALL(DatabaseSetOption),     CALL(DatabaseInit),      CALL(DatabaseRelease),
    CALL(ConnectionNew),        CALL(ConnectionInit),        CALL(ConnectionRelease), CALL(StatementNew),
    CALL(StatementSetSqlQuery), CALL(StatementExecuteQuery), CALL(StatementRelease),
};

/* ---- sessions ---- */

typedef struct session {
    adbc_calls calls;
    adbc_handle database, connection;
    bool has_database, has_connection;
    bool is_read; /* a stream of it is open */
} session;

/* What a call said is thrown away. */
static bool worked(uint8_t status, adbc_error *error)
{
    if (error->release != NULL) error->release(error);
    *error = (adbc_error){0};
    return status == 0;
}

static void end_session(void *state)
{
    session *s = state;
    adbc_error error = {0};
    if (s == NULL) return;
    if (s->has_connection) (void)worked(s->calls.ConnectionRelease(&s->connection, &error), &error);
    if (s->has_database) (void)worked(s->calls.DatabaseRelease(&s->database, &error), &error);
    sbl_free(s);
}

/* A statement, and where it gives rows their stream. */
static bool execute(session *s, adbc_handle *statement, const char *sql, struct ArrowArrayStream *rows)
{
    adbc_error error = {0};
    int64_t changed = 0;
    *statement = (adbc_handle){0};
    if (!worked(s->calls.StatementNew(&s->connection, statement, &error), &error)) return false;
    if (worked(s->calls.StatementSetSqlQuery(statement, sql, &error), &error) &&
        worked(s->calls.StatementExecuteQuery(statement, rows, &changed, &error), &error))
        return true;
    (void)worked(s->calls.StatementRelease(statement, &error), &error);
    return false;
}

static bool run(session *s, const char *sql)
{
    adbc_handle statement;
    adbc_error error = {0};
    if (!execute(s, &statement, sql, NULL)) return false;
    return worked(s->calls.StatementRelease(&statement, &error), &error);
}

static bool connect_to(session *s, const char *place)
{
    static const char *const settings[] = {
        "SET client_min_messages = error", /* its words would go to standard error */
        "SET synchronize_seqscans = off",  /* begin with the first page, even if other sessions read */
        "SET max_parallel_workers_per_gather = 0",
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    };
    adbc_error error = {0};
    s->has_database = worked(s->calls.DatabaseNew(&s->database, &error), &error);
    if (!s->has_database || !worked(s->calls.DatabaseSetOption(&s->database, "uri", place, &error), &error) ||
        !worked(s->calls.DatabaseInit(&s->database, &error), &error))
        return false;
    s->has_connection = worked(s->calls.ConnectionNew(&s->connection, &error), &error);
    if (!s->has_connection || !worked(s->calls.ConnectionInit(&s->connection, &s->database, &error), &error))
        return false;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (!run(s, settings[i])) return false;
    return true;
}

static sbl_status begin_session(sbl_database *from, const char *name, sbl_error *err)
{
    static const char *const places[] = {"libadbc_driver_postgresql.so", NULL};
    session *s = from->session;
    sbl_status status = SBL_OK;
    if (s != NULL)
        return !s->is_read ? SBL_OK
                           : sbl_fail(err, SBL_EARG, "%s can be read by only one reader at a time", name);
    SBL_ALLOC(s, 1, name);
    SBL_TRY(sbl_library_load(&s->calls, from->driver, places, calls, sizeof calls / sizeof calls[0],
                             "an ADBC driver of PostgreSQL, libadbc_driver_postgresql.so", name, err));
    if (!connect_to(s, from->place))
        SBL_FAIL(err, SBL_EIO,
                 "cannot connect to %s: check the address, the user name, the password, and that the server "
                 "accepts connections",
                 name);
    from->session = s;
    from->end_session = end_session;
    s = NULL;
done:
    end_session(s);
    return status;
}

/* ---- a stream of rows ---- */

typedef struct rows_stream {
    session *from;
    adbc_handle statement;
    struct ArrowArrayStream rows;
} rows_stream;

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    rows_stream *own = stream->private_data;
    return own->rows.get_schema(&own->rows, out);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    rows_stream *own = stream->private_data;
    return own->rows.get_next(&own->rows, out);
}

static const char *no_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return NULL;
}

static void release_rows(struct ArrowArrayStream *stream)
{
    rows_stream *own = stream->private_data;
    adbc_error error = {0};
    if (own->rows.release != NULL) own->rows.release(&own->rows);
    (void)worked(own->from->calls.StatementRelease(&own->statement, &error), &error);
    own->from->is_read = false;
    sbl_free(own);
    stream->release = NULL;
}

/* Returns: SBL_OK; SBL_EINPUT: the server does not take the statement; SBL_EMEM */
static sbl_status select_rows(struct ArrowArrayStream *stream, session *s, const char *sql, const char *name,
                              sbl_error *err)
{
    rows_stream *own = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(own, 1, name);
    own->from = s;
    if (!execute(s, &own->statement, sql, &own->rows)) SBL_FAIL(err, SBL_EINPUT, "%s cannot be read", name);
    s->is_read = true;
    *stream = (struct ArrowArrayStream){get_schema, get_next, no_error, release_rows, own};
    own = NULL;
done:
    sbl_free(own);
    return status;
}

/* ---- which rows ---- */

/* The one number that a query gives; 0: no row. */
static sbl_status ask_number(int64_t *number, session *s, const char *sql, const char *name, sbl_error *err)
{
    struct ArrowArrayStream stream = {0};
    struct ArrowArray batch = {0};
    sbl_status status = SBL_OK;
    *number = 0;
    SBL_TRY(select_rows(&stream, s, sql, name, err));
    if (stream.get_next(&stream, &batch) != 0) SBL_TRY(sbl_arrow_stream_failed(name, err));
    if (batch.release != NULL && batch.length > 0 && batch.n_children == 1 &&
        batch.children[0]->n_buffers == 2)
        memcpy(
            number,
            (const char *)batch.children[0]->buffers[1] + (size_t)batch.children[0]->offset * sizeof *number,
            sizeof *number);
done:
    if (batch.release != NULL) batch.release(&batch);
    if (stream.release != NULL) stream.release(&stream);
    return status;
}

/* 0: no such table, 1: a table with rows of its own, 2: anything else. name: quoted as in SQL. */
static sbl_status find_table(int64_t *kind, session *s, const sbl_text *quoted, const char *name,
                             sbl_error *err)
{
    sbl_text sql = {0};
    sbl_status status = SBL_OK;
    sbl_text_printf(&sql,
                    "SELECT CASE WHEN relkind IN ('r', 'p') THEN 1 ELSE 2 END::bigint AS kind "
                    "FROM pg_catalog.pg_class WHERE oid = pg_catalog.to_regclass(");
    sbl_sql_quote(&sql, quoted->data != NULL ? quoted->data : "", '\'');
    sbl_text_printf(&sql, ")");
    SBL_TRY(sbl_text_check(quoted, "a table", err));
    SBL_TRY(sbl_text_check(&sql, "a table", err));
    SBL_TRY(ask_number(kind, s, sql.data, name, err));
done:
    sbl_text_clear(&sql);
    return status;
}

/* NAME, or SCHEMA.NAME where there is none of the whole name. */
static sbl_status quote_table(sbl_text *quoted, session *s, const char *table, const char *name,
                              sbl_error *err)
{
    const char *point = strchr(table, '.');
    int64_t kind = 0;
    char *schema = NULL;
    sbl_status status = SBL_OK;
    sbl_sql_quote(quoted, table, '"');
    SBL_TRY(find_table(&kind, s, quoted, name, err));
    if (kind == 0 && point != NULL) {
        SBL_TRY(sbl_copy_text(&schema, table, "a table", err));
        schema[point - table] = '\0';
        sbl_text_clear(quoted);
        sbl_sql_quote(quoted, schema, '"');
        sbl_text_printf(quoted, ".");
        sbl_sql_quote(quoted, point + 1, '"');
        SBL_TRY(find_table(&kind, s, quoted, name, err));
    }
    if (kind == 0) SBL_TRY(sbl_database_no_table(name, table, err));
    if (kind != 1) SBL_TRY(sbl_database_no_rows_of_its_own(name, table, err));
done:
    sbl_free(schema);
    return status;
}

/* SELECT what FROM the table or query, in a session that is open. */
static sbl_status write_select(sbl_text *sql, const char *what, const sbl_table *table, sbl_error *err)
{
    sbl_database *from = table->state;
    sbl_text quoted = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(begin_session(from, table->name, err));
    if (from->query == NULL) SBL_TRY(quote_table(&quoted, from->session, from->table, table->name, err));
    if (from->query == NULL)
        sbl_text_printf(sql, "SELECT %s FROM %s", what, quoted.data);
    else
        sbl_text_printf(sql, "SELECT %s FROM (%s\n) AS selected", what, from->query);
    SBL_TRY(sbl_text_check(sql, "a query", err));
done:
    sbl_text_clear(&quoted);
    return status;
}

/* All rows as a stream that is read once. */
static sbl_status open_stream(struct ArrowArrayStream *rows, const sbl_table *table, sbl_error *err)
{
    const sbl_database *from = table->state;
    sbl_text sql = {0};
    sbl_status status = SBL_OK;
    *rows = (struct ArrowArrayStream){0};
    SBL_TRY(write_select(&sql, "*", table, err));
    status = select_rows(rows, from->session, sql.data, table->name, err);
    if (status == SBL_EINPUT && from->query != NULL) status = sbl_database_bad_query(table->name, err);
done:
    sbl_text_clear(&sql);
    return status;
}

static sbl_status count_rows(uint64_t *rows, const sbl_table *table, const sbl_dialect *dialect,
                             const sbl_schema *schema, sbl_error *err)
{
    const sbl_database *from = table->state;
    int64_t number = 0;
    sbl_text sql = {0};
    sbl_status status = SBL_OK;
    (void)dialect;
    (void)schema;
    SBL_TRY(write_select(&sql, "count(*)::bigint", table, err));
    SBL_TRY(ask_number(&number, from->session, sql.data, table->name, err));
    *rows = (uint64_t)number;
done:
    sbl_text_clear(&sql);
    return status;
}

/* ---- the format ---- */

static sbl_status open_cells(void **reading, const sbl_table *table, const sbl_dialect *dialect,
                             sbl_strings *names, sbl_error *err)
{
    struct ArrowArrayStream rows;
    *reading = NULL;
    const sbl_status status = open_stream(&rows, table, err);
    if (status != SBL_OK) return status;
    return sbl_arrow_stream_cells(reading, &rows, table, dialect, names, err);
}

static sbl_status open_rows(void **reading, const sbl_table *table, const sbl_schema *schema,
                            const sbl_table_options *options, sbl_error *err)
{
    struct ArrowArrayStream rows;
    *reading = NULL;
    const sbl_status status = open_stream(&rows, table, err);
    if (status != SBL_OK) return status;
    return sbl_arrow_stream_rows(reading, &rows, table, NULL, schema, options, err);
}

const sbl_format sbl_driver_format = {.open = open_cells,
                                      .next = sbl_arrow_next_cells,
                                      .close = sbl_arrow_close,
                                      .count = count_rows,
                                      .open_rows = open_rows,
                                      .read_rows = sbl_arrow_read_rows,
                                      .close_rows = sbl_arrow_close,
                                      .drop = sbl_database_free};
