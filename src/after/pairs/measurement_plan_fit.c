/* SPDX-License-Identifier: Apache-2.0 */
/* The fit: targets of all tables, a start, and sweeps that fit the rows to them; and the parts of a model that
 * are not fitted: sizes, and how codes divide into bins. */
#include <math.h>
#include <string.h>

#include "after/counts/table_math.h"
#include "after/pairs/chow_liu.h"
#include "after/pairs/feedback.h"
#include "after/pairs/forest_fit.h"
#include "after/pairs/pairs_fit.h"
#include "after/pairs/pairs_internal.h"
#include "base/alloc.h"

/* cells, codes and groups of every column, count each.   Owner: the caller, sbl_free */
static sbl_status sizes_of(uint32_t **sizes, const sbl_pairs_selection *selection, sbl_error *err)
{
    const size_t count = selection->setting.count;
    sbl_status status = SBL_OK;
    SBL_ALLOC(*sizes, 3 * count, "a model of pairs");
    for (size_t j = 0; j < count; j++) {
        (*sizes)[j] = selection->facts[j].cells;
        (*sizes)[count + j] = selection->columns[j].codes.cells;
        (*sizes)[2 * count + j] = selection->columns[j].groups.cells;
    }
done:
    return status;
}

static void copy_groups(sbl_potts *potts, const sbl_pairs_selection *selection)
{
    for (size_t j = 0; j < potts->count; j++)
        memcpy(potts->columns[j].group_of, selection->columns[j].group_of,
               potts->columns[j].codes * sizeof(uint16_t));
}

sbl_status sbl_selection_potts_init(sbl_potts *potts, const sbl_pairs_selection *selection, sbl_error *err)
{
    const size_t count = selection->setting.count;
    uint32_t *sizes = NULL;
    sbl_status status;
    SBL_TRY(sizes_of(&sizes, selection, err));
    SBL_TRY(sbl_potts_init(potts, sizes + count, sizes + 2 * count, count, err));
    copy_groups(potts, selection);
done:
    sbl_free(sizes);
    return status;
}

sbl_status sbl_pairs_fit_model(sbl_pairs_model *model, const sbl_pairs_selection *selection, sbl_error *err)
{
    const size_t count = selection->setting.count;
    uint32_t *sizes = NULL;
    sbl_status status;
    SBL_TRY(sizes_of(&sizes, selection, err));
    SBL_TRY(sbl_pairs_model_init(model, sizes, sizes + count, sizes + 2 * count, count, selection->state_rows,
                                 err));
    copy_groups(&model->potts, selection);
    model->table_rows = (uint64_t)llround(selection->setting.rows);
    model->seed = selection->setting.seed;
done:
    sbl_free(sizes);
    return status;
}

#define SILENT 1e-6 /* of a cell that is not: counts where a code has no other */

static double even_share(const sbl_known_column *column, uint32_t cell, double number)
{
    const bool silent = sbl_pairs_histogram_silent(&column->histogram, cell);
    return number < 0.5 ? SILENT / number : (silent ? 0 : 1) / number;
}

/* Shares of one column's cells within their codes; even where the code has no mass at all, over the
 * cells that are not silent if it has any. */
static void set_column(sbl_pairs_model *model, const sbl_known_column *column, size_t j, double *mass,
                       double *number)
{
    const size_t at = model->cells_at[j], cells = model->cells_at[j + 1] - at;
    const uint32_t *of = column->codes.of;
    for (uint32_t v = 0; v < column->codes.cells; v++) mass[v] = number[v] = 0;
    for (size_t c = 0; c < cells; c++) {
        mass[of[c]] += column->fine[c];
        number[of[c]] += sbl_pairs_histogram_silent(&column->histogram, (uint32_t)c) ? SILENT : 1;
    }
    for (size_t c = 0; c < cells; c++) {
        model->code_of[at + c] = of[c];
        model->share[at + c] = (float)(mass[of[c]] > 0 ? column->fine[c] / mass[of[c]]
                                                       : even_share(column, (uint32_t)c, number[of[c]]));
    }
}

sbl_status sbl_pairs_fit_cells(sbl_pairs_model *model, const sbl_pairs_selection *selection, sbl_error *err)
{
    sbl_status status = SBL_OK;
    double *mass;
    SBL_ALLOC(mass, 2 * SBL_PAIRS_MOST_CELLS, "a model of pairs");
    for (size_t j = 0; j < selection->setting.count; j++)
        set_column(model, &selection->columns[j], j, mass, mass + SBL_PAIRS_MOST_CELLS);
done:
    sbl_free(mass);
    return status;
}

#define SWEEPS 18        /* of the last fit */
#define SWEEPS_SO_FAR 10 /* of one between releases, on whose rows a forest is grown */
#define SWEEPS_PROBE 6   /* of the one on whose rows a probe's trees are grown */
#define RIDGE 0.5
#define LABEL_RIDGE 0.125 /* of pairs with the label, which many columns tell together */
#define TRUST 0.3         /* of what was expected of a pair: the least energy once it is measured */
#define DOUBT 0.1         /* of its error: the same */
#define SKETCH_TRUST 0.5  /* of its error: the energy of a pair that its sketch alone may fit */
#define ALL_DOUBT 0.02    /* in one release, after shrinking */
#define LEAST_ENERGY 1e-14
#define PRIOR_LABEL 2.5e-3 /* energies to expect where no sketch was bought */
#define PRIOR 9e-4

void sbl_selection_target(double *out, const double *table, size_t rows, size_t columns, double n,
                          const double *p, const double *q)
{
    for (size_t i = 0; i < rows * columns; i++) out[i] = table[i] / n;
    sbl_table_set_margins(out, rows, columns, p, q);
}

bool sbl_pairs_fit_believes(const sbl_known_pair *pair)
{
    return pair->chosen || pair->energy > SKETCH_TRUST * pair->error;
}

sbl_status sbl_pairs_fit_blocks(sbl_potts *potts, const sbl_pairs_selection *selection, bool all,
                                sbl_error *err)
{
    const uint32_t count = (uint32_t)selection->setting.count;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++) {
            const sbl_known_pair *pair = &selection->pairs[sbl_pairs_index(i, j, count)];
            if (pair->table)
                SBL_CHECK(sbl_potts_add(potts, i, j, false, err));
            else if (pair->sketch && (all || sbl_pairs_fit_believes(pair)))
                SBL_CHECK(sbl_potts_add(potts, i, j, true, err));
        }
    return SBL_OK;
}

static size_t largest_table(const sbl_potts *potts)
{
    size_t most = 1;
    for (size_t j = 0; j < potts->count; j++)
        if (potts->columns[j].codes > most) most = potts->columns[j].codes;
    for (size_t b = 0; b < potts->block_count; b++) {
        const sbl_potts_block *block = &potts->blocks[b];
        const size_t rows = sbl_potts_size(potts, block->first, false);
        const size_t columns = sbl_potts_size(potts, block->second, false);
        const size_t size = 3 * rows * columns + 3 * (rows + columns);
        if (size > most) most = size;
    }
    return most;
}

static sbl_status fit_init(sbl_pairs_fit *f, sbl_pairs_selection *selection, sbl_potts *potts, sbl_error *err)
{
    const size_t blocks = potts->block_count, largest = largest_table(potts);
    sbl_status status = SBL_OK;
    f->selection = selection;
    f->potts = potts;
    SBL_TRY(sbl_selection_margins_init(&f->margins, &f->pool, selection, err));
    SBL_POOL(&f->pool, f->float_shares, selection->code_count, 1, "a fit of pairs");
    SBL_POOL(&f->pool, f->targets, potts->theta_count, 1, "a fit of pairs");
    SBL_POOL(&f->pool, f->ridges, blocks, 1, "a fit of pairs");
    SBL_POOL(&f->pool, f->energy, blocks, 1, "a fit of pairs");
    SBL_POOL(&f->pool, f->noise2, blocks, 1, "a fit of pairs");
    SBL_POOL(&f->pool, f->strength, blocks, 1, "a fit of pairs");
    SBL_POOL(&f->pool, f->error, blocks, 1, "a fit of pairs");
    SBL_POOL(&f->pool, f->scores, selection->code_count, 1, "a fit of pairs");
    SBL_POOL(&f->pool, f->group_scores, f->margins.groups, 1, "a fit of pairs");
    SBL_POOL(&f->pool, f->scratch, largest, 1, "a fit of pairs");
    SBL_POOL(&f->pool, f->holes, largest, 1, "a fit of pairs");
    sbl_selection_start(f->float_shares, potts->bias, &f->margins, selection);
    sbl_pairs_fit_scores(f);
done:
    return status;
}

/* Energy against independence, and its error, of the interaction that lies in `target`. */
static double energy_of(double *error, const double *target, double *scratch, size_t rows, size_t columns,
                        const double *p, const double *q, double noise2)
{
    const double df = (double)((rows - 1) * (columns - 1));
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) scratch[i * columns + j] = target[i * columns + j] - p[i] * q[j];
    sbl_table_centre(scratch, rows, columns);
    *error = noise2 * sqrt(2 * fmax(df, 1));
    return sbl_table_energy(scratch, rows, columns) - noise2 * df;
}

/* A column as a side of its tables: of a number, codes lie in order, but for those apart. */
static sbl_table_side side_of(const sbl_pairs_fit *f, size_t j)
{
    const sbl_pairs_column *facts = &f->selection->facts[j];
    const sbl_known_column *column = &f->selection->columns[j];
    const bool ordered = facts->kind == SBL_PAIRS_NUMBER;
    return (sbl_table_side){.shares = f->margins.shares + column->at,
                            .codes = column->codes.cells,
                            .ordered = ordered ? column->codes.of[facts->ordered - 1] + 1 : 0};
}

/* Does a block have the label, in a fit that knows pairs from a sketch? */
static bool tells_label(const sbl_pairs_fit *f, const sbl_potts_block *block)
{
    return f->selection->shape.course == SBL_PAIRS_SKETCH &&
           sbl_selection_labelled(f->selection, block->first, block->second);
}

static void code_block(sbl_pairs_fit *f, size_t b, bool draw)
{
    const sbl_pairs_selection *selection = f->selection;
    const sbl_potts_block *block = &f->potts->blocks[b];
    const sbl_known_column *first = &selection->columns[block->first];
    const sbl_known_column *second = &selection->columns[block->second];
    const sbl_known_pair *pair =
        &selection->pairs[sbl_pairs_index(block->first, block->second, selection->setting.count)];
    const size_t rows = first->codes.cells, columns = second->codes.cells, size = rows * columns;
    const double n = selection->setting.rows, *p = f->margins.shares + first->at,
                 *q = f->margins.shares + second->at;
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
    /* A model learns from a hole in a table of the label that a code decides its class, which a few of
     * its noises cannot tell: there are none in those. */
    uint8_t *holes = tells_label(f, block) ? NULL : f->holes;
    if (holes != NULL) sbl_table_holes(holes, table, &down, &across, sqrt(f->noise2[b]));
    sbl_table_set_margins(table, rows, columns, p, q);
    f->energy[b] = energy_of(&f->error[b], table, rest, rows, columns, p, q, f->noise2[b]);
    if (!draw) sbl_table_project(table, rows, columns, p, q, holes, rest);
    for (size_t i = 0; i < size; i++) f->targets[block->at + i] = (float)table[i];
    if (draw) sbl_pairs_fit_project(f, block, holes);
}

static void group_block(sbl_pairs_fit *f, size_t b, bool draw)
{
    const sbl_pairs_selection *selection = f->selection;
    const sbl_potts_block *block = &f->potts->blocks[b];
    const sbl_known_pair *pair =
        &selection->pairs[sbl_pairs_index(block->first, block->second, selection->setting.count)];
    const size_t rows = selection->columns[block->first].groups.cells;
    const size_t columns = selection->columns[block->second].groups.cells;
    const double n = selection->setting.rows;
    const double *p = f->margins.group_shares + f->margins.groups_at[block->first];
    const double *q = f->margins.group_shares + f->margins.groups_at[block->second];
    sbl_selection_target(f->scratch, pair->sketch, rows, columns, n, p, q);
    f->noise2[b] = selection->sketch_noise2 / (n * n);
    f->energy[b] = pair->energy;
    if (!draw) sbl_table_project(f->scratch, rows, columns, p, q, NULL, f->scratch + rows * columns);
    for (size_t i = 0; i < rows * columns; i++) f->targets[block->at + i] = (float)f->scratch[i];
}

void sbl_pairs_fit_ridges(sbl_pairs_fit *f)
{
    for (size_t b = 0; b < f->potts->block_count; b++) {
        const sbl_potts_block *block = &f->potts->blocks[b];
        const double ridge = tells_label(f, block) && !block->grouped ? LABEL_RIDGE : RIDGE;
        f->energy[b] = fmax(f->energy[b], LEAST_ENERGY);
        f->ridges[b] = (float)(ridge * f->noise2[b] / f->energy[b]);
        f->strength[b] = f->energy[b] / f->noise2[b];
    }
}

/* The energies of measured pairs: by themselves where a sketch told what to expect, together where
 * nothing did. */
sbl_status sbl_pairs_fit_energies(sbl_pairs_fit *f, sbl_error *err)
{
    const sbl_pairs_selection *selection = f->selection;
    const size_t blocks = f->potts->block_count;
    if (selection->shape.course == SBL_PAIRS_ALL && blocks > 0) {
        const sbl_status status = sbl_bayes_energies(f->energy, f->energy, f->error, f->noise2, blocks, err);
        if (status != SBL_OK) return status;
        for (size_t b = 0; b < blocks; b++) f->energy[b] = fmax(f->energy[b], ALL_DOUBT * f->error[b]);
    }
    for (size_t b = 0; b < blocks; b++) {
        const sbl_potts_block *block = &f->potts->blocks[b];
        const sbl_known_pair *pair =
            &selection->pairs[sbl_pairs_index(block->first, block->second, selection->setting.count)];
        const double expected = selection->shape.course == SBL_PAIRS_LABEL ? PRIOR_LABEL : pair->energy;
        if (!block->grouped && selection->shape.course != SBL_PAIRS_ALL)
            f->energy[b] = fmax(f->energy[b], fmax(TRUST * expected, DOUBT * f->error[b]));
    }
    sbl_pairs_fit_ridges(f);
    return SBL_OK;
}

sbl_status sbl_pairs_fit_targets(sbl_pairs_fit *f, sbl_pairs_selection *selection, sbl_potts *potts,
                                 bool draw, sbl_error *err)
{
    SBL_CHECK(fit_init(f, selection, potts, err));
    for (size_t b = 0; b < potts->block_count; b++) {
        if (potts->blocks[b].grouped)
            group_block(f, b, draw);
        else
            code_block(f, b, draw);
    }
    return SBL_OK;
}

static sbl_status run_fit(sbl_pairs_fit *f, sbl_pairs_selection *selection, sbl_pairs_model *model,
                          sbl_forest_tables *forest, bool last, sbl_error *err)
{
    const sbl_progress_span first = sbl_progress_part(&selection->progress, 0, 2);
    SBL_CHECK(sbl_pairs_fit_targets(f, selection, &model->potts, false, err));
    SBL_CHECK(sbl_pairs_fit_energies(f, err));
    SBL_CHECK(sbl_start_tree(&model->potts, model->rows, model->row_count, f->float_shares, f->targets,
                             f->strength, selection->setting.seed, err));
    const sbl_feedback_goal goal = {.shares = f->float_shares, .targets = f->targets, .ridges = f->ridges};
    if (model->potts.block_count > 0) {
        const size_t so_far = forest != NULL ? SWEEPS_SO_FAR : SWEEPS_PROBE;
        const sbl_feedback_rule rule = {.sweeps = last ? SWEEPS : so_far,
                                        .gain = 4,
                                        .step = 0.2f,
                                        .seed = selection->setting.seed,
                                        .progress = forest ? &first : &selection->progress};
        SBL_CHECK(sbl_feedback_run(&model->potts, model->rows, model->row_count, &goal, &rule, err));
    }
    if (forest) {
        const sbl_progress_span second = sbl_progress_part(&selection->progress, 1, 2);
        SBL_CHECK(sbl_forest_hold(model, forest, &goal, selection->setting.rows, &second, err));
    }
    return SBL_OK;
}

sbl_status sbl_pairs_selection_fit(sbl_pairs_selection *selection, sbl_pairs_model *model, sbl_error *err)
{
    *model = (sbl_pairs_model){0};
    if (selection->round < selection->shape.rounds)
        return sbl_fail(err, SBL_EARG,
                        "a release of the method 'pairs' is missing: give all release files of the run");
    return sbl_selection_fit(selection, model, NULL, true, err);
}

sbl_status sbl_selection_fit(sbl_pairs_selection *selection, sbl_pairs_model *model,
                             sbl_forest_tables *forest, bool last, sbl_error *err)
{
    sbl_pairs_fit f = {0};
    sbl_status status;
    *model = (sbl_pairs_model){0};
    SBL_TRY(sbl_pairs_fit_model(model, selection, err));
    SBL_TRY(sbl_pairs_fit_blocks(&model->potts, selection, false, err));
    SBL_TRY(run_fit(&f, selection, model, forest, last, err));
    SBL_TRY(sbl_pairs_fit_cells(model, selection, err));
done:
    sbl_pool_clear(&f.pool);
    if (status != SBL_OK) sbl_pairs_model_clear(model);
    return status;
}
