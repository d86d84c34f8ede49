/* SPDX-License-Identifier: Apache-2.0 */
/* The fitted model of `pairs`: for each column how its public cells map to codes, the parameters,
 * and the state, rows of codes whose tables agree with what was released. It was made from releases
 * alone; drawing from it costs nothing.
 *
 * The model lives in memory; a file is one way to keep it (safetensors: float32, uint16 and uint32
 * tensors, and text). */
#ifndef SBL_PAIRS_PAIRS_MODEL_H
#define SBL_PAIRS_PAIRS_MODEL_H

#include <stdbool.h>

#include "after/pairs/potts.h"
#include "base/json.h"
#include "base/tensors/safetensors.h"

typedef struct sbl_pairs_model {
    sbl_potts potts;
    size_t *cells_at;    /* (count + 1): where a column's public cells begin */
    uint32_t *code_of;   /* (cells_at[count]) */
    float *share;        /* (cells_at[count]): of a cell within its code; they sum to 1 */
    uint16_t *rows;      /* (row_count, 2 count): codes, then groups */
    size_t row_count;    /* the state; at least 1 */
    uint64_t table_rows; /* rows that the table had, as far as is known */
    uint64_t seed;       /* of the fit */
    sbl_pool pool;       /* of the arrays above */
} sbl_pairs_model;

/* Columns of these public cells, codes and groups; everything 0 for the caller to fill. */
sbl_status sbl_pairs_model_init(sbl_pairs_model *model, const uint32_t *cells, const uint32_t *codes,
                                const uint32_t *groups, size_t count, size_t row_count, sbl_error *err);
void sbl_pairs_model_clear(sbl_pairs_model *model);

/* extra: an object of strings that is stored beside the model's own, or NULL. Names that begin with
 * "semblance." are ours. */
sbl_status sbl_pairs_model_save(const sbl_pairs_model *model, sbl_store_entry to, const json_t *extra,
                                bool overwrite, sbl_error *err);
/* The reverse; where (a path) is for messages.
 * Returns: SBL_OK; SBL_EINPUT if it is not such a model; SBL_EMEM */
sbl_status sbl_pairs_model_read(sbl_pairs_model *model, const sbl_safetensors *file, const char *where,
                                sbl_error *err);

#endif
