/* SPDX-License-Identifier: Apache-2.0 */
/* Rehearses the first release with even shares and takes the tables that the second one would have. */
#include "after/histories/history_forecast.h"

#include <math.h>
#include <stdlib.h>

#include "after/counts/relations.h"
#include "base/alloc.h"

#define WHAT "what is to be expected"

static double noise_of(const sbl_history_setting *setting, const sbl_pairs_table *table)
{
    return sqrt(setting->sensitivity2 / table->precision) / setting->mu;
}

static sbl_status take_even(sbl_history_selection *selection, const sbl_history_setting *setting,
                            sbl_error *err)
{
    const sbl_pairs_plan *plan = sbl_history_selection_plan(selection);
    sbl_pool pool = {0};
    const double **values = NULL;
    double *noise = NULL;
    sbl_status status = SBL_OK;
    SBL_POOL(&pool, values, plan->table_count, 1, WHAT);
    SBL_POOL(&pool, noise, plan->table_count, 1, WHAT);
    for (size_t t = 0; t < plan->table_count; t++) {
        const size_t entries = sbl_pairs_table_entries(plan, t);
        double *even = NULL;
        SBL_POOL(&pool, even, entries, 1, WHAT);
        for (size_t i = 0; i < entries; i++) even[i] = setting->persons / (double)entries;
        values[t] = even;
        noise[t] = noise_of(setting, &plan->tables[t]);
    }
    SBL_TRY(sbl_history_selection_take(selection, plan, NULL, values, noise, err));
done:
    sbl_pool_clear(&pool);
    return status;
}

static bool is_context(sbl_side_kind kind)
{
    return kind == SBL_SIDE_POSITION || kind == SBL_SIDE_CALENDAR || kind == SBL_SIDE_LEFT;
}

static bool looks_back(sbl_side_kind kind) { return kind == SBL_SIDE_PREVIOUS || kind == SBL_SIDE_MEMORY; }

/* SBL_HISTORY_RELATIONS: of none of these kinds, such as a column with its place. */
static sbl_history_relation relation_of(const sbl_history_tree *tree, size_t first, size_t second)
{
    const sbl_tree_table table = sbl_tree_table_of(tree, first, second);
    if (table.first == SBL_NO_SIDE || table.second == SBL_NO_SIDE) return SBL_HISTORY_RELATIONS;
    const sbl_side_kind a = tree->links[table.link].sides[table.first].kind;
    const sbl_side_kind b = tree->links[table.link].sides[table.second].kind;
    if (is_context(a) || is_context(b)) return SBL_HISTORY_RELATIONS;
    if (looks_back(a) || looks_back(b)) return SBL_RELATION_PREVIOUS;
    if (table.sort == SBL_OF_PERSONS) return SBL_RELATION_OF_PERSON;
    return a == b ? SBL_RELATION_OF_ROW : SBL_RELATION_ABOVE;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* hidden: (tables), scratch */
static void sum_up(sbl_history_expected *expected, double *hidden, const sbl_history_selection *selection,
                   const sbl_history_tree *tree, const sbl_history_setting *setting)
{
    const sbl_pairs_plan *plan = sbl_history_selection_plan(selection);
    for (int kind = 0; kind <= SBL_HISTORY_RELATIONS; kind++) {
        size_t count = 0;
        for (size_t t = 0; t < plan->table_count; t++) {
            const sbl_pairs_table *table = &plan->tables[t];
            const sbl_pairs_map *a = &plan->maps[table->first], *b = &plan->maps[table->second];
            if ((int)relation_of(tree, a->column, b->column) != kind) continue;
            const double below =
                sbl_relation_hidden(a->cells, b->cells, noise_of(setting, table), setting->persons);
            hidden[count++] = below;
            expected->measured++;
            if (below < 1.0 - 1.0 / fmin(a->cells, b->cells)) expected->possible++;
        }
        if (kind == SBL_HISTORY_RELATIONS || count == 0) continue;
        qsort(hidden, count, sizeof *hidden, ascending);
        expected->hidden[kind] = fmin(1.0, hidden[count / 2]);
    }
}

sbl_status sbl_history_expect(sbl_history_expected *expected, const sbl_history_tree *tree,
                              const sbl_history_setting *setting, sbl_error *err)
{
    sbl_history_selection *selection = NULL;
    double *hidden = NULL;
    sbl_status status = SBL_OK;
    *expected = (sbl_history_expected){0};
    SBL_TRY(sbl_history_selection_new(&selection, tree, setting, err));
    SBL_TRY(take_even(selection, setting, err));
    const sbl_pairs_plan *plan = sbl_history_selection_plan(selection);
    if (plan == NULL) goto done;
    SBL_ALLOC(hidden, plan->table_count, WHAT);
    sum_up(expected, hidden, selection, tree, setting);
done:
    sbl_free(hidden);
    sbl_history_selection_free(selection);
    return status;
}
