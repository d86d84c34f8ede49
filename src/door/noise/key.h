/* SPDX-License-Identifier: Apache-2.0 */
/* Where a noise key comes from. Two objects define these, and a program links exactly one of them:
 * door/noise/key_system.c (what ships) and tests/support/key_test.c. */
#ifndef SBL_NOISE_KEY_H
#define SBL_NOISE_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sha256.h"

sbl_status sbl_key_make(uint8_t key[SBL_CHACHA20_KEY_SIZE], sbl_error *err);
bool sbl_key_is_test(void);

#endif
