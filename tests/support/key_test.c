/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for door/noise/key_system.c in the test library. */
#include "support/key_test.h"

#include "door/noise/key.h"

static _Atomic uint64_t next_number; /* handles of several threads draw from it */

void sbl_test_key_set(uint64_t number) { next_number = number; }

uint64_t sbl_test_key_next(void) { return next_number; }

/* Bytes 0x80 ... 0x9f, the first eight of them xored with the number, little-endian. */
sbl_status sbl_key_make(uint8_t key[SBL_CHACHA20_KEY_SIZE], sbl_error *err)
{
    (void)err;
    for (unsigned i = 0; i < SBL_CHACHA20_KEY_SIZE; i++) key[i] = (uint8_t)(0x80 + i);
    const uint64_t number = next_number++;
    for (unsigned i = 0; i < 8; i++) key[i] ^= (uint8_t)(number >> (8 * i));
    return SBL_OK;
}

bool sbl_key_is_test(void) { return true; }
