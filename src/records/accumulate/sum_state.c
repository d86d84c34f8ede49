/* SPDX-License-Identifier: Apache-2.0 */
/* What every way into a sum shares: how a sum breaks, which call may come next, memory for one record, and
 * the rows of persons who own several. At most k rows of a person count, and the sum counts how many do,
 * person by person (docs/mechanisms/unit.md). */
#include <string.h>

#include "base/alloc.h"
#include "records/accumulate/sum_state.h"

sbl_status sbl_sum_break(sbl_sum *sum, sbl_status status, const char *fault, sbl_error *err)
{
    sum->broken = true;
    sum->batch_open = false;
    return sbl_fail(err, status, "%s", fault);
}

bool sbl_sum_make_tile(sbl_sum *sum, size_t count)
{
    if (count <= sum->tile_size) return true;
    sbl_free_wiped(sum->tile, sum->tile_size * sizeof *sum->tile);
    sum->tile = sbl_alloc_array(count, sizeof *sum->tile);
    sum->tile_size = sum->tile != NULL ? count : 0;
    return sum->tile != NULL;
}

const char *sbl_sum_block_fault(const sbl_sum *sum, size_t block)
{
    if (!sum->batch_open) return "no batch of rows is open; begin one first";
    if (block >= sum->layout.block_count) return "there is no block of this number";
    if (sum->layout.blocks[block].kind != SBL_BLOCK_VECTOR)
        return "squares and products are formed from their source; feed that block";
    return NULL;
}

/* ---- units ---- */

void sbl_sum_free_unit_rows(sbl_sum *sum)
{
    sbl_free_wiped(sum->unit_rows, sum->unit_rows_size * sizeof *sum->unit_rows);
    sum->unit_rows = NULL;
    sum->unit_rows_size = 0;
}

bool sbl_sum_keep_unit_rows(sbl_sum *sum, const uint32_t *unit_rows, size_t rows)
{
    if (rows > sum->unit_rows_size) {
        sbl_sum_free_unit_rows(sum);
        sum->unit_rows = sbl_alloc_array(rows, sizeof *sum->unit_rows);
        if (sum->unit_rows == NULL) return false;
        sum->unit_rows_size = rows;
    }
    if (rows != 0) memcpy(sum->unit_rows, unit_rows, rows * sizeof *unit_rows);
    return true;
}

/* The unit had `rows` rows and has one more: it leaves a bin and enters the next. Over all rows of a
 * unit the steps cancel but for the last: one unit is a 1 in one bin. */
static void count_row(int64_t *units, uint32_t rows)
{
    units[rows]++;
    if (rows > 0) units[rows - 1]--;
}

void sbl_sum_count_units(sbl_sum *sum)
{
    for (size_t b = 0; b < sum->layout.block_count; b++) {
        if (sum->layout.blocks[b].kind != SBL_BLOCK_PERSONS) continue;
        for (size_t row = 0; row < sum->batch_rows; row++)
            if (sbl_sum_counts_row(sum, row)) count_row(sum->blocks[b].values, sum->unit_rows[row]);
    }
}
