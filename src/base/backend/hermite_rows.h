/* SPDX-License-Identifier: Apache-2.0 */
/* Hermite functions of the numbers of a few rows, products of them, and the way back: what the loss of
 * hermite_loss.c is made of. Numbers lie by columns: R rows apart is the next one. */
#ifndef SBL_BACKEND_HERMITE_ROWS_H
#define SBL_BACKEND_HERMITE_ROWS_H

#include "base/backend/shapes.h"

/* phi[c * stride + r] = phi_c of x[r], c = 0 .. slot->width - 1, of at most SBL_HERMITE_ROWS rows; in double, kept as
 * floats. */
void sbl_hermite_rows_values(float *phi, size_t stride, const float *x, size_t count,
                             const sbl_hermite_slot *slot);
/* d_x[r] += sum_c d_phi_c d phi_c / d x; d_phi as phi. */
void sbl_hermite_rows_back(float *d_x, const float *x, const float *phi, const float *d_phi, size_t stride,
                           size_t count, const sbl_hermite_slot *slot);

/* One product on its way through the rows of a piece. */
typedef struct sbl_hermite_walk {
    const float *values[SBL_HERMITE_MOST_FACTORS]; /* from the piece's first row on */
    float *gradients[SBL_HERMITE_MOST_FACTORS];
    size_t widths[SBL_HERMITE_MOST_FACTORS];
    size_t depth, stride, count;
    float *means; /* (width of the product); on the way back, the factors of the gradient */
} sbl_hermite_walk;

/* means += sums over the rows. */
void sbl_hermite_walk_sums(const sbl_hermite_walk *walk);
/* The gradients += those of the products with the means. */
void sbl_hermite_walk_back(const sbl_hermite_walk *walk);
/* The sum over the rows of the squared lengths of the product's numbers. */
float sbl_hermite_walk_lengths(const sbl_hermite_walk *walk);
/* The gradients += those of -own / 2 times that sum. */
void sbl_hermite_walk_own(const sbl_hermite_walk *walk, float own);

#endif
