/* SPDX-License-Identifier: Apache-2.0 */
/* The rates that rooflines are made of, measured in the same run as what they bound. */
#ifndef SBL_BENCH_ROOFLINE_H
#define SBL_BENCH_ROOFLINE_H

#include <stddef.h>
#include <time.h>

#include "base/alloc.h"
#include "base/compute/fourier.h"
#include "base/compute/gemm.h"
#include "base/compute/threads.h"
#include "base/compute/variants.h"
#include "base/random/model_rng.h"

#define ROUNDS 5

static inline double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of one thread its processor time, which others on the machine disturb less; of more the wall clock. */
static inline double bench_seconds(void)
{
    struct timespec t;
    if (sbl_thread_limit() > 1) return now();
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Floating-point operations per second of a square product, all threads. */
static inline double gemm_rate(void)
{
    enum { N = 1536 };
    float *a = sbl_alloc_array(3 * N * N, sizeof *a), *b = a + N * N, *c = b + N * N;
    sbl_gemm_shape shape = {.m = N, .n = N, .k = N, .a_stride = N, .b_stride = N, .c_stride = N};
    float *workspace = sbl_alloc_array(sbl_gemm_workspace(N), sizeof *workspace);
    sbl_model_rng rng;
    double best = 1e9;
    sbl_model_rng_init(&rng, 1, SBL_RNG_OTHER, 0);
    for (size_t i = 0; i < 2 * N * N; i++) a[i] = (float)sbl_model_rng_uniform(&rng);
    for (int round = 0; round < ROUNDS; round++) {
        double start = bench_seconds();
        sbl_gemm(c, a, b, &shape, workspace);
        double took = bench_seconds() - start;
        if (took < best) best = took;
    }
    sbl_free(a);
    sbl_free(workspace);
    return 2.0 * N * N * N / best;
}

/* (cos, sin) pairs per second, all threads: one column, everything in the first-level cache. */
static inline double sincos_rate(void)
{
    enum { ROWS = 64, REPEATS = 20000, TILE = ROWS * 2 * SBL_FOURIER_PANEL };
    size_t threads = (size_t)sbl_thread_limit();
    float *tiles = sbl_alloc_array(threads, TILE * sizeof *tiles), x[ROWS], w[SBL_FOURIER_PANEL];
    double best = 1e9;
    for (size_t i = 0; i < ROWS; i++) x[i] = (float)i / ROWS;
    for (size_t i = 0; i < SBL_FOURIER_PANEL; i++) w[i] = (float)i;
    sbl_fourier_rows rows = {.x = x, .x_stride = 1, .count = ROWS};
    sbl_fourier_panels panels = {.numbers = w, .columns = 1, .count = 1};
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        SBL_OMP(omp parallel for schedule(static))
        for (int repeat = 0; repeat < REPEATS; repeat++)
            sbl_fourier_features(tiles + (size_t)sbl_thread_index() * TILE, 2 * SBL_FOURIER_PANEL, &rows,
                                 &panels);
        double took = now() - start;
        if (took < best) best = took;
    }
    sbl_free(tiles);
    return (double)REPEATS * ROWS * SBL_FOURIER_PANEL / best;
}

#endif
