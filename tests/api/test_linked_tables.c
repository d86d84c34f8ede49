/* SPDX-License-Identifier: Apache-2.0 */
/* Linked tables in memory: a list of handles in, one Arrow stream for each table out, of the same persons; the same rows as
 * in files. What cannot be had of them, or of one table, is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "semblance/synthesizer.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

FREES(sbl_synthesizer_free);

#define PERSONS 400
#define WANTED 60

static const char package[] = JSON({"resources":[{"name":"people","schema":{"primaryKey":"id",
    "fields":[{"name":"id"},
    {"name":"age","type":"integer","constraints":{"minimum":0,"maximum":99,"required":true}}]}},
    {"name":"visits","schema":{"foreignKeys":[{"fields":"person","reference":{"resource":"people",
    "fields":"id"}}],"fields":[{"name":"person"},
    {"name":"ward","type":"string","constraints":{"enum":["eyes","skin"],"required":true}}],
    "semblance":{"max_rows_per_unit":3}}}]});

/* Person i has i % 3 visits. The handles are freed at once: the linked one keeps them. */
static sbl_data *link_tables(void)
{
    static int32_t ids[PERSONS], ages[PERSONS], persons[PERSONS];
    static const char *wards[PERSONS];
    static const char *const names[] = {"visits", "people"};
    const sbl_values people[] = {{sizeof(sbl_values), "id", SBL_VALUES_INT32, ids, NULL},
                                 {sizeof(sbl_values), "age", SBL_VALUES_INT32, ages, NULL}};
    const sbl_values visits[] = {{sizeof(sbl_values), "person", SBL_VALUES_INT32, persons, NULL},
                                 {sizeof(sbl_values), "ward", SBL_VALUES_TEXT, wards, NULL}};
    sbl_data *tables[2], *linked = NULL;
    size_t rows = 0;
    for (int i = 0; i < PERSONS; i++) {
        ids[i] = i;
        ages[i] = i % 90;
        for (int v = 0; v < i % 3; v++, rows++) {
            persons[rows] = i;
            wards[rows] = i % 90 > 40 ? "eyes" : "skin";
        }
    }
    assert_ok(sbl_data_new(&tables[0], "visits", NULL));
    assert_ok(sbl_data_new(&tables[1], "people", NULL));
    assert_ok(sbl_data_append(tables[0], visits, 2, rows, NULL));
    assert_ok(sbl_data_append(tables[1], people, 2, PERSONS, NULL));
    assert_ok(sbl_data_link(&linked, tables, names, 2, NULL, NULL));
    sbl_data_free(tables[0]);
    sbl_data_free(tables[1]);
    return linked;
}

static sbl_synthesizer *fit(void)
{
    sbl_synth_options options;
    sbl_synthesizer *synth = NULL;
    sbl_schema *schema = NULL;
    sbl_error err = {0};
    sbl_data *data = link_tables();
    sbl_synth_options_init(&options);
    options.epsilon = 4;
    if (sbl_schema_from_json(&schema, package, strlen(package), NULL, &err) != SBL_OK ||
        sbl_synthesizer_new(&synth, &err) != SBL_OK ||
        sbl_synthesizer_fit(synth, data, schema, &options, &err) != SBL_OK)
        fail_msg("%s", err.message);
    sbl_schema_free(schema);
    sbl_data_free(data);
    return synth;
}

/* The cells of a column of texts, each followed by a line end; rows are counted. */
static char *texts_of(struct ArrowArrayStream *stream, size_t column, size_t *rows)
{
    struct ArrowArray batch;
    char *all = calloc(1 << 20, 1);
    size_t length = 0;
    *rows = 0;
    assert_non_null(all);
    while (stream->get_next(stream, &batch) == 0 && batch.release != NULL) {
        const struct ArrowArray *cells = batch.children[column];
        const int32_t *ends = cells->buffers[1];
        for (int64_t r = 0; r < batch.length; r++, ++*rows)
            length += (size_t)sprintf(all + length, "%.*s\n", (int)(ends[r + 1] - ends[r]),
                                      (const char *)cells->buffers[2] + ends[r]);
        batch.release(&batch);
    }
    return all;
}

TEST(streams_hold_the_same_persons_and_outlive_the_handle)
{
    struct ArrowArrayStream streams[2];
    struct ArrowSchema columns;
    sbl_synthesizer_facts facts = {.struct_size = sizeof facts};
    sbl_sample_options sample;
    sbl_error err = {0};
    size_t rows[2];
    char *ids, *named, wanted[32];
    sbl_synthesizer *synth = fit();
    assert_ok(sbl_synthesizer_get_facts(synth, &facts, NULL));
    assert_int_equal(facts.tables, 2);
    assert_true(facts.rows > PERSONS / 2 && facts.rows < PERSONS * 2); /* persons, with noise */
    sbl_sample_options_init(&sample);
    sample.persons = WANTED;
    sample.seed = 9;
    sample.streams = streams;
    sample.stream_count = 2;
    assert_ok_or_say(sbl_synthesizer_sample(synth, &sample, &err));
    sbl_synthesizer_free(synth);
    assert_int_equal(streams[1].get_schema(&streams[1], &columns), 0);
    assert_int_equal(columns.n_children, 2);
    assert_string_equal(columns.children[0]->name, "person");
    assert_string_equal(columns.children[1]->name, "ward");
    columns.release(&columns);
    ids = texts_of(&streams[0], 0, &rows[0]);
    named = texts_of(&streams[1], 0, &rows[1]);
    assert_int_equal(rows[0], WANTED);
    assert_true(rows[1] > 0 && rows[1] <= 3 * WANTED);
    for (char *line = strtok(named, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        (void)snprintf(wanted, sizeof wanted, "\n%s\n", line);
        assert_true(strstr(ids, wanted) != NULL || strncmp(ids, wanted + 1, strlen(line) + 1) == 0);
    }
    free(ids);
    free(named);
    streams[0].release(&streams[0]);
    streams[1].release(&streams[1]);
}

TEST(files_hold_what_streams_hold)
{
    char path[320];
    struct ArrowArrayStream streams[2];
    sbl_sample_options sample;
    sbl_error err = {0};
    size_t rows, size;
    FREED(sbl_synthesizer_free) sbl_synthesizer *synth = fit();
    sbl_sample_options_init(&sample);
    sample.persons = WANTED;
    sample.path = in_folder(folder, "out");
    assert_ok_or_say(sbl_synthesizer_sample(synth, &sample, &err));
    sample.path = NULL;
    sample.streams = streams;
    sample.stream_count = 2;
    assert_ok(sbl_synthesizer_sample(synth, &sample, NULL));
    (void)snprintf(path, sizeof path, "%s/out/visits.csv", folder);
    char *file = slurp(path, &size), *wards = texts_of(&streams[1], 1, &rows);
    assert_non_null(file);
    char *from = wards;
    size_t lines = 0;
    for (const char *line = strchr(file, '\n') + 1; *line != '\0'; lines++) {
        const char *cell = strchr(line, ',') + 1;
        const size_t length = strcspn(cell, "\n") + 1;
        assert_memory_equal(cell, from, length);
        from += length;
        line = cell + length;
    }
    assert_int_equal(lines, rows);
    free(file);
    free(wards);
    streams[0].release(&streams[0]);
    streams[1].release(&streams[1]);
}

TEST(what_linked_tables_cannot_be_drawn_into_is_refused)
{
    struct ArrowArrayStream one, streams[3];
    double ages[WANTED];
    const sbl_column_buffer column = {sizeof column, "age", SBL_VALUES_DOUBLE, ages, NULL};
    sbl_sample_options sample;
    sbl_error err = {0};
    FREED(sbl_synthesizer_free) sbl_synthesizer *synth = fit();
    sbl_sample_options_init(&sample);
    sample.stream = &one;
    assert_int_equal(sbl_synthesizer_sample(synth, &sample, &err), SBL_EARG);
    assert_string_equal(err.message, "the model draws linked tables, not a single table");
    sbl_sample_options_init(&sample);
    sample.columns = &column;
    sample.column_count = 1;
    sample.rows = WANTED;
    assert_int_equal(sbl_synthesizer_sample(synth, &sample, &err), SBL_EARG);
    sbl_sample_options_init(&sample);
    sample.streams = streams;
    sample.stream_count = 3;
    assert_int_equal(sbl_synthesizer_sample(synth, &sample, &err), SBL_EARG);
    assert_string_equal(err.message, "the model draws 2 linked tables, not 3");
    assert_null(streams[0].release);
    sample.stream_count = 2;
    sample.rows = 5;
    assert_int_equal(sbl_synthesizer_sample(synth, &sample, &err), SBL_EARG);
    assert_int_equal(err.hint, SBL_HINT_PERSONS);
    sample.rows = 0;
    sample.where = "people.age > 40";
    assert_int_equal(sbl_synthesizer_sample(synth, &sample, &err), SBL_EARG);
    assert_int_equal(err.hint, SBL_HINT_WHERE);
    sbl_sample_options_init(&sample);
    sample.path = "-";
    assert_int_equal(sbl_synthesizer_sample(synth, &sample, &err), SBL_EARG);
}

TEST(streams_of_one_table_are_refused)
{
    static const char schema_json[] =
        "{\"fields\":[{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,"
        "\"maximum\":99,\"required\":true}}]}";
    static int32_t ages[PERSONS];
    const sbl_values values = {sizeof values, "age", SBL_VALUES_INT32, ages, NULL};
    struct ArrowArrayStream streams[2];
    sbl_synth_options options;
    sbl_sample_options sample;
    sbl_data *data;
    sbl_schema *schema;
    FREED(sbl_synthesizer_free) sbl_synthesizer *synth;
    sbl_error err = {0};
    sbl_synth_options_init(&options);
    options.epsilon = 1;
    assert_ok(sbl_data_new(&data, NULL, NULL));
    assert_ok(sbl_data_append(data, &values, 1, PERSONS, NULL));
    assert_ok(sbl_schema_from_json(&schema, schema_json, strlen(schema_json), NULL, NULL));
    assert_ok(sbl_synthesizer_new(&synth, NULL));
    assert_ok(sbl_synthesizer_fit(synth, data, schema, &options, &err));
    sbl_sample_options_init(&sample);
    sample.streams = streams;
    sample.stream_count = 2;
    assert_int_equal(sbl_synthesizer_sample(synth, &sample, &err), SBL_EARG);
    assert_string_equal(err.message, "the model draws a single table, not linked tables");
    sbl_schema_free(schema);
    sbl_data_free(data);
}

TEST(package_opens_the_files_that_it_names)
{
    static const char with_paths[] =
        "{\"resources\":[{\"name\":\"people\",\"path\":\"p.csv\"},{\"name\":\"visits\",\"path\":"
        "[\"v.csv\"]},{\"name\":\"known\",\"semblance\":{\"public\":true}}]}";
    const char *path = in_folder(folder, "package.json");
    sbl_data_options options;
    sbl_data *data = NULL;
    sbl_error err = {0};
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(with_paths, file) >= 0 && fclose(file) == 0);
    sbl_data_options_init(&options);
    options.package = true;
    assert_int_equal(sbl_data_open(&data, path, &options, &err), SBL_EIO);
    assert_null(data);
    assert_non_null(strstr(err.message, "table 'people': cannot read"));
    for (int i = 0; i < 2; i++) {
        file = fopen(in_folder(folder, i == 0 ? "p.csv" : "v.csv"), "w");
        assert_non_null(file);
        assert_int_equal(fclose(file), 0);
    }
    assert_ok(sbl_data_open(&data, path, &options, &err));
    sbl_data_free(data);
    options.delimiter = ";";
    assert_int_equal(sbl_data_open(&data, path, &options, &err), SBL_EARG);
    options.delimiter = NULL;
    options.images = true;
    assert_int_equal(sbl_data_open(&data, path, &options, &err), SBL_EARG);
}

EACH_TEST(make_folder, remove_folder)
