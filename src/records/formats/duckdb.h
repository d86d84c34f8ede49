/* Inside tables that DuckDB reads: Parquet files and databases of its own.
 *
 * Its library is loaded when the first such table is read, never linked: whoever has none reads all other formats. The
 * C API is declared here as its documentation gives it, as far as it is called.
 *
 * What DuckDB is asked is fixed: "these columns of that table, as they are stored". There is no CAST, since one that
 * fails depends on a cell; no text of its errors is passed on, since they quote cells; and it is locked before the first
 * question: it opens the files of the table and nothing else, loads no extension, writes no file, keeps no copy of what
 * it read, and its settings cannot be changed any more. One thread reads, so that rows come in the order of the
 * files. What is written with it, from public rows alone, stands in parquet_table.h. */
#ifndef SBL_FORMATS_DUCKDB_H
#define SBL_FORMATS_DUCKDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "records/rows/table.h"
#include "records/source/data_source.h"
#include "semblance/arrow.h"

/* ---- the library (duckdb_library.c) ---- */

/* A duckdb_result: six words that only DuckDB looks into, passed by value to some functions. */
typedef struct sbl_engine_result {
    uint64_t counts[3];
    void *parts[3];
} sbl_engine_result;

/* Handles are pointers that DuckDB makes and clears. What returns an int returns 0 where it succeeded. */
typedef struct sbl_engine {
    void *library; /* NULL: not loaded */
    int (*create_config)(void **config);
    int (*set_config)(void *config, const char *name, const char *value);
    void (*destroy_config)(void **config);
    int (*open_ext)(const char *path, void **database, void *config, char **error);
    void (*close)(void **database);
    int (*connect)(void *database, void **connection);
    void (*disconnect)(void **connection);
    int (*query)(void *connection, const char *sql, sbl_engine_result *result);
    void (*destroy_result)(sbl_engine_result *result);
    const char *(*result_error)(sbl_engine_result *result);
    int (*prepare)(void *connection, const char *sql, void **statement);
    void (*destroy_prepare)(void **statement);
    int (*pending_prepared_streaming)(void *statement, void **pending);
    int (*execute_pending)(void *pending, sbl_engine_result *result);
    void (*destroy_pending)(void **pending);
    uint64_t (*column_count)(sbl_engine_result *result);
    const char *(*column_name)(sbl_engine_result *result, uint64_t column);
    void *(*column_logical_type)(sbl_engine_result *result, uint64_t column);
    void (*destroy_logical_type)(void **type);
    int (*get_type_id)(void *type);
    uint8_t (*decimal_width)(void *type);
    uint8_t (*decimal_scale)(void *type);
    uint32_t (*enum_dictionary_size)(void *type);
    char *(*enum_dictionary_value)(void *type, uint64_t index);
    void *(*fetch_chunk)(sbl_engine_result result);
    void (*destroy_data_chunk)(void **chunk);
    uint64_t (*data_chunk_get_size)(void *chunk);
    void *(*data_chunk_get_vector)(void *chunk, uint64_t column);
    void *(*vector_get_data)(void *vector);
    uint64_t *(*vector_get_validity)(void *vector);
    void (*free)(void *memory);
} sbl_engine;

/* In:      path  of the library; NULL: where libraries are looked for
 *          name  of the table that needs it
 * Returns: SBL_OK, also where it is loaded already; SBL_EARG: there is none, or it lacks a function */
sbl_status sbl_engine_load(sbl_engine *engine, const char *path, const char *name, sbl_error *err);

/* ---- types (duckdb_type.c) ---- */

/* duckdb_type, as far as it is read. */
enum {
    SBL_ENGINE_BOOLEAN = 1,
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
    char format[24];  /* of Arrow; "" where it is no cell */
} sbl_engine_column;

/* Of column i of a result, which becomes the caller's: sbl_engine_column_clear(). */
sbl_status sbl_engine_column_read(sbl_engine_column *column, const sbl_engine *engine,
                                  sbl_engine_result *result, uint64_t i, sbl_error *err);
void sbl_engine_column_clear(sbl_engine_column *column);
bool sbl_engine_column_is_same(const sbl_engine_column *a, const sbl_engine_column *b);
/* SBL_EINPUT: the column is no cell. */
sbl_status sbl_engine_column_refuse(const sbl_engine_column *column, const char *name, sbl_error *err);

/* ---- files (duckdb_files.c) ---- */

/* Is this the path of Parquet: a name that ends so, a folder, a pattern that is no file? Seen without opening it. */
bool sbl_path_is_parquet(const char *path);
bool sbl_path_is_pattern(const char *path); /* wildcards, and no file of that name */
/* The files of such a path, each by its full name, in the order of bytes; names that begin with . or _ are left out. Their
 * names may hold cells (hive partitions: "country=de"), and no message quotes them.
 * Out:     seen  tells whether they are the same files later: names, sizes, times
 * Returns: SBL_OK; SBL_EIO, SBL_EINPUT: no files, or one that is no Parquet; SBL_EMEM */
sbl_status sbl_engine_list_files(sbl_strings *files, uint64_t *seen, const char *path, const char *name,
                                 sbl_error *err);

/* ---- a session (duckdb_session.c) ---- */

/* A table that can be asked for, by a connection that can do nothing else. */
typedef struct sbl_engine_session {
    const sbl_engine *engine; /* borrowed */
    void *database, *connection;
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
/* One statement in a session of its own that may open these files, each by its full name, and nothing else: for what
 * is written, which is public.   Returns: SBL_OK; SBL_EIO: it failed; SBL_EARG, SBL_EMEM */
sbl_status sbl_engine_run_alone(const sbl_engine *engine, const sbl_strings *files, const char *sql,
                                const char *name, sbl_error *err);
/* Appends a file's name to a statement, as a pattern that only it matches. */
void sbl_engine_append_file(sbl_text *sql, const char *path);
void sbl_engine_session_close(sbl_engine_session *session); /* an empty one is fine */

/* ---- its rows (duckdb_stream.c) ---- */

/* The rows of a session as a stream of Arrow, a batch for each data chunk; a batch is good until the next one.
 * In:      session  taken, also on failure
 *          wanted   (columns): a column that is not wanted has nulls in its place, and is not read from the file
 * Returns: SBL_OK; SBL_EINPUT, SBL_EMEM */
sbl_status sbl_engine_stream_open(struct ArrowArrayStream *stream, sbl_engine_session *session,
                                  const bool *wanted, const char *name, sbl_error *err);

/* ---- the format (duckdb_format.c) ---- */

extern const sbl_format sbl_engine_format;
/* Its state, which drop() frees; texts are copied. Opens nothing.
 * In:      place    a file, a folder or a pattern
 *          library  NULL: found */
sbl_status sbl_engine_table_new(void **state, const char *place, const char *library, sbl_error *err);
/* The same of a file of DuckDB: its table, or what a query selects. */
sbl_status sbl_engine_table_ask(void *state, const char *table, const char *query, sbl_error *err);

#endif
