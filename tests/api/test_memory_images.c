/* SPDX-License-Identifier: Apache-2.0 */
/* Images that are compared, reported and shown without a file: the same documents and pages as of files that hold the same
 * bytes; progress that rises and is heard wherever it says stop; what is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "after/sinks/image_writer.h"
#include "api/memory_kit.h"
#include "semblance/report.h"
#include "semblance/synthesizer.h"
#include "support/by_path.h"
#include "support/one_folder.h"
#include "support/option_kit.h"

FREES(sbl_data_free);

enum { REAL, SYNTHETIC, TRAIN, SETS };
static const size_t counts[SETS] = {45, 60, 300}; /* read by 256 */
static const char *const names[SETS] = {"real", "synthetic", "train"};

static char paths[SETS][300];
static kit_images images[SETS];
static sbl_synthesizer *synth; /* of images; brings a certificate */

/* As 'synth --images -o FOLDER' leaves a set. */
static void write_set(const char *place, const kit_images *set)
{
    char pixels[340], labels[340];
    const sbl_image_write_options options = {SBL_IMAGE_IDX, .shape = {KIT_SIDE, KIT_SIDE, 1},
                                             .count = set->count, .classes = KIT_CLASSES};
    sbl_image_writer *writer;
    assert_int_equal(mkdir(place, 0700), 0);
    (void)snprintf(pixels, sizeof pixels, "%s/images-idx3-ubyte.gz", place);
    (void)snprintf(labels, sizeof labels, "%s/labels-idx1-ubyte.gz", place);
    OK(sbl_image_writer_open(&writer, pixels, labels, &options, err));
    OK(sbl_image_write(writer, set->pixels, set->labels, set->count, err));
    OK(sbl_image_writer_finish(writer, err));
    sbl_image_writer_free(writer);
}

static void fit_images(void)
{
    sbl_synth_options options;
    FREED(sbl_data_free) sbl_data *data = kit_image_data(&images[TRAIN], KIT_CLASSES, NULL);
    sbl_synth_options_init(&options);
    options.method = "merf";
    options.epsilon = 3;
    options.threads = 1;
    give(&options, "features", "64");
    give(&options, "steps", "3");
    give(&options, "batch", "10");
    OK(sbl_synthesizer_new(&synth, err));
    OK(sbl_synthesizer_fit(synth, data, NULL, &options, err));
}

AROUND(setup)
{
    temp_folder_make(folder);
    for (size_t i = 0; i < SETS; i++) {
        (void)snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
        images[i] = kit_bars(counts[i], i + 1);
        write_set(paths[i], &images[i]);
    }
    fit_images();
}

AROUND(teardown)
{
    sbl_synthesizer_free(synth);
    for (size_t i = 0; i < SETS; i++) kit_images_free(&images[i]);
    temp_folder_remove(folder);
}

static sbl_evaluate_options evaluation(const char *models)
{
    sbl_evaluate_options options;
    sbl_evaluate_options_init(&options);
    options.models = models;
    options.seed = 3;
    options.threads = 1;
    return options;
}

/* ---- the same as of files ---- */

typedef struct outcome {
    char *json, *text, *report;
} outcome;

static void free_outcome(outcome *o)
{
    sbl_free(o->json);
    sbl_free(o->text);
    sbl_free(o->report);
}

static sbl_report_options page_of(sbl_data *synthetic, bool certified)
{
    return (sbl_report_options){
        .struct_size = sizeof(sbl_report_options),
        .certificate = certified ? sbl_synthesizer_text(synth, SBL_TEXT_CERTIFICATE) : NULL,
        .synthetic = synthetic,
        .title = "A title"};
}

static outcome compare_sets(sbl_data *const sets[SETS], const sbl_evaluate_options *options, bool with_train,
                            bool certified)
{
    outcome found = {0};
    sbl_report_options page = page_of(sets[SYNTHETIC], certified);
    OK(sbl_evaluate(&found.json, &found.text, sets[REAL], sets[SYNTHETIC], with_train ? sets[TRAIN] : NULL,
                    NULL, options, err));
    page.evaluation = found.json;
    OK(sbl_report(&found.report, &page, err));
    for (size_t i = 0; i < SETS; i++) sbl_data_free(sets[i]);
    return found;
}

/* Handles are called by the paths, so that not a byte differs. */
static void assert_same(const sbl_evaluate_options *options, bool with_train, bool certified)
{
    sbl_data *in_files[SETS], *in_memory[SETS];
    sbl_data_options reading;
    sbl_data_options_init(&reading);
    reading.images = true;
    reading.classes = KIT_CLASSES;
    for (size_t i = 0; i < SETS; i++) {
        OK(sbl_data_open(&in_files[i], paths[i], &reading, err));
        in_memory[i] = kit_image_data(&images[i], KIT_CLASSES, paths[i]);
    }
    outcome files = compare_sets(in_files, options, with_train, certified);
    CLEARED(free_outcome) outcome memory = compare_sets(in_memory, options, with_train, certified);
    assert_string_equal(memory.report, files.report);
    assert_string_equal(memory.json, files.json);
    assert_string_equal(memory.text, files.text);
    assert_non_null(strstr(memory.json, "NOT PRIVATE"));
    assert_non_null(strstr(memory.text, "NOT PRIVATE"));
    assert_non_null(strstr(memory.report, "NOT PRIVATE"));
    assert_true((strstr(memory.report, "id=\"preview\"") != NULL) == certified);
    free_outcome(&files);
}

TEST(memory_says_what_files_say)
{
    sbl_evaluate_options options = evaluation("logistic");
    assert_same(&options, true, true);
    options = evaluation(NULL);
    options.threads = 2;
    assert_same(&options, false, true);
    options = evaluation("none");
    assert_same(&options, false, false);
    assert_int_equal(leftovers(), 0);
}

TEST(a_public_page_shows_synthetic_images_only)
{
    FREED(sbl_data_free) sbl_data *data = kit_image_data(&images[SYNTHETIC], KIT_CLASSES, "synthetic");
    sbl_report_options options = page_of(data, true);
    char *page;
    OK(sbl_report(&page, &options, err));
    assert_non_null(strstr(page, "id=\"preview\""));
    assert_non_null(strstr(page, "They were not checked against"));
    assert_null(strstr(page, "NOT PRIVATE</"));
    sbl_free(page);
    options.synthetic = NULL;
    OK(sbl_report(&page, &options, err));
    assert_null(strstr(page, "id=\"preview\""));
    sbl_free(page);
    options = page_of(data, false);
    REFUSED(SBL_EARG, "needs a certificate", sbl_report(&page, &options, err));
    options.certificate = "{}";
    options.check_only = true;
    REFUSED(SBL_EINPUT, "certificate", sbl_report(NULL, &options, err));
    assert_null(page);
}

/* The page of a set that a model drew: from files and from memory the same, also after the model was saved and loaded. */
TEST(a_model_shows_what_it_draws)
{
    sbl_sample_options draw;
    sbl_synthesizer *loaded;
    kit_images drawn = kit_bars(50, 1);
    sbl_data_options reading;
    sbl_report_options options = {.struct_size = sizeof options, .synth = synth};
    char *pages[3];
    OK(sbl_synthesizer_new(&loaded, err));
    OK(sbl_synthesizer_save(synth, NULL, NULL, in_folder(folder, "model"), true, err));
    OK(sbl_synthesizer_load(loaded, NULL, 0, in_folder(folder, "model"), err));
    sbl_sample_options_init(&draw);
    draw.rows = 50;
    draw.seed = 9;
    OK(kit_sample_images(synth, drawn.pixels, drawn.labels, &draw, err));
    draw.path = in_folder(folder, "drawn");
    OK(sbl_synthesizer_sample(synth, &draw, err));
    sbl_data_options_init(&reading);
    reading.images = true;
    OK(sbl_data_open(&options.synthetic, draw.path, &reading, err));
    options.path = in_folder(folder, "page.html");
    OK(sbl_report(&pages[0], &options, err));
    char *written = slurp(options.path, NULL);
    REFUSED(SBL_EIO, "exists", sbl_report(NULL, &options, err));
    sbl_data_free(options.synthetic);
    options.path = NULL;
    options.synthetic = kit_image_data(&drawn, KIT_CLASSES, "drawn");
    OK(sbl_report(&pages[1], &options, err));
    options.synth = loaded;
    OK(sbl_report(&pages[2], &options, err));
    assert_string_equal(pages[0], written);
    assert_null(strstr(written, "NOT PRIVATE</"));
    assert_non_null(strstr(written, "id=\"preview\""));
    assert_null(strstr(written, "They were not checked against"));
    assert_string_equal(pages[1], written);
    assert_non_null(strstr(pages[2], "id=\"preview\"")); /* its certificate names no model */
    for (size_t i = 0; i < 3; i++) sbl_free(pages[i]);
    free(written);
    kit_images_free(&drawn);
    sbl_data_free(options.synthetic);
    sbl_synthesizer_free(loaded);
}

/* ---- progress ---- */

typedef struct listener {
    char parts[400]; /* names, each once, in the order of their first calls */
    uint64_t last;
    long calls, stop; /* stop: at this call; 0: never */
    unsigned threads; /* 0: one, and calls can be counted; with more they depend on who gets which row */
} listener;

static int listen(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    listener *l = context;
    const size_t used = strlen(l->parts), size = strlen(what);
    assert_true(step >= l->last && step <= steps && loss == 0.0);
    l->last = step;
    if (used < size + 1 || strncmp(l->parts + used - size - 1, what, size) != 0)
        (void)snprintf(l->parts + used, sizeof l->parts - used, "%s ", what);
    return ++l->calls == l->stop;
}

static sbl_status listened(listener *l, sbl_data *const data[SETS], const sbl_schema *schema,
                           const char *models, sbl_error *err)
{
    char *json = NULL, *text = NULL;
    sbl_evaluate_options options = evaluation(models);
    options.threads = l->threads != 0 ? l->threads : 1;
    options.progress = listen;
    options.context = l;
    const sbl_status status =
        sbl_evaluate(&json, &text, data[REAL], data[SYNTHETIC], data[TRAIN], schema, &options, err);
    if (status != SBL_OK) assert_true(json == NULL && text == NULL);
    sbl_free(json);
    sbl_free(text);
    return status;
}

/* Stop at calls all over the study; each is heard at once: there is no further call. */
static void stop_everywhere(sbl_data *const data[SETS], const sbl_schema *schema, const char *models,
                            const char *parts, long least_calls)
{
    listener all = {0};
    OK(listened(&all, data, schema, models, err));
    assert_string_equal(all.parts, parts);
    assert_true(all.calls >= least_calls);
    for (long stop = 1; stop <= all.calls; stop += 1 + all.calls / 7) {
        listener one = {.stop = stop};
        REFUSED(SBL_ESTOPPED, "stopped", listened(&one, data, schema, models, err));
        assert_int_equal(one.calls, stop);
    }
    listener team = {.stop = all.calls / 3, .threads = 2};
    REFUSED(SBL_ESTOPPED, "stopped", listened(&team, data, schema, models, err));
}

TEST(images_are_stopped_wherever_they_are)
{
    sbl_data *data[SETS];
    for (size_t i = 0; i < SETS; i++) {
        kit_images few = images[i];
        few.count = 30;
        data[i] = kit_image_data(&few, KIT_CLASSES, names[i]);
    }
    stop_everywhere(data, NULL, "cnn", "reading utility frechet closest pictures ", 250);
    for (size_t i = 0; i < SETS; i++) sbl_data_free(data[i]);
}

TEST(tables_are_stopped_wherever_they_are)
{
    enum { ROWS = 120 };
    static const char json[] =
        JSON({"fields":[{"name":"x","type":"number","constraints":{"minimum":0,
        "maximum":120}},{"name":"y","type":"string","constraints":{"enum":["a","b"]}}],
        "semblance":{"label":"y","task":"classification"}});
    static double xs[ROWS];
    static const char *ys[ROWS];
    sbl_schema *schema;
    sbl_data *data[SETS];
    for (size_t r = 0; r < ROWS; r++) {
        xs[r] = (double)(r * 37 % ROWS);
        ys[r] = xs[r] > 50 ? "a" : "b";
    }
    const sbl_values values[] = {{sizeof values[0], "x", SBL_VALUES_DOUBLE, xs, NULL},
                                 {sizeof values[0], "y", SBL_VALUES_TEXT, ys, NULL}};
    OK(sbl_schema_from_json(&schema, json, strlen(json), NULL, err));
    for (size_t i = 0; i < SETS; i++) {
        OK(sbl_data_new(&data[i], names[i], err));
        OK(sbl_data_append(data[i], values, 2, ROWS - 10 * i, err));
    }
    stop_everywhere(data, schema, "mlp",
                    "reading columns marginals association mmd histories utility disclosure ", 400);
    for (size_t i = 0; i < SETS; i++) sbl_data_free(data[i]);
    sbl_schema_free(schema);
    assert_int_equal(leftovers(), 0);
}

/* ---- refusals ---- */

static sbl_status compare(sbl_data *real, sbl_data *synthetic, sbl_data *train, const sbl_schema *schema,
                          sbl_error *err)
{
    const sbl_evaluate_options options = evaluation("none");
    char *json;
    const sbl_status status = sbl_evaluate(&json, NULL, real, synthetic, train, schema, &options, err);
    assert_null(json);
    return status;
}

TEST(what_does_not_match_is_refused_by_name)
{
    static const char json[] = "{\"fields\":[{\"name\":\"x\",\"type\":\"boolean\"}]}";
    sbl_evaluate_options options = evaluation("none");
    CLEARED(kit_images_free) kit_images nothing = kit_bars(0, 1);
    sbl_data *real = kit_image_data(&images[REAL], KIT_CLASSES, "holdout");
    sbl_data *bare = kit_image_data(&images[SYNTHETIC], 0, "bare");
    sbl_data *other = kit_image_data(&images[SYNTHETIC], 4, "other");
    FREED(sbl_data_free) sbl_data *none = kit_image_data(&nothing, KIT_CLASSES, "empty");
    sbl_schema *schema;
    sbl_data *table;
    OK(sbl_data_new(&table, "a table", err));
    OK(sbl_schema_from_json(&schema, json, strlen(json), NULL, err));
    REFUSED(SBL_EARG, "real", compare(NULL, real, NULL, NULL, err));
    REFUSED(SBL_EARG, "synthetic", compare(real, NULL, NULL, NULL, err));
    REFUSED(SBL_EARG, "no schema", compare(real, real, NULL, schema, err));
    REFUSED(SBL_EARG, "a table holds a table", compare(real, table, NULL, NULL, err));
    REFUSED(SBL_EARG, "schema", compare(table, real, NULL, NULL, err));
    REFUSED(SBL_EINPUT, "bare has no labels", compare(real, bare, NULL, NULL, err));
    REFUSED(SBL_EINPUT, "other: the images have 4", compare(real, real, other, NULL, err));
    REFUSED(SBL_EINPUT, "empty holds no images", compare(real, none, NULL, NULL, err));
    REFUSED(SBL_EARG, "options", sbl_evaluate(NULL, NULL, real, real, NULL, NULL, NULL, err));
    options.threads = 5000;
    REFUSED(SBL_EARG, "threads", sbl_evaluate(NULL, NULL, real, real, NULL, NULL, &options, err));
    sbl_schema_free(schema);
    sbl_data_free(table);
    sbl_data_free(real);
    sbl_data_free(bare);
    sbl_data_free(other);
}

ALL_TESTS(setup, teardown)
