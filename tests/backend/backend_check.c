#include "backend/backend_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compute/threads.h"
#include "random/model_rng.h"
#include "support/cmocka_all.h"

/* ---- the same numbers for both ---- */

#define MOST_ARRAYS 24

/* A run of one operation: arrays in the order in which they are made, read back in the end. */
typedef struct run {
    const sbl_backend *on;
    sbl_tensors tensors;
    sbl_model_rng rng;
    float *arrays[MOST_ARRAYS];
    size_t counts[MOST_ARRAYS], count;
    double loss;
} run;

static void begin(run *r, const sbl_backend *on, uint64_t seed)
{
    *r = (run){.on = on, .tensors = sbl_tensors_on(on)};
    sbl_model_rng_init(&r->rng, seed, SBL_RNG_OTHER, 0);
}

/* `count` normal numbers; positive: their absolute values. */
static float *numbers_of(run *r, size_t count, bool positive)
{
    float *host = calloc(count + 1, sizeof *host),
          *tensor = sbl_tensors_take(&r->tensors, count, 1);
    assert_non_null(tensor);
    assert_true(r->count < MOST_ARRAYS);
    for (size_t i = 0; i < count; i++) {
        const double v = sbl_model_rng_normal(&r->rng);
        host[i] = (float)(positive ? fabs(v) + 0.01 : v);
    }
    r->on->write(r->on->device, tensor, host, count);
    free(host);
    r->arrays[r->count] = tensor;
    r->counts[r->count++] = count;
    return tensor;
}

static float *normals(run *r, size_t count) { return numbers_of(r, count, false); }

static float *scratch_of(run *r, size_t count)
{
    float *tensor = sbl_tensors_take(&r->tensors, count, 1);
    assert_non_null(tensor);
    return tensor;
}

static float *read_back(const run *r, size_t i)
{
    float *host = calloc(r->counts[i] + 1, sizeof *host);
    r->on->read(r->on->device, host, r->arrays[i], r->counts[i]);
    return host;
}

/* ---- operations ---- */

typedef void (*operation)(run *r, size_t variant);

static void on_memory(run *r, size_t variant)
{
    const size_t n = 1000 + variant;
    float *a = normals(r, n), *b = normals(r, n);
    r->on->copy(r->on->device, b + 7, a, n - 7);
    r->on->zero(r->on->device, a + 3, 100);
    r->on->add(r->on->device, a, b, n);
}

static void on_gemm(run *r, size_t variant)
{
    const bool at = variant & 1, bt = variant & 2, add = variant & 4;
    const size_t m = variant & 8 ? 130 : 7, n = variant & 8 ? 65 : 33, k = variant & 8 ? 257 : 1;
    const sbl_gemm_shape shape = {.m = m,
                                  .n = n,
                                  .k = k,
                                  .a_stride = (at ? m : k) + 3,
                                  .b_stride = (bt ? k : n) + 1,
                                  .c_stride = n + 2,
                                  .a_transposed = at,
                                  .b_transposed = bt,
                                  .add = add};
    const float *a = normals(r, (at ? k : m) * shape.a_stride);
    const float *b = normals(r, (bt ? n : k) * shape.b_stride);
    float *c = normals(r, m * shape.c_stride);
    r->on->gemm(r->on->device, c, a, b, &shape,
                scratch_of(r, r->on->gemm_scratch(r->on->device, n)));
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
    {.height = 3,
     .width = 4,
     .inputs = 128,
     .channels = 128,
     .kernel = 3,
     .stride = 1,
     .padding = 1},
    {.height = 20, .width = 20, .inputs = 8, .channels = 3, .kernel = 3, .stride = 1, .padding = 1},
    {.height = 6, .width = 7, .inputs = 21, .channels = 35, .kernel = 3, .stride = 1, .padding = 1},
    {.height = 7, .width = 6, .inputs = 37, .channels = 22, .kernel = 3, .stride = 2, .padding = 1},
};

static void on_convolution(run *r, size_t variant)
{
    sbl_conv_shape s = convolutions[variant];
    const size_t rows = 3;
    s.threads = 2;
    s.out_height = (s.height + 2 * s.padding - s.kernel) / s.stride + 1;
    s.out_width = (s.width + 2 * s.padding - s.kernel) / s.stride + 1;
    const size_t in = rows * s.height * s.width * s.inputs;
    const size_t out = rows * s.out_height * s.out_width * s.channels;
    const size_t weights = s.channels * s.kernel * s.kernel * s.inputs;
    const float *x = normals(r, in), *dy = normals(r, out), *w = normals(r, weights);
    const float *bias = normals(r, s.channels);
    float *scratch = scratch_of(r, r->on->conv_scratch(r->on->device, &s, rows));
    r->on->conv_forward(r->on->device, normals(r, out), x, w, bias, &s, rows, scratch);
    r->on->conv_forward(r->on->device, normals(r, out), x, w, NULL, &s, rows, scratch);
    r->on->conv_to_inputs(r->on->device, normals(r, in), dy, w, &s, rows, scratch);
    r->on->conv_to_weights(r->on->device, normals(r, weights), x, dy, &s, rows, scratch);
}

static void on_activation(run *r, size_t variant)
{
    const sbl_activation a = {.curve = (sbl_curve)(variant % 3), .slope = 0.2f};
    const size_t n = 4099;
    float *x = normals(r, n), *y = variant >= 3 ? x : normals(r, n), *dy = normals(r, n);
    r->on->activate(r->on->device, y, x, n, a);
    r->on->activate_back(r->on->device, dy, y, n, a);
    r->on->fill_rows(r->on->device, normals(r, 5 * 12), x, 5, 12);
}

static void on_norm(run *r, size_t variant)
{
    const bool batch = variant & 1, relu = variant & 2;
    const size_t pixels = variant & 4 ? 20011 : 1203, n = variant & 4 ? 5 : 70;
    float *x = normals(r, pixels * n), *y = normals(r, pixels * n), *dy = normals(r, pixels * n);
    const sbl_norm norm = {.pixels = pixels,
                           .channels = n,
                           .gamma = normals(r, n),
                           .beta = normals(r, n),
                           .mean = normals(r, n),
                           .inverse = normals(r, n),
                           .relu = relu,
                           .batch = batch,
                           .scratch = scratch_of(r, r->on->norm_scratch(r->on->device, pixels, n))};
    float *running = numbers_of(r, 2 * n, true), *d_gamma = normals(r, n), *d_beta = normals(r, n);
    r->on->norm(r->on->device, &norm, y, x, running, 0.1f);
    r->on->channel_sums(r->on->device, normals(r, n), dy, pixels, n, norm.scratch);
    r->on->norm_back(r->on->device, &norm, dy, d_gamma, d_beta, x, y);
}

static void on_upsampling(run *r, size_t variant)
{
    const size_t factor = variant / 3 ? 3 : 2;
    sbl_upsampling by = {.in = sbl_volume_of(variant == 5 ? 1 : 4, 5, 6), .factor = factor};
    by.out = sbl_volume_of(by.in.height * factor, by.in.width * factor, 6);
    by.nearest = variant % 3 == 0;
    by.align_corners = variant % 3 == 1;
    const size_t in = 3 * sbl_volume_size(by.in), out = 3 * sbl_volume_size(by.out);
    const float *x = normals(r, in), *dy = normals(r, out);
    r->on->upsample(r->on->device, normals(r, out), x, 3, &by);
    r->on->upsample_back(r->on->device, normals(r, in), dy, 3, &by);
}

static void on_pooling(run *r, size_t variant)
{
    const size_t kernel = variant % 3 == 0 ? 2 : 3, padding = variant == 2 ? 1 : 0;
    const size_t width = variant == 3 ? 6 : 7; /* 6: every pixel is in one window */
    sbl_pooling by = {
        .in = sbl_volume_of(8, width, 70), .kernel = kernel, .stride = 2, .padding = padding};
    by.out = sbl_volume_of((8 + 2 * padding - kernel) / 2 + 1,
                           (width + 2 * padding - kernel) / 2 + 1, 70);
    const size_t in = 2 * sbl_volume_size(by.in), out = 2 * sbl_volume_size(by.out);
    float *x = normals(r, in);
    const float *dy = normals(r, out);
    r->on->activate(r->on->device, x, x, in, (sbl_activation){SBL_CURVE_RELU, 0}); /* equal ones */
    r->on->max_pool(r->on->device, normals(r, out), x, 2, &by);
    r->on->max_pool_back(r->on->device, normals(r, in), dy, x, 2, &by);
}

static void on_sums(run *r, size_t variant)
{
    const size_t n = 515;
    const float *a = normals(r, n), *b = normals(r, n);
    float *y = normals(r, n), *before = variant & 1 ? normals(r, n) : NULL;
    r->on->add_relu(r->on->device, y, before, a, b, n);
    r->on->add_relu_back(r->on->device, normals(r, n), y, variant & 2 ? a : NULL,
                         variant & 4 ? b : NULL, before != NULL, n);
}

static void on_pixels(run *r, size_t variant)
{
    const sbl_pixel_window w = {.first = 14, .lines = 4, .run = 9, .stride = 12, .whole = 72};
    const float *outputs = normals(r, 5 * w.whole), *d = normals(r, 5 * w.lines * w.run);
    r->on->pixels(r->on->device, normals(r, 5 * w.lines * w.run), outputs, &w, 5,
                  variant > 0 ? SBL_PIXEL_LEAK : 0);
    r->on->pixels_back(r->on->device, normals(r, 5 * w.whole), d, outputs, &w, 5);
}

static void on_resizing(run *r, size_t variant)
{
    static const sbl_row_run runs[] = {{1, 3}, {4, 0}, {5, 2}};
    const size_t channels = variant & 1 ? 3 : 1, h = 7, w = 9, side = 16, all = 8, rows = 5;
    const sbl_resizing by = {.image = sbl_volume_of(h, w, channels),
                             .side = side,
                             .rows = numbers_of(r, side * h, true),
                             .columns = normals(r, side * w),
                             .mirrored_columns = variant & 2 ? normals(r, side * w) : NULL,
                             .mean = {0.4f, 0.5f, 0.6f},
                             .deviation = {0.3f, 0.25f, 0.2f}};
    const float *images = normals(r, all * h * w * channels);
    const float *d = normals(r, rows * side * side * 3);
    r->on->resize(r->on->device, normals(r, rows * side * side * 3), images, &by, runs, 3);
    r->on->resize_back(r->on->device, normals(r, all * h * w * channels), d, &by, runs, 3);
}

static void on_adam(run *r, size_t variant)
{
    const size_t n = 70001;
    const sbl_adam_rates rates = {.beta1 = variant > 0 ? 0.9f : 0,
                                  .beta2 = 0.999f,
                                  .rate = 0.01f,
                                  .correction = 3,
                                  .epsilon = 1e-8f};
    float *weights = normals(r, n), *first = normals(r, n), *second = numbers_of(r, n, true);
    const float *gradient = normals(r, n);
    r->on->adam(r->on->device, weights, first, second, gradient, n, &rates);
    r->on->average(r->on->device, normals(r, n), weights, n, 0.25f);
}

/* ---- losses ---- */

static float *signs_of(run *r, size_t count)
{
    float *host = calloc(count, sizeof *host), *tensor = normals(r, count);
    for (size_t i = 0; i < count; i++)
        host[i] = sbl_model_rng_uniform(&r->rng) < 0.5 ? -1.0f : 1.0f;
    r->on->write(r->on->device, tensor, host, count);
    free(host);
    return tensor;
}

/* Uniform in [0, scale). */
static float *uniforms_of(run *r, size_t count, double scale)
{
    float *host = calloc(count, sizeof *host), *tensor = normals(r, count);
    for (size_t i = 0; i < count; i++) host[i] = (float)(scale * sbl_model_rng_uniform(&r->rng));
    r->on->write(r->on->device, tensor, host, count);
    free(host);
    return tensor;
}

static void on_orthogonal(run *r, size_t variant)
{
    enum { CLASSES = 3 };
    const size_t rows = 47, columns = variant & 2 ? 1500 : 50;
    static const size_t starts[] = {0, 20, 20, 47};
    static const sbl_row_piece pieces[] = {{0, 15, 0}, {15, 5, 0}, {20, 25, 2}, {45, 2, 2}};
    static const float row[CLASSES] = {0.02f, 0, 0.03f}, mean[CLASSES] = {0.019f, 0, 0.029f};
    static const float weight[CLASSES] = {0.4f, 0, 0.7f};
    double losses[CLASSES];
    sbl_orthogonal_job job = {.rows = rows,
                              .columns = columns,
                              .classes = CLASSES,
                              .starts = starts,
                              .pieces = pieces,
                              .piece_count = 4,
                              .row_weight = row,
                              .mean_weight = mean,
                              .class_weight = weight,
                              .losses = losses,
                              .decay = 0.6f};
    job.size = variant & 2 ? 2048 : 64;
    job.blocks = variant & 2 ? 1 : 3;
    job.frequencies = job.blocks * job.size - 10;
    const size_t n = job.size, all = job.blocks * CLASSES * 2 * n;
    job.signs = signs_of(r, job.blocks * 3 * n);
    job.lengths = uniforms_of(r, job.blocks * n, 0.3 / (double)n / sqrt((double)n));
    job.x = uniforms_of(r, rows * columns, 1);
    job.d_x = normals(r, rows * columns);
    job.target = normals(r, all);
    job.past = variant & 1 ? normals(r, all) : NULL;
    job.cosines = scratch_of(r, rows * n);
    job.sines = scratch_of(r, rows * n);
    job.residuals = scratch_of(r, CLASSES * 2 * n);
    job.front = scratch_of(r, CLASSES * 2 * n);
    r->loss = r->on->orthogonal(r->on->device, &job);
}

/* A row of which one layer is zero. */
static void on_points(run *r, size_t variant)
{
    enum { LAYERS = 4, ROWS = 3 };
    const sbl_volume volumes[LAYERS] = {sbl_volume_of(5, 7, 3), sbl_volume_of(9, 8, 70),
                                        sbl_volume_of(2, 3, 40), sbl_volume_of(1, 1, 5)};
    const float *values[LAYERS];
    float *d_values[LAYERS];
    sbl_points_job job = {
        .rows = ROWS, .layers = LAYERS, .volumes = volumes, .values = values, .d_values = d_values};
    for (size_t l = 0; l < LAYERS; l++) {
        const size_t size = sbl_volume_size(volumes[l]);
        float *e = normals(r, ROWS * size);
        if (l == 2) r->on->zero(r->on->device, e + size, size);
        values[l] = e;
        d_values[l] = normals(r, ROWS * size);
        job.width += sbl_points_count(volumes[l]);
    }
    assert_int_equal(job.width, 16 * 3 + 16 * 70 + 6 * 40 + 5);
    job.points = normals(r, ROWS * job.width);
    job.d_points = normals(r, ROWS * job.width);
    if (variant == 0) job.lengths = normals(r, ROWS * LAYERS);
    r->on->points(r->on->device, &job);
    if (variant == 0) r->on->points_back(r->on->device, &job);
}

/* Rows first .. last - 1 of a job of one class, as this part. */
static double moments_rows(run *r, const sbl_moments_job *of, size_t first, size_t last,
                           sbl_moments_part part)
{
    const size_t starts[] = {0, last - first};
    const float *values[3];
    float *d_values[3];
    sbl_moments_job job = *of;
    for (size_t l = 0; l < of->layers; l++) {
        values[l] = of->values[l] + first * of->sizes[l];
        d_values[l] = of->d_values[l] + first * of->sizes[l];
    }
    job.rows = last - first;
    job.starts = starts;
    job.values = values;
    job.d_values = d_values;
    job.part = part;
    return r->on->moments(r->on->device, &job);
}

/* The whole of it as one class, in three parts. */
static double moments_in_parts(run *r, const sbl_moments_job *of)
{
    sbl_moments_job job = *of;
    job.classes = 1;
    double loss = moments_rows(r, &job, 0, 6, SBL_MOMENTS_FIRST);
    loss += moments_rows(r, &job, 6, 10, SBL_MOMENTS_MIDDLE);
    loss += moments_rows(r, &job, 10, of->rows, SBL_MOMENTS_LAST);
    loss += moments_rows(r, &job, 6, 10, SBL_MOMENTS_AGAIN);
    return loss + moments_rows(r, &job, 0, 6, SBL_MOMENTS_AGAIN);
}

/* A class of the four has no rows. */
static void on_moments(run *r, size_t variant)
{
    enum { LAYERS = 3, CLASSES = 4, ROWS = 14 };
    static const size_t sizes[LAYERS] = {1500, 33, 700}, starts[] = {0, 9, 9, 11, ROWS};
    static const float row[CLASSES] = {0.1f, 0, 0.3f, 0.2f}, mean[CLASSES] = {0.09f, 0, 0.2f, 0.1f};
    static const float weight[CLASSES] = {1.5f, 0, 0.7f, 1};
    const size_t width = 2233, count = 1 + (variant & 1);
    const bool alike = variant & 8, in_parts = variant & 16;
    const float *values[LAYERS];
    float *d_values[LAYERS];
    double losses[CLASSES * 2 * 4];
    assert_int_equal(sbl_moments_pieces(sizes, LAYERS), 4);
    for (size_t l = 0; l < LAYERS; l++) {
        float *e = normals(r, ROWS * sizes[l]);
        /* a row of zeros, or one whose first layer is */
        if (variant & 4 && (!alike || l == 0)) r->on->zero(r->on->device, e + sizes[l], sizes[l]);
        values[l] = e;
        d_values[l] = normals(r, ROWS * sizes[l]);
    }
    const sbl_moments_job job = {.rows = ROWS,
                                 .classes = CLASSES,
                                 .layers = LAYERS,
                                 .moments = count,
                                 .width = width,
                                 .alike = alike,
                                 .sizes = sizes,
                                 .starts = starts,
                                 .row_weight = row,
                                 .mean_weight = mean,
                                 .class_weight = weight,
                                 .decay = 0.3f,
                                 .values = values,
                                 .d_values = d_values,
                                 .losses = losses,
                                 .target = normals(r, CLASSES * count * width),
                                 .past = variant & 2 ? normals(r, CLASSES * count * width) : NULL,
                                 .front = scratch_of(r, CLASSES * count * width),
                                 .factors = scratch_of(r, ROWS * 2 * LAYERS)};
    r->loss = in_parts ? moments_in_parts(r, &job) : r->on->moments(r->on->device, &job);
}

static const struct {
    const char *name;
    operation run;
    size_t variants;
} operations[] = {
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
    {"orthogonal", on_orthogonal, 4},
    {"points", on_points, 2},
    {"moments", on_moments, 32},
};

/* ---- comparing ---- */

static void compare_arrays(const char *name, size_t variant, size_t number, const float *have,
                           const float *want, size_t count, double tolerance)
{
    double square = 0, worst = 0;
    for (size_t i = 0; i < count; i++) {
        const double off = fabs((double)have[i] - (double)want[i]);
        square += (double)want[i] * (double)want[i];
        if (!(off <= worst)) worst = off; /* NaN counts */
    }
    const double limit = tolerance * (sqrt(square / (double)(count > 0 ? count : 1)) + 1e-12);
    if (!(worst <= limit))
        fail_msg("%s, variant %zu, array %zu: off by %g, allowed %g", name, variant, number, worst,
                 limit);
}

/* threads: of `want`, `have` then having one; 0: as they are. */
static void compare(const sbl_backend *have, const sbl_backend *want, size_t o, size_t variant,
                    double tolerance, int threads)
{
    run a, b;
    const int before = sbl_thread_limit();
    begin(&a, have, 100 * o + variant);
    begin(&b, want, 100 * o + variant);
    if (threads > 0) sbl_thread_set(1);
    operations[o].run(&a, variant);
    const double loss_a = a.loss + have->collect(have->device);
    if (threads > 0) sbl_thread_set(threads);
    operations[o].run(&b, variant);
    sbl_thread_set(before);
    const double loss_b = b.loss + want->collect(want->device);
    assert_int_equal(have->sync(have->device, NULL), SBL_OK);
    assert_int_equal(want->sync(want->device, NULL), SBL_OK);
    assert_int_equal(a.count, b.count);
    for (size_t i = 0; i < a.count; i++) {
        float *x = read_back(&a, i), *y = read_back(&b, i);
        compare_arrays(operations[o].name, variant, i, x, y, a.counts[i], tolerance);
        free(x);
        free(y);
    }
    if (!(fabs(loss_a - loss_b) <= tolerance * (fabs(loss_b) + 1e-12)))
        fail_msg("%s, variant %zu: loss %.9g in place of %.9g", operations[o].name, variant, loss_a,
                 loss_b);
    sbl_tensors_clear(&a.tensors);
    sbl_tensors_clear(&b.tensors);
}

void backend_check_all(const sbl_backend *have, const sbl_backend *want, double tolerance)
{
    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
        for (size_t v = 0; v < operations[o].variants; v++) compare(have, want, o, v, tolerance, 0);
}

void backend_check_repeats(const sbl_backend *have) { backend_check_all(have, have, 0); }

void backend_check_threads(const sbl_backend *have, int threads)
{
    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
        for (size_t v = 0; v < operations[o].variants; v++) compare(have, have, o, v, 0, threads);
}
