/* SPDX-License-Identifier: Apache-2.0 */
/* The reference: sums, activations and norms between products. */
#include <math.h>

#include "backend/reference_parts.h"

static void fill_rows(void *device, float *y, const float *bias, size_t rows, size_t width)
{
    (void)device;
    reference_unlock();
    for (size_t i = 0; i < rows * width; i++) y[i] = bias[i % width];
    reference_lock();
}

static void add(void *device, float *x, const float *y, size_t count)
{
    (void)device;
    reference_unlock();
    for (size_t i = 0; i < count; i++) x[i] += y[i];
    reference_lock();
}

static void activate(void *device, float *y, const float *x, size_t count, sbl_activation a)
{
    (void)device;
    reference_unlock();
    for (size_t i = 0; i < count; i++) {
        const double v = (double)x[i];
        y[i] = (float)(a.curve == SBL_CURVE_SIGMOID ? 1 / (1 + exp(-v))
                       : v > 0                      ? v
                       : a.curve == SBL_CURVE_RELU  ? 0
                                                    : (double)a.slope * v);
    }
    reference_lock();
}

static void activate_back(void *device, float *dy, const float *y, size_t count, sbl_activation a)
{
    (void)device;
    reference_unlock();
    for (size_t i = 0; i < count; i++) {
        const double v = (double)y[i];
        dy[i] *= (float)(a.curve == SBL_CURVE_SIGMOID ? v * (1 - v)
                         : v > 0                      ? 1
                         : a.curve == SBL_CURVE_RELU  ? 0
                                                      : (double)a.slope);
    }
    reference_lock();
}

static void add_relu(void *device, float *y, float *before, const float *a, const float *b, size_t count)
{
    (void)device;
    reference_unlock();
    for (size_t i = 0; i < count; i++) {
        const float sum = a[i] + b[i];
        y[i] = sum > 0 ? sum : 0;
        if (before != NULL) before[i] = sum;
    }
    reference_lock();
}

static void add_relu_back(void *device, float *d, const float *y, const float *d_next, const float *d_here,
                          bool before, size_t count)
{
    (void)device;
    reference_unlock();
    for (size_t i = 0; i < count; i++) {
        const float next = d_next != NULL ? d_next[i] : 0, here = d_here != NULL ? d_here[i] : 0;
        d[i] = (y[i] > 0 ? next + (before ? 0 : here) : 0) + (before ? here : 0);
    }
    reference_lock();
}

static size_t norm_scratch(void *device, size_t pixels, size_t channels)
{
    (void)device;
    (void)pixels;
    (void)channels;
    return 0;
}

static void channel_sums(void *device, float *sums, const float *x, size_t pixels, size_t channels,
                         float *scratch)
{
    (void)device;
    (void)scratch;
    reference_unlock();
    for (size_t c = 0; c < channels; c++) {
        double sum = 0;
        for (size_t p = 0; p < pixels; p++) sum += (double)x[p * channels + c];
        sums[c] = (float)sum;
    }
    reference_lock();
}

static void norm(void *device, const sbl_norm *by, float *y, const float *x, float *running, float momentum)
{
    const size_t n = by->channels;
    const double count = (double)by->pixels;
    (void)device;
    reference_unlock();
    for (size_t c = 0; c < n; c++) {
        double mean = (double)running[c], variance = (double)running[n + c];
        if (by->batch) {
            mean = variance = 0;
            for (size_t p = 0; p < by->pixels; p++) mean += (double)x[p * n + c] / count;
            for (size_t p = 0; p < by->pixels; p++) {
                const double off = (double)x[p * n + c] - mean;
                variance += off * off / count;
            }
            const double unbiased = count > 1 ? variance * count / (count - 1) : variance;
            running[c] += momentum * (float)(mean - (double)running[c]);
            running[n + c] += momentum * (float)(unbiased - (double)running[n + c]);
        }
        by->mean[c] = (float)mean;
        by->inverse[c] = (float)(1 / sqrt(variance + 1e-5));
        for (size_t p = 0; p < by->pixels; p++) {
            const double h = ((double)x[p * n + c] - mean) / sqrt(variance + 1e-5);
            const double v = (double)by->gamma[c] * h + (double)by->beta[c];
            y[p * n + c] = (float)(by->relu && v < 0 ? 0 : v);
        }
    }
    reference_lock();
}

static void norm_back(void *device, const sbl_norm *by, float *dy, float *d_gamma, float *d_beta,
                      const float *x, const float *y)
{
    const size_t n = by->channels;
    const double count = (double)by->pixels;
    (void)device;
    reference_unlock();
    for (size_t c = 0; c < n; c++) {
        double sum = 0, along = 0;
        const double mean = (double)by->mean[c], inverse = (double)by->inverse[c];
        for (size_t p = 0; p < by->pixels; p++) {
            const size_t i = p * n + c;
            if (by->relu && !(y[i] > 0)) dy[i] = 0;
            sum += (double)dy[i];
            along += (double)dy[i] * ((double)x[i] - mean) * inverse;
        }
        d_gamma[c] = (float)along;
        d_beta[c] = (float)sum;
        for (size_t p = 0; p < by->pixels; p++) {
            const size_t i = p * n + c;
            const double h = ((double)x[i] - mean) * inverse;
            const double d = (double)dy[i] - (by->batch ? sum / count + h * along / count : 0);
            dy[i] = (float)((double)by->gamma[c] * inverse * d);
        }
    }
    reference_lock();
}

void reference_layers(sbl_backend *table)
{
    table->fill_rows = fill_rows;
    table->add = add;
    table->activate = activate;
    table->activate_back = activate_back;
    table->add_relu = add_relu;
    table->add_relu_back = add_relu_back;
    table->norm_scratch = norm_scratch;
    table->channel_sums = channel_sums;
    table->norm = norm;
    table->norm_back = norm_back;
}
