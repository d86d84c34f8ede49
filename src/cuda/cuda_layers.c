/* Products, convolutions and layers: arguments of kernels.cu put together. */
#include <stdint.h>
#include <stdlib.h>

#include "cuda/cuda_device.h"

typedef unsigned long long u64;

/* ---- products ---- */

static size_t gemm_scratch(void *device, size_t columns)
{
    (void)device;
    (void)columns;
    return 0;
}

/* Row major is the transpose of cuBLAS's column major: C^T = B^T A^T. */
static void multiply(cuda_device *d, float *c, const float *a, const float *b,
                     const sbl_gemm_shape *s)
{
    const float one = 1, beta = s->add ? 1 : 0;
    if (d->failed != 0) return;
    const int error = d->api.blas_sgemm(d->blas, s->b_transposed ? CUBLAS_TRANSPOSED : CUBLAS_PLAIN,
                                        s->a_transposed ? CUBLAS_TRANSPOSED : CUBLAS_PLAIN,
                                        (int)s->n, (int)s->m, (int)s->k, &one, b, (int)s->b_stride,
                                        a, (int)s->a_stride, &beta, c, (int)s->c_stride);
    if (error != 0) cuda_check(d, 999, "a product of cuBLAS");
}

static void gemm(void *device, float *c, const float *a, const float *b, const sbl_gemm_shape *s,
                 float *scratch)
{
    (void)scratch;
    multiply(device, c, a, b, s);
}

/* ---- convolutions ---- */

#define UNFOLDED ((size_t)1 << 26) /* numbers of unfolded pixels at a time, about */

/* struct conv of kernels.cu */
typedef struct conv {
    u64 height, width, inputs, channels, kernel, stride, padding, out_height, out_width;
} conv;

static conv conv_of(const sbl_conv_shape *s)
{
    return (conv){s->height, s->width,   s->inputs,     s->channels, s->kernel,
                  s->stride, s->padding, s->out_height, s->out_width};
}

static size_t taps_of(const sbl_conv_shape *s) { return s->kernel * s->kernel * s->inputs; }

/* Of one image. */
static size_t unfolded(const sbl_conv_shape *s)
{
    return s->out_height * s->out_width * taps_of(s);
}

/* The image itself is what it would be unfolded to. */
static bool is_plain(const sbl_conv_shape *s)
{
    return s->kernel == 1 && s->stride == 1 && s->padding == 0 && s->out_height == s->height &&
           s->out_width == s->width;
}

/* Images at a time: a function of the shape alone. */
static size_t group_of(const sbl_conv_shape *s)
{
    const size_t images = UNFOLDED / unfolded(s);
    return images > 0 ? images : 1;
}

static size_t conv_scratch(void *device, const sbl_conv_shape *s, size_t rows)
{
    (void)device;
    const size_t group = group_of(s);
    return is_plain(s) ? 0 : (rows < group ? rows : group) * unfolded(s);
}

typedef struct group {
    size_t first, rows, pixels;
} group;

static group group_at(const sbl_conv_shape *s, size_t first, size_t rows)
{
    const size_t most = group_of(s), left = rows - first, count = left < most ? left : most;
    return (group){first, count, count * s->out_height * s->out_width};
}

static const float *unfold(cuda_device *d, float *scratch, const float *x, const sbl_conv_shape *s,
                           group g)
{
    const float *images = x + g.first * s->height * s->width * s->inputs;
    conv shape = conv_of(s);
    u64 pixels = g.pixels;
    if (is_plain(s)) return images;
    CUDA_OVER(d, CUDA_UNFOLD, pixels * taps_of(s), &scratch, &images, &pixels, &shape);
    return scratch;
}

static void fill(cuda_device *d, float *y, const float *bias, size_t rows, size_t width)
{
    u64 count = (u64)rows * width, each = width;
    CUDA_OVER(d, CUDA_FILL_ROWS, count, &y, &bias, &count, &each);
}

static void conv_forward(void *device, float *y, const float *x, const float *w, const float *bias,
                         const sbl_conv_shape *s, size_t rows, float *scratch)
{
    cuda_device *d = device;
    const size_t taps = taps_of(s), out = s->out_height * s->out_width * s->channels;
    for (size_t first = 0; first < rows; first += group_of(s)) {
        const group g = group_at(s, first, rows);
        const float *columns = unfold(d, scratch, x, s, g);
        if (bias != NULL) fill(d, y + first * out, bias, g.pixels, s->channels);
        multiply(d, y + first * out, columns, w,
                 &(sbl_gemm_shape){.m = g.pixels,
                                   .n = s->channels,
                                   .k = taps,
                                   .a_stride = taps,
                                   .b_stride = taps,
                                   .c_stride = s->channels,
                                   .b_transposed = true,
                                   .add = bias != NULL});
    }
}

static void conv_to_inputs(void *device, float *dx, const float *dy, const float *w,
                           const sbl_conv_shape *s, size_t rows, float *scratch)
{
    cuda_device *d = device;
    const size_t taps = taps_of(s), out = s->out_height * s->out_width * s->channels;
    const size_t in = s->height * s->width * s->inputs;
    for (size_t first = 0; first < rows; first += group_of(s)) {
        const group g = group_at(s, first, rows);
        float *to = dx + first * in, *columns = is_plain(s) ? to : scratch;
        multiply(d, columns, dy + first * out, w,
                 &(sbl_gemm_shape){.m = g.pixels,
                                   .n = taps,
                                   .k = s->channels,
                                   .a_stride = s->channels,
                                   .b_stride = taps,
                                   .c_stride = taps});
        if (is_plain(s)) continue;
        conv shape = conv_of(s);
        u64 images = g.rows;
        CUDA_OVER(d, CUDA_FOLD, images * in, &to, &columns, &images, &shape);
    }
}

static void conv_to_weights(void *device, float *dw, const float *x, const float *dy,
                            const sbl_conv_shape *s, size_t rows, float *scratch)
{
    cuda_device *d = device;
    const size_t taps = taps_of(s), out = s->out_height * s->out_width * s->channels;
    for (size_t first = 0; first < rows; first += group_of(s)) {
        const group g = group_at(s, first, rows);
        const float *columns = unfold(d, scratch, x, s, g);
        multiply(d, dw, dy + first * out, columns,
                 &(sbl_gemm_shape){.m = s->channels,
                                   .n = taps,
                                   .k = g.pixels,
                                   .a_stride = s->channels,
                                   .b_stride = taps,
                                   .c_stride = taps,
                                   .a_transposed = true,
                                   .add = first > 0});
    }
}

/* ---- pointwise ---- */

static void fill_rows(void *device, float *y, const float *bias, size_t rows, size_t width)
{
    fill(device, y, bias, rows, width);
}

static void add(void *device, float *x, const float *y, size_t count)
{
    u64 n = count;
    CUDA_OVER(device, CUDA_ADD, n, &x, &y, &n);
}

static void activate(void *device, float *y, const float *x, size_t count, sbl_activation a)
{
    u64 n = count;
    int curve = (int)a.curve;
    CUDA_OVER(device, CUDA_ACTIVATE, n, &y, &x, &n, &curve, &a.slope);
}

static void activate_back(void *device, float *dy, const float *y, size_t count, sbl_activation a)
{
    u64 n = count;
    int curve = (int)a.curve;
    CUDA_OVER(device, CUDA_ACTIVATE_BACK, n, &dy, &y, &n, &curve, &a.slope);
}

static void add_relu(void *device, float *y, float *before, const float *a, const float *b,
                     size_t count)
{
    u64 n = count;
    CUDA_OVER(device, CUDA_ADD_RELU, n, &y, &before, &a, &b, &n);
}

static void add_relu_back(void *device, float *d, const float *y, const float *d_next,
                          const float *d_here, bool before, size_t count)
{
    u64 n = count;
    int in_sum = before;
    CUDA_OVER(device, CUDA_ADD_RELU_BACK, n, &d, &y, &d_next, &d_here, &in_sum, &n);
}

static void adam(void *device, float *weights, float *first, float *second, const float *gradient,
                 size_t count, const sbl_adam_rates *rates)
{
    u64 n = count;
    sbl_adam_rates by = *rates;
    CUDA_OVER(device, CUDA_ADAM, n, &weights, &first, &second, &gradient, &n, &by.beta1, &by.beta2,
              &by.rate, &by.correction, &by.epsilon);
}

static void average(void *device, float *to, const float *weights, size_t count, float part)
{
    u64 n = count;
    CUDA_OVER(device, CUDA_AVERAGE, n, &to, &weights, &n, &part);
}

/* ---- norms ---- */

#define LANES 32 /* channels of a block, and */
#define DEPTH 8  /* pixels at a time: as in kernels.cu */

/* Parts of the pixels: a function of the shape alone. */
static u64 parts_of(size_t pixels)
{
    const size_t parts = pixels / 64;
    return parts < 1 ? 1 : parts < 256 ? parts : 256;
}

/* Room for the three factors of a way back. */
static size_t norm_scratch(void *device, size_t pixels, size_t channels)
{
    (void)device;
    (void)pixels;
    return 3 * channels;
}

/* Partial sums over pixels; their address. what as in kernels.cu. */
static cuda_address sum_pixels(cuda_device *d, const float *x, const float *dy, const float *y,
                               const float *mean, size_t pixels, size_t channels, int what,
                               int relu)
{
    u64 p = pixels, c = channels;
    cuda_address partial = cuda_parts(d, 2 * (size_t)parts_of(pixels) * channels);
    void *arguments[] = {&partial, &x, &dy, &y, &mean, &p, &c, &what, &relu};
    cuda_launch(d, CUDA_CHANNEL_PARTS, (unsigned)((channels + LANES - 1) / LANES),
                (unsigned)parts_of(pixels), 1, LANES, DEPTH, 0, arguments);
    return partial;
}

static void channel_sums(void *device, float *sums, const float *x, size_t pixels, size_t channels,
                         float *scratch)
{
    u64 parts = parts_of(pixels), c = channels;
    (void)scratch;
    cuda_address partial = sum_pixels(device, x, NULL, NULL, NULL, pixels, channels, 0, 0);
    CUDA_OVER(device, CUDA_CHANNEL_FINISH, c, &sums, &partial, &parts, &c);
}

static void norm(void *device, const sbl_norm *by, float *y, const float *x, float *running,
                 float momentum)
{
    cuda_device *d = device;
    u64 parts = parts_of(by->pixels), p = by->pixels, c = by->channels, count = p * c;
    int batch = by->batch, relu = by->relu;
    float *mean = by->mean, *inverse = by->inverse;
    const float *gamma = by->gamma, *beta = by->beta;
    cuda_address partial = 0;
    if (batch) partial = sum_pixels(d, x, NULL, NULL, NULL, by->pixels, by->channels, 0, 0);
    CUDA_OVER(d, CUDA_NORM_FINISH, c, &mean, &inverse, &running, &partial, &parts, &p, &c,
              &momentum, &batch);
    CUDA_OVER(d, CUDA_NORM_APPLY, count, &y, &x, &gamma, &beta, &mean, &inverse, &count, &c, &relu);
}

static void norm_back(void *device, const sbl_norm *by, float *dy, float *d_gamma, float *d_beta,
                      const float *x, const float *y)
{
    cuda_device *d = device;
    u64 parts = parts_of(by->pixels), p = by->pixels, c = by->channels, count = p * c;
    int batch = by->batch, relu = by->relu;
    const float *mean = by->mean, *inverse = by->inverse, *gamma = by->gamma;
    float *factors = by->scratch;
    cuda_address partial = sum_pixels(d, x, dy, y, mean, by->pixels, by->channels, 1, relu);
    CUDA_OVER(d, CUDA_NORM_BACK_FINISH, c, &factors, &d_gamma, &d_beta, &partial, &parts, &gamma,
              &mean, &inverse, &p, &c, &batch);
    CUDA_OVER(d, CUDA_NORM_BACK_APPLY, count, &dy, &x, &y, &factors, &count, &c, &relu);
}

/* ---- up-sampling and pools ---- */

typedef struct resampling {
    u64 height, width, channels, factor;
    int nearest, align;
} resampling;

static void upsample(void *device, float *y, const float *x, size_t rows, const sbl_upsampling *by)
{
    resampling s = {by->in.height, by->in.width, by->in.channels,
                    by->factor,    by->nearest,  by->align_corners};
    u64 count = (u64)rows * sbl_volume_size(by->out);
    CUDA_OVER(device, CUDA_UPSAMPLE, count, &y, &x, &count, &s);
}

static void upsample_back(void *device, float *dx, const float *dy, size_t rows,
                          const sbl_upsampling *by)
{
    resampling s = {by->in.height, by->in.width, by->in.channels,
                    by->factor,    by->nearest,  by->align_corners};
    u64 count = (u64)rows * sbl_volume_size(by->in);
    CUDA_OVER(device, CUDA_UPSAMPLE_BACK, count, &dx, &dy, &count, &s);
}

typedef struct pooling {
    u64 height, width, channels, out_height, out_width, kernel, stride, padding;
} pooling;

static pooling pooling_of(const sbl_pooling *by)
{
    return (pooling){by->in.height, by->in.width, by->in.channels, by->out.height,
                     by->out.width, by->kernel,   by->stride,      by->padding};
}

static void max_pool(void *device, float *y, const float *x, size_t rows, const sbl_pooling *by)
{
    pooling s = pooling_of(by);
    u64 count = (u64)rows * sbl_volume_size(by->out);
    CUDA_OVER(device, CUDA_MAX_POOL, count, &y, &x, &count, &s);
}

static void max_pool_back(void *device, float *dx, const float *dy, const float *x, size_t rows,
                          const sbl_pooling *by)
{
    pooling s = pooling_of(by);
    u64 count = (u64)rows * sbl_volume_size(by->in);
    CUDA_OVER(device, CUDA_MAX_POOL_BACK, count, &dx, &dy, &x, &count, &s);
}

void cuda_set_layers(sbl_backend *to)
{
    to->gemm_scratch = gemm_scratch;
    to->gemm = gemm;
    to->conv_scratch = conv_scratch;
    to->conv_forward = conv_forward;
    to->conv_to_inputs = conv_to_inputs;
    to->conv_to_weights = conv_to_weights;
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
