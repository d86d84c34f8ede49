/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in databases, and one table in every container: the same records bit for bit. SQLite's own library makes its files;
 * DuckDB's, where it is there (`make engines`), its own and Parquet. PostgreSQL: tests/cli/formats. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "records/formats/database.h"
#include "records/formats/duckdb.h"
#include "records/source/data_handle.h"
#include "records/source/source.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/one_folder.h"

FREES(sbl_data_free);
FREES(sbl_free);

#define LIBRARY SBL_TEST_SOURCE_DIR "/../build/engines/libduckdb.so"
#define ROWS 1500

ALL_TESTS(make_folder, remove_folder)

static const char schema_text[] =
    "{\"fields\":[{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,"
    "\"maximum\":90}},"
    "{\"name\":\"ward\",\"type\":\"string\",\"constraints\":{\"enum\":[\"north\",\"south\","
    "\"\xc3\xaele\"]}},"
    "{\"name\":\"cost\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":500}},"
    "{\"name\":\"day\",\"type\":\"date\",\"constraints\":{\"minimum\":\"2024-01-01\",\"maximum\":"
    "\"2024-12-31\"}}]}";

/* ---- files ---- */

/* Runs statements in an SQLite file of the folder. */
static void run_sqlite(const char *file, const char *sql)
{
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW), *database = NULL;
    int (*open)(const char *, void **);
    int (*exec)(void *, const char *, void *, void *, char **);
    int (*close)(void *);
    char *message = NULL;
    assert_non_null(library);
    *(void **)&open = dlsym(library, "sqlite3_open");
    *(void **)&exec = dlsym(library, "sqlite3_exec");
    *(void **)&close = dlsym(library, "sqlite3_close");
    assert_int_equal(open(in_folder(folder, file), &database), 0);
    if (exec(database, sql, NULL, NULL, &message) != 0) fail_msg("%s", message);
    assert_int_equal(close(database), 0);
}

static void run_duckdb(const char *sql)
{
    sbl_engine engine = {0};
    sbl_engine_result result;
    void *database = NULL, *connection = NULL;
    CLEARED(sbl_text_clear) sbl_text all = {0};
    assert_int_equal(sbl_engine_load(&engine, LIBRARY, "a table", NULL), SBL_OK);
    for (; *sql != '\0'; sql++)
        sbl_text_append(&all, *sql == '$' ? folder : sql, *sql == '$' ? strlen(folder) : 1);
    assert_int_equal(engine.open_ext(NULL, &database, NULL, NULL), 0);
    assert_int_equal(engine.connect(database, &connection), 0);
    if (engine.query(connection, all.data, &result) != 0) fail_msg("%s", engine.result_error(&result));
    engine.destroy_result(&result);
    engine.disconnect(&connection);
    engine.close(&database);
}

static FILE *create(const char *file, const char *begin)
{
    FILE *out = fopen(in_folder(folder, file), "w");
    assert_non_null(out);
    (void)fputs(begin, out);
    return out;
}

typedef struct row {
    int64_t age;
    const char *ward; /* NULL: missing */
    double cost;
    char day[16];
} row;

static row row_at(int i)
{
    static const char *const wards[] = {"north", "south", "\xc3\xaele", NULL, "elsewhere"};
    row made = {.age = i * 37 % 100, .ward = wards[i * i % 5], .cost = i * 311 % 5200 / 9.7};
    (void)snprintf(made.day, sizeof made.day, "2024-%02d-%02d", 1 + i % 12, 1 + i % 31);
    return made;
}

/* The same rows in t.csv, t.json, t.ndjson and t.db. */
static void make_files(void)
{
    FILE *csv = create("t.csv", "age,ward,cost,day\n"), *array = create("t.json", "[");
    FILE *lines = create("t.ndjson", "");
    sbl_text sql = {0};
    sbl_text_printf(&sql, "BEGIN; CREATE TABLE t (age INTEGER, ward TEXT, cost REAL, day DATE);");
    for (int i = 0; i < ROWS; i++) {
        const row r = row_at(i);
        char object[256], text[64];
        (void)snprintf(text, sizeof text, r.ward != NULL ? "\"%s\"" : "null", r.ward);
        (void)snprintf(object, sizeof object, "{\"age\":%d,\"ward\":%s,\"cost\":%.17g,\"day\":\"%s\"}",
                       (int)r.age, text, r.cost, r.day);
        (void)fprintf(csv, "%d,%s,%.17g,%s\n", (int)r.age, r.ward != NULL ? r.ward : "", r.cost, r.day);
        (void)fprintf(array, "%s%s", i > 0 ? "," : "", object);
        (void)fprintf(lines, "%s\n", object);
        for (char *c = text; *c != '\0'; c++)
            if (*c == '"') *c = '\'';
        sbl_text_printf(&sql, "INSERT INTO t VALUES (%d, %s, %.17g, '%s');", (int)r.age, text, r.cost, r.day);
    }
    (void)fputs("]", array);
    sbl_text_printf(&sql, "COMMIT");
    (void)unlink(in_folder(folder, "t.db"));
    run_sqlite("t.db", sql.data);
    sbl_text_clear(&sql);
    assert_int_equal(fclose(csv) | fclose(array) | fclose(lines), 0);
}

/* ---- records ---- */

/* All records of a handle, which is freed, as bytes: numbers, codes, misfits. */
static sbl_status read_all(sbl_text *bytes, sbl_data *data, sbl_error *err)
{
    const sbl_records *batch;
    sbl_schema *schema = NULL;
    sbl_source *source = NULL;
    sbl_facts facts = {0};
    uint64_t counted = 0, rows = 0;
    sbl_status status = sbl_schema_parse(&schema, schema_text, strlen(schema_text), "s", err);
    if (status == SBL_OK) status = sbl_facts_of_table(&facts, schema, err);
    if (status == SBL_OK) status = sbl_source_open(&source, data, &facts, NULL, NULL, err);
    if (status == SBL_OK && source->can_rewind) status = sbl_source_count(&counted, source, err);
    while (status == SBL_OK) {
        status = sbl_source_read(source, &batch, err);
        if (status != SBL_OK || batch->rows == 0) break;
        rows += batch->rows;
        for (size_t r = 0; r < batch->rows; r++) {
            const size_t n = facts.heads.numeric_count, k = facts.heads.categorical_count;
            sbl_text_append(bytes, (const char *)(batch->numeric + r * n), n * sizeof(double));
            sbl_text_append(bytes, (const char *)(batch->codes + r * k), k * sizeof(uint32_t));
            sbl_text_append(bytes, (const char *)(batch->misfits + r * facts.columns), facts.columns);
        }
    }
    if (status == SBL_OK && source->can_rewind) assert_int_equal(counted, rows);
    sbl_source_close(source);
    sbl_facts_clear(&facts);
    sbl_data_free(data);
    return status;
}

static sbl_status read_place(sbl_text *bytes, const char *file, const char *table, sbl_error *err)
{
    const sbl_data_options options = {.struct_size = sizeof options, .duckdb = LIBRARY, .table = table};
    sbl_data *data = NULL;
    const sbl_status status = sbl_data_open(&data, in_folder(folder, file), &options, err);
    return status == SBL_OK ? read_all(bytes, data, err) : status;
}

static void assert_same(const sbl_text *expected, const char *file, const char *table)
{
    CLEARED(sbl_text_clear) sbl_text bytes = {0};
    sbl_error err = {0};
    if (read_place(&bytes, file, table, &err) != SBL_OK) fail_msg("%s", err.message);
    if (bytes.length != expected->length || memcmp(bytes.data, expected->data, bytes.length) != 0)
        fail_msg("%s gives other records", file);
}

/* The same rows as typed buffers, which become Arrow. */
static sbl_data *in_memory(void)
{
    static int64_t ages[ROWS];
    static double costs[ROWS];
    static const char *wards[ROWS], *days[ROWS];
    static char texts[ROWS][16];
    sbl_data *data = NULL;
    for (int i = 0; i < ROWS; i++) {
        const row r = row_at(i);
        ages[i] = r.age;
        costs[i] = r.cost;
        wards[i] = r.ward;
        memcpy(texts[i], r.day, sizeof r.day);
        days[i] = texts[i];
    }
    const sbl_values columns[] = {
        {sizeof(sbl_values), "age", SBL_VALUES_INT64, ages, NULL},
        {sizeof(sbl_values), "ward", SBL_VALUES_TEXT, wards, NULL},
        {sizeof(sbl_values), "cost", SBL_VALUES_DOUBLE, costs, NULL},
        {sizeof(sbl_values), "day", SBL_VALUES_TEXT, days, NULL},
    };
    assert_int_equal(sbl_data_new(&data, "t", NULL), SBL_OK);
    assert_int_equal(sbl_data_append(data, columns, 4, ROWS, NULL), SBL_OK);
    return data;
}

TEST(one_table_in_every_container_gives_the_same_records)
{
    sbl_text expected = {0}, arrow = {0};
    sbl_error err = {0};
    make_files();
    if (read_place(&expected, "t.csv", NULL, &err) != SBL_OK) fail_msg("%s", err.message);
    assert_true(expected.length > ROWS * 3 * sizeof(double));
    assert_same(&expected, "t.json", NULL);
    assert_same(&expected, "t.ndjson", NULL);
    assert_same(&expected, "t.db", "t");
    if (read_all(&arrow, in_memory(), &err) != SBL_OK) fail_msg("%s", err.message);
    assert_int_equal(arrow.length, expected.length);
    assert_memory_equal(arrow.data, expected.data, arrow.length);
    if (access(LIBRARY, R_OK) == 0) {
        run_duckdb(
            "ATTACH '$/t.duckdb' AS d; CREATE TABLE d.t AS SELECT * FROM read_csv('$/t.csv', "
            "columns = {'age': 'SMALLINT', 'ward': 'VARCHAR', 'cost': 'DOUBLE', 'day': "
            "'VARCHAR'}); COPY d.t TO '$/t.parquet'");
        assert_same(&expected, "t.duckdb", "t");
        assert_same(&expected, "t.parquet", NULL);
    }
    sbl_text_clear(&expected);
    sbl_text_clear(&arrow);
}

TEST(cells_of_sqlite_are_what_they_are_stored_as)
{
    static const sbl_cell_sort expected[] = {SBL_CELL_IS_INTEGER,    SBL_CELL_IS_NUMBER,  SBL_CELL_IS_TEXT,
                                             SBL_CELL_IS_UNREADABLE, SBL_CELL_IS_MISSING, SBL_CELL_IS_LONG};
    const sbl_data_options options = {.struct_size = sizeof options, .table = "odd"};
    const sbl_dialect usual = {.delimiter = ','};
    FREED(sbl_data_free) sbl_data *data = NULL;
    CLEARED(sbl_cell_reader_close) sbl_cell_reader cells;
    bool more = true;
    run_sqlite("odd.db",
               "CREATE TABLE odd (a INTEGER); INSERT INTO odd VALUES (-7), (0.5), ('x' || "
               "char(0) || 'y'), (x'00ff'), (NULL), (printf('%.*c', 2000000, 'z'))");
    assert_int_equal(sbl_data_open(&data, in_folder(folder, "odd.db"), &options, NULL), SBL_OK);
    assert_int_equal(sbl_cell_reader_open(&cells, &data->table, &usual, NULL), SBL_OK);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(sbl_cell_reader_next(&cells, &more, NULL), SBL_OK);
        assert_true(more);
        assert_int_equal(cells.cells[0].sort, expected[i]);
        if (i == 0) assert_int_equal(cells.cells[0].whole, -7);
        if (i == 1) assert_true(cells.cells[0].number == 0.5);
        if (i == 2) assert_memory_equal(cells.cells[0].text, "x\0y", 3);
        if (i == 5) assert_int_equal(cells.cells[0].length, 2000000);
    }
    for (int i = 0; i < 2; i++) { /* and it stays at its end */
        assert_int_equal(sbl_cell_reader_next(&cells, &more, NULL), SBL_OK);
        assert_false(more);
    }
}

TEST(damaged_file_of_sqlite_is_refused_in_our_words)
{
    CLEARED(sbl_text_clear) sbl_text bytes = {0};
    sbl_error err = {0};
    FILE *file = create("cut.db", "");
    (void)fwrite("SQLite format 3\0SECRET", 1, 22, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(read_place(&bytes, "cut.db", "t", &err), SBL_EINPUT);
    if (strstr(err.message, "SQLite cannot read") == NULL) fail_msg("%s", err.message);
}

TEST(names_of_servers_have_no_secrets)
{
    static const char *const names[][2] = {
        {"postgresql://me:SECRET@host:5432/db?sslmode=require", "postgresql://host:5432/db"},
        {"postgres://host/db?user=me&password=SECRET", "postgresql://host/db"},
        {"postgresql://me:SEC@RET@/db", "postgresql:///db"},
        {"postgresql://", "postgresql://"},
        {"postgresql://bob:SECRET?x@host", "postgresql://host"},
        {"postgresql://bob:SECRET#x@host/db", "postgresql://host/db"},
        {"postgresql://bob:SE/CR?ET#x@host/db?a=b", "postgresql://host/db"},
        {"postgresql://bob:SEC%40RET@host/db", "postgresql://host/db"},
        {"postgresql://bob:SEC%3FRET%23@host:5432/db#SECRET", "postgresql://host:5432/db"},
        {"postgresql://SECRET@", "postgresql://"},
        {"postgresql://SECRET@@@host", "postgresql://host"},
        {"postgresql://SECRET:@[::1]:5432/db", "postgresql://[::1]:5432/db"},
        {"postgresql://[::1]:5432/db", "postgresql://[::1]:5432/db"},
        {"postgresql://one:1,two:2/db", "postgresql://one:1,two:2/db"},
        {"postgresql://bob:SECRET", "postgresql://"}, /* the host was forgotten */
        {"postgresql://host/db?user=SECRET@home", "postgresql://home"},
        {"postgresql://host/db?password=SECRET@1&x=y", "postgresql://1&x=y"},
        {"postgresql:///db?host=/run&password=SECRET", "postgresql:///db"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        FREED(sbl_free) char *name = NULL;
        assert_int_equal(sbl_server_name(&name, names[i][0], NULL), SBL_OK);
        assert_string_equal(name, names[i][1]);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strstr(names[i][1], "SECRET") != NULL) fail_msg("%s", names[i][1]);
    const sbl_data_options options = {.struct_size = sizeof options, .table = "t"};
    FREED(sbl_data_free) sbl_data *data = NULL;
    assert_int_equal(sbl_data_open(&data, names[0][0], &options, NULL), SBL_OK);
    assert_null(sbl_data_tell(data).path);
    assert_string_equal(sbl_data_tell(data).name, names[0][1]);
}

/* ---- tables by the catalogue ---- */

static void assert_tables(const char *file, const char *expected)
{
    const sbl_data_options options = {.struct_size = sizeof options, .duckdb = LIBRARY};
    FREED(sbl_free) char *tables = NULL;
    sbl_error err = {0};
    if (sbl_data_tables(&tables, in_folder(folder, file), &options, &err) != SBL_OK)
        fail_msg("%s", err.message);
    assert_string_equal(tables, expected);
}

TEST(tables_and_views_are_listed_by_name)
{
    run_sqlite("none.db", "CREATE TABLE t (a); DROP TABLE t");
    assert_tables("none.db", "[]");
    run_sqlite("some.db",
               "CREATE TABLE \"2024\" (a); CREATE TABLE people (id INTEGER PRIMARY KEY AUTOINCREMENT); "
               "CREATE VIEW seen AS SELECT * FROM people");
    assert_tables("some.db",
                  "[{\"kind\":\"table\",\"name\":\"2024\"},{\"kind\":\"table\",\"name\":\"people\"},"
                  "{\"kind\":\"view\",\"name\":\"seen\"}]");
}

TEST(tables_and_views_of_duckdb_are_listed_by_name)
{
    if (access(LIBRARY, R_OK) != 0) skip();
    run_duckdb(
        "ATTACH '$/some.duckdb' AS d; CREATE TABLE d.people (a INTEGER); CREATE SCHEMA d.shop; "
        "CREATE TABLE d.shop.orders (a INTEGER); CREATE VIEW d.seen AS SELECT 1 AS a");
    assert_tables("some.duckdb",
                  "[{\"kind\":\"table\",\"name\":\"people\"},{\"kind\":\"view\",\"name\":\"seen\"},"
                  "{\"kind\":\"table\",\"name\":\"shop.orders\"}]");
}

static void refuse_tables(const char *file, const sbl_data_options *options, sbl_status expected)
{
    char *tables = NULL;
    sbl_error err = {0};
    assert_int_equal(sbl_data_tables(&tables, in_folder(folder, file), options, &err), expected);
    assert_null(tables);
    assert_non_null(strstr(err.message, file));
    assert_null(strchr(err.message, '\n'));
}

TEST(tables_of_bad_files_are_refused_in_one_line)
{
    const sbl_data_options one = {.struct_size = sizeof one, .table = "t"};
    char *tables = NULL;
    assert_int_equal(fclose(create("plain.csv", "a,b\n1,2\n")), 0);
    assert_int_equal(fclose(create("empty.sqlite", "")), 0);
    FILE *cut = create("cut.sqlite", "SQLite format 3");
    assert_int_equal(fwrite("\0garbage", 1, 8, cut), 8);
    assert_int_equal(fclose(cut), 0);
    refuse_tables("plain.csv", NULL, SBL_EINPUT);
    refuse_tables("empty.sqlite", NULL, SBL_EINPUT);
    refuse_tables("cut.sqlite", NULL, SBL_EINPUT);
    refuse_tables("absent.sqlite", NULL, SBL_EIO);
    refuse_tables("cut.sqlite", &one, SBL_EARG);
    assert_int_equal(sbl_data_tables(&tables, NULL, NULL, NULL), SBL_EARG);
    assert_int_equal(sbl_data_tables(NULL, "x.sqlite", NULL, NULL), SBL_EARG);
}

/* Every allocation of ours may fail, once. also: what a stream of Arrow says, which has no word for it. */
static void fail_each(const char *file, const char *table, sbl_status also)
{
    for (long n = 1;; n++) {
        sbl_text bytes = {0};
        sbl_error err = {0};
        sbl_test_fail_alloc(n);
        const sbl_status status = read_place(&bytes, file, table, &err);
        const bool failed = sbl_test_alloc_failed();
        sbl_test_fail_alloc(0);
        if (failed && status == SBL_OK && !bytes.failed) fail_msg("allocation %ld is not missed", n);
        if (failed && status != SBL_OK && status != also) assert_int_equal(status, SBL_EMEM);
        sbl_text_clear(&bytes);
        if (!failed) {
            assert_int_equal(status, SBL_OK);
            break;
        }
    }
}

TEST(memory_may_run_out_in_sqlite)
{
    run_sqlite("few.db",
               "CREATE TABLE t (age, ward, cost, day); INSERT INTO t VALUES (1, 'north', 2.5, "
               "'2024-02-03'), (2, 'south', 3, '2024-02-04')");
    fail_each("few.db", "t", SBL_EMEM);
    for (long n = 1, failed = 1; failed != 0; n++) {
        FREED(sbl_free) char *tables = NULL;
        sbl_test_fail_alloc(n);
        const sbl_status status = sbl_data_tables(&tables, in_folder(folder, "few.db"), NULL, NULL);
        failed = sbl_test_alloc_failed();
        sbl_test_fail_alloc(0);
        assert_true(failed != 0 ? status == SBL_EMEM : status == SBL_OK);
    }
}

TEST(memory_may_run_out_in_duckdb)
{
    if (access(LIBRARY, R_OK) != 0) skip();
    run_duckdb(
        "ATTACH '$/few.duckdb' AS d; CREATE TYPE d.place AS ENUM ('north', 'south'); CREATE TABLE "
        "d.t AS SELECT 1::SMALLINT AS age, 'south'::d.place AS ward, 2.5::DECIMAL(4, 1) AS cost, "
        "DATE '2024-02-03' AS day, true AS more");
    fail_each("few.duckdb", "t", SBL_EIO);
}

/* Enums and UUIDs are their texts. */
TEST(enums_and_uuids_are_texts)
{
    const sbl_data_options options = {.struct_size = sizeof options, .duckdb = LIBRARY, .table = "t"};
    const sbl_dialect usual = {.delimiter = ','};
    sbl_data *data = NULL;
    sbl_cell_reader cells;
    sbl_error err = {0};
    bool more = true;
    if (access(LIBRARY, R_OK) != 0) skip();
    run_duckdb(
        "ATTACH '$/types.duckdb' AS d; CREATE TYPE d.place AS ENUM ('north', '\xc3\xaele'); CREATE "
        "TABLE d.t AS SELECT * FROM (VALUES ('\xc3\xaele'::d.place, "
        "'00112233-4455-6677-8899-aabbccddeeff'::UUID), ('north', "
        "'ffeeddcc-bbaa-9988-7766-554433221100'), (NULL, NULL)) AS v(place, id)");
    assert_int_equal(sbl_data_open(&data, in_folder(folder, "types.duckdb"), &options, NULL), SBL_OK);
    if (sbl_cell_reader_open(&cells, &data->table, &usual, &err) != SBL_OK) fail_msg("%s", err.message);
    static const char *const expected[][2] = {{"\xc3\xaele", "00112233-4455-6677-8899-aabbccddeeff"},
                                              {"north", "ffeeddcc-bbaa-9988-7766-554433221100"}};
    for (size_t r = 0; r < 2; r++) {
        assert_int_equal(sbl_cell_reader_next(&cells, &more, NULL), SBL_OK);
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(cells.cells[i].length, strlen(expected[r][i]));
            assert_memory_equal(cells.cells[i].text, expected[r][i], cells.cells[i].length);
        }
    }
    assert_int_equal(sbl_cell_reader_next(&cells, &more, NULL), SBL_OK);
    assert_int_equal(cells.cells[0].sort, SBL_CELL_IS_MISSING);
    assert_int_equal(cells.cells[1].sort, SBL_CELL_IS_MISSING);
    sbl_cell_reader_close(&cells);
    sbl_data_free(data);
}
