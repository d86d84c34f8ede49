/* SPDX-License-Identifier: Apache-2.0 */
/* Public, reproducible randomness: frequencies, weights, latents, drawn rows.
 *
 * Counter based (Philox 4x32-10; Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy
 * as 1, 2, 3", SC 2011): number i of stream s under seed k is a pure function of (k, s, i), so that
 * results do not depend on threads or chunks. The normal deviates use this library's own logarithm
 * and sine and no fused operations: the same bits on every platform.
 * Never the privacy noise: that is noise/, which has no seed. */
#ifndef SBL_RANDOM_MODEL_RNG_H
#define SBL_RANDOM_MODEL_RNG_H

#include <stddef.h>
#include <stdint.h>

/* What a stream is for; part of its number, so that no two uses share values. */
typedef enum sbl_rng_use {
    SBL_RNG_FREQUENCIES = 1,
    SBL_RNG_WEIGHTS = 2,
    SBL_RNG_TRAIN_LATENT = 3,
    SBL_RNG_TRAIN_CODES = 4,
    SBL_RNG_SAMPLE_ROW = 6,
    SBL_RNG_OTHER = 7,
    SBL_RNG_ROTATION = 8,
    SBL_RNG_CALIBRATION = 9,
    SBL_RNG_PAIRS = 10,
    SBL_RNG_SUBSETS = 11,
    SBL_RNG_SYNTHETIC_IDS = 12,
    SBL_RNG_RULES = 13,
    SBL_RNG_HISTORIES = 14,
    SBL_RNG_TREES = 15,
    SBL_RNG_METRIC = 16,
    SBL_RNG_REPLICATES = 17,
    SBL_RNG_CELLS = 18
} sbl_rng_use;

typedef struct sbl_model_rng {
    uint64_t seed;
    uint64_t stream;
    uint64_t position; /* next block of four words */
    uint32_t words[4];
    unsigned left;       /* unused words in words */
    double spare_normal; /* the second of a pair */
    int has_spare;
} sbl_model_rng;

/* Stream number `index` (< 2^56) of a use, from its start. */
void sbl_model_rng_init(sbl_model_rng *rng, uint64_t seed, sbl_rng_use use, uint64_t index);

/* The generator itself: four words for a counter of four words and a key of two. */
void sbl_philox4x32(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]);

/* The four words at a position of `streams` streams that follow each other, from number `index` on: word w of
 * stream s at words[w * streams + s]. What sbl_model_rng_u32 gives, for many streams at a time. */
void sbl_model_rng_words(uint32_t *words, size_t streams, uint64_t seed, sbl_rng_use use, uint64_t index,
                         uint64_t position);

uint32_t sbl_model_rng_u32(sbl_model_rng *rng);
uint64_t sbl_model_rng_u64(sbl_model_rng *rng);
/* Uniform in {0 .. bound - 1}, without bias; bound >= 1. */
uint64_t sbl_model_rng_below(sbl_model_rng *rng, uint64_t bound);
/* Uniform on the centres of 2^52 cells of (0, 1). */
double sbl_model_rng_uniform(sbl_model_rng *rng);
/* Standard normal (Box-Muller). */
double sbl_model_rng_normal(sbl_model_rng *rng);
void sbl_model_rng_normals(sbl_model_rng *rng, float *out, size_t count);
/* The random input of a network: normal, but that of the last `signs` (at most count) only the signs
 * are left, as -1 or 1. The others are what they are without. */
void sbl_model_rng_latents(sbl_model_rng *rng, float *out, size_t count, size_t signs);
/* Fisher-Yates. */
void sbl_model_rng_shuffle(sbl_model_rng *rng, uint32_t *items, size_t count);
/* An index with probability proportional to weights[index]; weights are >= 0 and not all zero. */
size_t sbl_model_rng_categorical(sbl_model_rng *rng, const float *weights, size_t count);

/* Logarithm, exponential and sine from +, -, *, / and sqrt in a fixed order: IEEE 754 arithmetic
 * gives the same bits on every platform, which libm does not promise. Relative error below 1e-14
 * (logarithm, sine) and 1e-15 (exponential); far better than a float needs. */

/* ln x for normal x > 0. */
double sbl_exact_log(double x);
/* e^x; 0 below -700, e^700 above 700. */
double sbl_exact_exp(double x);
/* sin and cos of 2 pi t for t in [0, 1). */
void sbl_exact_sincos_turns(double *sine, double *cosine, double t);

#endif
