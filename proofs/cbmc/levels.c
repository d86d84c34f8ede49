/* SPDX-License-Identifier: Apache-2.0 */
/* Levels: what the tables' integers give stays in its range, for any integers that a table may hold. Loops treat each coordinate
 * alone, so rows of two are proved; that any two rows of a table keep their bounds is compared pair by pair when it is made. */
#include "records/accumulate/levels.c"

#include "proof.h"

#define WIDTH 2
#define MOST (INT32_C(1) << UNIT_BITS)

static int32_t of_a_table(void)
{
    const int32_t q = nondet_i32();
    GIVEN(q >= -MOST && q <= MOST);
    return q;
}

/* One coordinate by one: the number in a product's place is theirs over 2^28, rounded, and no larger than they may be. */
void prove_multiply_row(void)
{
    const int32_t from = of_a_table(), row = of_a_table();
    int32_t to;
    multiply_row(&to, &from, 1, &row, 1);
    PROVE(to >= -MOST && to <= MOST, "a product of coordinates is a coordinate");
    const int64_t twice = 2 * ((int64_t)from * row - (int64_t)to * MOST);
    PROVE(twice >= -MOST && twice < MOST, "it is the nearest");
}

/* All places of a product are written, and no other. */
void prove_multiply_row_places(void)
{
    int32_t from[WIDTH], row[WIDTH], to[WIDTH * WIDTH + 1] = {0};
    const size_t count = nondet_size(), width = nondet_size();
    GIVEN(count <= WIDTH && width <= WIDTH);
    for (size_t i = 0; i < WIDTH; i++) from[i] = MOST, row[i] = MOST;
    multiply_row(to, from, count, row, width);
    for (size_t i = 0; i <= WIDTH * WIDTH; i++)
        PROVE(to[i] == (i < count * width ? MOST : 0), "each place once");
}

/* A histogram that is multiplied out gives what its rows give one by one: times the row, within the range of a sum. */
void prove_add_times(void)
{
    const int64_t limit = INT64_C(1) << 62, before[WIDTH] = {nondet_i64(), nondet_i64()};
    int64_t sums[WIDTH] = {before[0], before[1]};
    const int32_t row[WIDTH] = {of_a_table(), of_a_table()}, times = nondet_i32();
    GIVEN(times >= 0);
    __extension__ typedef __int128 wide;
    for (size_t j = 0; j < WIDTH; j++) {
        const wide after = (wide)before[j] + (int64_t)times * row[j];
        GIVEN(after >= -limit && after <= limit && before[j] >= -limit && before[j] <= limit);
    }
    add_times(sums, row, WIDTH, times);
    for (size_t j = 0; j < WIDTH; j++)
        PROVE(sums[j] == (wide)before[j] + (int64_t)times * row[j],
              "every coordinate comes as often as it was counted");
}

/* A row of a table is found for every number that a record may hold. */
void prove_level_of(void)
{
    size_t counts[1] = {nondet_size()};
    const uint32_t row[1] = {nondet_u32()};
    const sbl_levels levels = {.level_counts = counts, .coordinates = 1};
    GIVEN(counts[0] >= 1);
    const size_t level = level_of(&levels, row, 0);
    PROVE(level < counts[0], "a level is one of the table's");
    PROVE(row[0] >= counts[0] || level == row[0], "it is the record's, where it is one");
}
