/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs over neighbouring data under the same key, side by side: what is public must agree, and
 * the noisy values may differ by what was charged for them and by nothing else. */
#ifndef TESTS_SUPPORT_REPLAY_KIT_H
#define TESTS_SUPPORT_REPLAY_KIT_H

#include <stddef.h>

#include "door/release/release.h"
#include "public/account/charge.h"

/* A release, and what its ledger charged for it. */
typedef struct replayed {
    sbl_release *release;
    char *head; /* the bytes of the file before the values, the run's random names masked */
    size_t head_size;
    sbl_charge charge;
} replayed;

/* Fails the test where the release is not one of the ledger's, or is not charged once. */
void replayed_load(replayed *run, const char *release_path, const char *ledger_path);
void replayed_clear(replayed *run);

/* Fails the test where the heads differ, or the values by more than was charged: sum (y - y')^2 >
 * mu^2 2^112; of a pure release sum |y - y'| > epsilon 2^56. Returns the part of the charge that was
 * moved, 0 to 1. what: for messages. */
double replayed_compare(const replayed *a, const replayed *b, const char *what);
/* The same part of such a sum, which may exceed 1. */
double replayed_part(const replayed *run, sbl_u128 moved);

/* Ledgers of the same length that differ in random names, times and hashes only. */
void replayed_ledgers_agree(const char *a, const char *b, const char *what);

#endif
