/* SPDX-License-Identifier: Apache-2.0 */
/* Runs over images that do not get to their end: what is refused before anything is charged, what
 * is kept when they fail after it, and what they say. */
#include "image_run_kit.h"
#include "support/by_path.h"
#include "support/option_kit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int stop_in_training(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    (void)context;
    (void)loss;
    return strcmp(what, "training") == 0 && step > 2 && steps > 0;
}

TEST(stopping_during_training_keeps_the_release)
{
    sbl_error err = {0};
    char release[320], model[300];
    sbl_synth_options options = small();
    options.progress = stop_in_training;
    paths *p = paths_of("images", "labels", "out");
    assert_int_equal(images_run(NULL, &p->input, &p->output, 0, NULL, &options, &err), SBL_ESTOPPED);
    assert_non_null(strstr(err.message, "out.release), and going on"));
    assert_int_equal(err.hint, SBL_HINT_TRAIN);
    assert_false(exists("out/images-idx3-ubyte.gz"));
    options.progress = NULL;
    (void)snprintf(release, sizeof release, "%s/out.release", folder);
    (void)snprintf(model, sizeof model, "%s/m.safetensors", folder);
    must(train_files(release, model, &options, &err), &err);
}

/* Where the images go when the training is over: their place is taken. */
static int take_place(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    (void)context;
    (void)loss;
    if (strcmp(what, "training") != 0 || step != steps) return 0;
    (void)mkdir(in_folder(folder, "out"), 0700);
    FILE *file = fopen(in_folder(folder, "out/images-idx3-ubyte.gz"), "w");
    assert_non_null(file);
    (void)fclose(file);
    return 0;
}

static int stop_in_sampling(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    (void)context, (void)step, (void)steps, (void)loss;
    return strcmp(what, "sampling") == 0;
}

/* Any failure after the charge says how to go on. */
TEST(release_is_kept_when_sampling_fails_after_training)
{
    for (int i = 0; i < 2; i++) {
        sbl_error err = {0};
        char release[320], model[300];
        sbl_synth_options options = small();
        start_afresh();
        options.progress = i == 0 ? take_place : stop_in_sampling;
        paths *p = paths_of("images", "labels", "out");
        assert_int_equal(images_run(NULL, &p->input, &p->output, 0, NULL, &options, &err),
                         i == 0 ? SBL_EIO : SBL_ESTOPPED);
        assert_non_null(strstr(
            err.message, i == 0 ? "out.release), and is not paid for again" : "out.release), and going on"));
        assert_int_equal(err.hint, i == 0 ? SBL_HINT_RESUME : SBL_HINT_TRAIN);
        assert_int_equal(exists("out"), i == 0); /* it was not empty */
        options.progress = NULL;
        (void)snprintf(release, sizeof release, "%s/out.release", folder);
        (void)snprintf(model, sizeof model, "%s/m.safetensors", folder);
        must(train_files(release, model, &options, &err), &err);
        p = paths_of("images", "labels", "more");
        must(images_sample(model, &p->output, 0, NULL, &options, &err), &err);
    }
}

TEST(outputs_that_cannot_be_are_refused_before_any_charge)
{
    static const char *const names[] = {"-", "", ".", "..", "/", "//", "./", "x/..", "x/../"};
    sbl_error err = {0};
    char preview[300];
    sbl_synth_options options = small();
    char release[300];
    (void)snprintf(release, sizeof release, "%s/no.release", folder);
    options.release_path = release; /* else beside the folder */
    paths *p = paths_of("images", "labels", "out");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        p->output.folder = names[i];
        assert_int_equal(images_run(NULL, &p->input, &p->output, 5, NULL, &options, &err), SBL_EARG);
        assert_non_null(strstr(err.message, "a folder of their own"));
    }
    options = small();
    p = paths_of("images", "labels", "out");
    (void)snprintf(preview, sizeof preview, "%s/out/../out/grid.png", folder);
    p->output.preview = preview;
    p->output.format = SBL_IMAGES_PNG;
    assert_int_equal(images_run(NULL, &p->input, &p->output, 5, NULL, &options, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "would be in the folder of PNG images"));
    (void)snprintf(preview, sizeof preview, "%s/elsewhere/grid.png", folder);
    assert_int_equal(images_run(NULL, &p->input, &p->output, 5, NULL, &options, &err), SBL_EIO);
    assert_false(exists("out"));
    (void)mkdir(in_folder(folder, "out"), 0700); /* empty, but not ours to replace */
    p->output.preview = NULL;
    assert_int_equal(images_run(NULL, &p->input, &p->output, 5, NULL, &options, &err), SBL_EIO);
    assert_true(exists("out"));
    assert_false(exists("out.release"));
    assert_false(exists("images.ledger"));
    /* In the folder of an IDX pair the preview has a place, also in one that is not there yet. */
    (void)rmdir(in_folder(folder, "out"));
    p->output.format = SBL_IMAGES_IDX;
    (void)snprintf(preview, sizeof preview, "%s/out/grid.png", folder);
    p->output.preview = preview;
    must(images_run(NULL, &p->input, &p->output, 5, NULL, &options, &err), &err);
    assert_true(exists("out/grid.png"));
}

static sbl_status try(const char *images, const char *labels, sbl_synth_options options, sbl_error *err)
{
    paths *p = paths_of(images, labels, "out");
    return images_run(NULL, &p->input, &p->output, 0, NULL, &options, err);
}

TEST(refusals_come_before_any_charge)
{
    sbl_error err = {0};
    sbl_synth_options options = small();
    write_set("fewer", "labels_of_fewer", &data, IMAGES - 1);
    assert_int_equal(try("images", "labels_of_fewer", options, &err), SBL_EINPUT);
    assert_int_equal(try("nowhere", "labels", options, &err), SBL_EIO);
    options.epsilon = 0;
    assert_int_equal(try("images", "labels", options, &err), SBL_EARG);
    options = small();
    options.delta = 1;
    assert_int_equal(try("images", "labels", options, &err), SBL_EARG);
    options = small();
    options.method = "marginals";
    assert_int_equal(try("images", "labels", options, &err), SBL_EARG);
    options = small();
    options.pure = true; /* random features have no L1 bound */
    assert_int_equal(try("images", "labels", options, &err), SBL_EARG);
    options = small();
    give(&options, "features", "3");
    assert_int_equal(try("images", "labels", options, &err), SBL_EARG);
    for (int i = 0; i < 17; i++) {
        options = small();
        if (i == 0) give(&options, "batch", "1");
        if (i == 1) give(&options, "batch", "100001");
        if (i == 2) give(&options, "steps", "200000000");
        if (i == 3) give(&options, "learning-rate", "2");
        if (i == 4) give(&options, "latent", "100000000");
        if (i == 5) give(&options, "hidden", "12,4");
        if (i == 6) give(&options, "hidden", "1,1,1,1,1,1,1,1,1");
        if (i == 7) give(&options, "hidden", "65537,4,3");
        if (i == 8) give(&options, "hidden", "12,1025,3");
        if (i == 9) give(&options, "hidden", "65536,65536,65536");
        if (i == 10) give(&options, "bins", "5");
        if (i == 11) give(&options, "geometry", "clip");
        if (i == 12) give(&options, "space", "original");
        if (i == 13) give(&options, "split", "paper");
        if (i == 14) give(&options, "dimensions", "3");
        if (i == 15) options.expected_rows = 70;
        if (i == 16) give(&options, "learning-rate", "-1");
        if (try("images", "labels", options, &err) != SBL_EARG)
            fail_msg("case %d is not refused: %s", i, err.message);
    }
    assert_false(exists("out")); /* no attempt leaves a folder */
    options = small();
    options.struct_size = 1;
    assert_int_equal(try("images", "labels", options, &err), SBL_EARG);
    paths *unlabelled = paths_of("images", NULL, "out");
    unlabelled->input.balanced = true;
    options = small();
    assert_int_equal(images_run(NULL, &unlabelled->input, &unlabelled->output, 0, NULL, &options, &err),
                     SBL_EARG);
    assert_non_null(strstr(err.message, "balanced needs labels"));
    unlabelled->input.balanced = false;
    unlabelled->input.classes = 10;
    assert_int_equal(images_run(NULL, &unlabelled->input, &unlabelled->output, 0, NULL, &options, &err),
                     SBL_EARG);
    assert_non_null(strstr(err.message, "classes needs labels"));
    (void)mkdir(in_folder(folder, "out"), 0700);
    FILE *file = fopen(in_folder(folder, "out/images-idx3-ubyte.gz"), "w");
    assert_non_null(file);
    (void)fclose(file);
    assert_int_equal(try("images", "labels", small(), &err), SBL_EIO);
    paths *p = paths_of("images", "labels", "out");
    p->output.format = SBL_IMAGES_PNG; /* the folder is not empty */
    options = small();
    assert_int_equal(images_run(NULL, &p->input, &p->output, 0, NULL, &options, &err), SBL_EIO);
    assert_false(exists("images.ledger"));
    assert_false(exists("out.release"));
}

EACH_TEST(fresh, remove_folder)
