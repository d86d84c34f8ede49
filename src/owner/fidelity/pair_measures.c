/* SPDX-License-Identifier: Apache-2.0 */
/* The pairs of columns that say most, cell by cell: those that hang together most in either table,
 * or in one much more than in the other. For pictures. */
#include <math.h>

#include "base/alloc.h"
#include "base/json.h"
#include "owner/fidelity/axis.h"
#include "owner/fidelity/measures.h"

#define MOST_PAIRS 6
#define MOST_OF_A_COLUMN 2 /* pairs that one column is in */

typedef struct chosen {
    size_t pairs[MOST_PAIRS][2];
    size_t count;
} chosen;

/* 0 where there is none. */
static double entry(const json_t *matrix, size_t i, size_t j)
{
    return json_number_value(json_array_get(json_array_get(matrix, i), j));
}

static double worth_of(const json_t *association, size_t i, size_t j)
{
    const double real = entry(json_object_get(association, "real"), i, j);
    const double synthetic = entry(json_object_get(association, "synthetic"), i, j);
    return fmax(fabs(real), fabs(synthetic)) + fabs(real - synthetic);
}

static size_t uses_of(const chosen *c, size_t column)
{
    size_t uses = 0;
    for (size_t k = 0; k < c->count; k++) uses += c->pairs[k][0] == column || c->pairs[k][1] == column;
    return uses;
}

static bool is_chosen(const chosen *c, size_t i, size_t j)
{
    for (size_t k = 0; k < c->count; k++)
        if (c->pairs[k][0] == i && c->pairs[k][1] == j) return true;
    return false;
}

/* Adds the pair that is worth most of those left; false when there is none. */
static bool choose_next(chosen *c, const json_t *association, size_t columns)
{
    double most = 0.0;
    size_t best[2] = {0, 0};
    for (size_t i = 0; i < columns; i++) {
        if (uses_of(c, i) == MOST_OF_A_COLUMN) continue;
        for (size_t j = i + 1; j < columns; j++) {
            const double worth = worth_of(association, i, j);
            if (!(worth > most) || is_chosen(c, i, j) || uses_of(c, j) == MOST_OF_A_COLUMN) continue;
            most = worth;
            best[0] = i;
            best[1] = j;
        }
    }
    if (!(most > 0.0)) return false;
    c->pairs[c->count][0] = best[0];
    c->pairs[c->count++][1] = best[1];
    return true;
}

/* The share of the rows in each cell: a list for each cell of the first column. */
static json_t *shares_json(const sbl_axis axes[2], const sbl_frame *frame)
{
    double shares[SBL_AXIS_CELLS(SBL_PAIR_CELLS)][SBL_AXIS_CELLS(SBL_PAIR_CELLS)] = {{0}};
    json_t *rows = json_array();
    for (size_t r = 0; r < frame->rows; r++)
        shares[sbl_axis_cell(&axes[0], frame, r)][sbl_axis_cell(&axes[1], frame, r)] += 1.0;
    for (size_t i = 0; i < axes[0].count; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j < axes[1].count; j++)
            row = sbl_json_append(row, sbl_number_json(shares[i][j] / (double)frame->rows));
        rows = sbl_json_append(rows, row);
    }
    return rows;
}

static json_t *pair_json(const sbl_tables *tables, const sbl_view *view, const size_t pair[2])
{
    const sbl_frame *const frames[2] = {&tables->frames[SBL_ROLE_REAL], &tables->frames[SBL_ROLE_SYNTHETIC]};
    const sbl_view_column *first = &view->columns[pair[0]];
    const sbl_view_column *second = &view->columns[pair[1]];
    sbl_axis axes[2] = {{0}};
    json_t *made = NULL;
    if (sbl_axis_init(&axes[0], first, SBL_PAIR_CELLS, SBL_PAIR_CELLS, frames, 2) &&
        sbl_axis_init(&axes[1], second, SBL_PAIR_CELLS, SBL_PAIR_CELLS, frames, 2))
        made = json_pack("{s:[s, s], s:[b, b], s:[o, o], s:o, s:o}", "columns", first->column->name,
                         second->column->name, "numbers", (int)first->numeric, (int)second->numeric, "labels",
                         sbl_axis_labels(&axes[0]), sbl_axis_labels(&axes[1]), "real",
                         shares_json(axes, frames[0]), "synthetic", shares_json(axes, frames[1]));
    sbl_axis_clear(&axes[0]);
    sbl_axis_clear(&axes[1]);
    return made;
}

sbl_status sbl_measure_pairs(json_t **result, const sbl_tables *tables, const sbl_view *view,
                             const json_t *association, sbl_error *err)
{
    chosen c = {0};
    *result = json_array();
    while (c.count < MOST_PAIRS && choose_next(&c, association, view->count)) continue;
    for (size_t k = 0; k < c.count; k++)
        *result = sbl_json_append(*result, pair_json(tables, view, c.pairs[k]));
    return *result != NULL ? SBL_OK : sbl_no_memory(err, "pairs of columns");
}
