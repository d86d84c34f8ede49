/* SPDX-License-Identifier: Apache-2.0 */
/* The update in chunks that threads share and compilers vectorise: every weight is its own, so
 * that any sharing gives the same bits. */
#include "base/backend/backend_internal.h"
#include "base/compute/threads.h"

#define CHUNK 4096

SBL_CLONES static void update(float *restrict weights, float *restrict first, float *restrict second,
                              const float *restrict gradient, size_t count, sbl_adam_rates by)
{
    const float b1 = by.beta1, b2 = by.beta2;
    for (size_t i = 0; i < count; i++) {
        float g = gradient[i];
        float m = b1 * first[i] + (1 - b1) * g;
        float v = b2 * second[i] + (1 - b2) * g * g;
        first[i] = m;
        second[i] = v;
        weights[i] -= by.rate * m / (__builtin_sqrtf(v) * by.correction + by.epsilon);
    }
}

void sbl_adam_update(float *weights, float *first, float *second, const float *gradient, size_t count,
                     const sbl_adam_rates *rates)
{
    SBL_OMP(omp parallel for schedule(static) if (count > 16 * CHUNK))
    for (size_t at = 0; at < count; at += CHUNK) {
        size_t left = count - at;
        update(weights + at, first + at, second + at, gradient + at, left < CHUNK ? left : CHUNK, *rates);
    }
}

SBL_CLONES static void move_towards(float *restrict average, const float *restrict weights, size_t count,
                                    float part)
{
    for (size_t i = 0; i < count; i++) average[i] += part * (weights[i] - average[i]);
}

void sbl_average_into(float *average, const float *weights, size_t count, float part)
{
    SBL_OMP(omp parallel for schedule(static) if (count > 16 * CHUNK))
    for (size_t at = 0; at < count; at += CHUNK)
        move_towards(average + at, weights + at, count - at < CHUNK ? count - at : CHUNK, part);
}
