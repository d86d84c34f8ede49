/* Loads DuckDB's library and finds the functions that are called. It stays loaded until the process ends: it has threads
 * and tables of its own that are not made to be unloaded. */
#include <dlfcn.h>
#include <string.h>

#include "source/engine.h"

/* Through the loader's own folders first; then where hand-made installations put it. */
static const char *const places[] = {"libduckdb.so", "/usr/local/lib/libduckdb.so",
                                     "/usr/lib/libduckdb.so"};

#define CALL(name)                                  \
    {                                               \
        "duckdb_" #name, offsetof(sbl_engine, name) \
    }
static const struct {
    const char *name;
    size_t offset;
} calls[] = {
    CALL(create_config),
    CALL(set_config),
    CALL(destroy_config),
    CALL(open_ext),
    CALL(close),
    CALL(connect),
    CALL(disconnect),
    CALL(query),
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
    CALL(free),
};

static void *find_library(const char *path)
{
    void *library = NULL;
    if (path != NULL) return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; library == NULL && i < sizeof places / sizeof places[0]; i++)
        library = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

sbl_status sbl_engine_load(sbl_engine *engine, const char *path, const char *name, sbl_error *err)
{
    sbl_engine made = {0};
    if (engine->library != NULL) return SBL_OK;
    made.library = find_library(path);
    if (made.library == NULL && path != NULL)
        return sbl_fail(err, SBL_EARG, "%s: %s is not DuckDB's library, or cannot be loaded", name,
                        path);
    if (made.library == NULL)
        return sbl_fail_hint(err, SBL_EARG, SBL_HINT_ENGINE, NULL,
                             "%s needs DuckDB's library, libduckdb.so, which is not installed here",
                             name);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        void *address = dlsym(made.library, calls[i].name);
        if (address == NULL)
            return sbl_fail(err, SBL_EARG, "%s: the library of DuckDB lacks %s: take version 1.5",
                            name, calls[i].name);
        /* POSIX promises that a function's address fits a void pointer; C has no cast for it. */
        memcpy((char *)&made + calls[i].offset, &address, sizeof address);
    }
    *engine = made;
    return SBL_OK;
}
