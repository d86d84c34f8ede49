/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of image networks, one job per run; bench/compare_conv.py sets torch beside it.
 *
 *   bench_conv conv ROWS HEIGHT WIDTH INPUTS CHANNELS KERNEL PADDING
 *   bench_conv bilinear ROWS HEIGHT WIDTH CHANNELS          twice as large, corners on corners
 *   bench_conv norm ROWS HEIGHT WIDTH CHANNELS
 *   bench_conv step ROWS HIDDEN WIDE NARROW                 of a generator of 28x28 images
 * prints JSON: milliseconds (the best of several) of each pass. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/backend/backend_internal.h"
#include "base/compute/conv.h"
#include "base/nn/adam.h"
#include "base/nn/net.h"
#include "roofline.h"

#define TIMES 9

static float *uniforms(size_t count)
{
    float *numbers = sbl_alloc_array(count, sizeof *numbers);
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 1, SBL_RNG_OTHER, count);
    for (size_t i = 0; i < count; i++) numbers[i] = (float)sbl_model_rng_uniform(&rng) - 0.5f;
    return numbers;
}

/* Wall clock; with one thread the processor's own, which other work on the machine moves less. */
static double milliseconds(void)
{
    struct timespec t;
    (void)clock_gettime(sbl_thread_limit() == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* The least milliseconds that work took. */
#define BEST(best, work)                            \
    do {                                            \
        double before = milliseconds();             \
        work;                                       \
        double took_here = milliseconds() - before; \
        if (took_here < (best)) (best) = took_here; \
    } while (0)

static int conv(const size_t *n)
{
    size_t rows = n[0], kernel = n[5], padding = n[6];
    sbl_conv_shape s = {.height = n[1],
                        .width = n[2],
                        .inputs = n[3],
                        .channels = n[4],
                        .kernel = kernel,
                        .stride = 1,
                        .padding = padding,
                        .out_height = n[1] + 2 * padding - kernel + 1,
                        .out_width = n[2] + 2 * padding - kernel + 1,
                        .threads = (size_t)sbl_thread_limit()};
    size_t ins = rows * s.height * s.width * s.inputs, weights = n[4] * kernel * kernel * n[3];
    size_t outs = rows * s.out_height * s.out_width * s.channels;
    float *x = uniforms(ins), *y = uniforms(outs), *out = uniforms(ins > outs ? ins : outs);
    float *w = uniforms(weights), *dw = uniforms(weights);
    sbl_conv_shape no_winograd = s;
    no_winograd.plain = true;
    size_t room = sbl_conv_workspace(&s, rows), plain_room = sbl_conv_workspace(&no_winograd, rows);
    float *workspace = uniforms(room > plain_room ? room : plain_room);
    double forward = 1e9, plain = 1e9, input = 1e9, plain_input = 1e9, dw_time = 1e9;
    double plain_dw = 1e9;
    bool winograd = sbl_conv_is_winograd(&s);
    for (int round = 0; round < TIMES; round++) {
        BEST(forward, sbl_conv_forward(out, x, w, NULL, &s, rows, workspace));
        BEST(input, sbl_conv_backward_input(out, y, w, NULL, &s, rows, workspace));
        BEST(dw_time, sbl_conv_backward_weights(dw, x, y, &s, rows, workspace));
        BEST(plain, sbl_conv_forward(out, x, w, NULL, &no_winograd, rows, workspace));
        BEST(plain_input, sbl_conv_backward_input(out, y, w, NULL, &no_winograd, rows, workspace));
        BEST(plain_dw, sbl_conv_backward_weights(dw, x, y, &no_winograd, rows, workspace));
    }
    printf(
        "{\"forward\":%.3f,\"backward_input\":%.3f,\"backward_weights\":%.3f,"
        "\"plain_forward\":%.3f,\"plain_backward_input\":%.3f,\"plain_backward_weights\":%.3f,"
        "\"winograd\":%s,\"gflop\":%.4f,"
        "\"threads\":%zu}\n",
        forward, input, dw_time, plain, plain_input, plain_dw, winograd ? "true" : "false",
        2e-9 * (double)outs * (double)(kernel * kernel * s.inputs), s.threads);
    sbl_free(x), sbl_free(y), sbl_free(out), sbl_free(w), sbl_free(dw), sbl_free(workspace);
    return 0;
}

static int bilinear(const size_t *n)
{
    sbl_upsampling layer = {.factor = 2,
                            .align_corners = true,
                            .in = sbl_volume_of(n[1], n[2], n[3]),
                            .out = sbl_volume_of(2 * n[1], 2 * n[2], n[3])};
    float *x = uniforms(n[0] * sbl_volume_size(layer.in));
    float *y = uniforms(n[0] * sbl_volume_size(layer.out));
    double forward = 1e9, backward = 1e9;
    for (int round = 0; round < TIMES; round++) {
        BEST(forward, sbl_upsample_forward(y, x, n[0], &layer));
        BEST(backward, sbl_upsample_backward(x, y, n[0], &layer));
    }
    printf("{\"forward\":%.3f,\"backward\":%.3f,\"threads\":%d}\n", forward, backward, sbl_thread_limit());
    sbl_free(x), sbl_free(y);
    return 0;
}

static int norm(const size_t *n)
{
    size_t pixels = n[0] * n[1] * n[2], channels = n[3];
    float *x = uniforms(pixels * channels), *y = uniforms(pixels * channels);
    float *dy = uniforms(pixels * channels), *per_channel = uniforms(8 * channels);
    float *scratch = uniforms(sbl_norm_scratch(pixels, channels));
    sbl_norm what = {.pixels = pixels,
                     .channels = channels,
                     .gamma = per_channel,
                     .beta = per_channel + channels,
                     .mean = per_channel + 2 * channels,
                     .inverse = per_channel + 3 * channels,
                     .batch = true,
                     .scratch = scratch};
    float *running = per_channel + 4 * channels, *d = running + 2 * channels;
    double forward = 1e9, backward = 1e9;
    for (int round = 0; round < TIMES; round++) {
        BEST(forward, (sbl_norm_statistics(&what, running, x, 0.1f), sbl_norm_forward(&what, y, x)));
        BEST(backward, sbl_norm_backward(&what, dy, d, d + channels, x, y));
    }
    printf("{\"forward\":%.3f,\"backward\":%.3f,\"threads\":%d}\n", forward, backward, sbl_thread_limit());
    sbl_free(x), sbl_free(y), sbl_free(dy), sbl_free(per_channel), sbl_free(scratch);
    return 0;
}

static int step(const size_t *n)
{
    sbl_net net;
    sbl_net_workspace work;
    const sbl_layer layers[] = {
        sbl_layer_dense(n[1]),       sbl_layer_batch_norm(),        sbl_layer_relu(),
        sbl_layer_dense(49 * n[2]),  sbl_layer_batch_norm(),        sbl_layer_reshape(7, 7, n[2]),
        sbl_layer_bilinear(2, true), sbl_layer_conv(n[3], 5, 1, 2), sbl_layer_relu(),
        sbl_layer_bilinear(2, true), sbl_layer_conv(1, 5, 1, 2),    sbl_layer_sigmoid()};
    if (sbl_net_init(&net, sbl_volume_of(1, 1, 15), layers, 12, NULL) != SBL_OK) return 1;
    if (sbl_net_workspace_init(&work, &net, n[0], SBL_NET_TRAIN, NULL) != SBL_OK) return 1;
    sbl_net_randomise(&net, 1);
    float *x = uniforms(n[0] * 15), *dy = uniforms(n[0] * 784);
    float *moments = sbl_alloc_array(2 * net.weight_count, sizeof *moments);
    sbl_adam adam = sbl_adam_of(moments, moments + net.weight_count, net.weight_count);
    double forward = 1e9, backward = 1e9, update = 1e9, all = 1e9;
    for (int round = 0; round < 3 * TIMES; round++) {
        double start = milliseconds();
        BEST(forward, sbl_net_forward(&net, &work, x, n[0], true));
        BEST(backward, sbl_net_backward(&net, &work, dy));
        BEST(update, sbl_adam_step(&adam, net.weights, work.d_weights, 1e-3));
        double took = milliseconds() - start;
        if (took < all) all = took;
    }
    printf("{\"forward\":%.3f,\"backward\":%.3f,\"update\":%.3f,\"step\":%.3f,\"threads\":%d}\n", forward,
           backward, update, all, sbl_thread_limit());
    sbl_free(x), sbl_free(dy), sbl_free(moments);
    sbl_net_workspace_clear(&work);
    sbl_net_clear(&net);
    return 0;
}

int main(int argc, char **argv)
{
    size_t numbers[7] = {0};
    for (int i = 2; i < argc && i < 9; i++) numbers[i - 2] = strtoul(argv[i], NULL, 10);
    if (argc == 9 && strcmp(argv[1], "conv") == 0) return conv(numbers);
    if (argc == 6 && strcmp(argv[1], "bilinear") == 0) return bilinear(numbers);
    if (argc == 6 && strcmp(argv[1], "norm") == 0) return norm(numbers);
    if (argc == 6 && strcmp(argv[1], "step") == 0) return step(numbers);
    fprintf(stderr, "usage: bench_conv conv|bilinear|norm|step SIZES (see the head of the file)\n");
    return 2;
}
