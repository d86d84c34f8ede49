/* SPDX-License-Identifier: Apache-2.0 */
/* Masks between sites (docs/FEDERATION.md). Every two sites share a secret, from which both derive the same
 * stream of 64-bit words. One adds it to its sums and the other subtracts it, modulo 2^64. The sums of one
 * site are then uniform to anyone who knows none of its secrets, and the sums of all sites add up to the
 * exact total. */
#ifndef SBL_SHARDS_MASK_H
#define SBL_SHARDS_MASK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "records/shards/plan_file.h"

/* words += the masks of the site whose private key is in key_path.
 * In:      attempt  all sites mask for the same one; a stream serves one plan and attempt
 * Out:     site     its place among the plan's
 * Returns: SBL_OK; SBL_EINPUT where the key is of no site of the plan; SBL_EARG, SBL_EIO */
sbl_status sbl_mask(uint64_t *words, size_t count, size_t *site, const sbl_plan_file *plan,
                    const char *key_path, uint64_t attempt, sbl_error *err);

#endif
