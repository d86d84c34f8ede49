/* SPDX-License-Identifier: Apache-2.0 */
/* Adds records that are amounts in a few places, such as a person's history, whose events each add a share
 * of one to a bin of every marginal.
 *
 * A row names places and their amounts; a place may occur several times. The amounts are added up in a
 * scratch array as wide as the block, which holds 0 between rows, and taken out in the order in which they
 * came: if a place occurred twice, the second taking finds 0. So no step depends on which places are equal,
 * and the clip sees every coordinate once. A row adds, bit for bit, what the same record adds when it is
 * written out (docs/mechanisms/fixed-point.md). */
#include "base/alloc.h"
#include "records/accumulate/enforce.h"
#include "records/accumulate/sum_state.h"

/* The places of one row. */
typedef struct sparse_row {
    const uint32_t *entries;
    const uint32_t *amounts;
    size_t count;
} sparse_row;

/* Held to `largest` as quantising does: it is at most 2^30. */
static void scatter(uint32_t *scratch, size_t width, uint64_t largest, sparse_row row)
{
    for (size_t i = 0; i < row.count; i++) {
        const size_t place = row.entries[i] < width ? row.entries[i] : width;
        const uint64_t total = (uint64_t)scratch[place] + row.amounts[i];
        scratch[place] = (uint32_t)(total < largest ? total : largest);
    }
}

/* What came outside the block lies in the place after its last, and is thrown away. */
static void take(int32_t *q, uint32_t *scratch, size_t width, sparse_row row)
{
    for (size_t i = 0; i < row.count; i++) {
        const bool inside = row.entries[i] < width;
        const size_t place = inside ? row.entries[i] : width;
        q[i] = inside ? (int32_t)scratch[place] : 0;
        scratch[place] = 0;
    }
}

static void add_row(const sbl_sum *sum, const sbl_run_bounds *bounds, int64_t *target, size_t width,
                    sparse_row row)
{
    scatter(sum->scratch, width, bounds->largest, row);
    take(sum->tile, sum->scratch, width, row);
    sbl_enforce(sum->tile, row.count, bounds->bound2, bounds->bound1);
    for (size_t i = 0; i < row.count; i++)
        target[row.entries[i] < width ? row.entries[i] : 0] += sum->tile[i];
}

/* The entries of the row that has most; SIZE_MAX: the rows do not follow each other. */
static size_t longest_row(const size_t *starts, size_t rows)
{
    size_t longest = 0;
    for (size_t r = 0; r < rows; r++) {
        if (starts[r + 1] < starts[r]) return SIZE_MAX;
        const size_t count = starts[r + 1] - starts[r];
        if (count > longest) longest = count;
    }
    return longest;
}

/* Why this call may not come now, or NULL. */
static const char *sparse_fault(const sbl_sum *sum, size_t block, const size_t *starts,
                                const uint32_t *entries, const uint32_t *amounts)
{
    const char *fault = sbl_sum_block_fault(sum, block);
    if (fault != NULL) return fault;
    const sbl_block *b = &sum->layout.blocks[block];
    if (sum->blocks[block].next_column != 0) return "the columns of this block were added already";
    if (b->group != 0) return "amounts are for a block without groups: they come whole";
    if (!b->nonnegative) return "amounts are for a nonnegative block";
    if (sum->blocks[block].is_source) return "squares and products are not formed from amounts";
    if (sum->batch_rows == 0) return NULL;
    if (starts == NULL) return "the starts of rows are missing although there are rows";
    const size_t longest = longest_row(starts, sum->batch_rows);
    if (longest > SBL_WIDTH_MAX) return "the entries of rows must follow each other, 2^32 at most";
    if (longest > 0 && (entries == NULL || amounts == NULL))
        return "entries or amounts are missing although rows have some";
    return NULL;
}

/* Room for the widest block so far and one place more, all 0, and for the longest row. */
static bool make_room(sbl_sum *sum, size_t width, size_t longest)
{
    if (width + 1 > sum->scratch_size) {
        sbl_free_wiped(sum->scratch, sum->scratch_size * sizeof *sum->scratch);
        sum->scratch_size = 0;
        sum->scratch = sbl_alloc_array(width + 1, sizeof *sum->scratch);
        if (sum->scratch == NULL) return false;
        sum->scratch_size = width + 1;
    }
    return sbl_sum_make_tile(sum, longest);
}

sbl_status sbl_sum_add_sparse(sbl_sum *sum, size_t block, const size_t *starts, const uint32_t *entries,
                              const uint32_t *amounts, sbl_error *err)
{
    const char *fault = sparse_fault(sum, block, starts, entries, amounts);
    if (fault != NULL) return sbl_sum_break(sum, SBL_EARG, fault, err);
    const sbl_block *b = &sum->layout.blocks[block];
    if (!make_room(sum, b->width, longest_row(starts, sum->batch_rows)))
        return sbl_sum_break(sum, SBL_EMEM, "out of memory for the entries of one row", err);
    sbl_block_state *state = &sum->blocks[block];
    for (size_t r = 0; r < sum->batch_rows; r++) {
        if (!sbl_sum_counts_row(sum, r)) continue;
        const size_t first = starts[r];
        int64_t *target = state->values + (b->per_class ? sbl_sum_class(sum, r) * b->width : 0);
        const sparse_row row = {.count = starts[r + 1] - first,
                                .entries = entries != NULL ? entries + first : NULL,
                                .amounts = amounts != NULL ? amounts + first : NULL};
        add_row(sum, &state->bounds, target, b->width, row);
    }
    state->next_column = b->width;
    return SBL_OK;
}
