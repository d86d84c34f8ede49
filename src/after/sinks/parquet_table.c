/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are built in this thread and copied in another, with one array between them (arrow_pipe.h). */
#include "after/sinks/parquet_table.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "after/sinks/arrow_build.h"
#include "after/sinks/arrow_pipe.h"
#include "after/sinks/drawn_form.h"
#include "base/alloc.h"
#include "base/duckdb/duckdb_connection.h"
#include "base/file.h"
#include "base/text.h"

#define BATCH_ROWS ((size_t)1 << 14) /* of an array */
#define SOURCE "drawn"               /* what DuckDB calls the stream */

struct sbl_parquet_table {
    sbl_engine engine;
    char *path;
    const sbl_schema *schema; /* borrowed */
    sbl_arrow_builder *builder;
    sbl_arrow_pipe *pipe;
    sbl_pending_file file;
    bool pending; /* the file is neither there nor discarded */
    /* The thread's, from its start to its end. */
    sbl_engine_connection connection;
    struct ArrowArrayStream stream;
    sbl_text statement;
    sbl_status copied;
    sbl_error copy_error;
    pthread_t thread;
    bool started;
};

/* ---- before anything is written ---- */

static sbl_status check_names(const sbl_schema *schema, const char *path, sbl_error *err)
{
    for (size_t i = 0; i < schema->column_count; i++) {
        const sbl_column *column = &schema->columns[i];
        if (!sbl_column_is_drawn(column)) continue;
        for (size_t j = 0; j < i; j++)
            if (sbl_column_is_drawn(&schema->columns[j]) &&
                strcasecmp(schema->columns[j].name, column->name) == 0)
                return sbl_fail(
                    err, SBL_EARG,
                    "%s: in Parquet the columns '%.100s' and '%.100s' would have the same name: write CSV",
                    path, schema->columns[j].name, column->name);
    }
    return SBL_OK;
}

static sbl_status check(sbl_engine *engine, const char *path, const char *library, const sbl_schema *schema,
                        sbl_error *err)
{
    struct stat seen;
    if (stat(path, &seen) == 0 && !S_ISREG(seen.st_mode))
        return sbl_fail(err, SBL_EARG, "%s is not a regular file: write Parquet to a regular file", path);
    SBL_CHECK(sbl_engine_load(engine, library, path, err));
    if (schema != NULL) SBL_CHECK(check_names(schema, path, err));
    return SBL_OK;
}

sbl_status sbl_parquet_table_check(const char *path, const char *engine, const sbl_schema *schema,
                                   sbl_error *err)
{
    sbl_engine loaded = {0};
    return check(&loaded, path, engine, schema, err);
}

/* ---- the statement ---- */

static const char *type_of(const sbl_column *column)
{
    const char *format = sbl_arrow_drawn_format(column);
    switch (*format) {
    case 'l':
        return "BIGINT";
    case 'g':
        return "DOUBLE";
    case 'b':
        return "BOOLEAN";
    case 't':
        if (format[1] == 'd') return "DATE";
        return column->utc ? "TIMESTAMPTZ" : "TIMESTAMP";
    default:
        return "VARCHAR";
    }
}

/* COPY (SELECT c0::BIGINT AS "age", ... FROM drawn AS t(c0, ...)) TO ...: columns by their places. */
static sbl_status write_statement(sbl_text *sql, const sbl_schema *schema, const char *to, sbl_error *err)
{
    const char *between = "";
    sbl_text_printf(sql, "COPY (SELECT ");
    for (size_t i = 0; i < schema->column_count; i++) {
        if (!sbl_column_is_drawn(&schema->columns[i])) continue;
        sbl_text_printf(sql, "%sc%zu::%s AS ", between, i, type_of(&schema->columns[i]));
        sbl_sql_quote(sql, schema->columns[i].name, '"');
        between = ", ";
    }
    sbl_text_printf(sql, " FROM " SOURCE " AS t(");
    between = "";
    for (size_t i = 0; i < schema->column_count; i++) {
        if (!sbl_column_is_drawn(&schema->columns[i])) continue;
        sbl_text_printf(sql, "%sc%zu", between, i);
        between = ", ";
    }
    sbl_text_printf(sql, ")) TO ");
    sbl_sql_quote(sql, to, '\'');
    sbl_text_printf(sql, " (FORMAT parquet, ROW_GROUP_SIZE 40960, USE_TMP_FILE false)");
    return sbl_text_check(sql, "a statement", err);
}

/* ---- the thread ---- */

static void *copy_rows(void *context)
{
    sbl_parquet_table *table = context;
    table->copied =
        sbl_engine_run(&table->connection, table->statement.data, table->path, &table->copy_error);
    sbl_arrow_pipe_close(table->pipe);
    return NULL;
}

/* Signals are for the threads of the host. */
static sbl_status start(sbl_parquet_table *table, sbl_error *err)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    table->started = pthread_create(&table->thread, NULL, copy_rows, table) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return table->started ? SBL_OK : sbl_no_memory(err, table->path);
}

static void stop(sbl_parquet_table *table, bool whole)
{
    if (!table->started) return;
    sbl_arrow_pipe_end(table->pipe, whole);
    (void)pthread_join(table->thread, NULL);
    table->started = false;
}

/* ---- a table ---- */

static sbl_status begin_file(sbl_parquet_table *table, bool overwrite, sbl_error *err)
{
    const sbl_file_write_options options = {.mode = 0644, .overwrite = overwrite};
    char full[PATH_MAX];
    const char *const files[] = {full};
    SBL_CHECK(sbl_file_begin(&table->file, table->path, options, err));
    table->pending = true;
    if (realpath(table->file.temporary.data, full) == NULL)
        return sbl_fail(err, SBL_EIO, "%s: the file was removed, or its name is too long", table->path);
    SBL_CHECK(write_statement(&table->statement, table->schema, full, err));
    SBL_CHECK(sbl_engine_open(&table->connection, &table->engine, NULL, files, 1, table->path, err));
    sbl_arrow_pipe_stream(table->pipe, &table->stream);
    return sbl_engine_lend_stream(&table->connection, SOURCE, &table->stream, table->path, err);
}

sbl_status sbl_parquet_table_new(sbl_parquet_table **table, const char *path, const char *engine,
                                 const sbl_schema *schema, bool overwrite, sbl_error *err)
{
    sbl_parquet_table *made = NULL;
    sbl_status status = SBL_OK;
    *table = NULL;
    SBL_ALLOC(made, 1, path);
    made->schema = schema;
    SBL_TRY(check(&made->engine, path, engine, schema, err));
    SBL_TRY(sbl_copy_text(&made->path, path, path, err));
    SBL_TRY(sbl_arrow_builder_new(&made->builder, schema, err));
    SBL_TRY(sbl_arrow_pipe_new(&made->pipe, schema, err));
    SBL_TRY(begin_file(made, overwrite, err));
    SBL_TRY(start(made, err));
    *table = made;
    made = NULL;
done:
    sbl_parquet_table_free(made);
    return status;
}

void sbl_parquet_table_free(sbl_parquet_table *table)
{
    if (table == NULL) return;
    stop(table, false);
    sbl_engine_close(&table->connection);
    if (table->pending) sbl_file_discard(&table->file);
    sbl_arrow_builder_free(table->builder);
    sbl_arrow_pipe_free(table->pipe);
    sbl_text_clear(&table->statement);
    sbl_free(table->path);
    sbl_free(table);
}

/* What the thread, which has ended before all rows were there, says. */
static sbl_status why_not(const sbl_parquet_table *table, sbl_error *err)
{
    if (table->copied == SBL_OK)
        return sbl_fail(err, SBL_EIO, "DuckDB did not write all rows of %s", table->path);
    *err = table->copy_error;
    return table->copied;
}

static sbl_status hand_over(sbl_parquet_table *table, sbl_error *err)
{
    struct ArrowArray rows = {0};
    if (sbl_arrow_builder_rows(table->builder) == 0) return SBL_OK;
    SBL_CHECK(sbl_arrow_builder_take(table->builder, &rows, err));
    if (sbl_arrow_pipe_put(table->pipe, &rows)) return SBL_OK;
    stop(table, false);
    return why_not(table, err);
}

sbl_status sbl_parquet_table_write(sbl_parquet_table *table, const sbl_batch *rows, uint64_t first,
                                   const sbl_sink *sink, sbl_error *err)
{
    SBL_CHECK(sbl_arrow_builder_add(table->builder, rows, first, sink, err));
    return sbl_arrow_builder_rows(table->builder) < BATCH_ROWS ? SBL_OK : hand_over(table, err);
}

sbl_status sbl_parquet_table_finish(sbl_parquet_table *table, sbl_error *err)
{
    SBL_CHECK(hand_over(table, err));
    stop(table, true);
    if (table->copied != SBL_OK) return why_not(table, err);
    table->pending = false;
    return sbl_file_commit(&table->file, err);
}
