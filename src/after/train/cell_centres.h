/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Directions and centres of cells (public/features/image_cells.h) from what a generator draws: post-processing of the
 * release that it was trained on. */
#ifndef SBL_TRAIN_CELL_CENTRES_H
#define SBL_TRAIN_CELL_CENTRES_H

#include "after/model/model.h"
#include "public/features/image_cells.h"

/* Draws `each` images of every class, all of the seed, and sets projection and centres: the main directions of what
 * differs within the classes, then k-means of each class by itself (Lloyd, from `number` of its images). Deterministic for
 * model and seed; the number of threads does not matter.
 * In:  each >= 1; with fewer images than cells some centres are the same, and those after the first stay empty
 * Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_cell_centres_find(sbl_image_cells *cells, sbl_model *model, size_t each, uint64_t seed,
                                 sbl_error *err);

#endif
