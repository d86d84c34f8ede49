/* SPDX-License-Identifier: Apache-2.0 */
/* Tables as people write them: signs, numbers, dates and encodings that the schema declares, read
 * and written back; and what a header that does not match says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "after/sinks/writer.h"
#include "public/schema/calendar.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"
#include "table/table_kit.h"

#define AGE "{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":99}}"
#define TOWN "{\"name\":\"town\",\"type\":\"string\",\"constraints\":{\"enum\":[\"Köln\",\"a;b\",\"x\"]}}"

static const char *shown(const char *bytes, size_t size, const char *schema_text)
{
    sbl_schema *schema = kit_schema(schema_text);
    sbl_batch *batch = kit_read(bytes, size, schema, NULL);
    const char *text = kit_show(batch);
    sbl_batch_free(batch);
    sbl_schema_free(schema);
    return text;
}

static const char *shown_text(const char *text, const char *schema_text)
{
    return shown(text, strlen(text), schema_text);
}

TEST(any_sign_separates_cells)
{
    static const char *const signs[] = {";", "\\t", "|", ":", "~", "^"};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const char sign = signs[i][0] == '\\' ? '\t' : signs[i][0];
        char schema[600];
        char table[200];
        (void)snprintf(schema, sizeof schema,
                       "{\"fields\":[" AGE "," TOWN "],\"dialect\":{\"delimiter\":\"%s\"}}", signs[i]);
        (void)snprintf(table, sizeof table, "age%ctown\n7%cx\r\n8%c\"a;b\"\n9%c\"x\n1%c\n", sign, sign, sign,
                       sign, sign);
        sbl_error err = {0};
        sbl_schema *s = kit_schema(schema);
        /* The last record's quote stays open: a fault of the container, as with commas. */
        assert_int_equal(kit_count(table, strlen(table), s, NULL, &err), -1);
        sbl_schema_free(s);
        (void)snprintf(table, sizeof table, "age%ctown\n7%cx\r\n8%c\"a;b\"\n,%cx%cx\n", sign, sign, sign,
                       sign, sign);
        assert_string_equal(shown_text(table, schema), "7|2\n8|1\n?|2\n");
    }
}

TEST(other_quotes_quote)
{
    static const char schema[] = "{\"fields\":[" AGE "," TOWN "],\"dialect\":{\"quoteChar\":\"'\"}}";
    assert_string_equal(shown_text("age,'town'\n'7',\"x\"\n8,'a;b'\n9,'it''s'\n", schema), "7|?\n8|1\n9|?\n");
}

TEST(numbers_with_marks_are_read)
{
    static const char euro[] =
        JSON({"fields":[{"name":"pay","type":"number","decimalChar":",","groupChar":".","bareNumber":false,
        "constraints":{"minimum":-10,"maximum":9999999}}],"dialect":{"delimiter":";"}});
    static const char plain[] =
        "{\"fields\":[{\"name\":\"pay\",\"type\":\"integer\",\"groupChar\":\",\","
        "\"constraints\":{\"minimum\":0,\"maximum\":9999999}}]}";
    assert_string_equal(shown_text("pay\n1.234,5\n\xe2\x82\xac 1.234.567,25\n-3,5 %\n0,5 EUR\n7\n", euro),
                        "1234.5\n1234567.25\n-3.5\n0.5\n7\n");
    /* What is no such number: marks in the wrong place, a point where a comma is meant, two commas. */
    assert_string_equal(shown_text("pay\n1.23,5\n12.5\n1,2,3\n.123\n1..234\nEUR\n1.2345\n", euro),
                        "?\n?\n?\n?\n?\n?\n?\n");
    assert_string_equal(shown_text("pay\n\"1,234\"\n\"12,34\"\n12\n", plain), "1234\n?\n12\n");
}

TEST(dates_are_read_in_their_format)
{
    static const char schema[] =
        JSON({"fields":[{"name":"d","type":"date","format":"%d.%m.%Y","constraints":{"minimum":"01.01.1970",
        "maximum":"1970-12-31"}},{"name":"t","type":"datetime","format":"%m/%d/%y %H:%M%z",
        "constraints":{"minimum":"1970-01-01T00:00:00","maximum":"1971-01-01T00:00:00"}}]});
    assert_string_equal(shown_text("d,t\n02.01.1970,01/01/70 00:01+00:00\n"
                                   "3.1.1970,1/2/70 1:00+01:00\n1970-01-04,01/01/70 00:01\n"
                                   "31.02.1970,13/01/70 00:01Z\n",
                                   schema),
                        "1|60\n2|86400\n?|?\n?|?\n");
}

TEST(patterns_are_read_back)
{
    static const char *const dates[] = {"%d.%m.%Y", "%Y%m%d", "%d/%b/%y", "%m-%d-%Y"};
    static const char *const clocks[] = {"%d.%m.%Y %H:%M:%S", "%Y-%m-%dT%H:%M:%S%z", "%y%m%d%H%M%S",
                                         "%m/%d/%Y %I:%M:%S %p"};
    for (int64_t day = 0; day < 10957; day += 37)
        for (size_t i = 0; i < 4; i++) {
            char text[SBL_DATE_FORMAT_MOST];
            int64_t again;
            const size_t length = sbl_date_format_write(text, dates[i], day * 86400);
            assert_true(sbl_date_format_read(&again, dates[i], text, length));
            assert_int_equal(again, day * 86400);
        }
    for (int64_t second = 1; second < 900000000; second += 77777777)
        for (size_t i = 0; i < 4; i++) {
            char text[SBL_DATE_FORMAT_MOST];
            int64_t again;
            const size_t length = sbl_date_format_write(text, clocks[i], second);
            assert_true(sbl_date_format_read(&again, clocks[i], text, length));
            assert_int_equal(again, second);
        }
    assert_false(sbl_date_format_is_good("%d.%m", false));
    assert_false(sbl_date_format_is_good("%d.%m.%Y %H", false));
    assert_false(sbl_date_format_is_good("%d.%m.%Y", true));
    assert_false(sbl_date_format_is_good("%d.%m.%Y%", false));
    assert_false(sbl_date_format_is_good("%d.%m.%Q", false));
    assert_false(sbl_date_format_is_good("%Y%m%d%Y%m%d%Y%m%d%Y%m%d%Y%m%d%Y%m%d", false));
}

/* 12 AM is midnight and 12 PM is noon. An hour of twelve needs its half, and one of 24 has none. */
TEST(halves_of_the_day_are_read_and_written)
{
    static const char schema[] = JSON({"fields":[{"name":"d","type":"datetime","format":"%m/%d/%Y %I:%M %p",
        "constraints":{"minimum":"1970-01-01T00:00:00","maximum":"1971-01-01T00:00:00"}},
        {"name":"t","type":"time","format":"%I:%M %p","constraints":{"minimum":"00:00","maximum":"23:59"}}]});
    assert_string_equal(
        shown_text("d,t\n1/1/1970 12:01 AM,12:00 PM\n01/01/1970 1:00 pm,1:00 am\n"
                   "1/1/1970 13:00 PM,0:30 AM\n1/1/1970 1:00,11:59 XM\n1/1/1970 1:00 P,12:30\n",
                   schema),
        "60|43200\n46800|3600\n?|?\n?|?\n?|?\n");
    for (int64_t second = 0; second < 86400; second += 60) {
        char text[SBL_DATE_FORMAT_MOST];
        int64_t again;
        const size_t length = sbl_date_format_write(text, "%I:%M %p", second);
        assert_true(sbl_time_format_read(&again, "%I:%M %p", text, length));
        assert_int_equal(again, second);
    }
    assert_true(sbl_date_format_is_good("%p %I %d.%m.%Y", true));
    assert_true(sbl_time_format_is_good("%I.%M%p"));
    static const char *const bad[] = {"%d.%m.%Y %I", "%d.%m.%Y %p", "%d.%m.%Y %H %p", "%d.%m.%Y %H %I",
                                      "%d.%m.%Y %H %I %p"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(sbl_date_format_is_good(bad[i], true));
    assert_false(sbl_date_format_is_good("%d.%m.%Y %I %p", false));
    assert_false(sbl_time_format_is_good("%I:%M"));
    assert_false(sbl_time_format_is_good("%H:%M %p"));
}

TEST(encodings_are_read)
{
    static const char latin[] = "{\"fields\":[" AGE "," TOWN "],\"encoding\":\"Latin-1\"}";
    static const char windows[] = "{\"fields\":[" AGE "," TOWN "],\"encoding\":\"cp1252\"}";
    static const char wide[] = "{\"fields\":[" AGE "," TOWN "],\"encoding\":\"utf-16\"}";
    char bytes[64];
    size_t size = 0;
    assert_string_equal(shown_text("age,town\n7,K\xf6ln\n8,x\n", latin), "7|0\n8|2\n");
    assert_string_equal(shown_text("age,town\n7,K\xf6ln\n8,\x81\n", windows), "7|0\n8|?\n");
    for (int big = 0; big < 2; big++) {
        size = 0;
        for (const char *c =
                 "\xff"
                 "age,town\n7,K\xf6ln\n8,x\n";
             *c != '\0'; c++) {
            const char high = *c == '\xff' ? '\xfe' : 0;
            const char low = *c == '\xff' ? '\xff' : *c;
            bytes[size++] = big ? high : low;
            bytes[size++] = big ? low : high;
        }
        assert_string_equal(shown(bytes, size, wide), "7|0\n8|2\n");
        assert_string_equal(shown(bytes, size - 1, wide), "7|0\n8|?\n"); /* cut in a character */
    }
}

TEST(comments_and_tables_without_a_header)
{
    static const char bare[] =
        "{\"fields\":[" AGE ",{\"name\":\"id\",\"semblance\":{\"role\":\"ignore\"}}," TOWN
        "],\"dialect\":{\"header\":false,\"commentChar\":\"#\"}}";
    static const char noted[] = "{\"fields\":[" AGE "],\"dialect\":{\"commentChar\":\"#\"}}";
    assert_string_equal(shown_text("# made by hand\n#\n7,17,x\n8,18\n", bare), "7|2\n8|?\n");
    /* Only before the header: among records a line is a row, whatever it begins with. */
    assert_string_equal(shown_text("# age\nage\n7\n#8\n9\n", noted), "7\n?\n9\n");
}

/* Lines above the header, as many as were declared; a line that begins with a column's name is the
 * header, so that what is drawn, which has no titles, is read by the same schema. */
TEST(titles_above_the_header_are_passed_over)
{
    static const char titled[] =
        "{\"fields\":[" AGE "," TOWN "],\"dialect\":{\"headerRows\":[3],\"commentChar\":\"#\"}}";
    assert_string_equal(shown_text("Report, \"2024\n\nage,town\n7,x\n", titled), "7|2\n");
    assert_string_equal(shown_text("sep=,\nReport\n# old\nage,town\n7,x\n", titled), "7|2\n");
    assert_string_equal(shown_text("town,age\nx,7\nx,8\nx,9\n", titled), "7|2\n8|2\n9|2\n");
    assert_string_equal(shown_text("Report\n\"age\",town\n7,x\n8,x\n", titled), "7|2\n8|2\n");
}

/* ---- what is written ---- */

static char *written(const char *schema_text, const char *table, const char *name)
{
    static char text[4096];
    sbl_error err = {0};
    sbl_table_writer *writer;
    sbl_schema *schema = kit_schema(schema_text);
    sbl_batch *batch = kit_read(table, strlen(table), schema, NULL);
    const char *path = in_folder(folder, name);
    if (sbl_table_create(&writer, path, schema, (sbl_table_write_options){.overwrite = true}, &err) !=
            SBL_OK ||
        sbl_table_write(writer, batch, &err) != SBL_OK || sbl_table_finish(writer, &err) != SBL_OK)
        fail_msg("%s", err.message);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    memset(text, 0, sizeof text);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    (void)fclose(file);
    sbl_batch_free(batch);
    sbl_schema_free(schema);
    return text;
}

/* What is read is what is written, to the byte, where it was written the one way we write. */
TEST(tables_are_written_as_they_were_read)
{
    static const char german[] =
        "{\"fields\":[{\"name\":\"pay\",\"type\":\"number\",\"decimalChar\":\",\","
        "\"semblance\":{\"decimals\":2},\"constraints\":{\"minimum\":0,\"maximum\":99}}," TOWN
        ",{\"name\":\"d\",\"type\":\"date\",\"format\":\"%d.%m.%Y\",\"constraints\":{"
        "\"minimum\":\"1970-01-01\",\"maximum\":\"1970-12-31\"}},"
        "{\"name\":\"y\",\"type\":\"boolean\",\"trueValues\":[\"ja\"],\"falseValues\":[\"nein\"]}],"
        "\"dialect\":{\"delimiter\":\";\"}}";
    static const char comma[] =
        "{\"fields\":[{\"name\":\"pay\",\"type\":\"number\",\"decimalChar\":\",\","
        "\"constraints\":{\"minimum\":0,\"maximum\":99}}," AGE "],\"dialect\":{\"header\":false}}";
    static const char table[] = "pay;town;d;y\n1,50;\"a;b\";31.01.1970;ja\n;K\xc3\xb6ln;;nein\n";
    assert_string_equal(written(german, table, "a.csv"), table);
    /* A decimal comma among commas is quoted. */
    assert_string_equal(written(comma, "\"1,5\",7\n2,8\n", "b.csv"), "\"1,5\",7\n2,8\n");
}

TEST(encodings_are_written)
{
    static const char latin[] = "{\"fields\":[" AGE "," TOWN "],\"encoding\":\"iso-8859-1\"}";
    static const char wide[] = "{\"fields\":[" AGE "],\"encoding\":\"utf-16\"}";
    assert_string_equal(written(latin, "age,town\n7,K\xf6ln\n", "c.csv"), "age,town\n7,K\xf6ln\n");
    sbl_error err = {0};
    sbl_table_writer *writer;
    sbl_schema *schema = kit_schema(wide);
    assert_ok(
        sbl_table_create(&writer, in_folder(folder, "d.csv"), schema, (sbl_table_write_options){0}, &err));
    assert_ok(sbl_table_finish(writer, &err));
    char bytes[32];
    FILE *file = fopen(in_folder(folder, "d.csv"), "r");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), 10);
    (void)fclose(file);
    assert_memory_equal(bytes,
                        "\xff\xfe"
                        "a\0g\0e\0\n\0",
                        10);
    sbl_schema_free(schema);
}

TEST(canonical_text_keeps_the_dialect)
{
    static const char schema[] =
        "{\"fields\":[" AGE
        ",{\"name\":\"d\",\"type\":\"date\",\"format\":\"%d.%m.%Y\","
        "\"constraints\":{\"minimum\":\"1970-01-01\",\"maximum\":\"1970-12-31\"}},"
        "{\"name\":\"n\",\"type\":\"number\",\"decimalChar\":\",\",\"groupChar\":\".\","
        "\"bareNumber\":false,\"constraints\":{\"minimum\":0,\"maximum\":1}}],"
        "\"dialect\":{\"delimiter\":\"\\t\",\"quoteChar\":\"'\",\"commentChar\":\"%\","
        "\"headerRows\":[4]},\"encoding\":\"windows-1252\"}";
    sbl_schema *first = kit_schema(schema);
    char *text = sbl_schema_json(first);
    sbl_schema *second = kit_schema(text);
    char *again = sbl_schema_json(second);
    assert_string_equal(text, again);
    assert_int_equal(second->dialect.delimiter, '\t');
    assert_int_equal(second->dialect.titles, 3);
    assert_string_equal(second->dialect.encoding, "windows-1252");
    assert_string_equal(second->columns[1].format, "%d.%m.%Y");
    free(text);
    free(again);
    sbl_schema_free(first);
    sbl_schema_free(second);
}

/* ---- what is said ---- */

static const char *refused(const char *text, const char *schema_text)
{
    static sbl_error err;
    sbl_rows *reader;
    sbl_schema *schema = kit_schema(schema_text);
    assert_int_equal(open_csv_bytes(&reader, text, strlen(text), "t.csv", schema, NULL, &err), SBL_EINPUT);
    sbl_schema_free(schema);
    return err.message;
}

TEST(header_that_does_not_match_says_what_it_saw)
{
    static const char schema[] = "{\"fields\":[" AGE "," TOWN "]}";
    assert_string_equal(refused("age;town\n1;x\n", schema),
                        "t.csv: its columns are separated by semicolons, not by commas: set "
                        "\"dialect\": {\"delimiter\": \";\"} in the schema");
    assert_non_null(strstr(refused("age\ttown\n", schema), "separated by tabs, not by commas"));
    assert_non_null(strstr(refused("\"age\"\t\"town\"\n", schema), "separated by commas?"));
    assert_non_null(
        strstr(refused("Age,town\n", schema), "column 'age' is missing from the header, which has 'Age'"));
    assert_non_null(strstr(refused("Age,Town\n", schema), "it has 'Age' where the schema has 'age'"));
    /* A record is not shown. */
    const char *message = refused("41,secret\n", schema);
    assert_non_null(strstr(message, "has no header"));
    assert_null(strstr(message, "secret"));
}

TEST(names_of_other_files_are_refused)
{
    sbl_error err = {0};
    assert_ok(sbl_table_check_name("a.csv", &err));
    assert_ok(sbl_table_check_name("a.2024", &err));
    assert_ok(sbl_table_check_name("-", &err));
    assert_int_equal(sbl_table_check_name("a.xlsx", &err), SBL_EARG);
    assert_non_null(strstr(err.message, "not as .xlsx"));
    assert_int_equal(sbl_table_check_name("a.ods", &err), SBL_EARG);
}

ALL_TESTS(make_folder, remove_folder)
