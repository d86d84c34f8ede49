/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds down at every step, so that a record which is multiplied by the fraction keeps its bound (docs/mechanisms/fixed-point.md). */
#include "records/accumulate/shrink_factor.h"

#include "base/int128.h"

static int64_t ratio(uint64_t bound, sbl_u128 size)
{
    return (int64_t)(((sbl_u128)bound << SBL_SHRINK_BITS) / size);
}

int64_t sbl_shrink_factor_squares(const uint64_t halves[2], uint64_t bound2)
{
    const sbl_u128 squares = ((sbl_u128)halves[1] << 32) + halves[0];
    return ratio(sbl_u128_sqrt_floor(bound2), sbl_u128_sqrt_ceil(squares));
}

int64_t sbl_shrink_factor_magnitudes(uint64_t magnitudes, uint64_t bound1)
{
    return ratio(bound1, magnitudes);
}
