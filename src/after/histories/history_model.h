/* SPDX-License-Identifier: Apache-2.0 */
/* A model of histories: how cells divide into codes, the parameters of the walk, and a state: persons with
 * their events, which are its sample. More persons come in passes, each the state drawn again, held to
 * the state's own tables. */
#ifndef SBL_HISTORIES_HISTORY_MODEL_H
#define SBL_HISTORIES_HISTORY_MODEL_H

#include "after/histories/history_draw.h"
#include "base/json.h"
#include "base/store/store.h"
#include "base/tensors/safetensors.h"

/* The parameters of a walk, as they lie there. */
typedef struct sbl_history_field {
    float *bias, *theta;
    size_t bias_size, theta_size;
} sbl_history_field;

/* For one link: the walk of its events, and those of the state. */
typedef struct sbl_history_events {
    sbl_history_field field;
    size_t width;     /* bases of an event */
    size_t parents;   /* parent rows: the persons, or another link's events */
    uint32_t *counts; /* (parents): the number of events of each */
    size_t events;    /* of all */
    uint16_t *rows;   /* (events, width): codes */
    uint32_t *steps;  /* (events): times; 0 where there is none */
} sbl_history_events;

typedef struct sbl_history_model {
    size_t base_count, person_count;
    size_t *cells_at;      /* (base_count + 1): where a base's cells begin */
    uint32_t *code_of;     /* (all cells) */
    float *share;          /* (all cells): of a cell within its code */
    uint32_t *codes;       /* (base_count) */
    uint32_t (*tables)[2]; /* (table_count): sides, first < second */
    size_t table_count;
    sbl_history_field field;   /* of the walk of persons */
    size_t persons;            /* of the state; at least 1 */
    uint16_t *person_rows;     /* (persons, person_count): codes */
    sbl_history_events *links; /* (link_count) */
    size_t link_count;
    uint64_t seed; /* of the fit */
    sbl_pool pool;
} sbl_history_model;

void sbl_history_model_clear(sbl_history_model *model);

sbl_status sbl_history_model_save(const sbl_history_model *model, sbl_store_entry to, const json_t *extra,
                                  bool overwrite, sbl_error *err);
/* Every size, code and number is checked against the tree. where: for messages. */
sbl_status sbl_history_model_read(sbl_history_model *model, const sbl_history_tree *tree,
                                  const sbl_safetensors *file, const char *where, sbl_error *err);

#endif
