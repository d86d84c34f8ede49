/* SPDX-License-Identifier: Apache-2.0 */
/* Linked tables through a whole run: plan, fit, health, certificate, and what is refused. */
#include <stdio.h>
#include <string.h>

#include "semblance/audit.h"
#include "semblance/data.h"
#include "semblance/options.h"
#include "semblance/schema.h"
#include "semblance/synthesizer.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

FREES(sbl_free);
FREES(sbl_data_free);
FREES(sbl_synthesizer_free);

/* Towns are public; the schema of drugs stands in a file of its own. */
static const char package[] = JSON({"resources":[{"name":"towns","path":"towns.csv",
    "semblance":{"public":true},
    "dialect":{"delimiter":";"},"schema":{"primaryKey":"town","fields":[{"name":"town","type":"string"},
    {"name":"size","type":"integer"}]}},{"name":"persons","schema":{"primaryKey":"id",
    "foreignKeys":[{"fields":"town","reference":{"resource":"towns","fields":"town"}}],
    "fields":[{"name":"id"},{"name":"town","type":"string","constraints":{"required":true}}]}},
    {"name":"visits","schema":{"primaryKey":"visit","foreignKeys":[{"fields":"person",
    "reference":{"resource":"persons","fields":"id"}}],"fields":[{"name":"visit"},{"name":"person"},
    {"name":"day","type":"integer","constraints":{"minimum":0,"maximum":100,"required":true}},
    {"name":"ward","type":"boolean"}],"semblance":{"order":"day","max_rows_per_unit":5}}},
    {"name":"drugs","schema":"drugs.json"}]});
static const char drugs_schema[] =
    "{\"foreignKeys\":[{\"fields\":\"visit\",\"reference\":{\"resource\":\"visits\",\"fields\":"
    "\"visit\"}}],\"fields\":[{\"name\":\"visit\"},{\"name\":\"drug\",\"type\":\"string\","
    "\"constraints\":{\"enum\":[\"a\",\"b\",\"c\"]}}],\"semblance\":{\"max_rows_per_unit\":9}}";

static const char *const names[] = {"persons", "visits", "drugs"};
enum { PERSONS = 400 };

static char folder[256];
static sbl_schema *schema;

static FILE *begin(const char *name)
{
    FILE *file = fopen(in_folder(folder, name), "w");
    assert_non_null(file);
    return file;
}

static void put(const char *name, const char *text)
{
    FILE *file = begin(name);
    (void)fputs(text, file);
    (void)fclose(file);
}

static int set_up(void **state)
{
    sbl_error err = {0};
    (void)state;
    temp_folder_make(folder);
    put("towns.csv", "size;town\n3;Ulm\n\n1; Bonn \n2;Kiel\n");
    put("drugs.json", drugs_schema);
    put("dp.json", package);
    assert_ok_or_say(sbl_schema_from_file(&schema, in_folder(folder, "dp.json"), false, &err));
    return 0;
}

AROUND(tear_down)
{
    sbl_schema_free(schema);
    temp_folder_remove(folder);
}

ALL_TESTS(set_up, tear_down)

/* wards: what stands in that column. */
static sbl_data *make_data(const char *ward)
{
    FILE *files[] = {begin("persons"), begin("visits"), begin("drugs")};
    sbl_data *tables[3], *data;
    sbl_error err = {0};
    (void)fputs("id,town\n", files[0]);
    (void)fputs("visit,person,day,ward\n", files[1]);
    (void)fputs("visit,drug\n", files[2]);
    for (int p = 0; p < PERSONS; p++) {
        (void)fprintf(files[0], "%d,%s\n", p, p % 3 == 0 ? "Ulm" : p % 3 == 1 ? "Bonn" : "Kiel");
        for (int v = 0; v < p % 4; v++) {
            (void)fprintf(files[1], "%d,%d,%d,%s\n", 10 * p + v, p, (p * 7 + v * 20) % 100, ward);
            for (int d = 0; d <= v % 2; d++)
                (void)fprintf(files[2], "%d,%c\n", 10 * p + v, "abc"[(p + d) % 3]);
        }
    }
    for (size_t i = 0; i < 3; i++) {
        (void)fclose(files[i]);
        assert_ok(sbl_data_open(&tables[i], in_folder(folder, names[i]), NULL, &err));
    }
    assert_ok_or_say(sbl_data_link(&data, tables, names, 3, NULL, &err));
    for (size_t i = 0; i < 3; i++) sbl_data_free(tables[i]);
    return data;
}

static sbl_synth_options some_options(void)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.epsilon = 20.0;
    options.delta = 1e-6;
    options.expected_rows = 4 * PERSONS;
    return options;
}

TEST(look_ups_and_schemas_are_read_from_their_files)
{
    static const char *const wanted[] = {"Ulm", "Bonn", "Kiel"};
    sbl_schema_column city = {.struct_size = sizeof city};
    assert_int_equal(sbl_schema_get_column(schema, &city, 1, NULL), SBL_OK);
    assert_int_equal(city.category_count, 3);
    for (size_t i = 0; i < 3; i++) assert_string_equal(city.categories[i], wanted[i]);
}

static void refuse_file(const char *name, const char *text, const char *message)
{
    sbl_schema *other;
    sbl_error err = {0};
    put(name, text);
    assert_int_equal(sbl_schema_from_file(&other, in_folder(folder, "dp.json"), false, &err), SBL_EINPUT);
    assert_null(other);
    if (strstr(err.message, message) == NULL) fail_msg("got '%s'", err.message);
}

TEST(bad_look_ups_are_refused)
{
    refuse_file("towns.csv", "size;name\n3;Ulm\n", "column 'town' is missing from the header");
    refuse_file("towns.csv", "size;town\n", "the public table has no keys");
    refuse_file("towns.csv", "size;town\n3;Ulm\n4;Ulm\n", "column 'town' lists a category twice");
    put("towns.csv", "size;town\n3;Ulm\n\n1; Bonn \n2;Kiel\n");
    refuse_file("drugs.json", "{", "drugs.json");
    put("drugs.json", drugs_schema);
}

TEST(a_plan_says_what_is_kept)
{
    const sbl_synth_options options = some_options();
    FREED(sbl_free) char *text;
    sbl_error err = {0};
    assert_ok_or_say(sbl_synthesizer_plan(&text, schema, NULL, 400, false, &options, &err));
    assert_non_null(strstr(text, "method     histories, chosen by auto"));
    assert_non_null(strstr(text, "rows that enter are kept: a person takes"));
    assert_non_null(strstr(text, "persons    400, with their child rows"));
}

TEST(linked_tables_are_fitted)
{
    const sbl_synth_options options = some_options();
    sbl_synthesizer_facts facts = {.struct_size = sizeof facts};
    FREED(sbl_data_free) sbl_data *data = make_data("true");
    FREED(sbl_synthesizer_free) sbl_synthesizer *synth;
    sbl_error err = {0};
    assert_ok(sbl_synthesizer_new(&synth, &err));
    assert_ok_or_say(sbl_synthesizer_fit(synth, data, schema, &options, &err));
    assert_ok(sbl_synthesizer_get_facts(synth, &facts, &err));
    assert_int_equal(facts.releases, 2);
    assert_true(facts.rows > PERSONS - 50 && facts.rows < PERSONS + 50);
    const char *certificate = sbl_synthesizer_text(synth, SBL_TEXT_CERTIFICATE);
    assert_non_null(strstr(certificate, "by which keys they are linked"));
    assert_non_null(strstr(certificate, "visits.ward"));
}

/* Of every person with visits all cells of a column are wrong: more than half of those who have any. */
TEST(a_column_that_does_not_fit_stops_the_run_by_its_name)
{
    const sbl_synth_options options = some_options();
    FREED(sbl_data_free) sbl_data *data = make_data("maybe");
    FREED(sbl_synthesizer_free) sbl_synthesizer *synth;
    sbl_error err = {0};
    assert_ok(sbl_synthesizer_new(&synth, &err));
    assert_int_equal(sbl_synthesizer_fit(synth, data, schema, &options, &err), SBL_EINPUT);
    if (strstr(err.message, "visits.ward") == NULL) fail_msg("got '%s'", err.message);
}

static void refuse(sbl_data *data, const sbl_schema *own, const sbl_synth_options *options,
                   const char *message)
{
    FREED(sbl_synthesizer_free) sbl_synthesizer *synth;
    sbl_error err = {0};
    assert_ok(sbl_synthesizer_new(&synth, &err));
    assert_int_equal(sbl_synthesizer_fit(synth, data, own, options, &err), SBL_EARG);
    if (strstr(err.message, message) == NULL) fail_msg("got '%s'", err.message);
}

TEST(what_linked_tables_cannot_have_is_refused_by_name)
{
    sbl_synth_options options = some_options();
    sbl_data *data = make_data("true"), *one;
    sbl_schema *single;
    sbl_error err = {0};
    static const char table[] = "{\"fields\":[{\"name\":\"ward\",\"type\":\"boolean\"}]}";
    options.method = "pairs";
    refuse(data, schema, &options, "method 'pairs' makes one table");
    options.method = NULL;
    options.pure = true;
    options.delta = 0;
    options.expected_rows = 0;
    refuse(data, schema, &options, "a pure guarantee");
    options = some_options();
    assert_ok(sbl_options_set(&options, "histories", "off", &err));
    refuse(data, schema, &options, "leave out 'histories off'");
    options = some_options();
    refuse(data, NULL, &options, "linked tables need a package");
    assert_ok(sbl_data_open(&one, in_folder(folder, "visits"), NULL, &err));
    refuse(one, schema, &options, "is a single table, but the schema describes linked tables");
    assert_ok(sbl_schema_from_json(&single, table, strlen(table), NULL, &err));
    refuse(data, single, &options, "holds linked tables, but the schema describes a single table");
    sbl_audit_options audit;
    sbl_audit_verdict verdict;
    sbl_audit_options_init(&audit);
    audit.data = data;
    audit.schema = schema;
    assert_int_equal(sbl_audit_run(&verdict, NULL, &audit, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "not linked tables"));
    sbl_schema_free(single);
    sbl_data_free(one);
    sbl_data_free(data);
}

TEST(each_table_is_checked_by_itself)
{
    FREED(sbl_data_free) sbl_data *data = make_data("maybe");
    FREED(sbl_free) char *text;
    sbl_error err = {0};
    assert_ok_or_say(sbl_schema_check(&text, schema, data, &err));
    assert_non_null(strstr(text, "table visits: its rows refer to those of persons\n"));
    assert_non_null(strstr(text, "table drugs: its rows refer to those of visits\n"));
    assert_non_null(strstr(text, "NOT PRIVATE"));
    assert_non_null(strstr(text, "ward"));
}
