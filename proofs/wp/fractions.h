/* SPDX-License-Identifier: Apache-2.0 */
/* The facts on products that src/records/accumulate/shrink_factor.h takes as axioms, each proved here from the meaning of its
 * names. proofs/prove.py compares the two lists word by word, and proves the leaves of the clip with these meanings. */
#define SBL_PROOF_MEANINGS 1

/*@ logic integer square(integer a) = a * a;
    logic integer size(integer a) = \abs(a);
    predicate part_of(integer a, integer f, integer x, integer c) = a * c <= f * x;
    predicate fits(integer f, integer x, integer c, integer b) = f * x <= c * b;

    lemma part_of_none: \forall integer f, c; part_of(0, f, 0, c);
    lemma parts_add: \forall integer a, b, s, f, x, y, t, c;
        part_of(a, f, x, c) && part_of(b, f, y, c) && s == a + b && t == x + y ==> part_of(s, f, t, c);
    lemma part_fits: \forall integer a, f, x, y, c, b; 0 < c && part_of(a, f, x, c) && fits(f, y, c, b) && x == y ==> a <= b;

    lemma fraction_is_part: \forall integer a, f, x; \abs(a) * 0x40000000 <= \abs(x) * f ==> part_of(size(a), f, size(x), 0x40000000);

    // Proved in proofs/smt/products.smt2 (squared_fraction): no prover of WP squares an inequality.
    axiomatic Squared {
      axiom square_of_part: \forall integer a, f, x;
        0 <= f && part_of(size(a), f, size(x), 0x40000000) ==> part_of(square(a), square(f), square(x), 0x1000000000000000);
    }
*/
