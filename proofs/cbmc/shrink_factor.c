/* SPDX-License-Identifier: Apache-2.0 */
/* The factor of a clip. The integer roots are taken by their contract (proofs/cbmc/int128.c): any numbers that keep it. What
 * is proved is that the factor is the floor of the quotient; that such a factor is below 2^30 and fits the bound are quotient and
 * factor_fits of proofs/smt/products.smt2. */
#include "records/accumulate/shrink_factor.c"

#include "proof.h"

static uint64_t root;
static sbl_u128 ceiling;
static uint64_t bound_seen;
static sbl_u128 squares_seen;

uint64_t sbl_u128_sqrt_floor(sbl_u128 value)
{
    bound_seen = (uint64_t)value;
    PROVE(value == bound_seen, "the floor is asked of a bound of 64 bits");
    return root;
}

sbl_u128 sbl_u128_sqrt_ceil(sbl_u128 value)
{
    squares_seen = value;
    return ceiling;
}

void prove_sbl_shrink_factor_squares(void)
{
    const uint64_t halves[2] = {nondet_u64(), nondet_u64()}, bound2 = nondet_u64();
    GIVEN(halves[1] <= UINT64_C(1) << 62);
    const sbl_u128 squares = ((sbl_u128)halves[1] << 32) + halves[0];
    GIVEN(squares > bound2);
    root = nondet_u64();
    ceiling = nondet_u128();
    /* From root^2 <= bound2 < squares <= ceiling^2. */
    GIVEN(root < ceiling && root < UINT64_C(1) << 32);
    GIVEN(ceiling <= (sbl_u128)1 << 48);
    const int64_t factor = sbl_shrink_factor_squares(halves, bound2);
    PROVE(bound_seen == bound2 && squares_seen == squares,
          "the roots are those of the bound and of the sum of squares");
    PROVE(factor == (int64_t)(((sbl_u128)root << 30) / ceiling), "the factor is floor(2^30 root / ceiling)");
    PROVE(((sbl_u128)root << 30) >> 62 == 0, "which is below 2^62, as 2^30 root is, so 64 bits hold it");
}

void prove_sbl_shrink_factor_magnitudes(void)
{
    const uint64_t magnitudes = nondet_u64(), bound1 = nondet_u64();
    GIVEN(magnitudes > bound1);
    const int64_t factor = sbl_shrink_factor_magnitudes(magnitudes, bound1);
    PROVE(factor == (int64_t)(((sbl_u128)bound1 << 30) / magnitudes),
          "the factor is floor(2^30 bound1 / magnitudes)");
    PROVE((sbl_u128)bound1 < magnitudes,
          "which is below 2^30, as bound1 / magnitudes is below 1, so 64 bits hold it");
}
