/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to tables that DuckDB reads: Parquet files and its own databases.
 *
 * The connection is locked (base/duckdb/duckdb_connection.h). What DuckDB is asked is fixed: "these columns of that
 * table, as they are stored" or as a function of ours reads their texts. There is no CAST, since one that fails depends on a cell. */
#ifndef SBL_FORMATS_DUCKDB_H
#define SBL_FORMATS_DUCKDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/duckdb/duckdb_connection.h"
#include "base/error.h"
#include "records/rows/column_binding.h"
#include "records/rows/table.h"
#include "semblance/arrow.h"

/* ---- types (duckdb_type.c) ---- */

/* duckdb_type, as far as it is read. */
enum {
    SBL_ENGINE_BOOLEAN = 1,
    SBL_ENGINE_UINTEGER = 8,
    SBL_ENGINE_VARCHAR = 17,
    SBL_ENGINE_DECIMAL = 19,
    SBL_ENGINE_ENUM = 23,
    SBL_ENGINE_UUID = 27
};

/* A column as it is stored. */
typedef struct sbl_engine_column {
    char *name;
    int type;
    int width, scale; /* of a decimal */
    char format[24];  /* of Arrow; "" if the type cannot be a cell */
} sbl_engine_column;

/* Of column i of a result, which becomes the caller's: sbl_engine_column_clear(). */
sbl_status sbl_engine_column_read(sbl_engine_column *column, const sbl_engine *engine,
                                  sbl_engine_result *result, uint64_t i, sbl_error *err);
void sbl_engine_column_clear(sbl_engine_column *column);
bool sbl_engine_column_is_same(const sbl_engine_column *a, const sbl_engine_column *b);
/* SBL_EINPUT: the type of the column cannot be a cell. */
sbl_status sbl_engine_column_refuse(const sbl_engine_column *column, const char *name, sbl_error *err);

/* ---- files (duckdb_files.c) ---- */

/* Does this path mean Parquet: a name with that ending, a folder, or a pattern that is not a file? Opens
 * nothing. */
bool sbl_path_is_parquet(const char *path);
bool sbl_path_is_pattern(const char *path); /* wildcards, and no file of that name */
/* The files of such a path, each by its full name, in the order of bytes; names that begin with . or _ are
 * left out. Their names may hold cells (hive partitions: "country=de"), and no message quotes them.
 * Out:     seen  tells whether they are the same files later: names, sizes, times
 * Returns: SBL_OK; SBL_EIO, SBL_EINPUT: no files, or one that is not Parquet; SBL_EMEM */
sbl_status sbl_engine_list_files(sbl_strings *files, uint64_t *seen, const char *path, const char *name,
                                 sbl_error *err);

/* ---- a session (duckdb_session.c) ---- */

/* A table that can be asked for, by a connection that can do nothing else. */
typedef struct sbl_engine_session {
    sbl_engine_connection open;
    sbl_text from; /* what stands behind FROM */
    sbl_engine_column *columns;
    size_t count;
} sbl_engine_session;

/* On failure, too, it is to be closed.
 * Returns: SBL_OK; SBL_EINPUT: it cannot be read, or its files do not have the same columns; SBL_EMEM */
sbl_status sbl_engine_session_open_files(sbl_engine_session *session, const sbl_engine *engine,
                                         const sbl_strings *files, const char *name, sbl_error *err);
/* A table of a database file, or what a query selects from it; one of them is NULL. */
sbl_status sbl_engine_session_open_database(sbl_engine_session *session, const sbl_engine *engine,
                                            const char *path, const char *table, const char *query,
                                            const char *name, sbl_error *err);
/* How many rows it has, from the footers of files.   Returns: SBL_OK; SBL_EINPUT */
sbl_status sbl_engine_session_count(uint64_t *rows, const sbl_engine_session *session, const char *name,
                                    sbl_error *err);
void sbl_engine_session_close(sbl_engine_session *session); /* an empty one is fine */

/* Can DuckDB's library be loaded and locked?
 * In:      engine  its path; NULL: found
 * Returns: SBL_OK; SBL_EARG: there is none, or it is of a version that does not serve; SBL_EMEM */
sbl_status sbl_engine_check(const char *engine, sbl_error *err);

/* ---- texts (duckdb_texts.c) ---- */

/* A buffer that grows. Privacy: wiped. */
typedef struct sbl_engine_buffer {
    char *data;
    size_t capacity;
} sbl_engine_buffer;

/* What it held is lost where it grows. false: out of memory. */
bool sbl_engine_buffer_grow(sbl_engine_buffer *to, size_t size);
void sbl_engine_buffer_clear(sbl_engine_buffer *used);

/* As a vector of texts holds one: up to 12 bytes are inside it. */
typedef struct sbl_engine_text {
    uint32_t length;
    char begin[4];
    const char *data;
} sbl_engine_text;
#define SBL_ENGINE_INLINE_TEXT 12

static inline bool sbl_engine_is_there(const uint64_t *validity, size_t row)
{
    return validity == NULL || (validity[row / 64] >> (row % 64) & 1) != 0;
}

/* The buffers of an Arrow array of texts with 64 bits an offset, made of a vector's.   Returns: false: out of memory */
bool sbl_engine_copy_texts(const void *pointers[3], sbl_engine_buffer *offsets, sbl_engine_buffer *texts,
                           const void *data, const uint64_t *validity, size_t rows);

/* ---- categories (duckdb_codes.c) ---- */

/* Functions that DuckDB calls to read texts of columns of categories: each distinct text of a dictionary is read once,
 * and no text is copied. */
typedef struct sbl_engine_codes sbl_engine_codes;

/* What the name of such a function begins with; the number of its column follows. */
#define SBL_ENGINE_CODE "semblance_code_"
#define SBL_ENGINE_CODE_NAME (sizeof SBL_ENGINE_CODE + 20)

/* In:      typed    the session's columns as the schema has them; taken, also on failure
 * In/out:  session  columns that can be read so become numbers, as SBL_WAY_READ of arrow_column.h
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_engine_codes_open(sbl_engine_codes **codes, sbl_engine_session *session, sbl_binding *typed,
                                 const char *name, sbl_error *err);
const bool *sbl_engine_codes_columns(const sbl_engine_codes *codes); /* (columns): which are read so */
/* After the session, which calls them; NULL is fine. */
void sbl_engine_codes_close(sbl_engine_codes *codes);

/* ---- its rows (duckdb_stream.c) ---- */

/* The rows of a session as a stream of Arrow, a batch for each data chunk; a batch is good until the next one.
 * In:      session  taken, also on failure; and so are codes, which may be NULL
 *          wanted   (columns): a column that is not wanted has nulls in its place, and is not read from the file
 * Returns: SBL_OK; SBL_EINPUT, SBL_EMEM */
sbl_status sbl_engine_stream_open(struct ArrowArrayStream *stream, sbl_engine_session *session,
                                  sbl_engine_codes *codes, const bool *wanted, const char *name,
                                  sbl_error *err);

/* ---- the format (duckdb_format.c) ---- */

extern const sbl_format sbl_engine_format;
/* Its state, which drop() frees; texts are copied. Opens nothing.
 * In:      place    a file, a folder or a pattern
 *          library  NULL: found */
sbl_status sbl_engine_table_new(void **state, const char *place, const char *library, sbl_error *err);
/* The same of a file of DuckDB: its table, or what a query selects. */
sbl_status sbl_engine_table_ask(void *state, const char *table, const char *query, sbl_error *err);

#endif
