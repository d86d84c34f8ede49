/* SPDX-License-Identifier: Apache-2.0 */
/* Random Fourier features with structured orthogonal frequencies (Yu, Suresh, Choromanski,
 * Holtmann-Rice and Kumar 2016), for records of hundreds of numbers and more: images.
 * The frequencies are made by public/features/orthogonal_frequencies.h.
 *
 * Bound: as for records/features/rff.h. Each pair (cos, sin) has norm 1, the record sqrt(F).
 * Sensitivity of the sum, in units of sqrt(F): 2 under replace-one, 1 under add-remove.
 * Cost: 3 n log2 n additions for n frequencies instead of 2 d n operations; at d = 784 that is 51
 * times less. */
#ifndef SBL_FEATURES_ORTHOGONAL_H
#define SBL_FEATURES_ORTHOGONAL_H

#include <stddef.h>

#include "public/features/orthogonal_frequencies.h"
#include "records/features/feature.h"

/* Features of block b: features[r * stride + 2 (f - b n)] is the cosine, the sine follows; all 2 n
 * are written. x: rows x_stride apart. scratch (n). A row's features depend on that row alone. */
void sbl_orthogonal_rows(const sbl_orthogonal *frequencies, float *features, size_t stride, const float *x,
                         size_t x_stride, size_t rows, size_t b, float *scratch);

/* Of all blocks, into a sum. x (rows, columns); features: a workspace of rows x 2 n numbers and n more. */
sbl_status sbl_orthogonal_add(sbl_sum *sum, size_t block, const sbl_orthogonal *frequencies, float *features,
                              const float *x, size_t rows, sbl_error *err);

extern const sbl_feature sbl_feature_orthogonal; /* made: sbl_orthogonal */

#endif
