/* SPDX-License-Identifier: Apache-2.0 */
/* SipHash-2-4 with 64 and 128 bits of output, in one piece or byte by byte, written from the
 * paper: two rounds for each 8-byte word, four at the end. */
#include "base/siphash.h"

#include "base/bytes.h"

static uint64_t rotate(uint64_t x, unsigned by) { return x << by | x >> (64 - by); }

static void round_of(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

static void absorb(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    round_of(v);
    round_of(v);
    v[0] ^= word;
}

/* apart: what tells the output of 128 bits from that of 64, in the beginning. */
static void begin(uint64_t v[4], const uint8_t key[SBL_SIPHASH_KEY_SIZE], uint64_t apart)
{
    const uint64_t k0 = sbl_load_u64(key);
    const uint64_t k1 = sbl_load_u64(key + 8);
    v[0] = k0 ^ UINT64_C(0x736f6d6570736575);
    v[1] = k1 ^ UINT64_C(0x646f72616e646f6d) ^ apart;
    v[2] = k0 ^ UINT64_C(0x6c7967656e657261);
    v[3] = k1 ^ UINT64_C(0x7465646279746573);
}

static void absorb_all(uint64_t v[4], const uint8_t *p, size_t size)
{
    uint64_t last = (uint64_t)size << 56;
    size_t left = size;
    for (; left >= 8; left -= 8, p += 8) absorb(v, sbl_load_u64(p));
    for (size_t i = 0; i < left; i++) last |= (uint64_t)p[i] << (8 * i);
    absorb(v, last);
}

static uint64_t squeeze(uint64_t v[4])
{
    for (int i = 0; i < 4; i++) round_of(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t sbl_siphash(const uint8_t key[SBL_SIPHASH_KEY_SIZE], const void *bytes, size_t size)
{
    uint64_t v[4];
    begin(v, key, 0);
    absorb_all(v, bytes, size);
    v[2] ^= 0xff;
    return squeeze(v);
}

static sbl_unit_tag squeeze_tag(uint64_t v[4])
{
    v[2] ^= 0xee;
    const uint64_t low = squeeze(v);
    v[1] ^= 0xdd;
    return (sbl_unit_tag){.low = low, .high = squeeze(v)};
}

sbl_unit_tag sbl_siphash128(const uint8_t key[SBL_SIPHASH_KEY_SIZE], const void *bytes, size_t size)
{
    uint64_t v[4];
    begin(v, key, 0xee);
    absorb_all(v, bytes, size);
    return squeeze_tag(v);
}

void sbl_siphash_begin(sbl_siphash_state *state, const uint8_t key[SBL_SIPHASH_KEY_SIZE])
{
    *state = (sbl_siphash_state){0};
    begin(state->v, key, 0xee);
}

void sbl_siphash_add(sbl_siphash_state *state, uint8_t byte)
{
    state->word |= (uint64_t)byte << (8 * (state->size++ % 8));
    if (state->size % 8 != 0) return;
    absorb(state->v, state->word);
    state->word = 0;
}

sbl_unit_tag sbl_siphash_end(sbl_siphash_state *state)
{
    absorb(state->v, state->size << 56 | state->word);
    return squeeze_tag(state->v);
}
