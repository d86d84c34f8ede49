/* A model of histories: how cells divide into codes, the parameters of the walk, and a state: persons with
 * their events, which are its sample. More persons come in passes, each the state drawn again, held to
 * the state's own tables. */
#ifndef SBL_HISTORIES_HISTORY_MODEL_H
#define SBL_HISTORIES_HISTORY_MODEL_H

#include "base/json.h"
#include "histories/walk.h"
#include "store/store.h"
#include "tensors/safetensors.h"

typedef struct sbl_history_model {
    size_t base_count, person_count;
    size_t *cells_at;      /* (base_count + 1): where a base's cells begin */
    uint32_t *code_of;     /* (all cells) */
    float *share;          /* (all cells): of a cell within its code */
    uint32_t *codes;       /* (base_count) */
    uint32_t (*tables)[2]; /* (table_count): sides, first < second */
    size_t table_count;
    float *bias[2], *theta[2]; /* of the walks of persons and of events, as they lie there */
    size_t bias_size[2], theta_size[2];
    size_t persons;        /* of the state; at least 1 */
    uint16_t *person_rows; /* (persons, person_count): codes */
    uint32_t *counts;      /* (persons): how many events each has, at least 1 */
    size_t events;         /* of all */
    uint16_t *event_rows;  /* (events, base_count - person_count): codes */
    uint32_t *steps;       /* (events): times; 0 where there is none */
    uint64_t seed;         /* of the fit */
    sbl_pool pool;
} sbl_history_model;

void sbl_history_model_clear(sbl_history_model *model);

sbl_status sbl_history_model_save(const sbl_history_model *model, sbl_item to,
                                  const json_t *metadata, bool overwrite, sbl_error *err);
/* Every size, code and number is checked against the shape. where: for messages. */
sbl_status sbl_history_model_read(sbl_history_model *model, const sbl_history_shape *shape,
                                  const sbl_safetensors *file, const char *where, sbl_error *err);

#endif
