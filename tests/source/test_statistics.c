/* SPDX-License-Identifier: Apache-2.0 */
/* Files of SPSS, Stata and SAS: the records of the same table as CSV, in both directions. The files are made by
 * statistics/make_files.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <semblance/ledger.h>
#include <semblance/synthesizer.h>

#include "after/sinks/sink.h"
#include "base/file.h"
#include "base/readstat/readstat_there.h"
#include "public/schema/file_facts.h"
#include "records/source/data_handle.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

FREES(sbl_data_free);
FREES(sbl_free);
FREES(sbl_schema_free);
FREES(sbl_synthesizer_free);

ALL_TESTS(make_folder, remove_folder)

#define FILES SBL_TEST_SOURCE_DIR "/source/statistics/"

/* sex: its categories; age: what else it has. */
#define SCHEMA(sex, age)                                                                                     \
    "{\"missingValues\":[\"\"],\"fields\":["                                                                 \
    "{\"name\":\"sex\",\"type\":\"string\",\"constraints\":{\"enum\":[" sex                                  \
    "]}},"                                                                                                   \
    "{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"minimum\":18,\"maximum\":90}" age             \
    "},"                                                                                                     \
    "{\"name\":\"town\",\"type\":\"string\",\"constraints\":{\"enum\":[\"Ayr\",\"B\xc3\xa4th\",\"Cork\"]}}," \
    "{\"name\":\"day\",\"type\":\"date\",\"constraints\":{\"minimum\":\"2000-01-01\",\"maximum\":"           \
    "\"2013-12-31\"}},"                                                                                      \
    "{\"name\":\"at\",\"type\":\"datetime\",\"constraints\":{\"minimum\":\"2020-01-01T00:00:00\","           \
    "\"maximum\":\"2020-12-31T00:00:00\"}},"                                                                 \
    "{\"name\":\"weight\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":100}}]}"
#define SPIKE ",\"semblance\":{\"spikes\":[999]}"

static sbl_schema *schema_of(const char *text)
{
    sbl_schema *schema;
    sbl_error err = {.status = SBL_OK};
    if (sbl_schema_parse(&schema, text, strlen(text), "s", &err) != SBL_OK) fail_msg("%s", err.message);
    return schema;
}

static void skip_without_library(void)
{
    if (sbl_readstat_missing() != NULL) skip();
}

/* All rows of a file by a schema: SBL_OK and a batch, or why not. */
static sbl_status read_rows(sbl_batch **batch, const char *path, const sbl_schema *schema, sbl_error *err)
{
    FREED(sbl_data_free) sbl_data *data = NULL;
    sbl_rows *rows = NULL;
    *batch = NULL;
    assert_int_equal(sbl_data_open(&data, path, NULL, NULL), SBL_OK);
    sbl_status status = sbl_rows_open(&rows, &data->table, schema, NULL, err);
    if (status != SBL_OK) return status;
    assert_int_equal(sbl_batch_new(batch, schema, 100000, NULL), SBL_OK);
    status = sbl_rows_read(rows, *batch, err);
    sbl_rows_close(rows);
    return status;
}

static void assert_same_rows(const sbl_batch *a, const sbl_batch *b)
{
    assert_int_equal(a->rows, b->rows);
    for (size_t c = 0; c < a->schema->column_count; c++) {
        const sbl_batch_column *x = &a->columns[c], *y = &b->columns[c];
        if (x->codes != NULL) assert_memory_equal(x->codes, y->codes, a->rows * sizeof *x->codes);
        for (size_t r = 0; x->values != NULL && r < a->rows; r++) {
            const bool missing = x->missing != NULL && x->missing[r] != 0;
            assert_int_equal(missing, y->missing != NULL && y->missing[r] != 0);
            if (!missing && memcmp(&x->values[r], &y->values[r], sizeof *x->values) != 0)
                fail_msg("column %zu, row %zu: %.17g and %.17g", c, r, x->values[r], y->values[r]);
        }
    }
}

static void assert_files_same(const char *file, const char *other, const sbl_schema *schema)
{
    sbl_batch *a, *b;
    sbl_error err = {.status = SBL_OK};
    if (read_rows(&a, file, schema, &err) != SBL_OK) fail_msg("%s", err.message);
    if (read_rows(&b, other, schema, &err) != SBL_OK) fail_msg("%s", err.message);
    assert_same_rows(a, b);
    sbl_batch_free(a);
    sbl_batch_free(b);
}

/* ---- in ---- */

TEST(a_file_of_spss_or_stata_has_the_rows_of_the_csv)
{
    static const char *const files[] = {FILES "people.sav", FILES "rows.sav", FILES "people.zsav",
                                        FILES "people.dta"};
    FREED(sbl_schema_free) sbl_schema *schema = schema_of(SCHEMA("\"male\",\"female\",\"refused\"", SPIKE));
    skip_without_library();
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        assert_files_same(files[i], FILES "people.csv", schema);
}

TEST(a_file_of_sas_has_the_rows_of_the_csv)
{
    FREED(sbl_schema_free)
    sbl_schema *schema = schema_of(
        "{\"missingValues\":[\"\"],\"fields\":[{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{"
        "\"minimum\":18,"
        "\"maximum\":90}},{\"name\":\"town\",\"type\":\"string\",\"constraints\":{\"enum\":[\"Ayr\",\"Cork\"]"
        "}},"
        "{\"name\":\"day\",\"type\":\"date\",\"constraints\":{\"minimum\":\"1999-01-01\",\"maximum\":\"2001-"
        "01-01\"}}]}");
    skip_without_library();
    assert_files_same(FILES "people.sas7bdat", FILES "sas.csv", schema);
}

TEST(a_transport_file_has_numbers_for_categories_without_labels)
{
    FREED(sbl_schema_free)
    sbl_schema *schema = schema_of(
        "{\"missingValues\":[\"\"],\"fields\":[{\"name\":\"sex\",\"type\":\"string\",\"constraints\":{"
        "\"enum\":"
        "[\"male\",\"female\",\"refused\"]},\"semblance\":{\"codes\":[1,2,9]}},{\"name\":\"weight\",\"type\":"
        "\"number\",\"constraints\":{\"minimum\":0,\"maximum\":100}}]}");
    skip_without_library();
    assert_files_same(FILES "people.xpt", FILES "people.csv", schema);
}

TEST(values_that_count_as_missing_are_missing_unless_the_schema_declares_them)
{
    FREED(sbl_schema_free) sbl_schema *with = schema_of(SCHEMA("\"male\",\"female\",\"refused\"", SPIKE));
    FREED(sbl_schema_free) sbl_schema *without = schema_of(SCHEMA("\"male\",\"female\"", ""));
    sbl_batch *declared, *missing;
    size_t refused = 0, spikes = 0;
    skip_without_library();
    assert_int_equal(read_rows(&declared, FILES "people.sav", with, NULL), SBL_OK);
    assert_int_equal(read_rows(&missing, FILES "people.sav", without, NULL), SBL_OK);
    for (size_t r = 0; r < declared->rows; r++) {
        if (declared->columns[0].codes[r] == 2) {
            refused++;
            assert_int_equal(missing->columns[0].codes[r], 2); /* the code of a missing value there */
        }
        if (declared->columns[1].values[r] == 999) {
            spikes++;
            assert_int_equal(missing->columns[1].missing[r], 1);
        }
    }
    assert_true(refused > 0 && spikes > 0);
    sbl_batch_free(declared);
    sbl_batch_free(missing);
}

/* ---- containers that are refused ---- */

static void assert_refused(const char *path, const sbl_schema *schema, const char *words)
{
    sbl_batch *batch;
    sbl_error err = {.status = SBL_OK};
    assert_int_equal(read_rows(&batch, path, schema, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, words));
    assert_null(strchr(err.message, '\n'));
    sbl_batch_free(batch);
}

TEST(labels_that_contradict_the_schema_are_refused)
{
    FREED(sbl_schema_free) sbl_schema *other = schema_of(SCHEMA("\"Mann\",\"Frau\"", ""));
    FREED(sbl_schema_free)
    sbl_schema *swapped = schema_of(
        "{\"fields\":[{\"name\":\"sex\",\"type\":\"string\",\"constraints\":{\"enum\":[\"male\",\"female\"]},"
        "\"semblance\":{\"codes\":[2,1]}}]}");
    FREED(sbl_schema_free)
    sbl_schema *codes =
        schema_of("{\"fields\":[{\"name\":\"sex\",\"type\":\"integer\",\"constraints\":{\"enum\":[1,2]}}]}");
    sbl_batch *batch;
    skip_without_library();
    assert_refused(FILES "people.sav", other, "column 'sex' has 2 value labels");
    assert_refused(FILES "people.dta", other, "column 'sex' has 3 value labels");
    assert_refused(FILES "people.sav", swapped, "another value than semblance.codes");
    assert_int_equal(read_rows(&batch, FILES "people.sav", codes, NULL), SBL_OK); /* values, not labels */
    assert_int_equal(batch->columns[0].codes[0], 1);
    sbl_batch_free(batch);
}

TEST(a_file_that_is_cut_is_refused)
{
    FREED(sbl_schema_free) sbl_schema *schema = schema_of(SCHEMA("\"male\",\"female\",\"refused\"", ""));
    FREED(sbl_free) uint8_t *bytes = NULL;
    size_t size;
    skip_without_library();
    assert_int_equal(sbl_file_read(&bytes, &size, FILES "people.sav", 1 << 20, NULL), SBL_OK);
    const sbl_file_write_options options = {.mode = 0600, .overwrite = true};
    assert_int_equal(sbl_file_write(in_folder(folder, "cut.sav"), bytes, size - 200, options, NULL), SBL_OK);
    assert_refused(in_folder(folder, "cut.sav"), schema, "is damaged, or it ends too early");
    assert_int_equal(sbl_file_write(in_folder(folder, "cut.sav"), bytes, 100, options, NULL), SBL_OK);
    assert_refused(in_folder(folder, "cut.sav"), schema, "is not a file of SPSS");
}

/* ---- out ---- */

/* A model of the table, and the schema that inspection drafts of the file. */
static sbl_synthesizer *fit(const char *path)
{
    FREED(sbl_data_free) sbl_data *data = NULL;
    FREED(sbl_free) char *draft = NULL;
    FREED(sbl_schema_free) sbl_schema *schema = NULL;
    sbl_synthesizer *synth = NULL;
    sbl_synth_options options;
    sbl_error err = {.status = SBL_OK};
    sbl_synth_options_init(&options);
    options.epsilon = 5;
    options.method = "marginals";
    options.health = "off";
    FREED(sbl_free) char *ledger = strdup(in_folder(folder, "l"));
    sbl_ledger_options budget;
    sbl_ledger_options_init(&budget);
    (void)unlink(ledger);
    assert_int_equal(sbl_ledger_init(ledger, &budget, NULL), SBL_OK);
    options.ledger_path = ledger;
    assert_int_equal(sbl_data_open(&data, path, NULL, NULL), SBL_OK);
    assert_int_equal(sbl_schema_inspect(&draft, NULL, data, NULL, false, NULL), SBL_OK);
    if (sbl_schema_parse(&schema, draft, strlen(draft), "draft", &err) != SBL_OK) fail_msg("%s", err.message);
    assert_int_equal(sbl_synthesizer_new(&synth, NULL), SBL_OK);
    if (sbl_synthesizer_fit(synth, data, schema, &options, &err) != SBL_OK) fail_msg("%s", err.message);
    return synth;
}

static void draw(sbl_synthesizer *synth, const char *path)
{
    sbl_sample_options options;
    sbl_error err = {.status = SBL_OK};
    sbl_sample_options_init(&options);
    options.rows = 5000;
    options.path = path;
    options.overwrite = true;
    if (sbl_synthesizer_sample(synth, &options, &err) != SBL_OK) fail_msg("%s", err.message);
}

/* What the head of a file says, as inspection drafts it. */
static sbl_schema *drafted(const char *path)
{
    FREED(sbl_data_free) sbl_data *data = NULL;
    FREED(sbl_free) char *draft = NULL;
    assert_int_equal(sbl_data_open(&data, path, NULL, NULL), SBL_OK);
    assert_int_equal(sbl_schema_inspect(&draft, NULL, data, NULL, false, NULL), SBL_OK);
    return schema_of(draft);
}

static void check_written(const char *from, const char *ending)
{
    FREED(sbl_synthesizer_free) sbl_synthesizer *synth = fit(from);
    FREED(sbl_schema_free) sbl_schema *schema = NULL;
    char made[64];
    (void)snprintf(made, sizeof made, "made.%s", ending);
    FREED(sbl_free) char *table = strdup(in_folder(folder, "made.csv"));
    FREED(sbl_free) char *file = strdup(in_folder(folder, made));
    draw(synth, table);
    draw(synth, file);
    assert_int_equal(sbl_synthesizer_schema(&schema, synth, NULL), SBL_OK);
    assert_files_same(file, table, schema);
    FREED(sbl_schema_free) sbl_schema *found = drafted(file);
    assert_string_equal(found->columns[0].file->title, "Sex of the respondent");
    assert_int_equal(found->columns[0].file->codes[2].number, 9);
    assert_string_equal(found->columns[0].categories.items[2], "refused");
}

TEST(a_written_file_of_spss_has_the_rows_of_the_csv_and_labels_and_missing_values_return)
{
    skip_without_library();
    check_written(FILES "people.sav", "sav");
    FREED(sbl_schema_free) sbl_schema *found = drafted(in_folder(folder, "made.sav"));
    assert_int_equal(found->columns[0].file->missing_count, 1);
    assert_int_equal(found->columns[0].file->missing[0].low, 9);
    assert_int_equal(found->columns[1].file->missing[0].high, 999);
}

TEST(a_written_file_of_stata_has_the_rows_of_the_csv_and_labels_return)
{
    skip_without_library();
    check_written(FILES "people.dta", "dta");
}

TEST(names_that_a_program_does_not_take_are_refused_before_anything_is_written)
{
    FREED(sbl_schema_free)
    sbl_schema *schema = schema_of(
        "{\"fields\":[{\"name\":\"two "
        "words\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":1}}]}");
    sbl_error err = {.status = SBL_OK};
    skip_without_library();
    assert_int_equal(sbl_sink_check_table("x.sav", NULL, schema, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "SPSS does not take 'two words' as the name of a column"));
    assert_int_equal(sbl_sink_check_table("x.dta", NULL, schema, &err), SBL_EARG);
    assert_int_equal(sbl_sink_check_table("x.xpt", NULL, NULL, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "only read"));
}
