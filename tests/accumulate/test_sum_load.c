/* SPDX-License-Identifier: Apache-2.0 */
/* Sums that were made elsewhere: the same bits, and what cannot be the sums of rows is refused. */
#include <stdlib.h>
#include <string.h>

#include "accumulate/sum_fixture.h"
#include "records/accumulate/sum.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

enum { ROWS = 40 };

/* All values of a sum, as they stand in a file; free(). */
static int64_t *values_of(const sbl_sum *sum, size_t *count)
{
    const sbl_layout *layout = sbl_sum_layout(sum);
    *count = sbl_layout_values(layout);
    int64_t *values = calloc(*count, sizeof *values);
    int64_t *next = values;
    assert_non_null(values);
    for (size_t b = 0; b < layout->block_count; b++) {
        memcpy(next, sbl_sum_values(sum, b), sbl_block_values(layout, b) * sizeof *next);
        next += sbl_block_values(layout, b);
    }
    memcpy(next, sbl_sum_counts(sum), layout->classes * sizeof *next);
    return values;
}

typedef struct loaded {
    mixed_layout mixed;
    sbl_sum *sum;
    int64_t *values;
    size_t count;
} loaded;

static void begin(loaded *l)
{
    CLEARED(record_set_clear) record_set set;
    mixed_layout_init(&l->mixed);
    record_set_init(&set, ROWS, 5);
    l->sum = sum_of_all(&set, &l->mixed.layout);
    l->values = values_of(l->sum, &l->count);
}

static void end(loaded *l)
{
    free(l->values);
    sbl_sum_free(l->sum);
}

TEST(loaded_sum_is_the_sum_and_merges)
{
    CLEARED(end) loaded l;
    sbl_sum *again = NULL;
    sbl_sum *twice = NULL;
    begin(&l);
    assert_ok(sbl_sum_load(&again, &l.mixed.layout, l.values, l.count, ROWS, NULL));
    assert_true(same_sums(l.sum, again));
    assert_true(sbl_sum_is_whole(again));
    assert_ok(sbl_sum_load(&twice, &l.mixed.layout, l.values, l.count, ROWS, NULL));
    assert_ok(sbl_sum_merge(again, twice, NULL));
    assert_ok(sbl_sum_merge(l.sum, twice, NULL));
    assert_true(same_sums(l.sum, again));
    assert_int_equal(sbl_sum_rows(again), 2 * ROWS);
    sbl_sum_free(again);
    sbl_sum_free(twice);
}

static void refused(loaded *l, size_t count, uint64_t rows, const char *words)
{
    sbl_sum *sum = l->sum;
    sbl_error err = {0};
    assert_int_equal(sbl_sum_load(&sum, &l->mixed.layout, l->values, count, rows, &err), SBL_EINPUT);
    assert_null(sum);
    assert_non_null(strstr(err.message, words));
}

TEST(what_no_rows_can_sum_to_is_refused)
{
    CLEARED(end) loaded l;
    begin(&l);
    int64_t *last = &l.values[l.count - 1];
    const int64_t counted = *last, first = l.values[0];
    refused(&l, l.count - 1, ROWS, "number of values");
    refused(&l, l.count, l.mixed.layout.rows_cap + 1, "row cap");
    refused(&l, l.count, ROWS + 1, "counts");
    refused(&l, l.count, ROWS - 1, "counts");
    *last = -1;
    refused(&l, l.count, ROWS, "counts");
    *last = counted;
    l.values[0] = (int64_t)SBL_SUM_LIMIT + 1;
    refused(&l, l.count, ROWS, "larger than any sum");
    l.values[0] = -(int64_t)SBL_SUM_LIMIT - 1;
    refused(&l, l.count, ROWS, "larger than any sum");
    l.values[0] = first;
}

TEST(lack_of_memory_leaves_nothing)
{
    CLEARED(end) loaded l;
    sbl_sum *sum;
    begin(&l);
    sbl_test_fail_alloc(1);
    assert_int_equal(sbl_sum_load(&sum, &l.mixed.layout, l.values, l.count, ROWS, NULL), SBL_EMEM);
    sbl_test_fail_alloc(0);
    assert_null(sum);
}
