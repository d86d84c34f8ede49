/* SPDX-License-Identifier: Apache-2.0 */
/* Philox 4x32-10 of many counters side by side: the same words as sbl_philox4x32, in vectors. */
#include "base/clones.h"
#include "base/random/model_rng.h"

#define MOST 16 /* streams at a time */

/* Of MOST streams: the loops are of one length, so that they become vectors. */
SBL_CLONES static void words_of(uint32_t words[4][MOST], uint32_t k0, uint32_t k1)
{
    for (int round = 0; round < 10; round++) {
        for (int s = 0; s < MOST; s++) {
            const uint64_t p0 = (uint64_t)words[0][s] * UINT32_C(0xD2511F53);
            const uint64_t p1 = (uint64_t)words[2][s] * UINT32_C(0xCD9E8D57);
            words[0][s] = (uint32_t)(p1 >> 32) ^ words[1][s] ^ k0;
            words[2][s] = (uint32_t)(p0 >> 32) ^ words[3][s] ^ k1;
            words[1][s] = (uint32_t)p1;
            words[3][s] = (uint32_t)p0;
        }
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
}

static void take(uint32_t out[4][MOST], uint64_t stream, uint64_t position)
{
    for (uint64_t s = 0; s < MOST; s++) {
        out[0][s] = (uint32_t)position;
        out[1][s] = (uint32_t)(position >> 32);
        out[2][s] = (uint32_t)(stream + s);
        out[3][s] = (uint32_t)((stream + s) >> 32);
    }
}

void sbl_model_rng_words(uint32_t *words, size_t streams, uint64_t seed, sbl_rng_use use, uint64_t index,
                         uint64_t position)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t some[4][MOST];
    for (size_t from = 0; from < streams; from += MOST) {
        const size_t count = streams - from < MOST ? streams - from : MOST;
        if (count == 1) { /* alone, without vectors */
            uint32_t counter[4], one[4];
            const uint64_t stream = (uint64_t)use << 56 | (index + from);
            counter[0] = (uint32_t)position, counter[1] = (uint32_t)(position >> 32);
            counter[2] = (uint32_t)stream, counter[3] = (uint32_t)(stream >> 32);
            sbl_philox4x32(one, counter, key);
            for (size_t w = 0; w < 4; w++) words[w * streams + from] = one[w];
            continue;
        }
        take(some, (uint64_t)use << 56 | (index + from), position);
        words_of(some, key[0], key[1]);
        for (size_t w = 0; w < 4; w++)
            for (size_t s = 0; s < count; s++) words[w * streams + from + s] = some[w][s];
    }
}
