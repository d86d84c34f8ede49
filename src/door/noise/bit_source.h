/* SPDX-License-Identifier: Apache-2.0 */
/* Random bits for the samplers, from the keystream: one 64-bit word per request.
 *
 * The samplers (exact_draw.h, constant_flow.h) are written against five names: the type
 * sbl_bit_source, sbl_take_bits, and the widths below. A test that defines them over a tape of
 * single bits runs the same text on every possible tape.
 *
 * A source that fails gives ones for ever: with a scale of at least 2 every loop of the samplers
 * ends on them, so that only the caller of a whole batch has to look at `failed`. */
#ifndef SBL_NOISE_BIT_SOURCE_H
#define SBL_NOISE_BIT_SOURCE_H

#include <stdint.h>

#include "base/bytes.h"
#include "door/noise/keystream.h"

typedef sbl_noise sbl_bit_source;

/* A fraction is compared with random bits this many at a time, most significant first. */
#define SBL_FRACTION_BITS 64
/* Width of the random integer behind a uniform draw below K; K stays below 2^this. */
#define SBL_UNIFORM_BITS 32

/* count bits, 0 <= count <= 64, as an integer. */
static inline uint64_t sbl_take_bits(sbl_bit_source *source, unsigned count)
{
    uint64_t word = UINT64_MAX;
    if (source->left != 0 || sbl_keystream_refill(source))
        word = sbl_load_u64(source->buffer[SBL_KEYSTREAM_WORDS - source->left--]);
    return count == 0 ? 0 : word >> (64 - count);
}

#endif
