/* Batch normalisation over rows with the ReLU behind it (Ioffe and Szegedy 2015).
 *
 *     m_j = mean of x_rj,  v_j = (biased) variance,  h_rj = (x_rj - m_j) / sqrt(v_j + 1e-5)
 *     y_rj = max(0, gamma_j h_rj + beta_j)
 * Columns are independent and each is added up in row order: results do not depend on threads. */
#ifndef SBL_NN_BATCH_NORM_H
#define SBL_NN_BATCH_NORM_H

#include <stddef.h>

#define SBL_BATCH_NORM_EPSILON 1e-5f

typedef struct sbl_batch_norm {
    size_t width;
    const float *gamma, *beta;              /* (width) */
    float *running_mean, *running_variance; /* (width) */
} sbl_batch_norm;

/* x (rows, width) becomes the normalised h; y (rows, width); inverse_deviation (width) is kept for
 * the way back; running = (1 - momentum) running + momentum (mean, unbiased variance). */
void sbl_batch_norm_forward(const sbl_batch_norm *norm, float *y, float *x,
                            float *inverse_deviation, size_t rows, float momentum);

/* dy (rows, width) becomes dx; y and h from forward; dgamma, dbeta (width) are set. */
void sbl_batch_norm_backward(const sbl_batch_norm *norm, float *dy, float *dgamma, float *dbeta,
                             const float *y, const float *h, const float *inverse_deviation,
                             size_t rows);

#endif
