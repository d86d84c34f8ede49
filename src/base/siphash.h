/* SPDX-License-Identifier: Apache-2.0 */
/* SipHash-2-4 (Aumasson and Bernstein 2012): a pseudo-random function of short texts, for tables in
 * memory. Who does not know the key can neither invert it nor choose texts that collide or make a
 * table slow; of N texts that do not depend on the key, two have the same 128 bits with probability
 * at most N^2 / 2^129. Not for anything that leaves the process. */
#ifndef SBL_BASE_SIPHASH_H
#define SBL_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/kinds.h"

#define SBL_SIPHASH_KEY_SIZE 16

uint64_t sbl_siphash(const uint8_t key[SBL_SIPHASH_KEY_SIZE], const void *bytes, size_t size);

/* low and high are the first and the last 8 bytes of the output, little-endian. */
sbl_unit_tag sbl_siphash128(const uint8_t key[SBL_SIPHASH_KEY_SIZE], const void *bytes, size_t size);

/* The same 128 bits of a text that comes byte by byte, however long it is. */
typedef struct sbl_siphash_state {
    uint64_t v[4];
    uint64_t word; /* what came since the last whole one */
    uint64_t size;
} sbl_siphash_state;

void sbl_siphash_begin(sbl_siphash_state *state, const uint8_t key[SBL_SIPHASH_KEY_SIZE]);
void sbl_siphash_add(sbl_siphash_state *state, uint8_t byte);
sbl_unit_tag sbl_siphash_end(sbl_siphash_state *state);

#endif
