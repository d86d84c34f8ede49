/* SPDX-License-Identifier: Apache-2.0 */
/* Encoders of images: values against torch (encoder_vectors.py), files that are refused, and the
 * real encoders where they are at hand (SBL_ENCODERS, or shared/encoders beside the source). */
#include <math.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/encoder/encoder_internal.h"
#include "base/tensors/tensor_file.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/npz.h"

FREES(sbl_encoder_free);

static json_t *vectors;

static int load_vectors(void **state)
{
    (void)state;
    vectors = json_load_file(SBL_TEST_SOURCE_DIR "/model/encoder_vectors.json", 0, NULL);
    return vectors != NULL ? 0 : -1;
}

AROUND(free_vectors) { json_decref(vectors); }

static uint8_t *bytes_of(const json_t *object, const char *name, size_t *size)
{
    const char *text = json_string_value(json_object_get(object, name));
    const size_t length = strlen(text);
    uint8_t *bytes = malloc(length / 4 * 3 + 1);
    assert_int_equal(EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)length), (int)(length / 4 * 3));
    *size = length / 4 * 3 - (text[length - 1] == '=') - (text[length - 2] == '=');
    return bytes;
}

static float *floats_of(const uint8_t *bytes, size_t size)
{
    float *values = malloc(size * sizeof *values);
    for (size_t i = 0; i < size; i++) values[i] = (float)bytes[i] / 255;
    return values;
}

/* Within tolerance times the largest wanted number. */
static void check_near(const float *found, const json_t *wanted, double tolerance)
{
    double largest = 0;
    for (size_t i = 0; i < json_array_size(wanted); i++)
        largest = fmax(largest, fabs(json_number_value(json_array_get(wanted, i))));
    assert_true(largest > 0);
    for (size_t i = 0; i < json_array_size(wanted); i++) {
        const double value = json_number_value(json_array_get(wanted, i));
        if (!(fabs((double)found[i] - value) <= tolerance * largest))
            fail_msg("number %zu is %.9g, wanted %.9g", i, (double)found[i], value);
    }
}

static void check_case(sbl_encoder *encoder, const json_t *one)
{
    size_t shape[4], size;
    for (size_t i = 0; i < 4; i++)
        shape[i] = (size_t)json_integer_value(json_array_get(json_object_get(one, "shape"), i));
    FREED(free) uint8_t *pixels = bytes_of(one, "pixels", &size);
    float *images = floats_of(pixels, size), features[16], logits[16];
    assert_int_equal(size, shape[0] * shape[1] * shape[2] * shape[3]);
    assert_int_equal(
        sbl_encoder_prepare(encoder, sbl_volume_of(shape[1], shape[2], shape[3]), shape[0] + 1, NULL),
        SBL_OK);
    sbl_encoder_run(encoder, features, logits, images, shape[0]);
    check_near(features, json_object_get(one, "features"), 1e-5);
    if (encoder->classes > 0) check_near(logits, json_object_get(one, "logits"), 1e-5);
    free(images);
}

/* A weighted sum of all activations: its slope along a direction is what goes back to the images. */
static double weighted_sum(sbl_encoder_workspace *room, const sbl_encoder *encoder, float **weights,
                           const float *images)
{
    double sum = 0;
    sbl_encoder_forward(room, images, 1);
    for (size_t i = 0; i < sbl_encoder_activation_count(encoder); i++) {
        const float *values = sbl_encoder_activation_values(room, i);
        const size_t size = sbl_volume_size(sbl_encoder_activation_at(encoder, i)->volume);
        for (size_t k = 0; k < size; k++) sum += (double)weights[i][k] * (double)values[k];
    }
    return sum;
}

static void check_gradient(const sbl_encoder *encoder)
{
    enum { SIDE = 20, SIZE = SIDE * SIDE * 3 };
    const size_t count = sbl_encoder_activation_count(encoder);
    const double step = 1e-3;
    float images[SIZE], moved[SIZE], d_images[SIZE] = {0}, *weights[80];
    double slope = 0, found[2];
    sbl_encoder_workspace *room;
    for (size_t i = 0; i < SIZE; i++) images[i] = (float)(0.5 + 0.4 * sin((double)(i * i)));
    for (size_t i = 0; i < count; i++) {
        const size_t size = sbl_volume_size(sbl_encoder_activation_at(encoder, i)->volume);
        weights[i] = malloc(size * sizeof **weights);
        for (size_t k = 0; k < size; k++) weights[i][k] = (float)(1 + sin((double)(k + 7 * i)));
    }
    assert_int_equal(sbl_encoder_workspace_new(&room, encoder, sbl_volume_of(SIDE, SIDE, 3), SBL_ENCODER_PAD,
                                               1, true, NULL),
                     SBL_OK);
    (void)weighted_sum(room, encoder, weights, images);
    sbl_encoder_backward(room, d_images, (const float *const *)weights);
    for (size_t i = 0; i < SIZE; i++) slope += (double)d_images[i] * (double)d_images[i];
    slope = sqrt(slope);
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < SIZE; i++) /* along the gradient */
            moved[i] = images[i] + (float)((side == 0 ? -step : step) / slope) * d_images[i];
        found[side] = weighted_sum(room, encoder, weights, moved);
    }
    const double difference = (found[1] - found[0]) / (2 * step);
    if (!(fabs(difference - slope) <= 0.01 * slope))
        fail_msg("%s: slope %g, gradient %g", sbl_encoder_family(encoder), difference, slope);
    sbl_encoder_workspace_free(room);
    for (size_t i = 0; i < count; i++) free(weights[i]);
}

TEST(small_encoders_give_what_torch_gives)
{
    const json_t *small = json_object_get(vectors, "small");
    assert_int_equal(json_array_size(small), 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *one = json_array_get(small, i), *cases = json_object_get(one, "cases");
        size_t size;
        FREED(free) uint8_t *file = bytes_of(one, "file", &size);
        FREED(sbl_encoder_free) sbl_encoder *encoder;
        sbl_error err = {0};
        if (sbl_encoder_decode(&encoder, file, size, "a/tiny.safetensors", SBL_ENCODER_SIDE, &err) != SBL_OK)
            fail_msg("%s", err.message);
        assert_int_equal(strncmp(sbl_encoder_name(encoder), "tiny (sha256 ", 13), 0);
        assert_int_equal(sbl_encoder_width(encoder), 6);
        assert_int_equal(encoder->classes, i == 0 ? 3 : 2);
        assert_int_equal(json_array_size(cases), 4);
        for (size_t k = 0; k < 4; k++) check_case(encoder, json_array_get(cases, k));
        check_gradient(encoder);
        assert_int_equal(sbl_encoder_prepare(encoder, sbl_volume_of(1025, 8, 1), 1, NULL), SBL_EARG);
        assert_int_equal(sbl_encoder_prepare(encoder, sbl_volume_of(8, 0, 1), 1, NULL), SBL_EARG);
        assert_int_equal(sbl_encoder_prepare(encoder, sbl_volume_of(8, 8, 2), 1, NULL), SBL_EARG);
    }
}

/* Networks under other people's names (encoder_families.py): strides, pools, batch norm folded, order
 * of colours; and the gradient's way back, which is that of the same network. */
TEST(foreign_families_give_what_plain_sums_give)
{
    static const size_t activations[] = {3, 9, 17, 13};
    json_auto_t *file = json_load_file(SBL_TEST_SOURCE_DIR "/model/encoder_families.json", 0, NULL);
    const json_t *families = json_object_get(file, "families");
    assert_int_equal(json_array_size(families), 4);
    for (size_t i = 0; i < 4; i++) {
        const json_t *one = json_array_get(families, i);
        size_t size;
        FREED(free) uint8_t *bytes = bytes_of(one, "file", &size);
        FREED(sbl_encoder_free) sbl_encoder *encoder;
        sbl_error err = {0};
        if (sbl_encoder_decode(&encoder, bytes, size, "f.safetensors", SBL_ENCODER_SIDE, &err) != SBL_OK)
            fail_msg("%s", err.message);
        assert_string_equal(sbl_encoder_family(encoder), json_string_value(json_object_get(one, "name")));
        assert_string_equal(sbl_encoder_origin(encoder), "not stated");
        assert_int_equal(sbl_encoder_width(encoder), 6);
        assert_int_equal(sbl_encoder_activation_count(encoder), activations[i]);
        check_case(encoder, json_array_get(json_object_get(one, "cases"), 0));
        check_gradient(encoder);
    }
}

/* The stated logits were computed elsewhere in single precision: they are 1.5e-4 off torch's own in
 * double precision. */
TEST(real_encoders_give_their_check_values)
{
    const char *named = getenv("SBL_ENCODERS");
    const char *folder = named != NULL ? named : SBL_TEST_SOURCE_DIR "/../../shared/encoders";
    const json_t *real = json_object_get(vectors, "real");
    size_t size, found = 0;
    uint8_t *pixels = bytes_of(vectors, "images", &size);
    float *images = floats_of(pixels, size), features[4 * 512], logits[4 * 10];
    for (size_t i = 0; i < json_array_size(real); i++) {
        const json_t *one = json_array_get(real, i);
        char path[4096];
        sbl_encoder *encoder;
        sbl_error err = {0};
        (void)snprintf(path, sizeof path, "%s/%s.safetensors", folder,
                       json_string_value(json_object_get(one, "name")));
        if (access(path, R_OK) != 0) continue;
        if (sbl_encoder_load(&encoder, path, SBL_ENCODER_SIDE, &err) != SBL_OK) fail_msg("%s", err.message);
        assert_int_equal(sbl_encoder_prepare(encoder, sbl_volume_of(32, 32, 3), 4, NULL), SBL_OK);
        sbl_encoder_run(encoder, features, logits, images, 4);
        check_near(logits, json_object_get(one, "logits"), 1e-5);
        check_near(logits, json_object_get(one, "stated"), 3e-4);
        sbl_encoder_free(encoder);
        found++;
    }
    free(images);
    free(pixels);
    if (found == 0) skip();
}

/* Where the real encoders are; NULL: nowhere. */
static const char *real_folder(void)
{
    const char *named = getenv("SBL_ENCODERS");
    const char *folder = named != NULL ? named : SBL_TEST_SOURCE_DIR "/../../shared/encoders";
    return access(folder, R_OK) == 0 ? folder : NULL;
}

/* The largest difference, over the largest wanted number. */
static double worst(const double *found, const double *wanted, size_t count)
{
    double largest = 0, difference = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(wanted[i]));
        difference = fmax(difference, fabs(found[i] - wanted[i]));
    }
    assert_true(largest > 0);
    return difference / largest;
}

/* Activation `which` of the four images, every `step` pixels, against array `name`. */
static double compare_activation(const sbl_encoder *encoder, const sbl_encoder_workspace *room, size_t which,
                                 size_t step, const char *path, const char *name)
{
    size_t count, at = 0;
    double *wanted = npz_read(path, name, &count), *found = calloc(count, sizeof *found);
    const sbl_volume v = sbl_encoder_activation_at(encoder, which)->volume;
    const float *values = sbl_encoder_activation_values(room, which);
    assert_non_null(wanted);
    assert_int_equal(count, 4 * v.channels * (v.height / step) * (v.width / step));
    for (size_t n = 0; n < 4; n++)
        for (size_t c = 0; c < v.channels; c++)
            for (size_t y = 0; y < v.height; y += step)
                for (size_t x = 0; x < v.width; x += step)
                    found[at++] = (double)values[((n * v.height + y) * v.width + x) * v.channels + c];
    const double result = worst(found, wanted, count);
    free(wanted);
    free(found);
    return result;
}

/* Logits of every encoder, and of the plain ones the first activation (every fourth pixel) and the
 * last, against the check files themselves, which hold single precision of another program. The
 * residual one is stored in float16. */
TEST(real_activations_are_those_of_the_check_files)
{
    static const char *const names[] = {"vgg-s", "vgg-m", "resnet18"};
    const char *folder = real_folder();
    if (folder == NULL) skip();
    for (size_t i = 0; i < 3; i++) {
        char path[4096], check[4096];
        size_t count;
        FREED(sbl_encoder_free) sbl_encoder *encoder;
        sbl_encoder_workspace *room;
        float images[4 * 32 * 32 * 3], features[4 * 512], logits[40];
        double found[40], errors[3] = {0};
        (void)snprintf(path, sizeof path, "%s/%s.safetensors", folder, names[i]);
        (void)snprintf(check, sizeof check, "%s/%s_check.npz", folder, names[i]);
        double *pixels = npz_read(check, "x", &count);
        assert_int_equal(count, 4 * 32 * 32 * 3);
        for (size_t k = 0; k < count; k++) /* from planes to pixels */
            images[(k / 3072 * 1024 + k % 1024) * 3 + k / 1024 % 3] = (float)(pixels[k] / 255);
        free(pixels);
        assert_int_equal(sbl_encoder_load(&encoder, path, SBL_ENCODER_SIDE, NULL), SBL_OK);
        assert_int_equal(sbl_encoder_prepare(encoder, sbl_volume_of(32, 32, 3), 4, NULL), SBL_OK);
        sbl_encoder_run(encoder, features, logits, images, 4);
        double *wanted = npz_read(check, "logits", &count);
        assert_int_equal(count, 40);
        for (size_t k = 0; k < 40; k++) found[k] = (double)logits[k];
        errors[0] = worst(found, wanted, 40);
        free(wanted);
        assert_int_equal(sbl_encoder_workspace_new(&room, encoder, sbl_volume_of(32, 32, 3), SBL_ENCODER_PAD,
                                                   4, false, NULL),
                         SBL_OK);
        sbl_encoder_forward(room, images, 4);
        const size_t last = sbl_encoder_activation_count(encoder) - 1;
        if (i < 2) errors[1] = compare_activation(encoder, room, 0, 4, check, "feat0");
        if (i < 2) errors[2] = compare_activation(encoder, room, last, 1, check, "feat_last");
        print_message("%s: logits %.1e, first activation %.1e, last %.1e\n", names[i], errors[0], errors[1],
                      errors[2]);
        for (size_t k = 0; k < 3; k++) assert_true(errors[k] < 1e-3);
        sbl_encoder_workspace_free(room);
    }
}

/* Before its ReLU an activation is what the ReLU makes the other one of; in every family, and so is
 * the gradient's way back. */
static void check_signed(sbl_encoder *encoder, const uint8_t *file, size_t size)
{
    enum { SIDE = 20, SIZE = SIDE * SIDE * 3 };
    const sbl_volume image = sbl_volume_of(SIDE, SIDE, 3);
    FREED(sbl_encoder_free) sbl_encoder *plain;
    sbl_encoder_workspace *rooms[2];
    float images[SIZE];
    size_t below = 0;
    for (size_t i = 0; i < SIZE; i++) images[i] = (float)(0.5 + 0.4 * sin((double)(i * i)));
    assert_int_equal(sbl_encoder_decode(&plain, file, size, "f", SBL_ENCODER_SIDE, NULL), SBL_OK);
    sbl_encoder_take_signed(encoder);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sbl_encoder_workspace_new(&rooms[i], i == 0 ? plain : encoder, image,
                                                   SBL_ENCODER_PAD, 1, false, NULL),
                         SBL_OK);
        sbl_encoder_forward(rooms[i], images, 1);
    }
    for (size_t a = 0; a < sbl_encoder_activation_count(encoder); a++) {
        const size_t count = sbl_volume_size(sbl_encoder_activation_at(encoder, a)->volume);
        const float *behind = sbl_encoder_activation_values(rooms[0], a);
        const float *before = sbl_encoder_activation_values(rooms[1], a);
        for (size_t k = 0; k < count; k++) {
            assert_true(behind[k] == fmaxf(before[k], 0));
            below += before[k] < 0;
        }
    }
    assert_true(below > 100);
    for (int i = 0; i < 2; i++) sbl_encoder_workspace_free(rooms[i]);
    check_gradient(encoder);
}

enum { SHOWN_SIDE = 20, SHOWN = SHOWN_SIDE * SHOWN_SIDE * 3 };

/* The gradient of activation i's first numbers in an image, and that activation. */
static sbl_encoder_workspace *look(float d_images[SHOWN], const sbl_encoder *encoder, size_t i,
                                   const float *d_values)
{
    const float *d[80] = {0};
    float images[SHOWN];
    sbl_encoder_workspace *room;
    for (size_t k = 0; k < SHOWN; k++) images[k] = (float)(0.5 + 0.4 * sin((double)(k * k)));
    assert_int_equal(sbl_encoder_workspace_new(&room, encoder, sbl_volume_of(SHOWN_SIDE, SHOWN_SIDE, 3),
                                               SBL_ENCODER_PAD, 1, true, NULL),
                     SBL_OK);
    d[i] = d_values;
    sbl_encoder_forward(room, images, 1);
    memset(d_images, 0, SHOWN * sizeof *d_images);
    sbl_encoder_backward(room, d_images, d);
    return room;
}

static void check_end(const uint8_t *file, size_t size, size_t i, bool before)
{
    sbl_encoder *encoders[2];
    sbl_encoder_workspace *rooms[2];
    float found[2][SHOWN];
    for (int k = 0; k < 2; k++) {
        assert_int_equal(sbl_encoder_decode(&encoders[k], file, size, "f", SBL_ENCODER_SIDE, NULL), SBL_OK);
        if (k == 1) sbl_encoder_end_at(encoders[k], i);
        if (before) sbl_encoder_take_signed(encoders[k]);
    }
    const size_t count = sbl_volume_size(sbl_encoder_activation_at(encoders[0], i)->volume);
    FREED(free) float *d_values = malloc(count * sizeof *d_values);
    for (size_t k = 0; k < count; k++) d_values[k] = (float)(1 + sin((double)k));
    for (int k = 0; k < 2; k++) rooms[k] = look(found[k], encoders[k], i, d_values);
    assert_memory_equal(found[0], found[1], sizeof found[0]);
    assert_memory_equal(sbl_encoder_activation_values(rooms[0], i),
                        sbl_encoder_activation_values(rooms[1], i), count * sizeof(float));
    const double whole = sbl_encoder_products(encoders[0]);
    const double part = sbl_encoder_products(encoders[1]);
    assert_true(i == 0 ? part < whole : part <= whole);
    for (int k = 0; k < 2; k++) {
        sbl_encoder_workspace_free(rooms[k]);
        sbl_encoder_free(encoders[k]);
    }
}

/* Of every family, from its file. */
static void check_families(void (*check)(sbl_encoder *, const uint8_t *, size_t))
{
    json_auto_t *file = json_load_file(SBL_TEST_SOURCE_DIR "/model/encoder_families.json", 0, NULL);
    for (size_t i = 0; i < 6; i++) {
        const json_t *one = i < 4 ? json_array_get(json_object_get(file, "families"), i)
                                  : json_array_get(json_object_get(vectors, "small"), i - 4);
        size_t size;
        FREED(free) uint8_t *bytes = bytes_of(one, "file", &size);
        FREED(sbl_encoder_free) sbl_encoder *encoder;
        assert_int_equal(sbl_encoder_decode(&encoder, bytes, size, "f", SBL_ENCODER_SIDE, NULL), SBL_OK);
        check(encoder, bytes, size);
    }
}

static void check_ends(sbl_encoder *encoder, const uint8_t *file, size_t size)
{
    for (size_t i = 0; i < sbl_encoder_activation_count(encoder); i++)
        for (int before = 0; before < 2; before++) check_end(file, size, i, before != 0);
}

/* What lies behind the last activation that is taken is not computed, and nothing before it changes. */
TEST(an_encoder_ends_where_nothing_more_is_taken) { check_families(check_ends); }

TEST(signs_are_there_before_the_relus) { check_families(check_signed); }

/* --- what is refused --- */

/* A file of this header and so many bytes of data. */
static uint8_t *make_file(size_t *size, const char *header, size_t data)
{
    const size_t length = strlen(header);
    uint8_t *bytes = calloc(8 + length + data, 1);
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)((uint64_t)length >> (8 * i));
    memcpy(bytes + 8, header, length);
    *size = 8 + length + data;
    return bytes;
}

static void check_refused(const uint8_t *bytes, size_t size, const char *words)
{
    sbl_encoder *encoder = (sbl_encoder *)&size; /* must be cleared */
    sbl_error err = {0};
    assert_int_equal(sbl_encoder_decode(&encoder, bytes, size, "e", SBL_ENCODER_SIDE, &err), SBL_EINPUT);
    assert_null(encoder);
    if (strncmp(err.message, "e: ", 3) != 0 || strstr(err.message, words) == NULL)
        fail_msg("'%s' does not say '%s'", err.message, words);
}

TEST(files_that_are_no_tensors_are_refused)
{
    static const struct {
        const char *header, *words;
        size_t data;
    } cases[] = {
        {"{", "not JSON", 0},
        {"{\"a\":{\"dtype\":\"I32\",\"shape\":[1],\"data_offsets\":[0,8]}}", "a tensor", 8},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", "a tensor", 4},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1],\"data_offsets\":[0,4]}}", "a tensor", 4},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", "a tensor", 4},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1.5],\"data_offsets\":[0,4]}}", "a tensor", 4},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", "a tensor", 4},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", "a tensor", 4},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", "a tensor", 4},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296,16],\"data_offsets\":[0,4]}}",
         "a tensor", 4},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
         "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
         "overlap", 4},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", "gaps", 8},
        {"{\"a\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[0,2]}}", "gaps", 4},
        {"{\"__metadata__\":{\"x\":\"y\"}}", "'architecture'", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size;
        FREED(free) uint8_t *bytes = make_file(&size, cases[i].header, cases[i].data);
        check_refused(bytes, size, cases[i].words);
    }
    check_refused((const uint8_t *)"1234567", 7, "too short");
    check_refused((const uint8_t *)"\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10, "header");
    check_refused((const uint8_t *)"\3\0\0\0\0\0\0\0{}", 10, "header");
}

/* The small vgg with one text of its header replaced by another of the same length. */
static void check_edit(size_t which, const char *from, const char *to, const char *words)
{
    size_t size;
    FREED(free)
    uint8_t *bytes = bytes_of(json_array_get(json_object_get(vectors, "small"), which), "file", &size);
    const size_t length = strlen(from);
    size_t at = 8;
    assert_int_equal(length, strlen(to));
    while (at + length < size && memcmp(bytes + at, from, length) != 0) at++;
    assert_true(at + length < size);
    memcpy(bytes + at, to, length);
    check_refused(bytes, size, words);
}

TEST(encoders_that_do_not_fit_together_are_refused)
{
    check_edit(0, "RGB in [0,1]", "BGR in [0,1]", "'input'");
    check_edit(0, "0.5,0.4,0.3", "0.5,0.4;0.3", "'mean'");
    check_edit(0, "0.5,0.4,0.3", "0.5,nan,0.3", "'mean'");
    check_edit(0, "0.25,0.2,0.3", "0.25,0.0,0.3", "'std' must be positive");
    check_edit(0, "vgg: tiny", "vit: tiny", "'architecture'");
    check_edit(0, "a,pool2,b", "a,pool3,b", "'pool3' are missing");
    check_edit(0, "a,pool2,b", "b,pool2,a", "takes 4 channels and is given 3");
    check_edit(0, "a,pool2,b", "a,pool2,,", "'layers'");
    check_edit(0, "\"b.bias\"", "\"b.bios\"", "'b' are missing");
    check_edit(0, "[4, 3, 3, 3]", "[4, 9, 3, 1]", "not those of a convolution");
    check_edit(0, "\"shape\": [3, 6]", "\"shape\": [6, 3]", "'fc' do not fit");
    check_edit(1, "block1.skip.weight", "block1.ship.weight", "different shapes");
    check_edit(1, "block0.conv2.bias", "block0.conv3.bias", "'block0.conv2' are missing");
    check_edit(1, "resnet: tiny", "Resnet: tiny", "'architecture'");
}

TEST(weights_that_are_not_finite_are_refused)
{
    for (size_t which = 0; which < 2; which++) {
        size_t size;
        FREED(free)
        uint8_t *bytes = bytes_of(json_array_get(json_object_get(vectors, "small"), which), "file", &size);
        /* The last tensor is the bias of fc; all ones is not a number in both types. */
        memset(bytes + size - 4, 0xff, 4);
        check_refused(bytes, size, "not a finite number");
    }
}

TEST(half_floats_are_read_exactly)
{
    static const uint8_t bytes[] = {0x00, 0x3c, 0x00, 0xc0, 0x01, 0x00, 0xff, 0x7b, 0x00, 0x80};
    static const float wanted[] = {1.0f, -2.0f, 0x1p-24f, 65504.0f, -0.0f};
    const sbl_foreign_tensor tensor = {.type = SBL_TENSOR_F16, .count = 5, .bytes = bytes};
    float found[5];
    assert_true(sbl_foreign_tensor_read(found, &tensor));
    assert_memory_equal(found, wanted, sizeof wanted);
    const uint8_t infinity[] = {0x00, 0x7c};
    assert_false(sbl_foreign_tensor_read(
        found, &(sbl_foreign_tensor){.type = SBL_TENSOR_F16, .count = 1, .bytes = infinity}));
}

TEST(running_out_of_memory_leaves_no_encoder)
{
    for (size_t which = 0; which < 2; which++) {
        size_t size;
        uint8_t *bytes = bytes_of(json_array_get(json_object_get(vectors, "small"), which), "file", &size);
        for (long n = 1;; n++) {
            sbl_encoder *encoder = NULL;
            sbl_test_fail_alloc(n);
            sbl_status status = sbl_encoder_decode(&encoder, bytes, size, "e", SBL_ENCODER_SIDE, NULL);
            if (status == SBL_OK)
                status = sbl_encoder_prepare(encoder, sbl_volume_of(8, 8, 1), 2, NULL);
            else
                assert_null(encoder);
            const bool failed = sbl_test_alloc_failed();
            sbl_test_fail_alloc(0);
            sbl_encoder_free(encoder);
            assert_int_equal(status, failed ? SBL_EMEM : SBL_OK);
            if (!failed) break;
        }
        free(bytes);
    }
}

ALL_TESTS(load_vectors, free_vectors)
