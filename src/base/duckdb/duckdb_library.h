/* SPDX-License-Identifier: Apache-2.0 */
/* DuckDB's library. It is loaded when the first table needs it and never linked: an installation without it reads all
 * other formats. Its C API is declared here as its documentation gives it, as far as it is called. */
#ifndef SBL_DUCKDB_DUCKDB_LIBRARY_H
#define SBL_DUCKDB_DUCKDB_LIBRARY_H

#include <stdint.h>

#include "base/error.h"

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
    int (*arrow_scan)(void *connection, const char *table, void *stream);
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
    void *(*create_logical_type)(int type);
    void *(*create_scalar_function)(void);
    void (*destroy_scalar_function)(void **function);
    void (*scalar_function_set_name)(void *function, const char *name);
    void (*scalar_function_add_parameter)(void *function, void *type);
    void (*scalar_function_set_return_type)(void *function, void *type);
    void (*scalar_function_set_extra_info)(void *function, void *extra, void (*destroy)(void *extra));
    void (*scalar_function_set_function)(void *function, void (*call)(void *info, void *input, void *output));
    void *(*scalar_function_get_extra_info)(void *info);
    void (*scalar_function_set_error)(void *info, const char *message);
    int (*register_scalar_function)(void *connection, void *function);
    void (*free)(void *memory);
} sbl_engine;

/* In:      path  of the library; NULL: where libraries are looked for
 *          name  of the table that needs it
 * Returns: SBL_OK, also where it is loaded already; SBL_EARG: there is none, or it lacks a function */
sbl_status sbl_engine_load(sbl_engine *engine, const char *path, const char *name, sbl_error *err);

#endif
