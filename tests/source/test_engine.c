/* SPDX-License-Identifier: Apache-2.0 */
/* Parquet through DuckDB's library: the same table gives the same records as a CSV file does, bad cells are cells, the
 * session can do nothing but read its files, and what is refused is refused in our own words. DuckDB itself writes both
 * files of a comparison. Without the library (`make engines`) what needs it is skipped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "records/formats/duckdb.h"
#include "records/source/data_handle.h"
#include "records/source/source.h"
#include "semblance/version.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

#define LIBRARY SBL_TEST_SOURCE_DIR "/../build/engines/libduckdb.so"

ALL_TESTS(make_folder, remove_folder)

/* ---- tables that DuckDB writes ---- */

static sbl_engine engine;

static void need_engine(void)
{
    if (access(LIBRARY, R_OK) != 0) skip();
    sbl_error err = {0};
    if (sbl_engine_load(&engine, LIBRARY, "a table", &err) != SBL_OK) fail_msg("%s", err.message);
}

/* Runs a list of statements, with the folder in place of each $. */
static void make_tables(const char *statements)
{
    void *database = NULL, *connection = NULL;
    sbl_engine_result result;
    CLEARED(sbl_text_clear) sbl_text sql = {0};
    for (const char *at = statements; *at != '\0'; at++)
        sbl_text_append(&sql, *at == '$' ? folder : at, *at == '$' ? strlen(folder) : 1);
    assert_int_equal(engine.open_ext(NULL, &database, NULL, NULL), 0);
    assert_int_equal(engine.connect(database, &connection), 0);
    if (engine.query(connection, sql.data, &result) != 0) fail_msg("%s", engine.result_error(&result));
    engine.destroy_result(&result);
    engine.disconnect(&connection);
    engine.close(&database);
}

/* ---- what a source says ---- */

typedef struct all_records {
    double *numeric;
    uint32_t *codes;
    uint8_t *misfits;
    size_t rows;
} all_records;

static sbl_status open_place(sbl_data **data, const char *place, const char *library, sbl_error *err)
{
    const char *table = strstr(place, ".duckdb") != NULL ? "t" : NULL;
    const sbl_data_options options = {.struct_size = sizeof options, .duckdb = library, .table = table};
    return sbl_data_open(data, place, &options, err);
}

static sbl_status read_place(all_records *all, const char *place, sbl_facts *facts, sbl_error *err)
{
    const size_t n = facts->heads.numeric_count, k = facts->heads.categorical_count;
    const sbl_records *batch;
    sbl_source *source = NULL;
    sbl_data *data = NULL;
    uint64_t counted = 0;
    *all = (all_records){0};
    sbl_status status = open_place(&data, place, LIBRARY, err);
    if (status == SBL_OK) status = sbl_source_open(&source, data, facts, NULL, NULL, err);
    if (status == SBL_OK) status = sbl_source_count(&counted, source, err);
    while (status == SBL_OK) {
        status = sbl_source_read(source, &batch, err);
        if (status != SBL_OK || batch->rows == 0) break;
        const size_t rows = all->rows + batch->rows;
        all->numeric = realloc(all->numeric, rows * n * sizeof *all->numeric);
        all->codes = realloc(all->codes, rows * k * sizeof *all->codes);
        all->misfits = realloc(all->misfits, rows * facts->columns);
        memcpy(all->numeric + all->rows * n, batch->numeric, batch->rows * n * sizeof(double));
        memcpy(all->codes + all->rows * k, batch->codes, batch->rows * k * sizeof(uint32_t));
        memcpy(all->misfits + all->rows * facts->columns, batch->misfits, batch->rows * facts->columns);
        all->rows = rows;
    }
    if (status == SBL_OK) assert_int_equal(counted, all->rows);
    sbl_source_close(source);
    sbl_data_free(data);
    return status;
}

static void free_records(all_records *all)
{
    free(all->numeric);
    free(all->codes);
    free(all->misfits);
}

static void make_facts(sbl_facts *facts, const char *json)
{
    sbl_schema *schema = NULL;
    sbl_error err = {0};
    if (sbl_schema_parse(&schema, json, strlen(json), "test", &err) != SBL_OK ||
        sbl_facts_of_table(facts, schema, &err) != SBL_OK)
        fail_msg("%s", err.message);
}

/* Both places give the same records, bit for bit. */
static void assert_same(const char *a, const char *b, const char *json, size_t rows)
{
    CLEARED(sbl_facts_clear) sbl_facts facts;
    all_records one, two;
    sbl_error err = {0};
    make_facts(&facts, json);
    const size_t n = facts.heads.numeric_count, k = facts.heads.categorical_count;
    if (read_place(&one, in_folder(folder, a), &facts, &err) != SBL_OK ||
        read_place(&two, in_folder(folder, b), &facts, &err) != SBL_OK)
        fail_msg("%s", err.message);
    assert_int_equal(one.rows, rows);
    assert_int_equal(two.rows, rows);
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < facts.columns; i++)
            if (one.misfits[r * facts.columns + i] != two.misfits[r * facts.columns + i])
                fail_msg("row %zu, column %zu: misfit %d, %d", r, i, one.misfits[r * facts.columns + i],
                         two.misfits[r * facts.columns + i]);
    for (size_t i = 0; i < rows * n; i++)
        if (memcmp(&one.numeric[i], &two.numeric[i], sizeof(double)) != 0)
            fail_msg("row %zu, number %zu: %.17g, %.17g", i / n, i % n, one.numeric[i], two.numeric[i]);
    for (size_t i = 0; i < rows * k; i++)
        if (one.codes[i] != two.codes[i])
            fail_msg("row %zu, code %zu: %u, %u", i / k, i % k, one.codes[i], two.codes[i]);
    free_records(&one);
    free_records(&two);
}

#define NUMBER(name, least, most)                                                          \
    "{\"name\": \"" name "\", \"type\": \"number\", \"constraints\": {\"minimum\": " least \
    ", \"maximum\": " most "}}, "
#define TEXTS(name, list) \
    "{\"name\": \"" name "\", \"type\": \"string\", \"constraints\": {\"enum\": [" list "]}}, "
static const char every_type[] =
    "{\"fields\": [" NUMBER("i8", "-90", "90") NUMBER("i16", "-900", "900")
        NUMBER("i32", "0", "1e6") NUMBER("i64", "-1e15", "1e15") NUMBER("u8", "0", "200")
            NUMBER("u16", "0", "5e4") NUMBER("u32", "0", "4e9") NUMBER("u64", "0", "1e19")
                NUMBER("f32", "0", "12") NUMBER("f64", "0", "140") NUMBER("d4", "-50", "50")
                    NUMBER("d9", "-5e5", "5e5") NUMBER("d18", "-1e9", "1e9")
                        NUMBER("d38", "-1e12", "1e12") TEXTS("b", "\"true\", \"false\"")
                            TEXTS("t", "\"ab\", \"a somewhat longer text\", \"\\u00fc\"")
                                TEXTS("e", "\"red\", \"green\"")
    "{\"name\": \"day\", \"type\": \"date\", \"constraints\": {\"minimum\": \"2000-01-01\", "
    "\"maximum\": \"2001-12-31\"}}, "
    "{\"name\": \"ts\", \"type\": \"datetime\", \"constraints\": {\"minimum\": "
    "\"2000-01-01T00:00:00\", \"maximum\": \"2000-12-31T00:00:00\"}}, "
    "{\"name\": \"tz\", \"type\": \"datetime\", \"constraints\": {\"minimum\": "
    "\"2000-01-01T00:00:00Z\", \"maximum\": \"2000-12-31T00:00:00Z\"}}]}";

#define COLUMN(type, value, shift) "CASE WHEN (i + " shift ") % 11 = 0 THEN NULL ELSE " value " END::" type
static const char many_rows[] =
    "SET TimeZone = 'UTC'; CREATE TYPE colour AS ENUM ('red', 'green', 'blue'); CREATE TABLE t AS "
    "SELECT " COLUMN("TINYINT", "i % 200 - 100", "0") " AS i8, "
    COLUMN("SMALLINT", "i % 2001 - 1000", "1") " AS i16, " COLUMN("INTEGER", "i * 97", "2") " AS i32, "
    COLUMN("BIGINT", "i * 1234567890123 - 3e15::BIGINT", "3") " AS i64, "
    COLUMN("UTINYINT", "i % 256", "4") " AS u8, " COLUMN("USMALLINT", "i * 13 % 65536", "5") " AS u16, "
    COLUMN("UINTEGER", "i * 429496", "6") " AS u32, "
    COLUMN("UBIGINT", "i::UBIGINT * 1844674407370955", "7") " AS u64, "
    COLUMN("FLOAT", "(i % 97) / 8", "8") " AS f32, " COLUMN("DOUBLE", "(i * 37 % 1000) / 7.0", "9") " AS f64, "
    COLUMN("DECIMAL(4, 1)", "(i % 1999) / 10 - 99", "1") " AS d4, "
    COLUMN("DECIMAL(9, 3)", "i * 1.125 - 5000", "2") " AS d9, "
    COLUMN("DECIMAL(18, 6)", "i * 123456.654321 - 6e8", "3") " AS d18, "
    COLUMN("DECIMAL(38, 10)", "i * 123456789.0123456789 - 6e11", "4") " AS d38, "
    COLUMN("BOOLEAN", "i % 3 = 0", "5") " AS b, "
    COLUMN("VARCHAR", "['ab', 'a somewhat longer text', 'ü', 'none of these', ''][i % 5 + 1]", "6") " AS t, "
    COLUMN("colour", "['red', 'green', 'blue'][i % 3 + 1]", "7") " AS e, "
    COLUMN("DATE", "DATE '1999-06-01' + (i % 1200)::INTEGER", "8") " AS day, "
    COLUMN("TIMESTAMP", "TIMESTAMP '1999-11-01 12:34:56' + INTERVAL (i) HOUR", "9") " AS ts, "
    COLUMN("TIMESTAMPTZ", "TIMESTAMPTZ '1999-11-01 12:34:56+02' + INTERVAL (i) HOUR", "10") " AS tz, "
    "[i] AS list, {'a': i} AS struct FROM range(10000) r(i); "
    "COPY (SELECT * EXCLUDE (list, struct) REPLACE (strftime(ts, '%Y-%m-%dT%H:%M:%S') AS ts, "
    "strftime(tz, '%Y-%m-%dT%H:%M:%SZ') AS tz) FROM t) TO '$/all.csv' (HEADER); "
    "COPY t TO '$/all.parquet' (FORMAT parquet, ROW_GROUP_SIZE 2048); ";

TEST(every_type_is_read_as_its_csv_cell_is)
{
    need_engine();
    make_tables(many_rows);
    assert_same("all.csv", "all.parquet", every_type, 10000);
}

/* Texts of a dictionary are read once for all rows that have them, others row by row: nothing tells the two apart. In `rare`
 * nearly all texts differ, so they have no dictionary. */
TEST(texts_with_and_without_a_dictionary_are_read_alike)
{
    static const char json[] =
        "{\"fields\": [" TEXTS("often", "\"a\", \"bb\", \"a text of many bytes\", \"7\"")
            TEXTS("rare", "\"a\", \"bb\", \"a text of many bytes\", \"7\"") NUMBER(
                "n", "0",
                "9") "{\"name\": \"left\", \"type\": \"string\", \"constraints\": {\"enum\": [\"bb\"]}}]}";
    need_engine();
    make_tables(
        "CREATE TABLE t AS SELECT CASE WHEN i % 17 = 0 THEN NULL ELSE ['a', 'bb', 'a text of many bytes', "
        "'7.0', "
        "'none of these texts', '', ' a ', 'ü'][i % 8 + 1] END AS often, CASE WHEN i % 13 = 0 THEN NULL WHEN "
        "i % 5 > 0 THEN 'number ' || i ELSE ['a', 'bb', 'a text of many bytes'][i % 3 + 1] END AS rare, i % "
        "12 AS "
        "n, ['bb', 'c'][(i // 3000) % 2 + 1] AS left FROM range(40000) r(i);"
        "COPY t TO '$/texts.csv' (HEADER); COPY t TO '$/texts.parquet' (ROW_GROUP_SIZE 10000);"
        "ATTACH '$/texts.duckdb' AS d; CREATE TABLE d.t AS FROM t; CREATE MACRO d.semblance_code_0(x) AS 1;"
        "CREATE MACRO d.semblance_code_1(x) AS 'no number'; DETACH d");
    assert_same("texts.csv", "texts.parquet", json, 40000);
    assert_same("texts.csv", "texts.duckdb", json, 40000);
}

/* Files of a folder, of hive partitions and of a pattern are one table, in the order of their names. */
TEST(folders_partitions_and_patterns_are_one_table)
{
    static const char json[] = "{\"fields\": [" NUMBER("x", "0", "99")
        "{\"name\": \"part\", \"type\": \"string\", \"constraints\": {\"enum\": [\"a\", \"b\"]}}, "
        "{\"name\": \"year\", \"type\": \"integer\", \"constraints\": {\"minimum\": 2000, "
        "\"maximum\": 2030}}]}";
    need_engine();
    make_tables(
        "CREATE TABLE t AS SELECT i % 100 AS x, ['a', 'b'][i // 300 + 1] AS part, 2020 + i // "
        "300 AS year FROM range(600) r(i); COPY t TO '$/parts.csv' (HEADER);"
        "COPY t TO '$/hive' (FORMAT parquet, PARTITION_BY (part, year));"
        "COPY (FROM t WHERE part = 'a') TO '$/cut-1.parquet';"
        "COPY (FROM t WHERE part = 'b') TO '$/cut-2.parquet'");
    assert_same("parts.csv", "hive", json, 600);
    assert_same("parts.csv", "hive/*/*", json, 600);
    assert_same("parts.csv", "cut-[12].parquet", json, 600);
}

/* A name that is a pattern, too, or ends a text of SQL, is a name. */
TEST(odd_file_names_are_names)
{
    static const char json[] = "{\"fields\": [" NUMBER("x", "0", "99")
        NUMBER("odd\\\"name'; --", "0", "9") "{\"name\": \"y\", \"type\": \"integer\", "
        "\"constraints\": {\"minimum\": 0, \"maximum\": 9}}]}";
    need_engine();
    make_tables(
        "CREATE TABLE t AS SELECT i % 100 AS x, i % 9 AS \"odd\"\"name'; --\", i % 10 AS y FROM "
        "range(50) r(i); COPY t TO '$/odd.csv' (HEADER); COPY t TO '$/odd.parquet'");
    assert_int_equal(rename(in_folder(folder, "odd.parquet"), in_folder(folder, "o'd[d]*.parquet")), 0);
    assert_same("odd.csv", "o'd[d]*.parquet", json, 50);
}

/* What is wrong in a cell changes that cell alone: no row is dropped, nothing fails. */
TEST(bad_cells_are_cells)
{
    static const char json[] = "{\"fields\": [" NUMBER("n", "0", "10") TEXTS("t", "\"a\", \"b\"")
        "{\"name\": \"d\", \"type\": \"date\", \"constraints\": {\"required\": true, \"minimum\": "
        "\"2000-01-01\", \"maximum\": \"2001-12-31\"}}]}";
    sbl_facts facts;
    all_records good, bad;
    sbl_error err = {0};
    need_engine();
    make_tables(
        "CREATE TABLE t AS SELECT (i % 10)::DOUBLE AS n, ['a', 'b'][i % 2 + 1] AS t, DATE "
        "'2000-03-01' + (i % 90)::INTEGER AS d FROM range(5000) r(i);"
        "COPY t TO '$/good.parquet'; UPDATE t SET n = 'nan' WHERE rowid = 10; UPDATE t SET n = "
        "'-inf' WHERE rowid = 11; UPDATE t SET n = 1e300 WHERE rowid = 12; UPDATE t SET t = "
        "repeat('x', 3000000) WHERE rowid = 13; UPDATE t SET t = 'a' || chr(0) || chr(27) || "
        "'b' WHERE rowid = 14; UPDATE t SET d = NULL WHERE rowid = 15; UPDATE t SET d = "
        "'infinity' WHERE rowid = 16; UPDATE t SET d = '290000-01-01' WHERE rowid = 17;"
        "UPDATE t SET t = NULL, n = NULL WHERE rowid = 18; COPY t TO '$/bad.parquet'");
    make_facts(&facts, json);
    if (read_place(&good, in_folder(folder, "good.parquet"), &facts, &err) != SBL_OK ||
        read_place(&bad, in_folder(folder, "bad.parquet"), &facts, &err) != SBL_OK)
        fail_msg("%s", err.message);
    const size_t n = facts.heads.numeric_count, k = facts.heads.categorical_count;
    assert_int_equal(good.rows, 5000);
    assert_int_equal(bad.rows, 5000);
    for (size_t r = 0; r < 5000; r++) {
        const bool planted = r >= 11 && r <= 17; /* in 10 and 18 are NaN and nulls, which may be */
        const bool misfit = bad.misfits[3 * r] + bad.misfits[3 * r + 1] + bad.misfits[3 * r + 2] > 0;
        if (misfit != planted) fail_msg("row %zu", r);
        if (r >= 10 && r <= 18) continue;
        assert_memory_equal(&good.numeric[n * r], &bad.numeric[n * r], n * sizeof(double));
        assert_memory_equal(&good.codes[k * r], &bad.codes[k * r], k * sizeof(uint32_t));
    }
    free_records(&good);
    free_records(&bad);
    sbl_facts_clear(&facts);
}

/* Of the files that it was given it can read, and do nothing else. */
TEST(session_is_locked_to_its_files)
{
    static const char *const attempts[] = {
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM read_parquet('$/other.parquet')",
        "COPY (SELECT 1) TO '$/written.csv'",
        "ATTACH '$/written.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "LOAD '$/other.parquet'",
        "SET threads = 2",
        "SET enable_external_access = true",
        "SET temp_directory = '$'",
        "RESET lock_configuration",
        "CREATE PERSISTENT SECRET s (TYPE s3)",
    };
    sbl_engine_session session = {0};
    CLEARED(sbl_strings_clear) sbl_strings files = {0};
    sbl_engine_result result;
    uint64_t seen;
    sbl_error err = {0};
    need_engine();
    make_tables("COPY (SELECT 1 AS x) TO '$/mine.parquet'; COPY (SELECT 1 AS x) TO '$/other.parquet'");
    assert_int_equal(sbl_engine_list_files(&files, &seen, in_folder(folder, "mine.parquet"), "mine", &err),
                     SBL_OK);
    assert_int_equal(sbl_engine_session_open_files(&session, &engine, &files, "mine", &err), SBL_OK);
    assert_int_equal(session.count, 1);
    for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++) {
        CLEARED(sbl_text_clear) sbl_text sql = {0};
        for (const char *at = attempts[i]; *at != '\0'; at++)
            sbl_text_append(&sql, *at == '$' ? folder : at, *at == '$' ? strlen(folder) : 1);
        if (engine.query(session.open.connection, sql.data, &result) == 0) fail_msg("it could: %s", sql.data);
        engine.destroy_result(&result);
    }
    assert_int_not_equal(access(in_folder(folder, "written.csv"), F_OK), 0);
    assert_int_not_equal(access(in_folder(folder, "written.db"), F_OK), 0);
    sbl_engine_session_close(&session);
}

static void assert_refused(const char *place, const char *json, sbl_status expected, const char *words)
{
    CLEARED(sbl_facts_clear) sbl_facts facts;
    CLEARED(free_records) all_records all;
    sbl_error err = {0};
    make_facts(&facts, json);
    assert_int_equal(read_place(&all, in_folder(folder, place), &facts, &err), expected);
    if (strstr(err.message, words) == NULL) fail_msg("'%s' does not say '%s'", err.message, words);
    assert_null(strchr(err.message, '\n'));
}

#define ONE_NUMBER                                                                             \
    "{\"fields\": [{\"name\": \"x\", \"type\": \"number\", \"constraints\": {\"minimum\": 0, " \
    "\"maximum\": 9}}]}"

/* One file of many that differs would be cast by DuckDB, which can fail at a cell. */
TEST(files_of_other_columns_or_types_are_refused)
{
    need_engine();
    assert_int_equal(mkdir(in_folder(folder, "types"), 0700) + mkdir(in_folder(folder, "names"), 0700), 0);
    make_tables(
        "COPY (SELECT 1 AS x) TO '$/types/a.parquet'; COPY (SELECT 'no number' AS x) TO "
        "'$/types/b.parquet'; COPY (SELECT 1 AS x, 2 AS y) TO '$/names/a.parquet'; COPY (SELECT 1 "
        "AS x) TO '$/names/b.parquet'");
    assert_refused("types", ONE_NUMBER, SBL_EINPUT, "files do not have the same columns: 'x'");
    assert_refused("names", ONE_NUMBER, SBL_EINPUT, "files do not have the same columns");
}

/* A column that the schema does not read may be anything. */
TEST(lists_and_structs_are_refused_by_name_where_they_are_read)
{
    need_engine();
    make_tables(
        "COPY (SELECT [1, 2] AS x, 1 AS y) TO '$/list.parquet'; COPY (SELECT {'a': 1} AS x) TO "
        "'$/struct.parquet'; COPY (SELECT 3 AS x, [1, 2] AS y, INTERVAL 1 DAY AS z) TO "
        "'$/beside.parquet'");
    assert_refused("list.parquet", ONE_NUMBER, SBL_EINPUT, "column 'x' is a list");
    assert_refused("struct.parquet", ONE_NUMBER, SBL_EINPUT, "column 'x' is a struct");
    assert_refused("beside.parquet",
                   "{\"fields\": [{\"name\": \"q\", \"type\": \"number\", "
                   "\"constraints\": {\"minimum\": 0, \"maximum\": 9}}]}",
                   SBL_EINPUT, "'q'");
    CLEARED(sbl_facts_clear) sbl_facts facts;
    CLEARED(free_records) all_records all;
    sbl_error err = {0};
    make_facts(&facts, ONE_NUMBER);
    assert_int_equal(read_place(&all, in_folder(folder, "beside.parquet"), &facts, &err), SBL_OK);
    assert_int_equal(all.rows, 1);
}

static void overwrite(const char *name, const char *old, const char *new)
{
    size_t size;
    FREED(free) char *bytes = slurp(in_folder(folder, name), &size);
    assert_non_null(bytes);
    char *at = memmem(bytes, size, old, strlen(old));
    assert_non_null(at);
    for (; at != NULL; at = memmem(bytes, size, old, strlen(old))) memcpy(at, new, strlen(new));
    FILE *file = fopen(in_folder(folder, name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Parquet's texts are UTF-8. Where a file breaks that, DuckDB says so and quotes the cell; we name the file. */
TEST(words_of_duckdb_are_not_passed_on)
{
    static const char json[] =
        "{\"fields\": [{\"name\": \"t\", \"type\": \"string\", "
        "\"constraints\": {\"enum\": [\"a\", \"b\"]}}]}";
    CLEARED(sbl_facts_clear) sbl_facts facts;
    CLEARED(free_records) all_records all;
    sbl_error err = {0};
    need_engine();
    make_tables(
        "COPY (SELECT 'SECRETXX' || i AS t FROM range(9000) r(i)) TO '$/broken.parquet' "
        "(COMPRESSION uncompressed)");
    overwrite("broken.parquet", "SECRETXX", "SECRET\xff\xfe");
    make_facts(&facts, json);
    assert_int_not_equal(read_place(&all, in_folder(folder, "broken.parquet"), &facts, &err), SBL_OK);
    assert_null(strstr(err.message, "SECRET"));
    assert_null(strstr(err.message, "UTF"));
    assert_non_null(strstr(err.message, "broken.parquet"));
}

TEST(a_file_that_changes_between_two_readings_is_noticed)
{
    CLEARED(sbl_facts_clear) sbl_facts facts;
    sbl_source *source = NULL;
    sbl_data *data = NULL;
    sbl_error err = {0};
    need_engine();
    make_tables("COPY (SELECT 1 AS x) TO '$/moving.parquet'");
    make_facts(&facts, ONE_NUMBER);
    assert_int_equal(open_place(&data, in_folder(folder, "moving.parquet"), LIBRARY, &err), SBL_OK);
    assert_int_equal(sbl_source_open(&source, data, &facts, NULL, NULL, &err), SBL_OK);
    assert_int_equal(sbl_source_rewind(source, &err), SBL_OK);
    make_tables("COPY (SELECT 1 AS x FROM range(9)) TO '$/moving.parquet'");
    assert_int_equal(sbl_source_rewind(source, &err), SBL_EINPUT);
    sbl_source_close(source);
    sbl_data_free(data);
}

TEST(the_description_of_the_build_says_that_the_library_serves)
{
    char *build = NULL;
    need_engine();
    assert_int_equal(sbl_build_describe(&build, LIBRARY, NULL), SBL_OK);
    assert_non_null(strstr(build, "\nDuckDB\tthere\n"));
    sbl_free(build);
}

/* ---- what is refused without the library ---- */

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(folder, name), "w");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) < 0, 0);
    assert_int_equal(fclose(file), 0);
}

TEST(what_is_no_parquet_is_one_line)
{
    assert_int_equal(mkdir(in_folder(folder, "empty"), 0700), 0);
    assert_int_equal(mkdir(in_folder(folder, "mixed"), 0700), 0);
    write_file("text.parquet", "a,b\n1,2\n");
    write_file("short.parquet", "PA");
    write_file("mixed/country=secret.parquet", "PAR1 but no end");
    assert_refused("text.parquet", ONE_NUMBER, SBL_EINPUT, "is not a Parquet file");
    assert_refused("short.parquet", ONE_NUMBER, SBL_EINPUT, "is not a Parquet file");
    assert_refused("mixed", ONE_NUMBER, SBL_EINPUT, "mixed is not a Parquet file");
    assert_refused("empty", ONE_NUMBER, SBL_EIO, "holds no Parquet files");
    assert_refused("none.parquet", ONE_NUMBER, SBL_EIO, "No such file");
    assert_refused("none*.parquet", ONE_NUMBER, SBL_EIO, "no file is called");
}

TEST(a_library_that_is_none_is_one_line)
{
    CLEARED(sbl_facts_clear) sbl_facts facts;
    sbl_source *source = NULL;
    sbl_data *data = NULL;
    sbl_error err = {0};
    write_file("whole.parquet", "PAR1PAR1");
    make_facts(&facts, ONE_NUMBER);
    assert_int_equal(open_place(&data, in_folder(folder, "whole.parquet"), "/nonexistent/lib.so", &err),
                     SBL_OK);
    assert_int_equal(sbl_source_open(&source, data, &facts, NULL, NULL, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "/nonexistent/lib.so is not DuckDB's library"));
    sbl_data_free(data);
    /* A library that is another's. */
    assert_int_equal(open_place(&data, in_folder(folder, "whole.parquet"), "libcrypto.so.3", &err), SBL_OK);
    assert_int_equal(sbl_source_open(&source, data, &facts, NULL, NULL, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "lacks duckdb_"));
    sbl_data_free(data);
}

TEST(how_text_is_written_is_no_option_of_parquet)
{
    const sbl_data_options options = {.struct_size = sizeof options, .delimiter = ";"};
    sbl_data *data = NULL;
    sbl_error err = {0};
    assert_int_equal(sbl_data_open(&data, "t.parquet", &options, &err), SBL_EARG);
    assert_null(data);
    assert_non_null(strstr(err.message, "delimiter"));
}
