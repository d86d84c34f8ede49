/* SPDX-License-Identifier: Apache-2.0 */
/* Layers: arguments of their kernels put together. */
#include <stdint.h>

#include "cuda/cuda_internal.h"

typedef unsigned u32;

/* ---- pointwise ---- */

void cuda_fill_rows(cuda_device *d, float *y, const float *bias, size_t rows, size_t width)
{
    u32 count = cuda_count(d, rows, width), each = (u32)width;
    CUDA_OVER(d, CUDA_FILL_ROWS, count, CUDA_OF(y), CUDA_OF(bias), CUDA_OF(count), CUDA_OF(each));
}

static void fill_rows(void *device, float *y, const float *bias, size_t rows, size_t width)
{
    cuda_fill_rows(device, y, bias, rows, width);
}

static void add(void *device, float *x, const float *y, size_t count)
{
    u32 n = cuda_count(device, count, 1);
    CUDA_OVER(device, CUDA_ADD, n, CUDA_OF(x), CUDA_OF(y), CUDA_OF(n));
}

static void activate(void *device, float *y, const float *x, size_t count, sbl_activation a)
{
    u32 n = cuda_count(device, count, 1);
    int curve = (int)a.curve;
    CUDA_OVER(device, CUDA_ACTIVATE, n, CUDA_OF(y), CUDA_OF(x), CUDA_OF(n), CUDA_OF(curve), CUDA_OF(a.slope));
}

static void activate_back(void *device, float *dy, const float *y, size_t count, sbl_activation a)
{
    u32 n = cuda_count(device, count, 1);
    int curve = (int)a.curve;
    CUDA_OVER(device, CUDA_ACTIVATE_BACK, n, CUDA_OF(dy), CUDA_OF(y), CUDA_OF(n), CUDA_OF(curve),
              CUDA_OF(a.slope));
}

static void add_relu(void *device, float *y, float *before, const float *a, const float *b, size_t count)
{
    u32 n = cuda_count(device, count, 1);
    CUDA_OVER(device, CUDA_ADD_RELU, n, CUDA_OF(y), CUDA_OF(before), CUDA_OF(a), CUDA_OF(b), CUDA_OF(n));
}

static void add_relu_back(void *device, float *d, const float *y, const float *d_next, const float *d_here,
                          bool before, size_t count)
{
    u32 n = cuda_count(device, count, 1);
    int in_sum = before;
    CUDA_OVER(device, CUDA_ADD_RELU_BACK, n, CUDA_OF(d), CUDA_OF(y), CUDA_OF(d_next), CUDA_OF(d_here),
              CUDA_OF(in_sum), CUDA_OF(n));
}

static void adam(void *device, float *weights, float *first, float *second, const float *gradient,
                 size_t count, const sbl_adam_rates *rates)
{
    u32 n = cuda_count(device, count, 1);
    sbl_adam_rates by = *rates;
    CUDA_OVER(device, CUDA_ADAM, n, CUDA_OF(weights), CUDA_OF(first), CUDA_OF(second), CUDA_OF(gradient),
              CUDA_OF(n), CUDA_OF(by.beta1), CUDA_OF(by.beta2), CUDA_VARYING(by.rate),
              CUDA_VARYING(by.correction), CUDA_OF(by.epsilon));
}

static void average(void *device, float *to, const float *weights, size_t count, float part)
{
    u32 n = cuda_count(device, count, 1);
    CUDA_OVER(device, CUDA_AVERAGE, n, CUDA_OF(to), CUDA_OF(weights), CUDA_OF(n), CUDA_VARYING(part));
}

/* ---- norms ---- */

/* Parts of the pixels: a function of the shape alone. */
static u32 parts_of(size_t pixels)
{
    const size_t parts = pixels / 16;
    return parts < 1 ? 1 : parts < 256 ? (u32)parts : 256;
}

/* Room for the three factors of a way back. */
static size_t norm_scratch(void *device, size_t pixels, size_t channels)
{
    (void)device;
    (void)pixels;
    return 3 * channels;
}

/* Partial sums over pixels; their address. what as in the kernels. */
static cuda_address sum_pixels(cuda_device *d, const float *x, const float *dy, const float *y,
                               const float *mean, size_t pixels, size_t channels, int what, int relu)
{
    u32 p = (u32)pixels, c = (u32)channels;
    cuda_address partial = cuda_parts(d, 2 * (size_t)parts_of(pixels) * channels);
    const cuda_argument arguments[] = {CUDA_OF(partial), CUDA_OF(x),    CUDA_OF(dy),
                                       CUDA_OF(y),       CUDA_OF(mean), CUDA_OF(p),
                                       CUDA_OF(c),       CUDA_OF(what), CUDA_OF(relu)};
    CUDA_LAUNCH(d, CUDA_CHANNEL_PARTS, (c + CUDA_THREADS - 1) / CUDA_THREADS, parts_of(pixels), 1,
                CUDA_THREADS, 1, 0, arguments);
    return partial;
}

/* A block per channel. */
#define OVER_CHANNELS(d, kernel, channels, ...)                                           \
    do {                                                                                  \
        const cuda_argument cuda_arguments[] = {__VA_ARGS__};                             \
        CUDA_LAUNCH((d), (kernel), (channels), 1, 1, CUDA_THREADS, 1, 0, cuda_arguments); \
    } while (0)

static void channel_sums(void *device, float *sums, const float *x, size_t pixels, size_t channels,
                         float *scratch)
{
    u32 parts = parts_of(pixels), c = (u32)channels;
    (void)scratch;
    cuda_address partial = sum_pixels(device, x, NULL, NULL, NULL, pixels, channels, 0, 0);
    OVER_CHANNELS(device, CUDA_CHANNEL_FINISH, c, CUDA_OF(sums), CUDA_OF(partial), CUDA_OF(parts),
                  CUDA_OF(c));
}

static void norm(void *device, const sbl_norm *by, float *y, const float *x, float *running, float momentum)
{
    cuda_device *d = device;
    u32 parts = parts_of(by->pixels), p = (u32)by->pixels, c = (u32)by->channels;
    u32 count = cuda_count(d, by->pixels, by->channels);
    int batch = by->batch, relu = by->relu;
    float *mean = by->mean, *inverse = by->inverse;
    const float *gamma = by->gamma, *beta = by->beta;
    cuda_address partial = 0;
    if (batch) partial = sum_pixels(d, x, NULL, NULL, NULL, by->pixels, by->channels, 0, 0);
    OVER_CHANNELS(d, CUDA_NORM_FINISH, c, CUDA_OF(mean), CUDA_OF(inverse), CUDA_OF(running), CUDA_OF(partial),
                  CUDA_OF(parts), CUDA_OF(p), CUDA_OF(c), CUDA_VARYING(momentum), CUDA_OF(batch));
    CUDA_OVER(d, CUDA_NORM_APPLY, count, CUDA_OF(y), CUDA_OF(x), CUDA_OF(gamma), CUDA_OF(beta), CUDA_OF(mean),
              CUDA_OF(inverse), CUDA_OF(count), CUDA_OF(c), CUDA_OF(relu));
}

static void norm_back(void *device, const sbl_norm *by, float *dy, float *d_gamma, float *d_beta,
                      const float *x, const float *y)
{
    cuda_device *d = device;
    u32 parts = parts_of(by->pixels), p = (u32)by->pixels, c = (u32)by->channels;
    u32 count = cuda_count(d, by->pixels, by->channels);
    int batch = by->batch, relu = by->relu;
    const float *mean = by->mean, *inverse = by->inverse, *gamma = by->gamma;
    float *factors = by->scratch;
    cuda_address partial = sum_pixels(d, x, dy, y, mean, by->pixels, by->channels, 1, relu);
    OVER_CHANNELS(d, CUDA_NORM_BACK_FINISH, c, CUDA_OF(factors), CUDA_OF(d_gamma), CUDA_OF(d_beta),
                  CUDA_OF(partial), CUDA_OF(parts), CUDA_OF(gamma), CUDA_OF(mean), CUDA_OF(inverse),
                  CUDA_OF(p), CUDA_OF(c), CUDA_OF(batch));
    CUDA_OVER(d, CUDA_NORM_BACK_APPLY, count, CUDA_OF(dy), CUDA_OF(x), CUDA_OF(y), CUDA_OF(factors),
              CUDA_OF(count), CUDA_OF(c), CUDA_OF(relu));
}

/* ---- up-sampling and pools ---- */

typedef struct resampling {
    u32 height, width, channels, factor;
    int nearest, align;
} resampling;

static resampling resampling_of(const sbl_upsampling *by)
{
    return (resampling){(u32)by->in.height, (u32)by->in.width, (u32)by->in.channels,
                        (u32)by->factor,    by->nearest,       by->align_corners};
}

/* Four channels can be taken at a time. */
static int in_fours(const void *a, const void *b, size_t channels)
{
    return channels % 4 == 0 && (uintptr_t)a % 16 == 0 && (uintptr_t)b % 16 == 0;
}

static void upsample(void *device, float *y, const float *x, size_t rows, const sbl_upsampling *by)
{
    resampling s = resampling_of(by);
    u32 count = cuda_count(device, rows, sbl_volume_size(by->out));
    int fours = in_fours(y, x, by->in.channels);
    CUDA_OVER(device, CUDA_UPSAMPLE, count / (fours ? 4 : 1), CUDA_OF(y), CUDA_OF(x), CUDA_OF(count),
              CUDA_OF(fours), CUDA_OF(s));
}

static void upsample_back(void *device, float *dx, const float *dy, size_t rows, const sbl_upsampling *by)
{
    resampling s = resampling_of(by);
    u32 count = cuda_count(device, rows, sbl_volume_size(by->in));
    int fours = in_fours(dx, dy, by->in.channels);
    CUDA_OVER(device, CUDA_UPSAMPLE_BACK, count / (fours ? 4 : 1), CUDA_OF(dx), CUDA_OF(dy), CUDA_OF(count),
              CUDA_OF(fours), CUDA_OF(s));
}

typedef struct pooling {
    u32 height, width, channels, out_height, out_width, kernel, stride, padding;
} pooling;

static pooling pooling_of(const sbl_pooling *by)
{
    return (pooling){(u32)by->in.height, (u32)by->in.width, (u32)by->in.channels, (u32)by->out.height,
                     (u32)by->out.width, (u32)by->kernel,   (u32)by->stride,      (u32)by->padding};
}

static void max_pool(void *device, float *y, const float *x, size_t rows, const sbl_pooling *by)
{
    pooling s = pooling_of(by);
    u32 count = cuda_count(device, rows, sbl_volume_size(by->out));
    CUDA_OVER(device, CUDA_MAX_POOL, count, CUDA_OF(y), CUDA_OF(x), CUDA_OF(count), CUDA_OF(s));
}

static void max_pool_back(void *device, float *dx, const float *dy, const float *x, size_t rows,
                          const sbl_pooling *by)
{
    pooling s = pooling_of(by);
    const bool apart = by->padding == 0 && by->kernel == by->stride &&
                       by->out.height * by->kernel == by->in.height &&
                       by->out.width * by->kernel == by->in.width;
    u32 count = cuda_count(device, rows, sbl_volume_size(apart ? by->out : by->in));
    CUDA_OVER(device, apart ? CUDA_MAX_POOL_BACK_APART : CUDA_MAX_POOL_BACK, count, CUDA_OF(dx), CUDA_OF(dy),
              CUDA_OF(x), CUDA_OF(count), CUDA_OF(s));
}

void cuda_set_layers(sbl_backend *to)
{
    to->fill_rows = fill_rows;
    to->add = add;
    to->activate = activate;
    to->activate_back = activate_back;
    to->norm_scratch = norm_scratch;
    to->channel_sums = channel_sums;
    to->norm = norm;
    to->norm_back = norm_back;
    to->upsample = upsample;
    to->upsample_back = upsample_back;
    to->max_pool = max_pool;
    to->max_pool_back = max_pool_back;
    to->add_relu = add_relu;
    to->add_relu_back = add_relu_back;
    to->adam = adam;
    to->average = average;
}
