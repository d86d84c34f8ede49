/* SPDX-License-Identifier: Apache-2.0 */
/* Training on tables: the loss against double arithmetic, that training finds what the targets
 * describe, that threads do not matter. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "after/sample/sampler.h"
#include "after/train/train_batch.h"
#include "after/train/trainer.h"
#include "base/compute/threads.h"
#include "base/random/model_rng.h"
#include "nn/net_reference.h"
#include "nn/reference.h"
#include "records/features/onehot.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/sanitized.h"
#include "train/train_kit.h"

FREES(sbl_trainer_free);

/* The losses of after/losses/rff_loss.c and onehot_loss.c in double, for the trainer's batch.
 * Where frequencies see codes, the drawn codes count as drawn + p - start, with start the
 * probabilities at the weights of the trainer: the function whose gradient the straight-through
 * rule takes. start (rows, T) is filled when `begin`. Unbiased: squares of means are those of pairs of different
 * rows. */
static double reference_loss(const sbl_generator *g, const double *weights, const train_kit *kit,
                             const sbl_train_options *o, const sbl_trainer *trainer, double *start,
                             bool begin)
{
    const sbl_record_shape *s = &g->facts.shape;
    const sbl_generated *generated = sbl_trainer_generated(trainer);
    const size_t *starts = generated->starts;
    const sbl_rff *rff = &kit->rff;
    size_t rows = generated->rows, width = s->numeric + s->onehot, F = rff->frequencies;
    size_t padded = generated->padded_rows, inputs = sbl_generator_inputs(g);
    double *outputs = calloc(rows * width, sizeof *outputs);
    double *e = calloc(2 * F + s->onehot, sizeof *e), loss = 0;
    double *z = calloc(rows * inputs, sizeof *z);
    double none[64] = {0}; /* of running statistics */
    const float *drawn = generated->inputs + s->numeric * padded;
    for (size_t i = 0; i < rows * inputs; i++) z[i] = (double)sbl_trainer_inputs(trainer)[i];
    reference_net(outputs, &g->net, weights, none, z, rows, true);
    for (size_t c = 0; c < s->classes; c++) {
        size_t count = starts[c + 1] - starts[c];
        if (count == 0) continue;
        double row_weight = kit->shares[c] / (double)count, squares = 0, onehot = 0;
        const bool unbiased = kit->targets[0].distance == SBL_DISTANCE_UNBIASED;
        const double pairs = unbiased ? (double)count / (double)(count - 1) : 1; /* of the mean's square */
        const double own = unbiased ? row_weight * row_weight * pairs : 0;
        memset(e, 0, (2 * F + s->onehot) * sizeof *e);
        for (size_t r = starts[c]; r < starts[c + 1]; r++) {
            double x[64], p[64];
            reference_heads(x, p, outputs + r * width, s);
            for (size_t j = 0; begin && j < s->onehot; j++) start[r * s->onehot + j] = p[j];
            for (size_t f = 0; f < F; f++) {
                double t = 0;
                for (size_t j = 0; f < rff->joint && j < s->onehot; j++)
                    t += ((double)drawn[j * padded + r] + p[j] - start[r * s->onehot + j]) *
                         (double)rff->code_panels[(f / 32 * s->onehot + j) * 32 + f % 32];
                for (size_t i = 0; i < s->numeric; i++)
                    t += x[i] * (double)rff->panels[(f / 32 * s->numeric + i) * 32 + f % 32];
                e[2 * f] += row_weight * cos(6.283185307179586 * t);
                e[2 * f + 1] += row_weight * sin(6.283185307179586 * t);
                squares -= own * (pow(cos(6.283185307179586 * t), 2) + pow(sin(6.283185307179586 * t), 2));
            }
            for (size_t j = 0; j < s->onehot; j++) {
                e[2 * F + j] += row_weight * p[j];
                onehot -= own * p[j] * p[j];
            }
        }
        for (size_t j = 0; j < 2 * F; j++)
            squares +=
                pow(e[j] - (double)kit->targets[0].means[c * 2 * F + j], 2) + (pairs - 1) * e[j] * e[j];
        for (size_t j = 0; j < s->onehot; j++)
            onehot += pow(e[2 * F + j] - (double)kit->targets[1].means[c * s->onehot + j], 2) +
                      (pairs - 1) * e[2 * F + j] * e[2 * F + j];
        loss += pow(kit->shares[c], -o->class_power) *
                (kit->targets[0].weight * squares / (double)F +
                 (s->categorical ? kit->targets[1].weight * onehot / (double)s->categorical : 0));
    }
    free(outputs);
    free(e);
    free(z);
    return loss;
}

/* classes 3: the second has share 0 */
static void check_gradient(size_t numeric, size_t categorical, size_t classes, double joint_share,
                           sbl_distance distance)
{
    static double weights[8192], start[8192];
    const sbl_network network = {.latent = 4, .hidden = {10}, .count = 1};
    CLEARED(train_kit_clear) train_kit kit;
    CLEARED(sbl_generator_clear) sbl_generator g;
    FREED(sbl_trainer_free) sbl_trainer *trainer;
    sbl_train_options o = sbl_train_options_of(SBL_DATA_TABLE);
    sbl_model_rng rng;
    train_kit_table(&kit, numeric, (const size_t[]){3, 2}, categorical, classes, 140, joint_share);
    sbl_model_rng_init(&rng, 8, SBL_RNG_OTHER, 0);
    for (size_t i = 0; i < classes * 140; i++)
        kit.targets[0].means[i] = 0.3f * (float)sbl_model_rng_normal(&rng);
    for (size_t i = 0; i < classes * kit.facts.shape.onehot; i++)
        kit.targets[1].means[i] = 0.3f * (float)sbl_model_rng_normal(&rng);
    if (classes == 3) kit.shares[0] = 0.7, kit.shares[1] = 0, kit.shares[2] = 0.3;
    o.batch = 41, o.class_power = 0.8, kit.targets[0].weight = 0.6, kit.targets[1].weight = 1.7;
    kit.targets[0].distance = kit.targets[1].distance = distance;
    assert_int_equal(sbl_generator_init(&g, &kit.facts, &network, NULL), SBL_OK);
    sbl_net_randomise(&g.net, 5);
    assert_int_equal(sbl_trainer_new(&trainer, &g, kit.terms, kit.count, kit.shares, &o, NULL), SBL_OK);
    sbl_trainer_draw(trainer, 3);
    assert_true(g.net.weight_count < 8192);
    for (size_t i = 0; i < g.net.weight_count; i++) weights[i] = (double)g.net.weights[i];
    double loss = sbl_trainer_loss(trainer);
    double expected = reference_loss(&g, weights, &kit, &o, trainer, start, true);
    if (distance != SBL_DISTANCE_UNBIASED) assert_true(fabs(loss / expected - 1) < 1e-5);
    const float *gradient = sbl_trainer_gradient(trainer);
    for (size_t i = 0; i < g.net.weight_count; i++) {
        double kept = weights[i], h = 1e-6;
        weights[i] = kept + h;
        double up = reference_loss(&g, weights, &kit, &o, trainer, start, false);
        weights[i] = kept - h;
        double down = reference_loss(&g, weights, &kit, &o, trainer, start, false);
        weights[i] = kept;
        double slope = (up - down) / (2 * h);
        assert_true(fabs(slope - (double)gradient[i]) < 1e-4 * (0.01 + fabs(slope)));
    }
}

TEST(gradient_matches_finite_differences_for_mixed_columns)
{
    check_gradient(9, 2, 3, 0, SBL_DISTANCE_USUAL);
    check_gradient(9, 2, 3, 0.5, SBL_DISTANCE_USUAL);
    check_gradient(9, 2, 1, 0.5, SBL_DISTANCE_USUAL);
    check_gradient(9, 2, 3, 0.5, SBL_DISTANCE_UNBIASED);
}

TEST(gradient_matches_finite_differences_for_numbers_only)
{
    check_gradient(3, 0, 3, 0.5, SBL_DISTANCE_USUAL);
    check_gradient(3, 0, 3, 0.5, SBL_DISTANCE_UNBIASED);
}

TEST(gradient_matches_finite_differences_for_categories_only)
{
    check_gradient(0, 2, 3, 0.5, SBL_DISTANCE_USUAL);
    check_gradient(0, 2, 3, 0.5, SBL_DISTANCE_UNBIASED);
}

/* A record of the toy table: class 0 lies low and is mostly category 0, class 1 high and 2. */
static void toy_record(float *x, uint32_t *code, size_t label, sbl_model_rng *rng)
{
    float centre = label ? 0.75f : 0.25f;
    x[0] = centre + 0.05f * (float)sbl_model_rng_normal(rng);
    x[1] = 1 - centre + 0.05f * (float)sbl_model_rng_normal(rng);
    *code = sbl_model_rng_uniform(rng) < 0.9 ? (label ? 2 : 0) : 1;
}

/* The exact targets of the toy table, of a share of class 0. */
static void toy_aims(train_kit *kit, double share)
{
    enum { N = 2000 };
    size_t D = 2 * kit->rff.frequencies;
    float *features = calloc(D + 2 * SBL_FOURIER_PANEL, sizeof *features), x[2];
    uint32_t code;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 1, SBL_RNG_OTHER, 7);
    for (size_t r = 0; r < N; r++) {
        size_t label = (double)r >= share * N;
        toy_record(x, &code, label, &rng);
        sbl_fourier_rows row = {x, 2, &code, 1, 1}; /* one column: code and entry agree */
        sbl_rff_tile(&kit->rff, features, D + 2 * SBL_FOURIER_PANEL, &row, 0, D / 2);
        for (size_t j = 0; j < D; j++) kit->targets[0].means[label * D + j] += features[j] / N;
        kit->targets[1].means[label * 3 + code] += 1.0f / N;
    }
    kit->shares[0] = share, kit->shares[1] = 1 - share;
    for (size_t c = 2; c < kit->facts.classes; c++) kit->shares[c] = 0;
    free(features);
}

static void toy(train_kit *kit, sbl_generator *g, sbl_train_options *o, size_t classes, double share)
{
    const sbl_network network = {.latent = 4, .hidden = {32, 32, 256}, .count = 3};
    train_kit_table(kit, 2, (const size_t[]){3}, 1, classes, 200, 0.5);
    toy_aims(kit, share);
    *o = sbl_train_options_of(SBL_DATA_TABLE);
    o->steps = sanitized ? 5 : 400, o->batch = 200;
    assert_int_equal(sbl_generator_init(g, &kit->facts, &network, NULL), SBL_OK);
}

static sbl_status train(train_kit *kit, sbl_generator *g, const sbl_train_options *o)
{
    return sbl_train(g, kit->terms, kit->count, kit->shares, o, NULL);
}

static void check_toy(sbl_generator *g)
{
    enum { N = 4000 };
    static double numbers[N * 2];
    static uint32_t codes[N], labels[N];
    const sbl_drawn out = {.numeric = numbers, .codes = codes, .labels = labels};
    sbl_sampler *sampler;
    assert_int_equal(sbl_sampler_new(&sampler, g, 1, NULL), SBL_OK);
    assert_int_equal(sbl_sampler_draw(sampler, &out, 0, N, SBL_ANY_CLASS, NULL), SBL_OK);
    double sum[2] = {0}, square[2] = {0}, own[2] = {0}, count[2] = {0};
    for (size_t r = 0; r < N; r++) {
        size_t c = labels[r];
        assert_true(c < 2);
        count[c]++, sum[c] += numbers[2 * r], square[c] += numbers[2 * r] * numbers[2 * r];
        own[c] += codes[r] == (c ? 2 : 0);
    }
    assert_true(fabs(count[0] / N - 0.8) < 0.04);
    for (size_t c = 0; c < 2; c++) {
        double mean = sum[c] / count[c], deviation = sqrt(square[c] / count[c] - mean * mean);
        assert_true(fabs(mean - (c ? 0.75 : 0.25)) < 0.03);
        assert_true(deviation > 0.02 && deviation < 0.1);
        assert_true(fabs(own[c] / count[c] - 0.9) < 0.05);
    }
    sbl_sampler_free(sampler);
}

/* The third class has no positive count: no rows, no pull, no failure. With and without an average
 * of the weights. */
TEST(training_finds_the_classes_numbers_and_categories)
{
    for (int average = 0; average < 2; average++) {
        CLEARED(train_kit_clear) train_kit kit;
        CLEARED(sbl_generator_clear) sbl_generator g;
        sbl_train_options o;
        toy(&kit, &g, &o, 3, 0.8);
        o.average = average ? 0.95 : 0;
        assert_int_equal(train(&kit, &g, &o), SBL_OK);
        if (!sanitized) check_toy(&g);
    }
}

TEST(training_starts_at_the_noisy_marginals)
{
    CLEARED(train_kit_clear) train_kit kit;
    CLEARED(sbl_generator_clear) sbl_generator g;
    sbl_train_options o;
    FREED(sbl_trainer_free) sbl_trainer *trainer;
    toy(&kit, &g, &o, 2, 0.8);
    kit.targets[1].deviation = 0.01;
    kit.targets[1].means[1] = -0.02f; /* noise; a floor of half a deviation is in its place */
    assert_int_equal(sbl_trainer_new(&trainer, &g, kit.terms, kit.count, kit.shares, &o, NULL), SBL_OK);
    sbl_trainer_start(trainer);
    sbl_trainer_draw(trainer, 0);
    (void)sbl_trainer_loss(trainer);
    const sbl_generated *generated = sbl_trainer_generated(trainer);
    double mean[3] = {0}, own = (double)kit.targets[1].means[0], sum = 0;
    for (size_t r = 0; r < generated->starts[1]; r++)
        for (size_t j = 0; j < 3; j++)
            mean[j] += (double)generated->expected[r * 3 + j] / (double)generated->starts[1];
    const double want[] = {own, 0.005 + 1e-6, 0.005 + 1e-6};
    for (size_t j = 0; j < 3; j++) sum += want[j];
    for (size_t j = 0; j < 3; j++) assert_true(fabs(mean[j] - want[j] / sum) < 0.01);
}

/* One thread and several: panels in several groups, more rows than a chunk. */
TEST(seeds_and_not_threads_decide_the_weights)
{
    const int limit = sbl_thread_limit();
    CLEARED(train_kit_clear) train_kit kit;
    sbl_generator one, other;
    sbl_train_options o;
    const sbl_network network = {.latent = 4, .hidden = {32, 32, 256}, .count = 3};
    toy(&kit, &one, &o, 2, 0.5);
    o.steps = sanitized ? 1 : 4, o.batch = sanitized ? 600 : 4000;
    sbl_thread_set(1);
    assert_int_equal(train(&kit, &one, &o), SBL_OK);
    for (int threads = 2; threads <= 5; threads += 3) {
        sbl_thread_set(threads);
        assert_int_equal(sbl_generator_init(&other, &kit.facts, &network, NULL), SBL_OK);
        assert_int_equal(train(&kit, &other, &o), SBL_OK);
        assert_memory_equal(one.net.weights, other.net.weights, one.net.weight_count * sizeof(float));
        assert_memory_equal(one.net.running, other.net.running, one.net.running_count * sizeof(float));
        sbl_generator_clear(&other);
    }
    sbl_thread_set(limit);
    o.seed = 1;
    assert_int_equal(sbl_generator_init(&other, &kit.facts, &network, NULL), SBL_OK);
    assert_int_equal(train(&kit, &other, &o), SBL_OK);
    assert_memory_not_equal(one.net.weights, other.net.weights, one.net.weight_count * sizeof(float));
    sbl_generator_clear(&one);
    sbl_generator_clear(&other);
}

/* Two steps move running statistics a fifth of the way from where they begin; yet with them a batch
 * comes out as it does with its own, for the last weights and for averaged ones. */
TEST(running_statistics_are_those_of_the_weights_that_are_kept)
{
    enum { ROWS = 2000 };
    for (int average = 0; average < 2; average++) {
        CLEARED(train_kit_clear) train_kit kit;
        CLEARED(sbl_generator_clear) sbl_generator g;
        sbl_train_options o;
        CLEARED(sbl_net_workspace_clear) sbl_net_workspace work;
        sbl_model_rng rng;
        double square[2] = {0};
        toy(&kit, &g, &o, 2, 0.5);
        o.steps = 2, o.rate = 0.1, o.average = average ? 0.5 : 0;
        assert_int_equal(train(&kit, &g, &o), SBL_OK);
        const size_t inputs = sbl_generator_inputs(&g), outputs = sbl_volume_size(g.net.output);
        float *z = calloc(ROWS * inputs, sizeof *z), *own = calloc(ROWS * outputs, sizeof *own);
        sbl_model_rng_init(&rng, 9, SBL_RNG_OTHER, 0);
        for (size_t r = 0; r < ROWS; r++) {
            sbl_model_rng_normals(&rng, z + r * inputs, g.latent);
            sbl_generator_set_class(&g, z + r * inputs, r % 2);
        }
        assert_int_equal(sbl_net_workspace_init(&work, &g.net, ROWS, SBL_NET_SAMPLE, NULL), SBL_OK);
        const float *running = sbl_net_forward(&g.net, &work, z, ROWS, false);
        memcpy(own, running, ROWS * outputs * sizeof *own);
        const float *batch = sbl_net_forward(&g.net, &work, z, ROWS, true);
        for (size_t i = 0; i < ROWS * outputs; i++) {
            square[0] += pow((double)batch[i], 2);
            square[1] += pow((double)batch[i] - (double)own[i], 2);
        }
        assert_true(square[1] < 0.01 * square[0]);
        free(z);
        free(own);
    }
}

static int stop_at_three(void *data, size_t step, size_t steps, double loss)
{
    *(size_t *)data = step;
    return step == 3 && steps > 3 && loss > 0;
}

TEST(progress_can_stop_the_training)
{
    CLEARED(train_kit_clear) train_kit kit;
    CLEARED(sbl_generator_clear) sbl_generator g;
    sbl_train_options o;
    size_t last = 0;
    toy(&kit, &g, &o, 2, 0.5);
    o.progress = stop_at_three;
    o.progress_data = &last;
    assert_int_equal(train(&kit, &g, &o), SBL_ESTOPPED);
    assert_int_equal(last, 3);
}

TEST(a_loss_that_is_not_finite_ends_the_training)
{
    CLEARED(train_kit_clear) train_kit kit;
    CLEARED(sbl_generator_clear) sbl_generator g;
    sbl_train_options o;
    toy(&kit, &g, &o, 2, 0.5);
    kit.targets[0].means[3] = INFINITY;
    assert_int_equal(train(&kit, &g, &o), SBL_EINPUT);
}

TEST(bad_options_are_refused)
{
    CLEARED(train_kit_clear) train_kit kit;
    CLEARED(sbl_generator_clear) sbl_generator g;
    sbl_train_options good;
    toy(&kit, &g, &good, 2, 0.5);
    for (int i = 0; i < 7; i++) {
        sbl_train_options o = good;
        if (i == 0) o.steps = 0;
        if (i == 1) o.batch = 1;
        if (i == 2) o.rate = 0;
        if (i == 3) o.class_power = -1;
        if (i == 4) o.balance = NAN;
        if (i == 5) o.average = 1;
        if (i == 6) o.momentum = 1;
        assert_int_equal(train(&kit, &g, &o), SBL_EARG);
        assert_int_equal(sbl_train_check(&g, kit.terms, kit.count, &o, NULL), SBL_EARG);
    }
    assert_int_equal(sbl_train_check(&g, kit.terms, kit.count, &good, NULL), SBL_OK);
}

/* What training will need is asked for beforehand, all of it. */
TEST(lack_of_memory_is_seen_before_training)
{
    train_kit kit;
    sbl_generator g;
    sbl_train_options o;
    sbl_status status;
    long n[2] = {1, 1};
    toy(&kit, &g, &o, 2, 0.5);
    o.batch = 20, o.steps = 2, o.average = 0.5;
    for (int real = 0; real < 2; real++) {
        for (;; n[real]++) {
            sbl_test_fail_alloc(n[real]);
            status = real ? train(&kit, &g, &o) : sbl_train_check(&g, kit.terms, kit.count, &o, NULL);
            if (!sbl_test_alloc_failed()) break;
            assert_int_equal(status, SBL_EMEM);
        }
        sbl_test_fail_alloc(0);
        assert_int_equal(status, SBL_OK);
    }
    assert_int_equal(n[0], n[1] + 1); /* the check has equal shares of its own */
    assert_true(n[0] > 20);           /* batch, network, moments, losses */
    sbl_generator_clear(&g);
    train_kit_clear(&kit);
}

TEST(batches_give_rare_classes_rows_and_absent_ones_none)
{
    size_t starts[4];
    assert_int_equal(
        sbl_train_batch_starts(starts, (const double[]){0.998, 0, 0.002}, 3, 1000, 0.5, SBL_BATCH_LEAST),
        1000);
    assert_int_equal(starts[1], 749);
    assert_int_equal(starts[2], 749);
    sbl_train_batch_starts(starts, (const double[]){0.998, 0, 0.002}, 3, 1000, 0, SBL_BATCH_LEAST);
    assert_int_equal(starts[3] - starts[2], SBL_BATCH_LEAST);
}
