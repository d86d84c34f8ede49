/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that read ranges of a file give the rows that one thread gives: on hostile bytes, wherever a range begins, however few
 * rows a batch holds, and also if memory runs out. */
#include <stdlib.h>
#include <string.h>

#include "records/formats/csv.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "table/table_kit.h"

#define TABLES 700
#define LONGEST 90
#define MOST_LANES 5
#define LIMIT 40
#define NUMBERS_A_ROW 8 /* two for each column, and the tag of the person */

static uint64_t drawn;

static size_t draw(size_t below)
{
    drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(drawn >> 33) % below;
}

static size_t draw_text(char *text, const char *head, const char *signs, size_t count)
{
    const size_t before = strlen(head), length = draw(LONGEST);
    memcpy(text, head, before);
    for (size_t i = 0; i < length; i++) text[before + i] = signs[draw(count)];
    return before + length;
}

/* All that is known of the rows of a table, as numbers. */
typedef struct seen_rows {
    uint64_t numbers[LONGEST * 16];
    size_t count;
} seen_rows;

static void add_rows(seen_rows *seen, const sbl_batch *batch)
{
    const size_t columns = batch->schema->column_count;
    for (size_t row = 0; row < batch->rows; row++) {
        for (size_t i = 0; i < columns; i++) {
            const sbl_batch_column *column = &batch->columns[i];
            uint64_t bits = 0;
            if (column->codes != NULL) bits = column->codes[row];
            if (column->values != NULL) memcpy(&bits, &column->values[row], sizeof bits);
            seen->numbers[seen->count++] = bits;
            seen->numbers[seen->count++] = sbl_batch_faults(batch, row)[i];
        }
        seen->numbers[seen->count++] = batch->units[row].low;
        seen->numbers[seen->count++] = batch->units[row].high;
    }
}

static sbl_batch *new_batch(const sbl_schema *schema, size_t capacity)
{
    sbl_batch *batch = NULL;
    assert_ok(sbl_batch_new(&batch, schema, capacity, NULL));
    assert_ok(sbl_batch_keep_faults(batch, NULL));
    return batch;
}

static sbl_status read_one_by_one(seen_rows *seen, const sbl_table *table, const sbl_schema *schema,
                                  const sbl_table_options *options)
{
    sbl_rows *rows = NULL;
    sbl_batch *batch = new_batch(schema, 3);
    seen->count = 0;
    sbl_status status = sbl_rows_open(&rows, table, schema, options, NULL);
    while (status == SBL_OK) {
        status = sbl_rows_read(rows, batch, NULL);
        if (batch->rows == 0) break;
        add_rows(seen, batch);
    }
    sbl_rows_close(rows);
    sbl_batch_free(batch);
    return status;
}

static void count_done(void *context, size_t batch) { ((unsigned *)context)[batch]++; }

static sbl_status read_many(seen_rows *seen, const sbl_table *table, const sbl_schema *schema,
                            const sbl_table_options *options, size_t lanes, size_t capacity)
{
    sbl_rows *rows = NULL;
    sbl_batch *batches[MOST_LANES] = {NULL};
    bool more = true;
    seen->count = 0;
    for (size_t k = 0; k < lanes; k++) batches[k] = new_batch(schema, capacity);
    sbl_status status = sbl_rows_open(&rows, table, schema, options, NULL);
    while (status == SBL_OK && more) {
        unsigned done[MOST_LANES] = {0};
        status = sbl_rows_read_many(rows, batches, lanes, count_done, done, NULL);
        more = status == SBL_OK && batches[0]->rows > 0;
        for (size_t k = 0; more && k < lanes; k++) {
            assert_true(done[k] == 1 || (done[k] == 0 && batches[k]->rows == 0));
            add_rows(seen, batches[k]);
        }
    }
    sbl_rows_close(rows);
    for (size_t k = 0; k < lanes; k++) sbl_batch_free(batches[k]);
    return status;
}

static sbl_schema *schema_with_unit(void)
{
    return kit_schema(
        "{\"fields\": [{\"name\": \"a\", \"type\": \"integer\", \"constraints\": {\"minimum\": 0, "
        "\"maximum\": 100}},"
        "{\"name\": \"b\", \"type\": \"string\", \"constraints\": {\"enum\": [\"x\", \"y\", \"x\\ny\"]}},"
        "{\"name\": \"id\", \"type\": \"string\"}], \"missingValues\": [\"\"],"
        "\"semblance\": {\"unit\": \"id\", \"max_rows_per_unit\": 3}}");
}

/* Counted in ranges, they are as many. */
static void check_count(sbl_status expected, size_t rows, const sbl_table *table, const sbl_schema *schema,
                        const sbl_table_options *options, size_t lanes)
{
    void *reading = NULL;
    uint64_t counted = 0;
    sbl_status status = sbl_csv_format.open_rows(&reading, table, schema, options, NULL);
    if (status == SBL_OK) status = sbl_csv_count_many(&counted, reading, lanes, NULL, NULL);
    assert_int_equal(status, expected);
    if (expected == SBL_OK) assert_int_equal(counted, rows);
    sbl_csv_format.close_rows(reading);
}

static void check_same(const char *text, size_t length, const sbl_schema *schema, size_t record_limit)
{
    static const uint8_t key[16] = {7};
    static seen_rows expected, found;
    sbl_csv_bytes memory = {text, length};
    const sbl_table table = {.format = &sbl_csv_format, .name = "t", .state = &memory};
    sbl_table_options options = {.unit_key = key, .record_limit = record_limit};
    const sbl_status status = read_one_by_one(&expected, &table, schema, &options);
    options.chunk = 1 + draw(12);
    const size_t lanes = 2 + draw(MOST_LANES - 1);
    check_count(status, expected.count / NUMBERS_A_ROW, &table, schema, &options, lanes);
    assert_int_equal(read_many(&found, &table, schema, &options, lanes, 1 + draw(7)), status);
    if (status != SBL_OK) return;
    assert_int_equal(found.count, expected.count);
    assert_memory_equal(found.numbers, expected.numbers, expected.count * sizeof *expected.numbers);
}

TEST(hostile_bytes_in_ranges_are_the_same_rows)
{
    static const char signs[] = {'a', 'x', ',', ',', '"', '"', '\n', '\n', '\r', ' ', '1', '\0', '\xff'};
    sbl_schema *schema = schema_with_unit();
    char text[LONGEST + 16];
    drawn = 1;
    for (int i = 0; i < TABLES; i++)
        check_same(text, draw_text(text, "a,b,id\n", signs, sizeof signs), schema, 1 + draw(LIMIT));
    sbl_schema_free(schema);
}

TEST(quotes_and_ends_of_other_dialects_are_the_same_rows)
{
    static const char signs[] = {'x', '1', ',', ';', '"', '\'', '\n', '\r', '#'};
    sbl_schema *schema = schema_with_unit();
    char text[LONGEST + 32];
    drawn = 2;
    for (int i = 0; i < TABLES; i++) {
        schema->dialect.delimiter = draw(2) == 0 ? ',' : ';';
        schema->dialect.quote = draw(2) == 0 ? '"' : '\'';
        schema->dialect.comment = draw(2) == 0 ? '#' : 0;
        schema->dialect.titles = (unsigned)draw(3);
        check_same(text,
                   draw_text(text,
                             draw(2) == 0 ? "\xef\xbb\xbf"
                                            "a,b,id\r\n"
                                          : "#\na;b;id\n",
                             signs, sizeof signs),
                   schema, LIMIT);
    }
    sbl_schema_free(schema);
}

/* Most ranges are within a cell, or nothing but quotes. */
TEST(ranges_inside_of_quoted_cells_are_the_same_rows)
{
    static const char signs[] = {'"', '"', '"', '\n', ',', 'x'};
    sbl_schema *schema = schema_with_unit();
    char text[LONGEST + 16];
    drawn = 3;
    for (int i = 0; i < TABLES; i++) {
        size_t length = draw_text(text, "a,b,id\n", signs, sizeof signs);
        if (draw(2) == 0) text[length++] = '"'; /* closes what is open half of the time */
        check_same(text, length, schema, LIMIT);
    }
    sbl_schema_free(schema);
}

TEST(lack_of_memory_is_reported)
{
    static const char text[] = "a,b,id\n1,x,p\n2,\"x\ny\",q\n3,y,r\n";
    static const uint8_t key[16] = {7};
    static seen_rows seen;
    sbl_schema *schema = schema_with_unit();
    sbl_csv_bytes memory = {text, sizeof text - 1};
    const sbl_table table = {.format = &sbl_csv_format, .name = "t", .state = &memory};
    const sbl_table_options options = {.unit_key = key, .chunk = 8};
    for (long n = 0; sbl_test_fail_next(&n);) {
        sbl_test_fail_alloc(0);
        sbl_batch *batches[3] = {new_batch(schema, 4), new_batch(schema, 4), new_batch(schema, 4)};
        unsigned done[3] = {0};
        sbl_rows *rows = NULL;
        sbl_test_fail_alloc(n);
        sbl_status status = sbl_rows_open(&rows, &table, schema, &options, NULL);
        seen.count = 0;
        while (status == SBL_OK) {
            status = sbl_rows_read_many(rows, batches, 3, count_done, done, NULL);
            if (status != SBL_OK || batches[0]->rows == 0) break;
            for (size_t k = 0; k < 3; k++) add_rows(&seen, batches[k]);
        }
        if (sbl_test_no_memory(status))
            assert_int_equal(status, SBL_EMEM);
        else
            assert_int_equal(seen.count, 3 * NUMBERS_A_ROW);
        sbl_rows_close(rows);
        for (size_t k = 0; k < 3; k++) sbl_batch_free(batches[k]);
    }
    sbl_schema_free(schema);
}
