/* SPDX-License-Identifier: Apache-2.0 */
/* Every n-th allocation of a whole job in memory fails: the call says so, everything is given back (the leak checker of
 * the instrumented build looks), no folder stays, and no release is there that the ledger was not charged for. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/memory_kit.h"
#include "semblance/evaluate.h"
#include "semblance/ledger.h"
#include "semblance/synthesizer.h"
#include "support/arrow_kit.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/one_folder.h"
#include "support/option_kit.h"

#define ROWS 30

static char ledger_path[320];
static kit_cell numbers[ROWS], words[ROWS];
static const kit_column columns[] = {{.name = "x", .format = "g", .cells = numbers},
                                     {.name = "y", .format = "u", .cells = words}};
static kit_table table = {.columns = columns, .column_count = 2, .rows = ROWS, .chunk = 20};
static const char schema_json[] =
    JSON({"fields":[{"name":"x","type":"number","constraints":{"minimum":0,
    "maximum":30}},{"name":"y","type":"string","constraints":{"enum":["a","b"]}}]});

AROUND(setup)
{
    temp_folder_make(folder);
    (void)snprintf(ledger_path, sizeof ledger_path, "%s", in_folder(folder, "data.ledger"));
    for (int r = 0; r < ROWS; r++) {
        numbers[r].number = r;
        words[r].text = r % 3 == 0 ? "a" : "b";
    }
}

static void make_ledger(void)
{
    sbl_ledger_options book;
    sbl_ledger_options_init(&book);
    (void)unlink(ledger_path);
    assert_ok(sbl_ledger_init(ledger_path, &book, NULL));
}

static uint64_t charges(void)
{
    sbl_ledger *ledger;
    sbl_ledger_summary summary = {.struct_size = sizeof summary};
    assert_ok(sbl_ledger_open(&ledger, ledger_path, NULL));
    assert_ok(sbl_ledger_get_summary(ledger, &summary, NULL));
    sbl_ledger_close(ledger);
    return summary.releases;
}

/* All batches of what is drawn. */
static sbl_status read_stream(struct ArrowArrayStream *stream)
{
    struct ArrowSchema schema;
    struct ArrowArray batch;
    if (stream->get_schema(stream, &schema) != 0) return SBL_EMEM;
    schema.release(&schema);
    for (;;) {
        if (stream->get_next(stream, &batch) != 0) return SBL_EMEM;
        if (batch.release == NULL) return SBL_OK;
        batch.release(&batch);
    }
}

/* From data to rows; whatever fails ends it. */
static sbl_status whole_job(sbl_synthesizer *synth, bool by_buffers, sbl_error *err)
{
    sbl_schema *schema = NULL;
    sbl_data *data = NULL;
    struct ArrowArrayStream stream = {0};
    sbl_synth_options options;
    sbl_sample_options sample;
    double xs[ROWS];
    const char *ys[ROWS];
    for (int r = 0; r < ROWS; r++) {
        xs[r] = numbers[r].number;
        ys[r] = words[r].text;
    }
    const sbl_values values[] = {{sizeof values[0], "x", SBL_VALUES_DOUBLE, xs, NULL},
                                 {sizeof values[0], "y", SBL_VALUES_TEXT, ys, NULL}};
    sbl_synth_options_init(&options);
    options.method = "marginals";
    options.epsilon = 1;
    options.threads = 1;
    options.ledger_path = ledger_path;
    sbl_sample_options_init(&sample);
    sample.rows = 50;
    sbl_status status = sbl_schema_from_json(&schema, schema_json, strlen(schema_json), NULL, err);
    if (status == SBL_OK)
        status = by_buffers ? sbl_data_new(&data, NULL, err) : kit_data_opened(&data, kit_open, &table, err);
    if (status == SBL_OK && by_buffers) status = sbl_data_append(data, values, 2, ROWS, err);
    if (status == SBL_OK) status = sbl_synthesizer_fit(synth, data, schema, &options, err);
    if (status == SBL_OK) status = kit_sample_stream(synth, &stream, &sample, err);
    if (status == SBL_OK) status = read_stream(&stream);
    if (stream.release != NULL) stream.release(&stream);
    sbl_data_free(data);
    sbl_schema_free(schema);
    return status;
}

static void fail_each(bool by_buffers)
{
    uint64_t released = 0;
    long tried = 0;
    /* One by one at first, then every so many: a job has thousands. */
    for (long n = 1;; n += n < 150 ? 1 : n / 25) {
        sbl_synthesizer *synth;
        sbl_error err = {0};
        make_ledger();
        assert_ok(sbl_synthesizer_new(&synth, NULL));
        sbl_test_fail_alloc(n);
        const sbl_status status = whole_job(synth, by_buffers, &err);
        const bool failed = sbl_test_fail_end();
        released = kit_facts(synth).releases;
        assert_true(released <= charges());
        if (status != SBL_OK) assert_int_equal(status, SBL_EMEM);
        sbl_synthesizer_free(synth);
        assert_int_equal(kit_alive, 0);
        assert_int_equal(leftovers(), 0);
        tried++;
        if (!failed) break;
    }
    assert_true(released == 1 && tried > 150);
}

TEST(no_allocation_of_streams_is_trusted) { fail_each(false); }

TEST(no_allocation_of_buffers_is_trusted) { fail_each(true); }

/* ---- comparisons and pages ---- */

#define IMAGES 24
static kit_images pictures;
static sbl_synthesizer *of_images; /* brings model and certificate */

static void fit_images(void)
{
    sbl_synth_options options;
    pictures = kit_bars(IMAGES, 1);
    sbl_data *data = kit_image_data(&pictures, KIT_CLASSES, NULL);
    sbl_synth_options_init(&options);
    options.method = "merf";
    options.epsilon = 3;
    options.threads = 1;
    give(&options, "features", "32");
    give(&options, "steps", "1");
    give(&options, "batch", "4");
    OK(sbl_synthesizer_new(&of_images, err));
    OK(sbl_synthesizer_fit(of_images, data, NULL, &options, err));
    sbl_data_free(data);
}

static sbl_status image_handle(sbl_data **data, sbl_error *err)
{
    sbl_pixels pixels;
    sbl_pixels_init(&pixels);
    pixels.pixels = pictures.pixels;
    pixels.labels = pictures.labels;
    pixels.count = IMAGES;
    pixels.height = pixels.width = KIT_SIDE;
    pixels.classes = KIT_CLASSES;
    return sbl_data_from_pixels(data, &pixels, NULL, err);
}

/* What a call has left: nothing, where it failed. */
static void let_go(sbl_status status, char *const texts[2])
{
    for (size_t i = 0; i < 2; i++) {
        assert_true((status == SBL_OK) == (texts[i] != NULL));
        sbl_free(texts[i]);
    }
}

static sbl_status compare_images(sbl_error *err)
{
    sbl_evaluate_options options;
    sbl_data *data = NULL;
    char *texts[2] = {NULL, NULL};
    sbl_evaluate_options_init(&options);
    options.models = "mlp";
    options.threads = 1;
    sbl_status status = image_handle(&data, err);
    if (status == SBL_OK) status = sbl_evaluate(&texts[0], &texts[1], data, data, data, NULL, &options, err);
    let_go(status, texts);
    sbl_data_free(data);
    return status;
}

static sbl_status compare_tables(sbl_error *err)
{
    sbl_evaluate_options options;
    sbl_data *data = NULL;
    sbl_schema *schema = NULL;
    char *texts[2] = {NULL, NULL};
    sbl_evaluate_options_init(&options);
    options.models = "none";
    options.threads = 1;
    sbl_status status = sbl_schema_from_json(&schema, schema_json, strlen(schema_json), NULL, err);
    if (status == SBL_OK) status = kit_data_opened(&data, kit_open, &table, err);
    if (status == SBL_OK)
        status = sbl_evaluate(&texts[0], &texts[1], data, data, data, schema, &options, err);
    let_go(status, texts);
    sbl_data_free(data);
    sbl_schema_free(schema);
    return status;
}

static sbl_status show_images(sbl_error *err)
{
    sbl_report_options options;
    char *page = NULL;
    sbl_report_options_init(&options);
    options.synth = of_images;
    sbl_status status = image_handle(&options.synthetic, err);
    if (status == SBL_OK) status = sbl_report(&page, &options, err);
    sbl_data_free(options.synthetic);
    assert_true((status == SBL_OK) == (page != NULL));
    sbl_free(page);
    return status;
}

static sbl_synthesizer *of_coordinates; /* of a projected model */

static void fit_coordinates(void)
{
    sbl_synth_options options;
    sbl_data *data = NULL;
    sbl_schema *schema = NULL;
    sbl_synth_options_init(&options);
    options.method = "ron-gauss";
    options.epsilon = 3;
    options.threads = 1;
    give(&options, "space", "projected");
    give(&options, "dimensions", "1");
    OK(sbl_schema_from_json(&schema, schema_json, strlen(schema_json), NULL, err));
    OK(kit_data_opened(&data, kit_open, &table, err));
    OK(sbl_synthesizer_new(&of_coordinates, err));
    OK(sbl_synthesizer_fit(of_coordinates, data, schema, &options, err));
    sbl_data_free(data);
    sbl_schema_free(schema);
}

static sbl_status project_table(sbl_error *err)
{
    struct ArrowArrayStream stream = {0};
    char matrix[320];
    sbl_project_options options;
    sbl_data *data = NULL;
    sbl_project_options_init(&options);
    (void)snprintf(matrix, sizeof matrix, "%s", in_folder(folder, "matrix.csv"));
    (void)unlink(matrix);
    options.stream = &stream;
    options.matrix = matrix;
    options.threads = 1;
    sbl_status status = kit_data_opened(&data, kit_open, &table, err);
    if (status == SBL_OK) status = sbl_project(of_coordinates, data, &options, err);
    if (status == SBL_OK) status = read_stream(&stream);
    if (stream.release != NULL) stream.release(&stream);
    (void)unlink(matrix);
    sbl_data_free(data);
    return status;
}

/* Whatever cannot be had ends the call, and says why. */
TEST(no_allocation_of_a_look_is_trusted)
{
    static sbl_status (*const looks[])(sbl_error * err) = {compare_images, compare_tables, show_images,
                                                           project_table};
    fit_images();
    fit_coordinates();
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        long tried = 0;
        for (long n = 1;; n += n < 100 ? 1 : n / 12, tried++) {
            sbl_error err = {0};
            sbl_test_fail_alloc(n);
            const sbl_status status = looks[i](&err);
            const bool failed = sbl_test_fail_end();
            assert_int_equal(status, failed ? SBL_EMEM : SBL_OK);
            assert_true(kit_alive == 0 && leftovers() == 0);
            if (!failed) break;
        }
        assert_true(tried > 30);
    }
    sbl_synthesizer_free(of_images);
    sbl_synthesizer_free(of_coordinates);
    kit_images_free(&pictures);
}

ALL_TESTS(setup, remove_folder)
