#include "compute/gemm.h"

#include <cblas.h>

void sbl_gemm(float *c, const float *a, const float *b, const sbl_gemm_shape *s, float beta)
{
    cblas_sgemm(CblasRowMajor, s->a_transposed ? CblasTrans : CblasNoTrans,
                s->b_transposed ? CblasTrans : CblasNoTrans, (blasint)s->m, (blasint)s->n,
                (blasint)s->k, 1.0f, a, (blasint)s->a_stride, b, (blasint)s->b_stride, beta, c,
                (blasint)s->c_stride);
}
