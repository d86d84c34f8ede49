/* SPDX-License-Identifier: Apache-2.0 */
/* A code from its logits: the innermost step of a fit, in vectors of 8 floats with an exponential of our
 * own, so that results are the same on every machine, lane by lane. For the files that draw. */
#ifndef SBL_COUNTS_DRAW_CODE_H
#define SBL_COUNTS_DRAW_CODE_H

#include <stdint.h>
#include <string.h>

#define LANES 8 /* floats of a vector: rows of tables are padded to a multiple */
#define INLINE static inline __attribute__((always_inline))
#define PADDING (-1e30f) /* a logit that never wins */

typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t whole __attribute__((vector_size(4 * LANES)));

INLINE lanes load(const float *p)
{
    lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store(float *p, lanes v) { memcpy(p, &v, sizeof v); }

/* e^x for x <= 0, to 3e-7; 0 below -80. x = k ln 2 + r by the rounding of 1.5 2^23 + k. */
INLINE lanes exp_lanes(lanes x)
{
    const lanes shift = (lanes){0} + 12582912.0f;
    const whole alive = x > -80.0f;
    x = (lanes)((whole)x & alive);
    const lanes moved = x * 1.44269504f + shift, k = moved - shift;
    const lanes r = (x - k * 0.693359375f) - k * -2.12194440e-4f;
    lanes p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    const whole scale = ((whole)moved - (whole)shift) << 23;
    return (lanes)(((whole)p + scale) & alive);
}

/* Eight numbers of two vectors: those of b count from 8. */
#ifdef __clang__
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICK(a, b, ...) __builtin_shuffle(a, b, (whole){__VA_ARGS__})
#endif

INLINE lanes larger(lanes a, lanes b)
{
    const whole more = b > a;
    return (lanes)(((whole)b & more) | ((whole)a & ~more));
}

INLINE float largest(lanes v)
{
    v = larger(v, PICK(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
    v = larger(v, PICK(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
    v = larger(v, PICK(v, v, 1, 0, 3, 2, 5, 4, 7, 6));
    return v[0];
}

INLINE float sum_of(lanes v) { return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])); }

INLINE int32_t whole_sum(whole v)
{
    v += PICK(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
    v += PICK(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
    return v[0] + v[1];
}

/* Sums of the first 1, 2, ... 8 numbers. */
INLINE lanes running(lanes v)
{
    const lanes none = {0};
    v += PICK(none, v, 0, 8, 9, 10, 11, 12, 13, 14);
    v += PICK(none, v, 0, 1, 8, 9, 10, 11, 12, 13);
    v += PICK(none, v, 0, 1, 2, 3, 8, 9, 10, 11);
    return v;
}

/* As draw_code, of few logits in registers: `vectors` is a constant where this is inlined, and no branch depends on
 * what is drawn. Other bits than draw_code's, since sums are taken in another order. shares: room for the vectors. */
INLINE uint32_t draw_few(const lanes *logits, uint32_t vectors, float *shares, uint32_t codes, float uniform)
{
    lanes top = logits[0], sums[8];
    whole below = {0};
    float total = 0;
    for (uint32_t v = 1; v < vectors; v++) top = larger(top, logits[v]);
    const float peak = largest(top);
    for (uint32_t v = 0; v < vectors; v++) {
        const lanes e = exp_lanes(logits[v] - peak);
        store(shares + v * LANES, e);
        sums[v] = running(e) + total;
        total = sums[v][LANES - 1];
    }
    const float wanted = uniform * total;
    for (uint32_t v = 0; v < vectors; v++) below -= (whole)(sums[v] <= wanted);
    uint32_t code = (uint32_t)whole_sum(below);
    if (code >= codes) code = codes - 1;
    while (shares[code] == 0 && code > 0) code--; /* sums are rounded: a code before it has the share */
    return code;
}

/* A code with probability proportional to e^logits, never one of probability 0; logits are
 * overwritten. sums: one float per vector. */
INLINE uint32_t draw_code(float *logits, float *sums, uint32_t codes, uint32_t width, float uniform)
{
    lanes top = load(logits);
    for (uint32_t b = LANES; b < width; b += LANES) top = larger(top, load(logits + b));
    const float peak = largest(top);
    float total = 0;
    for (uint32_t b = 0; b < width; b += LANES) {
        const lanes e = exp_lanes(load(logits + b) - peak);
        store(logits + b, e);
        sums[b / LANES] = sum_of(e);
        total += sums[b / LANES];
    }
    float wanted = uniform * total;
    uint32_t block = 0, code;
    for (; (block + 1) * LANES < width && sums[block] <= wanted; block++) wanted -= sums[block];
    for (code = block * LANES; code + 1 < codes && logits[code] <= wanted; code++) wanted -= logits[code];
    while (logits[code] == 0 && code > 0) code--; /* sums are rounded: a little may be left */
    return code;
}

#endif
