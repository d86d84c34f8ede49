/* SPDX-License-Identifier: Apache-2.0 */
/* [7] The model of pairs as a kind: holds the sampler of the class and the fixed columns that were
 * asked for last, and places numbers within the cells that it draws. */
#include "after/sample/pairs_kind.h"

#include <string.h>

#include "after/pairs/pairs_sampler.h"
#include "base/alloc.h"
#include "base/compute/threads.h"
#include "base/random/model_rng.h"
#include "public/schema/bins.h"

#define MANY_ROWS 1024 /* whose numbers threads place together */

typedef struct pairs_state {
    sbl_pairs_model model;
    sbl_bins cells;
    uint64_t seed;
    sbl_pairs_sampler *sampler; /* of the class that was wanted last */
    size_t wanted;
    uint32_t *fixed;   /* (columns) */
    uint32_t *ordered; /* (columns): cells in the order of a number */
    uint32_t *drawn;   /* (capacity, columns): cells */
    size_t capacity;   /* rows of drawn */
} pairs_state;

static void free_state(void *data)
{
    pairs_state *state = data;
    sbl_pairs_sampler_free(state->sampler);
    sbl_pairs_model_clear(&state->model);
    sbl_bins_clear(&state->cells);
    sbl_free(state->fixed);
    sbl_free(state->ordered);
    sbl_free(state->drawn);
    sbl_free(state);
}

/* The joint cells that the plan's tables are over. */
static sbl_status read_cells(sbl_bins *cells, const sbl_model *model, const char *where, sbl_error *err)
{
    const sbl_plan *plan = &model->plan;
    uint64_t bins;
    uint64_t singles;
    uint64_t linear;
    sbl_status status = SBL_OK;
    if (model->facts.kind != SBL_DATA_TABLE || plan->count < 1 ||
        (strcmp(plan->items[0].feature, "tables") != 0 && strcmp(plan->items[0].feature, "leaves") != 0))
        return sbl_fail(err, SBL_EINPUT, "%s: the plan is not for marginals", where);
    const json_t *parameters = plan->items[0].parameters;
    SBL_TRY(sbl_json_get_u64(&bins, parameters, "bins", where, err));
    SBL_TRY(sbl_json_get_u64(&singles, parameters, "singles", where, err));
    SBL_TRY(sbl_json_get_u64(&linear, parameters, "linear", where, err));
    SBL_TRY(sbl_bins_init_joint(cells, model->facts.schema, &model->facts.heads, bins, singles, linear, err));
done:
    return status == SBL_EARG ? SBL_EINPUT : status;
}

/* Drawing trusts the cells' numbers. */
static bool fits(const sbl_pairs_model *pairs, const sbl_bins *cells)
{
    bool same = pairs->potts.count == cells->count;
    for (size_t k = 0; same && k < cells->count; k++)
        same = pairs->cells_at[k + 1] - pairs->cells_at[k] == cells->columns[k].count;
    return same;
}

static sbl_status take(sbl_model *model, sbl_pairs_model *pairs, const char *where, sbl_error *err)
{
    sbl_status status = SBL_OK;
    pairs_state *state;
    SBL_ALLOC(state, 1, "a model");
    model->state = state;
    state->model = *pairs;
    *pairs = (sbl_pairs_model){0};
    SBL_TRY(read_cells(&state->cells, model, where, err));
    if (!fits(&state->model, &state->cells))
        SBL_FAIL(err, SBL_EINPUT, "%s: the marginals do not match its schema", where);
    SBL_ALLOC(state->fixed, state->cells.count, "a model");
    SBL_ALLOC(state->ordered, state->cells.count, "a model");
    for (size_t k = 0; k < state->cells.count; k++)
        if (state->cells.columns[k].kind == SBL_HEAD_NUMERIC)
            state->ordered[k] = (uint32_t)state->cells.columns[k].intervals;
done:
    sbl_pairs_model_clear(pairs);
    return status;
}

sbl_status sbl_model_of_pairs(sbl_model *model, sbl_pairs_model *pairs, sbl_error *err)
{
    return take(model, pairs, "the plan", err);
}

const sbl_pairs_model *sbl_model_pairs(const sbl_model *model)
{
    const pairs_state *state = model->state;
    return &state->model;
}

static sbl_status save(const void *data, sbl_store_entry to, json_t *metadata, bool overwrite, sbl_error *err)
{
    const pairs_state *state = data;
    return sbl_pairs_model_save(&state->model, to, metadata, overwrite, err);
}

static sbl_status load(sbl_model *model, const sbl_safetensors *file, const char *where, sbl_error *err)
{
    sbl_pairs_model pairs = {0};
    const sbl_status status = sbl_pairs_model_read(&pairs, file, where, err);
    return status == SBL_OK ? take(model, &pairs, where, err) : status;
}

/* ---- drawing ---- */

static sbl_status seed_model(sbl_model *model, uint64_t seed, sbl_error *err)
{
    pairs_state *state = model->state;
    (void)err;
    sbl_pairs_sampler_free(state->sampler);
    state->sampler = NULL;
    state->seed = seed;
    return SBL_OK;
}

static const sbl_fixed *fixed_of(const sbl_model *model, const sbl_bins_column *column)
{
    for (size_t i = 0; i < model->fixed_count; i++) {
        const sbl_head *head = &model->facts.heads.items[model->fixed[i].head];
        if (head->kind == column->kind && head->index == column->index) return &model->fixed[i];
    }
    return NULL;
}

/* The cells of the columns that are fixed: a wanted class, and what the model was told. */
static sbl_status fix_cells(pairs_state *state, const sbl_model *model, size_t wanted, sbl_error *err)
{
    double *numeric;
    uint32_t *codes;
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    SBL_POOL(&pool, numeric, state->cells.numeric_count + 1, 1, "a few rows");
    SBL_POOL(&pool, codes, state->cells.categorical_count + 1, 1, "a few rows");
    for (size_t k = 0; k < state->cells.count; k++) {
        const sbl_bins_column *column = &state->cells.columns[k];
        const bool label = column->kind == SBL_HEAD_CATEGORICAL && column->index == model->facts.label_column;
        state->fixed[k] = label && wanted != SBL_ANY_CLASS ? (uint32_t)wanted : SBL_PAIRS_FREE;
        const sbl_fixed *fixed = fixed_of(model, column);
        if (fixed == NULL) continue;
        if (column->kind == SBL_HEAD_CATEGORICAL) {
            codes[column->index] = fixed->code;
        } else {
            numeric[column->index] = fixed->unit;
            if (column->indicator != SBL_NO_HEAD) codes[column->indicator] = fixed->missing;
        }
        state->fixed[k] = (uint32_t)sbl_bins_find(column, numeric, codes);
    }
done:
    sbl_pool_clear(&pool);
    return status;
}

static sbl_status open_sampler(pairs_state *state, const sbl_model *model, size_t wanted, sbl_error *err)
{
    const bool fixes = wanted != SBL_ANY_CLASS || model->fixed_count > 0;
    const sbl_pairs_request request = {.rows = model->asked != 0 ? model->asked : (uint64_t)model->rows,
                                       .seed = state->seed,
                                       .fixed = fixes ? state->fixed : NULL,
                                       .ordered = state->ordered};
    if (state->sampler != NULL && state->wanted == wanted) return SBL_OK;
    sbl_pairs_sampler_free(state->sampler);
    state->sampler = NULL;
    state->wanted = wanted;
    const sbl_status status = fix_cells(state, model, wanted, err);
    if (status != SBL_OK) return status;
    return sbl_pairs_sampler_new(&state->sampler, &state->model, &request, err);
}

static sbl_status hold_rows(pairs_state *state, size_t rows, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (rows <= state->capacity) return SBL_OK;
    SBL_RESIZE(state->drawn, state->cells.count * rows, "a few rows");
    state->capacity = rows;
done:
    return status;
}

/* Every column takes the same number of draws whatever its cell. */
static void place_row(const pairs_state *state, double *numeric, uint32_t *codes, const uint32_t *cells,
                      uint64_t row)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, state->seed, SBL_RNG_SAMPLE_ROW, row);
    for (size_t k = 0; k < state->cells.count; k++) {
        const sbl_bins_column *column = &state->cells.columns[k];
        if (column->kind == SBL_HEAD_CATEGORICAL) {
            codes[column->index] = cells[k];
            continue;
        }
        numeric[column->index] = sbl_bins_place(column, cells[k], sbl_model_rng_uniform(&rng));
        if (column->indicator != SBL_NO_HEAD) codes[column->indicator] = sbl_bins_indicator(column, cells[k]);
    }
}

/* A number that is fixed is that number, not another of its cell. */
static void place_fixed(const sbl_model *model, double *numeric)
{
    for (size_t i = 0; i < model->fixed_count; i++) {
        const sbl_head *head = &model->facts.heads.items[model->fixed[i].head];
        if (head->kind == SBL_HEAD_NUMERIC && !model->fixed[i].missing)
            numeric[head->index] = model->fixed[i].unit;
    }
}

static sbl_status draw(sbl_model *model, const sbl_drawn *drawn, uint64_t first, size_t rows, size_t wanted,
                       sbl_error *err)
{
    pairs_state *state = model->state;
    const sbl_bins *cells = &state->cells;
    SBL_CHECK(hold_rows(state, rows, err));
    SBL_CHECK(open_sampler(state, model, wanted, err));
    SBL_CHECK(sbl_pairs_sampler_draw(state->sampler, state->drawn, first, rows, err));
    SBL_OMP(omp parallel for schedule(static) if (rows >= MANY_ROWS))
    for (size_t r = 0; r < rows; r++) {
        double *numeric = drawn->numeric + r * cells->numeric_count;
        place_row(state, numeric, drawn->codes + r * cells->categorical_count,
                  state->drawn + r * cells->count, first + r);
        place_fixed(model, numeric);
    }
    return SBL_OK;
}

const sbl_model_kind sbl_model_kind_pairs = {
    .name = "pairs",
    .fixes = true,
    .save = save,
    .load = load,
    .seed = seed_model,
    .draw = draw,
    .free = free_state,
};
