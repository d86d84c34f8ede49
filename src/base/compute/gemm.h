/* SPDX-License-Identifier: Apache-2.0 */
/* Dense single-precision products, row major.
 *
 * We use our own kernels instead of a BLAS: results do not depend on the number of threads, nothing is
 * allocated, and there is no second thread pool. */
#ifndef SBL_COMPUTE_GEMM_H
#define SBL_COMPUTE_GEMM_H

#include <stdbool.h>
#include <stddef.h>

/* C (m, n) = A (m, k) B (k, n), or += when add; k >= 1. a_transposed: A is stored (k, m);
 * b_transposed: B is stored (n, k). a_stride, b_stride, c_stride: elements between stored rows. */
typedef struct sbl_gemm_shape {
    size_t m, n, k;
    size_t a_stride, b_stride, c_stride;
    bool a_transposed, b_transposed, add;
} sbl_gemm_shape;

/* workspace: sbl_gemm_workspace(n) floats. */
void sbl_gemm(float *c, const float *a, const float *b, const sbl_gemm_shape *shape, float *workspace);
size_t sbl_gemm_workspace(size_t n);

/* C (m, n) = A (m, k) B (k, n), all dense, by plain loops that add in one fixed order without fused
 * operations: the same bits on every platform and for any split of the rows. */
void sbl_gemm_exact(float *c, const float *a, const float *b, size_t m, size_t n, size_t k);

#endif
