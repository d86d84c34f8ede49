/* Dense single-precision products, row major, through CBLAS. */
#ifndef SBL_COMPUTE_GEMM_H
#define SBL_COMPUTE_GEMM_H

#include <stdbool.h>
#include <stddef.h>

/* C (m, n) = A (m, k) B (k, n) + beta C. A_transposed: A is stored (k, m); B_transposed: B is
 * stored (n, k). a_stride, b_stride, c_stride: elements between stored rows. */
typedef struct sbl_gemm_shape {
    size_t m, n, k;
    size_t a_stride, b_stride, c_stride;
    bool a_transposed, b_transposed;
} sbl_gemm_shape;

void sbl_gemm(float *c, const float *a, const float *b, const sbl_gemm_shape *shape, float beta);

/* The same by plain loops that add in one fixed order without fused operations: the same bits on
 * every platform, for any number of threads and for any split of the rows. B is stored (k, n). */
void sbl_gemm_exact(float *c, const float *a, const float *b, size_t m, size_t n, size_t k);

#endif
