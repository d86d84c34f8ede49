/* SPDX-License-Identifier: Apache-2.0 */
/* A run of sweeps and its steps: for the files that sweep rows with feedback (feedback.c, feedback_draw.c). */
#ifndef SBL_PAIRS_FEEDBACK_RUN_H
#define SBL_PAIRS_FEEDBACK_RUN_H

#include "after/pairs/feedback.h"
#include "after/pairs/gibbs.h"
#include "base/alloc.h"

#define SHARDS SBL_FEEDBACK_SHARDS
#define ROWS_A_SHARD 1024 /* in each of more shards than a small state has */

typedef struct sbl_feedback_state {
    sbl_gibbs_layout layout;
    size_t most_shards, shards, rows; /* shards: of this sweep */
    sbl_gibbs_field fields[SHARDS];
    float *gains, *bias_gain; /* as theta; padded as the biases */
    float *dense, *bias;      /* logits as theta and as bias, before they are laid out */
    float *group_shares;      /* and where a column's begin */
    size_t *groups_at;
    uint32_t *counts, *ones;
    uint32_t *leaves;      /* (rows, trees), where the model has trees */
    uint32_t *leaf_counts; /* (trees.entry_count) */
    float *phi, *phi_gain; /* (trees.entry_count): logits and gains before they are copied to shards */
    float *cell_shares;    /* (threads, most cells of a target): of its cells */
    size_t most_cells;     /* whole lines of them */
    sbl_pool pool;         /* of all these, and of the fields of a run */
} sbl_feedback_state;

/* Logits as potts.h has them: theta, bias and phi. */
typedef struct sbl_feedback_logits {
    const float *theta, *bias, *phi;
} sbl_feedback_logits;

/* In this order: the state for `rows` rows, the leaves of `rows` rows where the model has trees, and the fields of
 * `shards` shards, whose arrays are the pool's.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_feedback_state_init(sbl_feedback_state *r, const sbl_potts *potts, size_t rows,
                                   sbl_error *err);
sbl_status sbl_feedback_trees_init(sbl_feedback_state *r, size_t rows, sbl_error *err);
sbl_status sbl_feedback_fields_init(sbl_feedback_state *r, sbl_pool *pool, size_t shards, sbl_error *err);

/* The shares of the groups, from those of the codes. */
void sbl_feedback_sum_groups(sbl_feedback_state *r, const float *shares);
/* The tables of the rows, given their leaves.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_feedback_count(sbl_feedback_state *r, const uint16_t *rows, sbl_error *err);
/* Logits and gains of the next sweep, in r->shards shards, from the tables. */
void sbl_feedback_prepare(sbl_feedback_state *r, const sbl_feedback_goal *goal, float k);
/* The logits of a shard's own field, laid out by the thread that sweeps it: they stay in the cache of its core,
 * from sweep to sweep. */
void sbl_feedback_fill(const sbl_feedback_state *r, size_t s, const sbl_feedback_logits *logits);
/* Number `sweep` of a run, in r->shards shards. */
void sbl_feedback_sweep(sbl_feedback_state *r, uint16_t *rows, const sbl_feedback_rule *rule, size_t sweep,
                        const sbl_feedback_logits *logits);

#endif
