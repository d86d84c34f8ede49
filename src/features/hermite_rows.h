/* Hermite functions of a number of some rows at a time, and the way back: for training. */
#ifndef SBL_FEATURES_HERMITE_ROWS_H
#define SBL_FEATURES_HERMITE_ROWS_H

#include "features/hermite.h"

#define SBL_HERMITE_ROWS 128 /* at most, at a time */

/* phi[c * stride + r] = phi_c of x[r], c = 0 .. order; in double, kept as floats. */
void sbl_hermite_rows(float *phi, size_t stride, const float *x, size_t count,
                      const sbl_hermite_function *function);
/* d_x[r] += sum_c d_phi_c d phi_c / d x; d_phi as phi. */
void sbl_hermite_rows_back(float *d_x, const float *x, const float *phi, const float *d_phi,
                           size_t stride, size_t count, const sbl_hermite_function *function);

#endif
