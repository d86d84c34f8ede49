/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of `forest` before anything is read: its shares, and what a fit takes at most. */
#include <math.h>

#include "after/forest/forest_internal.h"

#define PROBE_SHARE 0.04
const size_t sbl_forest_sweeps[SBL_FOREST_MOST_ROUNDS] = {
    [SBL_FOREST_PRECISE] = SBL_FOREST_PROBE_SWEEPS, [SBL_FOREST_SECOND] = 8, [SBL_FOREST_THIRD] = 8};
const double sbl_forest_share[SBL_FOREST_MOST_ROUNDS] = {[SBL_FOREST_PROBE] = PROBE_SHARE,
                                                         [SBL_FOREST_PRECISE] = 0.10,
                                                         [SBL_FOREST_SECOND] = 0.14,
                                                         [SBL_FOREST_THIRD] = 0.17};
const size_t sbl_forest_trees[SBL_FOREST_MOST_ROUNDS] = {
    [SBL_FOREST_PRECISE] = 16, [SBL_FOREST_SECOND] = 16, [SBL_FOREST_THIRD] = 32};

/* ---- shares ---- */

double sbl_forest_left(void) { return 1 - 0.33 - 0.14 - PROBE_SHARE; }

size_t sbl_forest_shares(double shares[SBL_FOREST_MOST_ROUNDS], const sbl_pairs_shape *shape)
{
    for (size_t r = 0; r < shape->rounds; r++) shares[r] = shape->share[r];
    if (!shape->forest) return shape->rounds;
    shares[SBL_FOREST_PROBE] = PROBE_SHARE;
    shares[SBL_FOREST_PRECISE] = SBL_FOREST_PRECISE_SHARE + sbl_forest_share[SBL_FOREST_PRECISE];
    shares[SBL_FOREST_SECOND] = sbl_forest_share[SBL_FOREST_SECOND];
    shares[SBL_FOREST_THIRD] = sbl_forest_share[SBL_FOREST_THIRD];
    return SBL_FOREST_MOST_ROUNDS;
}

#define PROBE_STATE 16384 /* rows: as many as give a sweep all its shards */

size_t sbl_forest_probe_rows(size_t state) { return state < PROBE_STATE ? state : PROBE_STATE; }

/* Leaves of each row of the state twice (in the fit, and to compare), and tables of trees, of which a fit
 * keeps about twelve arrays and one for each shard. */
static double bytes_of_trees(const sbl_pairs_setting *setting, double entries_a_tree)
{
    double trees = 2 * SBL_FOREST_TARGETS;
    for (size_t r = SBL_FOREST_PRECISE; r <= SBL_FOREST_THIRD; r++) trees += (double)sbl_forest_trees[r];
    return trees * (2 * (double)sbl_selection_state_rows(setting) * sizeof(uint32_t) + 112 * entries_a_tree);
}

#define USUAL_ENTRIES 256.0 /* leaves of a tree by cells of a target */

double sbl_forest_selection_usual_bytes(const sbl_pairs_setting *setting, bool forests)
{
    const double pairs = sbl_pairs_selection_usual_bytes(setting);
    const bool has = forests && sbl_pairs_shape_of(setting).forest;
    return has ? pairs + bytes_of_trees(setting, USUAL_ENTRIES) : pairs;
}

size_t sbl_forest_selection_bytes(const sbl_pairs_setting *setting)
{
    const size_t pairs = sbl_pairs_selection_bytes(setting);
    if (!sbl_pairs_shape_of(setting).forest) return pairs;
    const double bytes =
        (double)pairs + bytes_of_trees(setting, SBL_FOREST_MOST_LEAVES * SBL_FOREST_MOST_CELLS);
    return bytes < 0x1p60 ? (size_t)bytes : SIZE_MAX;
}

/* Processor time per column of a row and tree: about this number of nodes are visited. */
#define SECONDS_A_WALK 1.3e-7
#define BETWEEN \
    0.5 /* a fit between releases, in fits after the last: for the probe (of its rows), and for each of */
#define FORESTS 3

/* Walks of all sweeps with trees. */
static double walks_of(const sbl_pairs_setting *setting)
{
    double trees = 2 * SBL_FOREST_PROBE_TREES, walks = 0;
    for (size_t r = SBL_FOREST_PRECISE; r <= SBL_FOREST_THIRD; r++) {
        walks += trees * (double)sbl_forest_sweeps[r];
        trees += (double)sbl_forest_trees[r];
    }
    return (walks + trees * SBL_FOREST_LAST_SWEEPS) * (double)sbl_selection_state_rows(setting) *
           (double)setting->count;
}

sbl_status sbl_forest_selection_seconds(double *seconds, double *processor, const sbl_pairs_setting *setting,
                                        bool forests, size_t threads, sbl_error *err)
{
    const sbl_status status = sbl_pairs_selection_seconds(seconds, processor, setting, threads, err);
    if (status != SBL_OK || !sbl_pairs_shape_of(setting).forest) return status;
    const double more = forests ? walks_of(setting) * SECONDS_A_WALK : 0;
    const size_t rows = sbl_selection_state_rows(setting);
    const double probe = (double)sbl_forest_probe_rows(rows) / (double)rows;
    const double fits = 1 + BETWEEN * (forests ? probe + FORESTS : probe);
    const size_t shards = sbl_feedback_shards(rows, 0);
    const double teams = fmin(fmax((double)threads, 1), (double)shards);
    *seconds = *seconds * fits + more / teams;
    *processor = *processor * fits + more;
    return SBL_OK;
}
