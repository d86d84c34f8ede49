/* SPDX-License-Identifier: Apache-2.0 */
/* The controller of a walk: before each sweep logits and gains are computed from what the rows count,
 * and afterwards the parameters take a step.
 *
 * With P the rows' share of an entry, M its target, q its share if both sides were independent, w what a
 * row of weight 1 adds to a share and lambda the table's ridge:
 *     F = (P + q) / 2 + w + lambda,   logit = theta + k (M - P - lambda theta) / F,   gain = k w / F,
 *     theta += clip(alpha k (M - P - lambda theta) / F, 1). */
#ifndef SBL_HISTORIES_HISTORY_FEEDBACK_H
#define SBL_HISTORIES_HISTORY_FEEDBACK_H

#include "after/histories/history_draw.h"
#include "base/progress.h"

/* What rows are held to, laid out as the walk's arrays. */
typedef struct sbl_history_goal {
    const float *shares;  /* (bias_size) */
    const float *targets; /* (table_size) */
    const float *even;    /* (table_size): the shares of independent sides */
    const float *ridges;  /* (edge_count); NULL: none */
} sbl_history_goal;

typedef struct sbl_history_rule {
    size_t sweeps;
    float step;                        /* alpha; 0: the parameters stay */
    uint64_t seed;                     /* public */
    uint64_t first_sweep;              /* its number: sweeps of one seed have numbers of their own */
    const sbl_progress_span *progress; /* may be NULL */
} sbl_history_rule;

/* rows are drawn by bias and theta, then again and again, held to the goal. bias: padding never wins
 * (sbl_history_start_bias).   Returns: SBL_OK, SBL_ESTOPPED, SBL_EMEM */
sbl_status sbl_history_feedback(const sbl_walk *walk, const sbl_walk_rows *rows, const sbl_walk_gaps *gaps,
                                float *bias, float *theta, const sbl_history_goal *goal,
                                const sbl_history_rule *rule, sbl_error *err);

/* The bias of columns that have nothing to do with each other. */
void sbl_history_start_bias(const sbl_walk *walk, float *bias, const float *shares, const uint8_t *never);

#endif
