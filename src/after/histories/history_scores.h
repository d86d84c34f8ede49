/* SPDX-License-Identifier: Apache-2.0 */
/* Where the codes of a walk's side lie, for draws from the posterior: their tables keep the means of numbers by group
 * (after/counts/table_math.h). */
#ifndef SBL_HISTORIES_HISTORY_SCORES_H
#define SBL_HISTORIES_HISTORY_SCORES_H

#include "after/histories/history_draw.h"
#include "after/histories/history_selection_internal.h"

typedef struct sbl_history_scores {
    double *groups; /* (groups of the side): places, of share-weighted mean 0; NULL: the side has no order */
    double *codes;  /* (codes): the same */
    double *own_groups, *mass;
    uint32_t *near; /* (codes): a code lies between the places of its group near[v] and the next one, */
    double *along;  /* (codes): this far from the first; 0 where there is no order or one group */
} sbl_history_scores;

/* For sides of at most this number of codes. */
sbl_status sbl_history_scores_init(sbl_history_scores *scores, sbl_pool *pool, size_t most, sbl_error *err);
/* Of one side of a table. shares: of its codes. Of a number, a code lies at the mean of its cells; of other ordered sides, at
 * its number. Codes that stand apart lie in the middle. */
void sbl_history_scores_set(sbl_history_scores *scores, const sbl_history_selection *selection,
                            const sbl_walk *walk, size_t side, const sbl_known_side *known,
                            const double *shares);

/* How much more than independent a code of the rows and one of the columns are, between the places of their groups:
 * ratios (groups of rows, wide) holds it by group. A number does not jump from group to group. */
double sbl_history_scores_ratio(const sbl_history_scores *rows, const sbl_history_scores *columns,
                                const double *ratios, size_t wide, size_t row, size_t column);

#endif
