/* DP-MERF on images at the default sizes, piece by piece: sums of features per image, and one
 * training step (draw, forward, loss, backward, Adam), both of them for MNIST's shape.
 *
 *   bench_images [batch] [hidden] [channels] [channels]    prints JSON; compare_images.py adds
 * torch
 */
#include <stdio.h>
#include <stdlib.h>

#include "accumulate/sum.h"
#include "roofline.h"
#include "train/merf_images.h"

#define IMAGES 2000
#define STEPS 12

static void check(sbl_status status, const sbl_error *err)
{
    if (status == SBL_OK) return;
    fprintf(stderr, "bench_images: %s\n", err->message);
    exit(1);
}

/* Seconds per image, on one thread, enforcement and exact sums included. */
static double best_sum(const sbl_image_plan *plan, const float *pixels)
{
    const size_t size = sbl_image_facts_size(&plan->facts);
    sbl_block block = {
        .name = "rff",
        .width = plan->block.width,
        .group = plan->block.group,
        .per_class = true,
        .bound2 = plan->block.bound2,
        .scale = sbl_layout_scale(plan->block.width, plan->block.bound2, plan->block.norm)};
    const sbl_layout layout = {.blocks = &block,
                               .block_count = 1,
                               .classes = plan->facts.classes,
                               .counts = true,
                               .rows_cap = SBL_ROWS_CAP_DEFAULT};
    sbl_orthogonal w;
    sbl_sum *sum;
    sbl_error err = {0};
    uint32_t labels[16];
    double best = 1e9;
    check(sbl_image_plan_frequencies(&w, plan, &err), &err);
    check(sbl_sum_new(&sum, &layout, &err), &err);
    float *features = calloc(16 * 2 * w.size, sizeof *features);
    float *scratch = calloc(w.size, sizeof *scratch);
    for (uint32_t i = 0; i < 16; i++) labels[i] = i % 10;
    for (int round = 0; round < 3; round++) {
        const double start = now();
        for (size_t i = 0; i + 16 <= IMAGES; i += 16) {
            check(sbl_sum_begin_rows(sum, labels, 16, &err), &err);
            for (size_t b = 0; b < w.blocks; b++) {
                sbl_orthogonal_rows(&w, features, 2 * w.size, pixels + i * size, size, 16, b,
                                    scratch);
                check(sbl_sum_add_f32(sum, 0, 2 * b * w.size, 2 * sbl_orthogonal_used(&w, b),
                                      features, 2 * w.size, &err),
                      &err);
            }
            check(sbl_sum_end_rows(sum, &err), &err);
        }
        const double took = (now() - start) / IMAGES;
        if (took < best) best = took;
    }
    free(features);
    free(scratch);
    sbl_sum_free(sum);
    sbl_orthogonal_clear(&w);
    return best;
}

static double best_step(sbl_image_trainer *trainer)
{
    double best = 1e9;
    for (size_t step = 0; step < STEPS; step++) {
        const double start = now();
        sbl_image_trainer_draw(trainer, step);
        (void)sbl_image_trainer_loss(trainer);
        sbl_image_trainer_update(trainer, 1e-3);
        const double took = now() - start;
        if (took < best) best = took;
    }
    return best;
}

int main(int argc, char **argv)
{
    sbl_image_facts facts;
    sbl_image_plan plan;
    sbl_image_plan_options plan_options;
    sbl_image_train_options options;
    sbl_image_target target;
    sbl_image_generator generator;
    sbl_image_trainer *trainer;
    sbl_error err = {0};
    sbl_image_train_options_init(&options);
    if (argc > 1) options.batch = strtoul(argv[1], NULL, 10);
    if (argc > 2) options.network.hidden = strtoul(argv[2], NULL, 10);
    for (int i = 0; i < 2 && argc > 3 + i; i++)
        options.network.channels[i] = strtoul(argv[3 + i], NULL, 10);
    check(sbl_image_facts_init(&facts, 28, 28, 1, 10, NULL, &err), &err);
    sbl_image_plan_options_init(&plan_options, &facts);
    check(sbl_image_plan_build(&plan, &facts, &plan_options, &err), &err);
    check(sbl_image_target_init(&target, &plan, &err), &err);
    check(sbl_image_generator_init(&generator, &facts, &options.network, &err), &err);
    sbl_net_randomise(&generator.net, 1);
    check(sbl_image_trainer_new(&trainer, &generator, &plan, &target, &options, &err), &err);
    float *pixels = calloc((size_t)IMAGES * 784, sizeof *pixels);
    for (size_t i = 0; i < (size_t)IMAGES * 784; i++)
        pixels[i] = (float)(i * 2654435761u % 1000) / 999;
    const double sum = best_sum(&plan, pixels), step = best_step(trainer);
    printf(
        "{\"features\":%zu,\"latent\":%zu,\"batch\":%zu,\"hidden\":%zu,\"channels\":[%zu,%zu],"
        "\"threads\":%d,\"variant\":\"%s\",\"steps\":%zu,\"sum_microseconds_per_image\":%.2f,"
        "\"step_milliseconds\":%.2f}\n",
        plan.block.width, options.network.latent, options.batch, options.network.hidden,
        options.network.channels[0], options.network.channels[1], sbl_thread_limit(),
        sbl_fourier_variant(), options.steps, 1e6 * sum, 1e3 * step);
    free(pixels);
    sbl_image_trainer_free(trainer);
    sbl_image_generator_clear(&generator);
    sbl_image_target_clear(&target);
    sbl_image_plan_clear(&plan);
    sbl_image_facts_clear(&facts);
    return 0;
}
