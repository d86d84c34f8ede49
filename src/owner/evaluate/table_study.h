/* SPDX-License-Identifier: Apache-2.0 */
/* Real against synthetic: the whole evaluation of a table as one JSON document (docs/FORMATS.md);
 * evaluation_text.h makes text of it.
 *
 * NOT PRIVATE: every number is computed from real records, and the document says so. Reads tables
 * and a schema; knows of no ledger. */
#ifndef SBL_EVALUATE_TABLE_STUDY_H
#define SBL_EVALUATE_TABLE_STUDY_H

#include <jansson.h>

#include "public/schema/schema_type.h"
#include "records/rows/table.h"

#define SBL_EVALUATE_SETS 2000       /* default limit of column sets */
#define SBL_EVALUATE_MAX_SETS 100000 /* largest limit */

typedef struct sbl_evaluate_request {
    const sbl_table *real;      /* a holdout: rows that were not fitted */
    const sbl_table *synthetic; /* read twice: no stream */
    const sbl_table *train;     /* the fitted table, or NULL */
    const sbl_schema *schema;
    const char *schema_name; /* for messages */
    const char *models;      /* list of names, NULL: all, "none" */
    size_t sets;             /* limit of column sets; 0: SBL_EVALUATE_SETS */
    uint64_t seed;
    unsigned threads; /* 0: all */
    /* Told of columns of the synthetic table that the schema does not name; may be NULL. */
    const sbl_table_options *table_options;
    /* Asked before each part of the study and within it, step of steps; not 0: stop. NULL: not asked. */
    int (*progress)(void *context, const char *what, uint64_t step, uint64_t steps, double loss);
    void *context;
} sbl_evaluate_request;

/* Out:     document  owned by the caller (json_decref); holds no NaN or infinity
 * Returns: SBL_OK; SBL_EARG (options); SBL_EINPUT: a column is not there, a table has no rows, the
 *          label has one class only though models are wanted; SBL_EIO, SBL_EMEM, SBL_ESTOPPED */
sbl_status sbl_evaluate_study(json_t **document, const sbl_evaluate_request *request, sbl_error *err);

#endif
