/* SPDX-License-Identifier: Apache-2.0 */
/* A format that lives outside src, in fewer lines than a hundred, serves whatever reads records: what is made of its file
 * is what is made of the same table as CSV. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "public/schema/schema_type.h"
#include "run/pipeline/job.h"
#include "semblance/evaluate.h"
#include "semblance/synthesizer.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"
#include "toy_format.h"

enum { ROWS = 3000 };

static const char schema_text[] = JSON({"fields":[{"name":"age","type":"integer","constraints":{"minimum":0,
    "maximum":100}},{"name":"town","type":"string","constraints":{"enum":["Ayr","Cork"]}},
    {"name":"pay","type":"number","constraints":{"minimum":0,"maximum":1}}],"missingValues":[""]});

static sbl_data *toy, *csv;
static sbl_schema *schema;

#define OK(call)                                           \
    do {                                                   \
        sbl_error err = {0};                               \
        if ((call) != SBL_OK) fail_msg("%s", err.message); \
    } while (0)

static int begin(void **state)
{
    char paths[2][300];
    (void)state;
    temp_folder_make(folder);
    (void)snprintf(paths[0], sizeof paths[0], "%s/t.toy", folder);
    (void)snprintf(paths[1], sizeof paths[1], "%s/t.csv", folder);
    FILE *files[2] = {fopen(paths[0], "w"), fopen(paths[1], "w")};
    assert_true(files[0] != NULL && files[1] != NULL);
    (void)fputs("age,town,pay\n", files[1]);
    for (size_t r = 0; r < ROWS; r++) {
        char age[16] = "";
        const char *town = r % 3 == 0 ? "Cork" : "Ayr";
        const double pay = (double)(r % 20) / 20 + 0.025;
        if (r % 11 != 0) (void)snprintf(age, sizeof age, "%zu", r % 130);
        (void)fprintf(files[0], "age=%s;town=%s;pay=%.3f\n", age[0] != '\0' ? age : "?", town, pay);
        (void)fprintf(files[1], "%s,%s,%.3f\n", age, town, pay);
    }
    for (size_t i = 0; i < 2; i++) (void)fclose(files[i]);
    OK(toy_open(&toy, paths[0], &err));
    OK(sbl_data_open(&csv, paths[1], NULL, &err));
    OK(sbl_schema_from_json(&schema, schema_text, strlen(schema_text), NULL, &err));
    return 0;
}

AROUND(end)
{
    sbl_data_free(toy);
    sbl_data_free(csv);
    sbl_schema_free(schema);
    temp_folder_remove(folder);
}

/* All encoded records of a handle, one after the other. */
static size_t read_records(double *numeric, uint32_t *codes, sbl_data *data)
{
    sbl_facts facts = {0};
    sbl_schema *own = NULL;
    sbl_source *source = NULL;
    const sbl_records *batch;
    size_t rows = 0;
    OK(sbl_schema_copy(&own, schema, &err));
    OK(sbl_facts_of_table(&facts, own, &err));
    OK(sbl_source_open(&source, data, &facts, NULL, NULL, &err));
    const size_t n = facts.heads.numeric_count, k = facts.heads.categorical_count;
    for (;;) {
        OK(sbl_source_read(source, &batch, &err));
        if (batch->rows == 0) break;
        memcpy(numeric + rows * n, batch->numeric, batch->rows * n * sizeof *numeric);
        memcpy(codes + rows * k, batch->codes, batch->rows * k * sizeof *codes);
        rows += batch->rows;
    }
    sbl_source_close(source);
    sbl_facts_clear(&facts);
    return rows;
}

TEST(records_are_those_of_the_same_csv)
{
    static double numeric[2][ROWS * 8];
    static uint32_t codes[2][ROWS * 8];
    assert_int_equal(read_records(numeric[0], codes[0], toy), ROWS);
    assert_int_equal(read_records(numeric[1], codes[1], csv), ROWS);
    assert_memory_equal(numeric[0], numeric[1], sizeof numeric[0]);
    assert_memory_equal(codes[0], codes[1], sizeof codes[0]);
}

TEST(inspection_and_check_say_the_same)
{
    sbl_data *const data[] = {toy, csv};
    char *json[2], *notes[2], *text[2];
    for (size_t i = 0; i < 2; i++) {
        OK(sbl_schema_inspect(&json[i], &notes[i], data[i], NULL, false, &err));
        OK(sbl_schema_check(&text[i], schema, data[i], &err));
    }
    assert_string_equal(json[0], json[1]);
    assert_string_equal(text[0], text[1]);
    assert_non_null(strstr(text[0], "age: 273 missing, "));
    for (size_t i = 0; i < 2; i++) {
        sbl_free(json[i]);
        sbl_free(notes[i]);
        sbl_free(text[i]);
    }
}

TEST(evaluation_finds_two_tables_alike)
{
    sbl_evaluate_options options;
    char *json, *text;
    sbl_evaluate_options_init(&options);
    options.models = "none";
    OK(sbl_evaluate(&json, &text, toy, csv, toy, schema, &options, &err));
    assert_non_null(strstr(json, "t.toy"));
    assert_non_null(strstr(json, "t.csv"));
    sbl_free(json);
    sbl_free(text);
}

/* A fit with a schema and one that discovers it; where it says that the columns are public, it does. */
TEST(fits_are_made_of_it)
{
    for (int given = 0; given < 2; given++) {
        sbl_synthesizer *synth;
        sbl_synth_options options;
        sbl_schema *drawn;
        sbl_synth_options_init(&options);
        options.epsilon = 8;
        options.method = "marginals";
        OK(sbl_synthesizer_new(&synth, &err));
        OK(sbl_synthesizer_fit(synth, toy, given ? schema : NULL, &options, &err));
        OK(sbl_synthesizer_schema(&drawn, synth, &err));
        assert_int_equal(drawn->column_count, 3);
        assert_null(strstr(sbl_synthesizer_text(synth, SBL_TEXT_CERTIFICATE), "Cork"));
        sbl_schema_free(drawn);
        sbl_synthesizer_free(synth);
    }
}

/* A file that changes between two readings is refused, whatever its format. */
TEST(discovery_is_refused_where_the_file_is_gone)
{
    sbl_synthesizer *synth;
    sbl_synth_options options;
    sbl_error gone = {0};
    char path[300];
    (void)snprintf(path, sizeof path, "%s/t.toy", folder);
    assert_int_equal(remove(path), 0);
    sbl_synth_options_init(&options);
    options.epsilon = 8;
    OK(sbl_synthesizer_new(&synth, &err));
    assert_int_equal(sbl_synthesizer_fit(synth, toy, NULL, &options, &gone), SBL_EIO);
    assert_non_null(strstr(gone.message, "t.toy cannot be read"));
    sbl_synthesizer_free(synth);
}

ALL_TESTS(begin, end)
