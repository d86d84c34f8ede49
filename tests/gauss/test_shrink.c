/* SPDX-License-Identifier: Apache-2.0 */
/* From a noisy symmetric matrix to a covariance: exact without noise, better than what came with
 * it, and always positive semidefinite. */
#include <math.h>
#include <string.h>

#include "after/gauss/gauss_moments.h"
#include "base/compute/lapack.h"
#include "base/random/model_rng.h"
#include "support/cmocka_all.h"
#include "support/near.h"

#define N 60

/* Three strong directions on a diagonal that varies. */
static void make_covariance(double *c, sbl_model_rng *rng)
{
    double strong[3][N];
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < N; i++) strong[k][i] = sbl_model_rng_normal(rng) / sqrt(N);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            c[i * N + j] = i == j ? 0.001 * (1 + (double)(i % 3)) : 0;
            for (size_t k = 0; k < 3; k++)
                c[i * N + j] += 0.1 / (double)(k + 1) * strong[k][i] * strong[k][j];
        }
}

static void add_noise(double *c, double off, sbl_model_rng *rng)
{
    for (size_t i = 0; i < N; i++)
        for (size_t j = i; j < N; j++) {
            const double noise = sbl_model_rng_normal(rng) * (i == j ? sqrt(2) * off : off);
            c[i * N + j] += noise;
            c[j * N + i] = c[i * N + j];
        }
}

static double distance(const double *a, const double *b)
{
    double total = 0;
    for (size_t i = 0; i < N * N; i++) total += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(total);
}

static void check_root(const double *covariance, const double *root)
{
    double trace = 0;
    for (size_t i = 0; i < N; i++) {
        trace += covariance[i * N + i];
        for (size_t j = 0; j < N; j++) {
            double product = 0;
            for (size_t k = 0; k < N; k++) product += root[i * N + k] * root[k * N + j];
            assert_near(product, covariance[i * N + j], 1e-9);
            assert_true(covariance[i * N + j] == covariance[j * N + i]);
        }
    }
    assert_true(trace > 0);
}

TEST(without_noise_nothing_changes)
{
    static double truth[N * N], c[N * N], root[N * N];
    sbl_model_rng rng;
    sbl_error err = {0};
    sbl_model_rng_init(&rng, 1, SBL_RNG_OTHER, 0);
    make_covariance(truth, &rng);
    memcpy(c, truth, sizeof c);
    const sbl_shrink_rule rule = {0, 0, 1};
    assert_ok(sbl_shrink_covariance(c, root, N, &rule, &err));
    for (size_t i = 0; i < N * N; i++) assert_near(c[i], truth[i], 2e-8);
    check_root(c, root);
}

TEST(noise_is_taken_down_at_every_level)
{
    for (int level = 0; level < 4; level++) {
        static double truth[N * N], noisy[N * N], c[N * N], root[N * N];
        const double off = 0.0003 * pow(4, level);
        sbl_model_rng rng;
        sbl_error err = {0};
        sbl_model_rng_init(&rng, 2, SBL_RNG_OTHER, (uint64_t)level);
        make_covariance(truth, &rng);
        memcpy(noisy, truth, sizeof noisy);
        add_noise(noisy, off, &rng);
        memcpy(c, noisy, sizeof c);
        const sbl_shrink_rule rule = {sqrt(2) * off, off, 1};
        assert_ok(sbl_shrink_covariance(c, root, N, &rule, &err));
        assert_true(distance(c, truth) < 0.5 * distance(noisy, truth));
        check_root(c, root);
    }
}

TEST(any_matrix_becomes_positive_semidefinite_with_a_bounded_trace)
{
    for (int kind = 0; kind < 4; kind++) {
        static double c[N * N], root[N * N], vectors[N * N];
        double values[N], trace = 0;
        sbl_model_rng rng;
        sbl_error err = {0};
        sbl_model_rng_init(&rng, 3, SBL_RNG_OTHER, (uint64_t)kind);
        memset(c, 0, sizeof c);
        if (kind > 0) add_noise(c, kind == 1 ? 1e-9 : kind == 2 ? 1 : 1e12, &rng);
        const sbl_shrink_rule rule = {kind == 2 ? 0 : 1, kind == 2 ? 0 : 0.7, 0.9};
        assert_ok(sbl_shrink_covariance(c, root, N, &rule, &err));
        memcpy(vectors, c, sizeof c);
        assert_ok(sbl_symmetric_eigen(vectors, values, N, &err));
        for (size_t i = 0; i < N; i++) trace += c[i * N + i];
        assert_true(values[0] >= -1e-12);
        assert_true(trace <= 0.9 * (1 + 1e-9));
        for (size_t i = 0; i < N * N; i++) assert_true(isfinite(root[i]));
    }
}

TEST(eigenvectors_and_values_belong_together)
{
    double a[9] = {2, 1, 0, 99, 2, 0, 99, 99, 5}, values[3];
    sbl_error err = {0};
    assert_ok(sbl_symmetric_eigen(a, values, 3, &err)); /* upper triangle only */
    assert_near(values[0], 1, 1e-12);
    assert_near(values[1], 3, 1e-12);
    assert_near(values[2], 5, 1e-12);
    assert_near(fabs(a[0]), sqrt(0.5), 1e-12); /* row 0: (1, -1, 0) */
    assert_near(a[0] + a[1], 0, 1e-12);
    assert_near(fabs(a[8]), 1, 1e-12);
    a[1] = NAN;
    assert_int_equal(sbl_symmetric_eigen(a, values, 3, &err), SBL_EARG);
    assert_int_equal(sbl_symmetric_eigen(a, values, 0, &err), SBL_EARG);
}
