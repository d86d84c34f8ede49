/* SPDX-License-Identifier: Apache-2.0 */
/* A model of independent columns: per class, the probability of every public cell of every column.
 * Made from a release alone; sampling it costs nothing. */
#ifndef SBL_MODEL_MARGINALS_MODEL_H
#define SBL_MODEL_MARGINALS_MODEL_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "base/tensors/safetensors.h"
#include "public/schema/bins.h"

typedef struct sbl_marginals_model {
    sbl_bins cells;
    float *probabilities; /* (C, T): nonnegative, each column's cells sum to 1 */
    float *class_shares;  /* (C): nonnegative, sum 1 */
    sbl_pool pool;        /* of the arrays */
} sbl_marginals_model;

/* Probabilities and shares are zeros for the caller to fill. Takes the cells (cleared, also on
 * failure).   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_marginals_model_init(sbl_marginals_model *model, sbl_bins *cells, sbl_error *err);
void sbl_marginals_model_clear(sbl_marginals_model *model);

/* The tensors, with metadata (an object of strings) beside them; and back, for the same cells, which
 * are taken. where (a path) is for messages. */
sbl_status sbl_marginals_model_save(const sbl_marginals_model *model, sbl_store_entry to,
                                    const json_t *metadata, bool overwrite, sbl_error *err);
sbl_status sbl_marginals_model_read(sbl_marginals_model *model, sbl_bins *cells, const sbl_safetensors *file,
                                    const char *where, sbl_error *err);

#endif
