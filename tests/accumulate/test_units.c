/* SPDX-License-Identifier: Apache-2.0 */
/* Whose row it is: which of its unit's rows, what counts, and how many persons have how many rows. */
#include <string.h>

#include "accumulate/sum_fixture.h"
#include "base/alloc.h"
#include "records/accumulate/person_rows_kept.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

FREES(sbl_units_free);

static long locked_left;
void *__real_sbl_locked_alloc(size_t count, size_t size);
void *__wrap_sbl_locked_alloc(size_t count, size_t size);
void *__wrap_sbl_locked_alloc(size_t count, size_t size)
{
    return locked_left > 0 && --locked_left == 0 ? NULL : __real_sbl_locked_alloc(count, size);
}

static sbl_unit_tag tag_of(uint64_t person)
{
    uint64_t state = person;
    return (sbl_unit_tag){random_bits(&state) << 8, random_bits(&state)};
}

static sbl_units *units_of(uint64_t k)
{
    sbl_units *units = NULL;
    assert_ok(sbl_units_new(&units, k, NULL));
    return units;
}

TEST(rows_are_numbered_in_the_order_of_reading)
{
    const sbl_unit_tag a = tag_of(1), b = tag_of(2), nobody = {0};
    const sbl_unit_tag same_low = {a.low, a.high ^ 1}, same_high = {a.low ^ 256, a.high};
    const sbl_unit_tag rows[] = {a, b, a, nobody, a, a, nobody, b, same_low, same_high, a};
    const uint32_t expected[] = {0, 0, 1, 0, 2, 2, 0, 1, 0, 0, 2};
    uint32_t unit_rows[11];
    sbl_units *units = units_of(2);
    /* In batches of any size. */
    for (size_t r = 0; r < 11; r += 3)
        assert_ok(sbl_units_index_rows(units, unit_rows + r, rows + r, r + 3 <= 11 ? 3 : 11 - r, NULL));
    assert_memory_equal(unit_rows, expected, sizeof expected);
    sbl_units_free(units);
    sbl_units_free(NULL);
}

TEST(many_persons_are_kept_apart)
{
    enum { PERSONS = 100000 };
    FREED(sbl_units_free) sbl_units *units = units_of(3);
    for (uint32_t pass = 0; pass < 5; pass++)
        for (uint64_t p = 0; p < PERSONS; p++) {
            const sbl_unit_tag tag = tag_of(p);
            uint32_t turn = 99;
            assert_ok(sbl_units_index_rows(units, &turn, &tag, 1, NULL));
            assert_int_equal(turn, pass < 3 ? pass : 3);
        }
}

/* Memory grows with persons: after the first row nothing more is ever asked for. */
TEST(a_person_with_ten_million_rows_takes_one_place)
{
    enum { BATCH = 10000 };
    static sbl_unit_tag tags[BATCH];
    static uint32_t unit_rows[BATCH];
    FREED(sbl_units_free) sbl_units *units = units_of(7);
    uint64_t counted = 0;
    for (size_t r = 0; r < BATCH; r++) tags[r] = tag_of(5);
    assert_ok(sbl_units_index_rows(units, unit_rows, tags, 1, NULL));
    counted = unit_rows[0] < 7;
    locked_left = 1;
    for (size_t batch = 0; batch < 1000; batch++) {
        assert_ok(sbl_units_index_rows(units, unit_rows, tags, BATCH, NULL));
        for (size_t r = 0; r < BATCH; r++) counted += unit_rows[r] < 7;
    }
    assert_int_equal(locked_left, 1);
    locked_left = 0;
    assert_int_equal(counted, 7);
}

TEST(lack_of_memory_is_reported)
{
    FREED(sbl_units_free) sbl_units *units = NULL;
    sbl_error err = {0};
    uint32_t turn;
    assert_int_equal(sbl_units_new(&units, 0, &err), SBL_EARG);
    assert_int_equal(sbl_units_new(&units, SBL_ROWS_PER_UNIT_MAX + 1, &err), SBL_EARG);
    sbl_test_fail_alloc(1);
    assert_int_equal(sbl_units_new(&units, 1, &err), SBL_EMEM);
    sbl_test_fail_alloc(0);
    assert_null(units);
    units = units_of(1);
    for (long nth = 1; nth <= 2; nth++) { /* the first pages, and when they are half full */
        sbl_status status = SBL_OK;
        locked_left = nth;
        for (uint64_t p = 0; p < 2000 && status == SBL_OK; p++) {
            const sbl_unit_tag tag = tag_of(p);
            status = sbl_units_index_rows(units, &turn, &tag, 1, &err);
        }
        assert_int_equal(status, SBL_EMEM);
        locked_left = 0;
    }
}

/* ---- sums ---- */

enum { K = 3, BLOCKS = MIXED_BLOCKS + 1 };

typedef struct owned_layout {
    sbl_block blocks[BLOCKS];
    sbl_layout layout;
} owned_layout;

static void owned_layout_init(owned_layout *o)
{
    mixed_layout mixed;
    mixed_layout_init(&mixed);
    memcpy(o->blocks, mixed.blocks, sizeof mixed.blocks);
    o->blocks[MIXED_BLOCKS] = sbl_block_of_persons(K);
    o->layout = mixed.layout;
    o->layout.blocks = o->blocks;
    o->layout.block_count = BLOCKS;
    o->layout.rows_per_unit = K;
}

static void add_rows(sbl_sum *sum, const record_set *set, const uint32_t *unit_rows, size_t first,
                     size_t rows)
{
    const sbl_layout *layout = sbl_sum_layout(sum);
    size_t column = 0;
    assert_ok(sbl_sum_begin_unit_rows(sum, set->labels + first, unit_rows != NULL ? unit_rows + first : NULL,
                                      rows, NULL));
    for (size_t b = 0; b < MIXED_BLOCKS; b++) {
        assert_ok(sbl_sum_add_f64(sum, b, 0, layout->blocks[b].width,
                                  set->features + first * MIXED_COLUMNS + column, MIXED_COLUMNS, NULL));
        column += layout->blocks[b].width;
    }
    assert_ok(sbl_sum_end_rows(sum, NULL));
}

/* Rows beyond k add nothing; where the rows that count are fed alone, to a sum of rows, the same
 * numbers come out; and so they do in parts that are merged. */
TEST(rows_beyond_k_add_nothing)
{
    enum { ROWS = 400 };
    owned_layout o;
    mixed_layout plain;
    CLEARED(record_set_clear) record_set set;
    sbl_unit_tag tags[ROWS];
    uint32_t unit_rows[ROWS];
    size_t rows_of[ROWS] = {0};
    size_t counting[ROWS];
    size_t counted = 0;
    int64_t persons[K] = {0};
    uint64_t seed = 11;
    owned_layout_init(&o);
    mixed_layout_init(&plain);
    record_set_init(&set, ROWS, 7);
    FREED(sbl_units_free) sbl_units *units = units_of(K);
    for (size_t r = 0; r < ROWS; r++) {
        const uint64_t person = random_bits(&seed) % 100;
        tags[r] = tag_of(person);
        if (rows_of[person]++ < K) counting[counted++] = r;
    }
    for (size_t p = 0; p < 100; p++)
        if (rows_of[p] > 0) persons[(rows_of[p] < K ? rows_of[p] : K) - 1]++;
    assert_ok(sbl_units_index_rows(units, unit_rows, tags, ROWS, NULL));
    sbl_sum *whole = new_sum(&o.layout);
    sbl_sum *part = new_sum(&o.layout);
    sbl_sum *rest = new_sum(&o.layout);
    sbl_sum *alone = new_sum(&plain.layout);
    add_rows(whole, &set, unit_rows, 0, ROWS);
    add_rows(rest, &set, unit_rows, 150, ROWS - 150);
    add_rows(part, &set, unit_rows, 0, 150);
    add_rows(part, &set, unit_rows, 0, 0);
    assert_ok(sbl_sum_merge(part, rest, NULL));
    for (size_t i = 0; i < counted; i++) add_rows(alone, &set, NULL, counting[i], 1);
    assert_true(same_sums(whole, part));
    assert_int_equal(sbl_sum_rows(whole), counted);
    for (size_t b = 0; b < MIXED_BLOCKS; b++)
        assert_memory_equal(sbl_sum_values(whole, b), sbl_sum_values(alone, b),
                            sbl_block_values(&o.layout, b) * sizeof(int64_t));
    assert_memory_equal(sbl_sum_counts(whole), sbl_sum_counts(alone), MIXED_CLASSES * sizeof(int64_t));
    assert_memory_equal(sbl_sum_values(whole, MIXED_BLOCKS), persons, sizeof persons);
    sbl_sum_free(whole);
    sbl_sum_free(part);
    sbl_sum_free(rest);
    sbl_sum_free(alone);
}

/* Squares and products are formed of the rows that count, class by class or over all records. */
TEST(moments_of_rows_beyond_k_are_not_formed)
{
    enum { ROWS = 5, WIDTH = 3 };
    static const uint32_t labels[ROWS] = {0, 1, 1, 0, 1};
    static const uint32_t unit_rows[ROWS] = {0, 1, K, 2, K};
    static const double rows[ROWS * WIDTH] = {0.1, 0.2,  -0.3, 0.4, 0.1, 0.2, 0.5, -0.4,
                                              0.3, -0.2, 0.1,  0.6, 0.7, 0.1, 0.2};
    for (int per_class = 0; per_class < 2; per_class++) {
        sbl_block blocks[3] = {
            {.name = "mean", .width = WIDTH, .per_class = per_class != 0, .bound2 = 1 << 20, .scale = 1000}};
        blocks[1] = sbl_block_of_moments("squares", SBL_BLOCK_SQUARES, &blocks[0], WIDTH);
        blocks[2] = sbl_block_of_moments("products", SBL_BLOCK_PRODUCTS, &blocks[0], WIDTH);
        sbl_layout layout = {.blocks = blocks, .block_count = 3, .classes = 2, .rows_cap = UINT64_C(1) << 32};
        sbl_sum *alone = new_sum(&layout);
        for (size_t r = 0; r < ROWS; r++) {
            if (unit_rows[r] >= K) continue;
            assert_ok(sbl_sum_begin_rows(alone, &labels[r], 1, NULL));
            assert_ok(sbl_sum_add_f64(alone, 0, 0, WIDTH, rows + r * WIDTH, WIDTH, NULL));
            assert_ok(sbl_sum_end_rows(alone, NULL));
        }
        layout.rows_per_unit = K;
        sbl_sum *whole = new_sum(&layout);
        assert_ok(sbl_sum_begin_unit_rows(whole, labels, unit_rows, ROWS, NULL));
        assert_ok(sbl_sum_add_f64(whole, 0, 0, WIDTH, rows, WIDTH, NULL));
        assert_ok(sbl_sum_end_rows(whole, NULL));
        for (size_t b = 0; b < 3; b++)
            assert_memory_equal(sbl_sum_values(whole, b), sbl_sum_values(alone, b),
                                sbl_block_values(&layout, b) * sizeof(int64_t));
        sbl_sum_free(whole);
        sbl_sum_free(alone);
    }
}

TEST(misuse_breaks_the_sum)
{
    owned_layout o;
    mixed_layout plain;
    const uint32_t labels[1] = {0}, unit_rows[1] = {0};
    sbl_error err = {0};
    owned_layout_init(&o);
    mixed_layout_init(&plain);
    sbl_sum *sum = new_sum(&o.layout);
    assert_int_equal(sbl_sum_begin_rows(sum, labels, 1, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "unit_rows are missing"));
    assert_false(sbl_sum_is_whole(sum));
    sbl_sum_free(sum);
    sum = new_sum(&plain.layout);
    assert_int_equal(sbl_sum_begin_unit_rows(sum, labels, unit_rows, 1, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "unit_rows are given"));
    sbl_sum_free(sum);
    sum = new_sum(&o.layout);
    assert_ok(sbl_sum_begin_unit_rows(sum, labels, unit_rows, 1, &err));
    assert_int_equal(sbl_sum_add_ones(sum, MIXED_BLOCKS, unit_rows, 1, &err), SBL_EARG);
    sbl_sum_free(sum);
    for (long n = 1; n <= 2; n++) {
        sum = new_sum(&o.layout);
        sbl_test_fail_alloc(n);
        assert_int_equal(sbl_sum_begin_unit_rows(sum, labels, unit_rows, 1, &err), SBL_EMEM);
        sbl_test_fail_alloc(0);
        sbl_sum_free(sum);
    }
}

static void refuse(sbl_layout *layout, const char *words)
{
    sbl_error err = {0};
    assert_int_equal(sbl_layout_validate(layout, &err), SBL_EARG);
    if (strstr(err.message, words) == NULL) fail_msg("'%s' lacks '%s'", err.message, words);
}

TEST(layouts_of_persons_are_checked)
{
    owned_layout o;
    uint8_t first[SBL_SHA256_SIZE], second[SBL_SHA256_SIZE];
    owned_layout_init(&o);
    assert_ok(sbl_layout_validate(&o.layout, NULL));
    o.layout.rows_per_unit = SBL_ROWS_PER_UNIT_MAX + 1;
    refuse(&o.layout, "rows of a person");
    o.layout.rows_per_unit = 0;
    refuse(&o.layout, "where a unit is declared");
    o.layout.rows_per_unit = K + 1;
    refuse(&o.layout, "width is not");
    for (int what = 0; what < 10; what++) {
        owned_layout_init(&o);
        sbl_block *b = &o.blocks[MIXED_BLOCKS];
        if (what == 0) b->name[0] = 'q';
        if (what == 1) b->group = K;
        if (what == 2) b->per_class = true;
        if (what == 3) b->nonnegative = false;
        if (what == 4) b->bound2 = 2;
        if (what == 5) b->bound1 = 2;
        if (what == 6) b->scale = 2;
        if (what == 7) b->source[0] = 'x';
        if (what == 8) b->outer = 1;
        if (what == 9) b->withheld = true;
        refuse(&o.layout, "in one way only");
    }
    /* How many rows count is part of what a sum is. */
    owned_layout_init(&o);
    o.layout.block_count--;
    assert_ok(sbl_layout_hash(first, &o.layout, NULL));
    o.layout.rows_per_unit++;
    assert_ok(sbl_layout_hash(second, &o.layout, NULL));
    assert_memory_not_equal(first, second, sizeof first);
    o.layout.rows_per_unit = 0;
    assert_ok(sbl_layout_hash(second, &o.layout, NULL));
    assert_memory_not_equal(first, second, sizeof first);
}
