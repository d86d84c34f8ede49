/* SPDX-License-Identifier: Apache-2.0 */
/* Records of amounts in a few places: the same bits as the record written out. */

#include "accumulate/entry_kit.h"
#include "records/accumulate/sum.h"
#include "support/cmocka_all.h"

FREES(sbl_sum_free);

/* Every way in which a feature map can be right or wrong. */
enum { ANYWHERE, REPEATED, ONE_PLACE, OUT_OF_RANGE, NOTHING, MIXED, ENTRY_KINDS };

static uint32_t make_entry(size_t kind, size_t width, uint64_t *seed)
{
    const uint32_t any = (uint32_t)(random_bits(seed) % width);
    switch (kind) {
    case ANYWHERE:
        return any;
    case REPEATED:
        return any % 3 % (uint32_t)width;
    case ONE_PLACE:
        return (uint32_t)width - 1;
    case OUT_OF_RANGE:
        return any % 3 == 0 ? entry_outside(width, seed) : any;
    case NOTHING:
        return SBL_NO_ENTRY;
    default:
        return make_entry(random_bits(seed) % MIXED, width, seed);
    }
}

/* A share of one, nothing, and what no feature should give. */
static uint32_t make_amount(uint64_t *seed)
{
    switch (random_bits(seed) % 8) {
    case 0:
        return 0;
    case 1:
        return 1;
    case 2:
        return UINT32_MAX;
    default:
        return 65536 / (1 + (uint32_t)(random_bits(seed) % 50));
    }
}

static void make_row(entry_batch *batch, size_t row, size_t width, uint64_t *seed)
{
    const size_t kind = random_bits(seed) % ENTRY_KINDS;
    const size_t count = random_bits(seed) % (MOST_ENTRIES + 1);
    size_t next = batch->starts[row];
    for (size_t i = 0; i < count; i++, next++) {
        batch->entries[next] = make_entry(kind, width, seed);
        batch->amounts[next] = make_amount(seed);
    }
    batch->starts[row + 1] = next;
}

static sbl_status add(sbl_sum *sum, size_t block, const entry_batch *batch, sbl_error *err)
{
    return sbl_sum_add_sparse(sum, block, batch->starts, batch->entries, batch->amounts, err);
}

/* Bounds that are ample, tight, or hardly there. */
static sbl_block random_block(uint64_t *seed)
{
    static const uint64_t bounds[] = {
        1, 7, 65535, 65536, 100000, UINT64_C(1) << 32, UINT64_C(5) << 32, SBL_BOUND2_MAX};
    return random_entry_block(bounds, 8, true, seed);
}

static const entry_adder sparse = {add, make_row, random_block};

static sbl_block block_of(size_t width, uint64_t bound2, double scale)
{
    return (sbl_block){
        .name = "events", .width = width, .nonnegative = true, .bound2 = bound2, .scale = scale};
}

TEST(amounts_add_the_bits_of_the_record_written_out) { expect_bits_of_the_record_written_out(&sparse, 81); }

TEST(bounds_hold_for_every_record_of_amounts) { expect_bounds_for_every_record(&sparse, 82); }

/* What the clip makes of small records, by hand: floor(2^30 R / r) / 2^30 is below R / r. */
TEST(amounts_are_clipped_as_a_norm)
{
    static const struct {
        uint32_t entries[4], amounts[4];
        uint64_t bound2, bound1;
        int64_t expected[4];
    } cases[] = {
        {{0, 1, 2, 3}, {5, 6, 7, 8}, 174, 26, {5, 6, 7, 8}},  /* both bounds are met */
        {{0, 1, 2, 3}, {5, 6, 7, 8}, 173, 0, {4, 5, 6, 7}},   /* times 13 / ceil(sqrt 174) */
        {{0, 1, 2, 3}, {5, 6, 7, 8}, 174, 13, {2, 3, 3, 4}},  /* half of it */
        {{2, 2, 2, 2}, {1, 2, 3, 4}, 100, 10, {0, 0, 10, 0}}, /* one place: 10 */
        {{2, 2, 2, 2}, {1, 2, 3, 4}, 99, 0, {0, 0, 9, 0}},    /* held to floor(sqrt 99) */
        {{2, 1, 2, 9}, {3, 4, 1, 70}, 32, 0, {0, 4, 4, 0}},   /* 16 + 16; 9 is outside */
        {{4, SBL_NO_ENTRY, 5, 6}, {9, 9, 9, 9}, 1, 1, {0, 0, 0, 0}},
        {{1, 1, 1, 3}, {UINT32_MAX, UINT32_MAX, 0, 0}, SBL_BOUND2_MAX, 0, {0, 1 << 30, 0, 0}},
        {{0, 0, 1, 1}, {0, 0, 0, 0}, 1, 1, {0, 0, 0, 0}},
    };
    const size_t starts[] = {0, 4};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sbl_block block = block_of(4, cases[i].bound2, 65536);
        block.bound1 = cases[i].bound1;
        const sbl_layout layout = layout_of(&block, 1, 1);
        FREED(sbl_sum_free) sbl_sum *sum = open_sum(&layout);
        assert_ok(sbl_sum_add_sparse(sum, 0, starts, cases[i].entries, cases[i].amounts, NULL));
        assert_ok(sbl_sum_end_rows(sum, NULL));
        assert_memory_equal(sbl_sum_values(sum, 0), cases[i].expected, sizeof cases[i].expected);
    }
}

/* No row finds anything that another left behind, whatever their order, and rows over a person's cap add nothing. */
TEST(a_row_adds_the_same_whatever_came_before)
{
    static entry_batch batch;
    uint64_t seed = 83;
    sbl_block block = block_of(20, UINT64_C(3) << 32, 65536);
    sbl_layout layout = layout_of(&block, 1, 1);
    layout.rows_per_unit = 1;
    for (size_t round = 0; round < 200; round++) {
        uint32_t counted[MOST_ROWS];
        int64_t expected[20] = {0};
        make_batch(&batch, &sparse, block.width, MOST_ROWS, &seed);
        sbl_sum *together = new_sum(&layout);
        for (size_t r = 0; r < MOST_ROWS; r++) {
            counted[r] = (uint32_t)(random_bits(&seed) % 3);
            if (counted[r] > 0) continue;
            FREED(sbl_sum_free) sbl_sum *alone = new_sum(&layout);
            assert_ok(sbl_sum_begin_unit_rows(alone, NULL, &counted[r], 1, NULL));
            assert_ok(sbl_sum_add_sparse(alone, 0, batch.starts + r, batch.entries, batch.amounts, NULL));
            assert_ok(sbl_sum_end_rows(alone, NULL));
            for (size_t j = 0; j < block.width; j++) expected[j] += sbl_sum_values(alone, 0)[j];
        }
        assert_ok(sbl_sum_begin_unit_rows(together, NULL, counted, MOST_ROWS, NULL));
        assert_ok(sbl_sum_add_sparse(together, 0, batch.starts, batch.entries, batch.amounts, NULL));
        assert_ok(sbl_sum_end_rows(together, NULL));
        assert_memory_equal(sbl_sum_values(together, 0), expected, sizeof expected);
        sbl_sum_free(together);
    }
}

static const uint32_t some_entries[] = {1, 2, 3};
static const uint32_t some_amounts[] = {1, 1, 1};
static const size_t some_starts[] = {0, 3};

static void assert_refused(sbl_sum *sum, size_t block, const size_t *starts, const uint32_t *entries,
                           const uint32_t *amounts, const char *reason)
{
    sbl_error err = {0};
    assert_broken(sum, sbl_sum_add_sparse(sum, block, starts, entries, amounts, &err), &err, reason);
}

static void assert_block_refused(sbl_sum *sum, size_t block, const char *reason)
{
    assert_refused(sum, block, some_starts, some_entries, some_amounts, reason);
}

TEST(amounts_misused_break_the_sum)
{
    const size_t falling[] = {3, 2};
    const double x[6] = {0};
    /* Amounts, a block with groups, a signed one, a source and its squares. */
    sbl_block blocks[5] = {
        block_of(6, 3, 1),
        {.name = "grouped", .width = 6, .nonnegative = true, .group = 2, .bound2 = 3, .scale = 1},
        {.name = "signed", .width = 6, .bound2 = 3, .scale = 1},
        {.name = "source", .width = 6, .nonnegative = true, .bound2 = 3, .scale = 1}};
    blocks[4] = sbl_block_of_moments("squares", SBL_BLOCK_SQUARES, &blocks[3], 6);
    const sbl_layout odd = layout_of(blocks, 5, 1);
    assert_block_refused(new_sum(&odd), 0, "no batch");
    assert_block_refused(open_sum(&odd), 5, "no block");
    assert_block_refused(open_sum(&odd), 1, "without groups");
    assert_block_refused(open_sum(&odd), 2, "nonnegative");
    assert_block_refused(open_sum(&odd), 3, "not formed from amounts");
    assert_block_refused(open_sum(&odd), 4, "feed that block");
    assert_refused(open_sum(&odd), 0, NULL, some_entries, some_amounts, "starts of rows");
    assert_refused(open_sum(&odd), 0, falling, some_entries, some_amounts, "follow each other");
    assert_refused(open_sum(&odd), 0, some_starts, NULL, some_amounts, "are missing");
    assert_refused(open_sum(&odd), 0, some_starts, some_entries, NULL, "are missing");
    FREED(sbl_sum_free) sbl_sum *sum = open_sum(&odd);
    assert_ok(sbl_sum_add_sparse(sum, 0, some_starts, some_entries, some_amounts, NULL));
    assert_block_refused(sum, 0, "added already");
    sum = open_sum(&odd);
    assert_ok(sbl_sum_add_sparse(sum, 0, some_starts, some_entries, some_amounts, NULL));
    assert_int_equal(sbl_sum_add_f64(sum, 0, 0, 6, x, 6, NULL), SBL_EARG); /* and now in full */
}

TEST(rows_without_entries_change_nothing)
{
    sbl_block block = block_of(2, 1, 1);
    const sbl_layout layout = layout_of(&block, 1, 1);
    const size_t nowhere[] = {0, 0, 0};
    FREED(sbl_sum_free) sbl_sum *sum = new_sum(&layout);
    assert_ok(sbl_sum_begin_rows(sum, NULL, 0, NULL));
    assert_ok(sbl_sum_add_sparse(sum, 0, NULL, NULL, NULL, NULL));
    assert_ok(sbl_sum_end_rows(sum, NULL));
    assert_ok(sbl_sum_begin_rows(sum, NULL, 2, NULL));
    assert_ok(sbl_sum_add_sparse(sum, 0, nowhere, NULL, NULL, NULL));
    assert_ok(sbl_sum_end_rows(sum, NULL));
    assert_int_equal(sbl_sum_rows(sum), 2);
    assert_int_equal(sbl_sum_values(sum, 0)[0], 0);
    assert_int_equal(sbl_sum_values(sum, 0)[1], 0);
}

TEST(lack_of_memory_for_a_row_breaks_the_sum)
{
    static const entry_batch row = {.starts = {0, 3}, .entries = {1, 2, 3}, .amounts = {1, 1, 1}};
    expect_lack_of_memory_breaks_the_sum(&sparse, block_of(6, 9, 1), &row);
}

/* What is wiped and freed. */
static size_t freed_all;
void __real_sbl_free_wiped(void *block, size_t size);
void __wrap_sbl_free_wiped(void *block, size_t size);
void __wrap_sbl_free_wiped(void *block, size_t size)
{
    if (block != NULL) freed_all += size;
    __real_sbl_free_wiped(block, size);
}

TEST(scratch_grows_to_the_widest_block_and_is_wiped)
{
    sbl_block blocks[] = {{.name = "wide", .width = 1000, .nonnegative = true, .bound2 = 9, .scale = 1},
                          {.name = "narrow", .width = 10, .nonnegative = true, .bound2 = 9, .scale = 1}};
    const sbl_layout layout = layout_of(blocks, 2, 1);
    sbl_sum *sum = new_sum(&layout);
    assert_ok(sbl_sum_begin_rows(sum, NULL, 1, NULL));
    for (size_t b = 2; b-- > 0;) {
        freed_all = 0;
        assert_ok(sbl_sum_add_sparse(sum, b, some_starts, some_entries, some_amounts, NULL));
        assert_int_equal(freed_all, b == 0 ? 11 * sizeof(uint32_t) : 0);
        assert_int_equal(sbl_sum_values(sum, b)[1], 1);
    }
    assert_ok(sbl_sum_end_rows(sum, NULL));
    freed_all = 0;
    sbl_sum_free(sum);
    assert_true(freed_all >= 1001 * sizeof(uint32_t) + 1011 * sizeof(int64_t) + 3 * sizeof(int32_t));
}
