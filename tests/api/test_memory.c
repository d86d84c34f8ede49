/* SPDX-License-Identifier: Apache-2.0 */
/* The whole job in memory: the same table as a file, as an Arrow stream and as typed buffers gives the same releases
 * bit for bit (with a fixed key); what was stopped goes on without paying again; what is drawn is the same whichever
 * way it is taken; what a handle hands out is what a verifier accepts. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/memory_kit.h"
#include "base/alloc.h"
#include "base/file.h"
#include "door/release/release.h"
#include "public/schema/schema_type.h"
#include "semblance/certificate.h"
#include "semblance/ledger.h"
#include "semblance/synthesizer.h"
#include "support/arrow_kit.h"
#include "support/by_path.h"
#include "support/cmocka_all.h"
#include "support/key_test.h"
#include "support/one_folder.h"
#include "support/option_kit.h"

FREES(sbl_schema_builder_free);
FREES(sbl_data_free);

#define ROWS 400
#define COLUMNS 5

static char csv_path[300];
static char schema_path[300];
static const char schema_json[] = JSON({"fields":[{"name":"age","type":"integer","constraints":{"minimum":0,
    "maximum":100,"required":true}},
    {"name":"pay","type":"number","constraints":{"minimum":0,"maximum":900},"semblance":{"decimals":2}},
    {"name":"town","type":"string","constraints":{"enum":["Ayr","Bath, old","Cork"]}},{"name":"since",
    "type":"date","constraints":{"minimum":"2020-01-01","maximum":"2024-12-31","required":true}},
    {"name":"sick","type":"boolean","constraints":{"required":true}}],"missingValues":[""],
    "semblance":{"label":"sick","task":"classification"}});

/* The table in all its forms. */
static kit_cell cells[COLUMNS][ROWS];
static int32_t ages[ROWS];
static double pays[ROWS];
static uint8_t no_pay[ROWS];
static const char *towns[ROWS];
static int32_t days[ROWS];
static uint8_t sick[ROWS];
static const kit_column columns[COLUMNS] = {{.name = "age", .format = "s", .cells = cells[0]},
                                            {.name = "pay", .format = "g", .cells = cells[1]},
                                            {.name = "town", .format = "vu", .cells = cells[2]},
                                            {.name = "since", .format = "tdD", .cells = cells[3]},
                                            {.name = "sick", .format = "b", .cells = cells[4]}};
static kit_table table = {
    .columns = columns, .column_count = COLUMNS, .rows = ROWS, .chunk = 77, .offset = 3};

static void fill_table(void)
{
    static const char *const names[] = {"Ayr", "Bath, old", "Cork", NULL, "Ayr", "Dover"};
    for (int r = 0; r < ROWS; r++) {
        ages[r] = (r * 7) % 104;
        pays[r] = r * 31 % 950 + r % 4 * 0.25;
        no_pay[r] = r % 9 == 0;
        towns[r] = names[r * 5 % 6];
        days[r] = 18262 + r * 11 % 1800;
        sick[r] = r % 3 == 0;
        cells[0][r].whole = ages[r];
        cells[1][r] = (kit_cell){.number = pays[r], .null = no_pay[r] != 0};
        cells[2][r] = (kit_cell){.text = towns[r], .null = towns[r] == NULL};
        cells[3][r].whole = days[r];
        cells[4][r].whole = sick[r];
    }
}

static void write_text(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Days since 1970 as the calendar has them: by counting. */
static void write_date(FILE *file, int day)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = 1970, month = 0;
    for (;;) {
        const int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        const int length = lengths[month] + (month == 1 ? leap : 0);
        if (day < length) break;
        day -= length;
        month = (month + 1) % 12;
        year += month == 0;
    }
    (void)fprintf(file, "%04d-%02d-%02d", year, month + 1, day + 1);
}

static void write_csv(void)
{
    FILE *file = fopen(csv_path, "w");
    assert_non_null(file);
    (void)fputs("age,pay,town,since,sick\n", file);
    for (int r = 0; r < ROWS; r++) {
        (void)fprintf(file, "%d,", ages[r]);
        if (!no_pay[r]) (void)fprintf(file, "%.2f", pays[r]);
        (void)fprintf(file, ",\"%s\",", towns[r] != NULL ? towns[r] : "");
        write_date(file, days[r]);
        (void)fprintf(file, ",%s\n", sick[r] ? "true" : "false");
    }
    assert_int_equal(fclose(file), 0);
}

AROUND(setup)
{
    temp_folder_make(folder);
    (void)snprintf(csv_path, sizeof csv_path, "%s", in_folder(folder, "table.csv"));
    (void)snprintf(schema_path, sizeof schema_path, "%s", in_folder(folder, "schema.json"));
    fill_table();
    write_csv();
    write_text(schema_path, schema_json, strlen(schema_json));
}

static sbl_schema *make_schema(void)
{
    sbl_schema *schema;
    OK(sbl_schema_from_json(&schema, schema_json, strlen(schema_json), NULL, err));
    return schema;
}

static sbl_data *arrow_data(void)
{
    sbl_data *data;
    OK(kit_data_opened(&data, kit_open, &table, err));
    return data;
}

/* In batches of different sizes, an empty one among them. */
static sbl_data *typed_data(void)
{
    sbl_data *data;
    static const size_t ends[] = {1, 1, 100, 333, ROWS};
    size_t first = 0;
    OK(sbl_data_new(&data, "patients", err));
    for (size_t b = 0; b < sizeof ends / sizeof ends[0]; b++) {
        sbl_values values[COLUMNS];
        for (size_t i = 0; i < COLUMNS; i++) sbl_values_init(&values[i]);
        values[0] = (sbl_values){sizeof values[0], "age", SBL_VALUES_INT32, ages + first, NULL};
        values[1] = (sbl_values){sizeof values[0], "pay", SBL_VALUES_DOUBLE, pays + first, no_pay + first};
        values[2] = (sbl_values){sizeof values[0], "town", SBL_VALUES_TEXT, towns + first, NULL};
        values[3] = (sbl_values){sizeof values[0], "since", SBL_VALUES_DATE, days + first, NULL};
        values[4] = (sbl_values){sizeof values[0], "sick", SBL_VALUES_BOOL, sick + first, NULL};
        OK(sbl_data_append(data, values, COLUMNS, ends[b] - first, err));
        first = ends[b];
    }
    return data;
}

static sbl_synth_options options_of(const char *method)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.method = method;
    options.epsilon = 3;
    options.threads = 1;
    const bool merf = method != NULL && strcmp(method, "merf") == 0;
    if (merf) give(&options, "features", "64");
    if (merf || (method != NULL && strcmp(method, "hp") == 0)) {
        give(&options, "steps", "10");
        give(&options, "batch", "20");
        give(&options, "hidden", "16");
    }
    return options;
}

/* ---- the same releases ---- */

static void assert_same_release(const uint8_t *bytes, size_t size, const char *path)
{
    sbl_release *ours, *theirs;
    OK(sbl_release_decode(&ours, bytes, size, "memory", err));
    OK(sbl_release_load(&theirs, sbl_file_item(path), err));
    assert_int_equal(ours->value_count, theirs->value_count);
    assert_memory_equal(ours->values, theirs->values, ours->value_count * sizeof *ours->values);
    assert_string_equal(ours->plan, theirs->plan);
    sbl_release_free(ours);
    sbl_release_free(theirs);
}

static void fit_of_file(const char *method, const char *model, const char *release)
{
    sbl_synth_options options = options_of(method);
    char certificate[320], ledger[320];
    (void)snprintf(certificate, sizeof certificate, "%s.certificate", release);
    (void)snprintf(ledger, sizeof ledger, "%s.l", release);
    sbl_ledger_options book;
    sbl_ledger_options_init(&book);
    OK(sbl_ledger_init(ledger, &book, err));
    options.release_path = release;
    options.certificate_path = certificate;
    options.ledger_path = ledger;
    sbl_test_key_set(5);
    OK(table_fit(NULL, csv_path, schema_path, model, &options, err));
}

static void same_sums_for(const char *method, const char *tag)
{
    char model[300], release[300], name[40];
    sbl_schema *schema = make_schema();
    sbl_data *forms[] = {arrow_data(), typed_data(), NULL};
    struct ArrowArrayStream stream;
    const sbl_synth_options options = options_of(method);
    (void)snprintf(name, sizeof name, "model-%s", tag);
    (void)snprintf(model, sizeof model, "%s", in_folder(folder, name));
    (void)snprintf(name, sizeof name, "release-%s", tag);
    (void)snprintf(release, sizeof release, "%s", in_folder(folder, name));
    fit_of_file(method, model, release);
    (void)kit_open(&table, &stream);
    OK(kit_data_once(&forms[2], &stream, true, err));
    assert_null(stream.release);
    for (size_t f = 0; f < 3; f++) {
        sbl_synthesizer *synth;
        OK(sbl_synthesizer_new(&synth, err));
        sbl_test_key_set(5);
        OK(sbl_synthesizer_fit(synth, forms[f], schema, &options, err));
        assert_true(kit_facts(synth).releases >= 1);
        for (size_t i = 0; i < kit_facts(synth).releases; i++) {
            uint8_t *bytes;
            size_t size;
            char path[360];
            (void)snprintf(path, sizeof path, i == 0 ? "%s" : "%s.%zu", release, i + 1);
            OK(sbl_synthesizer_release(synth, &bytes, &size, i, err));
            assert_same_release(bytes, size, path);
            sbl_free(bytes);
        }
        sbl_synthesizer_free(synth);
        sbl_data_free(forms[f]);
    }
    sbl_schema_free(schema);
    assert_int_equal(kit_alive, 0);
    assert_int_equal(leftovers(), 0);
}

TEST(every_form_gives_the_same_releases)
{
    same_sums_for("pairs", "pairs");
    same_sums_for("marginals", "marginals");
    same_sums_for("merf", "merf");
    same_sums_for("hp", "hp");
}

/* ---- what a handle holds ---- */

static sbl_synthesizer *fitted(sbl_data *data, const sbl_synth_options *options)
{
    sbl_synthesizer *synth;
    sbl_schema *schema = make_schema();
    OK(sbl_synthesizer_new(&synth, err));
    OK(sbl_synthesizer_fit(synth, data, schema, options, err));
    sbl_schema_free(schema);
    return synth;
}

TEST(what_is_held_verifies)
{
    const sbl_synth_options options = options_of("pairs");
    sbl_data *data = typed_data();
    sbl_synthesizer *synth = fitted(data, &options), *again;
    sbl_guarantee facts = {.struct_size = sizeof facts};
    sbl_synthesizer_facts model_facts = {.struct_size = sizeof model_facts};
    char *statement, *html;
    char paths[4][320];
    const char *releases[8];
    char release_names[8][360];
    uint8_t *bytes;
    size_t size;
    sbl_certificate_files files;
    static const char *const names[] = {"h.json", "h.ledger", "h.model", "h.release"};
    for (size_t i = 0; i < 4; i++)
        (void)snprintf(paths[i], sizeof paths[i], "%s", in_folder(folder, names[i]));
    write_text(paths[0], sbl_synthesizer_text(synth, SBL_TEXT_CERTIFICATE),
               strlen(sbl_synthesizer_text(synth, SBL_TEXT_CERTIFICATE)));
    write_text(paths[1], sbl_synthesizer_text(synth, SBL_TEXT_LEDGER),
               strlen(sbl_synthesizer_text(synth, SBL_TEXT_LEDGER)));
    OK(sbl_synthesizer_save(synth, NULL, NULL, paths[2], false, err));
    REFUSED(SBL_EIO, "exists already", sbl_synthesizer_save(synth, NULL, NULL, paths[2], false, err));
    const size_t count = kit_facts(synth).releases;
    for (size_t i = 0; i < count; i++) {
        OK(sbl_synthesizer_release(synth, &bytes, &size, i, err));
        (void)snprintf(release_names[i], sizeof release_names[i], "%s.%zu", paths[3], i);
        releases[i] = release_names[i];
        write_text(releases[i], bytes, size);
        sbl_free(bytes);
    }
    sbl_certificate_files_init(&files);
    files.ledger = paths[1];
    files.model = paths[2];
    files.releases = releases;
    files.release_count = count;
    OK(sbl_certificate_verify(&statement, paths[0], &files, err));
    assert_string_equal(statement, sbl_synthesizer_text(synth, SBL_TEXT_STATEMENT));
    sbl_free(statement);
    OK(sbl_certificate_read(&facts, &statement, sbl_synthesizer_text(synth, SBL_TEXT_CERTIFICATE),
                            strlen(sbl_synthesizer_text(synth, SBL_TEXT_CERTIFICATE)), err));
    sbl_free(statement);
    assert_false(facts.holds); /* a test key */
    assert_true(facts.run_only);
    assert_int_equal(facts.releases, count);
    assert_int_equal(facts.n, ROWS);
    assert_string_equal(facts.method, "pairs");
    assert_false(facts.images);
    const sbl_report_options page = {.struct_size = sizeof page, .synth = synth, .title = "A title"};
    OK(sbl_report(&html, &page, err));
    assert_non_null(strstr(html, "A title"));
    assert_null(strstr(html, "NOT PRIVATE</")); /* the certificate of a test key says it otherwise */
    sbl_free(html);
    OK(sbl_synthesizer_get_facts(synth, &model_facts, err));
    assert_int_equal(model_facts.rows, ROWS);
    assert_string_equal(model_facts.method, "pairs");
    /* To bytes and back: the same model, with its certificate. */
    OK(sbl_synthesizer_save(synth, &bytes, &size, NULL, false, err));
    OK(sbl_synthesizer_new(&again, err));
    OK(sbl_synthesizer_load(again, bytes, size, NULL, err));
    assert_true(kit_facts(again).has_model);
    assert_non_null(sbl_synthesizer_text(again, SBL_TEXT_CERTIFICATE));
    assert_int_equal(kit_facts(again).releases, 0);
    bytes[size / 2] ^= 1;
    REFUSED(SBL_EINPUT, "the model", sbl_synthesizer_load(again, bytes, size, NULL, err));
    assert_true(kit_facts(again).has_model);
    sbl_free(bytes);
    OK(sbl_synthesizer_load(again, NULL, 0, paths[2], err));
    REFUSED(SBL_EARG, "either bytes or a path",
            sbl_synthesizer_load(again, (const uint8_t *)"x", 1, paths[2], err));
    REFUSED(SBL_EARG, "either bytes or a path",
            sbl_synthesizer_save(again, &bytes, &size, paths[2], true, err));
    assert_null(bytes);
    sbl_schema *schema, *own = make_schema();
    char *json, *own_json;
    OK(sbl_synthesizer_schema(&schema, again, err));
    OK(sbl_schema_as_json(&json, schema, err));
    OK(sbl_schema_as_json(&own_json, own, err));
    assert_string_equal(json, own_json);
    sbl_free(json);
    sbl_free(own_json);
    sbl_schema_free(schema);
    sbl_schema_free(own);
    sbl_synthesizer_free(again);
    sbl_synthesizer_free(synth);
    sbl_data_free(data);
    assert_int_equal(leftovers(), 0);
}

/* ---- ledgers ---- */

TEST(a_ledger_file_is_charged_and_can_refuse)
{
    sbl_synth_options options = options_of("marginals");
    sbl_ledger_options book;
    sbl_ledger *ledger;
    sbl_ledger_summary summary = {.struct_size = sizeof summary};
    sbl_schema *schema = make_schema();
    sbl_data *data = arrow_data();
    sbl_synthesizer *synth;
    char path[320];
    (void)snprintf(path, sizeof path, "%s", in_folder(folder, "shared.ledger"));
    sbl_ledger_options_init(&book);
    book.epsilon = "4";
    book.delta = "1e-05";
    OK(sbl_ledger_init(path, &book, err));
    options.ledger_path = path;
    OK(sbl_synthesizer_new(&synth, err));
    OK(sbl_synthesizer_fit(synth, data, schema, &options, err));
    assert_null(sbl_synthesizer_text(synth, SBL_TEXT_LEDGER));
    assert_non_null(sbl_synthesizer_text(synth, SBL_TEXT_CERTIFICATE));
    REFUSED(SBL_EBUDGET, "ledger", sbl_synthesizer_fit(synth, data, schema, &options, err));
    assert_false(kit_facts(synth).has_model); /* what it held is gone */
    assert_int_equal(kit_facts(synth).releases, 0);
    OK(sbl_ledger_open(&ledger, path, err));
    OK(sbl_ledger_get_summary(ledger, &summary, err));
    assert_int_equal(summary.releases, 1);
    sbl_ledger_close(ledger);
    sbl_synthesizer_free(synth);
    sbl_data_free(data);
    sbl_schema_free(schema);
    assert_int_equal(leftovers(), 0);
}

static sbl_guarantee guarantee_of(const sbl_synthesizer *synth)
{
    sbl_guarantee facts = {.struct_size = sizeof facts};
    const char *text = sbl_synthesizer_text(synth, SBL_TEXT_CERTIFICATE);
    assert_non_null(text);
    OK(sbl_certificate_read(&facts, NULL, text, strlen(text), err));
    return facts;
}

/* Whoever fits a handle again has spent both: the certificate says so, whatever the handle forgot in between. */
TEST(fits_of_one_handle_add_up)
{
    sbl_synth_options options = options_of("marginals"), other = options, files = options;
    sbl_schema *schema = make_schema();
    sbl_data *data = arrow_data();
    sbl_certificate_files beside;
    sbl_ledger *ledger;
    sbl_ledger_summary summary = {.struct_size = sizeof summary};
    char paths[2][320], *statement;
    uint8_t *model;
    size_t size;
    sbl_synthesizer *synth = fitted(data, &options);
    const sbl_guarantee first = guarantee_of(synth);
    assert_true(first.run_only && first.others == 0);
    OK(sbl_synthesizer_save(synth, &model, &size, NULL, false, err));
    OK(sbl_synthesizer_fit(synth, data, schema, &options, err));
    const sbl_guarantee second = guarantee_of(synth);
    assert_true(!second.run_only && second.others == 1 && second.releases == 1);
    /* Refusals, a model from elsewhere: what was spent stays spent. */
    other.epsilon = -1;
    REFUSED(SBL_EARG, "epsilon", sbl_synthesizer_fit(synth, data, schema, &other, err));
    other = options;
    other.neighbours = options.neighbours == SBL_REPLACE_ONE ? SBL_ADD_REMOVE : SBL_REPLACE_ONE;
    REFUSED(SBL_EINPUT, "neighbours", sbl_synthesizer_fit(synth, data, schema, &other, err));
    files.release_path = in_folder(folder, "elsewhere");
    REFUSED(SBL_EARG, "another ledger", sbl_synthesizer_fit(synth, data, schema, &files, err));
    OK(sbl_synthesizer_load(synth, model, size, NULL, err));
    OK(sbl_synthesizer_fit(synth, data, schema, &options, err));
    const sbl_guarantee third = guarantee_of(synth);
    assert_int_equal(third.others, 2);
    for (size_t i = 0; i < 2; i++)
        (void)snprintf(paths[i], sizeof paths[i], "%s", in_folder(folder, i ? "a.ledger" : "a.json"));
    write_text(paths[0], sbl_synthesizer_text(synth, SBL_TEXT_CERTIFICATE),
               strlen(sbl_synthesizer_text(synth, SBL_TEXT_CERTIFICATE)));
    write_text(paths[1], sbl_synthesizer_text(synth, SBL_TEXT_LEDGER),
               strlen(sbl_synthesizer_text(synth, SBL_TEXT_LEDGER)));
    sbl_certificate_files_init(&beside);
    beside.ledger = paths[1];
    OK(sbl_certificate_verify(&statement, paths[0], &beside, err));
    sbl_free(statement);
    OK(sbl_ledger_open(&ledger, paths[1], err));
    OK(sbl_ledger_get_summary(ledger, &summary, err));
    assert_int_equal(summary.releases, 3);
    sbl_ledger_close(ledger);
    sbl_free(model);
    sbl_synthesizer_free(synth);
    sbl_data_free(data);
    sbl_schema_free(schema);
    assert_int_equal(leftovers(), 0);
}

/* Nor beside two releases, where each ledger would be of one run. A fit that was refused binds nobody. */
TEST(fits_beside_two_releases_are_refused)
{
    sbl_synth_options options = options_of("marginals");
    sbl_schema *schema = make_schema();
    sbl_data *data = arrow_data();
    sbl_synthesizer *synth;
    char one[320], two[320];
    (void)snprintf(one, sizeof one, "%s", in_folder(folder, "one"));
    (void)snprintf(two, sizeof two, "%s", in_folder(folder, "two"));
    OK(sbl_synthesizer_new(&synth, err));
    options.release_path = one;
    OK(sbl_synthesizer_fit(synth, data, schema, &options, err));
    options.release_path = two;
    REFUSED(SBL_EARG, "another ledger", sbl_synthesizer_fit(synth, data, schema, &options, err));
    options.release_path = NULL;
    REFUSED(SBL_EARG, "another ledger", sbl_synthesizer_fit(synth, data, schema, &options, err));
    options.release_path = one;
    options.overwrite = true;
    OK(sbl_synthesizer_fit(synth, data, schema, &options, err));
    assert_int_equal(guarantee_of(synth).others, 1);
    sbl_synthesizer_free(synth);
    OK(sbl_synthesizer_new(&synth, err));
    options.overwrite = false;
    REFUSED(SBL_EIO, "exists already", sbl_synthesizer_fit(synth, data, schema, &options, err));
    options.release_path = two;
    OK(sbl_synthesizer_fit(synth, data, schema, &options, err));
    assert_int_equal(guarantee_of(synth).others, 0);
    sbl_synthesizer_free(synth);
    sbl_data_free(data);
    sbl_schema_free(schema);
    assert_int_equal(leftovers(), 0);
}

/* Files that the caller names are written as by a fit of files; what stands beside them from a longer run is no
 * part of a later one. */
TEST(named_files_are_written_too)
{
    sbl_synth_options options = options_of("pairs");
    sbl_schema *schema = make_schema();
    sbl_data *data = typed_data();
    sbl_synthesizer *synth;
    sbl_release *release;
    char release_path[320], certificate_path[320], second[330], *statement;
    (void)snprintf(release_path, sizeof release_path, "%s", in_folder(folder, "named"));
    (void)snprintf(certificate_path, sizeof certificate_path, "%s", in_folder(folder, "named.json"));
    (void)snprintf(second, sizeof second, "%s.2", release_path);
    options.release_path = release_path;
    options.certificate_path = certificate_path;
    options.overwrite = true;
    OK(sbl_synthesizer_new(&synth, err));
    OK(sbl_synthesizer_fit(synth, data, schema, &options, err));
    assert_true(kit_facts(synth).releases > 1);
    assert_null(sbl_synthesizer_text(synth, SBL_TEXT_LEDGER)); /* it stands beside the release */
    OK(sbl_release_load(&release, sbl_file_item(second), err));
    sbl_release_free(release);
    give(&options, "rounds", "1");
    OK(sbl_synthesizer_fit(synth, data, schema, &options, err));
    assert_int_equal(kit_facts(synth).releases, 1);
    OK(sbl_certificate_verify(&statement, certificate_path, NULL, err));
    sbl_free(statement);
    options.overwrite = false;
    REFUSED(SBL_EIO, "exists already", sbl_synthesizer_fit(synth, data, schema, &options, err));
    assert_int_equal(kit_facts(synth).releases, 0); /* they are of another run */
    sbl_synthesizer_free(synth);
    sbl_data_free(data);
    sbl_schema_free(schema);
    assert_int_equal(leftovers(), 0);
}

/* ---- stopping and going on ---- */

TEST(training_that_was_stopped_goes_on)
{
    sbl_synth_options options = options_of("merf");
    stopper s = {.what = "train"};
    sbl_schema *schema = make_schema();
    sbl_data *data = typed_data();
    sbl_synthesizer *synth;
    char *ledger;
    options.progress = stop_at;
    options.context = &s;
    OK(sbl_synthesizer_new(&synth, err));
    REFUSED(SBL_EARG, "no release", sbl_synthesizer_train(synth, &options, err));
    sbl_error why = {0};
    const sbl_status status = sbl_synthesizer_fit(synth, data, schema, &options, &why);
    assert_int_equal(status, SBL_ESTOPPED);
    assert_null(strstr(why.message, "/dev/shm"));
    assert_int_equal(kit_facts(synth).releases, 1);
    assert_false(kit_facts(synth).has_model);
    ledger = strdup(sbl_synthesizer_text(synth, SBL_TEXT_LEDGER));
    options.progress = NULL;
    OK(sbl_synthesizer_train(synth, &options, err));
    assert_true(kit_facts(synth).has_model);
    assert_string_equal(ledger, sbl_synthesizer_text(synth, SBL_TEXT_LEDGER)); /* nothing more was paid */
    free(ledger);
    sbl_synthesizer_free(synth);
    sbl_data_free(data);
    sbl_schema_free(schema);
    assert_int_equal(leftovers(), 0);
}

/* Stopped while records are read for the second release of pairs. */
TEST(a_run_that_was_stopped_between_releases_goes_on)
{
    sbl_synth_options options = options_of("pairs");
    stopper s = {.what = "", .after = 6};
    sbl_schema *schema = make_schema();
    sbl_data *data = arrow_data();
    sbl_synthesizer *synth;
    sbl_error why = {0};
    size_t before;
    options.progress = stop_at;
    options.context = &s;
    OK(sbl_synthesizer_new(&synth, err));
    for (s.after = 0;; s.after++) {
        s.calls = 0;
        const sbl_status status = sbl_synthesizer_fit(synth, data, schema, &options, &why);
        assert_int_equal(status, SBL_ESTOPPED);
        before = kit_facts(synth).releases;
        if (before >= 1) break;
        assert_true(s.after < 50);
    }
    options.progress = NULL;
    OK(sbl_synthesizer_resume(synth, data, schema, &options, err));
    assert_true(kit_facts(synth).has_model);
    assert_true(kit_facts(synth).releases >= before);
    sbl_guarantee facts = {.struct_size = sizeof facts};
    OK(sbl_certificate_read(&facts, NULL, sbl_synthesizer_text(synth, SBL_TEXT_CERTIFICATE),
                            strlen(sbl_synthesizer_text(synth, SBL_TEXT_CERTIFICATE)), err));
    assert_int_equal(facts.releases, kit_facts(synth).releases);
    assert_true(facts.run_only && facts.others == 0); /* still nobody else's ledger */
    sbl_synthesizer_free(synth);
    sbl_data_free(data);
    sbl_schema_free(schema);
    assert_int_equal(kit_alive, 0);
    assert_int_equal(leftovers(), 0);
}

/* ---- drawing ---- */

static char *read_whole(const char *path)
{
    uint8_t *bytes;
    size_t size;
    OK(sbl_file_read(&bytes, &size, path, (size_t)1 << 26, err));
    return (char *)bytes;
}

static int again_as_data(void *context, struct ArrowArrayStream *stream)
{
    sbl_sample_options sample;
    sbl_sample_options_init(&sample);
    sample.rows = 5000;
    sample.seed = 9;
    return kit_sample_stream(context, stream, &sample, NULL) == SBL_OK ? 0 : 1;
}

TEST(rows_are_the_same_however_they_are_taken)
{
    enum { DRAWN = 5000 };
    const sbl_synth_options options = options_of("pairs");
    sbl_data *data = typed_data(), *drawn;
    sbl_synthesizer *synth = fitted(data, &options);
    sbl_sample_options sample;
    struct ArrowArrayStream stream;
    struct ArrowSchema types;
    struct ArrowArray batch;
    static double pay[DRAWN];
    static int64_t age[DRAWN];
    static uint32_t town[DRAWN];
    static int32_t since[DRAWN];
    static uint8_t truth[DRAWN], missing[DRAWN];
    sbl_column_buffer rooms[COLUMNS];
    char path[320];
    size_t row = 0;
    sbl_sample_options_init(&sample);
    sample.rows = DRAWN;
    sample.seed = 9;
    for (size_t i = 0; i < COLUMNS; i++) sbl_column_buffer_init(&rooms[i]);
    rooms[0] = (sbl_column_buffer){sizeof rooms[0], "pay", SBL_VALUES_DOUBLE, pay, missing};
    rooms[1] = (sbl_column_buffer){sizeof rooms[0], "age", SBL_VALUES_INT64, age, NULL};
    rooms[2] = (sbl_column_buffer){sizeof rooms[0], "town", SBL_VALUES_CODE, town, NULL};
    rooms[3] = (sbl_column_buffer){sizeof rooms[0], "since", SBL_VALUES_DATE, since, NULL};
    rooms[4] = (sbl_column_buffer){sizeof rooms[0], "sick", SBL_VALUES_BOOL, truth, NULL};
    OK(kit_sample_columns(synth, rooms, COLUMNS, &sample, err));
    OK(kit_sample_stream(synth, &stream, &sample, err));
    assert_int_equal(stream.get_schema(&stream, &types), 0);
    assert_int_equal(types.n_children, COLUMNS);
    assert_string_equal(types.children[2]->format, "u");
    assert_string_equal(types.children[3]->format, "tdD");
    types.release(&types);
    for (;;) {
        assert_int_equal(stream.get_next(&stream, &batch), 0);
        if (batch.release == NULL) break;
        const int64_t *ages_of = batch.children[0]->buffers[1];
        const double *pays_of = batch.children[1]->buffers[1];
        const int32_t *offsets = batch.children[2]->buffers[1];
        const char *texts = batch.children[2]->buffers[2];
        const int32_t *days_of = batch.children[3]->buffers[1];
        const uint8_t *sick_of = batch.children[4]->buffers[1];
        for (int64_t r = 0; r < batch.length; r++, row++) {
            static const char *const names[] = {"Ayr", "Bath, old", "Cork"};
            const uint8_t *there = batch.children[1]->buffers[0];
            const bool has_pay = (there[r / 8] >> (r % 8) & 1) != 0;
            assert_int_equal(ages_of[r], age[row]);
            assert_int_equal(has_pay, missing[row] == 0);
            if (has_pay) assert_memory_equal(&pays_of[r], &pay[row], sizeof pay[row]);
            assert_int_equal(days_of[r], since[row]);
            assert_int_equal(sick_of[r / 8] >> (r % 8) & 1, truth[row]);
            const size_t length = (size_t)(offsets[r + 1] - offsets[r]);
            if (town[row] == 3) {
                assert_int_equal(length, 0);
            } else {
                assert_int_equal(length, strlen(names[town[row]]));
                assert_memory_equal(texts + offsets[r], names[town[row]], length);
            }
        }
        /* A child that was moved away outlives its parent. */
        struct ArrowArray moved = *batch.children[2];
        batch.children[2]->release = NULL;
        batch.release(&batch);
        moved.release(&moved);
    }
    assert_int_equal(row, DRAWN);
    stream.release(&stream);
    /* The file holds the same rows: read back through a stream of our own producer. */
    (void)snprintf(path, sizeof path, "%s", in_folder(folder, "drawn.csv"));
    sample.path = path;
    OK(sbl_synthesizer_sample(synth, &sample, err));
    sample.path = NULL;
    char *csv = read_whole(path), *model_csv;
    (void)snprintf(path, sizeof path, "%s", in_folder(folder, "drawn.model"));
    OK(sbl_synthesizer_save(synth, NULL, NULL, path, false, err));
    sbl_synth_options by_file = options_of(NULL);
    by_file.seed = 9;
    char other[320];
    (void)snprintf(other, sizeof other, "%s", in_folder(folder, "drawn2.csv"));
    OK(table_sample(path, other, DRAWN, NULL, &by_file, err));
    model_csv = read_whole(other);
    assert_string_equal(csv, model_csv);
    free(csv);
    free(model_csv);
    /* And the stream can be fitted again. */
    OK(kit_data_opened(&drawn, again_as_data, synth, err));
    const sbl_synth_options marginals = options_of("marginals");
    sbl_synthesizer *second = fitted(drawn, &marginals);
    sbl_synthesizer_free(second);
    sbl_data_free(drawn);
    /* Conditions, and what is refused. */
    sample.where = "town=Cork";
    OK(kit_sample_columns(synth, rooms, COLUMNS, &sample, err));
    for (size_t r = 0; r < DRAWN; r++) assert_int_equal(town[r], 2);
    sample.where = "age > 40\ntown in (Ayr, Cork)\npay is not missing";
    OK(kit_sample_columns(synth, rooms, COLUMNS, &sample, err));
    for (size_t r = 0; r < DRAWN; r++)
        assert_true(age[r] > 40 && (town[r] == 0 || town[r] == 2) && missing[r] == 0);
    sample.where = "age > 40 town";
    REFUSED(SBL_EARG, "its end", kit_sample_stream(synth, &stream, &sample, err));
    sample.where = "town=Nowhere";
    REFUSED(SBL_EARG, "town", kit_sample_columns(synth, rooms, 1, &sample, err));
    REFUSED(SBL_EARG, "town", kit_sample_stream(synth, &stream, &sample, err));
    sample.where = NULL;
    rooms[0].name = "wage";
    REFUSED(SBL_EARG, "no column 'wage'", kit_sample_columns(synth, rooms, 1, &sample, err));
    rooms[0].name = "pay";
    rooms[0].type = SBL_VALUES_CODE;
    REFUSED(SBL_EARG, "this type", kit_sample_columns(synth, rooms, 1, &sample, err));
    REFUSED(SBL_EARG, "not images", kit_sample_images(synth, truth, NULL, &sample, err));
    sbl_synthesizer_free(synth);
    sbl_data_free(data);
    assert_int_equal(leftovers(), 0);
}

/* ---- streams that can be read once ---- */

TEST(one_stream_is_one_release)
{
    sbl_synth_options options = options_of("pairs");
    sbl_schema *schema = make_schema();
    struct ArrowArrayStream stream;
    sbl_synthesizer *synth;
    sbl_data *data;
    (void)kit_open(&table, &stream);
    OK(kit_data_once(&data, &stream, false, err));
    OK(sbl_synthesizer_new(&synth, err));
    OK(sbl_synthesizer_fit(synth, data, schema, &options, err));
    assert_int_equal(kit_facts(synth).releases, 1);
    REFUSED(SBL_EARG, "already read", sbl_synthesizer_fit(synth, data, schema, &options, err));
    sbl_data_free(data);
    (void)kit_open(&table, &stream);
    OK(kit_data_once(&data, &stream, false, err));
    give(&options, "rounds", "3");
    REFUSED(SBL_EARG, "reads the data", sbl_synthesizer_fit(synth, data, schema, &options, err));
    sbl_data_free(data);
    sbl_synthesizer_free(synth);
    sbl_schema_free(schema);
    assert_int_equal(kit_alive, 0);
    assert_int_equal(leftovers(), 0);
}

/* ---- a schema that is discovered ---- */

TEST(a_schema_can_be_discovered)
{
    sbl_synth_options options = options_of("marginals");
    sbl_data *data = typed_data();
    sbl_synthesizer *synth;
    sbl_schema *schema;
    options.epsilon = 20;
    OK(sbl_synthesizer_new(&synth, err));
    OK(sbl_synthesizer_fit(synth, data, NULL, &options, err));
    assert_true(kit_facts(synth).releases >= 2);
    OK(sbl_synthesizer_schema(&schema, synth, err));
    assert_true(schema->column_count == COLUMNS);
    sbl_schema_free(schema);
    sbl_synthesizer_free(synth);
    sbl_data_free(data);
    assert_int_equal(leftovers(), 0);
}

/* ---- images ---- */

TEST(images_from_memory_to_memory)
{
    enum { IMAGES = 60, SIDE = 8 };
    static uint8_t pixels[IMAGES * SIDE * SIDE], drawn[20 * SIDE * SIDE];
    static uint32_t labels[IMAGES], drawn_labels[20];
    sbl_synth_options options = options_of("merf");
    sbl_pixels images;
    sbl_data *data;
    sbl_synthesizer *synth;
    sbl_sample_options sample;
    sbl_synthesizer_facts facts = {.struct_size = sizeof facts};
    char *plan;
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(i * 7 % 251);
    for (uint32_t i = 0; i < IMAGES; i++) labels[i] = i == 0 ? 77 : i % 3;
    give(&options, "hidden", NULL);
    give(&options, "steps", "3");
    give(&options, "batch", "10");
    sbl_pixels_init(&images);
    images.pixels = pixels;
    images.labels = labels;
    images.count = IMAGES;
    images.height = images.width = SIDE;
    images.classes = 3;
    OK(sbl_data_from_pixels(&data, &images, NULL, err));
    OK(sbl_synthesizer_plan(&plan, NULL, data, 0, true, &options, err));
    assert_non_null(strstr(plan, "merf"));
    sbl_free(plan);
    OK(sbl_synthesizer_new(&synth, err));
    OK(sbl_synthesizer_fit(synth, data, NULL, &options, err));
    OK(sbl_synthesizer_get_facts(synth, &facts, err));
    assert_true(facts.images);
    assert_int_equal(facts.height, SIDE);
    assert_int_equal(facts.classes, 3);
    sbl_sample_options_init(&sample);
    sample.rows = 20;
    OK(kit_sample_images(synth, drawn, drawn_labels, &sample, err));
    for (size_t i = 0; i < 20; i++) assert_true(drawn_labels[i] < 3);
    sample.where = "label=1";
    OK(kit_sample_images(synth, drawn, drawn_labels, &sample, err));
    for (size_t i = 0; i < 20; i++) assert_int_equal(drawn_labels[i], 1);
    sbl_synthesizer_free(synth);
    sbl_data_free(data);
    images.channels = 2;
    REFUSED(SBL_EARG, "channels", sbl_data_from_pixels(&data, &images, NULL, err));
    images.channels = 1;
    images.labels = NULL;
    REFUSED(SBL_EARG, "labels", sbl_data_from_pixels(&data, &images, NULL, err));
    assert_int_equal(leftovers(), 0);
}

/* ---- schemas and looks ---- */

TEST(schemas_are_built_by_code)
{
    static const char *const sizes[] = {"small", "large"};
    sbl_schema_builder *builder;
    sbl_schema_field field;
    sbl_schema *schema, *again;
    sbl_schema_column column = {.struct_size = sizeof column};
    char *json;
    OK(sbl_schema_builder_new(&builder, err));
    sbl_schema_field_init(&field);
    field.name = "x";
    field.maximum = 10;
    field.decimals = 1;
    OK(sbl_schema_builder_add(builder, &field, err));
    sbl_schema_field_init(&field);
    field.name = "size";
    field.type = SBL_TYPE_STRING;
    field.categories = sizes;
    field.category_count = 2;
    field.required = true;
    field.label = true;
    OK(sbl_schema_builder_add(builder, &field, err));
    OK(sbl_schema_builder_finish(builder, &schema, err));
    sbl_schema_builder_free(builder);
    assert_int_equal(schema->column_count, 2);
    OK(sbl_schema_get_column(schema, &column, 0, err));
    assert_string_equal(column.name, "x");
    assert_true(column.missing_allowed && column.maximum == 10 && !column.label && column.drawn);
    assert_null(column.categories);
    OK(sbl_schema_get_column(schema, &column, 1, err));
    assert_true(column.label && column.category_count == 2);
    assert_string_equal(column.categories[1], "large");
    REFUSED(SBL_EARG, "2 columns", sbl_schema_get_column(schema, &column, 2, err));
    OK(sbl_schema_as_json(&json, schema, err));
    OK(sbl_schema_from_json(&again, json, strlen(json), NULL, err));
    sbl_free(json);
    sbl_schema_free(again);
    sbl_schema_free(schema);
    OK(sbl_schema_from_file(&schema, schema_path, false, err));
    sbl_schema_free(schema);
    REFUSED(SBL_EINPUT, "the schema", sbl_schema_from_json(&schema, "{", 1, NULL, err));
}

TEST(builder_takes_steps_and_spikes)
{
    static const double spikes[] = {999, 0}, odd[] = {NAN};
    static const double given[] = {0, 0.25, 999, 998, -1, 0.3, 9.999999999999998, 10};
    sbl_data *data;
    char *text;
    FREED(sbl_schema_builder_free) sbl_schema_builder *builder;
    sbl_schema_field field;
    sbl_schema *schema;
    sbl_schema_column column = {.struct_size = sizeof column};
    OK(sbl_schema_builder_new(&builder, err));
    sbl_schema_field_init(&field);
    field.name = "x";
    field.maximum = 10;
    field.step = 0.25;
    field.spikes = spikes;
    field.spike_count = 2;
    OK(sbl_schema_builder_add(builder, &field, err));
    OK(sbl_schema_builder_finish(builder, &schema, err));
    OK(sbl_schema_get_column(schema, &column, 0, err));
    assert_true(column.step == 0.25 && column.spike_count == 2);
    assert_true(column.spikes[0] == 0 && column.spikes[1] == 999);
    sbl_values value = {sizeof value, "x", SBL_VALUES_DOUBLE, given, NULL};
    OK(sbl_data_new(&data, NULL, err));
    OK(sbl_data_append(data, &value, 1, sizeof given / sizeof given[0], err));
    OK(sbl_schema_check(&text, schema, data, err));
    assert_non_null(strstr(text, "x: 2 out of range, 1 not a multiple of the step\n"));
    sbl_free(text);
    sbl_data_free(data);
    sbl_schema_free(schema);
    field.step = -1;
    REFUSED(SBL_EARG, "step", sbl_schema_builder_add(builder, &field, err));
    field.step = 0;
    field.spikes = odd;
    field.spike_count = 1;
    REFUSED(SBL_EARG, "spike 1", sbl_schema_builder_add(builder, &field, err));
    field.spikes = NULL;
    REFUSED(SBL_EARG, "is NULL", sbl_schema_builder_add(builder, &field, err));
}

TEST(builder_takes_persons_and_an_order)
{
    static const char *const names[] = {"who", "size", "day"};
    FREED(sbl_schema_builder_free) sbl_schema_builder *builder;
    sbl_schema *schema;
    sbl_schema_field field;
    sbl_schema_column column = {.struct_size = sizeof column};
    OK(sbl_schema_builder_new(&builder, err));
    for (size_t i = 0; i < 3; i++) {
        sbl_schema_field_init(&field);
        field.name = names[i];
        field.type = SBL_TYPE_INTEGER;
        field.maximum = 9;
        field.required = true;
        field.max_rows_per_unit = i == 0 ? 12 : 0;
        field.per_unit = i == 1;
        field.order = i == 2;
        OK(sbl_schema_builder_add(builder, &field, err));
    }
    OK(sbl_schema_builder_finish(builder, &schema, err));
    for (size_t i = 0; i < 3; i++) {
        OK(sbl_schema_get_column(schema, &column, i, err));
        assert_int_equal(column.max_rows_per_unit, i == 0 ? 12 : 0);
        assert_true(column.per_unit == (i == 1) && column.order == (i == 2));
    }
    sbl_schema_free(schema);
    field.max_rows_per_unit = 1025;
    REFUSED(SBL_EARG, "max_rows_per_unit", sbl_schema_builder_add(builder, &field, err));
}

TEST(looks_say_that_they_are_not_private)
{
    sbl_data *real = arrow_data(), *synthetic = typed_data();
    sbl_schema *schema = make_schema(), *inspected;
    sbl_evaluate_options options;
    sbl_report_options page = {.struct_size = sizeof page};
    char *json, *notes, *text, *report;
    OK(sbl_schema_inspect(&json, &notes, real, NULL, false, err));
    OK(sbl_schema_from_json(&inspected, json, strlen(json), NULL, err));
    assert_int_equal(inspected->column_count, COLUMNS);
    sbl_schema_free(inspected);
    sbl_free(json);
    sbl_free(notes);
    OK(sbl_schema_check(&text, schema, real, err));
    assert_non_null(strstr(text, "NOT PRIVATE"));
    sbl_free(text);
    sbl_evaluate_options_init(&options);
    options.models = "none";
    OK(sbl_evaluate(&json, &text, real, synthetic, NULL, schema, &options, err));
    page.evaluation = json;
    OK(sbl_report(&report, &page, err));
    assert_non_null(strstr(json, "NOT PRIVATE"));
    assert_non_null(strstr(report, "NOT PRIVATE"));
    assert_null(strstr(json, "/proc/self"));
    assert_null(strstr(report, "/proc/self"));
    sbl_free(json);
    sbl_free(text);
    sbl_free(report);
    stopper s = {.what = "marginals"};
    options.progress = stop_at;
    options.context = &s;
    REFUSED(SBL_ESTOPPED, "stopped", sbl_evaluate(&json, NULL, real, synthetic, NULL, schema, &options, err));
    assert_null(json);
    sbl_schema_free(schema);
    sbl_data_free(real);
    sbl_data_free(synthetic);
    assert_int_equal(kit_alive, 0);
    assert_int_equal(leftovers(), 0);
}

/* A program that was built when structs were smaller: what it does not know has its default, in lists too. */
TEST(smaller_structs_of_older_programs_work)
{
    typedef struct old_values {
        size_t struct_size;
        const char *name;
        sbl_values_type type;
        const void *values;
    } old_values;
    const old_values old[] = {{sizeof(old_values), "age", SBL_VALUES_INT32, ages},
                              {sizeof(old_values), "sick", SBL_VALUES_BOOL, sick}};
    static const char json[] =
        JSON({"fields":[{"name":"age","type":"integer","constraints":{"minimum":0,
        "maximum":100}},{"name":"sick","type":"boolean"}]});
    union {
        sbl_evaluate_options whole;
        unsigned char bytes[sizeof(sbl_evaluate_options)];
    } options;
    union {
        sbl_sample_options whole;
        unsigned char bytes[sizeof(sbl_sample_options)];
    } sample;
    sbl_guarantee facts = {.struct_size = offsetof(sbl_guarantee, n)};
    const sbl_synth_options fit = options_of("marginals");
    sbl_synthesizer *synth;
    sbl_schema *schema;
    FREED(sbl_data_free) sbl_data *data;
    char *text;
    struct ArrowArrayStream stream;
    OK(sbl_schema_from_json(&schema, json, strlen(json), NULL, err));
    OK(sbl_data_new(&data, NULL, err));
    OK(sbl_data_append(data, (const sbl_values *)old, 2, ROWS, err));
    OK(sbl_synthesizer_new(&synth, err));
    OK(sbl_synthesizer_fit(synth, data, schema, &fit, err));
    memset(&sample, 0xff, sizeof sample);
    memset(&sample, 0, offsetof(sbl_sample_options, columns));
    sample.whole.struct_size = offsetof(sbl_sample_options, columns);
    sample.whole.rows = 7;
    OK(kit_sample_stream(synth, &stream, &sample.whole, err));
    stream.release(&stream);
    memset(&options, 0xff, sizeof options);
    memset(&options, 0, offsetof(sbl_evaluate_options, progress));
    options.whole.struct_size = offsetof(sbl_evaluate_options, progress);
    options.whole.models = "none";
    OK(sbl_evaluate(&text, NULL, data, data, NULL, schema, &options.whole, err));
    sbl_free(text);
    facts.n = 77;
    OK(sbl_certificate_read(&facts, NULL, sbl_synthesizer_text(synth, SBL_TEXT_CERTIFICATE),
                            strlen(sbl_synthesizer_text(synth, SBL_TEXT_CERTIFICATE)), err));
    assert_int_equal(facts.n, 77); /* past what the program knows nothing is written */
    assert_true(facts.delta > 0);
    sbl_synthesizer_free(synth);
    sbl_schema_free(schema);
}

/* Takes out the line with the time: how long the machine takes is not the same twice. */
static void forget_time(char *plan)
{
    char *line = strstr(plan, "a run takes about");
    assert_non_null(line);
    const char *rest = strchr(line, '\n') + 1;
    memmove(line, rest, strlen(rest) + 1);
}

TEST(plans_open_no_data)
{
    sbl_schema *schema = make_schema();
    const sbl_synth_options options = options_of("pairs");
    char *text, *from_file;
    OK(sbl_synthesizer_plan(&text, schema, NULL, 1000, false, &options, err));
    OK(table_plan(&from_file, schema_path, 1000, false, &options, err));
    forget_time(text);
    forget_time(from_file);
    assert_string_equal(text, from_file);
    sbl_free(text);
    sbl_free(from_file);
    REFUSED(SBL_EARG, "either a schema or images",
            sbl_synthesizer_plan(&text, NULL, NULL, 1, false, &options, err));
    sbl_schema_free(schema);
    assert_int_equal(leftovers(), 0);
}

/* Handles of different threads do not meet. */
static void *fit_in_thread(void *seed)
{
    sbl_synth_options options = options_of("marginals");
    sbl_sample_options sample;
    sbl_data *data = typed_data();
    sbl_synthesizer *synth = fitted(data, &options);
    static const size_t rows = 300;
    int64_t *age = calloc(rows, sizeof *age);
    const sbl_column_buffer room = {sizeof room, "age", SBL_VALUES_INT64, age, NULL};
    sbl_sample_options_init(&sample);
    sample.rows = rows;
    sample.seed = *(const uint64_t *)seed;
    OK(kit_sample_columns(synth, &room, 1, &sample, err));
    for (size_t r = 0; r < rows; r++) assert_true(age[r] >= 0 && age[r] <= 100);
    free(age);
    sbl_synthesizer_free(synth);
    sbl_data_free(data);
    return NULL;
}

TEST(handles_of_threads_do_not_meet)
{
    pthread_t threads[4];
    uint64_t seeds[4] = {1, 2, 3, 4};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, fit_in_thread, &seeds[i]), 0);
    for (size_t i = 0; i < 4; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(leftovers(), 0);
}

TEST(batches_must_agree)
{
    FREED(sbl_data_free) sbl_data *data;
    sbl_values values[2];
    OK(sbl_data_new(&data, "t", err));
    for (size_t i = 0; i < 2; i++) sbl_values_init(&values[i]);
    values[0].name = "a";
    values[0].values = ages;
    values[1] = values[0];
    REFUSED(SBL_EARG, "type", sbl_data_append(data, values, 1, 3, err));
    values[0].type = values[1].type = SBL_VALUES_CODE;
    REFUSED(SBL_EARG, "type", sbl_data_append(data, values, 1, 3, err));
    values[0].type = values[1].type = SBL_VALUES_INT32;
    REFUSED(SBL_EARG, "columns", sbl_data_append(data, values, 0, 3, err));
    OK(sbl_data_append(data, values, 1, 3, err));
    REFUSED(SBL_EARG, "1 columns", sbl_data_append(data, values, 2, 3, err));
    values[0].name = "b";
    REFUSED(SBL_EARG, "'b'", sbl_data_append(data, values, 1, 3, err));
    values[0].name = "a";
    values[0].values = NULL;
    REFUSED(SBL_EARG, "no values", sbl_data_append(data, values, 1, 3, err));
}

ALL_TESTS(setup, remove_folder)
