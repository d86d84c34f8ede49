/* [4] The integer test and clip that every sensitivity rests on, and the loops that add. A record
 * over its bound is multiplied by an integer fraction a / 2^30 and cut toward zero, which keeps
 * the bound exactly (docs/mechanisms/fixed-point.md). No floating point may come in here. */
#include "records/accumulate/enforce.h"

#include "base/clones.h"
#include "base/int128.h"

/* A record is shrunk by a / 2^30 with an integer a <= 2^30. */
#define SHRINK_BITS 30

static inline uint32_t magnitude(int32_t q) { return q < 0 ? -(uint32_t)q : (uint32_t)q; }

/* The low and the high halves of the squares are summed apart: for any int32 values and up to 2^32
 * of them neither 64-bit sum can overflow, with no inner carries to slow the loop. */
SBL_CLONES static void sum_of_squares(uint64_t halves[2], const int32_t *q, size_t width)
{
    uint64_t low = 0;
    uint64_t high = 0;
    for (size_t i = 0; i < width; i++) {
        const uint64_t square = (uint64_t)magnitude(q[i]) * magnitude(q[i]);
        low += square & UINT32_MAX;
        high += square >> 32;
    }
    halves[0] = low;
    halves[1] = high;
}

void sbl_sum_of_squares(uint64_t halves[2], const int32_t *q, size_t width)
{
    sum_of_squares(halves, q, width);
}

/* At most 2^32 * 2^31. */
static uint64_t sum_of_magnitudes(const int32_t *q, size_t width)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < width; i++) sum += magnitude(q[i]);
    return sum;
}

/* q_i = q_i * floor(2^30 * bound / size) / 2^30, toward zero; so |q_i| <= |q_i| * bound / size. */
static void shrink(int32_t *q, size_t width, uint64_t bound, sbl_u128 size)
{
    const int64_t factor = (int64_t)(((sbl_u128)bound << SHRINK_BITS) / size);
    for (size_t i = 0; i < width; i++) q[i] = (int32_t)(q[i] * factor / (INT64_C(1) << SHRINK_BITS));
}

void sbl_enforce(int32_t *q, size_t width, uint64_t bound2, uint64_t bound1)
{
    uint64_t halves[2];
    sbl_sum_of_squares(halves, q, width);
    const sbl_u128 squares = ((sbl_u128)halves[1] << 32) + halves[0];
    if (squares > bound2) shrink(q, width, sbl_u128_sqrt_floor(bound2), sbl_u128_sqrt_ceil(squares));
    if (bound1 == 0) return;
    const uint64_t magnitudes = sum_of_magnitudes(q, width);
    if (magnitudes > bound1) shrink(q, width, bound1, magnitudes);
}

SBL_CLONES static void add_record(int64_t *restrict sums, const int32_t *restrict q, size_t width)
{
    for (size_t i = 0; i < width; i++) sums[i] += q[i];
}

void sbl_add_record(int64_t *restrict sums, const int32_t *restrict q, size_t width)
{
    add_record(sums, q, width);
}

SBL_CLONES static void add_squares(int64_t *restrict sums, const int32_t *restrict q, size_t width)
{
    for (size_t i = 0; i < width; i++) sums[i] += (int64_t)q[i] * q[i];
}

void sbl_add_squares(int64_t *restrict sums, const int32_t *restrict q, size_t width)
{
    add_squares(sums, q, width);
}

SBL_CLONES static uint64_t sum_of_small_squares(const int32_t *q, size_t width)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < width; i++) sum += (uint32_t)(q[i] * q[i]);
    return sum;
}

uint64_t sbl_sum_of_small_squares(const int32_t *q, size_t width) { return sum_of_small_squares(q, width); }

SBL_CLONES static bool pairs_within(const int32_t *q, size_t pairs, uint64_t bound2)
{
    int64_t room = 0; /* negative as soon as one pair has none */
    for (size_t i = 0; i < pairs; i++) {
        const int64_t a = q[2 * i];
        const int64_t b = q[2 * i + 1];
        room |= (int64_t)bound2 - (a * a + b * b);
    }
    return room >= 0;
}

bool sbl_pairs_within(const int32_t *q, size_t pairs, uint64_t bound2)
{
    return pairs_within(q, pairs, bound2);
}
