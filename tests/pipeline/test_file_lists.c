/* SPDX-License-Identifier: Apache-2.0 */
/* Several files as one table: the bits of one file, what is refused before anything is charged, and the one ledger of all
 * of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "door/release/release.h"
#include "records/source/source.h"
#include "semblance/data.h"
#include "support/key_test.h"
#include "support/run_kit.h"

enum { ROWS = 300, FILES = 3 };

static void write_schema(bool persons)
{
    char text[1024];
    (void)snprintf(
        text, sizeof text,
        "{\"fields\":[{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,"
        "\"maximum\":100,\"required\":true}},{\"name\":\"who\",\"type\":\"string\"%s},"
        "{\"name\":\"town\",\"type\":\"string\",\"constraints\":{\"enum\":[\"Ayr\",\"Bath\"]}}]%s}",
        persons ? "" : ",\"semblance\":{\"role\":\"ignore\"}",
        persons ? ",\"semblance\":{\"unit\":\"who\",\"max_rows_per_unit\":3}" : "");
    write_file("schema.json", text);
}

/* Rows from..to-1; turned: the columns in another order. */
static void write_rows(const char *name, int from, int to, bool turned)
{
    static const char *const towns[] = {"Ayr", "Bath", "", "Rome"};
    FILE *file = create(name);
    (void)fputs(turned ? "town,age,who\n" : "age,who,town\n", file);
    for (int r = from; r < to; r++) {
        const char *town = towns[r % 4];
        if (turned)
            (void)fprintf(file, "%s,%d,P%d\n", town, r * 7 % 103, r * 37 % 71);
        else
            (void)fprintf(file, "%d,P%d,%s\n", r * 7 % 103, r * 37 % 71, town);
    }
    (void)fclose(file);
}

AROUND(fresh)
{
    temp_folder_make(folder);
    write_schema(false);
    write_rows("whole.csv", 0, ROWS, false);
    write_rows("a.csv", 0, 100, false);
    write_rows("b.csv", 100, 100, false); /* no rows */
    write_rows("c.csv", 100, ROWS, true);
}

EACH_TEST(fresh, remove_folder)

/* Names in the folder, with commas, as paths. */
static const char *list_of(const char *names)
{
    static char text[4096];
    char copy[256];
    size_t used = 0;
    (void)snprintf(copy, sizeof copy, "%s", names);
    for (char *rest = copy, *name; (name = strtok_r(rest, ",", &rest)) != NULL;)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? "," : "", at(name));
    return text;
}

static sbl_synth_options by_method(const char *method)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.method = method;
    options.epsilon = 1;
    options.overwrite = true;
    if (strcmp(method, "marginals") != 0) options.expected_rows = ROWS;
    return options;
}

static sbl_status run_list(const char *names, const char *output, const char *schema,
                           const sbl_synth_options *options, sbl_error *err)
{
    sbl_test_key_set(1);
    return table_run(NULL, list_of(names), schema, at(output), 0, NULL, options, err);
}

/* The same releases to the bit; how many. */
static size_t expect_same(const char *one, const char *other)
{
    size_t round = 1;
    for (; access(release_of(one, round), F_OK) == 0; round++) {
        sbl_release *a = NULL, *b = NULL;
        sbl_error err = {0};
        must(sbl_release_load(&a, sbl_file_item(release_of(one, round)), &err), &err);
        must(sbl_release_load(&b, sbl_file_item(release_of(other, round)), &err), &err);
        assert_int_equal(a->value_count, b->value_count);
        assert_memory_equal(a->values, b->values, a->value_count * sizeof *a->values);
        assert_string_equal(a->plan, b->plan);
        sbl_release_free(a);
        sbl_release_free(b);
    }
    assert_int_not_equal(access(release_of(other, round), F_OK), 0);
    return round - 1;
}

static void expect_list_is_whole(const char *method, const char *schema, size_t rounds)
{
    sbl_synth_options options = by_method(method);
    sbl_error err = {0};
    if (schema == NULL) options.epsilon = 20; /* what so few rows can tell of one */
    must(run_list("whole.csv", "one.csv", schema, &options, &err), &err);
    must(run_list("a.csv,b.csv,c.csv", "many.csv", schema, &options, &err), &err);
    assert_true(expect_same("one.csv", "many.csv") >= rounds);
    expect_same_text("one.csv", "many.csv");
}

TEST(list_gives_the_bits_of_its_files_in_one) { expect_list_is_whole("pairs", at("schema.json"), 2); }

TEST(list_of_persons_gives_the_bits_of_its_files_in_one)
{
    write_schema(true);
    expect_list_is_whole("pairs", at("schema.json"), 2);
    expect_list_is_whole("histories", at("schema.json"), 2);
}

TEST(schema_of_a_list_is_discovered) { expect_list_is_whole("marginals", NULL, 3); }

/* Names that stand in records are not compared: they are no one's to see. */
TEST(list_with_a_file_without_header_is_read_by_its_schema)
{
    const sbl_synth_options options = by_method("marginals");
    sbl_error err = {0};
    write_file("d.ndjson", "{\"age\": 50, \"town\": \"Ayr\"}\n{\"pay\": 3}\n");
    write_file("d.csv", "age,who,town\n50,,Ayr\n,,\n");
    must(run_list("d.csv,a.csv", "one.csv", at("schema.json"), &options, &err), &err);
    must(run_list("d.ndjson,a.csv", "many.csv", at("schema.json"), &options, &err), &err);
    assert_int_equal(expect_same("one.csv", "many.csv"), 1);
    assert_int_equal(run_list("d.ndjson,a.csv", "none.csv", NULL, &options, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "d.ndjson has no header"));
}

TEST(order_of_the_list_makes_no_other_table)
{
    const sbl_synth_options options = by_method("pairs");
    sbl_error err = {0};
    must(run_list("a.csv,b.csv,c.csv", "one.csv", at("schema.json"), &options, &err), &err);
    must(run_list("c.csv,a.csv,b.csv", "many.csv", at("schema.json"), &options, &err), &err);
    (void)expect_same("one.csv", "many.csv");
    assert_true(exists("a.csv.ledger"));
    assert_int_equal(lines_of("a.csv.ledger"), lines_of("b.csv.ledger")); /* a link to it */
}

TEST(file_of_a_list_is_charged_to_its_ledger)
{
    const sbl_synth_options options = by_method("marginals");
    sbl_error err = {0};
    must(run_list("b.csv,c.csv,a.csv", "one.csv", at("schema.json"), &options, &err), &err);
    const size_t before = lines_of("a.csv.ledger");
    must(run_list("c.csv", "two.csv", at("schema.json"), &options, &err), &err);
    assert_true(lines_of("a.csv.ledger") > before);
}

static void expect_refused(const char *names, sbl_status expected, const char *words)
{
    const sbl_synth_options options = by_method("marginals");
    sbl_error err = {0};
    assert_int_equal(run_list(names, "one.csv", at("schema.json"), &options, &err), expected);
    if (strstr(err.message, words) == NULL) fail_msg("'%s' is not in '%s'", words, err.message);
    assert_false(exists("a.csv.ledger"));
    assert_false(exists("one.csv.release"));
}

TEST(list_that_is_no_one_table_is_refused_by_the_file_and_nothing_is_charged)
{
    write_file("lacks.csv", "age,who\n1,P1\n");
    write_file("more.csv", "age,who,town,pay\n1,P1,Ayr,2\n");
    write_file("other.csv", "age,who,city\n1,P1,Ayr\n");
    expect_refused("a.csv,lacks.csv,c.csv", SBL_EINPUT, "lacks.csv has no column 'town'");
    expect_refused("a.csv,c.csv,more.csv", SBL_EINPUT, "more.csv has more columns than");
    expect_refused("a.csv,other.csv", SBL_EINPUT, "other.csv has no column 'town'");
    expect_refused("other.csv,a.csv", SBL_EINPUT, "column 3 is missing");
    expect_refused("a.csv,c.csv,a.csv", SBL_EARG, "a.csv is in the list of files twice");
    assert_int_equal(link(at("a.csv"), at("again.csv")), 0);
    expect_refused("a.csv,again.csv", SBL_EARG, "again.csv is in the list of files twice");
    expect_refused("a.csv,nothing.csv", SBL_EIO, "nothing.csv");
    assert_int_equal(mkfifo(at("pipe.csv"), 0600), 0);
    expect_refused("a.csv,pipe.csv", SBL_EARG, "pipe.csv is a stream");
}

/* Reads to the end. */
static sbl_status read_all(sbl_source *source, sbl_error *err)
{
    const sbl_records *batch;
    sbl_status status;
    do status = sbl_source_read(source, &batch, err);
    while (status == SBL_OK && batch->rows > 0);
    return status;
}

TEST(file_that_changes_between_two_readings_is_noticed)
{
    sbl_schema *schema = NULL;
    sbl_data *data = NULL;
    sbl_source *source = NULL;
    sbl_facts facts = {0};
    sbl_error err = {0};
    must(sbl_schema_from_file(&schema, at("schema.json"), false, &err), &err);
    must(sbl_facts_of_table(&facts, schema, &err), &err);
    must(sbl_data_open(&data, list_of("a.csv,b.csv,c.csv"), NULL, &err), &err);
    must(sbl_source_open(&source, data, &facts, NULL, NULL, &err), &err);
    must(read_all(source, &err), &err);
    must(sbl_source_rewind(source, &err), &err);
    must(read_all(source, &err), &err);
    write_rows("c.csv", 99, ROWS, true);
    assert_int_equal(sbl_source_rewind(source, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "c.csv"));
    sbl_source_close(source);
    sbl_data_free(data);
    sbl_facts_clear(&facts);
}
