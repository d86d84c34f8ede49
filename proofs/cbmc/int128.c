/* SPDX-License-Identifier: Apache-2.0 */
/* floor(sqrt), checked sums and products, and decimal digits.
 *
 * The root is proved by its invariant: with b = 2^k and bit = b b, root is 2 r b and the remainder is value - r r. CBMC proves, for
 * any state that the invariant allows, what one digit does to the two, and that the invariant holds again; all of it is sums and
 * shifts. That (r + b)^2 = r^2 + 2 r b + b^2, so that the remainder stays value - r r, is square_of_sum of proofs/smt/products.smt2.
 * At the end bit is 1/4: remainder <= 2 r, so r is floor(sqrt(value)). */
#include "base/int128.c"

#include "proof.h"

typedef unsigned __CPROVER_bitvector[192] wide;

void prove_sqrt_digit(void)
{
    const unsigned k = nondet_u32();
    GIVEN(k < 64);
    const sbl_u128 bit = (sbl_u128)1 << 2 * k;
    sbl_u128 remainder = nondet_u128(), root = nondet_u128();
    /* r < 2^64 has its last k + 1 digits 0, so root = 2 r b is a multiple of 4 b b, and below 2^(65 + k). */
    GIVEN(((wide)root & ((wide)bit * 4 - 1)) == 0 && (wide)root < (wide)1 << (65 + k));
    GIVEN((wide)remainder < 2 * (wide)root + 4 * (wide)bit);
    const sbl_u128 old_remainder = remainder, old_root = root;
    PROVE((wide)root + bit == (wide)(sbl_u128)(root + bit), "the sum does not wrap");
    sqrt_digit(&remainder, &root, bit);
    const bool one = old_remainder >= old_root + bit;
    PROVE(remainder == old_remainder - (one ? old_root + bit : 0),
          "the remainder loses what the square gains");
    PROVE(root == old_root / 2 + (one ? bit : 0), "root is 2 r b of the new r and the next b");
    PROVE((wide)remainder < 2 * (wide)root + bit, "what is left is too little for another of this digit");
    PROVE((root & (bit - 1)) == 0 && (k == 0 || (wide)root < (wide)1 << (64 + k)),
          "the invariant holds for the next digit");
}

void prove_first_digit(void)
{
    const sbl_u128 value = nondet_u128();
    const sbl_u128 bit = first_digit(value);
    const unsigned k = nondet_u32();
    GIVEN(k < 64);
    PROVE(bit <= value, "it is at most the value");
    PROVE((wide)value < 4 * (wide)bit || value == 0, "four times it is more");
    PROVE(bit == 0 || (bit & (bit - 1)) == 0, "it is a power of 2");
}

void prove_sbl_u128_add(void)
{
    const sbl_u128 a = nondet_u128(), b = nondet_u128(), before = nondet_u128();
    sbl_u128 sum = before;
    const bool fits = sbl_u128_add(&sum, a, b);
    PROVE(fits == ((wide)a + b < (wide)1 << 128), "it says whether the sum fits");
    PROVE(sum == (fits ? a + b : before), "the result is the sum, or as it was");
}
