/* The register tile of the matrix product; see vector.h and gemm.c, which packs and shares out. */

/* c (KERNEL_ROWS, 2 WIDTH) = or += a b; a packed (depth, KERNEL_ROWS), b packed (depth, 2 WIDTH).
 */
static __attribute__((noinline)) void gemm_tile(float *c, size_t c_stride, const float *a,
                                                const float *b, size_t depth, bool add)
{
    PRODUCT(a, 1, KERNEL_ROWS, b, 2 * WIDTH, depth)
#define ADD(m)                         \
    t##m##0 += load(c + (m)*c_stride); \
    t##m##1 += load(c + (m)*c_stride + WIDTH);
#define FINISH(m)                     \
    store(c + (m)*c_stride, t##m##0); \
    store(c + (m)*c_stride + WIDTH, t##m##1);
    if (add) {
        EACH(ADD)
    }
    EACH(FINISH)
#undef ADD
#undef FINISH
}
