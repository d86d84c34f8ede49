/* SPDX-License-Identifier: Apache-2.0 */
/* Small tables in memory for the tests of the reader and the writer. */
#ifndef SBL_TESTS_TABLE_TABLE_KIT_H
#define SBL_TESTS_TABLE_TABLE_KIT_H

#include "support/csv_open.h"

/* Parse a schema or fail the test. */
sbl_schema *kit_schema(const char *text);

/* A schema of columns a: integer 0..100, b: string x y z, c: number 0..1; missing where empty. */
sbl_schema *kit_abc(void);

/* All rows of a table in memory, at most 4096; fails the test when it is refused. */
sbl_batch *kit_read(const char *text, size_t length, const sbl_schema *schema,
                    const sbl_table_options *options);

/* How many rows a table in memory has, however many; -1 when reading fails. */
long kit_count(const char *text, size_t length, const sbl_schema *schema, const sbl_table_options *options,
               sbl_error *err);

/* The same text for the same rows: "12|x|0.5\n..."; "?" is a missing value, a code is written as a
 * number. static buffer. */
const char *kit_show(const sbl_batch *batch);

/* kit_read with the abc schema, then kit_show. */
const char *kit_abc_rows(const char *text);

#endif
