/* SPDX-License-Identifier: Apache-2.0 */
/* A feature and a method that live outside src, in fewer lines than a page or two, go all the way
 * through the public API: tables and images, certificate, and no more than was charged. */
#include "pipeline/image_run_kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "first_moment.h"
#include "matched_means.h"
#include "records/accumulate/sum.h"
#include "run/pipeline/job.h"
#include "support/by_path.h"
#include "support/key_test.h"
#include "support/option_kit.h"
#include "support/replay_kit.h"
#include "support/verify_with.h"
#include "toy_store.h"

FREES(sbl_free);

enum { ROWS = 60, MEAN_ROWS = 4000 };

static const char schema[] = JSON({"fields":[{"name":"age","type":"integer","constraints":{"minimum":0,
    "maximum":100,"required":true}},{"name":"town","type":"string","constraints":{"enum":["Ayr","Cork"]}},
    {"name":"pay","type":"number","constraints":{"minimum":-1,"maximum":1}},
    {"name":"sick","type":"string","constraints":{"enum":["no","yes"],"required":true}}],"missingValues":[""],
    "semblance":{"label":"sick","task":"classification"}});

static const sbl_method *const own[] = {&method_matched_means, NULL};

/* ---- data and runs ---- */

static sbl_synth_options options_of(sbl_neighbours neighbours, bool images)
{
    sbl_synth_options options = small();
    give(&options, "features", NULL);
    give(&options, "hidden", images ? "12,4,3" : "12");
    options.neighbours = neighbours;
    options.method = method_matched_means.name;
    options.more_methods = own;
    return options;
}

/* The sick are old. `last`, when not NULL, stands in place of the last row; "-": there is none. */
static void write_table(const char *name, size_t rows, const char *last)
{
    FILE *file = fopen(in_folder(folder, name), "w");
    assert_non_null(file);
    (void)fputs("age,town,pay,sick\n", file);
    for (size_t r = 0; r + 1 < rows; r++)
        (void)fprintf(file, "%zu,%s,%.2f,%s\n", (r % 3 == 0 ? 70 : 20) + r % 9, r % 2 == 0 ? "Ayr" : "Cork",
                      (double)(r % 20) / 20, r % 3 == 0 ? "yes" : "no");
    if (last == NULL) last = "100,Ayr,1,yes";
    if (strcmp(last, "-") != 0) (void)fprintf(file, "%s\n", last);
    (void)fclose(file);
}

static int begin(void **unused)
{
    (void)fresh(unused);
    FILE *file = fopen(in_folder(folder, "schema.json"), "w");
    assert_non_null(file);
    (void)fputs(schema, file);
    (void)fclose(file);
    write_table("data.csv", ROWS, NULL);
    return 0;
}

static sbl_status run_table(const char *input, const char *output, uint64_t rows,
                            const sbl_synth_options *options, sbl_error *err)
{
    char data_path[300];
    char out_path[300];
    (void)snprintf(data_path, sizeof data_path, "%s/%s", folder, input);
    (void)snprintf(out_path, sizeof out_path, "%s/%s", folder, output);
    sbl_test_key_set(7);
    return table_run(NULL, data_path, in_folder(folder, "schema.json"), out_path, rows, NULL, options, err);
}

static void load(replayed *run, const char *output, const char *input)
{
    char release[340];
    char ledger[340];
    (void)snprintf(release, sizeof release, "%s/%s.release", folder, output);
    (void)snprintf(ledger, sizeof ledger, "%s/%s.ledger", folder, input);
    replayed_load(run, release, ledger);
}

static double compare_outputs(const char *input, const char *other, const char *what)
{
    replayed a;
    replayed b;
    load(&a, "a", input);
    load(&b, "b", other);
    const double part = replayed_compare(&a, &b, what);
    replayed_clear(&a);
    replayed_clear(&b);
    return part;
}

static double replay_table(const sbl_synth_options *options, const char *last)
{
    sbl_error err = {0};
    (void)remove_folder(NULL);
    (void)begin(NULL);
    write_table("other.csv", ROWS, last);
    must(run_table("data.csv", "a", 0, options, &err), &err);
    must(run_table("other.csv", "b", 0, options, &err), &err);
    return compare_outputs("data.csv", "other.csv", last);
}

static void fit_images(const char *images, const char *labels, const char *out,
                       const sbl_synth_options *options)
{
    sbl_error err = {0};
    paths *p = paths_of(images, labels, out);
    sbl_test_key_set(7);
    must(images_fit(NULL, &p->input, p->out, options, &err), &err);
}

static double replay_images(const sbl_synth_options *options, const image_set *other, size_t count,
                            const char *what)
{
    (void)unlink(in_folder(folder, "images.ledger"));
    (void)unlink(in_folder(folder, "other.ledger"));
    write_set("other", "others", other, count);
    fit_images("images", "labels", "a", options);
    fit_images("other", "others", "b", options);
    return compare_outputs("images", "other", what);
}

static void certificate_holds(const char *output, const char *input)
{
    char certificate[340];
    char ledger[340];
    FREED(sbl_free) char *statement = NULL;
    sbl_error err = {0};
    (void)snprintf(certificate, sizeof certificate, "%s/%s.certificate.json", folder, output);
    (void)snprintf(ledger, sizeof ledger, "%s/%s.ledger", folder, input);
    must(verify_with(&statement, certificate, ledger, &err), &err);
}

/* ---- it works ---- */

TEST(table_is_made_and_its_certificate_holds)
{
    for (int relation = 0; relation < 2; relation++) {
        sbl_error err = {0};
        const sbl_synth_options options = options_of((sbl_neighbours)relation, false);
        (void)remove_folder(NULL);
        (void)begin(NULL);
        must(run_table("data.csv", "out", 25, &options, &err), &err);
        certificate_holds("out", "data.csv");
        size_t lines = 0;
        FREED(free) char *text = slurp(in_folder(folder, "out"), NULL);
        for (const char *c = text; *c != '\0'; c++) lines += *c == '\n';
        assert_int_equal(lines, 26);
    }
}

TEST(images_are_made_and_their_certificate_holds)
{
    for (int which = 0; which < 4; which++) {
        sbl_error err = {0};
        const sbl_synth_options options = options_of((sbl_neighbours)(which % 2), true);
        (void)remove_folder(NULL);
        (void)begin(NULL);
        paths *p = paths_of("images", "labels", "out");
        p->input.balanced = which >= 2;
        must(images_run(NULL, &p->input, &p->output, 12, NULL, &options, &err), &err);
        certificate_holds("out", "images");
        assert_true(exists("out/images-idx3-ubyte.gz"));
    }
}

/* The mean age of a class in a table that was made. */
static double mean_age(const char *name, const char *class)
{
    char *text = slurp(in_folder(folder, name), NULL);
    double sum = 0.0;
    size_t count = 0;
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        const char *label = strrchr(line, ',');
        if (label == NULL || strcmp(label + 1, class) != 0) continue;
        sum += strtod(line, NULL);
        count++;
    }
    free(text);
    assert_true(count > 100);
    return sum / (double)count;
}

TEST(generator_learns_the_means_of_each_class)
{
    sbl_error err = {0};
    sbl_synth_options options = options_of(SBL_REPLACE_ONE, false);
    options.epsilon = 40;
    give(&options, "steps", "400");
    give(&options, "batch", "100");
    give(&options, "learning-rate", "0.02");
    must(run_table("data.csv", "out", MEAN_ROWS, &options, &err), &err);
    assert_true(fabs(mean_age("out", "yes") - 74.5) < 10);
    assert_true(fabs(mean_age("out", "no") - 24) < 10);
}

TEST(plan_says_what_would_be_released)
{
    sbl_error err = {0};
    FREED(sbl_free) char *text = NULL;
    const sbl_synth_options options = options_of(SBL_REPLACE_ONE, false);
    must(table_plan(&text, in_folder(folder, "schema.json"), ROWS, false, &options, &err), &err);
    assert_non_null(strstr(text, feature_first_moment.name));
}

TEST(without_the_caller_s_list_there_is_no_such_method)
{
    sbl_error err = {0};
    sbl_synth_options options = options_of(SBL_REPLACE_ONE, false);
    char release[300];
    must(run_table("data.csv", "out", 5, &options, &err), &err);
    options.method = "nobody-s";
    assert_int_equal(run_table("data.csv", "more", 5, &options, &err), SBL_EARG);
    options.method = method_matched_means.name;
    options.more_methods = NULL;
    assert_int_equal(run_table("data.csv", "more", 5, &options, &err), SBL_EARG);
    (void)snprintf(release, sizeof release, "%s/out.release", folder);
    assert_int_equal(train_files(release, in_folder(folder, "m"), &options, &err), SBL_EINPUT);
    options.more_methods = own;
    must(train_files(release, in_folder(folder, "m"), &options, &err), &err);
    /* The model is one of the library's own kind: whoever has it needs no method. */
    options.more_methods = NULL;
    must(table_sample(in_folder(folder, "m"), in_folder(folder, "rows"), 5, NULL, &options, &err), &err);
}

/* Checked by its row like an option of the library's own methods; what it does is in the plan. */
TEST(option_of_its_own_is_checked_and_reaches_the_plan)
{
    sbl_error err = {0};
    char *text = NULL;
    sbl_synth_options options = options_of(SBL_REPLACE_ONE, false);
    must(sbl_options_set(&options, "mean-weight", "0.5", &err), &err);
    must(table_plan(&text, in_folder(folder, "schema.json"), ROWS, true, &options, &err), &err);
    assert_non_null(strstr(text, "0.5"));
    sbl_free(text);
    assert_int_equal(sbl_options_set(&options, "mean-weight", "-1", &err), SBL_EARG);
    assert_string_equal(err.message, "mean-weight must be a finite number above 0, not '-1'");
    options.method = "merf";
    assert_int_equal(sbl_options_check(&options, NULL, SBL_TABLES, SBL_STEP_FIT, &err), SBL_EARG);
    assert_string_equal(err.message, "mean-weight is not an option of the method merf, but of matched-means");
    options.more_methods = NULL;
    assert_int_equal(sbl_options_check(&options, NULL, SBL_TABLES, SBL_STEP_FIT, &err), SBL_EARG);
    assert_int_equal(sbl_options_set(&options, "mean-weight", "1", &err), SBL_EARG);
}

/* ---- replay ---- */

TEST(neighbouring_tables_differ_only_by_what_was_charged)
{
    static const char *const rows[] = {"100,Ayr,1,no", "0,Cork,-1,yes", "0,,-1,no",
                                       ",,,",          "nan,inf,x,?",   "1e308,Ayr,-1e308,yes"};
    sbl_synth_options options = options_of(SBL_REPLACE_ONE, false);
    double most = 0.0;
    options.health = "off"; /* no pair moves it and the rest most: see test_health */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double part = replay_table(&options, rows[i]);
        if (part > most) most = part;
    }
    /* All at their upper bounds, in another class: the worst there is. */
    assert_true(most > 0.99);
    sbl_synth_options add_remove = options_of(SBL_ADD_REMOVE, false);
    add_remove.health = "off";
    assert_true(replay_table(&add_remove, "-") > 0.99);
}

TEST(neighbouring_image_sets_differ_only_by_what_was_charged)
{
    sbl_synth_options options = options_of(SBL_REPLACE_ONE, true);
    image_set other = data;
    options.overwrite = true;
    memset(data.pixels[IMAGES - 1], 255, SIZE);
    write_set("images", "labels", &data, IMAGES);
    memset(other.pixels[IMAGES - 1], 255, SIZE);
    other.labels[IMAGES - 1] = (uint8_t)((data.labels[IMAGES - 1] + 1) % CLASSES);
    assert_true(replay_images(&options, &other, IMAGES, "a white image of another class") > 0.99);
    other = data;
    memset(other.pixels[IMAGES - 1], 0, SIZE);
    assert_true(replay_images(&options, &other, IMAGES, "white becomes black") > 0.2);
    options.neighbours = SBL_ADD_REMOVE;
    assert_true(replay_images(&options, &data, IMAGES - 1, "one image less") > 0.99);
}

/* A feature that does not keep what it says of itself: a thousand times the numbers. */
static sbl_status add_too_much(sbl_sum *sum, size_t block, const void *made, void *workspace,
                               const sbl_records *records, sbl_error *err)
{
    const size_t width = ((const sbl_facts *)made)->shape.numeric;
    double *values = workspace;
    for (size_t i = 0; i < records->rows * width; i++) values[i] = 1000 * records->numeric[i];
    return sbl_sum_add_f64(sum, block, 0, width, values, width, err);
}

TEST(feature_that_breaks_its_word_moves_no_more_than_was_charged)
{
    sbl_feature greedy = feature_first_moment;
    sbl_method method = method_matched_means;
    const sbl_feature *const features[] = {&greedy, NULL};
    const sbl_method *const methods[] = {&method, NULL};
    greedy.add = add_too_much;
    method.features = features;
    for (int relation = 0; relation < 2; relation++) {
        sbl_synth_options options = options_of((sbl_neighbours)relation, false);
        options.more_methods = methods;
        (void)replay_table(&options, relation == 0 ? "0,Cork,1,no" : "-");
        if (relation == 0) (void)replay_table(&options, "100,Cork,1,no");
    }
}

/* ---- a store ---- */

/* What is kept elsewhere is kept in the same order: no release before its charge, none listed before it is
 * committed. */
TEST(store_of_the_caller_serves_a_fit)
{
    static toy_store toy;
    sbl_error err = {0};
    sbl_synth_options options = options_of(SBL_REPLACE_ONE, true);
    uint32_t labels[IMAGES];
    for (size_t i = 0; i < IMAGES; i++) labels[i] = data.labels[i];
    sbl_data *toys;
    sbl_pixels images;
    sbl_pixels_init(&images);
    images.pixels = data.pixels[0];
    images.labels = labels;
    images.count = IMAGES;
    images.height = HEIGHT;
    images.width = WIDTH;
    images.classes = CLASSES;
    must(sbl_data_from_pixels(&toys, &images, "toys", &err), &err);
    toy_store_init(&toy);
    const sbl_store_entry model = {&toy.store, "model"};
    const sbl_store_entry release = {&toy.store, SBL_KEPT_RELEASE};
    const sbl_store_entry certificate = {&toy.store, SBL_KEPT_CERTIFICATE};
    const sbl_job job = {
        .kind = SBL_DATA_IMAGES, .data = toys, .store = &toy.store, .model = model, .options = &options};
    must(sbl_job_run(NULL, &job, &err), &err);
    assert_string_equal(toy.trace,
                        "write release.ledger\nappend op=RESERVE\nwrite release\n"
                        "append op=COMMIT\nwrite certificate.json\nwrite model\n"
                        "write certificate.json\n");
    assert_int_equal(toy.locks, 0);
    /* and again from there, at no cost */
    options.overwrite = true;
    must(sbl_train_from(release, certificate, model, &options, &err), &err);
    assert_ok(sbl_job_run(NULL, &job, &err));
    must(sbl_job_resume(NULL, &job, &err), &err);
    sbl_data_free(toys);
}

/* ---- the promise ---- */

static size_t lines_in(const char *path)
{
    size_t lines = 0;
    char *text = slurp(path, NULL);
    assert_non_null(text);
    for (const char *c = text; *c != '\0'; c++) lines += *c == '\n';
    free(text);
    return lines;
}

TEST(feature_and_method_and_store_are_short)
{
    assert_in_range(lines_in(SBL_TEST_SOURCE_DIR "/framework/first_moment.c"), 1, 119);
    assert_in_range(lines_in(SBL_TEST_SOURCE_DIR "/framework/matched_means.c"), 1, 79);
    assert_in_range(lines_in(SBL_TEST_SOURCE_DIR "/framework/toy_store.c"), 1, 99);
}

EACH_TEST(begin, remove_folder)
