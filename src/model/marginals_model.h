/* A model of independent columns: per class, the probability of every public cell of every column.
 * Made from a release alone; sampling it costs nothing. */
#ifndef SBL_MODEL_MARGINALS_MODEL_H
#define SBL_MODEL_MARGINALS_MODEL_H

#include <stdbool.h>

#include "base/json.h"
#include "base/status.h"
#include "schema/cells.h"

typedef struct sbl_marginals_model {
    char *plan; /* text of the plan, as in the release */
    sbl_cells cells;
    float *probabilities; /* (C, T): nonnegative, each column's cells sum to 1 */
    float *class_shares;  /* (C): nonnegative, sum 1 */
} sbl_marginals_model;

/* From the plan's text; probabilities and shares are zeros for the caller to fill.
 * Returns: SBL_OK, SBL_EINPUT, SBL_EMEM */
sbl_status sbl_marginals_model_init(sbl_marginals_model *model, const char *plan, const char *where,
                                    sbl_error *err);
void sbl_marginals_model_clear(sbl_marginals_model *model);

/* The model file. extra: an object of strings that is stored beside the model's own, or NULL. Names
 * that begin with "semblance." are ours. */
sbl_status sbl_marginals_model_save(const sbl_marginals_model *model, const char *path,
                                    const json_t *extra, bool overwrite, sbl_error *err);
/* extra (may be NULL) receives all metadata, owned by the caller: json_decref. */
sbl_status sbl_marginals_model_load(sbl_marginals_model *model, json_t **extra, const char *path,
                                    sbl_error *err);

#endif
