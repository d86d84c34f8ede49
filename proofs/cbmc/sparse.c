/* SPDX-License-Identifier: Apache-2.0 */
/* Records of amounts and of ones: what a row leaves for the clip is the record written out, each coordinate once. For rows of up to
 * three entries in a block of up to three places; the clip itself is proved for every length (src/records/accumulate/enforce.c). */
#include "records/accumulate/sum_sparse.c"
#define make_room make_room_of_ones
#include "records/accumulate/sum_ones.c"
#undef make_room

#include "proof.h"

#define MOST 3

void prove_scatter_take(void)
{
    uint32_t entries[MOST], amounts[MOST], scratch[MOST + 1] = {0};
    int32_t q[MOST];
    const size_t width = nondet_size();
    const uint64_t largest = nondet_u64();
    const sparse_row row = {entries, amounts, nondet_size()};
    GIVEN(width >= 1 && width <= MOST && row.count <= MOST && largest >= 1 && largest <= (uint64_t)1 << 30);
    for (size_t i = 0; i < MOST; i++) entries[i] = nondet_u32(), amounts[i] = nondet_u32();
    uint64_t whole[MOST] = {0}, seen[MOST] = {0};
    for (size_t i = 0; i < row.count; i++)
        if (entries[i] < width) whole[entries[i]] += amounts[i];
    scatter(scratch, width, largest, row);
    take(q, scratch, width, row);
    for (size_t i = 0; i < row.count; i++) {
        PROVE(q[i] >= 0 && (uint64_t)q[i] <= largest,
              "no number that the clip sees exceeds the largest coordinate");
        PROVE(entries[i] < width || q[i] == 0, "a place outside the block gives 0");
        if (entries[i] < width) seen[entries[i]] += (uint64_t)q[i];
    }
    for (size_t p = 0; p < width; p++)
        PROVE(seen[p] == (whole[p] < largest ? whole[p] : largest),
              "a place's amounts come once, held to the largest");
    for (size_t p = 0; p <= width; p++) PROVE(scratch[p] == 0, "the scratch is left empty");
}

/* A row that is added without a clip: its ones are in different places, and no more than the bounds allow. */
void prove_is_plain(void)
{
    uint32_t entries[MOST];
    int64_t target[MOST] = {0};
    const row_of_ones row = {entries, nondet_size(), nondet_u32(), nondet_u64()};
    GIVEN(row.per_row >= 1 && row.per_row <= MOST && row.limit >= 1 && row.limit <= MOST);
    for (size_t i = 0; i < MOST; i++) entries[i] = nondet_u32();
    if (!is_plain(row)) return;
    add_plain_row(target, row);
    uint64_t ones = 0;
    for (size_t p = 0; p < MOST; p++) {
        PROVE(target[p] == 0 || target[p] == 1, "no coordinate gets more than 1");
        ones += (uint64_t)target[p];
    }
    PROVE(ones <= row.most, "a plain row has no more ones than the bounds allow");
}

void prove_count_repeats(void)
{
    uint32_t sorted[MOST], places_before[MOST];
    int32_t times[MOST];
    const uint64_t largest = nondet_u64();
    const row_of_ones row = {NULL, nondet_size(), nondet_u32(), 0};
    GIVEN(row.per_row >= 1 && row.per_row <= MOST && row.limit >= 1 && row.limit <= MOST && largest >= 1);
    for (size_t i = 0; i < MOST; i++) sorted[i] = places_before[i] = nondet_u32();
    GIVEN(sorted[0] <= sorted[1] && sorted[1] <= sorted[2]);
    const size_t places = count_repeats(times, sorted, row, largest);
    for (size_t i = 0; i < places; i++) {
        uint64_t count = 0;
        for (size_t j = 0; j < row.per_row; j++) count += places_before[j] == sorted[i];
        PROVE(sorted[i] < row.limit, "every place is in the block");
        PROVE(i == 0 || sorted[i] > sorted[i - 1], "no place comes twice");
        PROVE((uint64_t)times[i] == (count < largest ? count : largest), "it is counted as often as it came");
    }
}
