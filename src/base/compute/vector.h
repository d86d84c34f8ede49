/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of KERNEL_WIDTH floats and the one product that every kernel here is made of. For files
 * that are compiled once per instruction set: they define KERNEL_WIDTH, KERNEL_ROWS (rows of a
 * register tile, 4 or 8) and KERNEL_NAME. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compute/variants.h"

#define WIDTH KERNEL_WIDTH
#define PANEL SBL_FOURIER_PANEL
#define INLINE static inline __attribute__((always_inline))

typedef float vec __attribute__((vector_size(4 * WIDTH)));
typedef int32_t ivec __attribute__((vector_size(4 * WIDTH)));

INLINE vec load(const float *p)
{
    vec v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store(float *p, vec v) { memcpy(p, &v, sizeof v); }

/* EACH(M): M(row) for every row of a register tile. Named accumulators, not an array: compilers
 * keep these in registers. */
#if KERNEL_ROWS == 8
#define EACH(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7)
#else
#define EACH(M) M(0) M(1) M(2) M(3)
#endif

/* out[m][2 vectors] = sum_k a[m][k] b[k][...]: the one product everything here is made of.
 * a: KERNEL_ROWS rows a_row apart, elements a_step apart; b: rows b_row apart. */
#define PRODUCT(a, a_row, a_step, b, b_row, depth) \
    EACH(DECLARE)                                  \
    for (size_t k = 0; k < (depth); k++) {         \
        vec b0 = load((b) + k * (b_row));          \
        vec b1 = load((b) + k * (b_row) + WIDTH);  \
        const float *a_k = (a) + k * (a_step);     \
        size_t a_next = (a_row);                   \
        EACH(MULTIPLY)                             \
    }
#define DECLARE(m) vec t##m##0 = {0}, t##m##1 = {0};
#define MULTIPLY(m)                  \
    t##m##0 += a_k[(m)*a_next] * b0; \
    t##m##1 += a_k[(m)*a_next] * b1;
