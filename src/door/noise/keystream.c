/* SPDX-License-Identifier: Apache-2.0 */
/* Locked memory for a noise key, and its ChaCha20 keystream (RFC 8439) in stretches of 16 KiB. */
#include "door/noise/keystream.h"

#include <sys/mman.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "door/noise/key.h"

#define BLOCKS_PER_REFILL (sizeof(((sbl_noise *)0)->buffer) / SBL_CHACHA20_BLOCK_SIZE)
/* Refills per nonce: 2^24 stretches of 2^8 blocks are all 2^32 blocks of a nonce. */
#define REFILL_BITS 24

_Static_assert(BLOCKS_PER_REFILL << REFILL_BITS == UINT64_C(1) << 32,
               "the refills of a nonce must use each of its blocks once");

static bool protect(sbl_noise *noise)
{
    return mlock(noise, sizeof *noise) == 0 && madvise(noise, sizeof *noise, MADV_DONTDUMP) == 0 &&
           madvise(noise, sizeof *noise, MADV_WIPEONFORK) == 0;
}

sbl_status sbl_keystream_open(sbl_noise **noise, sbl_error *err)
{
    *noise = NULL;
    void *pages = mmap(NULL, sizeof **noise, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return sbl_fail(err, SBL_EENTROPY, "no memory could be mapped for the noise key");
    sbl_noise *fresh = pages;
    sbl_status status = SBL_OK;
    if (!protect(fresh))
        status = sbl_fail(err, SBL_EENTROPY,
                          "%zu bytes for the noise key could not be locked and kept out of dumps and "
                          "forks; raise the limit on locked memory (ulimit -l)",
                          sizeof *fresh);
    else
        status = sbl_key_make(fresh->key, err);
    if (status != SBL_OK) {
        sbl_keystream_close(fresh);
        return status;
    }
    fresh->alive = SBL_KEYSTREAM_ALIVE;
    *noise = fresh;
    return SBL_OK;
}

/* Stretch number r is blocks 2^8 (r mod 2^24) ... of nonce floor(r / 2^24): no block serves twice,
 * and the 32-bit block number never wraps inside a nonce. */
bool sbl_keystream_refill(sbl_noise *noise)
{
    uint8_t nonce[SBL_CHACHA20_NONCE_SIZE] = {0};
    const uint64_t nonce_number = noise->refills >> REFILL_BITS;
    const uint64_t first_block = (noise->refills & ((UINT64_C(1) << REFILL_BITS) - 1)) * BLOCKS_PER_REFILL;
    sbl_store_u64(nonce, nonce_number);
    if (noise->failed || noise->alive != SBL_KEYSTREAM_ALIVE || noise->refills == UINT64_MAX ||
        sbl_chacha20_keystream((uint8_t *)noise->buffer, sizeof noise->buffer, noise->key, nonce,
                               (uint32_t)first_block, NULL) != SBL_OK) {
        noise->failed = true;
        return false;
    }
    noise->refills++;
    noise->words += SBL_KEYSTREAM_WORDS;
    noise->left = SBL_KEYSTREAM_WORDS;
    return true;
}

void sbl_keystream_close(sbl_noise *noise)
{
    if (noise == NULL) return;
    sbl_wipe(noise, sizeof *noise);
    munmap(noise, sizeof *noise);
}
