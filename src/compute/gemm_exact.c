/* Built without contraction or reassociation: see gemm.h. */
#include "compute/gemm.h"

#define STRIP 64 /* floats of a row of C kept in registers or L1 */

void sbl_gemm_exact(float *restrict c, const float *restrict a, const float *restrict b, size_t m,
                    size_t n, size_t k)
{
    for (size_t i = 0; i < m; i++) {
        for (size_t first = 0; first < n; first += STRIP) {
            float sum[STRIP] = {0};
            size_t width = n - first < STRIP ? n - first : STRIP;
            for (size_t p = 0; p < k; p++) {
                float factor = a[i * k + p];
                const float *row = b + p * n + first;
                for (size_t j = 0; j < width; j++) sum[j] += factor * row[j];
            }
            for (size_t j = 0; j < width; j++) c[i * n + first + j] = sum[j];
        }
    }
}
