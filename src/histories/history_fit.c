/* [6] The fit: persons first; their numbers of events and first times; then the events of these persons. */
#include <math.h>
#include <string.h>

#include "histories/history_feedback.h"
#include "histories/history_sampler.h"
#include "histories/history_targets.h"
#include "histories/selection_parts.h"

#define WHAT "a fit of histories"
#define SWEEPS 30
#define STEP 0.2f
#define EVENT_SWEEP 1000 /* the number of the first sweep over events: persons' come before */
#define SILENT 1e-6 /* of a cell that is taken to hold nothing: counts where a code has no other */

/* ---- how codes divide into cells ---- */

/* Of one base; even where a code has no mass, over the cells that are not silent if it has any. */
static void set_shares(sbl_history_model *model, const sbl_history_selection *selection,
                       size_t base, double *mass, double *number)
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

static sbl_status set_cells(sbl_history_model *model, const sbl_history_selection *selection,
                            sbl_error *err)
{
    const sbl_history_shape *shape = selection->shape;
    double *scratch = NULL;
    sbl_status status = SBL_OK;
    model->base_count = shape->base_count;
    model->person_count = shape->person_count;
    SBL_POOL(&model->pool, model->cells_at, shape->base_count + 1, 1, WHAT);
    SBL_POOL(&model->pool, model->codes, shape->base_count, 1, WHAT);
    SBL_ALLOC(scratch, 2 * (size_t)SBL_PAIRS_MOST_CELLS, WHAT);
    for (size_t b = 0; b < shape->base_count; b++) {
        model->cells_at[b + 1] = model->cells_at[b] + shape->columns[b].cells;
        model->codes[b] = selection->code_counts[b];
    }
    SBL_POOL(&model->pool, model->code_of, model->cells_at[shape->base_count], 1, WHAT);
    SBL_POOL(&model->pool, model->share, model->cells_at[shape->base_count], 1, WHAT);
    for (size_t b = 0; b < shape->base_count; b++)
        set_shares(model, selection, b, scratch, scratch + SBL_PAIRS_MOST_CELLS);
done:
    sbl_free(scratch);
    return status;
}

static sbl_status set_tables(sbl_history_model *model, const sbl_history_selection *selection,
                             sbl_error *err)
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
static sbl_status fit_walk(sbl_history_model *model, const sbl_history_selection *selection,
                           const sbl_walk *walk, const sbl_walk_rows *rows,
                           sbl_history_margins *margins, const sbl_progress_span *progress,
                           sbl_error *err)
{
    const size_t which = walk->of_events ? 1 : 0;
    const sbl_walk_gaps gaps = sbl_history_model_gaps(model, walk->shape);
    sbl_history_targets targets = {0};
    sbl_status status = SBL_OK;
    model->bias_size[which] = walk->bias_size;
    model->theta_size[which] = walk->table_size;
    SBL_POOL(&model->pool, model->bias[which], walk->bias_size, 1, WHAT);
    SBL_POOL(&model->pool, model->theta[which], walk->table_size, 1, WHAT);
    SBL_TRY(sbl_history_targets_init(&targets, margins, selection, walk, err));
    const sbl_history_goal goal = {targets.shares, targets.targets, targets.even, targets.ridges};
    const sbl_history_rule rule = {.sweeps = SWEEPS,
                                   .step = STEP,
                                   .seed = selection->setting.seed,
                                   .first_sweep = walk->of_events ? EVENT_SWEEP : 0,
                                   .progress = progress};
    sbl_history_start_bias(walk, model->bias[which], targets.shares);
    SBL_TRY(sbl_history_feedback(walk, rows, &gaps, model->bias[which], model->theta[which], &goal,
                                 &rule, err));
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
    model->persons =
        sbl_history_state_persons(selection->persons, sbl_history_mean_events(selection));
    SBL_POOL(&model->pool, model->person_rows, model->persons, model->person_count, WHAT);
    SBL_TRY(sbl_history_margins_init(&margins, selection->shape, err));
    SBL_TRY(sbl_walk_init(&walk, selection->shape, model->codes, false,
                          (const uint32_t(*)[2])model->tables, model->table_count, err));
    const sbl_walk_rows rows = {.persons = model->persons, .rows = model->person_rows};
    SBL_TRY(fit_walk(model, selection, &walk, &rows, &margins, progress, err));
done:
    sbl_history_margins_clear(&margins);
    sbl_walk_clear(&walk);
    return status;
}

static sbl_status fit_events(sbl_history_model *model, const sbl_history_selection *selection,
                             const sbl_progress_span *progress, sbl_error *err)
{
    const sbl_history_shape *shape = selection->shape;
    sbl_walk walk = {0};
    sbl_history_margins margins = {0};
    sbl_history_pass pass = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_history_margins_init(&margins, shape, err));
    SBL_TRY(sbl_walk_init(&walk, shape, model->codes, true, (const uint32_t(*)[2])model->tables,
                          model->table_count, err));
    SBL_TRY(sbl_history_pass_persons(&pass, model, shape, model->person_rows, model->seed, 0, err));
    SBL_TRY(sbl_history_pass_events(&pass, shape, err));
    SBL_TRY(sbl_history_margins_count(&margins, &walk, &pass.rows, err));
    SBL_TRY(fit_walk(model, selection, &walk, &pass.rows, &margins, progress, err));
    SBL_TRY(sbl_history_model_keep(model, &pass, shape, err));
done:
    sbl_history_pass_clear(&pass);
    sbl_history_margins_clear(&margins);
    sbl_walk_clear(&walk);
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
        return sbl_fail(err, SBL_EARG, "a release of the method 'histories' is missing");
    if (selection->round == 1) SBL_TRY(sbl_history_index_codes(selection, err));
    SBL_TRY(set_cells(model, selection, err));
    SBL_TRY(set_tables(model, selection, err));
    SBL_TRY(fit_persons(model, selection, &first, err));
    SBL_TRY(fit_events(model, selection, &second, err));
done:
    if (status != SBL_OK) sbl_history_model_clear(model);
    return status;
}
