/* SPDX-License-Identifier: Apache-2.0 */
/* The main job for images through the public API, with a fixed key: what it writes, what it
 * refuses, and that two neighbouring image sets differ by what was charged and by nothing else. */
#include "image_run_kit.h"
#include "support/verify_with.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "door/release/release.h"
#include "semblance/certificate.h"
#include "support/by_path.h"
#include "support/key_test.h"
#include "support/replay_kit.h"

/* The bytes of a gzip file; size is what it holds. */
static uint8_t *inflate_file(const char *name, size_t *size)
{
    uint8_t *bytes = malloc(1 << 20);
    gzFile file = gzopen(in_folder(folder, name), "rb");
    assert_non_null(file);
    const int got = gzread(file, bytes, 1 << 20);
    assert_true(got >= 0);
    *size = (size_t)got;
    (void)gzclose(file);
    return bytes;
}

TEST(whole_job_writes_images_labels_preview_release_certificate_and_ledger)
{
    for (int relation = 0; relation < 2; relation++) {
        sbl_error err = {0};
        char *statement = NULL, preview[300];
        size_t size;
        sbl_synth_options options = small();
        start_afresh();
        options.neighbours = relation == 0 ? SBL_REPLACE_ONE : SBL_ADD_REMOVE;
        paths *p = paths_of("images", "labels", "out/");
        (void)snprintf(preview, sizeof preview, "%s/grid.png", folder);
        p->output.preview = preview;
        must(images_run(&statement, &p->input, &p->output, relation == 0 ? 0 : 20, NULL, &options, &err),
             &err);
        assert_non_null(strstr(statement, "GUARANTEE: NONE"));
        assert_non_null(strstr(statement, "that there are 3 classes"));
        sbl_free(statement);
        const size_t images = relation == 0 ? IMAGES : 20;
        uint8_t *bytes = inflate_file("out/images-idx3-ubyte.gz", &size);
        assert_int_equal(size, 16 + images * SIZE);
        assert_memory_equal(bytes, "\0\0\x8\x3\0\0\0", 7);
        assert_int_equal(bytes[7], images);
        assert_int_equal(bytes[11], HEIGHT);
        assert_int_equal(bytes[15], WIDTH);
        free(bytes);
        bytes = inflate_file("out/labels-idx1-ubyte.gz", &size);
        assert_int_equal(size, 8 + images);
        for (size_t i = 8; i < size; i++) assert_true(bytes[i] < CLASSES);
        free(bytes);
        must(verify_with(&statement, in_folder(folder, "out.certificate.json"),
                         in_folder(folder, "images.ledger"), &err),
             &err);
        sbl_free(statement);
        assert_true(exists("grid.png"));
    }
}

static bool certificate_says(const char *name, const char *words)
{
    char *text = slurp(in_folder(folder, name), NULL);
    assert_non_null(text);
    const bool says = strstr(text, words) != NULL;
    free(text);
    return says;
}

TEST(unlabelled_balanced_and_png_sets_work)
{
    sbl_error err = {0};
    const sbl_synth_options options = small();
    paths *p = paths_of("images", NULL, "plain");
    must(images_run(NULL, &p->input, &p->output, 0, NULL, &options, &err), &err);
    assert_true(exists("plain/images-idx3-ubyte.gz"));
    assert_false(exists("plain/labels-idx1-ubyte.gz"));
    p = paths_of("images", "labels", "even");
    p->input.balanced = true;
    p->output.format = SBL_IMAGES_PNG;
    must(images_run(NULL, &p->input, &p->output, 30, NULL, &options, &err), &err);
    assert_true(certificate_says("even.certificate.json", "equally frequent"));
    assert_false(certificate_says("even.certificate.json", "\"counts\""));
    /* What was written can be read and fitted again. */
    p = paths_of("even", NULL, "again");
    p->input.classes = 0;
    must(images_run(NULL, &p->input, &p->output, 10, NULL, &options, &err), &err);
    assert_true(certificate_says("again.certificate.json", "the first image file"));
    assert_true(exists("again/labels-idx1-ubyte.gz"));
}

/* ---- replay ---- */

/* The release of one fit, as if nothing had been released of these images before. */
static replayed run_of(const char *images, const char *labels, const char *out,
                       const sbl_synth_options *options, bool balanced)
{
    sbl_error err = {0};
    replayed result;
    char path[400], ledger[320];
    paths *p = paths_of(images, labels, out);
    (void)snprintf(ledger, sizeof ledger, "%s.ledger", p->images);
    (void)unlink(ledger);
    p->input.balanced = balanced;
    sbl_test_key_set(99);
    must(images_fit(NULL, &p->input, p->out, options, &err), &err);
    (void)snprintf(path, sizeof path, "%s.release", p->out);
    replayed_load(&result, path, ledger);
    return result;
}

/* Two runs under the same key: public bytes agree, values differ by what was charged at most.
 * Returns the share of the charge that the difference takes up. */
static double compare(const sbl_synth_options *options, bool balanced, const char *what)
{
    char ledger[320], other[320];
    replayed a = run_of("images", "labels", "a", options, balanced);
    replayed b = run_of("other", "others", "b", options, balanced);
    const double share = replayed_compare(&a, &b, what);
    (void)snprintf(ledger, sizeof ledger, "%s/images.ledger", folder);
    (void)snprintf(other, sizeof other, "%s/other.ledger", folder);
    replayed_ledgers_agree(ledger, other, what);
    replayed_clear(&a);
    replayed_clear(&b);
    return share;
}

/* Neighbours of the set: image `at` shows and is labelled something else. */
typedef struct change {
    const char *name;
    size_t at;
    int shade;    /* of every pixel; -1: as before, -2: a checkerboard */
    int label;    /* -1: as before */
    double least; /* share of the charge that the difference takes up at least */
} change;

static const change changes[] = {
    {"last image black", IMAGES - 1, 0, -1, 0.01},
    {"last image white", IMAGES - 1, 255, -1, 0.01},
    {"first image a checkerboard", 0, -2, -1, 0.01},
    {"label changed", IMAGES - 1, -1, 1, 0.99}, /* 2 of the features and 2 of the counts: all 4 */
    {"image and label changed", 31, 255, 1, 0.99},
    {"label outside the classes", 4, -1, 200, 0.99}, /* was 2, becomes 0 */
    {"nothing at all", 3, -1, -1, 0},
};

TEST(neighbouring_sets_differ_only_by_what_was_charged)
{
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        for (int balanced = 0; balanced < 2; balanced++) {
            const change *c = &changes[i];
            const sbl_synth_options options = small();
            start_afresh();
            image_set other = data;
            for (size_t p = 0; c->shade != -1 && p < SIZE; p++)
                other.pixels[c->at][p] = c->shade >= 0 ? (uint8_t)c->shade : p % 2 ? 255 : 0;
            if (c->label >= 0) other.labels[c->at] = (uint8_t)c->label;
            write_set("other", "others", &other, IMAGES);
            const double share = compare(&options, balanced == 1, c->name);
            /* Without counts a label change moves 2 of the 4 that a changed image may move. */
            const double least = balanced == 1 && c->least > 0.5 ? 0.49 : c->least;
            if (share < least) print_error("%s: only %g of the charge\n", c->name, share);
            assert_true(share >= least);
            if (c->least == 0) assert_true(share == 0);
        }
}

TEST(removing_an_image_moves_no_more_than_was_charged_for_it)
{
    sbl_synth_options options = small();
    options.neighbours = SBL_ADD_REMOVE;
    write_set("other", "others", &data, IMAGES - 1);
    assert_true(compare(&options, false, "one image less") > 0.99); /* 1 + 1 of 2 */
}

TEST(balanced_classes_have_one_total_in_place_of_counts)
{
    sbl_error err = {0};
    char release[320], model[320];
    sbl_synth_options options = small();
    options.neighbours = SBL_ADD_REMOVE;
    write_set("other", "others", &data, IMAGES - 1);
    assert_true(compare(&options, true, "one image less") > 0.99); /* 1 + 1 of 2 */
    assert_false(certificate_says("a.certificate.json", "\"counts\""));
    assert_true(certificate_says("a.certificate.json", "\"total\""));
    start_afresh();
    replayed run = run_of("images", "labels", "a", &options, true);
    const sbl_block *total = sbl_release_find(run.release, "total");
    assert_non_null(total);
    assert_int_equal(total->width * sbl_release_columns(run.release, total), 1);
    assert_false(run.release->counts);
    replayed_clear(&run);
    (void)snprintf(release, sizeof release, "%s/a.release", folder);
    (void)snprintf(model, sizeof model, "%s/again", folder);
    must(train_files(release, model, &options, &err), &err);
    /* The label changes nothing but its image's place among the features: 1 of 2 is not moved. */
    start_afresh();
    image_set other = data;
    other.labels[5] = (uint8_t)((other.labels[5] + 1) % CLASSES);
    write_set("other", "others", &other, IMAGES);
    replayed a = run_of("images", "labels", "a", &options, true);
    replayed b = run_of("other", "others", "b", &options, true);
    total = sbl_release_find(a.release, "total");
    assert_true(a.release->values[total->offset] == b.release->values[total->offset]);
    replayed_clear(&a);
    replayed_clear(&b);
}

TEST(under_add_remove_an_empty_set_is_like_any_other)
{
    sbl_error err = {0};
    sbl_synth_options options = small();
    options.neighbours = SBL_ADD_REMOVE;
    write_set("images", "labels", &data, 1);
    write_set("other", "others", &data, 0);
    assert_true(compare(&options, false, "the only image removed") > 0.99);
    assert_true(certificate_says("b.certificate.json", "how the files divide into images"));
    assert_false(certificate_says("b.certificate.json", "the first image file"));
    /* The whole job, on IDX and on a CIFAR file of no bytes. */
    paths *p = paths_of("other", "others", "idx");
    must(images_run(NULL, &p->input, &p->output, 0, NULL, &options, &err), &err);
    assert_true(exists("idx/images-idx3-ubyte.gz"));
    FILE *file = fopen(in_folder(folder, "none.bin"), "wb");
    assert_non_null(file);
    (void)fclose(file);
    p = paths_of("none.bin", NULL, "cifar");
    must(images_run(NULL, &p->input, &p->output, 5, NULL, &options, &err), &err);
    assert_true(exists("cifar/images-idx4-ubyte.gz"));
}

TEST(empty_set_whose_number_is_public_or_size_unknown_is_refused)
{
    sbl_error err = {0};
    char *text = NULL;
    sbl_synth_options options = small();
    write_set("other", "others", &data, 0);
    (void)mkdir(in_folder(folder, "png"), 0700);
    (void)mkdir(in_folder(folder, "png/a"), 0700);
    (void)mkdir(in_folder(folder, "png/b"), 0700);
    paths *p = paths_of("other", "others", "out");
    assert_int_equal(images_run(NULL, &p->input, &p->output, 5, NULL, &options, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "other holds no images"));
    for (uint64_t n = 0; n < 20; n += 10) {
        assert_int_equal(images_plan(&text, &p->input, n, false, &options, &err), SBL_EINPUT);
        assert_non_null(strstr(err.message, "other holds no images"));
    }
    for (int i = 0; i < 2; i++) {
        options.neighbours = i == 0 ? SBL_REPLACE_ONE : SBL_ADD_REMOVE;
        p = paths_of("png", NULL, "out");
        p->input.classes = 2;
        assert_int_equal(images_run(NULL, &p->input, &p->output, 5, NULL, &options, &err), SBL_EINPUT);
        assert_non_null(strstr(err.message, "png contains no PNG or JPEG files, so the size"));
    }
    assert_false(exists("out.release"));
    assert_false(exists("out.release.ledger"));
}

TEST(sums_do_not_depend_on_threads)
{
    sbl_synth_options options = small();
    options.threads = 1;
    replayed one = run_of("images", "labels", "a", &options, false);
    options.threads = 3;
    replayed three = run_of("images", "labels", "b", &options, false);
    for (size_t i = 0; i < one.release->value_count; i++)
        assert_true(one.release->values[i] == three.release->values[i]);
    replayed_clear(&one);
    replayed_clear(&three);
}

/* ---- train, sample ---- */

static void assert_same_files(const char *a, const char *b, bool same)
{
    size_t sizes[2];
    uint8_t *one = inflate_file(a, &sizes[0]), *other = inflate_file(b, &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_true((memcmp(one, other, sizes[0]) == 0) == same);
    free(one);
    free(other);
}

TEST(train_and_sample_agree_with_the_fit)
{
    sbl_error err = {0};
    char first[300], second[300], release[320], certificate[330];
    size_t sizes[2], size;
    sbl_synth_options options = small();
    paths *p = paths_of("images", "labels", "first.safetensors");
    (void)snprintf(first, sizeof first, "%s/first.safetensors", folder);
    (void)snprintf(second, sizeof second, "%s/second.safetensors", folder);
    (void)snprintf(release, sizeof release, "%s.release", first);
    (void)snprintf(certificate, sizeof certificate, "%s.certificate.json", first);
    must(images_fit(NULL, &p->input, first, &options, &err), &err);
    options.certificate_path = certificate;
    must(train_files(release, second, &options, &err), &err);
    char *a = slurp(first, &sizes[0]), *b = slurp(second, &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(a, b, sizes[0]);
    free(a), free(b);
    const char *const names[] = {"s1", "s2", "s3", "s4"};
    const char *const wheres[] = {NULL, NULL, NULL, "label=2"};
    for (int i = 0; i < 4; i++) {
        p = paths_of("images", "labels", names[i]);
        options.seed = i == 2 ? 5 : 0;
        must(images_sample(first, &p->output, 50, wheres[i], &options, &err), &err);
    }
    assert_same_files("s1/images-idx3-ubyte.gz", "s2/images-idx3-ubyte.gz", true);
    assert_same_files("s1/images-idx3-ubyte.gz", "s3/images-idx3-ubyte.gz", false);
    uint8_t *labels = inflate_file("s4/labels-idx1-ubyte.gz", &size);
    for (size_t i = 8; i < size; i++) assert_int_equal(labels[i], 2);
    free(labels);
    static const char *const bad[] = {"label=3", "label=", "colour=2", "label=-1"};
    for (size_t i = 0; i < 4; i++) {
        p = paths_of("images", "labels", "s5");
        assert_int_equal(images_sample(first, &p->output, 3, bad[i], &options, &err), SBL_EARG);
    }
}

/* The file's IDX header as gzip data that ends there: the first image or label cannot be read. */
static void cut_after_header(const char *name, const char *of, unsigned size)
{
    uint8_t header[16];
    struct stat facts;
    FILE *file = fopen(in_folder(folder, of), "rb");
    assert_non_null(file);
    assert_int_equal(fread(header, 1, size, file), size);
    (void)fclose(file);
    gzFile packed = gzopen(in_folder(folder, name), "wb");
    assert_non_null(packed);
    assert_int_equal(gzwrite(packed, header, size), (int)size);
    assert_int_equal(gzflush(packed, Z_SYNC_FLUSH), Z_OK);
    assert_int_equal(stat(in_folder(folder, name), &facts), 0);
    assert_int_equal(gzclose(packed), Z_OK);
    assert_int_equal(truncate(in_folder(folder, name), facts.st_size), 0);
}

TEST(plans_say_what_would_be_released_and_read_no_image)
{
    sbl_error err = {0};
    char *text = NULL;
    sbl_synth_options options = small();
    cut_after_header("images.gz", "images", 16);
    cut_after_header("labels.gz", "labels", 8);
    paths *p = paths_of("images.gz", "labels", "out");
    assert_int_equal(images_run(NULL, &p->input, &p->output, 0, NULL, &options, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "images.gz: the gzip data is cut short"));
    p = paths_of("images", "labels.gz", "out");
    assert_int_equal(images_run(NULL, &p->input, &p->output, 0, NULL, &options, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "labels.gz: the gzip data is cut short"));
    p = paths_of("images.gz", "labels.gz", "out");
    must(images_plan(&text, &p->input, 0, false, &options, &err), &err);
    assert_non_null(strstr(text, "rows       70, 3 classes"));
    assert_non_null(strstr(text, "counts"));
    assert_non_null(strstr(text, "70 images are few: noise will drown much of the signal"));
    assert_null(strstr(text, "marginals")); /* which is not for images */
    sbl_free(text);
    must(images_plan(&text, &p->input, 1000, true, &options, &err), &err);
    assert_non_null(strstr(text, "\"orthogonal\""));
    sbl_free(text);
    options.neighbours = SBL_ADD_REMOVE;
    assert_int_equal(images_plan(&text, &p->input, 0, false, &options, &err), SBL_EARG);
    must(images_plan(&text, &p->input, 70, false, &options, &err), &err);
    sbl_free(text);
}

EACH_TEST(fresh, remove_folder)
