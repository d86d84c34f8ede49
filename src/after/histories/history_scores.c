/* SPDX-License-Identifier: Apache-2.0 */
/* Places of codes and groups, and the line between two groups that a code lies on. */
#include "after/histories/history_scores.h"

#include <math.h>

#define LEAST_SHARE 1e-9 /* of a cell, so that every code has a place */
#define MOST_BEYOND 1.0  /* steps between groups: how far a line goes on */

sbl_status sbl_history_scores_init(sbl_history_scores *scores, sbl_pool *pool, size_t most, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_POOL(pool, scores->own_groups, most, 1, "a fit of histories");
    SBL_POOL(pool, scores->codes, most, 1, "a fit of histories");
    SBL_POOL(pool, scores->mass, most, 1, "a fit of histories");
    SBL_POOL(pool, scores->near, most, 1, "a fit of histories");
    SBL_POOL(pool, scores->along, most, 1, "a fit of histories");
done:
    return status;
}

/* The mean number of the cells of each code. */
static void place_codes(sbl_history_scores *scores, const sbl_history_selection *selection, size_t base,
                        size_t codes)
{
    const sbl_pairs_column *column = &selection->tree->columns[base];
    const uint32_t *of = selection->codes[base].of;
    const double *fine = selection->bases[base].fine;
    for (size_t v = 0; v < codes; v++) scores->codes[v] = scores->mass[v] = 0;
    for (uint32_t c = 0; c < column->ordered; c++) {
        scores->codes[of[c]] += (fine[c] + LEAST_SHARE) * c;
        scores->mass[of[c]] += fine[c] + LEAST_SHARE;
    }
    for (size_t v = 0; v < codes; v++)
        if (scores->mass[v] > 0) scores->codes[v] /= scores->mass[v];
}

/* The first `ordered` codes around their mean, all others at it; then groups at the mean of their codes. */
static void centre(sbl_history_scores *scores, const sbl_known_side *known, const double *shares,
                   size_t codes, size_t ordered)
{
    double sum = 0, all = 0;
    for (size_t v = 0; v < ordered; v++) {
        sum += (shares[v] + LEAST_SHARE) * scores->codes[v];
        all += shares[v] + LEAST_SHARE;
    }
    for (size_t v = 0; v < codes; v++) scores->codes[v] = v < ordered ? scores->codes[v] - sum / all : 0;
    for (size_t g = 0; g < known->groups; g++) scores->own_groups[g] = scores->mass[g] = 0;
    for (size_t v = 0; v < codes; v++) {
        scores->own_groups[known->of[v]] += (shares[v] + LEAST_SHARE) * scores->codes[v];
        scores->mass[known->of[v]] += shares[v] + LEAST_SHARE;
    }
    for (size_t g = 0; g < known->groups; g++) scores->own_groups[g] /= fmax(scores->mass[g], LEAST_SHARE);
}

/* Between which places each ordered code lies; beyond the outermost ones the line goes on. */
static void set_between(sbl_history_scores *scores, const sbl_known_side *known, size_t ordered)
{
    const double *places = scores->own_groups;
    const uint32_t last = known->of[ordered - 1];
    for (size_t v = 0; v < ordered && last > 0; v++) {
        const double at = scores->codes[v];
        uint32_t g = known->of[v];
        if (g == last || (g > 0 && at < places[g])) g--;
        const double step = places[g + 1] - places[g];
        scores->near[v] = g;
        scores->along[v] = step > 0 ? fmin(fmax((at - places[g]) / step, -MOST_BEYOND), 1 + MOST_BEYOND) : 0;
    }
}

double sbl_history_scores_ratio(const sbl_history_scores *rows, const sbl_history_scores *columns,
                                const double *ratios, size_t wide, size_t row, size_t column)
{
    const double *at = ratios + rows->near[row] * wide + columns->near[column];
    const double s = rows->along[row], t = columns->along[column];
    double ratio = (1 - s) * (1 - t) * at[0];
    if (t != 0) ratio += (1 - s) * t * at[1];
    if (s != 0) ratio += s * (1 - t) * at[wide];
    if (s != 0 && t != 0) ratio += s * t * at[wide + 1];
    return fmax(ratio, 0);
}

void sbl_history_scores_set(sbl_history_scores *scores, const sbl_history_selection *selection,
                            const sbl_walk *walk, size_t side, const sbl_known_side *known,
                            const double *shares)
{
    const sbl_history_shape *shape = walk->shape;
    const sbl_pairs_column column = sbl_side_column(shape, walk->codes[shape->sides[side].base], side);
    const size_t base = sbl_tree_side_base(selection->tree, shape->number[side]);
    scores->groups = NULL;
    for (size_t v = 0; v < column.cells; v++) {
        scores->near[v] = known->of[v];
        scores->along[v] = 0;
    }
    if (column.kind != SBL_PAIRS_NUMBER || column.ordered < 2) return;
    if (base != SBL_HISTORY_NONE)
        place_codes(scores, selection, base, column.cells);
    else
        for (size_t v = 0; v < column.cells; v++) scores->codes[v] = (double)v;
    centre(scores, known, shares, column.cells, column.ordered);
    set_between(scores, known, column.ordered);
    scores->groups = scores->own_groups;
}
