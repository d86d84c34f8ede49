/* SPDX-License-Identifier: Apache-2.0 */
/* Faults inside records: no message, no lost row. The columns of the abc schema may be empty: what
 * cannot be read is missing, shown as "?". Columns that may not be empty have constants. */
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "table/table_kit.h"

FREES(sbl_schema_free);
FREES(sbl_batch_free);

#define HEAD "a,b,c\n"
#define NEXT "7,y,1\n" /* a good row after the bad one */
#define NEXT_SHOWN "7|1|1\n"

/* One bad record, then a good one that must come through untouched. */
static void expect(const char *record, const char *shown)
{
    char text[4096];
    char all[4096];
    (void)strcpy(text, HEAD);
    (void)strcat(strcat(text, record), NEXT);
    (void)strcat(strcpy(all, shown), NEXT_SHOWN);
    assert_string_equal(kit_abc_rows(text), all);
}

TEST(numbers_out_of_range_are_clamped)
{
    expect("101,x,1.5\n", "100|0|1\n");
    expect("-1,x,-0.0001\n", "0|0|0\n");
    expect("1e400,x,-1e400\n", "100|0|0\n");
    expect("99999999999999999999999,x,0\n", "100|0|0\n");
}

TEST(integers_are_rounded)
{
    expect("12.6,x,0\n", "13|0|0\n");
    expect("1.26e1,x,0\n", "13|0|0\n");
}

TEST(unparseable_numbers_are_missing)
{
    static const char *const bad[] = {"abc", "1,5", "0x10", "nan", "NaN", "infin",
                                      "-i",  "1e",  "--1",  "1 2", "12;", "\xd9\xa1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char record[64];
        (void)strcat(strcat(strcpy(record, "\""), bad[i]), "\",x,0\n");
        expect(record, "?|0|0\n");
    }
    expect("abc,x,abc\n", "?|0|?\n");
}

/* Table Schema calls them numbers: they are clamped, as any number beyond the bounds is. */
TEST(infinities_are_clamped)
{
    expect("inf,x,-Infinity\n", "100|0|0\n");
    expect("-INF,x,+inf\n", "0|0|1\n");
    expect("1e999,x,-1e999\n", "100|0|0\n");
}

TEST(unknown_categories_are_missing)
{
    expect("1,w,0\n", "1|?|0\n");
    expect("1,X,0\n", "1|?|0\n");
    expect("1,\xff\xfe,0\n", "1|?|0\n");
    expect("1,z,0\n", "1|?|0\n");
}

TEST(declared_other_takes_unknown_categories)
{
    FREED(sbl_schema_free)
    sbl_schema *schema = kit_schema(JSON({"fields":[{"name":"b","type":"string","constraints":{"enum":["x",
        "rest"]},
        "semblance":{"other":"rest"}}]}));
    FREED(sbl_batch_free) sbl_batch *batch = kit_read("b\nx\nq\n", 6, schema, NULL);
    assert_string_equal(kit_show(batch), "0\n1\n");
}

TEST(missing_where_required_is_the_constant)
{
    FREED(sbl_schema_free)
    sbl_schema *schema = kit_schema(JSON({"fields":[{"name":"a","type":"integer","constraints":{"minimum":0,
        "maximum":10,
        "required":true}},{"name":"b","type":"string","constraints":{"enum":["x","y"],"required":true}}]}));
    FREED(sbl_batch_free) sbl_batch *batch = kit_read("a,b\n,\n3,y\n", 10, schema, NULL);
    assert_null(batch->columns[0].missing);
    assert_string_equal(kit_show(batch), "5|0\n3|1\n");
}

/* A column that may not be empty: whatever cannot be read is its public constant. */
TEST(unreadable_where_required_is_the_constant)
{
    FREED(sbl_schema_free)
    sbl_schema *schema = kit_schema(JSON({"fields":[{"name":"a","type":"integer","constraints":{"minimum":0,
        "maximum":10,
        "required":true}},{"name":"b","type":"string","constraints":{"enum":["x","y"],"required":true}}]}));
    static const char text[] = "a,b\nNA,-\nabc,w\n3\n\n3,y\n";
    FREED(sbl_batch_free) sbl_batch *batch = kit_read(text, strlen(text), schema, NULL);
    assert_string_equal(kit_show(batch), "5|0\n5|0\n3|0\n5|0\n3|1\n");
}

/* What programs write for a missing value, where the schema does not say otherwise. */
TEST(words_for_missing_values_are_missing)
{
    static const char text[] =
        "a,b,c,d\nNA,NA,-,1\nN/A,N/A,NULL,1\nNULL,NULL,NA,?\nnull,null,nan,?\n"
        "nan,nan,NaN,?\nNaN,NaN,None,1\nNone,None,yes,1\n-,-,no,NA\n 7 ,x,no,-\n";
    FREED(sbl_schema_free)
    sbl_schema *schema = kit_schema(JSON({"fields":[{"name":"a","type":"integer","constraints":{"minimum":0,
        "maximum":9}},
        {"name":"b","type":"string","constraints":{"enum":["None","x","NA"]}},
        {"name":"c","type":"boolean","trueValues":["yes","-"],"falseValues":["no"]},{"name":"d",
        "type":"string","constraints":{"enum":["1"]},"semblance":{"other":"1"},"missingValues":["?"]}]}));
    FREED(sbl_batch_free) sbl_batch *batch = kit_read(text, strlen(text), schema, NULL);
    /* Declared categories and spellings stay what they are; d declares its own missing values, so
     * that NA is a value like any other: the declared one for others. */
    assert_string_equal(kit_show(batch),
                        "?|2|1|0\n?|?|?|0\n?|?|?|?\n?|?|?|?\n"
                        "?|?|?|?\n?|?|?|0\n?|0|1|0\n?|?|0|0\n7|1|0|0\n");
}

TEST(short_rows_are_filled_up)
{
    expect("1\n", "1|?|?\n");
    expect("1,y\n", "1|1|?\n");
    expect("1,\n", "1|?|?\n");
}

TEST(empty_line_is_a_short_row)
{
    expect("\n", "?|?|?\n");
    expect("\r\n", "?|?|?\n");
    assert_string_equal(kit_abc_rows(HEAD NEXT "\n"), NEXT_SHOWN "?|?|?\n");
}

TEST(empty_line_in_a_one_column_table_is_an_empty_cell)
{
    FREED(sbl_schema_free)
    sbl_schema *schema = kit_schema(
        "{\"fields\":[{\"name\":\"b\",\"type\":\"string\",\"constraints\":{\"enum\":[\"x\",\"y\"]}}"
        "]}");
    FREED(sbl_batch_free) sbl_batch *batch = kit_read("b\ny\n\nx\n\n", 8, schema, NULL);
    assert_string_equal(kit_show(batch), "1\n?\n0\n?\n");
}

TEST(cells_beyond_the_header_are_passed_over)
{
    expect("1,y,0,9\n", "1|1|0\n");
    expect("1,y,0,\"a\nb,c\",,\n", "1|1|0\n");
    expect("1,y,0,\n", "1|1|0\n");
}

TEST(stray_quotes_spoil_their_cell_only)
{
    expect("1,\"y\"y,0\n", "1|?|0\n");
    expect("1,\"y\" ,0.25\n", "1|?|0.25\n");
    expect("1,y\",0.25\n", "1|?|0.25\n");
    expect("1,y,\"0.25\"x\n", "1|1|?\n");
}

/* Where a record ends depends on its own bytes: a quote opens a cell only where the cell begins. */
TEST(only_a_quote_that_begins_a_cell_opens_it)
{
    expect("1,y\"\n", "1|?|?\n");
    expect("1, \"y\n", "1|?|?\n");
    expect("1,\"y\"\"\"z\"\n", "1|?|?\n");
    expect("1,\"y\" \"\n", "1|?|?\n");
    expect("1,\"y\"\r\"\n", "1|?|?\n");
    expect("1,\"y\ny\",0.25\n", "1|?|0.25\n");
    expect("1,\"y\r\n\"\"\r\n\",0.25\r\n", "1|?|0.25\n");
    expect("1,\"y\"\",\n\"\"\",0.25\n", "1|?|0.25\n");
    expect("1\r,y,0.25\n", "?|1|0.25\n");
}

/* A file that ends inside a quoted cell is no sequence of records, however long the cell is. */
TEST(file_that_ends_inside_a_quote_is_refused)
{
    static const char *const opened[] = {"1,\"y,0.25\n" NEXT, "1,y,\"\n" NEXT,         "\"\n" NEXT,
                                         NEXT "1,y,\"",       NEXT "1,y,0.25,\"x\"\"", NEXT "\"\"\""};
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    for (size_t i = 0; i < sizeof opened / sizeof opened[0]; i++) {
        for (size_t limit = 1; limit <= 1000; limit *= 10) {
            char text[256];
            sbl_error err = {0};
            const sbl_table_options options = {.record_limit = limit < 10 ? 10 : limit, .chunk = limit};
            (void)strcat(strcpy(text, HEAD), opened[i]);
            assert_int_equal(kit_count(text, strlen(text), schema, &options, &err), -1);
            assert_string_equal(err.message,
                                "table ends inside a quoted cell: close every quote that begins a cell, "
                                "and double the quotes inside it");
        }
    }
}

/* A table whose middle record is prefix + `size` fillers + suffix. */
static void expect_huge(const char *prefix, char filler, size_t size, const char *suffix, const char *shown)
{
    const size_t most = size + 4096;
    FREED(free) char *text = malloc(most);
    char all[256];
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    assert_non_null(text);
    size_t length = (size_t)(stpcpy(stpcpy(text, HEAD), prefix) - text);
    memset(text + length, filler, size);
    length += size;
    length = (size_t)(stpcpy(stpcpy(text + length, suffix), NEXT) - text);
    (void)strcat(strcpy(all, shown), NEXT_SHOWN);
    FREED(sbl_batch_free) sbl_batch *batch = kit_read(text, length, schema, NULL);
    assert_string_equal(kit_show(batch), all);
}

TEST(huge_cells_are_one_row)
{
    /* Within the limit: only the cell is bad. */
    expect_huge("1,", 'q', 1000000, ",0.25\n", "1|?|0.25\n");
    expect_huge("1,\"", 'q', 1000000, "\",0.25\n", "1|?|0.25\n");
    /* Beyond the limit: none of its cells can be read. */
    expect_huge("1,", 'q', 5000000, ",0.25\n", "?|?|?\n");
    expect_huge("1,\"", 'q', 5000000, "\",0.25\n", "?|?|?\n");
    expect_huge("1,y,0.25,", ',', 3000000, "\n", "?|?|?\n");
    expect_huge("1,y,\"", '"', 3000000, "\"\n", "?|?|?\n");
}

/* The record that once became as many rows as its cell has lines: its quotes were characters beyond
 * the limit, and each line of the cell a row that its author had chosen. */
TEST(lines_in_a_huge_quoted_cell_are_no_rows)
{
    const size_t limit = SBL_RECORD_LIMIT;
    const size_t sizes[] = {1000, limit - 100, limit - 8, limit, limit + 1, 5000000, 20000000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const char *shown = sizes[i] + 9 <= limit ? "1|?|0.25\n" : "?|?|?\n";
        expect_huge("1,\"", '\n', sizes[i], "\",0.25\n", shown);
        expect_huge("1,\"", '\n', sizes[i], "99,y,1\n99,y,1\"\"\n\",0.25\n",
                    sizes[i] < limit - 99 ? "1|?|0.25\n" : "?|?|?\n");
        /* An even number of quotes stays open, one more closes it. */
        expect_huge("1,\"", '"', sizes[i] / 2 * 2, "\n\n\",0.25\n",
                    sizes[i] + 11 <= limit ? "1|?|0.25\n" : "?|?|?\n");
        /* Quotes that are characters stay that: after another character, after a closed cell. */
        expect_huge("1,y", '"', sizes[i], "\n", sizes[i] + 3 <= limit ? "1|?|?\n" : "?|?|?\n");
        expect_huge("1,\"y\" ", '"', sizes[i], "\n", sizes[i] + 6 <= limit ? "1|?|?\n" : "?|?|?\n");
    }
}

TEST(record_limit_is_exact)
{
    const size_t limit = SBL_RECORD_LIMIT;
    /* "1,y,0.25," + fillers, without the line feed: exactly the limit, then one more. */
    expect_huge("1,y,0.25,", 'q', limit - 9, "\n", "1|1|0.25\n");
    expect_huge("1,y,0.25,", 'q', limit - 8, "\n", "?|?|?\n");
    expect_huge("1,y,0.25,\"", 'q', limit - 11, "\"\n", "1|1|0.25\n");
    expect_huge("1,y,0.25,\"", 'q', limit - 10, "\"\n", "?|?|?\n");
}

TEST(huge_number_is_read_exactly)
{
    expect_huge("", '0', 900000, "12,y,0.25\n", "12|1|0.25\n");
    expect_huge("", '9', 900000, ",y,0.25\n", "100|1|0.25\n");
}

TEST(nul_bytes_are_just_bad_cells)
{
    static const char text[] = HEAD "1\0,y,0\n\0,x\0,0.25\n" NEXT;
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    FREED(sbl_batch_free) sbl_batch *batch = kit_read(text, sizeof text - 1, schema, NULL);
    assert_string_equal(kit_show(batch), "?|1|0\n?|?|0.25\n" NEXT_SHOWN);
}

TEST(blanks_around_cells_do_not_count)
{
    expect(" 1 ,\ty , 0.25\n", "1|1|0.25\n");
    expect(" ,  ,\t\n", "?|?|?\n");
    expect("1,z z,0\n", "1|2|0\n");
}
