/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Which columns trees are for. One that the user named, or the label; without either the columns that the
 * model of the sketch explains least: what pairs say of them all is known, and what more there may be to say
 * is most where little was said. */
#include <math.h>
#include <string.h>

#include "after/counts/bin_codes.h"
#include "after/forest/forest_internal.h"
#include "after/forest/tree_grow.h"
#include "base/alloc.h"

#define EFFECT 0.06         /* rho from which the probe says yes, */
#define SURE 3.0            /* if it is this number of standard errors above 0; */
#define SURE_OF_MANY 4.0    /* of the best of up to 16 families */
#define LEAST_IMPURITY 0.05 /* of a column's cells: what is nearly constant has no forest */
#define LOOK_ROWS 4000      /* of the model, to see how far it explains a column */
#define LOOK_LEAVES 32
#define LOOK_CELLS 10
#define LOOK_STREAM (UINT64_C(1) << 39)

/* ---- targets of a list of trees ---- */

sbl_status sbl_forest_begin(const sbl_forest_selection *s, sbl_trees *trees, sbl_error *err)
{
    const size_t count = s->pairs->setting.count;
    uint32_t *codes = NULL;
    sbl_status status = SBL_OK;
    sbl_trees_clear(trees);
    SBL_ALLOC(codes, count, "trees");
    for (size_t j = 0; j < count; j++) codes[j] = s->pairs->columns[j].codes.cells;
    SBL_TRY(sbl_trees_init(trees, codes, count, err));
done:
    sbl_free(codes);
    return status;
}

sbl_status sbl_forest_add_target(const sbl_forest_selection *s, sbl_trees *trees, size_t column,
                                 const sbl_selection_margins *margins, uint32_t most, sbl_error *err)
{
    const sbl_pairs_column *facts = &s->pairs->facts[column];
    const sbl_known_column *known = &s->pairs->columns[column];
    const double *shares = margins->shares + known->at;
    const bool few = known->codes.cells <= most;
    sbl_pairs_map groups = {.column = (uint32_t)column, .cells = known->codes.cells};
    uint16_t *of = NULL;
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    SBL_POOL(&pool, of, known->codes.cells, 1, "trees");
    SBL_POOL(&pool, groups.of, facts->cells, 1, "trees");
    if (!few) SBL_TRY(sbl_pairs_merge_groups(&groups, &known->codes, facts, shares, most, err));
    for (uint32_t c = 0; c < facts->cells; c++)
        of[known->codes.of[c]] = (uint16_t)(few ? known->codes.of[c] : groups.of[c]);
    SBL_TRY(sbl_trees_add_target(trees, (uint32_t)column, groups.cells, of, err));
done:
    sbl_pool_clear(&pool);
    return status;
}

/* ---- candidates ---- */

typedef struct candidate {
    size_t column;
    double left; /* part of its impurity that the model's rows leave, given the other columns */
} candidate;

/* Gini's impurity of a column's cells, and the part of it that a tree on the model's own rows leaves. */
static sbl_status look_at(candidate *look, double *impurity, const sbl_forest_selection *s,
                          const sbl_grow_rows *on, const sbl_selection_margins *margins, sbl_error *err)
{
    sbl_trees trees = {0};
    uint32_t *leaves = NULL, *counts = NULL;
    const sbl_grow_rule rule = {.trees = 1,
                                .leaves = LOOK_LEAVES,
                                .seed = s->pairs->setting.seed,
                                .stream = LOOK_STREAM + look->column};
    double within = 0, squares[LOOK_CELLS] = {0}, whole = 1;
    const double rows = (double)on->row_count;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_forest_begin(s, &trees, err));
    SBL_TRY(sbl_forest_add_target(s, &trees, look->column, margins, LOOK_CELLS, err));
    SBL_TRY(sbl_trees_grow(&trees, 0, on, &rule, err));
    SBL_ALLOC(leaves, on->row_count, "trees");
    SBL_ALLOC(counts, trees.entry_count, "trees");
    sbl_trees_find(&trees, leaves, on->rows, on->row_count, on->width);
    sbl_trees_count(&trees, counts, leaves, on->rows, on->row_count, on->width);
    const size_t cells = trees.targets[0].cells;
    for (size_t leaf = 0; leaf < trees.leaf_count; leaf++) {
        double sum = 0, square = 0;
        for (size_t c = 0; c < cells; c++) {
            const double n = counts[leaf * cells + c];
            sum += n;
            square += n * n;
            squares[c] += n;
        }
        if (sum > 0) within += sum - square / sum;
    }
    for (size_t c = 0; c < cells; c++) whole -= squares[c] / rows * (squares[c] / rows);
    *impurity = whole;
    look->left = within / (rows * fmax(whole, 1e-9));
done:
    sbl_free(leaves);
    sbl_free(counts);
    sbl_trees_clear(&trees);
    return status;
}

/* The candidates stay sorted: what is explained least comes first, among equals the first column. */
static void insert(candidate *best, size_t *count, candidate look)
{
    size_t at = *count < SBL_FOREST_TARGETS ? (*count)++ : SBL_FOREST_TARGETS;
    while (at > 0 && best[at - 1].left < look.left) {
        if (at < SBL_FOREST_TARGETS) best[at] = best[at - 1];
        at--;
    }
    if (at < SBL_FOREST_TARGETS) best[at] = look;
}

static sbl_status explained_least(const sbl_forest_selection *s, const sbl_pairs_model *model,
                                  size_t *columns, size_t *count, sbl_error *err)
{
    const sbl_grow_rows on = {model->rows, model->row_count < LOOK_ROWS ? model->row_count : LOOK_ROWS,
                              sbl_potts_row(&model->potts), s->ordered};
    candidate best[SBL_FOREST_TARGETS];
    sbl_selection_margins margins;
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    *count = 0;
    SBL_TRY(sbl_selection_margins_init(&margins, &pool, s->pairs, err));
    for (size_t j = 0; j < s->pairs->setting.count; j++) {
        candidate look = {.column = j};
        double impurity = 0;
        if (s->pairs->columns[j].codes.cells < 2) continue;
        SBL_TRY(look_at(&look, &impurity, s, &on, &margins, err));
        if (impurity >= LEAST_IMPURITY) insert(best, count, look);
    }
    for (size_t i = 0; i < *count; i++) columns[i] = best[i].column;
done:
    sbl_pool_clear(&pool);
    return status;
}

sbl_status sbl_forest_candidates(const sbl_forest_selection *s, const sbl_pairs_model *model,
                                 size_t columns[SBL_FOREST_TARGETS], size_t *count, sbl_error *err)
{
    const sbl_pairs_setting *setting = &s->pairs->setting;
    if (setting->target_count > 0) {
        *count = setting->target_count;
        memcpy(columns, setting->targets, *count * sizeof *columns);
        return SBL_OK;
    }
    if (setting->label != SBL_PAIRS_NO_COLUMN) {
        columns[0] = setting->label;
        *count = 1;
        return SBL_OK;
    }
    return explained_least(s, model, columns, count, err);
}

/* ---- the probe's answer ---- */

static bool surprises(const sbl_forest_surprise *found, double sure)
{
    return found->effect > EFFECT && found->energy > sure * found->error;
}

/* The larger effect of what surprises; 0: nothing does. */
static double effect_of(const sbl_forest_surprise *grown, const sbl_forest_surprise *blind, double sure)
{
    return fmax(surprises(grown, sure) ? grown->effect : 0, surprises(blind, sure) ? blind->effect : 0);
}

static double sure_of(const sbl_forest_selection *s) { return s->found_count > 1 ? SURE_OF_MANY : SURE; }

double sbl_forest_gain(const sbl_forest_selection *s, const sbl_forest_finding *finding)
{
    return effect_of(&finding->grown, &finding->blind, sure_of(s));
}

static double errors_of(const sbl_forest_surprise *found) { return found->energy / found->error; }

/* Of the columns that are not chosen the one with the largest effect that the model leaves; where nothing
 * stands out and none was chosen, the one with the most errors. found_count: there is none. */
static size_t next_choice(const sbl_forest_selection *s, const size_t *columns, size_t count)
{
    size_t best = s->found_count;
    double most = 0;
    for (size_t i = 0; i < s->found_count; i++) {
        const sbl_forest_surprise *grown = count > 0 ? &s->left[i] : &s->found[i].grown;
        const sbl_forest_surprise *blind = count > 0 ? &s->left[s->found_count + i] : &s->found[i].blind;
        double effect = effect_of(grown, blind, sure_of(s));
        for (size_t k = 0; k < count; k++)
            if (columns[k] == s->found[i].column) effect = 0;
        if (effect > most) {
            most = effect;
            best = i;
        }
    }
    if (count > 0 || best < s->found_count) return best;
    for (size_t i = best = 0; i < s->found_count; i++)
        if (fmax(errors_of(&s->found[i].grown), errors_of(&s->found[i].blind)) >
            fmax(errors_of(&s->found[best].grown), errors_of(&s->found[best].blind)))
            best = i;
    return best;
}

void sbl_forest_silence(sbl_forest_selection *s, const size_t *columns, size_t count)
{
    for (size_t i = 0; i < 2 * s->found_count; i++) {
        s->families[i].silent = true;
        for (size_t k = 0; k < count; k++)
            if (sbl_forest_column(s, i) == columns[k]) s->families[i].silent = false;
    }
}

sbl_status sbl_forest_fit_so_far(sbl_forest_selection *s, sbl_pairs_model *model, size_t rows, size_t sweeps,
                                 sbl_error *err)
{
    const size_t state = s->pairs->state_rows;
    sbl_forest_tables tables = {.trees = &s->taken,
                                .values = s->values,
                                .families = s->families,
                                .family_count = s->family_count,
                                .sweeps = sweeps,
                                .against = s->against,
                                .left = s->left};
    s->pairs->state_rows = rows;
    const sbl_status status = sbl_selection_fit(s->pairs, model, s->family_count > 0 ? &tables : NULL,
                                                s->round > SBL_FOREST_THIRD, err);
    s->pairs->state_rows = state;
    return status;
}

sbl_status sbl_forest_choose(sbl_forest_selection *s, size_t columns[SBL_FOREST_CHOSEN], size_t *count,
                             sbl_pairs_model *model, sbl_error *err)
{
    *count = 0;
    while (*count < SBL_FOREST_CHOSEN) {
        const size_t next = next_choice(s, columns, *count);
        if (next == s->found_count) break;
        columns[(*count)++] = s->found[next].column;
        sbl_forest_silence(s, columns, *count);
        sbl_pairs_model_clear(model);
        SBL_CHECK(sbl_forest_fit_so_far(s, model, sbl_forest_between_rows(s->pairs->state_rows),
                                        SBL_FOREST_PROBE_SWEEPS, err));
    }
    return SBL_OK;
}
