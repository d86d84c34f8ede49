/* SPDX-License-Identifier: Apache-2.0 */
/* From real features to integers on the grid: q = rint(scale * x), held to [low, high].
 *
 * It is a total function of one number: NaN gives 0, infinities and values beyond the grid give its nearest
 * end. Every element takes the same path, so its integer depends neither on its place in a row nor on the
 * vector width that the compiler chose. */
#ifndef SBL_ACCUMULATE_QUANTISE_H
#define SBL_ACCUMULATE_QUANTISE_H

#include <stddef.h>
#include <stdint.h>

typedef struct sbl_grid {
    double scale;
    double low;  /* an integer: -largest, or 0 for a nonnegative block */
    double high; /* an integer: the largest coordinate, <= 2^30 */
} sbl_grid;

void sbl_quantise_f32(int32_t *restrict q, const float *restrict x, size_t count, sbl_grid grid);
void sbl_quantise_f64(int32_t *restrict q, const double *restrict x, size_t count, sbl_grid grid);

#endif
