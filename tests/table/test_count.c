/* SPDX-License-Identifier: Apache-2.0 */
/* The number of rows, counted without their cells, is that of the reader: on hostile bytes, in every dialect, wherever a
 * piece of the file ends. */
#include <stdlib.h>
#include <string.h>

#include "records/formats/csv.h"
#include "records/formats/json_reader.h"
#include "support/cmocka_all.h"
#include "table/table_kit.h"

#define TABLES 1500
#define LONGEST 48

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

/* By reading all rows.   Returns: of the reader */
static sbl_status read_rows(uint64_t *count, const sbl_table *table, const sbl_schema *schema)
{
    sbl_rows *rows = NULL;
    sbl_batch *batch = NULL;
    *count = 0;
    assert_ok(sbl_batch_new(&batch, schema, 5, NULL));
    sbl_status status = sbl_rows_open(&rows, table, schema, NULL, NULL);
    while (status == SBL_OK) {
        status = sbl_rows_read(rows, batch, NULL);
        if (batch->rows == 0) break;
        *count += batch->rows;
    }
    sbl_rows_close(rows);
    sbl_batch_free(batch);
    return status;
}

static sbl_status read_cells(uint64_t *count, const sbl_table *table, const sbl_dialect *dialect)
{
    sbl_cell_reader cells;
    bool more = true;
    sbl_status status = sbl_cell_reader_open(&cells, table, dialect, NULL);
    for (*count = 0; status == SBL_OK && more; *count += more)
        status = sbl_cell_reader_next(&cells, &more, NULL);
    sbl_cell_reader_close(&cells);
    return status;
}

static void check_same(const sbl_format *format, const char *text, size_t length, const sbl_schema *schema)
{
    sbl_csv_bytes memory = {text, length};
    const sbl_table table = {.format = format, .name = "t", .state = &memory};
    uint64_t expected, counted;
    sbl_status status = read_rows(&expected, &table, schema);
    assert_int_equal(sbl_rows_count(&counted, &table, schema, NULL), status);
    if (status == SBL_OK) assert_int_equal(counted, expected);
    if (format->names_in_records) return;
    status = read_cells(&expected, &table, &schema->dialect);
    assert_int_equal(sbl_cell_reader_count(&counted, &table, &schema->dialect, NULL), status);
    if (status == SBL_OK) assert_int_equal(counted, expected);
}

TEST(csv_of_hostile_bytes_has_as_many_rows_as_are_read)
{
    static const char signs[] = {'a', ',', '"', '"', '\n', '\n', '\r', ' ', '#', '\0', '\xff', ';', '\''};
    sbl_schema *schema = kit_abc();
    char text[LONGEST + 16];
    drawn = 1;
    for (int i = 0; i < TABLES; i++)
        check_same(&sbl_csv_format, text, draw_text(text, "a,b,c\n", signs, sizeof signs), schema);
    sbl_schema_free(schema);
}

TEST(csv_of_every_dialect_has_as_many_rows_as_are_read)
{
    static const char signs[] = {'a', 'b', ',', ';', '"', '\'', '\n', '\n', '\r', '#', '1'};
    sbl_schema *schema = kit_abc();
    char text[LONGEST + 16];
    drawn = 2;
    for (int i = 0; i < TABLES; i++) {
        schema->dialect.delimiter = draw(2) == 0 ? ',' : ';';
        schema->dialect.quote = draw(2) == 0 ? '"' : '\'';
        schema->dialect.comment = draw(2) == 0 ? '#' : 0;
        schema->dialect.titles = (unsigned)draw(3);
        schema->dialect.header = draw(2) == 0;
        check_same(&sbl_csv_format, text,
                   draw_text(text, draw(2) == 0 ? "#x\na,b,c\r\n" : "", signs, sizeof signs), schema);
    }
    sbl_schema_free(schema);
}

TEST(json_of_hostile_bytes_has_as_many_rows_as_are_read)
{
    static const char signs[] = {'{', '}', '[', ']', '"', '"',  '\\', ',',
                                 ',', ':', 'a', '1', ' ', '\n', '\0'};
    sbl_schema *schema = kit_abc();
    char text[LONGEST + 16];
    drawn = 3;
    for (int i = 0; i < TABLES; i++) {
        check_same(&sbl_json_format, text, draw_text(text, draw(8) == 0 ? "" : "[", signs, sizeof signs),
                   schema);
        check_same(&sbl_json_lines_format, text, draw_text(text, "", signs, sizeof signs), schema);
        /* Most arrays above do not end; these do. */
        size_t length = draw_text(text, "[", signs, sizeof signs);
        memcpy(text + length, "\"}]]", 4);
        check_same(&sbl_json_format, text, length + 4, schema);
    }
    sbl_schema_free(schema);
}

/* A piece of the file may end anywhere: between two quotes, behind a backslash, before a line feed. */
TEST(pieces_of_any_size_give_the_same_number)
{
    static const char signs[] = {'a', ',', '"', '"', '\n', '\\', '[', ']', '\r'};
    sbl_schema *schema = kit_abc();
    char text[LONGEST + 16];
    drawn = 4;
    for (int i = 0; i < TABLES; i++) {
        const sbl_table_options options = {.chunk = 1 + draw(7), .record_limit = 64};
        const size_t length = draw_text(text, "a,b,c\n", signs, sizeof signs);
        sbl_csv_bytes memory = {text, length};
        const sbl_table table = {.format = &sbl_csv_format, .name = "t", .state = &memory};
        void *reading = NULL;
        uint64_t whole, pieces = 0;
        assert_ok(sbl_csv_format.open_rows(&reading, &table, schema, &options, NULL));
        const sbl_status status = sbl_rows_count(&whole, &table, schema, NULL);
        assert_int_equal(sbl_csv_count(&pieces, reading, NULL, NULL), status);
        if (status == SBL_OK) assert_int_equal(pieces, whole);
        sbl_csv_format.close_rows(reading);
    }
    sbl_schema_free(schema);
}

TEST(json_in_pieces_of_any_size_gives_the_same_number)
{
    static const char signs[] = {'{', '}', '[', ']', '"', '"', '\\', ',', ',', 'a', '\n'};
    sbl_schema *schema = kit_abc();
    char text[LONGEST + 16];
    drawn = 5;
    for (int i = 0; i < TABLES; i++) {
        const bool is_array = draw(4) != 0;
        const size_t length = draw_text(text, is_array ? "[" : "", signs, sizeof signs);
        sbl_csv_bytes memory = {text, length};
        const sbl_table table = {
            .format = is_array ? &sbl_json_format : &sbl_json_lines_format, .name = "t", .state = &memory};
        sbl_json_records records = {0};
        sbl_byte_source *source = NULL;
        sbl_strings none = {0};
        uint64_t whole, pieces = 0;
        const sbl_status expected = sbl_rows_count(&whole, &table, schema, NULL);
        assert_ok(sbl_byte_source_open_memory(&source, text, length, "t", NULL));
        sbl_status status =
            sbl_json_records_open(&records, source, is_array, &none, false, 1 + draw(7), NULL);
        if (status == SBL_OK) status = sbl_json_count(&pieces, &records, NULL, NULL);
        assert_int_equal(status, expected);
        if (status == SBL_OK) assert_int_equal(pieces, whole);
        sbl_json_records_close(&records);
    }
    sbl_schema_free(schema);
}

/* Longer than any buffer, with quoted line feeds and a last line without an end. */
TEST(a_file_longer_than_its_buffer_is_counted_to_the_end)
{
    sbl_schema *schema = kit_abc();
    const size_t size = (size_t)3 << 20;
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++) text[i] = "1,\"x\n\"\"y\",0.5\n"[i % 14];
    memcpy(text, "a,b,c\n", 6);
    sbl_csv_bytes memory = {text, size - size % 14 + 6};
    const sbl_table table = {.format = &sbl_csv_format, .name = "t", .state = &memory};
    uint64_t expected, counted;
    assert_ok(read_rows(&expected, &table, schema));
    assert_ok(sbl_rows_count(&counted, &table, schema, NULL));
    assert_int_equal(counted, expected);
    assert_true(counted > 200000);
    free(text);
    sbl_schema_free(schema);
}
