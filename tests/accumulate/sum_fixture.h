/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts, records and feeding loops shared by the tests of accumulate/. */
#ifndef SBL_TESTS_ACCUMULATE_SUM_FIXTURE_H
#define SBL_TESTS_ACCUMULATE_SUM_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/int128.h"
#include "records/accumulate/sum.h"

#define GRID_BOUND2 (UINT64_C(1) << (2 * SBL_GRID_BITS))

/* SplitMix64. */
uint64_t random_bits(uint64_t *state);
double random_unit(uint64_t *state);   /* [0, 1) */
double random_signed(uint64_t *state); /* (-1, 1) */

/* A record of one block: random ones, and every kind of bad one. */
enum { RECORD_KINDS = 14 };
void make_record(double *x, size_t width, size_t kind, uint64_t *state);

/* Three blocks, two of them per class: a signed one, a nonnegative one with an L1 bound, and one
 * with groups of 4; counts; 3 classes. */
enum { MIXED_BLOCKS = 3, MIXED_CLASSES = 3, MIXED_COLUMNS = 13 + 6 + 12 };
typedef struct mixed_layout {
    sbl_block blocks[MIXED_BLOCKS];
    sbl_layout layout;
} mixed_layout;
void mixed_layout_init(mixed_layout *mixed);

/* Records under the mixed layout, columns of the blocks side by side. */
typedef struct record_set {
    size_t rows;
    double *features; /* (rows, MIXED_COLUMNS) */
    uint32_t *labels;
} record_set;
void record_set_init(record_set *set, size_t rows, uint64_t seed);
void record_set_clear(record_set *set);

/* Add records order[from..to) (all in place when order is NULL) in batches; with pieces, the
 * grouped block comes in pieces of one group. */
void feed(sbl_sum *sum, const record_set *set, const size_t *order, size_t from, size_t to, size_t batch,
          bool pieces);

/* Records of one layout, and how some of them are added to a sum. The sum of all has the same bits whatever the
 * batch, the number of shards or the number of threads. */
typedef struct feeding {
    const sbl_layout *layout;
    const void *set;
    size_t rows;
    void (*feed)(sbl_sum *sum, const void *set, size_t from, size_t to, size_t batch);
} feeding;
sbl_sum *fed_in_batches(const feeding *fed, size_t batch);
void expect_same_shards(const feeding *fed, size_t most, size_t batch);
void expect_same_threads(const feeding *fed, size_t batch); /* 1, 2 and 4 */

sbl_sum *new_sum(const sbl_layout *layout);
sbl_sum *sum_of_all(const record_set *set, const sbl_layout *layout);
bool same_sums(const sbl_sum *a, const sbl_sum *b);

/* Exact norms, term by term. */
sbl_u128 squares_of(const int64_t *v, size_t count);
sbl_u128 magnitudes_of(const int64_t *v, size_t count);

#endif
