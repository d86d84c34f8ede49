/* SPDX-License-Identifier: Apache-2.0 */
/* A bit source for door/noise/exact_draw.h that reads a given tape, bit by bit. Past its end it gives
 * ones and says so, as a failed keystream does. */
#ifndef SBL_TESTS_NOISE_TAPE_SOURCE_H
#define SBL_TESTS_NOISE_TAPE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tape {
    const uint8_t *bits; /* one per byte */
    size_t length;
    size_t used;
    bool failed;
} tape;

typedef tape sbl_bit_source;

#define SBL_FRACTION_BITS 1
#define SBL_UNIFORM_BITS 3

static inline uint64_t sbl_take_bits(sbl_bit_source *source, unsigned count)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++) {
        source->failed |= source->used == source->length;
        value = 2 * value + (source->failed ? 1 : source->bits[source->used++]);
    }
    return value;
}

#endif
