/* SPDX-License-Identifier: Apache-2.0 */
/* [7] Draw encoded records from a model of marginals: the class by its share, every column's cell
 * by its probability in that class, a number evenly within its cell.
 *
 * Row i of seed k is a pure function of the model, k, i and the wanted class: any chunking, order
 * or number of threads gives the same rows. */
#ifndef SBL_SAMPLE_MARGINALS_SAMPLER_H
#define SBL_SAMPLE_MARGINALS_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

#include "after/model/marginals_model.h"
#include "after/model/model.h"
#include "base/error.h"

typedef struct sbl_marginals_sampler sbl_marginals_sampler;

/* The model is borrowed until sbl_marginals_sampler_free. */
sbl_status sbl_marginals_sampler_new(sbl_marginals_sampler **sampler, const sbl_marginals_model *model,
                                     uint64_t seed, sbl_error *err);
void sbl_marginals_sampler_free(sbl_marginals_sampler *sampler);

/* Rows first .. first + rows - 1. wanted: a class, or SBL_ANY_CLASS for the class shares.
 * Out: numeric (rows, numeric_count) in [0,1]; codes (rows, categorical_count), as the codec
 * decodes them, the label's code among them. NULL is allowed where the count is 0. A wanted class
 * of share 0 is drawn all the same. Returns: SBL_OK, SBL_EARG */
sbl_status sbl_marginals_sampler_draw(const sbl_marginals_sampler *sampler, double *numeric, uint32_t *codes,
                                      uint64_t first, size_t rows, size_t wanted, sbl_error *err);

/* The model whose state this is; takes the marginals, also on failure. */
extern const sbl_model_kind sbl_model_kind_marginals;
sbl_status sbl_model_of_marginals(sbl_model *model, sbl_marginals_model *marginals, sbl_error *err);

#endif
