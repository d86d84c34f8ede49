/* Matrix products against double loops. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compute/gemm.h"
#include "random/model_rng.h"

enum { M = 17, N = 70, K = 9 };

static float a[M * K], b[K * N], c[M * N];

static int fill_inputs(void **state)
{
    (void)state;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 1, SBL_RNG_OTHER, 1);
    sbl_model_rng_normals(&rng, a, M * K);
    sbl_model_rng_normals(&rng, b, K * N);
    return 0;
}

static double product(size_t i, size_t j)
{
    double sum = 0;
    for (size_t p = 0; p < K; p++) sum += (double)a[i * K + p] * (double)b[p * N + j];
    return sum;
}

static void every_transposition_gives_the_product(void **state)
{
    (void)state;
    static float at[K * M], bt[N * K];
    for (size_t i = 0; i < M; i++)
        for (size_t p = 0; p < K; p++) at[p * M + i] = a[i * K + p];
    for (size_t p = 0; p < K; p++)
        for (size_t j = 0; j < N; j++) bt[j * K + p] = b[p * N + j];
    for (int way = 0; way < 4; way++) {
        sbl_gemm_shape shape = {.m = M, .n = N, .k = K, .a_stride = way & 1 ? M : K,
                                .b_stride = way & 2 ? K : N, .c_stride = N,
                                .a_transposed = way & 1, .b_transposed = (way & 2) != 0};
        for (size_t i = 0; i < M * N; i++) c[i] = 1;
        sbl_gemm(c, way & 1 ? at : a, way & 2 ? bt : b, &shape, 2);
        for (size_t i = 0; i < M; i++)
            for (size_t j = 0; j < N; j++)
                assert_true(fabs((double)c[i * N + j] - 2 - product(i, j)) < 1e-5);
    }
}

static void exact_product_is_right_and_independent_of_the_split(void **state)
{
    (void)state;
    static float rows[M * N];
    sbl_gemm_exact(c, a, b, M, N, K);
    for (size_t i = 0; i < M; i++) sbl_gemm_exact(rows + i * N, a + i * K, b, 1, N, K);
    assert_memory_equal(c, rows, sizeof c);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++) {
            float sum = 0;
            for (size_t p = 0; p < K; p++) {
                volatile float term = a[i * K + p] * b[p * N + j]; /* no fused operation */
                sum += term;
            }
            assert_memory_equal(&sum, &c[i * N + j], sizeof sum);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_transposition_gives_the_product),
        cmocka_unit_test(exact_product_is_right_and_independent_of_the_split),
    };
    return cmocka_run_group_tests(tests, fill_inputs, NULL);
}
