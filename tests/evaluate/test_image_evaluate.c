/* SPDX-License-Identifier: Apache-2.0 */
/* Image sets in files: loading, halving, the floor, the whole document, what is refused. */
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "after/sinks/image_writer.h"
#include "base/alloc.h"
#include "base/json.h"
#include "base/random/model_rng.h"
#include "owner/evaluate/evaluation_text.h"
#include "owner/evaluate/image_data.h"
#include "owner/evaluate/image_evaluate.h"
#include "owner/evaluate/table_study.h"
#include "semblance/evaluate.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/one_folder.h"

FREES(sbl_free);

enum { SIDE = 8, SIZE = SIDE * SIDE };

/* Bars: horizontal for class 0, vertical for class 1. */
static void fill(uint8_t *pixels, uint32_t *labels, size_t count, uint64_t seed)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, 21);
    for (size_t i = 0; i < count; i++) {
        const size_t place = sbl_model_rng_below(&rng, SIDE);
        labels[i] = (uint32_t)(i % 2);
        for (size_t j = 0; j < SIZE; j++) pixels[i * SIZE + j] = (uint8_t)sbl_model_rng_below(&rng, 60);
        for (size_t j = 0; j < SIDE; j++)
            pixels[i * SIZE + (labels[i] == 0 ? place * SIDE + j : j * SIDE + place)] = 220;
    }
}

typedef struct made {
    size_t count, classes; /* 0 classes: no labels */
    sbl_image_format format;
    const char *const *names;
    bool one_class;
    size_t width; /* 0: SIDE */
} made;

/* Writes a set. label_path NULL where there is none. */
static void write_set(const char *images, const char *label_path, uint64_t seed, made m)
{
    FREED(free) uint8_t *pixels = calloc(m.count, SIZE);
    FREED(free) uint32_t *labels = calloc(m.count, sizeof *labels);
    const sbl_image_write_options options = {m.format,
                                             .shape = {SIDE, m.width != 0 ? m.width : SIDE, 1},
                                             .count = m.count,
                                             .classes = m.classes,
                                             .class_names = m.names,
                                             .overwrite = true};
    sbl_image_writer *writer;
    sbl_error err = {0};
    fill(pixels, labels, m.count, seed);
    for (size_t i = 0; m.one_class && i < m.count; i++) labels[i] = 1;
    if (sbl_image_writer_open(&writer, images, label_path, &options, &err) != SBL_OK ||
        sbl_image_write(writer, pixels, m.classes != 0 ? labels : NULL, m.count, &err) != SBL_OK ||
        sbl_image_writer_finish(writer, &err) != SBL_OK)
        fail_msg("%s", err.message);
    sbl_image_writer_free(writer);
}

/* An IDX pair of two classes under these names. */
static sbl_image_place idx_pair(const char *name, size_t count, uint64_t seed)
{
    static char paths[16][512];
    static size_t next;
    char *images = paths[next++ % 16], *labels = paths[next++ % 16];
    (void)snprintf(images, 512, "%s/%s-images.gz", folder, name);
    (void)snprintf(labels, 512, "%s/%s-labels.gz", folder, name);
    write_set(images, labels, seed, (made){.count = count, .classes = 2, .format = SBL_IMAGE_IDX});
    return (sbl_image_place){.images = images, .labels = labels, .classes = 2};
}

static const sbl_image_room plenty = {1000, 1 << 20};

/* --- loading --- */

TEST(sets_are_loaded_whole_or_drawn_in_order)
{
    const sbl_image_place place = idx_pair("whole", 300, 1);
    sbl_image_loaded whole, some, same, other, few;
    size_t at = 0;
    assert_ok(sbl_image_load(&whole, &place, plenty, 1, NULL, NULL));
    assert_int_equal(whole.data.count, 300);
    assert_int_equal(whole.data.classes, 2);
    const sbl_image_room room = {50, 1 << 20};
    assert_ok(sbl_image_load(&some, &place, room, 1, NULL, NULL));
    assert_ok(sbl_image_load(&same, &place, room, 1, NULL, NULL));
    assert_ok(sbl_image_load(&other, &place, room, 2, NULL, NULL));
    assert_int_equal(some.data.count, 50);
    assert_int_equal(some.there_are, 300);
    assert_memory_equal(some.pixels, same.pixels, 50 * SIZE);
    assert_true(memcmp(some.pixels, other.pixels, 50 * SIZE) != 0);
    for (size_t i = 0; i < 50; i++, at++) { /* each is a later one of the whole */
        while (at < 300 && memcmp(some.pixels + i * SIZE, whole.pixels + at * SIZE, SIZE) != 0) at++;
        assert_true(at < 300);
        assert_int_equal(some.labels[i], whole.labels[at]);
    }
    assert_ok(sbl_image_load(&few, &place, (sbl_image_room){1000, 10 * SIZE + 1}, 1, NULL, NULL));
    assert_int_equal(few.data.count, 10);
    sbl_image_unload(&whole), sbl_image_unload(&some), sbl_image_unload(&same);
    sbl_image_unload(&other), sbl_image_unload(&few);
}

TEST(halves_are_disjoint_and_together_the_whole)
{
    const sbl_image_place place = idx_pair("whole", 31, 1);
    sbl_image_loaded before, set;
    sbl_image_data first, second;
    bool moved = false;
    assert_ok(sbl_image_load(&before, &place, plenty, 1, NULL, NULL));
    assert_ok(sbl_image_load(&set, &place, plenty, 1, NULL, NULL));
    sbl_image_halve(&first, &second, &set, 1);
    assert_int_equal(first.count, 15);
    assert_int_equal(second.count, 16);
    assert_ptr_equal(second.pixels, first.pixels + 15 * SIZE);
    for (size_t i = 0; i < 31; i++) {
        size_t at = 0;
        while (at < 31 && memcmp(set.pixels + at * SIZE, before.pixels + i * SIZE, SIZE) != 0) at++;
        assert_true(at < 31);
        assert_int_equal(set.labels[at], before.labels[i]);
        moved = moved || at != i;
    }
    assert_true(moved);
    sbl_image_unload(&before), sbl_image_unload(&set);
}

TEST(floor_keeps_the_pixels_of_a_class_and_nothing_else)
{
    enum { COUNT = 3 };
    /* Class 0 has 10 or 11 everywhere, class 2 has 30: three images of four pixels. */
    const uint8_t pixels[] = {10, 10, 10, 10, 30, 30, 30, 30, 11, 11, 11, 11};
    const uint32_t labels[] = {0, 2, 0};
    const sbl_image_data real = {
        .shape = {2, 2, 1}, .count = COUNT, .classes = 3, .pixels = pixels, .labels = labels};
    uint32_t index[600];
    sbl_image_data made_floor, same;
    size_t mixed = 0;
    for (size_t i = 0; i < 600; i++) index[i] = (uint32_t)(i % COUNT);
    assert_ok(sbl_image_floor(&made_floor, &real, index, 600, 1, NULL));
    assert_ok(sbl_image_floor(&same, &real, index, 600, 1, NULL));
    assert_memory_equal(made_floor.pixels, same.pixels, 600 * 4);
    for (size_t i = 0; i < 600; i++) {
        const uint8_t *image = made_floor.pixels + 4 * i;
        assert_int_equal(made_floor.labels[i], labels[i % COUNT]);
        for (size_t j = 0; j < 4; j++)
            assert_true(made_floor.labels[i] == 2 ? image[j] == 30 : image[j] == 10 || image[j] == 11);
        mixed += image[0] != image[1] ? 1 : 0;
    }
    /* Of 400 images of class 0, half differ in two pixels. */
    assert_true(mixed > 150 && mixed < 250);
    sbl_image_floor_clear(&made_floor), sbl_image_floor_clear(&same);
}

/* --- the whole --- */

static json_t *evaluate(const sbl_image_request *request)
{
    json_t *document;
    sbl_error err = {0};
    assert_ok_or_say(sbl_evaluate_image_files(&document, request, &err));
    return document;
}

static double triple_of(const json_t *object, const char *member, const char *which)
{
    const json_t *value = json_object_get(json_object_get(object, member), which);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

TEST(folder_of_a_run_is_one_argument_and_the_document_is_whole)
{
    char out[300], images[400], labels[400];
    (void)snprintf(out, sizeof out, "%s/out", folder);
    (void)snprintf(images, sizeof images, "%s/images-idx3-ubyte.gz", out);
    (void)snprintf(labels, sizeof labels, "%s/labels-idx1-ubyte.gz", out);
    assert_int_equal(mkdir(out, 0700), 0);
    write_set(images, labels, 3, (made){.count = 200, .classes = 2, .format = SBL_IMAGE_IDX});
    const sbl_image_request request = {idx_pair("test", 80, 1), .synthetic = {.images = out},
                                       .train = idx_pair("train", 120, 2), .models = "cnn", .threads = 1};
    json_auto_t *document = evaluate(&request);
    const json_t *found = json_object_get(document, "images");
    assert_string_equal(json_string_value(json_object_get(document, "kind")), "images");
    assert_int_equal(strncmp(json_string_value(json_object_get(document, "warning")), "NOT PRIV", 8), 0);
    const json_t *input = json_object_get(json_object_get(document, "inputs"), "synthetic");
    assert_int_equal(json_integer_value(json_object_get(input, "rows")), 200);
    const json_t *cnn = json_array_get(json_object_get(found, "scores"), 0);
    assert_true(triple_of(cnn, "value", "synthetic") > 0.9);
    assert_true(triple_of(cnn, "value", "ceiling") > 0.9);
    assert_true(triple_of(json_object_get(found, "frechet"), "distance", "floor") >
                triple_of(json_object_get(found, "frechet"), "distance", "synthetic"));
    FREED(sbl_free) char *text = sbl_evaluation_text(document);
    assert_int_equal(strncmp(text, "NOT PRIVATE", 11), 0);
    assert_non_null(strstr(text, "accuracy of CNN"));
    assert_non_null(strstr(text, "in the features of random convolutional network"));
    assert_non_null(strstr(text, "8 x 8 x 1, 2 classes"));
    assert_null(strstr(text, "nan"));
}

TEST(real_images_are_halved_without_training_ones)
{
    const sbl_image_request request = {idx_pair("test", 81, 1), .synthetic = idx_pair("synthetic", 60, 2),
                                       .models = "mlp", .threads = 1};
    json_auto_t *document = evaluate(&request);
    const json_t *rows = json_object_get(json_object_get(document, "images"), "rows");
    assert_int_equal(json_integer_value(json_object_get(rows, "test")), 41);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(rows, "real"), "used")), 40);
    assert_true(json_is_null(json_object_get(json_object_get(document, "inputs"), "train")));
    FREED(sbl_free) char *text = sbl_evaluation_text(document);
    assert_non_null(strstr(text, "one half of the real images"));
}

TEST(images_without_labels_are_compared_without_models)
{
    sbl_image_request request = {.real = idx_pair("test", 40, 1), .synthetic = idx_pair("synthetic", 40, 2)};
    request.real.labels = request.synthetic.labels = NULL;
    json_auto_t *document = evaluate(&request);
    const json_t *found = json_object_get(document, "images");
    assert_int_equal(json_array_size(json_object_get(found, "scores")), 0);
    assert_true(json_is_null(json_object_get(found, "chance")));
    assert_true(triple_of(json_object_get(found, "frechet"), "distance", "floor") > 0);
    FREED(sbl_free) char *text = sbl_evaluation_text(document);
    assert_non_null(strstr(text, "no labels"));
    assert_null(strstr(text, "Models tested"));
    assert_null(strstr(text, "of their class"));
}

TEST(encoder_of_a_file_names_the_distance)
{
    json_auto_t *vectors = json_load_file(SBL_TEST_SOURCE_DIR "/model/encoder_vectors.json", 0, NULL);
    const json_t *small = json_array_get(json_object_get(vectors, "small"), 0);
    const char *base64 = json_string_value(json_object_get(small, "file"));
    const size_t length = strlen(base64), padding = strcspn(base64, "=");
    FREED(free) uint8_t *bytes = malloc(length);
    char path[300];
    (void)snprintf(path, sizeof path, "%s/tiny.safetensors", folder);
    const int size =
        EVP_DecodeBlock(bytes, (const unsigned char *)base64, (int)length) - (int)(length - padding);
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, (size_t)size, file), size);
    assert_int_equal(fclose(file), 0);
    sbl_image_request request = {idx_pair("test", 40, 1), .synthetic = idx_pair("synthetic", 40, 2),
                                 .models = "none", .encoder_path = path};
    json_t *document = evaluate(&request);
    const json_t *frechet = json_object_get(json_object_get(document, "images"), "frechet");
    assert_int_equal(json_integer_value(json_object_get(frechet, "width")), 6);
    assert_int_equal(strncmp(json_string_value(json_object_get(frechet, "encoder")), "tiny (sha256 ", 13), 0);
    assert_int_equal(json_integer_value(json_object_get(frechet, "side")), 32);
    assert_int_equal(strlen(json_string_value(json_object_get(frechet, "sha256"))), 64);
    json_decref(document);
    request.encoder_path = "vgg-s";
    document = evaluate(&request);
    char *words = sbl_evaluation_text(document);
    assert_non_null(strstr(words, "in the features of vgg-s (sha256 "));
    assert_non_null(strstr(words, "its input is 32 x 32; trained on: CIFAR-10"));
    assert_non_null(strstr(words, "images of uniform noise: "));
    sbl_free(words);
    json_decref(document);
    request.encoder_path = request.real.images;
    sbl_error err = {0};
    assert_int_equal(sbl_evaluate_image_files(&document, &request, &err), SBL_EINPUT);
    assert_null(document);
    assert_non_null(strstr(err.message, "safetensors"));
}

/* --- what is refused --- */

/* hint: SBL_HINT_NONE where the words say all. */
static void check_refused_with(sbl_image_request request, sbl_status wanted, const char *words, sbl_hint hint)
{
    json_t *document = NULL;
    sbl_error err = {0};
    assert_int_equal(sbl_evaluate_image_files(&document, &request, &err), wanted);
    assert_null(document);
    if (strstr(err.message, words) == NULL || strchr(err.message, '\n') != NULL)
        fail_msg("'%s' does not say '%s'", err.message, words);
    if (hint != SBL_HINT_NONE) assert_int_equal(err.hint, hint);
}

static void check_refused(sbl_image_request request, sbl_status wanted, const char *words)
{
    check_refused_with(request, wanted, words, SBL_HINT_NONE);
}

TEST(sets_that_cannot_be_compared_are_refused)
{
    const sbl_image_request good = {
        .real = idx_pair("test", 40, 1), .synthetic = idx_pair("synthetic", 40, 2), .models = "mlp"};
    sbl_image_request bad = good;
    sbl_image_place other = idx_pair("other", 40, 3);
    write_set(other.images, other.labels, 1,
              (made){.count = 40, .classes = 2, .format = SBL_IMAGE_IDX, .width = 6});
    bad.synthetic = other;
    check_refused(bad, SBL_EINPUT, "8 x 6 x 1");
    bad = good;
    bad.train = other;
    check_refused(bad, SBL_EINPUT, "8 x 6 x 1");
    bad = good;
    bad.synthetic.labels = NULL;
    check_refused_with(bad, SBL_EINPUT, "has no labels", SBL_HINT_SYNTHETIC_LABELS);
    bad = good;
    bad.real.labels = NULL;
    check_refused_with(bad, SBL_EINPUT, "has no labels", SBL_HINT_REAL_LABELS);
    bad = good;
    bad.train = good.real;
    bad.train.labels = NULL;
    check_refused_with(bad, SBL_EINPUT, "has no labels", SBL_HINT_TRAIN_LABELS);
    bad = good;
    bad.synthetic.classes = 3;
    check_refused(bad, SBL_EINPUT, "3 classes");
    write_set(other.images, other.labels, 1,
              (made){.count = 40, .classes = 2, .format = SBL_IMAGE_IDX, .one_class = true});
    bad = good;
    bad.synthetic = other;
    check_refused(bad, SBL_EINPUT, "one class");
    bad = good;
    bad.real = other;
    check_refused(bad, SBL_EINPUT, "one class");
    write_set(other.images, other.labels, 1, (made){.count = 3, .classes = 2, .format = SBL_IMAGE_IDX});
    check_refused(bad, SBL_EINPUT, "split into halves");
    bad = good;
    bad.models = "mlp,trees";
    check_refused(bad, SBL_EARG, "'trees'");
    bad = good;
    bad.synthetic.images = "/nonexistent/images";
    check_refused(bad, SBL_EIO, "/nonexistent/images");
}

TEST(classes_of_folders_must_have_the_same_names)
{
    static const char *const names[] = {"cat", "dog"}, *const others[] = {"cat", "owl"};
    char real[300], same[300], other[300];
    (void)snprintf(real, sizeof real, "%s/real", folder);
    (void)snprintf(same, sizeof same, "%s/same", folder);
    (void)snprintf(other, sizeof other, "%s/other", folder);
    made m = {.count = 20, .classes = 2, .format = SBL_IMAGE_PNG, .names = names};
    write_set(real, NULL, 1, m);
    write_set(same, NULL, 2, m);
    m.names = others;
    write_set(other, NULL, 2, m);
    sbl_image_request request = {.real = {.images = real}, .synthetic = {.images = same}, .models = "none"};
    json_decref(evaluate(&request));
    request.synthetic.images = other;
    check_refused(request, SBL_EINPUT, "the names of the classes differ");
    /* Classes of IDX have numbers only; how many there are the real folder says. */
    request.real.channels = 1;
    request.synthetic = idx_pair("synthetic", 20, 2);
    request.synthetic.classes = 0;
    json_decref(evaluate(&request));
}

static sbl_data *handle_of(const sbl_image_place *place)
{
    sbl_data *data;
    sbl_data_options options;
    sbl_data_options_init(&options);
    options.images = true;
    options.labels = place->labels;
    options.classes = 2;
    assert_ok(sbl_data_open(&data, place->images, &options, NULL));
    return data;
}

TEST(public_function_takes_image_sets)
{
    const sbl_image_place real = idx_pair("test", 40, 1), synthetic = idx_pair("synthetic", 40, 2);
    sbl_data *sets[] = {handle_of(&real), handle_of(&synthetic)};
    sbl_evaluate_options options;
    sbl_error err = {0};
    char *json = NULL, *text = NULL;
    sbl_evaluate_options_init(&options);
    options.models = "none";
    assert_ok(sbl_evaluate(&json, &text, sets[0], sets[1], NULL, NULL, &options, &err));
    assert_non_null(strstr(json, "\"kind\":\"images\""));
    assert_int_equal(strncmp(text, "NOT PRIVATE", 11), 0);
    sbl_free(json);
    sbl_free(text);
    options.struct_size = 0;
    assert_int_equal(sbl_evaluate(&json, &text, sets[0], sets[1], NULL, NULL, &options, &err), SBL_EARG);
    assert_true(json == NULL && text == NULL);
    for (size_t i = 0; i < 2; i++) sbl_data_free(sets[i]);
}

TEST(running_out_of_memory_leaves_no_document)
{
    const sbl_image_request request = {idx_pair("test", 12, 1), .synthetic = idx_pair("synthetic", 12, 2),
                                       .models = "none", .threads = 1};
    for (long n = 0; sbl_test_fail_next(&n);) {
        json_t *document = NULL;
        const bool failed = sbl_test_no_memory(sbl_evaluate_image_files(&document, &request, NULL));
        json_decref(document);
        if (failed) assert_null(document);
    }
}

ALL_TESTS(make_folder, remove_folder)
