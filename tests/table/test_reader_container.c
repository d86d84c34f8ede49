/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of the container are refused: one line that names the file, and never a cell. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/one_folder.h"
#include "table/table_kit.h"

FREES(sbl_schema_free);

static void check_message(const char *got, const char *message)
{
    if (strstr(got, message) == NULL || strpbrk(got, "\r\n") != NULL || strstr(got, "SECRET") != NULL)
        fail_msg("got '%s', expected '%s' in it", got, message);
}

/* Opening these bytes fails, with a message that holds `message` and the name. */
static void expect_bytes(const char *bytes, size_t length, const char *message)
{
    sbl_rows *reader = (sbl_rows *)1;
    sbl_error err = {0};
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    assert_int_equal(open_csv_bytes(&reader, bytes, length, "people.csv", schema, NULL, &err), SBL_EINPUT);
    assert_null(reader);
    check_message(err.message, message);
    check_message(err.message, "people.csv");
}

static void expect(const char *text, const char *message) { expect_bytes(text, strlen(text), message); }

TEST(empty_file_is_refused)
{
    expect("", "is empty");
    expect("\xef\xbb\xbf", "is empty");
}

TEST(file_without_header_is_refused_without_quoting_it)
{
    expect("1,SECRET,0.5\n2,SECRET2,1\n", "has no header");
    expect("a;b;c\n1;x;0\n", "separated by semicolons, not by commas");
    expect("\n\n\n", "has no header");
}

TEST(missing_columns_are_named)
{
    expect("a,c,SECRET\n", "column 'b' is missing");
    expect("c,SECRET\n", "column 'a' and 1 more are missing");
    expect("A,b,c\n", "column 'a' is missing");
}

TEST(duplicate_columns_are_refused)
{
    expect("a,b,c,a\n", "column 'a' is in the header twice");
    expect("a,b,c,d,e,d\n", "two columns that are not in the schema have the same name");
}

TEST(broken_header_is_refused)
{
    FREED(free) char *text = malloc(3 << 20);
    expect("a,b,\"c\n", "quote that is not closed");
    expect("a,\"b\"x,c\n", "after a closing quote");
    memset(text, 'q', 3 << 20);
    expect_bytes(text, 3 << 20, "the header is longer than");
    memset(text, 'q', 3 << 20);
    text[(2 << 20)] = '\n';
    expect_bytes(text, 3 << 20, "the header is longer than");
}

TEST(binary_files_are_refused)
{
    expect_bytes("a,b,c\0\n1,2,3\n", 14, "binary");
    expect_bytes("PK\3\4rest", 8, "spreadsheet");
    expect("PAR1rest", "Parquet");
    expect_bytes(
        "\xff\xfe"
        "a\0,\0b\0,\0c\0\n\0",
        14, "UTF-16");
    expect("\x28\xb5\x2f\xfd....", "zstd");
}

TEST(absent_file_is_an_io_error)
{
    sbl_rows *reader;
    sbl_error err = {0};
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    assert_int_equal(open_csv(&reader, "/nonexistent/people.csv", schema, NULL, &err), SBL_EIO);
    assert_non_null(strstr(err.message, "/nonexistent/people.csv"));
    assert_int_equal(open_csv(&reader, folder, schema, NULL, &err), SBL_EIO);
    assert_null(reader);
    sbl_rows_close(NULL);
}

/* gzip of text; returns the length. */
static size_t gzip(uint8_t *out, size_t capacity, const char *text, size_t length)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, 0), Z_OK);
    stream.next_in = (Bytef *)(uintptr_t)text;
    stream.avail_in = (uInt)length;
    stream.next_out = out;
    stream.avail_out = (uInt)capacity;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    const size_t size = capacity - stream.avail_out;
    (void)deflateEnd(&stream);
    return size;
}

/* Read a whole table in memory; the number of rows, and the first status that was not OK. */
static sbl_status read_rows(size_t *rows, const void *bytes, size_t length, sbl_error *err)
{
    sbl_rows *reader;
    sbl_batch *batch;
    sbl_schema *schema = kit_abc();
    *rows = 0;
    assert_ok(sbl_batch_new(&batch, schema, 100, NULL));
    sbl_status status = open_csv_bytes(&reader, bytes, length, "people.csv.gz", schema, NULL, err);
    while (status == SBL_OK) {
        status = sbl_rows_read(reader, batch, err);
        if (batch->rows == 0) break;
        *rows += batch->rows;
    }
    sbl_rows_close(reader);
    sbl_batch_free(batch);
    sbl_schema_free(schema);
    return status;
}

/* A table of many rows that does not compress to nothing. */
static size_t many_rows(char *text, size_t rows)
{
    size_t length = (size_t)sprintf(text, "a,b,c\n");
    for (size_t i = 0; i < rows; i++)
        length += (size_t)sprintf(text + length, "%zu,%s,0.%zu\n", i * 7919 % 101, i % 3 == 0 ? "x" : "y",
                                  i * 104729 % 99991);
    return length;
}

TEST(gzip_is_read)
{
    FREED(free) char *text = malloc(1 << 20);
    FREED(free) uint8_t *packed = malloc(1 << 20);
    size_t rows;
    const size_t length = many_rows(text, 50000);
    size_t size = gzip(packed, 1 << 20, text, length);
    assert_ok(read_rows(&rows, packed, size, NULL));
    assert_int_equal(rows, 50000);
    /* A second member, then padding: both belong to the format. */
    size += gzip(packed + size, (1 << 20) - size, "1,x,0\n", 6);
    memset(packed + size, 0, 512);
    assert_ok(read_rows(&rows, packed, size + 512, NULL));
    assert_int_equal(rows, 50001);
}

TEST(truncated_gzip_is_refused_wherever_it_ends)
{
    FREED(free) char *text = malloc(1 << 20);
    FREED(free) uint8_t *packed = malloc(1 << 20);
    size_t rows;
    const size_t size = gzip(packed, 1 << 20, text, many_rows(text, 3000));
    for (size_t cut = 2; cut < size; cut += cut < 20 || cut + 20 > size ? 1 : 997) {
        sbl_error err = {0};
        assert_int_equal(read_rows(&rows, packed, cut, &err), SBL_EINPUT);
        check_message(err.message, "people.csv.gz: the gzip data is cut short");
    }
}

TEST(gzip_cut_after_many_rows_is_refused_too)
{
    FREED(free) char *text = malloc(1 << 21);
    FREED(free) uint8_t *packed = malloc(1 << 21);
    size_t rows;
    sbl_error err = {0};
    const size_t size = gzip(packed, 1 << 21, text, many_rows(text, 100000));
    assert_int_equal(read_rows(&rows, packed, size - 5, &err), SBL_EINPUT);
    check_message(err.message, "people.csv.gz: the gzip data is cut short");
    assert_true(rows > 1000); /* it had begun well */
}

TEST(corrupt_gzip_is_refused)
{
    FREED(free) char *text = malloc(1 << 20);
    FREED(free) uint8_t *packed = malloc(1 << 20);
    size_t rows;
    sbl_error err = {0};
    const size_t size = gzip(packed, 1 << 20, text, many_rows(text, 3000));
    packed[size - 6] ^= 1; /* the checksum */
    assert_int_equal(read_rows(&rows, packed, size, &err), SBL_EINPUT);
    check_message(err.message, "people.csv.gz: the gzip data is corrupt");
    packed[size - 6] ^= 1;
    packed[2] = 99; /* the compression method */
    assert_int_equal(read_rows(&rows, packed, size, &err), SBL_EINPUT);
    packed[2] = 8;
    memcpy(packed + size, "rest", 4);
    assert_int_equal(read_rows(&rows, packed, size + 4, &err), SBL_EINPUT);
    check_message(err.message, "corrupt");
}

TEST(decompression_bomb_is_one_row)
{
    const size_t length = 32 << 20;
    char *text = malloc(length);
    FREED(free) uint8_t *packed = malloc(1 << 20);
    size_t rows;
    memset(text, '7', length);
    memcpy(text, "a,b,c\n", 6);
    const size_t size = gzip(packed, 1 << 20, text, length);
    free(text);
    assert_true(size < 50000);
    assert_ok(read_rows(&rows, packed, size, NULL));
    assert_int_equal(rows, 1);
}

TEST(standard_input_is_read)
{
    sbl_rows *reader;
    sbl_batch *batch;
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    int ends[2];
    const int saved = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "a,b,c\n1,x,0\n", 12), 12);
    (void)close(ends[1]);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    assert_ok(open_csv(&reader, "-", schema, NULL, NULL));
    assert_ok(sbl_batch_new(&batch, schema, 10, NULL));
    assert_ok(sbl_rows_read(reader, batch, NULL));
    assert_int_equal(batch->rows, 1);
    sbl_rows_close(reader);
    assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), 0); /* still open */
    (void)dup2(saved, STDIN_FILENO);
    (void)close(saved);
    (void)close(ends[0]);
    sbl_batch_free(batch);
}

TEST(lack_of_memory_is_reported_and_leaves_nothing)
{
    static const char text[] = "a,b,c,d\n1,x,0,9\n";
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    const char *path = in_folder(folder, "t.csv");
    FILE *file = fopen(path, "w");
    assert_true(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
    for (long n = 0; sbl_test_fail_next(&n);) {
        sbl_rows *reader = NULL;
        sbl_batch *batch = NULL;
        sbl_status status = open_csv(&reader, path, schema, NULL, NULL);
        if (status == SBL_OK) status = sbl_batch_new(&batch, schema, 10, NULL);
        sbl_rows_close(reader);
        sbl_batch_free(batch);
        if (!sbl_test_no_memory(status)) assert_true(n > 10);
    }
}

ALL_TESTS(make_folder, remove_folder)
