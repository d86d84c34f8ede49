/* SPDX-License-Identifier: Apache-2.0 */
/* Discovering a schema through the public API, with a fixed key: neighbouring tables, whose releases may
 * differ by what was charged and by nothing else; a run that was stopped and goes on; a whole job
 * without a schema. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/certificate/certificate_content.h"
#include "public/schema/schema_type.h"
#include "support/by_path.h"
#include "support/key_test.h"
#include "support/run_kit.h"

enum { ROWS = 3000, STEPS = 4 };

/* Row `which` is `raw` instead, or is not there where raw is NULL. Ids are all different. */
static void write_table(const char *name, size_t which, const char *raw)
{
    static const char *const towns[] = {"Ayr", "Bath, old", "Cork", "Derry", "NA"};
    FILE *file = create(name);
    (void)fputs("id,age,pay,town,sick,born,empty,seen,post\n", file);
    for (size_t r = 0; r < ROWS; r++) {
        const size_t age = 20 + r * 37 % 61;
        if (r != which)
            (void)fprintf(file, "p%zu,%zu,%zu.%02zu,\"%s\",%s,19%02zu-0%zu-15,,%zu/%zu/20%02zu,0%zu\n", r,
                          age, age * age % 999, r % 100, towns[r % 5], age > 60 ? "true" : "false",
                          40 + age / 2, 1 + r % 9, 1 + r % 12, 1 + 5 * r % 28, 10 + r % 9, 1230 + r % 7);
        else if (raw != NULL)
            (void)fprintf(file, "%s\n", raw);
    }
    (void)fclose(file);
}

static sbl_synth_options options_of(sbl_neighbours neighbours)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.epsilon = 20;
    options.neighbours = neighbours;
    options.threads = 2;
    return options;
}

/* Of the table at a path. */
static sbl_status try_discover(const char *input, bool resume, const char *output,
                               const sbl_synth_options *options, sbl_error *err)
{
    sbl_data *data = NULL;
    must(sbl_data_open(&data, input, NULL, err), err);
    const sbl_status status = sbl_schema_discover(NULL, data, output, resume, options, err);
    sbl_data_free(data);
    return status;
}

static void discover(const char *table, const char *output, sbl_neighbours neighbours)
{
    sbl_error err = {0};
    const sbl_synth_options options = options_of(neighbours);
    sbl_test_key_set(100);
    must(try_discover(at(table), false, at(output), &options, &err), &err);
}

static sbl_schema *read_schema(const char *name)
{
    sbl_schema *schema;
    sbl_error err = {0};
    must(sbl_schema_read(&schema, at(name), &err), &err);
    return schema;
}

TEST(the_schema_is_that_of_the_table)
{
    write_table("t.csv", ROWS, NULL);
    discover("t.csv", "s.json", SBL_ADD_REMOVE);
    sbl_schema *s = read_schema("s.json");
    assert_int_equal(s->column_count, 9);
    assert_string_equal(s->columns[2].name, "pay");
    /* Ids: no text is frequent, so that there is one category for all. */
    assert_int_equal(s->columns[0].categories.count, 1);
    assert_string_equal(s->columns[0].categories.items[0], "other");
    assert_int_equal(s->columns[1].type, SBL_TYPE_INTEGER);
    assert_true(s->columns[1].minimum <= 20 && s->columns[1].maximum >= 80);
    assert_true(s->columns[1].minimum >= 0 && s->columns[1].maximum <= 128);
    assert_int_equal(s->columns[2].type, SBL_TYPE_NUMBER);
    assert_int_equal(s->columns[2].decimals, 2);
    assert_int_equal(s->columns[3].categories.count, 4);
    assert_string_equal(s->columns[3].categories.items[1], "Bath, old");
    assert_true(s->columns[3].missing_allowed && !s->columns[1].missing_allowed);
    assert_string_equal(s->columns[3].missing_values.items[0], "NA");
    assert_int_equal(s->columns[4].type, SBL_TYPE_BOOLEAN);
    assert_int_equal(s->columns[5].type, SBL_TYPE_DATE);
    /* Nothing but missing values: texts, of which there are none. */
    assert_int_equal(s->columns[6].type, SBL_TYPE_STRING);
    assert_true(s->columns[6].missing_allowed);
    /* Dates in their own way of writing, and codes with their zeros. */
    assert_int_equal(s->columns[7].type, SBL_TYPE_DATE);
    assert_string_equal(s->columns[7].format, "%m/%d/%Y");
    assert_true(s->columns[7].minimum <= 14610 + 31 && s->columns[7].maximum >= 17532);
    assert_int_equal(s->columns[8].type, SBL_TYPE_STRING);
    assert_string_equal(s->columns[8].categories.items[0], "01230");
    sbl_schema_free(s);
}

/* Every public byte but the names of the run must agree, for rows that would be the new largest, a
 * new category, another type, or bytes of no kind. */
TEST(neighbours_differ_by_what_was_charged)
{
    static const char *const rows[] = {"pX,9999999,1e30,Zurich,maybe,9999-12-31,x,31/12/2099,7",
                                       "p1,020,1.00,Ayr,1/2/2024,1/2/2024,,1/2/2024,1/2/24",

                                       "\"",
                                       "",
                                       ",,,,,,,,",
                                       "p1,20,1.00,Ayr,true,1950-01-15,,01/02/2010,01230",
                                       "\xff\xfe,-5,-0.001,\xc3,TRUE,0001-01-01,a,b,c,d"};
    static const sbl_neighbours relations[] = {SBL_REPLACE_ONE, SBL_ADD_REMOVE};
    for (size_t n = 0; n < 2; n++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            temp_folder_remove(folder);
            temp_folder_make(folder);
            /* An open quote would take in the rest of the file: one that is closed here. */
            const char *raw = strcmp(rows[i], "\"") == 0 ? "\"a\"\"\nb\"c,1" : rows[i];
            write_table("a.csv", ROWS, NULL);
            write_table("b.csv", 17, relations[n] == SBL_REPLACE_ONE || i % 2 == 0 ? raw : NULL);
            if (relations[n] == SBL_ADD_REMOVE) write_table("b.csv", 17, NULL);
            discover("a.csv", "a.json", relations[n]);
            discover("b.csv", "b.json", relations[n]);
            for (size_t step = 1; step <= STEPS; step++) {
                replayed runs[2];
                char what[64];
                (void)snprintf(what, sizeof what, "row %zu, step %zu", i, step);
                load_run(&runs[0], "a.csv", "a.json", step);
                load_run(&runs[1], "b.csv", "b.json", step);
                assert_true(runs[0].charge.delta == runs[1].charge.delta);
                assert_true((step == STEPS) == (runs[0].charge.delta != 0));
                /* The noise of keys is in the order of the keys: those before "p..." and after do
                 * not share it where one comes or goes. Their names, all public bytes, agree. */
                if (step == STEPS)
                    assert_memory_equal(runs[0].head, runs[1].head, runs[0].head_size);
                else
                    (void)replayed_compare(&runs[0], &runs[1], what);
                replayed_clear(&runs[0]);
                replayed_clear(&runs[1]);
            }
            replayed_ledgers_agree(at("a.csv.ledger"), at("b.csv.ledger"), "ledgers");
        }
}

TEST(origin_names_the_releases)
{
    write_table("t.csv", ROWS, NULL);
    discover("t.csv", "s.json", SBL_REPLACE_ONE);
    json_t *root = json_load_file(at("s.json"), 0, NULL);
    const json_t *origin = json_object_get(json_object_get(root, "semblance"), "origin");
    assert_int_equal(json_array_size(json_object_get(origin, "releases")), STEPS);
    json_decref(root);
}

/* The certificate's text with one field of the block of keys set to value, and a digest that fits. */
static sbl_status check_changed(const char *text, const char *field, json_t *value, sbl_error *err)
{
    char digest[SBL_SHA256_TEXT_SIZE];
    json_t *root = json_loads(text, 0, NULL);
    json_t *mechanism = json_array_get(json_object_get(root, "mechanisms"), STEPS - 1);
    json_t *block = json_array_get(json_object_get(mechanism, "blocks"), 0);
    json_t *place = strcmp(field, "delta") == 0 || strcmp(field, "draws") == 0 ? mechanism : block;
    assert_non_null(json_object_get(place, field));
    assert_int_equal(json_object_set_new(place, field, value), 0);
    (void)json_object_del(root, "digest");
    assert_int_equal(sbl_certificate_digest(digest, root, NULL), SBL_OK);
    assert_int_equal(json_object_set_new(root, "digest", json_string(digest)), 0);
    char *changed = json_dumps(root, JSON_INDENT(2));
    const sbl_status status = sbl_certificate_check(NULL, changed, strlen(changed), NULL, "c.json", err);
    free(changed);
    json_decref(root);
    return status;
}

/* What the certificate says of keys follows from survival_bits, and nothing of it can be changed. */
TEST(certificate_of_keys_holds)
{
    static const struct {
        const char *field;
        const char *text; /* NULL: the number */
        json_int_t number;
        const char *said;
    } changes[] = {
        {"survival_bits", NULL, 9, "survival_bits"},
        {"survival_bits", NULL, 97, "survival_bits"},
        {"survival_bits", NULL, 20, ""},
        {"width", NULL, (json_int_t)1 << 29, "width"},
        {"width", NULL, 1000, ""},
        {"multiplier", "0", 0, "multiplier"},
        {"bound2", "0", 0, "bound2"},
        {"bound2", "268435457", 0, "bound2"},
        {"name", "counts", 0, "survival_bits"},
        {"delta", "0", 0, "delta"},
        {"draws", "58", 0, "draws"},
    };
    write_table("t.csv", ROWS, NULL);
    discover("t.csv", "s.json", SBL_ADD_REMOVE);
    char *text = text_of("s.json.certificate.json");
    assert_int_equal(sbl_certificate_check(NULL, text, strlen(text), NULL, "c.json", NULL), SBL_OK);
    assert_null(strstr(text, "\"categories\""));
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        sbl_error err = {0};
        json_t *value =
            changes[i].text != NULL ? json_string(changes[i].text) : json_integer(changes[i].number);
        assert_int_equal(check_changed(text, changes[i].field, value, &err), SBL_EINPUT);
        if (strstr(err.message, changes[i].said) == NULL) fail_msg("change %zu: %s", i, err.message);
    }
    free(text);
}

/* The run is killed after any of its releases: what is there is not paid for again. */
TEST(stopped_run_goes_on)
{
    sbl_error err = {0};
    const sbl_synth_options options = options_of(SBL_REPLACE_ONE);
    write_table("t.csv", ROWS, NULL);
    discover("t.csv", "s.json", SBL_REPLACE_ONE);
    char *before = text_of("s.json");
    (void)remove(at("s.json.release.4"));
    (void)remove(at("s.json.release.3"));
    (void)remove(at("s.json"));
    sbl_test_key_set(102); /* the keys that the third and fourth release had */
    must(try_discover(at("t.csv"), true, at("s.json"), &options, &err), &err);
    sbl_schema_free(read_schema("s.json"));
    assert_int_equal(totals_of("t.csv").releases, 6);
    /* Facts are those of the first time: only the hashes of the releases may differ. */
    char *after = text_of("s.json");
    assert_int_equal(strlen(before), strlen(after));
    free(before);
    free(after);
    /* With another budget the releases are not those that would be made. */
    write_table("t.csv", 5, "x,1,1,x,true,2000-01-01,");
    (void)remove(at("s.json.release"));
    assert_int_not_equal(try_discover(at("t.csv"), true, at("s.json"), &options, &err), SBL_OK);
}

/* A job without a schema: discovered, written, used, all in one certificate; resumed after any of its
 * releases. */
TEST(whole_job_without_a_schema)
{
    sbl_error err = {0};
    sbl_synth_options options = options_of(SBL_REPLACE_ONE);
    char *statement = NULL;
    options.method = "marginals";
    options.discover_share = 0.5;
    write_table("t.csv", ROWS, NULL);
    sbl_test_key_set(100);
    must(table_run(&statement, at("t.csv"), NULL, at("o.csv"), 0, NULL, &options, &err), &err);
    assert_non_null(strstr(statement, "became nothing: 'id', 'empty' (no text is frequent enough"));
    sbl_free(statement);
    assert_true(exists("o.csv.schema.json") && exists("o.csv.release.5"));
    assert_int_equal(totals_of("t.csv").releases, 5);
    /* From its releases again. */
    must(train_files(at("o.csv.release"), at("m"), &options, &err), &err);
    /* Stopped after the second, and after all but the output. */
    for (size_t kept = 2; kept <= 5; kept += 3) {
        options.overwrite = true;
        for (size_t round = kept + 1; round <= 5; round++) (void)remove(release_of("o.csv", round));
        (void)remove(at("o.csv"));
        must(table_resume(NULL, at("t.csv"), NULL, at("o.csv"), 0, NULL, &options, &err), &err);
        assert_true(exists("o.csv"));
    }
    assert_int_equal(totals_of("t.csv").releases, 8);
    /* With a schema it is another run. */
    assert_int_equal(
        table_resume(NULL, at("t.csv"), at("o.csv.schema.json"), at("o.csv"), 0, NULL, &options, &err),
        SBL_EARG);
}

/* Refused before anything is charged: no ledger is made. */
TEST(what_cannot_work_costs_nothing)
{
    sbl_error err = {0};
    sbl_synth_options options = options_of(SBL_REPLACE_ONE);
    write_table("t.csv", ROWS, NULL);
    options.epsilon = 0.05;
    assert_int_equal(try_discover(at("t.csv"), false, at("s.json"), &options, &err), SBL_EBUDGET);
    assert_non_null(strstr(err.message, "rows"));
    options.epsilon = 1;
    assert_int_equal(try_discover("-", false, at("s.json"), &options, &err), SBL_EARG);
    options.pure = true;
    options.method = "marginals";
    assert_int_equal(table_run(NULL, at("t.csv"), NULL, at("s.json"), 0, NULL, &options, &err), SBL_EARG);
    assert_false(exists("t.csv.ledger"));
}

EACH_TEST(make_folder, remove_folder)
