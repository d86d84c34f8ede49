/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Places of a number's codes, and tables that keep the means by group which they give (pairs_fit.h). */
#include <math.h>

#include "after/counts/table_math.h"
#include "after/pairs/pairs_fit.h"

#define LEAST_SHARE 1e-9 /* of a cell, so that every code has a place */

/* The mean place of each code among a number's cells, and of each group; cells that stand apart are in the middle. */
static void score_column(sbl_pairs_fit *f, size_t j)
{
    const sbl_known_column *column = &f->selection->columns[j];
    const sbl_pairs_column *facts = &f->selection->facts[j];
    double *scores = f->scores + column->at, *groups = f->group_scores + f->margins.groups_at[j];
    const double *shares = f->margins.shares + column->at;
    double *mass = f->scratch, sum = 0, all = 0;
    if (facts->kind != SBL_PAIRS_NUMBER) return;
    for (uint32_t v = 0; v < column->codes.cells; v++) mass[v] = 0;
    for (uint32_t c = 0; c < facts->ordered; c++) {
        const double share = column->fine[c] + LEAST_SHARE;
        scores[column->codes.of[c]] += share * c;
        mass[column->codes.of[c]] += share;
        sum += share * c;
        all += share;
    }
    for (uint32_t v = 0; v < column->codes.cells; v++)
        scores[v] = mass[v] > 0 ? scores[v] / mass[v] - sum / all : 0;
    for (uint32_t g = 0; g < column->groups.cells; g++) mass[g] = 0;
    for (uint32_t v = 0; v < column->codes.cells; v++) {
        groups[column->group_of[v]] += (shares[v] + LEAST_SHARE) * scores[v];
        mass[column->group_of[v]] += shares[v] + LEAST_SHARE;
    }
    for (uint32_t g = 0; g < column->groups.cells; g++) groups[g] /= fmax(mass[g], LEAST_SHARE);
}

void sbl_pairs_fit_scores(sbl_pairs_fit *f)
{
    for (size_t j = 0; j < f->selection->setting.count; j++) score_column(f, j);
}

static const double *scores_of(const sbl_pairs_fit *f, uint32_t column, bool grouped)
{
    if (f->selection->facts[column].kind != SBL_PAIRS_NUMBER) return NULL;
    return grouped ? f->group_scores + f->margins.groups_at[column]
                   : f->scores + f->selection->columns[column].at;
}

static const double *shares_of(const sbl_pairs_fit *f, uint32_t column, bool grouped)
{
    return grouped ? f->margins.group_shares + f->margins.groups_at[column]
                   : f->margins.shares + f->selection->columns[column].at;
}

void sbl_pairs_fit_project(sbl_pairs_fit *f, const sbl_potts_block *block, const uint8_t *holes)
{
    const size_t rows = sbl_potts_size(f->potts, block->first, block->grouped);
    const size_t columns = sbl_potts_size(f->potts, block->second, block->grouped);
    double *table = f->scratch;
    for (size_t i = 0; i < rows * columns; i++) table[i] = f->targets[block->at + i];
    sbl_table_project_scores(table, rows, columns, shares_of(f, block->first, block->grouped),
                             shares_of(f, block->second, block->grouped), holes,
                             scores_of(f, block->first, block->grouped),
                             scores_of(f, block->second, block->grouped), table + rows * columns);
    for (size_t i = 0; i < rows * columns; i++) f->targets[block->at + i] = (float)table[i];
}
