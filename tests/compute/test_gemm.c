/* Matrix products against double loops. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compute/gemm.h"
#include "compute/threads.h"
#include "random/model_rng.h"

enum { M = 45, N = 70, K = 900 };

static float a[M * K], b[K * N], c[M * N], workspace[96 * 384];

static int fill_inputs(void **state)
{
    (void)state;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 1, SBL_RNG_OTHER, 1);
    sbl_model_rng_normals(&rng, a, M * K);
    sbl_model_rng_normals(&rng, b, K * N);
    return sbl_gemm_workspace(N) > 96 * 384;
}

/* c = or += the product of the first m rows, n columns and k terms, stored in one of four ways. */
static void multiply(int way, size_t m, size_t n, size_t k, bool add)
{
    static float at[K * M], bt[N * K];
    for (size_t i = 0; i < M; i++)
        for (size_t p = 0; p < K; p++) at[p * M + i] = a[i * K + p];
    for (size_t p = 0; p < K; p++)
        for (size_t j = 0; j < N; j++) bt[j * K + p] = b[p * N + j];
    sbl_gemm_shape shape = {.m = m,
                            .n = n,
                            .k = k,
                            .a_stride = way & 1 ? M : K,
                            .b_stride = way & 2 ? K : N,
                            .c_stride = N,
                            .add = add,
                            .a_transposed = way & 1,
                            .b_transposed = (way & 2) != 0};
    sbl_gemm(c, way & 1 ? at : a, way & 2 ? bt : b, &shape, workspace);
}

static void every_shape_and_transposition_gives_the_product(void **state)
{
    (void)state;
    static const size_t shapes[][3] = {{1, 1, 1},     {8, 32, 5},  {9, 33, 384}, {7, 31, 385},
                                       {45, 70, 900}, {16, 64, 1}, {3, 70, 2}};
    for (size_t i = 0; i < 8 * sizeof shapes / sizeof *shapes; i++) {
        const size_t *s = shapes[i / 8];
        bool add = i % 2;
        for (size_t j = 0; j < M * N; j++) c[j] = 1;
        multiply((int)(i / 2 % 4), s[0], s[1], s[2], add);
        for (size_t row = 0; row < M; row++)
            for (size_t column = 0; column < N; column++) {
                double sum = add;
                bool inside = row < s[0] && column < s[1];
                for (size_t p = 0; p < s[2]; p++)
                    sum += (double)a[row * K + p] * (double)b[p * N + column];
                /* nothing beyond the shape is touched */
                assert_true(fabs((double)c[row * N + column] - (inside ? sum : 1)) < 1e-4);
            }
    }
}

static void products_do_not_depend_on_threads(void **state)
{
    (void)state;
    static float one[M * N];
    int threads = sbl_thread_limit();
    sbl_thread_set(1);
    multiply(0, M, N, K, false);
    memcpy(one, c, sizeof c);
    sbl_thread_set(3);
    multiply(0, M, N, K, false);
    assert_memory_equal(one, c, sizeof c);
    sbl_thread_set(threads);
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
        cmocka_unit_test(every_shape_and_transposition_gives_the_product),
        cmocka_unit_test(products_do_not_depend_on_threads),
        cmocka_unit_test(exact_product_is_right_and_independent_of_the_split),
    };
    return cmocka_run_group_tests(tests, fill_inputs, NULL);
}
