/* What a sum is made of; for sum.c and sum_file.c only. */
#ifndef SBL_ACCUMULATE_SUM_STATE_H
#define SBL_ACCUMULATE_SUM_STATE_H

#include "accumulate/quantise.h"
#include "accumulate/sum.h"

typedef struct sbl_block_state {
    sbl_run_bounds bounds;
    sbl_grid grid;
    size_t tile;        /* coordinates handled at a time: whole runs that stay in cache */
    int64_t *values;    /* into sbl_sum.values */
    size_t next_column; /* of the open batch */
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
    uint32_t *labels; /* of the open batch, all < classes; unused when classes == 1 */
    size_t labels_size;
    size_t batch_rows;
    bool batch_open;
    bool broken;
};

#endif
