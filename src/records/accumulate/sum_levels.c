/* SPDX-License-Identifier: Apache-2.0 */
/* Adds records that come as levels (records/accumulate/levels.h).
 *
 * Coordinates that stand alone are counted level by level. The counts are multiplied with the tables once,
 * when the sums are read: a record costs one addition per coordinate, whatever the width. Integer addition
 * is associative, so the sums are the same bits. */
#include <string.h>

#include "base/alloc.h"
#include "records/accumulate/levels.h"
#include "records/accumulate/sum_state.h"

static size_t cells_of(const sbl_sum *sum, size_t b)
{
    const sbl_block *block = &sum->layout.blocks[b];
    return sbl_levels_cells(block->levels) * sbl_block_columns(block, sum->layout.classes);
}

bool sbl_sum_prepare_levels(sbl_sum *sum)
{
    for (size_t b = 0; b < sum->layout.block_count; b++) {
        if (sum->layout.blocks[b].levels == NULL) continue;
        sum->blocks[b].pending = sbl_alloc_array(1, sizeof *sum->blocks[b].pending);
        if (sum->blocks[b].pending == NULL) return false;
        sum->blocks[b].pending->cells = sbl_alloc_array(cells_of(sum, b), sizeof(int32_t));
        if (sum->blocks[b].pending->cells == NULL) return false;
    }
    return true;
}

void sbl_sum_clear_levels(sbl_sum *sum)
{
    for (size_t b = 0; b < sum->layout.block_count; b++) {
        sbl_pending_levels *pending = sum->blocks[b].pending;
        if (pending == NULL) continue;
        sbl_free_wiped(pending->cells, cells_of(sum, b) * sizeof *pending->cells);
        sbl_free_wiped(pending, sizeof *pending);
    }
}

static void fold_block(const sbl_sum *sum, size_t b)
{
    const sbl_block *block = &sum->layout.blocks[b];
    sbl_pending_levels *pending = sum->blocks[b].pending;
    const size_t cells = sbl_levels_cells(block->levels);
    for (size_t c = 0; c < sbl_block_columns(block, sum->layout.classes); c++)
        sbl_levels_fold(block->levels, sum->blocks[b].values + c * block->width, pending->cells + c * cells);
    memset(pending->cells, 0, cells_of(sum, b) * sizeof *pending->cells);
    pending->rows = 0;
}

void sbl_sum_fold_levels(const sbl_sum *sum)
{
    for (size_t b = 0; b < sum->layout.block_count; b++)
        if (sum->blocks[b].pending != NULL && sum->blocks[b].pending->rows > 0) fold_block(sum, b);
}

sbl_status sbl_sum_add_levels(sbl_sum *sum, size_t block, const uint32_t *levels, sbl_error *err)
{
    const char *fault = sbl_sum_block_fault(sum, block);
    const sbl_block *b = &sum->layout.blocks[fault == NULL ? block : 0];
    if (fault == NULL && b->levels == NULL) fault = "levels are for a block that has tables";
    if (fault == NULL && sum->blocks[block].next_column != 0)
        fault = "the columns of this block were added already";
    if (fault == NULL && levels == NULL && sum->batch_rows != 0)
        fault = "levels are missing although there are rows";
    if (fault != NULL) return sbl_sum_break(sum, SBL_EARG, fault, err);
    if (!sbl_sum_make_tile(sum, sbl_levels_workspace(b->levels)))
        return sbl_sum_break(sum, SBL_EMEM, "out of memory for one record", err);
    sbl_block_state *state = &sum->blocks[block];
    const size_t coordinates = sbl_levels_coordinates(b->levels);
    const size_t cells = sbl_levels_cells(b->levels);
    for (size_t r = 0; r < sum->batch_rows; r++) {
        if (!sbl_sum_counts_row(sum, r)) continue;
        const size_t column = b->per_class ? sbl_sum_class(sum, r) : 0;
        if (state->pending->rows == INT32_MAX) fold_block(sum, block);
        sbl_levels_add_row(b->levels, state->pending->cells + column * cells,
                           state->values + column * b->width, levels + r * coordinates, sum->tile);
        state->pending->rows++;
    }
    state->next_column = b->width;
    return SBL_OK;
}
