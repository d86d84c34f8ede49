/* SPDX-License-Identifier: Apache-2.0 */
/* The whole job of mepf under a fixed key: two releases, both charged and listed; neighbouring sets
 * that differ by what was charged, release by release, and a label change that takes up all of it;
 * runs that go on without paying again; RGB images of 32 x 32. */
#include "image_run_kit.h"
#include "support/option_kit.h"
#include "support/verify_with.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "door/ledger/ledger_book.h"
#include "door/release/release.h"
#include "run/methods/network_method.h"
#include "semblance/account.h"
#include "semblance/certificate.h"
#include "support/by_path.h"
#include "support/key_test.h"
#include "support/sanitized.h"

#define TINY SBL_TEST_SOURCE_DIR "/support/tiny.safetensors"

static sbl_synth_options usual(const char *embedding)
{
    sbl_synth_options options = small();
    options.method = "mepf";
    options.threads = 1;
    give(&options, "encoder", TINY);
    give(&options, "embedding", embedding);
    return options;
}

static sbl_release *load_release(const char *name)
{
    sbl_release *release = NULL;
    sbl_error err = {0};
    must(sbl_release_load(&release, sbl_file_item(in_folder(folder, name)), &err), &err);
    return release;
}

/* ---- two releases ---- */

static double charged(const sbl_ledger_view *view, size_t which)
{
    size_t seen = 0;
    for (size_t i = 0; i < view->line_count; i++)
        if (view->lines[i].op == SBL_LEDGER_RESERVE && seen++ == which)
            return (double)view->lines[i].entry.charge.mu2;
    return 0;
}

TEST(early_stopping_is_a_second_release_of_a_hundredth)
{
    for (int off = 0; off < 2; off++) {
        sbl_synth_options options = usual("moments");
        sbl_ledger_view view;
        sbl_error err = {0};
        char *statement = NULL;
        start_afresh();
        if (off) give(&options, "early-stopping", "no");
        paths *p = paths_of("images", "labels", "out");
        must(images_run(&statement, &p->input, &p->output, 10, NULL, &options, &err), &err);
        assert_non_null(strstr(statement, "trained on: nothing: random weights"));
        sbl_free(statement);
        must(sbl_ledger_read(&view, sbl_file_item(in_folder(folder, "images.ledger")), &err), &err);
        assert_true(charged(&view, 0) > 0);
        /* mu^2 of the second is a hundredth of that of the first, to the grid of multipliers; or
         * there is none, and the first has its share, too. */
        const double ratio = charged(&view, 1) / charged(&view, 0);
        assert_true(off ? ratio == 0 : fabs(ratio - 0.01) < 1e-4);
        sbl_ledger_view_clear(&view);
        assert_int_equal(exists("out.release.2"), !off);
        must(verify_with(&statement, in_folder(folder, "out.certificate.json"),
                         in_folder(folder, "images.ledger"), &err),
             &err);
        sbl_free(statement);
    }
}

/* The sums themselves are multiples of their multiplier; what is released is not: noise of scale 2^56
 * is in every value, of the second release as of the first. */
TEST(every_value_of_both_releases_has_noise)
{
    const sbl_synth_options options = usual("moments");
    sbl_error err = {0};
    start_afresh();
    paths *p = paths_of("images", "labels", "out");
    must(images_run(NULL, &p->input, &p->output, 10, NULL, &options, &err), &err);
    for (int r = 0; r < 2; r++) {
        sbl_release *release = load_release(r == 0 ? "out.release" : "out.release.2");
        assert_int_equal(release->block_count, r == 0 ? 3 : 2); /* counts in the first */
        /* Grey images: as plans have always been. */
        assert_null(strstr(release->plan, "mirrored"));
        assert_null(strstr(release->plan, "layers_alike"));
        assert_null(strstr(release->plan, "\"fit\""));
        for (size_t b = 0; b < release->block_count; b++) {
            const sbl_block *block = &release->blocks[b];
            const size_t count = block->width * sbl_release_columns(release, block);
            size_t whole = 0;
            for (size_t i = 0; i < count; i++)
                whole += release->values[block->offset + i] % (sbl_i128)block->multiplier == 0;
            assert_true(count >= 3 && whole <= count / 3);
        }
        sbl_release_free(release);
    }
}

/* ---- replay ---- */

/* Squared lengths of what moved between two runs, and the squared sensitivities charged. */
typedef struct movement {
    double moved[2], paid[2];
} movement;

static movement compare(const sbl_synth_options *options)
{
    static const char *const sets[][2] = {{"images", "labels"}, {"other", "others"}};
    sbl_release *releases[2][2];
    movement m = {0};
    sbl_error err = {0};
    for (int s = 0; s < 2; s++) {
        sbl_ledger_view view;
        char name[40];
        paths *p = paths_of(sets[s][0], sets[s][1], s == 0 ? "a" : "b");
        sbl_test_key_set(99);
        must(images_fit(NULL, &p->input, p->out, options, &err), &err);
        (void)snprintf(name, sizeof name, "%s.ledger", sets[s][0]);
        must(sbl_ledger_read(&view, sbl_file_item(in_folder(folder, name)), &err), &err);
        for (size_t r = 0; r < 2; r++) m.paid[r] = ldexp(charged(&view, r), 16);
        sbl_ledger_view_clear(&view);
        releases[s][0] = load_release(s == 0 ? "a.release" : "b.release");
        releases[s][1] = load_release(s == 0 ? "a.release.2" : "b.release.2");
    }
    for (int r = 0; r < 2; r++) {
        const sbl_release *a = releases[0][r], *b = releases[1][r];
        assert_int_equal(a->value_count, b->value_count);
        for (size_t i = 0; i < a->value_count; i++) {
            const double step = (double)(a->values[i] - b->values[i]);
            m.moved[r] += step * step;
        }
    }
    for (int i = 0; i < 4; i++) sbl_release_free(releases[i / 2][i % 2]);
    return m;
}

#define SPLIT 8 /* the first of those with layers that are not by class */

TEST(neighbouring_sets_differ_by_what_was_charged)
{
    static const char *const embeddings[] = {"best",
                                             "moments",
                                             "first-moments",
                                             "all",
                                             "signed-moments",
                                             "pixels+hermite+moments",
                                             "pixels+moments",
                                             "pixels+perceptual",
                                             "moments", /* of the last layer alone by class */
                                             "pixels+first-moments"};
    for (size_t e = 0; e < sizeof embeddings / sizeof embeddings[0]; e++)
        for (int relabel = 0; relabel < 2; relabel++) {
            sbl_synth_options options = usual(embeddings[e]);
            give(&options, "steps", "1"); /* it is the releases that are compared */
            if (e >= SPLIT) give(&options, "class-layers", "1");
            start_afresh();
            image_set other = data;
            for (size_t i = 0; i < SIZE; i++) other.pixels[IMAGES - 1][i] = i % 2 ? 255 : 0;
            if (relabel) other.labels[IMAGES - 1] = (uint8_t)((other.labels[IMAGES - 1] + 1) % 3);
            write_set("other", "others", &other, IMAGES);
            const movement m = compare(&options);
            for (int r = 0; r < 2; r++) {
                if (m.moved[r] > m.paid[r])
                    print_error("%s, release %d: %g of the charge\n", embeddings[e], r + 1,
                                m.moved[r] / m.paid[r]);
                assert_true(m.moved[r] > 0 && m.moved[r] <= m.paid[r]);
                /* A label change takes up the whole charge: 2 of each block and of the counts, which
                 * beside two signed blocks are free: 6 of 8, or with moments 10 of 12. Of a block of all classes
                 * together it moves as the images differ. */
                const double least = r == 1                                            ? 0.97
                                     : e >= SPLIT                                      ? 0.6
                                     : strcmp(embeddings[e], "all") == 0               ? 0.82
                                     : strcmp(embeddings[e], "pixels+perceptual") == 0 ? 0.74
                                                                                       : 0.97;
                if (relabel) assert_true(m.moved[r] >= least * m.paid[r]);
            }
        }
}

/* Delta^2 of the joint release by docs/mechanisms/mepf.md: s signed blocks and u of which any two
 * records are sqrt 2 apart, with counts of weight 1: max(4 s + 2 u, 2 s + 2 u + 2), or s + u + 1; and
 * 1/mu of it is the noise on a block of norm 1. */
TEST(noise_is_that_of_the_joint_sensitivity)
{
    static const struct {
        const char *embedding, *sensitivity, *class_layers;
        double replaced, added;
    } cases[] = {
        {"best", NULL, NULL, 6, 3},           /* max(4 + 2, 2 + 2 + 2) */
        {"pixels+moments", NULL, NULL, 8, 4}, /* max(4 + 4, 2 + 4 + 2) */
        {"pixels+perceptual", NULL, NULL, 8, 3},
        {"moments", NULL, NULL, 6, 3},
        {"first-moments", NULL, NULL, 4, 2},
        {"signed-moments", NULL, NULL, 6, 3},       /* max(6, 4 + 2) */
        {"signed-first-moments", NULL, NULL, 4, 2}, /* max(4, 2 + 2) */
        {"pixels+signed-moments", NULL, NULL, 10, 4},
        {"pixels+hermite+moments", "kernel", NULL, 10, 5}, /* max(4 + 6, 2 + 6 + 2) */
        {"pixels+hermite+moments", "norm", NULL, 12, 5},   /* max(8 + 4, 4 + 4 + 2) */
        {"hermite+perceptual", NULL, NULL, 6, 3},
        {"first-moments", NULL, "1", 6, 3},   /* max(4, 4 + 2): two blocks of moments */
        {"pixels+moments", NULL, "1", 12, 6}, /* max(4 + 8, 2 + 8 + 2) */
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const bool added = i % 2 == 1;
        sbl_synth_options options = usual(cases[i / 2].embedding);
        sbl_error err = {0};
        double mu;
        start_afresh();
        give(&options, "sensitivity", cases[i / 2].sensitivity);
        give(&options, "class-layers", cases[i / 2].class_layers);
        give(&options, "early-stopping", "no");
        options.delta = 1e-5;
        give(&options, "steps", "1");
        if (added) options.neighbours = SBL_ADD_REMOVE;
        paths *p = paths_of("images", "labels", "out");
        must(images_fit(NULL, &p->input, p->out, &options, &err), &err);
        sbl_release *release = load_release("out.release");
        must(sbl_gdp_mu(&mu, 1, 1e-5, &err), &err);
        const double wanted = sqrt(added ? cases[i / 2].added : cases[i / 2].replaced) / mu;
        assert_true(release->block_count >= 2);
        for (size_t b = 0; b < release->block_count; b++) {
            const sbl_block *block = &release->blocks[b];
            const double norm = sqrt((double)block->bound2) / block->scale;
            const double found = sbl_release_noise_deviation(release, block) / norm;
            if (!(fabs(found / wanted - 1) < 2e-3))
                fail_msg("%s, %s: %g, wanted %g", cases[i / 2].embedding, block->name, found, wanted);
        }
        sbl_release_free(release);
    }
}

TEST(embeddings_that_make_no_sense_are_refused)
{
    static const struct {
        const char *embedding, *words;
    } cases[] = {{"bestest", "joined by +"},
                 {"pixels+", "joined by +"},
                 {"best+pixels", "each once"},
                 {"moments+first-moments", "each once"},
                 {"pixels+hermite", "the method merf or hp"}};
    for (size_t i = 0; i < 6; i++) {
        sbl_synth_options options = usual(i < 5 ? cases[i].embedding : "best");
        sbl_error err = {0};
        start_afresh();
        if (i == 5) give(&options, "order", "3");
        paths *p = paths_of("images", "labels", "out");
        assert_int_equal(images_fit(NULL, &p->input, p->out, &options, &err), SBL_EARG);
        assert_non_null(strstr(err.message, i < 5 ? cases[i].words : "block hermite"));
        assert_false(exists("out.release"));
    }
}

TEST(one_image_less_moves_what_was_charged)
{
    sbl_synth_options options = usual("moments");
    options.neighbours = SBL_ADD_REMOVE;
    give(&options, "steps", "1");
    start_afresh();
    write_set("other", "others", &data, IMAGES - 1);
    const movement m = compare(&options);
    for (int r = 0; r < 2; r++) assert_true(m.moved[r] <= m.paid[r] && m.moved[r] >= 0.97 * m.paid[r]);
}

/* ---- how long ---- */

/* The first number after this name in the plan for n images. */
static double planned(const char *name, const sbl_synth_options *options, uint64_t n)
{
    sbl_error err = {0};
    char *text = NULL;
    paths *p = paths_of("images", "labels", "out");
    must(images_plan(&text, &p->input, n, true, options, &err), &err);
    const char *found = strstr(text, name);
    assert_non_null(found);
    const double number = strtod(strchr(found, ':') + 1, NULL);
    sbl_free(text);
    return number;
}

static double planned_steps(const sbl_synth_options *options, uint64_t n)
{
    return planned("\"steps\"", options, n);
}

/* Stops training at once, and keeps how long it would have been. */
static int keep_steps(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    (void)step;
    (void)loss;
    if (strcmp(what, "training") != 0) return 0;
    *(double *)context = (double)steps;
    return 1;
}

/* Steps follow from the noise alone: all of them where it is small, then with its cube root; what the
 * plan estimates is what is done. */
TEST(noise_makes_training_shorter_by_a_public_rule)
{
    sbl_synth_options options = usual("best");
    sbl_error err = {0};
    double steps = 0;
    start_afresh();
    give(&options, "steps", NULL);
    options.delta = 1e-5;
    assert_true(planned_steps(&options, 60000) == 5000);
    options.epsilon = 0.2;
    const double noisy = planned_steps(&options, 20000);
    options.epsilon = 0.1;
    const double noisier = planned_steps(&options, 20000);
    double mu[2];
    must(sbl_gdp_mu(&mu[0], 0.2, 1e-5, &err), &err);
    must(sbl_gdp_mu(&mu[1], 0.1, 1e-5, &err), &err);
    assert_true(noisy < 5000 && fabs(noisier / noisy - cbrt(mu[1] / mu[0])) < 1e-3);
    options.progress = keep_steps;
    options.context = &steps;
    paths *p = paths_of("images", "labels", "out");
    assert_int_equal(images_fit(NULL, &p->input, p->out, &options, &err), SBL_ESTOPPED);
    const double planned = planned_steps(&options, IMAGES);
    assert_true(steps > 1 && steps < noisier && fabs(steps - planned) <= 2);
}

/* Fewer of them, and their fifth root, where a residual generator draws grey images. */
TEST(a_residual_generator_of_grey_images_has_a_rule_of_its_own)
{
    sbl_synth_options options = usual("pixels+perceptual");
    start_afresh();
    give(&options, "steps", NULL);
    give(&options, "early-stopping", "no");
    give(&options, "hidden", NULL);
    give(&options, "generator", "residual");
    options.delta = 1e-5;
    options.epsilon = 10;
    assert_true(planned_steps(&options, 60000) == 1500);
    options.epsilon = 1;
    const double noisy = planned_steps(&options, 60000);
    assert_true(noisy < 1500 && fabs(planned_steps(&options, 30000) / noisy - pow(0.5, 0.2)) < 2e-3);
    give(&options, "steps", "7");
    assert_true(planned_steps(&options, 60000) == 7);
}

/* ---- how many cells ---- */

static double planned_cells(const sbl_synth_options *options, uint64_t n)
{
    return planned("\"number\"", options, n);
}

static sbl_synth_options cells_auto(void)
{
    sbl_synth_options options = usual("pixels+perceptual");
    options.delta = 1e-5;
    give(&options, "cells", "auto");
    give(&options, "features", "10000");
    return options;
}

/* Ten classes are the noise of three with .3 times the images. */
#define OF_TEN_CLASSES(n) ((n)*3 / 10)

TEST(cells_are_as_many_as_the_noise_allows)
{
    static const double epsilons[] = {0.2, 1, 2, 3, 4, 5, 10, 20, 30};
    static const uint64_t numbers[] = {100, 3000, OF_TEN_CLASSES(24000), OF_TEN_CLASSES(60000), 1000000};
    sbl_synth_options options = cells_auto();
    double row[5] = {1, 1, 1, 1, 1};
    start_afresh();
    options.epsilon = 10;
    assert_true(planned_cells(&options, OF_TEN_CLASSES(60000)) == 20); /* 88.6 where one has 85.1 */
    options.epsilon = 33.114;
    assert_true(planned_cells(&options, OF_TEN_CLASSES(24000)) == 20); /* the same noise */
    options.epsilon = 1;
    assert_true(planned_cells(&options, OF_TEN_CLASSES(60000)) == 1); /* where they cost */
    for (size_t e = 0; e < sizeof epsilons / sizeof epsilons[0]; e++) {
        double before = 1;
        options.epsilon = epsilons[e];
        for (size_t i = 0; i < 5; i++) {
            const double cells = planned_cells(&options, numbers[i]);
            assert_true(cells >= before && cells >= row[i]);
            assert_true(cells == 1 || (cells >= 10 && cells <= 20));
            before = row[i] = cells;
        }
    }
    assert_true(row[0] == 1 && row[4] == 20);
}

/* Noise grows with features, with the first release's part and with blocks; early stopping leaves no cells. */
TEST(cells_follow_what_else_makes_noise)
{
    sbl_synth_options options = cells_auto();
    start_afresh();
    options.epsilon = 4;
    const double usually = planned_cells(&options, OF_TEN_CLASSES(60000));
    assert_true(usually > 10 && usually < 14);
    give(&options, "features", "6400"); /* .8 times the length */
    const double fewer = planned_cells(&options, OF_TEN_CLASSES(60000));
    assert_true(fewer >= floor(usually / 0.8) && fewer <= (usually + 1) / 0.8);
    give(&options, "features", "10000");
    give(&options, "first-share", "0.8"); /* twice the noise */
    assert_true(planned_cells(&options, OF_TEN_CLASSES(60000)) == 1);
    give(&options, "first-share", NULL);
    give(&options, "embedding", "perceptual"); /* a squared sensitivity of 4, not 8 */
    const double one = planned_cells(&options, OF_TEN_CLASSES(60000));
    assert_true(one >= floor(usually * sqrt(2)) && one < (usually + 1) * sqrt(2));
    give(&options, "early-stopping", "yes");
    assert_true(planned_cells(&options, OF_TEN_CLASSES(60000)) == 1);
}

/* Stops training once its loss is known. */
static int keep_loss(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    (void)steps;
    if (strcmp(what, "training") != 0 || step == 0) return 0;
    *(double *)context = loss;
    return 1;
}

/* With noise so large that it is all of the loss: of squared norm s^2 times the coordinates. */
static double first_loss(const char *embedding)
{
    sbl_synth_options options = usual(embedding);
    sbl_error err = {0};
    double loss = 0;
    start_afresh();
    options.epsilon = 0.01;
    options.delta = 1e-5;
    give(&options, "features", "2"); /* of pixels, if at all: next to nothing */
    give(&options, "early-stopping", "no");
    options.progress = keep_loss;
    options.context = &loss;
    paths *p = paths_of("images", "labels", "out");
    assert_int_equal(images_fit(NULL, &p->input, p->out, &options, &err), SBL_ESTOPPED);
    return loss;
}

/* Beside pixels phi1 counts twice where noise is large. Squared sensitivities are 6 and 4, so its loss is
 * 3 times, not 1.5 times, that of phi1 by itself. With phi2 nothing weighs more: 8 over 6. */
TEST(first_moments_weigh_more_where_noise_is_large)
{
    const sbl_generate_rule rule = {.noise = 0.002, .heavier = "moments"}, none = {0};
    assert_true(sbl_generate_weight(&rule, 0.001) == 1 && sbl_generate_weight(&rule, 0.002) == 1);
    assert_true(fabs(sbl_generate_weight(&rule, 0.0045) - 1.5) < 1e-12);
    assert_true(sbl_generate_weight(&rule, 0.008) == 2 && sbl_generate_weight(&rule, 1) == 2);
    assert_true(sbl_generate_weight(&none, 1) == 1);
    const double ratio = first_loss("best") / first_loss("first-moments");
    const double both = first_loss("pixels+moments") / first_loss("moments");
    if (!(fabs(ratio - 3) < 0.2 && fabs(both - 4.0 / 3) < 0.1))
        fail_msg("%.3f of phi1, %.3f of both", ratio, both);
}

/* ---- going on ---- */

/* Stops when the data is read for the second time. */
static int stop_at_second_reading(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    int *readings = context;
    (void)steps;
    (void)loss;
    if (strcmp(what, "reading") == 0 && step == 0) (*readings)++;
    return *readings == 2;
}

static size_t charges(void)
{
    sbl_ledger_view view;
    sbl_error err = {0};
    size_t count = 0;
    must(sbl_ledger_read(&view, sbl_file_item(in_folder(folder, "images.ledger")), &err), &err);
    while (charged(&view, count) > 0) count++;
    sbl_ledger_view_clear(&view);
    return count;
}

TEST(a_stopped_run_pays_only_for_what_is_missing)
{
    sbl_synth_options options = usual("best");
    sbl_error err = {0};
    int readings = 0;
    start_afresh();
    options.progress = stop_at_second_reading;
    options.context = &readings;
    paths *p = paths_of("images", "labels", "out");
    assert_int_equal(images_run(NULL, &p->input, &p->output, 10, NULL, &options, &err), SBL_ESTOPPED);
    assert_int_equal(charges(), 1);
    options.progress = NULL;
    must(images_resume(NULL, &p->input, &p->output, 10, NULL, &options, &err), &err);
    assert_int_equal(charges(), 2);
    assert_true(exists("out/images-idx3-ubyte.gz"));
}

/* Stops in the middle of training. */
static int stop_at_third_step(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    (void)context;
    (void)steps;
    (void)loss;
    return strcmp(what, "training") == 0 && step == 3;
}

static void hear(void *context, sbl_advice_kind kind, const char *line)
{
    char *heard = context;
    (void)kind;
    if (strstr(line, "training") != NULL) (void)snprintf(heard, 400, "%s", line);
}

/* A run that was stopped while it trained leaves its place beside its release; `resume`, or `train`,
 * goes on from there to the images of a run that was not stopped, at no cost, and it is gone. */
TEST(a_run_stopped_in_training_goes_on)
{
    static const char *const methods[] = {"mepf", "merf", "hp"};
    for (size_t m = 0; m < 3; m++) {
        sbl_synth_options options = m == 0 ? usual("best") : small();
        char heard[400] = "", model[300];
        sbl_error err = {0};
        size_t sizes[2];
        options.method = methods[m];
        if (m == 2) give(&options, "features", NULL);
        options.threads = 1;
        start_afresh();
        sbl_test_key_set(99);
        paths *p = paths_of("images", "labels", "whole");
        must(images_run(NULL, &p->input, &p->output, 10, NULL, &options, &err), &err);
        char *whole = slurp(in_folder(folder, "whole/images-idx3-ubyte.gz"), &sizes[0]);
        const size_t before = charges();
        sbl_test_key_set(99);
        options.progress = stop_at_third_step;
        p = paths_of("images", "labels", "out");
        assert_int_equal(images_run(NULL, &p->input, &p->output, 10, NULL, &options, &err), SBL_ESTOPPED);
        assert_true(exists("out.release.training"));
        assert_int_equal(charges(), 2 * before);
        options.progress = NULL;
        options.advice = hear;
        options.context = heard;
        must(images_resume(NULL, &p->input, &p->output, 10, NULL, &options, &err), &err);
        assert_non_null(strstr(heard, "after step 3 of 5"));
        assert_int_equal(charges(), 2 * before);
        assert_false(exists("out.release.training"));
        char *rest = slurp(in_folder(folder, "out/images-idx3-ubyte.gz"), &sizes[1]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(whole, rest, sizes[0]);
        free(whole);
        free(rest);
        (void)snprintf(model, sizeof model, "%s", in_folder(folder, "a.model"));
        options.progress = stop_at_third_step;
        give(&options, "features", NULL);
        const char *release = in_folder(folder, "out.release");
        assert_int_equal(train_files(release, model, &options, &err), SBL_ESTOPPED);
        assert_true(exists("out.release.training"));
        options.progress = NULL;
        heard[0] = 0;
        must(train_files(release, model, &options, &err), &err);
        assert_non_null(strstr(heard, "after step 3 of 5"));
        assert_false(exists("out.release.training"));
    }
}

TEST(training_again_costs_nothing_and_needs_the_encoder)
{
    const sbl_synth_options options = usual("best");
    sbl_error err = {0};
    char model[300];
    start_afresh();
    paths *p = paths_of("images", "labels", "out");
    must(images_run(NULL, &p->input, &p->output, 10, NULL, &options, &err), &err);
    (void)snprintf(model, sizeof model, "%s", in_folder(folder, "again.model"));
    sbl_synth_options training = small();
    give(&training, "features", NULL);
    give(&training, "encoder", TINY);
    must(train_files(in_folder(folder, "out.release"), model, &training, &err), &err);
    give(&training, "encoder", NULL);
    training.overwrite = true;
    assert_int_equal(train_files(in_folder(folder, "out.release"), model, &training, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "encoder"));
    assert_int_equal(charges(), 2);
}

TEST(results_do_not_depend_on_threads)
{
    char *bytes[2];
    size_t sizes[2];
    for (unsigned i = 0; i < 2; i++) {
        sbl_synth_options options = usual("all");
        sbl_error err = {0};
        start_afresh();
        options.threads = 1 + 2 * i;
        options.seed = 4;
        sbl_test_key_set(99);
        paths *p = paths_of("images", "labels", "out");
        must(images_run(NULL, &p->input, &p->output, 20, NULL, &options, &err), &err);
        bytes[i] = slurp(in_folder(folder, "out/images-idx3-ubyte.gz"), &sizes[i]);
        assert_non_null(bytes[i]);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    free(bytes[0]);
    free(bytes[1]);
}

/* ---- colours ---- */

static void put_number(FILE *file, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) (void)fputc((int)(value >> shift & 255), file);
}

/* Squares, red, green or blue by their class, each at a place and of a shade of its own. */
static void write_colours(int count, int half)
{
    FILE *images = fopen(in_folder(folder, "colours"), "wb");
    FILE *labels = fopen(in_folder(folder, "hues"), "wb");
    put_number(images, 0x804);
    for (int i = 0; i < 4; i++) put_number(images, (uint32_t[]){(uint32_t)count, 32, 32, 3}[i]);
    put_number(labels, 0x801);
    put_number(labels, (uint32_t)count);
    for (int n = 0; n < count; n++) {
        (void)fputc(n % 3, labels);
        for (int y = 0; y < 32; y++)
            for (int x = 0; x < 32; x++)
                for (int c = 0; c < 3; c++) {
                    const bool inside = abs(x - 10 - n % 12) < half && abs(y - 10 - n % 11) < half;
                    (void)fputc(inside && c == n % 3 ? 255 - n % 60 : 20, images);
                }
    }
    (void)fclose(images);
    (void)fclose(labels);
}

TEST(colours_of_32_x_32_go_through)
{
    sbl_synth_options options = usual(NULL);
    sbl_error err = {0};
    char *statement = NULL;
    start_afresh();
    write_colours(12, 8);
    give(&options, "encoder", NULL); /* vgg-s */
    give(&options, "generator", "residual");
    give(&options, "hidden", "32");
    give(&options, "steps", "2");
    give(&options, "batch", "6");
    paths *p = paths_of("colours", "hues", "out");
    must(images_run(&statement, &p->input, &p->output, 6, NULL, &options, &err), &err);
    assert_non_null(strstr(statement, "trained on: CIFAR-10"));
    assert_non_null(strstr(statement, "of each image and its mirror image, layers weighed alike"));
    sbl_free(statement);
    /* One release of the whole budget; the built-in network saw 32 x 32. */
    assert_false(exists("out.release.2"));
    sbl_release *release = load_release("out.release");
    assert_non_null(strstr(release->plan, "\"layers_alike\":true"));
    assert_non_null(strstr(release->plan, "\"mirrored\":true"));
    assert_non_null(strstr(release->plan, "\"side\":32"));
    assert_null(strstr(release->plan, "\"fit\""));
    sbl_release_free(release);
    assert_true(exists("out/images-idx4-ubyte.gz"));
}

/* What was drawn has the colours of its classes: after a short training with little noise the channel
 * of a class is its brightest by far. */
TEST(colours_are_those_of_the_classes)
{
    enum { DRAWN = 30, PIXELS = 32 * 32 };
    sbl_synth_options options = usual("best");
    sbl_error err = {0};
    double means[3][3] = {{0}};
    uint8_t *bytes = malloc(16 + DRAWN * PIXELS * 3), *labels = malloc(8 + DRAWN);
    start_afresh();
    write_colours(sanitized ? 30 : 900, 15);
    options.epsilon = 10;
    give(&options, "steps", sanitized ? "2" : "100");
    give(&options, "batch", "30");
    give(&options, "features", "1000");
    give(&options, "generator", "small");
    give(&options, "hidden", "64,16,8");
    give(&options, "learning-rate", "0.01");
    paths *p = paths_of("colours", "hues", "out");
    must(images_run(NULL, &p->input, &p->output, DRAWN, NULL, &options, &err), &err);
    gzFile file = gzopen(in_folder(folder, "out/images-idx4-ubyte.gz"), "rb");
    assert_int_equal(gzread(file, bytes, 20), 20);
    assert_int_equal(gzread(file, bytes, DRAWN * PIXELS * 3), DRAWN * PIXELS * 3);
    (void)gzclose(file);
    file = gzopen(in_folder(folder, "out/labels-idx1-ubyte.gz"), "rb");
    assert_int_equal(gzread(file, labels, 8 + DRAWN), 8 + DRAWN);
    (void)gzclose(file);
    for (size_t i = 0; i < DRAWN * PIXELS * 3; i++)
        means[labels[8 + i / (PIXELS * 3)]][i % 3] += (double)bytes[i];
    for (size_t c = 0; c < 3; c++)
        for (size_t k = 0; k < 3; k++)
            if (k != c && !sanitized) assert_true(means[c][c] > 1.5 * means[c][k]);
    free(bytes);
    free(labels);
}

ALL_TESTS(fresh, remove_folder)
