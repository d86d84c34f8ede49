/* SPDX-License-Identifier: Apache-2.0 */
/* [7] Passes over the state: codes to cells by quotas, numbers of events and first times from cells. */
#include "after/histories/history_sampler.h"

#include <string.h>

#include "after/histories/history_feedback.h"
#include "after/histories/history_leans.h"

#define WHAT "drawing histories"
#define FRESH_SWEEPS 2
#define SWEEPS_A_PASS 16                /* numbers of sweeps that a pass may use */
#define FRESH_SWEEP ((uint64_t)1 << 16) /* the first number: a fit's are below */

void sbl_history_pass_clear(sbl_history_pass *pass)
{
    sbl_pool_clear(&pass->pool);
    *pass = (sbl_history_pass){0};
}

sbl_walk_gaps sbl_history_model_gaps(const sbl_history_model *model, const sbl_history_shape *link)
{
    if (link->gap_base == SBL_HISTORY_NONE) return (sbl_walk_gaps){0};
    const size_t at = model->cells_at[link->number[link->gap_base]];
    return (sbl_walk_gaps){model->code_of + at, model->share + at, link->columns[link->gap_base].cells};
}

/* ---- persons ---- */

sbl_status sbl_history_pass_persons(sbl_history_pass *pass, const sbl_history_model *model,
                                    const sbl_history_tree *tree, const uint16_t *person_rows, uint64_t seed,
                                    uint64_t number, sbl_error *err)
{
    const size_t width = tree->person_count;
    sbl_walk walk = {0};
    sbl_status status = SBL_OK;
    pass->persons = model->persons;
    SBL_POOL(&pass->pool, pass->person_rows, pass->persons, width, WHAT);
    SBL_POOL(&pass->pool, pass->person_cells, pass->persons, width, WHAT);
    SBL_POOL(&pass->pool, pass->links, tree->link_count, 1, WHAT);
    memcpy(pass->person_rows, person_rows, pass->persons * width * sizeof *person_rows);
    SBL_TRY(sbl_walk_init(&walk, &tree->links[0], model->codes, false, (const uint32_t(*)[2])model->tables,
                          model->table_count, err));
    const sbl_history_codes codes = {&walk, &model->field, pass->person_rows, pass->persons,
                                     pass->person_cells};
    SBL_TRY(sbl_history_spread(&codes, model, tree, seed, number, err));
done:
    sbl_walk_clear(&walk);
    return status;
}

size_t sbl_history_pass_first(const sbl_history_pass *pass, const sbl_history_tree *tree, size_t link,
                              size_t p)
{
    const size_t parent = tree->links[link].parent;
    return pass->links[link]
        .starts[parent == SBL_HISTORY_NONE ? p : sbl_history_pass_first(pass, tree, parent, p)];
}

/* ---- events ---- */

/* The parent rows of a link's events. */
typedef struct parents {
    size_t count;
    const uint16_t *codes; /* (count, code_stride) */
    size_t code_stride;
    const uint16_t *cells; /* (count, cell_stride): of base first_cell and those after it */
    size_t cell_stride, first_cell;
} parents;

static parents parents_of(const sbl_history_pass *pass, const sbl_history_tree *tree,
                          const sbl_history_shape *link)
{
    if (link->parent == SBL_HISTORY_NONE)
        return (parents){pass->persons,      pass->person_rows,  tree->person_count,
                         pass->person_cells, tree->person_count, 0};
    const sbl_history_shape *parent = &tree->links[link->parent];
    const sbl_history_part *part = &pass->links[link->parent];
    return (parents){.count = part->starts[part->parents],
                     .codes = part->rows.rows,
                     .code_stride = parent->side_count,
                     .cells = part->event_cells,
                     .cell_stride = parent->base_count - parent->person_count,
                     .first_cell = parent->person_count};
}

static uint32_t parent_cell(const parents *from, size_t p, size_t base)
{
    return from->cells[p * from->cell_stride + base - from->first_cell];
}

/* A number of events within a cell, evenly. */
static void count_events(size_t *starts, const parents *from, const sbl_history_tree *tree, size_t link,
                         uint64_t seed, uint64_t number)
{
    const sbl_history_shape *shape = &tree->links[link];
    sbl_model_rng rng;
    sbl_history_cell_stream(&rng, seed, number, tree->base_count + 1 + link);
    for (size_t p = 0; p < from->count; p++) {
        size_t low, high;
        sbl_history_count_range(shape, parent_cell(from, p, shape->count_base), &low, &high);
        starts[p + 1] = starts[p] + low + (size_t)sbl_model_rng_below(&rng, high - low + 1);
    }
}

static void first_times(const sbl_history_part *part, const parents *from, const sbl_history_shape *link)
{
    for (size_t p = 0; p < from->count; p++) {
        /* Evenly within the cell: a golden ratio's multiples are spread so. */
        const double place = (double)(uint32_t)(p * 2654435769u) / 4294967296.0;
        if (part->starts[p] < part->starts[p + 1])
            part->rows.steps[part->starts[p]] =
                sbl_history_first_step(link, parent_cell(from, p, link->first_base), place);
    }
}

/* For events with several parent rows of a person: their total number, as far as it counts. */
static sbl_status sum_units(sbl_history_pass *pass, const sbl_history_tree *tree, size_t link, sbl_error *err)
{
    const sbl_history_shape *shape = &tree->links[link];
    const sbl_history_part *part = &pass->links[link];
    sbl_walk_unit *units;
    sbl_status status = SBL_OK;
    SBL_POOL(&pass->pool, units, part->parents, 1, WHAT);
    for (size_t p = 0; p < pass->persons; p++) {
        const size_t from = sbl_history_pass_first(pass, tree, shape->parent, p);
        const size_t end = sbl_history_pass_first(pass, tree, shape->parent, p + 1);
        size_t events = 0, steps = 0;
        for (size_t q = from; q < end; q++) {
            const size_t m = part->starts[q + 1] - part->starts[q];
            events += m;
            steps += m > 0 ? m - 1 : 0;
        }
        if (events > shape->most) events = shape->most;
        if (steps >= shape->most) steps = shape->most - 1;
        for (size_t q = from; q < end; q++) units[q] = (sbl_walk_unit){(uint32_t)events, (uint32_t)steps};
    }
    pass->links[link].rows.units = units;
done:
    return status;
}

sbl_status sbl_history_pass_events(sbl_history_pass *pass, const sbl_history_tree *tree, size_t link,
                                   const uint32_t *counts, uint64_t seed, uint64_t number, sbl_error *err)
{
    const sbl_history_shape *shape = &tree->links[link];
    const parents from = parents_of(pass, tree, shape);
    sbl_history_part *part = &pass->links[link];
    sbl_status status = SBL_OK;
    part->parents = from.count;
    SBL_POOL(&pass->pool, part->starts, from.count + 1, 1, WHAT);
    for (size_t p = 0; counts != NULL && p < from.count; p++)
        part->starts[p + 1] = part->starts[p] + counts[p];
    if (counts == NULL) count_events(part->starts, &from, tree, link, seed, number);
    const size_t events = part->starts[from.count];
    part->rows = (sbl_walk_rows){.persons = from.count, .starts = part->starts};
    SBL_POOL(&pass->pool, part->rows.rows, events, shape->side_count, WHAT);
    if (shape->span != 0) SBL_POOL(&pass->pool, part->rows.steps, events, 1, WHAT);
    for (size_t p = 0; p < from.count; p++) {
        const size_t m = part->starts[p + 1] - part->starts[p];
        for (size_t r = 0; r < m; r++) {
            uint16_t *row = part->rows.rows + (part->starts[p] + r) * shape->side_count;
            memcpy(row, from.codes + p * from.code_stride, shape->person_count * sizeof *row);
            row[shape->position] = sbl_history_position(r);
        }
    }
    if (shape->span != 0) first_times(part, &from, shape);
    if (shape->parent != SBL_HISTORY_NONE) SBL_TRY(sum_units(pass, tree, link, err));
done:
    return status;
}

sbl_status sbl_history_pass_spread(sbl_history_pass *pass, const sbl_history_model *model,
                                   const sbl_history_tree *tree, size_t link, uint64_t seed, uint64_t number,
                                   sbl_error *err)
{
    const sbl_history_shape *shape = &tree->links[link];
    sbl_history_part *part = &pass->links[link];
    const size_t events = part->starts[part->parents];
    const size_t width = shape->base_count - shape->person_count;
    sbl_walk walk = {0};
    sbl_status status = SBL_OK;
    SBL_POOL(&pass->pool, part->event_cells, events, width, WHAT);
    SBL_TRY(sbl_walk_init(&walk, shape, model->codes, true, (const uint32_t(*)[2])model->tables,
                          model->table_count, err));
    const sbl_history_codes codes = {&walk, &model->links[link].field, part->rows.rows, events,
                                     part->event_cells};
    SBL_TRY(sbl_history_spread(&codes, model, tree, seed, number, err));
done:
    sbl_walk_clear(&walk);
    return status;
}

/* ---- the state ---- */

sbl_status sbl_history_model_keep(sbl_history_model *model, const sbl_history_pass *pass,
                                  const sbl_history_tree *tree, size_t link, sbl_error *err)
{
    const sbl_history_shape *shape = &tree->links[link];
    const sbl_history_part *part = &pass->links[link];
    sbl_history_events *of = &model->links[link];
    sbl_status status = SBL_OK;
    of->width = shape->base_count - shape->person_count;
    of->parents = part->parents;
    of->events = part->starts[part->parents];
    SBL_POOL(&model->pool, of->counts, of->parents, 1, WHAT);
    SBL_POOL(&model->pool, of->rows, of->events, of->width, WHAT);
    SBL_POOL(&model->pool, of->steps, of->events, 1, WHAT);
    for (size_t p = 0; p < of->parents; p++)
        of->counts[p] = (uint32_t)(part->starts[p + 1] - part->starts[p]);
    for (size_t r = 0; r < of->events; r++) {
        memcpy(of->rows + r * of->width, part->rows.rows + r * shape->side_count + shape->person_count,
               of->width * sizeof *of->rows);
        if (shape->span != 0) of->steps[r] = (uint32_t)part->rows.steps[r];
    }
done:
    return status;
}

/* The events of one row, with their contexts. */
static void recall_row(sbl_history_past *past, const sbl_history_part *part, const sbl_history_events *of,
                       const sbl_history_shape *shape, size_t p)
{
    const size_t first = part->starts[p], m = of->counts[p];
    uint16_t *rows = part->rows.rows + first * shape->side_count;
    for (size_t r = 0; r < m; r++) {
        uint16_t *row = rows + r * shape->side_count;
        uint64_t before = 0;
        memcpy(row + shape->person_count, of->rows + (first + r) * of->width, of->width * sizeof *row);
        if (shape->span != 0) {
            part->rows.steps[first + r] = of->steps[first + r];
            before = of->steps[first + r - (r > 0 ? 1 : 0)];
        }
        sbl_history_look_back(past, row, &before, r, m);
    }
    sbl_history_forget(past, rows, m);
}

static sbl_status recall_link(sbl_history_pass *pass, const sbl_history_model *model,
                              const sbl_history_tree *tree, size_t link, uint64_t seed, sbl_error *err)
{
    const sbl_history_shape *shape = &tree->links[link];
    const sbl_history_events *of = &model->links[link];
    sbl_history_past past;
    uint32_t *codes = NULL;
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    SBL_ALLOC(codes, shape->base_count, WHAT);
    sbl_link_codes(codes, shape, model->codes);
    SBL_TRY(sbl_history_pass_events(pass, tree, link, of->counts, seed, 0, err));
    SBL_TRY(sbl_history_past_init(&past, &pool, shape, codes, err));
    for (size_t p = 0; p < of->parents; p++) recall_row(&past, &pass->links[link], of, shape, p);
    SBL_TRY(sbl_history_pass_spread(pass, model, tree, link, seed, 0, err));
done:
    sbl_free(codes);
    sbl_pool_clear(&pool);
    return status;
}

/* The state as a pass: its own events, with their contexts. */
static sbl_status recall(sbl_history_pass *pass, const sbl_history_model *model, const sbl_history_tree *tree,
                         uint64_t seed, sbl_error *err)
{
    SBL_CHECK(sbl_history_pass_persons(pass, model, tree, model->person_rows, seed, 0, err));
    for (size_t l = 0; l < tree->link_count; l++) SBL_CHECK(recall_link(pass, model, tree, l, seed, err));
    return SBL_OK;
}

/* ---- passes after the first ---- */

/* Rows drawn by the model's parameters and held to the tables of other rows. */
static sbl_status hold_to(const sbl_history_model *model, const sbl_history_field *field,
                          const sbl_walk *walk, const sbl_walk_rows *rows, const sbl_walk_rows *like,
                          uint64_t seed, uint64_t first_sweep, sbl_error *err)
{
    const sbl_walk_gaps gaps = sbl_history_model_gaps(model, walk->shape);
    double *ones, *tables, total[SBL_HISTORY_SORTS];
    float *shares, *targets, *bias, *theta;
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    SBL_POOL(&pool, ones, walk->bias_size, 1, WHAT);
    SBL_POOL(&pool, shares, walk->bias_size, 1, WHAT);
    SBL_POOL(&pool, bias, walk->bias_size, 1, WHAT);
    SBL_POOL(&pool, tables, walk->table_size, 1, WHAT);
    SBL_POOL(&pool, targets, walk->table_size, 1, WHAT);
    SBL_POOL(&pool, theta, walk->table_size, 1, WHAT);
    sbl_walk_count(walk, like, ones, tables, total);
    for (size_t i = 0; i < walk->bias_size; i++) shares[i] = (float)ones[i];
    for (size_t i = 0; i < walk->table_size; i++) targets[i] = (float)tables[i];
    memcpy(bias, field->bias, walk->bias_size * sizeof *bias);
    memcpy(theta, field->theta, walk->table_size * sizeof *theta);
    const sbl_history_goal goal = {shares, targets, targets, NULL};
    const sbl_history_rule rule = {.sweeps = FRESH_SWEEPS, .seed = seed, .first_sweep = first_sweep};
    SBL_TRY(sbl_history_feedback(walk, rows, &gaps, bias, theta, &goal, &rule, err));
done:
    sbl_pool_clear(&pool);
    return status;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): it is written through a copy of it */
static sbl_status draw_persons(uint16_t *fresh, const sbl_history_model *model, const sbl_history_tree *tree,
                               uint64_t seed, uint64_t sweep, sbl_error *err)
{
    sbl_walk walk = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_walk_init(&walk, &tree->links[0], model->codes, false, (const uint32_t(*)[2])model->tables,
                          model->table_count, err));
    const sbl_walk_rows like = {.persons = model->persons, .rows = model->person_rows};
    const sbl_walk_rows rows = {.persons = model->persons, .rows = fresh};
    SBL_TRY(hold_to(model, &model->field, &walk, &rows, &like, seed, sweep, err));
done:
    sbl_walk_clear(&walk);
    return status;
}

static sbl_status draw_events(sbl_history_pass *pass, const sbl_history_pass *state,
                              const sbl_history_model *model, const sbl_history_tree *tree, size_t link,
                              uint64_t seed, uint64_t number, uint64_t sweep, sbl_error *err)
{
    sbl_walk walk = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_history_pass_events(pass, tree, link, NULL, seed, number, err));
    SBL_TRY(sbl_walk_init(&walk, &tree->links[link], model->codes, true, (const uint32_t(*)[2])model->tables,
                          model->table_count, err));
    SBL_TRY(hold_to(model, &model->links[link].field, &walk, &pass->links[link].rows,
                    &state->links[link].rows, seed, sweep, err));
    SBL_TRY(sbl_history_pass_spread(pass, model, tree, link, seed, number, err));
done:
    sbl_walk_clear(&walk);
    return status;
}

static sbl_status draw_again(sbl_history_pass *pass, const sbl_history_model *model,
                             const sbl_history_tree *tree, uint64_t seed, uint64_t number, sbl_error *err)
{
    const uint64_t walks = 1 + tree->link_count;
    const uint64_t sweep = FRESH_SWEEP + walks * SWEEPS_A_PASS * (number % (1 << 10));
    sbl_history_pass state = {0};
    uint16_t *fresh = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(fresh, model->persons * tree->person_count, WHAT);
    SBL_TRY(recall(&state, model, tree, seed, err));
    SBL_TRY(draw_persons(fresh, model, tree, seed, sweep, err));
    SBL_TRY(sbl_history_pass_persons(pass, model, tree, fresh, seed, number, err));
    for (size_t l = 0; l < tree->link_count; l++)
        SBL_TRY(
            draw_events(pass, &state, model, tree, l, seed, number, sweep + (1 + l) * SWEEPS_A_PASS, err));
done:
    sbl_free(fresh);
    sbl_history_pass_clear(&state);
    return status;
}

sbl_status sbl_history_pass_draw(sbl_history_pass *pass, const sbl_history_model *model,
                                 const sbl_history_tree *tree, uint64_t seed, uint64_t number, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *pass = (sbl_history_pass){0};
    SBL_TRY(number == 0 ? recall(pass, model, tree, seed, err)
                        : draw_again(pass, model, tree, seed, number, err));
done:
    if (status != SBL_OK) sbl_history_pass_clear(pass);
    return status;
}
