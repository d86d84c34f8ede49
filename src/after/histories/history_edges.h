/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the targets of a walk: one edge after the other, its table as it was measured becomes one that can be. */
#ifndef SBL_HISTORIES_HISTORY_EDGES_H
#define SBL_HISTORIES_HISTORY_EDGES_H

#include "after/histories/history_scores.h"
#include "after/histories/history_targets.h"

/* One edge of the walk while its target is made: the table has the side with the lower number first. */
typedef struct sbl_history_edges {
    double *energy, *error, *noise2;  /* (edge_count): of the table as it was measured */
    double *part;                     /* (edge_count): its entries for each entry over codes */
    double *table;                    /* three times the largest table and its sides */
    double *down, *across;            /* (largest table): shares of groups */
    sbl_history_scores rows, columns; /* in a draw: places of the sides */
    uint8_t *holes;
    sbl_pool pool;
} sbl_history_edges;

/* w is zeros; sbl_pool_clear(&w->pool) in any case. */
sbl_status sbl_history_edges_init(sbl_history_edges *w, const sbl_walk *walk, sbl_error *err);
/* The target of one edge, and what independence would give; margins of both sides are known. */
void sbl_history_edges_set(sbl_history_targets *targets, sbl_history_edges *w,
                           const sbl_history_margins *margins, const sbl_history_selection *selection,
                           const sbl_walk *walk, const sbl_walk_column *column, size_t edge);
/* The ridges of all edges, once each was set. draw: of a draw from the posterior, whose priors are wide. */
sbl_status sbl_history_edges_ridges(sbl_history_targets *targets, sbl_history_edges *w, size_t edges,
                                    bool draw, sbl_error *err);

#endif
