/* Fresh ids: each number has its own, whatever the seed. */
#include <inttypes.h>
#include <string.h>

#include "made/made.h"
#include "random/model_rng.h"

#define ROUNDS 6
#define UUID_BITS 60 /* of a uuid's 122 free bits: the number, permuted */

/* One round's function: 32 bits of the generator for this half, round and key. */
static uint32_t mix(uint32_t half, uint32_t round, uint64_t key)
{
    uint32_t out[4];
    const uint32_t counter[4] = {half, round, 0x6d616465, 0};
    const uint32_t keys[2] = {(uint32_t)key, (uint32_t)(key >> 32)};
    sbl_philox4x32(out, counter, keys);
    return out[0];
}

/* A Feistel network over 2 * width bits: a bijection whatever mix() is. */
static uint64_t shuffle_bits(uint64_t value, unsigned width, uint64_t key)
{
    const uint64_t mask = (UINT64_C(1) << width) - 1;
    uint64_t left = value >> width;
    uint64_t right = value & mask;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint64_t next = left ^ (mix((uint32_t)right, round, key) & mask);
        left = right;
        right = next;
    }
    return left << width | right;
}

/* Cycle walking (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002): the bits are
 * shuffled until they are a number of the range again, which is a bijection of the range. The bits
 * hold fewer than four times as many numbers: four steps on average, and it always ends, because
 * the cycle comes back to where it began. */
uint64_t sbl_made_permute(uint64_t value, uint64_t count, uint64_t key)
{
    unsigned width = 1;
    while (width < 30 && UINT64_C(1) << (2 * width) < count) width++;
    do value = shuffle_bits(value, width, key);
    while (value >= count);
    return value;
}

static void put_uuid(sbl_text *cell, uint64_t key, uint64_t number)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, key, SBL_RNG_MADE, number);
    const uint64_t bits = sbl_model_rng_u64(&rng);
    const uint64_t own = sbl_made_permute(number, UINT64_C(1) << UUID_BITS, key);
    /* RFC 9562, version 4: random; the variant's digit is 8, 9, a or b. */
    sbl_text_printf(cell, "%08" PRIx32 "-%04" PRIx32 "-4%03" PRIx32 "-%c%03" PRIx32 "-%012" PRIx64,
                    (uint32_t)(bits >> 32), (uint32_t)(bits >> 16) & 0xffff,
                    (uint32_t)(bits >> 4) & 0xfff, "89ab"[bits & 3], (uint32_t)(own >> 48),
                    own & ((UINT64_C(1) << 48) - 1));
}

/* The number's digits take the places of the #; what does not fit stands before the first. */
static void put_pattern(sbl_text *cell, const char *pattern, uint64_t key, uint64_t number)
{
    uint64_t count = 1;
    for (const char *p = pattern; *p != '\0'; p++)
        if (*p == '#') count *= 10;
    uint64_t place = count;
    uint64_t rest = number < count ? sbl_made_permute(number, count, key) : number;
    for (const char *p = pattern; *p != '\0'; p++) {
        if (*p != '#') {
            sbl_text_append(cell, p, 1);
            continue;
        }
        if (place == count && rest >= count) sbl_text_printf(cell, "%" PRIu64, rest / count);
        rest %= place;
        place /= 10;
        sbl_text_printf(cell, "%c", (char)('0' + rest / place));
    }
}

void sbl_made_id(sbl_text *cell, const char *how, uint64_t key, uint64_t number)
{
    if (strcmp(how, "sequential") == 0)
        sbl_text_printf(cell, "%" PRIu64, number + 1);
    else if (strcmp(how, "uuid") == 0)
        put_uuid(cell, key, number);
    else
        put_pattern(cell, how, key, number);
}
