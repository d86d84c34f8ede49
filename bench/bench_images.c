/* SPDX-License-Identifier: Apache-2.0 */
/* DP-MERF on images at the default sizes, piece by piece: sums of features per image, and one
 * training step (draw, forward, loss, backward, Adam), both of them for MNIST's shape.
 *
 *   bench_images [batch] [hidden] [channels] [channels]    prints JSON; compare_images.py adds
 * torch
 */
#include <stdio.h>
#include <stdlib.h>

#include "after/train/target.h"
#include "after/train/train_defaults.h"
#include "after/train/trainer.h"
#include "records/accumulate/sum.h"
#include "records/features/features.h"
#include "records/features/orthogonal.h"
#include "roofline.h"

#define IMAGES 2000
#define STEPS 12

static void check(sbl_status status, const sbl_error *err)
{
    if (status == SBL_OK) return;
    fprintf(stderr, "bench_images: %s\n", err->message);
    exit(1);
}

/* The features of the default plan for MNIST's shape. */
static void make_features(sbl_features *features, sbl_plan *plan, const sbl_facts *facts)
{
    static const double scales[] = {0.3, 0.6};
    const sbl_orthogonal_rule rule = {.frequencies = 5000, .scales = scales, .scale_count = 2};
    sbl_error err = {0};
    check(sbl_plan_init(plan, "bench", &err), &err);
    check(sbl_plan_add(plan, "orthogonal", sbl_orthogonal_parameters(&rule), 1.0, &err), &err);
    plan->counts = true;
    check(sbl_plan_finish(plan, facts, &err), &err);
    check(sbl_features_make(features, plan, facts, NULL, &err), &err);
}

/* Seconds per image, on one thread, enforcement and exact sums included. */
static double best_sum(const sbl_features *features, const uint8_t *pixels, size_t size)
{
    sbl_feature_workspaces *workspaces;
    sbl_sum *sum;
    sbl_error err = {0};
    uint32_t labels[16];
    double best = 1e9;
    check(sbl_feature_workspaces_new(&workspaces, features, &err), &err);
    check(sbl_sum_new(&sum, &features->layout, &err), &err);
    for (uint32_t i = 0; i < 16; i++) labels[i] = i % 10;
    for (int round = 0; round < 3; round++) {
        const double start = now();
        for (size_t i = 0; i + 16 <= IMAGES; i += 16) {
            const sbl_records records = {.pixels = pixels + i * size, .labels = labels, .rows = 16};
            check(sbl_features_add(sum, workspaces, &records, &err), &err);
        }
        const double took = (now() - start) / IMAGES;
        if (took < best) best = took;
    }
    sbl_sum_free(sum);
    sbl_feature_workspaces_free(workspaces);
    return best;
}

static double best_step(sbl_trainer *trainer)
{
    double best = 1e9;
    for (size_t step = 0; step < STEPS; step++) {
        const double start = now();
        sbl_trainer_draw(trainer, step);
        (void)sbl_trainer_loss(trainer);
        sbl_trainer_update(trainer, 1e-3);
        const double took = now() - start;
        if (took < best) best = took;
    }
    return best;
}

int main(int argc, char **argv)
{
    sbl_image_facts images;
    sbl_facts facts;
    sbl_plan plan;
    sbl_features features;
    sbl_train_options options = sbl_train_options_of(SBL_DATA_IMAGES);
    sbl_network network = sbl_train_defaults_of(SBL_DATA_IMAGES)->network;
    sbl_target target;
    sbl_generator generator;
    sbl_trainer *trainer;
    double shares[10];
    sbl_error err = {0};
    if (argc > 1) options.batch = strtoul(argv[1], NULL, 10);
    for (int i = 0; i < 3 && argc > 2 + i; i++) network.hidden[i] = strtoul(argv[2 + i], NULL, 10);
    check(sbl_image_facts_init(&images, 28, 28, 1, 10, NULL, &err), &err);
    check(sbl_facts_of_images(&facts, &images, false, &err), &err);
    make_features(&features, &plan, &facts);
    const sbl_feature_instance *fourier = &features.items[0];
    const size_t width = features.layout.blocks[0].width;
    check(sbl_target_init(&target, 10, width, &err), &err);
    check(sbl_generator_init(&generator, &facts, &network, &err), &err);
    for (size_t c = 0; c < 10; c++) shares[c] = 0.1;
    const sbl_train_term term = {&sbl_loss_orthogonal, fourier->made, &target, false};
    check(sbl_trainer_new(&trainer, &generator, &term, 1, shares, &options, &err), &err);
    sbl_trainer_start(trainer);
    uint8_t *pixels = calloc((size_t)IMAGES * 784, sizeof *pixels);
    if (pixels == NULL) return 1;
    for (size_t i = 0; i < (size_t)IMAGES * 784; i++) pixels[i] = (uint8_t)(i * 2654435761u % 256);
    const double sum = best_sum(&features, pixels, 784), step = best_step(trainer);
    printf(
        "{\"features\":%zu,\"latent\":%zu,\"batch\":%zu,\"hidden\":%zu,\"channels\":[%zu,%zu],"
        "\"threads\":%d,\"variant\":\"%s\",\"steps\":%zu,\"sum_microseconds_per_image\":%.2f,"
        "\"step_milliseconds\":%.2f}\n",
        width, network.latent, options.batch, network.hidden[0], network.hidden[1], network.hidden[2],
        sbl_thread_limit(), sbl_kernels_best()->name, options.steps, 1e6 * sum, 1e3 * step);
    free(pixels);
    sbl_trainer_free(trainer);
    sbl_generator_clear(&generator);
    sbl_target_clear(&target);
    sbl_features_clear(&features);
    sbl_plan_clear(&plan);
    sbl_facts_clear(&facts);
    sbl_image_facts_clear(&images);
    return 0;
}
