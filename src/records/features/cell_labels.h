/* SPDX-License-Identifier: Apache-2.0 */
/* [3] Which cell of its class each image of a slice falls into (public/features/image_cells.h). Cell k of class c of K
 * cells is class c K + k of the sum. An image's cell depends on that image and its label alone. */
#ifndef SBL_FEATURES_CELL_LABELS_H
#define SBL_FEATURES_CELL_LABELS_H

#include "public/features/image_cells.h"
#include "public/rows/encoded_records.h"

/* One thread's workspace. Privacy: holds records; freed wiped. */
typedef struct sbl_cell_labels sbl_cell_labels;
sbl_status sbl_cell_labels_new(sbl_cell_labels **labels, const sbl_image_cells *cells, sbl_error *err);
void sbl_cell_labels_free(sbl_cell_labels *labels); /* NULL is fine */

/* (rows), until the next call. A label that is not a class counts as the first class, as in a sum. */
const uint32_t *sbl_cell_labels_find(sbl_cell_labels *labels, const sbl_records *records);
/* The points of these records in the space of the cells, (rows, P). */
const float *sbl_cell_labels_points(sbl_cell_labels *labels);

#endif
