/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: any bytes are refused with one line or read as rows within the schema, there are as many
 * rows as the grammar finds records and as are counted without their cells, and what is read depends neither on the size of the chunks nor
 * on the size of the batches. */
#include <stdlib.h>
#include <string.h>

#include "records/formats/csv.h"
#include "support/csv_open.h"
#include "support/json_text.h"

#define MOST_ROWS 64
#define CHECK(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char schema_text[] =
    JSON({"missingValues":["","NA"],"fields":[{"name":"a","type":"integer",
    "constraints":{"minimum":-5,"maximum":100}},
    {"name":"b","type":"string","constraints":{"enum":["x","y z","long name"],"required":true}},
    {"name":"c","type":"number","constraints":{"minimum":0,"maximum":1}},
    {"name":"d","type":"datetime","constraints":{"minimum":"2000-01-01","maximum":"2020-01-01"}},
    {"name":"e","type":"boolean"},{"name":"f","semblance":{"role":"ignore"}}]});

/* The line feed at or after p that ends the record there, by RFC 4180 told cell by cell; the end of
 * the data where the last record has none, and NULL where it ends inside quotes. */
static const uint8_t *record_end(const uint8_t *p, const uint8_t *end)
{
    for (;; p++) { /* p is at the first byte of a cell */
        if (p < end && *p == '"') {
            do { /* p is at the quote that opens, or at the second of two */
                p = memchr(p + 1, '"', (size_t)(end - p) - 1);
                if (p == NULL) return NULL;
                p++;
            } while (p < end && *p == '"');
        }
        while (p < end && *p != ',' && *p != '\n') p++;
        if (p == end || *p == '\n') return p;
    }
}

/* How many records stand after the header; *open: the last one ends inside quotes. */
static size_t reference_rows(bool *open, const uint8_t *data, size_t size)
{
    const uint8_t *end = data + size;
    const uint8_t *p = size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? data + 3 : data;
    size_t records = 0;
    *open = false;
    for (; p < end; records++) {
        p = record_end(p, end);
        *open = p == NULL;
        if (p == NULL) break;
        if (p < end) p++;
    }
    return records > 0 ? records - 1 : 0;
}

/* The same of the reader: it refuses what ends inside quotes, and nothing else once it is open. */
static void check_records(sbl_status status, size_t rows, const uint8_t *data, size_t size)
{
    bool open;
    if (size >= 2 && data[0] == 0x1f && data[1] == 0x8b) return; /* gzip */
    const size_t expected = reference_rows(&open, data, size);
    CHECK(status == (open ? SBL_EINPUT : SBL_OK));
    if (!open) CHECK(rows == expected);
}

static void check_row(const sbl_batch *batch, size_t row)
{
    for (size_t i = 0; i < batch->schema->column_count; i++) {
        const sbl_column *facts = &batch->schema->columns[i];
        const sbl_batch_column *column = &batch->columns[i];
        if (facts->kind == SBL_COLUMN_IGNORED) continue;
        if (column->codes != NULL)
            CHECK(column->codes[row] < facts->categories.count + facts->missing_allowed);
        else
            CHECK(column->values[row] >= facts->minimum && column->values[row] <= facts->maximum);
    }
}

/* Fold the rows of a batch into a number, and count them. */
static void fold_batch(uint64_t *digest, size_t *rows, const sbl_batch *batch)
{
    for (size_t row = 0; row < batch->rows; row++) {
        check_row(batch, row);
        for (size_t i = 0; i < batch->schema->column_count; i++) {
            uint64_t bits = 0;
            if (batch->columns[i].codes != NULL) bits = batch->columns[i].codes[row];
            if (batch->columns[i].values != NULL) memcpy(&bits, &batch->columns[i].values[row], sizeof bits);
            if (batch->columns[i].missing != NULL) bits += batch->columns[i].missing[row];
            *digest = (*digest ^ bits) * UINT64_C(0x100000001b3);
        }
    }
    *rows += batch->rows;
}

static sbl_status fold(uint64_t *digest, size_t *rows, sbl_rows *reader, sbl_batch *batch)
{
    sbl_status status;
    *digest = 0;
    *rows = 0;
    while ((status = sbl_rows_read(reader, batch, NULL)) == SBL_OK && batch->rows > 0)
        fold_batch(digest, rows, batch);
    return status;
}

#define LANES 3

static void nothing_more(void *context, size_t batch)
{
    (void)context;
    (void)batch;
}

/* Read by ranges of this many bytes, they are the same rows. */
static void check_ranges(sbl_status expected, uint64_t digest, size_t rows, const uint8_t *data, size_t size,
                         const sbl_schema *schema, const sbl_table_options *options)
{
    sbl_csv_bytes memory = {data, size};
    const sbl_table table = {.format = &sbl_csv_format, .name = "input", .state = &memory};
    sbl_rows *reader = NULL;
    sbl_batch *batches[LANES] = {NULL};
    uint64_t found = 0;
    size_t count = 0;
    for (size_t k = 0; k < LANES; k++) CHECK(sbl_batch_new(&batches[k], schema, 5, NULL) == SBL_OK);
    sbl_status status = sbl_rows_open(&reader, &table, schema, options, NULL);
    while (status == SBL_OK) {
        status = sbl_rows_read_many(reader, batches, LANES, nothing_more, NULL, NULL);
        if (status != SBL_OK || batches[0]->rows == 0) break;
        for (size_t k = 0; k < LANES; k++) fold_batch(&found, &count, batches[k]);
    }
    CHECK(status == expected);
    CHECK(status != SBL_OK || (found == digest && count == rows));
    sbl_rows_close(reader);
    for (size_t k = 0; k < LANES; k++) sbl_batch_free(batches[k]);
}

/* Counted without their cells, in pieces of this size, they are as many. */
static void check_count(sbl_status expected, size_t rows, const uint8_t *data, size_t size,
                        const sbl_schema *schema, const sbl_table_options *options)
{
    sbl_csv_bytes memory = {data, size};
    const sbl_table table = {.format = &sbl_csv_format, .name = "input", .state = &memory};
    void *reading = NULL;
    uint64_t counted = 0;
    sbl_status status = sbl_csv_format.open_rows(&reading, &table, schema, options, NULL);
    if (status == SBL_OK) status = sbl_csv_count(&counted, reading, NULL, NULL);
    CHECK(status == expected);
    CHECK(status != SBL_OK || counted == rows);
    sbl_csv_format.close_rows(reading);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t chunks[] = {512, 1, 7, 64};
    static sbl_schema *schema; /* read once */
    uint64_t first = 0;
    size_t first_rows = 0;
    sbl_status first_status = SBL_OK;
    if (schema == NULL)
        CHECK(sbl_schema_parse(&schema, schema_text, strlen(schema_text), "s", NULL) == SBL_OK);
    for (size_t i = 0; i < 4; i++) {
        const sbl_table_options options = {.record_limit = 256, .chunk = chunks[i]};
        sbl_rows *reader;
        sbl_batch *batch;
        sbl_error err = {0};
        uint64_t digest = 0;
        size_t rows = 0;
        CHECK(sbl_batch_new(&batch, schema, i == 2 ? 1 : MOST_ROWS, NULL) == SBL_OK);
        sbl_status status = open_csv_bytes(&reader, data, size, "input", schema, &options, &err);
        CHECK((status == SBL_OK) == (reader != NULL));
        if (status == SBL_OK) {
            status = fold(&digest, &rows, reader, batch);
            check_records(status, rows, data, size);
        } else {
            CHECK(status == SBL_EINPUT && strpbrk(err.message, "\r\n") == NULL);
        }
        if (i == 0) {
            first = digest;
            first_rows = rows;
            first_status = status;
        }
        CHECK(status == first_status);
        /* With broken gzip data, how many rows came before the fault is nobody's business. */
        if (status == SBL_OK) CHECK(digest == first && rows == first_rows);
        check_count(status, rows, data, size, schema, &options);
        check_ranges(status, digest, rows, data, size, schema, &options);
        sbl_rows_close(reader);
        sbl_batch_free(batch);
    }
    return 0;
}
