/* SPDX-License-Identifier: Apache-2.0 */
/* Enforces the bounds of a record in integers, whatever its features were. */
#ifndef SBL_ACCUMULATE_ENFORCE_H
#define SBL_ACCUMULATE_ENFORCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "records/accumulate/shrink_factor.h"

/* The sums that the contracts speak of, in integers without end.
 *
 * squares: q[0]^2 + ... + q[n - 1]^2. magnitudes: |q[0]| + ... + |q[n - 1]|. toward_zero: no q[j] has grown or changed sign from
 * state K to state L. keep_to: every pair has a sum of squares of at most bound2. */
/*@ axiomatic Sums {
      logic integer squares{L}(int32_t *q, integer n) reads q[0 .. n - 1];
      axiom squares_of_none{L}: \forall int32_t *q; squares{L}(q, 0) == 0;
      axiom squares_of_more{L}: \forall int32_t *q, integer n; n >= 0 ==> squares{L}(q, n + 1) == squares{L}(q, n) + square(q[n]);
      logic integer magnitudes{L}(int32_t *q, integer n) reads q[0 .. n - 1];
      axiom magnitudes_of_none{L}: \forall int32_t *q; magnitudes{L}(q, 0) == 0;
      axiom magnitudes_of_more{L}: \forall int32_t *q, integer n;
        n >= 0 ==> magnitudes{L}(q, n + 1) == magnitudes{L}(q, n) + size(q[n]);
    }
    predicate toward_zero{K, L}(int32_t *q, integer n) =
      \forall integer j; 0 <= j < n ==>
        (\at(q[j], K) >= 0 ==> 0 <= \at(q[j], L) <= \at(q[j], K)) && (\at(q[j], K) <= 0 ==> \at(q[j], K) <= \at(q[j], L) <= 0);
    logic integer pair{L}(int32_t *q, integer j) = square(q[2 * j]) + square(q[2 * j + 1]);
    predicate keep_to{L}(int32_t *q, integer pairs, integer bound2) =
      \forall integer j; 0 <= j < pairs ==> pair{L}(q, j) <= bound2;
*/

/* Afterwards sum q_i^2 <= bound2 and, unless bound1 is 0, sum |q_i| <= bound1, exactly, for every
 * input; each q_i has moved toward zero or not at all, and none has when both held before.
 * width <= 2^32. Proof: docs/mechanisms/fixed-point.md. */
/*@ requires width <= 0x100000000;
    requires \valid(q + (0 .. width - 1));
    assigns q[0 .. width - 1];
    ensures squares(q, width) <= bound2;
    ensures bound1 != 0 ==> magnitudes(q, width) <= bound1;
    ensures toward_zero{Pre, Post}(q, width);
    ensures \old(squares(q, width)) <= bound2 && (bound1 == 0 || \old(magnitudes(q, width)) <= bound1)
            ==> \forall integer j; 0 <= j < width ==> q[j] == \old(q[j]);
*/
void sbl_enforce(int32_t *q, size_t width, uint64_t bound2, uint64_t bound1);

/* sum q_i^2 = halves[0] + 2^32 halves[1], exact for any q and width <= 2^32. */
/*@ requires width <= 0x100000000;
    requires \valid(halves + (0 .. 1)) && \valid_read(q + (0 .. width - 1));
    requires \separated(halves + (0 .. 1), q + (0 .. width - 1));
    assigns halves[0 .. 1];
    ensures halves[0] + 0x100000000 * halves[1] == squares(q, width);
    ensures halves[1] <= 0x4000000000000000;
*/
void sbl_sum_of_squares(uint64_t halves[2], const int32_t *q, size_t width);

/* sums[i] += q[i]. The row cap keeps |sums[i]| <= 2^62 (layout.c). */
/*@ requires \valid(sums + (0 .. width - 1)) && \valid_read(q + (0 .. width - 1));
    requires \separated(sums + (0 .. width - 1), q + (0 .. width - 1));
    requires \forall integer j; 0 <= j < width ==> -0x4000000000000000 <= sums[j] + q[j] <= 0x4000000000000000;
    assigns sums[0 .. width - 1];
    ensures \forall integer j; 0 <= j < width ==> sums[j] == \old(sums[j]) + q[j];
*/
void sbl_add_record(int64_t *restrict sums, const int32_t *restrict q, size_t width);

/* sums[i] += q[i]^2. */
/*@ requires \valid(sums + (0 .. width - 1)) && \valid_read(q + (0 .. width - 1));
    requires \separated(sums + (0 .. width - 1), q + (0 .. width - 1));
    requires \forall integer j; 0 <= j < width ==> 0 <= sums[j] && sums[j] + square(q[j]) <= 0x4000000000000000;
    assigns sums[0 .. width - 1];
    ensures \forall integer j; 0 <= j < width ==> sums[j] == \old(sums[j]) + square(q[j]);
*/
void sbl_add_squares(int64_t *restrict sums, const int32_t *restrict q, size_t width);

/* sum q_i^2 where |q_i| <= 2^15 and width <= 2^32. */
/*@ requires width <= 0x100000000;
    requires \valid_read(q + (0 .. width - 1));
    requires \forall integer j; 0 <= j < width ==> -0x8000 <= q[j] <= 0x8000;
    assigns \nothing;
    ensures \result == squares(q, width);
*/
uint64_t sbl_sum_of_small_squares(const int32_t *q, size_t width);

/* Does every pair (q[2 i], q[2 i + 1]) keep to bound2 <= 2^60? |q_i| <= 2^30, so that no sum here
 * overflows. Almost always yes: then nothing needs to be looked at pair by pair. */
/*@ requires pairs <= 0x80000000 && bound2 <= 0x1000000000000000;
    requires \valid_read(q + (0 .. 2 * pairs - 1));
    requires \forall integer j; 0 <= j < 2 * pairs ==> -0x40000000 <= q[j] <= 0x40000000;
    assigns \nothing;
    ensures \result ==> keep_to(q, pairs, bound2);
*/
bool sbl_pairs_within(const int32_t *q, size_t pairs, uint64_t bound2);

#endif
