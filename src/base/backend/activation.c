/* SPDX-License-Identifier: Apache-2.0 */
/* ReLU, leaky ReLU and sigmoid over flat arrays, and their derivatives, which need
 * the outputs only: so an activation can work in place. */
#include <math.h>
#include <string.h>

#include "base/backend/backend_internal.h"
#include "base/compute/threads.h"
#include "base/compute/vector_math.h"

#define CHUNK 16384 /* numbers that one thread takes at a time */

/* omp simd: y may be x itself. */
SBL_CLONES static void apply(float *y, const float *x, size_t count, sbl_curve curve, float slope)
{
    if (curve == SBL_CURVE_RELU) {
        SBL_OMP(omp simd)
        for (size_t i = 0; i < count; i++) y[i] = x[i] > 0 ? x[i] : 0;
    } else if (curve == SBL_CURVE_LEAKY_RELU) {
        SBL_OMP(omp simd)
        for (size_t i = 0; i < count; i++) y[i] = x[i] > 0 ? x[i] : slope * x[i];
    } else {
        SBL_OMP(omp simd)
        for (size_t i = 0; i < count; i++) y[i] = 1 / (1 + sbl_fast_exp(-x[i]));
    }
}

SBL_CLONES static void apply_derivative(float *restrict dy, const float *restrict y, size_t count,
                                        sbl_curve curve, float slope)
{
    if (curve == SBL_CURVE_RELU) {
        for (size_t i = 0; i < count; i++) dy[i] = y[i] > 0 ? dy[i] : 0;
    } else if (curve == SBL_CURVE_LEAKY_RELU) {
        for (size_t i = 0; i < count; i++) dy[i] = y[i] > 0 ? dy[i] : slope * dy[i];
    } else {
        for (size_t i = 0; i < count; i++) dy[i] *= y[i] * (1 - y[i]);
    }
}

static size_t chunk_at(size_t first, size_t count) { return count - first < CHUNK ? count - first : CHUNK; }

void sbl_activation_forward(float *y, const float *x, size_t count, sbl_activation a)
{
    SBL_OMP(omp parallel for schedule(static) if (count > 4 * CHUNK))
    for (size_t first = 0; first < count; first += CHUNK)
        apply(y + first, x + first, chunk_at(first, count), a.curve, a.slope);
}

void sbl_activation_backward(float *dy, const float *y, size_t count, sbl_activation a)
{
    SBL_OMP(omp parallel for schedule(static) if (count > 4 * CHUNK))
    for (size_t first = 0; first < count; first += CHUNK)
        apply_derivative(dy + first, y + first, chunk_at(first, count), a.curve, a.slope);
}

SBL_CLONES static void add(float *restrict x, const float *restrict y, size_t count)
{
    for (size_t i = 0; i < count; i++) x[i] += y[i];
}

void sbl_sum_into(float *x, const float *y, size_t count)
{
    SBL_OMP(omp parallel for schedule(static) if (count > 4 * CHUNK))
    for (size_t first = 0; first < count; first += CHUNK) add(x + first, y + first, chunk_at(first, count));
}

void sbl_fill_rows(float *y, const float *bias, size_t rows, size_t width)
{
    SBL_OMP(omp parallel for schedule(static) if (rows * width > 4 * CHUNK))
    for (size_t r = 0; r < rows; r++) memcpy(y + r * width, bias, width * sizeof *y);
}

/* NaNs become 0, as fmaxf has it. */
void sbl_add_relu(float *y, float *before, const float *a, const float *b, size_t count)
{
    SBL_OMP(omp parallel for schedule(static) if (count > 4 * CHUNK))
    for (size_t first = 0; first < count; first += CHUNK) {
        const size_t last = first + chunk_at(first, count);
        for (size_t i = first; i < last; i++) y[i] = fmaxf(a[i] + b[i], 0);
        for (size_t i = first; before != NULL && i < last; i++) before[i] = a[i] + b[i];
    }
}

void sbl_add_relu_backward(float *d, const float *y, const float *d_next, const float *d_here, bool before,
                           size_t count)
{
    SBL_OMP(omp parallel for schedule(static) if (count > 4 * CHUNK))
    for (size_t i = 0; i < count; i++) {
        const float next = d_next != NULL ? d_next[i] : 0, here = d_here != NULL ? d_here[i] : 0;
        const float behind = before ? next : next + here;
        d[i] = (y[i] > 0 ? behind : 0) + (before ? here : 0);
    }
}
