/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Energies of families of trees, their ridges, and the sweeps in which trees take part. */
#include "after/pairs/forest_fit.h"

#include <math.h>

#include "base/alloc.h"

#define RIDGE 0.5
#define DOUBT 0.1        /* of its error: the least energy of a family */
#define FIRST_SWEEP 2000 /* numbers of sweeps that no other run has */

sbl_forest_surprise sbl_forest_compare(const sbl_forest_tables *tables, size_t family, const uint32_t *counts,
                                       size_t row_count, double n)
{
    const sbl_forest_family *f = &tables->families[family];
    const double v = f->noise * f->noise / (n * n), trees = (double)f->count;
    double squares = 0, own = 0, cells = 0;
    for (size_t t = f->first; t < f->first + f->count; t++) {
        const size_t at = tables->trees->trees[t].at, entries = sbl_tree_entries(tables->trees, t);
        for (size_t i = at; i < at + entries; i++) {
            const double p = counts[i] / (double)row_count, off = tables->values[i] / n - p;
            squares += off * off;
            own += p * p;
        }
        cells += (double)entries;
    }
    const double sampled = (1 / n + 1 / (double)row_count) * (trees - own);
    return (sbl_forest_surprise){.energy = (squares - v * cells) / trees,
                                 .error = v * sqrt(2 * cells) / trees,
                                 .effect = (squares - v * cells - sampled) / own};
}

/* What one leaf adds: with p = P(cell | leaf) over C cells, the noise of the rest Y - P - p sum(Y - P) has the
 * covariance v M, M_ij = [i = j] - p_i - p_j + C p_i p_j. */
typedef struct leaf_sums {
    double squares, own;      /* of the rest, of P */
    double freedom, freedom2; /* traces of M and of its square */
    double sampled;           /* what one row of the distribution is worth: P (1 - sum p^2) */
} leaf_sums;

static void add_leaf(leaf_sums *sums, const double *values, const uint32_t *counts, size_t cells, double unit,
                     double n)
{
    double rows = 0, excess = 0, same = 0;
    for (size_t c = 0; c < cells; c++) {
        rows += counts[c];
        excess += values[c] / n - counts[c] * unit;
    }
    for (size_t c = 0; c < cells; c++) {
        const double p = rows > 0 ? counts[c] / rows : 1 / (double)cells, share = counts[c] * unit;
        const double rest = values[c] / n - share - p * excess;
        sums->squares += rest * rest;
        sums->own += share * share;
        same += p * p;
        for (size_t d = 0; d < cells; d++) {
            const double q = rows > 0 ? counts[d] / rows : 1 / (double)cells;
            const double m = (c == d ? 1 : 0) - p - q + (double)cells * p * q;
            sums->freedom += c == d ? m : 0;
            sums->freedom2 += m * m;
        }
    }
    sums->sampled += rows * unit * (1 - same);
}

sbl_forest_surprise sbl_forest_compare_target(const sbl_forest_tables *tables, size_t family,
                                              const uint32_t *counts, size_t row_count, double n)
{
    const sbl_forest_family *f = &tables->families[family];
    const double v = f->noise * f->noise / (n * n), trees = (double)f->count;
    const double unit = 1 / (double)row_count;
    leaf_sums sums = {0};
    for (size_t t = f->first; t < f->first + f->count; t++) {
        const sbl_tree *tree = &tables->trees->trees[t];
        const size_t cells = tables->trees->targets[tree->target].cells;
        for (size_t leaf = 0; leaf < tree->leaf_count; leaf++) {
            const size_t at = tree->at + leaf * cells;
            add_leaf(&sums, tables->values + at, counts + at, cells, unit, n);
        }
    }
    const double energy = sums.squares - v * sums.freedom;
    return (sbl_forest_surprise){.energy = energy / trees,
                                 .error = v * sqrt(2 * sums.freedom2) / trees,
                                 .effect = (energy - (1 / n + unit) * sums.sampled) / sums.own};
}

typedef struct holding {
    uint32_t *leaves, *counts;
    float *targets, *ridges;
    sbl_pool pool; /* of all these */
} holding;

static sbl_status holding_init(holding *h, const sbl_trees *trees, size_t rows, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_POOL(&h->pool, h->leaves, rows, trees->tree_count, "a fit of trees");
    SBL_POOL(&h->pool, h->counts, trees->entry_count, 1, "a fit of trees");
    SBL_POOL(&h->pool, h->targets, trees->entry_count, 1, "a fit of trees");
    SBL_POOL(&h->pool, h->ridges, trees->tree_count, 1, "a fit of trees");
done:
    return status;
}

/* The rows as they are: their entries of all tables. */
static void count_rows(holding *h, const sbl_forest_tables *tables, const sbl_pairs_model *model)
{
    const size_t width = sbl_potts_row(&model->potts);
    sbl_trees_find(tables->trees, h->leaves, model->rows, model->row_count, width);
    sbl_trees_count(tables->trees, h->counts, h->leaves, model->rows, model->row_count, width);
}

static float ridge_of(const sbl_forest_family *f, const sbl_forest_surprise *s, double n)
{
    const double v = f->noise * f->noise / (n * n);
    const double least = DOUBT * s->error * sqrt((double)f->count);
    return (float)(RIDGE * v / fmax(s->energy, least));
}

/* The families that are not silent join the model, with their targets and ridges. */
static sbl_status join(holding *h, sbl_pairs_model *model, const sbl_forest_tables *tables, double n,
                       sbl_error *err)
{
    const sbl_trees *own = &model->potts.trees;
    for (size_t i = 0; i < tables->family_count; i++) {
        const sbl_forest_family *f = &tables->families[i];
        const size_t trees = own->tree_count, entries = own->entry_count;
        const double *values = tables->values + tables->trees->trees[f->first].at;
        if (f->silent) continue;
        SBL_CHECK(sbl_potts_add_trees(&model->potts, tables->trees, f->first, f->count, err));
        for (size_t t = trees; t < own->tree_count; t++) h->ridges[t] = ridge_of(f, &tables->against[i], n);
        for (size_t e = entries; e < own->entry_count; e++) h->targets[e] = (float)(values[e - entries] / n);
    }
    return SBL_OK;
}

sbl_status sbl_forest_hold(sbl_pairs_model *model, sbl_forest_tables *tables, const sbl_feedback_goal *goal,
                           double n, const sbl_progress_span *progress, sbl_error *err)
{
    holding h = {0};
    sbl_status status;
    SBL_TRY(holding_init(&h, tables->trees, model->row_count, err));
    count_rows(&h, tables, model);
    for (size_t i = 0; i < tables->family_count; i++)
        tables->against[i] = sbl_forest_compare(tables, i, h.counts, model->row_count, n);
    SBL_TRY(join(&h, model, tables, n, err));
    sbl_feedback_goal both = *goal;
    both.leaf_targets = h.targets;
    both.leaf_ridges = h.ridges;
    const sbl_feedback_rule rule = {.sweeps = tables->sweeps,
                                    .gain = 4,
                                    .step = 0.2f,
                                    .seed = model->seed,
                                    .first_sweep = FIRST_SWEEP,
                                    .progress = progress};
    SBL_TRY(sbl_feedback_run(&model->potts, model->rows, model->row_count, &both, &rule, err));
    if (tables->left == NULL) goto done;
    count_rows(&h, tables, model);
    for (size_t i = 0; i < tables->family_count; i++)
        tables->left[i] = sbl_forest_compare_target(tables, i, h.counts, model->row_count, n);
done:
    sbl_pool_clear(&h.pool);
    return status;
}
