/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums of products of integers, at the speed of floating point.
 *
 * Rows of small integers are kept as doubles; sums of products of at most SBL_PRODUCT_ROWS of them
 * stay below 2^53, where doubles are exact and fused or not, in any order, give the same bits;
 * then they are added to int64 sums. Only products i < j are kept: half the work of a full matrix
 * product. */
#ifndef SBL_COMPUTE_PRODUCTS_H
#define SBL_COMPUTE_PRODUCTS_H

#include <stddef.h>
#include <stdint.h>

#define SBL_PRODUCT_ROWS 256

/* The number of doubles that sbl_products_put needs for rows of `columns` columns. They must be zero before
 * the first row is put; columns beyond the last stay zero. */
size_t sbl_products_workspace(size_t columns);

/* Puts q, |q_i q_j| <= 2^30, in place as row number `row` < SBL_PRODUCT_ROWS. */
void sbl_products_put(double *workspace, size_t row, const int32_t *q, size_t columns);

/* products[...] += sum over rows 0 .. rows - 1 of q_i q_j, for i < j < columns, row by row: (0, 1),
 * (0, 2), ..., (0, columns - 1), (1, 2), ..., and squares[i] += that of q_i^2 unless squares is
 * NULL. No sum may leave 63 bits. */
void sbl_products_add(int64_t *products, int64_t *squares, const double *workspace, size_t rows,
                      size_t columns);

#endif
