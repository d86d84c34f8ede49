/* SPDX-License-Identifier: Apache-2.0 */
/* Records of ones: the same bits as the record written out, at the price of its entries. */

#include "accumulate/entry_kit.h"
#include "records/accumulate/sum.h"
#include "support/cmocka_all.h"

FREES(sbl_sum_free);

/* Every way in which a feature map can be right or wrong. */
enum { RISING, ANY_ORDER, REPEATED, ONE_PLACE, OUT_OF_RANGE, NOTHING, MIXED, ENTRY_KINDS };

static uint32_t make_entry(size_t kind, size_t i, size_t per_row, size_t width, uint64_t *seed)
{
    const uint32_t any = (uint32_t)(random_bits(seed) % width);
    switch (kind) {
    case RISING: { /* one in each of per_row tables; a table without cells has none */
        const size_t first = i * width / per_row;
        const size_t cells = (i + 1) * width / per_row - first;
        return cells != 0 ? (uint32_t)(first + any % cells) : SBL_NO_ENTRY;
    }
    case ANY_ORDER:
        return (uint32_t)((per_row - i) * 7 % width);
    case REPEATED:
        return any % 3 % (uint32_t)width;
    case ONE_PLACE:
        return (uint32_t)width - 1;
    case OUT_OF_RANGE:
        return any % 3 == 0 ? entry_outside(width, seed) : any;
    case NOTHING:
        return SBL_NO_ENTRY;
    default:
        return make_entry(random_bits(seed) % MIXED, i, per_row, width, seed);
    }
}

static void make_row(entry_batch *batch, size_t row, size_t width, uint64_t *seed)
{
    const size_t kind = random_bits(seed) % ENTRY_KINDS;
    size_t next = batch->starts[row];
    for (size_t i = 0; i < batch->per_row; i++, next++) {
        batch->entries[next] = make_entry(kind, i, batch->per_row, width, seed);
        batch->amounts[next] = 1;
    }
    batch->starts[row + 1] = next;
}

static sbl_status add(sbl_sum *sum, size_t block, const entry_batch *batch, sbl_error *err)
{
    return sbl_sum_add_ones(sum, block, batch->entries, batch->per_row, err);
}

static sbl_block random_block(uint64_t *seed)
{
    static const uint64_t bounds[] = {1, 2, 3, 4, 7, 20, 99, 1000, SBL_BOUND2_MAX};
    return random_entry_block(bounds, 9, random_bits(seed) % 2 != 0, seed);
}

static const entry_adder ones = {add, make_row, random_block};

static sbl_block block_of(size_t width, uint64_t bound2)
{
    return (sbl_block){.name = "ones", .width = width, .bound2 = bound2, .scale = 1};
}

TEST(ones_add_the_bits_of_the_record_written_out) { expect_bits_of_the_record_written_out(&ones, 71); }

TEST(bounds_hold_for_every_record_of_ones) { expect_bounds_for_every_record(&ones, 72); }

/* What the clip makes of small records, by hand: floor(2^30 R / r) / 2^30 is below R / r. */
TEST(repeats_and_surplus_are_clipped_as_a_norm)
{
    static const struct {
        uint32_t entries[4];
        uint64_t bound2, bound1;
        int64_t expected[4];
    } cases[] = {
        {{0, 1, 2, 3}, 4, 4, {1, 1, 1, 1}},
        {{3, 1, 0, 2}, 4, 4, {1, 1, 1, 1}},
        {{0, 1, 2, 3}, 3, 0, {0, 0, 0, 0}},              /* four ones, a square of 4 */
        {{0, 1, 2, 3}, 4, 3, {0, 0, 0, 0}},              /* and a sum of 4 */
        {{2, 2, SBL_NO_ENTRY, 4}, 4, 2, {0, 0, 2, 0}},   /* a 2: square 4, sum 2 */
        {{2, 2, SBL_NO_ENTRY, 4}, 3, 0, {0, 0, 1, 0}},   /* held to floor(sqrt 3) */
        {{2, 2, SBL_NO_ENTRY, 4}, 4, 1, {0, 0, 1, 0}},   /* half of it */
        {{2, 2, 2, 1}, 10, 0, {0, 1, 3, 0}},             /* 1 + 9 */
        {{2, 2, 2, 1}, 9, 0, {0, 0, 2, 0}},              /* times 3 / ceil(sqrt 10) */
        {{1, 1, 1, 1}, SBL_BOUND2_MAX, 0, {0, 4, 0, 0}}, /* no clip in sight */
        {{4, 5, SBL_NO_ENTRY, UINT32_MAX - 1}, 1, 1, {0, 0, 0, 0}},
        {{SBL_NO_ENTRY, 0, SBL_NO_ENTRY, 3}, 2, 2, {1, 0, 0, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sbl_block block = block_of(4, cases[i].bound2);
        block.bound1 = cases[i].bound1;
        const sbl_layout layout = layout_of(&block, 1, 1);
        FREED(sbl_sum_free) sbl_sum *sum = open_sum(&layout);
        assert_ok(sbl_sum_add_ones(sum, 0, cases[i].entries, 4, NULL));
        assert_ok(sbl_sum_end_rows(sum, NULL));
        assert_memory_equal(sbl_sum_values(sum, 0), cases[i].expected, sizeof cases[i].expected);
    }
}

TEST(order_of_the_entries_does_not_matter)
{
    static entry_batch batch;
    uint64_t seed = 73;
    for (size_t round = 0; round < 500; round++) {
        sbl_block block = random_block(&seed);
        const sbl_layout layout = layout_of(&block, 1, MIXED_CLASSES);
        sbl_sum *sum = new_sum(&layout);
        FREED(sbl_sum_free) sbl_sum *shuffled = new_sum(&layout);
        batch.per_row = MOST_ENTRIES;
        make_batch(&batch, &ones, block.width, 9, &seed);
        add_batch(sum, &ones, &batch);
        for (size_t r = 0; r < batch.rows; r++)
            for (size_t i = MOST_ENTRIES - 1; i > 0; i--) {
                uint32_t *row = batch.entries + r * MOST_ENTRIES;
                const size_t j = random_bits(&seed) % (i + 1);
                const uint32_t swap = row[i];
                row[i] = row[j];
                row[j] = swap;
            }
        add_batch(shuffled, &ones, &batch);
        assert_true(same_sums(sum, shuffled));
        sbl_sum_free(sum);
    }
}

TEST(ones_merge_and_pass_through_files)
{
    static entry_batch batches[2];
    uint64_t seed = 74;
    sbl_block block = {.name = "ones", .width = 50, .per_class = true, .bound2 = 5, .scale = 1};
    const sbl_layout layout = layout_of(&block, 1, MIXED_CLASSES);
    sbl_sum *parts[2];
    FREED(sbl_sum_free) sbl_sum *dense = new_sum(&layout);
    for (size_t i = 0; i < 2; i++) {
        batches[i].per_row = 5;
        make_batch(&batches[i], &ones, block.width, MOST_ROWS, &seed);
        parts[i] = new_sum(&layout);
        add_batch(parts[i], &ones, &batches[i]);
        add_dense(dense, &batches[i]);
    }
    assert_ok(sbl_sum_merge(parts[0], parts[1], NULL));
    assert_true(same_sums(parts[0], dense));
    sbl_sum_free(parts[0]);
    sbl_sum_free(parts[1]);
}

static void assert_refused(sbl_sum *sum, size_t block, const uint32_t *entries, size_t per_row,
                           const char *reason)
{
    sbl_error err = {0};
    assert_broken(sum, sbl_sum_add_ones(sum, block, entries, per_row, &err), &err, reason);
}

TEST(ones_misused_break_the_sum)
{
    const uint32_t entries[] = {1, 2};
    const double x[6] = {0};
    /* Ones, a block with groups, one of another scale, a source and its squares. */
    sbl_block blocks[5] = {block_of(6, 3),
                           {.name = "grouped", .width = 6, .group = 2, .bound2 = 3, .scale = 1},
                           {.name = "scaled", .width = 6, .bound2 = 3, .scale = 1 + 0x1p-52},
                           {.name = "source", .width = 6, .bound2 = 3, .scale = 1}};
    blocks[4] = sbl_block_of_moments("squares", SBL_BLOCK_SQUARES, &blocks[3], 6);
    const sbl_layout odd = layout_of(blocks, 5, 1);
    assert_refused(new_sum(&odd), 0, entries, 2, "no batch");
    assert_refused(open_sum(&odd), 5, entries, 2, "no block");
    assert_refused(open_sum(&odd), 1, entries, 2, "without groups");
    assert_refused(open_sum(&odd), 2, entries, 2, "scale 1");
    assert_refused(open_sum(&odd), 3, entries, 2, "not formed from ones");
    assert_refused(open_sum(&odd), 4, entries, 2, "feed that block");
    assert_refused(open_sum(&odd), 0, entries, 0, "room for an entry");
    assert_refused(open_sum(&odd), 0, NULL, 2, "entries are missing");
    FREED(sbl_sum_free) sbl_sum *sum = open_sum(&odd);
    assert_ok(sbl_sum_add_ones(sum, 0, entries, 2, NULL));
    assert_refused(sum, 0, entries, 2, "added already");
    sum = open_sum(&odd);
    assert_ok(sbl_sum_add_f64(sum, 0, 0, 6, x, 6, NULL));
    assert_refused(sum, 0, entries, 2, "added already");
    sum = open_sum(&odd);
    assert_ok(sbl_sum_add_ones(sum, 0, entries, 2, NULL));
    assert_int_equal(sbl_sum_add_f64(sum, 0, 0, 6, x, 6, NULL), SBL_EARG); /* and now in full */
}

TEST(empty_batch_of_ones_changes_nothing)
{
    sbl_block block = block_of(2, 1);
    const sbl_layout layout = layout_of(&block, 1, 1);
    FREED(sbl_sum_free) sbl_sum *sum = new_sum(&layout);
    assert_ok(sbl_sum_begin_rows(sum, NULL, 0, NULL));
    assert_ok(sbl_sum_add_ones(sum, 0, NULL, 3, NULL));
    assert_ok(sbl_sum_end_rows(sum, NULL));
    assert_int_equal(sbl_sum_rows(sum), 0);
    assert_int_equal(sbl_sum_values(sum, 0)[0], 0);
}

TEST(lack_of_memory_for_a_row_breaks_the_sum)
{
    static const entry_batch row = {.per_row = 7, .entries = {5, 4, 3, 2, 1, 0, 0}};
    expect_lack_of_memory_breaks_the_sum(&ones, block_of(6, 100), &row);
}

/* What is wiped and freed: the largest, and all of it. */
static size_t freed_most, freed_all;
void __real_sbl_free_wiped(void *block, size_t size);
void __wrap_sbl_free_wiped(void *block, size_t size);
void __wrap_sbl_free_wiped(void *block, size_t size)
{
    if (block != NULL) freed_all += size;
    if (block != NULL && size > freed_most) freed_most = size;
    __real_sbl_free_wiped(block, size);
}

TEST(a_wide_block_costs_its_sums_and_the_entries_of_a_row)
{
    enum { WIDTH = 3000000, ENTRIES = 5 };
    const uint32_t entries[2 * ENTRIES] = {7,         70000, WIDTH - 1, WIDTH, SBL_NO_ENTRY,
                                           WIDTH - 1, 70000, 7,         70000, 8};
    sbl_block block = block_of(WIDTH, 100);
    const sbl_layout layout = layout_of(&block, 1, 1);
    sbl_sum *sum = new_sum(&layout);
    assert_ok(sbl_sum_begin_rows(sum, NULL, 2, NULL));
    assert_ok(sbl_sum_add_ones(sum, 0, entries, ENTRIES, NULL));
    assert_ok(sbl_sum_end_rows(sum, NULL));
    const int64_t *values = sbl_sum_values(sum, 0);
    int64_t total = 0;
    for (size_t i = 0; i < WIDTH; i++) total += values[i];
    assert_int_equal(total, 8);
    assert_int_equal(values[7], 2);
    assert_int_equal(values[8], 1);
    assert_int_equal(values[70000], 3);
    assert_int_equal(values[WIDTH - 1], 2);
    freed_most = freed_all = 0;
    sbl_sum_free(sum);
    assert_int_equal(freed_most, (WIDTH + 1) * sizeof(int64_t));           /* the sums and one count */
    assert_true(freed_all - freed_most >= 3 * ENTRIES * sizeof(uint32_t)); /* the last row */
    assert_true(freed_all - freed_most < 2000);
}

TEST(longer_rows_wipe_the_entries_they_outgrow)
{
    static entry_batch batch;
    uint64_t seed = 75;
    sbl_block block = block_of(20, 4);
    const sbl_layout layout = layout_of(&block, 1, MIXED_CLASSES);
    FREED(sbl_sum_free) sbl_sum *sum = new_sum(&layout);
    batch.per_row = 4;
    make_batch(&batch, &ones, block.width, 4, &seed);
    add_batch(sum, &ones, &batch);
    batch.per_row = 9;
    make_batch(&batch, &ones, block.width, 4, &seed);
    freed_most = freed_all = 0;
    add_batch(sum, &ones, &batch);
    assert_int_equal(freed_all, 4 * (2 * sizeof(uint32_t) + sizeof(int32_t)));
    freed_all = 0;
    batch.per_row = 3;
    make_batch(&batch, &ones, block.width, 4, &seed);
    add_batch(sum, &ones, &batch);
    assert_int_equal(freed_all, 0); /* there is room */
}
