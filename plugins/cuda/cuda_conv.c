/* SPDX-License-Identifier: Apache-2.0 */
/* Products by cuBLAS; convolutions by tiles that gather their pixels (kernels/conv.cu), or, where channels are
 * many, by unfolded pixels and cuBLAS. */
#include <stdint.h>

#include "cuda/cuda_internal.h"

typedef unsigned long long u64;

/* ---- products ---- */

static size_t gemm_scratch(void *device, size_t columns)
{
    (void)device;
    (void)columns;
    return 0;
}

static void gemm(void *device, float *c, const float *a, const float *b, const sbl_gemm_shape *s,
                 float *scratch)
{
    (void)scratch;
    cuda_product(device, c, a, b, s);
}

/* ---- which way ---- */

#define UNFOLDED ((size_t)1 << 26) /* numbers of unfolded pixels at a time, about */
#ifndef CUDA_LARGE
#define CUDA_LARGE 128 /* inputs and channels from which on cuBLAS is faster, unfolding included */
#endif
#define TILE_K 16
#define FEW 4             /* channels that no tile is made for */
#define FEW_SHARED 40960  /* bytes of their weights */
#define WEIGHT_BLOCKS 512 /* that a pass to weights is cut into, about */

/* struct conv of the kernels */
typedef struct conv {
    unsigned rows, height, width, inputs, channels, kernel, stride, padding, out_height, out_width;
} conv;

static conv conv_of(const sbl_conv_shape *s, size_t rows)
{
    return (conv){(unsigned)rows,          (unsigned)s->height,   (unsigned)s->width,  (unsigned)s->inputs,
                  (unsigned)s->channels,   (unsigned)s->kernel,   (unsigned)s->stride, (unsigned)s->padding,
                  (unsigned)s->out_height, (unsigned)s->out_width};
}

static size_t taps_of(const sbl_conv_shape *s) { return s->kernel * s->kernel * s->inputs; }

/* The image itself is what it would be unfolded to. */
static bool is_plain(const sbl_conv_shape *s)
{
    return s->kernel == 1 && s->stride == 1 && s->padding == 0 && s->out_height == s->height &&
           s->out_width == s->width;
}

static unsigned over(size_t count, size_t each) { return (unsigned)((count + each - 1) / each); }

static bool by_tiles(const sbl_conv_shape *s)
{
    return !is_plain(s) && (s->inputs < CUDA_LARGE || s->channels < CUDA_LARGE);
}

/* ---- few channels on one side ---- */

#define FEW_BLOCKS 1056 /* about what a large card runs at once */
#define FEW_IMAGES 2    /* of a part, on the way to weights */

static bool is_few(size_t few, size_t many, const sbl_conv_shape *s, const void *a)
{
    return few <= FEW && many % 4 == 0 && (uintptr_t)a % 16 == 0 &&
           s->kernel * s->kernel * few * many * sizeof(float) <= FEW_SHARED;
}

static void run_few(cuda_device *d, float *to, const float *from, const float *w, const float *bias,
                    const sbl_conv_shape *s, size_t rows, int back)
{
    const size_t pixels = rows * (back ? s->height * s->width : s->out_height * s->out_width);
    const size_t many = back ? s->channels : s->inputs;
    unsigned lanes = 1;
    conv shape = conv_of(s, rows);
    while (lanes < 32 && 8 * lanes <= many) lanes *= 2;
    const unsigned blocks = over(pixels, CUDA_THREADS / lanes);
    const cuda_argument arguments[] = {CUDA_OF(to),    CUDA_OF(from), CUDA_OF(w),    CUDA_OF(bias),
                                       CUDA_OF(lanes), CUDA_OF(back), CUDA_OF(shape)};
    CUDA_LAUNCH(d, CUDA_CONV_FEW, blocks < FEW_BLOCKS ? blocks : FEW_BLOCKS, 1, 1, CUDA_THREADS, 1,
                (unsigned)(s->kernel * s->kernel * s->inputs * s->channels * sizeof(float)), arguments);
}

/* Gradients of the weights in several parts, added up. */
static void add_parts(cuda_device *d, float *dw, const float *from, unsigned parts, const sbl_conv_shape *s)
{
    unsigned count = (unsigned)(s->channels * taps_of(s));
    CUDA_OVER(d, CUDA_ADD_PARTS, count, CUDA_OF(dw), CUDA_OF(from), CUDA_OF(parts), CUDA_OF(count));
}

static void few_to_weights(cuda_device *d, float *dw, const float *x, const float *dy,
                           const sbl_conv_shape *s, size_t rows, float *scratch)
{
    unsigned each = FEW_IMAGES, parts = over(rows, each);
    conv shape = conv_of(s, rows);
    const unsigned threads = 128;
    const cuda_argument arguments[] = {CUDA_OF(scratch), CUDA_OF(x), CUDA_OF(dy), CUDA_OF(each),
                                       CUDA_OF(shape)};
    CUDA_LAUNCH(d, CUDA_CONV_FEW_WEIGHTS, parts, over(taps_of(s) / 4, threads), 1, threads, 1, 0, arguments);
    add_parts(d, dw, scratch, parts, s);
}

/* ---- tiles ---- */

/* A tile's other side, for n numbers: the kernels' names have it. */
typedef enum side { SIDE_64, SIDE_32, SIDE_16 } side;

static side side_for(size_t n) { return n > 32 ? SIDE_64 : n > 16 ? SIDE_32 : SIDE_16; }

static unsigned length_of(side s) { return 64u >> s; }

/* Its first side. */
static unsigned rows_of(side s) { return s == SIDE_64 ? 128 : 256; }

/* Numbers lie in fours: n and m of them, of these tensors. */
static bool in_fours(const float *a, const float *b, size_t n, size_t m)
{
    return n % 4 == 0 && m % 4 == 0 && (uintptr_t)a % 16 == 0 && (uintptr_t)b % 16 == 0;
}

typedef enum pass { FORWARD, TO_INPUTS, TO_WEIGHTS } pass;

/* One of the products of kernels/conv.cu, which makes (m, n) numbers; parts: of the sums over K. */
static void launch_tiles(cuda_device *d, pass which, bool fours, size_t m, size_t n, unsigned parts,
                         const cuda_argument *arguments, size_t argument_count)
{
    static const cuda_kernel kernels[][2][3] = {
        {{CUDA_CONV_FORWARD_64_1, CUDA_CONV_FORWARD_32_1, CUDA_CONV_FORWARD_16_1},
         {CUDA_CONV_FORWARD_64_4, CUDA_CONV_FORWARD_32_4, CUDA_CONV_FORWARD_16_4}},
        {{CUDA_CONV_INPUTS_64_1, CUDA_CONV_INPUTS_32_1, CUDA_CONV_INPUTS_16_1},
         {CUDA_CONV_INPUTS_64_4, CUDA_CONV_INPUTS_32_4, CUDA_CONV_INPUTS_16_4}},
        {{CUDA_CONV_WEIGHTS_64_1, CUDA_CONV_WEIGHTS_32_1, CUDA_CONV_WEIGHTS_16_1},
         {CUDA_CONV_WEIGHTS_64_4, CUDA_CONV_WEIGHTS_32_4, CUDA_CONV_WEIGHTS_16_4}}};
    const side by = side_for(n);
    const unsigned grid[3] = {over(m, rows_of(by)), over(n, length_of(by)), parts};
    cuda_launch_kernel(d, kernels[which][fours][by], grid, CUDA_THREADS, 1, 0, arguments, argument_count);
}

static void forward_by_tiles(cuda_device *d, float *y, const float *x, const float *w, const float *bias,
                             const sbl_conv_shape *s, size_t rows)
{
    conv shape = conv_of(s, rows);
    const cuda_argument arguments[] = {CUDA_OF(y), CUDA_OF(x), CUDA_OF(w), CUDA_OF(bias), CUDA_OF(shape)};
    launch_tiles(d, FORWARD, in_fours(x, w, s->inputs, 0), rows * s->out_height * s->out_width, s->channels,
                 1, arguments, sizeof arguments / sizeof *arguments);
}

static void inputs_by_tiles(cuda_device *d, float *dx, const float *dy, const float *w,
                            const sbl_conv_shape *s, size_t rows)
{
    conv shape = conv_of(s, rows);
    const cuda_argument arguments[] = {CUDA_OF(dx), CUDA_OF(dy), CUDA_OF(w), CUDA_OF(shape)};
    launch_tiles(d, TO_INPUTS, in_fours(dy, w, s->channels, s->inputs), rows * s->height * s->width,
                 s->inputs, 1, arguments, sizeof arguments / sizeof *arguments);
}

/* How many parts the pixels are cut into on the way to weights, and pixels of each: by the shape alone. */
static unsigned weight_parts(const sbl_conv_shape *s, size_t rows, unsigned *each)
{
    const size_t pixels = rows * s->out_height * s->out_width;
    const side by = side_for(s->channels);
    const size_t blocks = (size_t)over(taps_of(s), rows_of(by)) * over(s->channels, length_of(by));
    size_t parts = WEIGHT_BLOCKS / blocks, most = pixels / (8 * TILE_K);
    if (parts > most) parts = most;
    if (parts < 1) parts = 1;
    *each = over(over(pixels, parts), TILE_K) * TILE_K;
    return over(pixels, *each);
}

static void weights_by_tiles(cuda_device *d, float *dw, const float *x, const float *dy,
                             const sbl_conv_shape *s, size_t rows, float *scratch)
{
    unsigned each, parts = weight_parts(s, rows, &each);
    float *to = parts > 1 ? scratch : dw;
    conv shape = conv_of(s, rows);
    const cuda_argument arguments[] = {CUDA_OF(to), CUDA_OF(x), CUDA_OF(dy), CUDA_OF(each), CUDA_OF(shape)};
    launch_tiles(d, TO_WEIGHTS, in_fours(x, dy, s->inputs, s->channels), taps_of(s), s->channels, parts,
                 arguments, sizeof arguments / sizeof *arguments);
    if (parts > 1) add_parts(d, dw, to, parts, s);
}

/* ---- unfolded ---- */

/* For one image. */
static size_t unfolded(const sbl_conv_shape *s) { return s->out_height * s->out_width * taps_of(s); }

/* Images at a time: a function of the shape alone. */
static size_t group_of(const sbl_conv_shape *s)
{
    const size_t images = UNFOLDED / unfolded(s);
    return images > 0 ? images : 1;
}

static size_t conv_scratch(void *device, const sbl_conv_shape *s, size_t rows)
{
    const size_t group = group_of(s);
    unsigned each;
    (void)device;
    if (by_tiles(s)) {
        const size_t parts = weight_parts(s, rows, &each), few = over(rows, FEW_IMAGES);
        return (s->channels <= FEW && few > parts ? few : parts) * s->channels * taps_of(s);
    }
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

static const float *unfold(cuda_device *d, float *scratch, const float *x, const sbl_conv_shape *s, group g)
{
    const float *images = x + g.first * s->height * s->width * s->inputs;
    conv shape = conv_of(s, g.rows);
    if (is_plain(s)) return images;
    CUDA_OVER(d, CUDA_UNFOLD, g.pixels * taps_of(s), CUDA_OF(scratch), CUDA_OF(images), CUDA_OF(shape));
    return scratch;
}

static void conv_forward(void *device, float *y, const float *x, const float *w, const float *bias,
                         const sbl_conv_shape *s, size_t rows, float *scratch)
{
    cuda_device *d = device;
    const size_t taps = taps_of(s), out = s->out_height * s->out_width * s->channels;
    if (!is_plain(s) && is_few(s->channels, s->inputs, s, x)) {
        run_few(d, y, x, w, bias, s, rows, 0);
        return;
    }
    if (by_tiles(s)) {
        forward_by_tiles(d, y, x, w, bias, s, rows);
        return;
    }
    for (size_t first = 0; first < rows; first += group_of(s)) {
        const group g = group_at(s, first, rows);
        const float *columns = unfold(d, scratch, x, s, g);
        if (bias != NULL) cuda_fill_rows(d, y + first * out, bias, g.pixels, s->channels);
        cuda_product(d, y + first * out, columns, w,
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

static void conv_to_inputs(void *device, float *dx, const float *dy, const float *w, const sbl_conv_shape *s,
                           size_t rows, float *scratch)
{
    cuda_device *d = device;
    const size_t taps = taps_of(s), out = s->out_height * s->out_width * s->channels;
    const size_t in = s->height * s->width * s->inputs;
    if (!is_plain(s) && s->stride == 1 && is_few(s->inputs, s->channels, s, dy)) {
        run_few(d, dx, dy, w, NULL, s, rows, 1);
        return;
    }
    if (by_tiles(s)) {
        inputs_by_tiles(d, dx, dy, w, s, rows);
        return;
    }
    for (size_t first = 0; first < rows; first += group_of(s)) {
        const group g = group_at(s, first, rows);
        float *to = dx + first * in, *columns = is_plain(s) ? to : scratch;
        cuda_product(d, columns, dy + first * out, w,
                     &(sbl_gemm_shape){.m = g.pixels,
                                       .n = taps,
                                       .k = s->channels,
                                       .a_stride = s->channels,
                                       .b_stride = taps,
                                       .c_stride = taps});
        if (is_plain(s)) continue;
        conv shape = conv_of(s, g.rows);
        CUDA_OVER(d, CUDA_FOLD, g.rows * in, CUDA_OF(to), CUDA_OF(columns), CUDA_OF(shape));
    }
}

static void conv_to_weights(void *device, float *dw, const float *x, const float *dy, const sbl_conv_shape *s,
                            size_t rows, float *scratch)
{
    cuda_device *d = device;
    const size_t taps = taps_of(s), out = s->out_height * s->out_width * s->channels;
    if (!is_plain(s) && is_few(s->channels, s->inputs, s, x)) {
        few_to_weights(d, dw, x, dy, s, rows, scratch);
        return;
    }
    if (by_tiles(s)) {
        weights_by_tiles(d, dw, x, dy, s, rows, scratch);
        return;
    }
    for (size_t first = 0; first < rows; first += group_of(s)) {
        const group g = group_at(s, first, rows);
        const float *columns = unfold(d, scratch, x, s, g);
        cuda_product(d, dw, dy + first * out, columns,
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

void cuda_set_products(sbl_backend *to)
{
    to->gemm_scratch = gemm_scratch;
    to->gemm = gemm;
    to->conv_scratch = conv_scratch;
    to->conv_forward = conv_forward;
    to->conv_to_inputs = conv_to_inputs;
    to->conv_to_weights = conv_to_weights;
}
