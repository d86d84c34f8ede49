/* SPDX-License-Identifier: Apache-2.0 */
/* A person is one 1 in one bin, however many of its rows count, and no bin that does not exist is written. */
#include "records/accumulate/sum_state.c"

#include "proof.h"

sbl_status sbl_fail(sbl_error *err, sbl_status status, const char *format, ...)
{
    (void)err, (void)format;
    return status;
}

#define MOST 8
void prove_count_row(void)
{
    int64_t units[MOST] = {0};
    const uint32_t rows = nondet_u32(); /* of one person, all of which count */
    GIVEN(rows <= MOST);
    for (uint32_t r = 0; r < rows; r++) count_row(units, r);
    int64_t total = 0, squares = 0;
    for (size_t i = 0; i < MOST; i++) total += units[i], squares += units[i] * units[i];
    PROVE(total == (rows > 0), "a person is counted once");
    PROVE(squares == (rows > 0), "in one bin");
    PROVE(rows == 0 || units[rows - 1] == 1, "in that of its number of rows");
}

/* One more row moves one person from a bin to the next, whatever the bins hold and whichever row it is. */
void prove_count_row_step(void)
{
    int64_t units[2] = {nondet_i64(), nondet_i64()};
    GIVEN(units[0] > -(INT64_C(1) << 62) && units[0] < INT64_C(1) << 62 && units[1] < INT64_C(1) << 62 &&
          units[1] > -(INT64_C(1) << 62));
    const int64_t before[2] = {units[0], units[1]};
    count_row(units, 1);
    PROVE(units[0] == before[0] - 1 && units[1] == before[1] + 1, "one leaves, one enters");
}
