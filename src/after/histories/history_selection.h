/* SPDX-License-Identifier: Apache-2.0 */
/* [6] The method `histories`, from public facts to a model: which tables to measure, and the model whose
 * histories agree with them.
 *
 *     sbl_history_selection_new(&selection, &tree, &setting, err);
 *     while ((plan = sbl_history_selection_plan(selection)) != NULL) {
 *         ... release the tables of the plan, over sbl_history_selection_codes(selection) ...
 *         sbl_history_selection_take(selection, plan, codes, values, noise, err);
 *     }
 *     sbl_history_selection_fit(selection, &model, progress, err);
 *
 * Two releases: one-way tables of the persons' and the events' columns; then, over codes that hold more
 * than noise, the tables of every column with what it is drawn by. All of it is post-processing. */
#ifndef SBL_HISTORIES_HISTORY_SELECTION_H
#define SBL_HISTORIES_HISTORY_SELECTION_H

#include "after/counts/one_way.h"
#include "after/histories/history_model.h"
#include "base/progress.h"
#include "public/counts/history_tree.h"

#define SBL_HISTORY_ROUNDS 2

typedef struct sbl_history_setting {
    double persons;      /* that it is planned for: a guess until a release tells; at least 1 */
    double mu;           /* of all releases together */
    double sensitivity2; /* of one table: 1 (add-remove) or 2 */
    uint64_t seed;       /* public randomness of the fit */
    bool draw;           /* the releases are moved ones: the fit is a draw from the posterior */
} sbl_history_setting;

/* Of mu^2, by release. */
extern const double sbl_history_shares[SBL_HISTORY_ROUNDS];

typedef struct sbl_history_selection sbl_history_selection;

/* tree is borrowed.   Owner: the caller; sbl_history_selection_free() */
sbl_status sbl_history_selection_new(sbl_history_selection **selection, const sbl_history_tree *tree,
                                     const sbl_history_setting *setting, sbl_error *err);
void sbl_history_selection_free(sbl_history_selection *selection); /* NULL is fine */

/* What to measure next, until the next call that changes the selection; NULL: nothing more. The maps'
 * columns are sides. And the codes that the bases have in it (of NULL: their cells). */
const sbl_pairs_plan *sbl_history_selection_plan(const sbl_history_selection *selection);
const sbl_pairs_map *sbl_history_selection_codes(const sbl_history_selection *selection);

/* The next release: of the selection's own plan and codes, or of those read back. values, noise: by table.
 * Returns: SBL_OK, SBL_EINPUT when they are not of this round, SBL_EMEM */
sbl_status sbl_history_selection_take(sbl_history_selection *selection, const sbl_pairs_plan *plan,
                                      const sbl_pairs_map *codes, const double *const *values,
                                      const double *noise, sbl_error *err);

/* Persons, as the first release tells. */
double sbl_history_selection_persons(const sbl_history_selection *selection);

/* After the last release.   Returns: SBL_OK, SBL_EARG before it, SBL_ESTOPPED, SBL_EMEM */
sbl_status sbl_history_selection_fit(sbl_history_selection *selection, sbl_history_model *model,
                                     const sbl_progress_span *progress, sbl_error *err);

/* Bytes that a selection, its fit and its state may take at most. */
size_t sbl_history_selection_bytes(const sbl_history_tree *tree, const sbl_history_setting *setting);
/* The same for what a run with this number of events usually takes. */
double sbl_history_selection_usual_bytes(const sbl_history_tree *tree, const sbl_history_setting *setting,
                                         double events);

#endif
