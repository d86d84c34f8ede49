/* SPDX-License-Identifier: Apache-2.0 */
/* Good tables, in all the forms that RFC 4180 and common programs give them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "table/table_kit.h"

FREES(sbl_schema_free);
FREES(sbl_batch_free);

TEST(plain_table_is_read)
{
    assert_string_equal(kit_abc_rows("a,b,c\n12,x,0.25\n100,z z,1\n"), "12|0|0.25\n100|2|1\n");
}

TEST(columns_come_in_any_order) { assert_string_equal(kit_abc_rows("c,a,b\n0.5,3,y\n"), "3|1|0.5\n"); }

TEST(last_line_needs_no_line_end)
{
    assert_string_equal(kit_abc_rows("a,b,c\n1,x,0"), "1|0|0\n");
    assert_string_equal(kit_abc_rows("a,b,c\n1,x,0\r"), "1|0|0\n");
    assert_string_equal(kit_abc_rows("c,a,b\n1,1,y"), "1|1|1\n");
}

TEST(crlf_and_byte_order_mark_are_understood)
{
    assert_string_equal(kit_abc_rows("\xef\xbb\xbf"
                                     "a,b,c\r\n12,x,0.25\r\n7,y,1\r\n"),
                        "12|0|0.25\n7|1|1\n");
    assert_string_equal(kit_abc_rows("c,a,b\r\n0.5,3,y\r\n1,\"4\",\"x\"\r\n"), "3|1|0.5\n4|0|1\n");
}

TEST(header_alone_is_a_table_without_rows)
{
    assert_string_equal(kit_abc_rows("a,b,c\n"), "");
    assert_string_equal(kit_abc_rows("a,b,c"), "");
}

TEST(quoted_cells_are_unquoted)
{
    FREED(sbl_schema_free)
    sbl_schema *schema = kit_schema(
        "{\"fields\":[{\"name\":\"the, "
        "\\\"name\\\"\",\"type\":\"string\",\"constraints\":{\"enum\":"
        "[\"a,b\",\"say \\\"hi\\\"\",\"two\\nlines\",\"\\\"\",\"cr\\r\\nlf\"]}},"
        "{\"name\":\"n\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9}}]}");
    static const char text[] =
        "\"the, \"\"name\"\"\",\"n\"\n\"a,b\",\"1\"\n\"say \"\"hi\"\"\",2\n\"two\nlines\",3\n"
        "\"\"\"\",4\n\"cr\r\nlf\",\"5\"\r\n";
    FREED(sbl_batch_free) sbl_batch *batch = kit_read(text, strlen(text), schema, NULL);
    assert_string_equal(kit_show(batch), "0|1\n1|2\n2|3\n3|4\n4|5\n");
}

TEST(missing_values_are_told_from_good_ones)
{
    FREED(sbl_schema_free)
    sbl_schema *schema = kit_schema(JSON({"missingValues":["","NA","-9"],"fields":[{"name":"n",
        "type":"number",
        "constraints":{"minimum":-20,"maximum":20}},
        {"name":"s","type":"string","constraints":{"enum":["u","v"]}},{"name":"d","type":"date",
        "constraints":{"minimum":"1970-01-01","maximum":"1970-12-31"},"missingValues":["never"]},
        {"name":"t","type":"boolean"}]}));
    static const char text[] =
        "n,s,d,t\n-9,NA,never,NA\n-8,u,1970-01-02,true\n NA ,\" \",1970-01-03,0\n\"\",v,never,1\n";
    FREED(sbl_batch_free) sbl_batch *batch = kit_read(text, strlen(text), schema, NULL);
    assert_string_equal(kit_show(batch), "?|?|?|?\n-8|0|1|1\n?|?|2|0\n?|1|?|1\n");
    /* A missing number's place holds the public constant. */
    assert_true(batch->columns[0].values[0] == 0);
}

TEST(categories_of_numbers_match_by_value)
{
    FREED(sbl_schema_free)
    sbl_schema *schema = kit_schema(
        "{\"fields\":[{\"name\":\"k\",\"type\":\"integer\",\"constraints\":{\"enum\":[0,7,100]}},"
        "{\"name\":\"h\",\"type\":\"number\",\"constraints\":{\"enum\":[0.5,1,1.5]}}]}");
    static const char text[] = "k,h\n7,0.5\n007,.50\n7.0,15e-1\n 1e2,1.0\n-0,1\n";
    FREED(sbl_batch_free) sbl_batch *batch = kit_read(text, strlen(text), schema, NULL);
    assert_string_equal(kit_show(batch), "1|0\n1|0\n1|2\n2|1\n0|1\n");
}

TEST(dates_and_datetimes_are_read)
{
    FREED(sbl_schema_free)
    sbl_schema *schema = kit_schema(
        "{\"fields\":[{\"name\":\"d\",\"type\":\"date\",\"constraints\":{\"minimum\":\"1960-01-"
        "01\","
        "\"maximum\":\"2020-12-31\"}},{\"name\":\"t\",\"type\":\"datetime\",\"constraints\":{"
        "\"minimum\":\"1960-01-01\",\"maximum\":\"2020-12-31T00:00:00\"}}]}");
    static const char text[] = "d,t\n1970-01-02,1970-01-01T00:00:07\n1969-12-31,\"1970-01-01 01:00\"\n";
    FREED(sbl_batch_free) sbl_batch *batch = kit_read(text, strlen(text), schema, NULL);
    assert_string_equal(kit_show(batch), "1|7\n-1|3600\n");
}

static void note_name(void *context, const char *name)
{
    char *names = context;
    (void)strcat(strcat(names, name), ";");
}

TEST(extra_columns_are_passed_over_and_told)
{
    char names[512] = "";
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    const sbl_table_options options = {.extra_column = note_name, .context = names};
    static const char text[] =
        "id,a,\"free, text\",b,\xff\x01\xc3\xa9,c,,\nn1,5,\"he said \"\"1,2\n3\"\"\",y,q,0.5,,\n";
    FREED(sbl_batch_free) sbl_batch *batch = kit_read(text, strlen(text), schema, &options);
    assert_string_equal(kit_show(batch), "5|1|0.5\n");
    assert_string_equal(names, "id;free, text;??\xc3\xa9;;;");
}

TEST(long_extra_name_is_shortened)
{
    char names[512] = "";
    char text[1024] = "a,b,c,";
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    const sbl_table_options options = {.extra_column = note_name, .context = names};
    memset(text + 6, 'q', 500);
    text[506] = '\n';
    FREED(sbl_batch_free) sbl_batch *batch = kit_read(text, strlen(text), schema, &options);
    assert_true(strlen(names) < 130);
    assert_non_null(strstr(names, "qqq...;"));
}

TEST(ignored_columns_may_be_there_or_not)
{
    FREED(sbl_schema_free)
    sbl_schema *schema = kit_schema(
        "{\"fields\":[{\"name\":\"id\",\"semblance\":{\"role\":\"ignore\"}},"
        "{\"name\":\"a\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9}}]}");
    char names[64] = "";
    const sbl_table_options options = {.extra_column = note_name, .context = names};
    sbl_batch *batch = kit_read("id,a\nq,3\n", 9, schema, &options);
    assert_true(batch->columns[1].values[0] == 3);
    assert_string_equal(names, "");
    sbl_batch_free(batch);
    batch = kit_read("a\n3\n", 4, schema, &options);
    assert_true(batch->columns[1].values[0] == 3);
    sbl_batch_free(batch);
}

/* A table with every kind of trouble, for the tests of independence below. */
static char *troubled_table(size_t *length)
{
    static const char *const lines[] = {"12,x,0.25\n",
                                        "\"13\",\"y\",1\r\n",
                                        "\n",
                                        ",,\n",
                                        "1,2,3,4,5\n",
                                        "\"a\nb\",x,\"\"\"\"\n",
                                        "7\n",
                                        "1e2,z z,.5\n",
                                        "nan,\"x\"y,inf\n",
                                        "99,\"open,\n\nand\"late,0.1\n",
                                        "5,x,0.123456789012345678901234567890\n",
                                        "-5,q,7\n"};
    const size_t count = sizeof lines / sizeof lines[0];
    char *text = malloc(1 << 16);
    unsigned mix = 1;
    *length = 0;
    assert_non_null(text);
    *length += (size_t)sprintf(text, "a,b,c\n");
    for (size_t i = 0; i < 1000; i++) {
        const char *line = lines[(mix = mix * 1103515245u + 12345u) / 65536u % count];
        memcpy(text + *length, line, strlen(line));
        *length += strlen(line);
    }
    return text;
}

TEST(what_is_read_does_not_depend_on_chunks)
{
    static const size_t chunks[] = {1, 2, 3, 7, 8, 9, 16, 61, 64, 1000, 4096};
    static const char marked[] =
        "\xef\xbb\xbf"
        "a,b,c\r\n1,x,0\r\n";
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    size_t length;
    FREED(free) char *text = troubled_table(&length);
    for (size_t limit = 20; limit <= 500; limit *= 5) {
        sbl_table_options options = {.record_limit = limit};
        sbl_batch *batch = kit_read(text, length, schema, &options);
        FREED(free) char *expected = strdup(kit_show(batch));
        const size_t rows = batch->rows;
        sbl_batch_free(batch);
        assert_true(rows > 300);
        for (size_t i = 0; i < sizeof chunks / sizeof chunks[0]; i++) {
            options.chunk = chunks[i];
            batch = kit_read(text, length, schema, &options);
            assert_int_equal(batch->rows, rows);
            assert_string_equal(kit_show(batch), expected);
            sbl_batch_free(batch);
            batch = kit_read(marked, strlen(marked), schema, &options);
            assert_string_equal(kit_show(batch), "1|0|0\n");
            sbl_batch_free(batch);
        }
    }
}

TEST(what_is_read_does_not_depend_on_batches)
{
    sbl_schema *schema = kit_abc();
    size_t length;
    char *text = troubled_table(&length);
    sbl_batch *whole = kit_read(text, length, schema, NULL);
    for (size_t capacity = 1; capacity < 40; capacity += 6) {
        sbl_rows *reader;
        sbl_batch *part;
        size_t row = 0;
        assert_ok(open_csv_bytes(&reader, text, length, "table", schema, NULL, NULL));
        assert_ok(sbl_batch_new(&part, schema, capacity, NULL));
        for (;;) {
            assert_ok(sbl_rows_read(reader, part, NULL));
            if (part->rows == 0) break;
            for (size_t i = 0; i < part->rows; i++, row++) {
                assert_true(part->columns[0].values[i] == whole->columns[0].values[row]);
                assert_int_equal(part->columns[1].codes[i], whole->columns[1].codes[row]);
                assert_true(part->columns[2].values[i] == whole->columns[2].values[row]);
            }
        }
        assert_int_equal(row, whole->rows);
        sbl_batch_free(part);
        sbl_rows_close(reader);
    }
    sbl_batch_free(whole);
    free(text);
    sbl_schema_free(schema);
}
