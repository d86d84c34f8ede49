/* DP-MERF on images: the loss by its definition, gradients by finite differences, that training
 * learns, that threads do not matter, targets from releases. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "compute/threads.h"
#include "random/model_rng.h"
#include "support/fail_alloc.h"
#include "train/merf_images.h"

enum { HEIGHT = 6, WIDTH = 5, CLASSES = 3, FEATURES = 120 };

static sbl_image_plan make_plan(size_t classes, bool balanced)
{
    sbl_image_facts facts;
    sbl_image_plan_options options;
    sbl_image_plan plan;
    assert_int_equal(sbl_image_facts_init(&facts, HEIGHT, WIDTH, 1, classes, NULL, NULL), SBL_OK);
    sbl_image_plan_options_init(&options, &facts);
    options.features = FEATURES;
    options.balanced = balanced;
    options.counts = classes > 1 && !balanced;
    assert_int_equal(sbl_image_plan_build(&plan, &facts, &options, NULL), SBL_OK);
    sbl_image_facts_clear(&facts);
    return plan;
}

static sbl_image_train_options small_training(void)
{
    sbl_image_train_options options;
    sbl_image_train_options_init(&options);
    options.network = (sbl_image_network){.latent = 4, .hidden = 8, .channels = {4, 3}};
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
static sbl_image_target exact_target(const sbl_image_plan *plan)
{
    enum { IMAGES = 600 };
    sbl_orthogonal w;
    sbl_image_target target;
    sbl_model_rng rng;
    size_t classes = sbl_image_facts_groups(&plan->facts);
    assert_int_equal(sbl_image_plan_frequencies(&w, plan, NULL), SBL_OK);
    assert_int_equal(sbl_image_target_init(&target, plan, NULL), SBL_OK);
    float *features = calloc(2 * w.size, sizeof *features),
          *scratch = calloc(w.size, sizeof *scratch);
    sbl_model_rng_init(&rng, 4, SBL_RNG_OTHER, 0);
    for (size_t i = 0; i < IMAGES; i++) {
        float x[HEIGHT * WIDTH];
        size_t class = classes == 1 ? 0 : i % 6 < 3 ? 0 : i % 6 < 5 ? 1 : 2;
        draw_image(x, class, &rng);
        for (size_t b = 0; b < w.blocks; b++) {
            sbl_orthogonal_rows(&w, features, 2 * w.size, x, HEIGHT * WIDTH, 1, b, scratch);
            for (size_t j = 0; j < 2 * sbl_orthogonal_used(&w, b); j++)
                target.rff[class * FEATURES + 2 * b * w.size + j] += features[j] / IMAGES;
        }
    }
    if (classes == CLASSES)
        for (size_t c = 0; c < CLASSES; c++) target.shares[c] = (3.0 - (double)c) / 6;
    target.rows = IMAGES;
    free(features);
    free(scratch);
    sbl_orthogonal_clear(&w);
    return target;
}

typedef struct setup {
    sbl_image_plan plan;
    sbl_image_target target;
    sbl_image_generator generator;
    sbl_image_trainer *trainer;
    sbl_image_train_options options;
} setup;

static void start(setup *s, size_t classes)
{
    sbl_error err = {0};
    s->plan = make_plan(classes, false);
    s->target = exact_target(&s->plan);
    s->options = small_training();
    assert_int_equal(
        sbl_image_generator_init(&s->generator, &s->plan.facts, &s->options.network, &err), SBL_OK);
    sbl_net_randomise(&s->generator.net, 5);
    assert_int_equal(
        sbl_image_trainer_new(&s->trainer, &s->generator, &s->plan, &s->target, &s->options, &err),
        SBL_OK);
    sbl_image_trainer_draw(s->trainer, 0);
}

static void stop(setup *s)
{
    sbl_image_trainer_free(s->trainer);
    sbl_image_generator_clear(&s->generator);
    sbl_image_target_clear(&s->target);
    sbl_image_plan_clear(&s->plan);
}

/* sum_c 1/share_c (1/F) |share_c sum_c / (B_c - 1) - T_c|^2, in double, from the batch. */
static double loss_by_definition(const setup *s)
{
    enum { F = FEATURES / 2 };
    const size_t *starts = sbl_image_trainer_starts(s->trainer);
    const float *images = sbl_image_trainer_images(s->trainer);
    double loss = 0;
    sbl_orthogonal w;
    assert_int_equal(sbl_image_plan_frequencies(&w, &s->plan, NULL), SBL_OK);
    float *features = calloc(2 * w.size, sizeof *features),
          *scratch = calloc(w.size, sizeof *scratch);
    for (size_t c = 0; c < sbl_image_facts_groups(&s->plan.facts); c++) {
        double mean[FEATURES] = {0}, share = s->target.shares[c];
        double count = (double)(starts[c + 1] - starts[c]) - 1;
        for (size_t r = starts[c]; r < starts[c + 1]; r++)
            for (size_t b = 0; b < w.blocks; b++) {
                sbl_orthogonal_rows(&w, features, 2 * w.size, images + r * HEIGHT * WIDTH,
                                    HEIGHT * WIDTH, 1, b, scratch);
                for (size_t j = 0; j < 2 * sbl_orthogonal_used(&w, b); j++)
                    mean[2 * b * w.size + j] += (double)features[j] / count;
            }
        for (size_t j = 0; j < FEATURES; j++)
            loss += pow(share * mean[j] - (double)s->target.rff[c * FEATURES + j], 2) / (share * F);
    }
    free(features);
    free(scratch);
    sbl_orthogonal_clear(&w);
    return loss;
}

static void loss_is_what_its_definition_says(void **state)
{
    (void)state;
    const size_t classes[] = {CLASSES, 0};
    for (size_t i = 0; i < 2; i++) {
        setup s;
        start(&s, classes[i]);
        double loss = sbl_image_trainer_loss(s.trainer), expected = loss_by_definition(&s);
        assert_true(expected > 0.01);
        assert_true(fabs(loss - expected) < 1e-5 * expected);
        stop(&s);
    }
}

static void gradients_match_finite_differences(void **state)
{
    (void)state;
    setup s;
    start(&s, CLASSES);
    size_t count = s.generator.net.weight_count;
    float *weights = s.generator.net.weights;
    float *kept = calloc(count, sizeof *kept), *gradient = calloc(count, sizeof *gradient);
    float *direction = calloc(count, sizeof *direction);
    memcpy(kept, weights, count * sizeof *kept);
    (void)sbl_image_trainer_loss(s.trainer);
    memcpy(gradient, sbl_image_trainer_gradient(s.trainer), count * sizeof *gradient);
    for (uint64_t k = 0; k < 6; k++) {
        sbl_model_rng rng;
        double slope = 0, sides[2], size = 0;
        const double step = 2e-3;
        sbl_model_rng_init(&rng, 8, SBL_RNG_OTHER, k);
        /* Along the gradient with some noise, so that the slope stands out of the rounding. */
        for (size_t i = 0; i < count; i++) size += pow((double)gradient[i], 2);
        for (size_t i = 0; i < count; i++) {
            direction[i] =
                (float)((double)gradient[i] / sqrt(size) + 0.05 * sbl_model_rng_normal(&rng));
            slope += (double)gradient[i] * (double)direction[i];
        }
        for (int side = 0; side < 2; side++) {
            for (size_t i = 0; i < count; i++)
                weights[i] = kept[i] + (float)(side ? step : -step) * direction[i];
            sides[side] = sbl_image_trainer_loss(s.trainer);
        }
        double measured = (sides[1] - sides[0]) / (2 * step);
        assert_true(fabs(measured - slope) < 0.02 * fabs(slope));
    }
    free(kept);
    free(gradient);
    free(direction);
    stop(&s);
}

static sbl_image_generator train(const sbl_image_plan *plan, const sbl_image_target *target,
                                 size_t steps)
{
    sbl_image_train_options options = small_training();
    sbl_image_generator generator;
    sbl_error err = {0};
    options.steps = steps;
    options.rate = 1e-2;
    options.average = 0.9;
    options.network.hidden = 32;
    options.network.channels[0] = 8;
    options.network.channels[1] = 8;
    assert_int_equal(sbl_train_merf_images(&generator, plan, target, &options, &err), SBL_OK);
    return generator;
}

/* Mean brightness of each third of the columns, of 60 images of a class. */
static void brightness(double thirds[CLASSES], sbl_image_generator *generator, size_t class)
{
    enum { ROWS = 60 };
    sbl_net_work work;
    size_t width = sbl_image_generator_inputs(generator);
    float *inputs = calloc(ROWS * width, sizeof *inputs), pixels[ROWS * HEIGHT * WIDTH];
    size_t columns[CLASSES] = {0};
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 6, SBL_RNG_OTHER, class);
    for (size_t r = 0; r < ROWS; r++) {
        sbl_model_rng_normals(&rng, inputs + r * width, generator->latent);
        inputs[r * width + generator->latent + class] = 1;
    }
    assert_int_equal(sbl_net_work_init(&work, &generator->net, ROWS, SBL_NET_SAMPLE, NULL), SBL_OK);
    sbl_image_generator_pixels(pixels, generator,
                               sbl_net_forward(&generator->net, &work, inputs, ROWS, false), ROWS,
                               false);
    for (size_t c = 0; c < CLASSES; c++) thirds[c] = 0;
    for (size_t i = 0; i < WIDTH; i++) columns[i * CLASSES / WIDTH]++;
    for (size_t i = 0; i < ROWS * HEIGHT * WIDTH; i++) {
        size_t third = i % WIDTH * CLASSES / WIDTH;
        assert_true(pixels[i] >= 0 && pixels[i] <= 1);
        thirds[third] += (double)pixels[i] / (double)(ROWS * HEIGHT * columns[third]);
    }
    sbl_net_work_clear(&work);
    free(inputs);
}

static void training_learns_what_each_class_looks_like(void **state)
{
    (void)state;
    sbl_image_plan plan = make_plan(CLASSES, false);
    sbl_image_target target = exact_target(&plan);
    sbl_image_generator generator = train(&plan, &target, 400);
    for (size_t c = 0; c < CLASSES; c++) {
        double thirds[CLASSES];
        brightness(thirds, &generator, c);
        for (size_t k = 0; k < CLASSES; k++)
            assert_true(fabs(thirds[k] - (k == c ? 0.9 : 0.1)) < 0.12);
        assert_true(fabs((double)generator.class_shares[c] - (3.0 - (double)c) / 6) < 1e-6);
    }
    sbl_image_generator_clear(&generator);
    sbl_image_target_clear(&target);
    sbl_image_plan_clear(&plan);
}

static void threads_do_not_change_the_weights(void **state)
{
    (void)state;
    sbl_image_plan plan = make_plan(CLASSES, false);
    sbl_image_target target = exact_target(&plan);
    int limit = sbl_thread_limit();
    sbl_thread_set(1);
    sbl_image_generator one = train(&plan, &target, 12);
    sbl_thread_set(3);
    sbl_image_generator three = train(&plan, &target, 12);
    sbl_thread_set(limit);
    assert_memory_equal(one.net.weights, three.net.weights, one.net.weight_count * sizeof(float));
    assert_memory_equal(one.net.running, three.net.running, one.net.running_count * sizeof(float));
    sbl_image_generator_clear(&one);
    sbl_image_generator_clear(&three);
    sbl_image_target_clear(&target);
    sbl_image_plan_clear(&plan);
}

static void a_class_of_share_zero_has_no_images_and_does_no_harm(void **state)
{
    (void)state;
    sbl_image_plan plan = make_plan(CLASSES, false);
    sbl_image_target target = exact_target(&plan);
    target.shares[0] = 0.6, target.shares[1] = 0.4, target.shares[2] = 0;
    sbl_image_generator generator = train(&plan, &target, 5);
    for (size_t i = 0; i < generator.net.weight_count; i++)
        assert_true(isfinite(generator.net.weights[i]));
    assert_true(generator.class_shares[2] == 0);
    sbl_image_generator_clear(&generator);
    sbl_image_target_clear(&target);
    sbl_image_plan_clear(&plan);
}

/* A release of sums with no noise: multiplier 1, scale 1. */
static sbl_release *plain_release(const sbl_image_plan *plan, bool counts, uint64_t n)
{
    size_t classes = sbl_image_facts_groups(&plan->facts);
    sbl_release *release = sbl_alloc_array(1, sizeof *release);
    release->n = n;
    release->classes = classes;
    release->counts = counts;
    release->block_count = counts ? 2 : 1;
    release->blocks = sbl_alloc_array(2, sizeof *release->blocks);
    release->blocks[0] = (sbl_release_block){
        .name = "rff", .width = FEATURES, .columns = classes, .multiplier = 1, .scale = 1};
    release->blocks[1] = (sbl_release_block){.name = "counts",
                                             .width = classes,
                                             .columns = 1,
                                             .multiplier = 1,
                                             .scale = 1,
                                             .offset = FEATURES * classes};
    release->value_count = FEATURES * classes + classes;
    release->values = sbl_alloc_array(release->value_count, sizeof *release->values);
    for (size_t i = 0; i < FEATURES * classes; i++) release->values[i] = (sbl_i128)i;
    for (size_t c = 0; c < classes; c++)
        release->values[FEATURES * classes + c] = (sbl_i128)(10 * (c + 1));
    return release;
}

static void targets_come_from_sums_and_counts(void **state)
{
    (void)state;
    sbl_image_plan plan = make_plan(CLASSES, false), even = make_plan(CLASSES, true);
    sbl_image_target target;
    sbl_release *release = plain_release(&plan, true, 60);
    assert_int_equal(sbl_image_target_from_release(&target, &plan, release, NULL), SBL_OK);
    assert_true(target.rows == 60);
    for (size_t c = 0; c < CLASSES; c++)
        assert_true(fabs(target.shares[c] - (double)(c + 1) / 6) < 1e-12);
    assert_true(fabs((double)target.rff[FEATURES + 7] - (FEATURES + 7) / 60.0) < 1e-6);
    sbl_image_target_clear(&target);
    release->n = 0; /* add-remove: the counts say how many */
    assert_int_equal(sbl_image_target_from_release(&target, &plan, release, NULL), SBL_OK);
    assert_true(fabs(target.rows - 60) < 1e-9);
    sbl_image_target_clear(&target);
    /* Of balanced classes there is one total. */
    assert_int_equal(sbl_image_target_from_release(&target, &even, release, NULL), SBL_EINPUT);
    (void)snprintf(release->blocks[1].name, sizeof release->blocks[1].name, "total");
    assert_int_equal(sbl_image_target_from_release(&target, &even, release, NULL), SBL_EINPUT);
    release->blocks[1].width = 1;
    release->values[release->blocks[1].offset] = 60;
    assert_int_equal(sbl_image_target_from_release(&target, &even, release, NULL), SBL_OK);
    assert_true(fabs(target.rows - 60) < 1e-9);
    for (size_t c = 0; c < CLASSES; c++) assert_true(fabs(target.shares[c] - 1.0 / 3) < 1e-12);
    sbl_image_target_clear(&target);
    sbl_release_free(release);
    sbl_image_plan_clear(&plan);
    sbl_image_plan_clear(&even);
}

static void releases_of_another_plan_are_refused(void **state)
{
    (void)state;
    sbl_image_plan plan = make_plan(CLASSES, false), even = make_plan(CLASSES, true);
    sbl_image_target target;
    sbl_release *release = plain_release(&plan, false, 60);
    assert_int_equal(sbl_image_target_from_release(&target, &plan, release, NULL), SBL_EINPUT);
    assert_int_equal(sbl_image_target_from_release(&target, &even, release, NULL), SBL_OK);
    sbl_image_target_clear(&target);
    release->counts = true, release->block_count = 2;
    release->blocks[1].width = CLASSES - 1;
    assert_int_equal(sbl_image_target_from_release(&target, &plan, release, NULL), SBL_EINPUT);
    release->blocks[1].width = CLASSES;
    release->blocks[0].width = FEATURES - 2;
    assert_int_equal(sbl_image_target_from_release(&target, &plan, release, NULL), SBL_EINPUT);
    assert_null(target.rff);
    sbl_release_free(release);
    sbl_image_plan_clear(&plan);
    sbl_image_plan_clear(&even);
}

static int stop_at_three(void *data, size_t step, size_t steps, double loss)
{
    *(size_t *)data = step;
    assert_true(steps == 50 && loss > 0);
    return step == 3;
}

static void bad_options_stops_and_lack_of_memory_leave_nothing(void **state)
{
    (void)state;
    sbl_image_plan plan = make_plan(CLASSES, false);
    sbl_image_target target = exact_target(&plan);
    sbl_image_train_options good = small_training(), options[6];
    sbl_image_generator generator;
    size_t last = 0;
    good.steps = 50;
    for (size_t i = 0; i < 6; i++) options[i] = good;
    options[0].steps = 0, options[1].batch = 1, options[2].rate = 0, options[3].average = 1;
    options[4].network.latent = 0, options[5].network.channels[1] = 5000;
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(sbl_train_merf_images(&generator, &plan, &target, &options[i], NULL),
                         SBL_EARG);
        assert_int_equal(sbl_train_merf_images_check(&plan, &options[i], NULL), SBL_EARG);
    }
    assert_int_equal(sbl_train_merf_images_check(&plan, &good, NULL), SBL_OK);
    good.progress = stop_at_three, good.progress_data = &last;
    assert_int_equal(sbl_train_merf_images(&generator, &plan, &target, &good, NULL), SBL_ESTOPPED);
    assert_int_equal(last, 3);
    assert_null(generator.net.weights);
    for (long n = 1;; n++) {
        sbl_test_fail_alloc(n);
        sbl_status status = sbl_train_merf_images(&generator, &plan, &target, &good, NULL);
        if (!sbl_test_alloc_failed()) break;
        assert_int_equal(status, SBL_EMEM);
        assert_null(generator.net.weights);
    }
    sbl_test_fail_alloc(0);
    sbl_image_target_clear(&target);
    sbl_image_plan_clear(&plan);
}

/* What training will need is asked for beforehand, all of it. */
static void lack_of_memory_is_seen_before_training(void **state)
{
    (void)state;
    sbl_image_plan plan = make_plan(CLASSES, false);
    const sbl_image_train_options options = small_training();
    sbl_status status;
    long n = 1;
    for (;; n++) {
        sbl_test_fail_alloc(n);
        status = sbl_train_merf_images_check(&plan, &options, NULL);
        if (!sbl_test_alloc_failed()) break;
        assert_int_equal(status, SBL_EMEM);
    }
    assert_int_equal(status, SBL_OK);
    assert_true(n > 15); /* network, target, batch */
    sbl_test_fail_alloc(0);
    sbl_image_plan_clear(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loss_is_what_its_definition_says),
        cmocka_unit_test(gradients_match_finite_differences),
        cmocka_unit_test(training_learns_what_each_class_looks_like),
        cmocka_unit_test(threads_do_not_change_the_weights),
        cmocka_unit_test(a_class_of_share_zero_has_no_images_and_does_no_harm),
        cmocka_unit_test(targets_come_from_sums_and_counts),
        cmocka_unit_test(releases_of_another_plan_are_refused),
        cmocka_unit_test(bad_options_stops_and_lack_of_memory_leave_nothing),
        cmocka_unit_test(lack_of_memory_is_seen_before_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
