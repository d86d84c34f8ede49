/* SPDX-License-Identifier: Apache-2.0 */
/* [7] Codes of persons and of events to cells; those of a number follow the row's other columns (counts/spread.h).
 *
 * A column leans by the contexts that it is drawn by, and by the columns of its row that are drawn by it. What comes after
 * it in other rows has no say. A first event does not lean by the event before it. */
#ifndef SBL_HISTORIES_HISTORY_LEANS_H
#define SBL_HISTORIES_HISTORY_LEANS_H

#include "after/histories/history_model.h"
#include "base/random/model_rng.h"

/* The rows of one walk: their codes, and the cells to draw. */
typedef struct sbl_history_codes {
    const sbl_walk *walk;
    const sbl_history_field *field;
    const uint16_t *rows; /* (count, walk->width) */
    size_t count;
    uint16_t *cells; /* (count, walk->column_count) */
} sbl_history_codes;

/* The cells of all columns of a walk, which are a function of the model, the codes, the seed and the number alone.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_history_spread(const sbl_history_codes *codes, const sbl_history_model *model,
                              const sbl_history_tree *tree, uint64_t seed, uint64_t number, sbl_error *err);

/* Random numbers of pass `number`: for the cells of a base, or what a number beyond the bases stands for. */
void sbl_history_cell_stream(sbl_model_rng *rng, uint64_t seed, uint64_t number, size_t what);

#endif
