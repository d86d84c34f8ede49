/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of networks, of every kind and size that takes a way of its own somewhere. */
#include "backend/checked_operation.h"

static void on_memory(checked_run *r, size_t variant)
{
    const size_t n = 1000 + variant;
    float *a = checked_normals(r, n), *b = checked_normals(r, n);
    r->on->copy(r->on->device, b + 7, a, n - 7);
    r->on->zero(r->on->device, a + 3, 100);
    r->on->add(r->on->device, a, b, n);
}

static void on_gemm(checked_run *r, size_t variant)
{
    const bool at = variant & 1, bt = variant & 2, add = variant & 4;
    const size_t m = variant & 8 ? 130 : 7, n = variant & 8 ? 65 : 33, k = variant & 8 ? 257 : 1;
    const sbl_gemm_shape shape = {m,
                                  .n = n,
                                  .k = k,
                                  .a_stride = (at ? m : k) + 3,
                                  .b_stride = (bt ? k : n) + 1,
                                  .c_stride = n + 2,
                                  .a_transposed = at,
                                  .b_transposed = bt,
                                  .add = add};
    const float *a = checked_normals(r, (at ? k : m) * shape.a_stride);
    const float *b = checked_normals(r, (bt ? n : k) * shape.b_stride);
    float *c = checked_normals(r, m * shape.c_stride);
    r->on->gemm(r->on->device, c, a, b, &shape, checked_scratch(r, r->on->gemm_scratch(r->on->device, n)));
}

static const sbl_conv_shape convolutions[] = {
    {.height = 6, .width = 5, .inputs = 3, .channels = 7, .kernel = 3, .stride = 1, .padding = 1},
    {.height = 8, .width = 8, .inputs = 32, .channels = 32, .kernel = 3, .stride = 1, .padding = 1},
    {.height = 6, .width = 6, .inputs = 32, .channels = 16, .kernel = 5, .stride = 1, .padding = 2},
    {.height = 9, .width = 7, .inputs = 4, .channels = 5, .kernel = 3, .stride = 2, .padding = 1},
    {.height = 4, .width = 4, .inputs = 19, .channels = 6, .kernel = 1, .stride = 1, .padding = 0},
    {.height = 12, .width = 9, .inputs = 3, .channels = 8, .kernel = 7, .stride = 2, .padding = 3},
    {.height = 5, .width = 6, .inputs = 16, .channels = 1, .kernel = 5, .stride = 1, .padding = 2},
    {.height = 7, .width = 5, .inputs = 3, .channels = 8, .kernel = 3, .stride = 1, .padding = 1},
    {.height = 9, .width = 8, .inputs = 48, .channels = 40, .kernel = 3, .stride = 1, .padding = 1},
    {.height = 8, .width = 8, .inputs = 8, .channels = 20, .kernel = 3, .stride = 2, .padding = 1},
    {.height = 3, .width = 4, .inputs = 128, .channels = 128, .kernel = 3, .stride = 1, .padding = 1},
    {.height = 20, .width = 20, .inputs = 8, .channels = 3, .kernel = 3, .stride = 1, .padding = 1},
    {.height = 6, .width = 7, .inputs = 21, .channels = 35, .kernel = 3, .stride = 1, .padding = 1},
    {.height = 7, .width = 6, .inputs = 37, .channels = 22, .kernel = 3, .stride = 2, .padding = 1},
};

static void on_convolution(checked_run *r, size_t variant)
{
    sbl_conv_shape s = convolutions[variant];
    const size_t rows = 3;
    s.threads = 2;
    s.out_height = (s.height + 2 * s.padding - s.kernel) / s.stride + 1;
    s.out_width = (s.width + 2 * s.padding - s.kernel) / s.stride + 1;
    const size_t in = rows * s.height * s.width * s.inputs;
    const size_t out = rows * s.out_height * s.out_width * s.channels;
    const size_t weights = s.channels * s.kernel * s.kernel * s.inputs;
    const float *x = checked_normals(r, in), *dy = checked_normals(r, out), *w = checked_normals(r, weights);
    const float *bias = checked_normals(r, s.channels);
    float *scratch = checked_scratch(r, r->on->conv_scratch(r->on->device, &s, rows));
    r->on->conv_forward(r->on->device, checked_normals(r, out), x, w, bias, &s, rows, scratch);
    r->on->conv_forward(r->on->device, checked_normals(r, out), x, w, NULL, &s, rows, scratch);
    r->on->conv_to_inputs(r->on->device, checked_normals(r, in), dy, w, &s, rows, scratch);
    r->on->conv_to_weights(r->on->device, checked_normals(r, weights), x, dy, &s, rows, scratch);
}

static void on_activation(checked_run *r, size_t variant)
{
    const sbl_activation a = {.curve = (sbl_curve)(variant % 3), .slope = 0.2f};
    const size_t n = 4099;
    float *x = checked_normals(r, n), *y = variant >= 3 ? x : checked_normals(r, n),
          *dy = checked_normals(r, n);
    r->on->activate(r->on->device, y, x, n, a);
    r->on->activate_back(r->on->device, dy, y, n, a);
    r->on->fill_rows(r->on->device, checked_normals(r, 5 * 12), x, 5, 12);
}

static void on_norm(checked_run *r, size_t variant)
{
    const bool batch = variant & 1, relu = variant & 2;
    const size_t pixels = variant & 4 ? 20011 : 1203, n = variant & 4 ? 5 : 70;
    float *x = checked_normals(r, pixels * n), *y = checked_normals(r, pixels * n),
          *dy = checked_normals(r, pixels * n);
    const sbl_norm norm = {pixels,
                           .channels = n,
                           .gamma = checked_normals(r, n),
                           .beta = checked_normals(r, n),
                           .mean = checked_normals(r, n),
                           .inverse = checked_normals(r, n),
                           .relu = relu,
                           .batch = batch,
                           .scratch = checked_scratch(r, r->on->norm_scratch(r->on->device, pixels, n))};
    float *running = checked_numbers(r, 2 * n, true), *d_gamma = checked_normals(r, n),
          *d_beta = checked_normals(r, n);
    r->on->norm(r->on->device, &norm, y, x, running, 0.1f);
    r->on->channel_sums(r->on->device, checked_normals(r, n), dy, pixels, n, norm.scratch);
    r->on->norm_back(r->on->device, &norm, dy, d_gamma, d_beta, x, y);
}

static void on_upsampling(checked_run *r, size_t variant)
{
    const size_t factor = variant / 3 ? 3 : 2;
    sbl_upsampling by = {.in = sbl_volume_of(variant == 5 ? 1 : 4, 5, 6), .factor = factor};
    by.out = sbl_volume_of(by.in.height * factor, by.in.width * factor, 6);
    by.nearest = variant % 3 == 0;
    by.align_corners = variant % 3 == 1;
    const size_t in = 3 * sbl_volume_size(by.in), out = 3 * sbl_volume_size(by.out);
    const float *x = checked_normals(r, in), *dy = checked_normals(r, out);
    r->on->upsample(r->on->device, checked_normals(r, out), x, 3, &by);
    r->on->upsample_back(r->on->device, checked_normals(r, in), dy, 3, &by);
}

static void on_pooling(checked_run *r, size_t variant)
{
    const size_t kernel = variant % 3 == 0 ? 2 : 3, padding = variant == 2 ? 1 : 0;
    const size_t width = variant == 3 ? 6 : 7; /* 6: every pixel is in one window */
    sbl_pooling by = {.in = sbl_volume_of(8, width, 70), .kernel = kernel, .stride = 2, .padding = padding};
    by.out = sbl_volume_of((8 + 2 * padding - kernel) / 2 + 1, (width + 2 * padding - kernel) / 2 + 1, 70);
    const size_t in = 2 * sbl_volume_size(by.in), out = 2 * sbl_volume_size(by.out);
    float *x = checked_normals(r, in);
    const float *dy = checked_normals(r, out);
    r->on->activate(r->on->device, x, x, in, (sbl_activation){SBL_CURVE_RELU, 0}); /* equal ones */
    r->on->max_pool(r->on->device, checked_normals(r, out), x, 2, &by);
    r->on->max_pool_back(r->on->device, checked_normals(r, in), dy, x, 2, &by);
}

static void on_sums(checked_run *r, size_t variant)
{
    const size_t n = 515;
    const float *a = checked_normals(r, n), *b = checked_normals(r, n);
    float *y = checked_normals(r, n), *before = variant & 1 ? checked_normals(r, n) : NULL;
    r->on->add_relu(r->on->device, y, before, a, b, n);
    r->on->add_relu_back(r->on->device, checked_normals(r, n), y, variant & 2 ? a : NULL,
                         variant & 4 ? b : NULL, before != NULL, n);
}

static void on_pixels(checked_run *r, size_t variant)
{
    const sbl_pixel_window w = {.first = 14, .lines = 4, .run = 9, .stride = 12, .whole = 72};
    const float *outputs = checked_normals(r, 5 * w.whole), *d = checked_normals(r, 5 * w.lines * w.run);
    r->on->pixels(r->on->device, checked_normals(r, 5 * w.lines * w.run), outputs, &w, 5,
                  variant > 0 ? SBL_PIXEL_LEAK : 0);
    r->on->pixels_back(r->on->device, checked_normals(r, 5 * w.whole), d, outputs, &w, 5);
}

static void on_resizing(checked_run *r, size_t variant)
{
    static const sbl_row_run runs[] = {{1, 3}, {4, 0}, {5, 2}};
    const size_t channels = variant & 1 ? 3 : 1, h = 7, w = 9, side = 16, all = 8, rows = 5;
    const sbl_resizing by = {sbl_volume_of(h, w, channels),
                             .side = side,
                             .rows = checked_numbers(r, side * h, true),
                             .columns = checked_normals(r, side * w),
                             .mirrored_columns = variant & 2 ? checked_normals(r, side * w) : NULL,
                             .mean = {0.4f, 0.5f, 0.6f},
                             .deviation = {0.3f, 0.25f, 0.2f}};
    const float *images = checked_normals(r, all * h * w * channels);
    const float *d = checked_normals(r, rows * side * side * 3);
    r->on->resize(r->on->device, checked_normals(r, rows * side * side * 3), images, &by, runs, 3);
    r->on->resize_back(r->on->device, checked_normals(r, all * h * w * channels), d, &by, runs, 3);
}

static void on_adam(checked_run *r, size_t variant)
{
    const size_t n = 70001;
    const sbl_adam_rates rates = {
        .beta1 = variant > 0 ? 0.9f : 0, .beta2 = 0.999f, .rate = 0.01f, .correction = 3, .epsilon = 1e-8f};
    float *weights = checked_normals(r, n), *first = checked_normals(r, n),
          *second = checked_numbers(r, n, true);
    const float *gradient = checked_normals(r, n);
    r->on->adam(r->on->device, weights, first, second, gradient, n, &rates);
    r->on->average(r->on->device, checked_normals(r, n), weights, n, 0.25f);
}

const checked_operation checked_layers[] = {
    {"memory", on_memory, 2},
    {"gemm", on_gemm, 16},
    {"convolution", on_convolution, sizeof convolutions / sizeof *convolutions},
    {"activation", on_activation, 6},
    {"norm", on_norm, 8},
    {"upsampling", on_upsampling, 6},
    {"pooling", on_pooling, 4},
    {"sums", on_sums, 8},
    {"pixels", on_pixels, 2},
    {"resizing", on_resizing, 4},
    {"adam", on_adam, 2},
    {0},
};
