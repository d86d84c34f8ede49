/* SPDX-License-Identifier: Apache-2.0 */
/* The course of the method `forest`: that of `pairs` (measurement_plan.h), and between its sketch and its precise
 * tables a probe of trees; where that shows what pairs cannot, forests as well.
 *
 * | release | what                                           | of mu^2, probe "no" | "yes" |
 * | 1       | one-way tables                                 | .33                 | .33   |
 * | 2       | sketch of all pairs                            | .14                 | .14   |
 * | 3       | probe: 4 grown and 4 blind trees               | .04                 | .04   |
 * | 4       | precise tables; if yes, a forest of 16 trees   | .49                 | .49 - f + .24 f |
 * | 5, 6    | forests of 16 and 32 trees                     |                     | .34 f, .42 f    |
 *
 * f is .41 of up to 9 columns and falls with their number to .0735, so that pairs keep .85 of the .49.
 * Every tree is grown on rows of the model of all releases before it: post-processing. Both columns of
 * shares have one sum, so that the probe's answer changes what is bought and not what is spent. Where a
 * forest is not taken (pairs_plan.h, shape.forest) the course is that of `pairs` alone. */
#ifndef SBL_FOREST_H
#define SBL_FOREST_H

#include "after/pairs/forest_fit.h"
#include "after/pairs/measurement_plan.h"

#define SBL_FOREST_MOST_ROUNDS 6

/* Shares of mu^2 by release, as they are before the probe has spoken: as if it said yes. Returns how many. */
size_t sbl_forest_shares(double shares[SBL_FOREST_MOST_ROUNDS], const sbl_pairs_setting *setting);

/* What the probe found. */
typedef enum sbl_forest_answer {
    SBL_FOREST_NOT_ASKED, /* yet, or at all */
    SBL_FOREST_NO,
    SBL_FOREST_YES,
    SBL_FOREST_FORCED /* yes, whatever the probe says: SBL_FOREST_ALWAYS */
} sbl_forest_answer;

/* What it found of one column: by trees grown for it, and by blind ones. */
typedef struct sbl_forest_finding {
    size_t column;
    sbl_forest_surprise grown, blind;
} sbl_forest_finding;

/* What one release measures. */
typedef struct sbl_forest_plan {
    const sbl_pairs_plan *tables;     /* NULL: none */
    const sbl_trees *trees;           /* NULL: none */
    double tables_share, trees_share; /* of mu^2 */
    /* For a probe: how many of the model's rows fall into each entry of its tables, and the number of rows. It
     * is in the plan, so that the release alone shows what the probe found. */
    const uint32_t *expected;
    size_t expected_rows; /* 0: no probe */
    /* What this release and those after it may spend, where the probe has just spoken; 0 of them: as it
     * was. They sum to what was left. */
    double rest[SBL_FOREST_MOST_ROUNDS];
    size_t rest_count;
    sbl_forest_answer answer; /* and what it rests on */
    const sbl_forest_finding *found;
    size_t found_count;
    double loss;                       /* what pairs would lose by forests, of their expected error */
    size_t chosen[SBL_FOREST_TARGETS]; /* columns that get forests, where the answer is not no */
    size_t chosen_count;
} sbl_forest_plan;

typedef struct sbl_forest_selection sbl_forest_selection;

/* Bytes that a selection of this setting may take at most; SIZE_MAX when they cannot be counted. */
size_t sbl_forest_selection_bytes(const sbl_pairs_setting *setting);
/* As sbl_pairs_selection_usual_bytes; where there is a probe, as if it said yes (forests) or no. */
double sbl_forest_selection_usual_bytes(const sbl_pairs_setting *setting, bool forests);

/* As sbl_pairs_selection_seconds; where there is a probe, as if it said yes (forests) or no. */
sbl_status sbl_forest_selection_seconds(double *seconds, double *processor, const sbl_pairs_setting *setting,
                                        bool forests, size_t threads, sbl_error *err);

/* As sbl_pairs_selection_new. */
sbl_status sbl_forest_selection_new(sbl_forest_selection **selection, const sbl_pairs_setting *setting,
                                    size_t limit, sbl_error *err);
void sbl_forest_selection_free(sbl_forest_selection *selection);
void sbl_forest_selection_set_rows(sbl_forest_selection *selection, double rows);
void sbl_forest_selection_set_progress(sbl_forest_selection *selection, sbl_progress_span progress);

/* What to measure next, until the next call that changes the selection. Takes a fit of the model so far
 * where trees are grown on it.   Returns: SBL_OK, with neither tables nor trees: nothing more; SBL_EMEM,
 * SBL_ESTOPPED */
sbl_status sbl_forest_selection_plan(sbl_forest_selection *selection, sbl_forest_plan *plan, sbl_error *err);

/* What a release says. tables, trees: what was planned, or read back; NULL where it has none. */
typedef struct sbl_forest_release {
    const sbl_pairs_plan *tables;
    const double *const *values; /* by table */
    const double *noise;         /* by table */
    const sbl_trees *trees;
    const sbl_pairs_plan *codes; /* of the trees: a map of level SBL_PAIRS_CODES of each column */
    const double *leaf_values;   /* (trees->entry_count): noisy counts */
    double leaf_noise;           /* standard deviation of an entry */
    const uint32_t *expected;    /* of a probe's plan, (trees->entry_count), and of how many rows */
    size_t expected_rows;
} sbl_forest_release;

/* The next release.
 * Returns: SBL_OK; SBL_EINPUT when it is not one of this round; SBL_EMEM, SBL_ESTOPPED */
sbl_status sbl_forest_selection_take(sbl_forest_selection *selection, const sbl_forest_release *release,
                                     sbl_error *err);

/* The codes that the trees of a plan are over, one map a column. */
sbl_status sbl_forest_selection_codes(const sbl_forest_selection *selection, sbl_pairs_plan *codes,
                                      sbl_error *err);

/* After the last release. */
sbl_status sbl_forest_selection_fit(sbl_forest_selection *selection, sbl_pairs_model *model, sbl_error *err);

/* ---- draws from the posterior (after/pairs/pairs_posterior.h) ---- */

/* After all releases; base: the fit, borrowed as the selection is.   Owner: the caller,
 * sbl_pairs_posterior_free() */
struct sbl_pairs_posterior;
sbl_status sbl_forest_posterior_new(struct sbl_pairs_posterior **posterior, sbl_forest_selection *selection,
                                    const sbl_pairs_model *base, sbl_error *err);
/* Replace the values of release `round` by moved ones: all of them, from 0 on. */
sbl_status sbl_forest_selection_move(sbl_forest_selection *selection, size_t round,
                                     const sbl_forest_release *release, sbl_error *err);
/* Draw `number`, from 0, of a table of `rows` records. brief: for pictures, with fewer sweeps. */
sbl_status sbl_forest_posterior_draw(struct sbl_pairs_posterior *posterior, sbl_forest_selection *selection,
                                     sbl_pairs_model *model, uint64_t number, double rows, bool brief,
                                     sbl_error *err);

#endif
