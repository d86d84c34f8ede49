/* SPDX-License-Identifier: Apache-2.0 */
/* The register tile of the matrix product; see vector.h and gemm.c, which packs and shares out. */

#define ADD(m)                         \
    t##m##0 += load(c + (m)*c_stride); \
    t##m##1 += load(c + (m)*c_stride + WIDTH);
#define FINISH(m)                     \
    store(c + (m)*c_stride, t##m##0); \
    store(c + (m)*c_stride + WIDTH, t##m##1);

/* c (KERNEL_ROWS, 2 WIDTH) = or += a b; a packed (depth, KERNEL_ROWS), b packed (depth, 2 WIDTH).
 */
static __attribute__((noinline)) void gemm_tile(float *c, size_t c_stride, const float *a, const float *b,
                                                size_t depth, bool add)
{
    PRODUCT(a, 1, KERNEL_ROWS, b, 2 * WIDTH, depth)
    if (add) {
        EACH(ADD)
    }
    EACH(FINISH)
}

/* The same sums, with a's rows where they are: rows[m] (depth). */
static __attribute__((noinline)) void gemm_tile_rows(float *c, size_t c_stride, const float *const *rows,
                                                     const float *b, size_t depth, bool add)
{
#define POINT(m) const float *a##m = rows[m];
#define STEP(m)              \
    t##m##0 += a##m[k] * b0; \
    t##m##1 += a##m[k] * b1;
    EACH(POINT)
    EACH(DECLARE)
    for (size_t k = 0; k < depth; k++) {
        vec b0 = load(b), b1 = load(b + WIDTH);
        b += 2 * WIDTH;
        EACH(STEP)
    }
    if (add) {
        EACH(ADD)
    }
    EACH(FINISH)
#undef POINT
#undef STEP
}
#undef ADD
#undef FINISH
