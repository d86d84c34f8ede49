/* SPDX-License-Identifier: Apache-2.0 */
/* Networks: values against double arithmetic, gradients against its finite differences. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compute/threads.h"
#include "base/nn/net.h"
#include "base/random/model_rng.h"
#include "nn/net_reference.h"
#include "support/cmocka_all.h"

enum { ROWS = 3 };

/* A network with random weights and running statistics, its room, an input and a gradient. */
typedef struct fixture {
    sbl_net net;
    sbl_net_workspace work;
    size_t inputs, outputs; /* of the whole batch */
    float *x, *dy;
} fixture;

static float *normals(size_t count, uint64_t stream)
{
    float *numbers = sbl_alloc_array(count, sizeof *numbers);
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 9, SBL_RNG_OTHER, stream);
    sbl_model_rng_normals(&rng, numbers, count);
    return numbers;
}

static void make(fixture *f, sbl_volume input, const sbl_layer *layers, size_t count, size_t rows)
{
    sbl_error err = {0};
    assert_ok(sbl_net_init(&f->net, input, layers, count, &err));
    assert_ok(sbl_net_workspace_init(&f->work, &f->net, rows, SBL_NET_TRAIN_INPUT, &err));
    sbl_net_randomise(&f->net, 4);
    float *some = normals(f->net.weight_count + f->net.running_count, 3);
    for (size_t i = 0; i < f->net.weight_count; i++) f->net.weights[i] += 0.2f * some[i];
    for (size_t i = 0; i < f->net.running_count; i++)
        f->net.running[i] += 0.3f * fabsf(some[f->net.weight_count + i]);
    sbl_free(some);
    f->inputs = rows * sbl_volume_size(input);
    f->outputs = rows * sbl_volume_size(f->net.output);
    f->x = normals(f->inputs, 1);
    f->dy = normals(f->outputs, 2);
}

static void unmake(fixture *f)
{
    sbl_net_workspace_clear(&f->work);
    sbl_net_clear(&f->net);
    sbl_free(f->x);
    sbl_free(f->dy);
}

static double *doubles(const float *numbers, size_t count)
{
    double *copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; i < count; i++) copy[i] = (double)numbers[i];
    return copy;
}

/* <dy, y> in double. */
static double loss(const fixture *f, const double *weights, const double *running, const double *x,
                   bool training)
{
    double sum = 0, *y = calloc(f->outputs, sizeof *y);
    reference_net(y, &f->net, weights, running, x, f->outputs / sbl_volume_size(f->net.output), training);
    for (size_t i = 0; i < f->outputs; i++) sum += (double)f->dy[i] * y[i];
    free(y);
    return sum;
}

#define STEP 1e-5

static void check_values(fixture *f, bool training)
{
    double *weights = doubles(f->net.weights, f->net.weight_count);
    double *running = doubles(f->net.running, f->net.running_count);
    double *x = doubles(f->x, f->inputs), *want = calloc(f->outputs, sizeof *want);
    size_t rows = f->outputs / sbl_volume_size(f->net.output);
    reference_net(want, &f->net, weights, running, x, rows, training);
    const float *have = sbl_net_forward(&f->net, &f->work, f->x, rows, training);
    for (size_t i = 0; i < f->outputs; i++)
        if (fabs(want[i] - (double)have[i]) > 2e-5 * (1 + fabs(want[i])))
            fail_msg("output %zu is %g, not %g", i, (double)have[i], want[i]);
    sbl_net_backward(&f->net, &f->work, f->dy);
    double *both[2] = {weights, x};
    const float *gradients[2] = {f->work.d_weights, f->work.d_input};
    size_t counts[2] = {f->net.weight_count, f->inputs};
    for (size_t which = 0; which < 2; which++) {
        size_t every = counts[which] / 300 + 1; /* of many, some: they share their code */
        for (size_t i = 0; i < counts[which]; i += every) {
            double kept = both[which][i], side[2];
            for (int s = 0; s < 2; s++) {
                both[which][i] = kept + (s ? STEP : -STEP);
                side[s] = loss(f, weights, running, x, training);
            }
            both[which][i] = kept;
            double slope = (side[1] - side[0]) / (2 * STEP), got = (double)gradients[which][i];
            if (fabs(slope - got) > 3e-4 * (1 + fabs(slope)))
                fail_msg("gradient %zu of %s is %g, not %g (%s)", i, which ? "input" : "weights", got, slope,
                         training ? "training" : "running statistics");
        }
    }
    free(weights);
    free(running);
    free(x);
    free(want);
}

static void check(sbl_volume input, const sbl_layer *layers, size_t count)
{
    for (int training = 0; training < 2; training++) {
        fixture f;
        make(&f, input, layers, count, ROWS);
        check_values(&f, training);
        unmake(&f);
    }
}

#define CHECK(height, width, channels, ...)                                              \
    do {                                                                                 \
        const sbl_layer asks[] = {__VA_ARGS__};                                          \
        check(sbl_volume_of(height, width, channels), asks, sizeof asks / sizeof *asks); \
    } while (0)

TEST(dense_layers_have_the_right_gradients)
{
    sbl_layer bare = sbl_layer_dense(5);
    bare.no_bias = true;
    CHECK(2, 1, 3, sbl_layer_dense(7), bare);
}

TEST(convolutions_have_the_right_gradients)
{
    sbl_layer bare = sbl_layer_conv(3, 2, 1, 0);
    bare.no_bias = true;
    CHECK(5, 4, 2, sbl_layer_conv(3, 3, 1, 1), bare);
    CHECK(6, 5, 3, sbl_layer_conv(2, 5, 2, 2));
    CHECK(5, 5, 2, sbl_layer_conv(3, 1, 1, 0), sbl_layer_conv(1, 5, 1, 2));
    CHECK(3, 3, 2, sbl_layer_conv(2, 2, 3, 3));
    CHECK(4, 5, 32, sbl_layer_conv(2, 1, 1, 0), sbl_layer_conv(32, 3, 1, 1));
}

TEST(winograd_layers_have_the_right_values)
{
    CHECK(4, 4, 1, sbl_layer_conv(32, 1, 1, 0), sbl_layer_conv(32, 3, 1, 1), sbl_layer_conv(1, 1, 1, 0));
}

TEST(batch_norms_have_the_right_gradients)
{
    CHECK(1, 1, 6, sbl_layer_batch_norm());
    CHECK(3, 2, 2, sbl_layer_batch_norm(), sbl_layer_relu());
    CHECK(2, 3, 33, sbl_layer_batch_norm());
    CHECK(5, 7, 1, sbl_layer_conv(3, 1, 1, 0), sbl_layer_batch_norm(), sbl_layer_relu(),
          sbl_layer_conv(1, 1, 1, 0));
}

TEST(activations_have_the_right_gradients)
{
    CHECK(1, 1, 6, sbl_layer_relu());
    CHECK(1, 1, 6, sbl_layer_dense(6), sbl_layer_relu(), sbl_layer_leaky_relu(0.2));
    CHECK(1, 2, 5, sbl_layer_sigmoid());
}

TEST(resampling_has_the_right_gradients)
{
    CHECK(3, 4, 2, sbl_layer_bilinear(2, true));
    CHECK(3, 4, 2, sbl_layer_bilinear(2, false));
    CHECK(1, 2, 3, sbl_layer_bilinear(3, true), sbl_layer_bilinear(1, true));
    CHECK(2, 1, 3, sbl_layer_bilinear(3, false));
    CHECK(2, 3, 2, sbl_layer_nearest(3));
}

TEST(pools_have_the_right_gradients)
{
    CHECK(5, 6, 2, sbl_layer_max_pool(2, 2));
    CHECK(5, 6, 2, sbl_layer_max_pool(3, 1), sbl_layer_max_pool(2, 1));
}

TEST(residual_sums_have_the_right_gradients)
{
    CHECK(1, 1, 4, sbl_layer_dense(5), sbl_layer_relu(), sbl_layer_dense(5), sbl_layer_add(0),
          sbl_layer_sigmoid());
    CHECK(1, 1, 4, sbl_layer_dense(5), sbl_layer_sigmoid(), sbl_layer_add(1), sbl_layer_add(1),
          sbl_layer_dense(5), sbl_layer_add(3), sbl_layer_add(0));
    CHECK(3, 3, 2, sbl_layer_conv(2, 3, 1, 1), sbl_layer_batch_norm(), sbl_layer_relu(),
          sbl_layer_conv(2, 3, 1, 1), sbl_layer_add(1), sbl_layer_relu());
}

TEST(what_comes_from_the_input_again_has_the_right_gradients)
{
    CHECK(1, 1, 5, sbl_layer_dense(6), sbl_layer_batch_norm(), sbl_layer_relu(), sbl_layer_dense(4),
          sbl_layer_add_input(2));
    CHECK(1, 1, 3, sbl_layer_add_input(3), sbl_layer_sigmoid(), sbl_layer_add_input(1), sbl_layer_dense(2));
    CHECK(1, 1, 4, sbl_layer_dense(40), sbl_layer_sigmoid(), sbl_layer_add_input(4));
}

TEST(reshapes_keep_what_others_need)
{
    CHECK(2, 2, 2, sbl_layer_reshape(1, 4, 2), sbl_layer_relu(), sbl_layer_reshape(4, 1, 2),
          sbl_layer_sigmoid());
    CHECK(1, 1, 3, sbl_layer_dense(8), sbl_layer_sigmoid(), sbl_layer_reshape(2, 2, 2), sbl_layer_sigmoid(),
          sbl_layer_conv(1, 2, 1, 0));
}

TEST(running_statistics_move_by_momentum)
{
    fixture f;
    sbl_layer layers[] = {sbl_layer_batch_norm()};
    layers[0].momentum = 0.25;
    make(&f, sbl_volume_of(2, 1, 3), layers, 1, 5);
    for (size_t c = 0; c < 3; c++) {
        double mean = 0, variance = 0, before[2] = {(double)f.net.running[c], (double)f.net.running[3 + c]};
        for (size_t p = 0; p < 10; p++) mean += (double)f.x[3 * p + c] / 10;
        for (size_t p = 0; p < 10; p++) variance += pow((double)f.x[3 * p + c] - mean, 2) / 9;
        if (c == 0) sbl_net_forward(&f.net, &f.work, f.x, 5, false); /* moves nothing */
        assert_true((double)f.net.running[c] == before[0]);
        fixture g;
        make(&g, sbl_volume_of(2, 1, 3), layers, 1, 5);
        sbl_net_forward(&g.net, &g.work, g.x, 5, true);
        assert_true(fabs((double)g.net.running[c] - (0.75 * before[0] + 0.25 * mean)) < 1e-6);
        assert_true(fabs((double)g.net.running[3 + c] - (0.75 * before[1] + 0.25 * variance)) < 1e-6);
        unmake(&g);
    }
    unmake(&f);
}

/* The k-th of several batches with momentum 1 / k: the plain mean of their statistics. */
TEST(one_momentum_may_stand_for_all_layers)
{
    fixture f;
    sbl_layer layers[] = {sbl_layer_batch_norm()};
    double mean = 0;
    make(&f, sbl_volume_of(1, 1, 1), layers, 1, 9);
    for (size_t k = 0; k < 3; k++) {
        f.work.momentum = 1 / (double)(k + 1);
        sbl_net_forward(&f.net, &f.work, f.x + 3 * k, 3, true);
    }
    for (size_t i = 0; i < 9; i++) mean += (double)f.x[i] / 9;
    assert_true(fabs((double)f.net.running[0] - mean) < 1e-6);
    assert_true(f.net.layers[0].ask.momentum == 0.1);
    unmake(&f);
}

/* A generator and a classifier in one, large enough for several threads to have work. */
static const sbl_layer large[] = {
    {.kind = SBL_LAYER_DENSE, .channels = 7 * 7 * 32},
    {.kind = SBL_LAYER_BATCH_NORM, .momentum = 0.1},
    {.kind = SBL_LAYER_RELU},
    {.kind = SBL_LAYER_RESHAPE, .volume = {7, 7, 32}},
    {.kind = SBL_LAYER_BILINEAR, .factor = 2, .align_corners = true},
    {.kind = SBL_LAYER_CONV, .channels = 32, .kernel = 3, .stride = 1, .padding = 1},
    {.kind = SBL_LAYER_BATCH_NORM, .momentum = 0.1},
    {.kind = SBL_LAYER_RELU},
    {.kind = SBL_LAYER_CONV, .channels = 8, .kernel = 5, .stride = 1, .padding = 2},
    {.kind = SBL_LAYER_MAX_POOL, .kernel = 2, .stride = 2},
    {.kind = SBL_LAYER_CONV, .channels = 1, .kernel = 5, .stride = 1, .padding = 2},
    {.kind = SBL_LAYER_SIGMOID}};

TEST(results_do_not_depend_on_threads)
{
    int threads = sbl_thread_limit();
    fixture one, many;
    sbl_thread_set(1);
    make(&one, sbl_volume_of(1, 1, 20), large, sizeof large / sizeof *large, 90);
    sbl_net_forward(&one.net, &one.work, one.x, 90, true);
    sbl_net_backward(&one.net, &one.work, one.dy);
    sbl_thread_set(3);
    make(&many, sbl_volume_of(1, 1, 20), large, sizeof large / sizeof *large, 90);
    const float *y = sbl_net_forward(&many.net, &many.work, many.x, 90, true);
    sbl_net_backward(&many.net, &many.work, many.dy);
    sbl_thread_set(threads);
    assert_memory_equal(y, one.work.outputs[one.net.layer_count - 1], one.outputs * sizeof *y);
    assert_memory_equal(many.work.d_weights, one.work.d_weights, one.net.weight_count * sizeof *y);
    assert_memory_equal(many.work.d_input, one.work.d_input, one.inputs * sizeof *y);
    assert_memory_equal(many.net.running, one.net.running, one.net.running_count * sizeof *y);
    unmake(&one);
    unmake(&many);
}

TEST(a_row_does_not_depend_on_the_rows_beside_it)
{
    fixture f;
    make(&f, sbl_volume_of(1, 1, 20), large, sizeof large / sizeof *large, 12);
    size_t each = sbl_volume_size(f.net.output);
    float *all = sbl_alloc_array(12 * each, sizeof *all);
    memcpy(all, sbl_net_forward(&f.net, &f.work, f.x, 12, false), 12 * each * sizeof *all);
    for (size_t r = 0; r < 12; r++) {
        const float *row = sbl_net_forward(&f.net, &f.work, f.x + 20 * r, 1, false);
        assert_memory_equal(row, all + r * each, each * sizeof *all);
    }
    sbl_free(all);
    unmake(&f);
}
