/* SPDX-License-Identifier: Apache-2.0 */
/* Every double is on the grid: NaN and infinities included, for every scale and every bound to 2^30. A float is widened to a
 * double first, so it is one of these. */
#include "records/accumulate/quantise.c"

#include "proof.h"

void prove_to_grid(void)
{
    const uint32_t largest = nondet_u32();
    const double scale = nondet_double();
    const bool nonnegative = nondet_bool();
    GIVEN(largest >= 1 && largest <= UINT32_C(1) << 30);
    GIVEN(scale > 0 && scale <= __DBL_MAX__);
    const sbl_grid grid = {scale, nonnegative ? 0 : -(double)largest, (double)largest};
    const double x = nondet_double();
    const int32_t q = to_grid(x, grid);
    PROVE(q <= (int32_t)largest, "no coordinate exceeds the largest");
    PROVE(q >= (nonnegative ? 0 : -(int32_t)largest), "no coordinate is below the least");
    PROVE(x == x || q == 0, "NaN is 0");
}
