/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in any declared dialect and encoding: any bytes are refused with one line or read as rows
 * within the schema, whatever the size of the chunks. The first two bytes choose the dialect. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/csv_open.h"

#define CHECK(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char fields[] =
    "{\"fields\":["
    "{\"name\":\"a\",\"type\":\"integer\",\"groupChar\":\"'\",\"constraints\":{\"minimum\":-5,"
    "\"maximum\":1000000}},"
    "{\"name\":\"b\",\"type\":\"string\",\"constraints\":{\"enum\":[\"x\",\"K\xc3\xb6ln\"]}},"
    "{\"name\":\"c\",\"type\":\"number\",\"decimalChar\":\",\",\"groupChar\":\".\",\"bareNumber\":"
    "false,\"constraints\":{\"minimum\":0,\"maximum\":99999}},"
    "{\"name\":\"d\",\"type\":\"datetime\",\"format\":\"%d.%b %y %H:%M%z\",\"constraints\":{"
    "\"minimum\":\"2000-01-01\",\"maximum\":\"2020-01-01\"}}";

static sbl_schema *schema_of(uint8_t first, uint8_t second)
{
    static const char *const delimiters[] = {",", ";", "\\t", "|"};
    static const char *const encodings[] = {"utf-8",      "utf-16",      "utf-16le",     "utf-16be",
                                            "iso-8859-1", "iso-8859-15", "windows-1252", "utf-8"};
    char text[2048];
    sbl_schema *schema;
    const int used = snprintf(text, sizeof text, "%s", fields);
    (void)snprintf(text + used, sizeof text - (size_t)used,
                   "],\"dialect\":{\"delimiter\":\"%s\",\"quoteChar\":\"%s\",\"header\":%s%s%s},"
                   "\"encoding\":\"%s\"}",
                   delimiters[first % 4], first & 4 ? "'" : "\\\"", first & 8 ? "false" : "true",
                   first & 16 ? ",\"commentChar\":\"#\"" : "",
                   !(first & 8) && (first & 32) ? ",\"headerRows\":[3]" : "", encodings[second % 8]);
    CHECK(sbl_schema_parse(&schema, text, strlen(text), "s", NULL) == SBL_OK);
    return schema;
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

/* Every cell folded into a number, and how it ended. */
static uint64_t fold(sbl_status *status, const uint8_t *data, size_t size, const sbl_schema *schema,
                     size_t chunk)
{
    const sbl_table_options options = {.chunk = chunk, .record_limit = 512};
    sbl_rows *reader;
    sbl_batch *batch;
    uint64_t digest = 0;
    *status = open_csv_bytes(&reader, data, size, "t", schema, &options, NULL);
    if (*status != SBL_OK) return 0;
    CHECK(sbl_batch_new(&batch, schema, 16, NULL) == SBL_OK);
    while ((*status = sbl_rows_read(reader, batch, NULL)) == SBL_OK && batch->rows > 0)
        for (size_t row = 0; row < batch->rows; row++) {
            check_row(batch, row);
            for (size_t i = 0; i < schema->column_count; i++) {
                uint64_t bits = 0;
                if (batch->columns[i].codes != NULL) bits = batch->columns[i].codes[row];
                if (batch->columns[i].values != NULL)
                    memcpy(&bits, &batch->columns[i].values[row], sizeof bits);
                digest = (digest ^ bits) * UINT64_C(0x100000001b3) + 1;
            }
        }
    sbl_batch_free(batch);
    sbl_rows_close(reader);
    return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sbl_status first;
    sbl_status second;
    if (size < 2) return 0;
    sbl_schema *schema = schema_of(data[0], data[1]);
    const uint64_t large = fold(&first, data + 2, size - 2, schema, 4096);
    const uint64_t small = fold(&second, data + 2, size - 2, schema, 1);
    CHECK(first == second && large == small);
    sbl_schema_free(schema);
    return 0;
}
