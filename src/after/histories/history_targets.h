/* SPDX-License-Identifier: Apache-2.0 */
/* What the walk is held to: shares of its columns, tables with those margins, ridges, from noisy counts. */
#ifndef SBL_HISTORIES_HISTORY_TARGETS_H
#define SBL_HISTORIES_HISTORY_TARGETS_H

#include "after/histories/history_draw.h"
#include "after/histories/history_selection_internal.h"

/* The shares of a side's codes in tables of one sort: of what is drawn before, known; of the others
 * estimated from every table that tells. */
typedef struct sbl_history_margins {
    double **shares; /* (side_count, sorts): each (codes), or NULL: not known yet */
    uint32_t *never; /* (base_count): of missing values, where no record has one: their code;
                      * else SBL_PAIRS_NO_CELL */
    sbl_pool pool;
} sbl_history_margins;

sbl_status sbl_history_margins_init(sbl_history_margins *margins, const sbl_history_shape *shape,
                                    sbl_error *err);
void sbl_history_margins_clear(sbl_history_margins *margins);
double *sbl_history_margin(const sbl_history_margins *margins, size_t side, sbl_history_sort sort);
/* The margins of sides that the rows of a walk have already: of a person's columns and the place in its
 * history, among its events. */
sbl_status sbl_history_margins_count(sbl_history_margins *margins, const sbl_walk *walk,
                                     const sbl_walk_rows *rows, sbl_error *err);

/* All (bias_size) or (table_size), (edge_count): laid out as the walk's arrays. */
typedef struct sbl_history_targets {
    float *shares, *targets, *even, *ridges;
    uint8_t *never; /* (bias_size): a code that is not drawn */
    sbl_pool pool;
} sbl_history_targets;

/* margins that are not known are estimated on the way. */
sbl_status sbl_history_targets_init(sbl_history_targets *targets, sbl_history_margins *margins,
                                    const sbl_history_selection *selection, const sbl_walk *walk,
                                    sbl_error *err);
void sbl_history_targets_clear(sbl_history_targets *targets);

#endif
