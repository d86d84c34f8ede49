/* SPDX-License-Identifier: Apache-2.0 */
/* [7] Rows from a model of pairs, as public cells.
 *
 * The model's state is its sample: the first `row_count` rows that are drawn are its rows in random
 * order; more come in passes of as many, each made of the state by sweeps that hold the rows to the
 * state's own tables, so that no row is a plain copy; fewer are a random part. Within a code,
 * public cells are given out by quotas, never by independent draws, and those of a number follow the row's
 * other columns (counts/spread.h).
 *
 * With some columns fixed to a cell, the rows of the state that agree are the sample, if there are
 * at least 1,000 or as many as are wanted; else rows are drawn from the parameters by Gibbs sweeps
 * over the other columns.
 *
 * The same model, request and row number give the same row, for any number of threads and any way
 * of cutting the rows into calls. */
#ifndef SBL_PAIRS_PAIRS_SAMPLER_H
#define SBL_PAIRS_PAIRS_SAMPLER_H

#include "after/pairs/pairs_model.h"

#define SBL_PAIRS_FREE UINT32_MAX

typedef struct sbl_pairs_request {
    uint64_t rows;           /* in all, >= 1 */
    uint64_t seed;           /* public */
    const uint32_t *fixed;   /* (count): a public cell or SBL_PAIRS_FREE; NULL: all are free */
    const uint32_t *ordered; /* (count): the first cells, in the order of a number; NULL: all categories */
} sbl_pairs_request;

typedef struct sbl_pairs_sampler sbl_pairs_sampler;

/* The model is borrowed until the sampler is freed.
 * Returns: SBL_OK; SBL_EARG for a cell that does not exist; SBL_EMEM */
sbl_status sbl_pairs_sampler_new(sbl_pairs_sampler **sampler, const sbl_pairs_model *model,
                                 const sbl_pairs_request *request, sbl_error *err);
void sbl_pairs_sampler_free(sbl_pairs_sampler *sampler);

/* cells (rows, count): rows first .. first + rows - 1 of the request. Going forward is fast, and threads
 * make the passes that follow side by side; going back makes earlier ones again.   Returns: SBL_OK, SBL_EARG past the last row, SBL_EMEM */
sbl_status sbl_pairs_sampler_draw(sbl_pairs_sampler *sampler, uint32_t *cells, uint64_t first, size_t rows,
                                  sbl_error *err);

#endif
