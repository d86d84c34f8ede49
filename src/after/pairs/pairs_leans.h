/* SPDX-License-Identifier: Apache-2.0 */
/* [7] The slopes of all blocks of a model, by the columns that are numbers (counts/slopes.h, counts/spread.h). */
#ifndef SBL_PAIRS_PAIRS_LEANS_H
#define SBL_PAIRS_PAIRS_LEANS_H

#include "after/counts/spread.h"
#include "after/pairs/pairs_model.h"

typedef struct sbl_pairs_leans {
    sbl_code_cells *columns; /* (count) */
    sbl_lean *leans;  /* by column; the codes of other columns are those of `others`, for the caller to set */
    uint32_t *others; /* (leans): the other column */
    size_t *first;    /* (count + 1): of a column's leans */
} sbl_pairs_leans;

/* ordered (count): how many of a column's cells lie in the order of a number; NULL: no column is one. The model is borrowed,
 * arrays are the pool's.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_pairs_leans_init(sbl_pairs_leans *leans, sbl_pool *pool, const sbl_pairs_model *model,
                                const uint32_t *ordered, sbl_error *err);

#endif
