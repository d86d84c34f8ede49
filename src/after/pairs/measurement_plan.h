/* SPDX-License-Identifier: Apache-2.0 */
/* [6] The method `pairs`, from public facts to a model: which tables to measure next, given those
 * that were, and the model of largest entropy that agrees with them all.
 *
 *     sbl_pairs_selection_new(&selection, &setting, err);
 *     while ((plan = sbl_pairs_selection_plan(selection)) != NULL) {
 *         ... release the tables of the plan ...
 *         sbl_pairs_selection_take(selection, plan, values, noise, err);
 *     }
 *     sbl_pairs_selection_fit(selection, &model, err);
 *
 * One to three releases. All of it is post-processing: what a plan holds follows from public facts
 * and earlier releases, so that releases compose adaptively. A selection that takes plans read from
 * files instead of its own fits the same model from the same releases. */
#ifndef SBL_PAIRS_MEASUREMENT_PLAN_H
#define SBL_PAIRS_MEASUREMENT_PLAN_H

#include "after/pairs/pairs_model.h"
#include "base/progress.h"
#include "public/counts/pairs_plan.h"

typedef struct sbl_pairs_selection sbl_pairs_selection;

/* Bytes that a selection of this setting may take at most, before anything is known but public facts;
 * SIZE_MAX when they cannot be counted. */
size_t sbl_pairs_selection_bytes(const sbl_pairs_setting *setting);
/* The same for what a run usually takes, which is far less: a marginal of two columns has few of the codes that it may have. */
double sbl_pairs_selection_usual_bytes(const sbl_pairs_setting *setting);
/* About how long the plans of a selection, its fit and drawing as many rows take with this number of threads, in
 * wall and processor time. It rehearses a small part on made-up numbers and uses only public facts.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_pairs_selection_seconds(double *seconds, double *processor, const sbl_pairs_setting *setting,
                                       size_t threads, sbl_error *err);

/* limit: bytes it may take; 0: unlimited.
 * Returns: SBL_OK; SBL_EARG for an impossible setting, or one over the limit (the message says what
 * to leave out); SBL_EMEM
 * Owner: the caller, sbl_pairs_selection_free() */
sbl_status sbl_pairs_selection_new(sbl_pairs_selection **selection, const sbl_pairs_setting *setting,
                                   size_t limit, sbl_error *err);
void sbl_pairs_selection_free(sbl_pairs_selection *selection);

/* The number of rows as it is known once there is a release, before that is taken: it was planned
 * for setting.rows, a guess, and stays planned so. */
void sbl_pairs_selection_set_rows(sbl_pairs_selection *selection, double rows);

/* The listener while a release is taken or the model fitted, which may stop it (SBL_ESTOPPED); none at first. */
void sbl_pairs_selection_set_progress(sbl_pairs_selection *selection, sbl_progress_span progress);

/* What to measure next, until the next call that changes the selection; NULL: nothing more. */
const sbl_pairs_plan *sbl_pairs_selection_plan(const sbl_pairs_selection *selection);

/* The next release. plan: the selection's own, or one read back. values: by table, noisy counts; noise:
 * by table, the standard deviation of an entry (> 0).
 * Returns: SBL_OK, SBL_EINPUT when the plan is not one of this round, SBL_EMEM */
sbl_status sbl_pairs_selection_take(sbl_pairs_selection *selection, const sbl_pairs_plan *plan,
                                    const double *const *values, const double *noise, sbl_error *err);

/* After the last release; the selection can be fitted again with the same result.
 * Returns: SBL_OK, SBL_EARG before the last release was taken, SBL_EMEM */
sbl_status sbl_pairs_selection_fit(sbl_pairs_selection *selection, sbl_pairs_model *model, sbl_error *err);

#endif
