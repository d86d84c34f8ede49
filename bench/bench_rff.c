/* SPDX-License-Identifier: Apache-2.0 */
/* Random Fourier sums with quantising and enforcement in, against the roofline of this machine:
 * the time of the same products at the measured rate of sgemm plus the time of the same sines and
 * cosines at the measured rate of our sincos, in the same run.
 *
 *   bench_rff [rows] [columns] [features]      prints JSON; bench/compare_rff.py adds numpy */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random/model_rng.h"
#include "records/accumulate/sum.h"
#include "records/features/rff.h"
#include "roofline.h"

#define ROW_TILE 128
#define FREQUENCY_TILE 256

typedef struct job {
    size_t rows, columns, frequencies;
    float *x;
    sbl_rff rff;
    sbl_layout layout;
    sbl_sum **sums; /* one per thread */
    float *tiles;   /* one per thread */
} job;

static void fail(const char *what)
{
    fprintf(stderr, "bench_rff: %s\n", what);
    exit(1);
}

/* Features only: what the kernel costs without the sums. */
static double features_only(job *j)
{
    double start = now();
    SBL_OMP(omp parallel for schedule(dynamic))
    for (size_t first = 0; first < j->rows; first += ROW_TILE) {
        size_t rows = j->rows - first < ROW_TILE ? j->rows - first : ROW_TILE;
        float *tile = j->tiles + (size_t)sbl_thread_index() * ROW_TILE * 2 * FREQUENCY_TILE;
        sbl_fourier_rows records = {.x = j->x + first * j->columns, .x_stride = j->columns, .count = rows};
        for (size_t f = 0; f < j->frequencies; f += FREQUENCY_TILE) {
            size_t count = j->frequencies - f < FREQUENCY_TILE ? j->frequencies - f : FREQUENCY_TILE;
            sbl_rff_tile(&j->rff, tile, 2 * FREQUENCY_TILE, &records, f, count);
        }
    }
    return now() - start;
}

static void sum_block(job *j, size_t first, size_t rows)
{
    size_t thread = (size_t)sbl_thread_index();
    float *tile = j->tiles + thread * ROW_TILE * 2 * FREQUENCY_TILE;
    sbl_fourier_rows records = {.x = j->x + first * j->columns, .x_stride = j->columns, .count = rows};
    sbl_error err;
    if (sbl_sum_begin_rows(j->sums[thread], NULL, rows, &err) != SBL_OK) fail(err.message);
    for (size_t f = 0; f < j->frequencies; f += FREQUENCY_TILE) {
        size_t count = j->frequencies - f < FREQUENCY_TILE ? j->frequencies - f : FREQUENCY_TILE;
        sbl_rff_tile(&j->rff, tile, 2 * FREQUENCY_TILE, &records, f, count);
        if (sbl_sum_add_f32(j->sums[thread], 0, 2 * f, 2 * count, tile, 2 * FREQUENCY_TILE, &err) != SBL_OK)
            fail(err.message);
    }
    if (sbl_sum_end_rows(j->sums[thread], &err) != SBL_OK) fail(err.message);
}

/* The whole chain: features, grid, enforcement, exact sums. */
static double whole_chain(job *j)
{
    double start = now();
    SBL_OMP(omp parallel for schedule(dynamic))
    for (size_t first = 0; first < j->rows; first += ROW_TILE)
        sum_block(j, first, j->rows - first < ROW_TILE ? j->rows - first : ROW_TILE);
    return now() - start;
}

static void prepare(job *j)
{
    static sbl_block block = {.name = "rff", .group = 2, .per_class = true, .bound2 = UINT64_C(1) << 56};
    const double scale = 0.5;
    size_t threads = (size_t)sbl_thread_limit();
    sbl_model_rng rng;
    sbl_error err;
    sbl_model_rng_init(&rng, 2, SBL_RNG_OTHER, 0);
    j->x = sbl_alloc_array(j->rows * j->columns, sizeof *j->x);
    j->tiles = sbl_alloc_array(threads * ROW_TILE * 2 * FREQUENCY_TILE, sizeof *j->tiles);
    j->sums = sbl_alloc_array(threads, sizeof *j->sums);
    for (size_t i = 0; i < j->rows * j->columns; i++) j->x[i] = (float)sbl_model_rng_uniform(&rng);
    sbl_record_shape shape;
    sbl_rff_rule rule = {.frequencies = j->frequencies,
                         .scales = &scale,
                         .scale_count = 1,
                         .code_deviations = &scale,
                         .code_deviation_count = 1};
    if (sbl_record_shape_init(&shape, j->columns, NULL, 0, 1, &err) != SBL_OK ||
        sbl_rff_init(&j->rff, &shape, &rule, &err) != SBL_OK)
        fail(err.message);
    sbl_record_shape_clear(&shape);
    block.width = 2 * j->frequencies;
    block.scale = sbl_block_scale(block.width, block.bound2, __builtin_sqrt((double)j->frequencies));
    j->layout =
        (sbl_layout){.blocks = &block, .block_count = 1, .classes = 1, .rows_cap = SBL_ROWS_CAP_DEFAULT};
    for (size_t i = 0; i < threads; i++)
        if (sbl_sum_new(&j->sums[i], &j->layout, &err) != SBL_OK) fail(err.message);
}

int main(int argc, char **argv)
{
    job j = {.rows = 50000, .columns = 50, .frequencies = 5000};
    if (argc > 1) j.rows = strtoul(argv[1], NULL, 10);
    if (argc > 2) j.columns = strtoul(argv[2], NULL, 10);
    if (argc > 3) j.frequencies = strtoul(argv[3], NULL, 10) / 2;
    prepare(&j);
    double whole = 1e9, features = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double took = whole_chain(&j);
        if (took < whole) whole = took;
        took = features_only(&j);
        if (took < features) features = took;
    }
    double gemm = gemm_rate(), sincos = sincos_rate();
    double pairs = (double)j.rows * (double)j.frequencies;
    double roofline = 2 * pairs * (double)j.columns / gemm + pairs / sincos;
    printf(
        "{\"rows\":%zu,\"columns\":%zu,\"features\":%zu,\"threads\":%d,\"variant\":\"%s\","
        "\"seconds\":%.4f,\"features_only_seconds\":%.4f,\"gemm_gflops\":%.1f,"
        "\"sincos_ns_per_pair\":%.3f,\"roofline_seconds\":%.4f,\"of_roofline\":%.3f}\n",
        j.rows, j.columns, 2 * j.frequencies, sbl_thread_limit(), sbl_kernels_best()->name, whole, features,
        gemm * 1e-9, 1e9 / sincos, roofline, roofline / whole);
    for (int i = 0; i < sbl_thread_limit(); i++) sbl_sum_free(j.sums[i]);
    sbl_free(j.sums);
    sbl_free(j.tiles);
    sbl_free(j.x);
    sbl_rff_clear(&j.rff);
    return 0;
}
