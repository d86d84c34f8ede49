/* Layers and one training step against torch; torch_vectors.py made the numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "nn/adam.h"
#include "nn/net.h"

#define SAMPLE 97

static uint8_t *file;
static size_t file_size;

static int open_file(void **state)
{
    (void)state;
    FILE *stream = fopen(SBL_TEST_SOURCE_DIR "/nn/torch_vectors.bin", "rb");
    if (!stream) return 1;
    file = malloc(1 << 20);
    file_size = fread(file, 1, 1 << 20, stream);
    return fclose(stream) != 0 || file_size == 0;
}

static int close_file(void **state)
{
    (void)state;
    free(file);
    return 0;
}

/* The numbers of a record, to be freed. */
static float *find(const char *name, const char *part, size_t *count)
{
    char wanted[32];
    (void)snprintf(wanted, sizeof wanted, "%s.%s", name, part);
    for (size_t at = 0; at + 36 <= file_size;) {
        *count = sbl_load_u32(file + at + 32);
        if (strncmp((const char *)file + at, wanted, 32) == 0) {
            float *numbers = malloc((*count + 1) * sizeof *numbers);
            for (size_t i = 0; i < *count; i++) {
                uint32_t bits = sbl_load_u32(file + at + 36 + 4 * i);
                memcpy(numbers + i, &bits, sizeof bits);
            }
            return numbers;
        }
        at += 36 + 4 * *count;
    }
    fail_msg("no record %s", wanted);
    return NULL;
}

static void fill(float *out, uint64_t salt, size_t count, double factor)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t h = ((i + 1) * 2654435761u + salt * 40503) & 0xffffffff;
        h ^= h >> 15;
        h = h * 2246822519u & 0xffffffff;
        h ^= h >> 13;
        float value = (float)((double)h / 2147483648.0 - 1);
        out[i] = (float)(factor * (double)value);
    }
}

static void assert_same(const char *name, const char *part, const float *have, size_t count,
                        double tolerance)
{
    size_t stored;
    float *want = find(name, part, &stored);
    if (stored != count) fail_msg("%s.%s has %zu numbers, not %zu", name, part, count, stored);
    for (size_t i = 0; i < count; i++)
        if (fabs((double)have[i] - (double)want[i]) > tolerance * (1 + fabs((double)want[i])))
            fail_msg("%s.%s[%zu] is %.8g, not %.8g", name, part, i, (double)have[i],
                     (double)want[i]);
    free(want);
}

enum { ROWS = 2, HEIGHT = 5, WIDTH = 4, CHANNELS = 7 };

static void check_layer(const char *name, sbl_layer layer)
{
    sbl_net net;
    sbl_net_work work;
    assert_int_equal(sbl_net_init(&net, sbl_volume_of(HEIGHT, WIDTH, CHANNELS), &layer, 1, NULL),
                     SBL_OK);
    assert_int_equal(sbl_net_work_init(&work, &net, ROWS, SBL_NET_TRAIN_INPUT, NULL), SBL_OK);
    const sbl_net_layer *placed = &net.layers[0];
    size_t ins = ROWS * HEIGHT * WIDTH * CHANNELS, outs = ROWS * sbl_volume_size(net.output);
    float *x = malloc(ins * sizeof *x), *dy = malloc(outs * sizeof *dy);
    fill(x, 1, ins, 1);
    fill(dy, 2, outs, 1);
    fill(net.weights + placed->weight, 10, placed->weight_count, 0.5);
    fill(net.weights + placed->bias, 11, placed->bias_count, 0.5);
    assert_same(name, "y", sbl_net_forward(&net, &work, x, ROWS, true), outs, 2e-6);
    sbl_net_backward(&net, &work, dy);
    assert_same(name, "dx", work.d_input, ins, 3e-6);
    assert_same(name, "dw", work.d_weights, net.weight_count, 1e-5);
    free(x);
    free(dy);
    sbl_net_work_clear(&work);
    sbl_net_clear(&net);
}

static void every_layer_gives_what_torch_gives(void **state)
{
    (void)state;
    static const size_t groups[] = {2, 1, 4};
    check_layer("conv3", sbl_layer_conv(4, 3, 1, 1));
    check_layer("conv5s2", sbl_layer_conv(9, 5, 2, 2));
    check_layer("convt4s2", sbl_layer_conv_transposed(4, 4, 2, 1, 0));
    check_layer("convt3s2", sbl_layer_conv_transposed(3, 3, 2, 1, 1));
    check_layer("norm", sbl_layer_batch_norm());
    check_layer("relu", sbl_layer_relu());
    check_layer("leaky", sbl_layer_leaky_relu(0.2));
    check_layer("tanh", sbl_layer_tanh());
    check_layer("sigmoid", sbl_layer_sigmoid());
    check_layer("softmax", sbl_layer_softmax(groups, 3));
    check_layer("corners", sbl_layer_bilinear(2, true));
    check_layer("halves", sbl_layer_bilinear(3, false));
    check_layer("nearest", sbl_layer_nearest(2));
    check_layer("maxpool", sbl_layer_max_pool(3, 2));
    check_layer("meanpool", sbl_layer_average_pool(2, 2));
}

/* The image generator of DP-MERF (Harder, Adamczewski and Park 2021). */
static void make_generator(sbl_net *net)
{
    const sbl_layer layers[] = {
        sbl_layer_dense(200),        sbl_layer_batch_norm(),     sbl_layer_relu(),
        sbl_layer_dense(784),        sbl_layer_batch_norm(),     sbl_layer_reshape(7, 7, 16),
        sbl_layer_bilinear(2, true), sbl_layer_conv(8, 5, 1, 2), sbl_layer_relu(),
        sbl_layer_bilinear(2, true), sbl_layer_conv(1, 5, 1, 2), sbl_layer_sigmoid()};
    sbl_net_span spans[48];
    size_t salt = 100;
    assert_int_equal(sbl_net_init(net, sbl_volume_of(1, 1, 15), layers, 12, NULL), SBL_OK);
    size_t count = sbl_net_spans(net, spans);
    for (size_t i = 0; i < count; i++) {
        float *weights = net->weights + spans[i].first;
        if (spans[i].running) continue;
        fill(weights, salt++, spans[i].count, strcmp(spans[i].name, "3.weight") == 0 ? 0.1 : 0.5);
        if (strstr(spans[i].name, "gamma"))
            for (size_t j = 0; j < spans[i].count; j++) weights[j] += 1;
    }
}

/* Adam divides the gradient by its own size at first: where that is rounding only, so is the step.
 */
static void assert_same_step(const float *weights, const float *gradient, size_t weight_count)
{
    size_t count, same = 0, compared = 0;
    float *want = find("step", "weights", &count), *slopes = find("step", "gradient", &count);
    assert_int_equal(count, (weight_count + SAMPLE - 1) / SAMPLE);
    for (size_t i = 0; i < count; i++) {
        double slope = (double)slopes[i], have = (double)gradient[i * SAMPLE];
        if (fabs(slope - have) > 2e-5 + 1e-4 * fabs(slope))
            fail_msg("gradient %zu is %.8g, not %.8g", i * SAMPLE, have, slope);
        if (fabs(slope) < 1e-3) continue;
        compared++;
        same += fabs((double)weights[i * SAMPLE] - (double)want[i]) < 2e-6;
    }
    assert_int_equal(same, compared);
    assert_true(compared > count / 4);
    free(want);
    free(slopes);
}

static void one_step_of_the_generator_is_torchs(void **state)
{
    (void)state;
    enum { BATCH = 10, OUT = BATCH * 784 };
    static float z[BATCH * 15], target[OUT], dy[OUT];
    sbl_net net;
    sbl_net_work work;
    double loss = 0, square = 0;
    size_t count;
    make_generator(&net);
    assert_int_equal(sbl_net_work_init(&work, &net, BATCH, SBL_NET_TRAIN, NULL), SBL_OK);
    fill(z, 3, BATCH * 15, 3);
    fill(target, 4, OUT, 1);
    const float *y = sbl_net_forward(&net, &work, z, BATCH, true);
    assert_same("step", "y", y, OUT, 5e-6);
    for (size_t i = 0; i < OUT; i++) {
        dy[i] = 2 * (y[i] - target[i]) / BATCH;
        loss += pow((double)(y[i] - target[i]), 2) / BATCH;
    }
    float *want = find("step", "loss", &count);
    assert_true(fabs(loss / (double)want[0] - 1) < 1e-6);
    free(want);
    sbl_net_backward(&net, &work, dy);
    for (size_t i = 0; i < net.weight_count; i++) square += pow((double)work.d_weights[i], 2);
    want = find("step", "gradient2", &count);
    assert_true(fabs(sqrt(square) / (double)want[0] - 1) < 1e-5);
    free(want);
    float *moments = sbl_alloc_array(2 * net.weight_count, sizeof *moments);
    sbl_adam adam = {
        .first = moments, .second = moments + net.weight_count, .count = net.weight_count};
    sbl_adam_step(&adam, net.weights, work.d_weights, 0.01);
    assert_same_step(net.weights, work.d_weights, net.weight_count);
    assert_same("step", "running", net.running, net.running_count, 2e-6);
    sbl_free(moments);
    sbl_net_work_clear(&work);
    sbl_net_clear(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layer_gives_what_torch_gives),
        cmocka_unit_test(one_step_of_the_generator_is_torchs),
    };
    return cmocka_run_group_tests(tests, open_file, close_file);
}
