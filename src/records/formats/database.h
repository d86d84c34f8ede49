/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in a database: which one, and what all kinds share. A kind is one file with one format:
 * sqlite_format.c, adbc_format.c (PostgreSQL by an ADBC driver). duckdb.h reads a DuckDB file. */
#ifndef SBL_FORMATS_DATABASE_H
#define SBL_FORMATS_DATABASE_H

#include "base/duckdb/duckdb_connection.h"
#include "base/library.h"
#include "base/text.h"
#include "records/rows/table.h"
#include "semblance/data.h"

/* The state of these formats. One of table and query is not NULL. */
typedef struct sbl_database {
    char *place; /* a file, or an address, which may hold a password: no message says it */
    char *table;
    char *query;
    char *driver;  /* the path of a library; NULL: found */
    void *session; /* the format's own, kept from reading to reading */
    void (*end_session)(void *session);
} sbl_database;

/* Copies.   Owner: the caller; sbl_database_free() */
sbl_status sbl_database_new(sbl_database **database, const char *place, const sbl_data_options *options,
                            sbl_error *err);
void sbl_database_free(void *state); /* NULL is fine */

extern const sbl_format sbl_sqlite_format;
extern const sbl_format sbl_driver_format;

/* ---- which one ---- */

typedef enum sbl_database_kind {
    SBL_DATABASE_NONE,
    SBL_DATABASE_SQLITE,
    SBL_DATABASE_DUCKDB,
    SBL_DATABASE_SERVER
} sbl_database_kind;

/* By the address, or by the first bytes of the file, which are the container's.
 * Returns: SBL_OK; SBL_EIO: the file cannot be read */
sbl_status sbl_database_look(sbl_database_kind *kind, const char *place, sbl_error *err);
/* Is it the address of a server? */
bool sbl_path_is_server(const char *place);
/* The address without what may be secret: scheme, hosts and database, neither user nor password nor parameters.
 * Owner: the caller; sbl_free() */
sbl_status sbl_server_name(char **name, const char *place, sbl_error *err);

/* ---- what they say ---- */

sbl_status sbl_database_no_table(const char *name, const char *table, sbl_error *err);
/* A view, a virtual or a foreign table, one with columns that are computed: a query by another name. */
sbl_status sbl_database_no_rows_of_its_own(const char *name, const char *table, sbl_error *err);
sbl_status sbl_database_bad_query(const char *name, sbl_error *err);

/* ---- libraries ---- */

/* Load a library, for good, and find what is called of it.
 * In:      path    NULL: one of `places`, which end with NULL
 *          what    it is, in words; name of the table that needs it
 * Returns: SBL_OK; SBL_EARG: there is none, or it lacks a function */
sbl_status sbl_library_load(void *pointers, const char *path, const char *const *places,
                            const sbl_library_call *calls, size_t count, const char *what, const char *name,
                            sbl_error *err);

#endif
