/* SPDX-License-Identifier: Apache-2.0 */
/* Squares and products: formed from enforced integers, exactly, whatever the order, sharding,
 * threads or batches; and which layouts of them are refused. */
#include <stdlib.h>
#include <string.h>

#include "accumulate/sum_fixture.h"
#include "records/accumulate/sum.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

FREES(sbl_sum_free);

#define SMALL_BOUND2 (UINT64_C(1) << 28)

enum { BLOCKS = 10, CLASSES = 3, WIDE = 11, MIDDLE = 21, NARROW = 4, LONE = 2 };
enum { COLUMNS = WIDE + MIDDLE + NARROW + LONE, SOURCES = 4 };

/* Four sources: a signed one per class whose squares and products are of the same coordinates; a
 * withheld one over all records with products of fewer coordinates than squares, and an L1 bound; a
 * non-negative one per class with products only; one over all records with squares only. */
typedef struct moments_layout {
    sbl_block blocks[BLOCKS];
    sbl_layout layout;
} moments_layout;

static const size_t sources[SOURCES] = {0, 3, 6, 8};
static const size_t offsets[SOURCES] = {0, WIDE, WIDE + MIDDLE, WIDE + MIDDLE + NARROW};

static void moments_layout_init(moments_layout *m)
{
    memset(m, 0, sizeof *m);
    sbl_block *b = m->blocks;
    b[0] = (sbl_block){"mean", .width = WIDE, .per_class = true, .bound2 = SMALL_BOUND2,
                       .scale = sbl_block_scale(WIDE, SMALL_BOUND2, 1)};
    b[3] = (sbl_block){
        .name = "hidden", .width = MIDDLE, .bound2 = 1000003, .bound1 = 2500, .scale = 900, .withheld = true};
    b[6] = (sbl_block){"positive",
                       .width = NARROW,
                       .per_class = true,
                       .nonnegative = true,
                       .bound2 = SBL_MOMENTS_BOUND2_MAX,
                       .scale = 0x1p14};
    b[1] = sbl_block_of_moments("mean.squares", SBL_BLOCK_SQUARES, &b[0], WIDE - 2);
    b[2] = sbl_block_of_moments("mean.products", SBL_BLOCK_PRODUCTS, &b[0], WIDE - 2);
    b[4] = sbl_block_of_moments("hidden.products", SBL_BLOCK_PRODUCTS, &b[3], MIDDLE - 3);
    b[5] = sbl_block_of_moments("hidden.squares", SBL_BLOCK_SQUARES, &b[3], MIDDLE);
    b[7] = sbl_block_of_moments("positive.products", SBL_BLOCK_PRODUCTS, &b[6], NARROW);
    b[8] = (sbl_block){.name = "lone", .width = LONE, .bound2 = 50000, .scale = 200};
    b[9] = sbl_block_of_moments("lone.squares", SBL_BLOCK_SQUARES, &b[8], 1);
    m->layout = (sbl_layout){b, .block_count = BLOCKS, .classes = CLASSES, .counts = true,
                             .rows_cap = UINT64_C(1) << 32};
}

/* (rows, COLUMNS): the features of the sources side by side. */
static void records_init(record_set *set, size_t rows, uint64_t seed)
{
    set->rows = rows;
    set->features = calloc(rows * COLUMNS, sizeof *set->features);
    set->labels = calloc(rows, sizeof *set->labels);
    assert_true(set->features != NULL && set->labels != NULL);
    for (size_t r = 0; r < rows; r++) {
        double *x = set->features + r * COLUMNS;
        if (r % 17 == 5) continue; /* a record of zeros */
        make_record(x, WIDE, random_bits(&seed) % RECORD_KINDS, &seed);
        make_record(x + WIDE, MIDDLE, random_bits(&seed) % RECORD_KINDS, &seed);
        make_record(x + WIDE + MIDDLE, NARROW, random_bits(&seed) % RECORD_KINDS, &seed);
        make_record(x + WIDE + MIDDLE + NARROW, LONE, random_bits(&seed) % RECORD_KINDS, &seed);
        set->labels[r] = (uint32_t)(random_bits(&seed) % (CLASSES + 1)); /* one too many */
    }
}

static void feed_moments(sbl_sum *sum, const void *records, size_t from, size_t to, size_t batch)
{
    const record_set *set = records;
    FREED(free) float *narrow = calloc(batch * NARROW, sizeof *narrow);
    assert_non_null(narrow);
    for (size_t start = from; start < to; start += batch) {
        const size_t rows = to - start < batch ? to - start : batch;
        const double *x = set->features + start * COLUMNS;
        for (size_t r = 0; r < rows; r++)
            for (size_t j = 0; j < NARROW; j++)
                narrow[r * NARROW + j] = (float)x[r * COLUMNS + WIDE + MIDDLE + j];
        assert_ok(sbl_sum_begin_rows(sum, set->labels + start, rows, NULL));
        assert_ok(sbl_sum_add_f64(sum, 3, 0, MIDDLE, x + WIDE, COLUMNS, NULL));
        assert_ok(sbl_sum_add_f64(sum, 0, 0, WIDE, x, COLUMNS, NULL));
        assert_ok(sbl_sum_add_f32(sum, 6, 0, NARROW, narrow, NARROW, NULL));
        assert_ok(sbl_sum_add_f64(sum, 8, 0, LONE, x + offsets[3], COLUMNS, NULL));
        assert_ok(sbl_sum_end_rows(sum, NULL));
    }
}

static sbl_sum *sum_of_records(const record_set *set, const sbl_layout *layout, size_t batch)
{
    sbl_sum *sum = new_sum(layout);
    feed_moments(sum, set, 0, set->rows, batch);
    return sum;
}

/* The enforced integers of one record of one source: its sum alone, in a layout without moments. */
static void integers_of(int64_t *q, const sbl_block *source, const double *x, bool as_float)
{
    sbl_block alone = *source;
    const sbl_layout layout = {.blocks = &alone, .block_count = 1, .classes = 1, .rows_cap = 1};
    float narrow[MIDDLE];
    alone.withheld = false;
    for (size_t j = 0; j < source->width; j++) narrow[j] = (float)x[j];
    FREED(sbl_sum_free) sbl_sum *sum = new_sum(&layout);
    assert_ok(sbl_sum_begin_rows(sum, NULL, 1, NULL));
    if (as_float)
        assert_int_equal(sbl_sum_add_f32(sum, 0, 0, source->width, narrow, source->width, NULL), 0);
    else
        assert_int_equal(sbl_sum_add_f64(sum, 0, 0, source->width, x, source->width, NULL), 0);
    assert_ok(sbl_sum_end_rows(sum, NULL));
    memcpy(q, sbl_sum_values(sum, 0), source->width * sizeof *q);
}

/* expected += what a block makes of q. */
static void add_expected(int64_t *expected, const sbl_block *block, const int64_t *q)
{
    size_t at = 0;
    for (size_t i = 0; block->kind == SBL_BLOCK_VECTOR && i < block->width; i++) expected[i] += q[i];
    for (size_t i = 0; i < block->outer; i++) {
        if (block->kind == SBL_BLOCK_SQUARES) expected[i] += q[i] * q[i];
        for (size_t j = i + 1; block->kind == SBL_BLOCK_PRODUCTS && j < block->outer; j++)
            expected[at++] += q[i] * q[j];
    }
}

TEST(moments_are_those_of_the_enforced_integers)
{
    enum { ROWS = 900 };
    moments_layout m;
    CLEARED(record_set_clear) record_set set;
    moments_layout_init(&m);
    records_init(&set, ROWS, 71);
    FREED(sbl_sum_free) sbl_sum *sum = sum_of_records(&set, &m.layout, 613);
    for (size_t s = 0; s < SOURCES; s++) {
        const sbl_block *source = &m.blocks[sources[s]];
        static int64_t expected[BLOCKS][CLASSES * MIDDLE * MIDDLE];
        memset(expected, 0, sizeof expected);
        for (size_t r = 0; r < ROWS; r++) {
            const uint32_t label = set.labels[r] < CLASSES ? set.labels[r] : 0;
            int64_t q[MIDDLE];
            integers_of(q, source, set.features + r * COLUMNS + offsets[s], s == 2);
            assert_true(squares_of(q, source->width) <= source->bound2);
            for (size_t b = sources[s]; b < BLOCKS && (b == sources[s] || m.blocks[b].kind != 0); b++)
                add_expected(expected[b] + (m.blocks[b].per_class ? label * m.blocks[b].width : 0),
                             &m.blocks[b], q);
        }
        for (size_t b = sources[s]; b < BLOCKS && (b == sources[s] || m.blocks[b].kind != 0); b++)
            assert_memory_equal(sbl_sum_values(sum, b), expected[b],
                                sbl_block_values(&m.layout, b) * sizeof(int64_t));
    }
}

TEST(batch_size_does_not_matter_to_moments)
{
    static const size_t batches[] = {1, 2, 5, 64, 255, 256, 257, 700};
    moments_layout m;
    CLEARED(record_set_clear) record_set set;
    moments_layout_init(&m);
    records_init(&set, 1501, 72);
    FREED(sbl_sum_free) sbl_sum *expected = sum_of_records(&set, &m.layout, set.rows);
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        FREED(sbl_sum_free) sbl_sum *sum = sum_of_records(&set, &m.layout, batches[i]);
        assert_true(same_sums(sum, expected));
    }
}

TEST(sharding_1_to_32_ways_gives_the_same_moments)
{
    moments_layout m;
    CLEARED(record_set_clear) record_set set;
    moments_layout_init(&m);
    records_init(&set, 411, 73);
    expect_same_shards(&(feeding){&m.layout, &set, set.rows, feed_moments}, 32, 7);
}

TEST(one_two_or_four_threads_give_the_same_moments)
{
    moments_layout m;
    CLEARED(record_set_clear) record_set set;
    moments_layout_init(&m);
    records_init(&set, 1203, 74);
    expect_same_threads(&(feeding){&m.layout, &set, set.rows, feed_moments}, 37);
}

/* The grid's largest vectors, many times: products of 2^30 added up beyond 2^40. */
TEST(large_moments_neither_round_nor_wrap)
{
    enum { ROWS = 5000 };
    const double side = 0x1p15;
    sbl_block blocks[3] = {{.name = "x", .width = 2, .bound2 = SBL_MOMENTS_BOUND2_MAX, .scale = 1}};
    blocks[1] = sbl_block_of_moments("s", SBL_BLOCK_SQUARES, &blocks[0], 2);
    blocks[2] = sbl_block_of_moments("p", SBL_BLOCK_PRODUCTS, &blocks[0], 2);
    const sbl_layout layout = {
        .blocks = blocks, .block_count = 3, .classes = 1, .rows_cap = UINT64_C(1) << 32};
    FREED(free) double *x = calloc(2 * ROWS, sizeof *x);
    assert_non_null(x);
    for (size_t r = 0; r < ROWS; r++) {
        x[2 * r] = r % 2 == 0 ? side : 23170; /* 23170^2 * 2 <= 2^30 */
        x[2 * r + 1] = r % 2 == 0 ? 0 : -23170;
    }
    FREED(sbl_sum_free) sbl_sum *sum = new_sum(&layout);
    assert_ok(sbl_sum_begin_rows(sum, NULL, ROWS, NULL));
    assert_ok(sbl_sum_add_f64(sum, 0, 0, 2, x, 2, NULL));
    assert_ok(sbl_sum_end_rows(sum, NULL));
    const int64_t half = ROWS / 2;
    const int64_t square = INT64_C(23170) * 23170;
    assert_true(sbl_sum_values(sum, 1)[0] == half * (INT64_C(1) << 30) + half * square);
    assert_true(sbl_sum_values(sum, 1)[1] == half * square);
    assert_true(sbl_sum_values(sum, 2)[0] == -half * square);
}

TEST(moments_cannot_be_fed)
{
    const double x[MIDDLE * MIDDLE] = {0};
    const uint32_t label = 0;
    moments_layout m;
    sbl_error err = {0};
    moments_layout_init(&m);
    for (size_t b = 1; b < 3; b++) {
        FREED(sbl_sum_free) sbl_sum *sum = new_sum(&m.layout);
        assert_ok(sbl_sum_begin_rows(sum, &label, 1, NULL));
        assert_int_equal(sbl_sum_add_f64(sum, b, 0, m.blocks[b].width, x, m.blocks[b].width, &err), SBL_EARG);
        assert_non_null(strstr(err.message, "formed from their source"));
        assert_false(sbl_sum_is_whole(sum));
    }
}

TEST(withheld_block_has_no_sums)
{
    moments_layout m;
    moments_layout_init(&m);
    const size_t hidden = (MIDDLE - 3) * (MIDDLE - 4) / 2 + MIDDLE;
    const size_t mean = CLASSES * (WIDE + (WIDE - 2) + (WIDE - 2) * (WIDE - 3) / 2);
    const size_t positive = CLASSES * (NARROW + NARROW * (NARROW - 1) / 2) + LONE + 1;
    assert_int_equal(sbl_block_values(&m.layout, 3), 0);
    assert_int_equal(sbl_layout_values(&m.layout), hidden + mean + positive + CLASSES);
    assert_int_equal(sbl_layout_noisy_values(&m.layout), sbl_layout_values(&m.layout));
    assert_int_equal(sbl_layout_noisy_blocks(&m.layout), BLOCKS); /* one less, and the counts */
    assert_int_equal(sbl_layout_noisy_block(&m.layout, 2), 2);
    assert_int_equal(sbl_layout_noisy_block(&m.layout, 3), 4);
    assert_int_equal(sbl_layout_noisy_block(&m.layout, BLOCKS - 2), BLOCKS - 1);
    assert_int_equal(sbl_layout_noisy_block(&m.layout, BLOCKS - 1), BLOCKS);
    m.layout.counts = false;
    assert_int_equal(sbl_layout_noisy_blocks(&m.layout), BLOCKS - 1);
    assert_int_equal(sbl_layout_noisy_values(&m.layout), hidden + mean + positive);
}

TEST(lack_of_memory_for_moments_is_reported)
{
    moments_layout m;
    CLEARED(record_set_clear) record_set set;
    moments_layout_init(&m);
    records_init(&set, 3, 75);
    long n = 0;
    while (sbl_test_fail_next(&n)) {
        FREED(sbl_sum_free) sbl_sum *sum = NULL;
        sbl_status status = sbl_sum_new(&sum, &m.layout, NULL);
        if (status == SBL_OK) status = sbl_sum_begin_rows(sum, set.labels, 3, NULL);
        sbl_test_no_memory(status);
    }
    assert_true(n > 10); /* layout, values, blocks, tile, three workspaces, starts, labels, order */
}

/* ---- layouts that are refused ---- */

static void expect_refused(const moments_layout *m, const char *words)
{
    sbl_error err = {0};
    assert_int_equal(sbl_layout_validate(&m->layout, &err), SBL_EARG);
    if (strstr(err.message, words) == NULL) fail_msg("'%s' lacks '%s'", err.message, words);
    assert_null(strchr(err.message, '\n'));
}

typedef struct fault {
    size_t block;
    void (*plant)(sbl_block *block);
    const char *words;
} fault;

static void set_kind(sbl_block *b) { b->kind = (sbl_block_kind)4; }
static void set_source_far(sbl_block *b) { strcpy(b->source, "nowhere"); }
static void set_source_moments(sbl_block *b) { strcpy(b->source, "mean.products"); }
static void set_group(sbl_block *b) { b->group = 1; }
static void flip_per_class(sbl_block *b) { b->per_class = !b->per_class; }
static void withhold(sbl_block *b) { b->withheld = true; }
static void set_outer_zero(sbl_block *b) { b->outer = 0; }
static void set_outer_large(sbl_block *b) { b->outer = WIDE + 1; }
static void widen(sbl_block *b) { b->width++; }
static void set_bound1(sbl_block *b) { b->bound1 = 7; }
static void change_bound2(sbl_block *b) { b->bound2--; }
static void change_scale(sbl_block *b) { b->scale *= 1.5; }
static void flip_sign(sbl_block *b) { b->nonnegative = !b->nonnegative; }
static void set_source(sbl_block *b) { strcpy(b->source, "mean"); }
static void set_outer(sbl_block *b) { b->outer = 1; }

TEST(moments_that_do_not_follow_from_their_source_are_refused)
{
    static const fault faults[] = {
        {1, set_kind, "kind"},
        {1, set_source_far, "no block"},
        {1, set_source_moments, "holds no features"},
        {1, set_group, "no groups"},
        {0, set_group, "no groups"},
        {1, flip_per_class, "per_class"},
        {1, withhold, "withheld"},
        {1, set_outer_zero, "outer does not fit"},
        {2, set_outer_large, "outer does not fit"},
        {1, widen, "width does not follow"},
        {2, widen, "width does not follow"},
        {1, set_bound1, "bound1"},
        {2, change_bound2, "not its source's squared"},
        {2, change_scale, "scale"},
        {1, flip_sign, "nonnegative"},
        {2, flip_sign, "nonnegative"},
        {7, flip_sign, "nonnegative"},
        {0, set_source, "belong to"},
        {0, set_outer, "belong to"},
    };
    moments_layout m;
    moments_layout_init(&m);
    assert_ok(sbl_layout_validate(&m.layout, NULL));
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        moments_layout_init(&m);
        faults[i].plant(&m.blocks[faults[i].block]);
        expect_refused(&m, faults[i].words);
    }
    /* A second block of squares; a withheld block that nothing needs; a source too fine. */
    moments_layout_init(&m);
    m.blocks[2] = sbl_block_of_moments("again", SBL_BLOCK_SQUARES, &m.blocks[0], 3);
    expect_refused(&m, "already");
    moments_layout_init(&m);
    m.layout.block_count = 4;
    expect_refused(&m, "nothing is formed");
    moments_layout_init(&m);
    m.blocks[0].bound2 = SBL_MOMENTS_BOUND2_MAX + 1;
    m.blocks[1].bound2 = m.blocks[2].bound2 = SBL_BOUND2_MAX;
    expect_refused(&m, "2^30");
}

TEST(hash_covers_kind_source_outer_and_withheld)
{
    enum { VARIANTS = 5 };
    uint8_t hashes[VARIANTS][SBL_SHA256_SIZE];
    for (size_t i = 0; i < VARIANTS; i++) {
        moments_layout m;
        moments_layout_init(&m);
        if (i == 1) m.blocks[1].kind = SBL_BLOCK_PRODUCTS;
        if (i == 2) strcpy(m.blocks[1].source, "hidden");
        if (i == 3) m.blocks[1].outer++;
        if (i == 4) m.blocks[3].withheld = false;
        assert_ok(sbl_layout_hash(hashes[i], &m.layout, NULL));
        for (size_t j = 0; j < i; j++) assert_memory_not_equal(hashes[i], hashes[j], SBL_SHA256_SIZE);
    }
}
