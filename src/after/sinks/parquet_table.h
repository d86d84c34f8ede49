/* [9] A table as Parquet. Rows are first written as plain CSV, whatever the schema's dialect is, into a pending
 * file next to the output. When all are there, DuckDB's library copies them by type into a second file, which
 * then appears. The types are those of drawn Arrow arrays (arrow_build.h):
 *
 *   integer BIGINT, number DOUBLE, date DATE, datetime TIMESTAMP (in UTC where the schema says so), boolean BOOLEAN; a
 *   category of integers or numbers as these; any other category, ids and fakes VARCHAR; missing is NULL
 *
 * Synthetic rows are public, so DuckDB may see them. Its session is still locked to the two files, and its
 * messages are not passed on. */
#ifndef SBL_SINKS_PARQUET_TABLE_H
#define SBL_SINKS_PARQUET_TABLE_H

#include "after/sinks/writer.h"
#include "base/error.h"
#include "public/schema/schema_type.h"

typedef struct sbl_parquet_table sbl_parquet_table;

/* Could it be written? Loads the library.
 * In:      engine  the library's path; NULL: found
 *          schema  NULL: not known yet
 * Returns: SBL_OK; SBL_EARG: no library, no regular file, or two columns whose names differ in the case of letters
 *          alone, which are one name to DuckDB */
sbl_status sbl_parquet_table_check(const char *path, const char *engine, const sbl_schema *schema,
                                   sbl_error *err);

/* Texts and the schema are copied.   Returns: as above; SBL_EMEM */
sbl_status sbl_parquet_table_new(sbl_parquet_table **table, const char *path, const char *engine,
                                 const sbl_schema *schema, bool overwrite, sbl_error *err);
void sbl_parquet_table_free(sbl_parquet_table *table); /* NULL is fine */

/* What the writer of its rows is given: the same columns, in the plain way. */
const sbl_schema *sbl_parquet_table_schema(const sbl_parquet_table *table);

/* Let the file appear. writer: of all rows; it is ended, also on failure, and its file is gone.
 * Returns: SBL_OK; SBL_EIO: it could not be written; SBL_EMEM */
sbl_status sbl_parquet_table_finish(sbl_parquet_table *table, sbl_table_writer *writer, sbl_error *err);

#endif
