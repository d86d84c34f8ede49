/* [7] The model of histories as a kind: holds the pass that was asked for last, and places numbers within
 * the cells that it draws, a person's once for all of its rows. */
#include "sample/histories_kind.h"

#include <string.h>

#include "base/memory.h"
#include "histories/history_sampler.h"
#include "random/model_rng.h"

#define EVENT_STREAMS ((uint64_t)1 << 55) /* streams of rows; below are those of persons */

typedef struct histories_state {
    sbl_history_model model;
    sbl_history_shape shape;
    uint64_t seed;
    sbl_history_pass pass; /* number `number`, whose first row is row `first_row` of all */
    uint64_t number;
    uint64_t first_row;
    bool drawn; /* there is a pass */
} histories_state;

static void free_state(void *data)
{
    histories_state *state = data;
    sbl_history_pass_clear(&state->pass);
    sbl_history_model_clear(&state->model);
    sbl_history_shape_clear(&state->shape);
    sbl_free(state);
}

static sbl_status read_shape(sbl_history_shape *shape, const sbl_model *model, const char *where,
                             sbl_error *err)
{
    const sbl_plan *plan = &model->plan;
    uint64_t bins;
    uint64_t singles;
    uint64_t linear;
    sbl_status status = SBL_OK;
    if (model->facts.kind != SBL_DATA_TABLE || plan->count < 1 ||
        strcmp(plan->items[0].feature, "histories") != 0)
        return sbl_fail(err, SBL_EINPUT, "%s: the plan is not one of histories", where);
    const json_t *parameters = plan->items[0].parameters;
    SBL_TRY(sbl_json_get_u64(&bins, parameters, "bins", where, err));
    SBL_TRY(sbl_json_get_u64(&singles, parameters, "singles", where, err));
    SBL_TRY(sbl_json_get_u64(&linear, parameters, "linear", where, err));
    SBL_TRY(sbl_history_shape_init(shape, model->facts.schema, &model->facts.heads, bins, singles,
                                   linear, err));
done:
    return status == SBL_EARG ? SBL_EINPUT : status;
}

/* A state with its shape. */
static sbl_status make_state(sbl_model *model, const char *where, sbl_error *err)
{
    histories_state *state;
    sbl_status status = SBL_OK;
    SBL_ALLOC(state, 1, "a model");
    model->state = state;
    SBL_TRY(read_shape(&state->shape, model, where, err));
done:
    return status;
}

sbl_status sbl_model_of_histories(sbl_model *model, sbl_history_model *histories, sbl_error *err)
{
    const sbl_status status = make_state(model, "the plan", err);
    if (status != SBL_OK) {
        sbl_history_model_clear(histories);
        return status;
    }
    ((histories_state *)model->state)->model = *histories;
    *histories = (sbl_history_model){0};
    return SBL_OK;
}

static sbl_status save(const void *data, sbl_item to, json_t *metadata, bool overwrite,
                       sbl_error *err)
{
    const histories_state *state = data;
    return sbl_history_model_save(&state->model, to, metadata, overwrite, err);
}

static sbl_status load(sbl_model *model, const sbl_safetensors *file, const char *where,
                       sbl_error *err)
{
    sbl_status status = make_state(model, where, err);
    histories_state *state = model->state;
    return status == SBL_OK ? sbl_history_model_read(&state->model, &state->shape, file, where, err)
                            : status;
}

/* ---- drawing ---- */

static sbl_status seed_model(sbl_model *model, uint64_t seed, sbl_error *err)
{
    histories_state *state = model->state;
    (void)err;
    sbl_history_pass_clear(&state->pass);
    state->drawn = false;
    state->seed = seed;
    return SBL_OK;
}

/* The pass that holds a row: from the one at hand on, or from the first again. */
static sbl_status find_pass(histories_state *state, uint64_t row, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (!state->drawn || row < state->first_row) {
        sbl_history_pass_clear(&state->pass);
        state->number = state->first_row = 0;
        SBL_TRY(
            sbl_history_pass_draw(&state->pass, &state->model, &state->shape, state->seed, 0, err));
        state->drawn = true;
    }
    while (row - state->first_row >= state->pass.starts[state->pass.persons]) {
        state->first_row += state->pass.starts[state->pass.persons];
        state->number++;
        state->drawn = false;
        sbl_history_pass_clear(&state->pass);
        SBL_TRY(sbl_history_pass_draw(&state->pass, &state->model, &state->shape, state->seed,
                                      state->number, err));
        state->drawn = true;
    }
done:
    return status;
}

static size_t person_of(const sbl_history_pass *pass, size_t row)
{
    size_t low = 0, high = pass->persons - 1;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (pass->starts[middle + 1] <= row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The columns of some bases, from their cells. */
static void place(const histories_state *state, double *numeric, uint32_t *codes,
                  const uint16_t *cells, size_t from, size_t to, sbl_model_rng *rng)
{
    for (size_t b = from; b < to; b++) {
        if (state->shape.cell_column[b] == SBL_HISTORY_NONE) continue;
        const sbl_cells_column *column = &state->shape.cells.columns[state->shape.cell_column[b]];
        const size_t cell = cells[b - from];
        if (column->kind == SBL_HEAD_CATEGORICAL) {
            codes[column->index] = (uint32_t)cell;
            continue;
        }
        numeric[column->index] = sbl_cells_place(column, cell, sbl_model_rng_uniform(rng));
        if (column->indicator != SBL_NO_HEAD)
            codes[column->indicator] = sbl_cells_indicator(column, cell);
    }
}

static void place_row(const histories_state *state, double *numeric, uint32_t *codes, size_t person,
                      size_t row)
{
    const sbl_history_shape *shape = &state->shape;
    const sbl_history_pass *pass = &state->pass;
    const size_t events = shape->base_count - shape->person_count;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, state->seed, SBL_RNG_SAMPLE_ROW,
                       state->number * pass->persons + person);
    place(state, numeric, codes, pass->person_cells + person * shape->person_count, 0,
          shape->person_count, &rng);
    sbl_model_rng_init(&rng, state->seed, SBL_RNG_SAMPLE_ROW,
                       EVENT_STREAMS | (state->first_row + row));
    place(state, numeric, codes, pass->event_cells + row * events, shape->person_count,
          shape->base_count, &rng);
    if (shape->span == 0) return;
    const sbl_cells_column *order = &shape->cells.columns[shape->order];
    numeric[order->index] = sbl_history_place_of(shape, pass->rows.steps[row]);
    if (order->indicator != SBL_NO_HEAD) codes[order->indicator] = 0;
}

static sbl_status draw(sbl_model *model, const sbl_drawn *drawn, uint64_t first, size_t rows,
                       size_t wanted, sbl_error *err)
{
    histories_state *state = model->state;
    const sbl_cells *cells = &state->shape.cells;
    sbl_status status = SBL_OK;
    (void)wanted; /* of a history no class can be wanted: rows are rejected by who asks */
    for (size_t r = 0; r < rows; r++) {
        SBL_TRY(find_pass(state, first + r, err));
        const size_t row = (size_t)(first + r - state->first_row);
        const size_t person = person_of(&state->pass, row);
        place_row(state, drawn->numeric + r * cells->numeric_count,
                  drawn->codes + r * cells->categorical_count, person, row);
        if (drawn->persons != NULL)
            drawn->persons[r] = state->number * state->pass.persons + person;
    }
done:
    return status;
}

const sbl_model_kind sbl_model_kind_histories = {
    .name = "histories",
    .whole_units = true,
    .save = save,
    .load = load,
    .seed = seed_model,
    .draw = draw,
    .free = free_state,
};
