/* SPDX-License-Identifier: Apache-2.0 */
#include "accumulate/sum_fixture.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"

FREES(sbl_sum_free);

uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double random_unit(uint64_t *state) { return (double)(random_bits(state) >> 11) * 0x1p-53; }

double random_signed(uint64_t *state) { return 2 * random_unit(state) - 1; }

static void scale_to_norm(double *x, size_t width, double norm)
{
    double squares = 0;
    for (size_t i = 0; i < width; i++) squares += x[i] * x[i];
    const double factor = squares > 0 ? norm / sqrt(squares) : 0;
    for (size_t i = 0; i < width; i++) x[i] *= factor;
}

static double random_double(uint64_t *state)
{
    double value;
    const uint64_t bits = random_bits(state);
    memcpy(&value, &bits, sizeof value);
    return value;
}

void make_record(double *x, size_t width, size_t kind, uint64_t *state)
{
    static const double bad[] = {NAN, -NAN, INFINITY, -INFINITY, 1e308, -1e308, 5e-324, 0.1};
    const double equal = 1 / sqrt((double)width);
    for (size_t i = 0; i < width; i++) {
        const double u = random_signed(state);
        switch (kind) {
        case 3:
            x[i] = NAN;
            break;
        case 4:
            x[i] = i % 2 != 0 ? INFINITY : -INFINITY;
            break;
        case 5:
            x[i] = u < 0 ? -1e308 : 1e308;
            break;
        case 6:
            x[i] = u < 0 ? -DBL_TRUE_MIN : DBL_MIN / 2;
            break;
        case 7:
            x[i] = equal;
            break;
        case 8:
            x[i] = i % 2 != 0 ? 1 : -1;
            break;
        case 9:
            x[i] = i == 0 ? 1 : u * 1e-9;
            break;
        case 10:
            x[i] = random_double(state);
            break;
        case 11:
            x[i] = bad[random_bits(state) % (sizeof bad / sizeof *bad)];
            break;
        case 12:
            x[i] = i == width / 2 ? -DBL_MAX : DBL_MAX;
            break;
        case 13:
            x[i] = -equal * (1 + 1e-9);
            break;
        default:
            x[i] = u;
        }
    }
    if (kind == 0) scale_to_norm(x, width, 1);
    if (kind == 1) scale_to_norm(x, width, 10);
    if (kind == 2) scale_to_norm(x, width, 1 + 1e-8);
}

void mixed_layout_init(mixed_layout *mixed)
{
    *mixed = (mixed_layout){
        {{.name = "signed",
          .width = 13,
          .per_class = true,
          .bound2 = GRID_BOUND2,
          .scale = sbl_block_scale(13, GRID_BOUND2, 1)},
         {"positive", .width = 6, .nonnegative = true, .bound2 = 1000003, .bound1 = 1500, .scale = 1000},
         {"grouped", .width = 12, .group = 4, .per_class = true, .bound2 = UINT64_C(1) << 40,
          .bound1 = UINT64_C(1) << 21, .scale = 0x1p20}},
        .layout = {.block_count = MIXED_BLOCKS,
                   .classes = MIXED_CLASSES,
                   .counts = true,
                   .rows_cap = SBL_ROWS_CAP_DEFAULT,
                   .plan_hash = {1, 2, 3}}};
    mixed->layout.blocks = mixed->blocks;
}

void record_set_init(record_set *set, size_t rows, uint64_t seed)
{
    set->rows = rows;
    set->features = calloc(rows * MIXED_COLUMNS, sizeof *set->features);
    set->labels = calloc(rows, sizeof *set->labels);
    assert_non_null(set->features);
    assert_non_null(set->labels);
    for (size_t r = 0; r < rows; r++) {
        double *x = set->features + r * MIXED_COLUMNS;
        make_record(x, 13, random_bits(&seed) % RECORD_KINDS, &seed);
        make_record(x + 13, 6, random_bits(&seed) % RECORD_KINDS, &seed);
        make_record(x + 19, 12, random_bits(&seed) % RECORD_KINDS, &seed);
        set->labels[r] = (uint32_t)(random_bits(&seed) % (MIXED_CLASSES + 1)); /* one too many */
    }
}

void record_set_clear(record_set *set)
{
    free(set->features);
    free(set->labels);
}

static void add_blocks(sbl_sum *sum, const double *x, const float *signed_x, bool pieces)
{
    /* Not in order, in both precisions. */
    if (pieces) {
        for (size_t g = 0; g < 12; g += 4)
            assert_int_equal(sbl_sum_add_f64(sum, 2, g, 4, x + 19 + g, MIXED_COLUMNS, NULL), 0);
    } else {
        assert_int_equal(sbl_sum_add_f64(sum, 2, 0, 12, x + 19, MIXED_COLUMNS, NULL), 0);
    }
    assert_int_equal(sbl_sum_add_f32(sum, 0, 0, 13, signed_x, 17, NULL), 0);
    assert_int_equal(sbl_sum_add_f64(sum, 1, 0, 6, x + 13, MIXED_COLUMNS, NULL), 0);
}

void feed(sbl_sum *sum, const record_set *set, const size_t *order, size_t from, size_t to, size_t batch,
          bool pieces)
{
    FREED(free) double *x = calloc(batch * MIXED_COLUMNS, sizeof *x);
    FREED(free) float *signed_x = calloc(batch * 17, sizeof *signed_x);
    FREED(free) uint32_t *labels = calloc(batch, sizeof *labels);
    assert_true(x != NULL && signed_x != NULL && labels != NULL);
    for (size_t start = from; start < to; start += batch) {
        const size_t rows = to - start < batch ? to - start : batch;
        for (size_t r = 0; r < rows; r++) {
            const size_t record = order != NULL ? order[start + r] : start + r;
            memcpy(x + r * MIXED_COLUMNS, set->features + record * MIXED_COLUMNS, MIXED_COLUMNS * sizeof *x);
            for (size_t j = 0; j < 13; j++) signed_x[r * 17 + j] = (float)x[r * MIXED_COLUMNS + j];
            labels[r] = set->labels[record];
        }
        assert_ok(sbl_sum_begin_rows(sum, labels, rows, NULL));
        add_blocks(sum, x, signed_x, pieces);
        assert_ok(sbl_sum_end_rows(sum, NULL));
    }
}

sbl_sum *new_sum(const sbl_layout *layout)
{
    sbl_sum *sum = NULL;
    sbl_error err = {0};
    assert_ok_or_say(sbl_sum_new(&sum, layout, &err));
    return sum;
}

sbl_sum *sum_of_all(const record_set *set, const sbl_layout *layout)
{
    sbl_sum *sum = new_sum(layout);
    feed(sum, set, NULL, 0, set->rows, set->rows, false);
    return sum;
}

bool same_sums(const sbl_sum *a, const sbl_sum *b)
{
    const sbl_layout *layout = sbl_sum_layout(a);
    if (sbl_sum_rows(a) != sbl_sum_rows(b)) return false;
    if (!sbl_sum_is_whole(a) || !sbl_sum_is_whole(b)) return false;
    for (size_t i = 0; i < layout->block_count; i++)
        if (memcmp(sbl_sum_values(a, i), sbl_sum_values(b, i),
                   sbl_block_values(layout, i) * sizeof(int64_t)) != 0)
            return false;
    return memcmp(sbl_sum_counts(a), sbl_sum_counts(b), layout->classes * sizeof(int64_t)) == 0;
}

sbl_u128 squares_of(const int64_t *v, size_t count)
{
    sbl_u128 sum = 0;
    for (size_t i = 0; i < count; i++) sum += (sbl_u128)((sbl_i128)v[i] * v[i]);
    return sum;
}

sbl_u128 magnitudes_of(const int64_t *v, size_t count)
{
    sbl_u128 sum = 0;
    for (size_t i = 0; i < count; i++) sum += (uint64_t)llabs(v[i]);
    return sum;
}

sbl_sum *fed_in_batches(const feeding *fed, size_t batch)
{
    sbl_sum *sum = new_sum(fed->layout);
    fed->feed(sum, fed->set, 0, fed->rows, batch);
    return sum;
}

void expect_same_shards(const feeding *fed, size_t most, size_t batch)
{
    FREED(sbl_sum_free) sbl_sum *expected = fed_in_batches(fed, fed->rows);
    for (size_t shards = 1; shards <= most; shards++) {
        FREED(sbl_sum_free) sbl_sum *total = new_sum(fed->layout);
        for (size_t s = shards; s-- > 0;) {
            FREED(sbl_sum_free) sbl_sum *shard = new_sum(fed->layout);
            fed->feed(shard, fed->set, fed->rows * s / shards, fed->rows * (s + 1) / shards, batch);
            assert_ok(sbl_sum_merge(total, shard, NULL));
        }
        assert_true(same_sums(total, expected));
    }
}

typedef struct worker {
    pthread_t thread;
    sbl_sum *sum;
    const feeding *fed;
    size_t from, to, batch;
} worker;

static void *work(void *argument)
{
    const worker *w = argument;
    w->fed->feed(w->sum, w->fed->set, w->from, w->to, w->batch);
    return NULL;
}

void expect_same_threads(const feeding *fed, size_t batch)
{
    FREED(sbl_sum_free) sbl_sum *expected = fed_in_batches(fed, fed->rows);
    for (size_t threads = 1; threads <= 4; threads *= 2) {
        worker workers[4];
        FREED(sbl_sum_free) sbl_sum *total = new_sum(fed->layout);
        for (size_t t = 0; t < threads; t++) {
            workers[t] = (worker){.sum = new_sum(fed->layout), .fed = fed, .batch = batch};
            workers[t].from = fed->rows * t / threads;
            workers[t].to = fed->rows * (t + 1) / threads;
            assert_int_equal(pthread_create(&workers[t].thread, NULL, work, &workers[t]), 0);
        }
        for (size_t t = 0; t < threads; t++) {
            assert_int_equal(pthread_join(workers[t].thread, NULL), 0);
            assert_ok(sbl_sum_merge(total, workers[t].sum, NULL));
            sbl_sum_free(workers[t].sum);
        }
        assert_true(same_sums(total, expected));
    }
}
