/* SPDX-License-Identifier: Apache-2.0 */
/* Which pairs matter: the sketch against a model that grows by those it surprises most.
 *
 * The energy of a pair is e = |interaction of (sketch - model)|^2 - v df, with standard error
 * v sqrt(2 df), v the sketch's noise variance and df = (g_i - 1)(g_j - 1): what is left when the
 * noise's own energy is taken off. Up to K pairs whose energy is above twice its error, those that
 * a precise table would help most, join the model; it is fitted again, and what it now explains is
 * no longer a surprise. Three rounds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "after/counts/table_math.h"
#include "after/pairs/chow_liu.h"
#include "after/pairs/feedback.h"
#include "after/pairs/pairs_internal.h"
#include "base/alloc.h"

#define ROUNDS 3
#define SWEEPS 4
#define SURE 2.0        /* errors above 0 that an energy must have */
#define BAYES_FROM 60   /* columns from which energies are shrunk together */
#define DOUBT 0.1       /* of its error: the least energy of a pair */
#define LABEL_DOUBT 1.0 /* the same with the label */
#define BAYES_MOST 9e-4 /* what doubt is worth at most where energies are shrunk together */
#define BAYES_LABEL 2.5e-3
#define RIDGE 0.5
#define MEAN_ABS 0.79788456080286536
#define FIRST_SWEEP 1000 /* numbers of sweeps that no other run has */
#define SAMPLED 0.25     /* of its error: what too few rows may add to an energy */
#define LEAST_ROWS 8192

typedef struct ranked {
    double gain;
    uint32_t pair;
} ranked;

typedef struct choice {
    sbl_pairs_selection *selection;
    sbl_selection_margins margins;
    sbl_potts potts; /* chosen pairs */
    sbl_potts all;   /* every pair over groups, to count */
    uint16_t *rows;  /* (row_count) */
    size_t row_count;
    float *float_shares, *targets, *ridges;
    uint32_t *counts, *ones;         /* of all */
    double *energy, *error, *shrunk; /* (pairs) */
    double *some_energy, *some_error;
    double *variance; /* (pairs) */
    ranked *ranked;   /* (pairs) */
    double *table;    /* the largest sketch table */
    size_t runs;
    sbl_pool pool; /* of the arrays */
} choice;

static void choice_clear(choice *c)
{
    sbl_potts_clear(&c->potts);
    sbl_potts_clear(&c->all);
    sbl_pool_clear(&c->pool);
}

size_t sbl_selection_choice_rows(const sbl_pairs_selection *selection)
{
    const double n = selection->setting.rows, side = sbl_selection_groups(&selection->shape) - 1;
    const double error = selection->sketch_noise2 / (n * n) * sqrt(2) * side;
    const double wanted = fmax(1 / (SAMPLED * error), LEAST_ROWS);
    const double most = (double)selection->state_rows;
    return wanted < most ? (size_t)wanted : selection->state_rows;
}

/* Shares of the first two releases; rows that are independent. */
static sbl_status choice_init(choice *c, sbl_pairs_selection *selection, sbl_error *err)
{
    const size_t count = selection->setting.count, pairs = selection->pair_count;
    const size_t codes = selection->code_count;
    size_t most = 0;
    sbl_status status = SBL_OK;
    *c = (choice){.selection = selection, .row_count = sbl_selection_choice_rows(selection)};
    SBL_TRY(sbl_selection_potts_init(&c->potts, selection, err));
    SBL_TRY(sbl_selection_potts_init(&c->all, selection, err));
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++) SBL_TRY(sbl_potts_add(&c->all, i, j, true, err));
    for (size_t j = 0; j < count; j++)
        if (selection->columns[j].groups.cells > most) most = selection->columns[j].groups.cells;
    SBL_POOL(&c->pool, c->float_shares, codes, 1, "the choice of pairs");
    SBL_POOL(&c->pool, c->rows, c->row_count, 2 * count, "the choice of pairs");
    SBL_POOL(&c->pool, c->targets, c->all.theta_count, 1, "the choice of pairs");
    SBL_POOL(&c->pool, c->ridges, pairs, 1, "the choice of pairs");
    SBL_POOL(&c->pool, c->counts, c->all.theta_count, 1, "the choice of pairs");
    SBL_POOL(&c->pool, c->ones, codes, 1, "the choice of pairs");
    SBL_POOL(&c->pool, c->energy, pairs, 1, "the choice of pairs");
    SBL_POOL(&c->pool, c->error, pairs, 1, "the choice of pairs");
    SBL_POOL(&c->pool, c->shrunk, pairs, 1, "the choice of pairs");
    SBL_POOL(&c->pool, c->some_energy, pairs, 1, "the choice of pairs");
    SBL_POOL(&c->pool, c->some_error, pairs, 1, "the choice of pairs");
    SBL_POOL(&c->pool, c->variance, pairs, 1, "the choice of pairs");
    SBL_POOL(&c->pool, c->ranked, pairs, 1, "the choice of pairs");
    SBL_POOL(&c->pool, c->table, most, most, "the choice of pairs");
    SBL_TRY(sbl_selection_margins_init(&c->margins, &c->pool, selection, err));
    sbl_selection_start(c->float_shares, c->potts.bias, &c->margins, selection);
    SBL_TRY(sbl_start_independent(&c->potts, c->rows, c->row_count, c->float_shares, selection->setting.seed,
                                  err));
done:
    return status;
}

/* The sketch of pair p on the margins of the shares, into c->table; shares of the rows. */
static void sketch_target(choice *c, size_t p)
{
    const sbl_potts_block *block = &c->all.blocks[p];
    sbl_selection_target(c->table, c->selection->pairs[p].sketch,
                         c->selection->columns[block->first].groups.cells,
                         c->selection->columns[block->second].groups.cells, c->selection->setting.rows,
                         c->margins.group_shares + c->margins.groups_at[block->first],
                         c->margins.group_shares + c->margins.groups_at[block->second]);
}

static void measure_energies(choice *c, bool fitted)
{
    const double n = c->selection->setting.rows, v = c->selection->sketch_noise2 / (n * n);
    for (size_t p = 0; p < c->selection->pair_count; p++) {
        const sbl_potts_block *block = &c->all.blocks[p];
        const size_t rows = c->selection->columns[block->first].groups.cells;
        const size_t columns = c->selection->columns[block->second].groups.cells;
        const double *a = c->margins.group_shares + c->margins.groups_at[block->first];
        const double *b = c->margins.group_shares + c->margins.groups_at[block->second];
        const double df = (double)((rows - 1) * (columns - 1));
        sketch_target(c, p);
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < columns; j++)
                c->table[i * columns + j] -=
                    fitted ? c->counts[block->at + i * columns + j] / (double)c->row_count : a[i] * b[j];
        sbl_table_centre(c->table, rows, columns);
        c->energy[p] = sbl_table_energy(c->table, rows, columns) - v * df;
        c->error[p] = v * sqrt(2 * df);
    }
}

/* Energies as they are, or shrunk together. A pair with a column of one group has none. */
static sbl_status shrink_energies(choice *c, sbl_error *err)
{
    const size_t pairs = c->selection->pair_count;
    const double n = c->selection->setting.rows, v = c->selection->sketch_noise2 / (n * n);
    memcpy(c->shrunk, c->energy, pairs * sizeof *c->shrunk);
    if (c->selection->setting.count < BAYES_FROM) return SBL_OK;
    double *e = c->some_energy, *se = c->some_error, *means = c->shrunk;
    sbl_status status = SBL_OK;
    size_t kept = 0;
    for (size_t p = 0; p < pairs; p++)
        if (c->error[p] > 0) {
            e[kept] = c->energy[p];
            se[kept++] = c->error[p];
        }
    for (size_t i = 0; i < kept; i++) c->variance[i] = v;
    status = sbl_bayes_energies(means, e, se, c->variance, kept, err);
    for (size_t p = pairs; p-- > 0;) means[p] = c->error[p] > 0 ? means[--kept] : 0;
    return status;
}

/* How much L1 error a precise table of energy e would save. */
static double expected_gain(const choice *c, size_t p, double e, double v)
{
    const sbl_potts_block *block = &c->all.blocks[p];
    const sbl_known_column *a = &c->selection->columns[block->first];
    const sbl_known_column *b = &c->selection->columns[block->second];
    double gain = 0;
    for (uint32_t i = 0; i < a->codes.cells; i++)
        for (uint32_t j = 0; j < b->codes.cells; j++) {
            const double s = e * c->margins.shares[a->at + i] * c->margins.shares[b->at + j];
            gain += sqrt(s) - sqrt(s * v / (s + v));
        }
    return MEAN_ABS * gain;
}

static int more_gain(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->gain != y->gain) return x->gain > y->gain ? -1 : 1;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

static sbl_status add_pair(choice *c, size_t p, sbl_error *err)
{
    sbl_known_pair *pair = &c->selection->pairs[p];
    const double n = c->selection->setting.rows, v = c->selection->sketch_noise2 / (n * n);
    const sbl_potts_block *block = &c->all.blocks[p];
    const size_t at = c->potts.theta_count;
    const sbl_status status = sbl_potts_add(&c->potts, block->first, block->second, true, err);
    if (status != SBL_OK) return status;
    pair->chosen = true;
    pair->energy = fmax(c->shrunk[p], 1e-12);
    sketch_target(c, p);
    for (size_t i = at; i < c->potts.theta_count; i++) c->targets[i] = (float)c->table[i - at];
    c->ridges[c->potts.block_count - 1] = (float)(RIDGE * v / pair->energy);
    return SBL_OK;
}

/* Returns in *added how many pairs joined. */
static sbl_status add_best(choice *c, size_t *added, sbl_error *err)
{
    const sbl_pairs_selection *selection = c->selection;
    const double n = selection->setting.rows;
    const double noise = sbl_pairs_unit_noise(&selection->setting) *
                         sqrt(2 * (double)selection->setting.count / selection->shape.share[2]) / n;
    const size_t most = selection->setting.count > 2 ? selection->setting.count : 2;
    ranked *list = c->ranked;
    sbl_status status = SBL_OK;
    size_t found = 0;
    *added = 0;
    for (size_t p = 0; p < selection->pair_count; p++) {
        if (selection->pairs[p].chosen || !(c->error[p] > 0) || !(c->energy[p] > SURE * c->error[p]) ||
            !(c->shrunk[p] > 0))
            continue;
        list[found++] = (ranked){expected_gain(c, p, c->shrunk[p], noise * noise), (uint32_t)p};
    }
    qsort(list, found, sizeof *list, more_gain);
    for (; status == SBL_OK && *added < found && *added < most; ++*added)
        status = add_pair(c, list[*added].pair, err);
    return status;
}

static sbl_status refit(choice *c, sbl_error *err)
{
    const sbl_feedback_goal goal = {.shares = c->float_shares, .targets = c->targets, .ridges = c->ridges};
    const sbl_progress_span part = sbl_progress_part(&c->selection->progress, c->runs, ROUNDS);
    const sbl_feedback_rule rule = {.sweeps = SWEEPS,
                                    .gain = 4,
                                    .step = 0.4f,
                                    .seed = c->selection->setting.seed,
                                    .first_sweep = FIRST_SWEEP + SWEEPS * c->runs++,
                                    .progress = &part};
    sbl_status status = sbl_feedback_run(&c->potts, c->rows, c->row_count, &goal, &rule, err);
    if (status != SBL_OK) return status;
    return sbl_potts_count(&c->all, c->counts, c->ones, c->rows, c->row_count, err);
}

/* What to expect of the pairs that were not chosen. */
static void doubt_rest(choice *c)
{
    const sbl_pairs_selection *selection = c->selection;
    const bool bayes = selection->setting.count >= BAYES_FROM;
    for (size_t p = 0; p < selection->pair_count; p++) {
        sbl_known_pair *pair = &selection->pairs[p];
        const sbl_potts_block *block = &c->all.blocks[p];
        const bool label = sbl_selection_labelled(selection, block->first, block->second);
        pair->error = c->error[p];
        if (pair->chosen) continue;
        double doubt = (label ? LABEL_DOUBT : DOUBT) * c->error[p];
        if (bayes) doubt = fmin(doubt, label ? BAYES_LABEL : BAYES_MOST);
        pair->energy = fmax(fmax(c->shrunk[p], doubt), 1e-14);
    }
}

sbl_status sbl_selection_choose(sbl_pairs_selection *selection, sbl_error *err)
{
    choice c;
    sbl_status status;
    SBL_TRY(choice_init(&c, selection, err));
    for (size_t p = 0; p < selection->pair_count; p++) selection->pairs[p].chosen = false;
    measure_energies(&c, false);
    SBL_TRY(shrink_energies(&c, err));
    for (int round = 0; round < ROUNDS; round++) {
        size_t added;
        SBL_TRY(add_best(&c, &added, err));
        if (added == 0) break;
        SBL_TRY(refit(&c, err));
        measure_energies(&c, true);
        SBL_TRY(shrink_energies(&c, err));
    }
    doubt_rest(&c);
done:
    choice_clear(&c);
    return status;
}
