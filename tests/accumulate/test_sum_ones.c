/* Records of ones: the same bits as the record written out, at the price of its entries. */
#include <stdlib.h>
#include <string.h>

#include "accumulate/sum_fixture.h"
#include "records/accumulate/sum.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

enum { MOST_WIDTH = 300, MOST_ENTRIES = 40, MOST_ROWS = 64 };

/* Entries of one batch, and the records that they stand for. */
typedef struct ones_batch {
    size_t rows, per_row;
    uint32_t entries[MOST_ROWS * MOST_ENTRIES];
    uint32_t labels[MOST_ROWS];
    double dense[MOST_ROWS * MOST_WIDTH];
} ones_batch;

/* Every way in which a feature map can be right or wrong. */
enum { RISING, ANY_ORDER, REPEATED, ONE_PLACE, OUT_OF_RANGE, NOTHING, MIXED, ENTRY_KINDS };

static uint32_t make_entry(size_t kind, size_t i, size_t per_row, size_t width, uint64_t *seed)
{
    const uint32_t any = (uint32_t)(random_bits(seed) % width);
    const uint32_t outside[] = {(uint32_t)width, (uint32_t)width + 1, UINT32_MAX - 1, SBL_NO_ENTRY};
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
        return any % 3 == 0 ? outside[random_bits(seed) % 4] : any;
    case NOTHING:
        return SBL_NO_ENTRY;
    default:
        return make_entry(random_bits(seed) % MIXED, i, per_row, width, seed);
    }
}

static void write_out(ones_batch *batch, size_t width)
{
    memset(batch->dense, 0, batch->rows * width * sizeof *batch->dense);
    for (size_t r = 0; r < batch->rows; r++)
        for (size_t i = 0; i < batch->per_row; i++) {
            const uint32_t entry = batch->entries[r * batch->per_row + i];
            if (entry < width) batch->dense[r * width + entry] += 1;
        }
}

static void make_batch(ones_batch *batch, size_t width, size_t rows, size_t per_row, uint64_t *seed)
{
    batch->rows = rows;
    batch->per_row = per_row;
    for (size_t r = 0; r < rows; r++) {
        const size_t kind = random_bits(seed) % ENTRY_KINDS;
        for (size_t i = 0; i < per_row; i++)
            batch->entries[r * per_row + i] = make_entry(kind, i, per_row, width, seed);
        batch->labels[r] = (uint32_t)(random_bits(seed) % (MIXED_CLASSES + 1)); /* one too many */
    }
    write_out(batch, width);
}

static void add_ones(sbl_sum *sum, const ones_batch *batch)
{
    assert_int_equal(sbl_sum_begin_rows(sum, batch->labels, batch->rows, NULL), SBL_OK);
    assert_int_equal(sbl_sum_add_ones(sum, 0, batch->entries, batch->per_row, NULL), SBL_OK);
    assert_int_equal(sbl_sum_end_rows(sum, NULL), SBL_OK);
}

static void add_dense(sbl_sum *sum, const ones_batch *batch)
{
    const size_t width = sbl_sum_layout(sum)->blocks[0].width;
    assert_int_equal(sbl_sum_begin_rows(sum, batch->labels, batch->rows, NULL), SBL_OK);
    assert_int_equal(sbl_sum_add_f64(sum, 0, 0, width, batch->dense, width, NULL), SBL_OK);
    assert_int_equal(sbl_sum_end_rows(sum, NULL), SBL_OK);
}

/* A block of ones that need not be wide enough, nor its bounds, for what comes. */
static sbl_block random_block(uint64_t *seed)
{
    static const uint64_t bounds[] = {1, 2, 3, 4, 7, 20, 99, 1000, SBL_BOUND2_MAX};
    static const size_t widths[] = {1, 2, 9, 255, 256, 257, MOST_WIDTH};
    return (sbl_block){"ones",
                       .width = widths[random_bits(seed) % 7],
                       .per_class = random_bits(seed) % 2 != 0,
                       .nonnegative = random_bits(seed) % 2 != 0,
                       .bound2 = bounds[random_bits(seed) % 9],
                       .bound1 = random_bits(seed) % 3 == 0 ? 0 : bounds[random_bits(seed) % 9],
                       .scale = 1};
}

static sbl_layout layout_of(sbl_block *block, size_t classes)
{
    return (sbl_layout){.blocks = block, .block_count = 1, .classes = classes, .rows_cap = UINT64_C(1) << 30};
}

static bool is_clipped(const ones_batch *batch, const sbl_block *block, size_t row)
{
    double squares = 0, sum = 0;
    for (size_t j = 0; j < block->width; j++) {
        const double x = batch->dense[row * block->width + j];
        squares += x * x;
        sum += x;
    }
    return squares > (double)block->bound2 || (block->bound1 != 0 && sum > (double)block->bound1);
}

TEST(ones_add_the_bits_of_the_record_written_out)
{
    static ones_batch batch;
    uint64_t seed = 71;
    size_t clipped = 0, rows = 0;
    for (size_t round = 0; round < 1000; round++) {
        sbl_block block = random_block(&seed);
        const sbl_layout layout = layout_of(&block, round % 3 == 0 ? 1 : MIXED_CLASSES);
        sbl_sum *ones = new_sum(&layout);
        sbl_sum *dense = new_sum(&layout);
        sbl_sum *both = new_sum(&layout);
        for (size_t b = 0; b < 3; b++) {
            make_batch(&batch, block.width, 1 + random_bits(&seed) % MOST_ROWS,
                       1 + random_bits(&seed) % MOST_ENTRIES, &seed);
            add_ones(ones, &batch);
            add_dense(dense, &batch);
            if (b == 1)
                add_dense(both, &batch);
            else
                add_ones(both, &batch);
            for (size_t r = 0; r < batch.rows; r++) clipped += is_clipped(&batch, &block, r);
            rows += batch.rows;
        }
        assert_true(same_sums(ones, dense));
        assert_true(same_sums(both, dense));
        sbl_sum_free(ones);
        sbl_sum_free(dense);
        sbl_sum_free(both);
    }
    /* Both sorts of records came in numbers. */
    assert_in_range(clipped, rows / 5, rows - rows / 5);
}

/* Each record has a class of its own, so that what was added can be read off the sums. */
TEST(bounds_hold_for_every_record_of_ones)
{
    static ones_batch batch;
    uint64_t seed = 72;
    for (size_t round = 0; round < 500; round++) {
        sbl_block block = random_block(&seed);
        block.per_class = true;
        const sbl_layout layout = layout_of(&block, MOST_ROWS);
        sbl_sum *sum = new_sum(&layout);
        make_batch(&batch, block.width, MOST_ROWS, 1 + random_bits(&seed) % MOST_ENTRIES, &seed);
        for (uint32_t r = 0; r < MOST_ROWS; r++) batch.labels[r] = r;
        add_ones(sum, &batch);
        for (size_t r = 0; r < MOST_ROWS; r++) {
            const int64_t *q = sbl_sum_values(sum, 0) + r * block.width;
            int64_t before[MOST_WIDTH];
            for (size_t j = 0; j < block.width; j++) {
                before[j] = (int64_t)batch.dense[r * block.width + j];
                assert_in_range(q[j], 0, before[j]);
            }
            assert_true(squares_of(q, block.width) <= block.bound2);
            if (block.bound1 != 0) assert_true(magnitudes_of(q, block.width) <= block.bound1);
            if (squares_of(before, block.width) <= block.bound2 &&
                (block.bound1 == 0 || magnitudes_of(before, block.width) <= block.bound1))
                assert_memory_equal(q, before, block.width * sizeof *q);
        }
        sbl_sum_free(sum);
    }
}

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
        sbl_block block = {
            .name = "ones", .width = 4, .bound2 = cases[i].bound2, .bound1 = cases[i].bound1, .scale = 1};
        const sbl_layout layout = layout_of(&block, 1);
        sbl_sum *sum = new_sum(&layout);
        assert_int_equal(sbl_sum_begin_rows(sum, NULL, 1, NULL), SBL_OK);
        assert_int_equal(sbl_sum_add_ones(sum, 0, cases[i].entries, 4, NULL), SBL_OK);
        assert_int_equal(sbl_sum_end_rows(sum, NULL), SBL_OK);
        assert_memory_equal(sbl_sum_values(sum, 0), cases[i].expected, sizeof cases[i].expected);
        sbl_sum_free(sum);
    }
}

TEST(order_of_the_entries_does_not_matter)
{
    static ones_batch batch;
    uint64_t seed = 73;
    for (size_t round = 0; round < 500; round++) {
        sbl_block block = random_block(&seed);
        const sbl_layout layout = layout_of(&block, MIXED_CLASSES);
        sbl_sum *sum = new_sum(&layout);
        sbl_sum *shuffled = new_sum(&layout);
        make_batch(&batch, block.width, 9, MOST_ENTRIES, &seed);
        add_ones(sum, &batch);
        for (size_t r = 0; r < batch.rows; r++)
            for (size_t i = MOST_ENTRIES - 1; i > 0; i--) {
                uint32_t *row = batch.entries + r * MOST_ENTRIES;
                const size_t j = random_bits(&seed) % (i + 1);
                const uint32_t swap = row[i];
                row[i] = row[j];
                row[j] = swap;
            }
        add_ones(shuffled, &batch);
        assert_true(same_sums(sum, shuffled));
        sbl_sum_free(sum);
        sbl_sum_free(shuffled);
    }
}

TEST(ones_merge_and_pass_through_files)
{
    static ones_batch batches[2];
    uint64_t seed = 74;
    sbl_block block = {.name = "ones", .width = 50, .per_class = true, .bound2 = 5, .scale = 1};
    const sbl_layout layout = layout_of(&block, MIXED_CLASSES);
    sbl_sum *parts[2];
    sbl_sum *dense = new_sum(&layout);
    for (size_t i = 0; i < 2; i++) {
        make_batch(&batches[i], block.width, MOST_ROWS, 5, &seed);
        parts[i] = new_sum(&layout);
        add_ones(parts[i], &batches[i]);
        add_dense(dense, &batches[i]);
    }
    assert_int_equal(sbl_sum_merge(parts[0], parts[1], NULL), SBL_OK);
    assert_true(same_sums(parts[0], dense));
    sbl_sum_free(parts[0]);
    sbl_sum_free(parts[1]);
    sbl_sum_free(dense);
}

/* Ones, a block with groups, one of another scale, a source and its squares. */
typedef struct odd_layout {
    sbl_block blocks[5];
    sbl_layout layout;
} odd_layout;

static void odd_layout_init(odd_layout *odd)
{
    *odd = (odd_layout){.blocks = {{.name = "ones", .width = 6, .bound2 = 3, .scale = 1},
                                   {.name = "grouped", .width = 6, .group = 2, .bound2 = 3, .scale = 1},
                                   {.name = "scaled", .width = 6, .bound2 = 3, .scale = 1 + 0x1p-52},
                                   {.name = "source", .width = 6, .bound2 = 3, .scale = 1}}};
    odd->blocks[4] = sbl_block_of_moments("squares", SBL_BLOCK_SQUARES, &odd->blocks[3], 6);
    odd->layout = layout_of(odd->blocks, 1);
    odd->layout.block_count = 5;
}

static void assert_refused(sbl_sum *sum, size_t block, const uint32_t *entries, size_t per_row,
                           const char *reason)
{
    sbl_error err = {0};
    assert_int_equal(sbl_sum_add_ones(sum, block, entries, per_row, &err), SBL_EARG);
    if (strstr(err.message, reason) == NULL) fail_msg("'%s' is not '%s'", err.message, reason);
    assert_false(sbl_sum_is_whole(sum));
    assert_int_equal(sbl_sum_begin_rows(sum, NULL, 1, NULL), SBL_EARG); /* broken for good */
    sbl_sum_free(sum);
}

static sbl_sum *open_sum(odd_layout *odd)
{
    odd_layout_init(odd);
    sbl_sum *sum = new_sum(&odd->layout);
    assert_int_equal(sbl_sum_begin_rows(sum, NULL, 1, NULL), SBL_OK);
    return sum;
}

TEST(ones_misused_break_the_sum)
{
    const uint32_t entries[] = {1, 2};
    const double x[6] = {0};
    odd_layout odd;
    odd_layout_init(&odd);
    assert_refused(new_sum(&odd.layout), 0, entries, 2, "no batch");
    assert_refused(open_sum(&odd), 5, entries, 2, "no block");
    assert_refused(open_sum(&odd), 1, entries, 2, "without groups");
    assert_refused(open_sum(&odd), 2, entries, 2, "scale 1");
    assert_refused(open_sum(&odd), 3, entries, 2, "not formed from ones");
    assert_refused(open_sum(&odd), 4, entries, 2, "feed that block");
    assert_refused(open_sum(&odd), 0, entries, 0, "room for an entry");
    assert_refused(open_sum(&odd), 0, NULL, 2, "entries are missing");
    sbl_sum *sum = open_sum(&odd);
    assert_int_equal(sbl_sum_add_ones(sum, 0, entries, 2, NULL), SBL_OK);
    assert_refused(sum, 0, entries, 2, "added already");
    sum = open_sum(&odd);
    assert_int_equal(sbl_sum_add_f64(sum, 0, 0, 6, x, 6, NULL), SBL_OK);
    assert_refused(sum, 0, entries, 2, "added already");
    sum = open_sum(&odd);
    assert_int_equal(sbl_sum_add_ones(sum, 0, entries, 2, NULL), SBL_OK);
    assert_int_equal(sbl_sum_add_f64(sum, 0, 0, 6, x, 6, NULL), SBL_EARG); /* and now in full */
    sbl_sum_free(sum);
}

TEST(empty_batch_of_ones_changes_nothing)
{
    sbl_block block = {.name = "ones", .width = 2, .bound2 = 1, .scale = 1};
    const sbl_layout layout = layout_of(&block, 1);
    sbl_sum *sum = new_sum(&layout);
    assert_int_equal(sbl_sum_begin_rows(sum, NULL, 0, NULL), SBL_OK);
    assert_int_equal(sbl_sum_add_ones(sum, 0, NULL, 3, NULL), SBL_OK);
    assert_int_equal(sbl_sum_end_rows(sum, NULL), SBL_OK);
    assert_int_equal(sbl_sum_rows(sum), 0);
    assert_int_equal(sbl_sum_values(sum, 0)[0], 0);
    sbl_sum_free(sum);
}

TEST(lack_of_memory_for_a_row_breaks_the_sum)
{
    const uint32_t entries[7] = {5, 4, 3, 2, 1, 0, 0};
    sbl_block block = {.name = "ones", .width = 6, .bound2 = 100, .scale = 1};
    const sbl_layout layout = layout_of(&block, 1);
    for (long n = 1; n <= 2; n++) {
        sbl_sum *sum = new_sum(&layout);
        assert_int_equal(sbl_sum_begin_rows(sum, NULL, 1, NULL), SBL_OK);
        sbl_test_fail_alloc(n);
        assert_int_equal(sbl_sum_add_ones(sum, 0, entries, 7, NULL), SBL_EMEM);
        sbl_test_fail_alloc(0);
        assert_false(sbl_sum_is_whole(sum));
        assert_int_equal(sbl_sum_begin_rows(sum, NULL, 1, NULL), SBL_EARG);
        sbl_sum_free(sum);
    }
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
    sbl_block block = {.name = "ones", .width = WIDTH, .bound2 = 100, .scale = 1};
    const sbl_layout layout = layout_of(&block, 1);
    sbl_sum *sum = new_sum(&layout);
    assert_int_equal(sbl_sum_begin_rows(sum, NULL, 2, NULL), SBL_OK);
    assert_int_equal(sbl_sum_add_ones(sum, 0, entries, ENTRIES, NULL), SBL_OK);
    assert_int_equal(sbl_sum_end_rows(sum, NULL), SBL_OK);
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
    static ones_batch batch;
    uint64_t seed = 75;
    sbl_block block = {.name = "ones", .width = 20, .bound2 = 4, .scale = 1};
    const sbl_layout layout = layout_of(&block, MIXED_CLASSES);
    sbl_sum *sum = new_sum(&layout);
    make_batch(&batch, block.width, 4, 4, &seed);
    add_ones(sum, &batch);
    make_batch(&batch, block.width, 4, 9, &seed);
    freed_most = freed_all = 0;
    add_ones(sum, &batch);
    assert_int_equal(freed_all, 4 * (2 * sizeof(uint32_t) + sizeof(int32_t)));
    freed_all = 0;
    make_batch(&batch, block.width, 4, 3, &seed);
    add_ones(sum, &batch);
    assert_int_equal(freed_all, 0); /* there is room */
    sbl_sum_free(sum);
}
