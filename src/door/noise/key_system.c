/* SPDX-License-Identifier: Apache-2.0 */
/* Noise keys of what ships: the kernel's generator and nothing else. */
#include "base/os_random.h"
#include "door/noise/key.h"

sbl_status sbl_key_make(uint8_t key[SBL_CHACHA20_KEY_SIZE], sbl_error *err)
{
    return sbl_os_random(key, SBL_CHACHA20_KEY_SIZE, err);
}

bool sbl_key_is_test(void) { return false; }
