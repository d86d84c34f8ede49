/* SPDX-License-Identifier: Apache-2.0 */
/* Which keys of an open set may be named: a key's noisy count must pass a threshold that the count of
 * a single record passes with a known, tiny probability (docs/mechanisms/discover.md).
 *
 * Noise N is the discrete Gaussian of scale 2^56, the count is multiplied by m, and the threshold is
 * m + Z(bits) with P[N >= Z(bits)] <= 2^-bits. So a key that one record holds is named with
 * probability at most 2^-bits, whatever m is. Thresholds and charges are integers. */
#ifndef SBL_ACCOUNT_SURVIVAL_H
#define SBL_ACCOUNT_SURVIVAL_H

#include <stdint.h>

#include "base/int128.h"
#include "semblance/account.h"

#define SBL_SURVIVAL_LEAST_BITS 10
#define SBL_SURVIVAL_MOST_BITS 96

/* The most keys counted in one release. Each gets noise. The charge is for this number of draws whatever
 * the true number is, since that is private. */
#define SBL_KEYS_MOST (UINT64_C(1) << 28)

/* Z(bits); bits from SBL_SURVIVAL_LEAST_BITS to SBL_SURVIVAL_MOST_BITS. */
uint64_t sbl_survival_margin(unsigned bits);

/* The delta of a release in which a record holds at most `ones` keys, no more than SBL_KEYS_MOST, as
 * fixed96 (base/int128.h): ones 2^-bits under add-remove, twice that under replace-one. */
sbl_u128 sbl_survival_delta(unsigned bits, uint64_t ones, sbl_neighbours neighbours);

/* The fewest bits for which that delta is at most `most` (fixed96); 0: there are none. */
unsigned sbl_survival_bits(sbl_u128 most, uint64_t ones, sbl_neighbours neighbours);

#endif
