/* The main job for images through the public API, with a fixed key: what it writes, what it
 * refuses, and that two neighbouring image sets differ by what was charged and by nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "account/ledger.h"
#include "release/release.h"
#include "semblance/certificate.h"
#include "semblance/images.h"
#include "support/key_test.h"
#include "support/temp_folder.h"

enum { IMAGES = 70, HEIGHT = 9, WIDTH = 7, CLASSES = 3, SIZE = HEIGHT * WIDTH };

static char folder[256];

/* An image set as bytes. */
typedef struct image_set {
    uint8_t pixels[IMAGES][SIZE];
    uint8_t labels[IMAGES];
} image_set;

static void fill(image_set *set)
{
    for (size_t i = 0; i < IMAGES; i++) {
        set->labels[i] = (uint8_t)(i * 5 % CLASSES);
        for (size_t p = 0; p < SIZE; p++)
            set->pixels[i][p] =
                p % WIDTH % CLASSES == set->labels[i] ? (uint8_t)(255 - i % 40) : (uint8_t)(p % 30);
    }
}

static void put_number(FILE *file, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) (void)fputc((int)(value >> shift & 255), file);
}

static void write_set(const char *images, const char *labels, const image_set *set, size_t count)
{
    FILE *file = fopen(in_folder(folder, images), "wb");
    assert_non_null(file);
    put_number(file, 0x803);
    put_number(file, (uint32_t)count);
    put_number(file, HEIGHT);
    put_number(file, WIDTH);
    (void)fwrite(set->pixels, SIZE, count, file);
    (void)fclose(file);
    file = fopen(in_folder(folder, labels), "wb");
    assert_non_null(file);
    put_number(file, 0x801);
    put_number(file, (uint32_t)count);
    (void)fwrite(set->labels, 1, count, file);
    (void)fclose(file);
}

static image_set data;

static int fresh(void **unused)
{
    (void)unused;
    temp_folder_make(folder);
    fill(&data);
    write_set("images", "labels", &data, IMAGES);
    sbl_test_key_set(1);
    return 0;
}

static int drop(void **unused)
{
    (void)unused;
    temp_folder_remove(folder);
    return 0;
}

static void start_afresh(void)
{
    (void)drop(NULL);
    (void)fresh(NULL);
}

/* A small network: the tests are about files, not about quality. */
static sbl_synth_options small(void)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.epsilon = 1;
    options.features = 150;
    options.steps = 5;
    options.batch = 30;
    options.hidden[0] = 12;
    options.hidden[1] = 4;
    options.hidden[2] = 3;
    options.hidden_count = 3;
    options.latent = 4;
    options.threads = 2;
    return options;
}

/* Paths in the folder, for inputs and outputs. */
typedef struct paths {
    char images[300], labels[300], out[300];
    sbl_image_input input;
    sbl_image_output output;
} paths;

static paths *paths_of(const char *images, const char *labels, const char *out)
{
    static paths p;
    p = (paths){0};
    (void)snprintf(p.images, sizeof p.images, "%s/%s", folder, images);
    (void)snprintf(p.labels, sizeof p.labels, "%s/%s", folder, labels ? labels : "");
    (void)snprintf(p.out, sizeof p.out, "%s/%s", folder, out);
    p.input = (sbl_image_input){
        .images = p.images, .labels = labels ? p.labels : NULL, .classes = CLASSES};
    p.output = (sbl_image_output){.folder = p.out};
    return &p;
}

static void must(sbl_status status, const sbl_error *err)
{
    if (status != SBL_OK) print_error("%s\n", err->message);
    assert_int_equal(status, SBL_OK);
}

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

static bool exists(const char *name)
{
    struct stat facts;
    return stat(in_folder(folder, name), &facts) == 0;
}

static void whole_job_writes_images_labels_preview_release_certificate_and_ledger(void **unused)
{
    (void)unused;
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
        must(sbl_images_run(&statement, &p->input, &p->output, relation == 0 ? 0 : 20, NULL,
                            &options, &err),
             &err);
        assert_non_null(strstr(statement, "GUARANTEE: NONE"));
        sbl_string_free(statement);
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
        must(sbl_certificate_verify(&statement, in_folder(folder, "out.certificate.json"),
                                    in_folder(folder, "out.release.ledger"), &err),
             &err);
        sbl_string_free(statement);
        assert_true(exists("grid.png"));
        assert_false(exists("out.model.tmp"));
    }
}

static void unlabelled_balanced_and_png_sets_work(void **unused)
{
    (void)unused;
    sbl_error err = {0};
    const sbl_synth_options options = small();
    paths *p = paths_of("images", NULL, "plain");
    must(sbl_images_run(NULL, &p->input, &p->output, 0, NULL, &options, &err), &err);
    assert_true(exists("plain/images-idx3-ubyte.gz"));
    assert_false(exists("plain/labels-idx1-ubyte.gz"));
    p = paths_of("images", "labels", "even");
    p->input.balanced = true;
    p->output.format = SBL_IMAGES_PNG;
    must(sbl_images_run(NULL, &p->input, &p->output, 30, NULL, &options, &err), &err);
    char *certificate = slurp(in_folder(folder, "even.certificate.json"), NULL);
    assert_non_null(strstr(certificate, "equally frequent"));
    assert_null(strstr(certificate, "\"counts\""));
    free(certificate);
    /* What was written can be read and fitted again. */
    p = paths_of("even", NULL, "again");
    p->input.classes = 0;
    must(sbl_images_run(NULL, &p->input, &p->output, 10, NULL, &options, &err), &err);
    assert_true(exists("again/labels-idx1-ubyte.gz"));
}

/* ---- replay ---- */

static void mask(char *text, size_t size, const char *key)
{
    const size_t length = strlen(key);
    for (size_t i = 0; i + length < size; i++) {
        if (memcmp(text + i, key, length) != 0) continue;
        for (i += length; i < size && strchr(" \n\"", text[i]) == NULL; i++) text[i] = 'x';
    }
}

/* What one run leaves behind. */
typedef struct outcome {
    sbl_release *release;
    char *header, *ledger;
    size_t public_part, ledger_size;
    sbl_u128 paid;
} outcome;

static outcome run_of(const char *images, const char *labels, const char *out,
                      const sbl_synth_options *options, bool balanced)
{
    static const char *const ids[] = {"\"rid\":\"", "\"ledger\":\""};
    static const char *const fields[] = {" id=", " rid=", " t=", " h=", " out="};
    sbl_error err = {0};
    outcome result = {0};
    sbl_ledger_view view;
    size_t size;
    char path[400];
    paths *p = paths_of(images, labels, out);
    p->input.balanced = balanced;
    sbl_test_key_set(99);
    must(sbl_images_fit(NULL, &p->input, p->out, options, &err), &err);
    (void)snprintf(path, sizeof path, "%s.release", p->out);
    must(sbl_release_load(&result.release, path, &err), &err);
    result.header = slurp(path, &size);
    result.public_part = size - 16 * result.release->value_count - 32;
    (void)snprintf(path, sizeof path, "%s.release.ledger", p->out);
    result.ledger = slurp(path, &result.ledger_size);
    must(sbl_ledger_read(&view, path, &err), &err);
    result.paid = view.totals.charge.mu2 << 16;
    sbl_ledger_view_clear(&view);
    for (int k = 0; k < 2; k++) mask(result.header, result.public_part, ids[k]);
    for (int k = 0; k < 5; k++) mask(result.ledger, result.ledger_size, fields[k]);
    return result;
}

static void forget(outcome *result)
{
    sbl_release_free(result->release);
    free(result->header);
    free(result->ledger);
}

/* Two runs under the same key: public bytes agree, values differ by what was charged at most.
 * Returns the share of the charge that the difference takes up. */
static double compare(const sbl_synth_options *options, bool balanced, const char *what)
{
    sbl_u128 moved = 0;
    outcome a = run_of("images", "labels", "a", options, balanced);
    outcome b = run_of("other", "others", "b", options, balanced);
    assert_int_equal(a.public_part, b.public_part);
    assert_int_equal(a.ledger_size, b.ledger_size);
    if (memcmp(a.header, b.header, a.public_part) != 0 || strcmp(a.ledger, b.ledger) != 0)
        print_error("%s: public bytes differ\n", what);
    assert_memory_equal(a.header, b.header, a.public_part);
    assert_string_equal(a.ledger, b.ledger);
    for (size_t i = 0; i < a.release->value_count; i++) {
        const sbl_i128 step = a.release->values[i] - b.release->values[i];
        moved += (sbl_u128)(step < 0 ? -step : step) * (sbl_u128)(step < 0 ? -step : step);
    }
    if (moved > a.paid) print_error("%s: moved more than was charged\n", what);
    assert_true(moved <= a.paid);
    const double share = (double)moved / (double)a.paid;
    forget(&a);
    forget(&b);
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

static void neighbouring_sets_differ_only_by_what_was_charged(void **unused)
{
    (void)unused;
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

static void removing_an_image_moves_no_more_than_was_charged_for_it(void **unused)
{
    (void)unused;
    sbl_synth_options options = small();
    options.neighbours = SBL_ADD_REMOVE;
    write_set("other", "others", &data, IMAGES - 1);
    assert_true(compare(&options, false, "one image less") > 0.99); /* 1 + 1 of 2 */
}

static void sums_do_not_depend_on_threads(void **unused)
{
    (void)unused;
    sbl_synth_options options = small();
    options.threads = 1;
    outcome one = run_of("images", "labels", "a", &options, false);
    options.threads = 3;
    outcome three = run_of("images", "labels", "b", &options, false);
    for (size_t i = 0; i < one.release->value_count; i++)
        assert_true(one.release->values[i] == three.release->values[i]);
    forget(&one);
    forget(&three);
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

static void train_and_sample_agree_with_the_fit(void **unused)
{
    (void)unused;
    sbl_error err = {0};
    char first[300], second[300], release[320], certificate[330];
    size_t sizes[2], size;
    bool is;
    sbl_synth_options options = small();
    paths *p = paths_of("images", "labels", "first.safetensors");
    (void)snprintf(first, sizeof first, "%s/first.safetensors", folder);
    (void)snprintf(second, sizeof second, "%s/second.safetensors", folder);
    (void)snprintf(release, sizeof release, "%s.release", first);
    (void)snprintf(certificate, sizeof certificate, "%s.certificate.json", first);
    must(sbl_images_fit(NULL, &p->input, first, &options, &err), &err);
    options.certificate_path = certificate;
    must(sbl_synth_train(release, second, &options, &err), &err);
    char *a = slurp(first, &sizes[0]), *b = slurp(second, &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(a, b, sizes[0]);
    free(a), free(b);
    must(sbl_images_is_model(&is, first, &err), &err);
    assert_true(is);
    const char *const names[] = {"s1", "s2", "s3", "s4"};
    const char *const wheres[] = {NULL, NULL, NULL, "label=2"};
    for (int i = 0; i < 4; i++) {
        p = paths_of("images", "labels", names[i]);
        options.seed = i == 2 ? 5 : 0;
        must(sbl_images_sample(first, &p->output, 50, wheres[i], &options, &err), &err);
    }
    assert_same_files("s1/images-idx3-ubyte.gz", "s2/images-idx3-ubyte.gz", true);
    assert_same_files("s1/images-idx3-ubyte.gz", "s3/images-idx3-ubyte.gz", false);
    uint8_t *labels = inflate_file("s4/labels-idx1-ubyte.gz", &size);
    for (size_t i = 8; i < size; i++) assert_int_equal(labels[i], 2);
    free(labels);
    static const char *const bad[] = {"label=3", "label=", "colour=2", "label=-1"};
    for (size_t i = 0; i < 4; i++) {
        p = paths_of("images", "labels", "s5");
        assert_int_equal(sbl_images_sample(first, &p->output, 3, bad[i], &options, &err), SBL_EARG);
    }
}

static int stop_in_training(void *context, const char *what, uint64_t step, uint64_t steps,
                            double loss)
{
    (void)context;
    (void)loss;
    return strcmp(what, "training") == 0 && step > 2 && steps > 0;
}

static void stopping_during_training_keeps_the_release(void **unused)
{
    (void)unused;
    sbl_error err = {0};
    char release[320], model[300];
    sbl_synth_options options = small();
    options.progress = stop_in_training;
    paths *p = paths_of("images", "labels", "out");
    assert_int_equal(sbl_images_run(NULL, &p->input, &p->output, 0, NULL, &options, &err),
                     SBL_ESTOPPED);
    assert_non_null(strstr(err.message, "semblance train"));
    assert_false(exists("out/images-idx3-ubyte.gz"));
    options.progress = NULL;
    (void)snprintf(release, sizeof release, "%s/out.release", folder);
    (void)snprintf(model, sizeof model, "%s/m.safetensors", folder);
    must(sbl_synth_train(release, model, &options, &err), &err);
}

static sbl_status try(const char *images, const char *labels, sbl_synth_options options,
                      sbl_error *err)
{
    paths *p = paths_of(images, labels, "out");
    return sbl_images_run(NULL, &p->input, &p->output, 0, NULL, &options, err);
}

static void refusals_come_before_any_charge(void **unused)
{
    (void)unused;
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
    options.features = 3;
    assert_int_equal(try("images", "labels", options, &err), SBL_EARG);
    options = small();
    options.struct_size = 1;
    assert_int_equal(try("images", "labels", options, &err), SBL_EARG);
    (void)mkdir(in_folder(folder, "out"), 0700); /* or an attempt above has made it */
    FILE *file = fopen(in_folder(folder, "out/images-idx3-ubyte.gz"), "w");
    assert_non_null(file);
    (void)fclose(file);
    assert_int_equal(try("images", "labels", small(), &err), SBL_EIO);
    paths *p = paths_of("images", "labels", "out");
    p->output.format = SBL_IMAGES_PNG; /* the folder is not empty */
    options = small();
    assert_int_equal(sbl_images_run(NULL, &p->input, &p->output, 0, NULL, &options, &err), SBL_EIO);
    assert_false(exists("out.release.ledger"));
    assert_false(exists("out.release"));
}

static void plans_say_what_would_be_released_and_read_no_image(void **unused)
{
    (void)unused;
    sbl_error err = {0};
    char *text = NULL;
    sbl_synth_options options = small();
    paths *p = paths_of("images", "labels", "out");
    must(sbl_images_plan(&text, &p->input, 0, false, &options, &err), &err);
    assert_non_null(strstr(text, "rows       70, 3 classes"));
    assert_non_null(strstr(text, "counts"));
    sbl_string_free(text);
    must(sbl_images_plan(&text, &p->input, 1000, true, &options, &err), &err);
    assert_non_null(strstr(text, "\"orthogonal\""));
    sbl_string_free(text);
    options.neighbours = SBL_ADD_REMOVE;
    assert_int_equal(sbl_images_plan(&text, &p->input, 0, false, &options, &err), SBL_EARG);
    must(sbl_images_plan(&text, &p->input, 70, false, &options, &err), &err);
    sbl_string_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            whole_job_writes_images_labels_preview_release_certificate_and_ledger, fresh, drop),
        cmocka_unit_test_setup_teardown(unlabelled_balanced_and_png_sets_work, fresh, drop),
        cmocka_unit_test_setup_teardown(neighbouring_sets_differ_only_by_what_was_charged, fresh,
                                        drop),
        cmocka_unit_test_setup_teardown(removing_an_image_moves_no_more_than_was_charged_for_it,
                                        fresh, drop),
        cmocka_unit_test_setup_teardown(sums_do_not_depend_on_threads, fresh, drop),
        cmocka_unit_test_setup_teardown(train_and_sample_agree_with_the_fit, fresh, drop),
        cmocka_unit_test_setup_teardown(stopping_during_training_keeps_the_release, fresh, drop),
        cmocka_unit_test_setup_teardown(refusals_come_before_any_charge, fresh, drop),
        cmocka_unit_test_setup_teardown(plans_say_what_would_be_released_and_read_no_image, fresh,
                                        drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
