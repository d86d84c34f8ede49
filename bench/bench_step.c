/* One DP-MERF training step (draw, forward, loss, backward, Adam) of an 11-200-100-out network on a
 * batch of two classes, against the roofline of this machine measured in the same run.
 *
 *   bench_step [features] [numbers] [batch]      prints JSON; bench/compare_step.py adds torch */
#include <stdio.h>
#include <stdlib.h>

#include "roofline.h"
#include "train/merf.h"

#define STEPS 60

static void check(sbl_status status, const sbl_error *err)
{
    if (status == SBL_OK) return;
    fprintf(stderr, "bench_step: %s\n", err->message);
    exit(1);
}

static double best_step(sbl_merf_trainer *trainer)
{
    double best = 1e9;
    for (size_t step = 0; step < STEPS; step++) {
        double start = now();
        sbl_merf_trainer_draw(trainer, step);
        (void)sbl_merf_trainer_loss(trainer, 0.1f);
        sbl_merf_trainer_update(trainer, 1e-3);
        double took = now() - start;
        if (took < best) best = took;
    }
    return best;
}

int main(int argc, char **argv)
{
    size_t features = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
    size_t numbers = argc > 2 ? strtoul(argv[2], NULL, 10) : 108;
    size_t batch = argc > 3 ? strtoul(argv[3], NULL, 10) : 2256;
    sbl_record_shape shape;
    sbl_merf_plan plan;
    sbl_merf_plan_options plan_options;
    sbl_train_options options;
    sbl_merf_target target;
    sbl_generator generator;
    sbl_merf_trainer *trainer;
    sbl_mlp_shape network = {.latent = 11, .depth = 2, .hidden = {200, 100}};
    sbl_error err = {0};
    check(sbl_record_shape_init(&shape, numbers, NULL, 0, 2, &err), &err);
    sbl_merf_plan_options_init(&plan_options, &shape);
    plan_options.features = features;
    check(sbl_merf_plan_build(&plan, &shape, &plan_options, &err), &err);
    check(sbl_merf_target_init(&target, &plan, &err), &err);
    check(sbl_generator_init(&generator, &shape, &network, &err), &err);
    sbl_mlp_randomise(&generator.mlp, 1);
    sbl_train_options_init(&options);
    options.batch = batch;
    check(sbl_merf_trainer_new(&trainer, &generator, &plan, &target, &options, &err), &err);
    double seconds = best_step(trainer);
    double rows = (double)batch, d = (double)numbers, pairs = rows * (double)features / 2;
    double flops = 6 * rows * (11 * 200 + 200 * 100 + 100 * d) + 4 * pairs * d;
    double gemm = gemm_rate(), sincos = sincos_rate();
    double roofline = flops / gemm + pairs / sincos;
    printf(
        "{\"features\":%zu,\"numbers\":%zu,\"batch\":%zu,\"threads\":%d,\"variant\":\"%s\","
        "\"milliseconds\":%.3f,\"gemm_gflops\":%.1f,\"sincos_ns_per_pair\":%.3f,"
        "\"roofline_milliseconds\":%.3f,\"of_roofline\":%.3f}\n",
        features, numbers, batch, sbl_thread_limit(), sbl_fourier_variant(), 1e3 * seconds,
        gemm * 1e-9, 1e9 / sincos, 1e3 * roofline, roofline / seconds);
    sbl_merf_trainer_free(trainer);
    sbl_generator_clear(&generator);
    sbl_merf_target_clear(&target);
    sbl_merf_plan_clear(&plan);
    sbl_record_shape_clear(&shape);
    return 0;
}
