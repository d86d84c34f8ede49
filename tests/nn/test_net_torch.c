/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of layer and one training step of the image generator against torch in double;
 * torch_vectors.py made the numbers. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "after/model/generator.h"
#include "after/train/output_heads.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/nn/adam.h"
#include "base/nn/net.h"
#include "base/nn/net_layers.h"
#include "support/cmocka_all.h"

/* What single precision may do to a number, as a share of the largest number of its record: a sum's
 * rounding goes with its terms, not with what is left of them. One rounding is 6e-8. Plain sums
 * here have up to 140 terms and keep to a few roundings; Winograd's have up to 800, and its
 * transforms cost two binary digits, three on the way back to the weights (as in test_conv.c). A
 * network's layers add theirs up. Each limit is about three times what AVX-512, AVX2 and portable
 * code need; a wrong tap, index or factor is off by 1e-3 and more. */
#define PLAIN 1e-6
#define WINOGRAD 1e-5
#define WINOGRAD_WEIGHTS 1.5e-5
#define NETWORK 1e-5
#define CANCELLED 3e-7 /* of the largest gradient of all */

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

AROUND(close_file) { free(file); }

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

static double largest_of(const float *numbers, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs((double)numbers[i]));
    return largest;
}

static void assert_same(const char *name, const char *part, const float *have, size_t count, double tolerance)
{
    size_t stored;
    FREED(free) float *want = find(name, part, &stored);
    if (stored != count) fail_msg("%s.%s has %zu numbers, not %zu", name, part, count, stored);
    const double limit = tolerance * largest_of(want, count);
    for (size_t i = 0; i < count; i++)
        if (!(fabs((double)have[i] - (double)want[i]) <= limit))
            fail_msg("%s.%s[%zu] is %.8g, not %.8g", name, part, i, (double)have[i], (double)want[i]);
}

/* Every weight and bias, each array from a sequence of its own; factors may be NULL: all 0.5. */
static void set_weights(sbl_net *net, size_t salt, const double *factors, float gamma)
{
    sbl_net_span spans[64];
    const size_t count = sbl_net_spans(net, spans);
    for (size_t i = 0, number = 0; i < count; i++) {
        float *weights = net->weights + spans[i].first;
        if (spans[i].running) continue;
        const double factor = factors ? factors[number] : 0.5;
        fill(weights, salt + number++, spans[i].count, factor);
        if (strstr(spans[i].name, "gamma"))
            for (size_t j = 0; j < spans[i].count; j++) weights[j] += gamma;
    }
}

/* Running statistics of the one norm of a network: means, then variances around 1. */
static void set_running(sbl_net *net)
{
    const size_t channels = net->running_count / 2;
    fill(net->running, 20, channels, 0.5);
    fill(net->running + channels, 21, channels, 0.5);
    for (size_t c = 0; c < channels; c++) net->running[channels + c] += 1;
}

/* What a network of few layers is checked with. */
typedef struct layer_case {
    const char *name;
    size_t rows;
    sbl_volume in;
    bool sampling; /* with running statistics */
    bool winograd; /* its last layer takes it */
    sbl_layer layers[4];
    size_t count;
} layer_case;

static void check_layers(const layer_case *c)
{
    CLEARED(sbl_net_clear) sbl_net net;
    CLEARED(sbl_net_workspace_clear) sbl_net_workspace work;
    assert_ok(sbl_net_init(&net, c->in, c->layers, c->count, NULL));
    assert_ok(sbl_net_workspace_init(&work, &net, c->rows, SBL_NET_TRAIN_INPUT, NULL));
    const size_t ins = c->rows * sbl_volume_size(c->in);
    const size_t outs = c->rows * sbl_volume_size(net.output);
    float *x = malloc(ins * sizeof *x), *dy = malloc(outs * sizeof *dy);
    const sbl_conv_shape shape = sbl_net_conv_shape(&net.layers[c->count - 1], 1);
    assert_int_equal(sbl_conv_is_winograd(&shape), c->winograd);
    fill(x, 1, ins, 1);
    fill(dy, 2, outs, 1);
    set_weights(&net, 10, NULL, 0);
    if (c->sampling) set_running(&net);
    const float *y = sbl_net_forward(&net, &work, x, c->rows, !c->sampling);
    assert_same(c->name, "y", y, outs, c->winograd ? WINOGRAD : PLAIN);
    sbl_net_backward(&net, &work, dy);
    assert_same(c->name, "dx", work.d_input, ins, c->winograd ? WINOGRAD : PLAIN);
    assert_same(c->name, "dw", work.d_weights, net.weight_count, c->winograd ? WINOGRAD_WEIGHTS : PLAIN);
    if (net.running_count) assert_same(c->name, "running", net.running, net.running_count, PLAIN);
    free(x);
    free(dy);
}

static void check_layer(const char *name, sbl_layer layer)
{
    check_layers(&(layer_case){.name = name, .rows = 2, .in = {5, 4, 7}, .layers = {layer}, .count = 1});
}

TEST(every_layer_gives_what_torch_gives)
{
    check_layer("dense", sbl_layer_dense(6));
    check_layer("conv3", sbl_layer_conv(4, 3, 1, 1));
    check_layer("conv5s2", sbl_layer_conv(9, 5, 2, 2));
    check_layer("norm", sbl_layer_batch_norm());
    check_layer("relu", sbl_layer_relu());
    check_layer("leaky", sbl_layer_leaky_relu(0.2));
    check_layer("sigmoid", sbl_layer_sigmoid());
    check_layer("corners", sbl_layer_bilinear(2, true));
    check_layer("halves", sbl_layer_bilinear(3, false));
    check_layer("nearest", sbl_layer_nearest(2));
    check_layer("maxpool", sbl_layer_max_pool(3, 2));
    check_layers(&(layer_case){"add", .rows = 2, .in = {5, 4, 7},
                               .layers = {sbl_layer_conv(7, 3, 1, 1), sbl_layer_relu(),
                                          sbl_layer_conv(7, 1, 1, 0), sbl_layer_add(0)},
                               .count = 4});
    check_layers(&(layer_case){"reshape", .rows = 2, .in = {5, 4, 7},
                               .layers = {sbl_layer_reshape(7, 5, 4), sbl_layer_conv(2, 3, 1, 1)},
                               .count = 2});
}

TEST(batch_norm_with_running_statistics_gives_what_torch_gives)
{
    check_layers(&(layer_case){"running", .rows = 2, .in = {5, 4, 7}, .sampling = true,
                               .layers = {sbl_layer_batch_norm()}, .count = 1});
}

TEST(winograd_gives_what_torch_gives)
{
    const layer_case cases[] = {
        {"winograd3", 3, {5, 6, 32}, false, true, {sbl_layer_conv(16, 3, 1, 1)}, 1},
        {"winograd3wide", 2, {6, 5, 16}, false, true, {sbl_layer_conv(32, 3, 1, 1)}, 1},
        {"winograd5", 3, {5, 4, 32}, false, true, {sbl_layer_conv(16, 5, 1, 2)}, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_layers(&cases[i]);
}

enum { BATCH = 9, INPUTS = 8, SIZE = 15 * 18 };
#define RATE 0.01

/* A generator with all layers of the default one and as many channels, but few latents and hidden
 * units, for small images whose sides 4 does not divide. */
static void make_generator(sbl_generator *generator)
{
    static const double factors[14] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.25, 0.5};
    const sbl_network network = {.latent = 5, .hidden = {8, 32, 16}, .count = 3};
    sbl_image_facts images;
    CLEARED(sbl_facts_clear) sbl_facts facts;
    assert_ok(sbl_image_facts_init(&images, 15, 18, 1, 3, NULL, NULL));
    assert_ok(sbl_facts_of_images(&facts, &images, false, NULL));
    assert_ok(sbl_generator_init(generator, &facts, &network, NULL));
    assert_int_equal(sbl_generator_inputs(generator), INPUTS);
    set_weights(&generator->net, 100, factors, 1);
    sbl_image_facts_clear(&images);
}

/* What a gradient may be off by: a share of the largest of its array, and of the largest of all
 * for arrays whose gradients cancel to nothing (a bias in front of a norm). */
static double gradient_limit(const float *want, const sbl_net_span *span, double largest)
{
    return NETWORK * largest_of(want + span->first, span->count) + CANCELLED * largest;
}

/* Adam's first step is rate g / (|g| + 1e-8), which is the gradient's sign and little else: told
 * where the gradient is above its limit, and nowhere longer than the rate. Returns how many were
 * above. */
static size_t compare_span(const sbl_net_span *span, const sbl_net *net, const float *before,
                           const float *have, const float *want, double limit)
{
    size_t told = 0;
    for (size_t i = span->first; i < span->first + span->count; i++) {
        const double g = (double)want[i], start = (double)before[i], end = (double)net->weights[i];
        if (!(fabs((double)have[i] - g) <= limit))
            fail_msg("gradient %zu of %s is %.8g, not %.8g", i - span->first, span->name, (double)have[i], g);
        if (!(fabs(end - start) <= RATE + 1e-6)) fail_msg("step %zu is too long", i);
        if (fabs(g) <= 2 * limit) continue;
        told++;
        if (!(fabs(end - (start - RATE * g / (fabs(g) + 1e-8))) <= 1e-6))
            fail_msg("weight %zu of %s became %.8g", i - span->first, span->name, end);
    }
    return told;
}

static void compare_step(const sbl_net *net, const float *before, const float *have)
{
    size_t count, told = 0;
    sbl_net_span spans[64];
    FREED(free) float *want = find("step", "gradient", &count);
    const size_t parts = sbl_net_spans(net, spans);
    assert_int_equal(count, net->weight_count);
    const double largest = largest_of(want, count);
    for (size_t s = 0; s < parts; s++)
        if (!spans[s].running)
            told +=
                compare_span(&spans[s], net, before, have, want, gradient_limit(want, &spans[s], largest));
    assert_true(told > count * 9 / 10);
}

/* Forward, loss |pixels - target|^2 over the batch, backward; d_weights is left in work. */
static void forward_and_backward(sbl_generator *generator, sbl_net_workspace *work, const float *z)
{
    static float target[BATCH * SIZE], pixels[BATCH * SIZE], d_pixels[BATCH * SIZE];
    FREED(free) float *d_outputs = malloc(BATCH * sbl_volume_size(generator->net.output) * sizeof *d_outputs);
    const float *outputs = sbl_net_forward(&generator->net, work, z, BATCH, true);
    fill(target, 4, BATCH * SIZE, 1);
    sbl_pixel_head_forward(&sbl_backend_cpu, pixels, &generator->facts.images, outputs, generator->net.output,
                           BATCH, true);
    assert_same("step", "pixels", pixels, BATCH * SIZE, NETWORK);
    for (size_t i = 0; i < BATCH * SIZE; i++) d_pixels[i] = 2 * (pixels[i] - target[i]) / BATCH;
    sbl_pixel_head_backward(&sbl_backend_cpu, d_outputs, &generator->facts.images, d_pixels, outputs,
                            generator->net.output, BATCH);
    sbl_net_backward(&generator->net, work, d_outputs);
}

TEST(one_step_of_the_image_generator_is_torchs_in_every_number)
{
    static float z[BATCH * INPUTS], pixels[BATCH * SIZE];
    CLEARED(sbl_generator_clear) sbl_generator generator;
    sbl_net *net = &generator.net;
    CLEARED(sbl_net_workspace_clear) sbl_net_workspace work;
    make_generator(&generator);
    assert_ok(sbl_net_workspace_init(&work, net, BATCH, SBL_NET_TRAIN, NULL));
    float *room = sbl_alloc_array(3 * net->weight_count, sizeof *room);
    float *before = room + 2 * net->weight_count;
    memcpy(before, net->weights, net->weight_count * sizeof *before);
    sbl_adam adam = sbl_adam_of(room, room + net->weight_count, net->weight_count);
    fill(z, 6, BATCH * INPUTS, 1);
    forward_and_backward(&generator, &work, z);
    assert_same("step", "running", net->running, net->running_count, NETWORK);
    const float *outputs = sbl_net_forward(net, &work, z, BATCH, false);
    sbl_pixel_head_forward(&sbl_backend_cpu, pixels, &generator.facts.images, outputs, net->output, BATCH,
                           false);
    assert_same("step", "sampled", pixels, BATCH * SIZE, NETWORK);
    sbl_adam_step(&adam, net->weights, work.d_weights, RATE);
    compare_step(net, before, work.d_weights);
    sbl_free(room);
}

ALL_TESTS(open_file, close_file)
