/* SPDX-License-Identifier: Apache-2.0 */
/* Exact samplers for dyadic scales 2^k: Bernoulli(exp(-x)), discrete Laplace, discrete Gaussian.
 *
 * Canonne, Kamath and Steinke 2020, Algorithms 1 to 3, with scale t = sigma = 2^k, where every
 * division becomes a shift (docs/mechanisms/noise.md has the argument). Integers only; exact for a
 * source of independent fair bits. The time depends on what is drawn.
 *
 * Include a bit source first (bit_source.h says what it must define). */
#ifndef SBL_NOISE_EXACT_DRAW_H
#define SBL_NOISE_EXACT_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/int128.h"

/* A Gaussian candidate of this many scales or more is drawn again, so that its square fits 128
 * bits: exp(-127) of the law, inside the allowance in delta. Laplace has no such limit. */
#define SBL_GAUSSIAN_CANDIDATE_LIMIT 127

/* True with probability fraction / 2^128: are fresh random bits, read as a fraction, smaller? */
static inline bool sbl_bernoulli_fraction(sbl_bit_source *source, sbl_u128 fraction)
{
    while (fraction != 0) {
        const uint64_t expected = (uint64_t)(fraction >> (128 - SBL_FRACTION_BITS));
        const uint64_t drawn = sbl_take_bits(source, SBL_FRACTION_BITS);
        if (drawn != expected) return drawn < expected;
        fraction <<= SBL_FRACTION_BITS;
    }
    return false;
}

/* True with probability 1 / below: a uniform integer below `below` is 0 (Lemire 2019, with the
 * rejection that makes it exactly uniform). */
static inline bool sbl_bernoulli_one_in(sbl_bit_source *source, uint32_t below)
{
    const uint64_t range = UINT64_C(1) << SBL_UNIFORM_BITS;
    uint64_t product = sbl_take_bits(source, SBL_UNIFORM_BITS) * below;
    if (product % range < below) {
        const uint64_t threshold = range % below;
        while (product % range < threshold) product = sbl_take_bits(source, SBL_UNIFORM_BITS) * below;
    }
    return product < range;
}

/* True with probability exp(-x), x = fraction / 2^128 in [0, 1). Algorithm 1: the first K at which
 * Bernoulli(x / K) fails is odd with that probability; Bernoulli(x / K) = Bernoulli(x) and
 * Bernoulli(1 / K), so nothing is divided. */
static inline bool sbl_bernoulli_exp_fraction(sbl_bit_source *source, sbl_u128 fraction)
{
    uint32_t k = 1;
    while (sbl_bernoulli_fraction(source, fraction) && (k == 1 || sbl_bernoulli_one_in(source, k))) k++;
    return k % 2 == 1;
}

/* True with probability exp(-1): the same with x = 1, whose first trial cannot fail. */
static inline bool sbl_bernoulli_exp_one(sbl_bit_source *source)
{
    uint32_t k = 2;
    while (sbl_bernoulli_one_in(source, k)) k++;
    return k % 2 == 1;
}

/* numerator / 2^bits, which is below 1, as a fraction of 2^128; 0 <= bits <= 127. */
static inline sbl_u128 sbl_align_fraction(sbl_u128 numerator, unsigned bits)
{
    return (numerator << (127 - bits)) << 1;
}

/* True with probability exp(-numerator / 2^bits), bits <= 127. */
static inline bool sbl_bernoulli_exp(sbl_bit_source *source, sbl_u128 numerator, unsigned bits)
{
    for (sbl_u128 whole = numerator >> bits; whole != 0; whole--)
        if (!sbl_bernoulli_exp_one(source)) return false;
    return sbl_bernoulli_exp_fraction(source, sbl_align_fraction(numerator, bits));
}

/* Discrete Laplace of scale 2^k, 0 <= k <= 62, as sign and magnitude:
 * P(Y = y) proportional to exp(-|y| / 2^k). Algorithm 2. */
static inline sbl_u128 sbl_draw_laplace_magnitude(sbl_bit_source *source, unsigned k, bool *negative)
{
    sbl_u128 magnitude;
    do {
        uint64_t remainder;
        do remainder = sbl_take_bits(source, k);
        while (!sbl_bernoulli_exp_fraction(source, sbl_align_fraction(remainder, k)));
        uint64_t scales = 0;
        while (sbl_bernoulli_exp_one(source)) scales++;
        magnitude = ((sbl_u128)scales << k) + remainder;
        *negative = sbl_take_bits(source, 1) != 0;
    } while (*negative && magnitude == 0); /* else zero would come twice as often */
    return magnitude;
}

static inline sbl_i128 sbl_draw_laplace(sbl_bit_source *source, unsigned k)
{
    bool negative;
    const sbl_i128 magnitude = (sbl_i128)sbl_draw_laplace_magnitude(source, k, &negative);
    return negative ? -magnitude : magnitude;
}

/* Discrete Gaussian of scale 2^k, 0 <= k <= 56: P(Y = y) proportional to exp(-y^2 / 2^(2k+1)).
 * Algorithm 3 with t = sigma: accept a Laplace candidate with probability
 * exp(-(|y| - 2^k)^2 / 2^(2k+1)). */
static inline int64_t sbl_draw_gaussian(sbl_bit_source *source, unsigned k)
{
    const sbl_u128 scale = (sbl_u128)1 << k;
    for (;;) {
        bool negative;
        const sbl_u128 magnitude = sbl_draw_laplace_magnitude(source, k, &negative);
        if (magnitude >= SBL_GAUSSIAN_CANDIDATE_LIMIT * scale) continue;
        const sbl_u128 distance = magnitude > scale ? magnitude - scale : scale - magnitude;
        if (sbl_bernoulli_exp(source, distance * distance, 2 * k + 1))
            return negative ? -(int64_t)magnitude : (int64_t)magnitude;
    }
}

#endif
