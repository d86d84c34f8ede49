/* SPDX-License-Identifier: Apache-2.0 */
/* exp in plain float arithmetic that compilers vectorise: e^x = 2^k e^r, |r| <= ln 2 / 2, with a
 * polynomial of degree 6; relative error below 3e-7. Arguments are held to [-87, 87]. */
#ifndef SBL_COMPUTE_VECTOR_MATH_H
#define SBL_COMPUTE_VECTOR_MATH_H

#include <stdint.h>
#include <string.h>

static inline float sbl_fast_exp(float x)
{
    x = x < -87.0f ? -87.0f : x;
    x = x > 87.0f ? 87.0f : x;
    int32_t k = (int32_t)(x * 1.44269504f + 128.5f) - 128; /* rounds: the sum is positive */
    float fk = (float)k;
    float r = x - fk * 0.693359375f;
    r = r + fk * 2.12194440e-4f;
    float p = 1.3888889e-3f;
    p = p * r + 8.3333333e-3f;
    p = p * r + 4.1666667e-2f;
    p = p * r + 1.6666667e-1f;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    int32_t bits = (k + 127) * (1 << 23);
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}

#endif
