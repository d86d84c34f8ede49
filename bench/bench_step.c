/* SPDX-License-Identifier: Apache-2.0 */
/* One DP-MERF training step (draw, forward, loss, backward, Adam) of an 11-200-100-out network on a
 * batch of two classes, against the roofline of this machine measured in the same run.
 *
 *   bench_step [features] [numbers] [batch]      prints JSON; bench/compare_step.py adds torch */
#include <stdio.h>
#include <stdlib.h>

#include "after/train/target.h"
#include "after/train/trainer.h"
#include "records/features/rff.h"
#include "roofline.h"

#define STEPS 60

static void check(sbl_status status, const sbl_error *err)
{
    if (status == SBL_OK) return;
    fprintf(stderr, "bench_step: %s\n", err->message);
    exit(1);
}

static double best_step(sbl_trainer *trainer)
{
    double best = 1e9;
    for (size_t step = 0; step < STEPS; step++) {
        double start = now();
        sbl_trainer_draw(trainer, step);
        (void)sbl_trainer_loss(trainer);
        sbl_trainer_update(trainer, 1e-3);
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
    const double scales[] = {0.05, 0.1, 0.2, 0.4, 0.8}, deviation = 0.6, shares[] = {0.5, 0.5};
    const sbl_rff_rule rff = {
        .scales = scales, .scale_count = 5, .code_deviations = &deviation, .code_deviation_count = 1};
    sbl_facts facts = {.kind = SBL_DATA_TABLE, .classes = 2, .label_column = SBL_NO_HEAD};
    sbl_train_options options = sbl_train_options_of(SBL_DATA_TABLE);
    sbl_target target;
    sbl_generator generator;
    sbl_trainer *trainer;
    void *made;
    const sbl_network network = {.latent = 11, .hidden = {200, 100}, .count = 2};
    sbl_error err = {0};
    json_t *parameters = sbl_rff_parameters(&rff, features, 0);
    check(sbl_record_shape_init(&facts.shape, numbers, NULL, 0, 2, &err), &err);
    check(sbl_feature_rff.make(&made, &facts, parameters, &err), &err);
    check(sbl_target_init(&target, 2, features, &err), &err);
    check(sbl_generator_init(&generator, &facts, &network, &err), &err);
    options.batch = batch;
    const sbl_train_term term = {&sbl_loss_rff, made, &target, false};
    check(sbl_trainer_new(&trainer, &generator, &term, 1, shares, &options, &err), &err);
    sbl_trainer_start(trainer);
    double seconds = best_step(trainer);
    double rows = (double)batch, d = (double)numbers, pairs = rows * (double)features / 2;
    double flops = 6 * rows * (11 * 200 + 200 * 100 + 100 * d) + 4 * pairs * d;
    double gemm = gemm_rate(), sincos = sincos_rate();
    double roofline = flops / gemm + pairs / sincos;
    printf(
        "{\"features\":%zu,\"numbers\":%zu,\"batch\":%zu,\"threads\":%d,\"variant\":\"%s\","
        "\"milliseconds\":%.3f,\"gemm_gflops\":%.1f,\"sincos_ns_per_pair\":%.3f,"
        "\"roofline_milliseconds\":%.3f,\"of_roofline\":%.3f}\n",
        features, numbers, batch, sbl_thread_limit(), sbl_kernels_best()->name, 1e3 * seconds, gemm * 1e-9,
        1e9 / sincos, 1e3 * roofline, roofline / seconds);
    sbl_trainer_free(trainer);
    sbl_generator_clear(&generator);
    sbl_target_clear(&target);
    sbl_feature_rff.free(made);
    sbl_facts_clear(&facts);
    json_decref(parameters);
    return 0;
}
