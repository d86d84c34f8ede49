/* SPDX-License-Identifier: Apache-2.0 */
/* Inside a fit of pairs: the targets of its blocks and what is believed of each. A fit of the releases uses it
 * (measurement_plan_fit.c), and so does a draw from their posterior (pairs_posterior.c). */
#ifndef SBL_PAIRS_FIT_H
#define SBL_PAIRS_FIT_H

#include "after/pairs/pairs_internal.h"
#include "base/alloc.h"

typedef struct sbl_pairs_fit {
    sbl_pairs_selection *selection;
    sbl_potts *potts;
    sbl_selection_margins margins;
    float *float_shares, *targets, *ridges;
    double *energy, *noise2, *strength; /* (block_count): noise2 in shares */
    double *error;
    double *scores;       /* (code_count): of a number, the mean place of a code's cells; of others, 0 */
    double *group_scores; /* (margins.groups): the same */
    double *scratch;      /* three times the largest table and its sides */
    uint8_t *holes;       /* the largest table */
    sbl_pool pool;        /* of all these */
} sbl_pairs_fit;

/* A model of the selection's columns, codes and state, without blocks. */
sbl_status sbl_pairs_fit_model(sbl_pairs_model *model, const sbl_pairs_selection *selection, sbl_error *err);
/* A pair that was measured has a block over codes; one that only the sketch knows has one over groups, where it
 * is thought to be more than its noise, or in any case (all). */
sbl_status sbl_pairs_fit_blocks(sbl_potts *potts, const sbl_pairs_selection *selection, bool all,
                                sbl_error *err);
/* Shares and targets of all blocks, projected on what a table can be. draw: for a draw from the posterior, where the
 * projection keeps the means of numbers by group, and pairs over groups are left as they were measured, on the
 * margins (sbl_pairs_fit_project). The fit is zeros; sbl_pool_clear(&fit->pool). */
sbl_status sbl_pairs_fit_targets(sbl_pairs_fit *fit, sbl_pairs_selection *selection, sbl_potts *potts,
                                 bool draw, sbl_error *err);
/* Scores, once shares are known. */
void sbl_pairs_fit_scores(sbl_pairs_fit *fit);
/* Project the target of a block; it keeps its means of numbers by group. */
void sbl_pairs_fit_project(sbl_pairs_fit *fit, const sbl_potts_block *block, const uint8_t *holes);
/* What to expect of each pair, and its ridge. */
sbl_status sbl_pairs_fit_energies(sbl_pairs_fit *fit, sbl_error *err);
/* The ridges of the energies as they are. */
void sbl_pairs_fit_ridges(sbl_pairs_fit *fit);
/* Does its sketch alone show enough of a pair to fit it? */
bool sbl_pairs_fit_believes(const sbl_known_pair *pair);
/* Which code each public cell has, and its share of it. */
sbl_status sbl_pairs_fit_cells(sbl_pairs_model *model, const sbl_pairs_selection *selection, sbl_error *err);

#endif
