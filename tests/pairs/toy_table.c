/* SPDX-License-Identifier: Apache-2.0 */
#include "toy_table.h"

#include <math.h>
#include <stdlib.h>

#include "base/random/model_rng.h"

#define CELLS 64 /* of a column of the distances, at most */

static uint32_t near(double centre, double spread, uint32_t cells, sbl_model_rng *rng)
{
    const double value = centre + spread * sbl_model_rng_normal(rng);
    if (!(value > 0)) return 0;
    return value < cells - 1 ? (uint32_t)value : cells - 1;
}

void toy_table_make(toy_table *table, size_t rows)
{
    *table = (toy_table){.columns = {{SBL_PAIRS_CATEGORIES, 3, 0, false, 0, NULL},
                                     {SBL_PAIRS_NUMBER, 40, 40, false, 0, NULL},
                                     {SBL_PAIRS_NUMBER, 21, 20, false, 0, NULL},
                                     {SBL_PAIRS_RANKS, 5, 5, false, 0, NULL},
                                     {SBL_PAIRS_CATEGORIES, 30, 0, false, 0, NULL},
                                     {SBL_PAIRS_CATEGORIES, 2, 0, false, 0, NULL}},
                         .count = TOY_COLUMNS,
                         .cells = malloc(rows * TOY_COLUMNS * sizeof(uint32_t)),
                         .rows = rows};
    for (size_t r = 0; r < rows; r++) {
        uint32_t *row = table->cells + r * TOY_COLUMNS;
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, 11, SBL_RNG_OTHER, r);
        row[0] = (uint32_t)sbl_model_rng_below(&rng, 4) / 2 + (sbl_model_rng_below(&rng, 3) == 0);
        row[1] = near(8 + 9.0 * row[0], 4, 40, &rng);
        row[2] = sbl_model_rng_below(&rng, 8) == 0 ? 20 : near(row[1] / 2.0, 2, 20, &rng);
        row[3] = row[2] == 20 ? 0 : near(row[2] / 4.0, 0.7, 5, &rng);
        const double u = sbl_model_rng_uniform(&rng);
        row[4] = (uint32_t)(30 * u * u * u * u);
        row[5] = (uint32_t)sbl_model_rng_below(&rng, 2);
    }
}

void toy_table_free(toy_table *table) { free(table->cells); }

sbl_pairs_setting toy_setting(const toy_table *table, double mu)
{
    return (sbl_pairs_setting){table->columns, .count = table->count, .label = 0, .rows = (double)table->rows,
                               .mu = mu,       .sensitivity2 = 1,     .seed = 5};
}

void toy_counts(const toy_table *table, const sbl_pairs_plan *plan, size_t t, double noise, double *values)
{
    const sbl_pairs_map *first = &plan->maps[plan->tables[t].first];
    const bool two = plan->tables[t].second != SBL_PAIRS_NO_MAP;
    const sbl_pairs_map *second = two ? &plan->maps[plan->tables[t].second] : NULL;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 12, SBL_RNG_OTHER, table->releases << 32 | t);
    for (size_t i = 0; i < sbl_pairs_table_entries(plan, t); i++)
        values[i] = noise * sbl_model_rng_normal(&rng);
    for (size_t r = 0; r < table->rows; r++) {
        const uint32_t *row = table->cells + r * table->count;
        const size_t a = first->of[row[first->column]];
        values[two ? a * second->cells + second->of[row[second->column]] : a] += 1;
    }
}

sbl_status toy_release(toy_table *table, sbl_pairs_selection *selection, const sbl_pairs_setting *setting,
                       sbl_error *err)
{
    const sbl_pairs_plan *plan = sbl_pairs_selection_plan(selection);
    const size_t count = plan->table_count;
    double **values = malloc(count * sizeof *values), *noise = malloc(count * sizeof *noise);
    for (size_t t = 0; t < count; t++) {
        noise[t] = sbl_pairs_unit_noise(setting) / sqrt(plan->tables[t].precision);
        values[t] = malloc(sbl_pairs_table_entries(plan, t) * sizeof **values);
        toy_counts(table, plan, t, noise[t], values[t]);
    }
    table->releases++;
    const sbl_status status =
        sbl_pairs_selection_take(selection, plan, (const double *const *)values, noise, err);
    for (size_t t = 0; t < count; t++) free(values[t]);
    free(values);
    free(noise);
    return status;
}

sbl_status toy_fit(toy_table *table, const sbl_pairs_setting *setting, sbl_pairs_model *model, sbl_error *err)
{
    sbl_pairs_selection *selection = NULL;
    *model = (sbl_pairs_model){0};
    sbl_status status = sbl_pairs_selection_new(&selection, setting, 0, err);
    table->releases = 0;
    while (status == SBL_OK && sbl_pairs_selection_plan(selection))
        status = toy_release(table, selection, setting, err);
    if (status == SBL_OK) status = sbl_pairs_selection_fit(selection, model, err);
    sbl_pairs_selection_free(selection);
    return status;
}

static size_t part(const toy_table *table, size_t j, uint32_t cell)
{
    return table->columns[j].kind == SBL_PAIRS_NUMBER ? cell / 5 : cell;
}

static double pair_distance(const toy_table *table, const uint32_t *cells, size_t rows, size_t i, size_t j)
{
    static double gap[CELLS * CELLS];
    double sum = 0;
    for (size_t c = 0; c < CELLS * CELLS; c++) gap[c] = 0;
    for (size_t r = 0; r < table->rows; r++) {
        const uint32_t *row = table->cells + r * table->count;
        gap[part(table, i, row[i]) * CELLS + part(table, j, row[j])] += 1.0 / (double)table->rows;
    }
    for (size_t r = 0; r < rows; r++) {
        const uint32_t *row = cells + r * table->count;
        gap[part(table, i, row[i]) * CELLS + part(table, j, row[j])] -= 1.0 / (double)rows;
    }
    for (size_t c = 0; c < CELLS * CELLS; c++) sum += fabs(gap[c]);
    return sum / 2;
}

double toy_distance(const toy_table *table, const uint32_t *cells, size_t rows, int ways)
{
    double sum = 0;
    int sets = 0;
    for (size_t i = 0; i < table->count; i++)
        for (size_t j = ways == 1 ? i : i + 1; j < (ways == 1 ? i + 1 : table->count); j++, sets++)
            sum += pair_distance(table, cells, rows, i, j);
    return sum / sets;
}
