/* SPDX-License-Identifier: Apache-2.0 */
/* One harness over the adders that take entries: ones, and amounts in a few places. Each must add the bits of
 * the record written out. */
#ifndef SBL_TESTS_ACCUMULATE_ENTRY_KIT_H
#define SBL_TESTS_ACCUMULATE_ENTRY_KIT_H

#include "accumulate/sum_fixture.h"

enum { MOST_WIDTH = 300, MOST_ENTRIES = 40, MOST_ROWS = 64 };

/* Rows of one batch, and the records that they are. */
typedef struct entry_batch {
    size_t rows;
    size_t per_row; /* of ones */
    size_t starts[MOST_ROWS + 1];
    uint32_t entries[MOST_ROWS * MOST_ENTRIES];
    uint32_t amounts[MOST_ROWS * MOST_ENTRIES];
    uint32_t labels[MOST_ROWS];
    double dense[MOST_ROWS * MOST_WIDTH];
} entry_batch;

typedef struct entry_adder {
    sbl_status (*add)(sbl_sum *sum, size_t block, const entry_batch *batch, sbl_error *err);
    /* Entries, amounts and starts of a row, right and wrong in every way. */
    void (*make_row)(entry_batch *batch, size_t row, size_t width, uint64_t *seed);
    sbl_block (*random_block)(uint64_t *seed);
} entry_adder;

sbl_layout layout_of(sbl_block *blocks, size_t block_count, size_t classes);

/* A block that need not be wide enough, nor its bounds, for what comes. */
sbl_block random_entry_block(const uint64_t *bounds, size_t count, bool nonnegative, uint64_t *seed);

/* What no feature map should give. */
uint32_t entry_outside(size_t width, uint64_t *seed);

void make_batch(entry_batch *batch, const entry_adder *adder, size_t width, size_t rows, uint64_t *seed);
void add_batch(sbl_sum *sum, const entry_adder *adder, const entry_batch *batch);
void add_dense(sbl_sum *sum, const entry_batch *batch);

/* The cases that every adder has. */
void expect_bits_of_the_record_written_out(const entry_adder *adder, uint64_t seed);
void expect_bounds_for_every_record(const entry_adder *adder, uint64_t seed);
void expect_lack_of_memory_breaks_the_sum(const entry_adder *adder, sbl_block block, const entry_batch *row);

/* What was refused broke the sum for good; frees it. */
void assert_broken(sbl_sum *sum, sbl_status status, const sbl_error *err, const char *reason);
/* A sum of the layout with a batch of one row begun. */
sbl_sum *open_sum(const sbl_layout *layout);

#endif
