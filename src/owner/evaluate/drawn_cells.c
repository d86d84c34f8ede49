/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of rows by cell and person, and the combining rule for the share of each cell. */
#include "owner/evaluate/drawn_cells.h"

#include <math.h>

#include "base/json.h"
#include "semblance/combine.h"

#define WHAT "pictures with intervals"

void sbl_drawn_cells_clear(sbl_drawn_cells *cells)
{
    sbl_axis_clear(&cells->axes[0]);
    sbl_axis_clear(&cells->axes[1]);
    sbl_pool_clear(&cells->pool);
}

sbl_status sbl_drawn_cells_init(sbl_drawn_cells *c, size_t draws, sbl_error *err)
{
    sbl_status status = SBL_OK;
    c->cells = c->axes[0].count * (c->sides == 2 ? c->axes[1].count : 1);
    c->draws = draws;
    SBL_POOL(&c->pool, c->rows, c->cells, 1, WHAT);
    SBL_POOL(&c->pool, c->squares, c->cells, 1, WHAT);
    SBL_POOL(&c->pool, c->products, c->cells, 1, WHAT);
    SBL_POOL(&c->pool, c->own, c->cells, 1, WHAT);
    SBL_POOL(&c->pool, c->touched, c->cells, 1, WHAT);
    SBL_POOL(&c->pool, c->estimates, c->cells, draws, WHAT);
    SBL_POOL(&c->pool, c->variances, c->cells, draws, WHAT);
    SBL_POOL(&c->pool, c->spare, draws, 2, WHAT);
done:
    return status;
}

/* ---- rows ---- */

void sbl_drawn_cells_add(sbl_drawn_cells *c, const sbl_frame *frame, size_t row)
{
    size_t cell = sbl_axis_cell(&c->axes[0], frame, row);
    if (c->sides == 2) cell = cell * c->axes[1].count + sbl_axis_cell(&c->axes[1], frame, row);
    if (c->own[cell] == 0) c->touched[c->touched_count++] = (uint32_t)cell;
    c->own[cell] += 1;
}

void sbl_drawn_cells_end_person(sbl_drawn_cells *c, double rows)
{
    for (size_t i = 0; i < c->touched_count; i++) {
        const size_t cell = c->touched[i];
        c->rows[cell] += c->own[cell];
        c->squares[cell] += c->own[cell] * c->own[cell];
        c->products[cell] += c->own[cell] * rows;
        c->own[cell] = 0;
    }
    c->touched_count = 0;
}

/* The variance of a share p is that of the sum over persons of (their rows here - p times all their rows). A cell
 * without rows has that of one row. */
void sbl_drawn_cells_end_draw(sbl_drawn_cells *c, size_t draw, double rows, double squares)
{
    const double n = fmax(rows, 1);
    for (size_t i = 0; i < c->cells; i++) {
        const double p = c->rows[i] / n;
        const double sum = c->squares[i] - 2 * p * c->products[i] + p * p * squares;
        c->estimates[i * c->draws + draw] = p;
        c->variances[i * c->draws + draw] = fmax(sum, 1) / (n * n);
        c->rows[i] = c->squares[i] = c->products[i] = 0;
    }
}

/* ---- intervals ---- */

/* The sum over a line of the table: row or column `index`, in one draw. */
static double margin(const sbl_drawn_cells *c, size_t side, size_t index, size_t draw)
{
    const size_t wide = c->axes[1].count;
    double sum = 0;
    for (size_t k = 0; k < c->axes[1 - side].count; k++)
        sum += c->estimates[(side == 0 ? index * wide + k : k * wide + index) * c->draws + draw];
    return sum;
}

/* Is one cell unlike the product of its margins? Its variance is that of independent columns, in proportion to what the
 * rows of persons make of it. */
static sbl_status is_unlike(bool *unlike, sbl_drawn_cells *c, size_t row, size_t column, double level,
                            sbl_error *err)
{
    const size_t cell = row * c->axes[1].count + column;
    sbl_combine_options how;
    sbl_combined found = {.struct_size = sizeof found};
    sbl_combine_options_init(&how);
    how.level = level;
    for (size_t d = 0; d < c->draws; d++) {
        const double p = margin(c, 0, row, d), q = margin(c, 1, column, d);
        const double share = c->estimates[cell * c->draws + d];
        const double part =
            fmax((1 - p) * (1 - q), 0) / fmax(1 - p * q, 1e-9); /* margins may sum to 1 + 1e-16 */
        c->spare[d] = share - p * q;
        c->spare[c->draws + d] = c->variances[cell * c->draws + d] * part;
    }
    SBL_CHECK(sbl_combine(&found, c->spare, c->spare + c->draws, c->draws, &how, err));
    *unlike = found.low > 0 || found.high < 0;
    return SBL_OK;
}

static sbl_status put_told(json_t *picture, sbl_drawn_cells *c, sbl_error *err)
{
    const double level = 1 - (1 - SBL_PICTURE_LEVEL) / (double)c->cells;
    bool told = false;
    for (size_t i = 0; i < c->axes[0].count && !told; i++)
        for (size_t j = 0; j < c->axes[1].count && !told; j++)
            SBL_CHECK(is_unlike(&told, c, i, j, level, err));
    return json_object_set_new(picture, "told", json_boolean(told)) == 0 ? SBL_OK : sbl_no_memory(err, WHAT);
}

typedef struct bounds {
    json_t *estimate, *low, *high;
} bounds;

static sbl_status add_cells(bounds *to, sbl_drawn_cells *c, size_t first, size_t count, sbl_error *err)
{
    sbl_combine_options how;
    sbl_combine_options_init(&how);
    how.level = SBL_PICTURE_LEVEL;
    for (size_t i = first; i < first + count; i++) {
        sbl_combined found = {.struct_size = sizeof found};
        SBL_CHECK(sbl_combine(&found, c->estimates + i * c->draws, c->variances + i * c->draws, c->draws,
                              &how, err));
        to->estimate = sbl_json_append(to->estimate, json_real(found.estimate));
        to->low = sbl_json_append(to->low, json_real(fmax(found.low, 0)));
        to->high = sbl_json_append(to->high, json_real(fmin(found.high, 1)));
    }
    return SBL_OK;
}

static sbl_status add_rows(bounds *all, sbl_drawn_cells *c, sbl_error *err)
{
    const size_t wide = c->axes[1].count;
    for (size_t i = 0; i < c->axes[0].count; i++) {
        bounds row = {json_array(), json_array(), json_array()};
        const sbl_status status = add_cells(&row, c, i * wide, wide, err);
        all->estimate = sbl_json_append(all->estimate, row.estimate);
        all->low = sbl_json_append(all->low, row.low);
        all->high = sbl_json_append(all->high, row.high);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

sbl_status sbl_drawn_cells_put(json_t *picture, sbl_drawn_cells *c, bool shares, sbl_error *err)
{
    bounds all = {json_array(), json_array(), json_array()};
    sbl_status status = c->sides == 2 ? add_rows(&all, c, err) : add_cells(&all, c, 0, c->cells, err);
    if (status == SBL_OK && (all.estimate == NULL || json_object_set(picture, "low", all.low) != 0 ||
                             json_object_set(picture, "high", all.high) != 0 ||
                             (shares && json_object_set(picture, "synthetic", all.estimate) != 0)))
        status = sbl_no_memory(err, WHAT);
    json_decref(all.estimate);
    json_decref(all.low);
    json_decref(all.high);
    return status == SBL_OK && c->sides == 2 ? put_told(picture, c, err) : status;
}
