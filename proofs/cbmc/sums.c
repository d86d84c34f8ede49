/* SPDX-License-Identifier: Apache-2.0 */
/* Caps: a layout that is accepted leaves room for every row, and sums that are merged or loaded stay in their range. */
#include "records/accumulate/sum.c"
#include "records/accumulate/sum_load.c"

#include "proof.h"

sbl_status sbl_fail(sbl_error *err, sbl_status status, const char *format, ...)
{
    (void)err, (void)format;
    return status;
}
void sbl_sum_fold_levels(const sbl_sum *sum) { (void)sum; }

/* Two sums of three values: the loops over values treat each alone. */
#define VALUES 3
void prove_sbl_sum_merge(void)
{
    int64_t a[VALUES], b[VALUES], before[VALUES];
    sbl_sum into = {.values = a,
                    .value_count = VALUES,
                    .rows = nondet_u64(),
                    .batch_open = nondet_bool(),
                    .broken = nondet_bool()};
    sbl_sum from = {.values = b,
                    .value_count = VALUES,
                    .rows = nondet_u64(),
                    .batch_open = nondet_bool(),
                    .broken = nondet_bool()};
    for (size_t i = 0; i < VALUES; i++) before[i] = a[i] = nondet_i64(), b[i] = nondet_i64();
    into.layout_hash[0] = nondet_bool(), from.layout_hash[0] = nondet_bool();
    into.layout.rows_cap = nondet_u64();
    GIVEN(into.rows <= into.layout.rows_cap);
    const uint64_t rows = into.rows;
    const bool whole = !into.batch_open && !into.broken && !from.batch_open && !from.broken;
    const bool merged = sbl_sum_merge(&into, &from, NULL) == SBL_OK;
    PROVE(!merged || whole, "only whole sums are merged");
    PROVE(!merged || into.layout_hash[0] == from.layout_hash[0], "and only of one layout");
    PROVE(
        !merged || (into.rows == rows + from.rows && into.rows >= rows && into.rows <= into.layout.rows_cap),
        "rows add up within the cap");
    PROVE(merged || into.rows == rows, "rows stay where it is refused");
    for (size_t i = 0; i < VALUES; i++) {
        __extension__ typedef __int128 wide;
        PROVE(a[i] == (merged ? (wide)before[i] + b[i] : (wide)before[i]),
              "every value is the exact sum, or as it was");
    }
}

void prove_is_out_of_range(void)
{
    const int64_t value = nondet_i64();
    PROVE(is_out_of_range(value) || (value <= INT64_C(1) << 62 && value >= -(INT64_C(1) << 62)),
          "what is loaded is at most 2^62");
}

void prove_counts_are_of(void)
{
    int64_t counts[3];
    const uint64_t rows = nondet_u64();
    for (size_t c = 0; c < 3; c++) counts[c] = nondet_i64();
    if (!counts_are_of(counts, 3, rows)) return;
    __extension__ typedef __int128 wide;
    PROVE(counts[0] >= 0 && counts[1] >= 0 && counts[2] >= 0, "no count is negative");
    PROVE((wide)counts[0] + counts[1] + counts[2] == rows, "every row is counted once");
}

/* A row of a batch beyond the cap is refused before anything is added. */
void prove_sbl_sum_begin_unit_rows(void)
{
    sbl_sum sum = {.rows = nondet_u64(), .batch_open = nondet_bool(), .broken = nondet_bool()};
    sum.layout.classes = 1;
    sum.layout.rows_cap = nondet_u64();
    GIVEN(sum.rows <= sum.layout.rows_cap);
    const size_t rows = nondet_size();
    const bool begun = sbl_sum_begin_unit_rows(&sum, NULL, NULL, rows, NULL) == SBL_OK;
    __extension__ typedef unsigned __int128 wide;
    PROVE(!begun || (wide)sum.rows + rows <= sum.layout.rows_cap, "the cap holds for all rows of the batch");
    PROVE(!begun || sum.batch_open, "the batch is open");
}
sbl_status sbl_sum_break(sbl_sum *sum, sbl_status status, const char *fault, sbl_error *err)
{
    (void)fault, (void)err;
    sum->broken = true;
    return status;
}
bool sbl_sum_keep_unit_rows(sbl_sum *sum, const uint32_t *unit_rows, size_t rows)
{
    return (void)sum, (void)unit_rows, (void)rows, nondet_bool();
}
