/* SPDX-License-Identifier: Apache-2.0 */
/* How much a table is worth beside held-out rows of the same source. NOT PRIVATE. */
#ifndef SBL_BENCH_CHOOSE_SCORE_H
#define SBL_BENCH_CHOOSE_SCORE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct score_request {
    const char *table_path;   /* what models learn from: synthetic, or real for comparison */
    const char *heldout_path; /* what they are tested on */
    const char *schema_path;
    const char *models; /* comma-separated keys of owner/learners/learner.h */
    size_t row_limit;   /* most rows to learn from */
    size_t sets;        /* most pairs of columns */
    uint64_t seed;      /* of subsamples, pairs and models */
} score_request;

/* Out: scores  {"models": {NAME: {"auc", "average_precision", ...}}, "tvd2", "rows", "heldout"};
 *              json_decref */
sbl_status score_table(json_t **scores, const score_request *request, sbl_error *err);

#endif
