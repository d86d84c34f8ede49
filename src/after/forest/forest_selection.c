/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Between two releases of `forest`: fits the model of the releases so far and grows the next trees on its
 * rows. The plan of the fourth release shows what the probe decided (it has trees or not), so later rounds
 * do not decide again. */
#include "after/forest/forest.h"

#include <math.h>
#include <string.h>

#include "after/forest/forest_internal.h"
#include "base/alloc.h"

#define LABEL_PART (0.2 / 0.53) /* of the precise tables, to the label's pairs: as pairs has it */

/* ---- a selection ---- */

void sbl_forest_selection_free(sbl_forest_selection *selection)
{
    if (selection == NULL) return;
    sbl_pairs_selection_free(selection->pairs);
    sbl_trees_clear(&selection->taken);
    sbl_trees_clear(&selection->next);
    sbl_free(selection->values);
    sbl_free(selection->ordered);
    sbl_free(selection->expected);
    sbl_free(selection);
}

sbl_status sbl_forest_selection_new(sbl_forest_selection **selection, const sbl_pairs_setting *setting,
                                    size_t limit, sbl_error *err)
{
    sbl_forest_selection *made = NULL;
    sbl_status status = SBL_OK;
    *selection = NULL;
    SBL_ALLOC(made, 1, "the tables of a selection");
    SBL_ALLOC(made->ordered, setting->count, "the tables of a selection");
    SBL_TRY(sbl_pairs_selection_new(&made->pairs, setting, limit, err));
    *selection = made;
    made = NULL;
done:
    sbl_forest_selection_free(made);
    return status;
}

void sbl_forest_selection_set_rows(sbl_forest_selection *selection, double rows)
{
    sbl_pairs_selection_set_rows(selection->pairs, rows);
}

void sbl_forest_selection_set_progress(sbl_forest_selection *selection, sbl_progress_span progress)
{
    sbl_pairs_selection_set_progress(selection->pairs, progress);
}

/* ---- taking a release ---- */

static sbl_status not_of_this_round(sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT,
                    "a release has the plan of another round: use the release files of this run");
}

/* Has the release what its round may have? The fourth: tables, and trees where the probe said yes. */
static bool is_of_round(const sbl_forest_selection *s, const sbl_forest_release *release)
{
    const bool tables = release->tables != NULL, trees = release->trees != NULL;
    if (!s->pairs->shape.forest || s->round < SBL_FOREST_PROBE) return tables && !trees;
    if (s->round == SBL_FOREST_PRECISE) return tables;
    return trees && !tables && (s->round == SBL_FOREST_PROBE || s->forests) && s->round <= SBL_FOREST_THIRD;
}

/* Trees are over the codes of the selection, and no others. */
static bool same_codes(const sbl_pairs_selection *pairs, const sbl_pairs_plan *codes)
{
    if (codes->map_count != pairs->setting.count) return false;
    for (size_t j = 0; j < pairs->setting.count; j++) {
        const sbl_pairs_map *map = &codes->maps[j], *own = &pairs->columns[j].codes;
        if (map->column != j || map->cells != own->cells ||
            memcmp(map->of, own->of, pairs->facts[j].cells * sizeof *map->of) != 0)
            return false;
    }
    return true;
}

/* Trees of one kind and column that follow each other are a family. first, end: of the trees. */
static bool add_families(sbl_forest_selection *s, size_t first, size_t end, double noise)
{
    for (size_t t = first; t < end; t++) {
        if (t > first && s->taken.trees[t].target == s->taken.trees[t - 1].target) {
            s->families[s->family_count - 1].count++;
            continue;
        }
        if (s->family_count == SBL_FOREST_MOST_FAMILIES) return false;
        s->families[s->family_count++] = (sbl_forest_family){.first = t, .count = 1, .noise = noise};
    }
    return true;
}

/* A probe: half of its families are grown, half blind, for the same columns in the same order. What it says
 * of the model that its trees were grown on; of several columns, what it says of each itself. */
static bool hear_probe(sbl_forest_selection *s, const sbl_forest_release *release)
{
    const sbl_forest_tables tables = {.trees = &s->taken, .values = s->values, .families = s->families};
    sbl_forest_surprise found[2];
    s->found_count = s->family_count / 2;
    if (s->family_count % 2 != 0 || s->found_count > SBL_FOREST_TARGETS) return false;
    sbl_forest_surprise (*compare)(const sbl_forest_tables *, size_t, const uint32_t *, size_t, double) =
        s->found_count > 1 ? sbl_forest_compare_target : sbl_forest_compare;
    for (size_t i = 0; i < s->found_count; i++) {
        if (sbl_forest_column(s, i) != sbl_forest_column(s, s->found_count + i)) return false;
        for (size_t half = 0; half < 2; half++)
            found[half] = compare(&tables, half * s->found_count + i, release->expected,
                                  release->expected_rows, s->pairs->setting.rows);
        s->found[i] = (sbl_forest_finding){sbl_forest_column(s, i), found[0], found[1]};
    }
    return true;
}

/* The columns that the trees of a list are for. */
static size_t columns_of(size_t columns[SBL_FOREST_CHOSEN], const sbl_trees *trees)
{
    size_t count = 0;
    for (size_t g = 0; g < trees->target_count && count < SBL_FOREST_CHOSEN; g++)
        columns[count++] = trees->targets[g].column;
    return count;
}

static sbl_status append_trees(sbl_forest_selection *s, const sbl_forest_release *release, sbl_error *err)
{
    const sbl_trees *trees = release->trees;
    const size_t entries = s->taken.entry_count;
    sbl_status status = SBL_OK;
    if (s->taken.column_count == 0)
        SBL_TRY(sbl_trees_init(&s->taken, trees->codes, trees->column_count, err));
    SBL_TRY(sbl_trees_append(&s->taken, trees, 0, trees->tree_count, err));
    SBL_RESIZE(s->values, s->taken.entry_count, "the tables of a selection");
    memcpy(s->values + entries, release->leaf_values, trees->entry_count * sizeof *s->values);
done:
    return status;
}

static sbl_status take_trees(sbl_forest_selection *s, const sbl_forest_release *release, sbl_error *err)
{
    const size_t first = s->taken.tree_count, count = release->trees->tree_count;
    const bool probe = s->round == SBL_FOREST_PROBE;
    const size_t grown = probe ? count / 2 : count;
    size_t columns[SBL_FOREST_CHOSEN];
    if (!same_codes(s->pairs, release->codes) ||
        (probe && (release->expected == NULL || release->expected_rows == 0)))
        return not_of_this_round(err);
    if (!(release->leaf_noise > 0) || !isfinite(release->leaf_noise))
        return sbl_fail(err, SBL_EINPUT, "a table of the release has no noise");
    SBL_CHECK(append_trees(s, release, err));
    if (!add_families(s, first, first + grown, release->leaf_noise) ||
        !add_families(s, first + grown, first + count, release->leaf_noise) ||
        (probe && !hear_probe(s, release)))
        SBL_CHECK(not_of_this_round(err));
    if (s->round == SBL_FOREST_PRECISE) sbl_forest_silence(s, columns, columns_of(columns, release->trees));
    return SBL_OK;
}

sbl_status sbl_forest_selection_take(sbl_forest_selection *s, const sbl_forest_release *release,
                                     sbl_error *err)
{
    if (!is_of_round(s, release)) return not_of_this_round(err);
    if (release->tables != NULL)
        SBL_CHECK(sbl_pairs_selection_take(s->pairs, release->tables, release->values, release->noise, err));
    if (release->trees != NULL) SBL_CHECK(take_trees(s, release, err));
    if (s->round == SBL_FOREST_PRECISE) s->forests = release->trees != NULL;
    s->round++;
    return SBL_OK;
}

/* ---- plans ---- */

/* What the label gains is the part of its joint distribution that pairs leave unexplained. */
sbl_forest_answer sbl_forest_answer_to(double gain, double loss, bool asked_for)
{
    if (gain > loss) return SBL_FOREST_YES;
    return asked_for ? SBL_FOREST_FORCED : SBL_FOREST_NO;
}

static sbl_forest_answer answer_of(const sbl_forest_selection *s, double loss)
{
    double gain = 0;
    for (size_t i = 0; i < s->found_count; i++) gain = fmax(gain, sbl_forest_gain(s, &s->found[i]));
    return sbl_forest_answer_to(gain, loss,
                                s->pairs->setting.forest == SBL_FOREST_ALWAYS && s->found_count > 0);
}

/* The sketch's model on no more rows than trees of a probe can use: a probe that says no should cost little. */
static sbl_status fit_probe(sbl_forest_selection *s, sbl_pairs_model *model, sbl_error *err)
{
    return sbl_forest_fit_so_far(s, model, sbl_forest_probe_rows(s->pairs->state_rows), 0, err);
}

static sbl_status plan_probe(sbl_forest_selection *s, sbl_forest_plan *plan, sbl_error *err)
{
    sbl_pairs_model model = {0};
    sbl_status status;
    SBL_TRY(fit_probe(s, &model, err));
    SBL_TRY(sbl_forest_grow_probe(s, &model, err));
    plan->trees = &s->next;
    plan->trees_share = sbl_forest_share(&s->pairs->setting, SBL_FOREST_PROBE);
    plan->expected = s->expected;
    plan->expected_rows = model.row_count;
done:
    sbl_pairs_model_clear(&model);
    return status;
}

/* The probe asks for forests, or the user does: the first of them, and what is left is divided. */
static sbl_status plan_first_forest(sbl_forest_selection *s, sbl_forest_plan *plan, sbl_error *err)
{
    const sbl_pairs_setting *setting = &s->pairs->setting;
    sbl_pairs_model model = {0};
    sbl_status status;
    SBL_TRY(sbl_forest_choose(s, plan->chosen, &plan->chosen_count, &model, err));
    SBL_TRY(sbl_forest_grow(s, &model, plan->chosen, plan->chosen_count, err));
    plan->trees = &s->next;
    plan->trees_share = sbl_forest_share(setting, SBL_FOREST_PRECISE);
    plan->tables_share = sbl_forest_tables_share(setting);
    plan->rest[plan->rest_count++] = plan->tables_share + plan->trees_share;
    plan->rest[plan->rest_count++] = sbl_forest_share(setting, SBL_FOREST_SECOND);
    plan->rest[plan->rest_count++] = sbl_forest_share(setting, SBL_FOREST_THIRD);
    if (!(s->pairs->setting.label_share > 0)) s->pairs->label_part = LABEL_PART;
done:
    sbl_pairs_model_clear(&model);
    return status;
}

/* The fourth release: the probe has spoken. */
static sbl_status plan_precise(sbl_forest_selection *s, sbl_forest_plan *plan, sbl_error *err)
{
    SBL_CHECK(sbl_forest_loss(&plan->loss, s->pairs, err));
    plan->answer = answer_of(s, plan->loss);
    plan->found = s->found;
    plan->found_count = s->found_count;
    if (plan->answer == SBL_FOREST_NO) {
        plan->tables_share = plan->rest[plan->rest_count++] = sbl_forest_left();
    } else {
        SBL_CHECK(plan_first_forest(s, plan, err));
    }
    s->pairs->precise_share = plan->tables_share;
    sbl_pairs_plan_clear(&s->pairs->plan);
    SBL_CHECK(sbl_selection_plan_precise(s->pairs, err));
    plan->tables = &s->pairs->plan;
    return SBL_OK;
}

/* The fifth and the sixth: forests for the columns of the first ones. */
static sbl_status plan_forest(sbl_forest_selection *s, sbl_forest_plan *plan, sbl_error *err)
{
    sbl_pairs_model model = {0};
    size_t columns[SBL_FOREST_CHOSEN], count = 0;
    sbl_status status;
    for (size_t i = 2 * s->found_count; i < s->family_count && count < SBL_FOREST_CHOSEN; i++) {
        const size_t column = sbl_forest_column(s, i);
        if (count > 0 && column == columns[0]) break; /* those of the second forest */
        columns[count++] = column;
    }
    SBL_TRY(sbl_forest_fit_so_far(s, &model, sbl_forest_between_rows(s->pairs->state_rows),
                                  sbl_forest_sweeps[s->round], err));
    SBL_TRY(sbl_forest_grow(s, &model, columns, count, err));
    plan->trees = &s->next;
    plan->trees_share = sbl_forest_share(&s->pairs->setting, s->round);
done:
    sbl_pairs_model_clear(&model);
    return status;
}

sbl_status sbl_forest_selection_plan(sbl_forest_selection *s, sbl_forest_plan *plan, sbl_error *err)
{
    *plan = (sbl_forest_plan){0};
    if (!s->pairs->shape.forest || s->round < SBL_FOREST_PROBE) {
        const sbl_pairs_plan *tables = sbl_pairs_selection_plan(s->pairs);
        plan->tables = tables != NULL && tables->table_count > 0 ? tables : NULL;
        plan->tables_share = 1;
        return SBL_OK;
    }
    if (s->round == SBL_FOREST_PRECISE) return plan_precise(s, plan, err);
    if (s->round == SBL_FOREST_PROBE) return plan_probe(s, plan, err);
    if (s->forests && s->round <= SBL_FOREST_THIRD) return plan_forest(s, plan, err);
    return SBL_OK;
}

sbl_status sbl_forest_selection_codes(const sbl_forest_selection *s, sbl_pairs_plan *codes, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *codes = (sbl_pairs_plan){0};
    for (size_t j = 0; j < s->pairs->setting.count; j++)
        SBL_TRY(
            sbl_pairs_plan_add_map(codes, NULL, &s->pairs->columns[j].codes, s->pairs->facts[j].cells, err));
done:
    if (status != SBL_OK) sbl_pairs_plan_clear(codes);
    return status;
}

sbl_status sbl_forest_selection_fit(sbl_forest_selection *s, sbl_pairs_model *model, sbl_error *err)
{
    const size_t wanted = !s->pairs->shape.forest ? s->pairs->shape.rounds
                          : s->forests            ? SBL_FOREST_THIRD + 1
                                                  : SBL_FOREST_PRECISE + 1;
    *model = (sbl_pairs_model){0};
    if (s->round < wanted)
        return sbl_fail(err, SBL_EARG,
                        "a release of the method 'forest' is missing: give all release files of the run");
    /* Where the probe said no its trees are left out: what they show is less than their noise costs. */
    if (!s->forests) return sbl_selection_fit(s->pairs, model, NULL, true, err);
    const size_t columns = s->pairs->setting.count;
    const size_t rows = sbl_forest_last_rows(s->pairs->state_rows, columns);
    return sbl_forest_fit_so_far(s, model, rows, sbl_forest_last_sweeps(rows, columns), err);
}
