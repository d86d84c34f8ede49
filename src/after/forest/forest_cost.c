/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of `forest` before anything is read: its shares, and what a fit takes at most. */
#include <math.h>

#include "after/forest/forest_internal.h"

#define PROBE_SHARE 0.04
const size_t sbl_forest_sweeps[SBL_FOREST_MOST_ROUNDS] = {
    [SBL_FOREST_PRECISE] = SBL_FOREST_PROBE_SWEEPS, [SBL_FOREST_SECOND] = 8, [SBL_FOREST_THIRD] = 8};
static const double parts[SBL_FOREST_MOST_ROUNDS] = {/* of what forests get, .41 */
                                                     [SBL_FOREST_PRECISE] = 0.10,
                                                     [SBL_FOREST_SECOND] = 0.14,
                                                     [SBL_FOREST_THIRD] = 0.17};
const size_t sbl_forest_trees[SBL_FOREST_MOST_ROUNDS] = {
    [SBL_FOREST_PRECISE] = 16, [SBL_FOREST_SECOND] = 16, [SBL_FOREST_THIRD] = 32};

/* ---- shares ---- */

#define WHOLE 0.41        /* the largest part of mu^2 that forests get */
#define LEAST_TABLES 0.08 /* the smallest part that precise tables of pairs get beside them */
#define TOLD_COLUMNS 9.0  /* forests get WHOLE up to this number of columns: a tree of 512 leaves asks 9 */
#define PAIRS_KEEP 0.85   /* the part that pairs keep in the widest tables, of what the probe leaves */

double sbl_forest_left(void) { return 1 - 0.33 - 0.14 - PROBE_SHARE; }

/* The part of a table's columns that a tree asks. Leaves of trees tell of pairs of these columns, too. */
static double told(const sbl_pairs_setting *setting)
{
    return fmin(TOLD_COLUMNS / (double)setting->count, 1);
}

double sbl_forest_whole(const sbl_pairs_setting *setting)
{
    return fmax(WHOLE * told(setting), (1 - PAIRS_KEEP) * sbl_forest_left());
}

double sbl_forest_tables_share(const sbl_pairs_setting *setting)
{
    return LEAST_TABLES + (WHOLE - sbl_forest_whole(setting));
}

double sbl_forest_share(const sbl_pairs_setting *setting, size_t round)
{
    return round == SBL_FOREST_PROBE ? PROBE_SHARE : parts[round] * (sbl_forest_whole(setting) / WHOLE);
}

size_t sbl_forest_shares(double shares[SBL_FOREST_MOST_ROUNDS], const sbl_pairs_setting *setting)
{
    const sbl_pairs_shape shape = sbl_pairs_shape_of(setting);
    for (size_t r = 0; r < shape.rounds; r++) shares[r] = shape.share[r];
    if (!shape.forest) return shape.rounds;
    for (size_t r = SBL_FOREST_PROBE; r < SBL_FOREST_MOST_ROUNDS; r++)
        shares[r] = sbl_forest_share(setting, r);
    shares[SBL_FOREST_PRECISE] += sbl_forest_tables_share(setting);
    return SBL_FOREST_MOST_ROUNDS;
}

sbl_status sbl_forest_loss(double *loss, sbl_pairs_selection *pairs, sbl_error *err)
{
    double alone, beside;
    const double left = sbl_forest_left();
    SBL_CHECK(sbl_selection_expected(&alone, pairs, left + PROBE_SHARE, err));
    SBL_CHECK(sbl_selection_expected(&beside, pairs, sbl_forest_tables_share(&pairs->setting), err));
    *loss = alone > 0 ? (1 - told(&pairs->setting)) * (beside / alone - 1) : 0;
    return SBL_OK;
}

#define PROBE_STATE 16384 /* rows: as many as give a sweep all its shards */

#define BETWEEN_STATE 8192
#define LAST_CELLS 1100000 /* most rows times columns of the last fit */
#define FEW_CELLS 300000   /* up to this number the last fit has twice the sweeps */
#define LAST_SWEEPS 9

static size_t at_most(size_t rows, size_t most) { return rows < most ? rows : most; }

size_t sbl_forest_probe_rows(size_t state) { return at_most(state, PROBE_STATE); }

size_t sbl_forest_between_rows(size_t state) { return at_most(state, BETWEEN_STATE); }

size_t sbl_forest_last_rows(size_t state, size_t columns)
{
    const size_t rows = LAST_CELLS / columns;
    return at_most(state, rows > BETWEEN_STATE ? rows : BETWEEN_STATE);
}

size_t sbl_forest_last_sweeps(size_t rows, size_t columns)
{
    return rows * columns > FEW_CELLS ? LAST_SWEEPS : 2 * LAST_SWEEPS;
}

#define USUAL_ENTRIES 256.0 /* leaves of a tree by cells of a target */
#define USUAL_LEAVES 256.0  /* of a tree */

static double most_trees(void)
{
    double trees = 2 * SBL_FOREST_TARGETS;
    for (size_t r = SBL_FOREST_PRECISE; r <= SBL_FOREST_THIRD; r++) trees += (double)sbl_forest_trees[r];
    return trees;
}

/* Leaves of each row of the state twice (in the fit, and to compare), and tables of trees, of which a fit
 * keeps about twelve arrays and one for each shard. */
static double bytes_of_trees(const sbl_pairs_setting *setting, double entries_a_tree)
{
    return most_trees() *
           (2 * (double)sbl_selection_state_rows(setting) * sizeof(uint32_t) + 112 * entries_a_tree);
}

/* What sweeps look up (gibbs_trees.h): a bit for every leaf, by code, and for each column of a row in every shard; and
 * the codes that lead to a leaf, by column. */
static double bytes_of_leaves(const sbl_pairs_setting *setting, double leaves, bool usually)
{
    const double codes = sbl_selection_codes(setting, usually), columns = (double)setting->count;
    const double sets = (codes + SBL_FEEDBACK_SHARDS * (columns + 1)) * leaves / 8;
    const double leading = (columns + codes / 32) * leaves * sizeof(uint32_t);
    const double lists = SBL_FEEDBACK_SHARDS * leaves * sizeof(uint32_t);
    return most_trees() * (sets + leading + lists);
}

double sbl_forest_selection_usual_bytes(const sbl_pairs_setting *setting, bool forests)
{
    const double pairs = sbl_pairs_selection_usual_bytes(setting);
    if (!forests || !sbl_pairs_shape_of(setting).forest) return pairs;
    return pairs + bytes_of_trees(setting, USUAL_ENTRIES) + bytes_of_leaves(setting, USUAL_LEAVES, true);
}

size_t sbl_forest_selection_bytes(const sbl_pairs_setting *setting)
{
    const size_t pairs = sbl_pairs_selection_bytes(setting);
    if (!sbl_pairs_shape_of(setting).forest) return pairs;
    const double bytes = (double)pairs +
                         bytes_of_trees(setting, SBL_FOREST_MOST_LEAVES * SBL_FOREST_MOST_CELLS) +
                         bytes_of_leaves(setting, SBL_FOREST_MOST_LEAVES, false);
    return bytes < 0x1p60 ? (size_t)bytes : SIZE_MAX;
}

/* Processor time per column of a row and tree: in any case, and where the path to the row's leaf asks the column. */
#define SECONDS_A_LOOK 3e-8
#define SECONDS_ASKED 4e-8
#define BETWEEN \
    0.5 /* a fit between releases, in fits after the last: for the probe (of its rows), and for each of */
#define FORESTS 3

/* Columns of rows, by trees: of all sweeps with trees, and of drawing the rows that the state does not have. */
static double looks_of(const sbl_pairs_setting *setting, size_t between, size_t last)
{
    double trees = 2 * SBL_FOREST_PROBE_TREES, looks = 0;
    for (size_t r = SBL_FOREST_PRECISE; r <= SBL_FOREST_THIRD; r++) {
        looks += trees * (double)sbl_forest_sweeps[r] * (double)between;
        trees += (double)sbl_forest_trees[r];
    }
    looks += trees * (double)sbl_forest_last_sweeps(last, setting->count) * (double)last;
    if (setting->rows > (double)last) looks += trees * setting->rows;
    return looks * (double)setting->count;
}

sbl_status sbl_forest_selection_seconds(double *seconds, double *processor, const sbl_pairs_setting *setting,
                                        bool forests, size_t threads, sbl_error *err)
{
    const sbl_status status = sbl_pairs_selection_seconds(seconds, processor, setting, threads, err);
    if (status != SBL_OK || !sbl_pairs_shape_of(setting).forest) return status;
    const size_t rows = sbl_selection_state_rows(setting), between = sbl_forest_between_rows(rows);
    const size_t last = forests ? sbl_forest_last_rows(rows, setting->count) : rows;
    const double look = SECONDS_A_LOOK + told(setting) * SECONDS_ASKED;
    const double more = forests ? looks_of(setting, between, last) * look : 0;
    const double probe = (double)sbl_forest_probe_rows(rows) + (forests ? FORESTS * (double)between : 0);
    const double fits = ((double)last + BETWEEN * probe) / (double)rows;
    const size_t shards = sbl_feedback_shards(last, 0);
    const double teams = fmin(fmax((double)threads, 1), (double)shards);
    *seconds = *seconds * fits + more / teams;
    *processor = *processor * fits + more;
    return SBL_OK;
}
