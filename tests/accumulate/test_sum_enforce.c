/* SPDX-License-Identifier: Apache-2.0 */
/* Quantising and the integer clip: the bounds hold for every record, and nothing is lost inside. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accumulate/sum_fixture.h"
#include "records/accumulate/enforce.h"
#include "records/accumulate/quantise.h"
#include "support/cmocka_all.h"

#define RECORDS 10000000

/* The definition, by the C library's own rint. */
static int32_t grid_by_definition(double x, sbl_grid grid)
{
    const double v = rint(grid.scale * x);
    if (isnan(v)) return 0;
    return (int32_t)fmin(fmax(v, grid.low), grid.high);
}

TEST(quantise_equals_rint_and_clamp_everywhere)
{
    enum { N = 1031 };
    static const sbl_grid grids[] = {{1, -1e9, 1e9},      {0.5, -1000, 1000}, {0x1p28, -0x1p28, 0x1p28},
                                     {0x1p30, 0, 0x1p30}, {1e300, -7, 7},     {1e-300, -7, 7}};
    double x[N];
    float x32[N];
    int32_t q[N], q32[N];
    uint64_t seed = 5;
    for (size_t round = 0; round < 300; round++) {
        const sbl_grid grid = grids[round % (sizeof grids / sizeof *grids)];
        make_record(x, N, round % RECORD_KINDS, &seed);
        for (size_t i = 0; i < N; i += 3) x[i] = (double)(random_bits(&seed) % 64) - 32; /* ties */
        for (size_t i = 0; i < N; i++) x32[i] = (float)x[i];
        sbl_quantise_f64(q, x, N, grid);
        sbl_quantise_f32(q32, x32, N, grid);
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(q[i], grid_by_definition(x[i], grid));
            assert_int_equal(q32[i], grid_by_definition((double)x32[i], grid));
        }
    }
}

TEST(quantise_bad_values_become_public_constants)
{
    const double x[] = {NAN, -NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_TRUE_MIN, -0.0};
    const int32_t expected[] = {0, 0, 100, -100, 100, -100, 0, 0};
    const int32_t expected_nonnegative[] = {0, 0, 100, 0, 100, 0, 0, 0};
    int32_t q[8];
    sbl_quantise_f64(q, x, 8, (sbl_grid){7, -100, 100});
    assert_memory_equal(q, expected, sizeof q);
    sbl_quantise_f64(q, x, 8, (sbl_grid){7, 0, 100});
    assert_memory_equal(q, expected_nonnegative, sizeof q);
}

/* Vector loops treat the first and the last elements apart: the results may not show it. */
TEST(quantise_does_not_depend_on_place_or_length)
{
    enum { N = 67 };
    float x[N];
    int32_t whole[N], part[N];
    uint64_t seed = 6;
    const sbl_grid grid = {0x1.fffp27, -0x1p28, 0x1p28};
    for (size_t i = 0; i < N; i++) x[i] = (float)random_signed(&seed);
    x[13] = NAN;
    x[14] = INFINITY;
    sbl_quantise_f32(whole, x, N, grid);
    for (size_t from = 0; from < N; from++)
        for (size_t count = 1; count <= N - from; count++) {
            sbl_quantise_f32(part, x + from, count, grid);
            assert_memory_equal(part, whole + from, count * sizeof *part);
        }
}

static void widen(int64_t *wide, const int32_t *q, size_t width)
{
    for (size_t i = 0; i < width; i++) wide[i] = q[i];
}

/* Straight into the clip: any int32, INT32_MIN included, any bound. */
TEST(enforce_holds_both_bounds_for_any_integers)
{
    enum { N = 300 };
    static const uint64_t bounds2[] = {0, 1, 2, 3, 1000, GRID_BOUND2, SBL_BOUND2_MAX, UINT64_MAX};
    static const uint64_t bounds1[] = {0, 1, 5, 1000, UINT64_C(1) << 28, SBL_BOUND1_MAX};
    int32_t q[N], before[N];
    int64_t wide[N];
    uint64_t seed = 7;
    for (size_t round = 0; round < 20000; round++) {
        const size_t width = 1 + random_bits(&seed) % (round % 50 == 0 ? N : 9);
        const uint64_t bound2 = bounds2[random_bits(&seed) % 8];
        const uint64_t bound1 = bounds1[random_bits(&seed) % 6];
        const unsigned shift = random_bits(&seed) % 32;
        for (size_t i = 0; i < width; i++) {
            q[i] = (int32_t)(uint32_t)random_bits(&seed) >> shift;
            if (round % 7 == 0) q[i] = INT32_MIN;
        }
        memcpy(before, q, sizeof q);
        widen(wide, q, width);
        const bool inside =
            squares_of(wide, width) <= bound2 && (bound1 == 0 || magnitudes_of(wide, width) <= bound1);
        sbl_enforce(q, width, bound2, bound1);
        widen(wide, q, width);
        assert_true(squares_of(wide, width) <= bound2);
        assert_true(bound1 == 0 || magnitudes_of(wide, width) <= bound1);
        if (inside) assert_memory_equal(q, before, width * sizeof *q);
        for (size_t i = 0; i < width; i++) {
            assert_true((int64_t)q[i] * before[i] >= 0); /* no sign changes */
            assert_true(llabs((int64_t)q[i]) <= llabs((int64_t)before[i]));
        }
    }
}

TEST(enforce_shrinks_no_more_than_it_must)
{
    int32_t q[] = {6 << 20, -(8 << 20), 0}; /* norm 10 * 2^20, bound 5 * 2^20 */
    const uint64_t bound = UINT64_C(5) << 20;
    sbl_enforce(q, 3, bound * bound, 0);
    assert_int_equal(q[0], 3 << 20);
    assert_int_equal(q[1], -(4 << 20));
    int32_t p[] = {60, -30};
    sbl_enforce(p, 2, 1000000, 50);
    assert_int_equal(p[0], 33); /* 33.3 and -16.7, toward zero */
    assert_int_equal(p[1], -16);
}

TEST(sum_of_squares_is_exact_for_a_huge_width)
{
    const size_t width = 1000003;
    FREED(free) int32_t *q = malloc(width * sizeof *q);
    uint64_t halves[2];
    assert_non_null(q);
    for (size_t i = 0; i < width; i++) q[i] = i % 2 != 0 ? INT32_MIN : INT32_MAX;
    sbl_sum_of_squares(halves, q, width);
    const sbl_u128 expected =
        (sbl_u128)500001 * ((sbl_u128)1 << 62) + (sbl_u128)500002 * ((sbl_u128)INT32_MAX * INT32_MAX);
    assert_true(((sbl_u128)halves[1] << 32) + halves[0] == expected);
}

/* Features of norm 1 in every precision pass untouched: the shrink leaves room for rounding. */
static void check_untouched(const double *x, size_t width, bool single)
{
    const double scale = sbl_block_scale(width, GRID_BOUND2, 1);
    const sbl_grid grid = {scale, -0x1p28, 0x1p28};
    FREED(free) int32_t *q = malloc(2 * width * sizeof *q);
    FREED(free) float *x32 = malloc(width * sizeof *x32);
    assert_true(q != NULL && x32 != NULL);
    for (size_t i = 0; i < width; i++) x32[i] = (float)x[i];
    if (single)
        sbl_quantise_f32(q, x32, width, grid);
    else
        sbl_quantise_f64(q, x, width, grid);
    memcpy(q + width, q, width * sizeof *q);
    sbl_enforce(q, width, GRID_BOUND2, 0);
    assert_memory_equal(q, q + width, width * sizeof *q);
}

TEST(pre_shrink_never_trips_the_clip_for_unit_vectors)
{
    static const size_t widths[] = {1, 10, 1000, 100000};
    uint64_t seed = 8;
    FREED(free) double *x = malloc(100000 * sizeof *x);
    assert_non_null(x);
    for (size_t w = 0; w < 4; w++) {
        const size_t rounds = 200000 / widths[w] > 500 ? 500 : 200000 / widths[w];
        for (size_t round = 0; round < rounds; round++) {
            make_record(x, widths[w], round % 2 != 0 ? 0 : 7, &seed);
            if (round % 4 == 2) /* a sign vector */
                for (size_t i = 0; i < widths[w]; i++)
                    if (random_bits(&seed) % 2 != 0) x[i] = -x[i];
            check_untouched(x, widths[w], false);
            check_untouched(x, widths[w], true);
        }
    }
}

/* The 10^7 records: through the public calls, 64 at a time, each in a class of its own so that the
 * change of the sums is the record's own integers. */
enum { BATCH = 64 };
typedef struct campaign {
    sbl_block block;
    sbl_layout layout;
    sbl_sum *sum;
    double *x;
    float *x32;
    int64_t *before;
    uint32_t labels[BATCH];
} campaign;

static void check_record(const sbl_block *block, int64_t *change)
{
    const sbl_run_bounds bounds = sbl_block_run_bounds(block);
    assert_true(squares_of(change, block->width) <= block->bound2);
    if (block->bound1 != 0) assert_true(magnitudes_of(change, block->width) <= block->bound1);
    for (size_t i = 0; i < block->width; i += bounds.run) {
        assert_true(squares_of(change + i, bounds.run) <= bounds.bound2);
        if (bounds.bound1 != 0) assert_true(magnitudes_of(change + i, bounds.run) <= bounds.bound1);
    }
    if (!block->nonnegative) return;
    for (size_t i = 0; i < block->width; i++) assert_true(change[i] >= 0);
}

static void run_batch(campaign *c, uint64_t *seed)
{
    const size_t width = c->block.width;
    const size_t values = BATCH * width;
    const bool single = random_bits(seed) % 2 != 0;
    memcpy(c->before, sbl_sum_values(c->sum, 0), values * sizeof *c->before);
    for (size_t r = 0; r < BATCH; r++)
        make_record(c->x + r * width, width, random_bits(seed) % RECORD_KINDS, seed);
    assert_ok(sbl_sum_begin_rows(c->sum, c->labels, BATCH, NULL));
    if (single) {
        for (size_t i = 0; i < values; i++) c->x32[i] = (float)c->x[i];
        assert_ok(sbl_sum_add_f32(c->sum, 0, 0, width, c->x32, width, NULL));
    } else {
        assert_ok(sbl_sum_add_f64(c->sum, 0, 0, width, c->x, width, NULL));
    }
    assert_ok(sbl_sum_end_rows(c->sum, NULL));
    const int64_t *after = sbl_sum_values(c->sum, 0);
    for (size_t i = 0; i < values; i++) c->before[i] = after[i] - c->before[i];
    for (size_t r = 0; r < BATCH; r++) check_record(&c->block, c->before + r * width);
}

/* At least `records` records of one kind of block; returns how many. */
static size_t run_campaign(sbl_block block, size_t records, uint64_t *seed)
{
    campaign c = {.block = block};
    size_t done = 0;
    strcpy(c.block.name, "block");
    c.block.per_class = true;
    c.layout =
        (sbl_layout){.blocks = &c.block, .block_count = 1, .classes = BATCH, .rows_cap = UINT64_C(1) << 32};
    c.sum = new_sum(&c.layout);
    c.x = malloc(BATCH * block.width * sizeof *c.x);
    c.x32 = malloc(BATCH * block.width * sizeof *c.x32);
    c.before = malloc(BATCH * block.width * sizeof *c.before);
    assert_true(c.x != NULL && c.x32 != NULL && c.before != NULL);
    for (uint32_t r = 0; r < BATCH; r++) c.labels[r] = r;
    for (; done < records; done += BATCH) run_batch(&c, seed);
    assert_int_equal(sbl_sum_rows(c.sum), done);
    for (size_t r = 0; r < BATCH; r++) assert_int_equal(sbl_sum_counts(c.sum)[r], done / BATCH);
    free(c.before);
    free(c.x32);
    free(c.x);
    sbl_sum_free(c.sum);
    return done;
}

TEST(pairs_are_within_only_when_each_of_them_is)
{
    enum { PAIRS = 37 };
    int32_t q[2 * PAIRS] = {0};
    assert_true(sbl_pairs_within(q, PAIRS, 25));
    for (size_t i = 0; i < PAIRS; i++) {
        q[2 * i] = -3;
        q[2 * i + 1] = 4;
        assert_true(sbl_pairs_within(q, PAIRS, 25));
        assert_false(sbl_pairs_within(q, PAIRS, 24));
        assert_true(sbl_pairs_within(q, i, 24));
        q[2 * i] = q[2 * i + 1] = -(1 << 30);
        assert_false(sbl_pairs_within(q, PAIRS, SBL_BOUND2_MAX));
        q[2 * i] = 0;
        assert_true(sbl_pairs_within(q, PAIRS, SBL_BOUND2_MAX));
        assert_false(sbl_pairs_within(q, PAIRS, SBL_BOUND2_MAX - 1));
        q[2 * i + 1] = 0;
    }
}

TEST(norm_never_exceeds_the_bound_over_many_records)
{
    /* scale = R: no room for rounding, so that unit vectors themselves need the clip. */
    const sbl_block common[] = {
        {.width = 1, .bound2 = GRID_BOUND2, .scale = 0x1p28},
        {.width = 2, .bound2 = GRID_BOUND2, .scale = 0x1p28},
        {.width = 3, .bound2 = SBL_BOUND2_MAX, .scale = 0x1p30},
        {.width = 4, .group = 2, .bound2 = SBL_BOUND2_MAX - 1, .bound1 = 1 << 30, .scale = 0x1p30},
        {.width = 5, .bound2 = 1000003, .scale = 1000, .nonnegative = true},
        {.width = 6, .group = 3, .bound2 = GRID_BOUND2, .scale = 0x1p28, .nonnegative = true},
        {.width = 7, .bound2 = 7, .bound1 = 3, .scale = 2},
        {.width = 8, .bound2 = GRID_BOUND2, .bound1 = 1 << 29, .scale = 0x1p28},
        {.width = 1, .bound2 = 1, .scale = 1, .nonnegative = true},
        {.width = 9, .bound2 = GRID_BOUND2, .scale = 0x1p28},
        {.width = 12, .group = 2, .bound2 = GRID_BOUND2, .scale = 0x1p28},
        {.width = 2, .group = 2, .bound2 = SBL_BOUND2_MAX, .scale = 0x1p30},
    };
    const sbl_block wide[] = {
        {.width = 129, .bound2 = SBL_BOUND2_MAX, .scale = 0x1p30},
        {.width = 1000, .bound2 = GRID_BOUND2, .scale = 0x1p28},
        {.width = 10000, .group = 2, .bound2 = GRID_BOUND2, .scale = 0x1p28},
        {.width = 9000, .group = 3, .bound2 = GRID_BOUND2, .scale = 0x1p28},
        {.width = 10000, .group = 5000, .bound2 = GRID_BOUND2, .bound1 = 1 << 30, .scale = 0x1p28},
        {.width = 20000, .bound2 = GRID_BOUND2, .bound1 = 1 << 30, .scale = 0x1p28},
    };
    uint64_t seed = 9;
    size_t records = 0;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) records += run_campaign(wide[i], 1, &seed);
    const size_t each = RECORDS / (sizeof common / sizeof *common);
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        records += run_campaign(common[i], each, &seed);
    print_message("the bounds held for %zu records\n", records);
    assert_true(records >= RECORDS);
}
