/* [6] Energies of families of trees, their ridges, and the sweeps in which trees take part. */
#include "pairs/forest_fit.h"

#include <math.h>

#include "base/memory.h"

#define RIDGE 0.5
#define DOUBT 0.1        /* of its error: the least energy of a family */
#define FIRST_SWEEP 2000 /* numbers of sweeps that no other run has */

sbl_forest_surprise sbl_forest_compare(const sbl_forest_tables *tables, size_t family,
                                       const uint32_t *counts, size_t row_count, double n)
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

static void set_ridges(holding *h, const sbl_forest_tables *tables, double n)
{
    for (size_t i = 0; i < tables->family_count; i++) {
        const sbl_forest_family *f = &tables->families[i];
        const sbl_forest_surprise *s = &tables->against[i];
        const double v = f->noise * f->noise / (n * n);
        const double least = DOUBT * s->error * sqrt((double)f->count);
        for (size_t t = f->first; t < f->first + f->count; t++)
            h->ridges[t] = (float)(RIDGE * v / fmax(s->energy, least));
    }
}

sbl_status sbl_forest_hold(sbl_pairs_model *model, sbl_forest_tables *tables,
                           const sbl_feedback_goal *goal, double n,
                           const sbl_progress_span *progress, sbl_error *err)
{
    const sbl_trees *trees = tables->trees;
    const size_t width = sbl_potts_row(&model->potts);
    holding h = {0};
    sbl_status status;
    SBL_TRY(holding_init(&h, trees, model->row_count, err));
    sbl_trees_find(trees, h.leaves, model->rows, model->row_count, width);
    sbl_trees_count(trees, h.counts, h.leaves, model->rows, model->row_count, width);
    for (size_t i = 0; i < tables->family_count; i++)
        tables->against[i] = sbl_forest_compare(tables, i, h.counts, model->row_count, n);
    if (tables->sweeps == 0) goto done;
    set_ridges(&h, tables, n);
    for (size_t i = 0; i < trees->entry_count; i++) h.targets[i] = (float)(tables->values[i] / n);
    SBL_TRY(sbl_potts_add_trees(&model->potts, trees, err));
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
done:
    sbl_pool_clear(&h.pool);
    return status;
}
