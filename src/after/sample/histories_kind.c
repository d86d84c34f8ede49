/* SPDX-License-Identifier: Apache-2.0 */
/* [7] The model of histories as a kind: holds the pass that was asked for last, and places numbers within
 * the cells that it draws, a person's once for all of its rows. */
#include "after/sample/histories_kind.h"

#include <stdlib.h>
#include <string.h>

#include "after/histories/history_sampler.h"
#include "base/alloc.h"
#include "base/random/model_rng.h"

#define EVENT_STREAMS ((uint64_t)1 << 55) /* streams of events; below are those of persons */
#define TIME_STREAMS ((uint64_t)1 << 56)  /* and those of times that are put in order */
#define LINK_STREAMS 46                   /* bits of a link's numbers of events */

/* The times of the events of one row, in order: those of a link whose times follow other dates. */
typedef struct row_times {
    double *units; /* room for those of any row; NULL: the link has no such times */
    size_t parent; /* the row; SBL_HISTORY_NONE: none yet */
} row_times;

typedef struct histories_state {
    sbl_history_model model;
    sbl_history_tree tree;
    uint64_t seed;
    sbl_history_pass pass; /* number `number`, whose first row is row `first_row` of all */
    uint64_t number;
    uint64_t first_row;
    uint64_t *first_event; /* (link_count): likewise of the events of a link */
    row_times *times;      /* (link_count) */
    bool drawn;            /* there is a pass */
} histories_state;

static void free_state(void *data)
{
    histories_state *state = data;
    sbl_history_pass_clear(&state->pass);
    sbl_history_model_clear(&state->model);
    for (size_t l = 0; state->times != NULL && l < state->tree.link_count; l++)
        sbl_free(state->times[l].units);
    sbl_free(state->times);
    sbl_history_tree_clear(&state->tree);
    sbl_free(state->first_event);
    sbl_free(state);
}

static sbl_status read_tree(sbl_history_tree *tree, const sbl_model *model, const char *where, sbl_error *err)
{
    const sbl_plan *plan = &model->plan;
    uint64_t bins;
    uint64_t singles;
    uint64_t linear;
    sbl_status status = SBL_OK;
    if (model->facts.kind != SBL_DATA_TABLE || plan->count < 1 ||
        strcmp(plan->items[0].feature, "histories") != 0)
        return sbl_fail(err, SBL_EINPUT, "%s: the plan is not for histories", where);
    const json_t *parameters = plan->items[0].parameters;
    SBL_TRY(sbl_json_get_u64(&bins, parameters, "bins", where, err));
    SBL_TRY(sbl_json_get_u64(&singles, parameters, "singles", where, err));
    SBL_TRY(sbl_json_get_u64(&linear, parameters, "linear", where, err));
    SBL_TRY(sbl_history_tree_init(tree, model->facts.schema, &model->facts.heads, bins, singles, linear,
                                  sbl_histories_follow(parameters), err));
done:
    return status == SBL_EARG ? SBL_EINPUT : status;
}

/* A state with its tree. */
static sbl_status make_state(sbl_model *model, const char *where, sbl_error *err)
{
    histories_state *state;
    sbl_status status = SBL_OK;
    SBL_ALLOC(state, 1, "a model");
    model->state = state;
    SBL_TRY(read_tree(&state->tree, model, where, err));
    SBL_ALLOC(state->first_event, state->tree.link_count, "a model");
    SBL_ALLOC(state->times, state->tree.link_count, "a model");
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

static sbl_status save(const void *data, sbl_store_entry to, json_t *metadata, bool overwrite, sbl_error *err)
{
    const histories_state *state = data;
    return sbl_history_model_save(&state->model, to, metadata, overwrite, err);
}

static sbl_status load(sbl_model *model, const sbl_safetensors *file, const char *where, sbl_error *err)
{
    sbl_status status = make_state(model, where, err);
    histories_state *state = model->state;
    return status == SBL_OK ? sbl_history_model_read(&state->model, &state->tree, file, where, err) : status;
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

/* The first row of person p of the pass, in all tables; of p = persons the end. */
static size_t first_row_of(const histories_state *state, size_t p)
{
    size_t row = state->tree.linked ? p : 0; /* its own row */
    for (size_t l = 0; l < state->tree.link_count; l++)
        row += sbl_history_pass_first(&state->pass, &state->tree, l, p);
    return row;
}

/* Room for the times of the row with most events. */
static sbl_status make_times(histories_state *state, size_t l, sbl_error *err)
{
    const sbl_history_part *part = &state->pass.links[l];
    size_t most = 1;
    sbl_status status = SBL_OK;
    for (size_t p = 0; p < part->parents; p++)
        if (part->starts[p + 1] - part->starts[p] > most) most = part->starts[p + 1] - part->starts[p];
    sbl_free(state->times[l].units);
    state->times[l] = (row_times){.parent = SBL_HISTORY_NONE};
    SBL_ALLOC(state->times[l].units, most, "drawing histories");
done:
    return status;
}

static sbl_status draw_pass(histories_state *state, sbl_error *err)
{
    SBL_CHECK(
        sbl_history_pass_draw(&state->pass, &state->model, &state->tree, state->seed, state->number, err));
    for (size_t l = 0; l < state->tree.link_count; l++)
        if (state->tree.links[l].sorted != SBL_HISTORY_NONE) SBL_CHECK(make_times(state, l, err));
    state->drawn = true;
    return SBL_OK;
}

static void leave_pass(histories_state *state)
{
    state->first_row += first_row_of(state, state->pass.persons);
    for (size_t l = 0; l < state->tree.link_count; l++)
        state->first_event[l] += sbl_history_pass_first(&state->pass, &state->tree, l, state->pass.persons);
    state->number++;
    state->drawn = false;
    sbl_history_pass_clear(&state->pass);
}

/* The pass that holds a row: from the one at hand on, or from the first again. */
static sbl_status find_pass(histories_state *state, uint64_t row, sbl_error *err)
{
    if (!state->drawn || row < state->first_row) {
        sbl_history_pass_clear(&state->pass);
        state->number = state->first_row = 0;
        for (size_t l = 0; l < state->tree.link_count; l++) state->first_event[l] = 0;
        SBL_CHECK(draw_pass(state, err));
    }
    while (row - state->first_row >= first_row_of(state, state->pass.persons)) {
        leave_pass(state);
        SBL_CHECK(draw_pass(state, err));
    }
    return SBL_OK;
}

static size_t person_of(const histories_state *state, size_t row)
{
    size_t low = 0, high = state->pass.persons - 1;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (first_row_of(state, middle + 1) <= row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const sbl_lag *lag_of(const histories_state *state, size_t base)
{
    const size_t k = state->tree.cell_column[base];
    return k != SBL_HISTORY_NONE && state->tree.lags[k].codes != 0 ? &state->tree.lags[k] : NULL;
}

/* The columns of some bases, from their cells; not dates that follow others. */
static void place(const histories_state *state, double *numeric, uint32_t *codes, const uint16_t *cells,
                  size_t from, size_t count, sbl_model_rng *rng)
{
    for (size_t b = from; b < from + count; b++) {
        if (state->tree.cell_column[b] == SBL_HISTORY_NONE || lag_of(state, b) != NULL) continue;
        const sbl_bins_column *column = &state->tree.cells.columns[state->tree.cell_column[b]];
        const size_t cell = cells[b - from];
        if (column->kind == SBL_HEAD_CATEGORICAL) {
            codes[column->index] = (uint32_t)cell;
            continue;
        }
        numeric[column->index] = sbl_bins_place(column, cell, sbl_model_rng_uniform(rng));
        if (column->indicator != SBL_NO_HEAD) codes[column->indicator] = sbl_bins_indicator(column, cell);
    }
}

static void place_person(const histories_state *state, double *numeric, uint32_t *codes, size_t person)
{
    const sbl_history_pass *pass = &state->pass;
    const size_t count = state->tree.person_count;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, state->seed, SBL_RNG_SAMPLE_ROW, state->number * pass->persons + person);
    place(state, numeric, codes, pass->person_cells + person * count, 0, count, &rng);
}

/* The parent row of an event. */
static size_t parent_of(const sbl_history_part *part, size_t event)
{
    size_t low = 0, high = part->parents - 1;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (part->starts[middle + 1] <= event)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int by_time(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The time of an event: those of its row are drawn together and put in order. */
static double time_of(const histories_state *state, const double *numeric, size_t l, size_t parent,
                      size_t event, const sbl_lag *lag)
{
    const sbl_history_shape *link = &state->tree.links[l];
    const sbl_history_part *part = &state->pass.links[l];
    const size_t width = link->base_count - link->person_count, first = part->starts[parent];
    const uint16_t *cells = part->event_cells + link->sorted - link->person_count;
    row_times *times = &state->times[l];
    if (times->parent != parent) {
        for (size_t e = first; e < part->starts[parent + 1]; e++) {
            sbl_model_rng rng;
            sbl_model_rng_init(&rng, state->seed, SBL_RNG_SAMPLE_ROW,
                               TIME_STREAMS | (uint64_t)l << LINK_STREAMS | (state->first_event[l] + e));
            times->units[e - first] = sbl_lag_place(lag, &state->tree.cells, numeric, numeric,
                                                    cells[e * width], sbl_model_rng_uniform(&rng));
        }
        qsort(times->units, part->starts[parent + 1] - first, sizeof *times->units, by_time);
        times->parent = parent;
    }
    return times->units[event - first];
}

/* The dates of an event that follow others: those of its parent row, which is in place, then its own. */
static void place_lags(const histories_state *state, double *numeric, uint32_t *codes, size_t l,
                       size_t parent, size_t event, sbl_model_rng *rng)
{
    const sbl_history_shape *link = &state->tree.links[l];
    const sbl_history_part *part = &state->pass.links[l];
    const size_t count = link->base_count - link->person_count;
    for (size_t i = 0; i < 2 * count; i++) {
        const size_t e = i % count;
        const sbl_lag *lag = lag_of(state, state->tree.events_at[l] + e);
        if (lag == NULL || lag->own_row != (i >= count)) continue;
        const sbl_bins_column *column = &state->tree.cells.columns[lag->self.cell];
        const uint16_t cell = part->event_cells[event * count + e];
        numeric[column->index] =
            link->person_count + e == link->sorted
                ? time_of(state, numeric, l, parent, event, lag)
                : sbl_lag_place(lag, &state->tree.cells, numeric, numeric, cell, sbl_model_rng_uniform(rng));
        if (column->indicator != SBL_NO_HEAD) codes[column->indicator] = cell >= lag->codes ? 1 : 0;
    }
}

/* Where dates follow others, the rows above come first. They leave their numbers in the columns of their own
 * tables, which are not looked at. */
static void place_event(const histories_state *state, double *numeric, uint32_t *codes, size_t l,
                        size_t event)
{
    const sbl_history_shape *link = &state->tree.links[l];
    const sbl_history_part *part = &state->pass.links[l];
    const size_t count = link->base_count - link->person_count;
    const size_t parent = state->tree.follows ? parent_of(part, event) : 0;
    sbl_model_rng rng;
    if (state->tree.follows && link->parent == SBL_HISTORY_NONE) place_person(state, numeric, codes, parent);
    if (state->tree.follows && link->parent != SBL_HISTORY_NONE)
        place_event(state, numeric, codes, link->parent, parent);
    sbl_model_rng_init(&rng, state->seed, SBL_RNG_SAMPLE_ROW,
                       EVENT_STREAMS | (uint64_t)l << LINK_STREAMS | (state->first_event[l] + event));
    place(state, numeric, codes, part->event_cells + event * count, state->tree.events_at[l], count, &rng);
    if (link->span != 0) {
        const sbl_bins_column *order = &state->tree.cells.columns[link->order];
        numeric[order->index] = sbl_history_place_of(link, part->rows.steps[event]);
        if (order->indicator != SBL_NO_HEAD) codes[order->indicator] = 0;
    }
    if (state->tree.follows) place_lags(state, numeric, codes, l, parent, event, &rng);
}

/* Which row of which table row `at` of a person is. */
typedef struct whereabouts {
    size_t link; /* SBL_HISTORY_NONE: the person's own */
    size_t event;
} whereabouts;

static whereabouts find_row(const histories_state *state, size_t person, size_t at)
{
    if (state->tree.linked && at-- == 0) return (whereabouts){SBL_HISTORY_NONE, 0};
    for (size_t l = 0;; l++) {
        const size_t first = sbl_history_pass_first(&state->pass, &state->tree, l, person);
        const size_t end = sbl_history_pass_first(&state->pass, &state->tree, l, person + 1);
        if (at < end - first) return (whereabouts){l, first + at};
        at -= end - first;
    }
}

static void tell_links(const histories_state *state, const sbl_drawn *drawn, size_t r, uint64_t person,
                       whereabouts at)
{
    if (drawn->tables == NULL) return;
    drawn->tables[r] = (uint8_t)(at.link == SBL_HISTORY_NONE ? 0 : at.link + 1);
    drawn->numbers[r] = drawn->parents[r] = person;
    if (at.link == SBL_HISTORY_NONE) return;
    const size_t parent = state->tree.links[at.link].parent;
    drawn->numbers[r] = state->first_event[at.link] + at.event;
    if (parent != SBL_HISTORY_NONE)
        drawn->parents[r] = state->first_event[parent] + parent_of(&state->pass.links[at.link], at.event);
}

static sbl_status draw(sbl_model *model, const sbl_drawn *drawn, uint64_t first, size_t rows, size_t wanted,
                       sbl_error *err)
{
    histories_state *state = model->state;
    const sbl_bins *cells = &state->tree.cells;
    (void)wanted; /* of a history no class can be wanted: rows are rejected by who asks */
    for (size_t r = 0; r < rows; r++) {
        SBL_CHECK(find_pass(state, first + r, err));
        const size_t row = (size_t)(first + r - state->first_row);
        const size_t person = person_of(state, row);
        const whereabouts at = find_row(state, person, row - first_row_of(state, person));
        double *numeric = drawn->numeric + r * cells->numeric_count;
        uint32_t *codes = drawn->codes + r * cells->categorical_count;
        if (at.link == SBL_HISTORY_NONE || !state->tree.linked) place_person(state, numeric, codes, person);
        if (at.link != SBL_HISTORY_NONE) place_event(state, numeric, codes, at.link, at.event);
        const uint64_t number = state->number * state->pass.persons + person;
        if (drawn->persons != NULL) drawn->persons[r] = number;
        tell_links(state, drawn, r, number, at);
    }
    return SBL_OK;
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
