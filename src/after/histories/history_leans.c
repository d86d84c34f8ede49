/* SPDX-License-Identifier: Apache-2.0 */
/* [7] The slopes of a walk's tables, and the cells that follow them (history_leans.h). */
#include "after/histories/history_leans.h"

#include "after/counts/spread.h"

#define WHAT "drawing histories"
#define CELL_STREAM ((uint64_t)1 << 55) /* streams beyond those of sweeps */

void sbl_history_cell_stream(sbl_model_rng *rng, uint64_t seed, uint64_t number, size_t what)
{
    sbl_model_rng_init(rng, seed, SBL_RNG_HISTORIES, CELL_STREAM | number << 20 | what);
}

/* The leans of one column. */
typedef struct column_leans {
    sbl_code_cells column;
    sbl_code_places places;
    sbl_lean *leans; /* (edges of the walk) */
    size_t count;
    sbl_pool pool;
} column_leans;

/* The gap is drawn with its time and has no order here. */
static sbl_code_cells cells_of(const sbl_history_model *model, const sbl_history_tree *tree,
                               const sbl_walk *walk, size_t base)
{
    const size_t number = walk->shape->number[base], at = model->cells_at[number];
    const sbl_pairs_column *column = &tree->columns[number];
    const bool ordered = column->kind == SBL_PAIRS_NUMBER && base != walk->shape->gap_base;
    return (sbl_code_cells){.code_of = model->code_of + at,
                            .share = model->share + at,
                            .cells = (uint32_t)(model->cells_at[number + 1] - at),
                            .codes = model->codes[number],
                            .ordered = ordered ? column->ordered : 0};
}

/* One table of the walk. side: where the other column's codes are in a row. */
static sbl_status add_lean(column_leans *l, const sbl_history_codes *codes, const sbl_walk_edge *edge,
                           const sbl_interaction *of, size_t side, sbl_error *err)
{
    const sbl_walk *walk = codes->walk;
    float *slopes;
    sbl_status status = SBL_OK;
    SBL_POOL(&l->pool, slopes, l->column.codes, of->other_codes, WHAT);
    sbl_slopes_set(slopes, &l->places, of);
    l->leans[l->count++] = (sbl_lean){.slopes = slopes,
                                      .other = codes->rows + side,
                                      .where = edge->looks_back ? codes->rows + walk->shape->position : NULL,
                                      .stride = walk->width,
                                      .other_codes = of->other_codes};
done:
    return status;
}

/* All tables that a column is in with another of its row. */
static sbl_status find_leans(column_leans *l, const sbl_history_codes *codes, size_t base, sbl_error *err)
{
    const sbl_walk *walk = codes->walk;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_code_places_init(&l->places, &l->pool, &l->column, err));
    SBL_POOL(&l->pool, l->leans, walk->edge_count, 1, WHAT);
    for (size_t c = 0; c < walk->column_count; c++) {
        const sbl_walk_column *column = &walk->columns[c];
        for (size_t e = column->first_edge; e < column->first_edge + column->edge_count; e++) {
            const sbl_walk_edge *edge = &walk->edges[e];
            const float *theta = codes->field->theta + edge->at;
            const sbl_interaction drawn = {theta, 1, column->lanes, edge->codes, NULL};
            const sbl_interaction context = {theta, column->lanes, 1, column->codes, NULL};
            if (column->base == base) SBL_TRY(add_lean(l, codes, edge, &drawn, edge->side, err));
            if (edge->side == base && !column->looks_back)
                SBL_TRY(add_lean(l, codes, edge, &context, column->base, err));
        }
    }
done:
    return status;
}

static sbl_status spread_column(sbl_spread *spread, const sbl_history_codes *codes,
                                const sbl_history_model *model, const sbl_history_tree *tree, size_t c,
                                uint64_t seed, uint64_t number, sbl_error *err)
{
    const sbl_walk *walk = codes->walk;
    const size_t base = walk->columns[c].base;
    column_leans l = {.column = cells_of(model, tree, walk, base)};
    sbl_model_rng rng;
    sbl_status status = SBL_OK;
    sbl_history_cell_stream(&rng, seed, number, walk->shape->number[base]);
    if (l.column.ordered > 0) SBL_TRY(find_leans(&l, codes, base, err));
    sbl_spread_column(spread, &l.column, l.leans, l.count, codes->rows + base, walk->width, codes->cells + c,
                      walk->column_count, codes->count, &rng);
done:
    sbl_pool_clear(&l.pool);
    return status;
}

static size_t most_cells(const sbl_history_model *model)
{
    size_t most = 1;
    for (size_t b = 0; b < model->base_count; b++)
        if (model->cells_at[b + 1] - model->cells_at[b] > most)
            most = model->cells_at[b + 1] - model->cells_at[b];
    return most;
}

sbl_status sbl_history_spread(const sbl_history_codes *codes, const sbl_history_model *model,
                              const sbl_history_tree *tree, uint64_t seed, uint64_t number, sbl_error *err)
{
    sbl_spread spread;
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_spread_init(&spread, &pool, codes->count, most_cells(model), err));
    for (size_t c = 0; c < codes->walk->column_count; c++)
        SBL_TRY(spread_column(&spread, codes, model, tree, c, seed, number, err));
done:
    sbl_pool_clear(&pool);
    return status;
}
