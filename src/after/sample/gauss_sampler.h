/* SPDX-License-Identifier: Apache-2.0 */
/* [7] Draw encoded records from a model of Gaussians: the class by its share, then a point of that
 * class's Gaussian, taken back to the columns (public/rows/unit_record.h): numbers are clamped to their
 * bounds; a category is the one with the largest proportion. (Not a draw from the clipped
 * proportions: that adds a second, independent chance to the one the Gaussian holds already, and
 * washes out what the columns have to do with one another. The model's offsets keep the categories
 * as frequent as they were.)
 *
 * Row i of seed k is a pure function of the model, k, i and the wanted class: any chunking, order
 * or number of threads gives the same rows, on every platform. */
#ifndef SBL_SAMPLE_GAUSS_SAMPLER_H
#define SBL_SAMPLE_GAUSS_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

#include "after/model/gauss_model.h"
#include "after/model/model.h"
#include "base/error.h"

/* Rows first .. first + rows - 1. wanted: a class, or SBL_ANY_CLASS for the class shares.
 * Out: labels (rows); numeric and codes as the record's shape has them, codes without the label.
 * Projected: numeric (rows, W) in [0,1], (1 + x / radius) / 2 of the coordinates, the target (by
 * its own radius) first; codes is not used.
 * Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_gauss_draw(const sbl_gauss_model *model, double *numeric, uint32_t *codes, uint32_t *labels,
                          uint64_t seed, uint64_t first, size_t rows, size_t wanted, sbl_error *err);

/* The model whose state this is; takes the Gaussians, also on failure. Rows of a projected model
 * are a table of its own: coordinates p1, p2, ... within [-1, 1], and the label. */
extern const sbl_model_kind sbl_model_kind_gauss;
sbl_status sbl_model_of_gauss(sbl_model *model, sbl_gauss_model *gauss, sbl_error *err);

#endif
