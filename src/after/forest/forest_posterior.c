/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Draws from the posterior of a model of pairs and trees (after/pairs/pairs_posterior.h). */
#include <math.h>
#include <string.h>

#include "after/forest/forest_internal.h"
#include "after/pairs/pairs_posterior.h"
#include "base/alloc.h"

#define SWEEPS 6       /* with trees, from rows that fit the pairs */
#define BRIEF_SWEEPS 2 /* the same for pictures, which show one column or two: the pairs hold most of these */

sbl_status sbl_forest_posterior_new(sbl_pairs_posterior **posterior, sbl_forest_selection *s,
                                    const sbl_pairs_model *base, sbl_error *err)
{
    return sbl_pairs_posterior_new(posterior, s->pairs, base, err);
}

sbl_status sbl_forest_selection_move(sbl_forest_selection *s, size_t round, const sbl_forest_release *release,
                                     sbl_error *err)
{
    if (round == 0) s->moved = 0;
    if (release->tables != NULL)
        SBL_CHECK(
            sbl_pairs_selection_move(s->pairs, round, release->tables, release->values, release->noise, err));
    if (release->trees == NULL) return SBL_OK;
    const size_t entries = release->trees->entry_count;
    if (entries > s->taken.entry_count - s->moved)
        return sbl_fail(err, SBL_EINPUT,
                        "a release has the plan of another round: use the release files of this run");
    memcpy(s->values + s->moved, release->leaf_values, entries * sizeof *s->values);
    s->moved += entries;
    return SBL_OK;
}

/* The moved values have the noise of the release and as much again: what a family leaves unexplained is measured
 * against both. */
sbl_status sbl_forest_posterior_draw(sbl_pairs_posterior *posterior, sbl_forest_selection *s,
                                     sbl_pairs_model *model, uint64_t number, double rows, bool brief,
                                     sbl_error *err)
{
    sbl_forest_family families[SBL_FOREST_MOST_FAMILIES];
    sbl_forest_tables tables = {.trees = &s->taken,
                                .values = s->values,
                                .families = families,
                                .family_count = s->family_count,
                                .sweeps = brief ? BRIEF_SWEEPS : SWEEPS,
                                .against = s->against};
    for (size_t i = 0; i < s->family_count; i++) {
        families[i] = s->families[i];
        families[i].noise *= sqrt(2.0);
    }
    return sbl_pairs_posterior_draw(posterior, model, number, rows, s->forests ? &tables : NULL, err);
}
