/* Records of amounts in a few places: the same bits as the record written out. */
#include <stdlib.h>
#include <string.h>

#include "accumulate/sum_fixture.h"
#include "records/accumulate/sum.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

enum { MOST_WIDTH = 300, MOST_ENTRIES = 40, MOST_ROWS = 64 };

/* Rows of one batch, and the records that they stand for. */
typedef struct sparse_batch {
    size_t rows;
    size_t starts[MOST_ROWS + 1];
    uint32_t entries[MOST_ROWS * MOST_ENTRIES];
    uint32_t amounts[MOST_ROWS * MOST_ENTRIES];
    uint32_t labels[MOST_ROWS];
    double dense[MOST_ROWS * MOST_WIDTH];
} sparse_batch;

/* Every way in which a feature map can be right or wrong. */
enum { ANYWHERE, REPEATED, ONE_PLACE, OUT_OF_RANGE, NOTHING, MIXED, ENTRY_KINDS };

static uint32_t make_entry(size_t kind, size_t width, uint64_t *seed)
{
    const uint32_t any = (uint32_t)(random_bits(seed) % width);
    const uint32_t outside[] = {(uint32_t)width, (uint32_t)width + 1, UINT32_MAX - 1, SBL_NO_ENTRY};
    switch (kind) {
    case ANYWHERE:
        return any;
    case REPEATED:
        return any % 3 % (uint32_t)width;
    case ONE_PLACE:
        return (uint32_t)width - 1;
    case OUT_OF_RANGE:
        return any % 3 == 0 ? outside[random_bits(seed) % 4] : any;
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

static void write_out(sparse_batch *batch, size_t width)
{
    memset(batch->dense, 0, batch->rows * width * sizeof *batch->dense);
    for (size_t r = 0; r < batch->rows; r++)
        for (size_t i = batch->starts[r]; i < batch->starts[r + 1]; i++)
            if (batch->entries[i] < width) batch->dense[r * width + batch->entries[i]] += batch->amounts[i];
}

static void make_batch(sparse_batch *batch, size_t width, size_t rows, uint64_t *seed)
{
    size_t next = 0;
    batch->rows = rows;
    for (size_t r = 0; r < rows; r++) {
        const size_t kind = random_bits(seed) % ENTRY_KINDS;
        const size_t count = random_bits(seed) % (MOST_ENTRIES + 1);
        batch->starts[r] = next;
        for (size_t i = 0; i < count; i++, next++) {
            batch->entries[next] = make_entry(kind, width, seed);
            batch->amounts[next] = make_amount(seed);
        }
        batch->labels[r] = (uint32_t)(random_bits(seed) % (MIXED_CLASSES + 1)); /* one too many */
    }
    batch->starts[rows] = next;
    write_out(batch, width);
}

static void add_sparse(sbl_sum *sum, const sparse_batch *batch)
{
    assert_int_equal(sbl_sum_begin_rows(sum, batch->labels, batch->rows, NULL), SBL_OK);
    assert_int_equal(sbl_sum_add_sparse(sum, 0, batch->starts, batch->entries, batch->amounts, NULL), SBL_OK);
    assert_int_equal(sbl_sum_end_rows(sum, NULL), SBL_OK);
}

static void add_dense(sbl_sum *sum, const sparse_batch *batch)
{
    const size_t width = sbl_sum_layout(sum)->blocks[0].width;
    assert_int_equal(sbl_sum_begin_rows(sum, batch->labels, batch->rows, NULL), SBL_OK);
    assert_int_equal(sbl_sum_add_f64(sum, 0, 0, width, batch->dense, width, NULL), SBL_OK);
    assert_int_equal(sbl_sum_end_rows(sum, NULL), SBL_OK);
}

/* Bounds that are ample, tight, or hardly there. */
static sbl_block random_block(uint64_t *seed)
{
    static const uint64_t bounds[] = {
        1, 7, 65535, 65536, 100000, UINT64_C(1) << 32, UINT64_C(5) << 32, SBL_BOUND2_MAX};
    static const size_t widths[] = {1, 2, 9, 255, 256, 257, MOST_WIDTH};
    return (sbl_block){"events",
                       .width = widths[random_bits(seed) % 7],
                       .per_class = random_bits(seed) % 2 != 0,
                       .nonnegative = true,
                       .bound2 = bounds[random_bits(seed) % 8],
                       .bound1 = random_bits(seed) % 3 == 0 ? 0 : bounds[random_bits(seed) % 8],
                       .scale = 1};
}

static sbl_layout layout_of(sbl_block *block, size_t classes)
{
    return (sbl_layout){.blocks = block, .block_count = 1, .classes = classes, .rows_cap = UINT64_C(1) << 30};
}

static bool is_clipped(const sparse_batch *batch, const sbl_block *block, size_t row)
{
    double squares = 0, sum = 0;
    for (size_t j = 0; j < block->width; j++) {
        const double x = batch->dense[row * block->width + j];
        squares += x * x;
        sum += x;
    }
    return squares > (double)block->bound2 || (block->bound1 != 0 && sum > (double)block->bound1);
}

TEST(amounts_add_the_bits_of_the_record_written_out)
{
    static sparse_batch batch;
    uint64_t seed = 81;
    size_t clipped = 0, rows = 0;
    for (size_t round = 0; round < 1000; round++) {
        sbl_block block = random_block(&seed);
        const sbl_layout layout = layout_of(&block, round % 3 == 0 ? 1 : MIXED_CLASSES);
        sbl_sum *sparse = new_sum(&layout);
        sbl_sum *dense = new_sum(&layout);
        sbl_sum *both = new_sum(&layout);
        for (size_t b = 0; b < 3; b++) {
            make_batch(&batch, block.width, 1 + random_bits(&seed) % MOST_ROWS, &seed);
            add_sparse(sparse, &batch);
            add_dense(dense, &batch);
            if (b == 1)
                add_dense(both, &batch);
            else
                add_sparse(both, &batch);
            for (size_t r = 0; r < batch.rows; r++) clipped += is_clipped(&batch, &block, r);
            rows += batch.rows;
        }
        assert_true(same_sums(sparse, dense));
        assert_true(same_sums(both, dense));
        sbl_sum_free(sparse);
        sbl_sum_free(dense);
        sbl_sum_free(both);
    }
    /* Both sorts of records came in numbers. */
    assert_in_range(clipped, rows / 5, rows - rows / 5);
}

/* Each record has a class of its own, so that what was added can be read off the sums. */
TEST(bounds_hold_for_every_record_of_amounts)
{
    static sparse_batch batch;
    uint64_t seed = 82;
    for (size_t round = 0; round < 500; round++) {
        sbl_block block = random_block(&seed);
        block.per_class = true;
        const sbl_layout layout = layout_of(&block, MOST_ROWS);
        sbl_sum *sum = new_sum(&layout);
        make_batch(&batch, block.width, MOST_ROWS, &seed);
        for (uint32_t r = 0; r < MOST_ROWS; r++) batch.labels[r] = r;
        add_sparse(sum, &batch);
        for (size_t r = 0; r < MOST_ROWS; r++) {
            const int64_t *q = sbl_sum_values(sum, 0) + r * block.width;
            for (size_t j = 0; j < block.width; j++)
                assert_true(q[j] >= 0 && (double)q[j] <= batch.dense[r * block.width + j]);
            assert_true(squares_of(q, block.width) <= block.bound2);
            if (block.bound1 != 0) assert_true(magnitudes_of(q, block.width) <= block.bound1);
            if (is_clipped(&batch, &block, r)) continue;
            for (size_t j = 0; j < block.width; j++)
                assert_true((double)q[j] == batch.dense[r * block.width + j]);
        }
        sbl_sum_free(sum);
    }
}

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
        sbl_block block = {"events",
                           .width = 4,
                           .nonnegative = true,
                           .bound2 = cases[i].bound2,
                           .bound1 = cases[i].bound1,
                           .scale = 65536};
        const sbl_layout layout = layout_of(&block, 1);
        sbl_sum *sum = new_sum(&layout);
        assert_int_equal(sbl_sum_begin_rows(sum, NULL, 1, NULL), SBL_OK);
        assert_int_equal(sbl_sum_add_sparse(sum, 0, starts, cases[i].entries, cases[i].amounts, NULL),
                         SBL_OK);
        assert_int_equal(sbl_sum_end_rows(sum, NULL), SBL_OK);
        assert_memory_equal(sbl_sum_values(sum, 0), cases[i].expected, sizeof cases[i].expected);
        sbl_sum_free(sum);
    }
}

/* No row finds anything that another left behind, whatever their order, and rows over a person's cap add nothing. */
TEST(a_row_adds_the_same_whatever_came_before)
{
    static sparse_batch batch;
    uint64_t seed = 83;
    sbl_block block = {
        .name = "events", .width = 20, .nonnegative = true, .bound2 = UINT64_C(3) << 32, .scale = 65536};
    sbl_layout layout = layout_of(&block, 1);
    layout.rows_per_unit = 1;
    for (size_t round = 0; round < 200; round++) {
        uint32_t counted[MOST_ROWS];
        int64_t expected[20] = {0};
        make_batch(&batch, block.width, MOST_ROWS, &seed);
        sbl_sum *together = new_sum(&layout);
        for (size_t r = 0; r < MOST_ROWS; r++) {
            counted[r] = (uint32_t)(random_bits(&seed) % 3);
            if (counted[r] > 0) continue;
            sbl_sum *alone = new_sum(&layout);
            assert_int_equal(sbl_sum_begin_unit_rows(alone, NULL, &counted[r], 1, NULL), SBL_OK);
            assert_int_equal(
                sbl_sum_add_sparse(alone, 0, batch.starts + r, batch.entries, batch.amounts, NULL), SBL_OK);
            assert_int_equal(sbl_sum_end_rows(alone, NULL), SBL_OK);
            for (size_t j = 0; j < block.width; j++) expected[j] += sbl_sum_values(alone, 0)[j];
            sbl_sum_free(alone);
        }
        assert_int_equal(sbl_sum_begin_unit_rows(together, NULL, counted, MOST_ROWS, NULL), SBL_OK);
        assert_int_equal(sbl_sum_add_sparse(together, 0, batch.starts, batch.entries, batch.amounts, NULL),
                         SBL_OK);
        assert_int_equal(sbl_sum_end_rows(together, NULL), SBL_OK);
        assert_memory_equal(sbl_sum_values(together, 0), expected, sizeof expected);
        sbl_sum_free(together);
    }
}

/* Amounts, a block with groups, a signed one, a source and its squares. */
typedef struct odd_layout {
    sbl_block blocks[5];
    sbl_layout layout;
} odd_layout;

static void odd_layout_init(odd_layout *odd)
{
    *odd = (odd_layout){
        .blocks = {{.name = "events", .width = 6, .nonnegative = true, .bound2 = 3, .scale = 1},
                   {.name = "grouped", .width = 6, .nonnegative = true, .group = 2, .bound2 = 3, .scale = 1},
                   {.name = "signed", .width = 6, .bound2 = 3, .scale = 1},
                   {.name = "source", .width = 6, .nonnegative = true, .bound2 = 3, .scale = 1}}};
    odd->blocks[4] = sbl_block_of_moments("squares", SBL_BLOCK_SQUARES, &odd->blocks[3], 6);
    odd->layout = layout_of(odd->blocks, 1);
    odd->layout.block_count = 5;
}

static const uint32_t some_entries[] = {1, 2, 3};
static const uint32_t some_amounts[] = {1, 1, 1};
static const size_t some_starts[] = {0, 3};

static void assert_refused(sbl_sum *sum, size_t block, const size_t *starts, const uint32_t *entries,
                           const uint32_t *amounts, const char *reason)
{
    sbl_error err = {0};
    assert_int_equal(sbl_sum_add_sparse(sum, block, starts, entries, amounts, &err), SBL_EARG);
    if (strstr(err.message, reason) == NULL) fail_msg("'%s' is not '%s'", err.message, reason);
    assert_false(sbl_sum_is_whole(sum));
    assert_int_equal(sbl_sum_begin_rows(sum, NULL, 1, NULL), SBL_EARG); /* broken for good */
    sbl_sum_free(sum);
}

static void assert_block_refused(sbl_sum *sum, size_t block, const char *reason)
{
    assert_refused(sum, block, some_starts, some_entries, some_amounts, reason);
}

static sbl_sum *open_sum(odd_layout *odd)
{
    odd_layout_init(odd);
    sbl_sum *sum = new_sum(&odd->layout);
    assert_int_equal(sbl_sum_begin_rows(sum, NULL, 1, NULL), SBL_OK);
    return sum;
}

TEST(amounts_misused_break_the_sum)
{
    const size_t falling[] = {3, 2};
    const double x[6] = {0};
    odd_layout odd;
    odd_layout_init(&odd);
    assert_block_refused(new_sum(&odd.layout), 0, "no batch");
    assert_block_refused(open_sum(&odd), 5, "no block");
    assert_block_refused(open_sum(&odd), 1, "without groups");
    assert_block_refused(open_sum(&odd), 2, "nonnegative");
    assert_block_refused(open_sum(&odd), 3, "not formed from amounts");
    assert_block_refused(open_sum(&odd), 4, "feed that block");
    assert_refused(open_sum(&odd), 0, NULL, some_entries, some_amounts, "starts of rows");
    assert_refused(open_sum(&odd), 0, falling, some_entries, some_amounts, "follow each other");
    assert_refused(open_sum(&odd), 0, some_starts, NULL, some_amounts, "are missing");
    assert_refused(open_sum(&odd), 0, some_starts, some_entries, NULL, "are missing");
    sbl_sum *sum = open_sum(&odd);
    assert_int_equal(sbl_sum_add_sparse(sum, 0, some_starts, some_entries, some_amounts, NULL), SBL_OK);
    assert_block_refused(sum, 0, "added already");
    sum = open_sum(&odd);
    assert_int_equal(sbl_sum_add_sparse(sum, 0, some_starts, some_entries, some_amounts, NULL), SBL_OK);
    assert_int_equal(sbl_sum_add_f64(sum, 0, 0, 6, x, 6, NULL), SBL_EARG); /* and now in full */
    sbl_sum_free(sum);
}

TEST(rows_without_entries_change_nothing)
{
    sbl_block block = {.name = "events", .width = 2, .nonnegative = true, .bound2 = 1, .scale = 1};
    const sbl_layout layout = layout_of(&block, 1);
    const size_t nowhere[] = {0, 0, 0};
    sbl_sum *sum = new_sum(&layout);
    assert_int_equal(sbl_sum_begin_rows(sum, NULL, 0, NULL), SBL_OK);
    assert_int_equal(sbl_sum_add_sparse(sum, 0, NULL, NULL, NULL, NULL), SBL_OK);
    assert_int_equal(sbl_sum_end_rows(sum, NULL), SBL_OK);
    assert_int_equal(sbl_sum_begin_rows(sum, NULL, 2, NULL), SBL_OK);
    assert_int_equal(sbl_sum_add_sparse(sum, 0, nowhere, NULL, NULL, NULL), SBL_OK);
    assert_int_equal(sbl_sum_end_rows(sum, NULL), SBL_OK);
    assert_int_equal(sbl_sum_rows(sum), 2);
    assert_int_equal(sbl_sum_values(sum, 0)[0], 0);
    assert_int_equal(sbl_sum_values(sum, 0)[1], 0);
    sbl_sum_free(sum);
}

TEST(lack_of_memory_for_a_row_breaks_the_sum)
{
    sbl_block block = {.name = "events", .width = 6, .nonnegative = true, .bound2 = 9, .scale = 1};
    const sbl_layout layout = layout_of(&block, 1);
    for (long n = 1; n <= 2; n++) {
        sbl_sum *sum = new_sum(&layout);
        assert_int_equal(sbl_sum_begin_rows(sum, NULL, 1, NULL), SBL_OK);
        sbl_test_fail_alloc(n);
        assert_int_equal(sbl_sum_add_sparse(sum, 0, some_starts, some_entries, some_amounts, NULL), SBL_EMEM);
        sbl_test_fail_alloc(0);
        assert_false(sbl_sum_is_whole(sum));
        sbl_sum_free(sum);
    }
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
    sbl_layout layout = layout_of(blocks, 1);
    layout.block_count = 2;
    sbl_sum *sum = new_sum(&layout);
    assert_int_equal(sbl_sum_begin_rows(sum, NULL, 1, NULL), SBL_OK);
    for (size_t b = 2; b-- > 0;) {
        freed_all = 0;
        assert_int_equal(sbl_sum_add_sparse(sum, b, some_starts, some_entries, some_amounts, NULL), SBL_OK);
        assert_int_equal(freed_all, b == 0 ? 11 * sizeof(uint32_t) : 0);
        assert_int_equal(sbl_sum_values(sum, b)[1], 1);
    }
    assert_int_equal(sbl_sum_end_rows(sum, NULL), SBL_OK);
    freed_all = 0;
    sbl_sum_free(sum);
    assert_true(freed_all >= 1001 * sizeof(uint32_t) + 1011 * sizeof(int64_t) + 3 * sizeof(int32_t));
}
