/* Enforces the bounds of a record in integers, whatever its features were. */
#ifndef SBL_ACCUMULATE_ENFORCE_H
#define SBL_ACCUMULATE_ENFORCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Afterwards sum q_i^2 <= bound2 and, unless bound1 is 0, sum |q_i| <= bound1, exactly, for every
 * input; each q_i has moved toward zero or not at all, and none has when both held before.
 * width <= 2^32. Proof: docs/mechanisms/fixed-point.md. */
void sbl_enforce(int32_t *q, size_t width, uint64_t bound2, uint64_t bound1);

/* sum q_i^2 = halves[0] + 2^32 halves[1], exact for any q and width <= 2^32. */
void sbl_sum_of_squares(uint64_t halves[2], const int32_t *q, size_t width);

/* sums[i] += q[i]. The row cap keeps |sums[i]| <= 2^62 (layout.c). */
void sbl_add_record(int64_t *restrict sums, const int32_t *restrict q, size_t width);

/* sums[i] += q[i]^2. */
void sbl_add_squares(int64_t *restrict sums, const int32_t *restrict q, size_t width);

/* sum q_i^2 where |q_i| <= 2^15 and width <= 2^32. */
uint64_t sbl_sum_of_small_squares(const int32_t *q, size_t width);

/* Does every pair (q[2 i], q[2 i + 1]) keep to bound2 <= 2^60? |q_i| <= 2^30, so that no sum here
 * overflows. Almost always yes: then nothing needs to be looked at pair by pair. */
bool sbl_pairs_within(const int32_t *q, size_t pairs, uint64_t bound2);

#endif
