/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/device_training.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "after/losses/encoder_pass.h"
#include "base/json.h"
#include "base/random/model_rng.h"
#include "public/features/activation_shapes.h"
#include "records/features/encoder_records.h"
#include "records/features/hermite.h"
#include "support/cmocka_all.h"

enum { STEPS = 6, FEATURES = 128, CLASSES = 2 };

/* Some activations of the built-in network, the first `count` of two. */
static void choose(sbl_encoded *encoded, const device_training *t, size_t count)
{
    static const uint64_t layers[] = {1, 3};
    const sbl_encoded_ask ask = {.layers = layers, .layer_count = count};
    assert_int_equal(sbl_encoded_choose(encoded, &t->kit.facts, &ask, NULL), SBL_OK);
}

/* A third term: Fourier features of the points of one, since a plain product with a Hadamard matrix takes the square of their
 * number; points of several are in backend_check.c. */
static void add_points(device_training *t)
{
    static const double scale = 1;
    sbl_encoded encoded;
    choose(&encoded, t, 1);
    json_t *parameters = sbl_perceptual_parameters(&encoded, FEATURES, &scale, 1, 3);
    assert_int_equal(sbl_feature_perceptual.make(&t->points, &t->kit.facts, parameters, NULL), SBL_OK);
    json_decref(parameters);
    sbl_encoded_clear(&encoded);
    assert_int_equal(sbl_target_init(&t->kit.targets[2], CLASSES, FEATURES, NULL), SBL_OK);
    t->kit.terms[2] = (sbl_train_term){&sbl_loss_perceptual, t->points, &t->kit.targets[2], false};
    t->kit.count = 3;
}

/* A second term: phi1 and phi2 of them. */
static void add_moments(device_training *t)
{
    sbl_encoded encoded;
    choose(&encoded, t, 2);
    json_t *parameters = sbl_moments_parameters(&encoded, 2);
    assert_int_equal(sbl_feature_moments.make(&t->moments, &t->kit.facts, parameters, NULL), SBL_OK);
    const size_t width = 2 * sbl_encoded_width(&encoded);
    json_decref(parameters);
    sbl_encoded_clear(&encoded);
    assert_int_equal(sbl_target_init(&t->kit.targets[1], CLASSES, width, NULL), SBL_OK);
    t->kit.terms[1] = (sbl_train_term){&sbl_loss_moments, t->moments, &t->kit.targets[1], false};
    t->kit.count = 2;
}

/* The two terms of hp: functions of every pixel, and products of a few pairs, in place of the Fourier features. */
static void replace_by_hermite(device_training *t)
{
    static const sbl_hermite_function functions[] = {{0.1, 7, 6.15}, {0.4, 2, 2.91}}, product = {0.3, 3, 3};
    sbl_hermite_options options = {
        .level_count = 256, .pull = 1, .functions = functions, .function_count = 2};
    json_t *of[2] = {sbl_hermite_parameters(&options, NULL)};
    options.functions = &product;
    options.function_count = 1;
    of[1] = sbl_hermite_product_parameters(&options, NULL,
                                           json_pack("[[ii][ii][iii]]", 0, 1, 30, 40, 40, 49, 50));
    sbl_target_clear(&t->kit.targets[0]);
    for (size_t i = 0; i < 2; i++) {
        const sbl_feature *feature = i == 0 ? &sbl_feature_hermite : &sbl_feature_hermite_product;
        const sbl_loss_kind *loss = i == 0 ? &sbl_loss_hermite : &sbl_loss_hermite_product;
        assert_int_equal(feature->make(&t->hermite[i], &t->kit.facts, of[i], NULL), SBL_OK);
        json_decref(of[i]);
        const size_t width = ((const sbl_hermite *)t->hermite[i])->width;
        assert_int_equal(sbl_target_init(&t->kit.targets[i], CLASSES, width, NULL), SBL_OK);
        t->kit.terms[i] = (sbl_train_term){loss, t->hermite[i], &t->kit.targets[i], false};
    }
    t->kit.count = 2;
}

static void aim(sbl_target *target, size_t count, double scale)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 9, SBL_RNG_OTHER, count);
    for (size_t i = 0; i < count; i++) target->means[i] = (float)(scale * sbl_model_rng_uniform(&rng));
}

static void begin_training(device_training *t, const sbl_backend *on, const char *checkpoint)
{
    const sbl_network network = {.latent = 4, .hidden = {8, 4, 3}, .count = 3};
    assert_int_equal(sbl_generator_init(&t->generator, &t->kit.facts, &network, NULL), SBL_OK);
    t->validation_target = t->kit.targets[0];
    t->validation_target.memory = 0;
    t->validation = t->kit.terms[0];
    t->validation.target = &t->validation_target;
    t->options = sbl_train_options_of(SBL_DATA_IMAGES);
    t->options.on = on;
    t->options.steps = STEPS;
    t->options.batch = 16;
    t->options.seed = 5;
    t->options.average = 0.9;
    t->options.validation_terms = &t->validation;
    t->options.validation_count = 1;
    t->options.candidates = 2;
    t->options.checkpoint = sbl_file_item(checkpoint);
    t->options.checkpoint_steps = 2;
    t->options.training = "this training";
}

void device_training_begin(device_training *t, const sbl_backend *on, const char *checkpoint)
{
    *t = (device_training){0};
    train_kit_images(&t->kit, 9, 8, CLASSES, FEATURES);
    add_moments(t);
    add_points(t);
    const size_t width = 2 * ((const sbl_moments_feature *)t->moments)->width;
    aim(&t->kit.targets[0], CLASSES * FEATURES, 0.3);
    aim(&t->kit.targets[1], CLASSES * width, 1 / sqrt((double)width));
    aim(&t->kit.targets[2], CLASSES * FEATURES, 0.3);
    t->kit.targets[0].memory = 0.9;
    t->kit.targets[1].memory = 0.8;
    t->kit.targets[1].part = 0.5;
    t->kit.targets[1].weight = 3;
    t->kit.targets[2].memory = 0.8;
    t->kit.targets[2].part = 0.5;
    begin_training(t, on, checkpoint);
    /* Four rows of a class in two parts; here the CPU has them at once. */
    if (on != NULL)
        t->options.network_bytes =
            2.5 * sbl_encoded_row_bytes(&((const sbl_moments_feature *)t->moments)->encoded);
}

void device_training_begin_hermite(device_training *t, const sbl_backend *on, const char *checkpoint)
{
    *t = (device_training){0};
    train_kit_images(&t->kit, 9, 8, CLASSES, FEATURES);
    replace_by_hermite(t);
    for (size_t i = 0; i < 2; i++)
        aim(&t->kit.targets[i], CLASSES * ((const sbl_hermite *)t->hermite[i])->width, 0.3);
    t->kit.targets[0].memory = 0.9;
    t->kit.targets[1].weight = 30;
    t->kit.targets[1].distance = SBL_DISTANCE_UNBIASED;
    begin_training(t, on, checkpoint);
}

sbl_status device_training_run(device_training *t, sbl_error *err)
{
    return sbl_train(&t->generator, t->kit.terms, t->kit.count, t->kit.shares, &t->options, err);
}

void device_training_end(device_training *t)
{
    if (t->moments != NULL) sbl_feature_moments.free(t->moments);
    if (t->points != NULL) sbl_feature_perceptual.free(t->points);
    for (size_t i = 0; i < 2; i++)
        if (t->hermite[i] != NULL) sbl_feature_hermite.free(t->hermite[i]); /* of both */
    sbl_generator_clear(&t->generator);
    train_kit_clear(&t->kit);
}

/* What a generator makes of latents, by the CPU. */
static float *outputs_of(sbl_generator *generator, size_t rows)
{
    const size_t in = sbl_generator_inputs(generator), out = sbl_volume_size(generator->net.output);
    float *x = calloc(rows * in, sizeof *x), *y = malloc(rows * out * sizeof *y);
    sbl_net_workspace work;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 1, SBL_RNG_OTHER, 7);
    for (size_t i = 0; i < rows * in; i++) x[i] = (float)sbl_model_rng_normal(&rng);
    assert_int_equal(sbl_net_workspace_init(&work, &generator->net, rows, SBL_NET_SAMPLE, NULL), SBL_OK);
    memcpy(y, sbl_net_forward(&generator->net, &work, x, rows, false), rows * out * sizeof *y);
    sbl_net_workspace_clear(&work);
    free(x);
    return y;
}

static double distance(const float *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += pow((double)a[i] - (double)b[i], 2);
    return sqrt(sum);
}

typedef void (*beginning)(device_training *t, const sbl_backend *on, const char *checkpoint);

static const beginning beginnings[] = {device_training_begin, device_training_begin_hermite};

static void training_agrees(beginning begin, const sbl_backend *on, double tolerance)
{
    enum { ROWS = 50 };
    device_training here, there;
    begin(&here, NULL, NULL);
    begin(&there, on, NULL);
    const size_t count = ROWS * sbl_volume_size(here.generator.net.output);
    sbl_generator_randomise(&here.generator, here.options.seed);
    float *start = outputs_of(&here.generator, ROWS);
    assert_int_equal(device_training_run(&here, NULL), SBL_OK);
    assert_int_equal(device_training_run(&there, NULL), SBL_OK);
    float *a = outputs_of(&here.generator, ROWS), *b = outputs_of(&there.generator, ROWS);
    const double way = distance(a, start, count), off = distance(a, b, count);
    if (!(way > 1 && off <= tolerance * way)) fail_msg("outputs went %g, are off by %g", way, off);
    free(start);
    free(a);
    free(b);
    device_training_end(&here);
    device_training_end(&there);
}

void device_training_agrees(const sbl_backend *on, double tolerance)
{
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        training_agrees(beginnings[i], on, tolerance);
}

static int stop_at_three(void *data, size_t step, size_t steps, double loss)
{
    (void)data;
    (void)steps;
    return !(step < 3 && isfinite(loss));
}

static void training_resumes(beginning begin, const sbl_backend *on, const char *path)
{
    device_training whole, rest;
    begin(&whole, on, NULL);
    assert_int_equal(device_training_run(&whole, NULL), SBL_OK);
    begin(&rest, on, path);
    rest.options.progress = stop_at_three;
    assert_int_equal(device_training_run(&rest, NULL), SBL_ESTOPPED);
    device_training_end(&rest);
    begin(&rest, on, path);
    assert_int_equal(device_training_run(&rest, NULL), SBL_OK);
    const sbl_net *a = &whole.generator.net, *b = &rest.generator.net;
    assert_memory_equal(a->weights, b->weights, a->weight_count * sizeof(float));
    assert_memory_equal(a->running, b->running, a->running_count * sizeof(float));
    device_training_end(&rest);
    device_training_end(&whole);
}

void device_training_resumes(const sbl_backend *on, const char *folder)
{
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/device-%zu.training", folder, i);
        training_resumes(beginnings[i], on, path);
    }
}
