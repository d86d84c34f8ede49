/* SPDX-License-Identifier: Apache-2.0 */
/* CSV tables of a file or of bytes, opened as rows: what the tests of the reader read. */
#ifndef SBL_TESTS_SUPPORT_CSV_OPEN_H
#define SBL_TESTS_SUPPORT_CSV_OPEN_H

#include "records/rows/table.h"

static inline sbl_status open_csv(sbl_rows **rows, const char *path, const sbl_schema *schema,
                                  const sbl_table_options *options, sbl_error *err)
{
    const sbl_table table = sbl_csv_table(path);
    return sbl_rows_open(rows, &table, schema, options, err);
}

static inline sbl_status open_csv_bytes(sbl_rows **rows, const void *bytes, size_t size, const char *name,
                                        const sbl_schema *schema, const sbl_table_options *options,
                                        sbl_error *err)
{
    sbl_csv_bytes memory = {bytes, size};
    const sbl_table table = {.format = &sbl_csv_format, .name = name, .state = &memory};
    return sbl_rows_open(rows, &table, schema, options, err);
}

#endif
