/* SPDX-License-Identifier: Apache-2.0 */
/* The register tile of the exact products; see products.c, which packs and goes through the tiles.
 *
 * Doubles, half as many to a vector as floats. On AArch64 two registers make one vector here: its
 * four multipliers need that many sums under way. */
#include "base/compute/products.h"

#if defined(__aarch64__)
typedef double dvec __attribute__((vector_size(32)));
#else
typedef double dvec __attribute__((vector_size(4 * WIDTH)));
#endif
#define DOUBLES (sizeof(dvec) / sizeof(double))

#if KERNEL_WIDTH == 16
#define PRODUCT_ROWS 8
#define EACH_ROW(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7)
#else
#define PRODUCT_ROWS 4
#define EACH_ROW(M) M(0) M(1) M(2) M(3)
#endif

INLINE dvec load_doubles(const double *p)
{
    dvec v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* tile (PRODUCT_ROWS, 2 vectors) = sum_k a[k][m] b[k][...]; rows of a and b are 2 vectors apart. */
static __attribute__((noinline)) void products_tile(double *tile, const double *a, const double *b,
                                                    size_t depth)
{
#define DECLARE_SUM(m) dvec s##m##0 = {0}, s##m##1 = {0};
#define MULTIPLY_ADD(m)     \
    s##m##0 += a_k[m] * b0; \
    s##m##1 += a_k[m] * b1;
#define PUT_SUM(m)                                            \
    memcpy(tile + (m)*2 * DOUBLES, &s##m##0, sizeof s##m##0); \
    memcpy(tile + ((m)*2 + 1) * DOUBLES, &s##m##1, sizeof s##m##1);
    EACH_ROW(DECLARE_SUM)
    for (size_t k = 0; k < depth; k++) {
        const double *a_k = a + k * 2 * DOUBLES;
        const dvec b0 = load_doubles(b + k * 2 * DOUBLES);
        const dvec b1 = load_doubles(b + k * 2 * DOUBLES + DOUBLES);
        EACH_ROW(MULTIPLY_ADD)
    }
    EACH_ROW(PUT_SUM)
#undef DECLARE_SUM
#undef MULTIPLY_ADD
#undef PUT_SUM
}

/* One row into panels of 2 vectors, SBL_PRODUCT_ROWS rows each; to: its place in the first. */
static void products_put(double *to, const int32_t *q, size_t columns)
{
    size_t first = 0;
    for (; first + 2 * DOUBLES <= columns; first += 2 * DOUBLES)
        for (size_t i = 0; i < 2 * DOUBLES; i++) to[first * SBL_PRODUCT_ROWS + i] = (double)q[first + i];
    for (size_t i = 0; first + i < columns; i++) to[first * SBL_PRODUCT_ROWS + i] = (double)q[first + i];
}
