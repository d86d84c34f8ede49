/* SPDX-License-Identifier: Apache-2.0 */
/* The reference: products of matrices, and convolutions as sums over taps. */
#include <stdlib.h>

#include "backend/reference_parts.h"

static size_t no_scratch(void *device, size_t columns)
{
    (void)device;
    (void)columns;
    return 0;
}

static void gemm(void *device, float *c, const float *a, const float *b, const sbl_gemm_shape *s,
                 float *scratch)
{
    (void)device;
    (void)scratch;
    reference_unlock();
    for (size_t i = 0; i < s->m; i++)
        for (size_t j = 0; j < s->n; j++) {
            double sum = s->add ? (double)c[i * s->c_stride + j] : 0;
            for (size_t k = 0; k < s->k; k++)
                sum += (double)a[s->a_transposed ? k * s->a_stride + i : i * s->a_stride + k] *
                       (double)b[s->b_transposed ? j * s->b_stride + k : k * s->b_stride + j];
            c[i * s->c_stride + j] = (float)sum;
        }
    reference_lock();
}

static size_t conv_scratch(void *device, const sbl_conv_shape *shape, size_t rows)
{
    (void)device;
    (void)shape;
    (void)rows;
    return 0;
}

/* Where tap (i, j) of output (oy, ox) of image r reads; false: outside. */
static bool tap(size_t *at, const sbl_conv_shape *s, size_t r, size_t oy, size_t ox, size_t i, size_t j)
{
    const size_t y = oy * s->stride + i - s->padding, x = ox * s->stride + j - s->padding;
    if (y >= s->height || x >= s->width) return false; /* below zero it wraps: huge */
    *at = ((r * s->height + y) * s->width + x) * s->inputs;
    return true;
}

typedef void (*at_tap)(void *data, size_t y, size_t x, size_t w);

/* Calls `each` with the places of one output, one input and one weight that meet. */
static void each_tap(at_tap each, void *data, const sbl_conv_shape *s, size_t rows)
{
    for (size_t o = 0; o < rows * s->out_height * s->out_width; o++)
        for (size_t t = 0; t < s->kernel * s->kernel; t++) {
            size_t at;
            const size_t in_image = o % (s->out_height * s->out_width);
            if (!tap(&at, s, o / (s->out_height * s->out_width), in_image / s->out_width,
                     in_image % s->out_width, t / s->kernel, t % s->kernel))
                continue;
            for (size_t c = 0; c < s->channels; c++)
                for (size_t k = 0; k < s->inputs; k++)
                    each(data, o * s->channels + c, at + k, (c * s->kernel * s->kernel + t) * s->inputs + k);
        }
}

typedef struct conv_arrays {
    double *sums;
    const float *a, *b;
} conv_arrays;

static void to_outputs(void *data, size_t y, size_t x, size_t w)
{
    conv_arrays *v = data;
    v->sums[y] += (double)v->a[x] * (double)v->b[w];
}

static void to_inputs(void *data, size_t y, size_t x, size_t w)
{
    conv_arrays *v = data;
    v->sums[x] += (double)v->a[y] * (double)v->b[w];
}

static void to_weights(void *data, size_t y, size_t x, size_t w)
{
    conv_arrays *v = data;
    v->sums[w] += (double)v->a[y] * (double)v->b[x];
}

static void run_taps(at_tap each, float *out, size_t count, const float *a, const float *b, const float *bias,
                     const sbl_conv_shape *s, size_t rows)
{
    conv_arrays v = {calloc(count, sizeof(double)), a, b};
    reference_unlock();
    for (size_t i = 0; bias != NULL && i < count; i++) v.sums[i] = (double)bias[i % s->channels];
    each_tap(each, &v, s, rows);
    for (size_t i = 0; i < count; i++) out[i] = (float)v.sums[i];
    reference_lock();
    free(v.sums);
}

static void conv_forward(void *device, float *y, const float *x, const float *w, const float *bias,
                         const sbl_conv_shape *s, size_t rows, float *scratch)
{
    (void)device;
    (void)scratch;
    run_taps(to_outputs, y, rows * s->out_height * s->out_width * s->channels, x, w, bias, s, rows);
}

static void conv_to_inputs(void *device, float *dx, const float *dy, const float *w, const sbl_conv_shape *s,
                           size_t rows, float *scratch)
{
    (void)device;
    (void)scratch;
    run_taps(to_inputs, dx, rows * s->height * s->width * s->inputs, dy, w, NULL, s, rows);
}

static void conv_to_weights(void *device, float *dw, const float *x, const float *dy, const sbl_conv_shape *s,
                            size_t rows, float *scratch)
{
    (void)device;
    (void)scratch;
    run_taps(to_weights, dw, s->channels * s->kernel * s->kernel * s->inputs, dy, x, NULL, s, rows);
}

void reference_products(sbl_backend *table)
{
    table->gemm_scratch = no_scratch;
    table->gemm = gemm;
    table->conv_scratch = conv_scratch;
    table->conv_forward = conv_forward;
    table->conv_to_inputs = conv_to_inputs;
    table->conv_to_weights = conv_to_weights;
}
