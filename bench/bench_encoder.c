/* SPDX-License-Identifier: Apache-2.0 */
/* DP-MEPF on images of MNIST's shape, piece by piece: what the built-in encoder costs, sums of its
 * features per private image, and a training step (draw, generator, encoder and back, Adam), beside
 * what the encoder's operations would take at the rate of a large product measured in the same run.
 * Winograd needs fewer operations than are counted, so a share above 1 is possible. With one thread
 * all times are processor time, so that others on the machine do less harm.
 *
 *   bench_encoder [batch] [perceptual | moments | best]    prints JSON
 * best: the step as it is by default, Fourier features of pixels beside first moments of a fifth
 * of the batch; the others send the whole batch through the encoder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "after/train/target.h"
#include "after/train/train_defaults.h"
#include "after/train/trainer.h"
#include "public/features/activation_shapes.h"
#include "records/accumulate/sum.h"
#include "records/features/features.h"
#include "roofline.h"

#define IMAGES 480
#define STEPS 6
#define CLASSES 10

static void check(sbl_status status, const sbl_error *err)
{
    if (status == SBL_OK) return;
    fprintf(stderr, "bench_encoder: %s\n", err->message);
    exit(1);
}

/* What is measured. */
typedef struct job {
    const char *name;
    size_t moments; /* 0: perceptual features */
    bool pixels;
    double part, memory; /* of the encoder's feature */
} job;

static const job jobs[] = {
    {"perceptual", 0, false, 0, 0}, {"moments", 2, false, 0, 0}, {"best", 1, true, 0.2, 0.9}};

/* The encoder's feature of an embedding, and the multiplications that an image costs one way. */
static double make_features(sbl_features *features, sbl_plan *plan, const sbl_facts *facts, const job *of)
{
    static const double scales[] = {0.2, 0.4, 0.8}, pixel_scales[] = {0.3, 0.6};
    const sbl_orthogonal_rule pixels = {.frequencies = 5000, .scales = pixel_scales, .scale_count = 2};
    const bool moments = of->moments > 0;
    sbl_encoded encoded;
    sbl_error err = {0};
    const sbl_encoded_ask ask = {.rule = moments ? SBL_ENCODED_ALL : SBL_ENCODED_SCALES};
    check(sbl_encoded_choose(&encoded, facts, &ask, &err), &err);
    check(sbl_plan_init(plan, "bench", &err), &err);
    check(sbl_plan_add(plan, moments ? SBL_MOMENTS : SBL_PERCEPTUAL,
                       moments ? sbl_moments_parameters(&encoded, of->moments)
                               : sbl_perceptual_parameters(&encoded, 10000, scales, 3, 0),
                       1.0, &err),
          &err);
    if (of->pixels)
        check(sbl_plan_add(plan, "orthogonal", sbl_orthogonal_parameters(&pixels), 1.0, &err), &err);
    plan->counts = true;
    check(sbl_plan_finish(plan, facts, &err), &err);
    check(sbl_features_make(features, plan, facts, NULL, &err), &err);
    const double products = sbl_encoder_products(encoded.encoder);
    sbl_encoded_clear(&encoded);
    return products;
}

/* Seconds per image, on one thread, enforcement and exact sums included. */
static double best_sum(const sbl_features *features)
{
    static uint8_t pixels[16 * 784];
    sbl_feature_workspaces *workspaces;
    sbl_sum *sum;
    sbl_error err = {0};
    uint32_t labels[16];
    double best = 1e9;
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(i * 2654435761u % 256);
    for (uint32_t i = 0; i < 16; i++) labels[i] = i % CLASSES;
    const sbl_records records = {.pixels = pixels, .labels = labels, .rows = 16};
    check(sbl_feature_workspaces_new(&workspaces, features, &err), &err);
    check(sbl_sum_new(&sum, &features->layout, &err), &err);
    for (size_t i = 0; i < IMAGES; i += 16) {
        const double start = bench_seconds();
        check(sbl_features_add(sum, workspaces, &records, &err), &err);
        const double took = (bench_seconds() - start) / 16;
        if (took < best) best = took;
    }
    sbl_sum_free(sum);
    sbl_feature_workspaces_free(workspaces);
    return best;
}

static double best_step(const sbl_features *features, const sbl_facts *facts, size_t batch, const job *of)
{
    sbl_train_options options = sbl_train_options_of(SBL_DATA_IMAGES);
    const sbl_network network = sbl_train_defaults_of(SBL_DATA_IMAGES)->network;
    sbl_target targets[2];
    sbl_train_term terms[2];
    sbl_generator generator;
    sbl_trainer *trainer;
    double shares[CLASSES], best = 1e9;
    sbl_error err = {0};
    options.batch = batch;
    for (size_t c = 0; c < CLASSES; c++) shares[c] = 1.0 / CLASSES;
    for (size_t i = 0; i < features->count; i++) {
        const sbl_feature_instance *item = &features->items[i];
        size_t width = 0;
        for (size_t b = 0; b < item->block_count; b++)
            width += features->layout.blocks[item->block + b].width;
        check(sbl_target_init(&targets[i], CLASSES, width, &err), &err);
        if (i == 0) targets[i].part = of->part;
        if (i == 0) targets[i].memory = of->memory;
        terms[i] = (sbl_train_term){sbl_loss_find(item->kind->name, NULL), item->made, &targets[i], false};
    }
    check(sbl_generator_init(&generator, facts, &network, &err), &err);
    check(sbl_trainer_new(&trainer, &generator, terms, features->count, shares, &options, &err), &err);
    sbl_trainer_start(trainer);
    for (size_t step = 0; step < STEPS; step++) {
        const double start = bench_seconds();
        sbl_trainer_draw(trainer, step);
        (void)sbl_trainer_loss(trainer);
        sbl_trainer_update(trainer, 1e-3);
        const double took = bench_seconds() - start;
        if (took < best) best = took;
    }
    sbl_trainer_free(trainer);
    sbl_generator_clear(&generator);
    for (size_t i = 0; i < features->count; i++) sbl_target_clear(&targets[i]);
    return best;
}

int main(int argc, char **argv)
{
    const size_t batch = argc > 1 ? strtoul(argv[1], NULL, 10) : 500;
    const job *of = &jobs[0];
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
        if (argc > 2 && strcmp(argv[2], jobs[i].name) == 0) of = &jobs[i];
    sbl_image_facts images;
    sbl_facts facts;
    sbl_plan plan;
    sbl_features features;
    sbl_error err = {0};
    check(sbl_image_facts_init(&images, 28, 28, 1, CLASSES, NULL, &err), &err);
    check(sbl_facts_of_images(&facts, &images, false, &err), &err);
    const double products = make_features(&features, &plan, &facts, of);
    const double rate = gemm_rate();
    const double sum = best_sum(&features), step = best_step(&features, &facts, batch, of);
    const double bound = 4 * products * (double)batch * (of->part > 0 ? of->part : 1) / rate;
    printf(
        "{\"embedding\":\"%s\",\"batch\":%zu,\"threads\":%d,\"variant\":\"%s\",\"gflops\":%.1f,"
        "\"encoder_mflop\":%.1f,\"sum_microseconds_per_image\":%.1f,\"step_milliseconds\":%.1f,"
        "\"roofline_milliseconds\":%.1f,\"share\":%.2f,\"sum_share\":%.2f}\n",
        of->name, batch, sbl_thread_limit(), sbl_kernels_best()->name, rate / 1e9, 2e-6 * products, 1e6 * sum,
        1e3 * step, 1e3 * bound, bound / step, 2 * products / (rate / sbl_thread_limit()) / sum);
    sbl_features_clear(&features);
    sbl_plan_clear(&plan);
    sbl_facts_clear(&facts);
    sbl_image_facts_clear(&images);
    return 0;
}
