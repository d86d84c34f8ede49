/* SPDX-License-Identifier: Apache-2.0 */
/* The fixed noise key of the test library: 32 fixed bytes and a counter. Setting the counter to the
 * same number before two releases gives them the same key; leaving it alone gives each release the
 * next key. */
#ifndef SBL_TESTS_SUPPORT_KEY_TEST_H
#define SBL_TESTS_SUPPORT_KEY_TEST_H

#include <stdint.h>

/* The number that goes into the next key. */
void sbl_test_key_set(uint64_t number);
uint64_t sbl_test_key_next(void);

#endif
