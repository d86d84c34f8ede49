/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU as a backend: tensors are plain memory, operations the kernels of compute/ and of this
 * folder, done when they return. */
#include "base/backend/backend_internal.h"

#include <string.h>

#include "base/backend/backend.h"
#include "base/compute/threads.h"

/* ---- memory ---- */

static float *allocate(void *device, size_t count)
{
    (void)device;
    return sbl_lines_array(count, sizeof(float));
}

static void release(void *device, float *tensor, size_t count)
{
    (void)device;
    if (tensor == NULL) return;
    sbl_wipe(tensor, count * sizeof *tensor);
    sbl_lines_free(tensor);
}

#define SHARED 4096        /* numbers that one thread copies or clears at a time */
#define MANY (16 * SHARED) /* from this number on, threads share the work */

static size_t shared_at(size_t first, size_t count)
{
    return (count - first < SHARED ? count - first : SHARED) * sizeof(float);
}

static void copy(void *device, float *to, const float *from, size_t count)
{
    (void)device;
    if (to == from) return;
    SBL_OMP(omp parallel for schedule(static) if (count > MANY))
    for (size_t first = 0; first < count; first += SHARED)
        memcpy(to + first, from + first, shared_at(first, count));
}

static void zero(void *device, float *to, size_t count)
{
    (void)device;
    SBL_OMP(omp parallel for schedule(static) if (count > MANY))
    for (size_t first = 0; first < count; first += SHARED) memset(to + first, 0, shared_at(first, count));
}

static void start(void *device) { (void)device; }

static sbl_status sync(void *device, sbl_error *err)
{
    (void)device;
    (void)err;
    return SBL_OK;
}

static double collect(void *device)
{
    (void)device;
    return 0;
}

/* ---- products ---- */

static size_t gemm_scratch(void *device, size_t columns)
{
    (void)device;
    return sbl_gemm_workspace(columns);
}

static void gemm(void *device, float *c, const float *a, const float *b, const sbl_gemm_shape *shape,
                 float *scratch)
{
    (void)device;
    sbl_gemm(c, a, b, shape, scratch);
}

static size_t conv_scratch(void *device, const sbl_conv_shape *shape, size_t rows)
{
    (void)device;
    return sbl_conv_workspace(shape, rows);
}

static void conv_forward(void *device, float *y, const float *x, const float *w, const float *bias,
                         const sbl_conv_shape *shape, size_t rows, float *scratch)
{
    (void)device;
    sbl_conv_forward(y, x, w, bias, shape, rows, scratch);
}

static void conv_to_inputs(void *device, float *dx, const float *dy, const float *w,
                           const sbl_conv_shape *shape, size_t rows, float *scratch)
{
    (void)device;
    sbl_conv_backward_input(dx, dy, w, NULL, shape, rows, scratch);
}

static void conv_to_weights(void *device, float *dw, const float *x, const float *dy,
                            const sbl_conv_shape *shape, size_t rows, float *scratch)
{
    (void)device;
    sbl_conv_backward_weights(dw, x, dy, shape, rows, scratch);
}

/* ---- layers ---- */

static void fill_rows(void *device, float *y, const float *bias, size_t rows, size_t width)
{
    (void)device;
    sbl_fill_rows(y, bias, rows, width);
}

static void add(void *device, float *x, const float *y, size_t count)
{
    (void)device;
    sbl_sum_into(x, y, count);
}

static void activate(void *device, float *y, const float *x, size_t count, sbl_activation a)
{
    (void)device;
    sbl_activation_forward(y, x, count, a);
}

static void activate_back(void *device, float *dy, const float *y, size_t count, sbl_activation a)
{
    (void)device;
    sbl_activation_backward(dy, y, count, a);
}

static size_t norm_scratch(void *device, size_t pixels, size_t channels)
{
    (void)device;
    return sbl_norm_scratch(pixels, channels);
}

static void channel_sums(void *device, float *sums, const float *x, size_t pixels, size_t channels,
                         float *scratch)
{
    (void)device;
    sbl_channel_sums(sums, x, pixels, channels, scratch);
}

static void norm(void *device, const sbl_norm *by, float *y, const float *x, float *running, float momentum)
{
    (void)device;
    sbl_norm_statistics(by, running, x, momentum);
    sbl_norm_forward(by, y, x);
}

static void norm_back(void *device, const sbl_norm *by, float *dy, float *d_gamma, float *d_beta,
                      const float *x, const float *y)
{
    (void)device;
    sbl_norm_backward(by, dy, d_gamma, d_beta, x, y);
}

static void upsample(void *device, float *y, const float *x, size_t rows, const sbl_upsampling *by)
{
    (void)device;
    sbl_upsample_forward(y, x, rows, by);
}

static void upsample_back(void *device, float *dx, const float *dy, size_t rows, const sbl_upsampling *by)
{
    (void)device;
    sbl_upsample_backward(dx, dy, rows, by);
}

static void max_pool(void *device, float *y, const float *x, size_t rows, const sbl_pooling *by)
{
    (void)device;
    sbl_max_pool_forward(y, x, rows, by);
}

static void max_pool_back(void *device, float *dx, const float *dy, const float *x, size_t rows,
                          const sbl_pooling *by)
{
    (void)device;
    sbl_max_pool_backward(dx, dy, x, rows, by);
}

static void add_relu(void *device, float *y, float *before, const float *a, const float *b, size_t count)
{
    (void)device;
    sbl_add_relu(y, before, a, b, count);
}

static void add_relu_back(void *device, float *d, const float *y, const float *d_next, const float *d_here,
                          bool before, size_t count)
{
    (void)device;
    sbl_add_relu_backward(d, y, d_next, d_here, before, count);
}

/* ---- images ---- */

static void pixels(void *device, float *to, const float *outputs, const sbl_pixel_window *window, size_t rows,
                   float leak)
{
    (void)device;
    sbl_pixels_forward(to, outputs, window, rows, leak);
}

static void pixels_back(void *device, float *d_outputs, const float *d_pixels, const float *outputs,
                        const sbl_pixel_window *window, size_t rows)
{
    (void)device;
    sbl_pixels_backward(d_outputs, d_pixels, outputs, window, rows);
}

static void resize(void *device, float *out, const float *images, const sbl_resizing *by,
                   const sbl_row_run *runs, size_t run_count)
{
    (void)device;
    sbl_resize_forward(out, images, by, runs, run_count);
}

static void resize_back(void *device, float *d_images, const float *d_out, const sbl_resizing *by,
                        const sbl_row_run *runs, size_t run_count)
{
    (void)device;
    sbl_resize_backward(d_images, d_out, by, runs, run_count);
}

static void points(void *device, const sbl_points_job *job)
{
    (void)device;
    sbl_points_forward(job);
}

static void points_back(void *device, const sbl_points_job *job)
{
    (void)device;
    sbl_points_backward(job);
}

/* ---- losses and the optimiser ---- */

static double orthogonal(void *device, const sbl_orthogonal_job *job)
{
    (void)device;
    return sbl_orthogonal_loss(job);
}

static double hermite(void *device, const sbl_hermite_job *job)
{
    (void)device;
    return sbl_hermite_loss(job);
}

static double moments(void *device, const sbl_moments_job *job)
{
    (void)device;
    return sbl_moments_loss(job);
}

static void adam(void *device, float *weights, float *first, float *second, const float *gradient,
                 size_t count, const sbl_adam_rates *rates)
{
    (void)device;
    sbl_adam_update(weights, first, second, gradient, count, rates);
}

static void average(void *device, float *to, const float *weights, size_t count, float part)
{
    (void)device;
    sbl_average_into(to, weights, count, part);
}

const sbl_backend sbl_backend_cpu = {
    .name = "cpu",
    .is_host = true,
    .trains = SBL_TRAINS_IMAGES | SBL_TRAINS_TABLES,
    .allocate = allocate,
    .release = release,
    .write = copy,
    .read = copy,
    .copy = copy,
    .zero = zero,
    .start = start,
    .sync = sync,
    .collect = collect,
    .gemm_scratch = gemm_scratch,
    .gemm = gemm,
    .conv_scratch = conv_scratch,
    .conv_forward = conv_forward,
    .conv_to_inputs = conv_to_inputs,
    .conv_to_weights = conv_to_weights,
    .fill_rows = fill_rows,
    .add = add,
    .activate = activate,
    .activate_back = activate_back,
    .norm_scratch = norm_scratch,
    .channel_sums = channel_sums,
    .norm = norm,
    .norm_back = norm_back,
    .upsample = upsample,
    .upsample_back = upsample_back,
    .max_pool = max_pool,
    .max_pool_back = max_pool_back,
    .add_relu = add_relu,
    .add_relu_back = add_relu_back,
    .pixels = pixels,
    .pixels_back = pixels_back,
    .resize = resize,
    .resize_back = resize_back,
    .points = points,
    .points_back = points_back,
    .orthogonal = orthogonal,
    .hermite = hermite,
    .moments = moments,
    .adam = adam,
    .average = average,
};
