/* SPDX-License-Identifier: Apache-2.0 */
/* [9] A table as Parquet. Drawn rows become Arrow arrays (arrow_build.h), and a thread in which DuckDB's library copies them
 * into a pending file takes each when it is full. The file appears when the last one was written. The types are those of
 * the arrays:
 *
 *   integer BIGINT, number DOUBLE, date DATE, datetime TIMESTAMP (in UTC where the schema says so), boolean BOOLEAN; a
 *   category of integers or numbers as these; any other category, ids and fakes VARCHAR; missing is NULL
 *
 * Synthetic rows are public, so DuckDB may see them. Its session is still locked to the one file, and its
 * messages are not passed on. */
#ifndef SBL_SINKS_PARQUET_TABLE_H
#define SBL_SINKS_PARQUET_TABLE_H

#include "after/sinks/sink.h"
#include "base/error.h"
#include "public/rows/row_batch.h"
#include "public/schema/schema_type.h"

typedef struct sbl_parquet_table sbl_parquet_table;

/* Could it be written? Loads the library.
 * In:      engine  the library's path; NULL: found
 *          schema  NULL: not known yet
 * Returns: SBL_OK; SBL_EARG: no library, no regular file, or two columns whose names differ in the case of letters
 *          alone, which are one name to DuckDB */
sbl_status sbl_parquet_table_check(const char *path, const char *engine, const sbl_schema *schema,
                                   sbl_error *err);

/* Texts are copied, the schema is borrowed.   Returns: as above; SBL_EIO: no file can be made there; SBL_EMEM */
sbl_status sbl_parquet_table_new(sbl_parquet_table **table, const char *path, const char *engine,
                                 const sbl_schema *schema, bool overwrite, sbl_error *err);
/* What was not finished never was. */
void sbl_parquet_table_free(sbl_parquet_table *table); /* NULL is fine */

/* Write rows of the schema. first: the number of the first; sink makes the cells of columns that are made.
 * Returns: SBL_OK; SBL_EIO: it cannot be written; SBL_EMEM */
sbl_status sbl_parquet_table_write(sbl_parquet_table *table, const sbl_batch *rows, uint64_t first,
                                   const sbl_sink *sink, sbl_error *err);

/* Let the file appear. Nothing may be written afterwards.   Returns: SBL_OK; SBL_EIO: it could not be written; SBL_EMEM */
sbl_status sbl_parquet_table_finish(sbl_parquet_table *table, sbl_error *err);

#endif
