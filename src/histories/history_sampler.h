/* [7] Persons and their events from a model, as public cells, pass by pass.
 *
 * Pass 0 is the model's state. A later pass is the state drawn again: its persons are held to the state's
 * own tables, get numbers of events and first times, and then events, held to them likewise. Within a
 * code cells are given out by quotas. The same model, seed and pass give the same persons. */
#ifndef SBL_HISTORIES_HISTORY_SAMPLER_H
#define SBL_HISTORIES_HISTORY_SAMPLER_H

#include "histories/history_model.h"

/* The persons of one pass and their events. */
typedef struct sbl_history_pass {
    size_t persons;
    uint16_t *person_rows;  /* (persons, person_count): codes */
    uint16_t *person_cells; /* (persons, person_count) */
    size_t *starts;         /* (persons + 1): of their events */
    sbl_walk_rows rows;     /* their events as the walk has them: codes of all sides, and times */
    uint16_t
        *event_cells; /* (events, base_count - person_count); NULL before sbl_history_pass_draw */
    sbl_pool pool;    /* of all these */
} sbl_history_pass;

void sbl_history_pass_clear(sbl_history_pass *pass);

/* One pass, whole. */
sbl_status sbl_history_pass_draw(sbl_history_pass *pass, const sbl_history_model *model,
                                 const sbl_history_shape *shape, uint64_t seed, uint64_t number,
                                 sbl_error *err);

/* ---- in parts, for the fit ---- */

/* Persons of these codes (copied): their cells, and from those numbers of events; starts is set. */
sbl_status sbl_history_pass_persons(sbl_history_pass *pass, const sbl_history_model *model,
                                    const sbl_history_shape *shape, const uint16_t *person_rows,
                                    uint64_t seed, uint64_t number, sbl_error *err);
/* Empty rows for their events, with the persons' codes, places in the history and first times. */
sbl_status sbl_history_pass_events(sbl_history_pass *pass, const sbl_history_shape *shape,
                                   sbl_error *err);
/* The pass becomes the model's state. */
sbl_status sbl_history_model_keep(sbl_history_model *model, const sbl_history_pass *pass,
                                  const sbl_history_shape *shape, sbl_error *err);

/* How the codes of the gap divide, for a walk. */
sbl_walk_gaps sbl_history_model_gaps(const sbl_history_model *model,
                                     const sbl_history_shape *shape);

#endif
