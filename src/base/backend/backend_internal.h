/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU's operations that compute/ does not have, as pairs of there and back; see backend.h. x and y
 * are batches; dy becomes dx where only dy is named. */
#ifndef SBL_BACKEND_INTERNAL_H
#define SBL_BACKEND_INTERNAL_H

#include "base/backend/shapes.h"

/* Pointwise: y = f(x), where y may be x; dy *= f'(x), told from y. */
void sbl_activation_forward(float *y, const float *x, size_t count, sbl_activation a);
void sbl_activation_backward(float *dy, const float *y, size_t count, sbl_activation a);

/* x += y */
void sbl_sum_into(float *x, const float *y, size_t count);
/* Every row of y becomes bias (width). */
void sbl_fill_rows(float *y, const float *bias, size_t rows, size_t width);
/* y = relu(a + b), before (may be NULL) = a + b; and back: d in the sum. */
void sbl_add_relu(float *y, float *before, const float *a, const float *b, size_t count);
void sbl_add_relu_backward(float *d, const float *y, const float *d_next, const float *d_here, bool before,
                           size_t count);

/* Statistics are added up in chunks of pixels whose size depends on the channels only. */
size_t sbl_norm_scratch(size_t pixels, size_t channels);
/* batch: sets mean and inverse from x and moves running (mean, then variance; 2 channels). Else:
 * sets them from running. */
void sbl_norm_statistics(const sbl_norm *norm, float *running, const float *x, float momentum);
void sbl_norm_forward(const sbl_norm *norm, float *y, const float *x);
/* y: the outputs, read only with relu. */
void sbl_norm_backward(const sbl_norm *norm, float *dy, float *dgamma, float *dbeta, const float *x,
                       const float *y);
/* sums (channels) over pixels; scratch as for a norm. */
void sbl_channel_sums(float *sums, const float *x, size_t pixels, size_t channels, float *scratch);

void sbl_upsample_forward(float *y, const float *x, size_t rows, const sbl_upsampling *by);
void sbl_upsample_backward(float *dx, const float *dy, size_t rows, const sbl_upsampling *by);
void sbl_max_pool_forward(float *y, const float *x, size_t rows, const sbl_pooling *by);
void sbl_max_pool_backward(float *dx, const float *dy, const float *x, size_t rows, const sbl_pooling *by);

void sbl_pixels_forward(float *pixels, const float *outputs, const sbl_pixel_window *window, size_t rows,
                        float leak);
void sbl_pixels_backward(float *d_outputs, const float *d_pixels, const float *outputs,
                         const sbl_pixel_window *window, size_t rows);

void sbl_resize_forward(float *out, const float *images, const sbl_resizing *by, const sbl_row_run *runs,
                        size_t run_count);
void sbl_resize_backward(float *d_images, const float *d_out, const sbl_resizing *by, const sbl_row_run *runs,
                         size_t run_count);

/* The private pass uses the way there, too. */
void sbl_points_forward(const sbl_points_job *job);
void sbl_points_backward(const sbl_points_job *job);

double sbl_orthogonal_loss(const sbl_orthogonal_job *job);
double sbl_hermite_loss(const sbl_hermite_job *job);
double sbl_moments_loss(const sbl_moments_job *job);

/* A number of a class's mean that is matched, where this step's rows weigh `own`; what is remembered of the steps takes
 * them as `all`. past: where that stands; NULL: nothing is remembered. */
static inline float sbl_matched_mean(float *past, float decay, float own, float all)
{
    if (past == NULL) return own;
    const float before = *past;
    *past = decay * before + (1 - decay) * all;
    return decay * before + (1 - decay) * own;
}
/* Which class a row is of; starts: as in the jobs. */
static inline size_t sbl_class_of_row(const size_t *starts, size_t row)
{
    size_t c = 0;
    while (row >= starts[c + 1]) c++;
    return c;
}

/* Norms of a row of activations, layer by layer: sums += (sum of e^2, sum of e^4), in one order. The
 * private pass uses them, too. */
void sbl_add_powers(double sums[2], const float *e, size_t count);
/* 1 / sqrt(sum); 0 where the sum is 0 or not finite. */
float sbl_inverse_root(double sum);

void sbl_adam_update(float *weights, float *first, float *second, const float *gradient, size_t count,
                     const sbl_adam_rates *rates);
void sbl_average_into(float *average, const float *weights, size_t count, float part);

#endif
