/* SPDX-License-Identifier: Apache-2.0 */
/* Fit a Potts model and its state together: the rows' tables are pulled to their targets.
 *
 * With P the tables of the rows, M the targets, p the columns' shares and lambda the ridge of a
 * block, a sweep runs with the logits
 *     theta + (k / f) (M - P - lambda theta),   f = (P + p_a p_b) / 2 + 1 / n + lambda,
 * which move by k / (n f) as soon as a row changes (gibbs.h), so that counts reach their targets
 * without the noise of sampling; after it theta takes the step alpha k (M - P - lambda theta) / f,
 * at most 1 and in all at most 12. Like a controller, k is its proportional and alpha its integral
 * part. k rises from 1 to `gain` over the first 30 % of the sweeps and doubles in the last quarter,
 * when alpha falls.
 *
 * Rows are swept in S shards, each starting from the common residual with S times the gain, and
 * merged after each sweep. Merged counts are off by about the root of S: the last sweep, in a quarter
 * of the shards, mends that. S follows from the number of rows and the size of the tables, never from the
 * machine: the result is the same for any number of threads. */
#ifndef SBL_PAIRS_FEEDBACK_H
#define SBL_PAIRS_FEEDBACK_H

#include "after/pairs/potts.h"
#include "base/progress.h"

#define SBL_FEEDBACK_SHARDS 16 /* at most: as many threads can sweep at once */
/* Numbers in the tables of all shards, where there are more than 4 of them. */
#define SBL_FEEDBACK_MOST_TABLES ((size_t)1 << 24)

/* S for this number of rows, and of numbers in the tables of one shard: 1 below 2,048 rows, 4, 8 from 8,192 and
 * 16 from 16,384 rows on; and S of the last sweep. */
size_t sbl_feedback_shards(size_t rows, size_t tables);
size_t sbl_feedback_last_shards(size_t shards);

typedef struct sbl_feedback_goal {
    const float *shares;  /* (bias_count): of the codes of each column */
    const float *targets; /* (theta_count): of the blocks' entries; each block sums to 1 */
    const float *ridges;  /* (block_count): lambda >= 0, or NULL: 0 */
    /* Where the model has trees: their tables are held as those of pairs are, p_a being the rows' share of
     * a leaf. */
    const float *leaf_targets; /* (trees.entry_count); each tree sums to about 1 */
    const float *leaf_ridges;  /* (trees), or NULL: 0 */
} sbl_feedback_goal;

typedef struct sbl_feedback_rule {
    size_t sweeps;
    float gain;                        /* k at its height; 4 */
    float step;                        /* alpha at first; .2. 0: theta and bias stay */
    uint64_t seed;                     /* public */
    uint64_t first_sweep;              /* number of the first sweep: no two runs share one; < 2^16 in all */
    const uint8_t *fixed;              /* (count): columns whose codes stay, or NULL */
    const sbl_progress_span *progress; /* called after every sweep with feedback, or NULL */
} sbl_feedback_rule;

/* rows (row_count, 2 count): codes and groups, in and out. bias and theta are the start and, with
 * a step, the result.   Returns: SBL_OK, SBL_EMEM, SBL_ESTOPPED when the progress says so */
sbl_status sbl_feedback_run(sbl_potts *potts, uint16_t *rows, size_t row_count, const sbl_feedback_goal *goal,
                            const sbl_feedback_rule *rule, sbl_error *err);

/* A state whose copies are swept again and again, each held to the tables of the state: prepared once. theta, bias and
 * phi stay as they are. potts: borrowed until it is freed.   Returns: SBL_OK, SBL_EMEM */
typedef struct sbl_feedback_held sbl_feedback_held;
sbl_status sbl_feedback_hold(sbl_feedback_held **held, const sbl_potts *potts, const uint16_t *rows,
                             size_t row_count, sbl_error *err);
void sbl_feedback_held_free(sbl_feedback_held *held); /* NULL is fine */
/* rows: a copy of the state's, in and out. From the rule sweeps, seed, first_sweep and fixed. Several threads may
 * redraw copies of their own at one time.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_feedback_redraw(const sbl_feedback_held *held, uint16_t *rows, const sbl_feedback_rule *rule,
                               sbl_error *err);

/* Sweeps without feedback: rows of the model itself. rows begin at number `first`, so that parts
 * of a large job can be drawn apart. */
sbl_status sbl_feedback_none(const sbl_potts *potts, uint16_t *rows, size_t row_count, uint64_t first,
                             const sbl_feedback_rule *rule, sbl_error *err);

#endif
