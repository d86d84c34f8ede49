/* SPDX-License-Identifier: Apache-2.0 */
/* Adds records that hold ones and little else: one-hot codes, bins of histograms.
 *
 * A row names the coordinates that get a 1. It adds, bit for bit, what the same record adds when it is
 * written out in `width` numbers, but costs only the work of its entries (docs/mechanisms/fixed-point.md). */
#include <string.h>

#include "base/alloc.h"
#include "records/accumulate/enforce.h"
#include "records/accumulate/sum_state.h"

#define DIGIT_BITS 8
#define DIGITS ((size_t)1 << DIGIT_BITS)

/* The entries of one row and what they are held to. */
typedef struct row_of_ones {
    const uint32_t *entries;
    size_t per_row;
    uint32_t limit; /* an entry from here on adds nothing */
    uint64_t most;  /* this number of different ones is within both bounds */
} row_of_ones;

/* One pass of a radix sort, by one digit; equal digits keep their order. */
static void sort_by_digit(uint32_t *restrict to, const uint32_t *restrict from, size_t count, unsigned shift)
{
    size_t starts[DIGITS + 1] = {0};
    for (size_t i = 0; i < count; i++) starts[(from[i] >> shift) % DIGITS + 1]++;
    for (size_t d = 1; d < DIGITS; d++) starts[d] += starts[d - 1];
    for (size_t i = 0; i < count; i++) to[starts[(from[i] >> shift) % DIGITS]++] = from[i];
    sbl_wipe(starts, sizeof starts);
}

/* The entries in order, those out of range last. The steps depend on the block and the number of
 * entries alone. */
static uint32_t *sort_entries(sbl_sum *sum, row_of_ones row)
{
    uint32_t *sorted = sum->places;
    uint32_t *spare = sum->places + row.per_row;
    for (size_t i = 0; i < row.per_row; i++)
        sorted[i] = row.entries[i] < row.limit ? row.entries[i] : row.limit;
    for (unsigned shift = 0; (uint64_t)row.limit >> shift != 0; shift += DIGIT_BITS) {
        sort_by_digit(spare, sorted, row.per_row, shift);
        uint32_t *swap = sorted;
        sorted = spare;
        spare = swap;
    }
    return sorted;
}

/* Sorted entries become different places, in front, and how often each came, held to `largest` as
 * quantising does. Returns the number of places. */
static size_t count_repeats(int32_t *times, uint32_t *sorted, row_of_ones row, uint64_t largest)
{
    size_t places = 0;
    for (size_t i = 0; i < row.per_row && sorted[i] < row.limit; i++) {
        if (places == 0 || sorted[i] != sorted[places - 1]) {
            sorted[places] = sorted[i];
            times[places++] = 0;
        }
        times[places - 1] += (uint64_t)times[places - 1] < largest;
    }
    return places;
}

/* A record that repeats itself, is out of order or has too many entries: its coordinates other
 * than 0 are all that the clip looks at or moves. */
static void add_any_row(sbl_sum *sum, const sbl_run_bounds *bounds, int64_t *target, row_of_ones row)
{
    uint32_t *sorted = sort_entries(sum, row);
    const size_t places = count_repeats(sum->tile, sorted, row, bounds->largest);
    sbl_enforce(sum->tile, places, bounds->bound2, bounds->bound1);
    for (size_t i = 0; i < places; i++) target[sorted[i]] += sum->tile[i];
}

/* Do the entries within range rise, so that none comes twice, and are they few enough? Then both
 * the squares and the sum of the record are their number. */
static bool is_plain(row_of_ones row)
{
    uint64_t count = 0;
    uint64_t next = 0; /* the least that the next entry may be */
    bool rising = true;
    for (size_t i = 0; i < row.per_row; i++) {
        const uint64_t entry = row.entries[i];
        const bool inside = entry < row.limit;
        rising &= !inside | (entry >= next);
        next = inside ? entry + 1 : next;
        count += inside;
    }
    return rising & (count <= row.most);
}

/* An entry out of range adds 0 to coordinate 0. */
static void add_plain_row(int64_t *target, row_of_ones row)
{
    for (size_t i = 0; i < row.per_row; i++) {
        const bool inside = row.entries[i] < row.limit;
        target[inside ? row.entries[i] : 0] += inside;
    }
}

/* Why this call may not come now, or NULL. */
static const char *ones_fault(const sbl_sum *sum, size_t block, const uint32_t *entries, size_t per_row)
{
    const char *fault = sbl_sum_block_fault(sum, block);
    if (fault != NULL) return fault;
    const sbl_block *b = &sum->layout.blocks[block];
    if (sum->blocks[block].next_column != 0) return "the columns of this block were added already";
    if (sum->blocks[block].pending != NULL) return "this block takes levels, not ones";
    if (b->scale != 1.0) return "ones are for a block of scale 1";
    if (b->group != 0) return "ones are for a block without groups: they come whole";
    if (sum->blocks[block].is_source) return "squares and products are not formed from ones";
    if (per_row == 0) return "a row of ones needs room for an entry";
    if (entries == NULL && sum->batch_rows != 0) return "entries are missing although there are rows";
    return NULL;
}

/* Room to sort one row. It is made whether or not a row will need it: memory tells nothing. */
static bool make_room(sbl_sum *sum, size_t per_row)
{
    if (per_row > sum->places_size) {
        sbl_free_wiped(sum->places, 2 * sum->places_size * sizeof *sum->places);
        sum->places_size = 0;
        sum->places = sbl_alloc_array(per_row, 2 * sizeof *sum->places);
        if (sum->places == NULL) return false;
        sum->places_size = per_row;
    }
    return sbl_sum_make_tile(sum, per_row);
}

sbl_status sbl_sum_add_ones(sbl_sum *sum, size_t block, const uint32_t *entries, size_t per_row,
                            sbl_error *err)
{
    const char *fault = ones_fault(sum, block, entries, per_row);
    if (fault != NULL) return sbl_sum_break(sum, SBL_EARG, fault, err);
    if (!make_room(sum, per_row))
        return sbl_sum_break(sum, SBL_EMEM, "out of memory for the entries of one row", err);
    const sbl_block *b = &sum->layout.blocks[block];
    sbl_block_state *state = &sum->blocks[block];
    const sbl_run_bounds *bounds = &state->bounds;
    const bool capped = bounds->bound1 != 0 && bounds->bound1 < bounds->bound2;
    row_of_ones row = {.per_row = per_row,
                       /* SBL_NO_ENTRY is none even where the block is 2^32 wide. */
                       .limit = (uint32_t)(b->width - (b->width > SBL_NO_ENTRY)),
                       .most = capped ? bounds->bound1 : bounds->bound2};
    for (size_t r = 0; r < sum->batch_rows; r++) {
        if (!sbl_sum_counts_row(sum, r)) continue;
        int64_t *target = state->values + (b->per_class ? sbl_sum_class(sum, r) * b->width : 0);
        row.entries = entries + r * per_row;
        if (is_plain(row))
            add_plain_row(target, row);
        else
            add_any_row(sum, bounds, target, row);
    }
    state->next_column = b->width;
    return SBL_OK;
}
