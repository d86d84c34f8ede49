/* SPDX-License-Identifier: Apache-2.0 */
/* No block of a keystream serves twice under one key. The cipher is taken as a function that is told where to start; which blocks two
 * refills ask for is compared for every two numbers of refills. */
#include "door/noise/keystream.c"

#include "proof.h"

static uint8_t asked_nonce[SBL_CHACHA20_NONCE_SIZE];
static uint32_t asked_block;
static size_t asked_size;
static bool asked;

sbl_status sbl_chacha20_keystream(uint8_t *stream, size_t size, const uint8_t key[SBL_CHACHA20_KEY_SIZE],
                                  const uint8_t nonce[SBL_CHACHA20_NONCE_SIZE], uint32_t block,
                                  sbl_error *err)
{
    (void)stream, (void)key, (void)err;
    memcpy(asked_nonce, nonce, sizeof asked_nonce);
    asked_block = block;
    asked_size = size;
    asked = true;
    return nondet_bool() ? SBL_OK : SBL_EINTERNAL;
}

static uint64_t number_of(const uint8_t nonce[SBL_CHACHA20_NONCE_SIZE])
{
    uint64_t number;
    memcpy(&number, nonce, sizeof number);
    return number;
}

static sbl_noise noise;

void prove_sbl_keystream_refill(void)
{
    noise.alive = nondet_u64();
    noise.refills = nondet_u64();
    noise.failed = nondet_bool();
    noise.left = 0;
    const sbl_noise before = {.alive = noise.alive, .refills = noise.refills, .failed = noise.failed};
    asked = false;
    const bool filled = sbl_keystream_refill(&noise);
    PROVE(!filled || (asked && noise.refills == before.refills + 1 && noise.refills != 0),
          "a stretch is used up when it is handed out");
    PROVE(!filled || (before.alive == SBL_KEYSTREAM_ALIVE && !before.failed),
          "nothing comes from a wiped or failed source");
    PROVE(!filled || noise.left == SBL_KEYSTREAM_WORDS,
          "the words that can be taken are those that were filled");
    PROVE(filled || noise.failed, "a source that failed once stays failed");
    PROVE(!filled || asked_size == sizeof noise.buffer, "the whole buffer is filled");
    PROVE(
        !filled || (uint64_t)asked_block + sizeof noise.buffer / SBL_CHACHA20_BLOCK_SIZE <= (uint64_t)1 << 32,
        "the block number does not wrap within a stretch");
    const uint64_t first_nonce = number_of(asked_nonce);
    const uint32_t first_block = asked_block;
    const uint64_t blocks = sizeof noise.buffer / SBL_CHACHA20_BLOCK_SIZE;

    /* Any other stretch of the same key. */
    noise.refills = nondet_u64();
    GIVEN(noise.refills != before.refills);
    asked = false;
    const bool filled_again = sbl_keystream_refill(&noise);
    const bool overlaps =
        number_of(asked_nonce) == first_nonce &&
        !((uint64_t)asked_block + blocks <= first_block || (uint64_t)first_block + blocks <= asked_block);
    PROVE(!filled || !filled_again || !overlaps, "two stretches share no block");
}
