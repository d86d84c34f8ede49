/* SPDX-License-Identifier: Apache-2.0 */
/* The Frechet distance between two sets of feature vectors (image_encoder.h), each taken for a Gaussian (Dowson and Landau
 * 1982):
 *     d^2 = |m1 - m2|^2 + tr(S1 + S2 - 2 (S1 S2)^(1/2))
 * It means something within one feature space only: it is the FID where the features are those of
 * Inception (Heusel et al. 2017), and is named after its encoder everywhere else. Biased upwards
 * for few vectors, so compare numbers that come from equally many.
 *
 * NOT PRIVATE where images are real. */
#ifndef SBL_EVALUATE_IMAGE_FRECHET_H
#define SBL_EVALUATE_IMAGE_FRECHET_H

#include <stddef.h>

#include "base/error.h"

/* first (first_count, width) and second (second_count, width), at least 2 rows each.
 * Out:     distance  d^2 >= 0
 * Returns: SBL_OK; SBL_EARG for fewer rows or features that are not finite; SBL_EMEM */
sbl_status sbl_frechet_distance(double *distance, const float *first, size_t first_count, const float *second,
                                size_t second_count, size_t width, sbl_error *err);

#endif
