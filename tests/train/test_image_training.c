/* SPDX-License-Identifier: Apache-2.0 */
/* Training on images: the loss by its definition, gradients by finite differences, that training
 * learns, that threads do not matter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "after/train/output_heads.h"
#include "after/train/trainer.h"
#include "base/compute/threads.h"
#include "base/random/model_rng.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "train/train_kit.h"

enum { HEIGHT = 6, WIDTH = 5, CLASSES = 3, FEATURES = 120 };

static sbl_train_options small_training(void)
{
    sbl_train_options options = sbl_train_options_of(SBL_DATA_IMAGES);
    options.batch = 60;
    options.seed = 3;
    return options;
}

/* An image of a class: its own third of the columns is bright, with some noise. */
static void draw_image(float *x, size_t class, sbl_model_rng *rng)
{
    for (size_t i = 0; i < HEIGHT * WIDTH; i++) {
        double u = 0.2 * sbl_model_rng_uniform(rng);
        x[i] = (float)(i % WIDTH * CLASSES / WIDTH == class ? 1 - u : u);
    }
}

/* The exact mean embedding of drawn images, of classes with shares 1/2, 1/3, 1/6. */
static void make_kit(train_kit *kit, size_t classes)
{
    enum { IMAGES = 600 };
    sbl_model_rng rng;
    train_kit_images(kit, HEIGHT, WIDTH, classes, FEATURES);
    const sbl_orthogonal *w = &kit->orthogonal;
    float *features = calloc(2 * w->size, sizeof *features), *scratch = calloc(w->size, sizeof *scratch);
    sbl_model_rng_init(&rng, 4, SBL_RNG_OTHER, 0);
    for (size_t i = 0; i < IMAGES; i++) {
        float x[HEIGHT * WIDTH];
        size_t class = kit->facts.classes == 1 ? 0 : i % 6 < 3 ? 0 : i % 6 < 5 ? 1 : 2;
        draw_image(x, class, &rng);
        for (size_t b = 0; b < w->blocks; b++) {
            sbl_orthogonal_rows(w, features, 2 * w->size, x, HEIGHT * WIDTH, 1, b, scratch);
            for (size_t j = 0; j < 2 * sbl_orthogonal_used(w, b); j++)
                kit->targets[0].means[class * FEATURES + 2 * b * w->size + j] += features[j] / IMAGES;
        }
    }
    if (classes == CLASSES)
        for (size_t c = 0; c < CLASSES; c++) kit->shares[c] = (3.0 - (double)c) / 6;
    free(features);
    free(scratch);
}

typedef struct setup {
    train_kit kit;
    sbl_generator generator;
    sbl_trainer *trainer;
} setup;

static void start(setup *s, size_t classes)
{
    const sbl_network network = {.latent = 4, .hidden = {8, 4, 3}, .count = 3};
    const sbl_train_options options = small_training();
    make_kit(&s->kit, classes);
    s->kit.targets[0].weight = 0.8;
    assert_ok(sbl_generator_init(&s->generator, &s->kit.facts, &network, NULL));
    sbl_net_randomise(&s->generator.net, 5);
    assert_ok(sbl_trainer_new(&s->trainer, &s->generator, s->kit.terms, s->kit.count, s->kit.shares, &options,
                              NULL));
    sbl_trainer_draw(s->trainer, 0);
}

static void stop(setup *s)
{
    sbl_trainer_free(s->trainer);
    sbl_generator_clear(&s->generator);
    train_kit_clear(&s->kit);
}

/* sum_c 1/share_c (1/F) |share_c sum_c / (B_c - 1) - T_c|^2, in double, from the generated batch. */
static double loss_by_definition(const setup *s)
{
    enum { F = FEATURES / 2 };
    const sbl_generated *generated = sbl_trainer_generated(s->trainer);
    const sbl_orthogonal *w = &s->kit.orthogonal;
    double loss = 0;
    float *features = calloc(2 * w->size, sizeof *features), *scratch = calloc(w->size, sizeof *scratch);
    for (size_t c = 0; c < s->kit.facts.classes; c++) {
        double mean[FEATURES] = {0}, share = s->kit.shares[c];
        double count = (double)(generated->starts[c + 1] - generated->starts[c]) - 1;
        for (size_t r = generated->starts[c]; r < generated->starts[c + 1]; r++)
            for (size_t b = 0; b < w->blocks; b++) {
                sbl_orthogonal_rows(w, features, 2 * w->size, generated->pixels + r * HEIGHT * WIDTH,
                                    HEIGHT * WIDTH, 1, b, scratch);
                for (size_t j = 0; j < 2 * sbl_orthogonal_used(w, b); j++)
                    mean[2 * b * w->size + j] += (double)features[j] / count;
            }
        for (size_t j = 0; j < FEATURES; j++)
            loss += pow(share * mean[j] - (double)s->kit.targets[0].means[c * FEATURES + j], 2) / (share * F);
    }
    free(features);
    free(scratch);
    return s->kit.targets[0].weight * loss;
}

TEST(loss_is_what_its_definition_says)
{
    const size_t classes[] = {CLASSES, 0};
    for (size_t i = 0; i < 2; i++) {
        setup s;
        start(&s, classes[i]);
        double loss = sbl_trainer_loss(s.trainer), expected = loss_by_definition(&s);
        assert_true(expected > 0.01);
        assert_true(fabs(loss - expected) < 1e-5 * expected);
        stop(&s);
    }
}

TEST(gradients_match_finite_differences)
{
    setup s;
    start(&s, CLASSES);
    size_t count = s.generator.net.weight_count;
    float *weights = s.generator.net.weights;
    float *kept = calloc(count, sizeof *kept), *gradient = calloc(count, sizeof *gradient);
    float *direction = calloc(count, sizeof *direction);
    memcpy(kept, weights, count * sizeof *kept);
    (void)sbl_trainer_loss(s.trainer);
    memcpy(gradient, sbl_trainer_gradient(s.trainer), count * sizeof *gradient);
    for (uint64_t k = 0; k < 6; k++) {
        sbl_model_rng rng;
        double slope = 0, sides[2], size = 0;
        const double step = 2e-3;
        sbl_model_rng_init(&rng, 8, SBL_RNG_OTHER, k);
        /* Along the gradient with some noise, so that the slope stands out of the rounding. */
        for (size_t i = 0; i < count; i++) size += pow((double)gradient[i], 2);
        for (size_t i = 0; i < count; i++) {
            direction[i] = (float)((double)gradient[i] / sqrt(size) + 0.05 * sbl_model_rng_normal(&rng));
            slope += (double)gradient[i] * (double)direction[i];
        }
        for (int side = 0; side < 2; side++) {
            for (size_t i = 0; i < count; i++)
                weights[i] = kept[i] + (float)(side ? step : -step) * direction[i];
            sides[side] = sbl_trainer_loss(s.trainer);
        }
        double measured = (sides[1] - sides[0]) / (2 * step);
        assert_true(fabs(measured - slope) < 0.02 * fabs(slope));
    }
    free(kept);
    free(gradient);
    free(direction);
    stop(&s);
}

static sbl_status train(sbl_generator *generator, const train_kit *kit, size_t steps,
                        sbl_train_progress progress, void *data)
{
    const sbl_network network = {.latent = 4, .hidden = {32, 8, 8}, .count = 3};
    sbl_train_options options = small_training();
    options.steps = steps;
    options.rate = 1e-2;
    options.average = 0.9;
    options.progress = progress;
    options.progress_data = data;
    sbl_status status = sbl_generator_init(generator, &kit->facts, &network, NULL);
    if (status == SBL_OK) status = sbl_train(generator, kit->terms, kit->count, kit->shares, &options, NULL);
    if (status != SBL_OK) sbl_generator_clear(generator);
    return status;
}

/* Mean brightness of each third of the columns, of 60 images of a class. */
static void brightness(double thirds[CLASSES], sbl_generator *generator, size_t class)
{
    enum { ROWS = 60 };
    sbl_net_workspace work;
    size_t width = sbl_generator_inputs(generator);
    float *inputs = calloc(ROWS * width, sizeof *inputs), pixels[ROWS * HEIGHT * WIDTH];
    size_t columns[CLASSES] = {0};
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 6, SBL_RNG_OTHER, class);
    for (size_t r = 0; r < ROWS; r++) {
        sbl_model_rng_normals(&rng, inputs + r * width, generator->latent);
        inputs[r * width + generator->latent + class] = 1;
    }
    assert_ok(sbl_net_workspace_init(&work, &generator->net, ROWS, SBL_NET_SAMPLE, NULL));
    sbl_pixel_head_forward(&sbl_backend_cpu, pixels, &generator->facts.images,
                           sbl_net_forward(&generator->net, &work, inputs, ROWS, false),
                           generator->net.output, ROWS, false);
    for (size_t c = 0; c < CLASSES; c++) thirds[c] = 0;
    for (size_t i = 0; i < WIDTH; i++) columns[i * CLASSES / WIDTH]++;
    for (size_t i = 0; i < ROWS * HEIGHT * WIDTH; i++) {
        size_t third = i % WIDTH * CLASSES / WIDTH;
        assert_true(pixels[i] >= 0 && pixels[i] <= 1);
        thirds[third] += (double)pixels[i] / (double)(ROWS * HEIGHT * columns[third]);
    }
    sbl_net_workspace_clear(&work);
    free(inputs);
}

TEST(training_learns_what_each_class_looks_like)
{
    CLEARED(train_kit_clear) train_kit kit;
    CLEARED(sbl_generator_clear) sbl_generator generator;
    make_kit(&kit, CLASSES);
    assert_ok(train(&generator, &kit, 400, NULL, NULL));
    for (size_t c = 0; c < CLASSES; c++) {
        double thirds[CLASSES];
        brightness(thirds, &generator, c);
        for (size_t k = 0; k < CLASSES; k++) assert_true(fabs(thirds[k] - (k == c ? 0.9 : 0.1)) < 0.12);
        assert_true(fabs((double)generator.class_shares[c] - (3.0 - (double)c) / 6) < 1e-6);
    }
}

TEST(threads_do_not_change_the_weights)
{
    CLEARED(train_kit_clear) train_kit kit;
    sbl_generator one, three;
    const int limit = sbl_thread_limit();
    make_kit(&kit, CLASSES);
    sbl_thread_set(1);
    assert_ok(train(&one, &kit, 12, NULL, NULL));
    sbl_thread_set(3);
    assert_ok(train(&three, &kit, 12, NULL, NULL));
    sbl_thread_set(limit);
    assert_memory_equal(one.net.weights, three.net.weights, one.net.weight_count * sizeof(float));
    assert_memory_equal(one.net.running, three.net.running, one.net.running_count * sizeof(float));
    sbl_generator_clear(&one);
    sbl_generator_clear(&three);
}

TEST(a_class_of_share_zero_has_no_images_and_does_no_harm)
{
    CLEARED(train_kit_clear) train_kit kit;
    CLEARED(sbl_generator_clear) sbl_generator generator;
    make_kit(&kit, CLASSES);
    kit.shares[0] = 0.6, kit.shares[1] = 0.4, kit.shares[2] = 0;
    assert_ok(train(&generator, &kit, 5, NULL, NULL));
    for (size_t i = 0; i < generator.net.weight_count; i++) assert_true(isfinite(generator.net.weights[i]));
    assert_true(generator.class_shares[2] == 0);
}

static int stop_at_three(void *data, size_t step, size_t steps, double loss)
{
    *(size_t *)data = step;
    assert_true(steps == 50 && loss > 0);
    return step == 3;
}

TEST(stops_and_lack_of_memory_leave_nothing)
{
    CLEARED(train_kit_clear) train_kit kit;
    CLEARED(sbl_generator_clear) sbl_generator generator;
    size_t last = 0;
    long n = 0;
    make_kit(&kit, CLASSES);
    assert_int_equal(train(&generator, &kit, 50, stop_at_three, &last), SBL_ESTOPPED);
    assert_int_equal(last, 3);
    while (sbl_test_fail_next(&n)) sbl_test_no_memory(train(&generator, &kit, 2, NULL, NULL));
    assert_true(n > 20); /* generator, batch, network, moments, loss */
}
