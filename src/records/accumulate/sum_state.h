/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a sum; for sum*.c only. */
#ifndef SBL_ACCUMULATE_SUM_STATE_H
#define SBL_ACCUMULATE_SUM_STATE_H

#include "records/accumulate/moments.h"
#include "records/accumulate/quantise.h"
#include "records/accumulate/sum.h"

/* Records that came as levels and were counted, but whose integers are not in the sums yet. */
typedef struct sbl_pending_levels {
    int32_t *cells; /* (columns, sbl_levels_cells) */
    int32_t rows;   /* rows so far: no bin holds more */
} sbl_pending_levels;

typedef struct sbl_block_state {
    sbl_run_bounds bounds;
    sbl_grid grid;
    size_t tile;        /* coordinates handled at a time: whole runs that stay in cache */
    int64_t *values;    /* into sbl_sum.values */
    size_t next_column; /* of the open batch */
    bool is_source;     /* squares or products are formed from it */
    sbl_moments moments;
    sbl_pending_levels *pending; /* of a block with levels, else NULL */
} sbl_block_state;

struct sbl_sum {
    sbl_layout layout;
    uint8_t layout_hash[SBL_SHA256_SIZE];
    sbl_block_state *blocks;
    int64_t *values; /* every block in order, then the counts */
    size_t value_count;
    int64_t *counts; /* into values */
    uint64_t rows;
    int32_t *tile; /* the integers of one record, or of some runs of it */
    size_t tile_size;
    uint32_t *places; /* (2, places_size): the entries of a row of ones while they are sorted */
    size_t places_size;
    uint32_t *scratch; /* what a row of amounts adds to each place, while it is added up; else 0 */
    size_t scratch_size;
    uint32_t *labels; /* of the open batch, all < classes; unused when classes == 1 */
    size_t labels_size;
    size_t *by_class;    /* rows of the open batch, class after class; NULL: nothing needs it */
    size_t *starts;      /* of each class in by_class; NULL likewise */
    uint32_t *unit_rows; /* of the rows of the open batch; unused where a row is a unit */
    size_t unit_rows_size;
    size_t batch_rows;
    bool batch_open;
    bool broken;
};

/* The class of a row of the open batch. */
static inline size_t sbl_sum_class(const sbl_sum *sum, size_t row)
{
    return sum->layout.classes == 1 ? 0 : sum->labels[row];
}

/* Does a row of the open batch count: is it one of the first k of its unit? */
static inline bool sbl_sum_counts_row(const sbl_sum *sum, size_t row)
{
    return sum->layout.rows_per_unit == 0 || sum->unit_rows[row] < sum->layout.rows_per_unit;
}

/* Keeps which of its unit's rows each row of a batch is. False: out of memory. */
bool sbl_sum_keep_unit_rows(sbl_sum *sum, const uint32_t *unit_rows, size_t rows);
void sbl_sum_free_unit_rows(sbl_sum *sum);

/* The rows of the open batch into the block of persons, where there is one. */
void sbl_sum_count_units(sbl_sum *sum);

/* Makes room for `count` integers in sum->tile, on the first call that needs it: a block whose
 * records come as ones never needs its width. False: out of memory. */
bool sbl_sum_make_tile(sbl_sum *sum, size_t count);

/* Blocks with levels: room for their histograms (false: out of memory); freed wiped; what was counted
 * goes into the sums, which must come before these are looked at. */
bool sbl_sum_prepare_levels(sbl_sum *sum);
void sbl_sum_clear_levels(sbl_sum *sum);
void sbl_sum_fold_levels(const sbl_sum *sum);

/* Why no features may be added to this block now, or NULL. */
const char *sbl_sum_block_fault(const sbl_sum *sum, size_t block);

/* Fails with this message. A batch that went wrong may have left half of itself in the sums: no
 * later call mends that. */
sbl_status sbl_sum_break(sbl_sum *sum, sbl_status status, const char *fault, sbl_error *err);

#endif
