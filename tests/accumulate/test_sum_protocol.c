/* SPDX-License-Identifier: Apache-2.0 */
/* Sums: the batch protocol, merging, lack of memory, wiping. */
#include <string.h>

#include "accumulate/sum_fixture.h"
#include "records/accumulate/sum.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

FREES(sbl_sum_free);

/* After a fault every call fails and the sum is never whole again. */
static void assert_broken_for_good(sbl_sum *sum)
{
    const float x[MIXED_COLUMNS] = {0};
    const uint32_t label = 0;
    sbl_sum *other = new_sum(sbl_sum_layout(sum));
    assert_false(sbl_sum_is_whole(sum));
    assert_int_equal(sbl_sum_end_rows(sum, NULL), SBL_EARG);
    assert_int_equal(sbl_sum_begin_rows(sum, &label, 1, NULL), SBL_EARG);
    assert_int_equal(sbl_sum_add_f32(sum, 0, 0, 13, x, 13, NULL), SBL_EARG);
    assert_false(sbl_sum_is_whole(sum));
    assert_int_equal(sbl_sum_merge(sum, other, NULL), SBL_EARG);
    assert_int_equal(sbl_sum_merge(other, sum, NULL), SBL_EARG);
    assert_true(sbl_sum_is_whole(other));
    sbl_sum_free(other);
    sbl_sum_free(sum);
}

/* A new sum with one good row inside and, where open, a batch of one row begun. */
static sbl_sum *started(mixed_layout *m, bool open)
{
    record_set set;
    const uint32_t label = 1;
    mixed_layout_init(m);
    record_set_init(&set, 1, 3);
    sbl_sum *sum = sum_of_all(&set, &m->layout);
    record_set_clear(&set);
    if (open) assert_ok(sbl_sum_begin_rows(sum, &label, 1, NULL));
    assert_int_equal(sbl_sum_is_whole(sum), !open);
    return sum;
}

typedef struct misuse {
    size_t block, first, columns, stride;
    bool no_features;
} misuse;

TEST(add_misused_breaks_the_sum)
{
    static const misuse cases[] = {
        {3, 0, 13, 13, false}, /* no such block */
        {0, 1, 12, 13, false}, /* not from the left */
        {0, 0, 0, 13, false},  /* no columns */
        {0, 0, 14, 14, false}, /* too many */
        {0, 0, 12, 13, false}, /* part of a block without groups */
        {2, 0, 6, 12, false},  /* half a group */
        {2, 0, SIZE_MAX - 3, SIZE_MAX, false},
        {0, 0, 13, 12, false}, /* rows overlap */
        {0, 0, 13, 13, true},
    };
    const double x[MIXED_COLUMNS] = {0};
    mixed_layout m;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const misuse *c = &cases[i];
        sbl_error err = {0};
        sbl_sum *sum = started(&m, true);
        assert_int_equal(
            sbl_sum_add_f64(sum, c->block, c->first, c->columns, c->no_features ? NULL : x, c->stride, &err),
            SBL_EARG);
        assert_true(err.message[0] != '\0');
        assert_broken_for_good(sum);
    }
    sbl_sum *sum = started(&m, true);
    assert_ok(sbl_sum_add_f64(sum, 2, 0, 12, x, 12, NULL));
    assert_int_equal(sbl_sum_add_f64(sum, 2, 0, 12, x, 12, NULL), SBL_EARG); /* twice */
    assert_broken_for_good(sum);
    sum = started(&m, false);
    assert_int_equal(sbl_sum_add_f64(sum, 0, 0, 13, x, 13, NULL), SBL_EARG); /* not begun */
    assert_broken_for_good(sum);
}

TEST(begin_and_end_misused_break_the_sum)
{
    mixed_layout m;
    const uint32_t label = 0;
    const double x[MIXED_COLUMNS] = {0};
    sbl_sum *sum = started(&m, true);
    assert_int_equal(sbl_sum_begin_rows(sum, &label, 1, NULL), SBL_EARG); /* twice */
    assert_broken_for_good(sum);
    sum = started(&m, false);
    assert_int_equal(sbl_sum_end_rows(sum, NULL), SBL_EARG); /* not begun */
    assert_broken_for_good(sum);
    sum = started(&m, false);
    assert_int_equal(sbl_sum_begin_rows(sum, NULL, 1, NULL), SBL_EARG); /* no labels */
    assert_broken_for_good(sum);
    sum = started(&m, true);
    assert_ok(sbl_sum_add_f64(sum, 0, 0, 13, x, 13, NULL));
    assert_int_equal(sbl_sum_end_rows(sum, NULL), SBL_EARG); /* columns are missing */
    assert_int_equal(sbl_sum_rows(sum), 1);
    assert_broken_for_good(sum);
}

TEST(rows_over_the_cap_are_refused)
{
    mixed_layout m;
    CLEARED(record_set_clear) record_set set;
    const uint32_t labels[2] = {0};
    mixed_layout_init(&m);
    m.layout.rows_cap = 3;
    record_set_init(&set, 2, 4);
    sbl_sum *sum = sum_of_all(&set, &m.layout);
    FREED(sbl_sum_free) sbl_sum *other = sum_of_all(&set, &m.layout);
    assert_int_equal(sbl_sum_merge(sum, other, NULL), SBL_EINPUT);
    assert_true(same_sums(sum, other)); /* unchanged */
    feed(sum, &set, NULL, 0, 1, 1, false);
    assert_int_equal(sbl_sum_rows(sum), 3);
    assert_int_equal(sbl_sum_begin_rows(sum, labels, 1, NULL), SBL_EINPUT);
    assert_broken_for_good(sum);
}

TEST(empty_batch_changes_nothing)
{
    sbl_block block = {.name = "one", .width = 2, .bound2 = 100, .scale = 1};
    const sbl_layout layout = {.blocks = &block, .block_count = 1, .classes = 1, .rows_cap = 10};
    FREED(sbl_sum_free) sbl_sum *sum = new_sum(&layout);
    assert_ok(sbl_sum_begin_rows(sum, NULL, 0, NULL));
    assert_ok(sbl_sum_add_f32(sum, 0, 0, 2, NULL, 2, NULL));
    assert_ok(sbl_sum_end_rows(sum, NULL));
    assert_true(sbl_sum_is_whole(sum));
    assert_int_equal(sbl_sum_rows(sum), 0);
    assert_int_equal(sbl_sum_counts(sum)[0], 0);
}

TEST(merge_of_another_plan_is_refused)
{
    mixed_layout m;
    sbl_error err = {0};
    mixed_layout_init(&m);
    sbl_sum *sum = new_sum(&m.layout);
    m.layout.plan_hash[0] ^= 1;
    FREED(sbl_sum_free) sbl_sum *other = new_sum(&m.layout);
    assert_int_equal(sbl_sum_merge(sum, other, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "different plans"));
    sbl_sum_free(sum);
}

TEST(merge_that_overflows_changes_nothing)
{
    mixed_layout m;
    CLEARED(record_set_clear) record_set set;
    sbl_error err = {0};
    mixed_layout_init(&m);
    record_set_init(&set, 3, 5);
    sbl_sum *into = sum_of_all(&set, &m.layout);
    sbl_sum *same = sum_of_all(&set, &m.layout);
    FREED(sbl_sum_free) sbl_sum *from = sum_of_all(&set, &m.layout);
    /* No records can do this; damaged memory could. The last count comes last of all values. */
    ((int64_t *)sbl_sum_counts(from))[MIXED_CLASSES - 1] = INT64_MAX;
    ((int64_t *)sbl_sum_counts(into))[MIXED_CLASSES - 1] = 1;
    ((int64_t *)sbl_sum_counts(same))[MIXED_CLASSES - 1] = 1;
    assert_int_equal(sbl_sum_merge(into, from, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "overflow"));
    assert_true(same_sums(into, same));
    sbl_sum_free(into);
    sbl_sum_free(same);
}

TEST(lack_of_memory_is_reported_at_every_point)
{
    mixed_layout m;
    mixed_layout_init(&m);
    long points = 0;
    for (long n = 0; sbl_test_fail_next(&n);) {
        sbl_sum *sum = NULL;
        const bool failed = sbl_test_no_memory(sbl_sum_new(&sum, &m.layout, NULL));
        assert_int_equal(sum == NULL, failed);
        sbl_sum_free(sum);
        if (failed) points++;
    }
    assert_int_equal(points, 4);
    sbl_sum *sum = started(&m, false);
    const uint32_t labels[100] = {0};
    sbl_test_fail_alloc(1);
    assert_int_equal(sbl_sum_begin_rows(sum, labels, 100, NULL), SBL_EMEM);
    sbl_test_fail_alloc(0);
    assert_broken_for_good(sum);
    /* Room for a record is made when the first one comes. */
    const double x[13] = {0};
    sum = new_sum(&m.layout);
    assert_ok(sbl_sum_begin_rows(sum, labels, 1, NULL));
    sbl_test_fail_alloc(1);
    assert_int_equal(sbl_sum_add_f64(sum, 0, 0, 13, x, 13, NULL), SBL_EMEM);
    sbl_test_fail_alloc(0);
    assert_broken_for_good(sum);
}

TEST(new_sum_of_a_bad_layout_is_refused)
{
    mixed_layout m;
    sbl_sum *sum = (sbl_sum *)&m;
    mixed_layout_init(&m);
    m.layout.classes = 0;
    assert_int_equal(sbl_sum_new(&sum, &m.layout, NULL), SBL_EARG);
    assert_null(sum);
    sbl_sum_free(NULL);
}

/* What is freed through the wiping call, by size. */
enum { FREED_MAX = 16 };
static size_t freed_sizes[FREED_MAX];
static const void *freed_blocks[FREED_MAX];
static size_t freed;
void __real_sbl_free_wiped(void *block, size_t size);
void __wrap_sbl_free_wiped(void *block, size_t size);
void __wrap_sbl_free_wiped(void *block, size_t size)
{
    if (block != NULL && freed < FREED_MAX) {
        freed_blocks[freed] = block;
        freed_sizes[freed++] = size;
    }
    __real_sbl_free_wiped(block, size);
}

static bool was_wiped(const void *block, size_t size)
{
    for (size_t i = 0; i < freed; i++)
        if (freed_sizes[i] == size && (block == NULL || freed_blocks[i] == block)) return true;
    return false;
}

TEST(free_wipes_sums_labels_and_the_last_record)
{
    mixed_layout m;
    CLEARED(record_set_clear) record_set set;
    mixed_layout_init(&m);
    record_set_init(&set, 10, 6);
    sbl_sum *sum = sum_of_all(&set, &m.layout);
    const void *values = sbl_sum_values(sum, 0);
    freed = 0;
    sbl_sum_free(sum);
    assert_true(was_wiped(values, sbl_layout_values(&m.layout) * sizeof(int64_t)));
    assert_true(was_wiped(NULL, 10 * sizeof(uint32_t))); /* labels */
    assert_true(was_wiped(NULL, 13 * sizeof(int32_t)));  /* the last record */
}

TEST(growing_batches_wipe_the_labels_they_outgrow)
{
    mixed_layout m;
    CLEARED(record_set_clear) record_set set;
    mixed_layout_init(&m);
    record_set_init(&set, 10, 6);
    FREED(sbl_sum_free) sbl_sum *sum = new_sum(&m.layout);
    feed(sum, &set, NULL, 0, 3, 3, false);
    freed = 0;
    feed(sum, &set, NULL, 3, 10, 7, false);
    assert_true(was_wiped(NULL, 3 * sizeof(uint32_t)));
}
