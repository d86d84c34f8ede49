/* SPDX-License-Identifier: Apache-2.0 */
/* [6] The trees of the next release, grown on the rows of the model of those before it: how many, how large,
 * for which columns. */
#include <math.h>

#include "after/forest/forest_internal.h"
#include "after/forest/tree_grow.h"
#include "base/alloc.h"

#define LEAST_LEAVES 8
#define TARGET_CELLS 10u /* of a target that is a number, has many categories, or was not asked for */

/* Codes of a number that lie in order. */
static void find_order(sbl_forest_selection *s)
{
    for (size_t j = 0; j < s->pairs->setting.count; j++) {
        const sbl_pairs_column *facts = &s->pairs->facts[j];
        s->ordered[j] =
            facts->kind == SBL_PAIRS_NUMBER ? s->pairs->columns[j].codes.of[facts->ordered - 1] + 1 : 0;
    }
}

/* Cells of a column's target at most: categories of a label or of a column that was named keep their own. */
static uint32_t cells_of(const sbl_forest_selection *s, size_t column)
{
    const sbl_pairs_setting *setting = &s->pairs->setting;
    const bool asked_for = setting->target_count > 0 || setting->label == column;
    return asked_for && s->pairs->facts[column].kind != SBL_PAIRS_NUMBER &&
                   s->pairs->columns[column].codes.cells <= SBL_FOREST_MOST_CELLS
               ? SBL_FOREST_MOST_CELLS
               : TARGET_CELLS;
}

/* L = n mu sqrt(share) / (C D): an entry of leaf x target holds on average one standard deviation of what
 * its noise would be if the share bought one tree. */
static uint32_t leaves_for(const sbl_forest_selection *s, uint32_t target, double share)
{
    const sbl_pairs_setting *setting = &s->pairs->setting;
    const double leaves =
        setting->rows * sqrt(share) / (sbl_pairs_unit_noise(setting) * s->next.targets[target].cells);
    return (uint32_t)fmin(fmax(leaves, LEAST_LEAVES), SBL_FOREST_MOST_LEAVES);
}

static sbl_grow_rows rows_of(const sbl_forest_selection *s, const sbl_pairs_model *model)
{
    return (sbl_grow_rows){model->rows, model->row_count, sbl_potts_row(&model->potts), s->ordered};
}

/* Streams of a round's target. */
static uint64_t stream_of(size_t round, size_t target)
{
    return (uint64_t)round << 20 | (uint64_t)target << 12;
}

/* Blind trees of many columns ask about halves of each, so that they can ask more columns: a relation of
 * four columns that their halves show needs all four in one tree. */
static sbl_status add_targets(sbl_forest_selection *s, const size_t *columns, size_t count, bool probe,
                              sbl_error *err)
{
    sbl_selection_margins margins;
    sbl_pool pool = {0};
    sbl_status status;
    SBL_TRY(sbl_forest_begin(s, &s->next, err));
    SBL_TRY(sbl_selection_margins_init(&margins, &pool, s->pairs, err));
    for (size_t i = 0; i < count; i++)
        SBL_TRY(sbl_forest_add_target(s, &s->next, columns[i], &margins, cells_of(s, columns[i]), err));
    for (size_t i = 0; probe && count > 1 && i < count; i++)
        SBL_TRY(sbl_forest_add_target(s, &s->next, columns[i], &margins, 2, err));
done:
    sbl_pool_clear(&pool);
    return status;
}

/* ---- a probe ---- */

/* How many of the model's rows have each entry of the trees that were just grown on them. */
static sbl_status count_expected(sbl_forest_selection *s, const sbl_pairs_model *model, sbl_error *err)
{
    const size_t width = sbl_potts_row(&model->potts);
    uint32_t *leaves;
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    SBL_POOL(&pool, leaves, model->row_count, s->next.tree_count, "trees");
    SBL_RESIZE(s->expected, s->next.entry_count, "trees");
    sbl_trees_find(&s->next, leaves, model->rows, model->row_count, width);
    sbl_trees_count(&s->next, s->expected, leaves, model->rows, model->row_count, width);
done:
    sbl_pool_clear(&pool);
    return status;
}

sbl_status sbl_forest_grow_probe(sbl_forest_selection *s, const sbl_pairs_model *model, sbl_error *err)
{
    const sbl_grow_rows on = rows_of(s, model);
    const double share = sbl_forest_share(&s->pairs->setting, SBL_FOREST_PROBE);
    size_t columns[SBL_FOREST_TARGETS], count = 0;
    find_order(s);
    SBL_CHECK(sbl_forest_candidates(s, model, columns, &count, err));
    SBL_CHECK(add_targets(s, columns, count, true, err));
    for (size_t half = 0; half < 2; half++)
        for (size_t i = 0; i < count; i++) {
            const uint32_t target = (uint32_t)(half == 1 && count > 1 ? count + i : i);
            const uint32_t leaves = leaves_for(s, target, share) / 4;
            const sbl_grow_rule rule = {
                .trees = count < SBL_FOREST_PROBE_TREES ? SBL_FOREST_PROBE_TREES / count : 1,
                .leaves = leaves < LEAST_LEAVES ? LEAST_LEAVES : leaves,
                .seed = s->pairs->setting.seed,
                .stream = stream_of(SBL_FOREST_PROBE, i)};
            SBL_CHECK(half == 0 ? sbl_trees_grow(&s->next, target, &on, &rule, err)
                                : sbl_trees_grow_blind(&s->next, target, &on, &rule, err));
        }
    return count_expected(s, model, err);
}

/* ---- a forest ---- */

sbl_status sbl_forest_grow(sbl_forest_selection *s, const sbl_pairs_model *model, const size_t *columns,
                           size_t count, sbl_error *err)
{
    const sbl_grow_rows on = rows_of(s, model);
    const size_t trees = sbl_forest_trees[s->round];
    find_order(s);
    SBL_CHECK(add_targets(s, columns, count, false, err));
    for (size_t i = 0; i < count; i++) {
        const sbl_grow_rule rule = {
            .trees = trees * (i + 1) / count - trees * i / count,
            .leaves =
                leaves_for(s, (uint32_t)i, sbl_forest_share(&s->pairs->setting, s->round) / (double)count),
            .seed = s->pairs->setting.seed,
            .stream = stream_of(s->round, i)};
        SBL_CHECK(sbl_trees_grow(&s->next, (uint32_t)i, &on, &rule, err));
    }
    return SBL_OK;
}
