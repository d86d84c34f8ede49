/* SPDX-License-Identifier: Apache-2.0 */
/* [4] scale * x, clamped and rounded to the nearest integer by adding and subtracting 1.5 * 2^52,
 * element by element without a branch. Must not be built with -ffast-math: NaN has to become 0. */
#include "records/accumulate/quantise.h"

#include <float.h>

#include "base/clones.h"

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ != 0)
#error "NaN tests and exact rounding are part of the privacy guarantee: build without -ffast-math"
#endif
#if FLT_EVAL_METHOD != 0
#error "doubles must be evaluated as doubles: build with SSE2 or another IEEE 754 unit"
#endif

/* In [2^52, 2^53) the doubles are the integers, so adding and taking away 1.5 * 2^52 rounds any
 * |v| <= 2^51 to the nearest integer, ties to even: rint(v), in two instructions that every target
 * has as vectors. Like rint it assumes the default rounding mode; under another one the result is
 * the other neighbouring integer, still within [low, high], and no bound is touched. */
#define ROUNDER 0x1.8p52

static inline int32_t to_grid(double x, sbl_grid grid)
{
    double v = grid.scale * x;
    v = v == v ? v : 0;
    /* low and high are integers, so clamping before rounding equals clamping after it. */
    v = v > grid.low ? v : grid.low;
    v = v < grid.high ? v : grid.high;
    return (int32_t)((v + ROUNDER) - ROUNDER);
}

SBL_CLONES static void quantise_f32(int32_t *restrict q, const float *restrict x, size_t count, sbl_grid grid)
{
    for (size_t i = 0; i < count; i++) q[i] = to_grid((double)x[i], grid);
}

void sbl_quantise_f32(int32_t *restrict q, const float *restrict x, size_t count, sbl_grid grid)
{
    quantise_f32(q, x, count, grid);
}

SBL_CLONES static void quantise_f64(int32_t *restrict q, const double *restrict x, size_t count,
                                    sbl_grid grid)
{
    for (size_t i = 0; i < count; i++) q[i] = to_grid(x[i], grid);
}

void sbl_quantise_f64(int32_t *restrict q, const double *restrict x, size_t count, sbl_grid grid)
{
    quantise_f64(q, x, count, grid);
}
