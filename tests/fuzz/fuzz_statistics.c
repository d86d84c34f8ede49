/* SPDX-License-Identifier: Apache-2.0 */
/* Files of SPSS, Stata and SAS: any bytes are refused with one line, or read as rows within the schema, the same ones twice.
 * The first bytes choose the reader. ReadStat is the system's: what it hands over is checked here. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/memory_file.h"
#include "records/rows/table.h"

#define MOST_ROWS 64
#define MOST_READ 4096 /* a few bytes may promise many rows */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char schema_text[] =
    "{\"missingValues\":[\"\"],\"fields\":[{\"name\":\"sex\",\"type\":\"string\",\"constraints\":{\"enum\":["
    "\"male\","
    "\"female\"]},\"semblance\":{\"other\":\"male\"}},{\"name\":\"age\",\"type\":\"integer\",\"constraints\":"
    "{"
    "\"minimum\":0,\"maximum\":99}},{\"name\":\"town\",\"type\":\"string\",\"constraints\":{\"enum\":["
    "\"Ayr\"]}},"
    "{\"name\":\"day\",\"type\":\"date\",\"constraints\":{\"minimum\":\"2000-01-01\",\"maximum\":\"2013-12-"
    "31\"}}]}";

static const char *ending_of(const uint8_t *data, size_t size)
{
    if (size >= 4 && memcmp(data, "$FL", 3) == 0) return "sav";
    if (size >= 6 && memcmp(data, "HEADER", 6) == 0) return "xpt";
    return size >= 4 && (memcmp(data, "<sta", 4) == 0 || data[0] >= 102) ? "dta" : "sas7bdat";
}

static void check_row(const sbl_batch *batch, size_t row)
{
    for (size_t i = 0; i < batch->schema->column_count; i++) {
        const sbl_column *facts = &batch->schema->columns[i];
        const sbl_batch_column *column = &batch->columns[i];
        if (column->codes != NULL)
            CHECK(column->codes[row] < facts->categories.count + facts->missing_allowed);
        else
            CHECK(column->values[row] >= facts->minimum && column->values[row] <= facts->maximum);
    }
}

static size_t read_all(const char *path, const sbl_schema *schema)
{
    const sbl_table table = {
        .format = &sbl_statistics_format, .name = "input", .path = path, .can_rewind = true};
    sbl_error err = {.status = SBL_OK};
    sbl_rows *rows = NULL;
    sbl_batch *batch;
    size_t count = 0;
    CHECK(sbl_batch_new(&batch, schema, MOST_ROWS, NULL) == SBL_OK);
    sbl_status status = sbl_rows_open(&rows, &table, schema, NULL, &err);
    CHECK((status == SBL_OK) == (rows != NULL));
    while (status == SBL_OK && count < MOST_READ) {
        status = sbl_rows_read(rows, batch, &err);
        for (size_t row = 0; row < batch->rows; row++) check_row(batch, row);
        count += batch->rows;
        if (batch->rows == 0) break;
    }
    if (status != SBL_OK) CHECK(err.message[0] != '\0' && strchr(err.message, '\n') == NULL);
    sbl_rows_close(rows);
    sbl_batch_free(batch);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sbl_schema *schema; /* read once */
    char folder[] = "/tmp/fuzz-XXXXXX", file[64], path[64];
    if (schema == NULL)
        CHECK(sbl_schema_parse(&schema, schema_text, strlen(schema_text), "s", NULL) == SBL_OK);
    const int memory = open_memory_file(file, data, size);
    CHECK(mkdtemp(folder) != NULL);
    (void)snprintf(path, sizeof path, "%s/x.%s", folder, ending_of(data, size));
    CHECK(symlink(file, path) == 0);
    const size_t first = read_all(path, schema);
    CHECK(read_all(path, schema) == first);
    CHECK(unlink(path) == 0 && rmdir(folder) == 0 && close(memory) == 0);
    return 0;
}
