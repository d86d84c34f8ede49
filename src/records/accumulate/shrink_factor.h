/* SPDX-License-Identifier: Apache-2.0 */
/* By which fraction a record over its bound is multiplied: the steps of the clip that need more than 64 bits. */
#ifndef SBL_ACCUMULATE_SHRINK_FACTOR_H
#define SBL_ACCUMULATE_SHRINK_FACTOR_H

#include <stdint.h>

/* The fraction is factor / 2^30, with an integer factor. */
#define SBL_SHRINK_BITS 30

/* Names for the products in the contracts, so that a prover adds such facts up without looking inside. What is stated here is
 * proved in proofs/wp/fractions.h, where each name has its meaning (SBL_PROOF_MEANINGS):
 * square(a): a a. size(a): |a|. part_of(a, f, x, c): a <= f x / c. fits(f, x, c, b): f x / c <= b. */
#ifndef SBL_PROOF_MEANINGS
/*@ axiomatic Fractions {
      logic integer square(integer a);
      logic integer size(integer a);
      predicate part_of(integer a, integer f, integer x, integer c);
      predicate fits(integer f, integer x, integer c, integer b);
      axiom part_of_none: \forall integer f, c; part_of(0, f, 0, c);
      axiom parts_add: \forall integer a, b, s, f, x, y, t, c;
        part_of(a, f, x, c) && part_of(b, f, y, c) && s == a + b && t == x + y ==> part_of(s, f, t, c);
      axiom part_fits: \forall integer a, f, x, y, c, b; 0 < c && part_of(a, f, x, c) && fits(f, y, c, b) && x == y ==> a <= b;
    }
*/
#endif

/* floor(2^30 floor(sqrt(bound2)) / ceil(sqrt(N2))), N2 = halves[0] + 2^32 halves[1]; N2 > bound2. */
/*@ requires \valid_read(halves + (0 .. 1));
    requires halves[1] <= 0x4000000000000000;
    requires halves[0] + 0x100000000 * halves[1] > bound2;
    assigns \nothing;
    ensures 0 <= \result < 0x40000000;
    ensures fits(square(\result), halves[0] + 0x100000000 * halves[1], 0x1000000000000000, bound2);
*/
int64_t sbl_shrink_factor_squares(const uint64_t halves[2], uint64_t bound2);

/* floor(2^30 bound1 / magnitudes); magnitudes > bound1. */
/*@ requires magnitudes > bound1;
    assigns \nothing;
    ensures 0 <= \result < 0x40000000;
    ensures fits(\result, magnitudes, 0x40000000, bound1);
*/
int64_t sbl_shrink_factor_magnitudes(uint64_t magnitudes, uint64_t bound1);

#endif
