/* SPDX-License-Identifier: Apache-2.0 */
/* Values per second of sbl_sum_add_f32, enforcement in, on one core, against two loops over the
 * same floats in the same run: a plain float sum of the rows, and memcpy. Then the time of one
 * entry of sbl_sum_add_ones, against sbl_sum_add_f32 of the same records written out. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "records/accumulate/sum.h"

#define ROWS 256
#define CLASSES 10
#define ROUNDS 7

typedef struct bench {
    size_t width;
    size_t passes; /* over the ROWS rows in a timed round */
    float *features;
    float *copy;
    float *plain;
    uint32_t *labels;
    sbl_sum *sum;
} bench;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run_memcpy(bench *b)
{
    memcpy(b->copy, b->features, ROWS * b->width * sizeof(float));
    __asm__ volatile("" : : "r"(b->copy) : "memory");
}

static void run_plain(bench *b)
{
    for (size_t r = 0; r < ROWS; r++) {
        float *restrict into = b->plain + b->labels[r] * b->width;
        const float *restrict from = b->features + r * b->width;
        for (size_t j = 0; j < b->width; j++) into[j] += from[j];
    }
    __asm__ volatile("" : : "r"(b->plain) : "memory");
}

static void run_sum(bench *b)
{
    if (sbl_sum_begin_rows(b->sum, b->labels, ROWS, NULL) != SBL_OK ||
        sbl_sum_add_f32(b->sum, 0, 0, b->width, b->features, b->width, NULL) != SBL_OK ||
        sbl_sum_end_rows(b->sum, NULL) != SBL_OK)
        abort();
}

/* Best of ROUNDS rounds, in values per second. */
static double rate(void (*run)(bench *), bench *b)
{
    double best = 0;
    run(b);
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now();
        for (size_t p = 0; p < b->passes; p++) run(b);
        const double speed = (double)(b->passes * ROWS * b->width) / (now() - start);
        if (speed > best) best = speed;
    }
    return best;
}

/* Random Fourier features in size and sign: every record has norm 1, almost at the bound. */
static void fill(bench *b)
{
    uint64_t state = 1;
    for (size_t i = 0; i < ROWS * b->width; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double angle = (double)(state >> 32) * (2 * M_PI / 4294967296.0);
        const size_t pair = i % 2;
        b->features[i] = (float)((pair != 0 ? sin(angle) : cos(angle)) / sqrt((double)b->width));
    }
    for (size_t r = 0; r < ROWS; r++) b->labels[r] = (uint32_t)(r * 7 % CLASSES);
}

static void measure(size_t width)
{
    const uint64_t bound2 = UINT64_C(1) << (2 * SBL_GRID_BITS);
    sbl_block block = {.name = "rff",
                       .width = width,
                       .per_class = true,
                       .bound2 = bound2,
                       .scale = sbl_block_scale(width, bound2, 1)};
    const sbl_layout layout = {
        .blocks = &block, .block_count = 1, .classes = CLASSES, .rows_cap = SBL_ROWS_CAP_DEFAULT};
    bench b = {.width = width, .passes = 40000000 / (ROWS * width) + 1};
    b.features = malloc(ROWS * width * sizeof(float));
    b.copy = malloc(ROWS * width * sizeof(float));
    b.plain = calloc(CLASSES * width, sizeof(float));
    b.labels = malloc(ROWS * sizeof(uint32_t));
    if (b.features == NULL || b.copy == NULL || b.plain == NULL || b.labels == NULL ||
        sbl_sum_new(&b.sum, &layout, NULL) != SBL_OK)
        abort();
    fill(&b);
    const double copy = rate(run_memcpy, &b);
    const double plain = rate(run_plain, &b);
    const double sum = rate(run_sum, &b);
    printf(
        "sums D=%-6zu  sbl_sum_add_f32 %6.3f  float sum %6.3f  memcpy %6.3f  Gvalues/s   "
        "ratio to float sum %.3f, to memcpy %.3f\n",
        width, sum * 1e-9, plain * 1e-9, copy * 1e-9, sum / plain, sum / copy);
    sbl_sum_free(b.sum);
    free(b.labels);
    free(b.plain);
    free(b.copy);
    free(b.features);
}

/* Records with a 1 in one cell of each table. */
typedef struct ones_bench {
    size_t tables;
    size_t width;
    size_t rows;
    uint32_t *entries;
    float *dense;
    sbl_sum *sum;
} ones_bench;

static double seconds_of_batch(ones_bench *b, bool dense)
{
    const double start = now();
    if (sbl_sum_begin_rows(b->sum, NULL, b->rows, NULL) != SBL_OK ||
        (dense ? sbl_sum_add_f32(b->sum, 0, 0, b->width, b->dense, b->width, NULL)
               : sbl_sum_add_ones(b->sum, 0, b->entries, b->tables, NULL)) != SBL_OK ||
        sbl_sum_end_rows(b->sum, NULL) != SBL_OK)
        abort();
    return now() - start;
}

/* Best of ROUNDS rounds, in nanoseconds per 1 of a record. */
static double time_of_entry(ones_bench *b, bool dense)
{
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) best = fmin(best, seconds_of_batch(b, dense));
    return 1e9 * best / (double)(b->rows * b->tables);
}

static void measure_ones(size_t tables, size_t cells)
{
    ones_bench b = {.tables = tables, .width = tables * cells};
    sbl_block block = {.name = "ones", .width = b.width, .bound2 = tables, .bound1 = tables, .scale = 1};
    const sbl_layout layout = {
        .blocks = &block, .block_count = 1, .classes = 1, .rows_cap = SBL_ROWS_CAP_DEFAULT};
    uint64_t state = 1;
    b.rows = 20000000 / b.width < ROWS ? 20000000 / b.width : ROWS;
    b.entries = malloc(b.rows * tables * sizeof *b.entries);
    b.dense = calloc(b.rows * b.width, sizeof *b.dense);
    if (b.entries == NULL || b.dense == NULL || sbl_sum_new(&b.sum, &layout, NULL) != SBL_OK) abort();
    for (size_t i = 0; i < b.rows * tables; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        b.entries[i] = (uint32_t)(i % tables * cells + (state >> 33) % cells);
        b.dense[i / tables * b.width + b.entries[i]] = 1;
    }
    const double dense = time_of_entry(&b, true);
    const double ones = time_of_entry(&b, false);
    printf(
        "sums of ones: %zu tables of %zu cells  sbl_sum_add_ones %.2f  sbl_sum_add_f32 %.1f  "
        "ns/entry   ratio %.0f\n",
        tables, cells, ones, dense, dense / ones);
    sbl_sum_free(b.sum);
    free(b.dense);
    free(b.entries);
}

int main(void)
{
    measure(1000);
    measure(10000);
    measure_ones(20, 16);
    measure_ones(200, 100);
    measure_ones(20000, 250);
    return 0;
}
