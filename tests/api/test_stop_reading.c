/* SPDX-License-Identifier: Apache-2.0 */
/* Who waits for an inspection or a check is told how many rows were read, and stops it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "semblance/data.h"
#include "semblance/synthesizer.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

#define ROWS 20000

typedef struct waiting {
    unsigned calls;
    unsigned stop_at; /* 0: never */
    uint64_t most;    /* rows that were told */
} waiting;

static int hear(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    waiting *w = context;
    assert_string_equal(what, "reading");
    assert_true(steps == 0 && loss == 0.0 && step <= ROWS);
    if (step > w->most) w->most = step;
    return ++w->calls == w->stop_at;
}

static sbl_data *open_table(const char *path, waiting *w)
{
    sbl_data *data;
    sbl_error err = {0};
    sbl_data_options options;
    sbl_data_options_init(&options);
    options.progress = hear;
    options.context = w;
    assert_int_equal(sbl_data_open(&data, path, &options, &err), SBL_OK);
    return data;
}

static void write_table(char path[300], const char *folder, const char *format)
{
    (void)snprintf(path, 300, "%s/t.%s", folder, format);
    FILE *file = fopen(path, "w");
    const bool json = strcmp(format, "ndjson") == 0;
    assert_non_null(file);
    if (!json) (void)fprintf(file, "age,town\n");
    for (int i = 0; i < ROWS; i++)
        (void)fprintf(file, json ? "{\"age\": %d, \"town\": \"%c\"}\n" : "%d,%c\n", i % 90, 'a' + i % 7);
    assert_int_equal(fclose(file), 0);
}

static sbl_status inspect(const char *path, waiting *w)
{
    char *schema, *notes;
    sbl_error err = {0};
    sbl_data *data = open_table(path, w);
    const sbl_status status = sbl_schema_inspect(&schema, &notes, data, NULL, false, &err);
    assert_true((schema != NULL) == (status == SBL_OK));
    sbl_free(schema);
    sbl_free(notes);
    sbl_data_free(data);
    return status;
}

static sbl_status check(const char *path, waiting *w)
{
    static const char text[] =
        JSON({"fields": [{"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 110}},
        {"name": "town", "type": "string", "constraints": {"enum": ["a", "b"]}}]});
    char *words;
    sbl_schema *schema;
    sbl_error err = {0};
    sbl_data *data = open_table(path, w);
    assert_int_equal(sbl_schema_from_json(&schema, text, strlen(text), NULL, &err), SBL_OK);
    const sbl_status status = sbl_schema_check(&words, schema, data, &err);
    assert_true((words != NULL) == (status == SBL_OK));
    sbl_free(words);
    sbl_schema_free(schema);
    sbl_data_free(data);
    return status;
}

TEST(an_inspection_and_a_check_say_how_many_rows_were_read_and_can_be_stopped_at_any_word)
{
    static const char *const formats[] = {"csv", "ndjson"};
    static sbl_status (*const works[])(const char *, waiting *) = {inspect, check};
    char folder[256], path[300];
    temp_folder_make(folder);
    for (size_t f = 0; f < 2; f++) {
        write_table(path, folder, formats[f]);
        for (size_t k = 0; k < 2; k++) {
            waiting all = {0};
            assert_int_equal(works[k](path, &all), SBL_OK);
            assert_true(all.most > ROWS - 1025 && all.calls >= ROWS / 1024);
            for (unsigned at = 1; at <= all.calls; at += 1 + all.calls / 12) {
                waiting some = {.stop_at = at};
                assert_int_equal(works[k](path, &some), SBL_ESTOPPED);
                assert_int_equal(some.calls, at);
            }
        }
    }
    temp_folder_remove(folder);
}

TEST(nobody_need_wait)
{
    char folder[256], path[300], *schema;
    sbl_data *data;
    sbl_error err = {0};
    temp_folder_make(folder);
    write_table(path, folder, "csv");
    assert_int_equal(sbl_data_open(&data, path, NULL, &err), SBL_OK);
    assert_int_equal(sbl_schema_inspect(&schema, NULL, data, NULL, false, &err), SBL_OK);
    sbl_free(schema);
    sbl_data_free(data);
    temp_folder_remove(folder);
}
