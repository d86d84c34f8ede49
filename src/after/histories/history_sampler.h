/* SPDX-License-Identifier: Apache-2.0 */
/* [7] Draws persons and their events from a model, as public bins, pass by pass.
 *
 * Pass 0 is the model's state. A later pass draws the state again: it fits the persons to the state's own
 * tables, gives them numbers of events and first times, then draws the events in the same way, and so on for
 * events of events. Within a code, bins are assigned by quotas. The same model, seed and pass give the same
 * persons. */
#ifndef SBL_HISTORIES_HISTORY_SAMPLER_H
#define SBL_HISTORIES_HISTORY_SAMPLER_H

#include "after/histories/history_model.h"

/* The events of one link. */
typedef struct sbl_history_part {
    size_t parents;        /* parent rows */
    size_t *starts;        /* (parents + 1): of their events */
    sbl_walk_rows rows;    /* as the walk has them: codes of all sides, and times */
    uint16_t *event_cells; /* (events, base_count - person_count); NULL before they are drawn */
} sbl_history_part;

/* The persons of one pass and all their child rows. */
typedef struct sbl_history_pass {
    size_t persons;
    uint16_t *person_rows;  /* (persons, person_count): codes */
    uint16_t *person_cells; /* (persons, person_count) */
    sbl_history_part *links;
    sbl_pool pool; /* of all these */
} sbl_history_pass;

void sbl_history_pass_clear(sbl_history_pass *pass);

/* One pass, whole. */
sbl_status sbl_history_pass_draw(sbl_history_pass *pass, const sbl_history_model *model,
                                 const sbl_history_tree *tree, uint64_t seed, uint64_t number,
                                 sbl_error *err);

/* The first event of a link that belongs to person p, also if its parent is another event; for p = persons
 * the end. */
size_t sbl_history_pass_first(const sbl_history_pass *pass, const sbl_history_tree *tree, size_t link,
                              size_t p);

/* ---- in parts, for the fit ---- */

/* Persons of these codes (copied), and their cells. */
sbl_status sbl_history_pass_persons(sbl_history_pass *pass, const sbl_history_model *model,
                                    const sbl_history_tree *tree, const uint16_t *person_rows, uint64_t seed,
                                    uint64_t number, sbl_error *err);
/* Empty rows for the events of a link, with the codes of their parents, positions in the history and first
 * times. counts (parents): the number of events of each; NULL: as the parents' bins say. */
sbl_status sbl_history_pass_events(sbl_history_pass *pass, const sbl_history_tree *tree, size_t link,
                                   const uint32_t *counts, uint64_t seed, uint64_t number, sbl_error *err);
/* Cells for the events of a link, which are drawn. */
sbl_status sbl_history_pass_spread(sbl_history_pass *pass, const sbl_history_model *model,
                                   const sbl_history_tree *tree, size_t link, uint64_t seed, uint64_t number,
                                   sbl_error *err);
/* The events of the link become the model's state. */
sbl_status sbl_history_model_keep(sbl_history_model *model, const sbl_history_pass *pass,
                                  const sbl_history_tree *tree, size_t link, sbl_error *err);

/* How the codes of the gap divide, for a walk. */
sbl_walk_gaps sbl_history_model_gaps(const sbl_history_model *model, const sbl_history_shape *link);

#endif
