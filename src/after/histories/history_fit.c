/* SPDX-License-Identifier: Apache-2.0 */
/* [6] The fit: persons first; their numbers of events and first times; then the events of these persons. */
#include <math.h>
#include <string.h>

#include "after/histories/history_feedback.h"
#include "after/histories/history_sampler.h"
#include "after/histories/history_selection_internal.h"
#include "after/histories/history_targets.h"

#define WHAT "a fit of histories"
#define SWEEPS 30
#define STEP 0.2f
#define EVENT_SWEEP 1000 /* numbers of sweeps for each walk: persons' come first */
#define SILENT 1e-6      /* of a cell that is taken to hold nothing: counts where a code has no other */

/* ---- how codes divide into cells ---- */

/* For one base; uniform where a code has no mass, over the bins that are not silent if it has any. */
static void set_shares(sbl_history_model *model, const sbl_history_selection *selection, size_t base,
                       double *mass, double *number)
{
    const sbl_known_base *known = &selection->bases[base];
    const uint32_t *of = selection->codes[base].of;
    const size_t at = model->cells_at[base], cells = model->cells_at[base + 1] - at;
    memset(mass, 0, SBL_PAIRS_MOST_CELLS * sizeof *mass);
    memset(number, 0, SBL_PAIRS_MOST_CELLS * sizeof *number);
    for (size_t c = 0; c < cells; c++) {
        mass[of[c]] += known->fine[c];
        number[of[c]] += sbl_pairs_histogram_silent(&known->histogram, (uint32_t)c) ? SILENT : 1.0;
    }
    for (size_t c = 0; c < cells; c++) {
        const bool silent = sbl_pairs_histogram_silent(&known->histogram, (uint32_t)c);
        const double even = (silent ? SILENT : 1.0) / number[of[c]];
        model->code_of[at + c] = of[c];
        model->share[at + c] = (float)(mass[of[c]] > 0.0 ? known->fine[c] / mass[of[c]] : even);
    }
}

static sbl_status set_cells(sbl_history_model *model, const sbl_history_selection *selection, sbl_error *err)
{
    const sbl_history_tree *tree = selection->tree;
    double *scratch = NULL;
    sbl_status status = SBL_OK;
    model->base_count = tree->base_count;
    model->person_count = tree->person_count;
    model->link_count = tree->link_count;
    SBL_POOL(&model->pool, model->links, tree->link_count, 1, WHAT);
    SBL_POOL(&model->pool, model->cells_at, tree->base_count + 1, 1, WHAT);
    SBL_POOL(&model->pool, model->codes, tree->base_count, 1, WHAT);
    SBL_ALLOC(scratch, 2 * (size_t)SBL_PAIRS_MOST_CELLS, WHAT);
    for (size_t b = 0; b < tree->base_count; b++) {
        model->cells_at[b + 1] = model->cells_at[b] + tree->columns[b].cells;
        model->codes[b] = selection->code_counts[b];
    }
    SBL_POOL(&model->pool, model->code_of, model->cells_at[tree->base_count], 1, WHAT);
    SBL_POOL(&model->pool, model->share, model->cells_at[tree->base_count], 1, WHAT);
    for (size_t b = 0; b < tree->base_count; b++)
        set_shares(model, selection, b, scratch, scratch + SBL_PAIRS_MOST_CELLS);
done:
    sbl_free(scratch);
    return status;
}

static sbl_status set_tables(sbl_history_model *model, const sbl_history_selection *selection, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_POOL(&model->pool, model->tables, selection->table_count, 1, WHAT);
    for (size_t t = 0; t < selection->table_count; t++) {
        model->tables[t][0] = selection->tables[t].first;
        model->tables[t][1] = selection->tables[t].second;
    }
    model->table_count = selection->table_count;
done:
    return status;
}

/* ---- walks ---- */

/* Fit one walk: its rows, and its parameters in the model. */
static sbl_status fit_walk(sbl_history_model *model, sbl_history_field *field,
                           const sbl_history_selection *selection, const sbl_walk *walk,
                           const sbl_walk_rows *rows, sbl_history_margins *margins, uint64_t first_sweep,
                           const sbl_progress_span *progress, sbl_error *err)
{
    const sbl_walk_gaps gaps = sbl_history_model_gaps(model, walk->shape);
    sbl_history_targets targets = {0};
    sbl_status status = SBL_OK;
    field->bias_size = walk->bias_size;
    field->theta_size = walk->table_size;
    SBL_POOL(&model->pool, field->bias, walk->bias_size, 1, WHAT);
    SBL_POOL(&model->pool, field->theta, walk->table_size, 1, WHAT);
    SBL_TRY(sbl_history_targets_init(&targets, margins, selection, walk, err));
    const sbl_history_goal goal = {targets.shares, targets.targets, targets.even, targets.ridges};
    const sbl_history_rule rule = {.sweeps = SWEEPS,
                                   .step = STEP,
                                   .seed = selection->setting.seed,
                                   .first_sweep = first_sweep,
                                   .progress = progress};
    sbl_history_start_bias(walk, field->bias, targets.shares, targets.never);
    SBL_TRY(sbl_history_feedback(walk, rows, &gaps, field->bias, field->theta, &goal, &rule, err));
done:
    sbl_history_targets_clear(&targets);
    return status;
}

static sbl_status fit_persons(sbl_history_model *model, const sbl_history_selection *selection,
                              const sbl_progress_span *progress, sbl_error *err)
{
    sbl_walk walk = {0};
    sbl_history_margins margins = {0};
    sbl_status status = SBL_OK;
    model->persons = sbl_history_state_persons(selection->persons, sbl_history_mean_events(selection));
    SBL_POOL(&model->pool, model->person_rows, model->persons, model->person_count, WHAT);
    SBL_TRY(sbl_history_margins_init(&margins, &selection->tree->links[0], err));
    SBL_TRY(sbl_walk_init(&walk, &selection->tree->links[0], model->codes, false,
                          (const uint32_t(*)[2])model->tables, model->table_count, err));
    const sbl_walk_rows rows = {.persons = model->persons, .rows = model->person_rows};
    SBL_TRY(fit_walk(model, &model->field, selection, &walk, &rows, &margins, 0, progress, err));
done:
    sbl_history_margins_clear(&margins);
    sbl_walk_clear(&walk);
    return status;
}

static bool has_links(const sbl_history_tree *tree, size_t parent)
{
    for (size_t l = 0; l < tree->link_count; l++)
        if (tree->links[l].parent == parent) return true;
    return false;
}

/* The events of one link, which refer to rows of the pass. */
static sbl_status fit_link(sbl_history_model *model, sbl_history_pass *pass,
                           const sbl_history_selection *selection, size_t link,
                           const sbl_progress_span *progress, sbl_error *err)
{
    const sbl_history_tree *tree = selection->tree;
    const sbl_walk_rows *rows = NULL;
    sbl_walk walk = {0};
    sbl_history_margins margins = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_history_margins_init(&margins, &tree->links[link], err));
    SBL_TRY(sbl_walk_init(&walk, &tree->links[link], model->codes, true, (const uint32_t(*)[2])model->tables,
                          model->table_count, err));
    SBL_TRY(sbl_history_pass_events(pass, tree, link, NULL, model->seed, 0, err));
    rows = &pass->links[link].rows;
    SBL_TRY(sbl_history_margins_count(&margins, &walk, rows, err));
    SBL_TRY(fit_walk(model, &model->links[link].field, selection, &walk, rows, &margins,
                     EVENT_SWEEP * (1 + link), progress, err));
    SBL_TRY(sbl_history_model_keep(model, pass, tree, link, err));
    if (has_links(tree, link)) SBL_TRY(sbl_history_pass_spread(pass, model, tree, link, model->seed, 0, err));
done:
    sbl_history_margins_clear(&margins);
    sbl_walk_clear(&walk);
    return status;
}

static sbl_status fit_events(sbl_history_model *model, const sbl_history_selection *selection,
                             const sbl_progress_span *progress, sbl_error *err)
{
    const sbl_history_tree *tree = selection->tree;
    sbl_history_pass pass = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_history_pass_persons(&pass, model, tree, model->person_rows, model->seed, 0, err));
    for (size_t l = 0; l < tree->link_count; l++) {
        const sbl_progress_span span = sbl_progress_range(progress, l, l + 1, tree->link_count, NULL);
        SBL_TRY(fit_link(model, &pass, selection, l, &span, err));
    }
done:
    sbl_history_pass_clear(&pass);
    return status;
}

sbl_status sbl_history_selection_fit(sbl_history_selection *selection, sbl_history_model *model,
                                     const sbl_progress_span *progress, sbl_error *err)
{
    const sbl_progress_span first = sbl_progress_range(progress, 0, 1, 4, NULL);
    const sbl_progress_span second = sbl_progress_range(progress, 1, 4, 4, NULL);
    sbl_status status = SBL_OK;
    *model = (sbl_history_model){.seed = selection->setting.seed};
    if (sbl_history_selection_plan(selection) != NULL)
        return sbl_fail(err, SBL_EARG,
                        "a release of the method 'histories' is missing: give all release files of the run");
    if (selection->round == 1) SBL_TRY(sbl_history_index_codes(selection, err));
    SBL_TRY(set_cells(model, selection, err));
    SBL_TRY(set_tables(model, selection, err));
    SBL_TRY(fit_persons(model, selection, &first, err));
    SBL_TRY(fit_events(model, selection, &second, err));
done:
    if (status != SBL_OK) sbl_history_model_clear(model);
    return status;
}
