/* Sums of products: exactly those of integer arithmetic, for every shape and instruction set. */
#include <stdlib.h>
#include <string.h>

#include "compute/products.h"
#include "compute/variants.h"
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
static void add_plainly(int64_t *products, int64_t *squares, const int32_t *q, size_t rows,
                        size_t columns)
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
    int32_t *q = malloc(rows * columns * sizeof *q);
    double *workspace = calloc(sbl_products_workspace(columns), sizeof *workspace);
    int64_t *found = calloc(guarded, sizeof *found);
    int64_t *expected = calloc(guarded, sizeof *expected);
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
    free(expected);
    free(found);
    free(workspace);
    free(q);
}

static void sums_are_those_of_integers_for_every_shape(void **state)
{
    (void)state;
    static const size_t depths[] = {1, 2, 3, 17, SBL_PRODUCT_ROWS};
    uint64_t seed = 5;
    for (size_t columns = 1; columns <= 70; columns++)
        for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
            check_shape(depths[i], columns, &seed);
    check_shape(100, 201, &seed);
}

static void every_product_at_its_largest_is_exact(void **state)
{
    (void)state;
    enum { COLUMNS = 33, WIDTH = COLUMNS * (COLUMNS - 1) / 2 };
    int32_t row[COLUMNS];
    int64_t found[WIDTH] = {0};
    double *workspace = calloc(sbl_products_workspace(COLUMNS), sizeof *workspace);
    assert_non_null(workspace);
    for (size_t j = 0; j < COLUMNS; j++) row[j] = j % 2 == 0 ? LIMIT : -LIMIT;
    for (size_t r = 0; r < SBL_PRODUCT_ROWS; r++) sbl_products_put(workspace, r, row, COLUMNS);
    sbl_products_add(found, NULL, workspace, SBL_PRODUCT_ROWS, COLUMNS);
    for (size_t i = 0, at = 0; i < COLUMNS; i++)
        for (size_t j = i + 1; j < COLUMNS; j++, at++)
            assert_true(found[at] == (INT64_C(1) << 38) * ((j - i) % 2 == 0 ? 1 : -1));
    free(workspace);
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

static void tiles_of_every_instruction_set_are_exact(void **state)
{
    (void)state;
    check_variant(&sbl_kernels_portable);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        check_variant(&sbl_kernels_avx2);
#endif
    check_variant(sbl_kernels_best());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_integers_for_every_shape),
        cmocka_unit_test(every_product_at_its_largest_is_exact),
        cmocka_unit_test(tiles_of_every_instruction_set_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
