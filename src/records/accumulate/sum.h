/* SPDX-License-Identifier: Apache-2.0 */
/* [4] Exact int64 sums of quantised features over records.
 *
 * Integer addition is associative and commutative: any order, sharding or number of threads gives the same
 * bits. A record's integers depend on that record alone. Privacy: a sum is as sensitive as the records. It
 * leaves through door/privatise only; its memory is wiped. */
#ifndef SBL_ACCUMULATE_SUM_H
#define SBL_ACCUMULATE_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "records/accumulate/layout.h"

#define SBL_NO_ENTRY UINT32_MAX /* adds nothing */

typedef struct sbl_sum sbl_sum;

/* An empty sum; the layout is copied. */
sbl_status sbl_sum_new(sbl_sum **sum, const sbl_layout *layout, sbl_error *err);
void sbl_sum_free(sbl_sum *sum); /* wipes; NULL is fine */

/* A batch of rows is fed as: begin, then every column of every block of features exactly once
 * (squares and products are formed from their source; blocks in any order; the columns of a block
 * from left to right, in one call, or in several when the block has a group and each call covers
 * whole groups), then end. Anything else breaks the sum for good: the door refuses it. labels: rows
 * entries, a value >= classes counts as class 0; may be NULL when classes == 1. labels are copied.
 */
sbl_status sbl_sum_begin_rows(sbl_sum *sum, const uint32_t *labels, size_t rows, sbl_error *err);
/* The same where up to k = rows_per_unit rows of a unit count. unit_rows: which of its unit's rows
 * each is, copied; all from one sbl_units (records/accumulate/person_rows_kept.h), for this sum and those that are
 * merged with it. A row whose index is k or more adds nothing to any block, nor to the counts, nor to
 * the number of rows. Block SBL_BLOCK_PERSONS is formed here from them. */
sbl_status sbl_sum_begin_unit_rows(sbl_sum *sum, const uint32_t *labels, const uint32_t *unit_rows,
                                   size_t rows, sbl_error *err);
/* features: row r, column j at features[r * stride + j], j < columns. */
sbl_status sbl_sum_add_f32(sbl_sum *sum, size_t block, size_t first_column, size_t columns,
                           const float *features, size_t stride, sbl_error *err);
sbl_status sbl_sum_add_f64(sbl_sum *sum, size_t block, size_t first_column, size_t columns,
                           const double *features, size_t stride, sbl_error *err);
/* The whole block in one call, where a record is ones in a few places: row r has a 1 in each of the
 * coordinates entries[r * per_row + i], i < per_row; SBL_NO_ENTRY, or any entry that is not below
 * the width, adds nothing. An entry that comes k times is a coordinate of k. Bounds are enforced as
 * on the record written out in full, and the sums are the same bits; both calls may feed the same
 * block, each its own batches. The block has scale 1 and no group, and nothing is formed from it.
 * Cost: per_row steps a row, whatever the width, and scratch of 12 per_row bytes.
 * Time: rows whose entries rise, those that add nothing aside, and that keep to the bounds all take
 * the same steps; any other row takes more. So a feature map, whatever the record, should give at
 * most one entry for each of its tables, table after table, and no more tables than the bounds
 * allow: then nothing that can be timed but memory's caches depends on a record. */
sbl_status sbl_sum_add_ones(sbl_sum *sum, size_t block, const uint32_t *entries, size_t per_row,
                            sbl_error *err);
/* The whole block in one call, where a record is amounts in some places, such as a person's history:
 * row r has amounts[i], in units of the grid, at entries[i], i in starts[r] .. starts[r + 1] - 1.
 * Amounts of one place add up; an entry that is not below the width adds nothing. Bounds are enforced
 * as on the record written out in full, and the sums are the same bits. The block is nonnegative, has
 * no group, and nothing is formed from it.
 * Cost: the number of entries, whatever the width, and a scratch of 4 bytes for each coordinate.
 * Time: rows of as many entries that keep to the bounds all take the same steps, and one that does
 * not takes a few more over its own entries: of a record nothing can be timed but the number of its
 * entries, whether it is clipped, and memory's caches. */
sbl_status sbl_sum_add_sparse(sbl_sum *sum, size_t block, const size_t *starts, const uint32_t *entries,
                              const uint32_t *amounts, sbl_error *err);
/* The whole block in one call, where it has levels (records/accumulate/levels.h), which take no other call:
 * row r has level levels[r * coordinates + i] of coordinate i; one that does not exist is level 0. */
sbl_status sbl_sum_add_levels(sbl_sum *sum, size_t block, const uint32_t *levels, sbl_error *err);
sbl_status sbl_sum_end_rows(sbl_sum *sum, sbl_error *err);

/* into += from. SBL_EINPUT for another layout or plan, or when the total overflows or exceeds the
 * row cap; `into` is then unchanged. */
sbl_status sbl_sum_merge(sbl_sum *into, const sbl_sum *from, sbl_error *err);

/* A sum that was made elsewhere: all its values, block after block, then the counts of every class.
 * Whether they are sums of enforced records cannot be seen here: the caller has checked their origin
 * (records/shards/shard_file.h). Faults that can be seen are refused: SBL_EINPUT for another number of
 * values, more rows than the row cap, a value beyond SBL_SUM_LIMIT, counts that are not those of the rows. */
sbl_status sbl_sum_load(sbl_sum **sum, const sbl_layout *layout, const int64_t *values, size_t count,
                        uint64_t rows, sbl_error *err);

const sbl_layout *sbl_sum_layout(const sbl_sum *sum);
uint64_t sbl_sum_rows(const sbl_sum *sum); /* that count */
/* False while a batch is open and after a broken one. */
bool sbl_sum_is_whole(const sbl_sum *sum);
/* Secret. (classes, width) or (1, width) row-major; (classes). */
const int64_t *sbl_sum_values(const sbl_sum *sum, size_t block);
const int64_t *sbl_sum_counts(const sbl_sum *sum);

#endif
