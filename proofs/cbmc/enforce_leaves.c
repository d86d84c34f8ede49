/* SPDX-License-Identifier: Apache-2.0 */
/* The two leaves of the clip whose contracts in enforce.c turn on bits. */
#include "records/accumulate/enforce.c"

#include "proof.h"

void prove_magnitude(void)
{
    const int32_t q = nondet_i32();
    PROVE(magnitude(q) == (q < 0 ? -(int64_t)q : q), "the magnitude is |q|");
    PROVE(magnitude(q) <= UINT32_C(1) << 31, "it is at most 2^31");
}

void prove_either(void)
{
    const int64_t a = nondet_i64(), b = nondet_i64();
    PROVE((either(a, b) >= 0) == (a >= 0 && b >= 0), "it is negative if one of the two is");
}
