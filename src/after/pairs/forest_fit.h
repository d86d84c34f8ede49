/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Tables of trees in the fit: what they add to the model of pairs, and how rows are fitted to them.
 *
 * Let Y be the noisy shares of a tree's entries, P those of the rows of a model, v the variance of Y and T the
 * number of trees of a family (of one release and kind). The energy that a model leaves unexplained is
 *     e = mean over trees of |Y - P|^2 - v cells,   with standard error v sqrt(2 cells of all) / T,
 * and rho = (e - w) / mean of sum P^2 says how much of it is not sampling error: w = (1 / n + 1 / N)
 * (1 - sum P^2) is the difference between n records and N rows of the same distribution. The parameters phi
 * of a tree have ridge .5 v / c, c = max(e, .1 v sqrt(2 cells of all / T)), e against the model of pairs alone. */
#ifndef SBL_PAIRS_FOREST_FIT_H
#define SBL_PAIRS_FOREST_FIT_H

#include "after/pairs/feedback.h"
#include "after/pairs/pairs_model.h"
#include "base/progress.h"

/* Trees that were measured together and are alike. */
typedef struct sbl_forest_family {
    size_t first, count; /* trees */
    double noise;        /* standard deviation of an entry, in records */
    bool silent;         /* compared with the rows, but no part of the model */
} sbl_forest_family;

/* What a family shows that a model has not. */
typedef struct sbl_forest_surprise {
    double energy, error; /* in squared shares, of one tree */
    double effect;        /* rho */
} sbl_forest_surprise;

/* All tables of trees so far. */
typedef struct sbl_forest_tables {
    const sbl_trees *trees;
    const double *values; /* (trees->entry_count): noisy counts */
    const sbl_forest_family *families;
    size_t family_count;
    size_t sweeps;                /* with trees */
    sbl_forest_surprise *against; /* (family_count), out: against the model of pairs alone */
    sbl_forest_surprise *left;    /* of the targets alone, after the sweeps; or NULL */
} sbl_forest_tables;

/* counts: of the model's rows; n: rows of the table. */
sbl_forest_surprise sbl_forest_compare(const sbl_forest_tables *tables, size_t family, const uint32_t *counts,
                                       size_t row_count, double n);
/* The same for the target alone: Y - P minus, in each leaf, the part of the leaf's own surprise that its target
 * entries would have, P(entry | leaf) times its sum. Structure among the columns that a tree splits on is then
 * not a surprise. */
sbl_forest_surprise sbl_forest_compare_target(const sbl_forest_tables *tables, size_t family,
                                              const uint32_t *counts, size_t row_count, double n);

/* After a fit of pairs: the trees join the model and its rows are held to them as well. goal: of pairs. */
sbl_status sbl_forest_hold(sbl_pairs_model *model, sbl_forest_tables *tables, const sbl_feedback_goal *goal,
                           double n, const sbl_progress_span *progress, sbl_error *err);

#endif
