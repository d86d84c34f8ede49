/* SPDX-License-Identifier: Apache-2.0 */
/* Philox 4x32-10 with the seed as key and (position, stream) as counter, and the distributions on
 * top of it: rejection for whole numbers, Box-Muller for normals. The order in which words are
 * used is part of the result: a change here changes every model and every drawn row of a seed. */
#include "base/random/model_rng.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

void sbl_philox4x32(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)c0 * UINT32_C(0xD2511F53);
        uint64_t p1 = (uint64_t)c2 * UINT32_C(0xCD9E8D57);
        uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        uint32_t n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        c0 = n0;
        c2 = n2;
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

void sbl_model_rng_init(sbl_model_rng *rng, uint64_t seed, sbl_rng_use use, uint64_t index)
{
    *rng = (sbl_model_rng){.seed = seed, .stream = (uint64_t)use << 56 | index};
}

static void refill(sbl_model_rng *rng)
{
    uint32_t counter[4] = {(uint32_t)rng->position, (uint32_t)(rng->position >> 32), (uint32_t)rng->stream,
                           (uint32_t)(rng->stream >> 32)};
    uint32_t key[2] = {(uint32_t)rng->seed, (uint32_t)(rng->seed >> 32)};
    sbl_philox4x32(rng->words, counter, key);
    rng->position++;
    rng->left = 4;
}

uint32_t sbl_model_rng_u32(sbl_model_rng *rng)
{
    if (rng->left == 0) refill(rng);
    return rng->words[4 - rng->left--];
}

uint64_t sbl_model_rng_u64(sbl_model_rng *rng)
{
    uint64_t low = sbl_model_rng_u32(rng);
    return low | (uint64_t)sbl_model_rng_u32(rng) << 32;
}

uint64_t sbl_model_rng_below(sbl_model_rng *rng, uint64_t bound)
{
    uint64_t word;
    do word = sbl_model_rng_u64(rng);
    while (word < bound && word < (UINT64_MAX - bound + 1) % bound); /* 2^64 mod bound, which is less */
    return word % bound;
}

double sbl_model_rng_uniform(sbl_model_rng *rng)
{
    return ((double)(sbl_model_rng_u64(rng) >> 12) + 0.5) * 0x1p-52;
}

double sbl_model_rng_normal(sbl_model_rng *rng)
{
    if (rng->has_spare) {
        rng->has_spare = 0;
        return rng->spare_normal;
    }
    double u = sbl_model_rng_uniform(rng);
    double angle = (double)sbl_model_rng_u32(rng) * 0x1p-32;
    double radius = sqrt(-2 * sbl_exact_log(u)), sine, cosine;
    sbl_exact_sincos_turns(&sine, &cosine, angle);
    rng->spare_normal = radius * sine;
    rng->has_spare = 1;
    return radius * cosine;
}

void sbl_model_rng_normals(sbl_model_rng *rng, float *out, size_t count)
{
    for (size_t i = 0; i < count; i++) out[i] = (float)sbl_model_rng_normal(rng);
}

void sbl_model_rng_latents(sbl_model_rng *rng, float *out, size_t count, size_t signs)
{
    sbl_model_rng_normals(rng, out, count);
    for (size_t i = count - signs; i < count; i++) out[i] = out[i] > 0 ? 1.0F : -1.0F;
}

void sbl_model_rng_shuffle(sbl_model_rng *rng, uint32_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)sbl_model_rng_below(rng, i);
        uint32_t swap = items[i - 1];
        items[i - 1] = items[j];
        items[j] = swap;
    }
}

size_t sbl_model_rng_categorical(sbl_model_rng *rng, const float *weights, size_t count)
{
    double total = 0;
    for (size_t i = 0; i < count; i++) total += (double)weights[i];
    double left = sbl_model_rng_uniform(rng) * total;
    size_t last = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(weights[i] > 0)) continue;
        last = i;
        left -= (double)weights[i];
        if (left < 0) break;
    }
    return last;
}

/* Argument reduction and fixed polynomials, evaluated by Horner's rule: where each series stops,
 * and what is left, is said at its function. Compiled without contraction; no libm call may be
 * added here, since its last bits differ between systems. */

static const double ln2_high = 0x1.62e42fefa38p-1; /* 41 bits: k * ln2_high is exact */
static const double ln2_low = 0x1.ef35793c7673p-45;

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* x = 2^k m with m in [sqrt 1/2, sqrt 2); ln m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.1716:
 * eleven odd powers leave less than 0.1716^22 / 23 < 1e-18. */
double sbl_exact_log(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int k = (int)(bits >> 52) - 1023;
    double m = from_bits((bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x3ff0000000000000));
    if (m > 0x1.6a09e667f3bcdp0) {
        m *= 0.5;
        k++;
    }
    static const double terms[] = {2.0,      2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9, 2.0 / 11,
                                   2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
    double s = (m - 1) / (m + 1), s2 = s * s, p = 0;
    for (int i = 10; i >= 0; i--) p = p * s2 + terms[i];
    return k * ln2_high + (k * ln2_low + s * p);
}

/* x = k ln 2 + r, |r| <= 0.347; Taylor to r^13. */
double sbl_exact_exp(double x)
{
    if (x < -700) return 0;
    if (x > 700) x = 700;
    double shifted = x * 0x1.71547652b82fep0;
    int k = (int)(shifted + (shifted >= 0 ? 0.5 : -0.5));
    double r = (x - k * ln2_high) - k * ln2_low;
    static const double inverse[] = {1.0,     1.0 / 2, 1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6, 1.0 / 7,
                                     1.0 / 8, 1.0 / 9, 1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13};
    double p = 1;
    for (int n = 13; n >= 1; n--) p = 1 + p * (r * inverse[n - 1]);
    return p * from_bits((uint64_t)(k + 1023) << 52);
}

/* sin(2 pi a) for |a| <= 1/8 and cos likewise, by Taylor series in y = 2 pi a, |y| <= pi / 4. */
static void small_sincos(double *sine, double *cosine, double a)
{
    static const double sine_terms[] = {
        1.0,          -1.0 / 6,        1.0 / 120,          -1.0 / 5040,
        1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0, -1.0 / 1307674368000.0};
    static const double cosine_terms[] = {1.0,
                                          -1.0 / 2,
                                          1.0 / 24,
                                          -1.0 / 720,
                                          1.0 / 40320,
                                          -1.0 / 3628800,
                                          1.0 / 479001600,
                                          -1.0 / 87178291200.0,
                                          1.0 / 20922789888000.0};
    double y = a * 0x1.921fb54442d18p2, y2 = y * y, s = 0, c = 0;
    for (int i = 7; i >= 0; i--) s = s * y2 + sine_terms[i];
    for (int i = 8; i >= 0; i--) c = c * y2 + cosine_terms[i];
    *sine = s * y;
    *cosine = c;
}

void sbl_exact_sincos_turns(double *sine, double *cosine, double t)
{
    int quarter = (int)(4 * t + 0.5);
    double s, c;
    small_sincos(&s, &c, t - 0.25 * quarter);
    switch (quarter & 3) {
    case 0:
        *sine = s, *cosine = c;
        break;
    case 1:
        *sine = c, *cosine = -s;
        break;
    case 2:
        *sine = -s, *cosine = -c;
        break;
    default:
        *sine = -c, *cosine = s;
        break;
    }
}
