/* Philox 4x32-10 with the seed as key and (position, stream) as counter, and the distributions on
 * top of it: rejection for whole numbers, Box-Muller for normals. The order in which words are
 * used is part of the result: a change here changes every model and every drawn row of a seed. */
#include "random/model_rng.h"

#include <math.h>

#include "random/exact_math.h"

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
    uint32_t counter[4] = {(uint32_t)rng->position, (uint32_t)(rng->position >> 32),
                           (uint32_t)rng->stream, (uint32_t)(rng->stream >> 32)};
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
    uint64_t reject = (UINT64_MAX - bound + 1) % bound; /* 2^64 mod bound */
    uint64_t word;
    do word = sbl_model_rng_u64(rng);
    while (word < reject);
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
