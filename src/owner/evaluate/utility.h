/* SPDX-License-Identifier: Apache-2.0 */
/* Train on synthetic, test on real: what a model learned from the synthetic table is worth on real
 * records, beside the same model learned from real records (the ceiling) and from independently
 * shuffled real columns (the floor).
 *
 * NOT PRIVATE: scores come from real records. */
#ifndef SBL_EVALUATE_UTILITY_H
#define SBL_EVALUATE_UTILITY_H

#include <jansson.h>

#include "owner/fidelity/frame.h"
#include "owner/learners/learner.h"

typedef struct sbl_utility_options {
    uint64_t seed;                     /* of subsamples, shuffles and weights; public */
    const char *models;                /* comma-separated names, NULL: all that are built in */
    size_t row_limit;                  /* most training rows, 0: 50,000; a larger table is subsampled */
    unsigned threads;                  /* 0: all */
    const sbl_progress_span *progress; /* NULL: no listener */
} sbl_utility_options;

/* Is every name of the list a known model (built in or not)? Asked before any table is opened.
 * models may be NULL.   Returns: SBL_OK, SBL_EARG naming the first unknown one and the known */
sbl_status sbl_utility_check_models(const char *models, sbl_error *err);

/* The "utility" object of the evaluation document (docs/FORMATS.md). All frames are of one codec,
 * whose schema has a label; test has rows.
 * In:      train, floor  may be NULL: their scores are then null
 * Out:     result  owned by the caller (json_decref); no NaN or infinity in it
 * Returns: SBL_OK (also where a score does not exist: null with a "why"), SBL_EINPUT, SBL_EMEM,
 *          SBL_ESTOPPED */
sbl_status sbl_evaluate_utility(json_t **result, const sbl_frame *synthetic, const sbl_frame *train,
                                const sbl_frame *test, const sbl_frame *floor,
                                const sbl_utility_options *options, sbl_error *err);

/* ---- a frame as samples: every column but the label is a feature, rows without a label are left out ---- */

typedef struct sbl_frame_samples {
    sbl_samples samples;
    uint32_t *cardinality; /* what samples points to */
    size_t labelled;       /* rows with a label, before the limit */
} sbl_frame_samples;

/* At most limit rows (0: all), drawn by the seed without replacement, in their order. The frame's
 * schema has a label; a number to predict comes in its own units.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_frame_samples_init(sbl_frame_samples *out, const sbl_frame *frame, size_t limit, uint64_t seed,
                                  sbl_error *err);
/* Wipes; safe on a zeroed one. */
void sbl_frame_samples_clear(sbl_frame_samples *out);

#endif
