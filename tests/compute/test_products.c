/* SPDX-License-Identifier: Apache-2.0 */
/* Products: exact sums of products of integers, and dense single-precision ones. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/compute/gemm.h"
#include "base/compute/products.h"
#include "base/compute/threads.h"
#include "base/compute/variants.h"
#include "base/random/model_rng.h"
#include "support/cmocka_all.h"

#define LIMIT (1 << 15) /* |q_i q_j| <= 2^30 */

static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Mostly anything, now and then the ends of the range. */
static int32_t random_entry(uint64_t *state)
{
    const uint64_t bits = random_bits(state);
    if (bits % 7 == 0) return bits & 8 ? LIMIT : -LIMIT;
    return (int32_t)(bits >> 20 & (2 * LIMIT - 1)) - LIMIT;
}

/* products and squares += those of the rows, term by term. */
static void add_plainly(int64_t *products, int64_t *squares, const int32_t *q, size_t rows, size_t columns)
{
    for (size_t r = 0; r < rows; r++) {
        const int32_t *row = q + r * columns;
        size_t at = 0;
        for (size_t i = 0; i < columns; i++) squares[i] += (int64_t)row[i] * row[i];
        for (size_t i = 0; i < columns; i++)
            for (size_t j = i + 1; j < columns; j++) products[at++] += (int64_t)row[i] * row[j];
    }
}

static void check_shape(size_t rows, size_t columns, uint64_t *state)
{
    const size_t width = columns * (columns - 1) / 2;
    const size_t guarded = width + 1 + columns + 1; /* products, squares, each with a guard */
    FREED(free) int32_t *q = malloc(rows * columns * sizeof *q);
    FREED(free) double *workspace = calloc(sbl_products_workspace(columns), sizeof *workspace);
    FREED(free) int64_t *found = calloc(guarded, sizeof *found);
    FREED(free) int64_t *expected = calloc(guarded, sizeof *expected);
    assert_true(q != NULL && workspace != NULL && found != NULL && expected != NULL);
    for (size_t i = 0; i < guarded; i++) /* large sums of earlier rows */
        found[i] = expected[i] = (int64_t)(random_bits(state) >> 2) - (INT64_C(1) << 61);
    /* Twice: what the first round left in the workspace must not be seen in the second. */
    for (size_t round = 0; round < 2; round++) {
        const size_t count = round == 0 ? rows : rows / 2 + 1;
        for (size_t i = 0; i < count * columns; i++) q[i] = random_entry(state);
        for (size_t r = 0; r < count; r++) sbl_products_put(workspace, r, q + r * columns, columns);
        sbl_products_add(found, found + width + 1, workspace, count, columns);
        add_plainly(expected, expected + width + 1, q, count, columns);
        assert_memory_equal(found, expected, guarded * sizeof *found);
    }
}

TEST(sums_are_those_of_integers_for_every_shape)
{
    static const size_t depths[] = {1, 2, 3, 17, SBL_PRODUCT_ROWS};
    uint64_t seed = 5;
    for (size_t columns = 1; columns <= 70; columns++)
        for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) check_shape(depths[i], columns, &seed);
    check_shape(100, 201, &seed);
}

TEST(every_product_at_its_largest_is_exact)
{
    enum { COLUMNS = 33, WIDTH = COLUMNS * (COLUMNS - 1) / 2 };
    int32_t row[COLUMNS];
    int64_t found[WIDTH] = {0};
    FREED(free) double *workspace = calloc(sbl_products_workspace(COLUMNS), sizeof *workspace);
    assert_non_null(workspace);
    for (size_t j = 0; j < COLUMNS; j++) row[j] = j % 2 == 0 ? LIMIT : -LIMIT;
    for (size_t r = 0; r < SBL_PRODUCT_ROWS; r++) sbl_products_put(workspace, r, row, COLUMNS);
    sbl_products_add(found, NULL, workspace, SBL_PRODUCT_ROWS, COLUMNS);
    for (size_t i = 0, at = 0; i < COLUMNS; i++)
        for (size_t j = i + 1; j < COLUMNS; j++, at++)
            assert_true(found[at] == (INT64_C(1) << 38) * ((j - i) % 2 == 0 ? 1 : -1));
}

static void check_variant(const sbl_kernels *kernels)
{
    const size_t width = kernels->product_columns;
    double a[SBL_PRODUCT_ROWS * 16];
    double b[SBL_PRODUCT_ROWS * 16];
    double tile[SBL_PRODUCT_TILE];
    uint64_t seed = 6;
    assert_true(width <= 16 && kernels->product_rows * width <= SBL_PRODUCT_TILE);
    assert_true(width % kernels->product_rows == 0);
    for (size_t i = 0; i < SBL_PRODUCT_ROWS * width; i++) {
        a[i] = random_entry(&seed);
        b[i] = random_entry(&seed);
    }
    for (size_t depth = 1; depth <= SBL_PRODUCT_ROWS; depth += 51) {
        kernels->products_tile(tile, a, b, depth);
        for (size_t m = 0; m < kernels->product_rows; m++)
            for (size_t j = 0; j < width; j++) {
                int64_t sum = 0;
                for (size_t k = 0; k < depth; k++)
                    sum += (int64_t)a[k * width + m] * (int64_t)b[k * width + j];
                assert_true(tile[m * width + j] == (double)sum);
            }
    }
    print_message("%s\n", kernels->name);
}

TEST(tiles_of_every_instruction_set_are_exact)
{
    check_variant(&sbl_kernels_portable);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) check_variant(&sbl_kernels_avx2);
#endif
    check_variant(sbl_kernels_best());
}

enum { M = 45, N = 70, K = 900 };

enum { ROOM = 3 * 96 * 384 };

static float a[M * K], b[K * N], c[M * N], workspace[ROOM];

static int fill_inputs(void **state)
{
    (void)state;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 1, SBL_RNG_OTHER, 1);
    sbl_model_rng_normals(&rng, a, M * K);
    sbl_model_rng_normals(&rng, b, K * N);
    return sbl_gemm_workspace(N) > ROOM;
}

/* c = or += the product of the first m rows, n columns and k terms, stored in one of four ways. */
static void multiply(int way, size_t m, size_t n, size_t k, bool add)
{
    static float at[K * M], bt[N * K];
    for (size_t i = 0; i < M; i++)
        for (size_t p = 0; p < K; p++) at[p * M + i] = a[i * K + p];
    for (size_t p = 0; p < K; p++)
        for (size_t j = 0; j < N; j++) bt[j * K + p] = b[p * N + j];
    sbl_gemm_shape shape = {m,
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

TEST(every_shape_and_transposition_gives_the_product)
{
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
                for (size_t p = 0; p < s[2]; p++) sum += (double)a[row * K + p] * (double)b[p * N + column];
                /* nothing beyond the shape is touched */
                assert_true(fabs((double)c[row * N + column] - (inside ? sum : 1)) < 1e-4);
            }
    }
}

TEST(products_do_not_depend_on_threads)
{
    static const size_t shapes[][3] = {{M, N, K}, {M, 2, K}, {1, N, K}, {9, 33, 390}, {M, N, 3}};
    static const int teams[] = {2, 3, 7, 16};
    static float one[M * N];
    int threads = sbl_thread_limit();
    for (size_t i = 0; i < 4 * sizeof shapes / sizeof *shapes; i++) {
        const size_t *s = shapes[i / 4];
        memset(c, 0, sizeof c);
        sbl_thread_set(1);
        multiply((int)(i % 4), s[0], s[1], s[2], false);
        memcpy(one, c, sizeof c);
        for (size_t t = 0; t < sizeof teams / sizeof *teams; t++) {
            memset(c, 0, sizeof c);
            sbl_thread_set(teams[t]);
            multiply((int)(i % 4), s[0], s[1], s[2], false);
            assert_memory_equal(one, c, sizeof c);
        }
    }
    sbl_thread_set(threads);
}

/* More columns than several slabs are packed of at once, and more slabs than that of few. */
TEST(large_products_do_not_depend_on_threads)
{
    enum { ROWS = 20, WIDE = 600, DEEP = 1300 };
    float *left = malloc(ROWS * DEEP * sizeof *left), *right = malloc(WIDE * DEEP * sizeof *right);
    float *made = malloc(ROWS * WIDE * sizeof *made), *one = malloc(ROWS * WIDE * sizeof *one);
    static const size_t columns[] = {WIDE, 40};
    int threads = sbl_thread_limit();
    for (size_t i = 0; i < ROWS * DEEP; i++) left[i] = a[i % (M * K)];
    for (size_t i = 0; i < WIDE * DEEP; i++) right[i] = b[i % (K * N)];
    for (size_t i = 0; i < 2; i++) {
        const sbl_gemm_shape shape = {ROWS,
                                      .n = columns[i],
                                      .k = DEEP,
                                      .a_stride = DEEP,
                                      .b_stride = columns[i],
                                      .c_stride = columns[i]};
        const size_t size = ROWS * columns[i] * sizeof *made;
        FREED(free) float *room = malloc(sbl_gemm_workspace(columns[i]) * sizeof *room);
        sbl_thread_set(1);
        sbl_gemm(one, left, right, &shape, room);
        for (size_t row = 0; row < ROWS; row++) {
            double sum = 0;
            for (size_t k = 0; k < DEEP; k++)
                sum += (double)left[row * DEEP + k] * (double)right[k * columns[i] + row];
            assert_true(fabs((double)one[row * columns[i] + row] - sum) < 1e-3);
        }
        for (int team = 3; team <= 16; team += 13) {
            sbl_thread_set(team);
            sbl_gemm(made, left, right, &shape, room);
            assert_memory_equal(made, one, size);
        }
    }
    sbl_thread_set(threads);
    free(one);
    free(made);
    free(right);
    free(left);
}

TEST(exact_product_is_right_and_independent_of_the_split)
{
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

ALL_TESTS(fill_inputs, NULL)
