/* SPDX-License-Identifier: Apache-2.0 */
/* [6] The model of all rounds: the method's fit, and how many rows a synthetic unit has. That is the
 * noisy histogram of the first release, projected onto the simplex: counts less one level, none below
 * 0, with the level found by bisection. */
#include <math.h>

#include "run/pipeline/rounds.h"

/* Steps of the bisection: its interval is then below the last digit of any count. */
#define STEPS 120

static double above(const double *counts, size_t count, double level)
{
    double total = 0.0;
    for (size_t j = 0; j < count; j++) total += fmax(counts[j] - level, 0.0);
    return total;
}

/* The nearest distribution, in the L2 norm, to counts over their sum: counts less one level, none
 * below 0. Where all of it is noise, every unit has one row. */
static void project(double *shares, const double *counts, size_t count)
{
    double total = 0.0;
    double high = counts[0];
    for (size_t j = 0; j < count; j++) {
        total += counts[j];
        high = fmax(high, counts[j]);
        shares[j] = j == 0 ? 1.0 : 0.0;
    }
    if (!(total >= 1.0)) return;
    double low = high - total;
    for (int step = 0; step < STEPS; step++) {
        const double middle = low + (high - low) / 2.0;
        *(above(counts, count, middle) > total ? &low : &high) = middle;
    }
    const double met = above(counts, count, low);
    for (size_t j = 0; j < count; j++) shares[j] = fmax(counts[j] - low, 0.0) / met;
}

/* Where a row is a unit, or the model draws persons, nothing is set, and where one row of a unit counts, all have one. */
static sbl_status fit_units(sbl_model *model, const sbl_release *first, sbl_error *err)
{
    const uint64_t rows = sbl_facts_rows_per_unit(&model->facts);
    const sbl_block *block = sbl_release_find(first, SBL_PERSONS_BLOCK);
    double counts[SBL_ROWS_PER_UNIT_MAX];
    double shares[SBL_ROWS_PER_UNIT_MAX] = {1.0};
    if (rows == 0 || model->kind->whole_units) return SBL_OK;
    if (rows > 1) {
        if (block == NULL || block->width != rows)
            return sbl_fail(err, SBL_EINPUT, "the release does not say how many rows a person has");
        for (size_t j = 0; j < rows; j++) counts[j] = sbl_release_estimate(first, block, 0, j);
        project(shares, counts, rows);
    }
    return sbl_model_set_persons(model, shares, rows, err);
}

sbl_status sbl_rounds_fit(sbl_model **model, const sbl_rounds *rounds, const sbl_synth_options *options,
                          sbl_store_entry checkpoint, sbl_error *err)
{
    if (rounds->method->fit == NULL)
        return sbl_fail(err, SBL_EINPUT, "releases of method '%s' hold answers: no model is fitted to them",
                        rounds->method->name);
    sbl_status status =
        rounds->method->fit(model, rounds->facts, rounds->items, rounds->count, options, checkpoint, err);
    if (status == SBL_OK) status = fit_units(*model, rounds->items[0].release, err);
    if (status == SBL_OK) return SBL_OK;
    sbl_model_free(*model);
    *model = NULL;
    return status;
}

sbl_status sbl_rounds_refit(sbl_model **model, const sbl_rounds *moved, void *state, uint64_t number,
                            const sbl_synth_options *options, sbl_error *err)
{
    const sbl_method *method = moved->method;
    if (method->refit == NULL) return sbl_rounds_fit(model, moved, options, (sbl_store_entry){0}, err);
    sbl_status status = method->refit(model, state, moved->items, moved->count, number, err);
    if (status == SBL_OK) status = fit_units(*model, moved->items[0].release, err);
    if (status == SBL_OK) return SBL_OK;
    sbl_model_free(*model);
    *model = NULL;
    return status;
}
