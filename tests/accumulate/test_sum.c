/* SPDX-License-Identifier: Apache-2.0 */
/* Sums: the same bits whatever the order, sharding, threads or batches; no neighbour too far. */
#include <math.h>
#include <stdlib.h>

#include "accumulate/sum_fixture.h"
#include "records/accumulate/sum.h"
#include "support/cmocka_all.h"

FREES(sbl_sum_free);

TEST(permuting_records_gives_the_same_bits)
{
    mixed_layout m;
    CLEARED(record_set_clear) record_set set;
    uint64_t seed = 21;
    size_t order[500];
    mixed_layout_init(&m);
    record_set_init(&set, 500, 20);
    FREED(sbl_sum_free) sbl_sum *expected = sum_of_all(&set, &m.layout);
    for (size_t i = 0; i < 500; i++) order[i] = i;
    for (size_t round = 0; round < 10; round++) {
        for (size_t i = 499; i > 0; i--) {
            const size_t j = random_bits(&seed) % (i + 1);
            const size_t swap = order[i];
            order[i] = order[j];
            order[j] = swap;
        }
        FREED(sbl_sum_free) sbl_sum *sum = new_sum(&m.layout);
        feed(sum, &set, order, 0, 500, 100, round % 2 != 0);
        assert_true(same_sums(sum, expected));
    }
}

/* Tail tiles: 331 rows leave a rest in every batch size but 1 and 331. */
TEST(batch_size_and_column_pieces_do_not_matter)
{
    static const size_t batches[] = {1, 2, 3, 7, 64, 331};
    mixed_layout m;
    CLEARED(record_set_clear) record_set set;
    mixed_layout_init(&m);
    record_set_init(&set, 331, 22);
    FREED(sbl_sum_free) sbl_sum *expected = sum_of_all(&set, &m.layout);
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
        for (int pieces = 0; pieces < 2; pieces++) {
            FREED(sbl_sum_free) sbl_sum *sum = new_sum(&m.layout);
            feed(sum, &set, NULL, 0, set.rows, batches[i], pieces != 0);
            assert_true(same_sums(sum, expected));
        }
}

TEST(wide_groups_cross_tiles_without_a_trace)
{
    enum { WIDTH = 9000, ROWS = 5 }; /* groups of 3 in tiles of 4095 coordinates */
    sbl_block block = {
        .name = "wide", .width = WIDTH, .group = 3, .bound2 = UINT64_C(1) << 56, .scale = 0x1p22};
    const sbl_layout layout = {.blocks = &block, .block_count = 1, .classes = 1, .rows_cap = 1 << 20};
    uint64_t seed = 23;
    FREED(free) double *x = malloc(ROWS * WIDTH * sizeof *x);
    assert_non_null(x);
    for (size_t r = 0; r < ROWS; r++) make_record(x + r * WIDTH, WIDTH, 8 + r, &seed);
    sbl_sum *whole = new_sum(&layout);
    FREED(sbl_sum_free) sbl_sum *pieces = new_sum(&layout);
    assert_ok(sbl_sum_begin_rows(whole, NULL, ROWS, NULL));
    assert_ok(sbl_sum_add_f64(whole, 0, 0, WIDTH, x, WIDTH, NULL));
    assert_ok(sbl_sum_end_rows(whole, NULL));
    assert_ok(sbl_sum_begin_rows(pieces, NULL, ROWS, NULL));
    for (size_t j = 0; j < WIDTH; j += 1500)
        assert_ok(sbl_sum_add_f64(pieces, 0, j, 1500, x + j, WIDTH, NULL));
    assert_ok(sbl_sum_end_rows(pieces, NULL));
    assert_true(same_sums(whole, pieces));
    sbl_sum_free(whole);
}

static void feed_some(sbl_sum *sum, const void *set, size_t from, size_t to, size_t batch)
{
    feed(sum, set, NULL, from, to, batch, false);
}

TEST(sharding_1_to_64_ways_gives_the_same_bits)
{
    mixed_layout m;
    CLEARED(record_set_clear) record_set set;
    mixed_layout_init(&m);
    record_set_init(&set, 403, 24);
    expect_same_shards(&(feeding){&m.layout, &set, set.rows, feed_some}, 64, 5);
}

TEST(one_two_or_four_threads_give_the_same_bits)
{
    mixed_layout m;
    CLEARED(record_set_clear) record_set set;
    mixed_layout_init(&m);
    record_set_init(&set, 2001, 25);
    expect_same_threads(&(feeding){&m.layout, &set, set.rows, feed_some}, 11);
}

TEST(bad_values_never_drop_a_row)
{
    mixed_layout m;
    double x[4 * MIXED_COLUMNS];
    const uint32_t labels[] = {2, MIXED_CLASSES, UINT32_MAX, 1};
    mixed_layout_init(&m);
    for (size_t i = 0; i < 4 * MIXED_COLUMNS; i++) x[i] = i % 2 != 0 ? (double)NAN : -INFINITY;
    FREED(sbl_sum_free) sbl_sum *sum = new_sum(&m.layout);
    const record_set set = {.rows = 4, .features = x, .labels = (uint32_t *)labels};
    feed(sum, &set, NULL, 0, 4, 4, false);
    assert_int_equal(sbl_sum_rows(sum), 4);
    assert_int_equal(sbl_sum_counts(sum)[0], 2); /* labels that do not exist count as class 0 */
    assert_int_equal(sbl_sum_counts(sum)[1], 1);
    assert_int_equal(sbl_sum_counts(sum)[2], 1);
    const int64_t *sums = sbl_sum_values(sum, 0);
    for (size_t c = 0; c < 3; c++) /* each class got its record: one of two neighbours is -Inf */
        assert_true(sums[13 * c] + sums[13 * c + 1] < 0);
    for (size_t i = 0; i < 6; i++) assert_int_equal(sbl_sum_values(sum, 1)[i], 0);
}

TEST(known_records_give_known_sums)
{
    sbl_block blocks[] = {{.name = "all", .width = 2, .bound2 = 100, .scale = 2},
                          {.name = "each", .width = 2, .bound2 = 100, .scale = 2, .per_class = true}};
    const sbl_layout layout = {.blocks = blocks, .block_count = 2, .classes = 2, .rows_cap = 10};
    const float x[] = {1, -2, 9, 1.25F, 0.75F, 9, 300, 400, 9}; /* a third column is skipped */
    const uint32_t labels[] = {0, 1, 1};
    const int64_t all[] = {2 + 2 + 6, -4 + 2 + 6}; /* (600, 800): clamped to (10, 10), clipped to (6, 6) */
    const int64_t each[] = {2, -4, 2 + 6, 2 + 6};
    FREED(sbl_sum_free) sbl_sum *sum = new_sum(&layout);
    assert_ok(sbl_sum_begin_rows(sum, labels, 3, NULL));
    assert_ok(sbl_sum_add_f32(sum, 0, 0, 2, x, 3, NULL));
    assert_ok(sbl_sum_add_f32(sum, 1, 0, 2, x, 3, NULL));
    assert_ok(sbl_sum_end_rows(sum, NULL));
    assert_memory_equal(sbl_sum_values(sum, 0), all, sizeof all);
    assert_memory_equal(sbl_sum_values(sum, 1), each, sizeof each);
    assert_int_equal(sbl_sum_layout(sum)->rows_cap, 10);
}

/* Squared and absolute distance of block b of two sums. */
static void distance(const sbl_sum *a, const sbl_sum *b, size_t block, sbl_u128 *squares,
                     sbl_u128 *magnitudes)
{
    int64_t change[64];
    const size_t values = sbl_block_values(sbl_sum_layout(a), block);
    for (size_t i = 0; i < values; i++) change[i] = sbl_sum_values(a, block)[i] - sbl_sum_values(b, block)[i];
    *squares = squares_of(change, values);
    *magnitudes = magnitudes_of(change, values);
}

TEST(neighbours_differ_by_no_more_than_the_sensitivity)
{
    enum { ROWS = 4, PAIRS = 5000 };
    mixed_layout m;
    record_set d, e;
    bool reached = false;
    mixed_layout_init(&m);
    for (uint64_t pair = 0; pair < PAIRS; pair++) {
        record_set_init(&d, ROWS, 2 * pair);
        record_set_init(&e, ROWS, 2 * pair);
        uint64_t seed = pair;
        double *x = e.features + MIXED_COLUMNS; /* record 1 is replaced */
        const bool antipode = pair % 3 == 0;
        for (size_t i = 0; i < MIXED_COLUMNS && antipode; i++) x[i] = -x[i];
        if (!antipode) make_record(x, MIXED_COLUMNS, random_bits(&seed) % RECORD_KINDS, &seed);
        if (pair % 2 != 0) e.labels[1] = (e.labels[1] + 1) % MIXED_CLASSES;
        sbl_sum *a = sum_of_all(&d, &m.layout);
        sbl_sum *b = sum_of_all(&e, &m.layout);
        for (size_t block = 0; block < MIXED_BLOCKS; block++) {
            const sbl_block *facts = &m.blocks[block];
            sbl_u128 squares, magnitudes;
            distance(a, b, block, &squares, &magnitudes);
            const bool moved = facts->per_class && d.labels[1] % 3 != e.labels[1] % 3;
            const uint64_t factor = facts->nonnegative || moved ? 2 : 4;
            assert_true(squares <= (sbl_u128)factor * facts->bound2);
            assert_true(facts->bound1 == 0 || magnitudes <= 2 * (sbl_u128)facts->bound1);
            reached = reached || (block == 0 && squares > facts->bound2 / 100 * 399);
        }
        assert_int_equal(sbl_sum_rows(a), sbl_sum_rows(b));
        sbl_sum_free(a);
        sbl_sum_free(b);
        record_set_clear(&d);
        record_set_clear(&e);
    }
    assert_true(reached); /* the pairs are hard enough: x' = -x comes close to the bound */
}
