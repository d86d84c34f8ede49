/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the reference backend share: its memory, and the operations that each of them puts into
 * the table. */
#ifndef SBL_TESTS_REFERENCE_PARTS_H
#define SBL_TESTS_REFERENCE_PARTS_H

#include "base/backend/backend.h"

/* An operation follows tensors between these two alone. */
void reference_unlock(void);
void reference_lock(void);
/* For collect(). */
void reference_keep_loss(double loss);

void reference_products(sbl_backend *table);   /* matrices, convolutions */
void reference_layers(sbl_backend *table);     /* sums, activations, norms */
void reference_resampling(sbl_backend *table); /* up-sampling, maxima of windows */
void reference_images(sbl_backend *table);     /* pixels of outputs, inputs of encoders */
void reference_points(sbl_backend *table);     /* of a frozen network's activations */
void reference_losses(sbl_backend *table);     /* Fourier features, moments of activations */
void reference_hermite(sbl_backend *table);    /* Hermite functions and their products */
void reference_adam(sbl_backend *table);       /* the optimiser */

#endif
