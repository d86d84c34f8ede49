/* SPDX-License-Identifier: Apache-2.0 */
/* The rotation is orthonormal, reproducible and Haar distributed; the way the RON-Gauss paper draws
 * it is not, and the same statistics show it. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/compute/threads.h"
#include "base/random/model_rng.h"
#include "public/rows/projection.h"
#include "support/cmocka_all.h"

#define M 20
#define DRAWS 400

static void check_orthonormal(const double *q, size_t count, size_t m)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++) {
            double dot = 0;
            for (size_t k = 0; k < m; k++) dot += q[i * m + k] * q[j * m + k];
            assert_true(fabs(dot - (i == j)) < 1e-13);
        }
}

TEST(rows_are_orthonormal)
{
    static const size_t sizes[][2] = {{1, 1}, {1, 7}, {5, 9}, {64, 64}, {150, 301}};
    for (size_t s = 0; s < 5; s++) {
        double *q = malloc(sizes[s][0] * sizes[s][1] * sizeof *q);
        sbl_error err = {0};
        assert_ok(sbl_haar_rows(q, sizes[s][0], sizes[s][1], 3, &err));
        check_orthonormal(q, sizes[s][0], sizes[s][1]);
        free(q);
    }
}

/* p rows are the first p of all m; seeds differ; threads do not matter. */
TEST(rows_depend_on_the_seed_alone)
{
    enum { N = 160 };
    static double all[N * N], again[N * N], few[10 * N], other[N * N];
    sbl_error err = {0};
    assert_ok(sbl_haar_rows(all, N, N, 7, &err));
    assert_ok(sbl_haar_rows(few, 10, N, 7, &err));
    assert_memory_equal(all, few, sizeof few);
    assert_ok(sbl_haar_rows(other, N, N, 8, &err));
    assert_memory_not_equal(all, other, sizeof all);
    sbl_thread_set(1);
    assert_ok(sbl_haar_rows(again, N, N, 7, &err));
    assert_memory_equal(all, again, sizeof all);
}

TEST(dependent_rows_are_refused)
{
    double rows[6] = {1, 2, 3, 2, 4, 6};
    sbl_error err = {0};
    assert_int_equal(sbl_orthonormalise(rows, 2, 3, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "row 1"));
}

/* Mean over draws of: the first row's squared part along the all-ones direction times m (Haar: 1),
 * an entry (0), its square times m (1), its fourth power times m (m + 2) / 3 (1), an entry of the
 * diagonal (0: the signs are free). */
typedef struct statistics {
    double along_ones, entry, square, fourth, diagonal;
} statistics;

typedef void (*draw)(double *q, uint64_t seed);

static statistics measure(draw next)
{
    statistics s = {0};
    double q[M * M];
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        double ones = 0;
        next(q, seed);
        for (size_t i = 0; i < M; i++) ones += q[i] / sqrt(M);
        s.along_ones += ones * ones * M / DRAWS;
        for (size_t i = 0; i < M * M; i++) {
            const double square = q[i] * q[i];
            s.entry += q[i] / (M * M) / DRAWS;
            s.square += square / M / DRAWS;
            s.fourth += square * square * (M + 2) / 3 / M / DRAWS;
        }
        for (size_t i = 0; i < M; i++) s.diagonal += q[i * M + i] / M / DRAWS;
    }
    return s;
}

/* Each within five of its standard deviations, which Haar moments give. */
static bool looks_haar(statistics s)
{
    return fabs(s.along_ones - 1) < 5 * sqrt(2.0 / DRAWS) &&
           fabs(s.entry) < 5 / sqrt((double)M * DRAWS * M * M) * M && fabs(s.square - 1) < 1e-9 &&
           fabs(s.fourth - 1) < 0.02 && fabs(s.diagonal) < 5 / sqrt((double)M * M * DRAWS);
}

static void ours(double *q, uint64_t seed)
{
    sbl_error err = {0};
    assert_ok(sbl_haar_rows(q, M, M, seed, &err));
}

/* Uniform entries, as in the paper and its code. */
static void of_the_paper(double *q, uint64_t seed)
{
    sbl_error err = {0};
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, 0);
    for (size_t i = 0; i < M * M; i++) q[i] = sbl_model_rng_uniform(&rng);
    assert_ok(sbl_orthonormalise(q, M, M, &err));
}

/* Normal entries, but signs as a library's reflections may leave them. */
static void without_the_signs(double *q, uint64_t seed)
{
    ours(q, seed);
    /* The diagonal of Q then prefers one sign. */
    for (size_t k = 0; k < M; k++)
        if (q[k * M + k] > 0)
            for (size_t i = 0; i < M; i++) q[k * M + i] = -q[k * M + i];
}

TEST(rotation_is_haar_and_the_papers_is_not)
{
    assert_true(looks_haar(measure(ours)));
    assert_false(looks_haar(measure(of_the_paper)));
    assert_true(measure(of_the_paper).along_ones > 10); /* nearly the all-ones direction */
    assert_false(looks_haar(measure(without_the_signs)));
}
