/* SPDX-License-Identifier: Apache-2.0 */
/* Images: the Frechet distance against scipy's, neighbours, pictures, the convolutional network and
 * the whole "images" object on generated images; a real set where it is at hand. */
#include <math.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/encoder/encoder.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/random/model_rng.h"
#include "learners/learner_kit.h"
#include "owner/evaluate/image_data.h"
#include "owner/evaluate/image_encoder.h"
#include "owner/evaluate/image_frechet.h"
#include "owner/evaluate/image_study.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/sanitized.h"

enum { SIDE = 8, SIZE = SIDE * SIDE };

/* --- generated images: class 0 has a horizontal bar, class 1 a vertical one, class 2 both --- */

static sbl_image_data make_images(size_t count, uint64_t seed)
{
    uint8_t *pixels = calloc(count * SIZE, 1);
    uint32_t *labels = calloc(count, sizeof *labels);
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, 11);
    for (size_t i = 0; i < count; i++) {
        uint8_t *image = pixels + i * SIZE;
        const size_t across = sbl_model_rng_below(&rng, SIDE), down = sbl_model_rng_below(&rng, SIDE);
        labels[i] = (uint32_t)(i % 3);
        for (size_t j = 0; j < SIZE; j++) image[j] = (uint8_t)sbl_model_rng_below(&rng, 60);
        for (size_t j = 0; j < SIDE; j++) {
            if (labels[i] != 1) image[down * SIDE + j] = 220;
            if (labels[i] != 0) image[j * SIDE + across] = 220;
        }
    }
    return (sbl_image_data){
        .shape = {SIDE, SIDE, 1}, .count = count, .classes = 3, .pixels = pixels, .labels = labels};
}

static void free_images(sbl_image_data *images)
{
    free((uint8_t *)images->pixels);
    free((uint32_t *)images->labels);
}

/* --- the Frechet distance --- */

static float *features_of(const json_t *one, const char *name, size_t *count)
{
    double *values = kit_doubles(one, name, count);
    float *features = calloc(*count, sizeof *features);
    for (size_t i = 0; i < *count; i++) features[i] = (float)(values[i] / 64);
    free(values);
    return features;
}

TEST(frechet_distance_is_that_of_scipy)
{
    json_auto_t *vectors = kit_vectors();
    const json_t *cases = json_object_get(vectors, "frechet");
    assert_true(json_array_size(cases) == 2);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *one = json_array_get(cases, i);
        const size_t width = (size_t)json_integer_value(json_object_get(one, "width"));
        const double wanted = json_number_value(json_object_get(one, "distance"));
        size_t first_count, second_count;
        double found, back;
        FREED(free) float *first = features_of(one, "first", &first_count);
        FREED(free) float *second = features_of(one, "second", &second_count);
        assert_ok(sbl_frechet_distance(&found, first, first_count / width, second, second_count / width,
                                       width, NULL));
        assert_ok(sbl_frechet_distance(&back, second, second_count / width, first, first_count / width, width,
                                       NULL));
        /* The second case has fewer vectors than features: the root of a zero costs digits. */
        if (fabs(found / wanted - 1) > (i == 0 ? 1e-9 : 1e-5))
            fail_msg("found %.12g, scipy has %.12g", found, wanted);
        assert_true(fabs(back / found - 1) < (i == 0 ? 1e-9 : 1e-5));
    }
}

/* Covariances diag(2, 8) / 3 and diag(8, 2) / 3, means 3 and 4 apart:
 *     d^2 = 3^2 + 4^2 + 2 (sqrt(8 / 3) - sqrt(2 / 3))^2 = 25 + 4 / 3 */
TEST(frechet_distance_by_hand)
{
    const float first[] = {1, 0, -1, 0, 0, 2, 0, -2}, second[] = {5, 4, 1, 4, 3, 5, 3, 3};
    double found;
    assert_ok(sbl_frechet_distance(&found, first, 4, second, 4, 2, NULL));
    assert_true(fabs(found - (25 + 4.0 / 3)) < 1e-12);
}

TEST(frechet_distance_to_itself_is_zero_and_needs_two)
{
    const float rows[] = {1, 2, 3, 5, 4, 4, 0, 1}, bad[] = {1, 2, NAN, 3};
    double found;
    assert_ok(sbl_frechet_distance(&found, rows, 4, rows, 4, 2, NULL));
    assert_true(found >= 0 && found < 1e-9);
    assert_int_equal(sbl_frechet_distance(&found, rows, 1, rows, 4, 2, NULL), SBL_EARG);
    assert_int_equal(sbl_frechet_distance(&found, bad, 2, rows, 4, 2, NULL), SBL_EARG);
}

static double frechet(const sbl_image_encoder *encoder, const sbl_image_data *first,
                      const sbl_image_data *second, size_t count)
{
    double distance;
    float *left = sbl_alloc_array(count, encoder->width * sizeof *left);
    float *right = sbl_alloc_array(count, encoder->width * sizeof *right);
    assert_ok(sbl_image_encode_some(left, encoder, first, count, 1, NULL, NULL));
    assert_ok(sbl_image_encode_some(right, encoder, second, count, 1, NULL, NULL));
    assert_ok(sbl_frechet_distance(&distance, left, count, right, count, encoder->width, NULL));
    sbl_free(left);
    sbl_free(right);
    return distance;
}

/* Larger images are seen as they are, smaller ones at 32 x 32; how many go through at a time changes nothing. */
TEST(built_in_network_has_a_name_a_hash_and_the_images_side)
{
    static const size_t sides[][2] = {{8, 32}, {33, 33}, {128, 128}};
    for (size_t i = 0; i < 3; i++) {
        const size_t side = sides[i][0];
        CLEARED(sbl_image_floor_clear) sbl_image_data noise;
        sbl_image_encoder encoder;
        float *features[2];
        assert_ok(sbl_image_noise(&noise, (sbl_image_shape){side, side, 3}, 5, 1, NULL));
        assert_ok(sbl_image_encoder_file(&encoder, SBL_ENCODER_BUILT_IN, noise.shape, NULL));
        assert_int_equal(encoder.side, sides[i][1]);
        assert_int_equal(strncmp(encoder.name, "vgg-s (sha256 ", 14), 0);
        assert_int_equal(strlen(encoder.hash), 64);
        assert_non_null(strstr(encoder.origin, "CIFAR-10"));
        for (size_t j = 0; j < 2; j++) {
            features[j] = calloc(5 * encoder.width, sizeof **features);
            encoder.rows = j == 0 ? encoder.rows : 2;
            assert_ok(sbl_image_encode_some(features[j], &encoder, &noise, 5, 1, NULL, NULL));
        }
        assert_memory_equal(features[0], features[1], 5 * encoder.width * sizeof **features);
        free(features[0]), free(features[1]);
        encoder.free(encoder.state);
    }
}

TEST(random_encoder_tells_bars_from_noise)
{
    sbl_image_data bars = make_images(300, 1), more = make_images(300, 2), noise = make_images(300, 3);
    sbl_image_encoder encoder;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 1, SBL_RNG_OTHER, 12);
    for (size_t i = 0; i < 300 * SIZE; i++)
        ((uint8_t *)noise.pixels)[i] = (uint8_t)sbl_model_rng_below(&rng, 256);
    assert_ok(sbl_image_encoder_random(&encoder, bars.shape, NULL));
    const double near = frechet(&encoder, &bars, &more, 300);
    const double far = frechet(&encoder, &bars, &noise, 300);
    const double same = frechet(&encoder, &bars, &bars, 300);
    assert_true(same < 1e-6 * near + 1e-6 && far > 5 * near && near > 0);
    encoder.free(encoder.state);
    free_images(&bars), free_images(&more), free_images(&noise);
}

/* --- neighbours and pictures --- */

TEST(nearest_images_come_in_order_ties_by_index)
{
    /* Four images of two pixels. */
    const uint8_t pixels[] = {100, 100, 90, 100, 110, 100, 0, 0, 100, 101}, image[] = {100, 100};
    const sbl_image_data real = {.shape = {1, 2, 1}, .count = 5, .pixels = pixels};
    uint32_t index[4];
    double distance[4];
    sbl_image_nearest(index, distance, 4, image, &real);
    assert_int_equal(index[0], 0);
    assert_int_equal(index[1], 4);
    assert_int_equal(index[2], 1);
    assert_int_equal(index[3], 2);
    assert_true(distance[0] == 0);
    assert_true(fabs(distance[1] - sqrt(0.5) / 255) < 1e-12);
    assert_true(fabs(distance[3] - sqrt(50) / 255) < 1e-12);
}

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Sides of the PNG file in a grid. */
static void check_png(const json_t *grid, uint32_t width, uint32_t height)
{
    static const uint8_t begin[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const char *text = json_string_value(json_object_get(grid, "png_base64"));
    uint8_t bytes[64];
    assert_non_null(text);
    assert_true(strlen(text) > 64 && strlen(text) % 4 == 0);
    assert_int_equal(EVP_DecodeBlock(bytes, (const unsigned char *)text, 64), 48);
    assert_memory_equal(bytes, begin, sizeof begin);
    assert_int_equal(big_endian(bytes + 16), width);
    assert_int_equal(big_endian(bytes + 20), height);
}

TEST(grid_of_classes_has_a_row_for_each)
{
    CLEARED(free_images) sbl_image_data images = make_images(40, 1);
    const sbl_image_utility_options options = {0};
    const sbl_image_study s = {
        .sides[SBL_SIDE_SYNTHETIC].images = &images, .test = &images, .options = &options};
    for (uint32_t rows = 3; rows <= 10; rows += 7) { /* classes; without, ten rows */
        json_t *result = json_object();
        assert_ok(sbl_image_draw_pictures(&result, &s, NULL));
        const json_t *grids = json_object_get(result, "grids");
        assert_int_equal(json_array_size(grids), 2);
        check_png(json_array_get(grids, 1), 10 * (SIDE + 2) + 2, rows * (SIDE + 2) + 2);
        json_decref(result);
        images.classes = 0;
    }
}

/* --- the network --- */

static double cnn_accuracy(const sbl_image_data *train, const sbl_image_data *test, uint64_t seed)
{
    double *scores = calloc(test->count * 3, sizeof *scores);
    uint32_t *index = calloc(train->count, sizeof *index);
    size_t hits = 0;
    sbl_image_choose(index, train->count, train, seed);
    assert_ok(sbl_image_learn_cnn(scores, train, index, train->count, test, seed, NULL, NULL));
    for (size_t i = 0; i < test->count; i++) {
        size_t best = 0;
        for (size_t c = 1; c < 3; c++)
            if (scores[3 * i + c] > scores[3 * i + best]) best = c;
        hits += best == test->labels[i] ? 1 : 0;
    }
    free(scores);
    free(index);
    return (double)hits / (double)test->count;
}

TEST(cnn_learns_bars_wherever_they_are)
{
    sbl_image_data train = make_images(sanitized ? 20 : 200, 1), test = make_images(150, 2);
    const double accuracy = cnn_accuracy(&train, &test, 1);
    assert_true(accuracy > 0.95 || sanitized);
    free_images(&train), free_images(&test);
}

TEST(cnn_takes_images_of_any_side)
{
    static const sbl_image_shape shapes[] = {{1, 1, 1}, {3, 2, 1}, {5, 1, 3}, {7, 50, 3}};
    for (size_t i = 0; i < 4; i++) {
        CLEARED(free_images)
        sbl_image_data images = make_images(330, 1); /* its bytes are enough for 20 of any */
        double scores[60];
        uint32_t index[20];
        images.shape = shapes[i];
        images.count = 20;
        sbl_image_choose(index, 20, &images, 1);
        assert_ok(sbl_image_learn_cnn(scores, &images, index, 20, &images, 1, NULL, NULL));
        for (size_t j = 0; j < 60; j++) assert_true(isfinite(scores[j]));
    }
}

/* --- all of it --- */

static bool has_nan(const json_t *value)
{
    const char *key;
    json_t *member;
    if (json_is_real(value)) return !isfinite(json_real_value(value));
    for (size_t i = 0; i < json_array_size(value); i++)
        if (has_nan(json_array_get(value, i))) return true;
    json_object_foreach((json_t *)value, key, member) if (has_nan(member)) return true;
    return false;
}

static json_t *evaluate(const sbl_image_data *synthetic, const sbl_image_data *train,
                        const sbl_image_data *test, sbl_image_utility_options options)
{
    json_t *result;
    sbl_error err = {0};
    options.threads = 1;
    assert_ok_or_say(sbl_evaluate_images(&result, synthetic, train, test, &options, &err));
    assert_false(has_nan(result));
    return result;
}

static const json_t *score_of(const json_t *result, const char *name)
{
    const json_t *scores = json_object_get(result, "scores");
    for (size_t i = 0; i < json_array_size(scores); i++) {
        const json_t *one = json_array_get(scores, i);
        if (strcmp(json_string_value(json_object_get(one, "name")), name) == 0) return one;
    }
    return NULL;
}

static double value_of(const json_t *score, const char *which)
{
    const json_t *value = json_object_get(json_object_get(score, "value"), which);
    assert_true(json_is_real(value));
    return json_real_value(value);
}

TEST(whole_evaluation_has_scores_distance_neighbours_and_grids)
{
    sbl_image_data synthetic = make_images(120, 1), train = make_images(150, 2);
    sbl_image_data test = make_images(90, 3);
    memcpy((uint8_t *)train.pixels + 7 * SIZE, synthetic.pixels, SIZE); /* a copy: image 7 */
    json_t *result = evaluate(&synthetic, &train, &test,
                              (sbl_image_utility_options){.seed = 1, .neighbours = 3, .image_limit = 100});
    const json_t *cnn = score_of(result, "accuracy of CNN");
    assert_true(value_of(cnn, "synthetic") > 0.85 && value_of(cnn, "ceiling") > 0.85);
    /* Bars may be anywhere: a pixel alone says little of its class. */
    assert_true(value_of(cnn, "floor") < 0.75);
    assert_true(fabs(json_real_value(json_object_get(result, "chance")) - 1.0 / 3) < 1e-12);
    assert_non_null(score_of(result, "accuracy of MLP"));
    const json_t *frechet = json_object_get(result, "frechet");
    assert_int_equal(json_integer_value(json_object_get(frechet, "images")), 90);
    assert_non_null(strstr(json_string_value(json_object_get(frechet, "encoder")), "random"));
    const json_t *distance = json_object_get(frechet, "distance");
    const double ceiling = json_real_value(json_object_get(distance, "ceiling"));
    const double floor = json_real_value(json_object_get(distance, "floor"));
    assert_true(ceiling > 0 && floor > 2 * ceiling);
    assert_true(json_real_value(json_object_get(frechet, "noise")) > floor);
    assert_true(json_is_null(json_object_get(frechet, "sha256")));
    const json_t *neighbours = json_object_get(result, "neighbours");
    assert_int_equal(json_array_size(neighbours), 3);
    const json_t *nearest = json_array_get(neighbours, 0);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(nearest, "real"), 0)), 7);
    assert_true(json_real_value(json_array_get(json_object_get(nearest, "distance"), 0)) == 0);
    const json_t *grids = json_object_get(result, "grids");
    assert_int_equal(json_array_size(grids), 4);
    check_png(json_array_get(grids, 3), 11 * (SIDE + 2) + 2, 2 * (SIDE + 2) + 2);
    const json_t *copies = json_object_get(json_object_get(result, "closest"), "copies");
    assert_int_equal(json_integer_value(json_object_get(copies, "synthetic")), 1);
    assert_int_equal(json_integer_value(json_object_get(copies, "of_synthetic")), 100);
    assert_int_equal(json_integer_value(json_object_get(copies, "holdout")), 0);
    assert_int_equal(json_integer_value(json_object_get(copies, "of_holdout")), 90);
    const json_t *used = json_object_get(json_object_get(result, "rows"), "real");
    assert_int_equal(json_integer_value(json_object_get(used, "used")), 100);
    assert_int_equal(json_integer_value(json_object_get(used, "of")), 150);
    json_decref(result);
    free_images(&synthetic), free_images(&train), free_images(&test);
}

TEST(same_seed_gives_the_same_document)
{
    if (sanitized) return; /* two more evaluations like those above: bits are the plain build's to compare */
    sbl_image_data synthetic = make_images(60, 1), test = make_images(40, 3);
    char *texts[2];
    for (size_t i = 0; i < 2; i++) {
        json_auto_t *result =
            evaluate(&synthetic, NULL, &test, (sbl_image_utility_options){.seed = 4, .image_limit = 20});
        texts[i] = sbl_json_canonical(result);
    }
    assert_string_equal(texts[0], texts[1]);
    sbl_free(texts[0]), sbl_free(texts[1]);
    free_images(&synthetic), free_images(&test);
}

TEST(images_without_labels_have_no_scores_but_the_rest)
{
    sbl_image_data synthetic = make_images(60, 1), test = make_images(40, 3);
    synthetic.classes = test.classes = 0;
    json_t *result =
        evaluate(&synthetic, NULL, &test, (sbl_image_utility_options){.seed = 1, .neighbours = 20});
    assert_int_equal(json_array_size(json_object_get(result, "scores")), 0);
    assert_int_equal(json_array_size(json_object_get(result, "neighbours")), 20);
    const json_t *distance = json_object_get(json_object_get(result, "frechet"), "distance");
    assert_true(json_is_real(json_object_get(distance, "synthetic")));
    assert_true(json_is_null(json_object_get(distance, "ceiling")));
    json_decref(result);
    free_images(&synthetic), free_images(&test);
}

TEST(one_class_in_the_synthetic_images_says_why)
{
    sbl_image_data synthetic = make_images(30, 1), test = make_images(40, 3);
    for (size_t i = 0; i < synthetic.count; i++) ((uint32_t *)synthetic.labels)[i] = 2;
    json_t *result =
        evaluate(&synthetic, NULL, &test, (sbl_image_utility_options){.seed = 1, .models = "mlp,cnn"});
    const json_t *score = score_of(result, "accuracy of CNN");
    assert_true(json_is_null(json_object_get(json_object_get(score, "value"), "synthetic")));
    assert_string_equal(json_string_value(json_object_get(score, "why")),
                        "the training images have one class only");
    assert_int_equal(json_array_size(json_object_get(result, "scores")), 2);
    json_decref(result);
    free_images(&synthetic), free_images(&test);
}

static void check_refused(const sbl_image_data *synthetic, const sbl_image_data *test,
                          sbl_image_utility_options options, sbl_status wanted, const char *words)
{
    json_t *result = NULL;
    sbl_error err = {0};
    assert_int_equal(sbl_evaluate_images(&result, synthetic, NULL, test, &options, &err), wanted);
    assert_null(result);
    if (strstr(err.message, words) == NULL) fail_msg("%s", err.message);
}

TEST(sets_that_do_not_match_are_refused)
{
    sbl_image_data synthetic = make_images(30, 1), test = make_images(40, 3);
    const sbl_image_utility_options options = {.seed = 1};
    sbl_image_data other = synthetic;
    other.shape.width = 6;
    check_refused(&other, &test, options, SBL_EINPUT, "8 x 6 x 1, the real ones 8 x 8 x 1");
    other = synthetic;
    other.classes = 4;
    check_refused(&other, &test, options, SBL_EINPUT, "4 classes, the real ones 3");
    other = synthetic;
    other.count = 0;
    check_refused(&other, &test, options, SBL_EINPUT, "no synthetic images");
    check_refused(&synthetic, &other, options, SBL_EINPUT, "no real images");
    check_refused(&synthetic, &test, (sbl_image_utility_options){.neighbours = 21}, SBL_EARG, "20");
    check_refused(&synthetic, &test, (sbl_image_utility_options){.models = "cnn,vit"}, SBL_EARG, "'vit'");
    free_images(&synthetic), free_images(&test);
}

static int note_part(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    (void)step, (void)steps, (void)loss;
    *(const char **)context = what;
    return 0;
}

/* Model by model. Networks take long to learn: what comes after the models, and fails whichever were learned, fails after
 * the first of them only. */
TEST(running_out_of_memory_leaves_no_result)
{
    static const char *const models[] = {"logistic", "mlp", "cnn"};
    sbl_image_data synthetic = make_images(12, 1), test = make_images(9, 3);
    sbl_image_data train = make_images(6, 2);
    synthetic.shape = train.shape = test.shape =
        (sbl_image_shape){4, 4, 1}; /* small: it is learned many times */
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        const char *part = "utility";
        for (long n = 1; m == 0 || strcmp(part, "utility") == 0; n++) {
            json_t *result = NULL;
            sbl_progress_listener listener = {.progress = note_part, .context = &part};
            const sbl_progress_span progress = sbl_progress_begin(&listener, "all");
            const sbl_image_utility_options options = {1,
                                                       .neighbours = 2,
                                                       .threads = 1,
                                                       .image_limit = 4,
                                                       .models = models[m],
                                                       .progress = &progress};
            part = "utility";
            sbl_test_fail_alloc(n);
            const sbl_status status = sbl_evaluate_images(&result, &synthetic, &train, &test, &options, NULL);
            if (!sbl_test_alloc_failed()) {
                assert_int_equal(m, 0);
                assert_string_equal(part, "pictures");
                json_decref(result);
                break;
            }
            assert_int_equal(status, SBL_EMEM);
            assert_null(result);
        }
    }
    sbl_test_fail_alloc(0);
    free_images(&synthetic), free_images(&train), free_images(&test);
}

/* --- a real set, where it is at hand (SBL_DATA, or shared/data beside the source) --- */

static bool read_set(sbl_image_data *images, const char *part, size_t limit)
{
    const char *named = getenv("SBL_DATA");
    const char *folder = named != NULL ? named : SBL_TEST_SOURCE_DIR "/../../shared/data";
    char image_path[4096], label_path[4096];
    sbl_image_reader *reader;
    size_t got;
    (void)snprintf(image_path, sizeof image_path, "%s/mnist/%s-images-idx3-ubyte.gz", folder, part);
    (void)snprintf(label_path, sizeof label_path, "%s/mnist/%s-labels-idx1-ubyte.gz", folder, part);
    if (access(image_path, R_OK) != 0) return false;
    assert_ok(sbl_image_open(&reader, image_path, label_path, NULL, NULL));
    uint8_t *pixels = calloc(limit, 28 * 28);
    uint32_t *labels = calloc(limit, sizeof *labels);
    assert_ok(sbl_image_read(reader, pixels, labels, &got, limit, NULL));
    assert_int_equal(got, limit);
    *images = (sbl_image_data){
        .shape = {28, 28, 1}, .count = limit, .classes = 10, .pixels = pixels, .labels = labels};
    sbl_image_close(reader);
    return true;
}

/* scikit-learn's LogisticRegression(solver="liblinear") reaches .8335 on the same images. */
TEST(logistic_regression_on_mnist_reaches_the_known_accuracy)
{
    sbl_image_data train, test;
    size_t count;
    if (sbl_learners(&count)[0].missing() != NULL || !read_set(&train, "train", 2000)) {
        print_message("skipped: no LIBLINEAR, or no set of digits at hand\n");
        skip();
    }
    assert_true(read_set(&test, "t10k", 2000));
    json_t *result =
        evaluate(&train, NULL, &test, (sbl_image_utility_options){.seed = 1, .models = "logistic"});
    const double found = value_of(score_of(result, "accuracy of logistic regression"), "synthetic");
    assert_true(fabs(found - 0.8335) < 0.005);
    json_decref(result);
    free_images(&train), free_images(&test);
}
