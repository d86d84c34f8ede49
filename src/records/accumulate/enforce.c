/* SPDX-License-Identifier: Apache-2.0 */
/* [4] The integer test and clip that every sensitivity rests on, and the loops that add. A record over its bound is multiplied by
 * an integer fraction a / 2^30 and cut toward zero, which keeps the bound exactly (docs/mechanisms/fixed-point.md). No floating
 * point may come in here. The annotations are the proof: `make prove` checks them (docs/SOUNDNESS.md). */
#include "records/accumulate/enforce.h"

#include "base/clones.h"
#include "records/accumulate/shrink_factor.h"

/* The leaves are proved one by one, with the meaning of square(), size() and part_of() (proofs/wp/fractions.h), and the loops from
 * the contracts of the leaves, where these are names. CBMC proves what turns on bits: magnitude() and either(). */

/*@ assigns \nothing;
    ensures \result == size(q) <= 0x80000000;
*/
static inline uint32_t magnitude(int32_t q) { return q < 0 ? -(uint32_t)q : (uint32_t)q; }

/*@ assigns \nothing;
    ensures \result == square(q) <= 0x4000000000000000;
*/
static inline uint64_t squared(int32_t q) { return (uint64_t)magnitude(q) * magnitude(q); }

/* q factor / 2^30, toward zero. */
/*@ requires 0 <= factor < 0x40000000;
    assigns \nothing;
    ensures part_of(size(\result), factor, size(q), 0x40000000);
    ensures part_of(square(\result), square(factor), square(q), 0x1000000000000000);
    ensures square(\result) <= square(q);
    ensures q >= 0 ==> 0 <= \result <= q;
    ensures q <= 0 ==> q <= \result <= 0;
*/
static inline int32_t shrunk(int32_t q, int64_t factor)
{
    return (int32_t)(q * factor / (INT64_C(1) << SBL_SHRINK_BITS));
}

/*@ requires -0x8000 <= q <= 0x8000;
    assigns \nothing;
    ensures \result == square(q) <= 0x40000000;
*/
static inline uint32_t small_square(int32_t q) { return (uint32_t)(q * q); }

/* What a pair leaves of its bound. */
/*@ requires -0x40000000 <= a <= 0x40000000 && -0x40000000 <= b <= 0x40000000 && bound2 <= 0x1000000000000000;
    assigns \nothing;
    ensures \result == bound2 - (square(a) + square(b));
*/
static inline int64_t left_of_pair(int64_t a, int64_t b, uint64_t bound2)
{
    return (int64_t)bound2 - (a * a + b * b);
}

/* Negative if one of them is. */
/*@ assigns \nothing;
    ensures \result >= 0 <==> a >= 0 && b >= 0;
*/
static inline int64_t either(int64_t a, int64_t b) { return a | b; }

#define HALF (UINT64_C(1) << 32)

/* The low and the high halves of the squares are summed apart: for any int32 values and up to 2^32
 * of them neither 64-bit sum can overflow, with no inner carries to slow the loop. */
/*@ requires width <= 0x100000000;
    requires \valid(halves + (0 .. 1)) && \valid_read(q + (0 .. width - 1));
    requires \separated(halves + (0 .. 1), q + (0 .. width - 1));
    assigns halves[0 .. 1];
    ensures halves[0] + 0x100000000 * halves[1] == squares(q, width);
    ensures halves[1] <= 0x4000000000000000;
*/
SBL_CLONES static void sum_of_squares(uint64_t halves[2], const int32_t *q, size_t width)
{
    uint64_t low = 0;
    uint64_t high = 0;
    /*@ loop invariant 0 <= i <= width;
        loop invariant low + 0x100000000 * high == squares(q, i);
        loop invariant 0 <= low <= i * 0xFFFFFFFF;
        loop invariant 0 <= high <= i * 0x40000000;
        loop assigns i, low, high;
        loop variant width - i;
    */
    for (size_t i = 0; i < width; i++) {
        const uint64_t product = squared(q[i]);
        low += product % HALF;
        high += product / HALF;
    }
    halves[0] = low;
    halves[1] = high;
}

void sbl_sum_of_squares(uint64_t halves[2], const int32_t *q, size_t width)
{
    sum_of_squares(halves, q, width);
}

/* Is the sum of squares at most bound2? In 64 bits. */
/*@ requires \valid_read(halves + (0 .. 1));
    assigns \nothing;
    ensures \result <==> halves[0] + 0x100000000 * halves[1] <= bound2;
*/
static bool squares_within(const uint64_t halves[2], uint64_t bound2)
{
    return halves[0] <= bound2 && halves[1] <= (bound2 - halves[0]) / HALF;
}

/* At most 2^32 * 2^31. */
/*@ requires width <= 0x100000000;
    requires \valid_read(q + (0 .. width - 1));
    assigns \nothing;
    ensures \result == magnitudes(q, width);
*/
static uint64_t sum_of_magnitudes(const int32_t *q, size_t width)
{
    uint64_t sum = 0;
    /*@ loop invariant 0 <= i <= width;
        loop invariant sum == magnitudes(q, i);
        loop invariant 0 <= sum <= i * 0x80000000;
        loop assigns i, sum;
        loop variant width - i;
    */
    for (size_t i = 0; i < width; i++) sum += magnitude(q[i]);
    return sum;
}

/* Each q_i becomes |q_i'| <= |q_i| factor / 2^30. The second loop is there for the prover only: it adds up what the first one has
 * shown of each element. */
/*@ requires 0 <= factor < 0x40000000;
    requires \valid(q + (0 .. width - 1));
    assigns q[0 .. width - 1];
    ensures part_of(squares(q, width), square(factor), squares{Pre}(q, width), 0x1000000000000000);
    ensures part_of(magnitudes(q, width), factor, magnitudes{Pre}(q, width), 0x40000000);
    ensures squares(q, width) <= squares{Pre}(q, width);
    ensures toward_zero{Pre, Post}(q, width);
*/
static void shrink(int32_t *q, size_t width, int64_t factor)
{
    /*@ loop invariant 0 <= i <= width;
        loop invariant \forall integer j; 0 <= j < i ==>
          part_of(square(q[j]), square(factor), square(\at(q[j], Pre)), 0x1000000000000000);
        loop invariant \forall integer j; 0 <= j < i ==> part_of(size(q[j]), factor, size(\at(q[j], Pre)), 0x40000000);
        loop invariant \forall integer j; 0 <= j < i ==> square(q[j]) <= square(\at(q[j], Pre));
        loop invariant toward_zero{Pre, Here}(q, i);
        loop invariant \forall integer j; i <= j < width ==> q[j] == \at(q[j], Pre);
        loop assigns i, q[0 .. width - 1];
        loop variant width - i;
    */
    for (size_t i = 0; i < width; i++) q[i] = shrunk(q[i], factor);
    /*@ ghost
        /@ loop invariant 0 <= k <= width;
           loop invariant part_of(squares(q, k), square(factor), squares{Pre}(q, k), 0x1000000000000000);
           loop invariant part_of(magnitudes(q, k), factor, magnitudes{Pre}(q, k), 0x40000000);
           loop invariant squares(q, k) <= squares{Pre}(q, k);
           loop assigns k;
           loop variant width - k;
        @/
        for (size_t k = 0; k < width; k++);
    */
}

void sbl_enforce(int32_t *q, size_t width, uint64_t bound2, uint64_t bound1)
{
    uint64_t halves[2];
    sbl_sum_of_squares(halves, q, width);
    if (!squares_within(halves, bound2)) shrink(q, width, sbl_shrink_factor_squares(halves, bound2));
    if (bound1 == 0) return;
    const uint64_t sum = sum_of_magnitudes(q, width);
    if (sum > bound1) shrink(q, width, sbl_shrink_factor_magnitudes(sum, bound1));
}

/*@ requires \valid(sums + (0 .. width - 1)) && \valid_read(q + (0 .. width - 1));
    requires \separated(sums + (0 .. width - 1), q + (0 .. width - 1));
    requires \forall integer j; 0 <= j < width ==> -0x4000000000000000 <= sums[j] + q[j] <= 0x4000000000000000;
    assigns sums[0 .. width - 1];
    ensures \forall integer j; 0 <= j < width ==> sums[j] == \old(sums[j]) + q[j];
*/
SBL_CLONES static void add_record(int64_t *restrict sums, const int32_t *restrict q, size_t width)
{
    /*@ loop invariant 0 <= i <= width;
        loop invariant \forall integer j; 0 <= j < i ==> sums[j] == \at(sums[j], Pre) + q[j];
        loop invariant \forall integer j; i <= j < width ==> sums[j] == \at(sums[j], Pre);
        loop assigns i, sums[0 .. width - 1];
        loop variant width - i;
    */
    for (size_t i = 0; i < width; i++) sums[i] += q[i];
}

void sbl_add_record(int64_t *restrict sums, const int32_t *restrict q, size_t width)
{
    add_record(sums, q, width);
}

/*@ requires \valid(sums + (0 .. width - 1)) && \valid_read(q + (0 .. width - 1));
    requires \separated(sums + (0 .. width - 1), q + (0 .. width - 1));
    requires \forall integer j; 0 <= j < width ==> 0 <= sums[j] && sums[j] + square(q[j]) <= 0x4000000000000000;
    assigns sums[0 .. width - 1];
    ensures \forall integer j; 0 <= j < width ==> sums[j] == \old(sums[j]) + square(q[j]);
*/
SBL_CLONES static void add_squares(int64_t *restrict sums, const int32_t *restrict q, size_t width)
{
    /*@ loop invariant 0 <= i <= width;
        loop invariant \forall integer j; 0 <= j < i ==> sums[j] == \at(sums[j], Pre) + square(q[j]);
        loop invariant \forall integer j; i <= j < width ==> sums[j] == \at(sums[j], Pre);
        loop assigns i, sums[0 .. width - 1];
        loop variant width - i;
    */
    for (size_t i = 0; i < width; i++) sums[i] += (int64_t)squared(q[i]);
}

void sbl_add_squares(int64_t *restrict sums, const int32_t *restrict q, size_t width)
{
    add_squares(sums, q, width);
}

/*@ requires width <= 0x100000000;
    requires \valid_read(q + (0 .. width - 1));
    requires \forall integer j; 0 <= j < width ==> -0x8000 <= q[j] <= 0x8000;
    assigns \nothing;
    ensures \result == squares(q, width);
*/
SBL_CLONES static uint64_t sum_of_small_squares(const int32_t *q, size_t width)
{
    uint64_t sum = 0;
    /*@ loop invariant 0 <= i <= width;
        loop invariant sum == squares(q, i);
        loop invariant 0 <= sum <= i * 0x40000000;
        loop assigns i, sum;
        loop variant width - i;
    */
    for (size_t i = 0; i < width; i++) sum += small_square(q[i]);
    return sum;
}

uint64_t sbl_sum_of_small_squares(const int32_t *q, size_t width) { return sum_of_small_squares(q, width); }

/*@ requires pairs <= 0x80000000 && bound2 <= 0x1000000000000000;
    requires \valid_read(q + (0 .. 2 * pairs - 1));
    requires \forall integer j; 0 <= j < 2 * pairs ==> -0x40000000 <= q[j] <= 0x40000000;
    assigns \nothing;
    ensures \result ==> keep_to(q, pairs, bound2);
*/
SBL_CLONES static bool pairs_within(const int32_t *q, size_t pairs, uint64_t bound2)
{
    int64_t room = 0; /* negative as soon as one pair has none */
    /*@ loop invariant 0 <= i <= pairs;
        loop invariant room >= 0 ==> keep_to(q, i, bound2);
        loop assigns i, room;
        loop variant pairs - i;
    */
    for (size_t i = 0; i < pairs; i++) room = either(room, left_of_pair(q[2 * i], q[2 * i + 1], bound2));
    return room >= 0;
}

bool sbl_pairs_within(const int32_t *q, size_t pairs, uint64_t bound2)
{
    return pairs_within(q, pairs, bound2);
}
