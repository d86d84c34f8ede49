/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Moved targets, a moved prior, and sweeps from the fitted rows to them. */
#include "after/pairs/pairs_posterior.h"

#include <math.h>
#include <string.h>

#include "after/counts/table_math.h"
#include "after/pairs/feedback.h"
#include "after/pairs/forest_fit.h"
#include "after/pairs/pairs_fit.h"
#include "base/random/model_rng.h"

/* A run of sweeps. Draws have two to four times the gain and five times the step of a fit: three sweeps have as far to go
 * as its eighteen. What they leave undone is missing from every draw, and intervals come out too narrow by it. */
typedef struct course {
    uint64_t first; /* number of its first sweep: no other run has it */
    size_t sweeps;
    float gain;
} course;

static const course to_draw = {3000, 3, 16.0f}, to_centre = {4000, 8, 8.0f};
#define STEP 1.0f
/* Times the energy that was seen: the scale of a prior (docs/mechanisms/inference.md says why so large). */
#define GENEROUS 50.0
#define MOST_LOGIT 0.7 /* deviation of a parameter's prior at most: rare cells would have far more */

struct sbl_pairs_posterior {
    sbl_pairs_selection *selection;
    const sbl_pairs_model *base;
    sbl_pairs_model centre; /* what draws begin at; empty: at the base, which has trees */
    double *energy;         /* (blocks), of all pairs that have a table */
    size_t blocks;
    sbl_pool pool;
};

void sbl_pairs_posterior_free(sbl_pairs_posterior *posterior)
{
    if (posterior == NULL) return;
    sbl_pairs_model_clear(&posterior->centre);
    sbl_pool_clear(&posterior->pool);
    sbl_free(posterior);
}

static const sbl_known_pair *pair_of(const sbl_pairs_fit *f, const sbl_potts_block *block)
{
    return &f->selection->pairs[sbl_pairs_index(block->first, block->second, f->selection->setting.count)];
}

/* One side of a grouped block: the shares of its groups. */
static const double *side(const sbl_pairs_fit *f, uint32_t column)
{
    return f->margins.group_shares + f->margins.groups_at[column];
}

/* The scale of each block's prior. An estimate of "no relation" is not evidence of none: where a sketch alone tells, the
 * scale is never below what its noise can hide. */
static sbl_status settle(sbl_pairs_posterior *posterior, sbl_pairs_fit *f, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_pairs_fit_energies(f, err));
    posterior->blocks = f->potts->block_count;
    SBL_POOL(&posterior->pool, posterior->energy, posterior->blocks, 1, "a posterior");
    for (size_t b = 0; b < posterior->blocks; b++) {
        const sbl_potts_block *block = &f->potts->blocks[b];
        const double hidden = block->grouped ? pair_of(f, block)->error : 0;
        posterior->energy[b] = GENEROUS * fmax(f->energy[b], hidden);
    }
done:
    return status;
}

/* Rows and parameters of another model; blocks that it lacks begin at 0. Both lists of blocks have one order. */
static void begin_at(sbl_pairs_model *model, const sbl_pairs_model *base)
{
    const sbl_potts *from = &base->potts;
    sbl_potts *to = &model->potts;
    memcpy(model->rows, base->rows, base->row_count * sbl_potts_row(from) * sizeof *base->rows);
    memcpy(to->bias, from->bias, from->bias_count * sizeof *to->bias);
    for (size_t b = 0, c = 0; b < to->block_count && c < from->block_count; b++) {
        const sbl_potts_block *block = &to->blocks[b], *known = &from->blocks[c];
        if (block->first != known->first || block->second != known->second) continue;
        const size_t entries = (size_t)sbl_potts_size(to, block->first, block->grouped) *
                               sbl_potts_size(to, block->second, block->grouped);
        memcpy(to->theta + block->at, from->theta + known->at, entries * sizeof *to->theta);
        c++;
    }
}

static sbl_status sweep(sbl_pairs_fit *f, sbl_pairs_model *model, uint64_t number, const course *how,
                        const sbl_feedback_goal *goal, sbl_error *err)
{
    const sbl_feedback_rule rule = {.sweeps = how->sweeps,
                                    .gain = how->gain,
                                    .step = STEP,
                                    .seed = f->selection->setting.seed + number,
                                    .first_sweep = how->first,
                                    .progress = &f->selection->progress};
    return sbl_feedback_run(&model->potts, model->rows, model->row_count, goal, &rule, err);
}

/* The fit to the releases as they are, by the rules of a draw: targets that keep means, all pairs, their priors. A draw
 * that began at the fit would have to go the way from its rules to these as well, and not reach the end of it. */
static sbl_status find_centre(sbl_pairs_posterior *posterior, sbl_error *err)
{
    sbl_pairs_selection *selection = posterior->selection;
    sbl_pairs_model *model = &posterior->centre;
    sbl_pairs_fit f = {0};
    sbl_status status;
    if (posterior->base->potts.trees.tree_count > 0) return SBL_OK;
    selection->state_rows = posterior->base->row_count;
    SBL_TRY(sbl_pairs_fit_model(model, selection, err));
    SBL_TRY(sbl_pairs_fit_blocks(&model->potts, selection, true, err));
    SBL_TRY(sbl_pairs_fit_targets(&f, selection, &model->potts, true, err));
    memcpy(f.energy, posterior->energy, posterior->blocks * sizeof *f.energy);
    sbl_pairs_fit_ridges(&f);
    begin_at(model, posterior->base);
    const sbl_feedback_goal goal = {.shares = f.float_shares, .targets = f.targets, .ridges = f.ridges};
    SBL_TRY(sweep(&f, model, 0, &to_centre, &goal, err));
done:
    sbl_pool_clear(&f.pool);
    return status;
}

sbl_status sbl_pairs_posterior_new(sbl_pairs_posterior **posterior, sbl_pairs_selection *selection,
                                   const sbl_pairs_model *base, sbl_error *err)
{
    sbl_pairs_posterior *made = NULL;
    sbl_potts potts = {0};
    sbl_pairs_fit f = {0};
    sbl_status status = SBL_OK;
    *posterior = NULL;
    SBL_ALLOC(made, 1, "a posterior");
    made->selection = selection;
    made->base = base;
    SBL_TRY(sbl_selection_potts_init(&potts, selection, err));
    SBL_TRY(sbl_pairs_fit_blocks(&potts, selection, true, err));
    SBL_TRY(sbl_pairs_fit_targets(&f, selection, &potts, true, err));
    SBL_TRY(settle(made, &f, err));
    SBL_TRY(find_centre(made, err));
    selection->settled = true;
    *posterior = made;
    made = NULL;
done:
    sbl_pool_clear(&f.pool);
    sbl_potts_clear(&potts);
    sbl_pairs_posterior_free(made);
    return status;
}

/* ---- moved releases ---- */

static sbl_status move_column(sbl_pairs_selection *selection, size_t j, const sbl_pairs_plan *plan,
                              const double *const *values, const double *noise, sbl_error *err)
{
    sbl_known_column *column = &selection->columns[j];
    sbl_pairs_histogram moved = {0};
    sbl_status status;
    SBL_TRY(
        sbl_pairs_histogram_init(&moved, plan, (uint32_t)j, selection->facts[j].cells, values, noise, err));
    memcpy(column->histogram.counts, moved.counts, moved.cells * sizeof *moved.counts);
    SBL_TRY(
        sbl_pairs_histogram_sums(column->counts, column->variances, &column->histogram, &column->codes, err));
done:
    sbl_pairs_histogram_clear(&moved);
    return status;
}

/* Where the values of a table that was taken lie; NULL: it was not. */
static double *place_of(sbl_pairs_selection *selection, const sbl_pairs_plan *plan, size_t t)
{
    const sbl_pairs_map *first = &plan->maps[plan->tables[t].first];
    if (plan->tables[t].second == SBL_PAIRS_NO_MAP)
        return first->level == SBL_PAIRS_CODES ? selection->columns[first->column].again : NULL;
    const sbl_pairs_map *second = &plan->maps[plan->tables[t].second];
    const sbl_known_pair *pair =
        &selection->pairs[sbl_pairs_index(first->column, second->column, selection->setting.count)];
    return first->level == SBL_PAIRS_GROUPS ? pair->sketch : pair->table;
}

sbl_status sbl_pairs_selection_move(sbl_pairs_selection *selection, size_t round, const sbl_pairs_plan *plan,
                                    const double *const *values, const double *noise, sbl_error *err)
{
    SBL_CHECK(sbl_pairs_plan_check(plan, &selection->setting, err));
    for (size_t j = 0; round == 0 && j < selection->setting.count; j++)
        SBL_CHECK(move_column(selection, j, plan, values, noise, err));
    for (size_t t = 0; t < plan->table_count; t++) {
        const bool pair = plan->tables[t].second != SBL_PAIRS_NO_MAP;
        const bool again = !pair && plan->maps[plan->tables[t].first].level == SBL_PAIRS_CODES;
        if (!pair && !again) continue;
        double *place = place_of(selection, plan, t);
        if (place == NULL)
            return sbl_fail(err, SBL_EINPUT,
                            "a release has the plan of another round: use the release files "
                            "of this run");
        memcpy(place, values[t], sbl_pairs_table_entries(plan, t) * sizeof *place);
    }
    return SBL_OK;
}

/* ---- a draw ---- */

/* Move the centre of the prior of one block: its target by ridge times a draw of the prior, an interaction. */
static void move_prior(sbl_pairs_fit *f, size_t b, uint64_t number)
{
    const sbl_potts_block *block = &f->potts->blocks[b];
    const size_t rows = sbl_potts_size(f->potts, block->first, block->grouped);
    const size_t columns = sbl_potts_size(f->potts, block->second, block->grouped);
    const sbl_known_column *first = &f->selection->columns[block->first];
    const sbl_known_column *second = &f->selection->columns[block->second];
    const double *p = block->grouped ? side(f, block->first) : f->margins.shares + first->at;
    const double *q = block->grouped ? side(f, block->second) : f->margins.shares + second->at;
    const double ridge = f->ridges[b], scale = f->noise2[b] / ridge;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, f->selection->setting.seed, SBL_RNG_REPLICATES, (number + 1) << 24 | b);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            const double cell = fmax(p[i] * q[j], 1e-12);
            f->scratch[i * columns + j] =
                ridge * fmin(sqrt(scale / cell), MOST_LOGIT) * sbl_model_rng_normal(&rng);
        }
    sbl_table_centre(f->scratch, rows, columns);
    for (size_t i = 0; i < rows * columns; i++) f->targets[block->at + i] += (float)f->scratch[i];
    if (block->grouped) sbl_pairs_fit_project(f, block, NULL);
}

static const sbl_pairs_model *start_of(const sbl_pairs_posterior *posterior)
{
    return posterior->centre.row_count > 0 ? &posterior->centre : posterior->base;
}

static sbl_status run_draw(sbl_pairs_fit *f, const sbl_pairs_posterior *posterior, sbl_pairs_model *model,
                           uint64_t number, sbl_forest_tables *forest, sbl_error *err)
{
    sbl_pairs_selection *selection = posterior->selection;
    SBL_CHECK(sbl_pairs_fit_targets(f, selection, &model->potts, true, err));
    memcpy(f->energy, posterior->energy, posterior->blocks * sizeof *f->energy);
    sbl_pairs_fit_ridges(f);
    for (size_t b = 0; b < posterior->blocks; b++) move_prior(f, b, number);
    begin_at(model, start_of(posterior));
    const sbl_feedback_goal goal = {.shares = f->float_shares, .targets = f->targets, .ridges = f->ridges};
    SBL_CHECK(sweep(f, model, number, &to_draw, &goal, err));
    if (forest == NULL) return SBL_OK;
    return sbl_forest_hold(model, forest, &goal, selection->setting.rows, &selection->progress, err);
}

sbl_status sbl_pairs_posterior_draw(sbl_pairs_posterior *posterior, sbl_pairs_model *model, uint64_t number,
                                    double rows, sbl_forest_tables *forest, sbl_error *err)
{
    sbl_pairs_selection *selection = posterior->selection;
    sbl_pairs_fit f = {0};
    sbl_status status;
    *model = (sbl_pairs_model){0};
    selection->setting.rows = fmax(rows, 1);
    selection->state_rows = start_of(posterior)->row_count;
    SBL_TRY(sbl_pairs_fit_model(model, selection, err));
    SBL_TRY(sbl_pairs_fit_blocks(&model->potts, selection, true, err));
    SBL_TRY(run_draw(&f, posterior, model, number, forest, err));
    SBL_TRY(sbl_pairs_fit_cells(model, selection, err));
done:
    sbl_pool_clear(&f.pool);
    if (status != SBL_OK) sbl_pairs_model_clear(model);
    return status;
}
