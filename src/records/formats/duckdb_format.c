/* SPDX-License-Identifier: Apache-2.0 */
/* What DuckDB reads, as a format of tables (records/rows/table.h): it becomes an Arrow stream and is read
 * as one. */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "records/formats/arrow_table.h"
#include "records/formats/duckdb.h"
#include "records/rows/column_binding.h"

typedef struct engine_table {
    sbl_engine engine;
    char *place;   /* a file, a folder or a pattern */
    char *library; /* its path; NULL: found */
    char *table;   /* of a file of DuckDB; or: */
    char *query;
    uint64_t seen; /* what the files looked like when they were read first */
    bool was_seen;
} engine_table;

static void drop_table(void *state)
{
    engine_table *table = state;
    if (table == NULL) return;
    sbl_free(table->place);
    sbl_free(table->library);
    sbl_free(table->table);
    sbl_free(table->query);
    sbl_free(table);
}

sbl_status sbl_engine_table_new(void **state, const char *place, const char *library, sbl_error *err)
{
    engine_table *made = NULL;
    sbl_status status = SBL_OK;
    *state = NULL;
    SBL_ALLOC(made, 1, "a table");
    SBL_TRY(sbl_copy_text(&made->place, place, "a file name", err));
    if (library != NULL) SBL_TRY(sbl_copy_text(&made->library, library, "a file name", err));
    *state = made;
    made = NULL;
done:
    drop_table(made);
    return status;
}

sbl_status sbl_engine_table_ask(void *state, const char *table, const char *query, sbl_error *err)
{
    engine_table *asked = state;
    return query != NULL ? sbl_copy_text(&asked->query, query, "a query", err)
                         : sbl_copy_text(&asked->table, table, "a table", err);
}

static sbl_status open_session(sbl_engine_session *session, const sbl_table *table, sbl_error *err)
{
    engine_table *state = table->state;
    if (state->table != NULL || state->query != NULL) {
        const sbl_status status = sbl_engine_load(&state->engine, state->library, table->name, err);
        return status == SBL_OK
                   ? sbl_engine_session_open_database(session, &state->engine, state->place, state->table,
                                                      state->query, table->name, err)
                   : status;
    }
    sbl_strings files = {0};
    uint64_t seen = 0;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_engine_list_files(&files, &seen, state->place, table->name, err));
    if (state->was_seen && seen != state->seen) SBL_TRY(sbl_source_has_changed(table->name, err));
    state->seen = seen;
    state->was_seen = true;
    SBL_TRY(sbl_engine_load(&state->engine, state->library, table->name, err));
    SBL_TRY(sbl_engine_session_open_files(session, &state->engine, &files, table->name, err));
done:
    sbl_strings_clear(&files);
    return status;
}

static sbl_status count_rows(uint64_t *rows, const sbl_table *table, const sbl_dialect *dialect,
                             const sbl_schema *schema, sbl_error *err)
{
    sbl_engine_session session = {0};
    sbl_status status = SBL_OK;
    (void)dialect;
    (void)schema;
    SBL_TRY(open_session(&session, table, err));
    SBL_TRY(sbl_engine_session_count(rows, &session, table->name, err));
done:
    sbl_engine_session_close(&session);
    return status;
}

/* Which columns of the session does the schema read, and how? NULL: there is none, and it is all of them. */
static sbl_status choose(bool *wanted, sbl_engine_codes **codes, sbl_engine_session *session,
                         const sbl_schema *schema, const sbl_table_options *options, const char *name,
                         sbl_error *err)
{
    sbl_binding *typed = NULL;
    const char **names = NULL;
    sbl_status status = SBL_OK;
    if (schema != NULL) {
        sbl_table_options quiet = *options;
        quiet.extra_column = NULL; /* told where the rows are opened */
        SBL_ALLOC(names, session->count, name);
        for (size_t i = 0; i < session->count; i++) names[i] = session->columns[i].name;
        SBL_TRY(sbl_binding_open(&typed, names, session->count, name, schema, &quiet, err));
    }
    for (size_t i = 0; i < session->count; i++) {
        wanted[i] = typed == NULL || sbl_binding_column(typed, i) != NULL || sbl_binding_is_unit(typed, i) ||
                    sbl_binding_is_key(typed, i);
        if (wanted[i] && session->columns[i].format[0] == '\0')
            SBL_TRY(sbl_engine_column_refuse(&session->columns[i], name, err));
    }
    if (typed != NULL) status = sbl_engine_codes_open(codes, session, typed, name, err);
    typed = NULL;
done:
    sbl_binding_close(typed);
    sbl_free(names);
    return status;
}

/* The table's rows as a stream that is read once. read: columns that the stream has read; the stream's own. */
static sbl_status open_stream(struct ArrowArrayStream *rows, const bool **read, const sbl_table *table,
                              const sbl_schema *schema, const sbl_table_options *options, sbl_error *err)
{
    sbl_engine_session session = {0};
    sbl_engine_codes *codes = NULL;
    bool *wanted = NULL;
    sbl_status status = SBL_OK;
    *rows = (struct ArrowArrayStream){0};
    SBL_TRY(open_session(&session, table, err));
    SBL_ALLOC(wanted, session.count, table->name);
    SBL_TRY(choose(wanted, &codes, &session, schema, options, table->name, err));
    *read = codes != NULL ? sbl_engine_codes_columns(codes) : NULL;
    SBL_TRY(sbl_engine_stream_open(rows, &session, codes, wanted, table->name, err));
done:
    sbl_free(wanted);
    sbl_engine_session_close(&session);
    return status;
}

static sbl_status open_cells(void **reading, const sbl_table *table, const sbl_dialect *dialect,
                             sbl_strings *names, sbl_error *err)
{
    struct ArrowArrayStream rows;
    const bool *read;
    *reading = NULL;
    const sbl_status status = open_stream(&rows, &read, table, NULL, NULL, err);
    if (status != SBL_OK) return status;
    return sbl_arrow_stream_cells(reading, &rows, table, dialect, names, err);
}

static sbl_status open_rows(void **reading, const sbl_table *table, const sbl_schema *schema,
                            const sbl_table_options *options, sbl_error *err)
{
    struct ArrowArrayStream rows;
    const bool *read;
    *reading = NULL;
    const sbl_status status = open_stream(&rows, &read, table, schema, options, err);
    if (status != SBL_OK) return status;
    return sbl_arrow_stream_rows(reading, &rows, table, read, schema, options, err);
}

const sbl_format sbl_engine_format = {.open = open_cells,
                                      .next = sbl_arrow_next_cells,
                                      .close = sbl_arrow_close,
                                      .count = count_rows,
                                      .open_rows = open_rows,
                                      .read_rows = sbl_arrow_read_rows,
                                      .close_rows = sbl_arrow_close,
                                      .drop = drop_table};
