/* SPDX-License-Identifier: Apache-2.0 */
/* JSON tables: what is a record, what is a cell, and that neither a bad record nor how the bytes come changes another
 * row. Expected cells are those of RFC 8259. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/siphash.h"
#include "records/formats/json_reader.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "table/table_kit.h"

static sbl_status open_bytes(sbl_rows **rows, const sbl_format *format, const char *text, size_t length,
                             const sbl_schema *schema, const sbl_table_options *options, sbl_error *err)
{
    sbl_csv_bytes memory = {text, length};
    const sbl_table table = {.format = format, .name = "t.json", .state = &memory};
    return sbl_rows_open(rows, &table, schema, options, err);
}

/* The rows of a table of columns a: integer 0..100, b: string x y z, c: number 0..1. */
static const char *show(const sbl_format *format, const char *text)
{
    sbl_schema *schema = kit_abc();
    sbl_rows *rows = NULL;
    sbl_batch *batch = NULL;
    sbl_error err = {0};
    static char shown[4096];
    assert_ok(open_bytes(&rows, format, text, strlen(text), schema, NULL, &err));
    assert_ok(sbl_batch_new(&batch, schema, 100, &err));
    assert_ok_or_say(sbl_rows_read(rows, batch, &err));
    (void)snprintf(shown, sizeof shown, "%s", kit_show(batch));
    sbl_batch_free(batch);
    sbl_rows_close(rows);
    sbl_schema_free(schema);
    return shown;
}

static const char *lines(const char *text) { return show(&sbl_json_lines_format, text); }
static const char *array(const char *text) { return show(&sbl_json_format, text); }

/* All of an array is read, and refused with these words. */
static void expect_refused(const char *text, const char *words)
{
    sbl_schema *schema = kit_abc();
    sbl_rows *rows = NULL;
    sbl_batch *batch = NULL;
    sbl_error err = {0};
    assert_ok(sbl_batch_new(&batch, schema, 100, &err));
    sbl_status status = open_bytes(&rows, &sbl_json_format, text, strlen(text), schema, NULL, &err);
    if (status == SBL_OK) status = sbl_rows_read(rows, batch, &err);
    assert_int_equal(status, SBL_EINPUT);
    if (strstr(err.message, words) == NULL || strstr(err.message, "SECRET") != NULL)
        fail_msg("%s", err.message);
    sbl_batch_free(batch);
    sbl_rows_close(rows);
    sbl_schema_free(schema);
}

TEST(objects_are_rows)
{
    const char *expected = "1|0|0.5\n2|1|0.25\n";
    assert_string_equal(lines("{\"a\":1,\"b\":\"x\",\"c\":0.5}\n{\"c\":25e-2,\"b\":\"y\",\"a\":2.0}\n"),
                        expected);
    assert_string_equal(
        array(" [ {\"a\" : 1,\n\"b\":\"x\",\"c\":0.5} , {\"c\":2.5E-1,\"b\":\"y\",\"a\":2}\n]\n"), expected);
    assert_string_equal(array("\xef\xbb\xbf[]"), "");
    assert_string_equal(lines(""), "");
}

TEST(values_of_any_type_are_cells)
{
    assert_string_equal(lines("{\"a\":\"7\",\"b\":\"\\u0079\",\"c\":null}"), "7|1|?\n");
    assert_string_equal(lines("{\"a\":true,\"b\":5,\"c\":\"\"}"), "?|?|?\n");
    assert_string_equal(lines("{\"a\":-0,\"b\":\" y \",\"c\":1e400}"), "-0|1|1\n");
    assert_string_equal(lines("{\"a\":123456789012345678901234567890,\"c\":0.75}"), "100|?|0.75\n");
}

TEST(names_that_a_record_lacks_are_missing_and_others_are_passed_over)
{
    assert_string_equal(lines("{}\n{\"d\":{\"a\":1,\"e\":[1,{\"b\":\"x\"}]},\"a\":3}\n"), "?|?|?\n3|?|?\n");
}

TEST(nested_values_cannot_be_read)
{
    assert_string_equal(lines("{\"a\":[1],\"b\":{\"b\":\"x\"},\"c\":0.5}\n"), "?|?|0.5\n");
}

TEST(of_a_name_that_stands_twice_the_last_counts)
{
    assert_string_equal(lines("{\"a\":1,\"a\":2,\"\\u0061\":3}"), "3|?|?\n");
}

/* Every line is a row, whatever it holds, and none of them changes its neighbours. */
TEST(lines_that_are_no_json_are_rows_without_cells)
{
    static const char *const bad[] = {"",
                                      "null",
                                      "[{\"a\":1}]",
                                      "{\"a\":1",
                                      "{\"a\":01}",
                                      "{a:1}",
                                      "{\"a\":1}}",
                                      "{\"a\":1,}",
                                      "{\"a\" 1}",
                                      "{\"a\":\"x}",
                                      "\"",
                                      "{\"a\":1} x",
                                      "{\"a\":\"\\x\"}",
                                      "{\"a\":\t\"\t\"}",
                                      "{\"a\":.5}",
                                      "{\"a\":tru}",
                                      "{\"a\":\"\\u12\"}",
                                      "{\"a\":1}{\"a\":1}",
                                      "{\"a\":-}",
                                      "{\"a\":1.e3}"};
    char text[256];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        (void)snprintf(text, sizeof text, "{\"a\":5}\n%s\r\n{\"a\":6}\n", bad[i]);
        if (strcmp(lines(text), "5|?|?\n?|?|?\n6|?|?\n") != 0) fail_msg("'%s' gives %s", bad[i], lines(text));
    }
}

TEST(elements_of_an_array_that_are_no_objects_are_rows_without_cells)
{
    assert_string_equal(array("[{\"a\":5}, null, [1,2], {a:\"],\"}, , {\"a\":6}]"),
                        "5|?|?\n?|?|?\n?|?|?\n?|?|?\n?|?|?\n6|?|?\n");
}

TEST(arrays_that_do_not_end_are_refused_without_quoting_them)
{
    expect_refused("", "not a JSON array");
    expect_refused("{\"a\":\"SECRET\"}\n", "not a JSON array");
    expect_refused("[{\"a\":\"SECRET\"}", "ends inside its array");
    expect_refused("[{\"a\":\"SECRET\"},", "ends inside its array");
    expect_refused("[{\"a\":\"SECRET}]", "ends inside its array");
    expect_refused("[{\"a\":\"SECRET\"}] [", "has text after its array");
}

TEST(characters_are_utf8)
{
    CLEARED(sbl_strings_clear) sbl_strings names = {0};
    CLEARED(sbl_json_records_close) sbl_json_records records = {0};
    sbl_byte_source *source = NULL;
    sbl_cell cell;
    bool more;
    static const char text[] =
        "{\"a\":\"\\ud83d\\ude00\\u00e9\\u20ac\\u0000\\n\"}\n{\"a\":"
        "\"\\ud800x\\udc00\\ud800\\ud800\"}";
    assert_true(sbl_strings_reserve(&names, 1) && sbl_strings_add(&names, "a"));
    assert_ok(sbl_byte_source_open_memory(&source, text, strlen(text), "t", NULL));
    assert_ok(sbl_json_records_open(&records, source, false, &names, false, 3, NULL));
    assert_ok(sbl_json_records_next(&records, &cell, &more, NULL));
    assert_int_equal(cell.length, 11);
    assert_memory_equal(cell.text, "\xf0\x9f\x98\x80\xc3\xa9\xe2\x82\xac\0\n", 11);
    assert_ok(sbl_json_records_next(&records, &cell, &more, NULL));
    assert_int_equal(cell.length, 13);
    assert_memory_equal(cell.text, "\xef\xbf\xbdx\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 13);
}

/* Brackets in brackets, a hundred and one too many. */
TEST(depth_is_bounded)
{
    char text[1024];
    for (int deep = 0; deep < 2; deep++) {
        char *end = text + sprintf(text, "{\"a\":4,\"d\":");
        const int depth = SBL_JSON_MOST_DEPTH - 1 + deep;
        memset(end, '[', (size_t)depth);
        memset(end + depth, ']', (size_t)depth);
        (void)strcpy(end + 2 * depth, "}\n{\"a\":5}\n");
        assert_string_equal(lines(text), deep ? "?|?|?\n5|?|?\n" : "4|?|?\n5|?|?\n");
    }
}

/* Records of any length are rows, and who a row belongs to is read in all of them. */
TEST(whose_row_it_is_is_read_in_a_record_of_three_megabytes)
{
    static const uint8_t key[SBL_SIPHASH_KEY_SIZE] = {1};
    const sbl_table_options options = {.unit_key = key};
    sbl_schema *schema = kit_schema(
        "{\"fields\":[{\"name\":\"id\",\"type\":\"string\",\"semblance\":{\"role\":\"ignore\"}},"
        "{\"name\":\"b\",\"type\":\"string\",\"constraints\":{\"enum\":[\"x\",\"y\"]}}],"
        "\"semblance\":{\"unit\":\"id\",\"max_rows_per_unit\":2}}");
    const size_t long_text = 3 << 20;
    char *text = malloc(long_text + 400), *end = text;
    sbl_rows *rows = NULL;
    sbl_batch *batch = NULL;
    sbl_error err = {0};
    end += sprintf(end, "{\"id\":7,\"b\":\"x\"}\n{\"note\":\"");
    memset(end, 'q', long_text);
    end += long_text;
    end += sprintf(end, "\",\"b\":\"x\",\"id\":\" 7.0 \"}\n{\"id\":\"8\"}\n{\"b\":\"y\"}\nno\nnor this\n");
    if (open_bytes(&rows, &sbl_json_lines_format, text, (size_t)(end - text), schema, &options, &err) !=
        SBL_OK)
        fail_msg("%s", err.message);
    assert_ok(sbl_batch_new(&batch, schema, 10, &err));
    assert_ok(sbl_rows_read(rows, batch, &err));
    assert_int_equal(batch->rows, 6);
    assert_memory_equal(&batch->units[0], &batch->units[1], sizeof batch->units[0]);
    assert_memory_not_equal(&batch->units[0], &batch->units[2], sizeof batch->units[0]);
    const sbl_unit_tag nobody = {0};
    assert_memory_equal(&batch->units[3], &nobody, sizeof nobody);
    /* What is no JSON is one person's: nobody may become many by writing badly. */
    assert_memory_not_equal(&batch->units[4], &nobody, sizeof nobody);
    assert_memory_equal(&batch->units[4], &batch->units[5], sizeof nobody);
    sbl_batch_free(batch);
    sbl_rows_close(rows);
    sbl_schema_free(schema);
    free(text);
}

TEST(names_are_gathered_where_nobody_names_them)
{
    static const char text[] = "[{\"b\":1},{\"a\":{\"c\":2}},{\"b\":2,\"\\u00e9\":3},bad,{1}]";
    sbl_csv_bytes memory = {text, strlen(text)};
    const sbl_table table = {
        .format = &sbl_json_format, .name = "t.json", .state = &memory, .can_rewind = true};
    const sbl_dialect usual = {.delimiter = ','};
    CLEARED(sbl_cell_reader_close) sbl_cell_reader cells;
    assert_ok(sbl_cell_reader_open(&cells, &table, &usual, NULL));
    assert_int_equal(cells.names.count, 3);
    assert_string_equal(cells.names.items[0], "b");
    assert_string_equal(cells.names.items[1], "a");
    assert_string_equal(cells.names.items[2], "\xc3\xa9");
}

TEST(every_allocation_may_fail)
{
    static const char text[] = "{\"a\":1,\"b\":\"x\"}\n{\"e\":\"a longer text\",\"b\":\"y\"}\n";
    sbl_schema *schema = kit_abc();
    for (long n = 1;; n++) {
        sbl_rows *rows = NULL;
        sbl_batch *batch = NULL;
        sbl_error err = {0};
        assert_ok(sbl_batch_new(&batch, schema, 10, NULL));
        sbl_test_fail_alloc(n);
        sbl_status status = open_bytes(&rows, &sbl_json_lines_format, text, strlen(text), schema, NULL, &err);
        if (status == SBL_OK) status = sbl_rows_read(rows, batch, &err);
        const bool failed = sbl_test_fail_end();
        sbl_rows_close(rows);
        sbl_batch_free(batch);
        assert_int_equal(status, failed ? SBL_EMEM : SBL_OK);
        if (!failed) break;
    }
    sbl_schema_free(schema);
}

ALL_TESTS(NULL, NULL)
