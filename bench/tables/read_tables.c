/* SPDX-License-Identifier: Apache-2.0 */
/* Rows per processor second of reading tables into typed rows of a schema, in whatever format they are:
 *   read_tables SCHEMA LIBRARY FILE...      LIBRARY: of DuckDB, for Parquet; each file is read three times, the least counts
 * The same table as CSV and as Parquet says what a format costs; what is made of the rows afterwards is the same. */
#include <stdio.h>
#include <time.h>

#include "public/schema/schema_type.h"
#include "records/rows/table.h"
#include "records/source/data_handle.h"

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static sbl_status read_table(uint64_t *count, const sbl_data *data, const sbl_schema *schema, sbl_error *err)
{
    const sbl_table *table = NULL;
    sbl_rows *rows = NULL;
    sbl_batch *batch = NULL;
    sbl_status status = SBL_OK;
    *count = 0;
    SBL_TRY(sbl_data_table(&table, data, err));
    SBL_TRY(sbl_batch_new(&batch, schema, 8192, err));
    SBL_TRY(sbl_rows_open(&rows, table, schema, NULL, err));
    do {
        SBL_TRY(sbl_rows_read(rows, batch, err));
        *count += batch->rows;
    } while (batch->rows > 0);
done:
    sbl_rows_close(rows);
    sbl_batch_free(batch);
    return status;
}

static sbl_status measure(const char *path, const sbl_data_options *options, const sbl_schema *schema,
                          sbl_error *err)
{
    sbl_data *data = NULL;
    uint64_t rows = 0;
    double least = 0;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_data_open(&data, path, options, err));
    for (int i = 0; i < 3; i++) {
        const double begin = seconds();
        SBL_TRY(read_table(&rows, data, schema, err));
        const double taken = seconds() - begin;
        if (i == 0 || taken < least) least = taken;
    }
    (void)printf("%s: %llu rows, %.3f s, %.2f million rows a processor second\n", path,
                 (unsigned long long)rows, least, 1e-6 * (double)rows / least);
done:
    sbl_data_free(data);
    return status;
}

int main(int argc, char **argv)
{
    sbl_schema *schema = NULL;
    sbl_error err = {0};
    sbl_status status = SBL_OK;
    if (argc < 4) {
        (void)fputs("usage: read_tables SCHEMA LIBRARY FILE...\n", stderr);
        return 2;
    }
    const sbl_data_options options = {.struct_size = sizeof options, .duckdb = argv[2]};
    status = sbl_schema_from_file(&schema, argv[1], false, &err);
    for (int i = 3; status == SBL_OK && i < argc; i++) status = measure(argv[i], &options, schema, &err);
    if (status != SBL_OK) (void)fprintf(stderr, "read_tables: %s\n", err.message);
    sbl_schema_free(schema);
    return status == SBL_OK ? 0 : 1;
}
