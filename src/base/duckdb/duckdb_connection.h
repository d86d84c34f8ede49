/* SPDX-License-Identifier: Apache-2.0 */
/* A connection to DuckDB that is locked before the first question: it opens the files that it is given and nothing else,
 * loads no extension, writes no other file, keeps no copy of what it read, and its settings cannot be changed any more.
 * One thread works, so that rows come in the order of the files. No text of its errors is passed on: they may quote
 * cells. */
#ifndef SBL_DUCKDB_DUCKDB_CONNECTION_H
#define SBL_DUCKDB_DUCKDB_CONNECTION_H

#include <stddef.h>

#include "base/duckdb/duckdb_library.h"
#include "base/text.h"
#include "semblance/arrow.h"

typedef struct sbl_engine_connection {
    const sbl_engine *engine; /* borrowed */
    void *database, *connection;
} sbl_engine_connection;

/* On failure, too, it is to be closed.
 * In:      path   of a database file, which is only read; NULL: in memory
 *          files  (count) that may be opened, each by its full name
 *          name   for messages
 * Returns: SBL_OK; SBL_EINPUT: it cannot be read; SBL_EARG: DuckDB's version cannot be locked; SBL_EMEM */
sbl_status sbl_engine_open(sbl_engine_connection *connection, const sbl_engine *engine, const char *path,
                           const char *const *files, size_t count, const char *name, sbl_error *err);
void sbl_engine_close(sbl_engine_connection *connection); /* an empty one is fine */

/* One statement that gives no rows: for what is written, which is public.
 * Returns: SBL_OK; SBL_EIO: it failed */
sbl_status sbl_engine_run(const sbl_engine_connection *connection, const char *sql, const char *name,
                          sbl_error *err);
/* A stream as a table of this name, which one statement may read. It is borrowed until that has run; its schema is asked for now.
 * Returns: SBL_OK; SBL_EARG: DuckDB's version has no such thing */
sbl_status sbl_engine_lend_stream(const sbl_engine_connection *connection, const char *table,
                                  struct ArrowArrayStream *stream, const char *name, sbl_error *err);

/* Append a text to a statement between these signs, ' or ". */
void sbl_sql_quote(sbl_text *sql, const char *text, char sign);
/* Append a file's name to a statement, as a pattern that only it matches. */
void sbl_engine_append_file(sbl_text *sql, const char *path);
/* "NAME cannot be read by DuckDB", SBL_EINPUT. */
sbl_status sbl_engine_refuse(const char *name, sbl_error *err);

#endif
