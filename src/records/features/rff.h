/* SPDX-License-Identifier: Apache-2.0 */
/* Random Fourier features (Rahimi and Recht 2007) of an encoded record: for frequencies w_1 .. w_F
 * the pairs (cos(w_f . x), sin(w_f . x)).
 *
 * The last frequencies see the numbers alone; the first `joint` ones also the one-hot codes, so
 * that the embedding knows how categories go together with each other and with the numbers.
 * Bound: each pair has norm 1, so the record has norm sqrt(F) exactly; divided by sqrt(F) its
 * products with other records estimate the kernel E[cos(w . (x - y))]. With w ~ N(0, I / s^2) that
 * is the Gaussian kernel of length scale s; with codes of deviation v it is multiplied by
 * exp(-v^2 times the number of differing codes); with several scales it is their mean.
 * Sensitivity of the sum, in units of sqrt(F): 2 under replace-one, 1 under add-remove. */
#ifndef SBL_FEATURES_RFF_H
#define SBL_FEATURES_RFF_H

#include <stddef.h>

#include "base/compute/fourier.h"
#include "public/features/rff_frequencies.h"
#include "records/features/feature.h"

/* Frequencies first .. first + count - 1; first is a multiple of SBL_FOURIER_PANEL, and so is count
 * unless the range ends at F. features[r * stride + 2 (f - first)] is the cosine, the sine follows.
 * stride >= 2 * count rounded up to whole panels, all of which may be written.
 * rows->entries: from sbl_onehot_entries (records/features/onehot.h).
 * A row's features depend on that row alone. */
void sbl_rff_tile(const sbl_rff *rff, float *features, size_t stride, const sbl_fourier_rows *rows,
                  size_t first, size_t count);

extern const sbl_feature sbl_feature_rff; /* made: sbl_rff */

#endif
