/* SPDX-License-Identifier: Apache-2.0 */
/* run_sql LIBRARY SQL...: runs each statement in one database in memory of DuckDB, for tests that need a table which it
 * wrote. On its own, so that the tables are not made by what reads them. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct result {
    uint64_t words[6];
} result;

typedef struct calls {
    int (*open)(const char *path, void **database);
    int (*connect)(void *database, void **connection);
    int (*query)(void *connection, const char *sql, result *out);
    const char *(*result_error)(result *out);
    void (*destroy_result)(result *out);
    void (*disconnect)(void **connection);
    void (*close)(void **database);
} calls;

static int find(void *to, void *library, const char *name)
{
    void *address = dlsym(library, name);
    memcpy(to, &address, sizeof address);
    return address != NULL;
}

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void *database, *connection;
    calls duckdb;
    if (library == NULL || !find(&duckdb.open, library, "duckdb_open") ||
        !find(&duckdb.connect, library, "duckdb_connect") || !find(&duckdb.query, library, "duckdb_query") ||
        !find(&duckdb.result_error, library, "duckdb_result_error") ||
        !find(&duckdb.destroy_result, library, "duckdb_destroy_result") ||
        !find(&duckdb.disconnect, library, "duckdb_disconnect") ||
        !find(&duckdb.close, library, "duckdb_close"))
        return 77;
    if (duckdb.open(NULL, &database) != 0 || duckdb.connect(database, &connection) != 0) return 1;
    for (int i = 2; i < argc; i++) {
        result out;
        if (duckdb.query(connection, argv[i], &out) != 0) {
            (void)fprintf(stderr, "run_sql: %s\n", duckdb.result_error(&out));
            return 1;
        }
        duckdb.destroy_result(&out);
    }
    duckdb.disconnect(&connection);
    duckdb.close(&database);
    return 0;
}
