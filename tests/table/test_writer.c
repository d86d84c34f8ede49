/* SPDX-License-Identifier: Apache-2.0 */
/* Written tables: the schema's order, types, decimals and categories; all of a file or none. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "after/sinks/writer.h"
#include "base/compute/threads.h"
#include "public/rows/cell_format.h"
#include "records/rows/cell_decode.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/one_folder.h"
#include "table/table_kit.h"

FREES(sbl_schema_free);

static size_t files_in_folder(void)
{
    size_t count = 0;
    DIR *entries = opendir(folder);
    while (readdir(entries) != NULL) count++;
    (void)closedir(entries);
    return count - 2; /* . and .. */
}

static void write_table(const char *path, const sbl_batch *batch, bool overwrite)
{
    sbl_table_writer *writer;
    sbl_error err = {0};
    if (sbl_table_create(&writer, path, batch->schema, (sbl_table_write_options){.overwrite = overwrite},
                         &err) != SBL_OK)
        fail_msg("%s", err.message);
    assert_ok(sbl_table_write(writer, batch, &err));
    assert_ok_or_say(sbl_table_finish(writer, &err));
}

/* Write a batch and compare the file. */
static void expect_file(const sbl_batch *batch, const char *expected)
{
    const char *path = in_folder(folder, "out.csv");
    write_table(path, batch, true);
    char *text = slurp(path, NULL);
    assert_string_equal(text, expected);
    free(text);
    (void)unlink(path);
}

TEST(rows_are_written_as_declared)
{
    sbl_batch *batch;
    FREED(sbl_schema_free)
    sbl_schema *schema = kit_schema(
        "{\"missingValues\":[\"NA\",\"\"],\"fields\":["
        "{\"name\":\"id\",\"semblance\":{\"role\":\"ignore\"}},"
        "{\"name\":\"n\",\"type\":\"integer\",\"constraints\":{\"minimum\":-5,\"maximum\":100}},"
        "{\"name\":\"money\",\"type\":\"number\",\"constraints\":{\"minimum\":-2,\"maximum\":9.99},"
        "\"semblance\":{\"decimals\":2}},"
        "{\"name\":\"r\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":1}},"
        "{\"name\":\"a \\\"b\\\"\",\"type\":\"string\",\"constraints\":{\"enum\":[\"p\",\"q,r\","
        "\"s\\\"t\",\"u\\nv\",\" w\"]}},"
        "{\"name\":\"t\",\"type\":\"boolean\",\"trueValues\":[\"yes\"],\"falseValues\":[\"no\"]},"
        "{\"name\":\"d\",\"type\":\"date\",\"constraints\":{\"minimum\":\"2020-01-01\",\"maximum\":"
        "\"2024-12-31\"}},"
        "{\"name\":\"w\",\"type\":\"datetime\",\"constraints\":{\"minimum\":\"1969-01-01T00:00:"
        "00Z\""
        ",\"maximum\":\"2024-12-31T00:00:00Z\"}}]}");
    assert_ok(sbl_batch_new(&batch, schema, 8, NULL));
    for (uint32_t i = 0; i < 5; i++) {
        batch->columns[1].values[i] = (double)i * 25.4 - 5;
        batch->columns[2].values[i] = (double)i * 3.004 - 2;
        batch->columns[3].values[i] = (double)i / 3;
        batch->columns[4].codes[i] = i;
        batch->columns[5].codes[i] = i % 3;
        batch->columns[6].values[i] = 19000 + i * 100;
        batch->columns[7].values[i] = (double)i * 86399 - 1;
    }
    batch->columns[1].missing[4] = 1;
    batch->columns[6].missing[4] = 1;
    batch->rows = 5;
    expect_file(batch,
                "n,money,r,\"a \"\"b\"\"\",t,d,w\n"
                "-5,-2.00,0,p,no,2022-01-08,1969-12-31T23:59:59Z\n"
                "20,1.00,0.33333,\"q,r\",yes,2022-04-18,1970-01-01T23:59:58Z\n"
                "46,4.01,0.66667,\"s\"\"t\",NA,2022-07-27,1970-01-02T23:59:57Z\n"
                "71,7.01,1,\"u\nv\",no,2022-11-04,1970-01-03T23:59:56Z\n"
                "NA,9.99,1,\" w\",yes,NA,1970-01-04T23:59:55Z\n");
    sbl_batch_free(batch);
}

/* Marks between thousands, signs around numbers and line ends come back, and are read as the plain numbers. */
TEST(marks_of_numbers_and_line_ends_are_written)
{
    sbl_batch *batch;
    FREED(sbl_schema_free)
    sbl_schema *schema = kit_schema(
        "{\"dialect\":{\"delimiter\":\";\",\"lineTerminator\":\"\\r\\n\"},\"fields\":["
        "{\"name\":\"a\",\"type\":\"number\",\"constraints\":{\"minimum\":-1e7,\"maximum\":1e7},"
        "\"decimalChar\":\",\",\"groupChar\":\".\",\"semblance\":{\"decimals\":2}},"
        "{\"name\":\"b\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":100},"
        "\"bareNumber\":false,\"semblance\":{\"suffix\":\" %\"}},"
        "{\"name\":\"c\",\"type\":\"number\",\"constraints\":{\"minimum\":-1e300,\"maximum\":1e300}"
        ","
        "\"groupChar\":\",\",\"bareNumber\":false,\"semblance\":{\"prefix\":\"$;\"}}]}");
    const double a[] = {3617.15, 0.5, -1234567.89, 999}, c[] = {1e22, 12345.5, -1000, 999};
    assert_ok(sbl_batch_new(&batch, schema, 4, NULL));
    for (size_t i = 0; i < 4; i++) {
        double value;
        char cell[SBL_CELL_TEXT_SIZE];
        batch->columns[0].values[i] = a[i];
        batch->columns[1].values[i] = (double)i * 33;
        batch->columns[2].values[i] = c[i];
        for (size_t k = 0; k < 3; k++) {
            const size_t length = sbl_cell_format(cell, &schema->columns[k], batch->columns[k].values[i]);
            assert_true(sbl_number_read(&value, &schema->columns[k], cell, length));
            assert_true(value == batch->columns[k].values[i]);
        }
    }
    batch->rows = 4;
    expect_file(batch,
                "a;b;c\r\n"
                "3.617,15;0 %;\"$;1e+22\"\r\n"
                "0,50;33 %;\"$;12,345.5\"\r\n"
                "-1.234.567,89;66 %;\"$;-1,000\"\r\n"
                "999,00;99 %;\"$;999\"\r\n");
    sbl_batch_free(batch);
}

TEST(values_out_of_the_domain_cannot_be_written)
{
    sbl_batch *batch;
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    assert_ok(sbl_batch_new(&batch, schema, 4, NULL));
    const double bad[] = {1e300, -1e300, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < 4; i++) {
        batch->columns[0].values[i] = bad[i];
        batch->columns[1].codes[i] = (uint32_t)(3 + i);
        batch->columns[2].values[i] = bad[i];
    }
    batch->rows = 4;
    expect_file(batch, "a,b,c\n100,,1\n0,x,0\n0,x,0\n100,x,1\n");
    sbl_batch_free(batch);
}

TEST(empty_cell_of_a_one_column_table_is_quoted)
{
    sbl_batch *batch;
    FREED(sbl_schema_free)
    sbl_schema *schema = kit_schema("{\"fields\":[{\"name\":\"t\",\"type\":\"boolean\"}]}");
    assert_ok(sbl_batch_new(&batch, schema, 2, NULL));
    batch->columns[0].codes[0] = 2;
    batch->rows = 2;
    expect_file(batch, "t\n\"\"\nfalse\n");
    sbl_batch_free(batch);
}

static uint64_t next(uint64_t *mix)
{
    uint64_t z = (*mix += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ (z >> 31);
}

/* Any value in any column is written as text that reads back as the snapped value, in bounds. */
TEST(written_numbers_read_back_within_bounds)
{
    uint64_t mix = 7;
    for (int round = 0; round < 400; round++) {
        char text[512];
        const int digits = (int)(next(&mix) % 12);
        const double low = (double)(int64_t)next(&mix) / pow(10, 5 + (double)(next(&mix) % 20));
        const double high = low + fabs(low) * (double)(next(&mix) % 1000 + 1) / 1000;
        (void)snprintf(text, sizeof text,
                       "{\"fields\":[{\"name\":\"x\",\"type\":\"number\",\"constraints\":"
                       "{\"minimum\":%.*e,\"maximum\":%.17e}}]}",
                       digits, low, high);
        sbl_schema *schema;
        if (sbl_schema_parse(&schema, text, strlen(text), "s", NULL) != SBL_OK) continue;
        const sbl_column *column = &schema->columns[0];
        for (int i = 0; i < 50; i++) {
            char cell[SBL_CELL_TEXT_SIZE + 1];
            const double value =
                low + (high - low) * ((double)(next(&mix) >> 11) / 9007199254740992.0 * 1.2 - 0.1);
            cell[sbl_cell_format(cell, column, value)] = '\0';
            const double again = strtod(cell, NULL);
            assert_true(again >= column->minimum && again <= column->maximum);
            assert_true(again == sbl_column_snap(column, value));
        }
        sbl_schema_free(schema);
    }
}

TEST(gzip_name_gives_gzip_and_reads_back)
{
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    sbl_batch *batch;
    sbl_batch *again;
    sbl_rows *reader;
    size_t size;
    const size_t rows = 20000;
    const char *path = in_folder(folder, "out.csv.gz");
    assert_ok(sbl_batch_new(&batch, schema, rows, NULL));
    for (size_t i = 0; i < rows; i++) {
        batch->columns[0].values[i] = (double)(i % 101);
        batch->columns[0].missing[i] = i % 7 == 0;
        batch->columns[1].codes[i] = (uint32_t)(i % 4);
        batch->columns[2].values[i] = sbl_column_snap(&schema->columns[2], (double)i / (double)rows);
    }
    batch->rows = rows;
    write_table(path, batch, false);
    char *bytes = slurp(path, &size);
    assert_true(size < 200000 && bytes[0] == '\x1f');
    free(bytes);
    assert_ok(sbl_batch_new(&again, schema, rows + 1, NULL));
    assert_ok(open_csv(&reader, path, schema, NULL, NULL));
    assert_ok(sbl_rows_read(reader, again, NULL));
    assert_int_equal(again->rows, rows);
    for (size_t i = 0; i < rows; i++) {
        assert_int_equal(again->columns[0].missing[i], batch->columns[0].missing[i]);
        if (!batch->columns[0].missing[i])
            assert_true(again->columns[0].values[i] == batch->columns[0].values[i]);
        assert_true(again->columns[2].values[i] == batch->columns[2].values[i]);
    }
    assert_memory_equal(again->columns[1].codes, batch->columns[1].codes, rows * 4);
    sbl_rows_close(reader);
    (void)unlink(path);
    sbl_batch_free(batch);
    sbl_batch_free(again);
}

static void made_number(void *context, sbl_text *cell, size_t column, uint64_t row)
{
    (void)context;
    sbl_text_printf(cell, "%zu:%llu", column, (unsigned long long)row);
}

/* Writes the rows in two batches by the given number of threads.   Returns: the bytes of the file */
static char *written_by(int threads, const char *name, sbl_batch *batch, size_t *size)
{
    static const uint64_t replicate = 7;
    const sbl_table_write_options options = {
        .overwrite = true, .make = made_number, .lead = "replicate", .lead_value = &replicate};
    const char *path = in_folder(folder, name);
    sbl_table_writer *writer;
    const size_t rows = batch->rows;
    sbl_thread_set(threads);
    assert_ok(sbl_table_create(&writer, path, batch->schema, options, NULL));
    assert_ok(sbl_table_write(writer, batch, NULL));
    batch->rows = rows / 3; /* not divided by any number of threads */
    assert_ok(sbl_table_write(writer, batch, NULL));
    batch->rows = rows;
    assert_ok(sbl_table_finish(writer, NULL));
    char *bytes = slurp(path, size);
    (void)unlink(path);
    return bytes;
}

TEST(any_number_of_threads_writes_the_same_bytes)
{
    static const char *const encodings[] = {"utf-8", "utf-16"};
    const int before = sbl_thread_limit();
    for (size_t e = 0; e < 2; e++) {
        char text[800];
        sbl_batch *batch;
        (void)snprintf(
            text, sizeof text,
            "{\"encoding\":\"%s\",\"missingValues\":[\"NA\"],\"fields\":["
            "{\"name\":\"id\",\"type\":\"string\",\"semblance\":{\"role\":\"id\"}},"
            "{\"name\":\"n\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":99999}},"
            "{\"name\":\"c\",\"type\":\"string\",\"constraints\":{\"enum\":[\"p\",\"q,r\",\"ü\\nv\"]}}]}",
            encodings[e]);
        FREED(sbl_schema_free) sbl_schema *schema = kit_schema(text);
        assert_ok(sbl_batch_new(&batch, schema, 5000, NULL));
        for (batch->rows = 0; batch->rows < 5000; batch->rows++) {
            batch->columns[1].values[batch->rows] = (double)batch->rows * 17;
            batch->columns[1].missing[batch->rows] = batch->rows % 11 == 0;
            batch->columns[2].codes[batch->rows] = (uint32_t)(batch->rows % 4); /* 3: missing */
        }
        for (int gzip = 0; gzip < 2; gzip++) {
            const char *name = gzip ? "t.csv.gz" : "t.csv";
            size_t size, other;
            char *one = written_by(1, name, batch, &size);
            if (!gzip && e == 0) assert_non_null(strstr(one, "\n7,0:6665,"));
            if (!gzip && e == 1) assert_true((unsigned char)one[0] >= 0xfe); /* the mark of the byte order */
            for (int threads = 2; threads <= 7; threads += 5) {
                char *many = written_by(threads, name, batch, &other);
                assert_int_equal(other, size);
                assert_memory_equal(many, one, size);
                free(many);
            }
            free(one);
        }
        sbl_batch_free(batch);
    }
    sbl_thread_set(before);
}

TEST(existing_file_is_kept_unless_asked)
{
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    sbl_table_writer *writer;
    sbl_error err = {0};
    const char *path = in_folder(folder, "kept.csv");
    FILE *file = fopen(path, "w");
    assert_true(file != NULL && fputs("old", file) >= 0 && fclose(file) == 0);
    assert_int_equal(sbl_table_create(&writer, path, schema, (sbl_table_write_options){0}, &err), SBL_EIO);
    assert_non_null(strstr(err.message, "exists already"));
    assert_null(writer);
    assert_ok(sbl_table_create(&writer, path, schema, (sbl_table_write_options){.overwrite = true}, &err));
    char *text = slurp(path, NULL);
    assert_string_equal(text, "old"); /* until it is finished */
    free(text);
    assert_ok(sbl_table_finish(writer, &err));
    text = slurp(path, NULL);
    assert_string_equal(text, "a,b,c\n");
    free(text);
    (void)unlink(path);
}

TEST(abandoned_table_leaves_nothing)
{
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    sbl_table_writer *writer;
    assert_ok(sbl_table_create(&writer, in_folder(folder, "gone.csv.gz"), schema,
                               (sbl_table_write_options){0}, NULL));
    assert_int_equal(files_in_folder(), 1);
    sbl_table_abandon(writer);
    sbl_table_abandon(NULL);
    assert_int_equal(files_in_folder(), 0);
}

TEST(full_device_is_an_error_and_stays_a_device)
{
    sbl_schema *schema = kit_abc();
    sbl_table_writer *writer;
    sbl_error err = {0};
    struct stat facts;
    if (stat("/dev/full", &facts) != 0) skip();
    assert_ok(
        sbl_table_create(&writer, "/dev/full", schema, (sbl_table_write_options){.overwrite = true}, &err));
    assert_int_equal(sbl_table_finish(writer, &err), SBL_EIO);
    assert_non_null(strstr(err.message, "/dev/full"));
    assert_true(stat("/dev/full", &facts) == 0 && S_ISCHR(facts.st_mode));
    sbl_schema_free(schema);
}

TEST(missing_folder_is_an_error)
{
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    sbl_table_writer *writer;
    assert_int_equal(
        sbl_table_create(&writer, "/nonexistent/t.csv", schema, (sbl_table_write_options){0}, NULL), SBL_EIO);
    assert_null(writer);
}

TEST(standard_output_is_written)
{
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    sbl_table_writer *writer;
    char text[16] = "";
    int ends[2];
    (void)fflush(stdout);
    const int saved = dup(STDOUT_FILENO);
    assert_int_equal(pipe(ends), 0);
    (void)dup2(ends[1], STDOUT_FILENO);
    const sbl_status opened = sbl_table_create(&writer, "-", schema, (sbl_table_write_options){0}, NULL);
    const sbl_status finished = opened == SBL_OK ? sbl_table_finish(writer, NULL) : opened;
    (void)dup2(saved, STDOUT_FILENO);
    (void)close(saved);
    (void)close(ends[1]);
    assert_ok(finished);
    assert_int_equal(read(ends[0], text, sizeof text), 6);
    assert_string_equal(text, "a,b,c\n");
    (void)close(ends[0]);
}

TEST(lack_of_memory_leaves_no_file)
{
    sbl_schema *schema = kit_abc();
    sbl_batch *batch;
    assert_ok(sbl_batch_new(&batch, schema, 3, NULL));
    batch->rows = 3;
    for (long n = 1;; n++) {
        sbl_table_writer *writer;
        const char *path = in_folder(folder, "m.csv.gz");
        sbl_test_fail_alloc(n);
        sbl_status status = sbl_table_create(&writer, path, schema, (sbl_table_write_options){0}, NULL);
        if (status == SBL_OK) {
            status = sbl_table_write(writer, batch, NULL);
            if (status == SBL_OK)
                status = sbl_table_finish(writer, NULL);
            else
                sbl_table_abandon(writer);
        }
        if (!sbl_test_alloc_failed()) {
            assert_ok(status);
            assert_true(n > 10);
            (void)unlink(path);
            break;
        }
        /* The folder's sync after the file is in place may be what fails. */
        if (status == SBL_OK || access(path, F_OK) == 0) (void)unlink(path);
        assert_int_equal(status, SBL_EMEM);
        assert_int_equal(files_in_folder(), 0);
    }
    sbl_test_fail_alloc(0);
    sbl_batch_free(batch);
    sbl_schema_free(schema);
}

ALL_TESTS(make_folder, remove_folder)
