/* The fit: targets of all tables, a start, and sweeps that hold the rows to them. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "pairs/bayes.h"
#include "pairs/feedback.h"
#include "pairs/holes.h"
#include "pairs/interaction.h"
#include "pairs/selection_parts.h"
#include "pairs/start.h"

#define SWEEPS 25
#define RIDGE 0.5
#define TRUST 0.3        /* of what was expected of a pair: the least energy once it is measured */
#define DOUBT 0.1        /* of its error: the same */
#define SKETCH_TRUST 0.5 /* of its error: the energy of a pair that its sketch alone may fit */
#define ALL_DOUBT 0.02   /* in one release, after shrinking */
#define LEAST_ENERGY 1e-14
#define PRIOR_LABEL 2.5e-3 /* energies to expect where no sketch was bought */
#define PRIOR 9e-4

typedef struct fit {
    sbl_pairs_selection *selection;
    sbl_potts *potts;
    double *shares, *variances;
    double *group_shares; /* (groups of all) */
    size_t *groups_at;
    float *float_shares, *targets, *ridges;
    double *energy, *noise2, *strength; /* (block_count): noise2 in shares */
    double *error;
    double *scratch; /* three times the largest table and its sides */
    uint8_t *holes;  /* the largest table */
} fit;

static void fit_clear(fit *f)
{
    sbl_free(f->shares);
    sbl_free(f->variances);
    sbl_free(f->group_shares);
    sbl_free(f->groups_at);
    sbl_free(f->float_shares);
    sbl_free(f->targets);
    sbl_free(f->ridges);
    sbl_free(f->energy);
    sbl_free(f->noise2);
    sbl_free(f->strength);
    sbl_free(f->error);
    sbl_free(f->scratch);
    sbl_free(f->holes);
}

static sbl_status no_memory(sbl_error *err)
{
    return sbl_fail(err, SBL_EMEM, "out of memory for a fit of pairs");
}

void sbl_selection_target(double *out, const double *table, size_t rows, size_t columns, double n,
                          const double *p, const double *q)
{
    for (size_t i = 0; i < rows * columns; i++) out[i] = table[i] / n;
    sbl_table_set_margins(out, rows, columns, p, q);
}

/* A pair that was measured has a block over codes; one that only the sketch knows, and that is
 * thought to be more than its noise, a block over groups. */
static sbl_status add_blocks(sbl_potts *potts, const sbl_pairs_selection *selection, sbl_error *err)
{
    const uint32_t count = (uint32_t)selection->setting.count;
    sbl_status status = SBL_OK;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++) {
            const sbl_known_pair *pair = &selection->pairs[sbl_pairs_index(i, j, count)];
            if (pair->table)
                SBL_TRY(sbl_potts_add(potts, i, j, false, err));
            else if (pair->sketch && (pair->chosen || pair->energy > SKETCH_TRUST * pair->error))
                SBL_TRY(sbl_potts_add(potts, i, j, true, err));
        }
done:
    return status;
}

static size_t largest_table(const sbl_potts *potts)
{
    size_t most = 1;
    for (size_t b = 0; b < potts->block_count; b++) {
        const sbl_potts_block *block = &potts->blocks[b];
        const size_t rows = sbl_potts_size(potts, block->first, false);
        const size_t columns = sbl_potts_size(potts, block->second, false);
        const size_t size = 3 * rows * columns + rows + columns;
        if (size > most) most = size;
    }
    return most;
}

static sbl_status fit_init(fit *f, sbl_pairs_selection *selection, sbl_potts *potts, sbl_error *err)
{
    const size_t count = selection->setting.count, blocks = potts->block_count;
    size_t groups = 0;
    for (size_t j = 0; j < count; j++) groups += selection->columns[j].groups.cells;
    *f = (fit){.selection = selection,
               .potts = potts,
               .shares = sbl_alloc_array(selection->code_count, sizeof *f->shares),
               .variances = sbl_alloc_array(selection->code_count, sizeof *f->variances),
               .float_shares = sbl_alloc_array(selection->code_count, sizeof *f->float_shares),
               .group_shares = sbl_alloc_array(groups, sizeof *f->group_shares),
               .groups_at = sbl_alloc_array(count, sizeof *f->groups_at),
               .targets = sbl_alloc_array(potts->theta_count, sizeof *f->targets),
               .ridges = sbl_alloc_array(blocks, sizeof *f->ridges),
               .energy = sbl_alloc_array(blocks, sizeof *f->energy),
               .noise2 = sbl_alloc_array(blocks, sizeof *f->noise2),
               .strength = sbl_alloc_array(blocks, sizeof *f->strength),
               .error = sbl_alloc_array(blocks, sizeof *f->error),
               .scratch = sbl_alloc_array(largest_table(potts), sizeof *f->scratch),
               .holes = sbl_alloc_array(largest_table(potts), 1)};
    if (!f->shares || !f->variances || !f->float_shares || !f->group_shares || !f->groups_at ||
        !f->targets || !f->ridges || !f->energy || !f->noise2 || !f->strength || !f->error ||
        !f->scratch || !f->holes)
        return no_memory(err);
    return SBL_OK;
}

static sbl_status fit_shares(fit *f, sbl_error *err)
{
    sbl_pairs_selection *selection = f->selection;
    const sbl_status status = sbl_selection_shares(selection, f->shares, f->variances, err);
    size_t at = 0;
    if (status != SBL_OK) return status;
    for (size_t j = 0; j < selection->setting.count; j++) {
        f->groups_at[j] = at;
        sbl_selection_group_shares(&selection->columns[j], f->group_shares + at,
                                   f->shares + selection->columns[j].at);
        at += selection->columns[j].groups.cells;
    }
    for (size_t i = 0; i < selection->code_count; i++) {
        f->float_shares[i] = (float)f->shares[i];
        f->potts->bias[i] = (float)log(f->shares[i] + 0.2 / (double)selection->state_rows);
    }
    return SBL_OK;
}

/* Energy against independence, and its error, of the interaction that lies in `target`. */
static double energy_of(double *error, const double *target, double *scratch, size_t rows,
                        size_t columns, const double *p, const double *q, double noise2)
{
    const double df = (double)((rows - 1) * (columns - 1));
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            scratch[i * columns + j] = target[i * columns + j] - p[i] * q[j];
    sbl_table_centre(scratch, rows, columns);
    *error = noise2 * sqrt(2 * fmax(df, 1));
    return sbl_table_energy(scratch, rows, columns) - noise2 * df;
}

/* A column as a side of its tables: of a number, codes lie in order, but for those apart. */
static sbl_table_side side_of(const fit *f, size_t j)
{
    const sbl_pairs_column *facts = &f->selection->facts[j];
    const sbl_known_column *column = &f->selection->columns[j];
    const bool ordered = facts->kind == SBL_PAIRS_NUMBER;
    return (sbl_table_side){.shares = f->shares + column->at,
                            .codes = column->codes.cells,
                            .ordered = ordered ? column->codes.of[facts->ordered - 1] + 1 : 0};
}

static void code_block(fit *f, size_t b)
{
    const sbl_pairs_selection *selection = f->selection;
    const sbl_potts_block *block = &f->potts->blocks[b];
    const sbl_known_column *first = &selection->columns[block->first];
    const sbl_known_column *second = &selection->columns[block->second];
    const sbl_known_pair *pair =
        &selection->pairs[sbl_pairs_index(block->first, block->second, selection->setting.count)];
    const size_t rows = first->codes.cells, columns = second->codes.cells, size = rows * columns;
    const double n = selection->setting.rows, *p = f->shares + first->at,
                 *q = f->shares + second->at;
    double *table = f->scratch, *rest = table + size, variance = pair->variance;
    memcpy(table, pair->table, size * sizeof *table);
    if (pair->sketch) {
        const sbl_table_groups groups = {first->group_of, second->group_of, first->groups.cells,
                                         second->groups.cells};
        variance = sbl_table_condition(table, rows, columns, variance, &groups, pair->sketch,
                                       selection->sketch_noise2, rest);
    }
    f->noise2[b] = variance / (n * n);
    for (size_t i = 0; i < size; i++) table[i] /= n;
    const sbl_table_side down = side_of(f, block->first), across = side_of(f, block->second);
    sbl_table_holes(f->holes, table, &down, &across, sqrt(f->noise2[b]));
    sbl_table_set_margins(table, rows, columns, p, q);
    f->energy[b] = energy_of(&f->error[b], table, rest, rows, columns, p, q, f->noise2[b]);
    sbl_table_project(table, rows, columns, p, q, f->holes, rest);
    for (size_t i = 0; i < size; i++) f->targets[block->at + i] = (float)table[i];
}

static void group_block(fit *f, size_t b)
{
    const sbl_pairs_selection *selection = f->selection;
    const sbl_potts_block *block = &f->potts->blocks[b];
    const sbl_known_pair *pair =
        &selection->pairs[sbl_pairs_index(block->first, block->second, selection->setting.count)];
    const size_t rows = selection->columns[block->first].groups.cells;
    const size_t columns = selection->columns[block->second].groups.cells;
    const double n = selection->setting.rows;
    const double *p = f->group_shares + f->groups_at[block->first];
    const double *q = f->group_shares + f->groups_at[block->second];
    sbl_selection_target(f->scratch, pair->sketch, rows, columns, n, p, q);
    f->noise2[b] = selection->sketch_noise2 / (n * n);
    f->energy[b] = pair->energy;
    sbl_table_project(f->scratch, rows, columns, p, q, NULL, f->scratch + rows * columns);
    for (size_t i = 0; i < rows * columns; i++) f->targets[block->at + i] = (float)f->scratch[i];
}

/* The energies of measured pairs: by themselves where a sketch told what to expect, together where
 * nothing did. */
static sbl_status settle_energies(fit *f, sbl_error *err)
{
    const sbl_pairs_selection *selection = f->selection;
    const size_t blocks = f->potts->block_count;
    if (selection->shape.course == SBL_PAIRS_ALL && blocks > 0) {
        const sbl_status status =
            sbl_bayes_energies(f->energy, f->energy, f->error, f->noise2, blocks, err);
        if (status != SBL_OK) return status;
        for (size_t b = 0; b < blocks; b++)
            f->energy[b] = fmax(f->energy[b], ALL_DOUBT * f->error[b]);
    }
    for (size_t b = 0; b < blocks; b++) {
        const sbl_potts_block *block = &f->potts->blocks[b];
        const sbl_known_pair *pair =
            &selection
                 ->pairs[sbl_pairs_index(block->first, block->second, selection->setting.count)];
        const double expected =
            selection->shape.course == SBL_PAIRS_LABEL ? PRIOR_LABEL : pair->energy;
        if (!block->grouped && selection->shape.course != SBL_PAIRS_ALL)
            f->energy[b] = fmax(f->energy[b], fmax(TRUST * expected, DOUBT * f->error[b]));
        f->energy[b] = fmax(f->energy[b], LEAST_ENERGY);
        f->ridges[b] = (float)(RIDGE * f->noise2[b] / f->energy[b]);
        f->strength[b] = f->energy[b] / f->noise2[b];
    }
    return SBL_OK;
}

static sbl_status run_fit(fit *f, sbl_pairs_selection *selection, sbl_pairs_model *model,
                          sbl_error *err)
{
    sbl_status status;
    SBL_TRY(fit_init(f, selection, &model->potts, err));
    SBL_TRY(fit_shares(f, err));
    for (size_t b = 0; b < model->potts.block_count; b++) {
        if (model->potts.blocks[b].grouped)
            group_block(f, b);
        else
            code_block(f, b);
    }
    SBL_TRY(settle_energies(f, err));
    SBL_TRY(sbl_start_tree(&model->potts, model->rows, model->row_count, f->float_shares,
                           f->targets, f->strength, selection->setting.seed, err));
    if (model->potts.block_count > 0) {
        const sbl_feedback_goal goal = {f->float_shares, f->targets, f->ridges};
        const sbl_feedback_rule rule = {.sweeps = SWEEPS,
                                        .gain = 4,
                                        .step = 0.2f,
                                        .seed = selection->setting.seed,
                                        .progress = &selection->progress};
        SBL_TRY(sbl_feedback_run(&model->potts, model->rows, model->row_count, &goal, &rule, err));
    }
done:
    return status;
}

sbl_status sbl_pairs_selection_fit(sbl_pairs_selection *selection, sbl_pairs_model *model,
                                   sbl_error *err)
{
    fit f = {0};
    sbl_status status;
    *model = (sbl_pairs_model){0};
    if (selection->round < selection->shape.rounds)
        return sbl_fail(err, SBL_EARG, "a release of the method 'pairs' is missing");
    SBL_TRY(sbl_selection_model_init(model, selection, err));
    SBL_TRY(add_blocks(&model->potts, selection, err));
    SBL_TRY(run_fit(&f, selection, model, err));
    SBL_TRY(sbl_selection_model_cells(model, selection, err));
done:
    fit_clear(&f);
    if (status != SBL_OK) sbl_pairs_model_clear(model);
    return status;
}
