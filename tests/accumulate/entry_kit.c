/* SPDX-License-Identifier: Apache-2.0 */
#include "accumulate/entry_kit.h"

#include <string.h>

#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

FREES(sbl_sum_free);

sbl_layout layout_of(sbl_block *blocks, size_t block_count, size_t classes)
{
    return (sbl_layout){blocks, .block_count = block_count, .classes = classes,
                        .rows_cap = UINT64_C(1) << 30};
}

sbl_block random_entry_block(const uint64_t *bounds, size_t count, bool nonnegative, uint64_t *seed)
{
    static const size_t widths[] = {1, 2, 9, 255, 256, 257, MOST_WIDTH};
    return (sbl_block){"entries",
                       .width = widths[random_bits(seed) % 7],
                       .nonnegative = nonnegative,
                       .per_class = random_bits(seed) % 2 != 0,
                       .bound2 = bounds[random_bits(seed) % count],
                       .bound1 = random_bits(seed) % 3 == 0 ? 0 : bounds[random_bits(seed) % count],
                       .scale = 1};
}

uint32_t entry_outside(size_t width, uint64_t *seed)
{
    const uint32_t outside[] = {(uint32_t)width, (uint32_t)width + 1, UINT32_MAX - 1, SBL_NO_ENTRY};
    return outside[random_bits(seed) % 4];
}

void make_batch(entry_batch *batch, const entry_adder *adder, size_t width, size_t rows, uint64_t *seed)
{
    batch->rows = rows;
    batch->starts[0] = 0;
    memset(batch->dense, 0, rows * width * sizeof *batch->dense);
    for (size_t r = 0; r < rows; r++) {
        adder->make_row(batch, r, width, seed);
        for (size_t i = batch->starts[r]; i < batch->starts[r + 1]; i++)
            if (batch->entries[i] < width) batch->dense[r * width + batch->entries[i]] += batch->amounts[i];
        batch->labels[r] = (uint32_t)(random_bits(seed) % (MIXED_CLASSES + 1)); /* one too many */
    }
}

void add_batch(sbl_sum *sum, const entry_adder *adder, const entry_batch *batch)
{
    assert_ok(sbl_sum_begin_rows(sum, batch->labels, batch->rows, NULL));
    assert_ok(adder->add(sum, 0, batch, NULL));
    assert_ok(sbl_sum_end_rows(sum, NULL));
}

void add_dense(sbl_sum *sum, const entry_batch *batch)
{
    const size_t width = sbl_sum_layout(sum)->blocks[0].width;
    assert_ok(sbl_sum_begin_rows(sum, batch->labels, batch->rows, NULL));
    assert_ok(sbl_sum_add_f64(sum, 0, 0, width, batch->dense, width, NULL));
    assert_ok(sbl_sum_end_rows(sum, NULL));
}

static bool is_clipped(const entry_batch *batch, const sbl_block *block, size_t row)
{
    double squares = 0, sum = 0;
    for (size_t j = 0; j < block->width; j++) {
        const double x = batch->dense[row * block->width + j];
        squares += x * x;
        sum += x;
    }
    return squares > (double)block->bound2 || (block->bound1 != 0 && sum > (double)block->bound1);
}

void expect_bits_of_the_record_written_out(const entry_adder *adder, uint64_t seed)
{
    static entry_batch batch;
    size_t clipped = 0, rows = 0;
    for (size_t round = 0; round < 1000; round++) {
        sbl_block block = adder->random_block(&seed);
        const sbl_layout layout = layout_of(&block, 1, round % 3 == 0 ? 1 : MIXED_CLASSES);
        sbl_sum *entries = new_sum(&layout);
        sbl_sum *dense = new_sum(&layout);
        FREED(sbl_sum_free) sbl_sum *both = new_sum(&layout);
        for (size_t b = 0; b < 3; b++) {
            batch.per_row = 1 + random_bits(&seed) % MOST_ENTRIES;
            make_batch(&batch, adder, block.width, 1 + random_bits(&seed) % MOST_ROWS, &seed);
            add_batch(entries, adder, &batch);
            add_dense(dense, &batch);
            if (b == 1)
                add_dense(both, &batch);
            else
                add_batch(both, adder, &batch);
            for (size_t r = 0; r < batch.rows; r++) clipped += is_clipped(&batch, &block, r);
            rows += batch.rows;
        }
        assert_true(same_sums(entries, dense));
        assert_true(same_sums(both, dense));
        sbl_sum_free(entries);
        sbl_sum_free(dense);
    }
    /* Both sorts of records came in numbers. */
    assert_in_range(clipped, rows / 5, rows - rows / 5);
}

/* Each record has a class of its own, so that what was added can be read off the sums. */
void expect_bounds_for_every_record(const entry_adder *adder, uint64_t seed)
{
    static entry_batch batch;
    for (size_t round = 0; round < 500; round++) {
        sbl_block block = adder->random_block(&seed);
        block.per_class = true;
        const sbl_layout layout = layout_of(&block, 1, MOST_ROWS);
        FREED(sbl_sum_free) sbl_sum *sum = new_sum(&layout);
        batch.per_row = 1 + random_bits(&seed) % MOST_ENTRIES;
        make_batch(&batch, adder, block.width, MOST_ROWS, &seed);
        for (uint32_t r = 0; r < MOST_ROWS; r++) batch.labels[r] = r;
        add_batch(sum, adder, &batch);
        for (size_t r = 0; r < MOST_ROWS; r++) {
            const int64_t *q = sbl_sum_values(sum, 0) + r * block.width;
            const double *before = batch.dense + r * block.width;
            const bool whole = !is_clipped(&batch, &block, r);
            assert_true(squares_of(q, block.width) <= block.bound2);
            if (block.bound1 != 0) assert_true(magnitudes_of(q, block.width) <= block.bound1);
            for (size_t j = 0; j < block.width; j++) {
                assert_true(q[j] >= 0 && (double)q[j] <= before[j]);
                if (whole) assert_true((double)q[j] == before[j]);
            }
        }
    }
}

sbl_sum *open_sum(const sbl_layout *layout)
{
    sbl_sum *sum = new_sum(layout);
    assert_ok(sbl_sum_begin_rows(sum, NULL, 1, NULL));
    return sum;
}

void expect_lack_of_memory_breaks_the_sum(const entry_adder *adder, sbl_block block, const entry_batch *row)
{
    const sbl_layout layout = layout_of(&block, 1, 1);
    for (long n = 1; n <= 2; n++) {
        FREED(sbl_sum_free) sbl_sum *sum = open_sum(&layout);
        sbl_test_fail_alloc(n);
        assert_int_equal(adder->add(sum, 0, row, NULL), SBL_EMEM);
        sbl_test_fail_alloc(0);
        assert_false(sbl_sum_is_whole(sum));
        assert_int_equal(sbl_sum_begin_rows(sum, NULL, 1, NULL), SBL_EARG);
    }
}

void assert_broken(sbl_sum *sum, sbl_status status, const sbl_error *err, const char *reason)
{
    assert_int_equal(status, SBL_EARG);
    if (strstr(err->message, reason) == NULL) fail_msg("'%s' is not '%s'", err->message, reason);
    assert_false(sbl_sum_is_whole(sum));
    assert_int_equal(sbl_sum_begin_rows(sum, NULL, 1, NULL), SBL_EARG); /* broken for good */
    sbl_sum_free(sum);
}
