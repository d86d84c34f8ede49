/* SPDX-License-Identifier: Apache-2.0 */
/* Loads DuckDB's library and finds the functions that are called. It stays loaded until the process ends: it has threads
 * and tables of its own that are not made to be unloaded. */
#include "base/duckdb/duckdb_library.h"

#include "base/library.h"

/* Found beside our own library or in the loader's folders first; then where installations by hand put it. */
#define LIBRARY "libduckdb.so"
static const char *const places[] = {"/usr/local/lib/" LIBRARY, "/usr/lib/" LIBRARY};

#define CALL(name)                                  \
    {                                               \
        "duckdb_" #name, offsetof(sbl_engine, name) \
    }
static const sbl_library_call calls[] = {
    CALL(create_config),
    CALL(set_config),
    CALL(destroy_config),
    CALL(open_ext),
    CALL(close),
    CALL(connect),
    CALL(disconnect),
    CALL(query),
    CALL(arrow_scan),
    CALL(destroy_result),
    CALL(result_error),
    CALL(prepare),
    CALL(destroy_prepare),
    CALL(pending_prepared_streaming),
    CALL(execute_pending),
    CALL(destroy_pending),
    CALL(column_count),
    CALL(column_name),
    CALL(column_logical_type),
    CALL(destroy_logical_type),
    CALL(get_type_id),
    CALL(decimal_width),
    CALL(decimal_scale),
    CALL(enum_dictionary_size),
    CALL(enum_dictionary_value),
    CALL(fetch_chunk),
    CALL(destroy_data_chunk),
    CALL(data_chunk_get_size),
    CALL(data_chunk_get_vector),
    CALL(vector_get_data),
    CALL(vector_get_validity),
    CALL(create_logical_type),
    CALL(create_scalar_function),
    CALL(destroy_scalar_function),
    CALL(scalar_function_set_name),
    CALL(scalar_function_add_parameter),
    CALL(scalar_function_set_return_type),
    CALL(scalar_function_set_extra_info),
    CALL(scalar_function_set_function),
    CALL(scalar_function_get_extra_info),
    CALL(scalar_function_set_error),
    CALL(register_scalar_function),
    CALL(free),
};

static void *find_library(const char *path)
{
    void *library = path != NULL ? sbl_library_open_path(path) : sbl_library_open(LIBRARY);
    for (size_t i = 0; path == NULL && library == NULL && i < sizeof places / sizeof *places; i++)
        library = sbl_library_open_path(places[i]);
    return library;
}

sbl_status sbl_engine_load(sbl_engine *engine, const char *path, const char *name, sbl_error *err)
{
    sbl_engine made = {0};
    if (engine->library != NULL) return SBL_OK;
    made.library = find_library(path);
    if (made.library == NULL && path != NULL)
        return sbl_fail(err, SBL_EARG, "%s: %s is not DuckDB's library, or cannot be loaded", name, path);
    if (made.library == NULL)
        return sbl_fail_hint(err, SBL_EARG, SBL_HINT_DUCKDB, NULL,
                             "%s needs DuckDB's library, libduckdb.so: %s", name, sbl_library_why());
    const char *absent = sbl_library_find(&made, made.library, calls, sizeof calls / sizeof *calls);
    if (absent != NULL)
        return sbl_fail(err, SBL_EARG, "%s: this DuckDB library lacks %s: install version 1.5", name, absent);
    *engine = made;
    return SBL_OK;
}
